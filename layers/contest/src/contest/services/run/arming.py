"""Release records: written by the timer before an opening, by the first request where the timer was not there."""

from __future__ import annotations

from contextlib import suppress

from contest.domain.moments import Millis
from contest.domain.run import release
from contest.domain.run.release import ArmedBy, Release
from contest.domain.run.run import ARMED_AHEAD
from contest.domain.run.schedule import Schedule
from contest.ports import LostRaceError
from contest.services import reading
from contest.services.platform import Platform


def arm_coming(platform: Platform, schedule: Schedule, now: Millis) -> int:
    """Write the records of what opens in the coming minutes, and of what has opened without one; how many.

    A missed tick is made up for by the next one, a doubled one finds everything done; neither decides an opening.

    Clause: platform §3 arming
    """
    known = {each.number: each for each in platform.runs.releases(schedule.run.run_id)}
    stop = schedule.stopped_at
    due = [
        number
        for number, window in enumerate(schedule.windows, start=1)
        if window.opens_at <= now + ARMED_AHEAD and (stop is None or window.opens_at < stop)
    ]
    return sum(arm(platform, schedule, number, ArmedBy.TIMER, known.get(number)) for number in due)


def arm(platform: Platform, schedule: Schedule, number: int, by: ArmedBy, before: Release | None) -> bool:
    """Write the release record of a file, or write it anew after its opening was moved; whether it was written.

    ``before`` is the record that is there. Losing the race is right: somebody else wrote the same.

    A stale copy of the run never moves a record for good: what has changed is known to everybody before it takes
    effect, and the timer of the next minute arms what was moved once more.
    """
    file = reading.run_plan(platform, schedule)[number - 1]
    made = release.due(schedule, number, file, before, platform.clock.now(), by)
    if made is None:
        return False
    with suppress(LostRaceError):
        platform.runs.arm(schedule.run.run_id, made, before)
        return True
    return False
