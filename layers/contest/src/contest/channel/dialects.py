"""Dialects of the earlier clients: what their events ask for, carried out by the services of the exchange.

The clients cannot be changed, and none announces its return. Those of READ//ABLE of 2020–2024 (namespace ``/pku``) send
numbers as strings, echo the whole file back as text, ask for a repetition right after every connect, and show the
``message`` of an error to a person. One of them stops at unknown fields, so a refusal holds its message and its
subject, and nothing else.

The AI'm Doctor clients begin a session, get the names of files to fetch at their opening, and get its end; answers and
studies go over HTTP (:mod:`contest.channel.tasks`), but an older edition sends answers as events. Events have hyphens
here, as the clients write them; :func:`contest.channel.rules.stored_spelling` spells the events sent to them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final

from contest import reading
from contest.channel import connections, pushing, tasks
from contest.channel.connections import Dialect, Speaker
from contest.channel.rules import Told
from contest.channel.tasks import Asked
from contest.cycle.rules.cycle import ALL_LANGUAGES, LONGEST_ANSWER_S, MAX_FILES, Cycle, Mode
from contest.errors import (
    FileNotHandedOutError,
    InternalError,
    InvalidRequestError,
    SessionAlreadyOpenError,
    UnknownSessionError,
    from_reasons,
)
from contest.exchange.files import submit_answer
from contest.people.rules import may
from contest.platform import Platform
from contest.refusals import ContestError
from contest.routes import ANSWER, LOG, Right
from contest.session import access, opening
from contest.session.access import Request
from contest.session.rules.delivery import Cause, FileState
from contest.session.rules.session import SESSION_ID, OpeningWish, Session
from contest.texts import tr
from markup_core.lazy import dataclass
from markup_core.texts import Text, at
from tracks.capabilities import EarlierOrder, FetchedByEarlierClients
from tracks.protocol import mode_named

_Doing = Callable[[Platform, Speaker, Mapping[str, Any]], list[Told]]
_SET: Final = "train"
_REPEAT_REFUSED: Final = "session-file-repeat-error"
_SEND_REFUSED: Final = "session-file-send-error"
_LOG_REFUSED: Final = "logs-send-error"
_UNREAD_RU: Final = "Сообщение больше 32 КБ: канал закрыл соединение, не прочитав его."
_UNREAD_EN: Final = "a message of more than 32 KB: the channel closed the connection without reading it."
_NOTHING: Final = "Сейчас нет файла, который нужно повторить / there is no file to repeat now"
_MISSED: Final = "Пока не было связи, файл пропущен / a file was missed while there was no connection"


@dataclass(frozen=True, slots=True)
class _Handled:
    """Handler of an event, and the event of its refusal."""

    do: _Doing
    refused: str
    """Name of the event that refuses it."""
    is_answer: bool = False
    """True for an answer: within a file's first bodies, the rate limit does not refuse it (platform §3)."""


class _EarlierDialect:
    """A :class:`contest.channel.connections.Dialect` whose events are the rows of a table."""

    events: ClassVar[Mapping[str, _Handled]]

    def entered(self, platform: Platform, speaker: Speaker) -> list[Told]:
        """See the protocol. Files that were handed out to the client may have been lost on the way."""
        if not may(speaker.identity, Right.EXCHANGE):
            return []
        try:
            return self.events["session-reconnect"].do(platform, speaker, {})
        except UnknownSessionError:
            return self.without_session(platform, speaker)

    def without_session(self, platform: Platform, speaker: Speaker) -> list[Told]:  # noqa: ARG002
        """Return the events for a client that enters without an open session."""
        return []

    def answer(self, platform: Platform, speaker: Speaker, name: str, payload: Any) -> list[Told]:
        """Carry out an event; an unknown event gets no reply, as from the earlier server."""
        handled = self.events.get(name)
        if handled is None:
            return []
        parameters = tasks.mapping(payload)
        try:
            return self.carried_out(platform, speaker, handled, parameters)
        except ContestError as error:
            # Clients show each refusal in red to a person, who did not ask for an automatic repetition.
            is_asked = name != "session-file-repeat" or "lastFileId" not in parameters
            return [_refusal(handled.refused, speaker.connection.session_id, parameters, error)] if is_asked else []

    def carried_out(
        self, platform: Platform, speaker: Speaker, handled: _Handled, parameters: Mapping[str, Any]
    ) -> list[Told]:
        """Admit an event, carry it out and return the events of its outcome."""
        tasks.require_right(speaker.identity)
        request = _answering(platform, speaker, parameters) if handled.is_answer else tasks.request(speaker)
        with access.let_in(platform, request, spared=handled.is_answer):
            return handled.do(platform, speaker, parameters)

    def failure(self, session_id: str, name: str, payload: Any) -> list[Told]:
        """Return the refusal of an event that failed because of the platform, without the cause."""
        handled = self.events.get(name)
        return [_refusal(handled.refused, session_id, tasks.mapping(payload), InternalError())] if handled else []


