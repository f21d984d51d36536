"""The platform's own latency: injected on a driven clock and on one that runs, and what the checker asks of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from local.clock import Clock
from local.rehearsal.harm.crashes import Crashes, Stalls
from local.rehearsal.harm.hook import STALL, Hook
from local.rehearsal.history import QUALIFYING
from local.rehearsal.moments import to_text
from local.rehearsal.play.latency import _DRIVEN
from tests.local.rehearsal.spoiling import faults_of
from tests.local.rehearsal.story import START, Pen

Json = Any
CHECK, HELD = "latency_given_back", "held_in_real_time"
NEXT = START + 30_000
LINES = 3


@pytest.fixture
def crashes(tmp_path: Path) -> Crashes:
    (tmp_path / "functions").mkdir()
    return Crashes(tmp_path / "functions", tmp_path / "copy")


def test_a_process_waits_at_its_write_until_the_clock_has_been_moved(crashes: Crashes, tmp_path: Path) -> None:
    clock, told = Clock(START), list[tuple[str, Json]]()
    stalls = Stalls(crashes, clock, lambda what, **where: told.append((what, where)))
    hook = Hook(tmp_path / "copy", "dispatch.api")
    with stalls.at("write:SEEN", "dispatch.api", 8_000):
        assert hook._taken(["write:FILE"]) is None
        assert hook._taken(["write:SEEN"]) == STALL
        hook._wait()
        assert clock.now_ms() == START + 8_000
    assert told == [("stalled", {"point": "write:SEEN", "millis": 8_000})]
    assert not crashes.stalls()


def test_on_a_clock_that_runs_a_process_waits_as_long(crashes: Crashes, tmp_path: Path) -> None:
    clock, told = Clock(), list[str]()
    hook = Hook(tmp_path / "copy", "dispatch.api")
    with Stalls(crashes, clock, lambda what, **_: told.append(what)).at("write:SEEN", "dispatch.api", 20):
        before = clock.now_ms()
        assert hook._taken(["write:SEEN"]) == STALL
        hook._wait()
        assert clock.now_ms() >= before + 20
    assert told == ["stalled"]


def test_where_nobody_comes_to_the_write_nothing_waits_and_nothing_is_left(crashes: Crashes, tmp_path: Path) -> None:
    clock, told = Clock(START), list[str]()
    with Stalls(crashes, clock, lambda what, **_: told.append(what)).at("write:SEEN", "dispatch.api", 8_000):
        pass
    assert (clock.now_ms(), told) == (START, [])
    assert Hook(tmp_path / "copy", "dispatch.api")._taken(["write:SEEN"]) is None


def asked(pen: Pen, what: str, number: int, times: tuple[int, int], said: Json, means: Json, status: int = 200) -> None:
    """Write a request, sent and answered at these times, that had to be answered so."""
    n = 1 + max(line["n"] for line in pen.lines if line["kind"] == "request")
    meant = {"status": [status], "says": {}, "stalled": 0, **means}
    at = {"n": n, "team": "slowed", "what": f"{QUALIFYING}{what}", "number": number, "path": "/v1/x", "means": meant}
    pen.lines += [
        {"kind": "request", "at": times[0], **at},
        {"kind": "response", "n": n, "at": times[1], "status": status, "said": said},
    ]


def call(pen: Pen, what: str, number: int, sent: int, done: int, said: Json, *, stalled: int = 0) -> None:
    """Write a request of the team that the platform was slow for."""
    means = {"opens_at": START if number == 1 else NEXT, "stalled": stalled, "limits": _DRIVEN.limits}
    asked(pen, f"latency_{what}", number, (sent, done), said, means)


def file(handed: int, due: int) -> Json:
    return {"handed_out_at": to_text(handed), "answer_by": to_text(due)}


@pytest.fixture
def slowed(pen: Pen) -> Pen:
    """Write a hand-out of eight seconds, a receipt of twenty, and a request for the next file eleven seconds late."""
    call(pen, "file", 1, START, START + 8_000, file(START + 8_000, START + 23_000), stalled=8_000)
    call(pen, "answer", 1, START + 21_000, START + 41_000, {}, stalled=20_000)
    call(pen, "file", 2, NEXT + 11_000, NEXT + 11_000, file(NEXT + 11_000, NEXT + 26_000))
    return pen


def test_what_the_platform_took_is_given_back(slowed: Pen) -> None:
    slowed.find("header").update(faults=[])
    assert faults_of(slowed, CHECK) == []


@pytest.mark.parametrize(
    ("place", "change", "said"),
    [
        (0, lambda told: told["said"].update(answer_by=to_text(START + 20_000)), "the answer is due at"),
        (0, lambda told: told["said"].update(handed_out_at=to_text(START + 7_999)), "is told as handed out at"),
        (0, lambda told: told.update(at=START + 7_999), "took 7999 ms, 8000 ms were injected"),
        (1, lambda told: told.update(at=START + 40_999), "took 19999 ms, 20000 ms were injected"),
        (2, lambda told: told["said"].update(answer_by=to_text(NEXT + 20_000)), "the answer is due at"),
        (2, lambda told: told.update(status=410, code="file_missed"), "is answered 410 (file_missed)"),
    ],
)
def test_what_is_not_given_back_is_found(slowed: Pen, place: int, change: Callable[[Json], Any], said: str) -> None:
    change([line for line in slowed.lines if line["kind"] == "response"][-LINES:][place])
    found = faults_of(slowed, CHECK)
    assert any(said in each for each in found), found


@pytest.fixture
def held(pen: Pen) -> Pen:
    """While the clock runs: too early, held, a hand-out that took a second and a half, an answer after the last moment
    that there is without latency."""
    limits = {"request_s": 1, "answer_s": 4, "total_s": 3}
    means = {"opens_at": START, "limits": limits}
    pen.find("header").update(faults=[])
    asked(pen, "real_file", 1, (START - 3_000, START - 2_950), {}, means, 425)
    asked(pen, "real_file", 1, (START - 1_500, START + 10), file(START + 5, START + 3_005), means)
    slow = {**means, "stalled": 1_500}
    asked(pen, "real_file", 1, (START + 250, START + 1_800), file(START + 1_790, START + 4_520), slow)
    asked(pen, "real_answer", 1, (START + 3_400, START + 5_500), {}, {**slow, "answer_by": START + 4_520})
    return pen


def test_who_is_held_and_what_is_given_back_in_real_time_is_right(held: Pen) -> None:
    assert faults_of(held, HELD) == []


@pytest.mark.parametrize(
    ("place", "change", "said"),
    [
        (0, lambda told: told.update(at=START), "is told at the opening to come again"),
        (0, lambda told: told.update(status=200, said=file(START, START)), "is answered 200"),
        (1, lambda told: told.update(status=425, code="not_open_yet"), "is answered 425 (not_open_yet)"),
        (1, lambda told: told["said"].update(handed_out_at=to_text(START - 1)), "is told as handed out at"),
        (1, lambda told: told["said"].update(answer_by=to_text(START + 4_005)), "by the rules between"),
        (2, lambda told: told["said"].update(answer_by=to_text(START + 4_499)), "by the rules between"),
        (2, lambda told: told["said"].update(handed_out_at=to_text(START + 1_749)), "is told as handed out at"),
    ],
)
def test_what_is_otherwise_in_real_time_is_found(
    held: Pen, place: int, change: Callable[[Json], Any], said: str
) -> None:
    change([line for line in held.lines if line["kind"] == "response"][-4:][place])
    found = faults_of(held, HELD)
    assert any(said in each for each in found), found


def test_an_answer_that_needed_no_latency_proves_nothing(held: Pen) -> None:
    held.lines[-2]["at"] = START + 3_000
    assert any("before the last moment without latency" in each for each in faults_of(held, HELD))
