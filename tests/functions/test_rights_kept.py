"""The guard of rights itself: what a function was not granted is noticed on a stage, whatever kind of call it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from contest.adapters import aws
from tests.rights_kept import watched
from tests.stage import Stage, staged
from tests.stage_services import BUCKET, TABLES

KEY = {"pk": {"S": "a"}, "sk": {"S": "b"}}
QUEUE = "https://sqs.eu-central-1.amazonaws.com/123456789012/scoring"


def stored(name: str) -> Callable[[], Any]:
    return lambda: aws.client("s3").put_object(Bucket=BUCKET, Key=name, Body=b"{}")


def written(table: str) -> Callable[[], Any]:
    return lambda: aws.client("dynamodb").put_item(TableName=table, Item=KEY)


def deleted(table: str) -> Callable[[], Any]:
    return lambda: aws.client("dynamodb").delete_item(TableName=table, Key=KEY)


def in_transaction(table: str, kind: str = "Put") -> Callable[[], Any]:
    items = [{kind: {"TableName": table, "Item" if kind == "Put" else "Key": KEY}}]
    return lambda: aws.client("dynamodb").transact_write_items(TransactItems=items)


def read(table: str) -> Callable[[], Any]:
    return lambda: aws.client("dynamodb").batch_get_item(RequestItems={table: {"Keys": [KEY]}})


def sent() -> Any:
    return aws.client("sqs").send_message(QueueUrl=QUEUE, MessageBody="{}")


def signed() -> Any:
    return aws.client("secretsmanager").get_secret_value(SecretId="signing")


@pytest.fixture(name="deployed")
def _deployed(tmp_path: Path) -> Iterator[Stage]:
    with staged(tmp_path) as ready:
        yield ready


@pytest.mark.usefixtures("deployed")
@pytest.mark.parametrize(
    ("handler", "call", "missing"),
    [
        ("submit.api.handler", stored("answers/s/1/a.json"), []),
        ("submit.api.handler", stored("reports/s/1.json"), ["Submit: PutObject reports/s/1.json"]),
        ("dispatch.public.handler", stored("runs/r/plan-0.json"), ["Public: PutObject runs/r/plan-0.json"]),
        ("submit.api.handler", written("exchange"), []),
        ("submit.api.handler", written("catalogue"), ["Submit: append Catalogue"]),
        ("submit.api.handler", in_transaction("scores"), ["Submit: append Scores"]),
        ("organize.api.handler", written("catalogue"), []),
        ("organize.api.handler", deleted("catalogue"), ["Administration: write Catalogue"]),
        ("organize.api.handler", in_transaction("catalogue", "Delete"), ["Administration: write Catalogue"]),
        ("submit.api.handler", read("catalogue"), []),
        ("submit.api.handler", read("identity"), ["Submit: read Identity"]),
        ("score.relay.handler", sent, []),
        ("submit.api.handler", sent, ["Submit: send scoring"]),
        ("submit.api.handler", signed, []),
        ("score.worker.handler", signed, ["Score: sign signing"]),
    ],
)
def test_what_a_function_was_not_granted_is_noticed(handler: str, call: Callable[[], Any], missing: list[str]) -> None:
    with watched(TABLES) as rights:
        call()  # by nobody's function
        with rights.of(handler):
            call()
    assert rights.missing == missing
