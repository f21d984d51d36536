"""Places of teams: the board of the semifinal and the final, and the partial barrier (D-App1б, D-App1в)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from tracks.diagnosis.measures import COMPARED_PLACES, half_up
from tracks.protocol import Place
from tracks.ranking import by_key

FINALISTS: Final = 4
PRIZES: Final = 3


@dataclass(frozen=True, slots=True)
class Entry:
    """A team's values on the board: shares as fractions, cost in units of work, time in seconds; None: undefined."""

    team: str
    sk: float | None
    se_lower: float | None = None
    sp_lower: float | None = None
    cost: float | None = None
    se_complications: float | None = None
    se_comorbidities: float | None = None
    mean_time_s: float | None = None


CRITERIA: Final = (
    ("sk", True),
    ("se_lower", True),
    ("sp_lower", True),
    ("cost", False),
    ("se_complications", True),
    ("se_comorbidities", True),
    ("mean_time_s", False),
)
"""What is compared, in this order, and whether more is better (D-App1в, the integral criterion)."""


class Finalists(NamedTuple):
    """Teams admitted to the final; ``undecided`` share the last places, and are more than the places left."""

    admitted: tuple[str, ...]
    undecided: tuple[str, ...]


def board(entries: Sequence[Entry]) -> tuple[Place, ...]:
    """Places, best first: the next criterion decides only between teams equal in all before it (D-App1в).

    Every value is rounded to two decimals, halves up, before it is compared, so Student's t of formulas 19 and 20,
    which the list of comparisons that follows them does not use, is not computed. Equal in all: one place. Undefined
    values are worse than all others. Teams must differ: raises ValueError. O(n log n).
    """
    keys = {entry.team: _key(entry) for entry in entries}
    if len(keys) < len(entries):
        raise ValueError("a team stands twice on the board")
    return by_key(keys)


def _key(entry: Entry) -> tuple[float, ...]:
    return tuple(_rank(getattr(entry, name), more_is_better) for name, more_is_better in CRITERIA)


def _rank(value: float | None, more_is_better: bool) -> float:
    if value is None:
        return math.inf
    rounded = half_up(value, COMPARED_PLACES)
    return -rounded if more_is_better else rounded


def finalists(places: Sequence[Place], most: int = FINALISTS) -> Finalists:
    """Who goes on: at most four of the best (D 8.16); of teams that share the last places the organizers choose."""
    admitted = [each.team for each in places if _up_to(places, each.place) <= most]
    border = [each for each in places if each.place <= most < _up_to(places, each.place)]
    return Finalists(tuple(admitted), tuple(each.team for each in border))


def _up_to(places: Sequence[Place], place: int) -> int:
    return sum(each.place <= place for each in places)


def partial_barrier(passed: Mapping[str, Mapping[str, float]]) -> tuple[Place, ...]:
    """Prize places for the partial barrier, best first (D-App1в), from Sk of every nosology that a team passed.

    They are given only when no team overcame the whole barrier (D 5.6). Of each nosology the team with the highest Sk
    leads; leaders take places by the highest Sk with which they lead. With fewer than three leaders the other teams
    over a barrier follow by their own highest Sk, whatever its nosology. There are three places, or as many as teams
    over a barrier if these are fewer: two when only two. How many nosologies a team passed does not count.

    The regulation's first special case speaks of fewer than three nosologies; tracks.md takes fewer than three
    leaders, which also covers many nosologies led by one team. Sk is compared as it is ("absolute values"), not
    rounded; teams with equal Sk in a nosology lead it together, and equal ones share a place. The list ends after
    three teams even if the fourth shares the place of the third: it stands behind by its name alone, which the jury
    sees in the values.
    """
    over = {team: qualities for team, qualities in passed.items() if qualities}
    best: dict[str, float] = {}
    for qualities in over.values():
        for nosology, sk in qualities.items():
            best[nosology] = max(sk, best.get(nosology, sk))
    leading = {
        team: max(led)
        for team, qualities in over.items()
        if (led := [sk for nosology, sk in qualities.items() if sk == best[nosology]])
    }
    keys = {
        team: (0.0, -leading[team]) if team in leading else (1.0, -max(qualities.values()))
        for team, qualities in over.items()
    }
    return by_key(keys)[:PRIZES]
