"""What the audit works on, piece by piece."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AuditJob:
    """A session to audit; without one, the boards of finals, which every round has: it shows that audits work."""

    session_id: str = ""
    errand_id: str = ""
    """Somebody's errand of which this audit is the work; without one it is the timer's."""
