"""From judged epicrises to matrices, bounds, generalised quality and the barrier (D-App1а, D-App1б, D-App1в)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any, Final

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
from tracks.diagnosis.parameters import DiagnosisParameters
from tracks.diagnosis.score import Judged, Named, judged_of
from tracks.diagnosis.stages import BY_SET, VERSIONS
from tracks.protocol import Json, Outcome

_EMPTY: Final = Matrix()


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
    thresholds: Thresholds

    def to_dict(self) -> dict[str, Any]:
        """As ``diagnosis.session`` gives it (tracks.md §5): unrounded, undefined is None."""
        matrix = self.tally.matrix
        return {
            **{name: getattr(matrix, name) for name in ("tp", "fn", "fp", "tn")},
            **{name: getattr(self, name) for name in ("se", "sp", "se_lower", "sp_lower")},
            "cost": self.tally.cost,
            "passed": self.passed,
            "se_barrier": self.thresholds.se,
            "sp_barrier": self.thresholds.sp,
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


def aggregate(outcomes: Sequence[Outcome], rules: DiagnosisParameters) -> dict[str, Json]:
    """Result of a session; missed epicrises are scored as wrong, those without a score were voided (D 8.11, 8.12).

    In a cycle with sets of several stages the records say which one it is. In the selection stage ``passed`` says that
    every epicrisis was right; the organizers approve it (D 7.14).
    """
    records = [outcome.score for outcome in outcomes if outcome.score is not None]
    stage = rules.stage if rules.stage != BY_SET else _stage_of({record["stage"] for record in records})
    counts = {
        "stage": stage,
        "files": len(outcomes),
        "answered": sum(outcome.answered for outcome in outcomes),
        "voided": len(outcomes) - len(records),
    }
    if stage == "selection":
        right = sum(record["right"] for record in records)
        return {**counts, "right": right, "passed": 0 < right == len(records)}
    return {**counts, **_counted([judged_of(record) for record in records if "cell" in record], rules)}


def _stage_of(stages: AbstractSet[str]) -> str | None:
    """The stage of records: theirs, the final where the semifinal's count with it, None without any.

    Clause: TS D-0, D-App1в (16)
    """
    return next((stage for stage in reversed(list(VERSIONS)) if stage in stages), None)


def _counted(judged: Sequence[Judged], rules: DiagnosisParameters) -> dict[str, Json]:
    result = assess(tallies(judged), rules.z, rules.thresholds)
    return {
        **result.to_dict(),
        "passed_qualities": passed_qualities(result, judged),
        "board": board_values(result, judged),
    }


def tallies(judged: Iterable[Judged]) -> dict[str, Tally]:
    """Matrices and costs per nosology (D-App1б, formulas 12 and 13); the order of epicrises does not matter.

    The final's are those of the semifinal's epicrises and of stage 1's, counted together (D-App1в, formula 16).

    Clause: D-App1в (16), D 1.4, D 9.12
    """
    groups: defaultdict[str, list[Judged]] = defaultdict(list)
    for each in judged:
        groups[each.nosology].append(each)
    return {name: _tally(groups[name]) for name in NAMES if name in groups}


def _tally(judged: Sequence[Judged]) -> Tally:
    """Clause: D-App1а (1), D-App1а (11), D-App1б (12), D-App1б (13)"""
    cells = [each.cell for each in judged]
    matrix = Matrix(**{cell.value: cells.count(cell) for cell in Cell})
    return Tally(matrix, exact_sum(each.cost for each in judged))


def assess(counted: Mapping[str, Tally], z: float = Z, thresholds: Mapping[str, Thresholds] = THRESHOLDS) -> Result:
    """Shares, bounds, Sk and the barrier of these tallies (D 5.4, D-App1а, D-App1б).

    Clause: D 5.4, D-App1а (9)
    """
    found = {name: accuracy(counted[name], thresholds[name], z) for name in NAMES if name in counted}
    whole = len(found) == len(NAMES)
    sk = generalised_quality(each.tally.matrix for each in found.values()) if whole else None
    return Result(found, sk, whole and all(each.passed for each in found.values()))


def accuracy(tally: Tally, thresholds: Thresholds, z: float = Z) -> Accuracy:
    """One nosology's shares and bounds; passed when both bounds are strictly above the thresholds (formula 9).

    Clause: D-App1а (5), D-App1а (9), D 5.4
    """
    matrix = tally.matrix
    se_lower = lower_bound(matrix.tp, matrix.ill, z)
    sp_lower = lower_bound(matrix.tn, matrix.healthy, z)
    passed = se_lower is not None and se_lower > thresholds.se and sp_lower is not None and sp_lower > thresholds.sp
    return Accuracy(tally, sensitivity(matrix), specificity(matrix), se_lower, sp_lower, passed, thresholds)


def passed_qualities(result: Result, judged: Sequence[Judged]) -> dict[str, dict[str, float | None]]:
    """The criterion's values of every nosology over its barrier, as the partial barrier compares them (D-App1в).

    Clause: D-App1в partial 1
    """
    return {
        name: {
            "sk": generalised_quality([each.tally.matrix]),
            **{bound: getattr(each, bound) for bound in _BOUNDS},
            "cost": each.tally.cost,
            **_beside([epicrisis for epicrisis in judged if epicrisis.nosology == name]),
        }
        for name, each in result.nosologies.items()
        if each.passed
    }


def board_values(result: Result, judged: Sequence[Judged]) -> dict[str, float | None]:
    """What a board compares (D-App1в): Sk, both bounds, cost, both secondary sensitivities, mean time.

    A team has one bound of each kind on the board, yet six nosologies: it is their geometric mean, as in Sk. Both are
    None unless all six occur.
    """
    lower = {name: geometric_mean(getattr(each, name) for each in result.nosologies.values()) for name in _BOUNDS}
    whole = len(result.nosologies) == len(NAMES)
    return {
        "sk": result.sk,
        **{name: lower[name] if whole else None for name in _BOUNDS},
        "cost": exact_sum(each.tally.cost for each in result.nosologies.values()),
        **_beside(judged),
    }


def _beside(judged: Sequence[Judged]) -> dict[str, float | None]:
    """What the criterion compares beside the main diagnoses and the cost."""
    times = [each.time_s for each in judged if each.time_s is not None]
    return {
        "se_complications": _share_named([each.complications for each in judged]),
        "se_comorbidities": _share_named([each.comorbidities for each in judged]),
        "mean_time_s": exact_sum(times) / len(times) if times else None,
    }


_BOUNDS: Final = ("se_lower", "sp_lower")


def _share_named(counts: Sequence[Named]) -> float | None:
    return share(sum(each.found for each in counts), sum(each.of for each in counts))
