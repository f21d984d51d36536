"""The schedule of a run and what follows from it, to the millisecond: openings, windows, pauses, ends, causes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.channel.rules import Absence, Attachment
from contest.run.rules import fate
from contest.run.rules.fate import Circumstances
from contest.run.rules.run import ALL_PAUSES, HOLD, Amendment, Kind, Limits, Run, RunFile
from contest.run.rules.schedule import ArmedBy, Pause, RunState, Schedule, due_record, record_agrees
from contest.session.rules import delivery as delivery_rules
from contest.session.rules.delivery import Bodies, Cause, Delivery, FileState, Heard
from contest.session.rules.session import IN_FLIGHT, PlannedFile, State
from contest.values import HOUR, MINUTE, SECOND, Millis, iso
from tests.samples import RUN, RUN_STARTS

START = RUN_STARTS
"""Start of the run; file 2 opens a minute later, file 3 two minutes later."""
PLAN = tuple(PlannedFile(f"file-{number}", "item", "rus", "letters") for number in (1, 2, 3))


def amended(*decisions: tuple[Kind, Millis, Mapping[str, Any]], run: Run = RUN) -> Run:
    """Return the run with decisions, each of a kind, taking effect at a moment, with its details."""
    made = tuple(
        Amendment(number, kind, at - 5 * SECOND, at, "tests", "a reason", details)
        for number, (kind, at, details) in enumerate(decisions, start=1)
    )
    return replace(run, amendments=made)


def paused(start: Millis, until: Millis | None = None) -> Run:
    resume = [(Kind.RESUME, until, {})] if until is not None else []
    return amended((Kind.PAUSE, start, {}), *resume)


def openings(run: Run) -> list[Millis]:
    return [Schedule.of(run).opens_at(number) for number in range(1, Schedule.of(run).total_files + 1)]


def told(run: Run = RUN, **known: Any) -> Circumstances:
    return Circumstances(schedule=Schedule.of(run), team_id="red", **known)


def view(
    known: Circumstances, now: Millis, delivery: Delivery | None = None, *, number: int = 1, is_open: bool = True
) -> Any:
    handed_out = [delivery] if delivery else []
    return fate.files_at(PLAN, handed_out, now, known, session_open=is_open)[number - 1]


def test_file_k_opens_at_the_start_and_k_intervals_to_the_millisecond_and_there_are_no_other_files() -> None:
    schedule = Schedule.of(RUN)
    assert (
        openings(RUN) == [window.opens_at for window in schedule.windows] == [START, START + MINUTE, START + 2 * MINUTE]
    )
    assert [(schedule.is_open(1, now), schedule.opened(now)) for now in (START - 1, START)] == [(False, 0), (True, 1)]
    for number in (0, 4, -1):
        with pytest.raises(ValueError, match="no file"):
            schedule.opens_at(number)


@pytest.mark.clause("platform §3 times")
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
def test_the_platforms_delay_extends_both_deadlines(arrival: Millis, handed_out_at: Millis, answer_by: Millis) -> None:
    assert Schedule.of(RUN).answer_by(1, arrival, handed_out_at) == answer_by


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


def test_pauses_take_two_hours_together_at_most_whether_or_not_somebody_ends_them() -> None:
    run = paused(START + 1)
    assert Schedule.of(run).pauses[0].length == 2 * HOUR
    assert Schedule.of(run).state_at(START + 2 * HOUR) is RunState.PAUSED
    assert Schedule.of(run).state_at(START + 2 * HOUR + 1) is RunState.RUNNING
    first, second = START + 1, START + HOUR
    run = amended((Kind.PAUSE, first, {}), (Kind.RESUME, first + 30 * MINUTE, {}), (Kind.PAUSE, second, {}))
    assert [each.length for each in Schedule.of(run).pauses] == [30 * MINUTE, 90 * MINUTE]


def test_decisions_hold_in_the_order_in_which_they_take_effect_and_change_nothing_within_a_pause() -> None:
    run = amended(
        (Kind.RESUME, START, {}),
        (Kind.PAUSE, START + 1, {}),
        (Kind.PAUSE, START + SECOND, {}),
        (Kind.RESUME, START + MINUTE, {}),
        (Kind.RESUME, START + HOUR, {}),
    )
    assert Schedule.of(run).pauses == (Pause(START + 1, START + MINUTE),)
    run = amended((Kind.PAUSE, START + HOUR, {}), (Kind.PAUSE, START + 1, {}), (Kind.RESUME, START + MINUTE, {}))
    assert [each.start for each in Schedule.of(run).pauses] == [START + 1, START + HOUR]


def replaced(*more: tuple[Kind, Millis, Mapping[str, Any]]) -> Run:
    return amended((Kind.REPLACE, START, {"numbers": [1, 2], "slot": 4}), *more)


def test_replacements_open_on_the_grid_behind_the_last_file_and_keep_their_numbers() -> None:
    run = replaced()
    assert Schedule.of(run).voided_for_all == {1: 1, 2: 1}
    assert openings(run)[3:] == [START + 4 * MINUTE, START + 5 * MINUTE]
    assert Schedule.of(run).ends_at == START + 6 * MINUTE
    run = replaced((Kind.UNDO, START, {"amendment": 1}), (Kind.REPLACE, START, {"numbers": [3], "slot": 6}))
    assert Schedule.of(run).total_files == 6
    assert Schedule.of(run).voided_for_all == {4: 2, 5: 2, 3: 3}
    assert openings(run)[5] == START + 6 * MINUTE
    assert Schedule.of(RUN).next_slot(0) == 3
    assert Schedule.of(RUN).next_slot(START + 3 * MINUTE) == 3
    assert Schedule.of(RUN).next_slot(START + 3 * MINUTE + 1) == 4
    assert Schedule.of(paused(START + 1, START + 1 + MINUTE)).next_slot(START + 3 * MINUTE + 1) == 3


def test_a_run_lasts_from_its_first_opening_to_its_last_deadline_and_is_joined_for_two_minutes() -> None:
    schedule, last = Schedule.of(RUN), START + 3 * MINUTE
    states = [RunState.PLANNED, RunState.RUNNING, RunState.RUNNING, RunState.FINISHED]
    assert [schedule.state_at(now) for now in (START - 1, START, last, last + 1)] == states
    joined = [schedule.may_join("red", now) for now in (0, START + 2 * MINUTE, START + 2 * MINUTE + 1)]
    assert joined == [True, True, False]


def test_a_stopped_run_opens_nothing_from_the_stop_on() -> None:
    run = amended((Kind.STOP, START + MINUTE, {}))
    assert Schedule.of(run).is_open(1, START + HOUR)
    assert not Schedule.of(run).is_open(2, START + HOUR)
    assert Schedule.of(run).opened(START + HOUR) == 1, "an opening at the very moment of the stop is none"
    assert Schedule.of(run).state_at(START + MINUTE - 1) is RunState.RUNNING
    assert Schedule.of(run).state_at(START + MINUTE) is RunState.STOPPED
    assert not Schedule.of(run).may_join("red", START + MINUTE)


def test_idle_time_counts_while_files_are_opening_and_not_in_a_pause() -> None:
    for seen_at, now, silent in (
        (0, START, 0),  # before the start nobody is idle
        (0, START + 30 * SECOND, 30 * SECOND),
        (START + 10 * SECOND, START + 30 * SECOND, 20 * SECOND),
        (0, START + 10 * MINUTE, 2 * MINUTE),  # nor after the last opening
    ):
        assert Schedule.of(RUN).silent_for(seen_at, now) == silent
    run = paused(START + 10 * SECOND, START + HOUR)
    assert Schedule.of(run).silent_for(0, START + HOUR) == 10 * SECOND
    assert Schedule.of(run).silent_for(START + 20 * SECOND, START + HOUR + 5 * SECOND) == 5 * SECOND


FILE = RunFile("2" * 15, "item", "rus", "letters", "0" * 64, "0" * 32, "0" * 64)


def test_a_release_record_is_written_once_and_anew_when_its_opening_was_moved() -> None:
    assert not record_agrees(Schedule.of(RUN), 2, None)
    first = due_record(Schedule.of(RUN), 2, FILE, None, 7, ArmedBy.TIMER)
    assert (first.planned_at, first.opens_at, first.armed_at, first.version) == (START + MINUTE, START + MINUTE, 7, 1)
    assert record_agrees(Schedule.of(RUN), 2, first)
    delayed = Schedule.of(paused(START + 1, START + 1 + MINUTE))
    assert not record_agrees(delayed, 2, first)
    moved = due_record(delayed, 2, FILE, first, 9, ArmedBy.REQUEST)
    assert (moved.planned_at, moved.opens_at, moved.version) == (START + MINUTE, START + 2 * MINUTE, 2)


REQUEST_BY = START + 10 * SECOND
HANDED_OUT = Delivery(1, START, START + 50 * SECOND)


def answered_at(moment: Millis) -> Delivery:
    """Return the first file with an answer that came at a moment."""
    heard = Heard("answer", "a", moment, False, moment)
    return delivery_rules.accept_answer(HANDED_OUT, heard, now=3_000, sends_per_file=10, session_open=True).after


WRONG_TEXT = Bodies(refused=1, refused_code="wrong_text")


def test_a_file_that_nobody_asks_for_is_void_after_the_last_moment_for_asking() -> None:
    assert view(told(), REQUEST_BY).state is FileState.WAITING
    result = view(told(), REQUEST_BY + 1)
    assert (result.state, result.cause, result.evidence) == (FileState.VOIDED, Cause.TEAM_LATE, {"requested": False})


def test_a_request_or_an_answer_too_late_says_by_how_much_and_invalid_ones_are_the_teams() -> None:
    causes = [
        view(told(first_requests={1: REQUEST_BY + 1}), REQUEST_BY + 1),
        view(told(), START + MINUTE, answered_at(START + 50_001)),
        view(told(bodies={1: WRONG_TEXT}), START + MINUTE, HANDED_OUT),
    ]
    assert [(each.cause, each.evidence) for each in causes] == [
        (Cause.TEAM_LATE, {"requested_late_by_ms": 1}),
        (Cause.TEAM_LATE, {"late_by_ms": 1}),
        (Cause.TEAM_INVALID, {"refusals": 1, "last": "wrong_text"}),
    ]


def test_a_file_handed_out_is_open_to_its_deadline_and_one_asked_for_and_never_so_the_platforms_fault() -> None:
    known = told(first_requests={1: REQUEST_BY})
    assert view(known, START + MINUTE).state is FileState.WAITING
    found = view(known, START + MINUTE + 1)
    assert (found.cause, found.evidence) == (Cause.PLATFORM, {"asked_at": iso(REQUEST_BY)})
    states = [view(told(), START + after, HANDED_OUT).state for after in (50_000, 50_001)]
    assert states == [FileState.OPEN, FileState.VOIDED]


@pytest.mark.parametrize(("after", "cause"), [(29_999, Cause.TEAM_LATE), (30_000, Cause.PLATFORM)])
def test_a_request_under_way_when_its_team_aborts_is_not_the_platforms_fault(after: Millis, cause: Cause) -> None:
    known = told(first_requests={1: START + 1}, aborted_at=START + 1 + after)
    assert view(known, START + after, is_open=False).cause is cause


@pytest.mark.parametrize("refused", [False, True])
@pytest.mark.parametrize(("arrived", "cause"), [(50_000, Cause.PLATFORM), (50_001, None)])
def test_an_answer_never_judged_is_the_platforms_fault(arrived: Millis, cause: Cause | None, refused: bool) -> None:
    known = told(arrived={1: [START + arrived]}, bodies={1: WRONG_TEXT} if refused else {})
    found = view(known, START + MINUTE, HANDED_OUT)
    assert found.cause is (cause or (Cause.TEAM_INVALID if refused else Cause.TEAM_LATE))
    if cause is Cause.PLATFORM:
        assert found.evidence == {"arrived_at": iso(START + arrived)}


def test_who_joins_late_has_missed_what_was_over() -> None:
    for joined_at, evidence in (
        (REQUEST_BY, {"requested": False}),
        (REQUEST_BY + 1, {"joined_at": iso(REQUEST_BY + 1)}),
    ):
        result = view(told(joined_at=joined_at), START + MINUTE)
        assert (result.cause, result.evidence) == (Cause.TEAM_LATE, evidence)


@pytest.mark.parametrize(
    ("since", "until", "cause"),
    [
        (START, None, Cause.NETWORK),
        (START - 1, START + 1, Cause.NETWORK),
        (START + 1, None, Cause.TEAM_LATE),
        (START - 9, START, Cause.TEAM_LATE),
    ],
)
def test_a_push_client_that_was_away_blames_the_network(since: Millis, until: Millis | None, cause: Cause) -> None:
    attachment = Attachment("1" * 15, absences=(Absence(since, until),), version=1)
    assert view(told(attachment=attachment), START + MINUTE).cause is cause


@pytest.mark.clause("platform §3 platform faults")
@pytest.mark.parametrize(
    ("since", "absences", "cause"),
    [
        (START, (), Cause.PLATFORM),
        (START + 1, (), Cause.TEAM_LATE),
        (None, (), Cause.TEAM_LATE),
        (START - 9, (Absence(START - 5, START),), Cause.PLATFORM),
        (START - 9, (Absence(REQUEST_BY, REQUEST_BY + 1),), Cause.TEAM_LATE),
        (START - 9, (Absence(REQUEST_BY + 1, None),), Cause.PLATFORM),
    ],
)
def test_a_push_client_blames_the_platform(since: Millis | None, absences: tuple[Absence, ...], cause: Cause) -> None:
    """A client that leaves in between, or whose token is revoked, makes no evidence against the platform."""
    attachment = Attachment("1" * 15, absences=absences, version=1, since=since)
    assert view(told(attachment=attachment), START + MINUTE).cause is cause


def test_an_answer_counts_unless_its_file_is_annulled_for_everybody() -> None:
    run = amended((Kind.VOID, START, {"numbers": [1]}))
    result = view(told(run), START, answered_at(START))
    annulled = (FileState.VOIDED, Cause.ORGANIZER_DECISION, {"amendment": 1})
    assert (result.state, result.cause, result.evidence) == annulled
    assert view(told(amended(ruling())), START + MINUTE, answered_at(START)).state is FileState.ANSWERED


def ruling(number: int = 1, team_id: str = "red", cause: str = "platform") -> tuple[Kind, Millis, Mapping[str, Any]]:
    return Kind.RULE, START, {"team_id": team_id, "number": number, "cause": cause}


def test_a_ruling_gives_its_teams_missed_file_another_cause_and_the_latest_one_counts() -> None:
    found = view(told(amended(ruling())), START + MINUTE)
    assert found.cause is Cause.PLATFORM
    assert found.evidence == {"amendment": 1, "automatic": {"cause": Cause.TEAM_LATE, "evidence": {"requested": False}}}
    assert view(told(amended(ruling(team_id="blue"))), START + MINUTE).cause is Cause.TEAM_LATE
    assert view(told(amended(ruling(number=2))), START + MINUTE).cause is Cause.TEAM_LATE
    assert view(told(amended(ruling(), ruling(cause="network"))), START + MINUTE).cause is Cause.NETWORK


@pytest.mark.parametrize(("stop", "cause"), [(REQUEST_BY - 1, Cause.ORGANIZER_DECISION), (REQUEST_BY, Cause.TEAM_LATE)])
def test_a_stop_takes_the_blame_for_what_was_still_possible(stop: Millis, cause: Cause) -> None:
    assert view(told(amended((Kind.STOP, stop, {}))), stop, is_open=False).cause is cause


def test_more_than_five_per_cent_of_the_files_that_count_annul_a_solution_and_exactly_five_do_not() -> None:
    run = amended((Kind.VOID, START, {"numbers": [1]}), ruling(number=2))
    views = fate.files_at(PLAN, (), START + HOUR, told(run), session_open=False)
    assert fate.voided_share(views) == 1.0  # file 3 alone counts, and it was missed
    rest = amended((Kind.VOID, START, {"numbers": [1, 3]}), ruling(number=2))
    nothing = fate.files_at(PLAN, (), START + HOUR, told(rest), session_open=False)
    assert fate.voided_share(nothing) is None
    shares = (None, 0.0, 3 / 60, 1 / 20, 4 / 60, 1.0)
    assert [fate.solution_voided(share, 0.05) for share in shares] == [*[False] * 4, True, True]


def ends(
    known: Circumstances, now: Millis, *, seen_at: Millis = 0, deliveries: tuple[Delivery, ...] = ()
) -> State | None:
    assert known.schedule is not None
    return fate.ends_by_time(known.schedule, deliveries, seen_at, 15 * MINUTE, now)


def test_a_session_ends_five_minutes_after_the_last_opening_unless_the_limits_are_longer() -> None:
    last = START + 3 * MINUTE + IN_FLIGHT  # no answer to the last file can be under way any more
    assert [ends(told(), now) for now in (last, last + 1)] == [None, State.FINISHED]
    slow = Delivery(3, START + 2 * MINUTE, START + HOUR)
    last = START + 2 * MINUTE + 5 * MINUTE
    assert ends(told(), last - 1, deliveries=(slow,)) is None
    assert ends(told(), last, deliveries=(slow,)) is State.FINISHED
    announced = Schedule.of(RUN).closes_at({1: HANDED_OUT.answer_by})
    assert ends(told(), announced - 1, deliveries=(HANDED_OUT,)) is None
    assert ends(told(), announced, deliveries=(HANDED_OUT,)) is State.FINISHED
    patient = replace(RUN, limits=replace(RUN.limits, answer=HOUR, total=HOUR))
    last = START + 2 * MINUTE + HOUR + IN_FLIGHT
    assert ends(told(patient), last) is None
    assert ends(told(patient), last + 1) is State.FINISHED


LONG = replace(RUN, files=60)


@pytest.mark.parametrize(("silent", "state"), [(15 * MINUTE - 1, None), (15 * MINUTE, State.TIMED_OUT)])
def test_a_silent_session_times_out_counted_from_the_start_and_never_in_a_pause(
    silent: Millis, state: State | None
) -> None:
    assert ends(told(LONG), START + silent) is state
    assert ends(told(LONG), START + SECOND + silent, seen_at=START + SECOND) is state
    under_way = Delivery(1, START, START + 15 * MINUTE - IN_FLIGHT)
    assert ends(told(LONG), START + silent, deliveries=(under_way,)) is None
    assert ends(told(amended((Kind.PAUSE, START + 1, {}), run=LONG)), START + HOUR) is None


@pytest.mark.parametrize(("now", "state"), [(START + 4_999, None), (START + 5_000, State.STOPPED)])
def test_a_stop_ends_every_session(now: Millis, state: State | None) -> None:
    run = amended((Kind.STOP, START + 5_000, {}))
    assert ends(told(run), now) is state
    assert Schedule.of(run).may_be_over(now, 15 * MINUTE, now) is (state is not None)


def test_everything_is_settled_when_every_file_is_answered_annulled_or_lost_without_doubt() -> None:
    run = amended((Kind.VOID, START, {"numbers": [3]}))
    second_lost = START + MINUTE + 10 * SECOND + IN_FLIGHT
    assert not fate.is_settled(told(run), [answered_at(START)], second_lost + 1)  # file 3 has not opened yet
    assert fate.is_settled(told(run), [answered_at(START)], START + 2 * MINUTE)
    later = amended((Kind.VOID, START, {"numbers": [2]}))
    third_lost = START + 2 * MINUTE + 10 * SECOND + IN_FLIGHT
    assert not fate.is_settled(told(later), [answered_at(START)], third_lost)
    assert fate.is_settled(told(later), [answered_at(START)], third_lost + 1)
    asked = told(later, first_requests={3: START + 2 * MINUTE})
    assert not fate.is_settled(asked, [answered_at(START)], third_lost + 1)


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


@pytest.mark.property
@given(runs())
def test_openings_increase_strictly_and_outside_of_pauses_which_take_two_hours_at_most(run: Run) -> None:
    moments, breaks = openings(run), Schedule.of(run).pauses
    assert moments == sorted(set(moments))
    assert moments == [window.opens_at for window in Schedule.of(run).windows]
    assert sum(pause.length for pause in breaks) <= ALL_PAUSES
    assert all(before.until <= after.start for before, after in pairwise(breaks))
    assert not [moment for moment in moments for pause in breaks if pause.start <= moment < pause.until]


@pytest.mark.property
@given(runs(), MOMENTS, st.integers(1, HOUR))
def test_a_further_pause_moves_only_what_opens_later_and_all_of_it_alike(run: Run, at: Millis, length: Millis) -> None:
    last = Schedule.of(run).pauses
    at = max([at, *(window.until for window in last)])
    number = len(run.amendments) + 1
    more = (
        Amendment(number, Kind.PAUSE, at, at, "tests", "a reason"),
        Amendment(number + 1, Kind.RESUME, at, at + length, "tests", "a reason"),
    )
    # decisions to resume that were drawn for later would end this pause too: only the earlier ones are kept
    lasting = tuple(
        amendment
        for amendment in run.amendments
        if amendment.kind not in {Kind.PAUSE, Kind.RESUME} or amendment.effective_at <= at
    )
    before = replace(run, amendments=lasting)
    after = replace(run, amendments=(*lasting, *more))
    (*_, added) = (*Schedule.of(before).pauses, *Schedule.of(after).pauses)
    moved = added.length if len(Schedule.of(after).pauses) > len(Schedule.of(before).pauses) else 0
    for old, new in zip(openings(before), openings(after), strict=True):
        assert new == (old + moved if old >= at else old)


@pytest.mark.property
@given(runs(), st.data())
def test_a_deadline_grows_with_the_platforms_own_delay(run: Run, data: st.DataObject) -> None:
    number = data.draw(st.integers(1, Schedule.of(run).total_files))
    window = Schedule.of(run).window(number)
    requested_at = data.draw(st.integers(window.opens_at - HOLD, window.request_by))
    own = data.draw(st.integers(0, HOUR))
    prompt = max(requested_at, window.opens_at)
    first, slow = (
        Schedule.of(run).answer_by(number, requested_at, prompt),
        Schedule.of(run).answer_by(number, requested_at, prompt + own),
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
    requested, deliveries = {}, []
    for number, window in enumerate(Schedule.of(run).windows, start=1):
        what = draw(st.sampled_from(["nothing", "late", "lost", "open", "answered"]))
        if what == "nothing":
            continue
        requested[number] = (
            window.request_by + 1 if what == "late" else draw(st.integers(window.opens_at, window.request_by))
        )
        if what in {"open", "answered"}:
            at = requested[number] + draw(st.integers(0, SECOND))
            delivery = Delivery(number, at, Schedule.of(run).answer_by(number, requested[number], at))
            given_by = delivery.answer_by
            outcomes = delivery_rules.accept_answer(
                delivery,
                Heard("answer", "a", given_by, False, given_by),
                now=3_000,
                sends_per_file=10,
                session_open=True,
            ).after
            deliveries.append(outcomes if what == "answered" else delivery)
    return (
        Circumstances(schedule=Schedule.of(run), team_id="red", first_requests=requested),
        tuple(deliveries),
        draw(MOMENTS),
    )


@pytest.mark.property
@given(stories())
def test_every_file_has_a_state_and_if_void_a_cause_that_time_does_not_change(
    story: tuple[Circumstances, tuple[Delivery, ...], Millis],
) -> None:
    history, deliveries, now = story
    plan = tuple(PlannedFile(f"f{number}", "i", "rus", "letters") for number in range(1, len(history.windows) + 1))
    before, closed, after = (
        fate.files_at(plan, deliveries, moment, history, session_open=is_open)
        for moment, is_open in ((now, True), (now, False), (now + HOUR, True))
    )
    for views in (before, closed):
        counts = fate.count_states(views)
        assert counts.waiting + counts.open + counts.answered + counts.voided == len(plan)
        assert all((view.cause is not None) is (view.state is FileState.VOIDED) for view in views)
        share = fate.voided_share(views)
        assert share is None or 0 <= share <= 1
    assert {view.state for view in closed} <= {FileState.ANSWERED, FileState.VOIDED}
    for old, new in zip(before, after, strict=True):
        assert old.state is not FileState.VOIDED or (old.state, old.cause) == (new.state, new.cause)


@pytest.mark.property
@given(stories(), st.integers(0, 2 * HOUR))
def test_timer_and_reading_end_a_session_alike_and_no_ended_one_would_go_on(
    story: tuple[Circumstances, tuple[Delivery, ...], Millis], later: Millis
) -> None:
    history, deliveries, now = story
    schedule = history.schedule
    assert schedule is not None
    idle, seen_at = 15 * MINUTE, START
    by_reading = fate.ends_by_time(schedule, deliveries, seen_at, idle, now)
    by_timer = fate.ends_by_time(schedule, deliveries, seen_at, idle + IN_FLIGHT, now)
    assert by_timer in {by_reading, None} or by_reading is State.TIMED_OUT
    assert by_reading is None or schedule.may_be_over(seen_at, idle, now)
    if by_reading is not None:
        assert fate.ends_by_time(schedule, deliveries, seen_at, idle, now + later) is not None
