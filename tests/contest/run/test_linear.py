"""Work that grows with a run's files grows no faster than they do: lines are counted, not seconds."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from types import FrameType
from typing import Any, Final

import pytest

from contest import reading
from contest.run import under_way
from contest.run.rules.run import Kind
from contest.run.rules.schedule import Schedule
from contest.values import MINUTE
from tests.contest.run.played_runs import planned
from tests.contest.run.test_schedule import amended
from tests.samples import RUN, RUN_STARTS

FEW: Final = 40
TOO_MUCH: Final = 2.5
"""Lines for twice the files, as a multiple: two where work is linear, four where it is quadratic."""


TOGETHER: Final = ((Kind.PAUSE, 0), (Kind.RESUME, 1_000))


def lines_of(deed: Callable[[], object]) -> int:
    """Count the lines of ``contest`` that a deed executes, each turn of a loop separately."""
    counted = 0

    def line(_frame: FrameType, event: str, _arg: Any) -> Any:
        nonlocal counted
        counted += event == "line"
        return line

    def call(frame: FrameType, _event: str, _arg: Any) -> Any:
        return line if "contest" in frame.f_code.co_filename else None

    before = sys.gettrace()
    sys.settrace(call)
    try:
        deed()
    finally:
        sys.settrace(before)
    return counted


def grows(deed: Callable[[int], Callable[[], object]]) -> float:
    """Return the factor by which the executed lines grow when the files double."""
    return lines_of(deed(2 * FEW)) / lines_of(deed(FEW))


def test_reading_and_arming_every_file_of_a_run_is_linear_in_its_files() -> None:
    def deed(files: int) -> Callable[[], object]:
        run = planned(files)
        session = run.session("red")
        return lambda: [reading.planned_file(run.platform, session, number) for number in range(1, files + 1)]

    assert grows(deed) < TOO_MUCH

    def deed(files: int) -> Callable[[], object]:
        run = planned(files)
        run.at(run.schedule.ends_at)
        return lambda: under_way.arm_coming(run.platform, run.schedule, run.platform.clock.now())

    assert grows(deed) < TOO_MUCH


@pytest.mark.parametrize("decisions", [0, 8])
def test_folding_a_schedule_is_linear_in_the_files(decisions: int) -> None:
    paused = amended(
        *((kind, RUN_STARTS + turn * MINUTE + at, {}) for turn in range(decisions) for kind, at in TOGETHER)
    )

    def deed(files: int) -> Callable[[], object]:
        run = replace(paused, files=files)
        return lambda: Schedule.of(run)

    assert grows(deed) < TOO_MUCH


def test_a_schedule_that_is_folded_reads_no_decision_again() -> None:
    read: list[str] = []

    class Details(dict[str, Any]):
        def __getitem__(self, name: str) -> Any:
            read.append(name)
            return super().__getitem__(name)

    run = amended(
        (Kind.VOID, RUN_STARTS, Details(numbers=[1])), (Kind.REPLACE, RUN_STARTS, Details(numbers=[2], slot=9))
    )
    schedule = Schedule.of(run)
    assert read
    read.clear()
    for number in range(1, schedule.total_files + 1):
        schedule.window(number)
        schedule.is_open(number, RUN_STARTS)
    assert (schedule.windows[3].opens_at, dict(schedule.voided_for_all)) == (
        RUN_STARTS + 9 * RUN.interval,
        {1: 1, 2: 2},
    )
    assert read == []
