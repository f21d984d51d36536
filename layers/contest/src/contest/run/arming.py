"""Keep functions running around finals and in the windows of the cycle's file, without a deployment.

The timer compares what is scheduled with what finals need, and changes the difference; a final that is moved, paused or
called off is followed within a minute, an admitted team within ten.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from contest import reading
from contest.cycle.rules.cycle import Mode
from contest.platform import Platform
from contest.run.rules import arming
from contest.run.rules.arming import Window
from contest.run.rules.schedule import Schedule
from contest.values import DAY, MINUTE, Millis, iso

FROM: Final[Millis] = 14 * DAY
"""Finals that start later are left for later: their teams are not admitted yet."""
AGAIN: Final[Millis] = 10 * MINUTE
"""Most comparisons of unchanged facts in one process."""
_NAME: Final = "arming"


def follow(platform: Platform, schedules: Iterable[Schedule], now: Millis) -> int:
    """Schedule what the finals among these runs and the file's windows need; return how many changes it took.

    Nothing is asked of AWS while nothing is wanted and nothing was. Repeating it is harmless.
    """
    capacity = platform.capacity
    if capacity is None:
        return 0
    runs = ((schedule, schedule.run) for schedule in schedules)
    finals = [
        schedule
        for schedule, run in runs
        if run.mode is Mode.FINAL and not run.trial and run.closed_at is None and run.starts_at < now + FROM
    ]
    versions = tuple((final.run.run_id, final.run.version) for final in finals)
    last = platform.memory.known(_NAME)
    if last is not None and last[0] == versions and now < last[1] + AGAIN:
        return 0
    of_file = (Window(since, until, teams) for since, until, teams in capacity.windows if until > now)
    windows = [*of_file, *(_of_final(platform, final) for final in finals)]
    # Noted before anything is changed, so that a failure in between leaves the note that there is something to undo.
    noted = ";".join(f"{iso(window.since)}/{iso(window.until)}" for window in windows)
    noted_before = platform.upkeep.left(_NAME)
    if noted and noted != noted_before:
        platform.upkeep.tick(_NAME, now, noted)
    changed = 0
    if noted or noted_before:
        add, remove = arming.changes(windows, platform.arming.kept(), platform.arming.planned(), now)
        for action in remove:
            platform.arming.remove(action)
        for action in add:
            platform.arming.put(action)
        changed = len(add) + len(remove)
        if not noted and not changed:
            platform.upkeep.tick(_NAME, now, "")
    if noted or not changed:
        platform.memory.put(_NAME, (versions, now))
    return changed


def asked_for(platform: Platform, moment: Millis) -> int | None:
    """Return how many executions of Dispatch AWS is to keep running at a moment, as AWS says; None if it does not."""
    try:
        running, planned = platform.arming.kept(), platform.arming.planned()
    except Exception:  # noqa: BLE001 -- a check says what is not known; it does not end by it
        return None
    return arming.kept_at("Dispatch", running, planned, max(moment, platform.clock.now()))


def _of_final(platform: Platform, schedule: Schedule) -> Window:
    stopped, ends_at = schedule.stopped_at, schedule.ends_at
    until = ends_at if stopped is None else min(stopped, ends_at)
    admitted = reading.admitted(platform, schedule.run)
    if admitted is None:
        admitted = tuple(team.team_id for team in platform.people.all_teams() if reading.takes_part(platform, team))
    return arming.window_of(schedule.run.starts_at, until, len(admitted))
