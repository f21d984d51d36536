"""The minute timer."""

from __future__ import annotations

from typing import Any

from contest.bootstrap import platform
from contest.bootstrap.logs import logger
from contest.services.sweep import sweep


class SweepError(RuntimeError):
    """Some sessions could not be swept; all others were. Raised so that the alarm on errors sees it."""


def handler(_event: dict[str, Any], _context: Any) -> dict[str, Any]:
    """End sessions, enqueue forgotten answers, make reports that are due."""
    swept = sweep(platform())
    for session_id, error in swept.failures:
        logger.error("sweep failed", extra={"session_id": session_id}, exc_info=error)
    logger.info("sweep", extra={"closed": swept.closed, "enqueued": swept.enqueued, "reported": swept.reported})
    if swept.failures:
        raise SweepError(f"{len(swept.failures)} sessions failed; see the log")
    return {"closed": swept.closed, "enqueued": swept.enqueued, "reported": swept.reported}
