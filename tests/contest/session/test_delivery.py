"""What becomes of an answer: accepted, late, ignored, a repetition; and what a file without one is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from contest.run.rules import fate
from contest.run.rules.fate import Circumstances
from contest.session.rules import delivery as delivery_rules
from contest.session.rules.delivery import Bodies, Cause, Decision, Delivery, FileState, Heard, Status, Why
from contest.session.rules.session import PlannedFile

HANDED_OUT = Delivery(3, 1_000_000, 1_060_000)
DEADLINE = 1_060_000


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


def test_the_deadline_runs_from_the_hand_out() -> None:
    assert HANDED_OUT.answer_by == DEADLINE


@pytest.mark.parametrize(("arrival", "status"), [(DEADLINE, Status.ACCEPTED), (DEADLINE + 1, Status.LATE)])
def test_an_answer_in_the_deadlines_very_millisecond_is_in_time(arrival: int, status: Status) -> None:
    assert accept(HANDED_OUT, "a", arrival).status is status


def test_the_last_accepted_answer_counts() -> None:
    delivery = after_sends(3)
    assert delivery.answer is not None
    assert (delivery.answer.send, delivery.answer.content_sha256, delivery.sends) == (3, "content 2", 3)


def test_a_late_answer_is_stored_but_never_counts() -> None:
    in_time = after_sends(1)
    decision = accept(in_time, "better", DEADLINE + 1)
    assert (decision.status, decision.why, decision.send) == (Status.LATE, Why.DEADLINE_PASSED, 2)
    assert decision.after.answer == in_time.answer
    assert decision.after.late_at == DEADLINE + 1


def test_the_first_late_answer_is_the_evidence() -> None:
    once = accept(HANDED_OUT, "a", DEADLINE + 5).after
    assert accept(once, "b", DEADLINE + 9).after.late_at == DEADLINE + 5


def test_an_answer_in_time_to_a_closed_session_is_late_and_leaves_its_facts_alone() -> None:
    in_time = after_sends(1)
    decision = accept(in_time, "b", DEADLINE - 1, session_open=False)
    assert (decision.status, decision.why) == (Status.LATE, Why.SESSION_CLOSED)
    assert (decision.after.answer, decision.after.late_at) == (in_time.answer, None)


def test_a_late_answer_to_a_closed_session_leaves_the_reports_facts_alone() -> None:
    decision = accept(HANDED_OUT, "b", DEADLINE + 1, session_open=False)
    assert decision.status is Status.LATE
    assert replace(decision.after, sends=0, latest_sha256=None, version=0) == HANDED_OUT


def test_beyond_ten_sends_answers_are_ignored_and_change_nothing() -> None:
    full = after_sends(10)
    decision = accept(full, "eleventh", 1_000_100)
    assert (decision.status, decision.why, decision.send) == (Status.IGNORED, Why.TOO_MANY_SENDS, 11)
    assert decision.after == full


def test_late_answers_use_up_sends_too() -> None:
    delivery = HANDED_OUT
    for send in range(10):
        delivery = accept(delivery, f"late {send}", DEADLINE + 1).after
    assert accept(delivery, "one more", DEADLINE + 2).status is Status.IGNORED


def test_without_a_key_the_latest_content_again_is_a_retry_even_after_the_deadline() -> None:
    decision = accept(after_sends(2), "content 1", DEADLINE + 1)
    assert (decision.status, decision.send) == (Status.REPEAT, 2)


def test_an_earlier_content_again_is_a_new_send() -> None:
    decision = accept(after_sends(2), "content 0", 1_000_100)
    assert (decision.status, decision.send) == (Status.ACCEPTED, 3)


def test_with_a_new_key_equal_content_is_a_new_send() -> None:
    assert accept(after_sends(1), "content 0", 1_000_100, keyed=True).status is Status.ACCEPTED


def test_every_stored_answer_raises_the_version_and_an_ignored_one_does_not() -> None:
    assert [after_sends(count).version for count in (0, 1, 10)] == [0, 1, 10]
    assert accept(after_sends(10), "x", 1_000_100).after.version == 10


@pytest.mark.parametrize(
    ("delivery", "now", "session_open", "state"),
    [
        (None, 0, True, FileState.WAITING),
        (None, 0, False, FileState.VOIDED),
        (HANDED_OUT, DEADLINE, True, FileState.OPEN),
        (HANDED_OUT, DEADLINE + 1, True, FileState.VOIDED),
        (HANDED_OUT, 0, False, FileState.VOIDED),
        (after_sends(1), DEADLINE + 1, True, FileState.ANSWERED),
        (after_sends(1), DEADLINE + 1, False, FileState.ANSWERED),
    ],
)
def test_state_of_a_file(delivery: Delivery | None, now: int, session_open: bool, state: FileState) -> None:
    assert fate.state_of(delivery, now, session_open=session_open) is state


def test_every_void_file_has_a_cause_with_its_evidence() -> None:
    refused = Bodies(refused=1, refused_code="wrong_text")
    late_too = accept(HANDED_OUT, "a", DEADLINE + 250).after
    assert delivery_rules.cause_of(None) == (Cause.TEAM_LATE, {"requested": False})
    assert delivery_rules.cause_of(HANDED_OUT) == (Cause.TEAM_LATE, {"answered": False})
    found = delivery_rules.cause_of(HANDED_OUT, bodies=refused)
    assert found == (Cause.TEAM_INVALID, {"refusals": 1, "last": "wrong_text"})
    assert delivery_rules.cause_of(HANDED_OUT, bodies=Bodies(repeated=1)) == (Cause.TEAM_LATE, {"answered": False})
    assert delivery_rules.cause_of(late_too, bodies=refused) == (Cause.TEAM_LATE, {"late_by_ms": 250})


@pytest.mark.parametrize(
    ("arrival", "aborted_at", "cause"),
    [
        (DEADLINE, None, Cause.PLATFORM),
        (DEADLINE + 1, None, Cause.TEAM_LATE),
        (DEADLINE, DEADLINE + 30_000, Cause.PLATFORM),
        (DEADLINE, DEADLINE + 29_999, Cause.TEAM_LATE),
    ],
)
def test_an_answer_under_way_when_its_team_aborts_is_not_owed(
    arrival: int, aborted_at: int | None, cause: Cause
) -> None:
    assert delivery_rules.cause_of(HANDED_OUT, [arrival], aborted_at=aborted_at)[0] is cause


def test_an_answer_says_when_it_was_decided_on() -> None:
    decision = accept(HANDED_OUT, "a", DEADLINE)
    assert decision.after.answer is not None
    assert (decision.at, decision.after.answer.decided_at) == (DEADLINE + 5, DEADLINE + 5)


def test_counts_add_up_and_late_is_a_part_of_void() -> None:
    answered, late = after_sends(1), accept(replace(HANDED_OUT, number=4), "a", DEADLINE + 1).after
    answered_and_late = accept(replace(answered, number=5), "b", DEADLINE + 1).after
    deliveries = [answered, late, answered_and_late]
    plan = tuple(PlannedFile(f"name-{number}", "item", "rus", "lit") for number in range(1, 6))
    counts = fate.count(fate.files_at(plan, deliveries, DEADLINE + 2, Circumstances(), session_open=True))
    assert (counts.waiting, counts.open, counts.answered, counts.late, counts.voided) == (2, 0, 2, 1, 1)
    closed = fate.count(fate.files_at(plan, deliveries, DEADLINE + 2, Circumstances(), session_open=False))
    assert (closed.waiting, closed.voided) == (0, 3)


def test_a_files_name_is_not_told_before_it_is_handed_out() -> None:
    plan = tuple(PlannedFile(f"name-{number}", "item", "rus", "lit") for number in (1, 2))
    views = fate.files_at(plan, [replace(HANDED_OUT, number=2)], DEADLINE, Circumstances(), session_open=True)
    assert [view.file_id for view in views] == [None, "name-2"]
