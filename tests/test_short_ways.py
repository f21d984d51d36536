"""The short ways to the emulated services answer what the long ones do, to the last byte that anybody reads."""

from __future__ import annotations

from enum import StrEnum
from typing import Any
from unittest.mock import patch

import botocore.session
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws

from local.environment import REGION
from tests import short_ways

TABLE = "items"


class Kind(StrEnum):
    """A text that is no plain one, as the platform's adapters store."""

    TEXT = "text"


VALUES = {
    "text": {"S": "ёлка"},
    "number": {"N": "12.5"},
    "bytes": {"B": b"\x00\xff"},
    "both": {"L": [{"B": b"a"}, {"M": {"B": {"S": "not bytes"}, "x": {"B": b"b"}}}]},
    "many": {"BS": [b"1", b"2"]},
    "names": {"SS": ["a", "b"]},
    "none": {"NULL": True},
    "yes": {"BOOL": True},
}


@pytest.fixture(autouse=True)
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    monkeypatch.setenv("AWS_REQUEST_CHECKSUM_CALCULATION", "when_required")


def _client(service: str) -> Any:
    return botocore.session.get_session().create_client(service, region_name=REGION)


def _answers(client: Any, calls: list[tuple[str, dict[str, Any]]]) -> list[Any]:
    """List the answer or refusal of each call, in order."""
    answers: list[Any] = []
    for name, asked in calls:
        try:
            answered = getattr(client, name)(**asked)
        except ClientError as refused:
            answers.append((refused.response["Error"]["Code"], refused.response.get("CancellationReasons")))
            continue
        answered.pop("ResponseMetadata")
        answers.append(answered)
    return answers


def _item(name: str, **more: Any) -> dict[str, Any]:
    return {"pk": {"S": "p"}, "sk": {"S": name}, **more}


def _operations() -> list[tuple[str, dict[str, Any]]]:
    where = {"TableName": TABLE}
    absent = {"ConditionExpression": "attribute_not_exists(pk)"}
    query = {"KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": "p"}}}
    change = {
        **where,
        "Key": _item("a"),
        "UpdateExpression": "SET #n = :v ADD hits :one",
        "ExpressionAttributeNames": {"#n": "text"},
        "ExpressionAttributeValues": {":v": {"B": b"\xfe"}, ":one": {"N": "1"}},
    }
    return [
        ("put_item", {**where, "Item": _item("a", **VALUES)}),
        ("put_item", {**where, "Item": _item("a"), **absent}),
        ("put_item", {**where, "Item": _item("a", x={"N": "1"}), "ReturnValues": "ALL_OLD"}),
        ("put_item", {**where, "Item": _item("b", **VALUES), "ReturnConsumedCapacity": "TOTAL"}),
        ("get_item", {**where, "Key": _item("b"), "ConsistentRead": True}),
        ("get_item", {**where, "Key": _item("nothing")}),
        ("put_item", {**where, "Item": _item("f", kind={"S": Kind.TEXT}, bytes={"B": b"\xfe"})}),
        ("get_item", {**where, "Key": _item("f")}),
        ("update_item", {**change, "ReturnValues": "ALL_NEW"}),
        ("update_item", {**change, "ConditionExpression": "attribute_exists(nothing)"}),
        ("query", {**where, **query}),
        ("query", {**where, **query, "Limit": 1, "ScanIndexForward": False}),
        ("query", {**where, **query, "Select": "COUNT"}),
        ("query", {**where, **query, "ExclusiveStartKey": _item("a")}),
        ("scan", where),
        ("transact_write_items", {"TransactItems": [{"Put": {**where, "Item": _item("c")}}]}),
        (
            "transact_write_items",
            {"TransactItems": [{"Put": {**where, "Item": _item(name), **absent}} for name in ("c", "d")]},
        ),
        ("transact_get_items", {"TransactItems": [{"Get": {**where, "Key": _item("b")}}]}),
        ("batch_write_item", {"RequestItems": {TABLE: [{"PutRequest": {"Item": _item("e", **VALUES)}}]}}),
        ("batch_get_item", {"RequestItems": {TABLE: {"Keys": [_item("e"), _item("zz")]}}}),
        ("delete_item", {**where, "Key": _item("e"), "ReturnValues": "ALL_OLD"}),
        ("scan", {**where, "TableName": "no-such-table"}),
        ("scan", where),
    ]


