"""CloudWatch: figures that the local cloud counts as AWS would, and the template's alarms on them.

Figures come from who knows them: the runtime (calls, errors, throttles), the gateways (4xx, 5xx, failed integrations),
consumers and queues (messages received, age of the oldest), tables (throttled requests), and the functions' own log
lines in embedded metric format. A metric that nobody counts here has no data, as in AWS before its first value.

Of alarms what the template uses is known: one metric, or the sum of several, each ``FILL(m, 0)``; all periods must
breach. Periods end with the moment of the look, where CloudWatch's lie on whole multiples; nobody is told.
"""

from __future__ import annotations

import json
import re
import threading
from collections import defaultdict, deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from local.aws.template import TemplateError
from local.texts import tr

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from local.aws.template import Deployment, Resource

ALARM_TYPE = "AWS::CloudWatch::Alarm"
LAMBDA, GATEWAY, QUEUES, TABLES = "AWS/Lambda", "AWS/ApiGateway", "AWS/SQS", "AWS/DynamoDB"
EMBEDDED: Final = '{"_aws":'
"""Beginning of a line in embedded metric format, as the functions' library writes it."""
_KEPT: Final = 10_000
"""Values of one metric; the oldest go first."""
_SUM: Final = re.compile(r"FILL\((\w+), 0\)(?: \+ FILL\(\w+, 0\))*")
_COMPARED: Final = {"GreaterThanThreshold": False, "LessThanThreshold": True}
_STATISTICS: Final[Mapping[str, Callable[[Sequence[float]], float]]] = {
    "Sum": sum,
    "Maximum": max,
    "Minimum": min,
    "SampleCount": len,
}

Metric = tuple[str, str, frozenset[tuple[str, str]]]
"""Namespace, name, dimensions."""


class Figures:
    """Values of metrics with the time of their arrival, from any thread."""

    def __init__(self, now_ms: Callable[[], int]) -> None:
        self._now_ms = now_ms
        self._lock = threading.Lock()
        self._values: defaultdict[Metric, deque[tuple[int, float]]] = defaultdict(lambda: deque(maxlen=_KEPT))

    def note(self, namespace: str, name: str, value: float = 1, /, **dimensions: str) -> None:
        """Note a value."""
        self._add((namespace, name, frozenset(dimensions.items())), value)

    def take(self, line: str) -> None:
        """Note the values of a function's log line, if it is one of embedded metric format."""
        if not line.startswith(EMBEDDED):
            return
        log_entry = json.loads(line)
        for directive in log_entry["_aws"]["CloudWatchMetrics"]:
            for names in directive["Dimensions"]:
                dimensions = frozenset((name, str(log_entry[name])) for name in names)
                for metric in directive["Metrics"]:
                    values = log_entry[metric["Name"]]
                    for value in values if isinstance(values, list) else [values]:
                        self._add((directive["Namespace"], metric["Name"], dimensions), value)

    def between(self, metric: Metric, after_ms: int, until_ms: int) -> list[float]:
        """Return the values of a metric after a moment and until another."""
        with self._lock:
            return [value for at_ms, value in self._values.get(metric, ()) if after_ms < at_ms <= until_ms]

    def _add(self, metric: Metric, value: float) -> None:
        with self._lock:
            self._values[metric].append((self._now_ms(), value))


@dataclass(frozen=True)
class _Series:
    """A statistic of a metric over each period."""

    metric: Metric
    statistic: str
    period_ms: int

    def value(self, figures: Figures, until_ms: int) -> float | None:
        values = figures.between(self.metric, until_ms - self.period_ms, until_ms)
        return _STATISTICS[self.statistic](values) if values else None


@dataclass(frozen=True)
class Alarm:
    """An alarm of the template; its value is that of its only series, or the sum of all, 0 for a missing one."""

    name: str
    series: tuple[_Series, ...]
    is_sum: bool
    threshold: float
    periods: int
    below: bool
    missing_breaches: bool

    def rings(self, figures: Figures, now_ms: int) -> bool:
        """Return whether every one of the last periods breaches the threshold."""
        for number in range(self.periods):
            until_ms = now_ms - number * self.series[0].period_ms
            values = [series.value(figures, until_ms) for series in self.series]
            value = sum(value or 0 for value in values) if self.is_sum else values[0]
            over = None if value is None else value < self.threshold if self.below else value > self.threshold
            if not (self.missing_breaches if over is None else over):
                return False
        return True


def alarms_of(deployment: Deployment) -> tuple[Alarm, ...]:
    """Return the template's alarms. TemplateError for what is not known here."""
    return tuple(_alarm(resource, deployment) for resource in deployment.template.of_type(ALARM_TYPE))


def _alarm(resource: Resource, deployment: Deployment) -> Alarm:
    properties = deployment.resolver.value(resource.properties, resource.logical_id)
    parts = [query for query in properties.get("Metrics", ()) if "MetricStat" in query]
    sums = [query["Expression"] for query in properties.get("Metrics", ()) if "Expression" in query]
    whole = " + ".join(f"FILL({part['Id']}, 0)" for part in parts)
    periods, comparison = properties["EvaluationPeriods"], properties["ComparisonOperator"]
    is_known = (
        comparison in _COMPARED
        and properties.get("DatapointsToAlarm", periods) == periods
        and properties["TreatMissingData"] in {"breaching", "notBreaching"}
        and all(_SUM.fullmatch(expression) and expression == whole for expression in sums)
        and len(sums) == bool(parts)
    )
    series = tuple(_series(part["MetricStat"] | part["MetricStat"]["Metric"]) for part in parts) or (
        _series(properties),
    )
    if not is_known or any(one_series.statistic not in _STATISTICS for one_series in series):
        raise TemplateError(tr("{where}: such an alarm is not known here", where=resource.logical_id))
    return Alarm(
        properties["AlarmName"],
        series,
        bool(sums),
        float(properties["Threshold"]),
        int(periods),
        _COMPARED[comparison],
        properties["TreatMissingData"] == "breaching",
    )


def _series(statistic: Mapping[str, Any]) -> _Series:
    dimensions = frozenset((dimension["Name"], dimension["Value"]) for dimension in statistic.get("Dimensions", ()))
    metric = (statistic["Namespace"], statistic["MetricName"], dimensions)
    return _Series(metric, statistic.get("Stat") or statistic["Statistic"], int(statistic["Period"]) * 1000)
