"""The platform's own latency: injected on a driven clock, and what the checker asks of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from local.clock import Clock
from local.rehearsal.harm.crashes import Crashes
from local.rehearsal.harm.hook import STALL, Hook
from local.rehearsal.harm.stalling import Stalls
from local.rehearsal.history import QUALIFYING
from local.rehearsal.moments import to_text
from local.rehearsal.play.latency import _LIMITS
from tests.local.rehearsal.spoiling import faults_of
from tests.local.rehearsal.story import START, Pen

Json = Any
CHECK = "latency_given_back"
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
    with stalls.at("write:ASKED", "dispatch.api", 8_000):
        assert hook._taken(["write:FILE"]) is None
        assert hook._taken(["write:ASKED"]) == STALL
        hook._wait()
        assert clock.now_ms() == START + 8_000
    assert told == [("stalled", {"point": "write:ASKED", "millis": 8_000})]
    assert not crashes.stalls()


def test_where_nobody_comes_to_the_write_nothing_waits_and_nothing_is_left(crashes: Crashes, tmp_path: Path) -> None:
    clock, told = Clock(START), list[str]()
    with Stalls(crashes, clock, lambda what, **_: told.append(what)).at("write:ASKED", "dispatch.api", 8_000):
        pass
    assert (clock.now_ms(), told) == (START, [])
    assert Hook(tmp_path / "copy", "dispatch.api")._taken(["write:ASKED"]) is None


def call(pen: Pen, what: str, number: int, sent: int, done: int, said: Json, *, stalled: int = 0) -> None:
    """A request of the team that the platform was slow for."""
    n = 1 + max(line["n"] for line in pen.lines if line["kind"] == "request")
    opening = START if number == 1 else NEXT
    means = {"status": [200], "says": {}, "opens_at": opening, "stalled": stalled, "limits": _LIMITS}
    name = f"{QUALIFYING}latency_{what}"
    at = {"n": n, "team": "slowed", "what": name, "number": number, "path": "/v1/x", "means": means}
    pen.lines += [
        {"kind": "request", "at": sent, **at},
        {"kind": "response", "n": n, "at": done, "status": 200, "said": said},
    ]


def file(handed: int, due: int) -> Json:
    return {"handed_out_at": to_text(handed), "answer_by": to_text(due)}


@pytest.fixture
def slowed(pen: Pen) -> Pen:
    """A hand-out that took eight seconds, a receipt that took twenty, the next file asked for eleven seconds late."""
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
