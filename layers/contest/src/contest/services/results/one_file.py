"""What a team sees of one file: its score, and the comparison with the experts where it is allowed (R 6.5.3)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from contest.charts import of_session
from contest.domain.cycle.cycle import OPEN_TO_ALL, SetKind
from contest.domain.session.delivery import Answer
from contest.domain.session.session import Session
from contest.errors import (
    BusyError,
    ComparisonNotAllowedError,
    FileNotHandedOutError,
    NotAnsweredError,
    ResultsNotPublishedError,
    SessionOpenError,
    UnknownRunError,
)
from contest.services import reading
from contest.services.platform import Platform
from contest.services.results import reporting
from contest.services.results.reporting import Pending
from contest.services.results.score_answer import is_scorable, key_of, stored_answer
from contest.services.session import closing
from contest.services.session.access import own_session
from contest.services.session.request import Request


@dataclass(frozen=True, slots=True)
class Comparison:
    """A team's own answer beside the references, with the score record; all as stored."""

    answer: Any
    experts: list[Any]
    score: Any


def file_score(platform: Platform, request: Request) -> bytes | Pending:
    """The score record of a file's counting answer, as stored.

    Of a training set at once; of a test set only when the session has ended, or ten sends a file would be ten
    questions to the hidden experts; of a final's set when the results are out (R 7.11).

    Clause: platform §4 training score, R 7.11
    """
    session, number = own_session(platform, request).session, request.number or 0
    if session.set_kind is not SetKind.TRAINING and closing.by_time(platform, session, request.arrival).is_open:
        raise SessionOpenError
    if session.set_kind not in OPEN_TO_ALL and not _is_published(platform, session):
        raise ResultsNotPublishedError
    return _score(platform, session, number, _answer(platform, session, number))


def comparison(platform: Platform, request: Request) -> Comparison | Pending:
    """A file's counting answer beside the experts' markups: on a training set (R 6.5.3), on a final's when the results
    are out (R 7.11), never on a test set.

    Clause: R 6.5.3, R 2.7, R 7.11
    """
    session, number = own_session(platform, request).session, request.number or 0
    shown = _is_published(platform, session) if session.set_kind not in OPEN_TO_ALL else False
    if session.set_kind is not SetKind.TRAINING and not shown:
        raise ComparisonNotAllowedError
    counting = _answer(platform, session, number)
    record = _score(platform, session, number, counting)
    if isinstance(record, Pending):
        return record
    item = reading.item_of(platform, session, reading.planned_file(platform, session, number))
    return Comparison(
        answer=stored_answer(platform, session.session_id, number, counting.content_sha256),
        experts=reading.references(platform, session, item),
        score=json.loads(record),
    )


def session_timeline(platform: Platform, request: Request) -> bytes:
    """The chart of an own, closed session of a run as SVG; :class:`UnknownRunError` for one that is of no run."""
    session = closing.by_time(platform, own_session(platform, request).session, request.arrival)
    schedule = reporting.schedule_of(platform, session)
    if schedule is None:
        raise UnknownRunError
    if session.is_open:
        raise SessionOpenError
    found = reporting.gather(platform, session, schedule, results=False)
    if isinstance(found, Pending):
        raise BusyError
    return of_session.chart(found, schedule.run)


def _is_published(platform: Platform, session: Session) -> bool:
    return session.run_id is not None and reading.run_now(platform, session.run_id).published_at is not None


def _answer(platform: Platform, session: Session, number: int) -> Answer:
    reading.planned_file(platform, session, number)
    delivery = platform.deliveries.get(session.session_id, number)
    if delivery is None:
        raise FileNotHandedOutError
    if delivery.answer is None:
        raise NotAnsweredError
    return delivery.answer


def _score(platform: Platform, session: Session, number: int, counting: Answer) -> bytes | Pending:
    if not is_scorable(platform, session, number, counting.content_sha256):
        raise ResultsNotPublishedError
    key = key_of(platform, session, number, counting.content_sha256)
    return platform.scores.get(session.session_id, key) or Pending(0, 1)
