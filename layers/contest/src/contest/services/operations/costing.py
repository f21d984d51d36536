"""What the deployed cycle will cost, by its own figures: its finals, its days, a dated price list (platform §7)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any, Final

from contest.domain.cycle.cycle import Cycle, Mode, SetKind
from contest.domain.moments import DAY, Millis
from contest.domain.operations import costs
from contest.domain.operations.costs import FINAL, Figure, Line, Period, Size, Source
from contest.domain.people.teams import TeamStatus
from contest.domain.results.qualification import admitted_teams
from contest.errors import InvalidRequestError
from contest.services import reading
from contest.services.platform import Platform

_DATA: Final = files("contest.services.operations") / "costs"
QUEUES: Final = 18
"""Queues with workers: eight of work, ten of dead letters."""
TIMER_CALLS: Final = 2 * 1440 + 6
"""A day: the two minute timers and the audit."""
TIMER_GB_S: Final = 0.2
"""Of a timer's call that finds nothing to do: a gigabyte for a fifth of a second."""
USUAL_DAYS: Final = 30
"""For a cycle that names no stages."""
FINALS: Final = 100
"""Finals that one estimate is about, the latest ones."""


@dataclass(frozen=True, slots=True)
class Wish:
    """Figures that whoever asks has named in the place of the cycle's own; None: the cycle's own."""

    teams: int | None = None
    files: int | None = None
    listening: int | None = None
    days: int | None = None


@dataclass(frozen=True, slots=True)
class FinalCost:
    """A final's estimate: of a run, or of what a set's files would be as one (``run_id`` None)."""

    run_id: str | None
    set_name: str
    teams: Figure
    files: Figure
    listening: Figure
    lines: tuple[Line, ...]

    @property
    def cost(self) -> float:
        """Its part of the bill."""
        return sum(each.cost for each in self.lines)


@dataclass(frozen=True, slots=True)
class CycleCost:
    """The whole estimate, with the list that it is priced by and the sizes of the played finals it was counted from."""

    finals: tuple[FinalCost, ...]
    days: Figure
    lines: tuple[Line, ...]
    """Of the days."""
    prices: Mapping[str, Any]
    played: tuple[tuple[int, int], ...]


def price_list() -> dict[str, Any]:
    """The list that comes with the platform: every price with its date and source."""
    found: dict[str, Any] = json.loads((_DATA / "prices.json").read_text("utf-8"))
    return found


def final_counts(size: Size) -> dict[str, float]:
    """Everything billed of a final, by the coefficients that ``make metered`` has written."""
    return costs.with_the_rest(costs.estimate_final(_usage()[FINAL], size))


def days_counts(days: int) -> dict[str, float]:
    """Everything billed of days on which nobody comes."""
    return costs.with_the_rest(costs.estimate_period(Period(days, QUEUES, TIMER_CALLS, TIMER_GB_S)))


def of_cycle(platform: Platform, wish: Wish) -> CycleCost:
    """What the deployed cycle's finals and days cost. An invalid request where more teams listen than take part.

    Clause: platform §7 cost
    """
    cycle, listed = reading.cycle_now(platform), price_list()
    days = _asked(wish.days) or _days(cycle)
    played = tuple((teams, count) for teams, count in _usage()["measured"]["sizes"])
    billed = costs.bill(days_counts(days.value), listed["prices"])
    return CycleCost(_finals(platform, cycle, wish, listed["prices"]), days, billed, listed, played)


def _usage() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((_DATA / "usage.json").read_text("utf-8"))
    return found


def _finals(platform: Platform, cycle: Cycle, wish: Wish, prices: Mapping[str, Any]) -> tuple[FinalCost, ...]:
    """Of the runs that there are; before there are any, of every set that is to be a final's."""
    now = platform.clock.now()
    # Runs of all cycles are listed together.
    runs = [reading.schedule_now(platform, run_id) for run_id in platform.runs.of_mode(Mode.FINAL, FINALS)]
    own = [each for each in runs if each.run.cycle == cycle.name and not each.run.trial]
    found: list[tuple[str | None, str, Figure, Figure, Figure | None]] = []
    for schedule in own:
        run = schedule.run
        files_ = Figure(schedule.total_files, Source.PLANNED)
        admitted = reading.admitted(platform, run)
        teams, listening = _participation(platform, run.run_id, admitted, now > schedule.join_until)
        found.append((run.run_id, run.set_name, teams, files_, listening))
    if not own:
        admitted = admitted_teams(platform.qualification.admissions(cycle.name))
        teams = Figure(_count(platform, admitted), Source.PLANNED)
        sets = [each for each in cycle.sets if each.kind is SetKind.FINAL]
        found.extend((None, each.name, teams, Figure(each.size, Source.PLANNED), None) for each in sets)
    return tuple(_final(*each, wish, prices) for each in found)


def _participation(
    platform: Platform, run_id: str, admitted: tuple[str, ...] | None, is_joined: bool
) -> tuple[Figure, Figure | None]:
    """Teams of a final and those of them on the channel: who came, once nobody can join any more."""
    if not is_joined:
        return Figure(_count(platform, admitted), Source.PLANNED), None
    sessions = platform.runs.sessions_of(run_id)
    listening = [each for _, each in sessions if platform.connections.attachment(each) is not None]
    return Figure(len(sessions), Source.COUNTED), Figure(len(listening), Source.COUNTED)


def _count(platform: Platform, admitted: tuple[str, ...] | None) -> int:
    """Count the approved teams that are admitted; while none are admitted, the approved ones, of which they will be."""
    approved = {team.team_id for team in platform.people.all_teams() if team.status is TeamStatus.APPROVED}
    return len(approved.intersection(admitted) if admitted else approved)


def _final(
    run_id: str | None,
    set_name: str,
    teams: Figure,
    count: Figure,
    listening: Figure | None,
    wish: Wish,
    prices: Mapping[str, Any],
) -> FinalCost:
    teams, count = _asked(wish.teams) or teams, _asked(wish.files) or count
    size = costs.usual(teams.value, count.value)
    # Who came does not say how many of other numbers of teams would listen.
    known = None if wish.teams is not None else listening
    heard = _asked(wish.listening) or known or Figure(size.listening, Source.USUAL)
    if heard.value > teams.value:
        en = f"{heard.value} teams on the event channel, and {teams.value} that take part"
        ru = f"на канале событий команд: {heard.value}, а участвуют {teams.value}"
        raise InvalidRequestError([{"code": "more_listen", "message": en, "message_ru": ru, "field": "listening"}])
    # A final to which nobody comes asks for nothing.
    counts = final_counts(replace(size, listening=heard.value)) if teams.value else {}
    return FinalCost(run_id, set_name, teams, count, heard, costs.bill(counts, prices))


def _asked(value: int | None) -> Figure | None:
    return None if value is None else Figure(value, Source.ASKED)


def _days(cycle: Cycle) -> Figure:
    """From the first stage's beginning to the last one's end."""
    if not cycle.stages:
        return Figure(USUAL_DAYS, Source.USUAL)
    begins: Millis = min(each.starts_at(cycle.calendar) for each in cycle.stages)
    ends: Millis = max(each.ends_at(cycle.calendar) for each in cycle.stages)
    return Figure(-(-(ends - begins) // DAY), Source.PLANNED)