OPERATIONS = _operations()


def test_tables_answer_and_refuse_alike_by_both_ways() -> None:
    by_long_way = _of_tables()
    with short_ways.taken():
        by_short_way = _of_tables()
    assert len(by_short_way) == len(by_long_way) > 20
    for number, pair in enumerate(zip(by_short_way, by_long_way, strict=True)):
        assert pair[0] == pair[1], OPERATIONS[number]


def _of_tables() -> list[Any]:
    """List the answers of a new table to every operation."""
    keys = (("pk", "HASH"), ("sk", "RANGE"))
    with mock_aws():
        client = _client("dynamodb")
        client.create_table(
            TableName=TABLE,
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": key, "AttributeType": "S"} for key, _ in keys],
            KeySchema=[{"AttributeName": key, "KeyType": kind} for key, kind in keys],
        )
        return _answers(client, OPERATIONS)


def test_the_store_answers_and_refuses_alike_by_both_ways() -> None:
    told = {"ContentType": "text/csv", "ContentEncoding": "gzip", "CacheControl": "no-store"}
    calls: list[tuple[str, dict[str, Any]]] = [
        ("put_object", {"Key": "a/б +%.json", "Body": b"12345", **told}),
        ("put_object", {"Key": "a/б +%.json", "Body": b"6", "IfNoneMatch": "*"}),
        ("put_object", {"Key": "a/z", "Body": b"", "IfNoneMatch": "*"}),
        ("get_object", {"Key": "a/б +%.json"}),
        ("get_object", {"Key": "a/б +%.json", "Range": "bytes=1-2"}),
        ("get_object", {"Key": "a/z"}),
        ("get_object", {"Key": "nothing"}),
        ("list_objects_v2", {"Prefix": "a/"}),
        ("list_objects_v2", {"Prefix": "nothing"}),
        ("list_objects_v2", {"MaxKeys": 1}),
        ("delete_object", {"Key": "a/z"}),
        ("list_objects_v2", {}),
    ]

    def read() -> list[Any]:
        with mock_aws():
            client = _client("s3")
            client.create_bucket(Bucket="bucket", CreateBucketConfiguration={"LocationConstraint": REGION})
            answers = _answers(client, [(name, {"Bucket": "bucket", **asked}) for name, asked in calls])
            return [_read(each) for each in answers]

    by_long_way = read()
    with short_ways.taken():
        assert read() == by_long_way


def test_queues_answer_and_refuse_alike_by_both_ways() -> None:
    def read() -> list[Any]:
        with mock_aws():
            client = _client("sqs")
            queue = client.create_queue(QueueName="queue")["QueueUrl"]
            calls: list[tuple[str, dict[str, Any]]] = [
                ("create_queue", {"QueueName": "queue"}),
                ("receive_message", {"QueueUrl": queue}),
                ("send_message", {"QueueUrl": queue, "MessageBody": "первое"}),
                ("send_message_batch", {"QueueUrl": queue, "Entries": [{"Id": "0", "MessageBody": "второе"}]}),
                ("send_message_batch", {"QueueUrl": queue, "Entries": []}),
                ("receive_message", {"QueueUrl": queue, "MaxNumberOfMessages": 10}),
                ("receive_message", {"QueueUrl": queue, "MaxNumberOfMessages": 10}),
                ("receive_message", {"QueueUrl": queue, "MaxNumberOfMessages": 11}),
                ("send_message", {"QueueUrl": f"{queue}-nowhere", "MessageBody": "третье"}),
            ]
            answers = _answers(client, calls)
            taken = client.send_message(QueueUrl=queue, MessageBody="третье"), client.receive_message(QueueUrl=queue)
            client.delete_message(QueueUrl=queue, ReceiptHandle=taken[1]["Messages"][0]["ReceiptHandle"])
            told = client.get_queue_attributes(QueueUrl=queue, AttributeNames=["All"])["Attributes"]
            waiting = [told[f"ApproximateNumberOfMessages{kind}"] for kind in ("", "NotVisible")]
            return [_undrawn(each) for each in answers] + waiting

    by_long_way = read()
    with short_ways.taken():
        assert read() == by_long_way
    assert by_long_way[-2:] == ["0", "2"]


