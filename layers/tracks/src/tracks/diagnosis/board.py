"""Places of teams: the board of the semifinal and the final, and the partial barrier (D-App1б, D-App1в)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, NamedTuple

from markup_core.rounding import half_up
from tracks.diagnosis.measures import COMPARED_PLACES, SHOWN_PLACES
from tracks.protocol import Json, Place, Standing, Text
from tracks.ranking import by_key
from tracks.rules import BoardRules, Unit

FINALISTS: Final = 4
PRIZES: Final = 3
FINAL: Final = "final"
"""The board on which the semifinal's run and stage 1's count together (D-App1в, formula 16)."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A team's values of all six nosologies, or of one: shares as fractions, cost in units of work, time in seconds.

    None is an undefined value, worse than every other.
    """

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
"""The final's integral criterion: what is compared, in this order, and whether more is better (D-App1в).

Clause: D-App1в criterion, D 5.7, D 9.8
"""


class Criterion(NamedTuple):
    """Values that rank teams, each deciding between teams equal in all before it, rounded to ``places`` decimals."""

    values: tuple[tuple[str, bool], ...]
    places: int


FINAL_CRITERION: Final = Criterion(CRITERIA, COMPARED_PLACES)
SEMIFINAL_CRITERION: Final = Criterion(
    tuple(each for each in CRITERIA if each[0] in ("sk", "se_complications", "se_comorbidities")), SHOWN_PLACES
)
"""Sk, then Se of complications, then of comorbidities; bounds, cost and time are measured but belong to the final.

**Decision**: rounding to two decimals stands in the final's criterion alone (D-App1в); the semifinal's shares have the
three decimals of D-App1а 1.

Clause: D 8.15, D 8.5.2, D 8.5.3, D-App1б 5, D-App1б 6, D-App1а 1 comorbidities
"""
CRITERION_OF: Final[Mapping[str, Criterion]] = MappingProxyType(
    {"semifinal": SEMIFINAL_CRITERION, "final": FINAL_CRITERION}
)


class Finalists(NamedTuple):
    """Teams admitted to the final; ``undecided`` share the last places, and are more than the places left."""

    admitted: tuple[str, ...]
    undecided: tuple[str, ...]


BOARDS: Final = (
    BoardRules(
        key="criterion",
        title=Text(en="Generalised quality", ru="Обобщённое качество"),
        measure=Text(en="Sk", ru="Sk"),
        unit=Unit.SHARE,
        compared_places=SHOWN_PLACES,
    ),
    BoardRules(
        key=FINAL,
        title=Text(en="Final: semifinal and stage 1 together", ru="Финал: полуфинал вместе со стадией 1"),
        measure=Text(en="Sk", ru="Sk"),
        unit=Unit.SHARE,
        compared_places=COMPARED_PLACES,
        joins_runs=True,
    ),
)


def value(aggregate: Json) -> float | None:
    """Sk, the first of what the criterion compares; of the selection stage 1 for passed, else 0."""
    found: float | None = aggregate["board"]["sk"] if "board" in aggregate else float(aggregate["passed"])
    return found


def overcame(aggregate: Json, key: str = "") -> bool | None:
    """Whether the barrier is overcome in all six nosologies. The selection has none, and the semifinal alone states
    none: only the final can, where its results count with stage 1's.

    Clause: D 8.17, D 5.4
    """
    found: bool | None = None if aggregate["stage"] == "semifinal" and key != FINAL else aggregate.get("barrier")
    return found


def rank(standings: Sequence[Standing], key: str = "") -> tuple[Place, ...]:
    """Return the places on a board: by Sk and the secondary diagnoses in the semifinal, by the integral criterion in
    the final, also where the semifinal's results count with it; in the selection those who passed stand first.

    Of a semifinal teams below the organizers' bounds of admission are left out.

    Clause: TS D-7, D-App1б SeКр
    """
    if key == FINAL:
        return board([_entry(each) for each in standings])
    in_semifinal = any(each.aggregate["stage"] == "semifinal" for each in standings)
    entries = [_entry(each) for each in standings if not is_below(each.aggregate)]
    return board(entries, SEMIFINAL_CRITERION if in_semifinal else FINAL_CRITERION)


def is_below(aggregate: Json) -> bool:
    """Whether a semifinal's result is below a bound of admission."""
    return aggregate["stage"] == "semifinal" and bool(aggregate["below"])


