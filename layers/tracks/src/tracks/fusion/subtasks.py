"""The four subtasks, the sum S of their scores with its minima, the report, the boards and the prizes.

The sum and the minima are those of F, "Интегральная метрика" and "Призовой фонд" (tracks.md §4). Numbers are rounded as
the decimals they are written as, halves up: 0.1245 is 0.125, whatever the binary fraction nearest to it is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import field
from decimal import ROUND_HALF_UP, Decimal
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final
from unicodedata import normalize

from markup_core.lazy import dataclass
from markup_core.rounding import half_up
from tracks.base import by_value
from tracks.capabilities import Award, Declared
from tracks.protocol import Json, Judged, Outcome, Place, Section, Text
from tracks.rules import BoardRules, Unit
from tracks.texts import tr

if TYPE_CHECKING:
    from tracks.fusion.items import FusionParameters


class Subtask(Enum):
    """A subtask, spelled as in the names of its folders and files."""

    C2C = "C2C"
    HTR = "HTR"
    ZSOD = "zsOD"
    VQA = "VQA"

    @property
    def key(self) -> str:
        """Return the subtask's name in requests and results."""
        return self.value.lower()

    @property
    def metric(self) -> str:
        """Return the name of the subtask's metric."""
        return _METRICS[self]

    @property
    def most(self) -> int:
        """Return the highest score: 100 for CodeBLEU, 1 for the others."""
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
    """Classes of zsOD that were not requested, by image, for the images that were."""

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
"""Least sum S of the contributions, Smin."""
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


def aggregate(outcomes: Sequence[Outcome], rules: FusionParameters) -> dict[str, Json]:
    """Compute S with its four scores; a subtask's score is the mean over its tests.

    A file that was not written is worth what its record says, 0 without one. A test that was answered but has no
    score (not scored yet, without anything to score) is left out; a subtask without any other leaves S undefined.
    """
    scores = {subtask: _mean(subtask, outcomes) for subtask in Subtask}
    return {**summary(scores, rules), "files": len(outcomes), "answered": sum(outcome.answered for outcome in outcomes)}


def summary(scores: Scores, rules: FusionParameters) -> dict[str, Json]:
    """Summarise S, whether it reaches Smin with every minimum, and each subtask's contribution."""
    total, below = integral(scores), below_minimum(scores, rules.minima)
    subtasks = {}
    for subtask in Subtask:
        score = scores.get(subtask)
        subtasks[subtask.key] = {
            "score": score,
            "rounded": None if score is None else float(contribution(subtask, score)),
            "minimum": float(rules.minima[subtask]),
            "reached": subtask not in below,
        }
    reached = total is not None and total >= rules.smin and not below
    modes = {subtask.key: mode for subtask, mode in rules.modes.items() if mode is not None}
    return {
        **({"modes": modes} if modes else {}),
        "s": None if total is None else float(total),
        "smin": float(rules.smin),
        "reached": reached,
        "subtasks": subtasks,
    }


def _mean(subtask: Subtask, outcomes: Sequence[Outcome]) -> float | None:
    scores = []
    for outcome in outcomes:
        if outcome.item.group != subtask.value:
            continue
        if outcome.score is not None and outcome.score["score"] is not None:
            scores.append(float(outcome.score["score"]))
        elif not outcome.answered:
            scores.append(0.0)
    return math.fsum(scores) / len(scores) if scores else None


_BY_SUM: Final = ("", "s")
_S: Final = tr("S")
_SCORE: Final = tr("Score")


@dataclass(frozen=True, slots=True)
class Boards:
    """Places by the sum and by subtask, best first."""

    by_sum: tuple[Place, ...]
    by_subtask: Mapping[Subtask, tuple[Place, ...]]


# Clause: F board, F nominations
BOARDS: Final = (
    BoardRules(key="s", title=tr("Sum of the four"), measure=_S, unit=Unit.POINTS, compared_places=PLACES),
    *(
        BoardRules(
            key=subtask.key,
            title=Text(en=subtask.value, ru=subtask.value),
            measure=_SCORE,
            unit=Unit.POINTS,
            compared_places=PLACES,
        )
        for subtask in Subtask
    ),
)
"""A board by S and one by each subtask."""


def value(aggregate: Json, board: str = "") -> float | None:
    """Return S, or on a subtask's board its score after rounding."""
    points: float | None = aggregate["s"] if board in _BY_SUM else aggregate["subtasks"][board]["rounded"]
    return points


def overcame(aggregate: Json, board: str = "") -> bool | None:
    """Check whether the board's minimum is reached; None if the value is undefined."""
    if value(aggregate, board) is None:
        return None
    return bool((aggregate if board in _BY_SUM else aggregate["subtasks"][board])["reached"])


