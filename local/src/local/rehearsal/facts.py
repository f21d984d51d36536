"""The facts at the end of a rehearsal, written into the history: tables, objects, queues, what the API says."""

from __future__ import annotations

import base64
import hashlib
import json
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from boto3.dynamodb.types import TypeDeserializer  # type: ignore[import-untyped]  # ships no types

from local.cloud import LocalCloud
from local.rehearsal.history import History
from local.rehearsal.proof.checks_results import TABLES

Json = Any
_QUEUES: Final = ("QueuesScoring", "QueuesSettlement", "QueuesScoringDeadLetters", "QueuesRelayDeadLetters")
_WITHOUT_TEXT: Final = ("logs/", "published/")


def export(cloud: LocalCloud, history: History, acts: Iterable[Mapping[str, Json]]) -> None:
    """Write the facts of a cloud that has come to rest. ``acts`` are the log of a sabotaged copy's processes."""
    with tempfile.TemporaryDirectory(prefix="hurdle-facts-") as folder:
        path = Path(folder, "state.zip")
        cloud.export_state(path)
        with zipfile.ZipFile(path) as archive:
            _items(cloud, history, json.loads(archive.read("tables.json")))
            for entry in json.loads(archive.read("objects.json")):
                _object(history, entry["key"], archive.read(entry["file"]))
    for act in acts:
        if act["kind"] == "written":
            history.add("written", **{name: act.get(name, "") for name in ("what", "at", "pk", "sk", "sha256")})
    for queue in _QUEUES:
        history.add("left", queue=queue, messages=_messages(cloud, queue))


def _items(cloud: LocalCloud, history: History, tables: Mapping[str, Iterable[Mapping[str, Json]]]) -> None:
    for name, prefix in TABLES.items():
        for attributes in tables[cloud.resource(prefix)]:
            item = {key: _plain(value) for key, value in attributes.items()}
            pk, sk = item.pop("pk"), item.pop("sk")
            if sk.startswith("SCORE#"):
                item["record"] = zlib.decompress(item["record"]).decode()
            if isinstance(item.get("answer"), str):
                item["answer"] = json.loads(item["answer"])
            history.add("item", table=name, pk=pk, sk=sk, item={key: _written(value) for key, value in item.items()})


def _written(value: Json) -> Json:
    """A value as JSON can have it: what is packed, in base64."""
    return base64.b64encode(value).decode() if isinstance(value, bytes) else value


def _plain(value: Mapping[str, Json]) -> Json:
    """A value of DynamoDB's JSON: numbers are whole here, binary ones come in base64."""
    if "B" in value:
        return base64.b64decode(value["B"])
    found = TypeDeserializer().deserialize(value)
    return int(found) if "N" in value else found


def _object(history: History, name: str, content: bytes) -> None:
    text = None if name.startswith(_WITHOUT_TEXT) else _text(content)
    history.add("object", name=name, sha256=hashlib.sha256(content).hexdigest(), text=text)


def _text(content: bytes) -> str | None:
    """An object's text; None of an archive or an image, which is none."""
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None


def _messages(cloud: LocalCloud, queue: str) -> int:
    names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
    found = cloud.client("sqs").get_queue_attributes(QueueUrl=cloud.resource(queue), AttributeNames=names)
    return sum(int(found["Attributes"][name]) for name in names)
