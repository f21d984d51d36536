"""A local cloud's state outlives it in a folder that the next one takes."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from botocore.exceptions import ClientError  # type: ignore[import-untyped]  # ships no types

from local.aws.emulator import Emulator, Line, listening_socket
from local.aws.state import FILE, StateError, keep
from local.clock import Clock
from local.cloud import LocalCloud
from local.environment import base_environment
from local.organizing import CYCLE_VARIABLE
from local.running import name_of
from tests.local.local_toys import HANDLERS, NOON_MS, TEMPLATE, create_table, put, seen, send, toy_cloud

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.integration


BESIDE = {
    "ContentType": "x/y",
    "ContentEncoding": "gzip",
    "CacheControl": "max-age=60",
    "ContentDisposition": "inline",
    "Metadata": {"m": "1"},
}
"""Name each header that S3 stores with an object."""


def fill(cloud: LocalCloud) -> None:
    put(
        cloud, "kept", forward={"BOOL": True}, number={"N": "1.50"}, binary={"B": b"\xff\x00"}, names={"SS": ["я", "b"]}
    )
    put(cloud, "nested", tree={"M": {"list": {"L": [{"N": "1"}, {"NULL": True}, {"BS": [b"\x00"]}]}}})
    store = cloud.client("s3")
    bucket = cloud.resource("StorageBlobs")
    store.put_object(Bucket=bucket, Key="a/б.json", Body=b"\x00\xff", **BESIDE)
    with closing(Line(urlsplit(cloud._running_emulator().url).port or 0, 10)) as line:
        assert line.ask("anybody", "PutObject", json.dumps({"Bucket": bucket, "Key": "empty"}).encode())


def everything(cloud: LocalCloud) -> object:
    tables = cloud.client("dynamodb")
    store, bucket = cloud.client("s3"), cloud.resource("StorageBlobs")
    found = store.get_object(Bucket=bucket, Key="a/б.json")
    secret = cloud.client("secretsmanager").get_secret_value(SecretId=cloud.resource("Pepper"))["SecretString"]
    items = [tables.scan(TableName=cloud.resource(name))["Items"] for name in ("StorageItems", "StorageSeen")]
    keys = [entry["Key"] for entry in store.list_objects_v2(Bucket=bucket)["Contents"]]
    assert {name: found[name] for name in BESIDE} == BESIDE
    return items, keys, found["Body"].read(), found["ETag"], secret


def test_a_state_comes_back_whole_and_sets_nothing_off(tmp_path: Path) -> None:
    path = tmp_path / "state"
    with toy_cloud(state=path) as first:
        fill(first)
        first.drain()
        before = everything(first)
        notes = seen(first, "message")
        assert set(notes) == {"item/kept"}
    with toy_cloud(state=path) as second:
        second.drain()
        assert everything(second) == before
        assert seen(second, "message") == notes
        send(second, key="alive")
        second.drain()
        assert "alive" in seen(second, "message")


def test_every_kind_of_write_is_there_again(tmp_path: Path) -> None:
    """Also a deletion, a batch, a transaction, an update, and an upload in parts."""
    path = tmp_path / "state"
    with toy_cloud(state=path) as cloud:
        tables, table = cloud.client("dynamodb"), cloud.resource("StorageItems")
        store, bucket = cloud.client("s3"), cloud.resource("StorageBlobs")
        keys = [{"pk": {"S": "many"}, "sk": {"S": str(number)}} for number in range(5)]
        tables.batch_write_item(RequestItems={table: [{"PutRequest": {"Item": key}} for key in keys]})
        tables.transact_write_items(
            TransactItems=[
                {"Delete": {"TableName": table, "Key": keys[0]}},
                {"Put": {"TableName": table, "Item": {**keys[1], "n": {"N": "1"}}}},
            ]
        )
        added = {"UpdateExpression": "ADD n :one", "ExpressionAttributeValues": {":one": {"N": "1"}}}
        tables.update_item(TableName=table, Key=keys[1], **added)
        tables.delete_item(TableName=table, Key=keys[2])
        with pytest.raises(ClientError, match="ConditionalCheckFailed"):
            tables.put_item(TableName=table, Item=keys[1], ConditionExpression="attribute_not_exists(pk)")
        for name in ("a & b", "two", "three"):
            store.put_object(Bucket=bucket, Key=name, Body=name.encode())
        store.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": "a & b"}, {"Key": "none"}]})
        store.delete_object(Bucket=bucket, Key="two")
        upload = store.create_multipart_upload(Bucket=bucket, Key="parts")["UploadId"]
        upload_of_parts = {"Bucket": bucket, "Key": "parts", "UploadId": upload}
        part = store.upload_part(**upload_of_parts, PartNumber=1, Body=b"whole")["ETag"]
        store.complete_multipart_upload(**upload_of_parts, MultipartUpload={"Parts": [{"PartNumber": 1, "ETag": part}]})
        secret = cloud.resource("Pepper")
        cloud.client("secretsmanager").put_secret_value(SecretId=secret, SecretString="new")
    with toy_cloud(state=path) as cloud:
        items = cloud.client("dynamodb").scan(TableName=table)["Items"]
        assert {item["sk"]["S"]: item.get("n") for item in items} == {"1": {"N": "2"}, "3": None, "4": None}
        store = cloud.client("s3")
        present = [entry["Key"] for entry in store.list_objects_v2(Bucket=bucket)["Contents"]]
        assert present == ["parts", "three"]
        assert store.get_object(Bucket=bucket, Key="parts")["Body"].read() == b"whole"
        value = cloud.client("secretsmanager").get_secret_value(SecretId=cloud.resource("Pepper"))
        assert value["SecretString"] == "new"


def test_what_was_not_carried_is_carried_by_the_next(tmp_path: Path) -> None:
    """A message that sleeps, one that fails, and records of a stream; none of them twice after it has succeeded."""
    path, clock = tmp_path / "state", Clock(NOON_MS)
    with toy_cloud(state=path, clock=clock) as cloud:
        queue = cloud.resource("WorkQueue")
        cloud.client("sqs").send_message(QueueUrl=queue, MessageBody=json.dumps({"key": "sleeps"}), DelaySeconds=600)
        send(cloud, key="done")
        cloud.drain()
        cloud._pump.prepare_stop()  # type: ignore[union-attr]  # it is started
        cloud._running_emulator().set_clock(clock.state)  # wakes consumers that wait for messages
        put(cloud, "later", forward={"BOOL": True})
    with toy_cloud(state=path, clock=Clock(NOON_MS)) as cloud:
        cloud.drain()
        assert {name: len(notes) for name, notes in seen(cloud, "message").items()} == {"done": 1, "item/later": 1}
        cloud.clock.advance(601)
        cloud.drain()
        assert len(seen(cloud, "message")["sleeps"]) == 1


def test_what_the_template_does_not_define_is_not_kept(tmp_path: Path) -> None:
    """A state with it would be refused by every later cloud."""
    path = tmp_path / "state"
    with toy_cloud(state=path) as cloud:
        fill(cloud)
        store, secrets, tables = (cloud.client(name) for name in ("s3", "secretsmanager", "dynamodb"))
        store.create_bucket(Bucket="own", CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
        store.put_object(Bucket="own", Key="x", Body=b"x")
        secrets.create_secret(Name="own-secret", SecretString="x")
        create_table(tables, "own-table", "pk")
        tables.put_item(TableName="own-table", Item={"pk": {"S": "x"}})
        cloud.drain()
        before = everything(cloud)
    with toy_cloud(state=path) as second:
        assert everything(second) == before


def test_what_is_no_state_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    with toy_cloud(state=folder) as cloud:
        fill(cloud)
        with pytest.raises(StateError, match="another local cloud runs on"):
            toy_cloud(state=folder).start()
    other = tmp_path / "other"
    other.mkdir()
    (other / "letter.txt").write_text("no state")
    with pytest.raises(StateError, match="is no folder of a local cloud's state"):
        toy_cloud(state=other).start()
    assert [each.name for each in other.iterdir()] == ["letter.txt"]
    (tmp_path / "odd" / FILE).mkdir(parents=True)
    with pytest.raises(StateError, match="cannot be used: unable to open database file"):
        toy_cloud(state=tmp_path / "odd").start()
    with closing(sqlite3.connect(folder / FILE)) as database:
        (version,) = database.execute("PRAGMA user_version").fetchone()
        database.execute(f"PRAGMA user_version = {version + 1}")
        with pytest.raises(StateError, match="another version"):
            toy_cloud(state=folder).start()
        database.execute(f"PRAGMA user_version = {version}")
    content = (folder / FILE).read_bytes()
    template = json.loads(TEMPLATE.read_text("utf-8"))
    renamed = json.dumps(template).replace("StorageBlobs0A1B2C3D", "StorageOthers0A1B2C3D")
    (tmp_path / "template.json").write_text(renamed)
    with pytest.raises(StateError, match="does not define: local-storageblobs0a1b2c3d"):
        LocalCloud(tmp_path / "template.json", HANDLERS, state=folder).start()
    assert (folder / FILE).read_bytes() == content


def test_a_state_is_not_read_by_a_cloud_of_another_name(tmp_path: Path) -> None:
    """Its functions would ask for another cycle: the cloud started, and answered everything by `no_cycle`."""
    path = tmp_path / "state"
    with toy_cloud(state=path, variables={CYCLE_VARIABLE: "gec-2026"}) as cloud:
        fill(cloud)
    assert [name_of(None, folder) for folder in (path, tmp_path / "none", None)] == ["gec-2026", "demo", "demo"]
    with pytest.raises(StateError, match=f"{CYCLE_VARIABLE}=gec-2026, this one has demo"):
        toy_cloud(state=path, variables={CYCLE_VARIABLE: "demo"}).start()


FULL = """
from local.aws import moto_server
from local.aws import state
state._RESERVE_BYTES = 1 << 62
moto_server.main()
"""


def test_on_a_full_disk_every_change_is_refused_before_it_is_made_and_reading_goes_on(tmp_path: Path) -> None:
    with listening_socket(0) as listener:
        emulator = Emulator(f"http://127.0.0.1:{listener.getsockname()[1]}")
        command = [sys.executable, "-c", FULL, str(listener.fileno())]
        process = subprocess.Popen(command, pass_fds=[listener.fileno()], env=base_environment(), cwd=tmp_path)
    try:
        tables, store, queues = (emulator.client(name) for name in ("dynamodb", "s3", "sqs"))
        create_table(tables, "table", "pk")
        store.create_bucket(Bucket="bucket", CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
        queue = queues.create_queue(QueueName="queue")["QueueUrl"]
        keep(emulator, tmp_path / "state", {}, {})
        for call, what in (
            (tables.put_item, {"TableName": "table", "Item": {"pk": {"S": "1"}}}),
            (store.put_object, {"Bucket": "bucket", "Key": "1", "Body": b"1"}),
            (queues.send_message, {"QueueUrl": queue, "MessageBody": "1"}),
        ):
            with pytest.raises(ClientError, match=r"Internal(Server)?Error.*is full; nothing was changed"):
                call(**what)
        assert tables.scan(TableName="table")["Count"] == 0
        assert "Contents" not in store.list_objects_v2(Bucket="bucket")
        assert "Messages" not in queues.receive_message(QueueUrl=queue)
    finally:
        process.kill()
        process.wait()
        emulator.stop()
