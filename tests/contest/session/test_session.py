"""When a session ends, how its files are drawn, what a team may ask for, how times are written."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from contest.cycle.rules import sets
from contest.cycle.rules.cycle import Item
from contest.session.rules import delivery as delivery_rules
from contest.session.rules import session as session_rules
from contest.session.rules.delivery import Delivery, Heard
from contest.session.rules.session import IN_FLIGHT, Activity, State, TeamRequests
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


def test_with_everything_answered_it_is_finished_at_once() -> None:
    assert session_rules.ends_by_time(SESSION, activity(True, True), PARAMETERS, 2) is State.FINISHED


@pytest.mark.parametrize("answered", [(True,), (True, False)])
def test_with_a_file_left_it_is_not(answered: tuple[bool, ...]) -> None:
    assert session_rules.ends_by_time(SESSION, activity(*answered, seen_at=2), PARAMETERS, 2) is None


def test_a_file_not_handed_out_is_never_settled() -> None:
    assert not session_rules.is_settled(SESSION, activity(True).deliveries, 10**9)


@pytest.mark.parametrize(("now", "state"), [(DEADLINE + IN_FLIGHT, None), (DEADLINE + IN_FLIGHT + 1, State.FINISHED)])
def test_a_missed_file_ends_the_session_when_no_answer_can_be_under_way(now: int, state: State | None) -> None:
    assert session_rules.ends_by_time(SESSION, activity(True, False), PARAMETERS, now) is state


def test_what_next_announces_as_the_end_is_the_end() -> None:
    missed = activity(True, False)
    end = session_rules.closes_at(each.answer_by for each in missed.deliveries)
    assert session_rules.ends_by_time(SESSION, missed, PARAMETERS, end - 1) is None
    assert session_rules.ends_by_time(SESSION, missed, PARAMETERS, end) is State.FINISHED


@pytest.mark.parametrize(("now", "state"), [(899_999, None), (900_000, State.TIMED_OUT)])
def test_fifteen_silent_minutes_time_a_session_out(now: int, state: State | None) -> None:
    assert session_rules.ends_by_time(SESSION, activity(True), PARAMETERS, now) is state


def test_a_timer_allows_for_requests_it_cannot_see_yet() -> None:
    silent = activity(True)
    assert session_rules.ends_by_time(SESSION, silent, PARAMETERS, 900_000, unseen=IN_FLIGHT) is None
    assert (
        session_rules.ends_by_time(SESSION, silent, PARAMETERS, 900_000 + IN_FLIGHT, unseen=IN_FLIGHT)
        is State.TIMED_OUT
    )


def test_a_request_keeps_a_session_alive() -> None:
    assert session_rules.ends_by_time(SESSION, activity(True, seen_at=500_000), PARAMETERS, 1_399_999) is None


def test_a_session_that_finished_in_silence_is_finished_and_not_timed_out() -> None:
    assert session_rules.ends_by_time(SESSION, activity(True, False), PARAMETERS, 10**9) is State.FINISHED


def test_silence_never_ends_a_session_while_an_answer_may_come() -> None:
    impatient = replace(PARAMETERS, idle_timeout_s=5)
    assert session_rules.ends_by_time(SESSION, activity(False), impatient, DEADLINE) is None


def test_closing_raises_the_version_and_keeps_the_moment() -> None:
    closed = session_rules.close(SESSION, State.ABORTED, 7)
    assert (closed.state, closed.closed_at, closed.version, closed.is_open) == (State.ABORTED, 7, 1, False)


ITEMS = tuple(Item(f"item-{n}", "rus" if n % 2 else "eng", "g", "", ()) for n in range(10))


def test_a_language_takes_its_own_items_and_all_takes_everything() -> None:
    assert {item.language for item in sets.eligible(ITEMS, "rus")} == {"rus"}
    assert sets.eligible(ITEMS, "all") == ITEMS


def test_the_draw_is_a_function_of_the_sessions_id_and_not_of_the_items_order() -> None:
    drawn = sets.choose(ITEMS, "one", 4)
    assert len(set(drawn)) == 4
    assert sets.choose(ITEMS[::-1], "one", 4) == drawn
    assert sets.choose(ITEMS, "another", 4) != drawn
    assert set(sets.choose(ITEMS, "one", 1000)) == set(ITEMS)


def test_every_item_is_drawn_first_about_equally_often() -> None:
    first = Counter(sets.choose(ITEMS, f"session-{n}", 1)[0].item_id for n in range(2000))
    # 200 expected each, standard deviation sqrt(2000 · 0.1 · 0.9) = 13.4: five of them on both sides
    assert all(133 <= first[item.item_id] <= 267 for item in ITEMS)


@pytest.mark.parametrize(("made", "refused"), [(10, False), (11, True)])
def test_the_eleventh_request_of_a_second_is_one_too_many(made: int, refused: bool) -> None:
    before = TeamRequests(second=5, count=made - 1)
    assert (session_rules.free_second(5_999, before, 10) is None) is refused


@pytest.mark.clause("platform §3 body")
@pytest.mark.parametrize(
    ("size", "starts", "allowance"),
    [(0, False, 1_000), (1, False, 1_001), (65_536, False, 2_000), (2**30, False, 5_000), (0, True, 11_000)],
)
def test_a_body_may_take_a_second_and_the_time_of_its_length(size: int, starts: bool, allowance: int) -> None:
    assert session_rules.body_allowance(size, PARAMETERS, starts=starts) == allowance


@pytest.mark.clause("platform §3 body")
def test_no_body_takes_longer_than_timers_wait_for_what_is_under_way() -> None:
    assert session_rules.body_allowance(2**30, replace(PARAMETERS, body_s=30), starts=True) == IN_FLIGHT


@pytest.mark.clause("platform §3 body")
def test_a_body_is_slow_from_a_millisecond_more_than_a_second_on() -> None:
    assert [session_rules.body_took(times) for times in (None, (5, 1_005), (5, 1_006))] == [None, None, 1_001]


def test_a_window_is_a_second_of_the_clock() -> None:
    assert [session_rules.rate_window(now) for now in (999, 1000, 1999, 2000)] == [0, 1, 1, 2]


def test_the_quotas_day_is_the_cycles_and_not_utc() -> None:
    # 2026-11-21T21:30:00Z is half past midnight of the 22nd in Moscow (UTC+3 all year)
    late_evening = from_iso("2026-11-21T21:30:00.000Z")
    assert session_rules.quota_day(late_evening, "Europe/Moscow") == "2026-11-22"
    assert session_rules.quota_day(late_evening, "UTC") == "2026-11-21"
    reset = session_rules.quota_resets_at(late_evening, "Europe/Moscow")
    assert iso(reset) == "2026-11-22T21:00:00.000Z"


def test_a_day_with_a_clock_change_resets_at_its_own_midnight() -> None:
    # Berlin leaves summer time on 25 October 2026: that day has 25 hours
    noon = from_iso("2026-10-25T10:00:00.000Z")
    assert iso(session_rules.quota_resets_at(noon, "Europe/Berlin")) == "2026-10-25T23:00:00.000Z"


@pytest.mark.parametrize(("moment", "seconds"), [(1, 1), (1000, 1), (1001, 2), (0, 1), (-5, 1)])
def test_waiting_times_are_whole_seconds_rounded_up(moment: int, seconds: int) -> None:
    assert seconds_until(moment, 0) == seconds


@pytest.mark.parametrize("moment", [0, 1, 999, 1_790_000_000_123, 4_102_444_799_999])
def test_moments_survive_the_wire(moment: int) -> None:
    assert from_iso(iso(moment)) == moment


@pytest.mark.parametrize("text", ["", "2026-11-21", "2026-11-21T03:57:32Z", "2026-11-21T03:57:32.123+00:00", "x" * 99])
def test_other_forms_of_time_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a moment"):
        from_iso(text)


def test_a_day_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match="day"):
        from_iso("2026-02-30T00:00:00.000Z")
