"""Work of the minute timer (platform §3).

It arms files that open soon, ends sessions that are over, scores forgotten answers, makes due reports, sends jobs for
due records and boards, and ends experts' assignments whose time has run out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Final

from contest import reading
from contest.cycle import announcing
from contest.experts import references
from contest.experts import work as expert_work
from contest.platform import Platform
from contest.results import commission, publishing, reporting, scoring, settling
from contest.run import recording, watching
from contest.session import following
from contest.session.rules.delivery import Cause
from contest.session.rules.session import IN_FLIGHT, Session
from contest.stored_names import LetterQueue
from contest.submissions import worker
from contest.values import Millis

SessionOf = Callable[[str], Session | None]
"""Open sessions as they were when this minute's work came to them first."""

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
    open_ids, session_of = platform.sessions.open_ids(), cache(partial(reading.session, platform))
    closed = visit(open_ids, partial(_close, platform, now, session_of))
    if closed:
        open_ids = platform.sessions.open_ids()
    enqueued = visit(open_ids, partial(_enqueue, platform, now))
    unreported = platform.sessions.unreported_ids()
    enqueued += visit(unreported, partial(_enqueue, platform, now))
    enqueued += visit(open_ids, partial(_settled, platform, now, session_of))
    visit(unreported, lambda name: int(references.take_in_session(platform, name)))
    reported = visit(unreported, partial(report, platform))
    missed = visit(active, lambda run_id: watching.notice_mass_failure(platform, run_id))
    overdue = visit(open_ids, partial(_overdue, platform, now, session_of))
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
    return _close(platform, now, partial(reading.session, platform), session_id)


def _close(platform: Platform, now: Millis, session_of: SessionOf, session_id: str) -> int:
    session = session_of(session_id)
    if session is None:
        return 0
    seen_at = following.latest_request(platform, session)
    if session.run_id is not None:
        rules = reading.parameters(platform, session.parameters_version)
        if not following.may_be_over(reading.schedule(platform, session.run_id), rules, seen_at, now):
            return 0
    return int(not following.by_time(platform, session, now, seen_at, IN_FLIGHT).is_open)


def _enqueue(platform: Platform, now: Millis, session_id: str) -> int:
    return scoring.again(platform, session_id, now)


def _settled(platform: Platform, now: Millis, session_of: SessionOf, session_id: str) -> int:
    """Request scores of an open session's items that were settled in the last minutes, of several answers each.
    A lost message is sent again by the next minutes, and at the session's end.

    Clause: TS T4
    """
    session = session_of(session_id)
    if session is None or not session.is_open:
        return 0
    jobs = reporting.settled_lately(platform, session, now)
    scoring.relay(platform, jobs)
    return len(jobs)


def _overdue(platform: Platform, now: Millis, session_of: SessionOf, session_id: str) -> int:
    """Count the files of a run that the platform owes: requested in time, not handed out; or answered, not judged."""
    session = session_of(session_id)
    if session is None or session.run_id is None:
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
