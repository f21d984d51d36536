"""Take a cycle down: ``make destroy CYCLE=NAME``.

``python -m infra.destroy CYCLE [--programs | --with-data] [--yes] [--anyway REASON]`` tells what goes, what stays and
what that costs, asks, and deletes the stacks in their order: programs, application, firewall, storage. A real cycle's
storage stays unless ``--with-data`` is given, and the next deployment finds it again; who takes a real cycle down
types its name. Locked copies stay until their locks end. What stopped anywhere is repeated by the
same command. Exit code 0: gone, but for what is locked; 1: refused or failed, 2: wrong usage.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, timedelta
from functools import partial
from types import MappingProxyType
from typing import Any, Final

from botocore.exceptions import WaiterError  # type: ignore[import-untyped]  # ships no types

from contest.settings import stack_name
from infra import assembly, machine, preflight
from infra.account import PURPOSES, Account, Deployed, RefusedError, guarded, secret_name, unless_absent
from infra.config import CycleConfig, for_cycle
from infra.deploy import Terminal, Tools, Wish, by_kind, note_reason, open_runs, reasons, stacks_of

S3_GB_MONTH: Final = 0.023
"""Price of a gigabyte a month in S3 Standard, list price of us-east-1 in USD (Amazon S3 pricing)."""
_A_DAY: Final = timedelta(days=1)
_DAYS_OF: Final = {"Days": 1, "Years": 365}
_UNLOCKED: Final = "ObjectLockConfigurationNotFoundError|NoSuchBucket"


@dataclass(frozen=True, slots=True)
class Lock:
    """Versions of a bucket that cannot be deleted yet; ``until`` is the first day on which all can be."""

    bucket: str
    versions: int
    size: int
    until: date

    def __str__(self) -> str:
        money = self.size / _GB * S3_GB_MONTH
        return (
            f"{self.bucket}: {self.versions} versions, {self.size / _GB:.2f} GB, are locked; all can be deleted from "
            f"{self.until} on, and cost about {money:.2f} USD a month until then"
        )


def lock_of(account: Account, bucket: str) -> Lock | None:
    """Return a bucket's locked versions by its default retention; None where it has none."""
    days = _retention_days(account, bucket)
    if days is None:
        return None
    since = machine.now() - timedelta(days=days)
    pages = account.client("s3").get_paginator("list_object_versions").paginate(Bucket=bucket)
    fresh = [version for page in pages for version in page.get("Versions", ()) if version["LastModified"] > since]
    if not fresh:
        return None
    # A copy has the time of what it was copied from, some minutes before its own lock began: hence a day more.
    newest = max(version["LastModified"] for version in fresh).astimezone(UTC)
    until = (newest + timedelta(days=days) + _A_DAY).date()
    return Lock(bucket, len(fresh), sum(version["Size"] for version in fresh), until)


def _retention_days(account: Account, bucket: str) -> int | None:
    answer = unless_absent(_UNLOCKED, account.client("s3").get_object_lock_configuration, Bucket=bucket)
    if answer is None:
        return None
    rule = answer["ObjectLockConfiguration"].get("Rule", {}).get("DefaultRetention", {})
    return next((rule[unit] * factor for unit, factor in _DAYS_OF.items() if rule.get(unit)), None)


def expire(account: Account, bucket: str) -> None:
    """Have S3 delete the rest of a bucket by itself, each version when its lock ends."""
    rule = {
        "ID": "forget-everything",
        "Status": "Enabled",
        "Filter": {"Prefix": ""},
        "Expiration": {"Days": 1},
        "NoncurrentVersionExpiration": {"NoncurrentDays": 1},
    }
    account.client("s3").put_bucket_lifecycle_configuration(Bucket=bucket, LifecycleConfiguration={"Rules": [rule]})


def buckets_left(account: Account, cycle: str) -> Sequence[str]:
    """Return the buckets that an earlier destruction of a cycle had to leave."""
    answer = unless_absent("ParameterNotFound", account.client("ssm").get_parameter, Name=_parameter(cycle))
    return () if answer is None else tuple(json.loads(answer["Parameter"]["Value"]))


def note_buckets_left(account: Account, cycle: str, buckets: Sequence[str]) -> None:
    """Store the buckets that are left; forget it where there are none."""
    client = account.client("ssm")
    if buckets:
        value = json.dumps(sorted({*buckets}))
        client.put_parameter(Name=_parameter(cycle), Value=value, Type="String", Overwrite=True)
    else:
        client.delete_parameter(Name=_parameter(cycle))


def _parameter(cycle: str) -> str:
    return f"/hurdle/{cycle}/locked"


