"""A CloudFormation template: its resources, its functions, and the values of its intrinsic functions.

The template is what `cdk synth` writes, as JSON. Only the properties that are read are evaluated, so that resources
the local cloud does not know (roles, alarms, log groups) may have any properties.

:class:`FunctionSpec` is a function as the template describes it; :mod:`local.lambdas.runtime` runs it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from local.environment import ACCOUNT, REGION
from local.texts import tr

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

PSEUDO_PARAMETERS = {
    "AWS::Region": REGION,
    "AWS::AccountId": ACCOUNT,
    "AWS::Partition": "aws",
    "AWS::URLSuffix": "amazonaws.com",
    "AWS::StackName": "local",
    "AWS::StackId": f"arn:aws:cloudformation:{REGION}:{ACCOUNT}:stack/local/1",
}
_NO_VALUE = {"Ref": "AWS::NoValue"}


class TemplateError(Exception):
    """The template asks for something that the local cloud cannot give; the message says where and what."""


class Resource(NamedTuple):
    """One resource of the template with its properties as written, intrinsic functions unevaluated."""

    logical_id: str
    type: str
    properties: Mapping[str, Any]


@dataclass(frozen=True)
class Template:
    """The resources of a template by logical id, in the template's order."""

    resources: Mapping[str, Resource]

    @classmethod
    def read(cls, path: Path) -> Template:
        """Read a JSON template. TemplateError when the file is no such thing."""
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
            resources = {
                logical_id: Resource(logical_id, body["Type"], body.get("Properties", {}))
                for logical_id, body in document["Resources"].items()
            }
        except OSError as error:
            raise TemplateError(
                tr("cannot read the template {path}: {strerror}", path=path, strerror=error.strerror)
            ) from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise TemplateError(
                tr("{path} is not a CloudFormation template in JSON: {error!r}", path=path, error=error)
            ) from error
        return cls(resources)

    def of_type(self, *types: str) -> Iterator[Resource]:
        """Yield the resources of the given types."""
        return (resource for resource in self.resources.values() if resource.type in types)

    def find(self, prefix: str, *types: str) -> Resource:
        """Return the one resource whose logical id is `prefix`, else `prefix` plus CDK's hash, else starts so.

        With `types`, only resources of these types count. TemplateError when none or several fit.
        """
        candidates = [
            resource
            for resource in self.resources.values()
            if resource.logical_id.startswith(prefix) and (not types or resource.type in types)
        ]
        for rest in (r"", r"[0-9A-F]{8}", r".*"):
            pattern = re.compile(re.escape(prefix) + rest)
            chosen = [resource for resource in candidates if pattern.fullmatch(resource.logical_id)]
            if len(chosen) == 1:
                return chosen[0]
            if chosen:
                names = ", ".join(resource.logical_id for resource in chosen)
                raise TemplateError(tr("{prefix!r} fits several resources: {names}", prefix=prefix, names=names))
        raise TemplateError(
            tr("no resource of type {types} begins with {prefix!r}", types=", ".join(types), prefix=prefix)
            if types
            else tr("no resource begins with {prefix!r}", prefix=prefix)
        )


class Resolver:
    """Evaluates properties. `attributes(logical_id)` gives a resource's `Ref` and `Fn::GetAtt` values."""

    def __init__(self, template: Template, attributes: Callable[[str], Mapping[str, str]]) -> None:
        self._template = template
        self._attributes = attributes

    def value(self, raw: Any, where: str) -> Any:
        """Return `raw` with every intrinsic function evaluated; `where` is named in errors.

        Members whose value is `AWS::NoValue` are left out. TemplateError for unknown functions and for
        references to what the local cloud does not create.
        """
        if isinstance(raw, list):
            return [self.value(member, f"{where}[{i}]") for i, member in enumerate(raw) if member != _NO_VALUE]
        if not isinstance(raw, dict):
            return raw
        if len(raw) == 1:
            [(name, argument)] = raw.items()
            if name == "Ref" or name.startswith("Fn::"):
                return self._call(name, argument, where)
        return {key: self.value(member, f"{where}.{key}") for key, member in raw.items() if member != _NO_VALUE}

    def properties(self, resource: Resource, *names: str) -> dict[str, Any]:
        """Return the named properties that the resource has, evaluated."""
        return {
            name: self.value(resource.properties[name], f"{resource.logical_id}.{name}")
            for name in names
            if name in resource.properties
        }

    def _call(self, name: str, argument: Any, where: str) -> Any:
        match name, argument:
            case "Ref", str():
                return PSEUDO_PARAMETERS.get(argument) or self._attribute(argument, "Ref", where)
            case "Fn::GetAtt", [str(logical_id), str(attribute)]:
                return self._attribute(logical_id, attribute, where)
            case "Fn::Join", [str(separator), members]:
                return separator.join(str(part) for part in self.value(members, where))
            case "Fn::Select", [index, members]:
                return self.value(members, where)[int(index)]
            case "Fn::Split", [str(separator), text]:
                return self.value(text, where).split(separator)
        raise TemplateError(
            tr(
                "{where}: the local cloud does not know {name} with {argument}",
                where=where,
                name=name,
                argument=json.dumps(argument),
            )
        )

    def _attribute(self, logical_id: str, attribute: str, where: str) -> str:
        if logical_id not in self._template.resources:
            raise TemplateError(
                tr(
                    "{where} refers to {logical_id}, which the template does not define",
                    where=where,
                    logical_id=logical_id,
                )
            )
        attributes = self._attributes(logical_id)
        if attribute not in attributes:
            kind = self._template.resources[logical_id].type
            raise TemplateError(
                tr(
                    "{where} refers to {attribute} of {logical_id} ({kind}), which the local cloud does not create",
                    where=where,
                    attribute=attribute,
                    logical_id=logical_id,
                    kind=kind,
                )
            )
        return attributes[attribute]


@dataclass(frozen=True)
class FunctionSpec:
    """A function: `name` as in logs and URLs, `handler` as in the template, environment beyond the common one.

    `reserved`: so many events at once, None without a bound. `alias`: the name that callers use, empty without one;
    `provisioned`: so many executions are kept running for it.
    """

    name: str
    handler: str
    environment: Mapping[str, str]
    timeout_s: float = 3.0
    memory_mb: int = 128
    workers: int = 1
    reserved: int | None = None
    alias: str = ""
    provisioned: int = 0


def function_arn(name: str) -> str:
    """Return the ARN of a function of the local cloud."""
    return f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{name}"
