"""The local cloud's template: the cycle's stacks as one, without names that follow files' contents.

``python -m infra.template`` refreshes local/src/local/template.json (``make template``); a test compares the two, so
the local cloud needs no synthesis and cannot drift from what is deployed. So does the file of what costs by the month
(:mod:`infra.fixed_costs`).
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import aws_cdk as cdk

from infra import assembly
from infra.app import DEFAULT_CYCLE, add_stacks, build
from infra.assembly import NESTED, StackFile
from infra.config import CycleConfig
from infra.fixed_costs import PLACE, counted, of_assembly
from infra.fixed_costs import text as as_text
from infra.layers import ROOT

LOCAL: Final = ROOT / "local" / "src" / "local" / "template.json"
_VERSION_HASH: Final = re.compile(r"(CurrentVersion)[0-9A-F]{8}[0-9a-f]{32}")
_DEPLOYMENT_ONLY: Final = ("Parameters", "Rules", "Conditions", "Mappings")
"""Sections that only a deployment needs: what CDK adds for its own, and the parameter that :func:`joined` fills."""
PARTS: Final = ("--storage", "", "--firewall")
"""The ends of the names of the stacks that the local cloud stands for."""
_ALARM: Final = "AWS::CloudWatch::Alarm"
_RECEIVERS: Final = frozenset({"AlarmActions", "OKActions"})
"""Properties that name an alarm's receivers."""


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
    """Replace references to parameters and to other stacks' exports by what they stand for."""
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
        PLACE.write_text(as_text(fixed_costs(Path(beside))), encoding="utf-8")
    print(f"refreshed {LOCAL.relative_to(ROOT)} and {PLACE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
