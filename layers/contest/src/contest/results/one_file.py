"""One file as its team sees it: its score, and the comparison with the expert annotations where allowed (R 6.5.3)."""

from __future__ import annotations

import json
from typing import Any, Final, Literal

from contest import charts, errors, reading
from contest.cycle.rules.cycle import OPEN_TO_ALL, Mode, SetKind
from contest.platform import Platform
from contest.results import reporting
from contest.results.reporting import Pending, called_for
from contest.results.rules import reports
from contest.results.scoring import is_scorable, key_of, stored_answer, waits_for_ratings
from contest.run.rules.run import Run
from contest.session import following
from contest.session.access import Request, own_session, reads_all
from contest.session.following import known_of
from contest.session.rules.delivery import Answer
from contest.session.rules.session import Session, item_at
from contest.texts import tr
from contest.values import canonical
from markup_core.lazy import dataclass
from tracks.rules import Details

ANSWER: Final[Literal["answer"]] = "answer"
Compared = int | Literal["answer"]
"""One of the markups of a file: the team's own, or an expert's by its index from 0."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Comparison of one annotation with another, as the track compares them."""

    x: Compared
    y: Compared
    comparison: Any


@dataclass(frozen=True, slots=True)
class Comparison:
    """A team's own answer beside the references, with the score record, all as stored; and pairs of them compared."""

    track: str
    answer: Any
    experts: list[Any]
    score: Any
    pairs: tuple[Pair, ...]


@dataclass(frozen=True, slots=True)
class OwnAnswer:
    """The answer of a file that counts, and the content that was handed out for it."""

    track: str
    number: int
    counting: Answer
    content: Any
    answer: Any


# Clause: R 6.5.3
def own_answer(platform: Platform, request: Request) -> OwnAnswer:
    """Return a file's counting answer alone, of every set and at any time.

    The caller has sent it, or may read all reports.

    It reveals nothing that the team was not handed out or did not send itself.
    """
    session, number = own_session(platform, request).session, request.number or 0
    counting = _answer(platform, session, number)
    content = following.work_on(platform, session, reading.planned_file(platform, session, number)).shown()
    answer = stored_answer(platform, session.session_id, number, counting.content_sha256)
    return OwnAnswer(session.track, number, counting, content, answer)


# Clause: platform §4 training score, R 7.11, R 2.7, R 6.5.2, R 6.5.3
def file_score(platform: Platform, request: Request) -> bytes | Pending:
    """Return the score record of a file's counting answer; of a hidden set, the measures that may be shown.

    Of a training set at once, as stored; of a test set only when the session has ended; of a final's set when the
    results are out (R 7.11), and then as stored.
    """
    session, number = own_session(platform, request).session, request.number or 0
    if session.set_kind is not SetKind.TRAINING and following.by_time(platform, session, request.arrival).is_open:
        raise errors.SessionOpenError
    _refuse_details(platform, request, session)
    reporting.refuse_earlier(platform, session, request.arrival)
    hidden = session.set_kind not in OPEN_TO_ALL and not _is_published(platform, session)
    if hidden and not reads_all(request.identity):
        raise errors.ResultsNotPublishedError
    record = _score(platform, session, number, _answer(platform, session, number))
    track, run = reading.track_of(platform, session), _run(platform, session)
    if isinstance(record, Pending) or reads_all(request.identity):
        return record
    if reports.details_of(track, session, run) is Details.FILES:
        return record
    return canonical(reports.measures_of(track, json.loads(record)))


# Clause: R 6.5.3, R 2.7, R 7.11
def comparison(
    platform: Platform, request: Request, x: Compared | None = None, y: Compared | None = None
) -> Comparison | Pending:
    """Compare a file's counting answer with the expert annotations.

    Allowed on a training set (R 6.5.3), on a final's when the results are published (R 7.11), never on a test set. A
    caller who may read all reports compares any file with expert annotations.

    ``x`` and ``y`` are the markups to compare, by default the answer against every expert's.
    :class:`InvalidRequestError` for an expert's that is not there.
    """
    session, number = own_session(platform, request).session, request.number or 0
    _refuse_details(platform, request, session)
    is_shown = _is_published(platform, session) if session.set_kind not in OPEN_TO_ALL else False
    if session.set_kind is not SetKind.TRAINING and not is_shown and not reads_all(request.identity):
        raise errors.ComparisonNotAllowedError
    counting = _answer(platform, session, number)
    record = _score(platform, session, number, counting)
    if isinstance(record, Pending):
        return record
    item = reading.item_of(platform, session, reading.planned_file(platform, session, number))
    answer = stored_answer(platform, session.session_id, number, counting.content_sha256)
    experts = reading.references(platform, session, item)
    named = _pairs(x, y, len(experts))
    track, rules = reading.track_of(platform, session), reading.parameters(platform, session.parameters_version)
    markups: dict[Compared, Any] = {ANSWER: answer, **dict(enumerate(experts))}
    content = reading.content(platform, session, item) if named else None
    pairs = tuple(
        Pair(
            one, other, track.compare(content, markups[one], markups[other], rules.track, x_is_reference=one != ANSWER)
        )
        for one, other in named
    )
    return Comparison(session.track, answer, experts, json.loads(record), pairs)


