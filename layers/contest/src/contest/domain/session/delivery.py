"""One file of a session on its way: handed out, answered, refused, late, void (R 6.4, 11.5, 11.6, R-App2)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from contest.domain.moments import Millis


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
    DIALOGUE_OVER = "dialogue_over"
    SESSION_CLOSED = "session_closed"
    TOO_MANY_SENDS = "too_many_sends"


@dataclass(frozen=True, slots=True)
class Answer:
    """The accepted answer that counts: the last one accepted."""

    send: int
    received_at: Millis
    content_sha256: str
    decided_at: Millis
    """When it was decided that it counts."""
    begun_at: Millis
    """From when it was the platform's to decide: when its body was there, or its arrival if that was lost before."""
    kind: str = "answer"
    """Which kind of answer it is at its step."""
    warnings: str = ""
    """What the track remarked on it, as canonical JSON of details; empty for nothing."""
    headers_at: Millis | None = None
    """When its headers reached the gateway; None of an answer whose first attempt was lost, and of older ones."""
    body_at: Millis | None = None
    """When the platform had its body as a whole."""


@dataclass(frozen=True, slots=True)
class TakenTurn:
    """A valid answer in the dialogue over a file, final once it is taken (tracks-sessions T2)."""

    step: str
    kind: str
    send: int
    content_sha256: str
    received_at: Millis
    warnings: str = ""
    """As those of an :class:`Answer`, like what follows."""
    headers_at: Millis | None = None
    body_at: Millis | None = None


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
    turns: tuple[TakenTurn, ...] = ()
    """Of a file over which there is a dialogue; ``answer`` is there when it is over."""
    version: int = 0


def times_of_body(delivery: Delivery | None) -> tuple[Millis, Millis] | None:
    """Return when headers and whole body of the answer that counts came; of a dialogue, of its slowest turn.

    None where that is not known: without an answer, and after a first attempt that was lost.
    """
    counting = (delivery.turns or ((delivery.answer,) if delivery.answer else ())) if delivery else ()
    known = [
        (each.headers_at, each.body_at) for each in counting if each.headers_at is not None and each.body_at is not None
    ]
    return max(known, key=lambda times: times[1] - times[0], default=None)


@dataclass(frozen=True, slots=True)
class Bodies:
    """What came as an answer to a file and made no send of it; counted while the session is open."""

    refused: int = 0
    refused_code: str | None = None
    """Of the last one refused."""
    repeated: int = 0
    """Valid ones: repetitions, and those beyond the last send that counts."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of one answer: its status, its send number and the delivery afterwards, the very one before where
    nothing of it changes."""

    status: Status
    send: int
    why: Why | None
    after: Delivery
    at: Millis
    """When it was decided."""
