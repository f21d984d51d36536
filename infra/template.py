"""The local cloud's template: the cycle's stacks as one, without names that follow files' contents; and fixed costs.

``python -m infra.template`` refreshes local/src/local/template.json (``make template``); a test compares the two, so
the local cloud needs no synthesis and cannot drift from what is deployed.

It writes, too, what a real cycle costs by the month, counted from its templates for ``contest cost``, beside the prices
(contest/operations/costs/deployed.json); a test compares the counts with what is synthesized.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import aws_cdk as cdk

from contest.routes import SHARES, kept_for
from contest.stored_names import BY_AUDITS, BY_MINUTES, OF_TROUBLE, Figure
from infra import assembly
from infra.app import DEFAULT_CYCLE, add_stacks, build
from infra.assembly import NESTED, StackFile, Template
from infra.config import CycleConfig
from infra.constructs.storage import EVERY_WEEK
from infra.layers import ROOT
from infra.rights import FUNCTIONS

LOCAL: Final = ROOT / "local" / "src" / "local" / "template.json"
_VERSION_HASH: Final = re.compile(r"(CurrentVersion)[0-9A-F]{8}[0-9a-f]{32}")
_DEPLOYMENT_ONLY: Final = ("Parameters", "Rules", "Conditions", "Mappings")
"""Sections that only a deployment needs: what CDK adds for its own, and the parameter that :func:`joined` fills."""
PARTS: Final = ("--storage", "", "--firewall")
"""The ends of the names of the stacks that the local cloud stands for."""
_ALARM: Final = "AWS::CloudWatch::Alarm"
_RECEIVERS: Final = frozenset({"AlarmActions", "OKActions"})
"""Properties that name an alarm's receivers."""
COSTS: Final = ROOT / "layers/contest/src/contest/operations/costs/deployed.json"
_MIB_OF_A_GB: Final = 1024
_METRICS_OF_A_ROUTE: Final = 6
"""Amazon API Gateway Developer Guide, Working with metrics for HTTP APIs."""
_TEAMS: Final = 50
"""Teams for which the estimate keeps functions running; other numbers in proportion."""
_ADDRESS_SECRETS: Final = 2
"""Pairs of keys that sign addresses, made beside the template (infra.account)."""
_MINUTES_A_DAY: Final = 1440
_RATE: Final = re.compile(r"rate\((\d+) (minute|hour)s?\)")

_METHODS: Final = frozenset({"get", "put", "post", "delete", "x-amazon-apigateway-any-method"})


def portable(template: Mapping[str, Any]) -> dict[str, Any]:
    """Return the template with asset places named after their contents, version names without hashes, no metadata and
    no nested stack."""
    stable = json.loads(_VERSION_HASH.sub(r"\1", json.dumps(template)))
    for section in _DEPLOYMENT_ONLY:
        stable.pop(section, None)
    stable["Resources"] = {
        name: resource for name, resource in stable["Resources"].items() if resource["Type"] != NESTED
    }
    for name, resource in stable["Resources"].items():
        resource.pop("Metadata", None)
        properties = resource.get("Properties", {})
        if resource["Type"] == "AWS::Lambda::Function":
            properties["Code"] = {"S3Bucket": "assets", "S3Key": "functions"}
        if resource["Type"] == "AWS::Lambda::LayerVersion":
            properties["Content"] = {"S3Bucket": "assets", "S3Key": name}
    return dict(stable)


def joined(*stacks: Mapping[str, Any]) -> dict[str, Any]:
    """Return stacks as one: what one exports stands where another imports it, and an output where a parameter of the
    same name is."""
    outputs = {name: output for stack in stacks for name, output in stack.get("Outputs", {}).items()}
    exports = {output["Export"]["Name"]: output["Value"] for output in outputs.values() if "Export" in output}
    parameters = {name for stack in stacks for name in stack.get("Parameters", {})} & outputs.keys()

    values = {name: outputs[name]["Value"] for name in parameters}
    resources = {name: item for stack in stacks for name, item in stack["Resources"].items()}
    return {"Resources": _filled(resources, values, exports)}


def with_alarms(stack: StackFile) -> dict[str, Any]:
    """Return a stack's template with the alarms of its nested stacks, for the local cloud to evaluate; in them each
    parameter is replaced by its value."""
    resources = dict(stack.template["Resources"])
    for outer, inner in stack.nested.items():
        values = resources[outer]["Properties"].get("Parameters", {})
        for name, alarm in inner["Resources"].items():
            if alarm["Type"] == _ALARM:
                properties = {key: value for key, value in alarm["Properties"].items() if key not in _RECEIVERS}
                resources[name] = {"Type": _ALARM, "Properties": _filled(properties, values, {})}
    return {**stack.template, "Resources": resources}


def _filled(value: Any, values: Mapping[str, Any], exports: Mapping[str, Any]) -> Any:
    """Replace references to parameters and to other stacks' exports by their values."""
    if isinstance(value, list):
        return [_filled(element, values, exports) for element in value]
    if not isinstance(value, dict):
        return value
    if value.get("Ref") in values:
        return values[value["Ref"]]
    if "Fn::ImportValue" in value:
        return exports.get(value["Fn::ImportValue"], value)
    return {key: _filled(element, values, exports) for key, element in value.items()}


def text(*stacks: Mapping[str, Any]) -> str:
    """Return the file's contents, sorted, so that a diff shows each change alone."""
    return json.dumps(portable(joined(*stacks)), indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def synthesize(folder: Path) -> list[dict[str, Any]]:
    """Synthesize the demonstration cycle into the folder and return the templates of its stacks."""
    build({"cycle": DEFAULT_CYCLE}, outdir=str(folder)).synth()
    stacks = {stack.name: stack for stack in assembly.read(folder)}
    return [with_alarms(stacks[f"hurdle-{DEFAULT_CYCLE}{end}"]) for end in PARTS]


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


def fixed_costs(folder: Path) -> dict[str, Any]:
    """Synthesize a real cycle as it is deployed usually, and programs beside it, into an empty folder; count what it
    costs by the month."""
    config = CycleConfig(cycle="usual", alarm_email="organizers@example.org", programs=True)
    app = cdk.App(outdir=str(folder))
    add_stacks(app, config)
    app.synth()
    return counted(of_assembly(folder), config)


def main() -> int:
    """Refresh the local cloud's template, and the counts of what costs by the month."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as beside:
        LOCAL.write_text(text(*synthesize(Path(folder))), encoding="utf-8")
        costs = json.dumps(fixed_costs(Path(beside)), indent=1, sort_keys=True)
        COSTS.write_text(f"{costs}\n", encoding="utf-8")
    print(f"refreshed {LOCAL.relative_to(ROOT)} and {COSTS.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
