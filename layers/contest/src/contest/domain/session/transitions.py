"""What may happen to a file of a session: handed out, answered, refused, too late (R 6.4, 11.5, 11.6, R-App2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from contest.domain.moments import SECOND, Millis, iso
from contest.domain.session.delivery import Answer, Bodies, Cause, Decision, Delivery, FileState, Status, Why
from contest.domain.session.session import IN_FLIGHT


def hand_out(number: int, now: Millis, time_limit_s: int) -> Delivery:
    """Hand a file out; the time for the answer runs from the end of the platform's own work.

    Clause: R 6.4, R-App2 §2 algorithmic
    """
    return Delivery(number=number, handed_out_at=now, answer_by=now + time_limit_s * SECOND)


def release(number: int, now: Millis, answer_by: Millis) -> Delivery:
    """Hand a file of a run out, with the deadline its schedule gives."""
    return Delivery(number=number, handed_out_at=now, answer_by=answer_by)


def accept(
    delivery: Delivery,
    content_sha256: str,
    arrival: Millis,
    *,
    now: Millis,
    sends_per_file: int,
    session_open: bool,
    keyed: bool,
) -> Decision:
    """Decide, ``now``, over a valid answer that arrived at ``arrival``.

    In this order: a retry without a key is the latest content again; beyond ``sends_per_file`` answers are ignored
    (R 11.5); an answer after the deadline or the session's end is late; any other is accepted and replaces the
    one before. A deadline is met when the answer arrives in its very millisecond.

    Clause: R 11.5, platform §3 late, R-App2 §2 algorithmic, platform §3 retry, D 13.1
    """
    if not keyed and content_sha256 == delivery.latest_sha256:
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
    counting = Answer(send, received_at=arrival, content_sha256=content_sha256, decided_at=now, begun_at=arrival)
    return Decision(Status.ACCEPTED, send, None, replace(sent, answer=counting), now)


def state_of(delivery: Delivery | None, now: Millis, *, session_open: bool) -> FileState:
    """State of a file at a moment; a file without an answer is void once none can come any more."""
    if delivery is not None and delivery.answer is not None:
        return FileState.ANSWERED
    if not session_open:
        return FileState.VOIDED
    if delivery is None:
        return FileState.WAITING
    return FileState.VOIDED if now > delivery.answer_by else FileState.OPEN


def is_owed(arrival: Millis, delivery: Delivery, aborted_at: Millis | None) -> bool:
    """Whether the platform owes a decision on a valid answer that nobody has decided on: it arrived in time.

    Who aborts a session takes back what is under way at that moment; an answer that was under way for longer than any
    request can be was lost before.

    Clause: platform §3 platform faults
    """
    taken_back = aborted_at is not None and arrival + IN_FLIGHT > aborted_at
    return arrival <= delivery.answer_by and not taken_back


def cause_of(
    delivery: Delivery | None,
    unjudged: Sequence[Millis] = (),
    bodies: Bodies | None = None,
    aborted_at: Millis | None = None,
) -> tuple[Cause, Mapping[str, Any]]:
    """Cause of a void file and its evidence (R 8.3.1).

    ``unjudged`` are arrivals of valid answers that nobody has decided on: one that is owed is the platform's fault. A
    late valid answer outweighs invalid ones. ``aborted_at``: when the team ended the session by itself.

    Clause: platform §3 causes, R 8.3.1, D 11.3, platform §3 platform faults
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
