"""The events of the READ//ABLE clients of 2020–2024 (namespace ``/pku``), done by the exchange's own services.

The clients are not changed for us: they send numbers as strings, echo the whole file back as text, ask for a
repetition right after the start, and show whatever ``message`` an error carries to a person.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

from contest.domain import session as life
from contest.domain.channel import Told
from contest.domain.cycle import ALL_LANGUAGES, Mode
from contest.domain.delivery import FileState
from contest.domain.overview import FileView
from contest.domain.rights import Right
from contest.domain.session import Session, Wish
from contest.errors import (
    ContestError,
    FileNotHandedOutError,
    InternalError,
    InvalidRequestError,
    UnknownSessionError,
)
from contest.services import access, channel, knowledge, pushing, status, store_log
from contest.services import open_session as opening
from contest.services.channel import Client
from contest.services.platform import Platform
from contest.services.submit_answer import submit_answer

_Doing = Callable[[Platform, Client, Mapping[str, Any]], list[Told]]
_SET: Final = "train"
_REPEAT_REFUSED: Final = "session-file-repeat-error"
_LONGEST_NAME: Final = 100
"""Characters of a file's name that a refusal repeats; ours are far shorter."""


@dataclass(frozen=True, slots=True)
class _Handled:
    """An event that is known."""

    do: _Doing
    refused: str
    """The event that says no."""
    refusable: bool = True
    """Whether the rate limit may refuse it; an answer is never refused for it (platform §3)."""


class ReadableDialect:
    """:class:`contest.services.channel.Dialect` of READ//ABLE."""

    def answer(self, platform: Platform, client: Client, name: str, payload: Any) -> list[Told]:
        """Do what an event asks for; one that is not known says nothing, as the earlier server did."""
        handled = _EVENTS.get(name)
        if handled is None:
            return []
        said = _mapping(payload)
        try:
            access.admit(platform, client.identity, Right.EXCHANGE, client.arrival, refusable=handled.refusable)
            return handled.do(platform, client, said)
        except ContestError as error:
            return [_refusal(handled.refused, said, error)]

    def failure(self, name: str, payload: Any) -> list[Told]:
        """Say that an event came to nothing because the platform failed; nothing about how."""
        handled = _EVENTS.get(name)
        return [_refusal(handled.refused, _mapping(payload), InternalError())] if handled else []


def _mapping(payload: Any) -> Mapping[str, Any]:
    """An event's payload by name; a log may be anything."""
    if isinstance(payload, Mapping):
        return payload
    return {} if payload is None else {"entries": payload}


def _refusal(name: str, said: Mapping[str, Any], error: ContestError) -> Told:
    """A refusal in both languages; it repeats of which file it speaks."""
    lines = [f"{error.ru} / {error.en}", *(_line(each) for each in error.details)]
    refused = {"message": "\n".join(filter(None, lines)), "code": error.code}
    file_id = said.get("fileId")
    if isinstance(file_id, str) and len(file_id) <= _LONGEST_NAME:
        refused["fileId"] = file_id
    return Told(name, {**refused, "missed": False} if name == _REPEAT_REFUSED else refused)


def _line(detail: Mapping[str, Any]) -> str:
    russian, english = str(detail.get("message_ru", "")), str(detail.get("message", ""))
    return f"{russian} / {english}" if russian and english else russian or english


def _start(platform: Platform, client: Client, said: Mapping[str, Any]) -> list[Told]:
    session = opening.open_wished(platform, client.identity, _wish(said), None, client.arrival)
    started = Told("session-start-success", {"sessionId": session.session_id})
    return [started, *_joined(platform, client, session)]


def _joined(platform: Platform, client: Client, session: Session) -> list[Told]:
    """Push the session's files to this connection from now on; what can be had at once comes with the answer."""
    channel.attach(platform, client.connection, session.session_id, client.arrival)
    if session.run_id is not None:
        pushing.plan_pushes(platform, session, knowledge.run(platform, session.run_id), client.arrival)
    return _following(platform, client, session)


def _following(platform: Platform, client: Client, session: Session) -> list[Told]:
    """What follows by itself on something that is done; it cannot make that undone."""
    try:
        return pushing.next_events(platform, client.identity, session, client.arrival)
    except ContestError:
        return []


def _wish(said: Mapping[str, Any]) -> Wish:
    """What the session is opened with. Where a run decides, the clients' own parameters mean nothing."""
    raw = said.get("params")
    params: Mapping[str, Any] = raw if isinstance(raw, Mapping) else {}
    mode = said.get("type")
    if not isinstance(mode, str) or mode not in set(Mode):
        raise InvalidRequestError([_fault("type", f"one of {', '.join(Mode)}", f"одно из: {', '.join(Mode)}")])
    if mode != Mode.ALGORITHMIC:
        return Wish(mode=mode)
    return Wish(
        mode=mode,
        set_name=str(params.get("dsType") or _SET),
        files=_whole(params, "countFiles", life.MAX_FILES, 1, life.MAX_FILES),
        language=str(params.get("lang") or ALL_LANGUAGES),
        time_limit_s=_whole(params, "time", opening.USUAL_LIMIT_S, 1, 3600),
    )


def _whole(params: Mapping[str, Any], name: str, usual: int, least: int, most: int) -> int:
    """A whole number, as a number or as text; what is absent or empty is the usual one."""
    raw = params.get(name)
    if raw is None or raw == "":
        return usual
    try:
        found = int(str(raw))
    except ValueError:
        found = least - 1
    if isinstance(raw, bool) or not least <= found <= most:
        raise InvalidRequestError([_fault(name, f"a number from {least} to {most}", f"число от {least} до {most}")])
    return found


