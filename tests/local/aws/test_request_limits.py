"""Each of AWS's limits of a request: at the limit it is taken, beyond it the stage and the local cloud refuse it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from botocore import xform_name
from botocore.exceptions import ClientError

from contest.adapters import aws
from local.aws import request_limits as limits
from local.aws.emulator import Emulator
from local.aws.request_limits import refusal
from tests.local.local_toys import create_table
from tests.stage import staged
from tests.stage_services import BUCKET

TABLE = "exchange"
QUEUE = "https://sqs.eu-central-1.amazonaws.com/123456789012/scoring"
INVALID = "ValidationException"
SQS = "AWS.SimpleQueueService."
Asked = tuple[str, str, dict[str, Any]]


def names(table: str) -> Sequence[str]:
    return ("pk", "sk") if table else ()


def key(number: int = 0, **more: Any) -> dict[str, Any]:
    return {"pk": {"S": f"p{number}"}, "sk": {"S": "-"}, **more}


def text(size: int) -> dict[str, Any]:
    """Return an attribute that makes an item of a key and of so many bytes."""
    return {"S": "x" * (size - len("pkp0sk-a"))}


def put(item: dict[str, Any], **more: Any) -> Asked:
    return "dynamodb", "PutItem", {"TableName": TABLE, "Item": item, **more}


def transaction(count: int, size: int = 0, twins: int = 0) -> Asked:
    more = {"a": {"S": "x" * size}} if size else {}
    items = [{"Put": {"TableName": TABLE, "Item": key(number, **more)}} for number in range(count)]
    items += [{"Delete": {"TableName": TABLE, "Key": key()}}] * twins
    return "dynamodb", "TransactWriteItems", {"TransactItems": items}


def writes(count: int, size: int = 0, twins: int = 0) -> Asked:
    more = {"a": {"S": "x" * size}} if size else {}
    requests = [{"PutRequest": {"Item": key(number, **more)}} for number in range(count)]
    requests += [{"DeleteRequest": {"Key": key()}}] * twins
    return "dynamodb", "BatchWriteItem", {"RequestItems": {TABLE: requests}}


def reads(count: int, twins: int = 0) -> Asked:
    keys = [key(number) for number in range(count)] + [key()] * twins
    return "dynamodb", "BatchGetItem", {"RequestItems": {TABLE: {"Keys": keys}}}


def update(expression: str, values: dict[str, Any], placeholders: dict[str, str] | None = None) -> Asked:
    parameters = {"TableName": TABLE, "Key": key(), "UpdateExpression": expression, "ExpressionAttributeValues": values}
    return "dynamodb", "UpdateItem", parameters | ({"ExpressionAttributeNames": placeholders} if placeholders else {})


def among(count: int) -> Asked:
    operands = [f":v{number}" for number in range(count)]
    values = {name: {"N": "1"} for name in operands}
    condition = f"attribute_not_exists(pk) OR a IN ({', '.join(operands)})"
    return put(key(), ConditionExpression=condition, ExpressionAttributeValues=values)


def nested(depth: int) -> Asked:
    value: dict[str, Any] = {"S": "x"}
    for _ in range(depth):
        value = {"L": [value]}
    return put(key(a=value))


def message(body: str, **more: Any) -> Asked:
    return "sqs", "SendMessage", {"QueueUrl": QUEUE, "MessageBody": body, **more}


def messages(*entries: tuple[str, str]) -> Asked:
    listed = [{"Id": name, "MessageBody": body} for name, body in entries]
    return "sqs", "SendMessageBatch", {"QueueUrl": QUEUE, "Entries": listed}


def event(count: int, size: int = 2, kind: str = "t") -> Asked:
    entry = {"Source": "s", "DetailType": kind, "Detail": '"' + "x" * (size - 2) + '"'}
    return "events", "PutEvents", {"Entries": [entry] * count}


def stored(name: str, **more: Any) -> Asked:
    return "s3", "PutObject", {"Bucket": BUCKET, "Key": name, "Body": b"{}", **more}


def secret(name: str = "some", size: int = 1) -> Asked:
    return "secretsmanager", "CreateSecret", {"Name": name, "SecretString": "x" * size}


def job(name: str) -> Asked:
    return "batch", "SubmitJob", {"jobName": name, "jobQueue": "q", "jobDefinition": "d"}


def bucket(name: str) -> Asked:
    return "s3", "CreateBucket", {"Bucket": name}


def queue(name: str) -> Asked:
    return "sqs", "CreateQueue", {"QueueName": name}


def table(name: str) -> Asked:
    schema = {"KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]}
    attributes = [{"AttributeName": "pk", "AttributeType": "S"}]
    parameters = {"TableName": name, **schema, "AttributeDefinitions": attributes, "BillingMode": "PAY_PER_REQUEST"}
    return "dynamodb", "CreateTable", parameters


TENTH = 1_048_576 // 10
LIMITS: dict[str, tuple[Asked, Asked, str]] = {
    "items of a transaction": (transaction(100), transaction(101), INVALID),
    "bytes of a transaction": (transaction(11, 380_000), transaction(12, 380_000), INVALID),
    "a key twice in a transaction": (transaction(2), transaction(2, twins=1), INVALID),
    "writes of a batch": (writes(25), writes(26), INVALID),
    "a key twice in a batch of writes": (writes(2), writes(2, twins=1), INVALID),
    "reads of a batch": (reads(100), reads(101), INVALID),
    "a key twice in a batch of reads": (reads(2), reads(2, twins=1), INVALID),
    "bytes of an item": (put(key(a=text(409_600))), put(key(a=text(409_600 + 1))), INVALID),
    "bytes of an update": (
        update("SET a = :a", {":a": {"S": "x" * (409_600 - 100)}}),
        update("SET a = :a", {":a": {"B": b"x" * (409_600 + 1)}}),
        INVALID,
    ),
    "bytes of a partition key": (
        put({**key(), "pk": {"S": "я" * 1024}}),
        put({**key(), "pk": {"S": "я" * 1024 + "x"}}),
        INVALID,
    ),
    "bytes of a sort key": (put({**key(), "sk": {"S": "x" * 1024}}), put({**key(), "sk": {"S": "x" * 1025}}), INVALID),
    "an empty key": (put(key()), put({**key(), "sk": {"S": ""}}), INVALID),
    "an empty set": (put(key(a={"SS": ["x"]})), put(key(a={"M": {"a": {"SS": []}}})), INVALID),
    "levels of an attribute": (nested(32), nested(33), INVALID),
    "digits of a number": (put(key(a={"L": [{"N": "1" * 38}]})), put(key(a={"N": "1" * 39})), INVALID),
    "digits of a list's number": (put(key(a={"N": "1e39"})), put(key(a={"L": [{"N": "1" * 39}]})), INVALID),
    "bytes of an expression": (
        update("SET " + "a" * 4_087 + " = :a", {":a": {"N": "1"}}),
        update("SET " + "a" * 4_088 + " = :a", {":a": {"N": "1"}}),
        INVALID,
    ),
    "bytes of an expression's values": (
        update("SET " + ", ".join(f"a{n} = :a{n}" for n in range(2)), {f":a{n}": {"S": "x"} for n in range(2)}),
        update(
            "SET " + ", ".join(f"a{n} = :a{n}" for n in range(6)), {f":a{n}": {"S": "x" * 380_000} for n in range(6)}
        ),
        INVALID,
    ),
    "bytes of a placeholder": (
        update("SET #n = :a", {":a": {"N": "1"}}, {"#n": "a"}),
        update(f"SET #{'n' * 255} = :a", {":a": {"N": "1"}}, {f"#{'n' * 255}": "a"}),
        INVALID,
    ),
    "operands of IN": (among(100), among(101), INVALID),
    "a table's name": (table("ab."), table("a b"), INVALID),
    "messages of a batch": (
        messages(*((f"m{number}", "x") for number in range(10))),
        messages(*((f"m{number}", "x") for number in range(11))),
        f"{SQS}TooManyEntriesInBatchRequest",
    ),
    "no message in a batch": (messages(("a", "x")), messages(), f"{SQS}EmptyBatchRequest"),
    "a message's id twice in a batch": (
        messages(("a", "x"), ("b", "x")),
        messages(("a", "x"), ("a", "x")),
        f"{SQS}BatchEntryIdsNotDistinct",
    ),
    "form of a message's id": (messages(("a-b_1", "x")), messages(("a.b", "x")), f"{SQS}InvalidBatchEntryId"),
    "bytes of a message": (
        message("x" * 1_048_576),
        message("x" * 1_048_576 + "x"),
        "InvalidParameterValue",
    ),
    "bytes of a batch of messages": (
        messages(*((f"m{number}", "x" * TENTH) for number in range(10))),
        messages(*((f"m{number}", "x" * (TENTH + 1)) for number in range(10))),
        f"{SQS}BatchRequestTooLong",
    ),
    "characters of a message": (message("\t\n�"), message("\0"), "InvalidMessageContents"),
    "a message's delay": (message("x", DelaySeconds=900), message("x", DelaySeconds=901), "InvalidParameterValue"),
    "a queue's name": (queue("a" * 80), queue("a" * 81), "InvalidParameterValue"),
    "entries of events": (event(10), event(11), INVALID),
    "bytes of an event": (event(1, 1_048_576 - 3), event(1, 1_048_576), INVALID),
    "an event's type": (event(1, kind="t" * 128), event(1, kind="t" * 129), INVALID),
    "bytes of an object's key": (stored("я" * 512), stored("я" * 512 + "x"), "KeyTooLongError"),
    "bytes of an object's metadata": (
        stored("a", Metadata={"n": "x" * 2047}),
        stored("a", Metadata={"n": "x" * 2048}),
        "MetadataTooLarge",
    ),
    "bytes of an object": (stored("a"), stored("a", ContentLength=5_368_709_120 + 1), "EntityTooLarge"),
    "a bucket's name": (bucket("a-b.c"), bucket("A_b"), "InvalidBucketName"),
    "a secret's name": (secret("a/b"), secret("a b"), INVALID),
    "bytes of a secret": (secret("large", 65_536), secret("large", 65_537), INVALID),
    "a job's name": (job("a" * 128), job("a" * 129), "ClientException"),
}
"""Cases by limit: requests that AWS takes and refuses, with the code."""


@pytest.mark.parametrize("name", LIMITS)
def test_at_the_limit_a_request_is_taken_and_beyond_it_refused_by_a_page(name: str) -> None:
    within, beyond, code = LIMITS[name]
    assert refusal(*within, names) is None
    refused = refusal(*beyond, names)
    assert refused is not None
    assert refused.code == code
    assert refused.page.startswith(("Amazon ", "AWS "))


def test_every_limit_that_is_written_down_has_a_row() -> None:
    pages = {refused.page for _, beyond, _ in LIMITS.values() if (refused := refusal(*beyond, names)) is not None}
    stated = {*limits.DYNAMO_PAGES.values(), *(value for name, value in vars(limits).items() if name.endswith("_PAGE"))}
    assert pages == stated


def refusal_code(client: Callable[[str], Any], request: Asked) -> str:
    """Return the code with which a service refuses a request; empty for one that it takes."""
    service, operation, params = request
    try:
        getattr(client(service), xform_name(operation))(**params)
    except ClientError as error:
        return str(error.response["Error"]["Code"])
    return ""


def test_a_stage_refuses_whatever_is_beyond_a_limit(tmp_path: Path) -> None:
    with staged(tmp_path):
        codes = {name: refusal_code(aws.client, beyond) for name, (_, beyond, _) in LIMITS.items()}
    assert codes == {name: code for name, (_, _, code) in LIMITS.items()}


@pytest.fixture(scope="module")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    emulator = Emulator.start(0, tmp_path_factory.mktemp("moto"))
    create_table(emulator.client("dynamodb"), TABLE, "pk", "sk")
    emulator.client("s3").create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
    yield emulator
    emulator.stop()


BEYOND_THE_SDK = {"bytes of an object"}
"""Requests that the SDK itself refuses to send."""


@pytest.mark.integration
def test_the_local_cloud_refuses_whatever_is_beyond_a_limit(cloud: Emulator) -> None:
    chosen = {name: row for name, row in LIMITS.items() if name not in BEYOND_THE_SDK}
    codes = {name: refusal_code(cloud.client, beyond) for name, (_, beyond, _) in chosen.items()}
    assert codes == {name: code for name, (_, _, code) in chosen.items()}


@pytest.mark.integration
def test_the_local_cloud_takes_what_is_within_the_limits(cloud: Emulator) -> None:
    url = cloud.client("sqs").create_queue(QueueName="within")["QueueUrl"]
    for service, operation, params in (
        writes(25),
        transaction(100),
        reads(100),
        stored("я" * 512),
        message("x" * 2**20),
    ):
        own = {"QueueUrl": url} if service == "sqs" else {}
        assert refusal_code(cloud.client, (service, operation, {**params, **own})) == ""
