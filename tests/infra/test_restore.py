"""A restore to one moment, tried with a run in progress: the real handlers go on upon what was restored (platform §4).

moto restores a table as it is now, whatever the moment. Here tables are restored as AWS does it, to the last of the
moments that were kept which is not later than the asked one; versions of objects have the stage's time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import boto3  # type: ignore[import-untyped]  # ships no types
import pytest
from moto.core.responses import ActionResult
from moto.dynamodb.models import dynamodb_backends
from moto.dynamodb.responses import DynamoHandler
from moto.s3 import models as s3_models

from contest import settings
from contest.results import publishing
from infra import restore
from infra.account import Account
from infra.config import CYCLES, CycleConfig, Restorable, read
from infra.operator_policy import CALLS
from infra.restore import RefusedError, Restored, World, new_name, parse_moment, point
from local.environment import ACCOUNT
from shadow import job
from tests.run_stage import RunOnStage
from tests.stage import Stage, staged
from tests.stage_services import BUCKET, REGION, TABLES

OF_TABLES = {variable: f"{variable.split('_')[1].title()}Table" for variable in TABLES}
"""The outputs that name the tables, by the variables that do."""
OUTPUTS = {
    **{OF_TABLES[variable]: name for variable, name in TABLES.items()},
    "ExchangeStream": "arn:stream",
    "Objects": BUCKET,
}
LIFECYCLE = {"ID": "forget", "Status": "Enabled", "Filter": {"Prefix": "logs/"}, "Expiration": {"Days": 9}}


def moment(at: int) -> datetime:
    """Return a moment of the stage's clock."""
    return datetime.fromtimestamp(at / 1000, UTC)


def allowed(client: Any) -> Any:
    """Have a client fail a call for which infra.operator_policy gives an operator no right."""

    def check(model: Any, **_: Any) -> None:
        assert f"{client.meta.service_model.service_name}:{model.name}" in CALLS

    client.meta.events.register_first("provide-client-params.*.*", check, unique_id="allowed")
    return client


class Recovery:
    """Point-in-time recovery of moto's tables: each is restored as it was when a moment was kept."""

    def __init__(self, now: Callable[[], int]) -> None:
        self.now, self.began = now, now()
        self.kept: dict[int, dict[str, Any]] = {}
        self.asked: list[str] = []
        self.since: dict[str, int] = {}
        """Moments at which the recovery of a restored table began, by table."""

    def keep(self) -> datetime:
        at = self.now() // 1000 * 1000
        tables = dynamodb_backends[ACCOUNT][REGION].tables
        self.kept[at] = {name: deepcopy(table.items) for name, table in tables.items()}
        return moment(at)

    def restore(self, own: Any) -> ActionResult:
        source, target = own.body["SourceTableName"], own.body["TargetTableName"]
        wanted_at = own.body["RestoreDateTime"].timestamp() * 1000
        table = own.dynamodb_backend.restore_table_to_point_in_time(target, source)
        table.items = deepcopy(self.kept[max(at for at in self.kept if at <= wanted_at)][source])
        self.asked.append(target)
        self.since[target] = self.now()
        return ActionResult({"TableDescription": {"TableName": target}})

    def window(self, own: Any) -> ActionResult:
        backups = own.dynamodb_backend.describe_continuous_backups(own.body["TableName"])
        recovery = backups["PointInTimeRecoveryDescription"]
        if recovery["PointInTimeRecoveryStatus"] == "ENABLED":
            began = self.since.get(own.body["TableName"], self.began)
            times = {"EarliestRestorableDateTime": began / 1000, "LatestRestorableDateTime": self.now() / 1000}
            backups = {**backups, "PointInTimeRecoveryDescription": {**recovery, **times}}
        return ActionResult({"ContinuousBackupsDescription": backups})


def storage_stack(StackName: str) -> Any:  # noqa: N803 -- AWS's own name
    """Answer DescribeStacks for the storage's stack."""
    outputs = [{"OutputKey": name, "OutputValue": value} for name, value in OUTPUTS.items()]
    return {"Stacks": [{"StackStatus": "CREATE_COMPLETE", "Outputs": outputs, "StackName": StackName}]}


