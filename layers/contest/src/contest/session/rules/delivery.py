"""A file of a session: its states, dialogue, receipts and transitions.

A file is handed out, answered, refused, late or void (R 6.4, 11.5, 11.6, R-App2); the functions here are its only
transitions. In a dialogue over a file every valid answer is a turn: it is final once taken, and belongs to the step at
which the dialogue stood (TS T2, T3). A submission receipt (platform §4) states the platform's promise about a stored
answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Any, Final

from contest.session.rules.session import IN_FLIGHT, Session
from contest.values import SECOND, Millis, canonical, iso, iso_fields, sha256_hex
from markup_core.lazy import dataclass
from tracks import protocol
from tracks.protocol import Step


class FileState(StrEnum):
    """State of a file of a session."""

    WAITING = "waiting"
    OPEN = "open"
    ANSWERED = "answered"
    VOIDED = "voided"


class Cause(StrEnum):
    """Cause for which a file is void (platform §3)."""

    TEAM_LATE = "team_late"
    TEAM_INVALID = "team_invalid"
    NETWORK = "network"
    PLATFORM = "platform"
    ORGANIZER_DECISION = "organizer_decision"


class Status(StrEnum):
    """Status of an answer in its receipt; ``repeat`` returns an earlier receipt and is not sent."""

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
    """Moment of the decision that it counts."""
    begun_at: Millis
    """Moment from which the platform could decide: when its body was there, or its arrival if that was lost before."""
    kind: str = "answer"
    """Kind of the answer at its step."""
    warnings: str = ""
    """Remarks of the track on it, as canonical JSON of details; empty without any."""
    headers_at: Millis | None = None
    """Moment at which its headers reached the gateway; None if its first attempt was lost, and of older answers."""
    body_at: Millis | None = None
    """Moment at which the platform had its whole body; None where ``headers_at`` is."""


@dataclass(frozen=True, slots=True)
class TakenTurn:
    """A valid answer in the dialogue over a file, final once it is taken (tracks-sessions T2)."""

    step: str
    kind: str
    send: int
    content_sha256: str
    received_at: Millis
    warnings: str = ""
    """Same as in an :class:`Answer`, like the fields below."""
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
    """Moment of the first late answer while the session was open; None without one."""
    turns: tuple[TakenTurn, ...] = ()
    """Turns of the dialogue over the file, if there is one; ``answer`` is there when it is over."""
    version: int = 0


def times_of_body(delivery: Delivery | None) -> tuple[Millis, Millis] | None:
    """Return when headers and whole body of the answer that counts came; of a dialogue, of its slowest turn.

    None where that is not known: without an answer, and after a first attempt that was lost.
    """
    counting = (delivery.turns or ((delivery.answer,) if delivery.answer else ())) if delivery else ()
    times = [
        (answer.headers_at, answer.body_at)
        for answer in counting
        if answer.headers_at is not None and answer.body_at is not None
    ]
    return max(times, key=lambda times: times[1] - times[0], default=None)


@dataclass(frozen=True, slots=True)
class Bodies:
    """Counts of the bodies that came for a file and made no send; counted while the session is open."""

    refused: int = 0
    refused_code: str | None = None
    """Code of the last refusal; None without one."""
    repeated: int = 0
    """Number of valid bodies: repetitions, and those beyond the last send that counts."""


@dataclass(frozen=True, slots=True)
class Decision:
    """Decision on one answer: its status, its send number and the delivery afterwards, the very one before where
    nothing of it changes.
    """

    status: Status
    send: int
    why: Why | None
    after: Delivery
    at: Millis
    """Moment of the decision."""


@dataclass(frozen=True, slots=True)
class Course:
    """The course of the work on a file: the steps of its item, from the one with which the file begins."""

    steps: tuple[Step, ...]
    publication: str

    @property
    def is_dialogue(self) -> bool:
        """Return whether the work has more than one answer."""
        return protocol.is_dialogue(self.steps, self.publication)

    @property
    def is_of_one_answer(self) -> bool:
        """Return whether one answer to one file is the whole item, which is then scored as it is."""
        return len(protocol.publications(self.steps)) == 1 and not self.is_dialogue

    @property
    def limit_s(self) -> int | None:
        """Longest time for the whole work from the hand-out, in seconds; None where the steps have no limit."""
        return protocol.limit_of(self.steps, self.publication)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of its steps: the first one and all that follow before the next publication."""
        return protocol.dialogue_steps(self.steps, self.publication)

    def step_of(self, turns: Sequence[TakenTurn]) -> str | None:
        """Return the step of the dialogue after these turns; None at its end."""
        return protocol.step_now(self.steps, self.publication, (turn.kind for turn in turns))

    def takes(self, step: str | None) -> tuple[str, ...]:
        """List the kinds of answers that a step takes; none at the end."""
        return protocol.taken_at(self.steps, step)

    # Clause: TS T2
    def ends_at(self, delivery: Delivery) -> Millis:
        """Return the deadline of the step at which a dialogue stands."""
        limit_s = protocol.limit_of(self.steps, self.step_of(delivery.turns))
        if limit_s is None or not delivery.turns:
            return delivery.answer_by
        return min(delivery.answer_by, delivery.turns[-1].received_at + limit_s * SECOND)


