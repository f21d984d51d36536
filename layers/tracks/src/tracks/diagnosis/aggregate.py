"""Error matrices, their shares and bounds, generalised quality and the barrier (D-App1а, D-App1б, D-App1в).

Numbers are computed exactly, or in 50 decimal digits, and become floats at the end: sums and products do not depend
on the order of epicrises, and a result that is a short decimal, such as 0.905, is that very float. Undefined is None.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import field
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from typing import Any, Final

from markup_core.lazy import dataclass
from tracks.diagnosis.score import Cell, Judged, Named, judged_of
from tracks.diagnosis.stages import BY_SET, NAMES, THRESHOLDS, VERSIONS, DiagnosisParameters, Thresholds, Z, exact_sum
from tracks.protocol import Json, Outcome

SHOWN_PLACES: Final = 3
COMPARED_PLACES: Final = 2
_PRECISE: Final = Context(prec=50)


@dataclass(frozen=True, slots=True)
class Matrix:
    """Numbers of epicrises of one nosology in each cell (D-App1а, figure 1)."""

    tp: int = 0
    fn: int = 0
    fp: int = 0
    tn: int = 0

    @property
    def ill(self) -> int:
        """Epicrises of ill patients (n1)."""
        return self.tp + self.fn

    @property
    def healthy(self) -> int:
        """Epicrises of patients without the disease (n0)."""
        return self.fp + self.tn


def share(part: int, whole: int) -> float | None:
    """Divide, unrounded; return None if the whole is 0."""
    return part / whole if whole else None


# Clause: D-App1а (2), D 8.5.1
def sensitivity(matrix: Matrix) -> float | None:
    """Compute Se = TP / (TP + FN) (D-App1а, formula 2)."""
    return share(matrix.tp, matrix.ill)


# Clause: D-App1а (3), D 8.5.1
def specificity(matrix: Matrix) -> float | None:
    """Compute Sp = TN / (TN + FP) (D-App1а, formula 3)."""
    return share(matrix.tn, matrix.healthy)


# Clause: D-App1а (8), D-App1б 3
def lower_bound(successes: int, n: int, z: float = Z) -> float | None:
    """Compute a share's one-sided lower bound by Wilson's score, without continuity correction (D-App1а, formula 8).

    ``(p + z²/2n − z·√(p(1−p)/n + z²/4n²)) / (1 + z²/n)`` with ``p = successes / n``; None when ``n`` is 0.

    The regulation gives z = 1.64 for the one-sided interval of 95 %. Table 1 of its D-App1б shows 83.73 % for a share
    of 92.00 % and 76.66 % for 88.89 %: these are 69 of 75 and 40 of 45 with z ≈ 1.94, between the one-sided 1.64
    (which gives 85.29 % and 78.92 %) and the two-sided 1.96. The rule in the text holds, the example does not.
    """
    if n == 0:
        return None
    with localcontext(_PRECISE):
        quantile, square = Decimal(repr(z)), Decimal(repr(z)) ** 2
        root = (square + Decimal(4 * successes * (n - successes)) / n).sqrt()
        return max(0.0, float((2 * successes + square - quantile * root) / (2 * (n + square))))


# Clause: TS D-6, D-App1в table
def upper_bound(successes: int, n: int, z: float = Z) -> float | None:
    """Compute the upper bound of the same score interval, which is shown beside the lower one and never compared.

    **Decision**: the regulation gives no formula of CI_max, and its example (92.00 % → 94.22 %) fits none; it is the
    lower bound's mirror image: of the misses. None when ``n`` is 0.
    """
    missed = lower_bound(n - successes, n, z)
    return None if missed is None else 1.0 - missed


# Clause: D-App1б (14), D-App1б (15), D-App1в (17), D-App1в (18), D 6.6
def generalised_quality(matrices: Iterable[Matrix]) -> float | None:
    """Compute Sk = √(geometric mean of Se · geometric mean of Sp) (D-App1б, formulas 14 and 15).

    Over the matrices of all six nosologies, or over one for the partial barrier (D-App1в). None when one of the
    shares is undefined, and for no matrices.
    """
    counted = tuple(matrices)
    if not all(matrix.ill and matrix.healthy for matrix in counted):
        return None
    shares = [Fraction(matrix.tp, matrix.ill) for matrix in counted] + [
        Fraction(matrix.tn, matrix.healthy) for matrix in counted
    ]
    return _geometric_mean(shares)


def geometric_mean(values: Iterable[float | None]) -> float | None:
    """Compute the geometric mean of numbers from 0 on; None if one is undefined, and of nothing."""
    exact = [None if value is None else Fraction(repr(value)) for value in values]
    defined = [value for value in exact if value is not None]
    return _geometric_mean(defined) if len(defined) == len(exact) else None


def _geometric_mean(values: list[Fraction]) -> float | None:
    if not values:
        return None
    product = Fraction(1)
    for value in values:
        product *= value
    with localcontext(_PRECISE):
        return float((Decimal(product.numerator) / product.denominator) ** (Decimal(1) / len(values)))


_EMPTY: Final = Matrix()
_NONE: Final = Named(0, 0)


@dataclass(frozen=True, slots=True)
class Tally:
    """Sums over a nosology's epicrises: matrix and cost."""

    matrix: Matrix = _EMPTY
    cost: float = 0.0