def _fault(field: str, en: str, ru: str) -> dict[str, str]:
    return {"code": "bad_parameter", "message": f"{field}: {en}", "message_ru": f"{field}: {ru}", "field": field}


def _reconnect(platform: Platform, client: Client, said: Mapping[str, Any]) -> list[Told]:  # noqa: ARG001
    session = _open_session(platform, client)
    back = Told("session-reconnect-success", {"sessionId": session.session_id})
    return [back, *_joined(platform, client, session)]


def _open_session(platform: Platform, client: Client) -> Session:
    """The session of this connection, else the team's open one: a final before a technical one before others."""
    modes = (Mode.FINAL, Mode.TECHNICAL, Mode.ALGORITHMIC)
    by_mode = (platform.sessions.open_of(client.identity.team_id, each.value) for each in modes)
    for found in chain([client.connection.session_id], by_mode):
        session = access.own_session(platform, client.identity, found, client.arrival) if found else None
        if session is not None and session.is_open:
            return session
    raise UnknownSessionError


def _repeat(platform: Platform, client: Client, said: Mapping[str, Any]) -> list[Told]:
    """The files that are to be worked on, unless this very connection has got them already; the first one as the
    answer, others that overlap with it as if they opened now.

    ``lastFileId`` is the last file the client knows of, or any sentence when it knows none; ``missed`` says whether
    files after it are lost.
    """
    session = _open_session(platform, client)
    views = status.session_status(platform, client.identity, session.session_id, client.arrival).files
    missed = _missed_after(views, said.get("lastFileId"))
    events = [*_owed(platform, client, session), *_following(platform, client, session)]
    if not events or events[0].name != pushing.AVAILABLE:
        message = "Сейчас нет файла, который нужно повторить / there is no file to repeat now"
        return [Told(_REPEAT_REFUSED, {"message": message, "missed": missed}), *events]
    first, *others = events
    return [Told("session-file-repeat-success", {**first.payload, "missed": missed}, first.file), *others]


def _owed(platform: Platform, client: Client, session: Session) -> list[Told]:
    """Files in the client's hands that went over another connection, or were never pushed."""
    here = client.connection.connection_id
    return [
        pushing.file_available(platform, client.identity, session, each.number, client.arrival)
        for each in pushing.awaited(platform, session, client.arrival)
        if platform.connections.pushed_to(session.session_id, each.number) != here
    ]


def _missed_after(views: tuple[FileView, ...], last_file_id: Any) -> bool:
    known = next((each.number for each in views if each.file_id is not None and each.file_id == last_file_id), 0)
    return any(each.state is FileState.VOIDED and each.number > known for each in views)


def _send(platform: Platform, client: Client, said: Mapping[str, Any]) -> list[Told]:
    session = _named(platform, client, said)
    number = _number_of(platform, session, said.get("fileId"))
    body = _content(said.get("content"))
    receipt = json.loads(
        submit_answer(platform, client.identity, session.session_id, number, body, None, client.arrival)
    )
    promise = {**receipt["receipt"], "signature": receipt["signature"]}
    done = Told("session-file-send-success", {"fileId": said.get("fileId"), **promise})
    return [done, *_after_answer(platform, client, session)]


def _after_answer(platform: Platform, client: Client, session: Session) -> list[Told]:
    """In an algorithmic session the next file follows the answer; in a run it follows the schedule."""
    if session.run_id is not None or not session.is_open:
        return []
    return _following(platform, client, session)


def _named(platform: Platform, client: Client, said: Mapping[str, Any]) -> Session:
    session_id = said.get("sessionId")
    if not isinstance(session_id, str):
        return _open_session(platform, client)
    return access.own_session(platform, client.identity, session_id, client.arrival)


def _number_of(platform: Platform, session: Session, file_id: Any) -> int:
    plan = knowledge.plan(platform, session)
    for number, planned in enumerate(plan, start=1):
        if planned.file_id == file_id and platform.deliveries.get(session.session_id, number) is not None:
            return number
    raise FileNotHandedOutError


def _content(raw: Any) -> bytes:
    """The markup as the exchange takes it; clients send it as text or as an object."""
    text = raw if isinstance(raw, str) else json.dumps(raw, ensure_ascii=False)
    return text.encode("utf-8", "surrogatepass")


def _abort(platform: Platform, client: Client, said: Mapping[str, Any]) -> list[Told]:
    session_id = said.get("sessionId")
    if not isinstance(session_id, str):
        raise UnknownSessionError  # an end for good is for the session that is named, not for whichever is open
    status.abort(platform, client.identity, session_id, client.arrival, confirmed=True)
    return [Told("session-client-abort-success", {"message": "Сессия прервана / the session is aborted"})]


def _log(platform: Platform, client: Client, said: Mapping[str, Any]) -> list[Told]:
    latest = platform.sessions.of_team(client.identity.team_id, 1, None)
    session_id = client.connection.session_id or next(iter(latest), "")
    store_log.store_log(platform, client.identity, session_id, _content(dict(said)), client.arrival)
    return [Told("logs-send-success", {"message": "OK"})]


_EVENTS: Final[Mapping[str, _Handled]] = {
    "session-start": _Handled(_start, "session-start-error"),
    "session-reconnect": _Handled(_reconnect, "session-reconnect-error"),
    "session-file-repeat": _Handled(_repeat, _REPEAT_REFUSED),
    "session-file-send": _Handled(_send, "session-file-send-error", refusable=False),
    "session-client-abort": _Handled(_abort, "session-client-abort-error"),
    "logs-send": _Handled(_log, "logs-send-error"),
}
