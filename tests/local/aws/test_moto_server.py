"""Features of the local cloud's moto server that AWS does not have: streams that forget the records read."""

from __future__ import annotations

import json
import socket
import struct
import subprocess
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from xml.etree import ElementTree

import pytest
from botocore.exceptions import ClientError

from local.aws.emulator import Emulator, Line, read_items, write_json
from local.aws.moto_http import RequestHandler, as_xml
from local.aws.moto_server import _to_json
from local.environment import ACCOUNT, REGION
from local.lambdas.runtime import to_json
from tests.local.local_toys import create_table

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.integration

TABLE = "stream"


@pytest.fixture
def emulator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    """Start moto with one table that has a stream of six records."""
    running = Emulator.start(0, tmp_path_factory.mktemp("moto"))
    create_table(running.client("dynamodb"), TABLE, "pk", streams=True)
    for number in range(6):
        put(running, str(number))
    yield running
    running.stop()


def put(emulator: Emulator, pk: str) -> None:
    emulator.client("dynamodb").put_item(TableName=TABLE, Item={"pk": {"S": pk}})


def read(emulator: Emulator, reader: str, start: int, limit: int = 2, readers: int = 2) -> tuple[list[str], int]:
    """Return the keys of the records that a reader gets, and its next position."""
    asked: dict[str, Any] = {"table": TABLE, "reader": reader, "readers": readers, "patterns": [], "wait_s": 0}
    found = emulator.call("records", start=start, limit=limit, **asked)
    return [record["dynamodb"]["NewImage"]["pk"]["S"] for record in found["records"]], found["next"]


