"""When and whether the results of a session are told (R 7.11; tracks-sessions T6)."""

from __future__ import annotations

from contest.domain.cycle.cycle import SetKind
from contest.domain.moments import Millis, next_half_day
from contest.domain.run.schedule import Schedule
from contest.domain.session.session import Session
from contest.errors.steps import ResultsLaterError
from contest.services import reading
from contest.services.platform import Platform
from tracks.protocol import mode_named
from tracks.rules import Told


def told(platform: Platform, session: Session) -> Told:
    """When the results of such sessions are told, by the contest's kind of session.

    Clause: TS T6
    """
    rules = mode_named(reading.track_of(platform, session), session.order.mode)
    if rules is None:
        return Told.AT_THE_END
    paced = rules.told_of_steps if session.order.interval_s is not None else None
    return paced or rules.told


def refuse_earlier(platform: Platform, session: Session, now: Millis) -> None:
    """:class:`ResultsLaterError` before the time at which the results of a closed session are told.

    Clause: TS T6
    """
    if told(platform, session) is not Told.AT_NOON_AND_MIDNIGHT or session.closed_at is None:
        return
    told_at = next_half_day(session.closed_at, reading.recent_cycle(platform).time_zone)
    if now < told_at:
        raise ResultsLaterError.until(told_at, now)


def tells_results(platform: Platform, schedule: Schedule | None, session: Session) -> bool:
    """Whether a report may say how good the answers were: of a final when its results are out (R 7.11), or told to each
    team before; never of a session that the contest does not score.

    Clause: R 7.11, R 7.8, TS T6, TS D-6
    """
    if told(platform, session) is Told.NEVER:
        return False
    if schedule is None or session.set_kind is SetKind.TRAINING or schedule.run.published_at is not None:
        return True
    return is_preliminary(platform, schedule)


def is_preliminary(platform: Platform, schedule: Schedule) -> bool:
    """Whether a run's teams are told their own results before these are published: when it is over and was not stopped.

    Clause: TS D-6, D 6.11
    """
    run = schedule.run
    own = platform.tracks(run.track).policies(run.mode.value).preliminary
    return own and run.closed_at is not None and schedule.stop is None
