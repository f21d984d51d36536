"""Tasks of the earlier clients, and the parts that all dialects share.

Shared are the identity of a client, its open session and the follow-up pushes. Clients that fetch documents over HTTP
read, answer, ask for studies and leave; the services of the exchange do it. This module has the tasks by which these
clients name files, and the refusals that they know. A request names no session: the open one that has the task is
meant.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, Final, NamedTuple, cast
from urllib.parse import parse_qsl

from contest import reading
from contest.channel import connections, pushing
from contest.channel.connections import Speaker
from contest.channel.rules import (
    EarlierRequestError,
    NothingAskedYetError,
    PreliminaryFirstError,
    PreliminaryGivenError,
    SessionNotStartedError,
    StudyNotFoundError,
    TaskNotFoundError,
    TaskOverdueError,
    Told,
)
from contest.errors import (
    AnswerTooLargeError,
    ForbiddenError,
    InvalidAnswerError,
    MalformedJsonError,
    NoCycleError,
    UnknownSessionError,
    WrongStepError,
)
from contest.exchange.files import Taken, submit_answer
from contest.people.rules import Identity, may
from contest.platform import Platform
from contest.refusals import ContestError
from contest.routes import Right
from contest.run.rules import fate
from contest.session import access
from contest.session import following as session_following
from contest.session.access import Request
from contest.session.following import Standing, Work
from contest.session.rules import session as session_rules
from contest.session.rules.delivery import Status
from contest.session.rules.session import Session
from contest.texts import tr
from contest.values import Millis, canonical, sha256_hex
from markup_core.lazy import dataclass
from tracks.capabilities import FetchedByEarlierClients

_LONGEST_NAME: Final = 100
"""Most characters of a name that a refusal repeats; ours are far shorter."""


def request(speaker: Speaker, session_id: str = "", number: int | None = None) -> Request:
    """Return a speaker's request for the exchange. The clients of this channel know no idempotency keys."""
    return Request(speaker.identity, speaker.arrival, session_id, number)


def require_right(identity: Identity) -> None:
    """Refuse a caller without the right to the exchange; the gateway's routes have checked it before."""
    if not may(identity, Right.EXCHANGE):
        raise ForbiddenError.without(Right.EXCHANGE)


def mapping(payload: Any) -> Mapping[str, Any]:
    """Return an event's payload as a mapping; a log may be any value."""
    if isinstance(payload, Mapping):
        return payload
    return {} if payload is None else {"entries": payload}


def fields(body: bytes, media_type: str) -> Mapping[str, Any]:
    """Return the fields of a request's body; :class:`EarlierRequestError` unless it is a JSON object or a form."""
    if media_type.startswith("application/x-www-form-urlencoded"):
        return dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, Mapping):
        raise EarlierRequestError.with_detail("not_an_object", tr("the body must be a JSON object or a form"))
    return content


def name(raw: Any) -> str:
    """Return a name that the client gives as text or as a number; empty for anything else."""
    text = str(raw) if isinstance(raw, str | int) else ""
    return text if len(text) <= _LONGEST_NAME else ""


def message_of(error: ContestError) -> str:
    """Return the full text of a refusal, in both languages."""
    lines = [f"{error.message.ru} / {error.message.en}"]
    for detail in error.details:
        russian, english = str(detail.get("message_ru", "")), str(detail.get("message", ""))
        lines.append(f"{russian} / {english}" if russian and english else russian or english)
    return "\n".join(filter(None, lines))


def open_session(platform: Platform, identity: Identity, arrival: Millis, named: str = "") -> Session:
    """Return the session that is named if it is open, else the first of the team's open ones.

    :class:`UnknownSessionError` where none is open.
    """
    session = access.own_session(platform, Request(identity, arrival, named)).session if named else None
    if session is not None and session.is_open:
        return session
    return open_sessions(platform, identity, arrival)[0]


