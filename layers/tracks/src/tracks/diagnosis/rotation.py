"""Stage 2 of the final: who works with whom in each round, and the lot that gives the names (D 9.10.8)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from hashlib import sha256
from typing import Final, NamedTuple

from markup_core.said import Said

SYSTEMS: Final = 4
CLINICIANS: Final = 8
FEWEST_ROUNDS: Final = 16
MOST_ROUNDS: Final = 32
_SYSTEM: Final = "С"
_CLINICIAN: Final = "КС"

Pairs = tuple[tuple[int, int], ...]
"""The two clinicians of each system, in the order of the systems; clinicians count from 1."""


class Lot(NamedTuple):
    """Names drawn once for all rounds: С1 … С4 for teams' systems, КС1 … КС8 for clinicians."""

    systems: Mapping[str, str]
    clinicians: Mapping[str, str]


def rotation(rounds: int) -> tuple[Pairs, ...]:
    """Pairs of every round (D 9.10.8.5): in round r system s works with clinicians (s + r) mod 4 + 1 and that + 4.

    Raises ValueError unless there are 16 to 32 rounds (D 9.10.8.6).

    Clause: D 9.10.8.4, D 9.10.8.5, D 9.10.8.6
    """
    if not FEWEST_ROUNDS <= rounds <= MOST_ROUNDS:
        message = Said(
            f"there are {FEWEST_ROUNDS} to {MOST_ROUNDS} rounds, not {rounds}",
            f"раундов бывает от {FEWEST_ROUNDS} до {MOST_ROUNDS}, а не {rounds}",
        )
        raise ValueError(message)
    return tuple(tuple(_pair(system, number) for system in range(SYSTEMS)) for number in range(rounds))


def _pair(system: int, number: int) -> tuple[int, int]:
    first = (system + number) % SYSTEMS + 1
    return first, first + SYSTEMS


def draw(teams: Collection[str], clinicians: Collection[str], seed: int) -> Lot:
    """The lot (D 9.10.8.5): names in the order of the SHA-256 of seed and person.

    Whoever knows the seed can draw again and gets the same, in whatever order the people are listed. Raises
    ValueError unless there are two to four teams (D-App1в) and eight clinicians, all different.

    Clause: D 9.10.8.5
    """
    if not 2 <= len(set(teams)) == len(teams) <= SYSTEMS:
        message = f"the lot needs 2 to {SYSTEMS} different teams", f"для жребия нужны разные команды, от 2 до {SYSTEMS}"
        raise ValueError(Said(*message))
    if not len(set(clinicians)) == len(clinicians) == CLINICIANS:
        message = (
            f"the lot needs {CLINICIANS} different clinicians",
            f"для жребия нужны разные клинические специалисты, ровно {CLINICIANS}",
        )
        raise ValueError(Said(*message))
    return Lot(_drawn(teams, _SYSTEM, seed), _drawn(clinicians, _CLINICIAN, seed))


def _drawn(people: Collection[str], name: str, seed: int) -> dict[str, str]:
    order = sorted(people, key=lambda each: (sha256(f"{seed}:{name}:{each}".encode()).digest(), each))
    return {each: f"{name}{number}" for number, each in enumerate(order, start=1)}
