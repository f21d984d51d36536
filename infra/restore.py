"""Restore a cycle's storage to one moment: ``make restore CYCLE=NAME AT=2027-04-01T12:00:00Z``.

``python -m infra.restore CYCLE AT [--json]`` makes the five tables and the bucket of objects as they were at the
moment, under new names, and writes these into ``cycles/CYCLE.yaml``; the next deployment points the application at
them. What the application works on is not touched. Each step looks what is there already: an interrupted restore is
repeated by the same command. Secrets and user pools are not restored; the cycle goes on with those that it has.

Facts of AWS: a table is restored to any second of its window, always as a new one, and without streams, TTL, tags,
point-in-time recovery and deletion protection (Amazon DynamoDB developer guide, "Restoring a table"; "Point-in-time
recovery: How it works"). CopyObject copies up to 5 GB in one request (Amazon S3 user guide, "Copying objects").
Exit code 0: restored, 1: refused or failed, 2: wrong usage.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, cast, get_args

import yaml  # type: ignore[import-untyped]  # ships no types
from boto3.s3.transfer import TransferConfig  # type: ignore[import-untyped]  # ships no types

from contest.settings import stack_name
from infra import machine, preflight
from infra.account import Account, RefusedError, guarded, unless_absent
from infra.config import CYCLES, CycleConfig, Restorable, for_cycle, read
from infra.rights import Table

POLL_S: Final = 15
"""Seconds between two looks at a table that is being made."""
AT_ONCE: Final = 16
"""Objects copied at once."""
_TABLES: Final[tuple[Table, ...]] = get_args(Table)
_ONE_COPY: Final = TransferConfig(multipart_threshold=5 * 1024**3, use_threads=False)
"""Copy settings: objects above 5 GiB (archives of submissions) come in parts and lose headers that nobody reads."""
_TOLD_EVERY: Final = 1_000


@dataclass(frozen=True, slots=True)
class World:
    """Access to everything outside: the account, the time, waiting, and the output of progress."""

    account: Account
    now: Callable[[], datetime]
    sleep: Callable[[float], None]
    tell: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Restored:
    """Result of a restore: the new names by the storage's outputs, and the number of objects."""

    names: Mapping[Restorable, str]
    objects: int
    copied: int
    """Number of objects copied by this try, without those of an earlier one."""


def new_name(cycle: str, at: datetime, part: str) -> str:
    """Return the name of a restored table or bucket; with the longest cycle name 58 of a bucket's 63 characters."""
    return f"hurdle-{cycle}-at-{at:%Y%m%d%H%M%S}-{part}"