# Clause: TS D-13
def open_sessions(platform: Platform, identity: Identity, arrival: Millis) -> list[Session]:
    """Return a team's open sessions by urgency: with a file in hand, with files to come, with neither.

    A run whose files are all settled stays open to its end, and must not take a client from its work (tracks-sessions
    D-13, legacy-exchange). :class:`UnknownSessionError` where none is open, as before a cycle is loaded: a client may
    connect that early.
    """
    try:
        track = reading.recent_cycle(platform).track
    except NoCycleError:
        raise UnknownSessionError from None
    sessions = reading.open_sessions(platform, identity.team_id, track)
    if not sessions:
        raise UnknownSessionError
    return sorted(sessions, key=lambda session: _urgency(platform, session, arrival)) if len(sessions) > 1 else sessions


def _urgency(platform: Platform, session: Session, arrival: Millis) -> int:
    """Rank a session by urgency; the most urgent one has the least rank."""
    facts = session_following.known_of(platform, session)
    if any(delivery.answer is None and arrival <= delivery.answer_by for delivery in facts.deliveries):
        return 0
    is_settled = facts.circumstances.schedule is not None and fate.is_settled(
        facts.circumstances, facts.deliveries, arrival
    )
    return 2 if is_settled else 1


def to_abort(platform: Platform, speaker: Speaker, named: str) -> Session:
    """Return the session that a client wants to abort: the one it names, else its connection's, else the open one.

    A named session that has ended is never replaced by another one, so that no other session is aborted by mistake.
    """
    session_id = named or speaker.connection.session_id
    if session_id:
        return access.own_session(platform, request(speaker, session_id)).session
    return open_session(platform, speaker.identity, speaker.arrival)


def attach(platform: Platform, speaker: Speaker, session: Session) -> None:
    """Push the session's files to this connection from now on, and those of runs that its client has lost with an
    earlier connection."""
    connections.attach_session(platform, speaker.connection, session.session_id, speaker.arrival)
    _plan(platform, session, speaker.arrival)
    for other in reading.open_sessions(platform, session.team_id, session.track):
        if other.session_id == session.session_id or other.run_id is None:
            continue
        if connections.attach_again(platform, speaker.connection, other.session_id, speaker.arrival):
            _plan(platform, other, speaker.arrival)


def _plan(platform: Platform, session: Session, now: Millis) -> None:
    schedule = reading.schedule_of(platform, session)
    if schedule is not None:
        pushing.plan_pushes(platform, session, schedule, now)


def follow_up(platform: Platform, speaker: Speaker, session: Session) -> list[Told]:
    """Run follow-up pushes; their failure never undoes the request."""
    try:
        return pushing.next_events(platform, speaker.identity, session, speaker.arrival)
    except ContestError:
        return []


def in_hand(platform: Platform, speaker: Speaker, session: Session, *, whatever_came: bool = False) -> list[Told]:
    """Return files in the client's hands; unless ``whatever_came``, those that did not come over this connection."""
    here, events = speaker.connection.connection_id, []
    for delivery in pushing.awaited_files(platform, session, speaker.arrival):
        if whatever_came or platform.connections.pushed_to(session.session_id, delivery.number) != here:
            with suppress(ContestError):  # its time has ended meanwhile
                events.append(
                    pushing.file_available(platform, speaker.identity, session, delivery.number, speaker.arrival)
                )
    return events


_PER_TURN: Final = 1000
"""Step of documents' names: a name is the document's number in its request, from 1, plus a thousand per turn so far."""
_UNKNOWN_CODES: Final = frozenset({"unknown_study"})
"""Reasons for refusing a code that mean that there is no such study."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Request of such a client: its identity, its moment of arrival, its parameters by name."""

    identity: Identity
    arrival: Millis
    parameters: Mapping[str, Any]
    body_bytes: int | None
    """Length of the body in bytes; None for a request without one."""


class _Task(NamedTuple):
    """File of the team's open session that was handed out, with the admitted request about it."""

    request: Request
    session: Session
    work: Work
    standing: Standing | None


class Document(NamedTuple):
    """Document of a study, by the name under which it is fetched."""

    epicrisis_id: str
    test_id: str


def epicrisis(platform: Platform, client_request: Asked) -> str:
    """Return the latest version of the document handed out under a name."""
    with _task(platform, client_request, _latest_of(platform, client_request)) as task:
        _, document = _words(platform, task.session).earlier_document(task.work.shown())
        return document