def _pairs(x: Compared | None, y: Compared | None, experts: int) -> list[tuple[Compared, Compared]]:
    """Return the annotations to compare: a missing part of a couple is the answer, or every expert's."""
    for field, markup in (("query.x", x), ("query.y", y)):
        if isinstance(markup, int) and markup >= experts:
            messages = {**tr("there are {experts} experts' markups, from 0", experts=experts).as_fields()}
            raise errors.InvalidRequestError([{"code": "unknown_markup", **messages, "field": field}])
    one: Compared = ANSWER if x is None else x
    if y is not None:
        return [(one, y)]
    return [(one, other) for other in range(experts) if other != one]


def session_timeline(platform: Platform, request: Request) -> bytes:
    """Return the chart of an own, closed session of a run as SVG.

    :class:`UnknownRunError` for a session of no run.
    """
    session = following.by_time(platform, own_session(platform, request).session, request.arrival)
    schedule = reporting.schedule_of(platform, session)
    if schedule is None:
        remedy = tr(
            "session {session_id} was played in no run, so it has no timeline; GET /v1/sessions/{session_id} has the "
            "times of its files",
            session_id=session.session_id,
        )
        raise errors.UnknownRunError.with_detail("no_run", remedy, session_id=session.session_id)
    if session.is_open:
        raise errors.SessionOpenError
    facts = reporting.gather_facts(platform, session, schedule, results=False)
    if isinstance(facts, Pending):
        raise errors.BusyError
    return charts.chart_of_session(facts, schedule.run)


# Clause: TS T10
def _refuse_details(platform: Platform, request: Request, session: Session) -> None:
    """Refuse details of sets of which the contest shows totals alone."""
    details = reading.track_of(platform, session).details(session.set_kind.value)
    if details is Details.TOTALS and not reads_all(request.identity):
        raise errors.TotalsOnlyError


def _is_published(platform: Platform, session: Session) -> bool:
    run = _run(platform, session)
    return run is not None and run.published_at is not None


def _run(platform: Platform, session: Session) -> Run | None:
    return None if session.run_id is None else reading.run_now(platform, session.run_id)


def _answer(platform: Platform, session: Session, number: int) -> Answer:
    reading.planned_file(platform, session, number)
    delivery = platform.deliveries.get(session.session_id, number)
    if delivery is None:
        raise errors.FileNotHandedOutError
    if delivery.answer is None:
        raise errors.NotAnsweredError
    return delivery.answer


# Clause: TS T4
def _score(platform: Platform, session: Session, number: int, counting: Answer) -> bytes | Pending:
    """Return the score of a file's answer.

    Where an item has several answers, it is the item's score, once the session is over.
    """
    plan = reading.plan(platform, session)
    if not following.course_of(platform, session, plan[number - 1]).is_of_one_answer:
        return _item_score(platform, session, item_at(plan, number).number)
    if not is_scorable(platform, session, number, counting.content_sha256):
        if session.order.mode != Mode.FINAL and waits_for_ratings(platform, session, number, counting.content_sha256):
            return Pending(0, 1, unrated=1)
        raise errors.ResultsNotPublishedError
    key = key_of(platform, session, number, counting.content_sha256)
    return platform.scores.get(session.session_id, key) or Pending(0, 1)


def _item_score(platform: Platform, session: Session, number: int) -> bytes | Pending:
    if session.is_open:
        raise errors.SessionOpenError
    jobs = called_for(platform, session, known_of(platform, session))
    digest = next((job.content_sha256 for job in jobs if job.number == number), None)
    if digest is None:
        raise errors.ResultsNotPublishedError
    return platform.scores.get(session.session_id, key_of(platform, session, number, digest)) or Pending(0, 1)
