"""The minute timer's work (platform §3): end what is over, score what was forgotten, make the reports that are due."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from contest.domain.moments import Millis
from contest.domain.scoring import OutboxEntry
from contest.domain.session import IN_FLIGHT
from contest.services import closing, knowledge, reporting, score_answer
from contest.services.platform import Platform


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep did. ``failures`` names the sessions that failed and why; the others were done."""

    closed: int
    enqueued: int
    reported: int
    failures: tuple[tuple[str, Exception], ...]


def sweep(platform: Platform) -> Swept:
    """Do the minute's work. It decides nothing that a request would decide otherwise, so a missed minute costs nobody.

    One session's failure does not keep the others waiting; it is reported at the end.
    """
    now = platform.clock.now()
    failures: list[tuple[str, Exception]] = []
    run = partial(_each, failures=failures)
    closed = run(platform.sessions.open_ids(), partial(_close, platform, now))
    enqueued = run(platform.sessions.open_ids(), partial(_enqueue, platform, now))
    enqueued += run(platform.sessions.unreported_ids(), partial(_enqueue, platform, now))
    reported = run(platform.sessions.unreported_ids(), partial(_report, platform, now))
    return Swept(closed, enqueued, reported, tuple(failures))


def _each(session_ids: Iterable[str], work: Callable[[str], int], failures: list[tuple[str, Exception]]) -> int:
    done = 0
    for session_id in session_ids:
        try:
            done += work(session_id)
        except Exception as error:  # noqa: BLE001 -- one session's failure must not stop the others
            failures.append((session_id, error))
    return done


def _close(platform: Platform, now: Millis, session_id: str) -> int:
    session = knowledge.session(platform, session_id)
    return int(session is not None and not closing.by_time(platform, session, now, unseen=IN_FLIGHT).is_open)


def _enqueue(platform: Platform, now: Millis, session_id: str) -> int:
    return score_answer.again(platform, session_id, now)


def _report(platform: Platform, now: Millis, session_id: str) -> int:
    """Make a report that is due. Scores that are missing and that nobody is working on are asked for anew."""
    session = knowledge.session(platform, session_id)
    if session is None:
        return 0
    outcome = reporting.finished_report(platform, session)
    waiting = platform.outbox.of_session(session_id)
    if isinstance(outcome, reporting.Pending):
        for job in outcome.missing if not waiting else ():
            platform.outbox.put(OutboxEntry(job, enqueued_at=now, enqueued=1))
        return 0
    if not waiting:
        platform.sessions.mark_reported(session_id)
    return 1
