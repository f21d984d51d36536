"""Take part in a scheduled run (R 6.6, 7.4, 4.5)."""

from __future__ import annotations

from collections.abc import Iterator

from contest.domain import limits, technical
from contest.domain import run as schedule
from contest.domain.cycle import Mode
from contest.domain.moments import SECOND, Millis
from contest.domain.rights import Identity
from contest.domain.run import Run
from contest.domain.session import Client, Order, Session
from contest.errors import AlreadyParticipatedError, NoRunError, NotAdmittedError, RunNotJoinableError
from contest.services import knowledge
from contest.services.once import opened_once, refuse_second
from contest.services.platform import Platform
from tracks.protocol import LateJoiner

_LATEST = 10
"""Among so many of the latest runs of a mode is the one to join."""


def join_run(
    platform: Platform,
    identity: Identity,
    mode: Mode,
    run_id: str | None,
    client: Client | None,
    retry_key: str | None,
    arrival: Millis,
) -> Session:
    """Open a session in a run; without a name, in the next one of the mode that the team may join.

    Joinable from the run's creation until its joining time after the start is over (R-App2). In a final a team has one
    session, whatever becomes of it; in a technical run one at a time.
    """
    team_id = identity.team_id

    def attempt(key: str | None) -> Session:
        refuse_second(platform, team_id, mode.value, arrival)
        run = _chosen(platform, team_id, mode, run_id, arrival)
        session = _session(platform, team_id, run, client, arrival)
        platform.sessions.join(session, key)
        return session

    return opened_once(platform, team_id, retry_key, attempt)


def _chosen(platform: Platform, team_id: str, mode: Mode, run_id: str | None, now: Millis) -> Run:
    """The run to join, or why there is none. Of several the one that starts first."""
    if run_id is not None:
        run = platform.runs.get(run_id)
        if run is None or run.mode is not mode:
            raise NoRunError
        _refuse(platform, team_id, run, now)
        return run
    joinable = sorted(_joinable(platform, mode, now), key=lambda run: (run.starts_at, run.run_id))
    if not joinable:
        raise NoRunError.until(_next_start(platform, mode, now))
    for run in joinable:
        if _is_admitted(team_id, run) and not _participation(platform, team_id, run):
            return run
    _refuse(platform, team_id, joinable[0], now)
    raise NoRunError


def _joinable(platform: Platform, mode: Mode, now: Millis) -> Iterator[Run]:
    for run_id in platform.runs.of_mode(mode, _LATEST):
        run = knowledge.run(platform, run_id)
        if now <= _join_until(platform, run) and schedule.may_join(run, now):
            yield run


def _join_until(platform: Platform, run: Run) -> Millis:
    """Until when a session may be opened; some contests refuse who comes after the start."""
    late = platform.tracks(run.track).policies(run.mode.value).late_joiner
    return schedule.opens_at(run, 1) if late is LateJoiner.REFUSED else schedule.join_until(run)


def _refuse(platform: Platform, team_id: str, run: Run, now: Millis) -> None:
    if not _is_admitted(team_id, run):
        raise NotAdmittedError
    participation = _participation(platform, team_id, run)
    if participation is not None:
        raise AlreadyParticipatedError.named(participation)
    join_until = _join_until(platform, run)
    if now > join_until or not schedule.may_join(run, now):
        raise RunNotJoinableError.since(min(join_until, schedule.stopped_at(run) or join_until))


def _is_admitted(team_id: str, run: Run) -> bool:
    return run.admitted is None or team_id in run.admitted


def _participation(platform: Platform, team_id: str, run: Run) -> str | None:
    return platform.sessions.participation(team_id, run.run_id) if run.mode is Mode.FINAL else None


def _next_start(platform: Platform, mode: Mode, now: Millis) -> Millis | None:
    """When the timer's next run will start; a final is known only when it is planned."""
    cycle = knowledge.recent_cycle(platform)
    times = knowledge.parameters(platform, cycle.parameters_version).technical_times
    return technical.next_start(times, now) if mode is Mode.TECHNICAL and times.enabled else None


def _session(platform: Platform, team_id: str, run: Run, client: Client | None, now: Millis) -> Session:
    cycle = knowledge.recent_cycle(platform)
    files = schedule.total_files(run)
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
