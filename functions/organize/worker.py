"""The import queue's worker."""

from __future__ import annotations

from typing import Any

from contest.cycle.importing import run_import
from contest.cycle.rules.sets import ImportJob
from contest.edge.guards import consume, job_from
from contest.wiring import platform


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Check and load uploaded imports; only failed messages are delivered again, and end in the dead-letter queue."""
    deployed = platform().settings.cycle
    return consume(event["Records"], lambda body: run_import(platform(), deployed, job_from(body, ImportJob)), context)
