"""Read synthesized templates: their resources by type, what refers to what, and what each function is told."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any


def of_type(template: Mapping[str, Any], kind: str, prefix: str = "") -> dict[str, dict[str, Any]]:
    """Return the properties of a type's resources by logical id; none whose id begins with the prefix is a failure."""
    properties = {
        name: item.get("Properties", {})
        for name, item in template["Resources"].items()
        if item["Type"] == f"AWS::{kind}" and name.startswith(prefix)
    }
    assert properties, f"the template has no {kind} {prefix}"
    return properties


def one(template: Mapping[str, Any], kind: str, prefix: str = "") -> tuple[str, dict[str, Any]]:
    """Return the logical id and the properties of the only resource of a type whose id begins with the prefix."""
    (resource,) = of_type(template, kind, prefix).items()
    return resource


def functions_of(template: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the properties of a template's functions by their handlers, without those of a container image."""
    functions = of_type(template, "Lambda::Function").values()
    return {function["Handler"]: function for function in functions if "Handler" in function}


def variables_of(template: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the variables of a template's functions by their handlers."""
    functions = functions_of(template).items()
    return {handler: function.get("Environment", {}).get("Variables", {}) for handler, function in functions}


def metrics_of(alarm: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the metrics that an alarm watches, those of an expression too."""
    if "Metrics" not in alarm:
        yield alarm
    yield from (metric["MetricStat"]["Metric"] for metric in alarm.get("Metrics", ()) if "MetricStat" in metric)


def listed(value: Any) -> list[Any]:
    """Return the elements of a list of a policy, which may stand alone."""
    return value if isinstance(value, list) else [value]


def references(value: Any) -> set[str]:
    """Return the logical ids and pseudo parameters that a value refers to."""
    if isinstance(value, list):
        return set().union(*map(references, value))
    if not isinstance(value, dict):
        return set()
    own = {value["Ref"]} if "Ref" in value else set()
    own |= {value["Fn::GetAtt"][0]} if "Fn::GetAtt" in value else set()
    return own.union(*map(references, value.values()))


def reference(value: Any) -> str:
    """Return the only logical id that a value refers to."""
    (name,) = references(value)
    return name


def in_node(code: str, expression: str) -> Any:
    """Return the value of an expression of JavaScript behind some code, run by the Node.js that CDK runs in."""
    program = [Path(sys.executable).with_name("node"), "-e", f"{code}\nconsole.log(JSON.stringify({expression}))"]
    return json.loads(subprocess.run(program, capture_output=True, text=True, check=True).stdout)


def faults_of_lint(template_file: Path, *ignored: str) -> str:
    """Return what cfn-lint finds in a template, but for the ignored checks."""
    words = [Path(sys.executable).with_name("cfn-lint"), "--template", template_file]
    words += ["--ignore-checks", *ignored] if ignored else []
    finished = subprocess.run(words, capture_output=True, text=True, check=False)
    return finished.stdout + finished.stderr if finished.returncode else ""
