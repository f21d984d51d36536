"""Tell in words how the synthesized template differs from the deployed one.

Which properties make CloudFormation replace a resource is read from AWS' own schemas of resource types, as cfn-lint
ships them (``createOnlyProperties``). A reference to a replaced resource changes whoever makes it.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from types import MappingProxyType
from typing import Any, Final

from infra.assembly import NESTED, StackFile, Template

_BEYOND_ASCII: Final = re.compile("[^\x00-\x7f]")
_HASH: Final = re.compile("[0-9A-F]{8}([0-9a-f]{32})?$")
"""Hash at the end of CDK's logical ids; left out of what people read."""
_NAMED: Final = 3
"""Largest group of resources that is listed in full; of a larger one the first are listed with its size."""
_ATTRIBUTES: Final = ("DeletionPolicy", "UpdateReplacePolicy", "Condition")
_KEPT: Final = frozenset({"Retain", "RetainExceptOnCreate", "Snapshot"})
LOST: Final = MappingProxyType(
    {
        "AWS::DynamoDB::Table": "every item in it",
        "AWS::S3::Bucket": "every object in it; one that is not empty refuses, and the deployment fails there",
        "AWS::Cognito::UserPool": "every account in it",
        "AWS::Cognito::UserPoolDomain": "the address of its sign-in",
        "AWS::SecretsManager::Secret": "the secret",
        "AWS::KMS::Key": "the key",
        "AWS::Logs::LogGroup": "its logs",
        "AWS::SQS::Queue": "the messages in it",
        "AWS::ECR::Repository": "its images",
        "AWS::CloudFront::Distribution": "its host name: the cycle's domain must point to another",
        "AWS::SNS::Subscription": "its confirmation: AWS asks the address again",
    }
)
"""Data that is lost with a resource of a type."""
_RIGHTS: Final = MappingProxyType(
    {
        "AWS::IAM::Policy": "Roles",
        "AWS::IAM::ManagedPolicy": "Roles",
        "AWS::IAM::Role": "",
        "AWS::S3::BucketPolicy": "Bucket",
        "AWS::SQS::QueuePolicy": "Queues",
        "AWS::SNS::TopicPolicy": "Topics",
        "AWS::KMS::Key": "",
        "AWS::SecretsManager::ResourcePolicy": "SecretId",
        "AWS::Lambda::Permission": "FunctionName",
    }
)
"""Types that give rights, and the property that names whose or to what; "" the resource itself."""
CreateOnly = Callable[[str], frozenset[str]]
"""The properties of a type, as paths ``A/B``, whose change makes another resource."""


class Deed(StrEnum):
    """Kind of change of a resource."""

    CREATED = "created"
    CHANGED = "changed"
    REPLACED = "replaced"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True)
class Change:
    """One resource and what happens to it. ``loss``: what is lost for good with it, or left behind."""

    name: str
    kind: str
    deed: Deed
    properties: tuple[str, ...] = ()
    loss: str = ""


@cache
def create_only(kind: str) -> frozenset[str]:
    """Return the create-only properties of a type; of an unknown or custom type none."""
    # It takes two seconds to load.
    from cfnlint.schema import ResourceNotFoundError  # type: ignore[import-untyped]  # ships no types
    from cfnlint.schema.manager import PROVIDER_SCHEMA_MANAGER  # type: ignore[import-untyped]  # ships no types

    try:
        schema = PROVIDER_SCHEMA_MANAGER.get_resource_schema("us-east-1", kind).schema
    except ResourceNotFoundError:
        return frozenset()
    return frozenset(path.removeprefix("/properties/") for path in schema.get("createOnlyProperties", ()))


def changes(before: StackFile | None, after: StackFile | None, only: CreateOnly = create_only) -> list[Change]:
    """List what happens to the resources of a stack, those of the stacks within it too."""
    within = sorted({*(before.nested if before else ()), *(after.nested if after else ())})
    pairs = [
        (before.template if before else {}, after.template if after else {}),
        *((_within(before, name), _within(after, name)) for name in within),
    ]
    unsorted = [change for pair in pairs for change in _of_template(*pair, only)]
    return sorted(unsorted, key=lambda change: (list(Deed).index(change.deed), change.kind, change.name))