@dataclass(frozen=True, slots=True)
class Beside:
    """Sums over a nosology's epicrises beside main diagnoses and cost: diseases named, and times in seconds."""

    complications: Named = _NONE
    comorbidities: Named = _NONE
    time_s: float = 0.0
    timed: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return the sums as an aggregate stores them, to be added to another's."""
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
        """Return the values as ``diagnosis.session`` gives them (tracks.md §5): unrounded, undefined is None."""
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
        """Return the values as ``diagnosis.session`` gives them (tracks.md §5)."""
        nosologies = {name: nosology.to_dict() for name, nosology in self.nosologies.items()}
        return {"nosologies": nosologies, "sk": self.sk, "barrier": self.barrier}


def aggregate(outcomes: Sequence[Outcome], rules: DiagnosisParameters) -> dict[str, Json]:
    """Aggregate a session; missed epicrises are scored as wrong, those without a score were voided (D 8.11, 8.12).

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
    judged = [judged_of(record) for record in records if "cell" in record]
    return {**counts, **_assessed(tallies(judged), besides(judged), rules)}


# Clause: TS D-0, D-App1в (16)
def _stage_of(stages: AbstractSet[str]) -> str | None:
    """Return the stage of records: theirs, the final if the semifinal's count with it, None without any."""
    return next((stage for stage in reversed(list(VERSIONS)) if stage in stages), None)


def _assessed(
    counted: Mapping[str, Tally], beside: Mapping[str, Beside], rules: DiagnosisParameters
) -> dict[str, Json]:
    result = assess(counted, rules.z, rules.thresholds)
    return {
        **result.to_dict(),
        "passed_qualities": passed_qualities(result, beside),
        "board": board_values(result, beside),
        "beside": {name: part.to_dict() for name, part in beside.items()},
        "below": below(result, rules),
    }


# Clause: TS D-11, TS T9, D-App1в (16), D 9.12, D 1.4
def joined(aggregates: Sequence[Json], rules: DiagnosisParameters) -> dict[str, Json]:
    """Aggregate several sessions counted together: the semifinal's and stage 1's (D-App1в, formula 16).

    Matrices, costs and counts are sums, and everything else follows from the sums as from one session's.
    """
    counted, beside = dict[str, Tally](), dict[str, Beside]()
    for name in NAMES:
        parts = [session["nosologies"][name] for session in aggregates if name in session["nosologies"]]
        if parts:
            matrix = Matrix(**{cell.value: sum(part[cell.value] for part in parts) for cell in Cell})
            counted[name] = Tally(matrix, exact_sum(part["cost"] for part in parts))
            beside[name] = _beside_of([session["beside"][name] for session in aggregates if name in session["beside"]])
    counts = {name: sum(session[name] for session in aggregates) for name in ("files", "answered", "voided")}
    stage = _stage_of({session["stage"] for session in aggregates})
    return {"stage": stage, **counts, **_assessed(counted, beside, rules)}


def _beside_of(parts: Sequence[Json]) -> Beside:
    complications, comorbidities = (
        Named(*(sum(part[name][place] for part in parts) for place in (0, 1)))
        for name in ("complications", "comorbidities")
    )
    timed = sum(part["timed"] for part in parts)
    return Beside(complications, comorbidities, exact_sum(part["time_s"] for part in parts), timed)


# Clause: TS D-7, D-App1б SeКр
def below(result: Result, rules: DiagnosisParameters) -> list[str]:
    """Return the nosologies in which a result is below the organizers' bounds of admission; an undefined share is."""

    def misses(name: str, bounds: Thresholds) -> bool:
        nosology = result.nosologies.get(name)
        shares = (None, None) if nosology is None else (nosology.se, nosology.sp)
        return any(
            reached is None or reached < least for reached, least in zip(shares, (bounds.se, bounds.sp), strict=True)
        )

    return [name for name in NAMES if name in rules.admission and misses(name, rules.admission[name])]


# Clause: D-App1в (16), D 1.4, D 9.12
# Clause: D-App1а (1), D-App1а (11), D-App1б (12), D-App1б (13)
def tallies(judged: Iterable[Judged]) -> dict[str, Tally]:
    """Compute matrices and costs per nosology (D-App1б, formulas 12 and 13); the order of epicrises does not matter.

    The final's are those of the semifinal's epicrises and of stage 1's, counted together (D-App1в, formula 16).
    """
    counted = {}
    for name, group in _by_nosology(judged):
        cells = [epicrisis.cell for epicrisis in group]
        matrix = Matrix(**{cell.value: cells.count(cell) for cell in Cell})
        counted[name] = Tally(matrix, exact_sum(epicrisis.cost for epicrisis in group))
    return counted


