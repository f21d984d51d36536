"""Answers that are not known to be scored, as the organizer sees and redrives them (platform §4)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from contest.domain.moments import Millis
from contest.domain.results.scoring import Job
from contest.services import reading
from contest.services.platform import Platform
from contest.services.results import reporting
from contest.services.results.score_answer import put_to_work, relay
from contest.services.run import records


@dataclass(frozen=True, slots=True)
class Waiting:
    """A session whose answers wait for scores, and since when the oldest does."""

    session_id: str
    answers: int
    oldest: Millis


def waiting(platform: Platform) -> Iterator[Waiting]:
    """Sessions that wait for scores, by their id."""
    for session_id in _sessions(platform):
        entries = platform.outbox.of_session(session_id)
        if entries:
            yield Waiting(session_id, len(entries), min(each.enqueued_at for each in entries))


def redrive(platform: Platform, run_id: str | None = None) -> int:
    """Put every waiting answer into the queue again, now; how many.

    Of a run: also the answers that no outbox names and that have no score though they have references.
    :class:`UnknownRunError` where there is none.

    Clause: platform §4 lost jobs
    """
    if run_id is None:
        jobs = [entry.job for session_id in _sessions(platform) for entry in platform.outbox.of_session(session_id)]
    else:
        jobs = redrivable(platform, run_id)
    relay(platform, jobs)
    return len(jobs)


def redrive_session(platform: Platform, session_id: str) -> int:
    """Put the waiting answers of one session into the queue again, now; how many."""
    jobs = [entry.job for entry in platform.outbox.of_session(session_id)]
    relay(platform, jobs)
    return len(jobs)


def redrivable(platform: Platform, run_id: str) -> list[Job]:
    """Jobs of a run that wait in an outbox, or should."""
    schedule = reading.schedule_now(platform, run_id)
    jobs: list[Job] = []
    for session in records.taking_part(platform, schedule.run):
        found = None if session.is_open else reporting.gather(platform, session, schedule, results=True)
        if isinstance(found, reporting.Pending):
            put_to_work(platform, session.session_id, found.missing)
        jobs += [entry.job for entry in platform.outbox.of_session(session.session_id)]
    return jobs


def _sessions(platform: Platform) -> list[str]:
    """Sessions that may have answers to score: whoever puts one into the outbox of a closed session says so."""
    return sorted({*platform.sessions.open_ids(), *platform.sessions.unreported_ids()})
