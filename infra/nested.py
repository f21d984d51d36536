"""Alarms of the stack within the cycle's, as resources of the cycle's own: the local cloud evaluates them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

_NESTED: Final = "AWS::CloudFormation::Stack"
_ALARM: Final = "AWS::CloudWatch::Alarm"
_HASH: Final = re.compile(r"([0-9a-f]{64})\.json")
"""Under which name a nested stack's template is uploaded; the assembly's lists of assets say in which file it is."""
_CALLED: Final = frozenset({"AlarmActions", "OKActions"})
"""Whom an alarm tells."""


def with_alarms(template: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return a stack's template with the alarms of its nested stacks that call somebody, in which each parameter is
    what it is given.

    ``folder``: the assembly in which the templates are.
    """
    resources = dict(template["Resources"])
    for item in template["Resources"].values():
        if item["Type"] == _NESTED:
            inner = _template(item["Properties"]["TemplateURL"], folder)
            parameters = item["Properties"].get("Parameters", {})
            for name, alarm in inner["Resources"].items():
                if alarm["Type"] == _ALARM and "AlarmActions" in alarm["Properties"]:
                    properties = {key: value for key, value in alarm["Properties"].items() if key not in _CALLED}
                    resources[name] = {"Type": _ALARM, "Properties": _filled(properties, parameters)}
    return {**template, "Resources": resources}


def _template(address: Any, folder: Path) -> Mapping[str, Any]:
    (name,) = _HASH.findall(json.dumps(address))
    lists = (json.loads(path.read_text(encoding="utf-8"))["files"] for path in folder.glob("*.assets.json"))
    (place, *_) = (files[name]["source"]["path"] for files in lists if name in files)
    template: Mapping[str, Any] = json.loads((folder / place).read_text(encoding="utf-8"))
    return template


def _filled(value: Any, parameters: Mapping[str, Any]) -> Any:
    if isinstance(value, list):
        return [_filled(element, parameters) for element in value]
    if not isinstance(value, dict):
        return value
    if value.get("Ref") in parameters:
        return parameters[value["Ref"]]
    return {key: _filled(element, parameters) for key, element in value.items()}
