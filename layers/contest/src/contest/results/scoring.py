"""Scoring of one stored answer (platform §4): the queue delivers at least once; a score is written once."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from contest import reading, stored_names
from contest.ports import LostRaceError
from contest.results.rules import jobs as job_rules
from contest.results.rules.jobs import MISSED, Job, OutboxEntry, ScoreKey
from contest.session import following
from contest.session.rules import delivery as delivery_rules
from contest.session.rules.session import Session, item_at
from contest.values import Millis, canonical
from tracks.capabilities import MarkedByExperts

if TYPE_CHECKING:
    from contest.platform import Platform
    from contest.session.rules.delivery import Course, Delivery


# Clause: platform §4 scoring, R 2.23, R-App2 §2 algorithmic
def score_answer(platform: Platform, job: Job) -> None:
    """Score a job's answer and store the record unless one exists, then forget the job.

    Nobody looks for the record first: a job comes twice rarely, and then makes the same bytes.
    A superseded answer is scored like any other: its record is harmless, since reports look for the current one.
    An answer to a file without references waits for the experts, in its delivery and not in the queue (platform §4).
    A job of an unknown session raises :class:`LookupError`, so that it ends where the organizer sees it.
    """
    session = reading.session(platform, job.session_id)
    if session is None:
        raise LookupError(f"no session {job.session_id}")
    if not is_scorable(platform, session, job.number, job.content_sha256):
        platform.outbox.done(job)
        return
    key = key_of(platform, session, job.number, job.content_sha256)
    with suppress(LostRaceError):  # another copy of the job wrote the same bytes
        platform.scores.put(session.session_id, key, record_of(platform, session, job))
    platform.outbox.done(job)


def is_scorable(platform: Platform, session: Session, number: int, content_sha256: str) -> bool:
    """Return whether a file can be scored.

    It needs a reference, which a final's has after its end only, and, where explanations weigh, the experts' ratings of
    all explanations in its answer.
    """
    item = reading.item_of(platform, session, reading.planned_file(platform, session, number))
    return bool(item.references) and not waits_for_ratings(platform, session, number, content_sha256)


# Clause: platform §5 ratings, R-App1 M7
def waits_for_ratings(platform: Platform, session: Session, number: int, content_sha256: str) -> bool:
    """Return whether an answer has weighing explanations without ratings, in a final or a qualification."""
    track = reading.track_of(platform, session)
    if (
        content_sha256 == MISSED
        or not isinstance(track, MarkedByExperts)
        or not reading.weighs_ratings(platform, session)
    ):
        return False
    answer = stored_answer(platform, session.session_id, number, content_sha256)
    return not track.is_rated(answer, reading.ratings(platform, session, number, content_sha256))


def key_of(platform: Platform, session: Session, number: int, content_sha256: str) -> ScoreKey:
    """Return the key of an answer's score, by today's scorer."""
    planned = reading.planned_file(platform, session, number)
    item = reading.item_of(platform, session, planned)
    track = reading.track_of(platform, session)
    ratings = reading.ratings(platform, session, number, content_sha256)
    depends = job_rules.conditions(item.references, session.parameters_version, track.name, track.version, ratings)
    return ScoreKey(number, content_sha256, depends)


# Clause: TS T4, TS T5
def record_of(platform: Platform, session: Session, job: Job) -> bytes:
    """Return the canonical score record of an answer or a missed file.

    It is a function of stored facts: the same bytes whenever it is made.
    """
    planned = reading.planned_file(platform, session, job.number)
    item = reading.item_of(platform, session, planned)
    missed = job.content_sha256 == MISSED
    answer = None if missed else answer_of(platform, session, job.number, job.content_sha256)
    track, rules = reading.track_of(platform, session), reading.parameters(platform, session.parameters_version).track
    content, references = reading.content(platform, session, item), reading.references(platform, session, item)
    ratings = reading.ratings(platform, session, job.number, job.content_sha256)
    if ratings is not None and isinstance(track, MarkedByExperts):
        return canonical(track.score_rated(content, answer, references, ratings, rules))
    return canonical(track.score(content, answer, references, rules))


# Clause: TS T4
def answer_of(platform: Platform, session: Session, number: int, content_sha256: str) -> Any:
    """Return the scored part of an item: the answer, or all turns where more than one may belong to it.

    LookupError where the turns are not those that were asked for: of a closed session they never change.
    """
    planned = reading.planned_file(platform, session, number)
    if following.course_of(platform, session, planned).is_of_one_answer:
        return stored_answer(platform, session.session_id, number, content_sha256)
    numbers = item_at(reading.plan(platform, session), number).numbers
    stored_deliveries = [platform.deliveries.get(session.session_id, number) for number in numbers]
    deliveries = [delivery for delivery in stored_deliveries if delivery is not None]
    noted = noted_turns(platform, session, deliveries)
    if delivery_rules.turns_digest(noted) != content_sha256:
        raise LookupError(f"the turns of file {number} of session {session.session_id} are not those to be scored")
    return [turn for delivery in deliveries for turn in turns_of(platform, session, delivery)]


def turns_of(platform: Platform, session: Session, delivery: Delivery) -> list[dict[str, Any]]:
    """Return the turns of a file that count, in their order, as the track scores them."""
    counting = delivery_rules.counting_answers(delivery, _course(platform, session, delivery.number))
    turns = (following.told_turn(platform, session, delivery, turn) for turn in counting)
    return [{"step": turn.step, "kind": turn.kind, "answer": turn.answer, "after_ms": turn.after_ms} for turn in turns]


def noted_turns(platform: Platform, session: Session, deliveries: Sequence[Delivery]) -> list[dict[str, Any]]:
    """Return the notes on an item's counting turns, by its files that were handed out, in their order."""
    return [
        delivery_rules.noted_fields(turn, delivery.handed_out_at)
        for delivery in deliveries
        for turn in delivery_rules.counting_answers(delivery, _course(platform, session, delivery.number))
    ]


def _course(platform: Platform, session: Session, number: int) -> Course:
    return following.course_of(platform, session, reading.planned_file(platform, session, number))


def stored_answer(platform: Platform, session_id: str, number: int, content_sha256: str) -> Any:
    """Return a stored answer's JSON value."""
    return json.loads(platform.blobs.get(stored_names.answer_name(session_id, number, content_sha256)))


# Clause: platform §4 lost jobs
def put_to_work(platform: Platform, session_id: str, jobs: Iterable[Job]) -> None:
    """Request the scores that a closed session's results need and nobody has requested.

    One that is asked for already is left as it is, and the timer sees that it waits.
    """
    waiting_jobs = {entry.job for entry in platform.outbox.of_session(session_id)}
    now = platform.clock.now()
    for job in jobs:
        if job not in waiting_jobs:
            platform.outbox.put(OutboxEntry(job, enqueued_at=now, enqueued=1))


def waiting_entries(platform: Platform, now: Millis) -> Sequence[OutboxEntry]:
    """Return the outbox entries that were put into the queue a minute ago or earlier."""
    return platform.outbox.older_than(now - job_rules.STALE + 1)


def queue_again(platform: Platform, entries: Sequence[OutboxEntry], now: Millis) -> int:
    """Put outbox entries of a session into the queue again; return their number."""
    platform.queue.send([entry.job for entry in entries])
    for entry in entries:
        platform.outbox.enqueued_again(entry, now)
    return len(entries)
