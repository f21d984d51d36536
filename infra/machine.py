"""The machine that deploys: its clock and its environment, asked here alone."""

from __future__ import annotations

import os
from datetime import UTC, datetime


def now() -> datetime:
    """Return the present time, in UTC."""
    return datetime.now(UTC)


def environment(**more: str) -> dict[str, str]:
    """Return the variables of this process with others added, for a command that it starts."""
    return {**os.environ, **more}


def region() -> str | None:
    """Return the region that AWS_REGION names; None where it names none."""
    return os.environ.get("AWS_REGION") or None
