"""Schedules: when an expression is due, and timers that go by a clock that tests hold."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from local_toys import NOON_MS, seen, toy_cloud

from local.clock import Clock, ClockState, system_ms
from local.schedules import parse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from local.cloud import LocalCloud


def ms(text: str) -> int:
    return round(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


@pytest.mark.parametrize(
    ("expression", "zone", "now", "due"),
    [
        ("rate(1 minute)", "UTC", "2026-11-21T12:00:00", "2026-11-21T12:01:00"),
        ("rate(4 hours)", "UTC", "2026-11-21T12:00:00", "2026-11-21T16:00:00"),
        ("rate(2 days)", "UTC", "2026-11-21T12:00:00", "2026-11-23T12:00:00"),
        ("cron(0/15 * * * ? *)", "UTC", "2026-11-21T12:01:00", "2026-11-21T12:15:00"),
        ("cron(0 12 * * ? *)", "UTC", "2026-11-21T12:00:00", "2026-11-22T12:00:00"),
        ("cron(0 0/4 * * ? *)", "Europe/Moscow", "2026-11-21T12:00:00", "2026-11-21T13:00:00"),  # 16:00 in Moscow
        ("cron(30 9 ? * MON-FRI *)", "UTC", "2026-11-21T12:00:00", "2026-11-23T09:30:00"),  # the 21st is a Saturday
        ("cron(0 0 1 JAN,MAR ? *)", "UTC", "2026-11-21T12:00:00", "2027-01-01T00:00:00"),
        ("cron(0 0 29 2 ? *)", "UTC", "2026-11-21T12:00:00", "2028-02-29T00:00:00"),
        ("cron(0 0 1 1 ? 2028)", "UTC", "2026-11-21T12:00:00", "2028-01-01T00:00:00"),
        ("cron(0 0 31 2 ? *)", "UTC", "2026-11-21T12:00:00", None),
        ("cron(0 0 1 1 ? 2025)", "UTC", "2026-11-21T12:00:00", None),
        # Berlin skips 02:30 on 28 March 2027 and has it twice on 31 October 2027, first at 00:30 UTC.
        ("cron(30 2 28 3 ? 2027)", "Europe/Berlin", "2027-03-01T00:00:00", None),
        ("cron(30 2 31 10 ? 2027)", "Europe/Berlin", "2027-10-31T00:00:00", "2027-10-31T00:30:00"),
        ("cron(30 2 31 10 ? 2027)", "Europe/Berlin", "2027-10-31T00:30:00", None),
        ("at(2026-11-21T15:00:00)", "Europe/Moscow", "2026-11-21T11:59:59", "2026-11-21T12:00:00"),
        ("at(2026-11-21T15:00:00)", "Europe/Moscow", "2026-11-21T12:00:00", None),
    ],
)
def test_an_expression_is_due_next_at(expression: str, zone: str, now: str, due: str | None) -> None:
    assert parse(expression, zone, ms(now)).next_after(ms(now)) == (ms(due) if due else None)


@pytest.mark.parametrize(
    ("expression", "complaint"),
    [
        ("rate(0 minutes)", "must be at least 1"),
        ("rate(1 week)", "is no rate"),
        ("cron(0 12 * * *)", "6 fields, not 5"),
        ("cron(60 * * * ? *)", "field minutes"),
        ("cron(0 0 L * ? *)", "field day-of-month: 'L'"),
        ("cron(0 0 ? * MON#1 *)", "field day-of-week"),
        ("every day", "is no rate"),
    ],
)
def test_an_expression_that_is_not_understood_says_why(expression: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        parse(expression, "UTC", NOON_MS)


@pytest.fixture(scope="module")
def cloud() -> Iterator[LocalCloud]:
    with toy_cloud() as running:
        yield running


def test_advancing_fires_every_due_time_at_its_time_and_jumping_none(cloud: LocalCloud) -> None:
    cloud.clock.advance(59)
    assert seen(cloud, "tick") == {}
    cloud.clock.advance(122)
    expected = [
        {"at": "2026-11-21T12:01:00Z", "held": NOON_MS + 60_000},
        {"at": "2026-11-21T12:02:00Z", "held": NOON_MS + 120_000},
        {"at": "2026-11-21T12:03:00Z", "held": NOON_MS + 180_000},
    ]
    assert seen(cloud, "tick") == {"minutely": expected}
    cloud.clock.jump(56 * 60)
    assert cloud.clock.now_ms() == NOON_MS + 181_000 + 56 * 60_000  # 12:59:01
    assert seen(cloud, "tick") == {"minutely": expected}
    cloud.clock.advance(59)
    ticks = seen(cloud, "tick")
    assert ticks["minutely"][3:] == [{"at": "2026-11-21T13:00:00Z", "held": NOON_MS + 3_600_000}]
    assert ticks["four-hourly"] == [{"at": "2026-11-21T13:00:00Z", "held": NOON_MS + 3_600_000}]
    assert "off" not in ticks


def test_a_running_clock_fires_by_itself() -> None:
    clock = Clock(NOON_MS + 59_990)
    with toy_cloud(clock=clock) as cloud:
        clock.hold(NOON_MS + 119_980)  # the rate began with the cloud: due 10 ms from here
        clock.release()
        for _ in range(2000):  # each look is a request, so this is bounded and needs no sleep
            if seen(cloud, "tick"):
                break
        assert seen(cloud, "tick")["minutely"][0]["at"] == "2026-11-21T12:01:59Z"


def test_a_held_clock_stands_and_a_released_one_runs_on_from_there() -> None:
    clock = Clock(NOON_MS)
    assert clock.now_ms() == NOON_MS
    clock.advance(1.5)
    assert clock.now_ms() == NOON_MS + 1500
    clock.release()
    assert clock.state.held_ms is None
    assert NOON_MS + 1500 <= clock.now_ms() < NOON_MS + 60_000
    with pytest.raises(RuntimeError, match="call hold"):
        clock.advance(1)
    clock.hold()
    with pytest.raises(ValueError, match="goes forward"):
        clock.advance(-1)


def test_a_clock_that_nobody_holds_is_the_systems() -> None:
    before = system_ms()
    assert before <= Clock().now_ms() <= system_ms()


def test_listeners_hear_of_every_change() -> None:
    heard: list[ClockState] = []
    clock = Clock(5)
    clock.listen(heard.append)
    clock.jump(1)
    clock.hold(7)
    assert [state.held_ms for state in heard] == [5, 1005, 7]