class Restoring:
    """A stage whose storage has the settings of a deployed one, and what can be restored of it."""

    def __init__(self, stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
        self.stage, self._monkeypatch = stage, monkeypatch
        self.told: list[str] = []
        self.slept: list[float] = []
        self.recovery = recovery = Recovery(lambda: stage.now)

        def restored(own: Any) -> ActionResult:
            return recovery.restore(own)

        def window(own: Any) -> ActionResult:
            return recovery.window(own)

        monkeypatch.setattr(DynamoHandler, "restore_table_to_point_in_time", restored)
        monkeypatch.setattr(DynamoHandler, "describe_continuous_backups", window)
        monkeypatch.setattr(s3_models, "utcnow", lambda: moment(stage.now).replace(tzinfo=None))
        owner = SimpleNamespace(get_caller_identity=lambda: {"Account": ACCOUNT})
        clients: dict[str, Any] = {"cloudformation": SimpleNamespace(describe_stacks=storage_stack), "sts": owner}
        self.clients = clients | {name: boto3.client(name, region_name=REGION) for name in ("dynamodb", "s3")}
        own = clients | {name: allowed(boto3.client(name, region_name=REGION)) for name in ("dynamodb", "s3")}
        self.account = Account(lambda service, _: own[service], REGION)
        self.config = CycleConfig(cycle=stage.platform.settings.cycle, retain_data=False)
        self._settle()

    @property
    def world(self) -> World:
        return World(self.account, lambda: moment(self.stage.now), self.slept.append, self.told.append)

    def _settle(self) -> None:
        tables, objects = self.clients["dynamodb"], self.clients["s3"]
        for name in TABLES.values():
            expiry = {"AttributeName": settings.TTL_ATTRIBUTE, "Enabled": True}
            tables.update_time_to_live(TableName=name, TimeToLiveSpecification=expiry)
            tables.update_continuous_backups(
                TableName=name, PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True}
            )
            tables.update_table(TableName=name, DeletionProtectionEnabled=True)
            arn = tables.describe_table(TableName=name)["Table"]["TableArn"]
            tables.tag_resource(ResourceArn=arn, Tags=[{"Key": "hurdle:cycle", "Value": "toy-1"}])
        stream = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
        tables.update_table(TableName="exchange", StreamSpecification=stream)
        objects.put_bucket_versioning(Bucket=BUCKET, VersioningConfiguration={"Status": "Enabled"})
        blocks = ("BlockPublicAcls", "IgnorePublicAcls", "BlockPublicPolicy", "RestrictPublicBuckets")
        blocked = dict.fromkeys(blocks, True)
        objects.put_public_access_block(Bucket=BUCKET, PublicAccessBlockConfiguration=blocked)
        objects.put_bucket_lifecycle_configuration(Bucket=BUCKET, LifecycleConfiguration={"Rules": [LIFECYCLE]})

    def restore(self, at: datetime) -> Restored:
        return restore.restore(self.config, at, self.world)

    def move_to(self, names: Mapping[Restorable, str]) -> None:
        """Let the application work on other storage, as its next deployment does."""
        for variable in TABLES:
            name = names[OF_TABLES[variable]]
            self.stage._rights._tables[name] = self.stage._rights._tables[TABLES[variable]]
            self._monkeypatch.setitem(TABLES, variable, name)
            self._monkeypatch.setenv(variable, name)
        self._monkeypatch.setenv(settings.BUCKET, names["Objects"])
        self.stage.restart()
        job.source.cache_clear()


@pytest.fixture
def restoring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Restoring]:
    with staged(tmp_path) as stage:
        yield Restoring(stage, monkeypatch)


def rest_of(run: RunOnStage) -> tuple[str, str]:
    """Play the run's last files; return the board and the record as everybody reads them."""
    run.open(3, blue="ab")
    run.open(4, red="a")
    run.finish()
    assert run.stage.settle() == []
    publishing.publish(run.stage.platform, "olga", run.run_id)
    board, record = run.board(), run.get("record")
    assert (board.status, record.status) == (200, 200)
    return board.text, record.text


@pytest.mark.clause("platform §2 deployment")
def test_a_run_goes_on_from_the_moment_it_was_restored_to_and_ends_the_same(restoring: Restoring) -> None:
    stage = restoring.stage
    run = RunOnStage(stage, 4, "red", "blue")
    run.open(1, blue="abc")
    run.open(2)
    at = restoring.recovery.keep()
    moment_of_it = stage.now
    before = {name: program.get("receipts").text for name, program in run.programs.items()}
    states = {program: run.programs[program].get().json for program in run.programs}
    board, record = rest_of(run)

    restored = restoring.restore(at)
    restoring.move_to(restored.names)
    stage.set_clock(moment_of_it)
    assert {name: program.get("receipts").text for name, program in run.programs.items()} == before
    assert {program: run.programs[program].get().json for program in run.programs} == states
    early = run.programs["red"].get("files/3")
    assert early.status != 200, "nothing opens before its moment"
    assert run.programs["red"].get("files/4").status != 200
    assert run.get("record").status != 200, "what came after the moment is not there"
    assert rest_of(run) == (board, record)


