"""Decide how many executions of which functions are kept running around a final, and the actions to schedule.

Lambda keeps executions running by provisioned concurrency, which Application Auto Scaling changes at given moments.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from contest.routes import kept_for
from contest.values import MINUTE, Millis
from markup_core.lazy import dataclass

LEAD: Final[Millis] = 15 * MINUTE
"""Time before a final at which executions are requested: Lambda starts them within minutes."""
TAIL: Final[Millis] = 5 * MINUTE
NEXT: Final[Millis] = 2 * MINUTE
"""Delay of an action that is due already: a moment that has passed is refused."""


@dataclass(frozen=True, slots=True)
class Window:
    """Executions for so many teams, from ``since`` to before ``until``."""

    since: Millis
    until: Millis
    teams: int


@dataclass(frozen=True, slots=True, order=True)
class Action:
    """From the moment ``at``, a full minute, on so many executions of a function are kept running."""

    at: Millis
    function: str
    executions: int

    @property
    def name(self) -> str:
        """Return the name under which it is scheduled; another action at the same moment has the same one."""
        return f"hurdle-{self.at // MINUTE}"


def window_of(starts_at: Millis, ends_at: Millis, teams: int) -> Window:
    """Return the window around a final, in full minutes."""
    since, until = starts_at - LEAD, ends_at + TAIL
    return Window(since // MINUTE * MINUTE, -(-until // MINUTE) * MINUTE, teams)


def teams_at(windows: Iterable[Window], moment: Millis) -> int:
    """Return the number of teams that executions are kept for at a moment: of windows that overlap, the greatest."""
    return max((window.teams for window in windows if window.since <= moment < window.until), default=0)


def kept_at(function: str, running: Mapping[str, int], planned: Iterable[Action], moment: Millis) -> int:
    """Return how many executions of a function are to be kept running at a moment, by what is scheduled."""
    coming = sorted(action for action in planned if action.function == function and action.at <= moment)
    return coming[-1].executions if coming else running.get(function, 0)


def changes(
    windows: Sequence[Window], running: Mapping[str, int], planned: Sequence[Action], now: Millis
) -> tuple[list[Action], list[Action]]:
    """Return the actions to schedule and those to take back, so that the windows are kept.

    ``running``: executions that are kept running by now; ``planned``: the actions that are scheduled, those of the past
    among them. Calling it again after the changes returns nothing until something else is wanted or a moment has come.
    """
    moments = {moment for window in windows for moment in (window.since, window.until) if moment > now}
    needed = {
        Action(moment, function, executions)
        for moment in moments
        for function, executions in kept_for(teams_at(windows, moment)).items()
    }
    for function, executions in kept_for(teams_at(windows, now)).items():
        if running.get(function, 0) == executions:
            continue
        coming = [action for action in planned if action.function == function and now < action.at <= now + NEXT]
        right = [action for action in coming if action.executions == executions and action.at not in moments]
        at = right[0].at if right else (now + NEXT) // MINUTE * MINUTE
        if at not in moments:
            needed.add(Action(at, function, executions))
    return sorted(needed - set(planned)), sorted(set(planned) - needed)
