"""The schedule of a run and what follows from it, to the millisecond: openings, windows, pauses, ends, causes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from contest.domain import course as fates
from contest.domain import delivery as way
from contest.domain import overview
from contest.domain import run as schedule
from contest.domain.channel import Absence, Attachment
from contest.domain.course import Course
from contest.domain.delivery import Cause, Delivery, FileState
from contest.domain.moments import HOUR, MINUTE, SECOND, Millis, iso
from contest.domain.release import ArmedBy, due
from contest.domain.run import HOLD, Amendment, Kind, Limits, Run, RunFile, RunState
from contest.domain.session import IN_FLIGHT, PlannedFile, State
from tests.samples import RUN, RUN_STARTS

START = RUN_STARTS
"""When the run starts; file 2 opens a minute later, file 3 two."""
PLAN = tuple(PlannedFile(f"file-{number}", "item", "rus", "letters") for number in (1, 2, 3))


def amended(*decisions: tuple[Kind, Millis, Mapping[str, Any]], run: Run = RUN) -> Run:
    """The run with decisions, each of a kind, taking effect at a moment, with its details."""
    made = tuple(
        Amendment(number, kind, at - 5 * SECOND, at, "tests", "a reason", details)
        for number, (kind, at, details) in enumerate(decisions, start=1)
    )
    return replace(run, amendments=made)


def paused(start: Millis, until: Millis | None = None) -> Run:
    resume = [(Kind.RESUME, until, {})] if until is not None else []
    return amended((Kind.PAUSE, start, {}), *resume)


def openings(run: Run) -> list[Millis]:
    return [schedule.opens_at(run, number) for number in range(1, schedule.total_files(run) + 1)]


def course(run: Run = RUN, **known: Any) -> Course:
    return Course(run=run, team_id="red", **known)


def view(known: Course, now: Millis, delivery: Delivery | None = None, *, number: int = 1, is_open: bool = True) -> Any:
    handed_out = [delivery] if delivery else []
    return overview.files_at(PLAN, handed_out, now, session_open=is_open, course=known)[number - 1]


def test_file_k_opens_at_the_start_and_k_intervals() -> None:
    assert openings(RUN) == [START, START + MINUTE, START + 2 * MINUTE]
    assert [each.opens_at for each in schedule.windows(RUN)] == openings(RUN)


@pytest.mark.parametrize("number", [0, 4, -1])
def test_a_run_has_no_other_files(number: int) -> None:
    with pytest.raises(ValueError, match="no file"):
        schedule.opens_at(RUN, number)


@pytest.mark.parametrize(("now", "is_open"), [(START - 1, False), (START, True)])
def test_a_file_is_open_from_the_millisecond_of_its_opening(now: Millis, is_open: bool) -> None:
    assert schedule.is_open(RUN, 1, now) is is_open
    assert schedule.opened(RUN, now) == int(is_open)


@pytest.mark.parametrize(
    ("arrival", "in_time"),
    [
        (START - HOLD - 1, False),
        (START - HOLD, True),
        (START + 10 * SECOND, True),
        (START + 10 * SECOND + 1, False),
    ],
)
def test_a_request_is_in_time_from_the_hold_to_ten_seconds_after_the_opening(arrival: Millis, in_time: bool) -> None:
    assert schedule.window(RUN, 1).asks_in_time(arrival) is in_time


@pytest.mark.parametrize(
    ("arrival", "handed_out_at", "answer_by"),
    [
        # 50 s from the hand-out come before 60 s from the opening
        (START, START, START + 50 * SECOND),
        # handed out 10 s after the opening both limits meet
        (START + 10 * SECOND, START + 10 * SECOND, START + 60 * SECOND),
        # the platform took 3 s of its own: both deadlines are 3 s later
        (START + 10 * SECOND, START + 13 * SECOND, START + 63 * SECOND),
        # a request that was held counts from the opening, not from its arrival
        (START - 2 * SECOND, START + 20, START + 20 + 50 * SECOND),
        # asked in time, handed out after a failure of forty seconds: fifty seconds are left nevertheless
        (START + SECOND, START + 41 * SECOND, START + 91 * SECOND),
    ],
)
def test_the_platforms_own_delay_extends_both_deadlines(
    arrival: Millis, handed_out_at: Millis, answer_by: Millis
) -> None:
    assert schedule.answer_by(RUN, 1, arrival, handed_out_at) == answer_by


@pytest.mark.parametrize(
    ("start", "moved"),
    [
        (START + MINUTE + 1, [0, 0, 30]),  # a millisecond after the second opening: that one stays
        (START + MINUTE, [0, 30, 30]),  # in the millisecond of the second opening: nothing opens then
        (START + 1, [0, 30, 30]),
        (START, [30, 30, 30]),
        (START + 2 * MINUTE + 1, [0, 0, 0]),
    ],
)
def test_a_pause_moves_what_would_open_in_it_or_later_by_its_length(start: Millis, moved: list[int]) -> None:
    run = paused(start, start + 30 * SECOND)
    assert [now - before for now, before in zip(openings(run), openings(RUN), strict=True)] == [
        each * SECOND for each in moved
    ]


def test_a_pause_that_nobody_ends_ends_when_two_hours_are_used_up() -> None:
    run = paused(START + 1)
    assert schedule.pauses(run)[0].length == 2 * HOUR
    assert schedule.state_at(run, START + 2 * HOUR) is RunState.PAUSED
    assert schedule.state_at(run, START + 2 * HOUR + 1) is RunState.RUNNING


def test_all_pauses_together_take_two_hours_at_most() -> None:
    first, second = START + 1, START + HOUR
    run = amended((Kind.PAUSE, first, {}), (Kind.RESUME, first + 30 * MINUTE, {}), (Kind.PAUSE, second, {}))
    assert [each.length for each in schedule.pauses(run)] == [30 * MINUTE, 90 * MINUTE]


def test_a_pause_within_a_pause_and_a_resumption_outside_change_nothing() -> None:
    run = amended(
        (Kind.RESUME, START, {}),
        (Kind.PAUSE, START + 1, {}),
        (Kind.PAUSE, START + SECOND, {}),
        (Kind.RESUME, START + MINUTE, {}),
        (Kind.RESUME, START + HOUR, {}),
    )
    assert schedule.pauses(run) == (schedule.Pause(START + 1, START + MINUTE),)


def test_decisions_hold_in_the_order_in_which_they_take_effect() -> None:
    run = amended((Kind.PAUSE, START + HOUR, {}), (Kind.PAUSE, START + 1, {}), (Kind.RESUME, START + MINUTE, {}))
    assert [each.start for each in schedule.pauses(run)] == [START + 1, START + HOUR]


def test_a_decision_that_was_taken_back_has_no_effect() -> None:
    run = amended((Kind.VOID, START, {"numbers": [2]}), (Kind.UNDO, START, {"amendment": 1}))
    assert schedule.voided_for_all(run) == {}
    assert schedule.in_effect(run) == ()


def replaced(*more: tuple[Kind, Millis, Mapping[str, Any]]) -> Run:
    return amended((Kind.REPLACE, START, {"numbers": [1, 2], "slot": 4}), *more)


def test_a_replacement_annuls_files_and_appends_as_many_on_the_grid() -> None:
    run = replaced()
    assert schedule.voided_for_all(run) == {1: 1, 2: 1}
    assert openings(run)[3:] == [START + 4 * MINUTE, START + 5 * MINUTE]
    assert schedule.ends_at(run) == START + 6 * MINUTE


def test_a_replacement_that_was_taken_back_keeps_its_numbers_which_count_for_nobody() -> None:
    run = replaced((Kind.UNDO, START, {"amendment": 1}), (Kind.REPLACE, START, {"numbers": [3], "slot": 6}))
    assert schedule.total_files(run) == 6
    assert schedule.voided_for_all(run) == {4: 2, 5: 2, 3: 3}
    assert openings(run)[5] == START + 6 * MINUTE


def test_the_next_free_place_is_on_the_grid_behind_the_last_file_and_not_too_soon() -> None:
    assert schedule.next_slot(RUN, 0) == 3
    assert schedule.next_slot(RUN, START + 3 * MINUTE) == 3
    assert schedule.next_slot(RUN, START + 3 * MINUTE + 1) == 4
    assert schedule.next_slot(paused(START + 1, START + 1 + MINUTE), START + 3 * MINUTE + 1) == 3


@pytest.mark.parametrize(
    ("now", "state"),
    [
        (START - 1, RunState.PLANNED),
        (START, RunState.RUNNING),
        (START + 3 * MINUTE, RunState.RUNNING),
        (START + 3 * MINUTE + 1, RunState.FINISHED),
    ],
)
def test_a_run_lasts_from_its_first_opening_to_its_last_deadline(now: Millis, state: RunState) -> None:
    assert schedule.state_at(RUN, now) is state


def test_a_stopped_run_opens_nothing_from_the_stop_on() -> None:
    run = amended((Kind.STOP, START + MINUTE, {}))
    assert schedule.is_open(run, 1, START + HOUR)
    assert not schedule.is_open(run, 2, START + HOUR)
    assert schedule.state_at(run, START + MINUTE - 1) is RunState.RUNNING
    assert schedule.state_at(run, START + MINUTE) is RunState.STOPPED
    assert not schedule.may_join(run, START + MINUTE)


@pytest.mark.parametrize(("now", "may"), [(0, True), (START + 2 * MINUTE, True), (START + 2 * MINUTE + 1, False)])
def test_a_final_is_joined_no_later_than_two_minutes_after_its_start(now: Millis, may: bool) -> None:
    assert schedule.may_join(RUN, now) is may


@pytest.mark.parametrize(
    ("seen_at", "now", "silent"),
    [
        (0, START, 0),  # before the start nobody is idle
        (0, START + 30 * SECOND, 30 * SECOND),
        (START + 10 * SECOND, START + 30 * SECOND, 20 * SECOND),
        (0, START + 10 * MINUTE, 2 * MINUTE),  # nor after the last opening
    ],
)
def test_idle_time_counts_while_files_are_opening(seen_at: Millis, now: Millis, silent: Millis) -> None:
    assert schedule.silent_for(RUN, seen_at, now) == silent


def test_idle_time_does_not_count_in_a_pause() -> None:
    run = paused(START + 10 * SECOND, START + HOUR)
    assert schedule.silent_for(run, 0, START + HOUR) == 10 * SECOND
    assert schedule.silent_for(run, START + 20 * SECOND, START + HOUR + 5 * SECOND) == 5 * SECOND


FILE = RunFile("f" * 16, "item", "rus", "letters", "0" * 64, "0" * 32, "0" * 64)


def test_a_release_record_is_written_once_and_anew_when_its_opening_was_moved() -> None:
    first = due(RUN, 2, FILE, None, 7, ArmedBy.TIMER)
    assert first is not None
    assert (first.planned_at, first.opens_at, first.armed_at, first.version) == (START + MINUTE, START + MINUTE, 7, 1)
    assert due(RUN, 2, FILE, first, 8, ArmedBy.REQUEST) is None
    moved = due(paused(START + 1, START + 1 + MINUTE), 2, FILE, first, 9, ArmedBy.REQUEST)
    assert moved is not None
    assert (moved.planned_at, moved.opens_at, moved.version) == (START + MINUTE, START + 2 * MINUTE, 2)


REQUEST_BY = START + 10 * SECOND
HANDED_OUT = way.release(1, START, START + 50 * SECOND)


@pytest.mark.parametrize(("now", "state"), [(REQUEST_BY, FileState.WAITING), (REQUEST_BY + 1, FileState.VOIDED)])
def test_a_file_that_nobody_asks_for_is_void_after_the_last_moment_for_asking(now: Millis, state: FileState) -> None:
    found = view(course(), now)
    assert found.state is state
    if state is FileState.VOIDED:
        assert (found.cause, found.evidence) == (Cause.TEAM_LATE, {"requested": False})


def test_a_request_too_late_says_by_how_much() -> None:
    found = view(course(asked={1: REQUEST_BY + 1}), REQUEST_BY + 1)
    assert (found.cause, found.evidence) == (Cause.TEAM_LATE, {"requested_late_by_ms": 1})


def test_a_file_asked_for_in_time_and_never_handed_out_is_the_platforms_fault() -> None:
    known = course(asked={1: REQUEST_BY})
    assert view(known, START + MINUTE).state is FileState.WAITING
    found = view(known, START + MINUTE + 1)
    assert (found.cause, found.evidence) == (Cause.PLATFORM, {"asked_at": iso(REQUEST_BY)})


@pytest.mark.parametrize(("now", "state"), [(START + 50_000, FileState.OPEN), (START + 50_001, FileState.VOIDED)])
def test_a_file_handed_out_is_open_to_its_deadline(now: Millis, state: FileState) -> None:
    assert view(course(), now, HANDED_OUT).state is state


def test_an_answer_too_late_says_by_how_much() -> None:
    late = way.accept(HANDED_OUT, "a", START + 50_001, sends_per_file=10, session_open=True, keyed=False).after
    found = view(course(), START + MINUTE, late)
    assert (found.cause, found.evidence) == (Cause.TEAM_LATE, {"late_by_ms": 1})


def test_only_invalid_answers_are_the_teams() -> None:
    found = view(course(), START + MINUTE, way.refuse(HANDED_OUT, "wrong_text"))
    assert (found.cause, found.evidence) == (Cause.TEAM_INVALID, {"refusals": 1, "last": "wrong_text"})


@pytest.mark.parametrize("refused", [False, True])
@pytest.mark.parametrize(("arrived", "cause"), [(50_000, Cause.PLATFORM), (50_001, None)])
def test_an_answer_that_came_in_time_and_was_never_judged_is_the_platforms_fault(
    arrived: Millis, cause: Cause | None, refused: bool
) -> None:
    delivery = way.refuse(HANDED_OUT, "wrong_text") if refused else HANDED_OUT
    found = view(course(arrived={1: [START + arrived]}), START + MINUTE, delivery)
    assert found.cause is (cause or (Cause.TEAM_INVALID if refused else Cause.TEAM_LATE))
    if cause is Cause.PLATFORM:
        assert found.evidence == {"arrived_at": iso(START + arrived)}


@pytest.mark.parametrize(
    ("joined_at", "evidence"),
    [(REQUEST_BY, {"requested": False}), (REQUEST_BY + 1, {"joined_at": iso(REQUEST_BY + 1)})],
)
def test_who_joins_late_has_missed_what_could_no_longer_be_asked_for(
    joined_at: Millis, evidence: Mapping[str, Any]
) -> None:
    found = view(course(joined_at=joined_at), START + MINUTE)
    assert (found.cause, found.evidence) == (Cause.TEAM_LATE, evidence)


@pytest.mark.parametrize(
    ("since", "until", "cause"),
    [
        (START, None, Cause.NETWORK),
        (START - 1, START + 1, Cause.NETWORK),
        (START + 1, None, Cause.TEAM_LATE),
        (START - 9, START, Cause.TEAM_LATE),
    ],
)
def test_a_push_client_that_was_away_at_the_opening_lost_the_file_to_the_network(
    since: Millis, until: Millis | None, cause: Cause
) -> None:
    attachment = Attachment("s" * 20, absences=(Absence(since, until),), version=1)
    assert view(course(attachment=attachment), START + MINUTE).cause is cause


def test_what_is_annulled_for_everybody_is_void_even_if_it_was_answered() -> None:
    run = amended((Kind.VOID, START, {"numbers": [1]}))
    answered = way.accept(HANDED_OUT, "a", START, sends_per_file=10, session_open=True, keyed=False).after
    found = view(course(run), START, answered)
    assert (found.state, found.cause, found.evidence) == (
        FileState.VOIDED,
        Cause.ORGANIZER_DECISION,
        {"amendment": 1},
    )


def ruling(number: int = 1, team_id: str = "red", cause: str = "platform") -> tuple[Kind, Millis, Mapping[str, Any]]:
    return Kind.RULE, START, {"team_id": team_id, "number": number, "cause": cause}


def test_a_ruling_gives_a_missed_file_another_cause_and_keeps_what_was_found() -> None:
    found = view(course(amended(ruling())), START + MINUTE)
    assert found.cause is Cause.PLATFORM
    assert found.evidence == {
        "amendment": 1,
        "automatic": {"cause": Cause.TEAM_LATE, "evidence": {"requested": False}},
    }


def test_a_ruling_concerns_its_team_and_its_file_and_the_latest_one_counts() -> None:
    assert view(course(amended(ruling(team_id="blue"))), START + MINUTE).cause is Cause.TEAM_LATE
    assert view(course(amended(ruling(number=2))), START + MINUTE).cause is Cause.TEAM_LATE
    assert view(course(amended(ruling(), ruling(cause="network"))), START + MINUTE).cause is Cause.NETWORK


def test_a_ruling_does_not_annul_an_answer() -> None:
    answered = way.accept(HANDED_OUT, "a", START, sends_per_file=10, session_open=True, keyed=False).after
    assert view(course(amended(ruling())), START + MINUTE, answered).state is FileState.ANSWERED


@pytest.mark.parametrize(("stop", "cause"), [(REQUEST_BY - 1, Cause.ORGANIZER_DECISION), (REQUEST_BY, Cause.TEAM_LATE)])
def test_a_stop_takes_the_blame_for_what_was_still_possible(stop: Millis, cause: Cause) -> None:
    assert view(course(amended((Kind.STOP, stop, {}))), stop, is_open=False).cause is cause


def test_the_share_is_of_the_files_that_count() -> None:
    run = amended((Kind.VOID, START, {"numbers": [1]}), ruling(number=2))
    views = overview.files_at(PLAN, (), START + HOUR, session_open=False, course=course(run))
    assert overview.voided_share(views) == 1.0  # file 3 alone counts, and it was missed
    rest = amended((Kind.VOID, START, {"numbers": [1, 3]}), ruling(number=2))
    nothing = overview.files_at(PLAN, (), START + HOUR, session_open=False, course=course(rest))
    assert overview.voided_share(nothing) is None


@pytest.mark.parametrize(
    ("share", "voided"), [(None, False), (0.0, False), (3 / 60, False), (1 / 20, False), (4 / 60, True), (1.0, True)]
)
def test_more_than_five_per_cent_annul_a_solution_and_exactly_five_do_not(share: float | None, voided: bool) -> None:
    assert overview.solution_voided(share, 0.05) is voided


def ends(known: Course, now: Millis, *, seen_at: Millis = 0, deliveries: tuple[Delivery, ...] = ()) -> State | None:
    assert known.run is not None
    return fates.ends_by_time(known, known.run, deliveries, seen_at, 15 * MINUTE, now)


LAST_DEADLINE = START + 3 * MINUTE


@pytest.mark.parametrize(
    ("now", "state"), [(LAST_DEADLINE + IN_FLIGHT, None), (LAST_DEADLINE + IN_FLIGHT + 1, State.FINISHED)]
)
def test_a_session_ends_when_no_answer_to_the_last_file_can_be_under_way(now: Millis, state: State | None) -> None:
    assert ends(course(), now) is state


def test_a_session_ends_five_minutes_after_the_last_opening_however_slow_the_platform_was() -> None:
    slow = way.release(3, START + 2 * MINUTE, START + HOUR)
    last = START + 2 * MINUTE + 5 * MINUTE
    assert ends(course(), last - 1, deliveries=(slow,)) is None
    assert ends(course(), last, deliveries=(slow,)) is State.FINISHED


def test_limits_longer_than_five_minutes_are_kept_to() -> None:
    patient = replace(RUN, limits=Limits(answer=HOUR, total=HOUR))
    last = START + 2 * MINUTE + HOUR + IN_FLIGHT
    assert ends(course(patient), last) is None
    assert ends(course(patient), last + 1) is State.FINISHED


LONG = replace(RUN, files=60)


@pytest.mark.parametrize(("silent", "state"), [(15 * MINUTE - 1, None), (15 * MINUTE, State.TIMED_OUT)])
def test_a_silent_session_times_out_counted_from_the_start(silent: Millis, state: State | None) -> None:
    assert ends(course(LONG), START + silent) is state
    assert ends(course(LONG), START + SECOND + silent, seen_at=START + SECOND) is state


def test_a_paused_session_does_not_time_out() -> None:
    run = amended((Kind.PAUSE, START + 1, {}), run=LONG)
    assert ends(course(run), START + HOUR) is None


@pytest.mark.parametrize(("now", "state"), [(START + 4_999, None), (START + 5_000, State.STOPPED)])
def test_a_stop_ends_every_session(now: Millis, state: State | None) -> None:
    run = amended((Kind.STOP, START + 5_000, {}))
    assert ends(course(run), now) is state
    assert fates.may_be_over(run, now, 15 * MINUTE, now) is (state is not None)


def test_everything_is_settled_when_every_file_is_answered_annulled_or_lost_without_doubt() -> None:
    run = amended((Kind.VOID, START, {"numbers": [3]}))
    answered = way.accept(HANDED_OUT, "a", START, sends_per_file=10, session_open=True, keyed=False).after
    second_lost = START + MINUTE + 10 * SECOND + IN_FLIGHT
    assert not fates.settled(course(run), [answered], second_lost + 1)  # file 3 has not opened yet
    assert fates.settled(course(run), [answered], START + 2 * MINUTE)
    later = amended((Kind.VOID, START, {"numbers": [2]}))
    third_lost = START + 2 * MINUTE + 10 * SECOND + IN_FLIGHT
    assert not fates.settled(course(later), [answered], third_lost)
    assert fates.settled(course(later), [answered], third_lost + 1)
    asked = course(later, asked={3: START + 2 * MINUTE})
    assert not fates.settled(asked, [answered], third_lost + 1)


def test_what_is_announced_as_the_end_is_the_end() -> None:
    end = fates.closes_at(course(), [HANDED_OUT])
    assert ends(course(), end - 1, deliveries=(HANDED_OUT,)) is None
    assert ends(course(), end, deliveries=(HANDED_OUT,)) is State.FINISHED
