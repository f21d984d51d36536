"""The alarms on what functions count themselves look at exactly the metrics that these functions write."""

from __future__ import annotations

import json
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from contest.adapters.system import LoggedFigures
from contest.figures import Figure
from contest.operations.minute_timer import Swept
from contest.results.audit import Audited
from contest.stored_names import LetterQueue
from dispatch import minute_timer
from score import submission_worker, verify
from tests.stage import Context

pytestmark = pytest.mark.slow

FOUND = Audited(sessions=1, scores=1, reports=1, differences=("reports/a/1.json",), missing=())
SWEPT = Swept(
    armed=1,
    closed=1,
    enqueued=1,
    unscored=121_000,
    reported=1,
    missed=1,
    overdue=1,
    settling=1,
    expired=1,
    considered=1,
    letters={queue.value: 1 for queue in LetterQueue},
    noted=1,
    announced=1,
    submissions=0,
    stuck=1,
    left=1,
    failures=(),
)

BODIES = {minute_timer: "", verify: "{}", submission_worker: '{"run": "1-1"}'}
"""What each is called with."""


@pytest.mark.parametrize(
    ("function", "service", "outcome", "names"),
    [
        (verify, "audited", FOUND, [Figure.AUDIT_DIFFERENCES, Figure.AUDITS]),
        (
            minute_timer,
            "sweep",
            SWEPT,
            [
                *(Figure.MASS_FAILURES, Figure.FILES_OVERDUE, Figure.SUBMISSIONS_STUCK),
                *(Figure.DEAD_LETTERS_OPEN, Figure.UNSCORED_AGE, Figure.VISIT_UNFINISHED),
            ],
        ),
        (submission_worker, "work", True, [Figure.RUNS_LOST]),
    ],
)
def test_an_alarm_watches_the_metric_that_a_function_writes(
    synthesis: Any,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    function: ModuleType,
    service: str,
    outcome: object,
    names: list[Figure],
) -> None:
    platform = SimpleNamespace(figures=LoggedFigures(synthesis.cycle))
    monkeypatch.setattr(function, "platform", lambda: platform)
    monkeypatch.setattr(function, service, lambda *_: outcome)
    function.handler({"Records": [{"messageId": "1", "body": BODIES[function]}]}, Context())
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    (metrics_line,) = [line for line in lines if "_aws" in line]
    (metrics,) = metrics_line["_aws"]["CloudWatchMetrics"]
    (dimensions,) = metrics["Dimensions"]

    resources = synthesis.watched["Resources"].values()
    alarms = [item["Properties"] for item in resources if item["Type"] == "AWS::CloudWatch::Alarm"]
    for name in names:
        watching = [item for item in alarms if item.get("MetricName") == name]
        assert watching, name
        for alarm in watching:
            watched_dimensions = {item["Name"]: item["Value"] for item in alarm["Dimensions"]}
            assert alarm["Namespace"] == metrics["Namespace"]
            assert watched_dimensions == {dimension: metrics_line[dimension] for dimension in dimensions}
            silence = alarm["ComparisonOperator"] == "LessThanThreshold"  # of how often, not of how much
            (value,) = metrics_line[name]
            assert len(metrics_line[name]) >= alarm["Threshold"] if silence else value > alarm["Threshold"]
