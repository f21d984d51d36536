"""Time that the platform took from a program is given back once, carried on while it is needed, and no longer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from contest.run.rules import schedule
from contest.run.rules.run import AFTER_LAST
from contest.run.rules.schedule import Schedule
from contest.session.rules.delivery import Answer, Delivery
from contest.session.rules.session import Latest
from contest.values import MINUTE, SECOND
from tests.samples import RUN_OF_FOUR as RUN
from tests.samples import RUN_STARTS as START

SCHEDULE = Schedule.of(RUN)


def handed_out(number: int, after: int, answered: int | None = None, receipt: int = 0) -> Delivery:
    """Return a file handed out and answered so many seconds after its opening, with the receipt so many later."""
    opening = START + (number - 1) * MINUTE
    delivery = Delivery(number, opening + after * SECOND, opening + MINUTE)
    if answered is None:
        return delivery
    came = opening + answered * SECOND
    return replace(delivery, sends=1, answer=Answer(1, came, "a", came + receipt * SECOND, came))


def owed(number: int, *before: Delivery, asked: dict[int, int] | None = None, latest: Latest | None = None) -> int:
    """Return the time owed to a file's program, in seconds."""
    noted = {each: START + (each - 1) * MINUTE + after * SECOND for each, after in (asked or {}).items()}
    return schedule.owed(number, SCHEDULE, {each.number: each for each in before}, noted, latest) // SECOND


@pytest.mark.parametrize(
    ("before", "asked", "taken"),
    [
        ([], {}, 0),
        ([handed_out(1, 0, 50)], {1: 0}, 0),
        ([handed_out(1, 7, 50)], {1: 0}, 7),
        ([handed_out(1, 7, 50)], {1: 5}, 2),
        ([handed_out(1, 7, 50, 20)], {1: -2}, 27),
        ([handed_out(1, 7)], {1: 0}, 7),
        ([handed_out(1, 30, 50, 20), handed_out(2, 1, 40, 2)], {1: 0, 2: 0}, 3),
    ],
)
def test_what_the_last_file_waited_for_is_owed(before: list[Delivery], asked: dict[int, int], taken: int) -> None:
    assert owed(3, *before, asked=asked) == taken


def test_what_is_owed_is_of_the_latest_request_and_of_no_file_too_long_ago() -> None:
    long_ago = handed_out(1, 30, 50)
    assert (owed(4, long_ago, asked={1: 0}), owed(5, long_ago, asked={1: 0})) == (30, 0)
    answered = handed_out(1, 0, 50, 3)
    came = START + 50 * SECOND
    assert owed(2, answered, asked={1: 0}, latest=Latest("s", came, came + 9 * SECOND)) == 9
    assert owed(2, answered, asked={1: 0}, latest=Latest("s", came + 5 * SECOND, came + 9 * SECOND)) == 3 + 4
    assert owed(2, answered, asked={1: 0}, latest=Latest("s", came - 5 * SECOND, came)) == 3


def test_a_request_counts_earlier_but_not_before_the_opening() -> None:
    for arrival, result, counted in ((-2, 9, -2), (0, 9, 0), (5, 9, 0), (12, 9, 3), (12, 0, 12)):
        assert schedule.counted(arrival, 0, result) == counted


def test_a_session_whose_program_the_platform_has_held_up_ends_as_much_later() -> None:
    usual = SCHEDULE.closes_at({3: START + 3 * MINUTE})
    assert SCHEDULE.closes_at({3: START + 3 * MINUTE + 40 * SECOND}) == usual + 40 * SECOND
    assert SCHEDULE.closes_at({1: START + 2 * MINUTE, 3: START + 3 * MINUTE}) == usual
    assert SCHEDULE.closes_at({3: START + 30 * MINUTE}) == START + 3 * MINUTE + AFTER_LAST