def test_restored_tables_have_the_settings_of_those_they_come_from(restoring: Restoring) -> None:
    at = restoring.recovery.keep()
    restoring.stage.advance(60)
    restored = restoring.restore(at)
    tables = restoring.clients["dynamodb"]
    for variable, source in TABLES.items():
        name = restored.names[OF_TABLES[variable]]
        assert name == new_name(restoring.config.cycle, at, source)
        table = tables.describe_table(TableName=name)["Table"]
        assert table["DeletionProtectionEnabled"]
        assert tables.describe_time_to_live(TableName=name)["TimeToLiveDescription"] == {
            "TimeToLiveStatus": "ENABLED",
            "AttributeName": settings.TTL_ATTRIBUTE,
        }
        backups = tables.describe_continuous_backups(TableName=name)["ContinuousBackupsDescription"]
        assert backups["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"] == "ENABLED"
        tags = tables.list_tags_of_resource(ResourceArn=table["TableArn"])["Tags"]
        assert tags == [{"Key": "hurdle:cycle", "Value": "toy-1"}]
        assert ("StreamSpecification" in table) is (source == "exchange")
    stream = tables.describe_table(TableName=restored.names["ExchangeTable"])["Table"]["LatestStreamArn"]
    assert restored.names["ExchangeStream"] == stream
    objects, bucket = restoring.clients["s3"], restored.names["Objects"]
    assert objects.get_bucket_versioning(Bucket=bucket)["Status"] == "Enabled"
    (rule,) = objects.get_bucket_lifecycle_configuration(Bucket=bucket)["Rules"]
    assert rule == LIFECYCLE
    assert all(objects.get_public_access_block(Bucket=bucket)["PublicAccessBlockConfiguration"].values())


def test_objects_are_those_of_the_moment(restoring: Restoring) -> None:
    stage, objects = restoring.stage, restoring.clients["s3"]

    def put(name: str, content: bytes) -> None:
        objects.put_object(Bucket=BUCKET, Key=name, Body=content, ContentType="text/plain")

    for name in ("kept", "changed", "deleted-later", "deleted-before", "back-again"):
        put(name, b"first")
    stage.advance(10)
    put("changed", b"second")
    for name in ("deleted-before", "back-again"):
        objects.delete_object(Bucket=BUCKET, Key=name)
    stage.advance(10)
    put("back-again", b"third")
    at = restoring.recovery.keep()
    stage.advance(10)
    put("changed", b"fourth")
    put("later", b"fourth")
    objects.delete_object(Bucket=BUCKET, Key="deleted-later")
    restored = restoring.restore(at)
    bucket = restored.names["Objects"]

    def content_of(name: str) -> bytes:
        stored = objects.get_object(Bucket=bucket, Key=name)
        assert stored["ContentType"] == "text/plain"
        content: bytes = stored["Body"].read()
        return content

    there = {entry["Key"] for entry in objects.list_objects_v2(Bucket=bucket)["Contents"]}
    assert {name: content_of(name) for name in there} == {
        "kept": b"first",
        "changed": b"second",
        "deleted-later": b"first",
        "back-again": b"third",
    }
    assert (restored.objects, restored.copied) == (4, 4)


def test_an_interrupted_restore_is_gone_on_with(restoring: Restoring, monkeypatch: pytest.MonkeyPatch) -> None:
    stage, objects = restoring.stage, restoring.account.client("s3")
    for number in range(6):
        objects.put_object(Bucket=BUCKET, Key=f"o{number}", Body=b"x")
    at = restoring.recovery.keep()
    stage.advance(60)
    copy, copied = objects.copy, []

    def die(source: Any, bucket: str, key: str, **more: Any) -> None:
        if key == "o3":
            raise OSError("the line is cut")
        copied.append(key)
        copy(source, bucket, key, **more)

    monkeypatch.setattr(restore, "AT_ONCE", 1)
    monkeypatch.setattr(objects, "copy", die)
    with pytest.raises(OSError, match="cut"):
        restoring.restore(at)
    monkeypatch.setattr(objects, "copy", copy)
    again = restoring.restore(at)
    assert (again.objects, again.copied) == (6, 6 - len(copied))
    assert len(copied) >= 3
    assert len(restoring.recovery.asked) == len(TABLES), "no table was restored twice"
    assert restoring.restore(at).copied == 0


