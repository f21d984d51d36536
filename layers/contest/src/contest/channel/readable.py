"""Dialect of the READ//ABLE clients of 2020–2024 (namespace ``/pku``), carried out by the services of the exchange.

The clients cannot be changed: they send numbers as strings, echo the whole file back as text, ask for a repetition
right after every connect, and show the ``message`` of an error to a person. One of them stops at unknown fields, so a
refusal holds its message and its subject, and nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from contest import reading
from contest.channel import connections, pushing, tasks
from contest.channel.connections import Speaker
from contest.channel.rules import Told
from contest.cycle.rules.cycle import ALL_LANGUAGES, LONGEST_ANSWER_S, MAX_FILES, Mode
from contest.errors import FileNotHandedOutError, InternalError, InvalidRequestError, UnknownSessionError
from contest.exchange.files import submit_answer
from contest.people.rules import may
from contest.platform import Platform
from contest.refusals import ContestError
from contest.route import Right
from contest.routes import ANSWER, LOG
from contest.session import access, opening
from contest.session.access import Request
from contest.session.rules.delivery import Cause, FileState
from contest.session.rules.session import SESSION_ID, OpeningWish, Session
from contest.texts import tr
from markup_core.lazy import dataclass
from markup_core.texts import Text, at

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
    """Handler of an event, the event of its refusal, and whether its answers are spared by the rate."""

    do: _Doing
    refused: str
    """The event that says no."""
    spared: bool = False
    """Whether it is an answer, which within a file's first bodies is not refused for the rate (platform §3)."""


class ReadableDialect:
    """:class:`contest.channel.connections.Dialect` of READ//ABLE."""

    def entered(self, platform: Platform, speaker: Speaker) -> list[Told]:
        """See the protocol. No client announces its return; the files in its hands may have been lost on the way."""
        if not may(speaker.identity, Right.EXCHANGE):
            return []
        try:
            return _reconnect(platform, speaker, {})
        except UnknownSessionError:
            latest = platform.sessions.of_team(speaker.identity.team_id, 1, None)
            ended = reading.session(platform, latest[0]) if latest else None
            return _reason(platform, speaker, ended) if ended else []

    def answer(self, platform: Platform, speaker: Speaker, name: str, payload: Any) -> list[Told]:
        """Do what an event asks for; one that is not known says nothing, as the earlier server did."""
        handled = _EVENTS.get(name)
        if handled is None:
            return []
        parameters = tasks.mapping(payload)
        try:
            tasks.require_right(speaker.identity)
            request = _answering(platform, speaker, parameters) if handled.spared else tasks.request(speaker)
            with access.let_in(platform, request, spared=handled.spared):
                return handled.do(platform, speaker, parameters)
        except ContestError as error:
            # Every refusal is shown to a person in red, who has not asked for what the client repeats by itself.
            is_asked = name != "session-file-repeat" or "lastFileId" not in parameters
            return [_refusal(handled.refused, speaker.connection.session_id, parameters, error)] if is_asked else []

    def failure(self, session_id: str, name: str, payload: Any) -> list[Told]:
        """Return the refusal of an event that failed because of the platform, without the cause."""
        handled = _EVENTS.get(name)
        return [_refusal(handled.refused, session_id, tasks.mapping(payload), InternalError())] if handled else []


def _answering(platform: Platform, speaker: Speaker, parameters: Mapping[str, Any]) -> Request:
    """Return the answer in an event, as far as it names a file of the team's own; file 0 where it names none."""
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


def _reason(platform: Platform, speaker: Speaker, session: Session) -> list[Told]:
    """Return the events that explain why the session's client was cut off, if it was not told yet.

    Nobody has read the message: it was a log, or the answer to the file that has been in hand longest. A client waits
    for the word about what it sent, so that each of the two is refused where a file is in hand, and the text says both.
    """
    session_id = session.session_id
    if not connections.owes_reason(platform, session_id):
        return []
    log_path = LOG.path.format(session_id=session_id)
    waiting = pushing.awaited(platform, session, speaker.arrival) if session.is_open else []
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
    session = opening.open_wished(platform, tasks.request(speaker), _wish(parameters))
    started = Told("session-start-success", {"sessionId": session.session_id})
    tasks.attach(platform, speaker, session)
    return [started, *tasks.following(platform, speaker, session)]


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
    """Resume the open session: send files open now, and files in hand that this connection has not brought.

    Of a file that was too large for the channel the client has got the text; it is told, instead, why it was cut off.
    """
    session = _open_session(platform, speaker)
    back = Told("session-reconnect-success", {"sessionId": session.session_id})
    tasks.attach(platform, speaker, session)
    reason = _reason(platform, speaker, session)
    refused = {event.file for event in reason}
    owed = [event for event in tasks.in_hand(platform, speaker, session) if event.file not in refused]
    return [back, *reason, *owed, *tasks.following(platform, speaker, session)]


def _open_session(platform: Platform, speaker: Speaker) -> Session:
    """Return the session of this connection, else the team's open one."""
    return tasks.open_session(platform, speaker.identity, speaker.arrival, speaker.connection.session_id)


def _repeat(platform: Platform, speaker: Speaker, parameters: Mapping[str, Any]) -> list[Told]:
    """Return the files in hand: the first one as the answer, others that overlap with it as if they opened now.

    Without a payload a person asks, who has lost the file, and is always answered. With ``lastFileId``, the last file
    the client knows of, or any sentence when it knows none, the client asks by itself after every connect: it gets
    what this connection has not brought yet, or hears that files were missed, or nothing.
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
    events = [*again, *tasks.following(platform, speaker, session)]
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
    return [done, *tasks.following(platform, speaker, session)]


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


_EVENTS: Final[Mapping[str, _Handled]] = {
    "session-start": _Handled(_start, "session-start-error"),
    "session-reconnect": _Handled(_reconnect, "session-reconnect-error"),
    "session-file-repeat": _Handled(_repeat, _REPEAT_REFUSED),
    "session-file-send": _Handled(_send, _SEND_REFUSED, spared=True),
    "session-client-abort": _Handled(_abort, "session-client-abort-error"),
    "logs-send": _Handled(_log, _LOG_REFUSED),
}
