"""Take part in a scheduled run (R 6.6, 7.4, 4.5)."""

from __future__ import annotations

from dataclasses import asdict

from contest.domain.cycle.cycle import Mode
from contest.domain.moments import SECOND, Millis
from contest.domain.run import calendar
from contest.domain.run.run import Run
from contest.domain.run.schedule import Schedule
from contest.domain.session import limits
from contest.domain.session.requests import Key
from contest.domain.session.session import Client, Order, Session
from contest.errors import AlreadyParticipatedError, NoRunError, NotAdmittedError, RunNotJoinableError
from contest.services import grounds, reading
from contest.services.platform import Platform
from contest.services.session import modules
from contest.services.session.idempotency import opened_once, refuse_second
from contest.services.session.request import Request

_LATEST = 10
"""Among so many of the latest runs of a mode is the one to join."""


def join_run(platform: Platform, request: Request, mode: Mode, run_id: str | None, client: Client | None) -> Session:
    """Open a session in a run; without a name, in the next one of the mode that the team may join.

    Joinable from the run's creation until its joining time after the start is over (R-App2), and later where its rules
    or the organizers let the team in. In a final a team has one
    session, whatever becomes of it; in a technical run one at a time.

    Clause: R 4.4, R 6.3
    """
    team_id, arrival = request.identity.team_id, request.arrival

    def attempt(key: Key | None) -> Session:
        refuse_second(platform, team_id, mode.value, arrival)
        chosen = _chosen(platform, team_id, mode, run_id, arrival)
        grounds.refuse_annulled(platform, chosen.run.cycle, chosen.run.set_name)
        modules.refuse_unknown(platform, reading.parameters(platform, chosen.run.parameters_version), client)
        session = _session(platform, team_id, chosen, client, arrival)
        platform.sessions.join(session, key)
        return session

    wished = {"mode": mode.value, "run_id": run_id, "client": asdict(client) if client else None}
    return opened_once(platform, request, wished, attempt)


def _chosen(platform: Platform, team_id: str, mode: Mode, run_id: str | None, now: Millis) -> Schedule:
    """The run to join, or why there is none. Of several the one that starts first."""
    if run_id is not None:
        run = platform.runs.get(run_id)
        if run is None or run.mode is not mode:
            raise NoRunError
        named = Schedule.of(run)
        _refuse(platform, team_id, named, now)
        return named
    latest = (reading.schedule(platform, each) for each in platform.runs.of_mode(mode, _LATEST))
    joinable = sorted(
        (each for each in latest if each.may_join(team_id, now)),
        key=lambda each: (each.run.starts_at, each.run.run_id),
    )
    if not joinable:
        # When the timer's next run will start is known; a final is known only when it is planned.
        version = reading.recent_cycle(platform).parameters_version
        times = reading.parameters(platform, version).technical_times
        is_known = mode is Mode.TECHNICAL and times.enabled
        raise NoRunError.until(calendar.next_start(times, now) if is_known else None)
    for each in joinable:
        if _is_admitted(platform, team_id, each.run) and not _participation(platform, team_id, each.run):
            return each
    _refuse(platform, team_id, joinable[0], now)
    raise NoRunError


def _refuse(platform: Platform, team_id: str, schedule: Schedule, now: Millis) -> None:
    """Clause: R 7.4, R 4.5, TS D-3, platform §1 policies"""
    run = schedule.run
    if not _is_admitted(platform, team_id, run):
        raise NotAdmittedError
    participation = _participation(platform, team_id, run)
    if participation is not None:
        raise AlreadyParticipatedError.named(participation)
    if not schedule.may_join(team_id, now):
        join_until = schedule.join_until_of(team_id, now)
        raise RunNotJoinableError.since(min(join_until, schedule.stopped_at or join_until))


def _is_admitted(platform: Platform, team_id: str, run: Run) -> bool:
    """Say whether a run takes a team; a final that names none takes nobody whom the organizers have not admitted.

    Clause: R 7.2, R 8.2.3, platform §3 admission
    """
    if run.takes_admitted:
        found = platform.qualification.admission(run.cycle, team_id)
        return found is not None and found.admitted
    return run.admitted is None or team_id in run.admitted


def _participation(platform: Platform, team_id: str, run: Run) -> str | None:
    """Clause: R 4.5"""
    return platform.sessions.participation(team_id, run.run_id) if run.mode is Mode.FINAL else None


def _session(platform: Platform, team_id: str, schedule: Schedule, client: Client | None, now: Millis) -> Session:
    cycle = reading.recent_cycle(platform)
    run, files = schedule.run, schedule.total_files
    return Session(
        session_id=platform.randomness.session_id(),
        team_id=team_id,
        cycle=run.cycle,
        track=run.track,
        order=Order(run.mode.value, run.set_name, files, run.language, run.limits.answer // SECOND, client),
        set_kind=run.set_kind,
        manifest=run.manifest,
        files=files,
        available=files,
        parameters_version=run.parameters_version,
        opened_at=now,
        quota_day=limits.quota_day(now, cycle.time_zone),
        run_id=run.run_id,
    )
