"""The events of the READ//ABLE clients of 2020–2024 (namespace ``/pku``), done by the exchange's own services.

The clients are not changed for us: they send numbers as strings, echo the whole file back as text, ask for a
repetition right after the start, and show whatever ``message`` an error carries to a person.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from contest.domain import session as life
from contest.domain.channel import Told
from contest.domain.cycle import ALL_LANGUAGES, Mode
from contest.domain.delivery import Delivery, FileState
from contest.domain.overview import FileView
from contest.domain.rights import Right
from contest.domain.session import Session, Wish
from contest.errors import (
    ContestError,
    FileNotHandedOutError,
    InvalidRequestError,
    SessionClosedError,
    UnknownSessionError,
)
from contest.services import access, channel, exchange, knowledge, pushing, status, store_log
from contest.services import open_session as opening
from contest.services.channel import Client
from contest.services.platform import Platform
from contest.services.submit_answer import submit_answer

_Doing = Callable[[Platform, Client, Mapping[str, Any]], list[Told]]
_SET: Final = "train"


@dataclass(frozen=True, slots=True)
class _Handled:
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
        said: Mapping[str, Any] = payload if isinstance(payload, Mapping) else {}
        try:
            access.admit(platform, client.identity, Right.EXCHANGE, client.arrival, refusable=handled.refusable)
            return handled.do(platform, client, said)
        except ContestError as error:
            return [Told(handled.refused, {**_kept(said), **_refusal(error)})]


def _kept(said: Mapping[str, Any]) -> dict[str, Any]:
    """What a refusal repeats of the request."""
    return {"fileId": said["fileId"]} if isinstance(said.get("fileId"), str) else {}


def _refusal(error: ContestError) -> dict[str, Any]:
    details = [str(each.get("message_ru") or each.get("message", "")) for each in error.details]
    message = f"{error.ru} / {error.en}"
    return {"message": "\n".join([message, *filter(None, details)]), "code": error.code, "missed": False}


def _start(platform: Platform, client: Client, said: Mapping[str, Any]) -> list[Told]:
    session = opening.open_wished(platform, client.identity, _wish(said), None, client.arrival)
    started = Told("session-start-success", {"sessionId": session.session_id})
    return [started, *_joined(platform, client, session)]


def _joined(platform: Platform, client: Client, session: Session) -> list[Told]:
    """Push the session's files to this connection from now on; what can be had at once comes with the answer."""
    channel.attach(platform, client.connection, session.session_id, client.arrival)
    if session.run_id is not None:
        run = knowledge.run(platform, session.run_id)
        pushing.plan_openings(platform, session, run, platform.clock.now())
    if _in_hand(platform, session, client):
        return []
    return pushing.next_events(platform, client.identity, session, client.arrival)


def _wish(said: Mapping[str, Any]) -> Wish:
    """What the session is opened with. Where a run decides, the clients' own parameters mean nothing."""
    raw = said.get("params")
    params: Mapping[str, Any] = raw if isinstance(raw, Mapping) else {}
    mode = said.get("type", Mode.ALGORITHMIC.value)
    if mode not in set(Mode):
        raise InvalidRequestError([_fault("type", f"one of {', '.join(Mode)}", f"одно из: {', '.join(Mode)}")])
    if mode != Mode.ALGORITHMIC:
        return Wish(mode=str(mode))
    return Wish(
        mode=str(mode),
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
    for mode in (Mode.FINAL, Mode.TECHNICAL, Mode.ALGORITHMIC):
        found = platform.sessions.open_of(client.identity.team_id, mode.value)
        session = access.own_session(platform, client.identity, found, client.arrival) if found else None
        if session is not None and session.is_open:
            return session
    raise UnknownSessionError


def _repeat(platform: Platform, client: Client, said: Mapping[str, Any]) -> list[Told]:
    """The file that is to be worked on, unless this very connection has got it already.

    ``lastFileId`` is the last file the client knows of, or any sentence when it knows none; ``missed`` says whether
    files after it are lost.
    """
    session = _open_session(platform, client)
    views = status.session_status(platform, client.identity, session.session_id, client.arrival).files
    missed = _missed_after(views, said.get("lastFileId"))
    current = _in_hand(platform, session, client)
    if current is None:
        found = exchange.next_file(platform, client.identity, session.session_id, client.arrival)
        waits = found.number is None or (found.opens_at is not None and found.opens_at > client.arrival)
        if waits or found.number is None:
            return [_nothing(missed)]
        number = found.number
    else:
        number = current.number
        pushed_to = platform.connections.pushed_to(session.session_id, number)
        if pushed_to == client.connection.connection_id:
            return [_nothing(missed)]
    told = pushing.file_available(platform, client.identity, session, number, client.arrival)
    return [Told("session-file-repeat-success", {**told.payload, "missed": missed}, told.file)]


def _nothing(missed: bool) -> Told:
    message = "Сейчас нет файла, который нужно повторить / there is no file to repeat now"
    return Told("session-file-repeat-error", {"message": message, "missed": missed})


def _missed_after(views: tuple[FileView, ...], last_file_id: Any) -> bool:
    known = next((each.number for each in views if each.file_id is not None and each.file_id == last_file_id), 0)
    return any(each.state is FileState.VOIDED and each.number > known for each in views)


def _in_hand(platform: Platform, session: Session, client: Client) -> Delivery | None:
    """The earliest file that was handed out and whose answer is still awaited."""
    waiting = (
        each
        for each in platform.deliveries.of_session(session.session_id)
        if each.answer is None and client.arrival <= each.answer_by
    )
    return min(waiting, key=lambda each: each.number, default=None)


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
    if session.run_id is not None or not session.is_open or _in_hand(platform, session, client):
        return []
    try:
        return pushing.next_events(platform, client.identity, session, client.arrival)
    except SessionClosedError:
        return []


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
    session = _named(platform, client, said)
    status.abort(platform, client.identity, session.session_id, client.arrival, confirmed=True)
    return [Told("session-client-abort-success", {"message": "Сессия прервана / the session is aborted"})]


def _log(platform: Platform, client: Client, said: Mapping[str, Any]) -> list[Told]:
    session = _open_session(platform, client)
    store_log.store_log(platform, client.identity, session.session_id, _content(dict(said)), client.arrival)
    return [Told("logs-send-success", {"message": "OK"})]


_EVENTS: Final[Mapping[str, _Handled]] = {
    "session-start": _Handled(_start, "session-start-error"),
    "session-reconnect": _Handled(_reconnect, "session-reconnect-error"),
    "session-file-repeat": _Handled(_repeat, "session-file-repeat-error"),
    "session-file-send": _Handled(_send, "session-file-send-error", refusable=False),
    "session-client-abort": _Handled(_abort, "session-client-abort-error"),
    "logs-send": _Handled(_log, "logs-send-error"),
}
