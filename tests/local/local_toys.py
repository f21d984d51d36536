"""Toy template of the local cloud's tests: its resources, and helpers to start it and look into it."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from local.clock import Clock
from local.cloud import LocalCloud
from local.lambdas.runtime import Logs

if TYPE_CHECKING:
    from collections.abc import Mapping

_FOLDER = Path(__file__).parent / "fixtures" / "toy_cloud"
TEMPLATE = _FOLDER / "template.json"
HANDLERS = _FOLDER / "handlers"
# 2026-11-21 12:00:00 UTC (date -u -d "2026-11-21 12:00" +%s)
NOON_MS = 1_795_262_400_000


def create_table(tables: Any, name: str, *keys: str, streams: bool = False) -> None:
    """Create a table with these keys, with a stream of whole items if it is asked for."""
    view = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    tables.create_table(
        TableName=name,
        AttributeDefinitions=[{"AttributeName": key, "AttributeType": "S"} for key in keys],
        KeySchema=[{"AttributeName": key, "KeyType": kind} for key, kind in zip(keys, ("HASH", "RANGE"), strict=False)],
        BillingMode="PAY_PER_REQUEST",
        **({"StreamSpecification": view} if streams else {}),
    )


def toy_cloud(**options: Any) -> LocalCloud:
    """Start a local cloud of the toy template, by default with its clock held at NOON_MS and no printed reports."""
    options.setdefault("clock", Clock(NOON_MS))
    options.setdefault("logs", Logs(screen=StringIO()))
    return LocalCloud(TEMPLATE, HANDLERS, **options)


def seen(cloud: LocalCloud, kind: str) -> dict[str, list[dict[str, Any]]]:
    """Return the notes of the functions about one kind of event, by key, in order."""
    pages = cloud.client("dynamodb").get_paginator("scan").paginate(TableName=cloud.resource("StorageSeen"))
    return {
        item["sk"]["S"]: [json.loads(note["S"]) for note in item["seen"]["L"]]
        for page in pages
        for item in page["Items"]
        if item["pk"]["S"] == kind
    }


def put(cloud: LocalCloud, sk: str, **attributes: Mapping[str, Any]) -> None:
    """Put an item into the table whose stream has a function; only items of a kind "out…" pass its filter."""
    item = {"pk": {"S": "item"}, "sk": {"S": sk}, "kind": {"S": "outbox"}, **attributes}
    cloud.client("dynamodb").put_item(TableName=cloud.resource("StorageItems"), Item=item)


def send(cloud: LocalCloud, **body: Any) -> None:
    """Send a message to the queue that has a function."""
    cloud.client("sqs").send_message(QueueUrl=cloud.resource("WorkQueue"), MessageBody=json.dumps(body))


def messages(cloud: LocalCloud, queue: str) -> list[Any]:
    """List the bodies of the messages that are visible in a queue."""
    found = cloud.client("sqs").receive_message(QueueUrl=cloud.resource(queue), MaxNumberOfMessages=10)
    return [json.loads(message["Body"]) for message in found.get("Messages", [])]
