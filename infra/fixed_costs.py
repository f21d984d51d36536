"""Count the fixed costs of a real cycle from its templates, for ``contest cost``.

``make template`` writes the counts beside the prices (contest/operations/costs/deployed.json); a test compares them
with what is synthesized, so the estimate cannot drift from what is deployed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from contest.routes import SHARES, kept_for
from contest.stored_names import BY_AUDITS, BY_MINUTES, OF_TROUBLE, Figure
from infra.config import CycleConfig
from infra.constructs.storage import EVERY_WEEK
from infra.layers import ROOT
from infra.rights import FUNCTIONS

PLACE: Final = ROOT / "layers/contest/src/contest/operations/costs/deployed.json"
_MIB_OF_A_GB: Final = 1024
_METRICS_OF_A_ROUTE: Final = 6
"""Amazon API Gateway Developer Guide, Working with metrics for HTTP APIs."""
_TEAMS: Final = 50
"""Teams for which the estimate keeps functions running; other numbers in proportion."""
_ADDRESS_SECRETS: Final = 2
"""Pairs of keys that sign addresses, made beside the template (infra.address_keys)."""
_MINUTES_A_DAY: Final = 1440
_RATE: Final = re.compile(r"rate\((\d+) (minute|hour)s?\)")

_METHODS: Final = frozenset({"get", "put", "post", "delete", "x-amazon-apigateway-any-method"})

Template = Mapping[str, Any]


def counted(templates: Sequence[Template], config: CycleConfig) -> dict[str, Any]:
    """Count by kind what the templates of a cycle with programs deploy; what programs add stands by itself."""
    mappings = list(_of_type(templates, "AWS::Lambda::EventSourceMapping"))
    apis = [api["Body"]["paths"] for api in _of_type(templates, "AWS::ApiGatewayV2::Api") if "Body" in api]
    routes = sum(method in _METHODS for paths in apis for methods in paths.values() for method in methods)
    endpoints = [
        subnet
        for endpoint in _of_type(templates, "AWS::EC2::VPCEndpoint")
        if endpoint.get("VpcEndpointType") == "Interface"
        for subnet in endpoint["SubnetIds"]
    ]
    return {
        "monthly": _monthly(templates, config.audit_interval_hours),
        "by_choice": {
            "programs": {"endpoints": len(endpoints)},
            "dashboard": {"dashboards": 1},
            "route-metrics": {"route_metrics": _METRICS_OF_A_ROUTE * routes},
        },
        "metrics_of_a_final": len({*Figure} - BY_MINUTES - BY_AUDITS - OF_TROUBLE),
        "polled_queues": sum("StartingPosition" not in mapping for mapping in mappings),
        "timer_calls_a_day": sum(
            _calls_a_day(schedule["ScheduleExpression"]) for schedule in _of_type(templates, "AWS::Scheduler::Schedule")
        ),
        "snapshot_gb": sum(
            config.sizes[row.name].memory_mib for row in FUNCTIONS if row.prompt and row.name not in SHARES
        )
        / _MIB_OF_A_GB,
        "kept_gb": sum(config.sizes[name].memory_mib * executions for name, executions in kept_for(_TEAMS).items())
        / _MIB_OF_A_GB,
    }


def of_assembly(folder: Path) -> list[Template]:
    """Return the templates in a folder of CDK, those of nested stacks among them."""
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.template.json"))]


def text(counts: Mapping[str, Any]) -> str:
    """Return the file's contents."""
    return json.dumps(counts, indent=1, sort_keys=True) + "\n"


def _monthly(templates: Sequence[Template], audit_interval_h: int) -> dict[str, float]:
    alarms = list(_of_type(templates, "AWS::CloudWatch::Alarm"))
    firewalls = list(_of_type(templates, "AWS::WAFv2::WebACL"))
    return {
        # Each metric of an alarm is billed, a formula over them is not.
        "alarm_metrics": sum(sum("MetricStat" in query for query in alarm.get("Metrics", ())) or 1 for alarm in alarms),
        "own_metrics": len(BY_MINUTES) + len(BY_AUDITS) / audit_interval_h,
        "firewalls": len(firewalls),
        "firewall_rules": sum(len(firewall["Rules"]) for firewall in firewalls),
        "secrets": _ADDRESS_SECRETS + sum(1 for _ in _of_type(templates, "AWS::SecretsManager::Secret")),
        "keys": sum(1 for _ in _of_type(templates, "AWS::KMS::Key")),
    }


def _calls_a_day(expression: str) -> float:
    if expression == EVERY_WEEK:
        return 1 / 7
    rate = _RATE.fullmatch(expression)
    if rate is None:
        raise ValueError(f"{expression}: only rates and the weekly exports are counted")
    return _MINUTES_A_DAY // (int(rate[1]) * (60 if rate[2] == "hour" else 1))


def _of_type(templates: Sequence[Template], kind: str) -> Iterator[Mapping[str, Any]]:
    for template in templates:
        yield from (part["Properties"] for part in template["Resources"].values() if part["Type"] == kind)
