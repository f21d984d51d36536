"""Waiting for a moment: on a clock that goes until it has come, on one that stands not at all, and never for long."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from contest.adapters.system import FileClock, SystemClock


class Time:
    """A system's time that sleeping moves, and nothing else does."""

    def __init__(self) -> None:
        self.ns = 1_000_000_000_000_000
        self.slept: list[float] = []

    def time_ns(self) -> int:
        return self.ns

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.ns += round(seconds * 1e9)


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    made = Time()
    monkeypatch.setattr("contest.adapters.system.time", made)
    return made


def file_clock(folder: Path, **said: Any) -> FileClock:
    path = folder / "clock.json"
    path.write_text(json.dumps({"held_ms": None, "offset_ms": 0, **said}), "utf-8")
    return FileClock(str(path))


@pytest.mark.parametrize("kind", ["system", "file"])
def test_a_clock_that_goes_waits_until_the_moment_and_not_a_millisecond_less(
    time: Time, tmp_path: Path, kind: str
) -> None:
    clock = SystemClock() if kind == "system" else file_clock(tmp_path, offset_ms=-5_000)
    moment = clock.now() + 1_234
    assert clock.wait_until(moment) == clock.now() == moment


@pytest.mark.parametrize("kind", ["system", "file"])
def test_what_has_come_is_not_waited_for(time: Time, tmp_path: Path, kind: str) -> None:
    clock = SystemClock() if kind == "system" else file_clock(tmp_path)
    assert clock.wait_until(clock.now()) == clock.now()
    assert time.slept == []


@pytest.mark.parametrize("kind", ["system", "file"])
def test_nobody_waits_longer_than_two_and_a_half_seconds(time: Time, tmp_path: Path, kind: str) -> None:
    clock = SystemClock() if kind == "system" else file_clock(tmp_path)
    moment = clock.now() + 60_000
    assert clock.wait_until(moment) < moment
    assert 2.5 <= sum(time.slept) < 2.7


def test_a_clock_that_stands_is_not_waited_for(time: Time, tmp_path: Path) -> None:
    clock = file_clock(tmp_path, held_ms=7_000)
    assert clock.wait_until(7_001) == clock.wait_until(7_000) == 7_000
    assert time.slept == []


def test_a_clock_that_is_stopped_meanwhile_is_waited_for_no_more(
    time: Time, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = file_clock(tmp_path)
    start = clock.now()
    sleep = time.sleep

    def stopping(seconds: float) -> None:
        sleep(seconds)
        file_clock(tmp_path, held_ms=start + 100)

    monkeypatch.setattr(time, "sleep", stopping)
    assert clock.wait_until(start + 1_000) == start + 100
    assert len(time.slept) == 1