def kept(emulator: Emulator) -> list[str | None]:
    """Return the key of each record of the stream, None for a forgotten one."""
    streams = emulator.client("dynamodbstreams")
    [stream] = streams.list_streams(TableName=TABLE)["Streams"]
    told = {"StreamArn": stream["StreamArn"]}
    [shard] = streams.describe_stream(**told)["StreamDescription"]["Shards"]
    first = streams.get_shard_iterator(**told, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON")
    found = streams.get_records(ShardIterator=first["ShardIterator"])["Records"]
    images = [record["dynamodb"].get("NewImage") for record in found]
    return [image["pk"]["S"] if image else None for image in images]


def test_a_stream_forgets_what_every_reader_has_behind_it_and_nothing_else(emulator: Emulator) -> None:
    assert read(emulator, "fast", 0) == (["0", "1"], 2)
    assert read(emulator, "fast", 2) == (["2", "3"], 4)
    assert read(emulator, "fast", 4) == (["4", "5"], 6)
    assert kept(emulator) == ["0", "1", "2", "3", "4", "5"]  # the other one has not asked yet
    assert read(emulator, "slow", 0) == (["0", "1"], 2)
    assert read(emulator, "slow", 0) == (["0", "1"], 2)  # it has failed
    assert kept(emulator) == ["0", "1", "2", "3", "4", "5"]
    assert read(emulator, "slow", 2) == (["2", "3"], 4)
    assert kept(emulator) == [None, None, "2", "3", "4", "5"]
    assert read(emulator, "slow", 4) == (["4", "5"], 6)
    assert kept(emulator) == [None, None, None, None, "4", "5"]  # the fast one has said that it is past 4


def test_what_comes_after_the_forgotten_keeps_its_number(emulator: Emulator) -> None:
    asked: dict[str, Any] = {"table": TABLE, "reader": "only", "readers": 1, "patterns": [], "wait_s": 0}
    before = emulator.call("records", start=0, limit=6, **asked)["records"]
    emulator.call("records", start=6, limit=6, **asked)
    assert kept(emulator) == [None] * 6
    put(emulator, "after")
    [after] = emulator.call("records", start=6, limit=6, **asked)["records"]
    numbers = [int(record["dynamodb"]["SequenceNumber"]) for record in (*before, after)]
    assert numbers == list(range(numbers[0], numbers[0] + 7))
    assert emulator.call("depths")["streams"][TABLE]["length"] == 7


def test_a_reader_gets_the_records_that_a_pattern_names(emulator: Emulator) -> None:
    query: dict[str, Any] = {"table": TABLE, "reader": "only", "readers": 1, "start": 0, "limit": 6, "wait_s": 0}
    one = {"eventName": ["INSERT"], "dynamodb": {"Keys": {"pk": {"S": [{"prefix": "3"}]}}}}
    other = {"dynamodb": {"NewImage": {"pk": {"S": ["4"]}, "none": {"S": [{"exists": False}]}}}}
    missing = {"dynamodb": {"OldImage": {"pk": {"S": [{"exists": True}]}}}}
    records = emulator.call("records", patterns=[one, other, missing], **query)["records"]
    assert [record["dynamodb"]["Keys"]["pk"]["S"] for record in records] == ["3", "4"]


def test_a_request_whose_client_ends_within_its_body_is_dropped(emulator: Emulator) -> None:
    address = urlsplit(emulator.url)
    head = b"POST / HTTP/1.1\r\nHost: moto\r\nX-Amz-Target: DynamoDB_20120810.PutItem\r\nContent-Length: 99\r\n\r\n"
    with socket.create_connection((address.hostname, address.port)) as client:
        client.sendall(head + b"{")
        client.shutdown(socket.SHUT_WR)
        assert client.recv(100) == b""
    assert read(emulator, "next", 0, limit=1) == (["0"], 1)


def test_the_line_answers_what_succeeds_and_leaves_the_rest_to_the_services_own_way(emulator: Emulator) -> None:
    line = Line(urlsplit(emulator.url).port or 0, 10)
    key = {"TableName": TABLE, "Key": {"pk": {"S": "new"}}}

    def ask(operation: str, who: str = "anybody", **params: Any) -> Any:
        content = line.ask(who, operation, json.dumps({**key, **params}).encode())
        return None if content is None else json.loads(content)

    placeholders = {"ExpressionAttributeNames": {"#0": "n"}, "ExpressionAttributeValues": {":0": {"N": "1"}}}
    update = {"UpdateExpression": "SET #0 = :0", **placeholders}
    assert ask("UpdateItem", ReturnValues="ALL_NEW", **update)["Attributes"] == {"pk": {"S": "new"}, "n": {"N": "1"}}
    assert ask("UpdateItem", **update, ConditionExpression="attribute_not_exists (#0)") is None
    assert ask("UpdateItem", **{**update, "UpdateExpression": "SET #0 = nonsense"}) is None
    emulator.set_rights({"reader": [("dynamodb:GetItem", f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{TABLE}")]})
    assert ask("GetItem", "reader")["Item"]["n"] == {"N": "1"}
    assert ask("DeleteItem", "reader") is None
    emulator.call("throttle", table=TABLE, requests=1)
    assert ask("GetItem") is None
    with pytest.raises(ClientError, match="ProvisionedThroughputExceeded"):
        emulator.client("dynamodb").get_item(**key)
    assert ask("GetItem")["Item"]["n"] == {"N": "1"}
    line.close()


def test_a_client_that_ends_in_its_request_or_before_its_answer_raises_nothing() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        for resets_first in (True, False):
            client = socket.create_connection(listening.getsockname())
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # close by a reset
            client.sendall(b"" if resets_first else b"\0k GetItem 2\n{}")
            served, address = listening.accept()
            operations = list[str]()

            def answer(_who: str, operation: str, _body: bytes, client: socket.socket = client) -> bytes:
                operations.append(operation)  # noqa: B023 - called in this round
                client.close()
                return b"{}"

            if resets_first:
                client.close()
            with served:
                RequestHandler(served, address, SimpleNamespace(app=SimpleNamespace(answer=answer)))  # type: ignore[arg-type]
            assert operations == ([] if resets_first else ["GetItem"])


_OBJECTS = """
import json, sys, boto3

def answers(way, who):
    options = {"region_name": "eu-central-1", "aws_access_key_id": who, "aws_secret_access_key": "s"}
    objects = boto3.client("s3", endpoint_url=sys.argv[1], **options)
    first, other = f"a/{way} ü+", f"b/{way}"
    for operation, parameters in (
        ("put_object", {"Key": first, "Body": b"one", "IfNoneMatch": "*", "ContentType": "text/plain"}),
        ("put_object", {"Key": first, "Body": b"two", "IfNoneMatch": "*"}),
        ("get_object", {"Key": first}),
        ("get_object", {"Key": other}),
        ("put_object", {"Key": other, "Body": b"three", "Metadata": {"by": "me"}, "CacheControl": "no-store"}),
        ("get_object", {"Key": other}),
        ("get_object", {"Key": other, "Range": "bytes=0-1"}),
        ("list_objects_v2", {"Prefix": first}),
        ("list_objects_v2", {"Prefix": "nothing"}),
        ("list_objects_v2", {"MaxKeys": 1}),
    ):
        try:
            answer = getattr(objects, operation)(Bucket="bucket", **parameters)
        except objects.exceptions.ClientError as error:
            status = error.response["ResponseMetadata"]["HTTPStatusCode"]
            yield type(error).__name__, status, {**error.response["Error"], "Key": ""}
        else:
            content = answer.pop("Body").read().decode() if "Body" in answer else ""
            names = ("ETag", "ContentLength", "ContentType", "CacheControl", "Metadata", "IsTruncated", "KeyCount")
            content = [(one["ETag"], one["Size"]) for one in answer.get("Contents", ())] or content
            yield content, answer["ResponseMetadata"]["HTTPStatusCode"], {n: answer[n] for n in names if n in answer}

by_http = [*answers("http", "anybody")]
import local.lambdas.sdk
print(json.dumps([by_http, [*answers("line", "anybody")], [*answers("writer", "writer")]]))
"""


def test_objects_are_the_same_on_the_line_and_by_the_services_own_way(emulator: Emulator) -> None:
    emulator.client("s3").create_bucket(Bucket="bucket", CreateBucketConfiguration={"LocationConstraint": REGION})
    emulator.set_rights({"writer": [("s3:PutObject", "arn:aws:s3:::bucket/a/*")]})
    printed = subprocess.check_output([sys.executable, "-c", _OBJECTS, emulator.url])
    by_http, by_the_line, by_writer = json.loads(printed)
    assert by_the_line == by_http
    errors, listed = [answer[0] for answer in by_the_line[:7]], by_the_line[7:]
    assert errors == ["", "ClientError", "one", "NoSuchKey", "", "three", "th"]
    assert [(answer[2]["KeyCount"], answer[2]["IsTruncated"]) for answer in listed] == [
        (1, False),
        (0, False),
        (1, True),
    ]
    assert [answer[1] for answer in by_writer] == [200, 412, *[403] * 8]
    assert emulator.call("metered") == {"object_writes": 2}


_MALFORMED = """
import local.lambdas.sdk, boto3, sys
client = boto3.client("dynamodb", endpoint_url=sys.argv[1], region_name="eu-central-1", aws_access_key_id="k",
                      aws_secret_access_key="s")
client.put_item(TableName="stream", Item={"pk": {"S": "right"}})
client.put_item(TableName="stream", Item={"pk": {"S": "wrong"}}, Colour="red")
"""


def test_what_the_sdk_refuses_before_it_asks_is_refused_on_the_line_too(emulator: Emulator) -> None:
    command = [sys.executable, "-c", _MALFORMED, emulator.url]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "ParamValidationError" in ended.stderr
    stored = emulator.client("dynamodb").scan(TableName=TABLE)["Items"]
    assert {item["pk"]["S"] for item in stored} == {*"012345", "right"}


def test_a_refusal_of_s3_is_xml_whatever_its_message_quotes() -> None:
    message = 'the key "a&b<c>" is not allowed'
    refusal = ElementTree.fromstring(as_xml("AccessDenied", message, 403).get_data())  # noqa: S314  the emulator's own
    assert refusal.findtext("Message") == message


@pytest.mark.parametrize(
    ("value", "content"),
    [
        ({"pk": {"S": "е"}, "n": [1, None, True]}, None),
        ({"S": "\ud83d"}, None),
        ({"N": 2**64}, None),
        ({"B": b"\x00\xff"}, b'{"B":"AP8="}'),
        ({"BS": [b"a", b""]}, b'{"BS":["YQ==",""]}'),
    ],
)
def test_the_line_carries_what_json_and_attributes_have(value: dict[str, Any], content: bytes | None) -> None:
    written = write_json(value)
    assert read_items(written) == value
    assert content in {None, written}
    assert json.loads(to_json(json.loads(written))) == json.loads(_to_json(value)) == json.loads(written)


@pytest.mark.parametrize("value", [{"S": {1, 2}}, {"S": object()}])
def test_the_line_refuses_what_json_has_no_value_for(value: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        write_json(value)
