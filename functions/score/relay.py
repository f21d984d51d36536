"""The outbox's stream: new entries become jobs in the queue."""

from __future__ import annotations

from typing import Any

from contest.bootstrap import platform
from contest.bootstrap.messages import inserted_jobs
from contest.services.score_answer import relay


def handler(event: dict[str, Any], _context: Any) -> None:
    """Relay a batch; an error makes the stream deliver it again, and repeated jobs are harmless."""
    relay(platform(), inserted_jobs(event))
