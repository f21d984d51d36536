"""Figures that functions count: one line of the log in CloudWatch's embedded metric format (EMF), no call of AWS.

Every figure has the cycle as a dimension: cycles in one account would otherwise ring each other's alarms, and one's
work would keep the other's dead-man alarms quiet.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from aws_lambda_powertools.metrics import EphemeralMetrics, MetricUnit

from contest import settings

_UNITS: Final[Mapping[str, MetricUnit]] = {}
"""Units of figures that are no counts."""


def note(figures: Mapping[str, float]) -> None:
    """Write the values of figures, by their names in :mod:`contest.settings`, to the function's log."""
    line = EphemeralMetrics(namespace=settings.METRIC_NAMESPACE, service=settings.SERVICE)
    line.add_dimension(settings.CYCLE_DIMENSION, settings.cycle())
    for name, value in figures.items():
        line.add_metric(name, _UNITS.get(name, MetricUnit.Count), value)
    line.flush_metrics()
