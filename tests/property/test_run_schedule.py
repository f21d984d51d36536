"""Laws of a run's schedule under any decisions: order, pauses, deadlines, and one answer for everybody who looks."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from contest.domain import course as fates
from contest.domain import delivery as way
from contest.domain import overview
from contest.domain import run as schedule
from contest.domain.course import Course
from contest.domain.delivery import Delivery, FileState
from contest.domain.moments import HOUR, MINUTE, SECOND, Millis
from contest.domain.run import ALL_PAUSES, Amendment, Kind, Limits, Run
from contest.domain.session import IN_FLIGHT, PlannedFile, State
from tests.samples import RUN, RUN_STARTS

START = RUN_STARTS
MOMENTS = st.integers(START - HOUR, START + 5 * HOUR)
PLAIN = st.sampled_from([Kind.PAUSE, Kind.RESUME])


@st.composite
def schedules(draw: st.DrawFn) -> Run:
    """A run of any size and interval."""
    return replace(
        RUN,
        files=draw(st.integers(1, 40)),
        interval=draw(st.integers(1, 90 * SECOND)),
        limits=Limits(*(draw(st.integers(1, 120 * SECOND)) for _ in range(4))),
    )


@st.composite
def runs(draw: st.DrawFn) -> Run:
    """A run with decisions of all kinds, in any order."""
    run = draw(schedules())
    for number in range(1, draw(st.integers(0, 8)) + 1):
        at = draw(MOMENTS)
        kind = draw(st.sampled_from([Kind.PAUSE, Kind.RESUME, Kind.VOID, Kind.REPLACE, Kind.UNDO]))
        details: dict[str, object] = {}
        if kind in {Kind.VOID, Kind.REPLACE}:
            details["numbers"] = draw(st.lists(st.integers(1, run.files), min_size=1, max_size=3, unique=True))
        if kind is Kind.REPLACE:
            details["slot"] = schedule.next_slot(run, draw(MOMENTS))
        if kind is Kind.UNDO:
            details["amendment"] = draw(st.integers(1, number))
        added = Amendment(number, kind, at - 5 * SECOND, at, "tests", "a reason", details)
        run = replace(run, amendments=(*run.amendments, added))
    return run


def openings(run: Run) -> list[Millis]:
    return [schedule.opens_at(run, number) for number in range(1, schedule.total_files(run) + 1)]


@given(runs())
def test_openings_are_strictly_increasing_whatever_is_decided(run: Run) -> None:
    found = openings(run)
    assert found == sorted(set(found))
    assert found == [each.opens_at for each in schedule.windows(run)]


@given(runs())
def test_nothing_opens_in_a_pause_and_all_pauses_take_two_hours_at_most(run: Run) -> None:
    breaks = schedule.pauses(run)
    assert sum(each.length for each in breaks) <= ALL_PAUSES
    assert all(before.until <= after.start for before, after in pairwise(breaks))
    assert not [moment for moment in openings(run) for each in breaks if each.start <= moment < each.until]


@given(runs(), MOMENTS, st.integers(1, HOUR))
def test_a_further_pause_moves_only_what_opens_later_and_all_of_it_alike(run: Run, at: Millis, length: Millis) -> None:
    last = schedule.pauses(run)
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
    (*_, added) = (*schedule.pauses(before), *schedule.pauses(after))
    moved = added.length if len(schedule.pauses(after)) > len(schedule.pauses(before)) else 0
    for old, new in zip(openings(before), openings(after), strict=True):
        assert new == (old + moved if old >= at else old)


@given(runs(), st.data())
def test_a_deadline_is_never_before_the_limits_and_grows_with_the_platforms_own_delay(
    run: Run, data: st.DataObject
) -> None:
    number = data.draw(st.integers(1, schedule.total_files(run)))
    window = schedule.window(run, number)
    asked = data.draw(st.integers(window.opens_at - schedule.HOLD, window.request_by))
    own = data.draw(st.integers(0, HOUR))
    prompt = max(asked, window.opens_at)
    first, slow = schedule.answer_by(run, number, asked, prompt), schedule.answer_by(run, number, asked, prompt + own)
    assert slow == first + own
    assert first == min(prompt + run.limits.answer, window.answer_by)


@st.composite
def stories(draw: st.DrawFn) -> tuple[Course, tuple[Delivery, ...], Millis]:
    """A session's facts and a moment to look at them."""
    run = draw(runs())
    if draw(st.booleans()):
        stop = Amendment(len(run.amendments) + 1, Kind.STOP, 0, draw(MOMENTS), "tests", "a reason")
        run = replace(run, amendments=(*run.amendments, stop))
    asked, deliveries = {}, []
    for number, window in enumerate(schedule.windows(run), start=1):
        what = draw(st.sampled_from(["nothing", "late", "lost", "open", "answered"]))
        if what == "nothing":
            continue
        asked[number] = (
            window.request_by + 1 if what == "late" else draw(st.integers(window.opens_at, window.request_by))
        )
        if what in {"open", "answered"}:
            at = asked[number] + draw(st.integers(0, SECOND))
            delivery = way.release(number, at, schedule.answer_by(run, number, asked[number], at))
            given_by = delivery.answer_by
            taken = way.accept(delivery, "a", given_by, sends_per_file=10, session_open=True, keyed=False).after
            deliveries.append(taken if what == "answered" else delivery)
    return Course(run=run, team_id="red", asked=asked), tuple(deliveries), draw(MOMENTS)


