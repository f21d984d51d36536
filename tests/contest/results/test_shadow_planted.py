"""Errors of the platform's own rules, planted one by one: the independent recomputation finds each, and nothing is
published against it. Storage is in memory; rules, services and recomputation are the real ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from contest import reading
from contest.refusals import RefusedError
from contest.results import boards, publishing, reporting, scoring, settling
from contest.results.rules import leaderboard, reports
from contest.results.rules.leaderboard import Entry
from contest.run import deciding
from contest.run.rules import fate, schedule
from contest.run.rules.amending import Wish
from contest.run.rules.run import Kind
from contest.session.rules.delivery import Cause, FileState
from tests.contest.run.played_runs import SILENT, SLOW, Played, planned
from tests.toys import ToyTrack
from tracks.protocol import Policies


@pytest.fixture(autouse=True)
def half_may_be_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a team that has missed one of a few files onto the board."""
    monkeypatch.setattr(ToyTrack, "policies", lambda self, mode: Policies(max_voided_share=0.5))


def all_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bug in run/rules/fate: a team's late answer counts as the platform's fault."""
    really = fate.fate

    def kind(*args: Any, **named: Any) -> fate.Fate:
        found = really(*args, **named)
        return found._replace(cause=Cause.PLATFORM) if found.cause is Cause.TEAM_LATE else found

    monkeypatch.setattr(fate, "fate", kind)


def no_rulings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bug in run/rules/schedule: the commission's rulings are ignored."""
    monkeypatch.setattr(schedule.Schedule, "rulings", lambda self, team_id: {})


def voids_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bug in run/rules/schedule: a file annulled for everybody counts like any other."""
    monkeypatch.setattr(schedule, "_voided", lambda *_: {})


def late_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bug in run/rules/fate: a late file has the state ANSWERED."""

    def state(delivery: Any, now: int, *, session_open: bool) -> FileState:
        return FileState.ANSWERED if delivery and delivery.late_at else FileState.VOIDED

    really = fate.state_of
    monkeypatch.setattr(
        fate,
        "state_of",
        lambda delivery, now, *, session_open: (
            state(delivery, now, session_open=session_open)
            if delivery and delivery.late_at
            else really(delivery, now, session_open=session_open)
        ),
    )


def nobodys_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bug in run/rules/fate: files annulled by the organizers count against the team."""
    monkeypatch.setattr(fate, "NOBODYS", frozenset())


def upside_down(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bug in results/rules/leaderboard: the places are reversed."""
    really = leaderboard.board

    def board(*args: Any) -> Any:
        rows = really(*args)
        return tuple(replace(row, place=len(rows) + 1 - row.place) for row in rows)

    monkeypatch.setattr(leaderboard, "board", board)


def unanswered_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bug in results/rules/reports: missed files are left out."""
    really = reports.run_outcomes
    monkeypatch.setattr(reports, "run_outcomes", lambda facts: tuple(each for each in really(facts) if each.answered))


def a_team_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bug in results/boards: the first team's entry is left out of the board."""
    really = boards.entries_json
    monkeypatch.setattr(boards, "entries_json", lambda entries, rows: really(entries[1:], rows))


def another_teams_result(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bug in results/boards: every entry has the first one's result."""
    really = boards.entries_json

    def mixed(entries: list[Entry], rows: Any) -> bytes:
        return really([replace(each, result=entries[0].result) for each in entries], rows)

    monkeypatch.setattr(boards, "entries_json", mixed)


def scored_against_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bug in results/scoring: an answer is its own reference."""
    really = scoring.record_of

    def record(platform: Any, session: Any, job: Any) -> bytes:
        answer = scoring.stored_answer(platform, session.session_id, job.number, job.content_sha256)
        with pytest.MonkeyPatch.context() as inner:
            inner.setattr(reading, "references", lambda *_: [answer])
            return really(platform, session, job)

    monkeypatch.setattr(scoring, "record_of", record)


def a_score_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bug in results/reporting: a file's score is neither gathered nor waited for."""
    really = reporting.gather

    def gather(*args: Any, **named: Any) -> Any:
        found = really(*args, **named)
        if isinstance(found, reporting.Pending):
            return found
        return replace(found, scores={number: each for number, each in found.scores.items() if number != 4})

    monkeypatch.setattr(reporting, "gather", gather)
    monkeypatch.setattr(reporting, "all_scored", lambda facts: True)


PLANTED = [
    (all_in_time, "cause"),
    (no_rulings, "cause"),
    (voids_forgotten, "cause"),
    (late_counts, "state"),
    (nobodys_count, "voided_share"),
    (upside_down, "place"),
    (unanswered_dropped, "completeness.whole"),
    (a_team_forgotten, "entry"),
    (another_teams_result, "result.relative_accuracy"),
    (scored_against_itself, "score.points"),
    (a_score_forgotten, "entry.answered"),
]


@pytest.mark.clause("platform §4 shadow")
@pytest.mark.parametrize(("plant", "quantity"), PLANTED)
def test_an_error_of_the_platforms_own_rules_is_found_and_blocks_the_publication(
    monkeypatch: pytest.MonkeyPatch, plant: Callable[[pytest.MonkeyPatch], None], quantity: str
) -> None:
    played = final()
    plant(monkeypatch)
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
        deciding.decide(played.platform, "olga", played.run_id, Wish(kind, "a reason", numbers=numbers, **wish))

    for number in range(1, 5):
        played.open(number, **{1: {"blue": SLOW}, 2: {"red": SLOW}, 4: {"blue": "abxx"}}.get(number, {}))
    decided(Kind.VOID, 6)
    played.open(5, red=SILENT)
    decided(Kind.RULE, 5, team_id="red", cause=Cause.PLATFORM)
    decided(Kind.RULE, 1, team_id="blue", cause=Cause.NETWORK)
    return played
