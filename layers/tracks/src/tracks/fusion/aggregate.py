"""A session's sum S with its four scores, the report, the boards and the prizes (tracks.md §4)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from markup_core.rounding import half_up
from tracks.base import by_value
from tracks.capabilities import Award, Declared
from tracks.fusion import subtasks
from tracks.fusion.items import FusionParameters
from tracks.fusion.subtasks import PLACES, Scores, Subtask, below_minimum, contribution, decimal, integral
from tracks.protocol import Json, Judged, Outcome, Place, Section, Text
from tracks.rules import BoardRules, Unit


def aggregate(outcomes: Sequence[Outcome], rules: FusionParameters) -> dict[str, Json]:
    """S with the four; a subtask's score is the mean over its tests.

    A file that was not written is worth what its record says, 0 without one. A test that was answered but has no
    score (not scored yet, without anything to score) is left out; a subtask without any other leaves S undefined.
    """
    scores = {subtask: _mean(subtask, outcomes) for subtask in Subtask}
    return {
        **summary(scores, rules),
        "files": len(outcomes),
        "answered": sum(outcome.answered for outcome in outcomes),
    }


def summary(scores: Scores, rules: FusionParameters) -> dict[str, Json]:
    """S, whether it reaches Smin with every minimum, and each subtask's share of it."""
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
_S: Final = Text(en="S", ru="S")
_SCORE: Final = Text(en="Score", ru="Оценка")


@dataclass(frozen=True, slots=True)
class Boards:
    """Places by the sum and by subtask, best first."""

    by_sum: tuple[Place, ...]
    by_subtask: Mapping[Subtask, tuple[Place, ...]]


BOARDS: Final = (
    BoardRules(
        key="s",
        title=Text(en="Sum of the four", ru="Сумма четырёх"),
        measure=_S,
        unit=Unit.POINTS,
        compared_places=PLACES,
    ),
    *(
        BoardRules(
            key=each.key,
            title=Text(en=each.value, ru=each.value),
            measure=_SCORE,
            unit=Unit.POINTS,
            compared_places=PLACES,
        )
        for each in Subtask
    ),
)
"""A board by S and one by each subtask.

Clause: F board, F nominations
"""


def value(aggregate: Json, board: str = "") -> float | None:
    """S, or on a subtask's board its score after rounding."""
    found: float | None = aggregate["s"] if board in _BY_SUM else aggregate["subtasks"][board]["rounded"]
    return found


def overcame(aggregate: Json, board: str = "") -> bool | None:
    """Whether the board's minimum is reached; None where the value is undefined."""
    if value(aggregate, board) is None:
        return None
    return bool((aggregate if board in _BY_SUM else aggregate["subtasks"][board])["reached"])


def boards(teams: Mapping[str, Scores]) -> Boards:
    """All boards. What is equal after rounding to three decimals shares a place (tracks.md §4).

    Clause: F nominations, F board
    """
    return Boards(
        by_value({team: integral(scores) for team, scores in teams.items()}),
        {subtask: by_value({team: _rounded(subtask, teams[team]) for team in teams}) for subtask in Subtask},
    )


def _rounded(subtask: Subtask, scores: Scores) -> Decimal | None:
    score = scores.get(subtask)
    return None if score is None else contribution(subtask, score)


_NOT_PARTS: Final = frozenset({"subtask", "score", "fingerprint", "unknown", "unknown_classes", "missing"})
_SUBTASK: Final = Text(en="Subtask", ru="Подзадача")


def modes_section(modes: Mapping[str, str]) -> Section:
    """Other ways of counting than the usual one, which the cycle has chosen; on the board, too.

    Clause: TS F-10
    """
    columns = (_SUBTASK, Text(en="Way of counting", ru="Способ подсчёта"))
    return Section("modes", Text(en="Ways of counting", ru="Способы подсчёта"), columns, tuple(modes.items()))


