"""The four subtasks, the sum of their scores with its minima, and the prize money (tracks.md §4; F).

The sum and the minima are those of F, "Интегральная метрика" and "Призовой фонд". Numbers are rounded as the decimals
they are written as, halves up: 0.1245 is 0.125, whatever the binary fraction nearest to it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from decimal import ROUND_HALF_UP, Decimal
from enum import Enum
from types import MappingProxyType
from typing import Any, Final
from unicodedata import normalize

from markup_core.lazy import dataclass
from tracks.protocol import Json


class Subtask(Enum):
    """A subtask, spelled as in the names of its folders and files."""

    C2C = "C2C"
    HTR = "HTR"
    ZSOD = "zsOD"
    VQA = "VQA"

    @property
    def key(self) -> str:
        """The subtask's name in requests and results."""
        return self.value.lower()

    @property
    def metric(self) -> str:
        """The name of the subtask's metric."""
        return _METRICS[self]

    @property
    def most(self) -> int:
        """The highest score: CodeBLEU goes to 100, the others to 1."""
        return 100 if self is Subtask.C2C else 1


_METRICS: Final[Mapping[Subtask, str]] = {
    Subtask.C2C: "CodeBLEU",
    Subtask.HTR: "string accuracy",
    Subtask.ZSOD: "F1",
    Subtask.VQA: "accuracy",
}


@dataclass(frozen=True, slots=True)
class Apart:
    """Ids that stand on one side only: predictions for unknown ones are ignored, missing ones count as F says."""

    unknown: tuple[str, ...]
    missing: tuple[str, ...]
    unknown_classes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Of zsOD, by image: classes of an image that was asked for, which themselves were not."""

    def to_dict(self) -> dict[str, Json]:
        """Return ids and classes that were not requested; nothing of either if there are none."""
        ids = {"unknown": list(self.unknown)} if self.unknown else {}
        return ids | ({"unknown_classes": dict(self.unknown_classes)} if self.unknown_classes else {})


def sorted_apart(truth: Mapping[str, Any], prediction: Mapping[str, Any]) -> Apart:
    """Return the ids that only the prediction has, and those that only the truth has."""
    return Apart(tuple(sorted(prediction.keys() - truth.keys())), tuple(sorted(truth.keys() - prediction.keys())))


def is_other_form(one: str, other: str) -> bool:
    """Return whether two texts differ by their Unicode form alone: й as one code point or as letter and mark."""
    return one != other and normalize("NFC", one) == normalize("NFC", other)


@dataclass(frozen=True, slots=True)
class Scored:
    """A subtask's score (None: undefined), the parts it is made of, and the ids that stand on one side only."""

    subtask: Subtask
    score: float | None
    parts: Mapping[str, Json]
    apart: Apart

    def to_dict(self) -> dict[str, Json]:
        """Return the result of the subtask's operation (tracks.md §5), with ids not requested if there are any (§4)."""
        return {"score": self.score, **self.parts, **self.apart.to_dict()}


PLACES: Final = 3
"""Decimals of each contribution, and so of S (F, Si)."""
_THIRD: Final = Decimal(1).scaleb(-PLACES)
# Clause: F minima
MINIMA: Final[Mapping[Subtask, Decimal]] = {
    Subtask.C2C: Decimal("0.2"),
    Subtask.HTR: Decimal("0.6"),
    Subtask.ZSOD: Decimal("0.15"),
    Subtask.VQA: Decimal("0.35"),
}
"""Least contributions of the subtasks (F, the minimal scores)."""
LEAST_SUM: Final = Decimal("1.3")
"""Smin."""
Scores = Mapping[Subtask, float | None]
"""Scores as the subtasks give them: CodeBLEU from 0 to 100, the others from 0 to 1; None: undefined."""


def decimal(value: float) -> Decimal:
    """Convert a number to the decimal in which JSON writes it."""
    return Decimal(repr(value))


# Clause: F sum
def contribution(subtask: Subtask, score: float) -> Decimal:
    """Compute a score's contribution to S: CodeBLEU times 0.01, all rounded to three decimals, halves up (F, Si)."""
    return (decimal(score) / subtask.most).quantize(_THIRD, ROUND_HALF_UP)


# Clause: F sum
def integral(scores: Scores) -> Decimal | None:
    """Compute S, the sum of the four contributions; undefined if one of them is (F, S)."""
    sum_ = Decimal(0)
    for subtask in Subtask:
        score = scores.get(subtask)
        if score is None:
            return None
        sum_ += contribution(subtask, score)
    return sum_


# Clause: F minima
def below_minimum(scores: Scores, minima: Mapping[Subtask, Decimal] = MINIMA) -> tuple[Subtask, ...]:
    """Return the subtasks whose contribution is below its minimum or undefined; an equal one is not below."""
    return tuple(
        subtask
        for subtask in Subtask
        if (score := scores.get(subtask)) is None or contribution(subtask, score) < minima[subtask]
    )


_MILLION: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class PrizeParams:
    """Rules of the prizes: ``alpha``, ``fix`` and ``most`` of the places 1, 2, … in their order, in million roubles."""

    smin: Decimal = LEAST_SUM
    full: Decimal = Decimal("2.3")
    """S from which a place gets its MAX."""
    alpha: tuple[Decimal, ...] = (Decimal(2), Decimal(1), Decimal("0.6"))
    fix: tuple[Decimal, ...] = (Decimal(1), Decimal("0.5"), Decimal("0.2"))
    most: tuple[Decimal, ...] = (Decimal(3), Decimal("1.5"), Decimal("0.8"))
    minima: Mapping[Subtask, Decimal] = field(default_factory=lambda: MappingProxyType(MINIMA))


CONTEST: Final = PrizeParams()


# Clause: F prize
def roubles(s: Decimal, place: int, params: PrizeParams = CONTEST, scores: Scores | None = None) -> Decimal:
    """Compute the prize: 0 below Smin, MAX from ``full`` on, else FIX + α(S − Smin), never over MAX (F, the prize).

    0 also for a place without a prize and, where the ``scores`` are given, when one of them is below its minimum.
    """
    if place > len(params.fix) or s < params.smin:
        return Decimal(0)
    if scores is not None and below_minimum(scores, params.minima):
        return Decimal(0)
    number = place - 1
    most = params.most[number]
    if s >= params.full:
        return most * _MILLION
    return min(most, params.fix[number] + params.alpha[number] * (s - params.smin)) * _MILLION
