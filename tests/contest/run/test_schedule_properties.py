"""Laws of a run's schedule under any decisions: order, pauses, deadlines, and one answer for everybody who looks."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.run.rules import fate
from contest.run.rules.fate import Circumstances
from contest.run.rules.run import ALL_PAUSES, HOLD, Amendment, Kind, Limits, Run
from contest.run.rules.schedule import Schedule
from contest.session.rules import delivery as delivery_rules
from contest.session.rules.delivery import Delivery, FileState, Heard
from contest.session.rules.session import IN_FLIGHT, PlannedFile, State
from contest.values import HOUR, MINUTE, SECOND, Millis
from tests.samples import RUN, RUN_STARTS

pytestmark = pytest.mark.property

START = RUN_STARTS
MOMENTS = st.integers(START - HOUR, START + 5 * HOUR)
PLAIN = st.sampled_from([Kind.PAUSE, Kind.RESUME])


@st.composite
def schedules(draw: st.DrawFn) -> Run:
    """Draw a run of any size and interval."""
    return replace(
        RUN,
        files=draw(st.integers(1, 40)),
        interval=draw(st.integers(1, 90 * SECOND)),
        limits=Limits(*(draw(st.integers(1, 120 * SECOND)) for _ in range(4))),
    )


@st.composite
def runs(draw: st.DrawFn) -> Run:
    """Draw a run with decisions of all kinds, in any order."""
    run = draw(schedules())
    for number in range(1, draw(st.integers(0, 8)) + 1):
        at = draw(MOMENTS)
        kind = draw(st.sampled_from([Kind.PAUSE, Kind.RESUME, Kind.VOID, Kind.REPLACE, Kind.UNDO]))
        details: dict[str, object] = {}
        if kind in {Kind.VOID, Kind.REPLACE}:
            details["numbers"] = draw(st.lists(st.integers(1, run.files), min_size=1, max_size=3, unique=True))
        if kind is Kind.REPLACE:
            details["slot"] = Schedule.of(run).next_slot(draw(MOMENTS))
        if kind is Kind.UNDO:
            details["amendment"] = draw(st.integers(1, number))
        added = Amendment(number, kind, at - 5 * SECOND, at, "tests", "a reason", details)
        run = replace(run, amendments=(*run.amendments, added))
    return run


def openings(run: Run) -> list[Millis]:
    return [Schedule.of(run).opens_at(number) for number in range(1, Schedule.of(run).total_files + 1)]


@given(runs())
def test_openings_are_strictly_increasing_whatever_is_decided(run: Run) -> None:
    found = openings(run)
    assert found == sorted(set(found))
    assert found == [each.opens_at for each in Schedule.of(run).windows]


@given(runs())
def test_nothing_opens_in_a_pause_and_all_pauses_take_two_hours_at_most(run: Run) -> None:
    breaks = Schedule.of(run).pauses
    assert sum(each.length for each in breaks) <= ALL_PAUSES
    assert all(before.until <= after.start for before, after in pairwise(breaks))
    assert not [moment for moment in openings(run) for each in breaks if each.start <= moment < each.until]


@given(runs(), MOMENTS, st.integers(1, HOUR))
def test_a_further_pause_moves_only_what_opens_later_and_all_of_it_alike(run: Run, at: Millis, length: Millis) -> None:
    last = Schedule.of(run).pauses
    at = max([at, *(each.until for each in last)])
    number = len(run.amendments) + 1
    more = (
        Amendment(number, Kind.PAUSE, at, at, "tests", "a reason"),
        Amendment(number + 1, Kind.RESUME, at, at + length, "tests", "a reason"),
    )
    # decisions to resume that were drawn for later would end this pause too: only the earlier ones are kept
    kept = tuple(
        each for each in run.amendments if each.kind not in {Kind.PAUSE, Kind.RESUME} or each.effective_at <= at
    )
    before = replace(run, amendments=kept)
    after = replace(run, amendments=(*kept, *more))
    (*_, added) = (*Schedule.of(before).pauses, *Schedule.of(after).pauses)
    moved = added.length if len(Schedule.of(after).pauses) > len(Schedule.of(before).pauses) else 0
    for old, new in zip(openings(before), openings(after), strict=True):
        assert new == (old + moved if old >= at else old)


@given(runs(), st.data())
def test_a_deadline_grows_with_the_platforms_own_delay(run: Run, data: st.DataObject) -> None:
    number = data.draw(st.integers(1, Schedule.of(run).total_files))
    window = Schedule.of(run).window(number)
    asked = data.draw(st.integers(window.opens_at - HOLD, window.request_by))
    own = data.draw(st.integers(0, HOUR))
    prompt = max(asked, window.opens_at)
    first, slow = (
        Schedule.of(run).answer_by(number, asked, prompt),
        Schedule.of(run).answer_by(number, asked, prompt + own),
    )
    assert slow == first + own
    assert first == min(prompt + run.limits.answer, window.answer_by)


@st.composite
def stories(draw: st.DrawFn) -> tuple[Circumstances, tuple[Delivery, ...], Millis]:
    """Draw a session's facts and a moment to look at them."""
    run = draw(runs())
    if draw(st.booleans()):
        stop = Amendment(len(run.amendments) + 1, Kind.STOP, 0, draw(MOMENTS), "tests", "a reason")
        run = replace(run, amendments=(*run.amendments, stop))
    asked, deliveries = {}, []
    for number, window in enumerate(Schedule.of(run).windows, start=1):
        what = draw(st.sampled_from(["nothing", "late", "lost", "open", "answered"]))
        if what == "nothing":
            continue
        asked[number] = (
            window.request_by + 1 if what == "late" else draw(st.integers(window.opens_at, window.request_by))
        )
        if what in {"open", "answered"}:
            at = asked[number] + draw(st.integers(0, SECOND))
            delivery = Delivery(number, at, Schedule.of(run).answer_by(number, asked[number], at))
            given_by = delivery.answer_by
            taken = delivery_rules.accept(
                delivery,
                Heard("answer", "a", given_by, False, given_by),
                now=3_000,
                sends_per_file=10,
                session_open=True,
            ).after
            deliveries.append(taken if what == "answered" else delivery)
    return (
        Circumstances(schedule=Schedule.of(run), team_id="red", first_requests=asked),
        tuple(deliveries),
        draw(MOMENTS),
    )