def sum_section(aggregate: Json) -> Section:
    """The four scores as they count, their minima, and S."""
    columns = (
        _SUBTASK,
        _SCORE,
        Text(en="In the sum", ru="В сумме"),
        Text(en="Minimum", ru="Минимум"),
        Text(en="Reached", ru="Достигнут"),
    )
    rows = [(each.value, *_row(aggregate["subtasks"][each.key])) for each in Subtask]
    rows.append(("S", None, aggregate["s"], aggregate["smin"], _sign(aggregate["reached"])))
    judged = (Judged(2, barrier=3),)
    return Section("sum", Text(en="Sum of the four", ru="Сумма четырёх"), columns, tuple(rows), judged=judged)


def parts_section(scored: Sequence[tuple[str, Json | None]]) -> Section:
    """What the scores are made of, a row for every number; undefined where there is no score."""
    columns = (Text(en="Test", ru="Тест"), _SUBTASK, Text(en="Part", ru="Часть"), Text(en="Value", ru="Значение"))
    rows = tuple(row for name, record in scored for row in _parts(name, record))
    return Section("parts", Text(en="Parts of the scores", ru="Части оценок"), columns, rows)


def _parts(name: str, record: Json | None) -> list[tuple[Json, ...]]:
    if record is None:
        return [(name, None, None, None)]
    numbers: Mapping[str, Json] = {key: value for key, value in record.items() if key not in _NOT_PARTS}
    return [(name, record["subtask"], key, value) for key, value in {"score": record["score"], **numbers}.items()]


def _row(found: Mapping[str, Json]) -> tuple[Json, ...]:
    return found["score"], found["rounded"], found["minimum"], _sign(found["reached"])


def _sign(reached: bool) -> str:
    return "+" if reached else "−"


LEAST_SHARED: Final = Decimal("0.3")
"""Of all parameters, what a multitask model shares between subtasks at least (F-8)."""
NOMINATION: Final = 300_000
"""Roubles for the first of each subtask (F-9)."""


def awards(aggregates: Mapping[str, Json], declared: Mapping[str, Declared]) -> tuple[Award, ...]:
    """Prizes by team: places 1–3 among the confirmed multitask models, and the first of each subtask above its minimum.

    **Decision**: a minimum is reached when equal; who shares places shares their prizes equally. A model without
    a declaration, with less than 30 % in common, or not confirmed is in no multitask prize, and may win a subtask's.

    Clause: TS F-8, TS F-9, F prize, F nominations
    """
    multitask = {team: each for team, each in aggregates.items() if is_multitask(declared.get(team))}
    found = [*_of_sum(multitask)]
    for subtask in Subtask:
        own: dict[str, Any] = {team: each["subtasks"][subtask.key] for team, each in aggregates.items()}
        values = {
            team: each["rounded"] for team, each in own.items() if each["rounded"] is not None and each["reached"]
        }
        first = [each.team for each in by_value(values) if each.place == 1]
        found += [Award(team, subtask.key, 1, half_up(NOMINATION / len(first), 2)) for team in first]
    return tuple(found)


def is_multitask(declared: Declared | None) -> bool:
    """Whether a model counts as one for several subtasks.

    Clause: TS F-8
    """
    if declared is None or not declared.confirmed:
        return False
    return Decimal(declared.shared) >= LEAST_SHARED * declared.total


def _of_sum(aggregates: Mapping[str, Json]) -> list[Award]:
    sums = {team: each["s"] for team, each in aggregates.items() if each["s"] is not None}
    placed: dict[int, list[str]] = {}
    for each in by_value(sums):
        placed.setdefault(each.place, []).append(each.team)
    found = list[Award]()
    for place, teams in placed.items():
        # Those who share a place take as many as they are, and have the same S: only minima tell them apart.
        for team in teams:
            worth = [_roubles(aggregates[team], each) for each in range(place, place + len(teams))]
            share = sum(worth, Decimal(0)) / len(teams)
            if share:
                found.append(Award(team, "s", place, half_up(float(share), 2)))
    return found


def _roubles(aggregate: Json, place: int) -> Decimal:
    if not aggregate["reached"]:
        return Decimal(0)
    params = subtasks.PrizeParams(smin=decimal(aggregate["smin"]))
    return subtasks.roubles(decimal(aggregate["s"]), place, params)
