"""The settings of a rehearsal."""

from __future__ import annotations

from dataclasses import dataclass

from rehearsal.play.cycles import Cycle
from rehearsal.play.injections import Fault


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a rehearsal; seconds where nothing else is said.

    ``bug`` is one of :mod:`rehearsal.harm.bugs`. ``share`` is that of the files with a trick, None the usual one.
    ``lead`` is the time from the planning to the start. ``cycle`` is the organizer's own; without it the contest's
    demonstration is played.
    """

    teams: int = 10
    files: int = 20
    seed: int = 1
    faults: frozenset[Fault] = frozenset()
    interval: float = 60.0
    request: float = 10.0
    answer: float = 50.0
    total: float = 60.0
    join: float = 120.0
    bug: str | None = None
    driven: bool = True
    workers: int = 2
    share: float | None = None
    lead: float = 120.0
    cycle: Cycle | None = None