def _by_nosology(judged: Iterable[Judged]) -> Iterator[tuple[str, list[Judged]]]:
    """Yield the epicrises of each nosology that occurs, in the contest's order."""
    groups: defaultdict[str, list[Judged]] = defaultdict(list)
    for epicrisis in judged:
        groups[epicrisis.nosology].append(epicrisis)
    yield from ((name, groups[name]) for name in NAMES if name in groups)


# Clause: D 5.4, D-App1а (9)
def assess(counted: Mapping[str, Tally], z: float = Z, thresholds: Mapping[str, Thresholds] = THRESHOLDS) -> Result:
    """Compute shares, bounds, Sk and the barrier of these tallies (D 5.4, D-App1а, D-App1б)."""
    nosologies = {name: accuracy(counted[name], thresholds[name], z) for name in NAMES if name in counted}
    whole = len(nosologies) == len(NAMES)
    sk = generalised_quality(nosology.tally.matrix for nosology in nosologies.values()) if whole else None
    return Result(nosologies, sk, whole and all(nosology.passed for nosology in nosologies.values()))


# Clause: D-App1а (5), D-App1а (9), D 5.4
def accuracy(tally: Tally, thresholds: Thresholds, z: float = Z) -> Accuracy:
    """Compute one nosology's shares and bounds; passed when both bounds are strictly above the thresholds (9)."""
    matrix = tally.matrix
    se_lower = lower_bound(matrix.tp, matrix.ill, z)
    sp_lower = lower_bound(matrix.tn, matrix.healthy, z)
    passed = se_lower is not None and se_lower > thresholds.se and sp_lower is not None and sp_lower > thresholds.sp
    return Accuracy(tally, sensitivity(matrix), specificity(matrix), se_lower, sp_lower, passed, thresholds)


def besides(judged: Iterable[Judged]) -> dict[str, Beside]:
    """Sum the named diseases and the times by nosology; the order of epicrises does not matter."""
    sums = {}
    for name, group in _by_nosology(judged):
        times = [epicrisis.time_s for epicrisis in group if epicrisis.time_s is not None]
        complications, comorbidities = (
            Named(*map(sum, zip(*counts, strict=True)))
            for counts in (
                [epicrisis.complications for epicrisis in group],
                [epicrisis.comorbidities for epicrisis in group],
            )
        )
        sums[name] = Beside(complications, comorbidities, exact_sum(times), len(times))
    return sums


# Clause: D-App1в partial 1
def passed_qualities(result: Result, beside: Mapping[str, Beside]) -> dict[str, dict[str, float | None]]:
    """Return the criterion's values of every nosology over its barrier, for the partial barrier (D-App1в)."""
    return {
        name: {
            "sk": generalised_quality([nosology.tally.matrix]),
            **{bound: getattr(nosology, bound) for bound in _BOUNDS},
            "cost": nosology.tally.cost,
            **_beside([beside[name]]),
        }
        for name, nosology in result.nosologies.items()
        if nosology.passed
    }


def board_values(result: Result, beside: Mapping[str, Beside]) -> dict[str, float | None]:
    """Return a board's compared values (D-App1в): Sk, both bounds, cost, both secondary sensitivities, mean time.

    A team has one bound of each kind on the board, yet six nosologies: it is their geometric mean, as in Sk. Both are
    None unless all six occur.
    """
    lower = {
        name: geometric_mean(getattr(nosology, name) for nosology in result.nosologies.values()) for name in _BOUNDS
    }
    whole = len(result.nosologies) == len(NAMES)
    return {
        "sk": result.sk,
        **{name: lower[name] if whole else None for name in _BOUNDS},
        "cost": exact_sum(nosology.tally.cost for nosology in result.nosologies.values()),
        **_beside(list(beside.values())),
    }


# Clause: D 8.5.2, TS D-12
def _beside(parts: Sequence[Beside]) -> dict[str, float | None]:
    """Compute the criterion's values beside the main diagnoses and the cost."""
    timed = sum(part.timed for part in parts)
    return {
        "se_complications": _share_named([part.complications for part in parts]),
        "se_comorbidities": _share_named([part.comorbidities for part in parts]),
        "mean_time_s": exact_sum(part.time_s for part in parts) / timed if timed else None,
    }


_BOUNDS: Final = ("se_lower", "sp_lower")


def _share_named(counts: Sequence[Named]) -> float | None:
    return share(sum(count.hits for count in counts), sum(count.total for count in counts))