ENDS: Final = ("--programs", "", "--firewall", "--storage")
"""Endings of the stacks' names in the order of their deletion; no stack needs an earlier one."""
A_GB_MONTH: Final = MappingProxyType({"AWS::DynamoDB::Table": 0.25, "AWS::S3::Bucket": S3_GB_MONTH})
"""Price of a gigabyte a month, list prices in us-east-1 in USD (Amazon DynamoDB pricing, data storage; Amazon S3
pricing, S3 Standard). Point-in-time recovery, secrets and logs cost besides."""
_GB: Final = 1e9
_BUCKET: Final = "AWS::S3::Bucket"
_RECOVERY_DAYS: Final = 7
"""The shortest time for which Secrets Manager and KMS can give back what is deleted (their API references)."""
_GONE: Final = "(Resource|Repository|)NotFoundException|NoSuchBucket|KMSInvalidStateException"
"""Error codes of AWS for things that are missing or being deleted."""


@dataclass(frozen=True, slots=True)
class StackResource:
    """A resource of a stack: its type, its name in the account, whether it outlives the stack."""

    kind: str
    name: str
    stays: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """The stacks to delete, in their order (``stacks``), and those that stay (``staying``)."""

    config: CycleConfig
    stacks: Sequence[Deployed]
    staying: Sequence[Deployed]
    resources: Mapping[str, Sequence[StackResource]]
    with_data: bool
    locks: Sequence[Lock]
    """Versions that cannot be deleted yet, of buckets that go or were left by an earlier destruction."""
    left: Sequence[str]
    """Buckets that an earlier destruction left."""


def destroy(wish: Wish, account: Account, tools: Tools, *, programs: bool = False, with_data: bool = False) -> int:
    """Take the cycle down, or its machines for programs alone; return the exit code."""

    def work() -> int:
        config = for_cycle(wish.cycle)
        preflight.go_on(preflight.basics(account), tools.say)
        plan = _planned(config, account, programs=programs, with_data=with_data or not config.retain_data)
        if not plan.stacks and not plan.left:
            tools.say(f"nothing of {wish.cycle} that would go is in {account.region}")
            return 0
        runs = open_runs(wish, account.stack(stack_name(wish.cycle)), tools)
        for line in _in_words(plan, account):
            tools.say(line)
        _confirm(plan, wish, tools)
        if runs:
            note_reason(wish, tools)
        if plan.locks:
            note_buckets_left(account, config.cycle, [*plan.left, *(lock.bucket for lock in plan.locks)])
        for stack in plan.stacks:
            _take_down(stack, plan, account, tools)
        _leave_locked(plan, account)
        if not programs:
            _forget_keys(config, account)
        tools.say(_outcome(plan))
        return 0

    return guarded("destroy", tools.say, work)


def _outcome(plan: Plan) -> str:
    cycle = plan.config.cycle
    if plan.staying:
        return f"{cycle} comes back with make deploy CYCLE={cycle}"
    if not plan.locks:
        return f"{cycle} is gone"
    last = max(lock.until for lock in plan.locks)
    buckets = ", ".join(lock.bucket for lock in plan.locks)
    return (
        f"{cycle} is gone but for locked copies in {buckets}, whose versions S3 deletes when their locks end. "
        f"Run the same command again from {last} on: it deletes what is empty then"
    )


def _planned(config: CycleConfig, account: Account, *, programs: bool, with_data: bool) -> Plan:
    there = stacks_of(config, account)
    name = stack_name(config.cycle)
    present = [stack for end in ENDS if (stack := there[name + end])]
    ends = {stack.name: stack.name.removeprefix(name) for stack in present}
    if programs:
        chosen = [stack for stack in present if ends[stack.name] == "--programs"]
    else:
        chosen = [stack for stack in present if with_data or ends[stack.name] != "--storage"]
    resources = {stack.name: tuple(_resources_of(stack, account)) for stack in present}
    remaining = buckets_left(account, config.cycle) if with_data and not programs else ()
    buckets = [resource.name for stack in chosen for resource in resources[stack.name] if resource.kind == _BUCKET]
    going = sorted({*remaining, *buckets}) if with_data else ()
    locks = [lock for bucket in going if (lock := lock_of(account, bucket))]
    staying = [stack for stack in present if stack not in chosen]
    return Plan(config, chosen, staying, resources, with_data, locks, remaining)


def _resources_of(stack: Deployed, account: Account) -> Iterator[StackResource]:
    resources = account.template(stack.name, stack.region).get("Resources", {})
    client = account.client("cloudformation", stack.region)
    for page in client.get_paginator("list_stack_resources").paginate(StackName=stack.name):
        for summary in page["StackResourceSummaries"]:
            policy = resources.get(summary["LogicalResourceId"], {}).get("DeletionPolicy", "Delete")
            if summary.get("PhysicalResourceId") and summary["ResourceStatus"] != "DELETE_COMPLETE":
                yield StackResource(summary["ResourceType"], summary["PhysicalResourceId"], policy != "Delete")


