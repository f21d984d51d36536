"""Terms in working and calendar days."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.cycle.rules.stages import Calendar, WorkingDays
from contest.values import DAY, HOUR

ZONE = "Europe/Moscow"
MAY = WorkingDays(holidays=("2027-05-03", "2027-05-10"), working=("2027-05-08",))
"""Monday the 3rd and the 10th are free, Saturday the 8th is worked on."""
CALENDAR = Calendar(ZONE, MAY)


def at(day: str, hour: int = 12, minute: int = 0) -> int:
    made = datetime.fromisoformat(f"{day}T{hour:02d}:{minute:02d}:00").replace(tzinfo=ZoneInfo(ZONE))
    return round(made.timestamp() * 1000)


def test_holidays_weekends_and_working_weekends() -> None:
    days = [datetime.fromisoformat(f"2027-05-{n:02d}").date() for n in range(1, 12)]
    assert [each.day for each in days if MAY.is_working(each)] == [4, 5, 6, 7, 8, 11]


@pytest.mark.clause("TS T17", "D 8.8", "R 7.11")
def test_terms_count_whole_days_of_the_zone_before_and_after() -> None:
    for result, earliest in (
        (at("2027-04-30", 23, 59), "2027-05-09"),  # Friday: 4, 5, 6, 7, 8 lie between
        (at("2027-05-01", 0, 0), "2027-05-09"),
        (at("2027-05-04", 0, 0), "2027-05-12"),  # 5, 6, 7, 8, 11
        (at("2027-05-04", 23, 59), "2027-05-12"),
        (at("2027-05-05", 0, 0), "2027-05-13"),
    ):
        assert CALENDAR.earliest(result, 5, working=True) == at(earliest, 0)
    assert CALENDAR.latest(at("2027-05-12", 9), 5, working=True) == at("2027-05-05", 0) - 1
    assert CALENDAR.latest(at("2027-05-12", 9), 10, working=False) == at("2027-05-02", 9)
    assert CALENDAR.due(at("2027-05-04", 9), 5, working=True) == at("2027-05-12", 0)
    assert CALENDAR.due(at("2027-05-01", 9), 1, working=True) == at("2027-05-05", 0)
    assert CALENDAR.due(at("2027-05-04", 9), 5, working=False) == at("2027-05-09", 9) + 1
    berlin = Calendar("Europe/Berlin")
    assert berlin.ends("2027-03-28") - berlin.begins("2027-03-28") == 23 * HOUR


MOMENTS = st.integers(min_value=at("2027-01-01"), max_value=at("2027-12-31"))


@pytest.mark.clause("TS T17")
@given(MOMENTS, st.integers(0, 40 * DAY), st.integers(1, 15), st.booleans())
def test_earliest_and_latest_are_two_sides_of_one_rule(told: int, later: int, days: int, working: bool) -> None:
    event = told + later
    in_time = event >= CALENDAR.earliest(told, days, working=working)
    assert in_time == (told <= CALENDAR.latest(event, days, working=working))


@given(MOMENTS, st.integers(1, 15))
def test_so_many_working_days_lie_between(told: int, days: int) -> None:
    first = datetime.fromtimestamp(told / 1000, ZoneInfo(ZONE)).date()
    last = datetime.fromtimestamp(CALENDAR.earliest(told, days, working=True) / 1000, ZoneInfo(ZONE)).date()
    between = [first + timedelta(days=n) for n in range(1, (last - first).days)]
    assert sum(MAY.is_working(each) for each in between) == days
    assert MAY.is_working(between[-1])
