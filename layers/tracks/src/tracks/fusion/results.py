"""Aggregates, ranks and tables of the fusion track: which of the numbers make them (tracks.md §4)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

from tracks.fusion import parameters as cycle
from tracks.fusion.integral import Scores, below_minimum, contribution, integral
from tracks.fusion.parameters import FusionParameters
from tracks.fusion.subtasks import Subtask
from tracks.protocol import Json, Outcome, Place, Section, Standing, Text
from tracks.ranking import by_value

_NOT_PARTS: Final = frozenset({"subtask", "score", "fingerprint", "unknown", "unknown_classes", "missing"})
_SUBTASK: Final = Text(en="Subtask", ru="Подзадача")
_SCORE: Final = Text(en="Score", ru="Оценка")


def aggregate(outcomes: Sequence[Outcome], parameters: Json) -> dict[str, Json]:
    """S with the four; a subtask's score is the mean over its tests.

    A file that was not written is worth what its record says, 0 without one. A test that was answered but has no
    score (not scored yet, without anything to score) is left out; a subtask without any other leaves S undefined.
    """
    rules = cycle.use(parameters)
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
    return {
        "s": None if total is None else float(total),
        "smin": float(rules.smin),
        "reached": reached,
        "subtasks": subtasks,
    }


def rank(standings: Sequence[Standing]) -> tuple[Place, ...]:
    """Places by S, highest first."""
    return by_value({standing.team: standing.aggregate["s"] for standing in standings})


def sections(aggregate: Json, outcomes: Sequence[Outcome]) -> tuple[Section, ...]:
    """The sum, and the tests with the parts of their scores."""
    return (sum_section(aggregate), parts_section([(each.item.item_id, each.score) for each in outcomes]))


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
    return Section("sum", Text(en="Sum of the four", ru="Сумма четырёх"), columns, tuple(rows))


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