def _in_words(plan: Plan, account: Account) -> Iterator[str]:
    """Yield lines on the deleted and the remaining resources, with their costs."""
    for stack in plan.stacks:
        going = [resource for resource in plan.resources[stack.name] if plan.with_data or not resource.stays]
        yield f"{stack.name} goes: {by_kind(resource.kind for resource in going)}"
        staying = [resource for resource in plan.resources[stack.name] if resource.stays]
        if staying and not plan.with_data:
            yield f"  of it stays, outside every stack: {by_kind(resource.kind for resource in staying)}"
    data = [
        resource
        for stack in (*plan.stacks, *plan.staying)
        for resource in plan.resources[stack.name]
        if resource.kind in A_GB_MONTH
    ]
    sizes = [(resource, _bytes(resource, account)) for resource in data]
    money = sum(size / _GB * A_GB_MONTH[resource.kind] for resource, size in sizes)
    total = f"{sum(size for _, size in sizes) / _GB:.2f} GB in {by_kind(resource.kind for resource in data)}"
    for stack in plan.staying:
        yield f"{stack.name} stays: {by_kind(resource.kind for resource in plan.resources[stack.name])}"
    if any(stack.name.endswith("--storage") for stack in plan.staying):
        yield (
            f"  the data stay: {total}, about {money:.2f} USD a month at list prices of us-east-1, and point-in-time "
            "recovery, secrets and logs besides; sizes are some hours old"
        )
    elif any(stack.name.endswith("--storage") for stack in plan.stacks):
        yield f"LOST FOR GOOD: every item, object and account: {total}. Export what you need before."
    for lock in plan.locks:
        yield f"CANNOT BE DELETED YET: {lock}"
    if plan.left and not plan.locks:
        yield f"no longer locked, and deleted now: {', '.join(plan.left)}"
    copies = plan.config.copies
    if copies is not None and copies.account is not None and not plan.staying:
        yield f"the locked copies in account {copies.account} ({copies.bucket}) are its owner's and stay"
    if plan.config.restored and not plan.staying:
        yield f"restored storage is in no stack and stays: {', '.join(sorted(plan.config.restored.values()))}"


def _bytes(resource: StackResource, account: Account) -> int:
    """Return the size of a table (DynamoDB tells it every six hours); that of a bucket by counting its versions."""
    if resource.kind == "AWS::DynamoDB::Table":
        table = account.client("dynamodb").describe_table(TableName=resource.name)["Table"]
        return int(table.get("TableSizeBytes", 0))
    pages = account.client("s3").get_paginator("list_object_versions").paginate(Bucket=resource.name)
    return sum(version["Size"] for page in pages for version in page.get("Versions", ()))


def _confirm(plan: Plan, wish: Wish, tools: Tools) -> None:
    if not plan.config.retain_data:
        if wish.yes:
            return
        expected, question = "yes", f"Take {wish.cycle} down? [yes/no] "
    else:
        expected, question = wish.cycle, "This is a real cycle. Type its name to take this down: "
    answer = tools.ask(question)
    if answer is None:
        why = "and a real cycle is taken down by a person" if plan.config.retain_data else "a pipeline says ARGS=--yes"
        raise RefusedError(f"nobody can be asked here, {why}. Nothing was changed")
    if answer.strip() != expected:
        raise RefusedError("nothing was changed")


def _take_down(stack: Deployed, plan: Plan, account: Account, tools: Tools) -> None:
    client = account.client("cloudformation", stack.region)
    if stack.protected:
        client.update_termination_protection(StackName=stack.name, EnableTerminationProtection=False)
    if plan.with_data:
        locked_buckets = {lock.bucket for lock in plan.locks}
        for resource in plan.resources[stack.name]:
            if resource.name not in locked_buckets:
                _release(resource, account)
    tools.say(f"{stack.name} goes…")
    client.delete_stack(StackName=stack.name)
    try:
        client.get_waiter("stack_delete_complete").wait(StackName=stack.name)
    except WaiterError:
        details = "".join(f"\n  {reason}" for reason in reasons(stack.name, stack.region, account))
        raise RefusedError(
            f"{stack.name} was not deleted; nothing after it was tried.{details}\n"
            "Mend the reason and run the same command again."
        ) from None


def _leave_locked(plan: Plan, account: Account) -> None:
    """Delete what is not locked of the buckets that stay, and the buckets that an earlier destruction left and whose
    locks have ended; note those that are left now."""
    for lock in plan.locks:
        _empty_bucket(account, lock.bucket, locked_stay=True)
        expire(account, lock.bucket)
    waiting = [lock.bucket for lock in plan.locks]
    for bucket in plan.left:
        if bucket not in waiting:
            _release(StackResource(_BUCKET, bucket, stays=True), account)
    if plan.left:
        note_buckets_left(account, plan.config.cycle, waiting)


