"""Whatever is decided about a run in whatever order: what has opened stays, numbers stay, pauses stay bounded."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.refusals import RefusedError
from contest.run.rules import commitment, conducting
from contest.run.rules.conducting import Wish
from contest.run.rules.run import AMENDMENT_NOTICE, BELIEVED, Kind, Run, RunFile
from contest.run.rules.schedule import Schedule
from contest.session.rules.delivery import Cause
from contest.values import HOUR, MINUTE, SECOND, Millis
from tests.samples import RUN_OF_FOUR as RUN
from tests.samples import RUN_STARTS as START

pytestmark = pytest.mark.property

BEGIN = replace(RUN, files=8)
FILE = RunFile("2" * 15, "item", "rus", "g", "c" * 64, "5" * 64, "m" * 64)
NUMBERS = st.lists(st.integers(1, 12), min_size=1, max_size=3, unique=True).map(tuple)
WISHES = st.one_of(
    st.just(Wish(Kind.PAUSE, "x")),
    st.just(Wish(Kind.RESUME, "x")),
    st.just(Wish(Kind.STOP, "x")),
    st.builds(lambda numbers: Wish(Kind.VOID, "x", numbers), NUMBERS),
    st.builds(lambda numbers: Wish(Kind.REPLACE, "x", numbers), NUMBERS),
    st.builds(
        lambda number, cause: Wish(Kind.RULE, "x", (number,), "red", cause), st.integers(1, 8), st.sampled_from(Cause)
    ),
    st.builds(lambda number: Wish(Kind.UNDO, "x", amendment=number), st.integers(1, 8)),
)
STEPS = st.lists(
    st.tuples(st.one_of(st.integers(0, 10 * SECOND), st.integers(0, 5 * MINUTE), st.integers(0, 2 * HOUR)), WISHES),
    max_size=12,
)


def courses(steps: list[tuple[Millis, Wish]]) -> list[tuple[Run, Run, Millis]]:
    """Draw the run before and after every decision that the rules allow, with its moment."""
    run, now, found = BEGIN, START - 5 * MINUTE, []
    for wait, wish in steps:
        now += wait
        try:
            after = conducting.amended(run, conducting.amendment(run, wish, "w", now))
        except RefusedError:
            continue
        found.append((run, after, now))
        run = after
    return found


def openings(run: Run) -> list[Millis]:
    return [Schedule.of(run).opens_at(number) for number in range(1, Schedule.of(run).total_files + 1)]


@given(STEPS)
def test_no_decision_moves_what_has_opened_or_opens_before_everybody_can_know(steps: list[tuple[Millis, Wish]]) -> None:
    for before, after, now in courses(steps):
        for was, becomes in zip(openings(before), openings(after), strict=False):
            known_at = now + BELIEVED
            if was <= known_at or becomes <= known_at:
                assert was == becomes


@given(STEPS)
def test_files_open_in_order_and_at_least_an_interval_apart(steps: list[tuple[Millis, Wish]]) -> None:
    for _, after, _ in courses(steps):
        found = openings(after)
        assert all(later - earlier >= after.interval for earlier, later in pairwise(found))


@given(STEPS)
def test_decisions_only_append_and_never_change_an_earlier_leaf(steps: list[tuple[Millis, Wish]]) -> None:
    for before, after, _ in courses(steps):
        assert after.amendments[:-1] == before.amendments
        assert Schedule.of(after).total_files >= Schedule.of(before).total_files
        for number in range(1, Schedule.of(before).total_files + 1):
            rows = [commitment.row(number, Schedule.of(run).planned_at(number), FILE) for run in (before, after)]
            assert commitment.leaf(rows[0]) == commitment.leaf(rows[1])


@given(STEPS)
def test_every_decision_is_told_before_it_holds(steps: list[tuple[Millis, Wish]]) -> None:
    for _, after, now in courses(steps):
        made = after.amendments[-1]
        assert made.effective_at >= now + AMENDMENT_NOTICE


@given(STEPS)
def test_an_undoing_brings_back_what_was_void_before(steps: list[tuple[Millis, Wish]]) -> None:
    for before, after, now in courses(steps):
        made = after.amendments[-1]
        if made.kind not in {Kind.VOID, Kind.RULE}:
            continue
        undone = conducting.amended(
            after, conducting.amendment(after, Wish(Kind.UNDO, "x", amendment=made.number), "w", now)
        )
        assert Schedule.of(undone).voided_for_all == Schedule.of(before).voided_for_all
        assert Schedule.of(undone).rulings("red") == Schedule.of(before).rulings("red")