@dataclass(frozen=True, slots=True)
class Heard:
    """A valid answer as it came: its kind, the SHA-256 of its canonical form, and whether it has an idempotency key."""

    kind: str
    content_sha256: str
    arrival: Millis
    keyed: bool
    begun_at: Millis
    """Moment from which the platform can decide, as in an :class:`Answer`, like the fields below."""
    warnings: str = ""
    headers_at: Millis | None = None
    body_at: Millis | None = None


# Clause: TS T2, TS T3, TS D-8
def take_turn(
    delivery: Delivery, course: Course, heard: Heard, *, now: Millis, sends_per_file: int, session_open: bool
) -> Decision:
    """Decide, ``now``, over a valid answer in a dialogue; LookupError for a kind that the step does not take.

    In the order of :func:`accept_answer`: a retry without a key is the content of the turn
    just before; beyond ``sends_per_file`` answers are ignored; what comes after the end of the dialogue, of its step or
    of the session is late, stored and never counts; any other is a turn, and the last one ends the work on the file.
    """
    if not heard.keyed and heard.content_sha256 == delivery.latest_sha256:
        return Decision(Status.REPEAT, delivery.sends, None, delivery, now)
    if delivery.sends >= sends_per_file:
        return Decision(Status.IGNORED, delivery.sends + 1, Why.TOO_MANY_SENDS, delivery, now)
    send = delivery.sends + 1
    sent = replace(delivery, sends=send, latest_sha256=heard.content_sha256, version=delivery.version + 1)
    if delivery.answer is not None:
        return Decision(Status.LATE, send, Why.DIALOGUE_OVER, sent, now)
    if heard.arrival > course.ends_at(delivery):
        noted = replace(sent, late_at=delivery.late_at or heard.arrival) if session_open else sent
        return Decision(Status.LATE, send, Why.DEADLINE_PASSED, noted, now)
    if not session_open:
        return Decision(Status.LATE, send, Why.SESSION_CLOSED, sent, now)
    step = course.step_of(delivery.turns)
    if step is None or heard.kind not in course.takes(step):
        raise LookupError(f"the step {step} takes {', '.join(course.takes(step))}, not {heard.kind}")
    turn = TakenTurn(
        step, heard.kind, send, heard.content_sha256, heard.arrival, heard.warnings, heard.headers_at, heard.body_at
    )
    after = replace(sent, turns=(*delivery.turns, turn))
    if course.step_of(after.turns) is None:
        last = Answer(send, heard.arrival, heard.content_sha256, now, heard.arrival, heard.kind)
        after = replace(after, answer=last)
    return Decision(Status.ACCEPTED, send, None, after, now)


# Clause: TS T2, D 13.1
def counting_answers(delivery: Delivery, course: Course) -> tuple[TakenTurn, ...]:
    """Return the answers to a file that count, in their order: all turns of a dialogue, else the last valid answer in
    time."""
    if course.is_dialogue or delivery.answer is None:
        return delivery.turns
    last = delivery.answer
    return (TakenTurn(course.publication, last.kind, last.send, last.content_sha256, last.received_at),)


# Clause: TS T4
def over_at(delivery: Delivery | None, course: Course, request_by: Millis | None) -> Millis | None:
    """Return the moment after which nothing that counts can come to a file: its dialogue is over, or no answer to it,
    nor a request for one never handed out, can be under way. None where the moment is still unknown. ``request_by`` is
    of files of a schedule."""
    if delivery is None:
        return None if request_by is None else request_by + IN_FLIGHT
    if course.is_dialogue and delivery.answer is not None:
        return delivery.answer.decided_at
    return delivery.answer_by + IN_FLIGHT


def turns_digest(described: Sequence[dict[str, Any]]) -> str:
    """Compute the SHA-256 of the noted turns that make an item's score; other turns have another one."""
    return sha256_hex(canonical(list(described)))


# Clause: TS T2
def noted_fields(turn: TakenTurn, handed_out_at: Millis) -> dict[str, Any]:
    """Return the noted fields of a turn that counts: ``after_ms`` is from the hand-out of its publication."""
    return {
        "step": turn.step,
        "kind": turn.kind,
        "content_sha256": turn.content_sha256,
        "after_ms": max(0, turn.received_at - handed_out_at),
    }


