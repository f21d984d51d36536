"""The job: parts by themselves, the whole of all parts, whoever is last and whatever changes meanwhile."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from contest.results import boards
from contest.results.rules.rescoring import facts_of
from shadow.final import read_final
from shadow.job import recompute
from shadow.record import contradictions, unlike_roster
from shadow.source import MissingError
from tests.contest.run.played_runs import Played, planned
from tests.fakes import FakeQueue, FakeShadows
from tests.fakes_source import FakeSource


@pytest.fixture
def played() -> Played:
    """Settle a final and request its recomputation, which no worker has begun."""
    made = planned(3)
    made.platform.shadows = FakeQueue()
    made.play({2: {"red": "abxx"}})
    made.finish()
    return made


def results(played: Played) -> dict[str, Any]:
    objects = played.platform.blobs.objects
    return {name: json.loads(content) for name, content in objects.items() if name.startswith("reports/shadow/")}


def whole(played: Played) -> Any:
    return results(played)[read_final(FakeSource(played.platform), played.platform.tracks, played.run_id).result_name]


def done(played: Played, session_id: str = "", source: FakeSource | None = None, *, again: bool = False) -> None:
    chosen = source or FakeSource(played.platform)
    recompute(chosen, played.run_id, session_id, again=again, tracks=played.platform.tracks)


def test_the_whole_is_made_by_whoever_makes_the_last_part(played: Played) -> None:
    sessions = list(played.sessions.values())
    for made, session_id in enumerate(sessions, start=1):
        done(played, session_id)
        assert len(results(played)) == made + (made == len(sessions))
    assert whole(played)["checked"] == {"files": 9, "receipts": 9, "scores": 9, "sessions": 3}
    assert (whole(played)["total"], whole(played)["differences"]) == (0, [])


def test_every_session_is_sent_for_and_both_sides_name_a_result_by_the_same_facts(played: Played) -> None:
    final = read_final(FakeSource(played.platform), played.platform.tracks, played.run_id)
    assert final.facts == facts_of(played.run, played.platform.blobs.get(boards.entries_name(played.run)))
    assert facts_of(played.run, None) != final.facts
    tasks = played.platform.shadows.jobs
    assert {each.session_id for each in tasks} == set(played.sessions.values())
    FakeShadows(played.platform).send(tasks)
    assert len(results(played)) == 4


def test_what_was_made_stands_until_it_is_asked_for_again(played: Played) -> None:
    session_id = played.sessions["red"]
    done(played, session_id)
    (name,) = results(played)
    played.platform.blobs.put(name, b'{"kept": true}')
    done(played, session_id)
    assert results(played) == {name: {"kept": True}}
    done(played, session_id, again=True)
    assert results(played)[name]["total"] == 0


class Overtaken(FakeSource):
    """Storage in which another process makes a part anew while the whole is being put together."""

    def __init__(self, played: Played, part: str) -> None:
        super().__init__(played.platform)
        self._part = part
        self.overtakes = True

    def write(self, name: str, content: bytes) -> None:
        super().write(name, content)
        if self.overtakes:
            self.overtakes = False
            changed = json.loads(self.read(self._part) or b"")
            super().write(self._part, json.dumps({**changed, "total": 1, "differences": [{"a": 1}]}).encode())


def test_a_part_that_changes_meanwhile_is_in_the_whole(played: Played) -> None:
    for session_id in played.sessions.values():
        done(played, session_id)
    final = read_final(FakeSource(played.platform), played.platform.tracks, played.run_id)
    done(played, source=Overtaken(played, final.part_name(played.sessions["red"])))
    assert (whole(played)["total"], whole(played)["differences"]) == (1, [{"a": 1}])


def test_a_session_of_which_nothing_is_stored_is_a_difference_and_a_run_none(played: Played) -> None:
    done(played, "100000000000000")
    (found,) = results(played).values()
    assert [each["quantity"] for each in found["differences"]] == ["session"]
    with pytest.raises(MissingError):
        recompute(FakeSource(played.platform), "unknown", tracks=played.platform.tracks)


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
def settled() -> Played:
    result = planned(3)
    result.play({2: {"red": "abxx"}})
    result.finish()
    return result


def quantities(settled: Played) -> list[str]:
    final = read_final(FakeSource(settled.platform), settled.platform.tracks, settled.run_id)
    return [cell.quantity for cell in unlike_roster(final)]


def changed(settled: Played, name: str, change: Callable[[Any], None]) -> None:
    whole = json.loads(settled.platform.blobs.get(name))
    change(whole)
    settled.platform.blobs.put(name, json.dumps(whole).encode())


def add_a_team(record: Any) -> None:
    """Put a session into a record that nobody had, with the files of one that somebody had."""
    ghost = {"team_id": "ghost", "session_id": "9" * 15}
    record["sessions"].append({**record["sessions"][0], **ghost})


@pytest.mark.clause("platform §4 shadow")
def test_a_team_left_out_of_the_record_or_added_to_it_and_a_roster_made_anew_are_found(settled: Played) -> None:
    record = f"runs/{settled.run_id}/record.json"
    assert quantities(settled) == []
    before = settled.platform.blobs.get(record)
    changed(settled, record, lambda told: told["sessions"].pop())
    assert quantities(settled) == ["roster.record"]
    settled.platform.blobs.put(record, before)
    changed(settled, record, add_a_team)
    assert quantities(settled) == ["roster.record"]
    settled.platform.blobs.put(record, before)
    changed(settled, record, lambda told: told["roster"]["statement"].update(sessions=9))
    assert quantities(settled) == ["roster.statement.sessions"]
    settled.platform.blobs.put(record, before)
    sealed = f"runs/{settled.run_id}/commitment-roster.json"
    for place in (sealed, record):
        changed(settled, place, lambda told: told.get("roster", told)["statement"].update(sessions=9))
    assert quantities(settled) == ["signature", "roster.sessions"]