def _answering(platform: Platform, speaker: Speaker, parameters: Mapping[str, Any]) -> Request:
    """Return the request of an answer event, with its file's number in a session of the team; 0 for an unknown file."""
    session_id = tasks.name(parameters.get("sessionId")) or speaker.connection.session_id
    session = reading.session(platform, session_id) if SESSION_ID.fullmatch(session_id) else None
    if session is None or session.team_id != speaker.identity.team_id:
        return tasks.request(speaker, session_id)
    return tasks.request(speaker, session_id, _place(platform, session, parameters.get("fileId")))


def _refusal(name: str, session_id: str, parameters: Mapping[str, Any], error: ContestError) -> Told:
    """Write a refusal in both languages; the refusal of an answer repeats the name of its file."""
    message = {"message": tasks.message_of(error)}
    if name == _SEND_REFUSED:
        named = {
            "sessionId": tasks.name(parameters.get("sessionId")) or session_id,
            "fileId": tasks.name(parameters.get("fileId")),
        }
        return Told(name, {**named, **message})
    return Told(name, {**message, "missed": False} if name == _REPEAT_REFUSED else message)


def _started(platform: Platform, speaker: Speaker, wish: OpeningWish) -> list[Told]:
    """Open a session for a client, and return the events with which it begins."""
    session = opening.open_wished(platform, tasks.request(speaker), wish)
    tasks.attach(platform, speaker, session)
    started = Told("session-start-success", {"sessionId": session.session_id})
    return [started, *tasks.follow_up(platform, speaker, session)]


def _open_session(platform: Platform, speaker: Speaker) -> Session:
    """Return the session of this connection, else the team's open one."""
    return tasks.open_session(platform, speaker.identity, speaker.arrival, speaker.connection.session_id)


def _resumed(
    platform: Platform,
    speaker: Speaker,
    begin: Callable[[Session], Told],
    explain: Callable[[Platform, Speaker, Session], list[Told]] = lambda *_: [],
) -> list[Told]:
    """Resume the open session: send files in hand that this connection has not brought, and files open now.

    A file that ``explain`` refuses is not sent again.
    """
    session = _open_session(platform, speaker)
    tasks.attach(platform, speaker, session)
    reasons = explain(platform, speaker, session)
    refused = {event.file for event in reasons}
    owed = [event for event in tasks.in_hand(platform, speaker, session) if event.file not in refused]
    return [begin(session), *reasons, *owed, *tasks.follow_up(platform, speaker, session)]


def _reconnected(session: Session) -> Told:
    return Told("session-reconnect-success", {"sessionId": session.session_id})