def _release(resource: StackResource, account: Account) -> None:
    """Empty a resource so that its stack can delete it; delete what the stack would keep. Repeating it does no harm."""
    for step in (_EMPTIED.get(resource.kind), _DELETED.get(resource.kind) if resource.stays else None):
        if step:
            unless_absent(_GONE, partial(step, account, resource.name))


def _empty_bucket(account: Account, name: str, *, locked_stay: bool = False) -> None:
    client = account.client("s3")
    for page in client.get_paginator("list_object_versions").paginate(Bucket=name):
        entries = (*page.get("Versions", ()), *page.get("DeleteMarkers", ()))
        versions = [{"Key": entry["Key"], "VersionId": entry["VersionId"]} for entry in entries]
        if versions:  # a page has at most 1,000, as many as one request deletes (S3 API reference, DeleteObjects)
            answer = client.delete_objects(Bucket=name, Delete={"Objects": versions, "Quiet": True})
            for refused in answer.get("Errors", ()):
                if locked_stay and refused.get("Code") == "AccessDenied":
                    continue
                raise RefusedError(f"{refused.get('Key')} in {name} cannot be deleted: {refused.get('Message')}")


def _free_table(account: Account, name: str) -> None:
    client = account.client("dynamodb")
    if client.describe_table(TableName=name)["Table"].get("DeletionProtectionEnabled"):
        client.update_table(TableName=name, DeletionProtectionEnabled=False)
        client.get_waiter("table_exists").wait(TableName=name)  # until the change is made


def _delete_pool(account: Account, name: str) -> None:
    client = account.client("cognito-idp")
    domain = client.describe_user_pool(UserPoolId=name)["UserPool"].get("Domain")
    if domain:
        client.delete_user_pool_domain(UserPoolId=name, Domain=domain)
    client.delete_user_pool(UserPoolId=name)


_Step = Callable[[Account, str], Any]
_EMPTIED: Final[Mapping[str, _Step]] = MappingProxyType(
    {
        "AWS::S3::Bucket": _empty_bucket,
        "AWS::DynamoDB::Table": _free_table,
        "AWS::Cognito::UserPool": lambda account, name: account.client("cognito-idp").update_user_pool(
            UserPoolId=name, DeletionProtection="INACTIVE"
        ),
    }
)
"""Steps that a resource needs before its deletion."""
_DELETED: Final[Mapping[str, _Step]] = MappingProxyType(
    {
        "AWS::S3::Bucket": lambda account, name: account.client("s3").delete_bucket(Bucket=name),
        "AWS::DynamoDB::Table": lambda account, name: account.client("dynamodb").delete_table(TableName=name),
        "AWS::Cognito::UserPool": _delete_pool,
        "AWS::SecretsManager::Secret": lambda account, name: account.client("secretsmanager").delete_secret(
            SecretId=name, RecoveryWindowInDays=_RECOVERY_DAYS
        ),
        "AWS::KMS::Key": lambda account, name: account.client("kms").schedule_key_deletion(
            KeyId=name, PendingWindowInDays=_RECOVERY_DAYS
        ),
        "AWS::Logs::LogGroup": lambda account, name: account.client("logs").delete_log_group(logGroupName=name),
        "AWS::ECR::Repository": lambda account, name: account.client("ecr").delete_repository(
            repositoryName=name, force=True
        ),
    }
)
"""Commands that delete resources kept by a stack."""


def _forget_keys(config: CycleConfig, account: Account) -> None:
    """Delete the keys of signed addresses at once: they are of use to nobody, and a deployment makes others."""
    client = account.client("secretsmanager")
    for purpose in PURPOSES:
        name = secret_name(config, purpose)
        unless_absent(_GONE, client.delete_secret, SecretId=name, ForceDeleteWithoutRecovery=True)


def main(words: Sequence[str]) -> int:
    """Take down the cycle that is named."""
    parser = argparse.ArgumentParser(prog="python -m infra.destroy", description="Take a cycle down.")
    parser.add_argument("cycle", metavar="CYCLE")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--programs", action="store_true", help="the machines of submitted programs alone")
    what.add_argument("--with-data", action="store_true", help="also what a real cycle keeps: everything is lost")
    parser.add_argument("--yes", action="store_true", help="do not ask about a cycle that keeps no data")
    parser.add_argument("--anyway", default="", metavar="REASON", help="though a run is open; goes to the log")
    arguments = parser.parse_args(words)
    wish = Wish(arguments.cycle, arguments.yes, arguments.anyway)
    account = preflight.this_account()
    terminal = Terminal(assembly.FOLDER, account.region)
    return destroy(wish, account, terminal, programs=arguments.programs, with_data=arguments.with_data)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