def received(platform: Platform, client_request: Asked) -> None:
    """Record that a client has received a document, which counts as a sign of life of its session."""
    with _task(platform, client_request, _latest_of(platform, client_request)):
        pass


# Clause: TS D-13
def upload(platform: Platform, client_request: Asked) -> Mapping[str, Any]:
    """Submit the answer to a task and return its receipt. The first answer of a dialogue comes before any other."""
    with _task(platform, client_request, _named(platform, client_request), spared=True) as task:
        words, standing = _words(platform, task.session), task.standing
        step = task.work.course.publication if standing is None or standing.step is None else standing.step
        body = _bytes(words.earlier_answer(_readable(client_request.parameters.get("answer")), step))
        if _waits_for_first(words, task):
            work = task.work
            verdict = work.track.validate(work.item, work.planned.file_id, step, body, work.rules)
            if verdict.valid and verdict.kind not in {None, words.earlier_first}:  # an invalid one is refused later
                raise PreliminaryFirstError
        receipt = json.loads(_submitted(platform, task, body).receipt)
    _tell_what_follows(platform, client_request, task.session)
    return cast(Mapping[str, Any], receipt)


# Clause: TS D-13
def get_test(platform: Platform, client_request: Asked) -> tuple[Document, ...]:
    """Request a study and return the names of its documents. One that the patient does not have costs all the same."""
    with _task(platform, client_request, _named(platform, client_request), spared=True) as task:
        words, session = _words(platform, task.session), task.session
        if _waits_for_first(words, task):
            raise NothingAskedYetError
        study_request = words.earlier_request(client_request.parameters.get("code"))
        acceptance = _submitted(platform, task, _bytes(study_request))
        if json.loads(acceptance.receipt)["receipt"]["status"] != Status.ACCEPTED.value:
            raise TaskOverdueError
        documents = _brought(words, acceptance, sha256_hex(canonical(study_request)), task.work.planned.file_id)
    named = {"epicrisisId": task.work.planned.file_id, "taskId": _id(client_request, "taskId")}
    if not documents:
        missing = {**named, "message": f"{StudyNotFoundError.message.ru} / {StudyNotFoundError.message.en}"}
        connections.tell_client(platform, session.session_id, [Told("session-get-test-error", missing)])
        raise StudyNotFoundError
    events = [Told("session-get-test-success", {**named, "testId": document.test_id}) for document in documents]
    connections.tell_client(platform, session.session_id, events)
    return documents


def fragment(platform: Platform, client_request: Asked) -> str:
    """Return one document that an earlier study of an epicrisis yielded."""
    with _task(platform, client_request, _latest_of(platform, client_request)) as task:
        return _document(platform, task, _id(client_request, "testId"))


def study_received(platform: Platform, client_request: Asked) -> None:
    """Record that a client has received a study's document."""
    with _task(platform, client_request, _named(platform, client_request)) as task:
        _document(platform, task, _id(client_request, "id"))


def abort(platform: Platform, client_request: Asked) -> None:
    """End the open session at the client's wish, and say so over the channel."""
    with _let_in(platform, client_request, lambda _: 0) as (request, _):
        ended = access.abort(platform, request, confirmed=True).session
    connections.tell_client(platform, ended.session_id, [pushing.closing_event(ended)])


_Number = Callable[[Session], int]
"""Function that returns the number of the file of a session that a request names; 0 for none."""


def _named(platform: Platform, client_request: Asked) -> _Number:
    return lambda session: session_rules.number_of(reading.plan(platform, session), _id(client_request, "taskId"))


def _latest_of(platform: Platform, client_request: Asked) -> _Number:
    """Return the latest file of an epicrisis that was handed out."""
    file_id = _id(client_request, "epicrisisId")

    def latest(session: Session) -> int:
        handed_out = {delivery.number for delivery in platform.deliveries.of_session(session.session_id)}
        plan = enumerate(reading.plan(platform, session), start=1)
        return max(
            (number for number, planned in plan if planned.file_id == file_id and number in handed_out), default=0
        )

    return latest