# Clause: F nominations, F board
def boards(teams: Mapping[str, Scores]) -> Boards:
    """Rank all boards. Scores equal after rounding to three decimals share a place (tracks.md §4)."""
    return Boards(
        by_value({team: integral(scores) for team, scores in teams.items()}),
        {
            subtask: by_value(
                {
                    team: None if (score := scores.get(subtask)) is None else contribution(subtask, score)
                    for team, scores in teams.items()
                }
            )
            for subtask in Subtask
        },
    )


_NOT_PARTS: Final = frozenset({"subtask", "score", "fingerprint", "unknown", "unknown_classes", "missing"})
_SUBTASK: Final = tr("Subtask")


# Clause: TS F-10
def modes_section(modes: Mapping[str, str]) -> Section:
    """Build the table of the cycle's ways of counting that differ from the usual ones; on the board, too."""
    columns = (_SUBTASK, tr("Way of counting"))
    return Section("modes", tr("Ways of counting"), columns, tuple(modes.items()))


def sum_section(aggregate: Json) -> Section:
    """Build the table of the four scores as they count, their minima, and S."""
    columns = (_SUBTASK, _SCORE, tr("In the sum"), tr("Minimum"), tr("Reached"))
    rows: list[tuple[Json, ...]] = []
    for subtask in Subtask:
        part = aggregate["subtasks"][subtask.key]
        rows.append((subtask.value, part["score"], part["rounded"], part["minimum"], _sign(part["reached"])))
    rows.append(("S", None, aggregate["s"], aggregate["smin"], _sign(aggregate["reached"])))
    judged = (Judged(2, barrier=3),)
    return Section("sum", tr("Sum of the four"), columns, tuple(rows), judged=judged)


def parts_section(scored: Sequence[tuple[str, Json | None]]) -> Section:
    """Build the table of the scores' parts, a row for every number; undefined without a score."""
    columns = (tr("Test"), _SUBTASK, tr("Part"), tr("Value"))
    rows: list[tuple[Json, ...]] = []
    for name, record in scored:
        if record is None:
            rows.append((name, None, None, None))
            continue
        numbers = {"score": record["score"]} | {key: value for key, value in record.items() if key not in _NOT_PARTS}
        rows += [(name, record["subtask"], key, value) for key, value in numbers.items()]
    return Section("parts", tr("Parts of the scores"), columns, tuple(rows))


def _sign(reached: bool) -> str:
    return "+" if reached else "−"


LEAST_SHARED: Final = Decimal("0.3")
"""Least share of all parameters that a multitask model has in common for its subtasks (F-8)."""
NOMINATION: Final = 300_000
"""Prize for the first place in each subtask, in roubles (F-9)."""


# Clause: TS F-8, TS F-9, F prize, F nominations
def awards(aggregates: Mapping[str, Json], declared: Mapping[str, Declared]) -> tuple[Award, ...]:
    """Award prizes: places 1–3 among the confirmed multitask models, and the first of each subtask above its minimum.

    **Decision**: a minimum is reached when equal; teams on shared places share their prizes equally. A model without
    a declaration, with less than 30 % in common, or not confirmed is in no multitask prize, and may win a subtask's.
    """
    multitask = {team: result for team, result in aggregates.items() if is_multitask(declared.get(team))}
    prizes = [*_sum_prizes(multitask)]
    for subtask in Subtask:
        own: dict[str, Any] = {team: result["subtasks"][subtask.key] for team, result in aggregates.items()}
        values = {
            team: part["rounded"] for team, part in own.items() if part["rounded"] is not None and part["reached"]
        }
        first = [place.team for place in by_value(values) if place.place == 1]
        prizes += [Award(team, subtask.key, 1, half_up(NOMINATION / len(first), 2)) for team in first]
    return tuple(prizes)


# Clause: TS F-8
def is_multitask(declared: Declared | None) -> bool:
    """Check whether a model counts as one for several subtasks."""
    if declared is None or not declared.confirmed:
        return False
    return Decimal(declared.shared) >= LEAST_SHARED * declared.total


def _sum_prizes(aggregates: Mapping[str, Json]) -> list[Award]:
    sums = {team: result["s"] for team, result in aggregates.items() if result["s"] is not None}
    placed: dict[int, list[str]] = {}
    for rank in by_value(sums):
        placed.setdefault(rank.place, []).append(rank.team)
    prizes = list[Award]()
    for place, teams in placed.items():
        # Teams on a shared place take as many places as they are, and have the same S: only minima tell them apart.
        for team in teams:
            result = aggregates[team]
            if not result["reached"]:
                continue
            params = PrizeParams(smin=decimal(result["smin"]))
            shared = range(place, place + len(teams))
            worth = [roubles(decimal(result["s"]), number, params) for number in shared]
            share = sum(worth, Decimal(0)) / len(teams)
            if share:
                prizes.append(Award(team, "s", place, half_up(float(share), 2)))
    return prizes
