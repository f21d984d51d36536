"""Boards: by S and by each subtask (tracks.md §4; F, the leaderboards)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from tracks.fusion.integral import Scores, contribution, integral
from tracks.fusion.subtasks import Subtask
from tracks.protocol import Place


@dataclass(frozen=True, slots=True)
class Boards:
    """Places by the sum and by subtask, best first."""

    by_sum: tuple[Place, ...]
    by_subtask: Mapping[Subtask, tuple[Place, ...]]


def boards(teams: Mapping[str, Scores]) -> Boards:
    """All boards. What is equal after rounding to three decimals shares a place (tracks.md §4)."""
    return Boards(
        placed({team: integral(scores) for team, scores in teams.items()}),
        {subtask: placed({team: _rounded(subtask, teams[team]) for team in teams}) for subtask in Subtask},
    )


def placed(values: Mapping[str, Decimal | None]) -> tuple[Place, ...]:
    """Place 1 + the number of better values, so equal ones share it, in the order of names; undefined ones are last."""
    order = sorted(values, key=lambda team: (-_comparable(values[team]), team))
    best_first = [_comparable(values[team]) for team in order]
    first = {value: place for place, value in reversed(list(enumerate(best_first, start=1)))}
    return tuple(Place(team, first[value]) for team, value in zip(order, best_first, strict=True))


def _comparable(value: Decimal | None) -> Decimal:
    """Undefined is below every score; scores are never negative."""
    return Decimal(-1) if value is None else value


def _rounded(subtask: Subtask, scores: Scores) -> Decimal | None:
    score = scores.get(subtask)
    return None if score is None else contribution(subtask, score)
