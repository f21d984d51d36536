"""What the audit works on, piece by piece."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AuditJob:
    """A session to audit; without one, the boards of finals, which every round has: it shows that audits work."""

    session_id: str = ""
