"""The timer of the technical qualification."""

from __future__ import annotations

from typing import Any

from contest.bootstrap import platform
from contest.bootstrap.logs import logger
from contest.services.technical import ensure_run


def handler(_event: dict[str, Any], _context: Any) -> dict[str, Any]:
    """Plan the run of the present slot, once."""
    run = ensure_run(platform())
    planned = {"run_id": run.run_id, "starts_at": run.starts_at, "files": run.files} if run else {}
    logger.info("technical run", extra=planned)
    return planned
