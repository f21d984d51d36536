"""Relative accuracy with missed essays as zeros: over essays that two experts marked up, and over no others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tracks.essay.track import EssayTrack
from tracks.protocol import Outcome

TRACK = EssayTrack()
TRAIN = Path(__file__).resolve().parents[3] / "local" / "demonstration" / "train"
PARAMETERS, _ = TRACK.read_parameters({})


def read(name: str) -> Any:
    return json.loads((TRAIN / name).read_text("utf-8"))


def outcome(experts: int, *, answered: bool = True) -> Outcome:
    item = read("rus-01.json")
    references = [read(f"rus-01_exp0{number}.json") for number in range(1, experts + 1)]
    facts, _ = TRACK.read_item(item, PARAMETERS)
    assert facts is not None
    score = TRACK.score(item, read("rus-01_exp01.json"), references, PARAMETERS) if answered else None
    return Outcome(facts, answered, score)


def missed_as_zero(*outcomes: Outcome) -> float:
    return float(TRACK.aggregate(outcomes, PARAMETERS, 1)["missed_as_zero"]["relative_accuracy"])


def test_an_essay_of_one_expert_counts_on_neither_side() -> None:
    whole = missed_as_zero(outcome(2))
    missed = outcome(2, answered=False)
    assert missed_as_zero(outcome(2), missed) == pytest.approx(whole / 2)
    assert missed_as_zero(outcome(2), outcome(1), missed) == pytest.approx(whole / 2)


def test_without_a_missed_essay_it_is_the_relative_accuracy_itself() -> None:
    """Of 55 such essays the ratio times 55 by 55 is another float."""
    found = TRACK.aggregate([outcome(2)] * 55, PARAMETERS, 1)
    assert found["relative_accuracy"] * 55 / 55 != found["relative_accuracy"]
    assert found["missed_as_zero"]["relative_accuracy"] == found["relative_accuracy"]
