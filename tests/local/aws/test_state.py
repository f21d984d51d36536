"""A local cloud's state outlives it in a folder that the next one takes.

Whatever ends the process of its database, and whenever, what was waited for is there, whole and once.
"""

from __future__ import annotations

import json
import random
import sqlite3
import subprocess
import sys
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from botocore.exceptions import ClientError  # type: ignore[import-untyped]  # ships no types

from local.aws import state
from local.aws.emulator import Emulator, Line, listening_socket
from local.aws.state import (
    FILE,
    ITEM,
    OBJECT,
    READER,
    RECORD,
    Change,
    Part,
    StateDatabase,
    StateError,
    StateFolderError,
    keep,
)
from local.clock import Clock
from local.cloud import LocalCloud
from local.environment import base_environment
from local.organizing import CYCLE_VARIABLE
from local.running import name_of
from tests.local.local_toys import HANDLERS, NOON_MS, TEMPLATE, create_table, put, seen, send, toy_cloud

if TYPE_CHECKING:
    from collections.abc import Iterator


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
    """This includes a deletion, a batch, a transaction, an update, and an upload in parts."""
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


HELLO: Part = (ITEM, "table", "hello")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(state, "_PREDECESSOR_S", 0.0)
    return tmp_path / "state"


def opened(folder: Path) -> StateDatabase:
    return StateDatabase(folder, {"NAME": "one"})


def values(folder: Path) -> dict[Part, Any]:
    running = opened(folder)
    read = {part: (value, content) for part, value, content in running.rows()}
    running.close()
    return read


def written(folder: Path, *changes: Change) -> None:
    running = opened(folder)
    for change in changes:
        running.note([change])
    running.wait()
    running.close()


def test_the_last_value_of_each_part_is_the_state(folder: Path) -> None:
    part: Part = (OBJECT, "bucket", "a/б")
    written(folder, Change(HELLO, {"b": b"\xff"}), Change(part, {"m": "1"}, b"first"))
    written(folder, Change(HELLO, None), Change(part, {"m": "2"}, b""), Change((ITEM, "t", "e"), {"t": "\ud800"}))
    assert values(folder) == {part: ({"m": "2"}, b""), (ITEM, "t", "e"): ({"t": "\ud800"}, None)}
    assert state.variables_of(folder) == {"NAME": "one"}


def test_a_value_is_what_it_was_when_it_was_noted(folder: Path) -> None:
    """The value may be a list in an item that the next request lengthens before the write to disk."""
    running, listed = opened(folder), [1]
    running.note([Change(HELLO, {"list": listed})])
    listed.append(2)
    running.wait()
    running.close()
    assert values(folder) == {HELLO: ({"list": [1]}, None)}


def test_what_was_not_waited_for_leaves_the_state_as_it_was(folder: Path) -> None:
    written(folder, Change(HELLO, 1))
    running = opened(folder)
    running.note([Change(HELLO, 2)])
    running.close()
    assert values(folder) == {HELLO: (1, None)}


@pytest.mark.parametrize("place", [0, 4096])
def test_a_damaged_file_is_refused_and_stays_as_it_is(place: int, folder: Path) -> None:
    written(folder, *(Change((ITEM, "t", str(number)), "x" * 500) for number in range(40)))
    file = folder / FILE
    damaged = bytearray(file.read_bytes())
    damaged[place : place + 50] = b"\xff" * 50
    file.write_bytes(damaged)
    with pytest.raises(StateFolderError, match="damaged"):
        opened(folder)
    assert file.read_bytes() == damaged


def test_records_that_every_reader_has_passed_are_deleted(folder: Path) -> None:
    records = [Change((RECORD, "t", str(number)), number) for number in range(8, 12)]
    written(folder, *records, Change((READER, "t", "fast"), 11), Change((READER, "t", "slow"), 10))
    assert [part[2] for part in values(folder) if part[0] == RECORD] == ["10", "11"]


def test_the_file_does_not_grow_with_the_changes_but_with_the_state(folder: Path) -> None:
    running = opened(folder)
    sizes = []
    for number in range(3_000):
        running.note([Change((OBJECT, "b", str(number % 7)), {}, b"x" * 4_000)])
        if number % 10 == 9:
            running.wait()
            sizes.append(sum(file.stat().st_size for file in folder.iterdir()))
    running.close()
    assert max(sizes[150:]) <= max(sizes[:150]) < 8_000_000


