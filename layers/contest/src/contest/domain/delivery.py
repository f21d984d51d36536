"""One file of a session on its way: handed out, answered, refused, late, void (R 6.4, 11.5, 11.6, R-App2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from contest.domain.moments import SECOND, Millis, iso


class FileState(StrEnum):
    """What became of a file of a session."""

    WAITING = "waiting"
    OPEN = "open"
    ANSWERED = "answered"
    VOIDED = "voided"


class Cause(StrEnum):
    """Why a file is void (platform §3)."""

    TEAM_LATE = "team_late"
    TEAM_INVALID = "team_invalid"
    NETWORK = "network"
    PLATFORM = "platform"
    ORGANIZER_DECISION = "organizer_decision"


class Status(StrEnum):
    """What the platform says of an answer in its receipt; ``repeat`` returns an earlier receipt and is not sent."""

    ACCEPTED = "accepted"
    LATE = "late"
    IGNORED = "ignored"
    REPEAT = "repeat"


class Why(StrEnum):
    """Reason of a receipt that is not ``accepted``."""

    DEADLINE_PASSED = "deadline_passed"
    SESSION_CLOSED = "session_closed"
    TOO_MANY_SENDS = "too_many_sends"


@dataclass(frozen=True, slots=True)
class Answer:
    """The accepted answer that counts: the last one accepted."""

    send: int
    received_at: Millis
    content_sha256: str


@dataclass(frozen=True, slots=True)
class Delivery:
    """A file handed out. Until then there is none; ``sends`` counts stored answers, accepted or late."""

    number: int
    handed_out_at: Millis
    answer_by: Millis
    sends: int = 0
    latest_sha256: str | None = None
    """Content of the latest send, by which a retry without a key is recognised."""
    answer: Answer | None = None
    late_at: Millis | None = None
    """First late answer while the session was open."""
    refusals: int = 0
    refused_code: str | None = None
    version: int = 0


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of one answer: its status, its send number and the delivery afterwards."""

    status: Status
    send: int
    why: Why | None
    after: Delivery


def hand_out(number: int, now: Millis, time_limit_s: int) -> Delivery:
    """Hand a file out; the time for the answer runs from the end of the platform's own work."""
    return Delivery(number=number, handed_out_at=now, answer_by=now + time_limit_s * SECOND)


def release(number: int, now: Millis, answer_by: Millis) -> Delivery:
    """Hand a file of a run out, with the deadline its schedule gives."""
    return Delivery(number=number, handed_out_at=now, answer_by=answer_by)


def accept(
    delivery: Delivery,
    content_sha256: str,
    arrival: Millis,
    *,
    sends_per_file: int,
    session_open: bool,
    keyed: bool,
) -> Decision:
    """Decide over a valid answer that arrived at ``arrival``.

    In this order: a retry without a key is the latest content again; beyond ``sends_per_file`` answers are ignored
    (R 11.5); an answer after the deadline or the session's end is late; any other is accepted and replaces the
    one before. A deadline is met when the answer arrives in its very millisecond.
    """
    if not keyed and content_sha256 == delivery.latest_sha256:
        return Decision(Status.REPEAT, delivery.sends, None, delivery)
    if delivery.sends >= sends_per_file:
        return Decision(Status.IGNORED, delivery.sends + 1, Why.TOO_MANY_SENDS, delivery)
    send = delivery.sends + 1
    sent = replace(delivery, sends=send, latest_sha256=content_sha256, version=delivery.version + 1)
    if arrival > delivery.answer_by:
        noted = replace(sent, late_at=delivery.late_at or arrival) if session_open else sent
        return Decision(Status.LATE, send, Why.DEADLINE_PASSED, noted)
    if not session_open:
        return Decision(Status.LATE, send, Why.SESSION_CLOSED, sent)
    counting = Answer(send=send, received_at=arrival, content_sha256=content_sha256)
    return Decision(Status.ACCEPTED, send, None, replace(sent, answer=counting))


def refuse(delivery: Delivery, code: str) -> Delivery:
    """Remember that something else than an answer came (R 11.6); it is no send and replaces nothing."""
    return replace(delivery, refusals=delivery.refusals + 1, refused_code=code, version=delivery.version + 1)


def state_of(delivery: Delivery | None, now: Millis, *, session_open: bool) -> FileState:
    """State of a file at a moment; a file without an answer is void once none can come any more."""
    if delivery is not None and delivery.answer is not None:
        return FileState.ANSWERED
    if not session_open:
        return FileState.VOIDED
    if delivery is None:
        return FileState.WAITING
    return FileState.VOIDED if now > delivery.answer_by else FileState.OPEN


def cause_of(delivery: Delivery | None, unjudged: Sequence[Millis] = ()) -> tuple[Cause, Mapping[str, Any]]:
    """Cause of a void file and its evidence (R 8.3.1).

    ``unjudged`` are arrivals of answers that got neither a receipt nor a refusal: one in time is the platform's
    fault. A late valid answer outweighs invalid ones.
    """
    if delivery is None:
        return Cause.TEAM_LATE, {"requested": False}
    in_time = [arrival for arrival in unjudged if arrival <= delivery.answer_by]
    if in_time:
        return Cause.PLATFORM, {"arrived_at": iso(min(in_time))}
    if delivery.late_at is not None:
        return Cause.TEAM_LATE, {"late_by_ms": delivery.late_at - delivery.answer_by}
    if delivery.refusals:
        return Cause.TEAM_INVALID, {"refusals": delivery.refusals, "last": delivery.refused_code}
    return Cause.TEAM_LATE, {"answered": False}
