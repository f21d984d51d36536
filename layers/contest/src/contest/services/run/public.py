"""What everybody may know: the cycle, and the runs with what was promised about them."""

from __future__ import annotations

from typing import Any, NamedTuple, cast

from contest.domain.cycle.cycle import Cycle, Mode, Parameters
from contest.domain.run.run import BELIEVED
from contest.domain.run.schedule import Schedule
from contest.services import reading
from contest.services.platform import Platform
from contest.services.run import planning, records
from tracks.rules import Called, ModeRules


class Current(NamedTuple):
    """The cycle with the parameters that hold now, the kinds of sessions that its contest has, its word for items."""

    cycle: Cycle
    parameters: Parameters
    modes: tuple[ModeRules, ...]
    called: Called


def current(platform: Platform) -> Current:
    """What is contested now, and by which rules."""
    cycle = reading.recent_cycle(platform)
    track = platform.tracks(cycle.track)
    parameters = reading.parameters(platform, cycle.parameters_version)
    return Current(cycle, parameters, track.modes(), track.items_called)


def classifier(platform: Platform) -> tuple[Cycle, Any]:
    """The cycle, and what answers may name in it by its track.

    Clause: R 2.12
    """
    known = current(platform)
    return known.cycle, platform.tracks(known.cycle.track).classifier(known.parameters.track)


class Promised(NamedTuple):
    """Hold a run with its signed statements: its commitment and, once joining is over, the roster of who was let in."""

    schedule: Schedule
    commitment: dict[str, Any]
    roster: dict[str, Any] | None


def runs(platform: Platform, mode: str | None, limit: int) -> tuple[Promised, ...]:
    """List runs of a mode or of all, the latest start first."""
    key = ("runs", mode, limit, platform.clock.now() // BELIEVED)

    def read() -> tuple[Schedule, ...]:
        return tuple(Schedule.of(each) for each in planning.listed(platform, Mode(mode) if mode else None, limit))

    found = cast(tuple[Schedule, ...], platform.memory.keep(key, read))
    return tuple(_promised(platform, each) for each in found)


def run(platform: Platform, run_id: str) -> Promised:
    """Return one run with what is signed of it."""
    return _promised(platform, reading.schedule(platform, run_id))


def _promised(platform: Platform, schedule: Schedule) -> Promised:
    commitment = planning.commitment_of(platform, schedule.run.run_id)
    return Promised(schedule, commitment, records.roster_of(platform, schedule))
