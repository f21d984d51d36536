"""Bound the modules that a request enters and its calls from one into another, in a warm process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from contest.values import SECOND
from markup_core.lazy import generate_all
from tests.crossings import traced
from tests.run_stage import RunOnStage
from tests.stage import Answered, staged
from tools import house


@pytest.mark.slow
def test_no_request_takes_a_longer_way_than_its_figures(tmp_path: Path) -> None:
    """The first team's requests warm the processes; the last of three files is measured of the second team's."""
    ways: dict[str, float] = {}

    def trace(request: str, ask: Callable[..., Any], *order: Any) -> None:
        with traced() as way:
            answered = ask(*order)
        assert not isinstance(answered, Answered) or answered.status == 200, answered.text
        ways[f"{request}_modules"], ways[f"{request}_crossings"] = len(way.modules), way.crossings

    generate_all()  # what a class's first use makes is no request's way
    with staged(tmp_path) as stage:
        run = RunOnStage(stage, 3, "red", "blue")
        red, blue = run.programs["red"], run.programs["blue"]
        for number in (1, 2, 3):
            opening = run.schedule.opens_at(number)
            run.at(opening - 30 * SECOND)
            trace("minute", stage.tick)
            trace("next", blue.get, "next")
            run.at(opening)
            red.get(f"files/{number}")
            stage.advance(3)
            trace("file", blue.get, f"files/{number}")
            stage.advance(7)
            red.answer(number, {"letters": "abcd"})
            trace("answer", blue.answer, number, {"letters": "abcd"})
            stage.advance(3)
            trace("status", blue.get)
    print(ways)
    assert house.faults(ways) == []


def test_a_call_from_one_of_our_modules_into_another_is_a_crossing_whatever_lies_between() -> None:
    inner: dict[str, Any] = {"__name__": "contest.inner"}
    exec("def ask(kept=3): return own() + (lambda: kept)()\ndef own(): return 1", inner)  # noqa: S102
    library: dict[str, Any] = {"__name__": "library", "ask": inner["ask"]}
    exec("def call(): return ask() + ask()", library)  # noqa: S102
    outer: dict[str, Any] = {"__name__": "submit.outer", "call": library["call"]}
    exec("def handle(): return call() + sum(number for number in range(3))", outer)  # noqa: S102
    with traced() as way:
        assert outer["handle"]() + library["call"]() == 19
    assert (way.modules, way.crossings) == ({"submit.outer", "contest.inner"}, 2)
