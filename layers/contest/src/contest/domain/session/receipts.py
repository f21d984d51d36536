"""Submission receipts (platform §4): what the platform promises about an answer it has stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from contest.domain.moments import Millis, iso, iso_or_none
from contest.domain.session.delivery import Decision
from contest.domain.session.session import Session

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


@dataclass(frozen=True, slots=True)
class Sending:
    """An answer as it arrived: of which file, with which content (SHA-256 of the canonical bytes), when; and when it
    was decided on, which is later where the first attempt was lost with its process."""

    file_id: str
    number: int
    content_sha256: str
    arrival: Millis
    decided_at: Millis
    headers_at: Millis | None = None
    body_at: Millis | None = None


def content(session: Session, sending: Sending, decision: Decision, key_id: str) -> dict[str, Any]:
    """What is signed. ``send`` of an ignored answer is the number it would have had; receipts of a run name it.

    Clause: platform §4 receipts
    """
    of_run = {"run_id": session.run_id} if session.run_id else {}
    came = {"headers_at": iso_or_none(sending.headers_at), "body_at": iso_or_none(sending.body_at)}
    return {
        **of_run,
        **{name: moment for name, moment in came.items() if moment is not None},
        "format": FORMAT,
        "team_id": session.team_id,
        "cycle": session.cycle,
        "track": session.track,
        "mode": session.order.mode,
        "session_id": session.session_id,
        "file_id": sending.file_id,
        "number": sending.number,
        "send": decision.send,
        "status": decision.status.value,
        "reason": decision.why.value if decision.why else None,
        "received_at": iso(sending.arrival),
        "decided_at": iso(sending.decided_at),
        "content_sha256": sending.content_sha256,
        "key_id": key_id,
    }