@contextmanager
def _let_in(
    platform: Platform, client_request: Asked, number_of: _Number, *, spared: bool = False
) -> Iterator[tuple[Request, Session]]:
    """Admit a request about the open session, as the other interfaces do; it is recorded once it is done."""
    require_right(client_request.identity)
    try:
        sessions = open_sessions(platform, client_request.identity, client_request.arrival)
    except UnknownSessionError:
        raise SessionNotStartedError from None
    session = next((other for other in sessions if number_of(other)), sessions[0])
    request = Request(client_request.identity, client_request.arrival, session.session_id, number_of(session))
    body_bytes = client_request.body_bytes
    with access.let_in(platform, request, spared=spared, body_bytes=body_bytes) as admitted:
        yield admitted, session


@contextmanager
def _task(platform: Platform, client_request: Asked, number_of: _Number, *, spared: bool = False) -> Iterator[_Task]:
    """Return the named file, which must have been handed out."""
    with _let_in(platform, client_request, number_of, spared=spared) as (request, session):
        number = request.number or 0
        delivery = platform.deliveries.get(session.session_id, number) if number else None
        if delivery is None:
            raise TaskNotFoundError
        work = session_following.work_on(platform, session, reading.planned_file(platform, session, number))
        yield _Task(request, session, work, session_following.dialogue_standing(platform, work, delivery))


def _words(platform: Platform, session: Session) -> FetchedByEarlierClients:
    """Return the track's part for these clients; a track without one has no tasks that they could have begun."""
    track = reading.track_of(platform, session)
    if not isinstance(track, FetchedByEarlierClients):
        raise TaskNotFoundError
    return track


def _waits_for_first(words: FetchedByEarlierClients, task: _Task) -> bool:
    return task.standing is not None and words.earlier_first in task.standing.takes


def _submitted(platform: Platform, task: _Task, body: bytes) -> Taken:
    """Send an answer; the refusals are those that these clients know."""
    try:
        return submit_answer(platform, task.request, body)
    except WrongStepError:
        raise PreliminaryGivenError from None
    except InvalidAnswerError as error:
        if {detail.get("code") for detail in error.details} & _UNKNOWN_CODES:
            raise StudyNotFoundError(error.details) from None
        raise EarlierRequestError(error.details) from None
    except (MalformedJsonError, AnswerTooLargeError) as error:
        raise EarlierRequestError(error.details) from None


def _brought(words: FetchedByEarlierClients, acceptance: Taken, digest: str, epicrisis_id: str) -> tuple[Document, ...]:
    """Return the result of the latest turn with this content; a repetition of it finds the same."""
    turns = list(enumerate(acceptance.standing.answered if acceptance.standing else (), start=1))
    place, answered = next(
        (place, turn_answer) for place, turn_answer in reversed(turns) if turn_answer.turn.content_sha256 == digest
    )
    brought = words.earlier_documents(answered.response)
    return tuple(Document(epicrisis_id, str(place * _PER_TURN + number)) for number in range(1, len(brought) + 1))


def _document(platform: Platform, task: _Task, test_id: str) -> str:
    place, number = divmod(int(test_id) if test_id.isascii() and test_id.isdigit() else 0, _PER_TURN)
    answered = task.standing.answered if task.standing else ()
    if not 1 <= place <= len(answered):
        raise TaskNotFoundError
    brought = _words(platform, task.session).earlier_documents(answered[place - 1].response)
    if not 1 <= number <= len(brought):
        raise TaskNotFoundError
    return brought[number - 1]


def _tell_what_follows(platform: Platform, client_request: Asked, session: Session) -> None:
    """Push the next file, or the end, in sessions without a schedule; a failure does not undo the request."""
    if reading.schedule_of(platform, session) is not None:
        return
    with suppress(ContestError):
        events = pushing.next_events(platform, client_request.identity, session, client_request.arrival)
        connections.tell_client(platform, session.session_id, events)


def _readable(raw: Any) -> Any:
    """Return an answer as JSON; in a form it is text."""
    if not isinstance(raw, str):
        return raw
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return raw


def _bytes(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _id(client_request: Asked, field: str) -> str:
    return name(client_request.parameters.get(field))
