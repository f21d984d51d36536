"""Reports of closed sessions and their entries on the board: made once, from facts that no longer change (R 6.5)."""

from __future__ import annotations

import json
from dataclasses import dataclass

from contest.domain import leaderboard, report
from contest.domain.canonical import canonical
from contest.domain.cycle import SetKind
from contest.domain.moments import Millis
from contest.domain.report import Facts
from contest.domain.rights import Identity
from contest.domain.scoring import Job
from contest.domain.session import Session
from contest.errors import SessionOpenError
from contest.ports import MissingBlobError
from contest.services import closing, knowledge
from contest.services.access import own_session
from contest.services.facts import course_of
from contest.services.platform import Platform
from contest.services.score_answer import is_scorable, key_of


@dataclass(frozen=True, slots=True)
class Pending:
    """Scores are still being made: ``scored`` of ``answered`` answers have theirs."""

    scored: int
    answered: int
    missing: tuple[Job, ...] = ()


def session_report(platform: Platform, identity: Identity, session_id: str, arrival: Millis) -> bytes | Pending:
    """The report of an own, closed session: the stored bytes, made now if nobody has yet."""
    session = closing.by_time(platform, own_session(platform, identity, session_id, arrival), arrival)
    if session.is_open:
        raise SessionOpenError
    return finished_report(platform, session)


def finished_report(platform: Platform, session: Session) -> bytes | Pending:
    """The report of a closed session. Making it twice makes the same bytes, and the first ones stay.

    The boards come first: where there is a report, its entries are on them, whatever crashed in between.
    """
    try:
        return platform.blobs.get(knowledge.report_name(session))
    except MissingBlobError:
        pass
    facts = gather(platform, session)
    if isinstance(facts, Pending):
        return facts
    _enter_boards(platform, facts)
    platform.blobs.put_if_absent(knowledge.report_name(session), rebuilt(platform, facts))
    return platform.blobs.get(knowledge.report_name(session))


def gather(platform: Platform, session: Session) -> Facts | Pending:
    """All facts of a closed session's report, or how many scores are missing."""
    deliveries = platform.deliveries.of_session(session.session_id)
    wanted = {
        each.number: key_of(platform, session, each.number, each.answer.content_sha256)
        for each in deliveries
        if each.answer is not None and is_scorable(platform, session, each.number)
    }
    records = platform.scores.of_session(session.session_id)
    scores = {number: json.loads(records[key]) for number, key in wanted.items() if key in records}
    if len(scores) < len(wanted):
        missing = tuple(
            Job(session.session_id, number, key.answer_sha256) for number, key in wanted.items() if key not in records
        )
        return Pending(len(scores), len(wanted), missing)
    return Facts(
        session=session,
        plan=knowledge.plan(platform, session),
        deliveries=deliveries,
        scores=scores,
        parameters=knowledge.parameters(platform, session.parameters_version),
        course=course_of(platform, session),
    )


def rebuilt(platform: Platform, facts: Facts) -> bytes:
    """The canonical report of these facts."""
    return canonical(report.build(facts, knowledge.track_of(platform, facts.session)))


def _enter_boards(platform: Platform, facts: Facts) -> None:
    session = facts.session
    if session.set_kind is not SetKind.TEST:
        return
    whole = knowledge.manifest(platform, session.cycle, session.manifest).sizes()
    for entry in leaderboard.entries(facts, whole, knowledge.track_of(platform, session)):
        platform.scores.enter(session.cycle, entry)
