"""What may be decided about a run, when, and what it does to the openings."""

from __future__ import annotations

import dataclasses

import pytest

from contest.cycle.rules.cycle import FINAL, GREATEST_NUMBER, MOST_REPLACED
from contest.refusals import RefusedError
from contest.run.rules import conducting
from contest.run.rules.conducting import Wish
from contest.run.rules.run import Kind, Limits, Run
from contest.run.rules.schedule import RunState, Schedule
from contest.session.rules.delivery import Cause
from contest.values import HOUR, MINUTE, SECOND, Millis
from tests.contest.run.run_facts import RUN, START
from tracks import registry
from tracks.rules import LateJoin

NOTICE = 5 * SECOND


def decided(run: Run, now: Millis, *wishes: Wish) -> Run:
    for wish in wishes:
        run = conducting.amended(run, conducting.amendment(run, wish, "tests", now))
    return run


def refusal(run: Run, wish: Wish, now: Millis) -> str:
    with pytest.raises(RefusedError) as refused:
        conducting.amendment(run, wish, "tests", now)
    assert refused.value.message.en
    assert refused.value.message.ru
    return refused.value.code


def openings(run: Run) -> list[Millis]:
    return [Schedule.of(run).opens_at(number) - START for number in range(1, Schedule.of(run).total_files + 1)]


PAUSE = Wish(Kind.PAUSE, "a cable is cut")
RESUME = Wish(Kind.RESUME, "mended")
STOP = Wish(Kind.STOP, "a mass failure")


def void(*numbers: int) -> Wish:
    return Wish(Kind.VOID, "unreadable", numbers)


def replaced(*numbers: int) -> Wish:
    return Wish(Kind.REPLACE, "a mass failure", numbers)


def undo(number: int) -> Wish:
    return Wish(Kind.UNDO, "a mistake", amendment=number)


def test_a_pause_holds_after_its_notice_shifts_what_comes_later_and_may_precede_the_start() -> None:
    paused = decided(RUN, START + 30 * SECOND, PAUSE)
    assert Schedule.of(paused).state_at(START + 34 * SECOND) is RunState.RUNNING
    assert Schedule.of(paused).state_at(START + 35 * SECOND) is RunState.PAUSED
    resumed = decided(paused, START + 10 * MINUTE, RESUME)
    # paused from 0:35 to 10:30, which is 9:55
    assert openings(resumed) == [0, *(each * MINUTE + 9 * MINUTE + 55 * SECOND for each in (1, 2, 3))]
    resumed = decided(decided(RUN, START, PAUSE), START + MINUTE, RESUME)
    assert Schedule.of(resumed).pauses[0].until - (START + MINUTE) == 30 * SECOND
    run = decided(decided(RUN, START - HOUR, PAUSE), START - MINUTE, RESUME)
    assert openings(run)[0] == HOUR - MINUTE + 25 * SECOND


def test_a_run_is_not_paused_twice_at_once_nor_longer_than_two_hours_together() -> None:
    assert refusal(RUN, RESUME, START) == "not_paused"
    paused = decided(RUN, START, PAUSE)
    assert refusal(paused, PAUSE, START + SECOND) == "paused_already"
    resumed = decided(paused, START + MINUTE, RESUME)
    assert refusal(resumed, RESUME, START + MINUTE + SECOND) == "resumes_already"
    assert refusal(resumed, PAUSE, START + MINUTE + SECOND) == "paused_already"
    again = decided(resumed, START + 2 * MINUTE, PAUSE)
    assert len(Schedule.of(again).pauses) == 2
    slow = dataclasses.replace(RUN, interval=HOUR)
    once = decided(decided(slow, START, PAUSE), START + HOUR - 25 * SECOND, RESUME)
    assert Schedule.of(once).pauses[0].length == HOUR
    twice = decided(once, START + 2 * HOUR, PAUSE)
    assert Schedule.of(twice).pauses[1].length == HOUR
    assert Schedule.of(twice).state_at(START + 3 * HOUR + NOTICE) is RunState.RUNNING
    assert refusal(twice, PAUSE, START + 3 * HOUR + NOTICE) == "pauses_used_up"
    assert refusal(twice, RESUME, START + 3 * HOUR - 20 * SECOND) == "resumes_already"
    paused = decided(RUN, START, PAUSE)
    assert openings(decided(paused, START + 2 * SECOND, undo(1))) == openings(RUN)
    assert refusal(paused, undo(1), START + 3 * SECOND) == "in_effect_already"
    assert refusal(decided(RUN, START, STOP), undo(1), START + HOUR) == "in_effect_already"


def test_what_is_over_may_only_be_stopped_and_published_results_are_hidden_first() -> None:
    end = Schedule.of(RUN).ends_at + 1
    assert refusal(RUN, PAUSE, end) == "run_over"
    assert refusal(RUN, replaced(1), end) == "run_over"
    stopped = decided(RUN, START, STOP)
    after = START + NOTICE
    assert [refusal(stopped, each, after) for each in (PAUSE, replaced(1))] == ["run_over"] * 2
    assert [refusal(stopped, each, after) for each in (STOP, void(1))] == ["stopped_already"] * 2
    end = Schedule.of(RUN).ends_at + HOUR
    assert Schedule.of(decided(RUN, end, STOP)).state_at(end + NOTICE) is RunState.STOPPED
    assert refusal(dataclasses.replace(RUN, published_at=START), STOP, START) == "results_published"