@given(stories())
def test_every_file_has_a_state_and_if_void_a_cause(story: tuple[Circumstances, tuple[Delivery, ...], Millis]) -> None:
    known, deliveries, now = story
    plan = tuple(PlannedFile(f"f{number}", "i", "rus", "letters") for number in range(1, len(known.windows) + 1))
    for is_open in (True, False):
        views = fate.files_at(plan, deliveries, now, known, session_open=is_open)
        counts = fate.count(views)
        assert counts.waiting + counts.open + counts.answered + counts.voided == len(plan)
        assert all((view.cause is not None) is (view.state is FileState.VOIDED) for view in views)
        assert is_open or counts.waiting + counts.open == 0
        share = fate.voided_share(views)
        assert share is None or 0 <= share <= 1


@given(stories())
def test_a_void_file_stays_void_as_time_passes(story: tuple[Circumstances, tuple[Delivery, ...], Millis]) -> None:
    known, deliveries, now = story
    plan = tuple(PlannedFile(f"f{number}", "i", "rus", "letters") for number in range(1, len(known.windows) + 1))
    for before, after in zip(
        fate.files_at(plan, deliveries, now, known, session_open=True),
        fate.files_at(plan, deliveries, now + HOUR, known, session_open=True),
        strict=True,
    ):
        assert before.state is not FileState.VOIDED or (before.state, before.cause) == (after.state, after.cause)


@given(stories(), st.integers(0, 2 * HOUR))
def test_timer_and_reading_end_a_session_alike_and_no_ended_one_would_go_on(
    story: tuple[Circumstances, tuple[Delivery, ...], Millis], later: Millis
) -> None:
    known, deliveries, now = story
    schedule = known.schedule
    assert schedule is not None
    idle, seen_at = 15 * MINUTE, START
    by_reading = fate.ends_by_time(schedule, deliveries, seen_at, idle, now)
    by_timer = fate.ends_by_time(schedule, deliveries, seen_at, idle + IN_FLIGHT, now)
    assert by_timer in {by_reading, None} or by_reading is State.TIMED_OUT
    assert by_reading is None or schedule.may_be_over(seen_at, idle, now)
    if by_reading is not None:
        assert fate.ends_by_time(schedule, deliveries, seen_at, idle, now + later) is not None
