"""What a team sees of one file: its score, and the comparison with the experts where it is allowed (R 6.5.3)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from contest.domain import run_report
from contest.domain.cycle import OPEN_TO_ALL, SetKind
from contest.domain.delivery import Answer
from contest.domain.moments import Millis
from contest.domain.rights import Identity
from contest.domain.session import Session
from contest.errors import (
    BusyError,
    ComparisonNotAllowedError,
    FileNotHandedOutError,
    NotAnsweredError,
    ResultsNotPublishedError,
    SessionOpenError,
    UnknownRunError,
)
from contest.services import closing, knowledge, reporting
from contest.services.access import own_session
from contest.services.platform import Platform
from contest.services.reporting import Pending
from contest.services.score_answer import is_scorable, key_of, stored_answer


@dataclass(frozen=True, slots=True)
class Comparison:
    """A team's own answer beside the references, with the score record; all as stored."""

    answer: Any
    experts: list[Any]
    score: Any


def file_score(
    platform: Platform, identity: Identity, session_id: str, number: int, arrival: Millis
) -> bytes | Pending:
    """The score record of a file's counting answer, as stored.

    Of a training set at once; of a test set only when the session has ended, or ten sends a file would be ten
    questions to the hidden experts; of a final's set when the results are out (R 7.11).
    """
    session = own_session(platform, identity, session_id, arrival)
    if session.set_kind is not SetKind.TRAINING and closing.by_time(platform, session, arrival).is_open:
        raise SessionOpenError
    if session.set_kind not in OPEN_TO_ALL and not _is_published(platform, session):
        raise ResultsNotPublishedError
    return _score(platform, session, number, _answer(platform, session, number))


def comparison(
    platform: Platform, identity: Identity, session_id: str, number: int, arrival: Millis
) -> Comparison | Pending:
    """A file's counting answer beside the experts' markups: on a training set (R 6.5.3), on a final's when the results
    are out (R 7.11), never on a test set."""
    session = own_session(platform, identity, session_id, arrival)
    shown = _is_published(platform, session) if session.set_kind not in OPEN_TO_ALL else False
    if session.set_kind is not SetKind.TRAINING and not shown:
        raise ComparisonNotAllowedError
    counting = _answer(platform, session, number)
    record = _score(platform, session, number, counting)
    if isinstance(record, Pending):
        return record
    item = knowledge.item_of(platform, session, knowledge.planned_file(platform, session, number))
    return Comparison(
        answer=stored_answer(platform, session_id, number, counting.content_sha256),
        experts=knowledge.references(platform, session, item),
        score=json.loads(record),
    )


def session_timeline(platform: Platform, identity: Identity, session_id: str, arrival: Millis) -> bytes:
    """The chart of an own, closed session of a run as SVG; :class:`UnknownRunError` for one that is of no run."""
    session = closing.by_time(platform, own_session(platform, identity, session_id, arrival), arrival)
    run = reporting.run_of(platform, session)
    if run is None:
        raise UnknownRunError
    if session.is_open:
        raise SessionOpenError
    found = reporting.gather(platform, session, run, results=False)
    if isinstance(found, Pending):
        raise BusyError
    return run_report.chart(found, run)


def _is_published(platform: Platform, session: Session) -> bool:
    return session.run_id is not None and knowledge.run_now(platform, session.run_id).published_at is not None


def _answer(platform: Platform, session: Session, number: int) -> Answer:
    knowledge.planned_file(platform, session, number)
    delivery = platform.deliveries.get(session.session_id, number)
    if delivery is None:
        raise FileNotHandedOutError
    if delivery.answer is None:
        raise NotAnsweredError
    return delivery.answer


def _score(platform: Platform, session: Session, number: int, counting: Answer) -> bytes | Pending:
    if not is_scorable(platform, session, number):
        raise ResultsNotPublishedError
    key = key_of(platform, session, number, counting.content_sha256)
    return platform.scores.get(session.session_id, key) or Pending(0, 1)
