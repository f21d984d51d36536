"""The record read anew: rows that contradict themselves, and a roster that is not that of the stored sessions."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from shadow.final import read_final
from shadow.record import contradictions, unlike_roster
from tests.contest.run.played_runs import Played, planned
from tests.fakes_source import FakeSource

CASES = json.loads((Path(__file__).resolve().parents[1] / "contradictions.json").read_text("utf-8"))
"""Rows that contradict themselves or do not, for the participants' verifier, the site's and this one."""


@pytest.mark.parametrize("case", CASES["cases"], ids=[case["name"] for case in CASES["cases"]])
def test_rows_contradict_themselves_where_they_do_for_the_verifiers(case: dict[str, Any]) -> None:
    record = json.loads(json.dumps(CASES["record"]))
    for path, value in case["set"]:
        *steps, last = path.split(".")
        place = record
        for step in steps:
            place = place[int(step)] if step.isdigit() else place[step]
        place[last] = value
    in_turns = record["commitment"]["statement"]["track"] == "diagnosis"
    cells = [
        cell for each in record["sessions"] for cell in contradictions(each, record["releases"], in_turns=in_turns)
    ]
    assert bool(cells) == case["fault"], cells
    for cell in cells:
        assert cell.to_dict()["message"] != cell.to_dict()["message_ru"]


@pytest.fixture
def played() -> Played:
    made = planned(3)
    made.play({2: {"red": "abxx"}})
    made.finish()
    return made


def quantities(played: Played) -> list[str]:
    final = read_final(FakeSource(played.platform), played.platform.tracks, played.run_id)
    return [cell.quantity for cell in unlike_roster(final)]


def changed(played: Played, name: str, change: Callable[[Any], None]) -> None:
    whole = json.loads(played.platform.blobs.get(name))
    change(whole)
    played.platform.blobs.put(name, json.dumps(whole).encode())


def add_a_team(record: Any) -> None:
    """Put a session into a record that nobody had, with the files of one that somebody had."""
    ghost = {"team_id": "ghost", "session_id": "9" * 15}
    record["sessions"].append({**record["sessions"][0], **ghost})


@pytest.mark.clause("platform §4 shadow")
def test_a_team_left_out_of_the_record_or_added_to_it_and_a_roster_made_anew_are_found(played: Played) -> None:
    record = f"runs/{played.run_id}/record.json"
    assert quantities(played) == []
    before = played.platform.blobs.get(record)
    changed(played, record, lambda told: told["sessions"].pop())
    assert quantities(played) == ["roster.record"]
    played.platform.blobs.put(record, before)
    changed(played, record, add_a_team)
    assert quantities(played) == ["roster.record"]
    played.platform.blobs.put(record, before)
    changed(played, record, lambda told: told["roster"]["statement"].update(sessions=9))
    assert quantities(played) == ["roster.statement.sessions"]
    played.platform.blobs.put(record, before)
    sealed = f"runs/{played.run_id}/commitment-roster.json"
    for place in (sealed, record):
        changed(played, place, lambda told: told.get("roster", told)["statement"].update(sessions=9))
    assert quantities(played) == ["signature", "roster.sessions"]
