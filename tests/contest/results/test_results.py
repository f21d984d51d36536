"""Readiness, statistics, leaderboard, keys of scores, patience of the outbox."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.cycle.rules.cycle import SetKind
from contest.results.rules import jobs, leaderboard, qualification, reports
from contest.results.rules.jobs import Job, OutboxEntry
from contest.results.rules.leaderboard import Entry
from contest.results.rules.reports import Facts
from contest.session.rules.session import Plan, PlannedFile, State
from contest.values import MINUTE
from tests.contest.session.test_session import PARAMETERS, SESSION, handed_out
from tests.toys import ToyTrack

TRACK = ToyTrack()


@pytest.mark.parametrize(
    ("files", "answered", "state", "codes"),
    [
        (30, 29, State.FINISHED, []),  # 29/30 = 96.7 %
        (40, 38, State.FINISHED, []),  # 38/40 = 95 %, exactly enough
        (40, 37, State.FINISHED, ["too_few_answers"]),
        (29, 29, State.FINISHED, ["too_few_files"]),
        (30, 30, State.TIMED_OUT, []),
        (30, 30, State.ABORTED, ["session_aborted"]),
        (1, 0, State.ABORTED, ["too_few_files", "too_few_answers", "session_aborted"]),
    ],
)
def test_readiness_needs_files_answers_and_an_end(files: int, answered: int, state: State, codes: list[str]) -> None:
    conclusion = qualification.conclude(files, answered, state, PARAMETERS)
    assert [each.code for each in conclusion.reasons] == codes
    assert conclusion.ready is (codes == [])
    assert all(each.message.en and each.message.ru for each in conclusion.reasons)


def test_percentiles_are_the_smallest_value_with_enough_at_or_below_it() -> None:
    found = reports.statistics([*range(100, 0, -1), None])
    assert found == {"count": 100, "mean": 50.5, "max": 100, "p50": 50, "p95": 95}
    assert reports.statistics([7])["p95"] == 7
    assert reports.statistics([None, None]) == {"count": 0, "mean": None, "max": None, "p50": None, "p95": None}


def facts(
    answered: tuple[bool, ...], languages: str, state: State = State.FINISHED, set_kind: SetKind = SetKind.TEST
) -> Facts:
    """Return the facts of a closed session; ``languages`` has a letter per file: r or e."""
    plan: Plan = tuple(
        PlannedFile(f"f{n}", f"i{n}", {"r": "rus", "e": "eng"}[letter], "g") for n, letter in enumerate(languages)
    )
    session = replace(SESSION, files=len(plan), set_kind=set_kind, state=state, closed_at=99, version=1)
    deliveries = [handed_out(n, answered=each) for n, each in enumerate(answered, start=1)]
    scores = {n: {"points": 50.0} for n, each in enumerate(answered, start=1) if each}
    return Facts(session, plan, deliveries, scores, PARAMETERS)


@pytest.mark.parametrize(
    ("made", "whole", "entered"),
    [
        (facts((True,) * 4, "rree"), {"rus": 2, "eng": 2}, {"all": (4, 4), "eng": (2, 2), "rus": (2, 2)}),
        # 19 of 20 Russian files are exactly 95 %, 19 of 21 files altogether are 90 %
        (facts((True,) * 19 + (False,) * 2, "r" * 20 + "e"), {"rus": 20, "eng": 1}, {"rus": (19, 20)}),
        (facts((True,) * 2, "rr"), {"rus": 20, "eng": 20}, {}),  # of a part of the set, however well it did
        (facts((True,), "r"), {"rus": 1, "eng": 0}, {"all": (1, 1), "rus": (1, 1)}),
        (facts((True,) * 2, "rr", State.ABORTED), {"rus": 2}, {}),
        (facts((True,) * 2, "rr", set_kind=SetKind.TRAINING), {"rus": 2}, {}),
    ],
)
def test_sessions_stand_on_boards(made: Facts, whole: dict[str, int], entered: dict[str, tuple[int, int]]) -> None:
    entries = leaderboard.entries(made, whole, TRACK)
    assert {each.language: (each.answered, each.whole) for each in entries} == entered


def entry(team: str, session: str, value: float | None, closed_at: int = 1) -> Entry:
    result: Any = {"relative_accuracy": value}
    return Entry("all", team, session, closed_at, 1, 10, 10, result)


def places(*found: Entry) -> list[tuple[int, str, str]]:
    return [(row.place, row.entry.team_id, row.entry.session_id) for row in leaderboard.board(found, TRACK)]


@given(st.lists(st.sampled_from([None, 10.0, 70.0, 90.0]), max_size=9))
def test_the_places_that_equal_results_share_are_all_places_once(values: list[float | None]) -> None:
    rows = leaderboard.board([entry(f"t{at}", f"s{at}", value) for at, value in enumerate(values)], TRACK)
    groups: dict[float | None, set[tuple[int, int]]] = {}
    for row in rows:
        groups.setdefault(leaderboard.relative(row.entry.result), set()).add((row.place, row.place_to))
    assert all(len(found) == 1 for found in groups.values())
    taken = [place for ((first, last),) in groups.values() for place in range(first, last + 1)]
    assert sorted(taken) == list(range(1, len(values) + 1))


def test_undefined_results_stand_last_and_of_equal_sessions_of_a_team_the_earliest_stands() -> None:
    assert places(entry("red", "r1", None), entry("blue", "b1", 0.0)) == [(1, "blue", "b1"), (2, "red", "r1")]
    found = [entry("red", "r2", 50.0, closed_at=5), entry("red", "r1", 50.0, closed_at=9)]
    assert places(*found) == [(1, "red", "r2")]
    assert places(*found[::-1]) == [(1, "red", "r2")]
    assert [leaderboard.said(*shared) for shared in ((3, 3), (1, 2))] == ["3", "1–2"]


def test_abstention_is_flagged_beyond_five_points_of_a_result_that_is_defined_and_told() -> None:
    for audited, flagged in ((85.0, False), (84.9, True)):
        outcome = leaderboard.abstention({"relative_accuracy": 90.0, "missed_as_zero": {"relative_accuracy": audited}})
        assert outcome is not None
        assert outcome["flagged"] is flagged
    assert leaderboard.abstention({"relative_accuracy": None, "missed_as_zero": {"relative_accuracy": None}}) is None
    assert leaderboard.abstention({"relative_accuracy": 1.0}) is None


def test_everything_a_score_depends_on_is_in_its_key() -> None:
    base = jobs.conditions(["a", "b"], 1, "toy", "1")
    others = [
        jobs.conditions(["b", "a"], 1, "toy", "1"),
        jobs.conditions(["a"], 1, "toy", "1"),
        jobs.conditions(["a", "b"], 2, "toy", "1"),
        jobs.conditions(["a", "b"], 1, "essay", "1"),
        jobs.conditions(["a", "b"], 1, "toy", "2"),
    ]
    assert len({base, *others}) == 6
    assert jobs.conditions(("a", "b"), 1, "toy", "1") == base


@pytest.mark.parametrize(
    ("enqueued", "pause_s"), [(1, 60), (2, 120), (3, 240), (4, 480), (5, 960), (6, 1920), (7, 3600), (60, 3600)]
)
def test_an_unscored_answer_is_enqueued_again_after_a_minute_and_then_ever_later(enqueued: int, pause_s: int) -> None:
    waiting = OutboxEntry(Job("s", 1, "a"), enqueued_at=1000, enqueued=enqueued)
    assert not jobs.due_again(waiting, 1000 + pause_s * 1000 - 1)
    assert jobs.due_again(waiting, 1000 + pause_s * 1000)


@pytest.mark.parametrize(("enqueued", "paused"), [(1, 0), (2, 1), (3, 3), (7, 63), (8, 123)])
def test_an_entry_has_waited_since_it_was_queued_last_and_the_pauses_before(enqueued: int, paused: int) -> None:
    entry = OutboxEntry(Job("s", 1, "a"), enqueued_at=1000, enqueued=enqueued)
    assert jobs.unscored_for([entry], 1500) == paused * MINUTE + 500
