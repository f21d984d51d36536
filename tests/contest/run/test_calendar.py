"""The calendar of the technical qualification (R 6.6)."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from contest.cycle.rules.cycle import RunRules, TechnicalTimes
from contest.run.rules import run
from contest.values import HOUR, SECOND, from_iso

TIMES = TechnicalTimes()
SLOT = from_iso("2026-11-21T08:00:00.000Z")
RULES = RunRules(files=(30, 60), interval_s=(20, 60))


def test_slots_are_of_four_hours_from_midnight_utc() -> None:
    for moment, slot in ((SLOT - 1, SLOT - 4 * HOUR), (SLOT, SLOT), (SLOT + 4 * HOUR - 1, SLOT)):
        assert run.slot_of(TIMES, moment) == slot


def test_a_run_starts_ten_minutes_after_its_slot_begins_and_the_next_one_four_hours_later() -> None:
    start = SLOT + 600 * SECOND
    assert run.next_start(TIMES, start - 1) == start
    assert run.next_start(TIMES, start) == start + 4 * HOUR


def test_a_slots_run_has_one_name_of_the_right_form_and_every_slot_and_cycle_another() -> None:
    names = [run.run_name(cycle, SLOT + n * 4 * HOUR) for cycle in ("demo", "real") for n in range(20)]
    assert len(set(names)) == 40
    assert all(re.fullmatch(r"[a-z2-7]{20}", each) for each in names)
    assert run.run_name("demo", SLOT) == names[0]


@given(st.text(max_size=40), st.integers(1, 100))
def test_size_and_interval_are_within_the_bounds_and_the_set(salt: str, available: int) -> None:
    drawn = run.drawn("demo", SLOT, RULES, available, salt)
    assert drawn.files == available if available < 30 else 30 <= drawn.files <= min(60, available)
    assert 20 * SECOND <= drawn.interval <= 60 * SECOND
    assert drawn.interval % SECOND == 0


def test_bounds_are_drawn_too_and_equal_bounds_leave_no_choice() -> None:
    drawn = [run.drawn("demo", SLOT, RULES, 100, str(n)) for n in range(2000)]
    # each of 31 sizes is missing from 2000 draws with a chance of 31 · (30/31)^2000 < 10^-26
    assert {each.files for each in drawn} == set(range(30, 61))
    assert {each.interval // SECOND for each in drawn} == set(range(20, 61))
    only = RunRules(files=(31, 31), interval_s=(7, 7))
    assert run.drawn("demo", SLOT, only, 100, "x")[1:] == (31, 7 * SECOND)
