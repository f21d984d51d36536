"""Figures as lines of the log in CloudWatch's embedded metric format (EMF), without a call of AWS."""

from __future__ import annotations

from collections.abc import Mapping

from aws_lambda_powertools.metrics import EphemeralMetrics, MetricUnit

from contest.figures import CYCLE_DIMENSION, MILLISECONDS, NAMESPACE, OF_TROUBLE, SECONDS, SERVICE, Figure


class LoggedFigures:
    """:class:`contest.ports.Figures` of a function, whose standard output is its log."""

    def __init__(self, cycle: str) -> None:
        self._cycle = cycle

    def note(self, values: Mapping[Figure, float]) -> None:
        reported = {figure: value for figure, value in values.items() if value or figure not in OF_TROUBLE}
        if not reported:
            return
        line = EphemeralMetrics(namespace=NAMESPACE, service=SERVICE)
        line.add_dimension(CYCLE_DIMENSION, self._cycle)
        for figure, value in reported.items():
            line.add_metric(figure.value, _unit(figure), value)
        line.flush_metrics()


def _unit(figure: Figure) -> MetricUnit:
    if figure in SECONDS:
        return MetricUnit.Seconds
    return MetricUnit.Milliseconds if figure in MILLISECONDS else MetricUnit.Count
