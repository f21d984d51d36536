"""The settlement queue's worker."""

from __future__ import annotations

from typing import Any

from contest.edge.logs import consume, job_from
from contest.results.publishing import settle_or_mark
from contest.results.rules.jobs import SettlingTask
from contest.wiring import platform


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Make parts of records and boards; failed messages alone come again and end in the dead-letter queue."""
    return consume(event["Records"], lambda body: settle_or_mark(platform(), job_from(body, SettlingTask)), context)