def _within(stack: StackFile | None, name: str) -> Template:
    return stack.nested.get(name, {}) if stack else {}


def _of_template(before: Template, after: Template, only: CreateOnly) -> Iterator[Change]:
    old, new = _plain(before.get("Resources", {})), _plain(after.get("Resources", {}))
    altered = {name: _altered(old[name], new[name]) for name in old.keys() & new.keys()}
    replaced = {name for name, properties in altered.items() if _is_replaced(old[name], new[name], properties, only)}
    while more := {
        name
        for name in altered.keys() - replaced
        for path in only(new[name]["Type"])
        if _mentions(_at(new[name].get("Properties", {}), path)) & replaced
    }:
        replaced |= more
    for name in new.keys() - old.keys():
        yield Change(name, new[name]["Type"], Deed.CREATED)
    for name in old.keys() - new.keys():
        yield Change(name, old[name]["Type"], Deed.DELETED, loss=_loss(old[name], "DeletionPolicy"))
    for name, properties in altered.items():
        kind = new[name]["Type"]
        mentioned = tuple(
            sorted(key for key, value in new[name].get("Properties", {}).items() if _mentions(value) & replaced)
        )
        if name in replaced:
            changed_properties = tuple(sorted({*properties, *mentioned}))
            yield Change(name, kind, Deed.REPLACED, changed_properties, _loss(new[name], "UpdateReplacePolicy"))
        elif (properties or mentioned) and kind != NESTED:
            yield Change(name, kind, Deed.CHANGED, tuple(sorted({*properties, *mentioned})))


def _plain(resources: Any) -> dict[str, Any]:
    """Return resources as CloudFormation keeps them: it gives everything beyond ASCII back as question marks."""
    plain: dict[str, Any] = json.loads(_BEYOND_ASCII.sub("?", json.dumps(resources, ensure_ascii=False)))
    return plain


