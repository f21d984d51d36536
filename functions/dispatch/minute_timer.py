"""The minute timer."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from contest.edge.guards import log
from contest.operations.minute_timer import sweep
from contest.stored_names import Figure
from contest.values import SECOND
from contest.wiring import platform

logger = log()


class SweepError(RuntimeError):
    """Failure of part of a sweep; all the rest was done. Raised so that the alarm on errors sees it."""


@logger.inject_lambda_context
def handler(_event: dict[str, Any], _context: Any) -> dict[str, Any]:
    """Arm openings, end sessions, enqueue forgotten answers, make reports and records that are due."""
    swept = sweep(platform())
    platform().figures.note(
        {
            Figure.MASS_FAILURES: swept.missed,
            Figure.FILES_OVERDUE: swept.overdue,
            Figure.SUBMISSIONS_STUCK: swept.stuck,
            Figure.VISIT_UNFINISHED: swept.left,
            Figure.UNSCORED_AGE: swept.unscored / SECOND,
            **({Figure.DEAD_LETTERS_OPEN: sum(swept.letters.values())} if swept.letters else {}),
        }
    )
    for name, error in swept.failures:
        logger.error("sweep failed", extra={"swept": name}, exc_info=error)
    done = {field.name: getattr(swept, field.name) for field in fields(swept) if field.name != "failures"}
    logger.info("sweep", extra=done)
    if swept.failures:
        raise SweepError(f"{len(swept.failures)} failures; see the log")
    return done