def test_files_are_void_for_everybody_once_unless_that_is_undone() -> None:
    run = decided(RUN, START, void(2, 3))
    assert Schedule.of(run).voided_for_all == {2: 1, 3: 1}
    assert refusal(run, void(3, 4), START) == "void_already"
    assert refusal(run, replaced(3), START) == "void_already"
    assert [refusal(run, each, START) for each in (void(), void(0), void(5))] == ["unknown_file"] * 3
    run = decided(RUN, START, void(2), undo(1))
    assert Schedule.of(run).voided_for_all == {}
    assert [refusal(run, undo(each), START) for each in (1, 2, 9)] == ["nothing_to_undo"] * 3
    assert Schedule.of(decided(run, START, void(2))).voided_for_all == {2: 3}


def test_replacements_open_behind_the_last_file_and_keep_their_numbers_if_taken_back() -> None:
    run = decided(RUN, START + MINUTE, replaced(2, 1))
    assert openings(run) == [each * MINUTE for each in range(6)]
    assert Schedule.of(run).voided_for_all == {1: 1, 2: 1}
    assert refusal(run, Wish(Kind.VOID, "", (3,)), START) == "no_reason"
    run = decided(RUN, START + 3 * MINUTE + 50 * SECOND, replaced(4))
    assert openings(run)[4] == 5 * MINUTE
    run = decided(RUN, START, replaced(1), replaced(2), undo(1))
    assert openings(run) == [each * MINUTE for each in range(6)]
    # file 1 counts again, its replacement (5) is void by the undoing (3), file 2 stays replaced by file 6
    assert Schedule.of(run).voided_for_all == {5: 3, 2: 2}
    assert refusal(run, replaced(5), START) == "void_already"


@pytest.mark.clause("TS T8", "D 8.12")
def test_at_most_a_hundred_items_are_replaced_or_what_the_run_says() -> None:
    long = dataclasses.replace(RUN, files=200)
    run = decided(long, START, replaced(*range(1, 91)))
    assert refusal(run, replaced(*range(91, 102)), START) == "too_many_replaced"
    assert Schedule.of(decided(run, START, replaced(*range(91, 101)))).total_files == 300
    pairs = dataclasses.replace(RUN, files=8, publications=2, most_replaced=2)
    run = decided(pairs, START, replaced(1))
    assert refusal(run, replaced(3, 5), START) == "too_many_replaced"
    assert Schedule.of(decided(run, START, replaced(3))).total_files == 12
    assert refusal(dataclasses.replace(RUN, most_replaced=0), replaced(1), START) == "too_many_replaced"


@pytest.mark.clause("TS T8")
@pytest.mark.parametrize(("name", "in_a_row"), [("essay", 1), ("exam", 1), ("gec", 1), ("diagnosis", 2)])
def test_every_file_of_the_longest_run_with_all_that_may_replace_others_has_a_number(name: str, in_a_row: int) -> None:
    items = max(each.most for each in registry.get(name).modes() if not each.draws_groups)
    assert (items + MOST_REPLACED) * in_a_row <= GREATEST_NUMBER


def test_a_ruling_names_a_file_and_another_cause() -> None:
    rule = Wish(Kind.RULE, "their line was cut", (2,), "red", Cause.PLATFORM)
    run = decided(RUN, START, rule)
    assert Schedule.of(run).rulings("red") == {2: (Cause.PLATFORM, 1)}
    assert Schedule.of(run).rulings("blue") == {}
    assert refusal(run, rule, START) == "ruled_already"
    assert refusal(run, Wish(Kind.RULE, "x", (2,), "red"), START) == "no_cause"
    assert refusal(run, Wish(Kind.RULE, "x", (2, 3), "red", Cause.NETWORK), START) == "no_cause"
    assert refusal(run, Wish(Kind.RULE, "x", (9,), "red", Cause.NETWORK), START) == "unknown_file"


@pytest.mark.clause("TS D-3", "D 13.2")
def test_an_admission_is_taken_back_before_it_holds_and_of_a_run_that_takes_everybody_in_needless() -> None:
    late = dataclasses.replace(RUN, late_join=LateJoin.BY_DECISION)
    run = decided(late, START + MINUTE, Wish(Kind.ADMIT, "the power failed", team_id="red"))
    join = START + 3 * MINUTE
    assert Schedule.of(run).may_join("red", join)
    assert not Schedule.of(run).may_join("blue", join)
    assert not Schedule.of(run).may_join("red", Schedule.of(run).ends_at + 1)
    taken_back = decided(run, START + MINUTE + SECOND, undo(1))
    assert not Schedule.of(taken_back).may_join("red", join)
    assert refusal(run, undo(1), START + MINUTE + NOTICE) == "in_effect_already"
    assert refusal(late, Wish(Kind.ADMIT, "x", team_id="red"), Schedule.of(late).ends_at + 1) == "run_over"
    rules = dataclasses.replace(FINAL, late_join=LateJoin.UNTIL_END)
    run = dataclasses.replace(RUN, limits=Limits.of(rules), late_join=LateJoin.UNTIL_END)
    assert Schedule.of(run).join_until == Schedule.of(run).ends_at
    assert Limits.of(FINAL).join == 2 * MINUTE
