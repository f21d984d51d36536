"""Work of the minute timer (platform §3).

It arms files that open soon, ends sessions that are over, scores forgotten answers, makes due reports, sends jobs for
due records and boards, and ends experts' assignments whose time has run out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Final, TypeVar

from contest import reading
from contest.cycle import announcing
from contest.experts import references
from contest.experts import work as expert_work
from contest.platform import Platform
from contest.results import commission, publishing, reporting, scoring, settling
from contest.results.rules.jobs import OutboxEntry, unscored_for
from contest.run import recording, watching
from contest.session import following
from contest.session.rules.delivery import Cause
from contest.session.rules.session import IN_FLIGHT, Session
from contest.stored_names import LetterQueue
from contest.submissions import worker
from contest.values import Millis

T = TypeVar("T")

TIMER: Final = "minute"
"""Under which name it is noted when the timer came last."""


@dataclass(frozen=True, slots=True)
class Swept:
    """Result of a sweep. ``failures`` names each failure and its cause; everything else was done."""

    armed: int
    """Release records written."""
    closed: int
    """Sessions ended."""
    enqueued: int
    unscored: Millis
    """For how long the oldest unscored answer has waited; 0 without one."""
    reported: int
    missed: int
    """Files that new proposals on mass failures name."""
    overdue: int
    """Files of open sessions that the platform owes."""
    settling: int
    """Steps towards records and boards that workers were sent for."""
    expired: int
    """Assignments of experts whose time was over."""
    considered: int
    """Essays about which the rule for a third expert was asked."""
    letters: Mapping[str, int]
    """Dead letters that wait for somebody, by their queue."""
    noted: int
    """Parts of boards whose places changed."""
    told: int
    """Announcements that were passed on."""
    submissions: int
    """Submissions that workers were sent for, and uploads that were given up."""
    stuck: int
    """Submissions that have been in one state for longer than anything takes."""
    failures: tuple[tuple[str, Exception], ...]


def sweep(platform: Platform) -> Swept:
    """Do the work of a minute. Requests decide the same by themselves, so a missed minute costs nobody.

    One failure keeps nothing else waiting; it is reported at the end.
    """
    now = platform.clock.now()
    failures: list[tuple[str, Exception]] = []
    visit = partial(_each, failures=failures)
    visit(("technical run",), lambda _: int(watching.ensure_run(platform) is not None))
    active, schedule_of = platform.runs.active_ids(), cache(partial(reading.schedule_now, platform))
    armed = visit(active, lambda run_id: watching.arm_coming(platform, schedule_of(run_id), now))
    visit(active, lambda run_id: recording.make_roster(platform, schedule_of(run_id)))
    stored = _together(platform.sessions.open_ids(), partial(reading.sessions, platform), failures)
    sessions = {name: session for name, session in stored.items() if session.is_open}
    over = _together(sessions, lambda names: _may_be_over(platform, [sessions[name] for name in names], now), failures)
    closed = visit(over, lambda name: _close(platform, now, sessions[name], over[name]))
    if closed:
        still_open = platform.sessions.open_ids()
        sessions = {name: sessions[name] for name in still_open if name in sessions}
    unreported = platform.sessions.unreported_ids()
    waiting = scoring.waiting(platform, now)
    stale = scoring.stale(waiting, now)
    enqueued = visit(stale, lambda name: _enqueue(platform, now, stale[name]))
    enqueued += visit(sessions, lambda name: _settled(platform, now, sessions[name]))
    visit(unreported, lambda name: int(references.take_in_session(platform, name)))
    reported = visit(unreported, partial(report, platform))
    missed = visit(active, lambda run_id: watching.notice_mass_failure(platform, run_id))
    overdue = visit(sessions, lambda name: _overdue(platform, now, sessions[name]))
    steps = visit((*active, *platform.runs.unsettled_ids()), lambda run_id: settling.send(platform, run_id))
    expired = _each_pair(platform.experts.open_assignments(), partial(expert_work.finish, platform, now=now), failures)
    considered = _each_pair(platform.experts.due_essays(), partial(expert_work.consider_thirds, platform), failures)
    announced = visit(announcing.untold(platform), partial(announcing.tell, platform))
    unfinished = platform.submissions.unfinished()
    submitted = visit(unfinished, partial(worker.tend, platform, now))
    stuck = visit(unfinished, partial(worker.stuck, platform, now))
    letters = _letters(platform, failures)
    platform.upkeep.tick(TIMER, now)
    visit(("annulments",), lambda _: commission.follow(platform))
    noted = visit(("boards",), lambda _: publishing.note_all(platform))
    counts = (
        armed,
        closed,
        enqueued,
        max((unscored_for(entry, now) for entry in waiting), default=0),
        reported,
        missed,
        overdue,
        steps,
        expired,
        considered,
        letters,
        noted,
        announced,
        submitted,
        stuck,
    )
    return Swept(*counts, tuple(failures))


def _each(names: Iterable[str], work: Callable[[str], int], failures: list[tuple[str, Exception]]) -> int:
    done = 0
    for name in names:
        try:
            done += work(name)
        except Exception as error:  # noqa: BLE001 -- one failure must not stop the others
            failures.append((name, error))
    return done


def _together(
    names: Iterable[str], read: Callable[[Sequence[str]], dict[str, T]], failures: list[tuple[str, Exception]]
) -> dict[str, T]:
    """Read about all names in a few calls; where that fails, about each alone, so that one failure is of one name."""
    wanted, found = list(names), {}
    try:
        return read(wanted)
    except Exception:  # noqa: BLE001 -- its cause is found below, or was of a moment

        def alone(name: str) -> int:
            found.update(read([name]))
            return 0

        _each(wanted, alone, failures)
        return found


def _each_pair(
    names: Iterable[tuple[str, str]], work: Callable[[str, str], int], failures: list[tuple[str, Exception]]
) -> int:
    pairs = {"/".join(name): name for name in names}
    return _each(pairs, lambda name: work(*pairs[name]), failures)


def _letters(platform: Platform, failures: list[tuple[str, Exception]]) -> Mapping[str, int]:
    try:
        counted = platform.dead_letters.counts()
    except Exception as error:  # noqa: BLE001 -- as above
        failures.append(("dead letters", error))
        return {}
    return {queue.value: counted.get(queue, 0) for queue in LetterQueue}


def close(platform: Platform, now: Millis, session_id: str) -> int:
    """Close a session whose time is over; return 1 if it was."""
    sessions = reading.sessions(platform, [session_id])
    over = _may_be_over(platform, list(sessions.values()), now)
    return sum(_close(platform, now, sessions[name], seen_at) for name, seen_at in over.items())


def _may_be_over(platform: Platform, sessions: Sequence[Session], now: Millis) -> dict[str, Millis]:
    """Return the open sessions whose time may be over, so that reading their facts is worth it, each with the time of
    its latest request.
    """
    reads, over = platform.session_reads, {}
    requests = reads.requests({session.team_id for session in sessions})
    unscheduled = filter(following.is_unscheduled, sessions)
    last_files = reads.deliveries({session.session_id: (session.files,) for session in unscheduled})
    for session in sessions:
        made = requests.get(session.team_id)
        seen_at = (made.seen_at(session) if made else None) or session.opened_at
        # Without a schedule a session is also over by its files, when the last of them was handed out with all others.
        rules = reading.parameters(platform, session.parameters_version)
        schedule = reading.schedule_of(platform, session)
        if last_files.get(session.session_id) or following.may_be_over(schedule, rules, seen_at, now):
            over[session.session_id] = seen_at
    return over


def _close(platform: Platform, now: Millis, session: Session, seen_at: Millis) -> int:
    return int(not following.by_time(platform, session, now, seen_at, IN_FLIGHT).is_open)


def _enqueue(platform: Platform, now: Millis, entries: Sequence[OutboxEntry]) -> int:
    return scoring.again(platform, entries, now)


def _settled(platform: Platform, now: Millis, session: Session) -> int:
    """Request scores of an open session's items that were settled in the last minutes, of several answers each.
    A lost message is sent again by the next minutes, and at the session's end.

    Clause: TS T4
    """
    jobs = reporting.settled_lately(platform, session, now)
    scoring.relay(platform, jobs)
    return len(jobs)


def _overdue(platform: Platform, now: Millis, session: Session) -> int:
    """Count the files of a run that the platform owes: requested in time, not handed out; or answered, not judged."""
    if session.run_id is None:
        return 0
    files = following.files_of(platform, session, following.known_of(platform, session), now)
    return sum(view.cause is Cause.PLATFORM for view in files)


def report(platform: Platform, session_id: str) -> int:
    """Make a report that is due, or request its missing scores; return 1 if it was made."""
    session = reading.session(platform, session_id)
    if session is None:
        return 0
    since = platform.sessions.unreported_since(session_id)
    if isinstance(reporting.finished_report(platform, session), reporting.Pending):
        return 0
    if not platform.outbox.of_session(session_id):
        platform.sessions.mark_reported(session_id, since)
    return 1
