"""Parameters of the scoring: a cycle's choices, checked before anything is measured (R 5.4, 5.7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final

from markup_core.comparable import JUDGES
from markup_core.texts import at, first_of, tr

METRICS: Final = ("M1", "M2", "M3", "M4", "M5", "M6", "M7")
ACCURACIES: Final = {"STAR": "algorithm_accuracy", "STER": "expert_accuracy", "OTAR": "relative_accuracy"}
"""Each accuracy by its abbreviation in the regulation, with its field in the results."""
# Clause: MS §3 weights
DEFAULT_WEIGHTS: Final = (1.0, 2.0, 1.0, 1.0, 1.0, 1.0, 0.0)


class InvalidParams(ValueError):  # noqa: N818 - the name programs already know; it is an answer, not a crash
    """Parameters that cannot be used; ``faults`` lists every (field, message), the text joins them.

    Messages are in both languages (:class:`markup_core.texts.Text`).
    """

    code: Final = "invalid_params"

    def __init__(self, faults: Sequence[tuple[str, str]]) -> None:
        self.faults = tuple(faults)
        self.message = first_of([at(field, message) for field, message in faults], len(faults))
        super().__init__(self.message)


@dataclass(frozen=True, slots=True)
class ScoringParams:
    """Weights w1…w7, hardness H, whether blocks and errors are kept apart, and the paraphrase judge's name.

    Raises :class:`InvalidParams` on construction, so that an instance is always usable.
    """

    weights: tuple[float, ...] = DEFAULT_WEIGHTS
    hardness: float = 0.0
    separate_groups: bool = False
    paraphrase: str = "default"

    # Clause: R 5.6
    def __post_init__(self) -> None:
        faults = [*_weight_faults(self.weights)]
        if not _is_number(self.hardness) or not 0 <= self.hardness <= 1:
            faults.append(("hardness", tr("must be a number from 0 to 1, got {hardness!r}", hardness=self.hardness)))
        faults += _choice_faults(self.separate_groups, self.paraphrase)
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
            kind = type(fields).__name__
            raise InvalidParams([("params", tr("must be an object, got {kind}", kind=kind))])
        names = ", ".join(cls.__slots__)
        message = tr("unknown field; known are {names}", names=names)
        unknown = [(str(name), message) for name in fields if name not in cls.__slots__]
        if unknown:
            raise InvalidParams(unknown)
        return cls(**fields) if fields else DEFAULT

    def to_dict(self) -> dict[str, Any]:
        """Return the ``params`` object in full, as records and fingerprints hold it."""
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


# Clause: MS §3 weights
def _weight_faults(weights: object) -> list[tuple[str, str]]:
    if not isinstance(weights, (list, tuple)):
        kind = type(weights).__name__
        return [("weights", tr("must be a list of {metrics} numbers, got {kind}", metrics=len(METRICS), kind=kind))]
    if len(weights) != len(METRICS):
        message = tr(
            "must hold {metrics} numbers, one for each of M1…M7; got {weights}",
            metrics=len(METRICS),
            weights=len(weights),
        )
        return [("weights", message)]
    faults: list[tuple[str, str]] = []
    for number, weight in enumerate(weights):
        if not _is_number(weight) or weight < 0:
            message = tr(
                "the weight of {metrics} must be a finite number ≥ 0, got {weight!r}",
                metrics=METRICS[number],
                weight=weight,
            )
            faults.append((f"weights[{number}]", message))
    if not faults and not any(weights):
        faults.append(("weights", tr("at least one weight must be above 0")))
    return faults


def _choice_faults(separate_groups: object, paraphrase: object) -> list[tuple[str, str]]:
    faults: list[tuple[str, str]] = []
    if not isinstance(separate_groups, bool):
        message = tr("must be true or false, got {separate_groups!r}", separate_groups=separate_groups)
        faults.append(("separate_groups", message))
    if not isinstance(paraphrase, str) or paraphrase not in JUDGES:
        judges = ", ".join(sorted(JUDGES))
        message = tr("unknown judge {paraphrase!r}; known are {judges}", paraphrase=paraphrase, judges=judges)
        faults.append(("paraphrase", message))
    return faults


DEFAULT: Final = ScoringParams()
