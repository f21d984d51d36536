"""Deploy a cycle as its file says: ``make deploy CYCLE=NAME``.

``python -m infra.deploy CYCLE [--yes] [--anyway REASON]`` looks first (:mod:`infra.preflight`), asks the cycle for open
runs, tells in words what would change (:func:`describe`) and asks. Nothing is created before the answer. Then each
stack is deployed in its order, a real cycle is protected against deletion, and the site's files are put. A deployment
that stopped anywhere is repeated by the same command. Exit code 0: deployed, 1: refused or failed, 2: wrong usage.

Which properties make CloudFormation replace a resource is read from AWS' own schemas of resource types, as cfn-lint
ships them (``createOnlyProperties``). A reference to a replaced resource changes whoever makes it.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Protocol

from contest import settings
from contest.settings import stack_name
from infra import assembly, machine, preflight, site
from infra.account import Account, Deployed, RefusedError, guarded, make_missing
from infra.assembly import NESTED, StackFile, Template
from infra.config import CycleConfig, for_cycle
from infra.layers import ROOT
from infra.preflight import CDK, go_on

_BEYOND_ASCII: Final = re.compile("[^\x00-\x7f]")
_HASH: Final = re.compile("[0-9A-F]{8}([0-9a-f]{32})?$")
"""Hash at the end of CDK's logical ids; left out of texts for people."""
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
    """A resource and its change. ``loss``: data that is lost for good with it, or left behind."""

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
    """List the changes of a stack's resources, with those of the stacks within it."""
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
    """Return a stack's changes in words: its resources, data losses, changes of rights."""
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
        lines.append(f"  new: {by_kind(change.kind for change in stack_changes)}")
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


def by_kind(kinds: Iterable[str]) -> str:
    """Return how many resources there are of each type, the most frequent type first."""
    counts = Counter(map(_kind, kinds))
    most = sorted(counts.items(), key=lambda count: (-count[1], count[0]))
    return ", ".join(f"{number} {kind}" for kind, number in most) or "nothing"


def _kind(kind: str) -> str:
    return kind.removeprefix("AWS::").replace("::", " ")


def losses(before: StackFile | None, after: StackFile | None, only: CreateOnly = create_only) -> list[str]:
    """List the data that is lost for good."""
    return [
        f"{change.name} is {change.deed}; {change.loss}"
        for change in changes(before, after, only)
        if change.loss.startswith("LOST")
    ]


OPEN: Final = 3
"""Exit code of ``contest cycle deploying`` while a run is open."""
_EVENTS: Final = 5
"""Most reasons of a failure that are shown."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Exit code and output of a command."""

    code: int
    printed: str = ""
    complained: str = ""


class Tools(Protocol):
    """Everything outside this process but the account: the CDK app and command, the contest's command, the person."""

    def synthesize(self, cycle: str, context: Mapping[str, str]) -> Sequence[StackFile]:
        """Synthesize the cycle; :class:`infra.assembly.SynthesisError`."""

    def cdk(self, words: Sequence[str]) -> int:
        """Run the CDK command on what was synthesized last, before the person's eyes; return its exit code."""

    def contest(self, words: Sequence[str]) -> Answer:
        """Run the contest's command with AWS credentials, as nobody who has signed in."""

    def ask(self, question: str) -> str | None:
        """Return a person's answer; None if there is no terminal."""

    def say(self, line: str) -> None:
        """Print a line."""


@dataclass(frozen=True, slots=True)
class Wish:
    """The cycle to deploy and the options. ``anyway``: the reason to deploy though a run is open."""

    cycle: str
    yes: bool = False
    anyway: str = ""


# Clause: platform §2 deployment
def deploy(wish: Wish, account: Account, tools: Tools, now: Callable[[], datetime]) -> int:
    """Deploy; return the exit code."""

    def work() -> int:
        config = for_cycle(wish.cycle)
        go_on(preflight.basics(account), tools.say)
        there = stacks_of(config, account)
        stacks = _synthesized(config, there, tools)
        look = preflight.looked(config, account, stacks, now())
        go_on(preflight.examine(look), tools.say)
        runs = open_runs(wish, look.there[stack_name(wish.cycle)], tools)
        lost = _show(look, tools)
        _confirm(wish, tools, is_lossy=config.retain_data and lost)
        if runs:
            note_reason(wish, tools)
        for name in make_missing(config, account.client("secretsmanager")):
            tools.say(f"made the secret {name}")
        outputs = _deploy_each(stacks, account, tools)
        if config.retain_data:
            _protect(config, stacks, account, tools)
        _finish(config, outputs, account, tools)
        return 0

    return guarded("deploy", tools.say, work)


