"""Errors of the platform's own rules, planted one by one: the independent recomputation finds each, and nothing is
published against it. Storage is in memory; rules, services and recomputation are the real ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import pytest

from contest import reading
from contest.refusals import RefusedError
from contest.results import boards, publishing, reporting, scoring, settling
from contest.results.rules import leaderboard, reports
from contest.run import watching
from contest.run.rules import fate, schedule
from contest.run.rules.conducting import Wish
from contest.run.rules.run import Kind
from contest.session.rules.delivery import Cause, FileState
from tests.contest.run.played_runs import SILENT, SLOW, Played, planned
from tests.toys import ToyTrack
from tracks.protocol import Policies


@pytest.fixture(autouse=True)
def half_may_be_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a team that has missed one of a few files onto the board."""
    monkeypatch.setattr(ToyTrack, "policies", lambda self, mode: Policies(max_voided_share=0.5))


def late_as_platforms(really: Any) -> Any:
    def kind(*args: Any, **named: Any) -> fate.Fate:
        found = really(*args, **named)
        return found._replace(cause=Cause.PLATFORM) if found.cause is Cause.TEAM_LATE else found

    return kind


def late_as_answered(really: Any) -> Any:
    def state(delivery: Any, now: int, *, session_open: bool) -> FileState:
        is_late = delivery and delivery.late_at
        return FileState.ANSWERED if is_late else really(delivery, now, session_open=session_open)

    return state


def against_itself(really: Any) -> Any:
    def record(platform: Any, session: Any, job: Any) -> bytes:
        answer = scoring.stored_answer(platform, session.session_id, job.number, job.content_sha256)
        with patch.object(reading, "references", lambda *_: [answer]):
            return really(platform, session, job)

    return record


def without_the_fourth(really: Any) -> Any:
    def gather(*args: Any, **named: Any) -> Any:
        found = really(*args, **named)
        if isinstance(found, reporting.Pending):
            return found
        return replace(found, scores={number: each for number, each in found.scores.items() if number != 4})

    return gather


def upside_down(really: Any) -> Any:
    def board(*args: Any) -> Any:
        rows = really(*args)
        return tuple(replace(row, place=len(rows) + 1 - row.place) for row in rows)

    return board


def with_the_firsts_result(really: Any) -> Any:
    return lambda entries, rows: really([replace(each, result=entries[0].result) for each in entries], rows)


Wrong = tuple[Any, str, Callable[[Any], Any]]
PLANTED: dict[str, tuple[str, tuple[Wrong, ...]]] = {
    "a team's late answer is the platform's fault": ("cause", ((fate, "fate", late_as_platforms),)),
    "rulings are ignored": ("cause", ((schedule.Schedule, "rulings", lambda _: lambda self, team_id: {}),)),
    "a file annulled for everybody counts": ("cause", ((schedule, "_voided", lambda _: lambda *_: {}),)),
    "a late file is answered": ("state", ((fate, "state_of", late_as_answered),)),
    "annulled files count against the team": ("voided_share", ((fate, "NOBODYS", lambda _: frozenset()),)),
    "places are reversed": ("place", ((leaderboard, "board", upside_down),)),
    "missed files are left out": (
        "completeness.whole",
        (
            (
                reports,
                "run_outcomes",
                lambda really: lambda facts: tuple(each for each in really(facts) if each.answered),
            ),
        ),
    ),
    "the first team is left out": (
        "entry",
        ((boards, "entries_json", lambda really: lambda entries, rows: really(entries[1:], rows)),),
    ),
    "every entry has the first one's result": (
        "result.relative_accuracy",
        ((boards, "entries_json", with_the_firsts_result),),
    ),
    "an answer is its own reference": ("score.points", ((scoring, "record_of", against_itself),)),
    "a score is not waited for": (
        "entry.answered",
        ((reporting, "gather", without_the_fourth), (reporting, "all_scored", lambda _: lambda facts: True)),
    ),
}
"""Bugs of the platform's rules: the quantity that differs, and the replacement of an attribute."""


@pytest.mark.clause("platform §4 shadow")
@pytest.mark.parametrize("bug", PLANTED)
def test_an_error_of_the_platforms_own_rules_blocks_the_publication(monkeypatch: pytest.MonkeyPatch, bug: str) -> None:
    played = final()
    quantity, wrongs = PLANTED[bug]
    for place, name, wrong in wrongs:
        monkeypatch.setattr(place, name, wrong(getattr(place, name)))
    played.finish()
    found = settling.look(played.platform, played.run).result
    assert found is not None
    assert quantity in {each["quantity"] for each in found["differences"]}
    with pytest.raises(RefusedError) as refused:
        publishing.publish(played.platform, "olga", played.run_id)
    assert refused.value.code == "results_differ"
    assert refused.value.details[0]["differences"] == found["total"] > 0
    assert played.run.published_at is None


def test_the_same_final_without_an_error_is_published() -> None:
    played = final()
    played.finish()
    publishing.publish(played.platform, "olga", played.run_id)
    board = json.loads(played.platform.blobs.get(boards.entries_name(played.run)))
    assert board["places"]["all"] == {"blue": 3, "grey": 1, "red": 1}


def final() -> Played:
    """Play a final of six files: late and silent teams, a file annulled for everybody, two rulings."""
    played = planned(6)

    def decided(kind: Kind, *numbers: int, **wish: Any) -> None:
        watching.decide(played.platform, "olga", played.run_id, Wish(kind, "a reason", numbers=numbers, **wish))

    for number in range(1, 5):
        played.open(number, **{1: {"blue": SLOW}, 2: {"red": SLOW}, 4: {"blue": "abxx"}}.get(number, {}))
    decided(Kind.VOID, 6)
    played.open(5, red=SILENT)
    decided(Kind.RULE, 5, team_id="red", cause=Cause.PLATFORM)
    decided(Kind.RULE, 1, team_id="blue", cause=Cause.NETWORK)
    return played
