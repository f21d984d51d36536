"""The minute timer."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from contest import settings
from contest.edge import figures
from contest.edge.logs import logger
from contest.operations.minute_timer import sweep
from contest.wiring import platform


class SweepError(RuntimeError):
    """Something could not be swept; everything else was. Raised so that the alarm on errors sees it."""


@logger.inject_lambda_context
def handler(_event: dict[str, Any], _context: Any) -> dict[str, Any]:
    """Arm openings, end sessions, enqueue forgotten answers, make reports and records that are due."""
    swept = sweep(platform())
    figures.note(
        {
            settings.MASS_FAILURES: swept.missed,
            settings.FILES_OVERDUE: swept.overdue,
            settings.SUBMISSIONS_STUCK: swept.stuck,
            **{settings.dead_letters_metric(queue): letters for queue, letters in swept.letters.items()},
        }
    )
    for name, error in swept.failures:
        logger.error("sweep failed", extra={"swept": name}, exc_info=error)
    done = {field.name: getattr(swept, field.name) for field in fields(swept) if field.name != "failures"}
    logger.info("sweep", extra=done)
    if swept.failures:
        raise SweepError(f"{len(swept.failures)} failures; see the log")
    return done
