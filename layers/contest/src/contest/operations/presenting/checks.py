"""Conversion of a cycle's checks to a body."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contest.operations.wire.checks import ChecksBody
from contest.run.rules.checks import CheckGrade

if TYPE_CHECKING:
    from contest.operations.overview import Checked


def checked(checks: Checked) -> ChecksBody:
    """Return the body of a cycle's checks."""
    grades = [check.grade for check in checks.checks]
    return ChecksBody.from_value(
        run_id=checks.run.run_id if checks.run else None,
        failed=grades.count(CheckGrade.FAILED),
        warnings=grades.count(CheckGrade.WARNING),
        checks=checks.checks,
        server_time=checks.now,
    )
