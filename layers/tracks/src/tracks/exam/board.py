"""The exam's board: places by grade_norm, beside the level of people (tracks.md §2; U, human level)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tracks.exam.tasks import HUMAN_GRADE_NORM
from tracks.protocol import Json, Place, Standing, Text
from tracks.ranking import by_value
from tracks.rules import BoardRules, Unit

BOARDS: Final = (
    BoardRules(
        key="grade_norm",
        title=Text(en="Whole variants", ru="Полные варианты"),
        measure=Text(en="grade_norm", ru="grade_norm"),
        unit=Unit.SHARE,
        whole_set=True,
        barrier=HUMAN_GRADE_NORM,
        levels=((Text(en="people (2019), 23.835 of 34", ru="люди (2019), 23,835 из 34"), HUMAN_GRADE_NORM),),
    ),
)


def value(aggregate: Json) -> float | None:
    """grade_norm of an aggregate or of its totals."""
    found: float | None = aggregate["grade_norm"]
    return found


def overcame(aggregate: Json) -> bool | None:
    """Whether grade_norm is above people's; the same as theirs is not above (tracks-sessions U-5).

    Clause: TS U-5
    """
    found = value(aggregate)
    return None if found is None else found > HUMAN_GRADE_NORM


def rank(standings: Sequence[Standing]) -> tuple[Place, ...]:
    """Places by grade_norm, highest first."""
    return by_value({each.team: value(each.aggregate) for each in standings})