FORMAT: Final = 2
"""Version of the receipt's form; a verifier refuses one it does not know."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """A signed receipt as stored: ``body`` is the exact answer of the API, the same bytes at every retry."""

    number: int
    send: int
    status: str
    content_sha256: str
    body: str


# Clause: platform §4 receipts
def receipt_content(session: Session, file_id: str, heard: Heard, decision: Decision, key_id: str) -> dict[str, Any]:
    """Return the signed content of a receipt. ``send`` of an ignored answer is the number it would have had; receipts
    of a run name it."""
    of_run = {"run_id": session.run_id} if session.run_id else {}
    came = {"headers_at": heard.headers_at, "body_at": heard.body_at}
    moments = {name: moment for name, moment in came.items() if moment is not None}
    return {
        **of_run,
        **iso_fields(**moments, received_at=heard.arrival, decided_at=decision.at),
        "format": FORMAT,
        "team_id": session.team_id,
        "cycle": session.cycle,
        "track": session.track,
        "mode": session.order.mode,
        "session_id": session.session_id,
        "file_id": file_id,
        "number": decision.after.number,
        "send": decision.send,
        "status": decision.status.value,
        "reason": decision.why.value if decision.why else None,
        "content_sha256": heard.content_sha256,
        "key_id": key_id,
    }


# Clause: R 6.4, R-App2 §2 algorithmic
def hand_out(number: int, now: Millis, answer_by: Millis, limit_s: int | None) -> Delivery:
    """Hand a file out; the time for the answer runs from the end of the platform's own work.

    It has until the deadline of its session or schedule, and at most ``limit_s``, the time of its step.
    """
    earliest = answer_by if limit_s is None else min(answer_by, now + limit_s * SECOND)
    return Delivery(number=number, handed_out_at=now, answer_by=earliest)


# Clause: R 11.5, platform §3 late, R-App2 §2 algorithmic, platform §3 retry, D 13.1
def accept_answer(
    delivery: Delivery, heard: Heard, *, now: Millis, sends_per_file: int, session_open: bool
) -> Decision:
    """Decide, ``now``, over a valid answer to a file over which there is no dialogue.

    In this order: a retry without a key is the latest content again; beyond ``sends_per_file`` answers are ignored
    (R 11.5); an answer after the deadline or the session's end is late; any other is accepted and replaces the
    one before. A deadline is met when the answer arrives in its very millisecond.
    """
    arrival, content_sha256 = heard.arrival, heard.content_sha256
    if not heard.keyed and content_sha256 == delivery.latest_sha256:
        return Decision(Status.REPEAT, delivery.sends, None, delivery, now)
    if delivery.sends >= sends_per_file:
        return Decision(Status.IGNORED, delivery.sends + 1, Why.TOO_MANY_SENDS, delivery, now)
    send = delivery.sends + 1
    sent = replace(delivery, sends=send, latest_sha256=content_sha256, version=delivery.version + 1)
    if arrival > delivery.answer_by:
        noted = replace(sent, late_at=delivery.late_at or arrival) if session_open else sent
        return Decision(Status.LATE, send, Why.DEADLINE_PASSED, noted, now)
    if not session_open:
        return Decision(Status.LATE, send, Why.SESSION_CLOSED, sent, now)
    counting = Answer(
        send,
        received_at=arrival,
        content_sha256=content_sha256,
        decided_at=now,
        begun_at=heard.begun_at,
        kind=heard.kind,
        warnings=heard.warnings,
        headers_at=heard.headers_at,
        body_at=heard.body_at,
    )
    return Decision(Status.ACCEPTED, send, None, replace(sent, answer=counting), now)


# Clause: platform §3 platform faults
def is_owed(arrival: Millis, delivery: Delivery, aborted_at: Millis | None) -> bool:
    """Return whether the platform still owes a decision on a valid answer that arrived in time.

    A team that aborts a session takes back its answers under way then; an answer that was under way for longer than any
    request can be was lost before.
    """
    taken_back = aborted_at is not None and arrival + IN_FLIGHT > aborted_at
    return arrival <= delivery.answer_by and not taken_back


# Clause: platform §3 causes, R 8.3.1, D 11.3, platform §3 platform faults
def cause_of(
    delivery: Delivery | None,
    unjudged: Sequence[Millis] = (),
    bodies: Bodies | None = None,
    aborted_at: Millis | None = None,
) -> tuple[Cause, Mapping[str, Any]]:
    """Return the cause of a void file and its evidence (R 8.3.1).

    ``unjudged`` are arrivals of valid answers that nobody has decided on: one that is owed is the platform's fault. A
    late valid answer outweighs invalid ones. ``aborted_at``: when the team ended the session by itself.
    """
    if delivery is None:
        return Cause.TEAM_LATE, {"requested": False}
    owed = [arrival for arrival in unjudged if is_owed(arrival, delivery, aborted_at)]
    if owed:
        return Cause.PLATFORM, {"arrived_at": iso(min(owed))}
    if delivery.late_at is not None:
        return Cause.TEAM_LATE, {"late_by_ms": delivery.late_at - delivery.answer_by}
    if bodies is not None and bodies.refused:
        return Cause.TEAM_INVALID, {"refusals": bodies.refused, "last": bodies.refused_code}
    return Cause.TEAM_LATE, {"answered": False}
