"""Places on a board, as every track gives them: equal results share one, undefined ones stand last."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from tracks.protocol import Place


def by_value(values: Mapping[str, float | Decimal | None]) -> tuple[Place, ...]:
    """Places by a value of which more is better; None is undefined, behind every defined one.

    Clause: R 2.13, platform §4 boards
    """
    return by_key({team: (True, 0) if value is None else (False, -value) for team, value in values.items()})


def by_key(keys: Mapping[str, tuple[Any, ...]]) -> tuple[Place, ...]:
    """Places by keys, the smallest first: 1 + the number of smaller ones, so equal keys share a place.

    Teams that share a place stand in the order of their names. O(n log n).
    """
    places: list[Place] = []
    for number, team in enumerate(sorted(keys, key=lambda team: (keys[team], team)), start=1):
        shared = places and keys[places[-1].team] == keys[team]
        places.append(Place(team, places[-1].place if shared else number))
    return tuple(places)