def test_many_who_wait_share_a_transaction(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No writer goes on before its transaction: while one waits for the disk, the others gather for the next one."""
    running = opened(folder)
    gathered, write = threading.Barrier(9), running._write
    calls: list[int] = []

    def slowly(changes: list[Any]) -> None:
        if not calls:
            gathered.wait(10)  # until the other eight have noted their changes
        write(changes)
        calls.append(len(changes))

    monkeypatch.setattr(running, "_write", slowly)

    def change(number: int) -> int:
        if number:
            while not running._writing.locked():
                pass
        running.note([Change((ITEM, "t", str(number)), number)])
        if number:
            gathered.wait(10)
        running.wait()
        return len(calls)

    with ThreadPoolExecutor(9) as pool:
        transactions = list(pool.map(change, range(9)))
    running.close()
    assert calls == [1, 8]
    assert min(transactions) >= 1
    assert len(values(folder)) == 9


def test_one_cloud_at_a_time_uses_a_folder(folder: Path) -> None:
    running = opened(folder)
    with pytest.raises(StateFolderError, match="in_use"):
        opened(folder)
    with pytest.raises(StateError, match="another local cloud runs on"):
        state.variables_of(folder)
    running.close()
    opened(folder).close()


def test_a_folder_that_cannot_be_used_says_why(folder: Path) -> None:
    (folder / FILE).mkdir(parents=True)
    with pytest.raises(StateFolderError, match="unusable"):
        opened(folder)


PROGRAM = """
import sqlite3, sys
from pathlib import Path
from local.aws.state import Change, StateDatabase
running = StateDatabase(Path(sys.argv[1]), {})
running.note([Change(("item", "t", "1"), 1)])
running.wait()
pages, = running._database.execute("PRAGMA page_count").fetchone()
running._database.execute(f"PRAGMA max_page_count = {pages}")
running.note([Change(("item", "t", "2"), "x" * 100_000)])
running.wait()
print("acknowledged")
"""


def test_a_disk_that_fails_ends_the_process_before_anybody_is_answered(folder: Path) -> None:
    command = [sys.executable, "-c", PROGRAM, str(folder)]
    done = subprocess.run(command, env=base_environment(), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"the state in {folder} cannot be written: database or disk is full" in done.stderr
    assert values(folder) == {(ITEM, "t", "1"): (1, None)}


WRITER = """
import sys, threading
from pathlib import Path
from local.aws.state import Change, StateDatabase
running = StateDatabase(Path(sys.argv[1]), {})
running._database.execute("PRAGMA wal_autocheckpoint = 3")
first = int(sys.argv[2])
def work(worker):
    for number in range(first, first + 10_000):
        running.note([
            Change(("item", "a", f"{worker}/{number}"), {"text": "x" * 50}),
            Change(("item", "b", f"{worker}/{number}"), None if number % 3 else {}),
            Change(("object", "c", f"{worker}"), {"n": number}, b"%d" % number * 40),
        ])
        running.wait()
        sys.stdout.write(f"{worker} {number}\\n")
        sys.stdout.flush()
threads = [threading.Thread(target=work, args=(worker,)) for worker in range(3)]
for thread in threads: thread.start()
"""


def killed(folder: Path, first: int, acknowledged: int) -> Iterator[tuple[str, int]]:
    """Run writers on a folder and kill them after so many acknowledgements; yield those."""
    command = [sys.executable, "-u", "-c", WRITER, str(folder), str(first)]
    with subprocess.Popen(command, env=base_environment(), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for count, line in enumerate(process.stdout):
            if count == acknowledged:
                process.kill()
            if line.endswith("\n"):
                worker, number = line.split()
                yield worker, int(number)


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.long) for seed in (2, 3))])
def test_kills_at_random_moments_lose_nothing_that_was_waited_for(seed: int, folder: Path) -> None:
    """Also amid checkpoints; a change of two parts is there with both or with none."""
    draw = random.Random(seed)
    acknowledged: Counter[tuple[str, int]] = Counter()
    for start in range(4):
        acknowledged.update(killed(folder, start * 10_000, draw.randrange(1, 120)))
        parts = values(folder)
        present = {part[2] for part in parts if part[:2] == (ITEM, "a")}
        whole = {part[2] for part in parts if part[:2] == (ITEM, "b")}
        assert {f"{worker}/{number}" for worker, number in acknowledged} <= present
        assert whole == {name for name in present if int(name.partition("/")[2]) % 3 == 0}
        for worker in "012":
            numbers = [number for name, number in acknowledged if name == worker]
            if numbers:
                value, content = parts[OBJECT, "c", worker]
                assert value["n"] >= max(numbers)
                assert content == b"%d" % value["n"] * 40
    assert set(acknowledged.values()) == {1}