def _reason(platform: Platform, speaker: Speaker, session: Session) -> list[Told]:
    """Return the events that explain why the session's client was cut off, if it was not told yet.

    The message was not read: it was a log, or the answer to the file that has been in hand longest. A client waits for
    the outcome of its message, so each of the two is refused if a file is in hand, and the text names both.
    """
    session_id = session.session_id
    if not connections.owes_reason(platform, session_id):
        return []
    log_path = LOG.path.format(session_id=session_id)
    waiting = pushing.awaited_files(platform, session, speaker.arrival) if session.is_open else []
    if not waiting:
        text = f"{_UNREAD_RU} Отправьте по HTTPS: PUT {log_path} / {_UNREAD_EN} Send by HTTPS: PUT {log_path}"
        return [Told(_LOG_REFUSED, {"message": text})]
    number = waiting[0].number
    answer_path = ANSWER.path.format(session_id=session_id, number=number)
    message = {
        "message": f"{_UNREAD_RU} Если это был ответ на файл, отправьте его по HTTPS: PUT {answer_path}; если журнал — "
        f"PUT {log_path}, а файл запросите ещё раз (repeat) / {_UNREAD_EN} If it was the answer to the file, "
        f"send it by HTTPS: PUT {answer_path}; if it was a log, PUT {log_path}, and ask for the file again (repeat)"
    }
    named = {"sessionId": session_id, "fileId": reading.planned_file(platform, session, number).file_id}
    return [Told(_LOG_REFUSED, message), Told(_SEND_REFUSED, {**named, **message}, (session_id, number))]


def _start(platform: Platform, speaker: Speaker, parameters: Mapping[str, Any]) -> list[Told]:
    return _started(platform, speaker, _wish(parameters))


def _wish(parameters: Mapping[str, Any]) -> OpeningWish:
    """Return the wish for a new session. A run ignores the clients' own parameters."""
    raw = parameters.get("params")
    params: Mapping[str, Any] = raw if isinstance(raw, Mapping) else {}
    mode = parameters.get("type")
    if not isinstance(mode, str) or mode not in set(Mode):
        raise InvalidRequestError([_fault("type", tr("one of {mode}", mode=", ".join(Mode)))])
    if mode != Mode.ALGORITHMIC:
        return OpeningWish(mode=mode)
    return OpeningWish(
        mode=mode,
        set_name=str(params.get("dsType") or _SET),
        files=_whole(params, "countFiles", MAX_FILES),
        language=str(params.get("lang") or ALL_LANGUAGES),
        time_limit_s=_whole(params, "time", LONGEST_ANSWER_S),
    )


def _whole(params: Mapping[str, Any], name: str, most: int) -> int | None:
    """Return a whole number from one, given as a number or as text; None if absent or empty."""
    raw = params.get(name)
    if raw is None or raw == "":
        return None
    try:
        number = int(str(raw))
    except ValueError:
        number = 0
    if isinstance(raw, bool) or not 1 <= number <= most:
        raise InvalidRequestError([_fault(name, tr("a number from 1 to {most}", most=most))])
    return number


def _fault(field: str, message: Text) -> dict[str, str]:
    return {"code": "bad_parameter", **at(field, message).as_fields(), "field": field}


def _reconnect(platform: Platform, speaker: Speaker, parameters: Mapping[str, Any]) -> list[Told]:  # noqa: ARG001
    """Resume the open session. The client already has the text of a file whose answer was too large for the channel;
    instead of the file, it gets the reason why it was cut off."""
    return _resumed(platform, speaker, _reconnected, _reason)


def _repeat(platform: Platform, speaker: Speaker, parameters: Mapping[str, Any]) -> list[Told]:
    """Return the files in hand: the first one as the answer, others that overlap with it as if they opened now.

    Without a payload, a person who has lost the file asks, and always gets an answer. With ``lastFileId``, the last
    file that the client has, or any sentence if it has none, the client asks by itself after every connect: it gets
    the files that this connection has not brought yet, or a notice of missed files, or nothing.
    """
    session = _open_session(platform, speaker)
    by_itself = "lastFileId" in parameters
    views = access.session_status(platform, tasks.request(speaker, session.session_id)).files
    # Files count as missed that were lost without a connection, before or after they were sent.
    last_file_id = parameters.get("lastFileId")
    last_number = next((view.number for view in views if view.file_id is not None and view.file_id == last_file_id), 0)
    lost = (view for view in views if view.state is FileState.VOIDED and view.number > last_number)
    missed = any(view.cause is Cause.NETWORK or (last_number > 0 and view.delivery is not None) for view in lost)
    again = tasks.in_hand(platform, speaker, session, whatever_came=not by_itself)
    events = [*again, *tasks.follow_up(platform, speaker, session)]
    if events and events[0].name == pushing.AVAILABLE:
        first, *others = events
        again_told = {**(first.payload or {}), "missed": missed}
        return [Told("session-file-repeat-success", again_told, first.file), *others]
    if by_itself and not missed:
        return events
    return [Told(_REPEAT_REFUSED, {"message": _MISSED if missed else _NOTHING, "missed": missed}), *events]


