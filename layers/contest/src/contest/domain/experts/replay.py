"""Programs' work replayed for people, round by round: who sees whose, until when, what they said (D 9.10.7, 9.10.8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from contest.domain.moments import Millis


@dataclass(frozen=True, slots=True)
class Replay:
    """What is replayed of a run: an item a round, under names that were drawn once from a seed that everybody knows.

    ``systems`` and ``people`` are teams and persons with their names, in the order of the rotation.
    """

    run_id: str
    cycle: str
    numbers: tuple[int, ...]
    """Files of the run, one a round."""
    seed: int
    systems: tuple[tuple[str, str], ...]
    people: tuple[tuple[str, str], ...]
    limit: Millis
    """For a review, from the round's opening."""
    at: Millis
    opened: tuple[Millis, ...] = ()
    """When each round was opened so far."""
    results: Mapping[str, Any] | None = None
    """What the reviews amount to, by team, once it is closed."""
    version: int = 1

    @property
    def round(self) -> int:
        """The round that was opened last, from 1; 0 before the first."""
        return len(self.opened)

    @property
    def until(self) -> Millis:
        """The last moment in which the present round's reviews are in time.

        Clause: TS D-10
        """
        return self.opened[-1] + self.limit

    def is_running(self, now: Millis) -> bool:
        """Whether the present round may still be reviewed."""
        return self.results is None and bool(self.opened) and now <= self.until

    def is_over(self, now: Millis) -> bool:
        """Whether all rounds were held."""
        return self.round == len(self.numbers) and now > self.until

    def team_of(self, rotation: Sequence[Sequence[int]], person_id: str) -> tuple[str, str] | None:
        """Whose work a person sees in a round of this rotation: the team and its name; None where there is none for
        it, with fewer programs than the rotation has."""
        place = [each for each, _ in self.people].index(person_id)
        found = (system for system, seen in zip(self.systems, rotation, strict=False) if place in seen)
        return next(found, None)


@dataclass(frozen=True, slots=True)
class Review:
    """What a person has been shown in a round, and has said of it; every saved one replaces the one before."""

    run_id: str
    round: int
    person_id: str
    shown: int = 1
    """So many parts of the replay, the first data among them."""
    answers: Mapping[str, bool] = field(default_factory=dict)
    comment: str = ""
    saved_at: Millis | None = None
    version: int = 0


def with_round(before: Replay, now: Millis) -> Replay:
    """With the next round open."""
    return replace(before, opened=(*before.opened, now), version=before.version + 1)


def closed(before: Replay, results: Mapping[str, Any]) -> Replay:
    """With what came of it."""
    return replace(before, results=results, version=before.version + 1)
