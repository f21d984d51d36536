"""Injected faults between a queue or stream and a function, at random but repeatable from a seed."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

Lost = Callable[[str, str], bool]
"""Whether a message or record vanishes before its function and never comes again: by its source's name and its text.
A message is asked of once, when it comes for the first time."""


def nothing_lost(_source: str, _text: str) -> bool:
    """Return false: no event is lost for good."""
    return False


class Fate(Enum):
    """The fate of a delivery."""

    DELIVER = "deliver"
    DUPLICATE = "duplicate"  # the function gets it twice, the second time after it has answered
    DELAY = "delay"  # what comes later is delivered first (a queue), or in smaller pieces (a stream)
    DROP = "drop"  # taken and lost; comes again


@dataclass(frozen=True)
class Faults:
    """Probabilities from 0 to 1 of each fault, for every delivery to every function; none by default.

    No delivery is dropped or delayed a second time, so that faults alone never bring a message to a
    dead-letter queue. The fates of one source depend on the seed and on its own deliveries only. What is ``lost``
    for good, whoever loses it decides.
    """

    seed: int = 0
    duplicate: float = 0.0
    delay: float = 0.0
    drop: float = 0.0
    lost: Lost = nothing_lost

    def __post_init__(self) -> None:
        chances = (self.duplicate, self.delay, self.drop)
        if min(chances) < 0 or sum(chances) > 1:
            raise ValueError(f"the probabilities of faults must be at least 0 and at most 1 together, not {chances}")

    def source(self, name: str) -> Fates:
        """Return the sequence of fates for one source of events."""
        return Fates(self, name)


class Fates:
    """The fates of the deliveries of one source, drawn one after the other."""

    def __init__(self, faults: Faults, name: str) -> None:
        self._faults = faults
        self._random = random.Random(f"{faults.seed}/{name}")  # noqa: S311 - repeatable faults, nothing secret

    def draw(self, *, first_time: bool) -> Fate:
        """Return the fate of the next delivery; only a first delivery is dropped or delayed."""
        point = self._random.random()
        if point < self._faults.duplicate:
            return Fate.DUPLICATE
        point -= self._faults.duplicate
        if point < self._faults.delay and first_time:
            return Fate.DELAY
        if self._faults.delay <= point < self._faults.delay + self._faults.drop and first_time:
            return Fate.DROP
        return Fate.DELIVER
