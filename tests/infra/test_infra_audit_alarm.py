"""The alarm on the audit looks at exactly the metric that the audit function writes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contest import settings
from contest.services.audit import Audited
from score import audit

pytestmark = pytest.mark.slow

FOUND = Audited(sessions=1, scores=1, reports=1, differences=("reports/a/1.json",), missing=())


def test_the_audits_alarm_watches_the_metric_that_the_audit_writes(
    synthesis: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(audit, "platform", lambda: None)
    monkeypatch.setattr(audit, "audit_recent", lambda _platform: FOUND)
    audit.metrics.clear_metrics()  # metrics are one set per process, and earlier tests may run without writing them
    audit.handler({}, None)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    (written,) = [line for line in lines if "_aws" in line]
    (metrics,) = written["_aws"]["CloudWatchMetrics"]
    (dimensions,) = metrics["Dimensions"]

    resources = synthesis.template["Resources"].values()
    alarms = [item["Properties"] for item in resources if item["Type"] == "AWS::CloudWatch::Alarm"]
    (alarm,) = [item for item in alarms if item.get("MetricName") == settings.AUDIT_DIFFERENCES]
    assert alarm["Namespace"] == metrics["Namespace"]
    assert {item["Name"]: item["Value"] for item in alarm["Dimensions"]} == {name: written[name] for name in dimensions}
    assert written[settings.AUDIT_DIFFERENCES] == [1.0] > [alarm["Threshold"]]
