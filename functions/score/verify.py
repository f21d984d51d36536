"""The audit queue's worker."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from contest.edge.logs import consume, job_from, logger
from contest.results.audit import audit_or_verify
from contest.results.rules.jobs import AuditJob
from contest.stored_names import Figure
from contest.submissions.worker import rebuilt
from contest.wiring import platform


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Rebuild what was made of sessions and count what differs or is lost; alarms look at the counts and at their
    absence."""
    return consume(event["Records"], _audit, context)


def _audit(body: str) -> None:
    audit = audit_or_verify(platform(), job_from(body, AuditJob), rebuilt)
    differences = len(audit.differences) + len(audit.missing)
    platform().figures.note({Figure.AUDIT_DIFFERENCES: differences, Figure.AUDITS: audit.sessions})
    logger.info("audit", extra=asdict(audit))
