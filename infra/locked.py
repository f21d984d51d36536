"""Buckets with Object Lock, whose versions nobody can delete for some days, when a cycle goes with its data.

What can be deleted is; the rest is left to the bucket's own lifecycle, so that it costs no longer than the lock lasts.
A parameter of Systems Manager names the buckets that are left, for their stack is gone by then: the next call of the
same command finds them there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, timedelta
from typing import Any, Final

from botocore.exceptions import ClientError  # type: ignore[import-untyped]  # ships no types

from infra import machine
from infra.account import Account, code_of

A_GB_MONTH: Final = 0.023
"""Price of a gigabyte a month in S3 Standard, list price of us-east-1 in USD (Amazon S3 pricing)."""
_GB: Final = 1e9
_A_DAY: Final = timedelta(days=1)
_DAYS_OF: Final = {"Days": 1, "Years": 365}
_ABSENT: Final = frozenset({"ObjectLockConfigurationNotFoundError", "NoSuchBucket"})


@dataclass(frozen=True, slots=True)
class Lock:
    """Versions of a bucket that cannot be deleted yet; ``until`` is the first day on which all can be."""

    bucket: str
    versions: int
    size: int
    until: date

    def __str__(self) -> str:
        money = self.size / _GB * A_GB_MONTH
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
    fresh = [version for version in _versions(account, bucket) if version["LastModified"] > since]
    if not fresh:
        return None
    # A copy has the time of what it was copied from, some minutes before its own lock began: hence a day more.
    newest = max(version["LastModified"] for version in fresh).astimezone(UTC)
    until = (newest + timedelta(days=days) + _A_DAY).date()
    return Lock(bucket, len(fresh), sum(version["Size"] for version in fresh), until)


def _retention_days(account: Account, bucket: str) -> int | None:
    try:
        answer = account.client("s3").get_object_lock_configuration(Bucket=bucket)
    except ClientError as error:
        if code_of(error) in _ABSENT:
            return None
        raise
    rule = answer["ObjectLockConfiguration"].get("Rule", {}).get("DefaultRetention", {})
    return next((rule[unit] * factor for unit, factor in _DAYS_OF.items() if rule.get(unit)), None)


def _versions(account: Account, bucket: str) -> Iterator[Mapping[str, Any]]:
    for page in account.client("s3").get_paginator("list_object_versions").paginate(Bucket=bucket):
        yield from page.get("Versions", ())


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


def left(account: Account, cycle: str) -> Sequence[str]:
    """Return the buckets that an earlier destruction of a cycle had to leave."""
    try:
        answer = account.client("ssm").get_parameter(Name=_parameter(cycle))
    except ClientError as error:
        if code_of(error) == "ParameterNotFound":
            return ()
        raise
    return tuple(json.loads(answer["Parameter"]["Value"]))


def note_left(account: Account, cycle: str, buckets: Sequence[str]) -> None:
    """Store the buckets that are left; forget it where there are none."""
    client = account.client("ssm")
    if buckets:
        value = json.dumps(sorted({*buckets}))
        client.put_parameter(Name=_parameter(cycle), Value=value, Type="String", Overwrite=True)
    else:
        client.delete_parameter(Name=_parameter(cycle))


def _parameter(cycle: str) -> str:
    return f"/hurdle/{cycle}/locked"
