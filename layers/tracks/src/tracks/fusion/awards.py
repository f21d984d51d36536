"""Who gets which prize when the private test is scored (tracks-sessions F-8, F-9; F, "Призовой фонд")."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from markup_core.rounding import half_up
from tracks.beside import Award, Declared
from tracks.fusion import prize
from tracks.fusion.integral import decimal
from tracks.fusion.subtasks import Subtask
from tracks.protocol import Json
from tracks.ranking import by_value

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
        found += _of_subtask(subtask, aggregates)
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
    params = prize.PrizeParams(smin=decimal(aggregate["smin"]))
    return prize.roubles(decimal(aggregate["s"]), place, params)


def _of_subtask(subtask: Subtask, aggregates: Mapping[str, Json]) -> list[Award]:
    own: dict[str, Any] = {team: each["subtasks"][subtask.key] for team, each in aggregates.items()}
    values = {team: each["rounded"] for team, each in own.items() if each["rounded"] is not None and each["reached"]}
    first = [each.team for each in by_value(values) if each.place == 1]
    return [Award(team, subtask.key, 1, half_up(NOMINATION / len(first), 2)) for team in first]
