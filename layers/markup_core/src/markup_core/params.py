"""Parameters of the scoring: what a cycle may choose, checked before anything is measured (R 5.4, 5.7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final

from markup_core.paraphrase import JUDGES

METRICS: Final = ("M1", "M2", "M3", "M4", "M5", "M6", "M7")
DEFAULT_WEIGHTS: Final = (1.0, 2.0, 1.0, 1.0, 1.0, 1.0, 0.0)
"""Clause: MS §3 weights"""


class InvalidParams(ValueError):  # noqa: N818 - the name programs already know; it is an answer, not a crash
    """Parameters that cannot be used; ``faults`` lists every (field, message), the text joins them."""

    code: Final = "invalid_params"

    def __init__(self, faults: Sequence[tuple[str, str]]) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(f"{field}: {message}" for field, message in faults))


@dataclass(frozen=True, slots=True)
class ScoringParams:
    """Weights w1…w7, hardness H, whether blocks and errors are kept apart, and the paraphrase judge's name.

    Raises :class:`InvalidParams` on construction, so that an instance is always usable.
    """

    weights: tuple[float, ...] = DEFAULT_WEIGHTS
    hardness: float = 0.0
    separate_groups: bool = False
    paraphrase: str = "default"

    def __post_init__(self) -> None:
        faults = [
            *_weight_faults(self.weights),
            *_hardness_faults(self.hardness),
            *_choice_faults(self.separate_groups, self.paraphrase),
        ]
        if faults:
            raise InvalidParams(faults)
        object.__setattr__(self, "weights", tuple(float(weight) for weight in self.weights))
        object.__setattr__(self, "hardness", float(self.hardness))

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any] | None) -> ScoringParams:
        """Read the ``params`` object of a request; every field is optional, an unknown one is a fault."""
        if fields is None:
            return DEFAULT
        if not isinstance(fields, Mapping):
            raise InvalidParams([("params", f"must be an object, got {type(fields).__name__}")])
        unknown = [
            (str(name), f"unknown field; known are {', '.join(cls.__slots__)}")
            for name in fields
            if name not in cls.__slots__
        ]
        if unknown:
            raise InvalidParams(unknown)
        return cls(**fields) if fields else DEFAULT

    def to_dict(self) -> dict[str, Any]:
        """The ``params`` object in full, as records and fingerprints hold it."""
        return {
            "weights": list(self.weights),
            "hardness": self.hardness,
            "separate_groups": self.separate_groups,
            "paraphrase": self.paraphrase,
        }


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    try:
        return isfinite(value)
    except OverflowError:
        return False


def _weight_faults(weights: object) -> list[tuple[str, str]]:
    """Clause: MS §3 weights"""
    if not isinstance(weights, (list, tuple)):
        return [("weights", f"must be a list of {len(METRICS)} numbers, got {type(weights).__name__}")]
    if len(weights) != len(METRICS):
        return [("weights", f"must hold {len(METRICS)} numbers, one for each of M1…M7; got {len(weights)}")]
    faults = [
        (f"weights[{number}]", f"the weight of {METRICS[number]} must be a finite number ≥ 0, got {weight!r}")
        for number, weight in enumerate(weights)
        if not _is_number(weight) or weight < 0
    ]
    if not faults and not any(weights):
        faults.append(("weights", "at least one weight must be above 0"))
    return faults


def _hardness_faults(hardness: object) -> list[tuple[str, str]]:
    """Clause: R 5.6"""
    if not _is_number(hardness) or not 0 <= hardness <= 1:  # type: ignore[operator]  # a number by now
        return [("hardness", f"must be a number from 0 to 1, got {hardness!r}")]
    return []


def _choice_faults(separate_groups: object, paraphrase: object) -> list[tuple[str, str]]:
    faults = []
    if not isinstance(separate_groups, bool):
        faults.append(("separate_groups", f"must be true or false, got {separate_groups!r}"))
    if not isinstance(paraphrase, str) or paraphrase not in JUDGES:
        faults.append(("paraphrase", f"unknown judge {paraphrase!r}; known are {', '.join(sorted(JUDGES))}"))
    return faults


DEFAULT: Final = ScoringParams()