def _send(platform: Platform, speaker: Speaker, parameters: Mapping[str, Any]) -> list[Told]:
    session_id = tasks.name(parameters.get("sessionId"))
    if session_id:
        session = access.own_session(platform, tasks.request(speaker, session_id)).session
    else:
        session = _open_session(platform, speaker)
    number = _place(platform, session, parameters.get("fileId"))
    if not number or platform.deliveries.get(session.session_id, number) is None:
        raise FileNotHandedOutError
    body = _content(parameters.get("content"))
    acceptance = submit_answer(platform, tasks.request(speaker, session.session_id, number), body)
    receipt = json.loads(acceptance.receipt)
    promise = {**receipt["receipt"], "signature": receipt["signature"]}
    named = {"sessionId": session.session_id, "fileId": tasks.name(parameters.get("fileId"))}
    done = Told("session-file-send-success", {**named, **promise})
    if session.run_id is not None or not session.is_open:  # in a run the schedule decides which file follows
        return [done]
    return [done, *tasks.follow_up(platform, speaker, session)]


def _place(platform: Platform, session: Session, file_id: Any) -> int:
    """Return a file's number in its session; 0 for a name without a file in it."""
    plan = enumerate(reading.plan(platform, session), start=1)
    return next((number for number, planned in plan if planned.file_id == tasks.name(file_id)), 0)


def _content(raw: Any) -> bytes:
    """Return the annotation as the exchange takes it; clients send it as text or as an object."""
    text = raw if isinstance(raw, str) else json.dumps(raw, ensure_ascii=False)
    return text.encode("utf-8", "surrogatepass")


def _abort(platform: Platform, speaker: Speaker, parameters: Mapping[str, Any]) -> list[Told]:
    session = tasks.to_abort(platform, speaker, tasks.name(parameters.get("sessionId")))
    access.abort(platform, tasks.request(speaker, session.session_id), confirmed=True)
    return [Told("session-client-abort-success", {"message": "Сессия прервана / the session is aborted"})]


def _log(platform: Platform, speaker: Speaker, parameters: Mapping[str, Any]) -> list[Told]:
    latest = platform.sessions.of_team(speaker.identity.team_id, 1, None)
    session_id = speaker.connection.session_id or next(iter(latest), "")
    access.store_log(platform, tasks.request(speaker, session_id), _content(dict(parameters)))
    return [Told("logs-send-success", {"message": "OK"})]


class ReadableDialect(_EarlierDialect):
    """Dialect of READ//ABLE."""

    events: ClassVar[Mapping[str, _Handled]] = {
        "session-start": _Handled(_start, "session-start-error"),
        "session-reconnect": _Handled(_reconnect, "session-reconnect-error"),
        "session-file-repeat": _Handled(_repeat, _REPEAT_REFUSED),
        "session-file-send": _Handled(_send, _SEND_REFUSED, is_answer=True),
        "session-client-abort": _Handled(_abort, "session-client-abort-error"),
        "logs-send": _Handled(_log, _LOG_REFUSED),
    }

    def without_session(self, platform: Platform, speaker: Speaker) -> list[Told]:
        """Return why the client of the team's latest session was cut off, if it was not told yet."""
        latest = platform.sessions.of_team(speaker.identity.team_id, 1, None)
        ended = reading.session(platform, latest[0]) if latest else None
        return _reason(platform, speaker, ended) if ended else []


