"""From judged epicrises to matrices, bounds, generalised quality and the barrier (D-App1а, D-App1б, D-App1в)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from tracks.diagnosis.answers import COMORBIDITY, COMPLICATION, codes_of
from tracks.diagnosis.cells import Cell
from tracks.diagnosis.measures import (
    Matrix,
    Z,
    exact_sum,
    generalised_quality,
    geometric_mean,
    lower_bound,
    sensitivity,
    share,
    specificity,
)
from tracks.diagnosis.nosologies import NAMES, THRESHOLDS, Thresholds

_EMPTY: Final = Matrix()


class Named(NamedTuple):
    """Of how many diseases in the reference how many were named."""

    found: int
    of: int


_NONE_NAMED: Final = Named(0, 0)


@dataclass(frozen=True, slots=True)
class Judged:
    """One epicrisis after its answers: the nosology whose data set it belongs to, its cell, its cost and the rest.

    ``time_s`` is the time to the final diagnosis in the final's stage 1, None elsewhere and without a diagnosis.
    """

    nosology: str
    cell: Cell
    cost: float
    complications: Named = _NONE_NAMED
    comorbidities: Named = _NONE_NAMED
    time_s: float | None = None


@dataclass(frozen=True, slots=True)
class Tally:
    """What a nosology's epicrises add up to."""

    matrix: Matrix = _EMPTY
    cost: float = 0.0


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Shares of one nosology, their lower bounds, and whether both exceed the thresholds (D-App1а, formula 9)."""

    tally: Tally
    se: float | None
    sp: float | None
    se_lower: float | None
    sp_lower: float | None
    passed: bool

    def to_dict(self) -> dict[str, Any]:
        """As ``diagnosis.session`` gives it (tracks.md §5): unrounded, undefined is None."""
        matrix = self.tally.matrix
        return {
            **{name: getattr(matrix, name) for name in ("tp", "fn", "fp", "tn")},
            **{name: getattr(self, name) for name in ("se", "sp", "se_lower", "sp_lower")},
            "cost": self.tally.cost,
            "passed": self.passed,
        }


@dataclass(frozen=True, slots=True)
class Result:
    """A session: the nosologies that occur, in the contest's order; Sk and the barrier over all six.

    ``sk`` is None while one of the six is missing or lacks ill or healthy patients, and then there is no barrier.
    """

    nosologies: Mapping[str, Accuracy] = field(default_factory=dict)
    sk: float | None = None
    barrier: bool = False

    def to_dict(self) -> dict[str, Any]:
        """As ``diagnosis.session`` gives it (tracks.md §5)."""
        nosologies = {name: each.to_dict() for name, each in self.nosologies.items()}
        return {"nosologies": nosologies, "sk": self.sk, "barrier": self.barrier}


def tallies(judged: Iterable[Judged]) -> dict[str, Tally]:
    """Matrices and costs per nosology (D-App1б, formulas 12 and 13); the order of epicrises does not matter."""
    groups: defaultdict[str, list[Judged]] = defaultdict(list)
    for each in judged:
        groups[each.nosology].append(each)
    return {name: _tally(groups[name]) for name in NAMES if name in groups}


def _tally(judged: Sequence[Judged]) -> Tally:
    cells = [each.cell for each in judged]
    matrix = Matrix(**{cell.value: cells.count(cell) for cell in Cell})
    return Tally(matrix, exact_sum(each.cost for each in judged))


def merge(semifinal: Mapping[str, Tally], stage_1: Mapping[str, Tally]) -> dict[str, Tally]:
    """The final's matrices and costs: those of the semifinal and of stage 1 together (D-App1в, formula 16)."""
    merged = {}
    for name in (name for name in NAMES if name in semifinal or name in stage_1):
        one, other = semifinal.get(name, Tally()), stage_1.get(name, Tally())
        merged[name] = Tally(one.matrix + other.matrix, exact_sum((one.cost, other.cost)))
    return merged


def assess(counted: Mapping[str, Tally], z: float = Z, thresholds: Mapping[str, Thresholds] = THRESHOLDS) -> Result:
    """Shares, bounds, Sk and the barrier of these tallies (D 5.4, D-App1а, D-App1б)."""
    found = {name: accuracy(counted[name], thresholds[name], z) for name in NAMES if name in counted}
    whole = len(found) == len(NAMES)
    sk = generalised_quality(each.tally.matrix for each in found.values()) if whole else None
    return Result(found, sk, whole and all(each.passed for each in found.values()))


def accuracy(tally: Tally, thresholds: Thresholds, z: float = Z) -> Accuracy:
    """One nosology's shares and bounds; passed when both bounds are strictly above the thresholds (formula 9)."""
    matrix = tally.matrix
    se_lower = lower_bound(matrix.tp, matrix.ill, z)
    sp_lower = lower_bound(matrix.tn, matrix.healthy, z)
    passed = se_lower is not None and se_lower > thresholds.se and sp_lower is not None and sp_lower > thresholds.sp
    return Accuracy(tally, sensitivity(matrix), specificity(matrix), se_lower, sp_lower, passed)


def passed_qualities(result: Result) -> dict[str, float]:
    """Sk of every nosology over its barrier, for the partial barrier (D-App1в)."""
    qualities = {
        name: generalised_quality([each.tally.matrix]) for name, each in result.nosologies.items() if each.passed
    }
    return {name: sk for name, sk in qualities.items() if sk is not None}


def named(answer: Sequence[Mapping[str, str]] | None, decor: str, reference: Iterable[str]) -> Named:
    """How many of a reference's complications or comorbidities an answer names, by base parts.

    The regulation leaves the counting to the technical commission (D-App1б 5, 6); sensitivity alone counts, so a
    disease that the reference does not name costs nothing.
    """
    wanted = frozenset(reference)
    return Named(0 if answer is None else len(wanted & codes_of(answer, decor)), len(wanted))


def board_values(result: Result, judged: Sequence[Judged]) -> dict[str, float | None]:
    """What a board compares (D-App1в): Sk, both bounds, cost, both secondary sensitivities, mean time.

    A team has one bound of each kind on the board, yet six nosologies: it is their geometric mean, as in Sk. Both are
    None unless all six occur.
    """
    lower = {name: geometric_mean(getattr(each, name) for each in result.nosologies.values()) for name in _BOUNDS}
    whole = len(result.nosologies) == len(NAMES)
    times = [each.time_s for each in judged if each.time_s is not None]
    return {
        "sk": result.sk,
        **{name: lower[name] if whole else None for name in _BOUNDS},
        "cost": exact_sum(each.tally.cost for each in result.nosologies.values()),
        "se_complications": _share_named([each.complications for each in judged]),
        "se_comorbidities": _share_named([each.comorbidities for each in judged]),
        "mean_time_s": exact_sum(times) / len(times) if times else None,
    }


_BOUNDS: Final = ("se_lower", "sp_lower")
SECONDARY: Final = {"complications": COMPLICATION, "comorbidities": COMORBIDITY}
"""Secondary diagnoses: the reference's list and the answer's decor code."""


def _share_named(counts: Sequence[Named]) -> float | None:
    return share(sum(each.found for each in counts), sum(each.of for each in counts))
