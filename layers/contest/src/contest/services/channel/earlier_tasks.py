"""What the earlier clients that fetch documents do over HTTP: read, answer, ask for studies, leave.

The exchange's own services do it; here are the tasks by which these clients name files, and the refusals that they
know. Whoever asks names no session: the open one that has the task is meant.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, cast

from contest.domain.canonical import canonical, sha256_hex
from contest.domain.channel.channel import Told
from contest.domain.moments import Millis
from contest.domain.people.rights import Identity
from contest.domain.session import tasks
from contest.domain.session.delivery import Status
from contest.domain.session.session import Session
from contest.errors import (
    AnswerTooLargeError,
    InvalidAnswerError,
    MalformedJsonError,
    UnknownSessionError,
)
from contest.errors.earlier import (
    EarlierRequestError,
    NothingAskedYetError,
    PreliminaryFirstError,
    PreliminaryGivenError,
    SessionNotStartedError,
    StudyNotFoundError,
    TaskNotFoundError,
    TaskOverdueError,
)
from contest.errors.steps import WrongStepError
from contest.refusals import ContestError
from contest.route import Right
from contest.services import reading
from contest.services.channel import connections, pushing, speaking
from contest.services.exchange.answering import Taken, submit_answer
from contest.services.platform import Platform
from contest.services.session import access, dialogues, status
from contest.services.session.dialogues import Standing, Work
from contest.services.session.request import Request
from tracks.capabilities import FetchedByEarlierClients

_PER_TURN: Final = 1000
"""A document's name is its number among those of its request, from 1, and a thousand for each turn up to that."""
_UNKNOWN_CODES: Final = frozenset({"unknown_study"})
"""Reasons against a code that say that there is no such study."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request of such a client: whose it is, when it arrived, what it says by name."""

    identity: Identity
    arrival: Millis
    said: Mapping[str, Any]
    body_bytes: int | None
    """Length of its body; None of what has none."""


class _Task(NamedTuple):
    """A file of the team's open session that was handed out, and the request about it, let in."""

    request: Request
    session: Session
    work: Work
    standing: Standing | None


class Document(NamedTuple):
    """What a study brought, by the name under which it is fetched."""

    epicrisis_id: str
    test_id: str


def epicrisis(platform: Platform, asked: Asked) -> str:
    """The document of what was handed out under a name, in its latest version."""
    with _task(platform, asked, _latest_of(platform, asked)) as task:
        _, document = _words(platform, task.session).earlier_document(task.work.shown())
        return document


def received(platform: Platform, asked: Asked) -> None:
    """A client says that it has got a document; its session is heard of by it."""
    with _task(platform, asked, _latest_of(platform, asked)):
        pass


def upload(platform: Platform, asked: Asked) -> Mapping[str, Any]:
    """Take the answer to a task; its receipt. The first answer of a dialogue comes before any other.

    Clause: TS D-13
    """
    with _task(platform, asked, _named(platform, asked), spared=True) as task:
        words, step = _words(platform, task.session), _step(task)
        body = _bytes(words.earlier_answer(_readable(asked.said.get("answer")), step))
        if _waits_for_first(words, task) and _kind(task, body) not in {None, words.earlier_first}:
            raise PreliminaryFirstError
        receipt = json.loads(_submitted(platform, task, body).receipt)
    _tell_what_follows(platform, asked, task.session)
    return cast(Mapping[str, Any], receipt)


def get_test(platform: Platform, asked: Asked) -> tuple[Document, ...]:
    """Ask for a study; the names of the documents it brought. One that the patient does not have costs all the same.

    Clause: TS D-13
    """
    with _task(platform, asked, _named(platform, asked), spared=True) as task:
        words, session = _words(platform, task.session), task.session
        if _waits_for_first(words, task):
            raise NothingAskedYetError
        wanted = words.earlier_request(asked.said.get("code"))
        taken = _submitted(platform, task, _bytes(wanted))
        if json.loads(taken.receipt)["receipt"]["status"] != Status.ACCEPTED.value:
            raise TaskOverdueError
        found = _brought(words, taken, sha256_hex(canonical(wanted)), task.work.planned.file_id)
    named = {"epicrisisId": task.work.planned.file_id, "taskId": _id(asked, "taskId")}
    if not found:
        missing = {**named, "message": f"{StudyNotFoundError.ru} / {StudyNotFoundError.en}"}
        connections.tell_client(platform, session.session_id, [Told("session-get-test-error", missing)])
        raise StudyNotFoundError
    told = [Told("session-get-test-success", {**named, "testId": each.test_id}) for each in found]
    connections.tell_client(platform, session.session_id, told)
    return found


def fragment(platform: Platform, asked: Asked) -> str:
    """One document that a study of an epicrisis brought before."""
    with _task(platform, asked, _latest_of(platform, asked)) as task:
        return _document(platform, task, _id(asked, "testId"))


def study_received(platform: Platform, asked: Asked) -> None:
    """A client says that it has got a study's document."""
    with _task(platform, asked, _named(platform, asked)) as task:
        _document(platform, task, _id(asked, "id"))