def parse_moment(text: str) -> datetime:
    """Return a moment in UTC, of whole seconds; :class:`RefusedError` for anything else."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise RefusedError(f"{text} is no moment; write 2027-04-01T12:00:00Z") from None
    if moment.tzinfo is None or moment.microsecond:
        raise RefusedError(f"{text}: a moment has a time zone and whole seconds, as 2027-04-01T12:00:00Z")
    return moment.astimezone(UTC)


def restore(config: CycleConfig, at: datetime, world: World) -> Restored:
    """Make tables and bucket as they were at the moment; :class:`RefusedError`. Nothing that is in use changes.

    Objects come before the tables' own recovery is switched on: within the window of restored tables, the restored
    bucket is complete.
    """
    if at > world.now():
        raise RefusedError(f"{_iso(at)} is in the future")
    source = _source(config, at, world)
    targets = {table: new_name(config.cycle, at, table.lower()) for table in _TABLES}
    tables = _Tables(world)
    for table, target in targets.items():
        tables.begin(source[f"{table}Table"], target, at)
    for table, target in targets.items():
        tables.finish(source[f"{table}Table"], target)
    owner = world.account.client("sts").get_caller_identity()["Account"]
    bucket = new_name(config.cycle, at, owner)
    objects = _Objects(world, source["Objects"], bucket)
    objects.make_bucket()
    count, copied = objects.copy(at)
    objects.keep_copied()
    for target in targets.values():
        tables.keep_recoverable(target)
    names = {f"{table}Table": target for table, target in targets.items()}
    names |= {"ExchangeStream": tables.stream(targets["Exchange"]), "Objects": bucket}
    return Restored(cast(Mapping[Restorable, str], names), count, copied)


def _source(config: CycleConfig, at: datetime, world: World) -> Mapping[str, str]:
    """Return the tables and the bucket, by their outputs, that held the facts at the moment.

    They are those that the application works on, or those of the storage's stack where the former began later.
    """
    stack = world.account.stack(f"{stack_name(config.cycle)}--storage")
    if stack is None or not stack.outputs:
        raise RefusedError(f"the cycle {config.cycle} has no storage in this account and region")
    present = dict(stack.outputs) | {str(name): value for name, value in config.restored.items()}
    windows: Mapping[str, tuple[datetime, datetime]] = {}
    for names in (present, stack.outputs):
        windows = {table: _window(names[f"{table}Table"], world) for table in _TABLES}
        if all(first <= at <= last for first, last in windows.values()):
            return names
    first, last = max(window[0] for window in windows.values()), min(window[1] for window in windows.values())
    raise RefusedError(
        f"{_iso(at)} cannot be restored: all tables can be from {_iso(first)} to {_iso(last)}; "
        "the end follows the present by about five minutes"
    )


def _window(table: str, world: World) -> tuple[datetime, datetime]:
    answer = world.account.client("dynamodb").describe_continuous_backups(TableName=table)
    recovery = answer["ContinuousBackupsDescription"].get("PointInTimeRecoveryDescription", {})
    if recovery.get("PointInTimeRecoveryStatus") != "ENABLED":
        raise RefusedError(f"the table {table} has no point-in-time recovery")
    return recovery["EarliestRestorableDateTime"], recovery["LatestRestorableDateTime"]


def _iso(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


class _Tables:
    """Restored tables, with the settings of those that they come from."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._client = world.account.client("dynamodb")

    def begin(self, source: str, target: str, at: datetime) -> None:
        if self._described(target) is None:
            self._client.restore_table_to_point_in_time(
                SourceTableName=source, TargetTableName=target, RestoreDateTime=at
            )
            self._world.tell(f"table {target}: restoring {source}")

    def finish(self, source: str, target: str) -> None:
        """Wait for the table and give it its source's stream, TTL, tags and protection, where it lacks them."""
        original, copy = self._described(source), self._active(target)
        if original is None:
            raise RefusedError(f"the table {source} is gone")
        if "StreamSpecification" in original and "StreamSpecification" not in copy:
            self._client.update_table(TableName=target, StreamSpecification=original["StreamSpecification"])
            copy = self._active(target)
        if original.get("DeletionProtectionEnabled") and not copy.get("DeletionProtectionEnabled"):
            self._client.update_table(TableName=target, DeletionProtectionEnabled=True)
            copy = self._active(target)
        expiry, present = self._expiry(source), self._expiry(target)
        if expiry and not present:
            self._client.update_time_to_live(
                TableName=target, TimeToLiveSpecification={"AttributeName": expiry, "Enabled": True}
            )
        tags = _own_tags(self._client.list_tags_of_resource(ResourceArn=original["TableArn"])["Tags"])
        if tags:
            self._client.tag_resource(ResourceArn=copy["TableArn"], Tags=tags)
        self._world.tell(f"table {target}: there, with its settings")

    def keep_recoverable(self, target: str) -> None:
        """Switch on point-in-time recovery, which a young table refuses for a while."""
        recovery = {"TableName": target, "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}}
        refusal, switch_on = "ContinuousBackupsUnavailableException", self._client.update_continuous_backups
        while unless_absent(refusal, switch_on, **recovery) is None:
            self._world.sleep(POLL_S)

    def stream(self, target: str) -> str:
        return str(self._active(target)["LatestStreamArn"])

    def _described(self, name: str) -> dict[str, Any] | None:
        answer = unless_absent("ResourceNotFoundException", self._client.describe_table, TableName=name)
        return None if answer is None else answer["Table"]

    def _active(self, name: str) -> dict[str, Any]:
        while True:
            table = self._described(name)
            if table is None:
                raise RefusedError(f"the table {name} was not made; run the same command again")
            if table["TableStatus"] == "ACTIVE":
                return table
            self._world.tell(f"table {name}: {table['TableStatus'].lower()}")
            self._world.sleep(POLL_S)

    def _expiry(self, name: str) -> str | None:
        described = self._client.describe_time_to_live(TableName=name)["TimeToLiveDescription"]
        is_on = described.get("TimeToLiveStatus") in {"ENABLED", "ENABLING"}
        return described.get("AttributeName") if is_on else None


def _own_tags(tags: Sequence[Mapping[str, str]]) -> list[Mapping[str, str]]:
    """Leave out the tags that CloudFormation sets: nobody else may."""
    return [tag for tag in tags if not tag["Key"].startswith("aws:")]


@dataclass(frozen=True, slots=True)
class _Version:
    at: datetime
    version: str | None
    """Id of the version; None for a deletion marker."""


class _Objects:
    """A bucket like another one, with its objects as they were at a moment."""

    def __init__(self, world: World, source: str, target: str) -> None:
        self._world, self._region = world, world.account.region
        self._client = world.account.client("s3")
        self._source, self._target = source, target

    def make_bucket(self) -> None:
        """Make the bucket with its source's settings; its policy comes with the application."""
        client, named = self._client, {"Bucket": self._target}
        if unless_absent("404|NoSuchBucket", client.head_bucket, **named) is None:
            place = {} if self._region == "us-east-1" else {"LocationConstraint": self._region}
            client.create_bucket(**named, **({"CreateBucketConfiguration": place} if place else {}))
        client.put_bucket_versioning(**named, VersioningConfiguration={"Status": "Enabled"})
        for setting in self._settings():
            setting()
        self._world.tell(f"bucket {self._target}: there, with its settings")

    def _settings(self) -> Iterator[Callable[[], object]]:
        """Yield what gives the new bucket each setting of its source."""
        client, named = self._client, {"Bucket": self._target}
        if setting := self._setting("get_public_access_block", "PublicAccessBlockConfiguration"):
            yield lambda: client.put_public_access_block(**named, PublicAccessBlockConfiguration=setting)
        if setting := self._setting("get_bucket_encryption", "ServerSideEncryptionConfiguration"):
            yield lambda: client.put_bucket_encryption(**named, ServerSideEncryptionConfiguration=setting)
        if setting := self._setting("get_bucket_lifecycle_configuration", "Rules"):
            yield lambda: client.put_bucket_lifecycle_configuration(**named, LifecycleConfiguration={"Rules": setting})
        if setting := self._setting("get_bucket_logging", "LoggingEnabled"):
            yield lambda: client.put_bucket_logging(**named, BucketLoggingStatus={"LoggingEnabled": setting})
        if setting := _own_tags(self._setting("get_bucket_tagging", "TagSet") or ()):
            yield lambda: client.put_bucket_tagging(**named, Tagging={"TagSet": setting})

    def _setting(self, operation: str, name: str) -> Any:
        answer = unless_absent("NoSuch.*|.*NotFoundError", getattr(self._client, operation), Bucket=self._source)
        return None if answer is None else answer.get(name)

    def keep_copied(self) -> None:
        """Let new versions be replicated as the source's are; what was copied from there has its replica already."""
        if replication := self._setting("get_bucket_replication", "ReplicationConfiguration"):
            self._client.put_bucket_replication(Bucket=self._target, ReplicationConfiguration=replication)

    def copy(self, at: datetime) -> tuple[int, int]:
        """Copy every object as it was at the moment, no later one; return their number, and how many were copied."""
        versions = self._versions(at)
        there = {
            entry["Key"]
            for page in self._client.get_paginator("list_objects_v2").paginate(Bucket=self._target)
            for entry in page.get("Contents", ())
        }
        missing = sorted(versions.keys() - there)
        self._world.tell(f"objects: {len(versions)} at that moment, {len(missing)} to copy")

        def copy_one(key: str) -> None:
            source = {"Bucket": self._source, "Key": key, "VersionId": versions[key]}
            self._client.copy(source, self._target, key, Config=_ONE_COPY)

        with ThreadPoolExecutor(AT_ONCE) as workers:
            for number, _ in enumerate(workers.map(copy_one, missing), start=1):
                if number % _TOLD_EVERY == 0:
                    self._world.tell(f"objects: {number} of {len(missing)} copied")
        return len(versions), len(missing)

    def _versions(self, at: datetime) -> Mapping[str, str]:
        """Return the version that each object had; without those that were deleted or not there yet.

        S3 tells whole seconds. Of a version and a deletion of the same second the version is taken: nothing is lost.
        """
        newest: dict[str, _Version] = {}
        for page in self._client.get_paginator("list_object_versions").paginate(Bucket=self._source):
            # Within one key the newest comes first.
            entries = [(entry, entry["VersionId"]) for entry in page.get("Versions", ())]
            for entry, version in (*entries, *((mark, None) for mark in page.get("DeleteMarkers", ()))):
                previous, candidate = newest.get(entry["Key"]), _Version(entry["LastModified"], version)
                is_newer = previous is None or (candidate.at, candidate.version is not None) > (
                    previous.at,
                    previous.version is not None,
                )
                if candidate.at <= at and is_newer:
                    newest[entry["Key"]] = candidate
        return {key: latest.version for key, latest in newest.items() if latest.version is not None}


def point(path: Path, names: Mapping[Restorable, str]) -> None:
    """Write the new names into a cycle's file, in the place of those of an earlier restore; the rest of it stays."""
    text = re.sub(r"^restored:.*\n(?:[ \t]+.*\n)*", "", path.read_text("utf-8"), flags=re.MULTILINE)
    section = yaml.safe_dump({"restored": dict(names)}, sort_keys=False)
    path.write_text(f"{text.rstrip()}\n{section}", "utf-8")
    read(path)


def main(words: Sequence[str], folder: Path = CYCLES) -> int:
    """Restore the cycle that is named."""
    parser = argparse.ArgumentParser(prog="python -m infra.restore", description="Restore a cycle to one moment.")
    parser.add_argument("cycle", metavar="CYCLE")
    parser.add_argument("at", metavar="AT", help="the moment, as 2027-04-01T12:00:00Z")
    parser.add_argument("--json", action="store_true", help="print the result as JSON, the progress beside it")
    arguments = parser.parse_args(words)
    output = sys.stderr if arguments.json else sys.stdout
    world = World(preflight.this_account(), machine.now, time.sleep, lambda line: print(line, file=output, flush=True))

    def complain(line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    def work() -> int:
        config, at = for_cycle(arguments.cycle, folder), parse_moment(arguments.at)
        preflight.go_on(preflight.basics(world.account), complain)
        restored = restore(config, at, world)
        point(folder / f"{config.cycle}.yaml", restored.names)
        if arguments.json:
            print(json.dumps({"at": _iso(at), "restored": dict(restored.names), "objects": restored.objects}))
        else:
            print(_NEXT.format(cycle=config.cycle, at=_iso(at), objects=restored.objects))
        return 0

    return guarded("restore", complain, work)


_NEXT: Final = """\
restored: five tables and {objects} objects as of {at}; cycles/{cycle}.yaml names them. Secrets and user pools are those
of today. Next: look at the file's change and check it in, then
  make deploy CYCLE={cycle}
  contest --cycle {cycle} doctor --mend
What was in use stays as it is, and costs, until you delete it."""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