# Clause: TS D-13
def _start_stage(platform: Platform, speaker: Speaker, parameters: Mapping[str, Any]) -> list[Told]:
    """Open a session; a client with an open one of the kind resumes it, and is told that none was opened."""
    try:
        return _started(platform, speaker, _wish_of_stage(platform, parameters))
    except SessionAlreadyOpenError:
        return _resumed(platform, speaker, lambda _: Told("session-blank-start", None))


def _reconnect_stage(platform: Platform, speaker: Speaker, parameters: Mapping[str, Any]) -> list[Told]:  # noqa: ARG001
    return _resumed(platform, speaker, _reconnected)


def _wish_of_stage(platform: Platform, parameters: Mapping[str, Any]) -> OpeningWish:
    """Return the wish for a new session: the clients name a stage; the items tell a stage's sets."""
    cycle = reading.cycle_now(platform)
    track = reading.track_of(platform, cycle)
    if not isinstance(track, FetchedByEarlierClients):
        raise InvalidRequestError.with_detail("other_contest", tr("this contest's clients speak otherwise"))
    raw = parameters.get("params")
    order, reasons = track.earlier_order(parameters.get("contest"), raw if isinstance(raw, Mapping) else {})
    if order is None:
        raise InvalidRequestError(from_reasons(reasons))
    rules = mode_named(track, order.mode)
    if rules is not None and rules.in_run:
        return OpeningWish(mode=order.mode)
    return OpeningWish(
        mode=order.mode,
        set_name=_set_of(platform, cycle, order),
        files=order.files,
        time_limit_s=order.time_limit_s,
        choices={rules.counts: len(order.groups)} if rules is not None and order.groups else None,
        groups=order.groups or None,
    )


def _set_of(platform: Platform, cycle: Cycle, order: EarlierOrder) -> str:
    """Return the name of the open set; where the cycle has several of the kind, the first by name."""
    of_kind = [essay_set for essay_set in cycle.open_sets if essay_set.kind.value == order.set_kind]
    fitting = (essay_set.name for essay_set in of_kind if reading.first_step(platform, cycle, essay_set) == order.step)
    name = min(fitting, default=None)
    if name is None:
        raise InvalidRequestError.with_detail("unknown_set", tr("the cycle has no set of this stage for it"))
    return name


def _send_task(platform: Platform, speaker: Speaker, parameters: Mapping[str, Any]) -> list[Told]:
    """Return an answer as an event, as an older edition sends it."""
    named = {name: tasks.name(parameters.get(name)) for name in ("sessionId", "epicrisisId", "taskId")}
    tasks.upload(platform, Asked(speaker.identity, speaker.arrival, parameters, body_bytes=None))
    return [Told("session-send-file-result-success", named)]


def _abort_stage(platform: Platform, speaker: Speaker, parameters: Mapping[str, Any]) -> list[Told]:  # noqa: ARG001
    session = tasks.to_abort(platform, speaker, "")
    ended = access.abort(platform, tasks.request(speaker, session.session_id), confirmed=True).session
    return [pushing.closing_event(ended)]


class DoctorDialect(_EarlierDialect):
    """Dialect of AI'm Doctor."""

    events: ClassVar[Mapping[str, _Handled]] = {
        "session-start": _Handled(_start_stage, "session-start-error"),
        "session-blank-start": _Handled(_reconnect_stage, "session-start-error"),
        "session-reconnect": _Handled(_reconnect_stage, "session-reconnect-error"),
        "session-send-file-result": _Handled(_send_task, "session-send-file-result-error", is_answer=True),
        "session-client-abort": _Handled(_abort_stage, "session-client-abort-error"),
    }

    def carried_out(
        self, platform: Platform, speaker: Speaker, handled: _Handled, parameters: Mapping[str, Any]
    ) -> list[Told]:
        """Admit an event and carry it out; an answer is admitted by its own handler."""
        if not handled.is_answer:
            return super().carried_out(platform, speaker, handled, parameters)
        return handled.do(platform, speaker, parameters)


DIALECTS: Final[Mapping[str, Dialect]] = {"/pku": ReadableDialect(), "/baseline": DoctorDialect()}
"""Dialects by namespace; the namespaces are those of the rules' ``NAMESPACES``."""