@pytest.mark.parametrize(("seconds", "why"), [(3_600, "in the future"), (-3_600, "can be from")])
def test_a_moment_out_of_reach_is_refused_and_nothing_is_made(restoring: Restoring, seconds: int, why: str) -> None:
    at = restoring.recovery.keep() + timedelta(seconds=seconds)
    before = restoring.clients["dynamodb"].list_tables()["TableNames"]
    with pytest.raises(RefusedError, match=why):
        restoring.restore(at)
    assert restoring.clients["dynamodb"].list_tables()["TableNames"] == before


def test_a_moment_that_one_table_cannot_go_back_to_is_refused_whatever_the_others_can(restoring: Restoring) -> None:
    """Tables of different moments would contradict each other."""
    at = restoring.recovery.keep()
    table = next(name for variable, name in TABLES.items() if "SCORES" in variable)
    restoring.recovery.since[table] = restoring.recovery.now() + 1_000
    with pytest.raises(RefusedError, match="all tables can be from"):
        restoring.restore(at)


def test_a_second_restore_takes_what_is_in_use_and_before_its_time_what_was(restoring: Restoring) -> None:
    stage, objects = restoring.stage, restoring.clients["s3"]

    def keys(restored: Restored) -> set[str]:
        listed = objects.list_objects_v2(Bucket=restored.names["Objects"])
        return {entry["Key"] for entry in listed.get("Contents", ())}

    objects.put_object(Bucket=BUCKET, Key="of-the-first-life", Body=b"x")
    first = restoring.recovery.keep()
    stage.advance(60)
    one = restoring.restore(first)
    restoring.config = restoring.config.changed(restored=dict(one.names))
    stage.advance(60)
    objects.put_object(Bucket=one.names["Objects"], Key="of-the-second-life", Body=b"x")
    objects.put_object(Bucket=BUCKET, Key="nobodys", Body=b"x")
    second = restoring.recovery.keep()
    stage.advance(60)
    assert keys(restoring.restore(second)) == {"of-the-first-life", "of-the-second-life"}
    assert keys(restoring.restore(first + timedelta(seconds=1))) == {"of-the-first-life"}


def test_the_cycles_file_names_what_was_restored_and_keeps_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "demo.yaml"
    path.write_text((CYCLES / "demo.yaml").read_text("utf-8") + "\n# a comment of ours\n", "utf-8")
    names: dict[Restorable, str] = {"ExchangeTable": "t1", "ExchangeStream": "s1", "Objects": "b1"}
    point(path, names)
    assert dict(read(path).restored) == names
    point(path, {**names, "Objects": "b2"})
    assert dict(read(path).restored) == {**names, "Objects": "b2"}
    assert path.read_text("utf-8").count("restored:") == 1
    assert "# a comment of ours" in path.read_text("utf-8")


@pytest.mark.parametrize("text", ["yesterday", "2027-04-01T12:00:00", "2027-04-01T12:00:00.5Z"])
def test_a_moment_without_a_zone_or_in_parts_of_seconds_is_refused(text: str) -> None:
    with pytest.raises(RefusedError, match="moment"):
        parse_moment(text)
    assert parse_moment("2027-04-01T15:00:00+03:00") == parse_moment("2027-04-01T12:00:00Z")


def test_the_longest_names_fit_a_bucket_and_a_table() -> None:
    longest = "c" * settings.LONGEST_CYCLE_NAME
    assert len(new_name(longest, moment(0), "1" * 12)) <= 63


def test_a_bad_moment_is_told_in_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert restore.main(["demo", "yesterday"]) == 1
    assert "no moment" in capsys.readouterr().err


def test_what_is_copied_elsewhere_goes_on_to_be_copied(restoring: Restoring) -> None:
    objects = restoring.clients["s3"]
    objects.create_bucket(Bucket="copies", CreateBucketConfiguration={"LocationConstraint": REGION})
    objects.put_bucket_versioning(Bucket="copies", VersioningConfiguration={"Status": "Enabled"})
    rule = {
        "Priority": 1,
        "Status": "Enabled",
        "Filter": {"Prefix": ""},
        "Destination": {"Bucket": "arn:aws:s3:::copies"},
        "DeleteMarkerReplication": {"Status": "Disabled"},
    }
    copying = {"Role": f"arn:aws:iam::{ACCOUNT}:role/copies", "Rules": [rule]}
    objects.put_bucket_replication(Bucket=BUCKET, ReplicationConfiguration=copying)
    at = restoring.recovery.keep()
    restoring.stage.advance(60)
    bucket = restoring.restore(at).names["Objects"]
    replication = objects.get_bucket_replication(Bucket=bucket)["ReplicationConfiguration"]
    assert replication["Rules"][0]["Destination"] == rule["Destination"]
