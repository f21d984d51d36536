"""The dialogue over a file: valid answers are turns, final once taken, each at the step where it stands (TS T2, T3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from contest.domain.canonical import canonical, sha256_hex
from contest.domain.moments import SECOND, Millis
from contest.domain.session.delivery import Answer, Decision, Delivery, Status, TakenTurn, Why
from contest.domain.session.session import IN_FLIGHT
from tracks import protocol
from tracks.protocol import Step


@dataclass(frozen=True, slots=True)
class Course:
    """What the work on a file goes through: the steps of its item, from the one with which the file begins."""

    steps: tuple[Step, ...]
    publication: str

    @property
    def is_dialogue(self) -> bool:
        """Whether there is more to it than one answer."""
        return protocol.is_dialogue(self.steps, self.publication)

    @property
    def is_of_one_answer(self) -> bool:
        """Whether one answer to one file is all there is of the item: then it is scored as it is."""
        return len(protocol.publications(self.steps)) == 1 and not self.is_dialogue

    @property
    def limit_s(self) -> int | None:
        """The longest that the whole of it may take from the hand-out; None where the steps say nothing."""
        return protocol.limit_of(self.steps, self.publication)

    @property
    def names(self) -> tuple[str, ...]:
        """Its steps: the first one and all that follow before the next publication."""
        return protocol.dialogue_steps(self.steps, self.publication)

    def step_of(self, turns: Sequence[TakenTurn]) -> str | None:
        """Where the dialogue stands after these turns; None at its end."""
        return protocol.step_now(self.steps, self.publication, (each.kind for each in turns))

    def takes(self, step: str | None) -> tuple[str, ...]:
        """The kinds of answers that a step takes; none at the end."""
        return protocol.taken_at(self.steps, step)

    def ends_at(self, delivery: Delivery) -> Millis:
        """Until when the step at which a dialogue stands may be answered.

        Clause: TS T2
        """
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
    warnings: str = ""
    headers_at: Millis | None = None
    body_at: Millis | None = None


def limited(delivery: Delivery, course: Course) -> Delivery:
    """A file handed out, with no more time for its answer than its step has."""
    if course.limit_s is None:
        return delivery
    return replace(delivery, answer_by=min(delivery.answer_by, delivery.handed_out_at + course.limit_s * SECOND))


def take(
    delivery: Delivery, course: Course, heard: Heard, *, now: Millis, sends_per_file: int, session_open: bool
) -> Decision:
    """Decide, ``now``, over a valid answer in a dialogue; LookupError for a kind that the step does not take.

    In the order of :func:`contest.domain.session.transitions.accept`: a retry without a key is the content of the turn
    just before; beyond ``sends_per_file`` answers are ignored; what comes after the end of the dialogue, of its step or
    of the session is late, stored and never counts; any other is a turn, and the last one ends the work on the file.

    Clause: TS T2, TS T3, TS D-8
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
        step,
        heard.kind,
        send,
        heard.content_sha256,
        heard.arrival,
        heard.warnings,
        heard.headers_at,
        heard.body_at,
    )
    after = replace(sent, turns=(*delivery.turns, turn))
    if course.step_of(after.turns) is None:
        last = Answer(send, heard.arrival, heard.content_sha256, now, heard.arrival, heard.kind)
        after = replace(after, answer=last)
    return Decision(Status.ACCEPTED, send, None, after, now)


def counting(delivery: Delivery, course: Course) -> tuple[TakenTurn, ...]:
    """What of a file counts, in its order: all turns of a dialogue, else the last valid answer in time.

    Clause: TS T2, D 13.1
    """
    if course.is_dialogue or delivery.answer is None:
        return delivery.turns
    last = delivery.answer
    return (TakenTurn(course.publication, last.kind, last.send, last.content_sha256, last.received_at),)


def over_at(delivery: Delivery | None, course: Course, request_by: Millis | None) -> Millis | None:
    """When nothing that counts can come to a file any more: its dialogue is over, or no answer to it, nor a request for
    one never handed out, can be under way. None where nobody can say yet. ``request_by`` of files of a schedule.

    Clause: TS T4
    """
    if delivery is None:
        return None if request_by is None else request_by + IN_FLIGHT
    if course.is_dialogue and delivery.answer is not None:
        return delivery.answer.decided_at
    return delivery.answer_by + IN_FLIGHT


def turns_digest(described: Sequence[dict[str, Any]]) -> str:
    """By what the turns that make an item's score are told from any others: SHA-256 of what is noted of them."""
    return sha256_hex(canonical(list(described)))


def noted(turn: TakenTurn, handed_out_at: Millis) -> dict[str, Any]:
    """What is noted of a turn that counts: ``after_ms`` is from the hand-out of its publication.

    Clause: TS T2
    """
    return {
        "step": turn.step,
        "kind": turn.kind,
        "content_sha256": turn.content_sha256,
        "after_ms": max(0, turn.received_at - handed_out_at),
    }
