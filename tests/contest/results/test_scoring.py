"""When a forgotten answer is put into the queue again: after two minutes, then twice as long each time, to an hour."""

from __future__ import annotations

import pytest

from contest.results.rules.jobs import Job, OutboxEntry, due_again, unscored_for
from contest.values import HOUR, MINUTE

START = 1_790_000_000_000


@pytest.mark.parametrize(
    ("enqueued", "pause"),
    [(1, MINUTE), (2, 2 * MINUTE), (6, 32 * MINUTE), (7, HOUR), (8, HOUR), (99, HOUR)],
)
def test_an_entry_is_due_when_its_pause_is_over_and_from_then_on(enqueued: int, pause: int) -> None:
    entry = OutboxEntry(Job("1" * 15, 1, "0" * 64), START, enqueued)
    due = [due_again(entry, START + moment) for moment in (0, pause - 1, pause, pause + 1)]
    assert due == [False, False, True, True]


@pytest.mark.parametrize(("enqueued", "paused"), [(1, 0), (2, 1), (3, 3), (7, 63), (8, 123)])
def test_an_entry_has_waited_since_it_was_queued_last_and_the_pauses_before(enqueued: int, paused: int) -> None:
    entry = OutboxEntry(Job("1" * 15, 1, "0" * 64), START, enqueued)
    assert unscored_for([entry], START + 500) == paused * MINUTE + 500
