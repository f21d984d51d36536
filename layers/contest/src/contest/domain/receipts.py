"""Submission receipts (platform §4): what the platform promises about an answer it has stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from contest.domain.delivery import Decision
from contest.domain.moments import Millis, iso
from contest.domain.session import Session

FORMAT: Final = 1
"""Version of the receipt's form; a verifier refuses one it does not know."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """A signed receipt as stored: ``body`` is the exact answer of the API, the same bytes at every retry."""

    number: int
    send: int
    status: str
    content_sha256: str
    body: str


def content(
    session: Session, file_id: str, number: int, content_sha256: str, arrival: Millis, key_id: str, decision: Decision
) -> dict[str, Any]:
    """What is signed. ``send`` of an ignored answer is the number it would have had."""
    return {
        "format": FORMAT,
        "team_id": session.team_id,
        "cycle": session.cycle,
        "track": session.track,
        "mode": session.order.mode,
        "session_id": session.session_id,
        "file_id": file_id,
        "number": number,
        "send": decision.send,
        "status": decision.status.value,
        "reason": decision.why.value if decision.why else None,
        "received_at": iso(arrival),
        "content_sha256": content_sha256,
        "key_id": key_id,
    }
