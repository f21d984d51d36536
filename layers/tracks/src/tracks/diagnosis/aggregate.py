"""From judged epicrises to matrices, bounds, generalised quality and the barrier (D-App1а, D-App1б, D-App1в)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any, Final

from tracks.diagnosis.classifier import NAMES, THRESHOLDS, Thresholds
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
from tracks.diagnosis.score import Cell, Judged, Named, judged_of
from tracks.diagnosis.stages import BY_SET, VERSIONS, DiagnosisParameters
from tracks.protocol import Json, Outcome

_EMPTY: Final = Matrix()
_NONE: Final = Named(0, 0)


@dataclass(frozen=True, slots=True)
class Tally:
    """What a nosology's epicrises add up to."""

    matrix: Matrix = _EMPTY
    cost: float = 0.0


@dataclass(frozen=True, slots=True)
class Beside:
    """What a nosology's epicrises add up to beside main diagnoses and cost: diseases named, and times in seconds."""

    complications: Named = _NONE
    comorbidities: Named = _NONE
    time_s: float = 0.0
    timed: int = 0

    def to_dict(self) -> dict[str, Any]:
        """As an aggregate keeps it, to be added to another's."""
        named = {"complications": list(self.complications), "comorbidities": list(self.comorbidities)}
        return {**named, "time_s": self.time_s, "timed": self.timed}


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
    return _assessed(tallies(judged), besides(judged), rules)


def _assessed(
    counted: Mapping[str, Tally], beside: Mapping[str, Beside], rules: DiagnosisParameters
) -> dict[str, Json]:
    result = assess(counted, rules.z, rules.thresholds)
    return {
        **result.to_dict(),
        "passed_qualities": _passed_qualities(result, beside),
        "board": _board_values(result, beside),
        "beside": {name: each.to_dict() for name, each in beside.items()},
        "below": below(result, rules),
    }


def joined(aggregates: Sequence[Json], rules: DiagnosisParameters) -> dict[str, Json]:
    """The result of several sessions counted together: the semifinal's and stage 1's (D-App1в, formula 16).

    Matrices, costs and counts are sums, and everything else follows from the sums as from one session's.

    Clause: TS D-11, TS T9, D-App1в (16), D 9.12, D 1.4
    """
    counted = {
        name: _sum_of([each["nosologies"][name] for each in aggregates if name in each["nosologies"]])
        for name in NAMES
        if any(name in each["nosologies"] for each in aggregates)
    }
    beside = {
        name: _beside_of([each["beside"][name] for each in aggregates if name in each["beside"]]) for name in counted
    }
    counts = {name: sum(each[name] for each in aggregates) for name in ("files", "answered", "voided")}
    stage = _stage_of({each["stage"] for each in aggregates})
    return {"stage": stage, **counts, **_assessed(counted, beside, rules)}


def _sum_of(parts: Sequence[Json]) -> Tally:
    matrix = Matrix(**{cell.value: sum(each[cell.value] for each in parts) for cell in Cell})
    return Tally(matrix, exact_sum(each["cost"] for each in parts))


def _beside_of(parts: Sequence[Json]) -> Beside:
    complications, comorbidities = (
        Named(*(sum(each[name][place] for each in parts) for place in (0, 1)))
        for name in ("complications", "comorbidities")
    )
    timed = sum(each["timed"] for each in parts)
    return Beside(complications, comorbidities, exact_sum(each["time_s"] for each in parts), timed)


def below(result: Result, rules: DiagnosisParameters) -> list[str]:
    """The nosologies in which a result is below the organizers' bounds of admission; an undefined share is.

    Clause: TS D-7, D-App1б SeКр
    """

    def misses(name: str, wanted: Thresholds) -> bool:
        found = result.nosologies.get(name)
        shares = (None, None) if found is None else (found.se, found.sp)
        return any(each is None or each < least for each, least in zip(shares, (wanted.se, wanted.sp), strict=True))

    return [name for name in NAMES if name in rules.admission and misses(name, rules.admission[name])]


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


def besides(judged: Iterable[Judged]) -> dict[str, Beside]:
    """What is named and how long it took, by nosology; the order of epicrises does not matter."""
    groups: defaultdict[str, list[Judged]] = defaultdict(list)
    for each in judged:
        groups[each.nosology].append(each)
    return {name: _besides(groups[name]) for name in NAMES if name in groups}


def _besides(judged: Sequence[Judged]) -> Beside:
    times = [each.time_s for each in judged if each.time_s is not None]
    first, second = (
        Named(sum(each.found for each in counts), sum(each.of for each in counts))
        for counts in ([each.complications for each in judged], [each.comorbidities for each in judged])
    )
    return Beside(first, second, exact_sum(times), len(times))


def passed_qualities(result: Result, judged: Sequence[Judged]) -> dict[str, dict[str, float | None]]:
    """The criterion's values of every nosology over its barrier, as the partial barrier compares them (D-App1в).

    Clause: D-App1в partial 1
    """
    return _passed_qualities(result, besides(judged))


def _passed_qualities(result: Result, beside: Mapping[str, Beside]) -> dict[str, dict[str, float | None]]:
    return {
        name: {
            "sk": generalised_quality([each.tally.matrix]),
            **{bound: getattr(each, bound) for bound in _BOUNDS},
            "cost": each.tally.cost,
            **_beside([beside[name]]),
        }
        for name, each in result.nosologies.items()
        if each.passed
    }


def board_values(result: Result, judged: Sequence[Judged]) -> dict[str, float | None]:
    """What a board compares (D-App1в): Sk, both bounds, cost, both secondary sensitivities, mean time.

    A team has one bound of each kind on the board, yet six nosologies: it is their geometric mean, as in Sk. Both are
    None unless all six occur.
    """
    return _board_values(result, besides(judged))


def _board_values(result: Result, beside: Mapping[str, Beside]) -> dict[str, float | None]:
    lower = {name: geometric_mean(getattr(each, name) for each in result.nosologies.values()) for name in _BOUNDS}
    whole = len(result.nosologies) == len(NAMES)
    return {
        "sk": result.sk,
        **{name: lower[name] if whole else None for name in _BOUNDS},
        "cost": exact_sum(each.tally.cost for each in result.nosologies.values()),
        **_beside(list(beside.values())),
    }


def _beside(parts: Sequence[Beside]) -> dict[str, float | None]:
    """What the criterion compares beside the main diagnoses and the cost.

    Clause: D 8.5.2, TS D-12
    """
    timed = sum(each.timed for each in parts)
    return {
        "se_complications": _share_named([each.complications for each in parts]),
        "se_comorbidities": _share_named([each.comorbidities for each in parts]),
        "mean_time_s": exact_sum(each.time_s for each in parts) / timed if timed else None,
    }


_BOUNDS: Final = ("se_lower", "sp_lower")


def _share_named(counts: Sequence[Named]) -> float | None:
    return share(sum(each.found for each in counts), sum(each.of for each in counts))
