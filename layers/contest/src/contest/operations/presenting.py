"""Conversion of use cases' results about the platform itself to bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contest.operations.wire import ChecksBody, CostBody, DaysCostBody, PlayedBody, PriceBody
from contest.run.rules.checks import CheckGrade

if TYPE_CHECKING:
    from contest.operations.overview import Checked, CycleCost


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


def cost(estimate: CycleCost) -> CostBody:
    """Return the whole estimate with its prices."""
    of_days = sum(line.cost for line in estimate.lines)
    return CostBody.from_value(
        estimate,
        currency=estimate.prices["currency"],
        region=estimate.prices["region"],
        cost=sum(final.cost for final in estimate.finals) + of_days,
        days=DaysCostBody.from_value(estimate, cost=of_days),
        prices=[PriceBody(kind=kind, **price) for kind, price in estimate.prices["prices"].items()],
        played=[PlayedBody(teams=teams, files=count) for teams, count in estimate.played],
    )