def test_scaling_secrets_and_events_answer_and_refuse_alike_by_both_ways() -> None:
    target = {"ServiceNamespace": "lambda", "ScalableDimension": "lambda:function:ProvisionedConcurrency"}
    one = {**target, "ResourceId": "function:f:live", "ScheduledActionName": "at-noon"}
    capacity = {"MinCapacity": 3, "MaxCapacity": 3}
    planned = {"Schedule": "at(2026-11-30T12:00:00)", "ScalableTargetAction": capacity}
    event = {"Source": "s", "DetailType": "d", "Detail": "{}"}
    calls: dict[str, list[tuple[str, dict[str, Any]]]] = {
        "application-autoscaling": [
            ("register_scalable_target", {**target, **capacity, "ResourceId": "function:f:live"}),
            ("describe_scalable_targets", {**target, "ResourceIds": ["function:f:live", "function:g:live"]}),
            ("describe_scalable_targets", {**target, "ResourceIds": ["function:g:live"]}),
            ("put_scheduled_action", {**one, **planned}),
            ("describe_scheduled_actions", target),
            ("delete_scheduled_action", one),
            ("delete_scheduled_action", one),
            ("describe_scheduled_actions", target),
            ("describe_scalable_targets", {**target, "ServiceNamespace": "ecs"}),
        ],
        "secretsmanager": [
            ("create_secret", {"Name": "a", "SecretString": "ключ"}),
            ("get_secret_value", {"SecretId": "a"}),
            ("get_secret_value", {"SecretId": "b"}),
        ],
        "events": [("put_events", {"Entries": [event]}), ("put_events", {"Entries": [{**event, "Detail": "no JSON"}]})],
    }

    def read() -> list[Any]:
        with mock_aws():
            return [_undrawn(row) for name, requests in calls.items() for row in _answers(_client(name), requests)]

    by_long_way = read()
    with short_ways.taken(), patch.object(short_ways, "_LONG_WAY", side_effect=short_ways._LONG_WAY) as long_way:
        assert read() == by_long_way
    assert long_way.call_count == 3, "what is made, and what is refused"


def _undrawn(answered: Any) -> Any:
    """Return an answer without the random names and the moments in it."""
    if isinstance(answered, dict):
        drawn = ("MessageId", "ReceiptHandle", "ARN", "VersionId", "CreatedDate", "CreationTime", "EventId")
        drawn = (*drawn, "ScalableTargetARN", "ScheduledActionARN")
        return {name: _undrawn(value) for name, value in answered.items() if name not in drawn}
    return [_undrawn(each) for each in answered] if isinstance(answered, list) else answered


def test_a_condition_that_is_kept_parsed_holds_for_its_own_names_and_values() -> None:
    keys = (("pk", "HASH"), ("sk", "RANGE"))
    with mock_aws(), short_ways.taken():
        client = _client("dynamodb")
        client.create_table(
            TableName=TABLE,
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": key, "AttributeType": "S"} for key, _ in keys],
            KeySchema=[{"AttributeName": key, "KeyType": kind} for key, kind in keys],
        )
        client.put_item(TableName=TABLE, Item=_item("a", x={"N": "1"}, y={"N": "2"}))

        def holds(name: str, number: str) -> bool:
            asked = {"ExpressionAttributeNames": {"#n": name}, "ExpressionAttributeValues": {":v": {"N": number}}}
            moved = {"TableName": TABLE, "Item": _item("a", x={"N": "1"}, y={"N": "2"}), **asked}
            [answered] = _answers(client, [("put_item", {**moved, "ConditionExpression": "#n = :v"})])
            return answered == {}

        assert [holds(*each) for each in (("x", "1"), ("x", "2"), ("y", "1"), ("y", "2"), ("x", "1"))] == [
            True,
            False,
            False,
            True,
            True,
        ]


def _read(answered: Any) -> Any:
    """Return the part of a store's answer that the platform reads."""
    if isinstance(answered, tuple):
        return answered
    objects = [(each["Key"], each["Size"], each["ETag"]) for each in answered.get("Contents", ())]
    names = ("ETag", "ContentType", "ContentEncoding", "CacheControl", "ContentLength", "IsTruncated")
    body = answered["Body"].read() if "Body" in answered else None
    return objects, body, {name: answered[name] for name in names if name in answered}