def stacks_of(config: CycleConfig, account: Account) -> Mapping[str, Deployed | None]:
    """Return the cycle's stacks as they are in the account, by name."""
    ends = {"--storage": None, "--firewall": assembly.FIREWALL_REGION, "": None, "--programs": None}
    names = {stack_name(config.cycle) + end: region for end, region in ends.items()}
    return {name: account.stack(name, region) for name, region in names.items()}


def _synthesized(
    config: CycleConfig, there: Mapping[str, Deployed | None], tools: Tools, *, whole: bool = False
) -> Sequence[StackFile]:
    """Synthesize the cycle's stacks, protected as they are in the account: a new one must be able to fail.

    ``whole``: all of them are complete, and protected from now on.
    """
    protected = [name for name, stack in there.items() if stack and (whole or stack.protected)]
    stacks = tools.synthesize(config.cycle, {"protected": ",".join(protected)})
    programs = stack_name(config.cycle) + "--programs"
    if there.get(programs) and programs not in {stack.name for stack in stacks}:
        tools.say(
            f"{programs} is there, though the cycle's file has no programs; it stays and costs until "
            f"make destroy CYCLE={config.cycle} ARGS=--programs"
        )
    return stacks


def open_runs(wish: Wish, there: Deployed | None, tools: Tools) -> bool:
    """Return whether the deployment meets an open run; :class:`RefusedError` unless there is a reason to go on."""
    if there is None or not there.serves:
        return False  # nobody can run anything
    answer = tools.contest(["--cycle", wish.cycle, "cycle", "deploying", "--json"])
    if answer.code == 0:
        return False
    if answer.code == OPEN:
        runs = json.loads(answer.printed)["runs"]
        listing = "; ".join(
            f"{run['run_id']} ({run['mode']}) is {run['state']}, start {run['starts_at']}" for run in runs
        )
        trouble = f"a run is open: {listing}"
    else:
        trouble = f"the cycle cannot be asked for open runs: {answer.complained.strip() or answer.printed.strip()}"
    if not wish.anyway:
        raise RefusedError(f"{trouble}. Nothing changes under a run: wait, or go on with ARGS='--anyway \"REASON\"'")
    tools.say(f"{trouble}. It goes on: {wish.anyway}")
    return True


def _show(look: preflight.Look, tools: Tools) -> bool:
    """Print the changes of each stack; return whether data is lost for good."""
    lost: list[str] = []
    for stack in look.stacks:
        before = look.deployed[stack.name]
        tools.say(describe(before, stack))
        lost += losses(before, stack)
    for loss in lost:
        tools.say(f"LOST FOR GOOD: {loss}")
    return bool(lost)


def _confirm(wish: Wish, tools: Tools, *, is_lossy: bool) -> None:
    """Ask a person; ``--yes`` answers unless a real cycle loses something (:class:`RefusedError` without a yes)."""
    if wish.yes and not is_lossy:
        return
    answer = tools.ask(f"Deploy {wish.cycle}? [yes/no] ")
    if answer is None:
        remedy = "what a real cycle loses is for a person to say" if is_lossy else "a pipeline says ARGS=--yes"
        raise RefusedError(f"nobody can be asked here; {remedy}. Nothing was changed")
    if answer.strip().lower() not in {"y", "yes"}:
        raise RefusedError("nothing was changed")


def note_reason(wish: Wish, tools: Tools) -> None:
    """Write into the cycle's audit log why it is changed under a run."""
    answer = tools.contest(["--cycle", wish.cycle, "cycle", "deploying", "--json", "--anyway", wish.anyway])
    if answer.code:
        tools.say("The reason could not be written into the cycle's audit log: write it down elsewhere.")


def _deploy_each(stacks: Sequence[StackFile], account: Account, tools: Tools) -> Mapping[str, str]:
    """Deploy the stacks in their order and return their outputs; an output is another's parameter of the same name."""
    outputs: dict[str, str] = {}
    done: list[str] = []
    for stack in stacks:
        words = ["deploy", stack.name, "--exclusively", "--require-approval", "never"]
        for name in stack.parameters:
            if name not in outputs:
                raise RefusedError(f"{stack.name} needs {name}, which no stack before it tells")
            words += ["--parameters", f"{stack.name}:{name}={outputs[name]}"]
        if tools.cdk(words):
            causes = reasons(stack.name, stack.region, account)
            details = "".join(f"\n  {reason}" for reason in causes)
            before = f" {', '.join(done)} stand as deployed." if done else ""
            raise RefusedError(
                f"{stack.name} was not deployed.{before} Nothing after it was tried.{details}\n"
                "Mend the reason and run the same command again."
            )
        done.append(stack.name)
        deployed = account.stack(stack.name, stack.region)
        outputs |= deployed.outputs if deployed else {}
    return outputs