def abort(platform: Platform, asked: Asked) -> None:
    """End the open session at the client's wish, and say so over the channel."""
    with _let_in(platform, asked, lambda _: 0) as (request, _):
        ended = status.abort(platform, request, confirmed=True).session
    connections.tell_client(platform, ended.session_id, [pushing.closing_event(ended)])


_Number = Callable[[Session], int]
"""Which file of a session is meant; 0 for none."""


def _named(platform: Platform, asked: Asked) -> _Number:
    return lambda session: tasks.number_of(reading.plan(platform, session), _id(asked, "taskId"))


def _latest_of(platform: Platform, asked: Asked) -> _Number:
    """The latest file of an epicrisis that was handed out."""
    file_id = _id(asked, "epicrisisId")

    def latest(session: Session) -> int:
        known = {each.number for each in platform.deliveries.of_session(session.session_id)}
        plan = enumerate(reading.plan(platform, session), start=1)
        return max((number for number, each in plan if each.file_id == file_id and number in known), default=0)

    return latest


@contextmanager
def _let_in(
    platform: Platform, asked: Asked, number_of: _Number, *, spared: bool = False
) -> Iterator[tuple[Request, Session]]:
    """Let a request about the open session in, as over the other interfaces; it is noted when it is done."""
    try:
        known = speaking.open_sessions(platform, asked.identity, asked.arrival)
    except UnknownSessionError:
        raise SessionNotStartedError from None
    session = next((each for each in known if number_of(each)), known[0])
    request = Request(asked.identity, asked.arrival, session.session_id, number_of(session))
    admitted = access.admit(platform, request, Right.EXCHANGE, spared=spared, body_bytes=asked.body_bytes)
    try:
        yield admitted, session
    finally:
        access.leave(platform, admitted)


@contextmanager
def _task(platform: Platform, asked: Asked, number_of: _Number, *, spared: bool = False) -> Iterator[_Task]:
    """The file that is meant, which must have been handed out."""
    with _let_in(platform, asked, number_of, spared=spared) as (request, session):
        number = request.number or 0
        delivery = platform.deliveries.get(session.session_id, number) if number else None
        if delivery is None:
            raise TaskNotFoundError
        work = dialogues.work_on(platform, session, reading.planned_file(platform, session, number))
        yield _Task(request, session, work, dialogues.standing(platform, work, delivery))


def _words(platform: Platform, session: Session) -> FetchedByEarlierClients:
    """The contest's side of these clients; a contest that has none was never begun over them."""
    track = reading.track_of(platform, session)
    if not isinstance(track, FetchedByEarlierClients):
        raise TaskNotFoundError
    return track


def _waits_for_first(words: FetchedByEarlierClients, task: _Task) -> bool:
    return task.standing is not None and words.earlier_first in task.standing.takes


def _step(task: _Task) -> str:
    if task.standing is not None and task.standing.step is not None:
        return task.standing.step
    return task.work.course.publication


def _kind(task: _Task, body: bytes) -> str | None:
    """The kind of an answer; None of what is none, which is refused for what it is."""
    work = task.work
    verdict = work.track.validate(work.item, work.planned.file_id, _step(task), body, work.rules)
    return verdict.kind if verdict.valid else None


def _submitted(platform: Platform, task: _Task, body: bytes) -> Taken:
    """Send an answer; the refusals are those that these clients know."""
    try:
        return submit_answer(platform, task.request, body)
    except WrongStepError:
        raise PreliminaryGivenError from None
    except InvalidAnswerError as error:
        if {each.get("code") for each in error.details} & _UNKNOWN_CODES:
            raise StudyNotFoundError(error.details) from None
        raise EarlierRequestError(error.details) from None
    except (MalformedJsonError, AnswerTooLargeError) as error:
        raise EarlierRequestError(error.details) from None


def _brought(words: FetchedByEarlierClients, taken: Taken, digest: str, epicrisis_id: str) -> tuple[Document, ...]:
    """What the latest turn with this content brought; a repetition of it finds the same."""
    turns = list(enumerate(taken.standing.answered if taken.standing else (), start=1))
    place, answered = next((place, each) for place, each in reversed(turns) if each.turn.content_sha256 == digest)
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


def _tell_what_follows(platform: Platform, asked: Asked, session: Session) -> None:
    """Where files follow one another, push the next one, or the end; what was taken stays so whatever comes of it."""
    if reading.schedule_of(platform, session) is not None:
        return
    with suppress(ContestError):
        events = pushing.next_events(platform, asked.identity, session, asked.arrival)
        connections.tell_client(platform, session.session_id, events)


def _readable(raw: Any) -> Any:
    """An answer as JSON; a form says it as text."""
    if not isinstance(raw, str):
        return raw
    try:
        return json.loads(raw)
    except ValueError:
        return raw


def _bytes(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _id(asked: Asked, field: str) -> str:
    return speaking.name(asked.said.get(field))