def _entry(standing: Standing) -> Entry:
    values = standing.aggregate.get("board")
    if values is None:
        return Entry(standing.team, float(standing.aggregate["passed"]))
    return Entry(standing.team, **values)


def board(entries: Sequence[Entry], criterion: Criterion = FINAL_CRITERION) -> tuple[Place, ...]:
    """Return the places, best first: the next value decides only between teams equal in all before it.

    Every value is rounded to the criterion's decimals, halves up, before it is compared, so Student's t of formulas 19
    and 20, which the list of comparisons that follows them does not use, is not computed. Equal in all: one place.
    Undefined values are worse than all others. Teams must differ: raises ValueError. O(n log n).

    Clause: D 8.15, tracks §1 share
    """
    keys = {entry.team: _key(entry, criterion) for entry in entries}
    if len(keys) < len(entries):
        raise ValueError("a team stands twice on the board")
    return by_key(keys)


def _key(entry: Entry, criterion: Criterion = FINAL_CRITERION) -> tuple[float, ...]:
    return tuple(_rank(getattr(entry, name), criterion.places, more_is_better=more) for name, more in criterion.values)


def _rank(value: float | None, places: int, *, more_is_better: bool) -> float:
    """Clause: D-App1в criterion"""
    if value is None:
        return math.inf
    rounded = half_up(value, places)
    return -rounded if more_is_better else rounded


def finalists(places: Sequence[Place], most: int = FINALISTS) -> Finalists:
    """Who goes on: at most four of the best (D 8.16); of teams that share the last places the organizers choose.

    Clause: D 8.16
    """
    admitted = [each.team for each in places if _up_to(places, each.place) <= most]
    border = [each for each in places if each.place <= most < _up_to(places, each.place)]
    return Finalists(tuple(admitted), tuple(each.team for each in border))


def _up_to(places: Sequence[Place], place: int) -> int:
    return sum(each.place <= place for each in places)


def partial_barrier(passed: Mapping[str, Mapping[str, Entry]]) -> tuple[Place, ...]:
    """Prize places for the partial barrier, best first (D-App1в), from a team's values of every nosology it passed.

    They are given only when no team overcame the whole barrier (D 5.6). A nosology is led by the team that is best
    in it by the whole integral criterion, every value rounded to two decimals before it is compared: 0.9401 and 0.9449
    are equal, and the next value decides. Leaders take places by their values where they lead, Sk first. With fewer
    than three leaders the other teams over a barrier follow by their best values, whatever the nosology. There are
    three places, or as many as teams over a barrier if these are fewer: two when only two. How many nosologies a team
    passed does not count.

    **Decision**: the regulation's first special case speaks of fewer than three nosologies; tracks.md takes fewer than
    three leaders, which also covers many nosologies led by one team. Sk is not measured against its threshold
    ("absolute values"). Teams that are equal in all values lead a nosology together, and share a place; places go by
    Sk and, where it is equal, by the values after it. The list ends after three teams even if the fourth shares the
    place of the third: it stands behind by its name alone, which the jury sees in the values. O(teams · nosologies).

    Clause: D 5.6, D-App1в partial 1, D-App1в partial 2, D-App1в partial 3, D-App1в partial situation 1
    Clause: D-App1в partial situation 2, tracks §1 partial rounding
    """
    keys = {team: {name: _key(entry) for name, entry in own.items()} for team, own in passed.items() if own}
    best: dict[str, tuple[float, ...]] = {}
    for own in keys.values():
        for name, key in own.items():
            best[name] = min(key, best.get(name, key))
    order = {}
    for team, own in keys.items():
        led = [key for name, key in own.items() if key == best[name]]
        order[team] = (not led, min(led or own.values()))
    return by_key(order)[:PRIZES]