def reasons(name: str, region: str | None, account: Account) -> list[str]:
    """Return the first reasons of a stack's latest failure; what was cancelled for another's sake tells none."""
    if account.stack(name, region) is None:
        return []
    events = account.client("cloudformation", region).describe_stack_events(StackName=name)["StackEvents"]
    failed = [
        f"{event.get('LogicalResourceId')} ({event.get('ResourceType')}): {event['ResourceStatusReason']}"
        for event in reversed(events)
        if event.get("ResourceStatus", "").endswith("FAILED")
        and "cancelled" not in event.get("ResourceStatusReason", "cancelled")
    ]
    return failed[:_EVENTS]


def _protect(config: CycleConfig, stacks: Sequence[StackFile], account: Account, tools: Tools) -> None:
    """Protect the stacks of a real cycle, now that all are complete, and what its storage keeps.

    The first deployment is the only one with something to do here: a protected stack could not have failed and be
    deployed again.
    """
    there = stacks_of(config, account)
    if all(there[stack.name] and there[stack.name].protected for stack in stacks):  # type: ignore[union-attr]  # asked
        return
    tools.say("Everything is deployed: protecting it against deletion")
    storage = next(
        stack for stack in _synthesized(config, there, tools, whole=True) if stack.name.endswith("--storage")
    )
    if tools.cdk(["deploy", storage.name, "--exclusively", "--require-approval", "never"]):
        raise RefusedError(
            "the cycle is deployed, but its storage is not protected against deletion; run the same command again"
        )
    for stack in stacks:
        account.client("cloudformation", stack.region).update_termination_protection(
            StackName=stack.name, EnableTerminationProtection=True
        )


def _finish(config: CycleConfig, outputs: Mapping[str, str], account: Account, tools: Tools) -> None:
    for line in site.publish(account.client("s3"), outputs):
        tools.say(line)
    tools.say(f"deployed: {config.cycle} is at {outputs['Address']}")
    if config.domain_name:
        tools.say(f"let the name {config.domain_name} point to {outputs['DistributionHost']}")
    if config.alarm_email:
        tools.say(f"alarms go to {config.alarm_email}: whoever reads it confirms the message of AWS Notifications")


class Terminal:
    """The tools of this machine."""

    def __init__(self, folder: Path, region: str) -> None:
        self._folder = folder
        self._environment = machine.environment(AWS_REGION=region, AWS_DEFAULT_REGION=region)
        """Variables of all commands: both name the checked region, whichever of the two a command reads."""

    def synthesize(self, cycle: str, context: Mapping[str, str]) -> Sequence[StackFile]:
        """See :class:`Tools`."""
        return assembly.synthesize(cycle, self._folder, context)

    def cdk(self, words: Sequence[str]) -> int:
        """See :class:`Tools`."""
        command = ["npx", "--yes", CDK, *words, "--app", str(self._folder)]
        done = subprocess.run(command, cwd=ROOT, env=self._environment, check=False)  # noqa: S603 -- our own words only
        return done.returncode

    def contest(self, words: Sequence[str]) -> Answer:
        """See :class:`Tools`."""
        with tempfile.TemporaryDirectory() as home:  # in which nobody has signed in: with AWS credentials
            done = subprocess.run(  # noqa: S603 -- our own command
                [str(Path(sys.executable).with_name("contest")), "--lang", "en", *words],
                env={**self._environment, settings.HOME: home},
                capture_output=True,
                text=True,
                check=False,
            )
        return Answer(done.returncode, done.stdout, done.stderr)

    def ask(self, question: str) -> str | None:
        """See :class:`Tools`."""
        return input(question) if sys.stdin.isatty() else None

    def say(self, line: str) -> None:
        """See :class:`Tools`."""
        print(line, flush=True)


def main(words: Sequence[str]) -> int:
    """Deploy the cycle that is named."""
    parser = argparse.ArgumentParser(prog="python -m infra.deploy", description="Deploy a cycle as its file says.")
    parser.add_argument("cycle", metavar="CYCLE")
    parser.add_argument("--yes", action="store_true", help="do not ask: for pipelines")
    parser.add_argument("--anyway", default="", metavar="REASON", help="deploy though a run is open; goes to the log")
    arguments = parser.parse_args(words)
    wish = Wish(arguments.cycle, arguments.yes, arguments.anyway)
    account = preflight.this_account()
    return deploy(wish, account, Terminal(assembly.FOLDER, account.region), machine.now)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
