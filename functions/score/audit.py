"""The audit timer."""

from __future__ import annotations

from typing import Any

from contest.edge.logs import logger
from contest.operations.letters import note_copies
from contest.results.audit import plan
from contest.wiring import platform


@logger.inject_lambda_context
def handler(_event: dict[str, Any], _context: Any) -> dict[str, Any]:
    """Send workers the sessions that are due for an audit, and look at the locked copies."""
    planned = {"planned": plan(platform())}
    note_copies(platform())
    logger.info("audits", extra=planned)
    return planned
