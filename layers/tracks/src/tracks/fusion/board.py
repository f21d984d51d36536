"""Boards: by S and by each subtask (tracks.md §4; F, the leaderboards)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from tracks.fusion.integral import PLACES, Scores, contribution, integral
from tracks.fusion.subtasks import Subtask
from tracks.protocol import Json, Place, Standing, Text
from tracks.ranking import by_value
from tracks.rules import BoardRules, Unit

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


def rank(standings: Sequence[Standing], board: str = "") -> tuple[Place, ...]:
    """Places by S, or by a subtask, highest first.

    Clause: F board
    """
    return by_value({standing.team: value(standing.aggregate, board) for standing in standings})


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
