"""Updates and transactions in one pass leave tables and streams as moto's own ways do, and refuse in its words."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import pytest
from moto import mock_aws
from moto.core.exceptions import JsonRESTError
from moto.dynamodb.models import dynamodb_backends
from moto.dynamodb.models.utilities import dynamo_json_dump
from moto.dynamodb.responses import DynamoHandler

from local.aws import moto_data
from local.environment import ACCOUNT, REGION
from tests.stage_services import correct_once

if TYPE_CHECKING:
    from collections.abc import Iterator

    from moto.dynamodb.models import DynamoDBBackend


pytestmark = pytest.mark.integration

TABLE = "writes"
NAMES = {"#0": "n", "#1": "s", "#2": "gone", "#3": "list", "#4": "bytes", "#5": "indexed", "#6": "pk"}
VALUES: dict[str, Any] = {
    ":0": {"N": "1"},
    ":1": {"S": "x"},
    ":2": {"L": [{"S": "a"}, {"M": {"b": {"B": b"c"}}}]},
    ":3": {"B": b"\x00"},
    ":4": {"S": ""},
    ":5": {"N": "5"},
}
STATED = {"n": {"N": "5"}, "s": {"S": "was"}, "list": {"L": []}, "bytes": {"B": b"\xff"}}
DONE = (
    "SET #0 = :0",
    "SET #0 = #0 + :0, #1 = :1 REMOVE #3",
    "SET #0 = if_not_exists(#0, :0) - :0, #2 = if_not_exists ( #2 , :1 )",
    "SET #2 = #0, #3 = :2, #4 = :3 REMOVE #1",
    "ADD #0 :0",
    "ADD #2 :0 SET #5 = :1",
    "REMOVE #2, #4",
)
LEFT = (
    "SET #1 = #1 + :0",
    "SET #0 = #2",
    "SET #0 = :0, #0 = :0",
    "SET #0 = :0 SET #1 = :1",
    "SET #6 = :1",
    "SET #5 = :0",
    "SET #5 = :4",
    "SET #3 = list_append(#3, :2)",
    "SET #0.#1 = :0",
    "ADD #1 :1",
    "SET #0 = :0,",
    "SET n = :0",
)
CONDITIONS = (None, "#0 = :5", "attribute_not_exists (#0) OR #0 < :5", "#1 = :1 AND attribute_exists (#0)")


@pytest.fixture(scope="module")
def backend() -> Iterator[DynamoDBBackend]:
    correct_once()
    with mock_aws():
        tables = dynamodb_backends[ACCOUNT][REGION]
        kinds = [{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk", "indexed")]
        schema = [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}]
        stream = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
        tables.create_table(TABLE, schema, None, kinds, None, None, stream, "PAY_PER_REQUEST", None, [], None, None)
        yield tables


def empty(backend: DynamoDBBackend) -> None:
    table = backend.tables[TABLE]
    table.items.clear()
    assert table.stream_shard is not None
    table.stream_shard.items.clear()


def wish(name: str, text: str, condition: str | None = None) -> dict[str, Any]:
    """Return an update's parameters with the placeholders that it names."""
    whole = f"{text} {condition}"
    values = {place: value for place, value in VALUES.items() if place in whole}
    return {
        "TableName": TABLE,
        "Key": {"pk": {"S": name}, "sk": {"S": "1"}},
        "UpdateExpression": text,
        "ExpressionAttributeNames": {place: called for place, called in NAMES.items() if place in whole},
        **({"ConditionExpression": condition} if condition else {}),
        **({"ExpressionAttributeValues": values} if values else {}),
        "ReturnValues": "ALL_NEW",
    }


def put(name: str) -> None:
    moto_data.answer_to("PutItem", {"TableName": TABLE, "Item": {**wish(name, "")["Key"], **STATED}})


def outcome(backend: DynamoDBBackend, operation: str, params: dict[str, Any]) -> dict[str, Any]:
    """Return an operation's answer or refusal, the items that are there then, and the records of the stream."""
    try:
        answer: Any = moto_data.answer_to(operation, deepcopy(params))
    except JsonRESTError as refusal:
        answer = str(refusal.description)
    table = backend.tables[TABLE]
    assert table.stream_shard is not None
    records = [deepcopy(record.record["dynamodb"]) for record in table.stream_shard.items]
    for record in records:
        del record["ApproximateCreationDateTime"], record["SizeBytes"]  # the time's length is drawn by luck
    items = [item.to_json()["Attributes"] for item in table.all_items()]
    whole: dict[str, Any] = json.loads(dynamo_json_dump({"answer": answer, "items": items, "records": records}))
    return whole


def by_moto(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave everything to moto."""

    def left(*_: Any) -> Any:
        raise moto_data.UnusualError

    monkeypatch.setattr(moto_data, "apply_update", left)
    monkeypatch.setattr(moto_data, "transact", left)


@pytest.mark.parametrize("condition", CONDITIONS)
def test_an_update_leaves_what_motos_own_leaves(
    condition: str | None, backend: DynamoDBBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcomes: list[dict[str, Any]] = []
    for _ in range(2):
        outcomes.append({})
        for update in [*DONE, *LEFT]:
            empty(backend)
            put("there")
            for name in ("there", "new"):
                outcomes[-1][f"{update} of {name}"] = outcome(backend, "UpdateItem", wish(name, update, condition))
        by_moto(monkeypatch)
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize("refused", [None, "ConditionCheck", "Update", "Put", "Delete", "twice"])
def test_a_transaction_leaves_what_motos_own_leaves(
    refused: str | None, backend: DynamoDBBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    fails = {"ConditionExpression": "attribute_exists (#2)", "ExpressionAttributeNames": {"#2": "gone"}}
    keys = [wish(name, "")["Key"] for name in ("there", "gone", "checked", "new")]
    update = wish("there", "SET #0 = #0 + :0" if refused != "Update" else "SET #0 = #2")
    del update["ReturnValues"]
    item = {**keys[3 if refused != "twice" else 1], "n": {"N": "1"}}
    actions: list[dict[str, Any]] = [
        {"Update": update},
        {"Delete": {"TableName": TABLE, "Key": keys[1], **(fails if refused == "Delete" else {})}},
        {"Put": {"TableName": TABLE, "Item": item, **(fails if refused == "Put" else {})}},
        {
            "ConditionCheck": {
                "TableName": TABLE,
                "Key": keys[2],
                **(fails if refused == "ConditionCheck" else {**fails, "ExpressionAttributeNames": {"#2": "n"}}),
            }
        },
    ]
    outcomes = []
    for _ in range(2):
        empty(backend)
        for name in ("there", "gone", "checked"):
            put(name)
        outcomes.append(outcome(backend, "TransactWriteItems", {"TransactItems": actions}))
        by_moto(monkeypatch)
    assert outcomes[0] == outcomes[1]
    assert len(outcomes[0]["records"]) == (6 if refused is None else 3)


def test_usual_updates_are_not_left_to_moto(backend: DynamoDBBackend, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DynamoHandler, "update_item", None)
    for update in DONE:
        empty(backend)
        put("there")
        assert outcome(backend, "UpdateItem", wish("there", update))["records"][1:]
