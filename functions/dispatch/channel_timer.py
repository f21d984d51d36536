"""The event channel's timer, apart from the contest's own: connections may be many, and no report waits for them."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from contest.channel.pushing import maintain
from contest.edge.guards import log
from contest.messages.sending import send_deliveries
from contest.wiring import platform

logger = log()


class ChannelTimerError(RuntimeError):
    """Failure on some connections; all others were processed. Raised so that the alarm on errors sees it."""


@logger.inject_lambda_context
def handler(_event: dict[str, Any], _context: Any) -> dict[str, Any]:
    """Plan near openings, announce ends, send signs of life, close silent connections; then send webhooks."""
    visit = maintain(platform(), platform().clock.now())
    for error in visit.failures:
        logger.error("channel timer failed", exc_info=error)
    done = {field.name: getattr(visit, field.name) for field in fields(visit) if field.name != "failures"}
    done["hooks"] = send_deliveries(platform())
    logger.info("channel timer", extra=done)
    if visit.failures:
        raise ChannelTimerError(f"{len(visit.failures)} failures; see the log")
    return done
