"""Dialect of the AI'm Doctor clients: events announce a task, HTTP delivers it.

These clients begin a session, are told what to fetch at its opening, and hear the end; answers and studies go over HTTP
(:mod:`contest.channel.tasks`), but for an older edition, which sends answers as events. Events have hyphens here, as
the clients write them; :func:`contest.channel.rules.spelled` spells the events sent to them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from contest import reading
from contest.channel import pushing, tasks
from contest.channel.connections import Speaker
from contest.channel.rules import Told
from contest.channel.tasks import Asked
from contest.cycle.rules.cycle import Cycle
from contest.errors import (
    InternalError,
    InvalidRequestError,
    SessionAlreadyOpenError,
    UnknownSessionError,
    from_reasons,
)
from contest.people.rules import may
from contest.platform import Platform
from contest.refusals import ContestError
from contest.route import Right
from contest.session import access, opening
from contest.session.rules.session import OpeningWish, Session
from contest.texts import tr
from markup_core.lazy import dataclass
from tracks.capabilities import EarlierOrder, FetchedByEarlierClients
from tracks.protocol import mode_named

_Doing = Callable[[Platform, Speaker, Mapping[str, Any]], list[Told]]


@dataclass(frozen=True, slots=True)
class _Handled:
    """Handler of an event, and the event of its refusal."""

    do: _Doing
    refused: str
    """The event that says no."""
    admits: bool = True
    """Whether the event counts for the rate here; an answer is let in by what takes it."""


class DoctorDialect:
    """:class:`contest.channel.connections.Dialect` of AI'm Doctor."""

    def entered(self, platform: Platform, speaker: Speaker) -> list[Told]:
        """See the protocol. No client announces its return."""
        if not may(speaker.identity, Right.EXCHANGE):
            return []
        try:
            return _reconnect(platform, speaker, {})
        except UnknownSessionError:
            return []

    def answer(self, platform: Platform, speaker: Speaker, name: str, payload: Any) -> list[Told]:
        """Do what an event asks for; one that is not known says nothing, as the earlier server did."""
        handled = _EVENTS.get(name)
        if handled is None:
            return []
        parameters = tasks.mapping(payload)
        try:
            if handled.admits:
                tasks.require_right(speaker.identity)
                access.admit(platform, tasks.request(speaker))
            return handled.do(platform, speaker, parameters)
        except ContestError as error:
            return [_refusal(handled.refused, error)]

    def failure(self, session_id: str, name: str, payload: Any) -> list[Told]:  # noqa: ARG002 -- a refusal names nothing
        """Return the refusal of an event that failed because of the platform, without the cause."""
        handled = _EVENTS.get(name)
        return [_refusal(handled.refused, InternalError())] if handled else []


def _refusal(name: str, error: ContestError) -> Told:
    """Return a refusal as an event with its message alone."""
    return Told(name, {"message": tasks.message_of(error)})


# Clause: TS D-13
def _start(platform: Platform, speaker: Speaker, parameters: Mapping[str, Any]) -> list[Told]:
    """Open a session; a client with an open one of the kind resumes it, and hears that none was opened."""
    try:
        session = opening.open_wished(platform, tasks.request(speaker), _wish(platform, parameters))
    except SessionAlreadyOpenError:
        return _goes_on(platform, speaker, lambda _: Told("session-blank-start", None))
    tasks.attach(platform, speaker, session)
    started = Told("session-start-success", {"sessionId": session.session_id})
    return [started, *tasks.following(platform, speaker, session)]


def _reconnect(platform: Platform, speaker: Speaker, parameters: Mapping[str, Any]) -> list[Told]:  # noqa: ARG001
    return _goes_on(platform, speaker, lambda it: Told("session-reconnect-success", {"sessionId": it.session_id}))


def _goes_on(platform: Platform, speaker: Speaker, saying: Callable[[Session], Told]) -> list[Told]:
    """Resume the open session: send files in hand that this connection has not brought, and files open now."""
    session = tasks.open_session(platform, speaker.identity, speaker.arrival, speaker.connection.session_id)
    tasks.attach(platform, speaker, session)
    back = saying(session)
    owed = tasks.in_hand(platform, speaker, session)
    return [back, *owed, *tasks.following(platform, speaker, session)]


def _wish(platform: Platform, parameters: Mapping[str, Any]) -> OpeningWish:
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


def _send(platform: Platform, speaker: Speaker, parameters: Mapping[str, Any]) -> list[Told]:
    """Return an answer as an event, as an older edition sends it."""
    named = {name: tasks.name(parameters.get(name)) for name in ("sessionId", "epicrisisId", "taskId")}
    tasks.upload(platform, Asked(speaker.identity, speaker.arrival, parameters, body_bytes=None))
    return [Told("session-send-file-result-success", named)]


def _abort(platform: Platform, speaker: Speaker, parameters: Mapping[str, Any]) -> list[Told]:  # noqa: ARG001
    session = tasks.to_abort(platform, speaker, "")
    ended = access.abort(platform, tasks.request(speaker, session.session_id), confirmed=True).session
    return [pushing.closing_event(ended)]


_EVENTS: Final[Mapping[str, _Handled]] = {
    "session-start": _Handled(_start, "session-start-error"),
    "session-blank-start": _Handled(_reconnect, "session-start-error"),
    "session-reconnect": _Handled(_reconnect, "session-reconnect-error"),
    "session-send-file-result": _Handled(_send, "session-send-file-result-error", admits=False),
    "session-client-abort": _Handled(_abort, "session-client-abort-error"),
}