def _altered(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[str, ...]:
    first, second = old.get("Properties", {}), new.get("Properties", {})
    properties = [key for key in {**first, **second} if first.get(key) != second.get(key)]
    return (*properties, *(key for key in (*_ATTRIBUTES, "Type") if old.get(key) != new.get(key)))


def _is_replaced(old: Mapping[str, Any], new: Mapping[str, Any], properties: Sequence[str], only: CreateOnly) -> bool:
    if "Type" in properties:
        return True
    first, second = old.get("Properties", {}), new.get("Properties", {})
    return bool(properties) and any(_at(first, path) != _at(second, path) for path in only(new["Type"]))


def _at(properties: Any, path: str) -> Any:
    for key in path.split("/"):
        properties = properties.get(key) if isinstance(properties, Mapping) else None
    return properties


def _mentions(value: Any) -> set[str]:
    """Return the logical ids that a value refers to."""
    if isinstance(value, list):
        return {name for element in value for name in _mentions(element)}
    if not isinstance(value, Mapping):
        return set()
    named = {value["Ref"]} if isinstance(value.get("Ref"), str) else set()
    if isinstance(value.get("Fn::GetAtt"), list):
        named.add(value["Fn::GetAtt"][0])
    return named | {name for element in value.values() for name in _mentions(element)}


def _loss(resource: Mapping[str, Any], policy: str) -> str:
    if resource["Type"] not in LOST:
        return ""
    if resource.get(policy) in _KEPT:
        return "the old one stays in the account, and the cycle no longer uses it"
    return f"LOST: {LOST[resource['Type']]}"


def rights(before: StackFile | None, after: StackFile | None) -> tuple[list[str], list[str]]:
    """Return the rights that are given and those that are taken away, as sentences."""
    old, new = _rights_of(before), _rights_of(after)
    return sorted(new - old), sorted(old - new)


def _rights_of(stack: StackFile | None) -> set[str]:
    return {
        right
        for name, resource in (stack.resources(*_RIGHTS) if stack else ())
        for right in _rights_by(name, resource["Type"], _plain(resource.get("Properties", {})))
    }


def _rights_by(name: str, kind: str, properties: Mapping[str, Any]) -> Iterator[str]:
    whose = _short(properties.get(_RIGHTS[kind]) or {"Ref": name})
    if kind == "AWS::Lambda::Permission":
        source = _short(properties.get("SourceArn", properties.get("SourceAccount", "anything")))
        yield f"{whose}: {_short(properties['Principal'])} may {_short(properties['Action'])} for {source}"
    for policy in properties.get("Policies", ()):
        yield from _statements(whose, policy["PolicyDocument"])
    for arn in properties.get("ManagedPolicyArns", ()):
        yield f"{whose}: has the policy {_short(arn)}"
    for document in ("PolicyDocument", "AssumeRolePolicyDocument", "ResourcePolicy", "KeyPolicy"):
        yield from _statements(whose, properties.get(document, {}))


def _statements(whose: str, document: Mapping[str, Any]) -> Iterator[str]:
    for statement in document.get("Statement", ()):
        may = "may" if statement["Effect"] == "Allow" else "may NOT"
        who = f"{_short(statement['Principal'])} " if "Principal" in statement else ""
        conditions = f" if {_short(statement['Condition'])}" if "Condition" in statement else ""
        for action in _listed(statement.get("Action", statement.get("NotAction", ()))):
            for resource in _listed(statement.get("Resource", "itself")):
                yield f"{whose}: {who}{may} {_short(action)} on {_short(resource)}{conditions}"


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _short(value: Any) -> str:
    """Return a value of a template in short: references by name."""
    if isinstance(value, list):
        return ", ".join(map(_short, value))
    if not isinstance(value, Mapping):
        return str(value)
    if len(value) == 1:
        ((key, inner),) = value.items()
        if key == "Fn::Join":
            return str(inner[0]).join(map(_short, inner[1]))
        if key.startswith(("Ref", "Fn::")):
            return _short(inner[0] if isinstance(inner, list) else inner)
    return " ".join(f"{key} {_short(inner)}" for key, inner in value.items())


def describe(before: StackFile | None, after: StackFile | None, only: CreateOnly = create_only) -> str:
    """Return what happens to a stack in words: its resources, what is lost, changes of rights."""
    stack = after or before
    if stack is None:
        return ""
    stack_changes = changes(before, after, only)
    granted, revoked = rights(before, after)
    if not stack_changes:
        return f"{stack.name}: nothing changes"
    counts = {deed: sum(change.deed is deed for change in stack_changes) for deed in Deed}
    lines = [f"{stack.name}: " + ", ".join(f"{number} {deed}" for deed, number in counts.items() if number)]
    if before is None:
        groups: dict[str, int] = defaultdict(int)
        for change in stack_changes:
            groups[_kind(change.kind)] += 1
        largest = sorted(groups.items(), key=lambda group: (-group[1], group[0]))
        lines.append("  new: " + ", ".join(f"{number} {kind}" for kind, number in largest))
        lines.append(f"  rights: {len(granted)}, as infra/rights.py and the constructs say")
        return "\n".join(lines)
    lines += _grouped(stack_changes)
    lines += [f"  right given: {right}" for right in granted]
    lines += [f"  right taken: {right}" for right in revoked]
    return "\n".join(lines)


def _grouped(stack_changes: Sequence[Change]) -> Iterator[str]:
    groups: dict[tuple[Deed, str, tuple[str, ...], str], list[str]] = defaultdict(list)
    for change in stack_changes:
        groups[change.deed, change.kind, change.properties, change.loss].append(_HASH.sub("", change.name))
    for (deed, kind, properties, loss), names in groups.items():
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        what = f" ({', '.join(properties)})" if properties else ""
        lost = f"; {loss}" if loss else ""
        yield f"  {deed}: {_kind(kind)} {', '.join(names[:_NAMED])}{more}{what}{lost}"


def _kind(kind: str) -> str:
    return kind.removeprefix("AWS::").replace("::", " ")


def losses(before: StackFile | None, after: StackFile | None, only: CreateOnly = create_only) -> list[str]:
    """List what is lost for good."""
    return [
        f"{change.name} is {change.deed}; {change.loss}"
        for change in changes(before, after, only)
        if change.loss.startswith("LOST")
    ]