@given(stories())
def test_every_file_has_one_state_and_a_cause_exactly_when_it_is_void(
    story: tuple[Course, tuple[Delivery, ...], Millis],
) -> None:
    course, deliveries, now = story
    plan = tuple(PlannedFile(f"f{number}", "i", "rus", "letters") for number in range(1, len(course.windows) + 1))
    for is_open in (True, False):
        views = overview.files_at(plan, deliveries, now, session_open=is_open, course=course)
        counts = overview.count(views)
        assert counts.waiting + counts.open + counts.answered + counts.voided == len(plan)
        assert all((view.cause is not None) is (view.state is FileState.VOIDED) for view in views)
        assert is_open or counts.waiting + counts.open == 0
        share = overview.voided_share(views)
        assert share is None or 0 <= share <= 1


@given(stories())
def test_a_void_file_stays_void_as_time_passes(story: tuple[Course, tuple[Delivery, ...], Millis]) -> None:
    course, deliveries, now = story
    plan = tuple(PlannedFile(f"f{number}", "i", "rus", "letters") for number in range(1, len(course.windows) + 1))
    for before, after in zip(
        overview.files_at(plan, deliveries, now, session_open=True, course=course),
        overview.files_at(plan, deliveries, now + HOUR, session_open=True, course=course),
        strict=True,
    ):
        assert before.state is not FileState.VOIDED or (before.state, before.cause) == (after.state, after.cause)


@given(stories(), st.integers(0, 2 * HOUR))
def test_timer_and_reading_end_a_session_alike_and_no_ended_one_would_go_on(
    story: tuple[Course, tuple[Delivery, ...], Millis], later: Millis
) -> None:
    course, deliveries, now = story
    run = course.run
    assert run is not None
    idle, seen_at = 15 * MINUTE, START
    by_reading = fates.ends_by_time(course, run, deliveries, seen_at, idle, now)
    by_timer = fates.ends_by_time(course, run, deliveries, seen_at, idle + IN_FLIGHT, now)
    assert by_timer in {by_reading, None} or by_reading is State.TIMED_OUT
    assert by_reading is None or fates.may_be_over(run, seen_at, idle, now)
    if by_reading is not None:
        assert fates.ends_by_time(course, run, deliveries, seen_at, idle, now + later) is not None
