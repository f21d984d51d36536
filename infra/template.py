"""The local cloud's template: the cycle's stack and its firewall's as one, without names that follow files' contents.

``python -m infra.template`` refreshes local/src/local/template.json (``make template``); a test compares the two, so
the local cloud needs no synthesis and cannot drift from what is deployed.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from infra.app import DEFAULT_CYCLE, build
from infra.layers import ROOT

LOCAL: Final = ROOT / "local" / "src" / "local" / "template.json"
_VERSION_HASH: Final = re.compile(r"(CurrentVersion)[0-9A-F]{8}[0-9a-f]{32}")
_DEPLOYMENT_ONLY: Final = ("Parameters", "Rules", "Conditions", "Mappings")
"""Sections that only a deployment needs: what CDK adds for its own, and the parameter that :func:`joined` fills."""
_NESTED: Final = "AWS::CloudFormation::Stack"
"""What watches a cycle is a stack of its own within it; the local cloud has no alarms."""


def portable(template: Mapping[str, Any]) -> dict[str, Any]:
    """Return the template with asset places named after their contents, version names without hashes, no metadata and
    no nested stack."""
    stable = json.loads(_VERSION_HASH.sub(r"\1", json.dumps(template)))
    for section in _DEPLOYMENT_ONLY:
        stable.pop(section, None)
    stable["Resources"] = {
        name: resource for name, resource in stable["Resources"].items() if resource["Type"] != _NESTED
    }
    for name, resource in stable["Resources"].items():
        resource.pop("Metadata", None)
        properties = resource.get("Properties", {})
        if resource["Type"] == "AWS::Lambda::Function":
            properties["Code"] = {"S3Bucket": "assets", "S3Key": "functions"}
        if resource["Type"] == "AWS::Lambda::LayerVersion":
            properties["Content"] = {"S3Bucket": "assets", "S3Key": name}
    return dict(stable)


def joined(cycle: Mapping[str, Any], firewall: Mapping[str, Any]) -> dict[str, Any]:
    """Return both stacks as one: a parameter of the first is the other's output of the same name."""
    parameters = {name: output["Value"] for name, output in firewall["Outputs"].items()}

    def filled(value: Any) -> Any:
        if isinstance(value, list):
            return [filled(element) for element in value]
        if isinstance(value, dict):
            return parameters.get(value.get("Ref"), {key: filled(element) for key, element in value.items()})
        return value

    whole: dict[str, Any] = filled(dict(cycle))
    return whole | {"Resources": whole["Resources"] | firewall["Resources"]}


def text(cycle: Mapping[str, Any], firewall: Mapping[str, Any]) -> str:
    """Return the file's contents, sorted, so that a diff shows each change alone."""
    whole = portable(joined(cycle, firewall))
    return json.dumps(whole, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def synthesize(folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Synthesize the demonstration cycle into the folder and return its stack's template and its firewall's."""
    assembly = build({"cycle": DEFAULT_CYCLE}, outdir=str(folder)).synth()
    stacks = [assembly.get_stack_by_name(f"hurdle-{DEFAULT_CYCLE}{end}") for end in ("", "--firewall")]
    return stacks[0].template, stacks[1].template


def main() -> int:
    """Refresh the local cloud's template."""
    with tempfile.TemporaryDirectory() as folder:
        LOCAL.write_text(text(*synthesize(Path(folder))), encoding="utf-8")
    print(f"refreshed {LOCAL.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
