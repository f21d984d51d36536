"""A local cloud's state outlives it: exported, and imported by the next."""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING

import pytest

from local.aws import state
from local.aws.state import StateError, export_state, import_state
from local.cli import _name_of
from local.organizing import CYCLE_VARIABLE
from tests.local.local_toys import put, seen, send, toy_cloud

if TYPE_CHECKING:
    from pathlib import Path

    from local.cloud import LocalCloud

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
    store.put_object(Bucket=bucket, Key="empty", Body=b"")


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
    path = tmp_path / "state.zip"
    with toy_cloud() as first:
        fill(first)
        first.export_state(path)
        before = everything(first)
        assert set(seen(first, "message")) == {"item/kept"}  # it was drained before it was written
    with toy_cloud(state=path) as second:
        second.drain()
        assert everything(second) == before
        again = tmp_path / "again.zip"
        second.export_state(again)
        assert again.read_bytes() == path.read_bytes()
        send(second, key="alive")
        second.drain()
        assert "alive" in seen(second, "message")


def test_an_import_replaces_what_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where objects do not all fit one request."""
    monkeypatch.setattr(state, "_BATCH_BYTES", 1)
    path = tmp_path / "state.zip"
    with toy_cloud() as cloud:
        fill(cloud)
        cloud.export_state(path)
        before = everything(cloud)
        put(cloud, "more")
        cloud.client("s3").put_object(Bucket=cloud.resource("StorageBlobs"), Key="more", Body=b"x")
        cloud.drain()
        import_state(cloud._running_emulator(), path)
        assert everything(cloud) == before


def test_what_the_template_does_not_define_is_left_out_and_said(tmp_path: Path) -> None:
    """A state with it would be refused by every later cloud."""
    with toy_cloud() as cloud:
        fill(cloud)
        store, secrets, tables = (cloud.client(name) for name in ("s3", "secretsmanager", "dynamodb"))
        store.create_bucket(Bucket="own", CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
        store.put_object(Bucket="own", Key="x", Body=b"x")
        secrets.create_secret(Name="own-secret", SecretString="x")
        key = {"KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]}
        attributes = [{"AttributeName": "pk", "AttributeType": "S"}]
        tables.create_table(
            TableName="own-table", AttributeDefinitions=attributes, BillingMode="PAY_PER_REQUEST", **key
        )
        assert cloud.export_state(tmp_path / "state.zip") == ("own-table", "own", "own-secret")
        before = everything(cloud)
    with toy_cloud(state=tmp_path / "state.zip") as second:
        assert everything(second) == before


def test_what_is_no_state_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    with toy_cloud() as cloud:
        fill(cloud)
        cloud.drain()
        before = everything(cloud)
        emulator = cloud._running_emulator()
        (tmp_path / "text").write_text("no zip")
        for name in ("text", "missing"):
            with pytest.raises(StateError, match="is not a local cloud's state"):
                import_state(emulator, tmp_path / name)
        export_state(emulator, tmp_path / "good.zip")
        contents = read(tmp_path / "good.zip")
        write(tmp_path / "new.zip", contents | {"format.json": b'{"format": "hurdle-local-state", "version": 2}'})
        with pytest.raises(StateError, match="another version"):
            import_state(emulator, tmp_path / "new.zip")
        tables = json.loads(contents["tables.json"])
        foreign = json.dumps({**tables, "foreign": []}).encode()
        write(tmp_path / "foreign.zip", contents | {"tables.json": foreign})
        with pytest.raises(StateError, match="tables that the template does not define: foreign"):
            import_state(emulator, tmp_path / "foreign.zip")
        assert everything(cloud) == before


def test_a_state_is_not_read_by_a_cloud_of_another_name(tmp_path: Path) -> None:
    """Its functions would ask for another cycle: the cloud started, and answered everything by `no_cycle`."""
    path = tmp_path / "state.zip"
    with toy_cloud(variables={CYCLE_VARIABLE: "gec-2026"}) as cloud:
        fill(cloud)
        emulator = cloud._running_emulator()
        export_state(emulator, path)
        names = [_name_of(None, file) for file in (path, tmp_path / "none", None)]
        assert names == ["gec-2026", "demo", "demo"]
        import_state(emulator, path)
        contents = read(path)
        write(path, contents | {"variables.json": json.dumps({CYCLE_VARIABLE: "demo"}).encode()})
        with pytest.raises(StateError, match=f"{CYCLE_VARIABLE}=demo, this one has gec-2026"):
            import_state(emulator, path)
        del contents["variables.json"]
        write(path, contents)
        import_state(emulator, path)  # a file from before names were kept
        assert _name_of(None, path) == "demo"


def read(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def write(path: Path, contents: dict[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in contents.items():
            archive.writestr(name, content)
