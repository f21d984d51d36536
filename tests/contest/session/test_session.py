"""Rules of a session: its end, its files and items, what becomes of an answer, and what a team may ask for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from contest.run.rules import fate
from contest.run.rules.fate import Circumstances
from contest.run.rules.run import whole_items
from contest.session.rules import delivery as delivery_rules
from contest.session.rules import session as session_rules
from contest.session.rules.delivery import Bodies, Cause, Decision, Delivery, FileState, Heard, Status, Why
from contest.session.rules.session import (
    IN_FLIGHT,
    Activity,
    ItemFiles,
    Plan,
    PlannedFile,
    State,
    TeamRequests,
    item_at,
    items_of,
)
from contest.values import from_iso, iso, seconds_until
from tests.samples import PARAMETERS, SESSION

DEADLINE = 60_000


def handed_out(number: int, *, answered: bool) -> Delivery:
    delivery = Delivery(number, 0, 60_000)
    if not answered:
        return delivery
    return delivery_rules.accept(
        delivery, Heard("answer", "a", 1, False, 1), now=3_000, sends_per_file=10, session_open=True
    ).after


def activity(*answered: bool, seen_at: int = 0) -> Activity:
    return Activity([handed_out(n, answered=each) for n, each in enumerate(answered, start=1)], seen_at)


@pytest.mark.parametrize(
    ("answered", "seen_at", "now", "state"),
    [
        ((True, True), 0, 2, State.FINISHED),
        ((True,), 2, 2, None),
        ((True, False), 2, 2, None),
        ((True, False), 0, DEADLINE + IN_FLIGHT, None),  # an answer may be under way
        ((True, False), 0, DEADLINE + IN_FLIGHT + 1, State.FINISHED),
        ((True, False), 0, 10**9, State.FINISHED),  # it finished in silence and did not time out
        ((True,), 0, 899_999, None),
        ((True,), 0, 900_000, State.TIMED_OUT),
        ((True,), 500_000, 1_399_999, None),
    ],
)
def test_a_session_ends_settled_or_silent(
    answered: tuple[bool, ...], seen_at: int, now: int, state: State | None
) -> None:
    assert session_rules.ends_by_time(SESSION, activity(*answered, seen_at=seen_at), PARAMETERS, now) is state


def test_a_session_ends_when_next_says_and_not_while_an_answer_may_come() -> None:
    assert not session_rules.is_settled(SESSION, activity(True).deliveries, 10**9)
    missed = activity(True, False)
    end = session_rules.closes_at(each.answer_by for each in missed.deliveries)
    assert session_rules.ends_by_time(SESSION, missed, PARAMETERS, end - 1) is None
    assert session_rules.ends_by_time(SESSION, missed, PARAMETERS, end) is State.FINISHED
    silent = activity(True)
    ends = [
        session_rules.ends_by_time(SESSION, silent, PARAMETERS, now, unseen=IN_FLIGHT)
        for now in (900_000, 900_000 + IN_FLIGHT)
    ]
    assert ends == [None, State.TIMED_OUT]
    impatient = replace(PARAMETERS, idle_timeout_s=5)
    assert session_rules.ends_by_time(SESSION, activity(False), impatient, DEADLINE) is None


def test_closing_raises_the_version_and_keeps_the_moment() -> None:
    closed = session_rules.close(SESSION, State.ABORTED, 7)
    assert (closed.state, closed.closed_at, closed.version, closed.is_open) == (State.ABORTED, 7, 1, False)


@pytest.mark.parametrize(("made", "refused"), [(10, False), (11, True)])
def test_the_eleventh_request_of_a_second_is_one_too_many(made: int, refused: bool) -> None:
    before = TeamRequests(second=5, count=made - 1)
    assert (session_rules.free_second(5_999, before, 10) is None) is refused


@pytest.mark.clause("platform §3 body")
def test_a_body_may_take_a_second_and_the_time_of_its_length_and_no_longer_than_timers_wait() -> None:
    bodies = [(0, False, 1_000), (1, False, 1_001), (65_536, False, 2_000), (2**30, False, 5_000), (0, True, 11_000)]
    for size, starts, allowance in bodies:
        assert session_rules.body_allowance(size, PARAMETERS, starts=starts) == allowance
    assert session_rules.body_allowance(2**30, replace(PARAMETERS, body_s=30), starts=True) == IN_FLIGHT
    assert [session_rules.body_took(times) for times in (None, (5, 1_005), (5, 1_006))] == [None, None, 1_001]


def test_a_window_is_a_second_and_the_quotas_day_the_cycles_own() -> None:
    assert [session_rules.rate_window(now) for now in (999, 1000, 1999, 2000)] == [0, 1, 1, 2]
    # 2026-11-21T21:30:00Z is half past midnight of the 22nd in Moscow (UTC+3 all year)
    late_evening = from_iso("2026-11-21T21:30:00.000Z")
    assert session_rules.quota_day(late_evening, "Europe/Moscow") == "2026-11-22"
    assert session_rules.quota_day(late_evening, "UTC") == "2026-11-21"
    reset = session_rules.quota_resets_at(late_evening, "Europe/Moscow")
    assert iso(reset) == "2026-11-22T21:00:00.000Z"
    # Berlin leaves summer time on 25 October 2026: that day has 25 hours
    noon = from_iso("2026-10-25T10:00:00.000Z")
    assert iso(session_rules.quota_resets_at(noon, "Europe/Berlin")) == "2026-10-25T23:00:00.000Z"


def test_waiting_times_are_whole_seconds_rounded_up_and_days_are_of_the_calendar() -> None:
    assert [seconds_until(moment, 0) for moment in (1, 1000, 1001, 0, -5)] == [1, 1, 2, 1, 1]
    with pytest.raises(ValueError, match="day"):
        from_iso("2026-02-30T00:00:00.000Z")


HANDED_OUT = Delivery(3, 1_000_000, 1_060_000)
ANSWER_BY = 1_060_000


def accept(
    delivery: Delivery, content: str, arrival: int, *, session_open: bool = True, keyed: bool = False
) -> Decision:
    heard = Heard("answer", content, arrival, keyed, arrival)
    return delivery_rules.accept(delivery, heard, now=arrival + 5, sends_per_file=10, session_open=session_open)


def after_sends(count: int) -> Delivery:
    delivery = HANDED_OUT
    for send in range(count):
        delivery = accept(delivery, f"content {send}", 1_000_001 + send).after
    return delivery


def test_the_last_answer_until_the_deadlines_millisecond_counts_and_says_when_it_was_decided_on() -> None:
    delivery = after_sends(3)
    assert delivery.answer is not None
    assert (delivery.answer.send, delivery.answer.content_sha256, delivery.sends) == (3, "content 2", 3)
    decision = accept(HANDED_OUT, "a", ANSWER_BY)
    assert decision.status is Status.ACCEPTED
    assert decision.after.answer is not None
    assert (decision.at, decision.after.answer.decided_at) == (ANSWER_BY + 5, ANSWER_BY + 5)


def test_late_answers_never_count_use_up_sends_and_the_first_is_the_evidence() -> None:
    in_time = after_sends(1)
    decision = accept(in_time, "better", ANSWER_BY + 1)
    assert (decision.status, decision.why, decision.send) == (Status.LATE, Why.DEADLINE_PASSED, 2)
    assert decision.after.answer == in_time.answer
    assert decision.after.late_at == ANSWER_BY + 1
    once = accept(HANDED_OUT, "a", ANSWER_BY + 5).after
    assert accept(once, "b", ANSWER_BY + 9).after.late_at == ANSWER_BY + 5
    delivery = HANDED_OUT
    for send in range(10):
        delivery = accept(delivery, f"late {send}", ANSWER_BY + 1).after
    assert accept(delivery, "one more", ANSWER_BY + 2).status is Status.IGNORED


def test_answers_to_a_closed_session_are_late_and_leave_its_facts_alone() -> None:
    in_time = after_sends(1)
    decision = accept(in_time, "b", ANSWER_BY - 1, session_open=False)
    assert (decision.status, decision.why) == (Status.LATE, Why.SESSION_CLOSED)
    assert (decision.after.answer, decision.after.late_at) == (in_time.answer, None)
    decision = accept(HANDED_OUT, "b", ANSWER_BY + 1, session_open=False)
    assert decision.status is Status.LATE
    assert replace(decision.after, sends=0, latest_sha256=None, version=0) == HANDED_OUT


def test_beyond_ten_sends_answers_are_ignored_and_change_nothing() -> None:
    full = after_sends(10)
    assert [after_sends(count).version for count in (0, 1, 10)] == [0, 1, 10]
    decision = accept(full, "eleventh", 1_000_100)
    assert (decision.status, decision.why, decision.send) == (Status.IGNORED, Why.TOO_MANY_SENDS, 11)
    assert decision.after == full


@pytest.mark.parametrize(
    ("content", "arrival", "keyed", "status", "send"),
    [
        ("content 1", ANSWER_BY + 1, False, Status.REPEAT, 2),  # a retry, even after the deadline
        ("content 0", 1_000_100, False, Status.ACCEPTED, 3),
        ("content 1", 1_000_100, True, Status.ACCEPTED, 3),
    ],
)
def test_the_latest_content_again_is_a_retry(
    content: str, arrival: int, keyed: bool, status: Status, send: int
) -> None:
    decision = accept(after_sends(2), content, arrival, keyed=keyed)
    assert (decision.status, decision.send) == (status, send)


@pytest.mark.parametrize(
    ("delivery", "now", "session_open", "state"),
    [
        (None, 0, True, FileState.WAITING),
        (None, 0, False, FileState.VOIDED),
        (HANDED_OUT, ANSWER_BY, True, FileState.OPEN),
        (HANDED_OUT, ANSWER_BY + 1, True, FileState.VOIDED),
        (HANDED_OUT, 0, False, FileState.VOIDED),
        (after_sends(1), ANSWER_BY + 1, True, FileState.ANSWERED),
        (after_sends(1), ANSWER_BY + 1, False, FileState.ANSWERED),
    ],
)
def test_state_of_a_file(delivery: Delivery | None, now: int, session_open: bool, state: FileState) -> None:
    assert fate.state_of(delivery, now, session_open=session_open) is state


def test_every_void_file_has_a_cause_with_its_evidence() -> None:
    refused = Bodies(refused=1, refused_code="wrong_text")
    late_too = accept(HANDED_OUT, "a", ANSWER_BY + 250).after
    assert delivery_rules.cause_of(None) == (Cause.TEAM_LATE, {"requested": False})
    assert delivery_rules.cause_of(HANDED_OUT) == (Cause.TEAM_LATE, {"answered": False})
    result = delivery_rules.cause_of(HANDED_OUT, bodies=refused)
    assert result == (Cause.TEAM_INVALID, {"refusals": 1, "last": "wrong_text"})
    assert delivery_rules.cause_of(HANDED_OUT, bodies=Bodies(repeated=1)) == (Cause.TEAM_LATE, {"answered": False})
    assert delivery_rules.cause_of(late_too, bodies=refused) == (Cause.TEAM_LATE, {"late_by_ms": 250})


@pytest.mark.parametrize(
    ("arrival", "aborted_at", "cause"),
    [
        (ANSWER_BY, None, Cause.PLATFORM),
        (ANSWER_BY + 1, None, Cause.TEAM_LATE),
        (ANSWER_BY, ANSWER_BY + 30_000, Cause.PLATFORM),
        (ANSWER_BY, ANSWER_BY + 29_999, Cause.TEAM_LATE),
    ],
)
def test_an_answer_under_way_at_an_abort_is_not_owed(arrival: int, aborted_at: int | None, cause: Cause) -> None:
    assert delivery_rules.cause_of(HANDED_OUT, [arrival], aborted_at=aborted_at)[0] is cause


def test_counts_add_up_late_is_a_part_of_void_and_no_name_is_told_before_the_hand_out() -> None:
    answered, late = after_sends(1), accept(replace(HANDED_OUT, number=4), "a", ANSWER_BY + 1).after
    answered_and_late = accept(replace(answered, number=5), "b", ANSWER_BY + 1).after
    deliveries = [answered, late, answered_and_late]
    plan = tuple(PlannedFile(f"name-{number}", "item", "rus", "lit") for number in range(1, 6))
    counts = fate.count(fate.files_at(plan, deliveries, ANSWER_BY + 2, Circumstances(), session_open=True))
    assert (counts.waiting, counts.open, counts.answered, counts.late, counts.voided) == (2, 0, 2, 1, 1)
    closed = fate.count(fate.files_at(plan, deliveries, ANSWER_BY + 2, Circumstances(), session_open=False))
    assert (closed.waiting, closed.voided) == (0, 3)
    plan = tuple(PlannedFile(f"name-{number}", "item", "rus", "lit") for number in (1, 2))
    views = fate.files_at(plan, [replace(HANDED_OUT, number=2)], ANSWER_BY, Circumstances(), session_open=True)
    assert [view.file_id for view in views] == [None, "name-2"]


def plan(*files: tuple[str, str]) -> Plan:
    return tuple(PlannedFile(file_id, file_id, "rus", "copd", step=step) for file_id, step in files)


PAIRS = plan(("a", "v3"), ("a", "v2"), ("b", "v3"), ("b", "v2"))
SINGLE = plan(("a", ""), ("b", ""), ("a", ""))
"""Plan of files without a step: each is an item, whatever its name."""


@pytest.mark.clause("TS T2")
def test_files_of_one_name_and_several_steps_are_an_item() -> None:
    assert [each.numbers for each in items_of(PAIRS)] == [(1, 2), (3, 4)]
    assert [each.number for each in items_of(PAIRS)] == [2, 4]
    assert [each.numbers for each in items_of(SINGLE)] == [(1,), (2,), (3,)]
    assert items_of(()) == ()
    for files in (PAIRS, SINGLE):
        for item in items_of(files):
            assert {item_at(files, number) for number in item.numbers} == {ItemFiles(item.numbers)}


@pytest.mark.clause("TS D-4")
@pytest.mark.parametrize(
    ("numbers", "publications", "whole"),
    [([3], 1, [3]), ([3], 2, [3, 4]), ([4, 1, 2], 2, [1, 2, 3, 4]), ([5], 3, [4, 5, 6]), ([], 2, [])],
)
def test_files_are_annulled_with_all_of_their_item(numbers: list[int], publications: int, whole: list[int]) -> None:
    assert whole_items(numbers, publications) == whole
