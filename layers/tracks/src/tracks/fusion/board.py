"""Boards: by S and by each subtask (tracks.md §4; F, the leaderboards)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from tracks.fusion.integral import Scores, contribution, integral
from tracks.fusion.subtasks import Subtask
from tracks.protocol import Place, Standing
from tracks.ranking import by_value


@dataclass(frozen=True, slots=True)
class Boards:
    """Places by the sum and by subtask, best first."""

    by_sum: tuple[Place, ...]
    by_subtask: Mapping[Subtask, tuple[Place, ...]]


def rank(standings: Sequence[Standing]) -> tuple[Place, ...]:
    """Places by S, highest first.

    Clause: F board
    """
    return by_value({standing.team: standing.aggregate["s"] for standing in standings})


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
