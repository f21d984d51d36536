"""The corrected moto loses and invents nothing, over HTTP and under races; test_moto_corrections shows plain faults."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from local.aws.emulator import Emulator
from local.environment import REGION
from tests.local.local_toys import create_table

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.integration

TABLE = "races"
ROUNDS = 20
THREADS = 6


def client(url: str, service: str) -> Any:
    config = Config(proxies={}, retries={"max_attempts": 10}, max_pool_connections=THREADS)
    keys = {"aws_access_key_id": "x", "aws_secret_access_key": "x"}
    return boto3.client(service, region_name=REGION, endpoint_url=url, config=config, **keys)


@pytest.fixture(scope="module")
def corrected(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    emulator = Emulator.start(0, tmp_path_factory.mktemp("moto"))
    create_table(emulator.client("dynamodb"), TABLE, "pk", "sk", streams=True)
    yield emulator
    emulator.stop()


def key(pk: str, sk: str = "-") -> dict[str, Any]:
    return {"pk": {"S": pk}, "sk": {"S": sk}}


def put_once(pk: str, **attributes: Any) -> dict[str, Any]:
    condition = "attribute_not_exists(pk)"
    return {"Put": {"TableName": TABLE, "Item": {**key(pk), **attributes}, "ConditionExpression": condition}}


def transact(tables: Any, *operations: dict[str, Any]) -> bool:
    try:
        tables.transact_write_items(TransactItems=list(operations))
    except ClientError as error:
        refusal = error.response["Error"]["Code"]
    else:
        return True
    assert refusal == "TransactionCanceledException"
    return False


def stream_of(url: str) -> tuple[Any, str]:
    """Return a client of the stream and an iterator after its last record."""
    streams = client(url, "dynamodbstreams")
    [stream] = streams.list_streams(TableName=TABLE)["Streams"]
    arn = stream["StreamArn"]
    [shard] = streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]
    found = streams.get_shard_iterator(StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType="LATEST")
    return streams, found["ShardIterator"]


def new_records(streams: Any, iterator: str) -> list[tuple[str, str]]:
    records = streams.get_records(ShardIterator=iterator)["Records"]
    return [(record["eventName"], record["dynamodb"]["Keys"]["pk"]["S"]) for record in records]


def test_a_cancelled_transaction_puts_back_updates_and_deletions(corrected: Emulator) -> None:
    tables = corrected.client("dynamodb")
    for pk in ("undo-updated", "undo-deleted", "undo-put"):
        tables.put_item(TableName=TABLE, Item={**key(pk), "n": {"N": "1"}, "l": {"L": [{"S": "a"}]}})
    before = tables.scan(TableName=TABLE)["Items"]
    streams, iterator = stream_of(corrected.url)
    values = {":n": {"N": "1"}, ":b": {"L": [{"S": "b"}]}}
    grow = "SET l = list_append(l, :b) ADD n :n"
    done = transact(
        tables,
        {
            "Update": {
                "TableName": TABLE,
                "Key": key("undo-updated"),
                "UpdateExpression": grow,
                "ExpressionAttributeValues": values,
            }
        },
        {"Delete": {"TableName": TABLE, "Key": key("undo-deleted")}},
        {"Put": {"TableName": TABLE, "Item": key("undo-put")}},
        {"Put": {"TableName": TABLE, "Item": key("undo-new")}},
        put_once("undo-put-once"),
        {"ConditionCheck": {"TableName": TABLE, "Key": key("x"), "ConditionExpression": "attribute_exists(pk)"}},
    )
    assert not done
    assert tables.scan(TableName=TABLE)["Items"] == before
    assert new_records(streams, iterator) == []


def test_of_racing_transactions_exactly_one_wins(corrected: Emulator) -> None:
    tables = client(corrected.url, "dynamodb")
    barrier = Barrier(THREADS)

    def run(number: int) -> list[bool]:
        won = []
        for turn in range(ROUNDS):
            barrier.wait()
            mine = put_once(f"mine-{turn}-{number}")
            won.append(transact(tables, mine, put_once(f"prize-{turn}", by={"N": str(number)})))
        return won

    with ThreadPoolExecutor(THREADS) as pool:
        results = list(pool.map(run, range(THREADS)))
    for turn in range(ROUNDS):
        [winner] = [number for number in range(THREADS) if results[number][turn]]
        prize = tables.get_item(TableName=TABLE, Key=key(f"prize-{turn}"))["Item"]
        assert prize["by"] == {"N": str(winner)}
        left = [n for n in range(THREADS) if "Item" in tables.get_item(TableName=TABLE, Key=key(f"mine-{turn}-{n}"))]
        assert left == [winner]


def test_an_acknowledged_put_is_never_lost_beside_cancelled_transactions(corrected: Emulator) -> None:
    tables = client(corrected.url, "dynamodb")
    tables.put_item(TableName=TABLE, Item=key("busy"))
    streams, iterator = stream_of(corrected.url)
    barrier = Barrier(THREADS)

    def run(number: int) -> None:
        barrier.wait()
        for turn in range(ROUNDS):
            if number % 2:
                assert not transact(tables, put_once(f"never-{number}-{turn}"), put_once("busy"))
            else:
                tables.put_item(TableName=TABLE, Item=key(f"kept-{number}-{turn}"))

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(run, range(THREADS)))
    wanted = {f"kept-{number}-{turn}" for number in range(0, THREADS, 2) for turn in range(ROUNDS)}
    assert {pk for pk in wanted if "Item" in tables.get_item(TableName=TABLE, Key=key(pk))} == wanted
    streamed = new_records(streams, iterator)
    assert sorted(streamed) == sorted(("INSERT", pk) for pk in wanted)


def test_a_conditional_counter_counts_every_success(corrected: Emulator) -> None:
    tables = client(corrected.url, "dynamodb")

    def run(_: int) -> int:
        successes = 0
        for _turn in range(ROUNDS):
            try:
                tables.update_item(
                    TableName=TABLE,
                    Key=key("counter"),
                    UpdateExpression="ADD n :one",
                    ConditionExpression="attribute_not_exists(n) OR n < :limit",
                    ExpressionAttributeValues={":one": {"N": "1"}, ":limit": {"N": "100"}},
                )
                successes += 1
            except ClientError as error:
                assert error.response["Error"]["Code"] == "ConditionalCheckFailedException"  # noqa: PT017 - both ends are fine
        return successes

    with ThreadPoolExecutor(THREADS) as pool:
        assert sum(pool.map(run, range(THREADS))) == 100
    assert tables.get_item(TableName=TABLE, Key=key("counter"))["Item"]["n"] == {"N": "100"}


def test_queries_find_what_they_should_page_by_page(corrected: Emulator) -> None:
    tables = corrected.client("dynamodb")
    for number in range(25):
        tables.put_item(TableName=TABLE, Item=key("paged", f"{number:02}"))

    def query(**options: Any) -> list[str]:
        pages = tables.get_paginator("query").paginate(TableName=TABLE, Limit=4, **options)
        return [item["sk"]["S"] for page in pages for item in page["Items"]]

    here = {"KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": "paged"}}}
    everything = [f"{number:02}" for number in range(25)]
    assert query(**here) == everything
    assert query(**here, ScanIndexForward=False) == everything[::-1]
    between = {":p": {"S": "paged"}, ":a": {"S": "03"}, ":b": {"S": "07"}}
    condition = "pk = :p AND sk BETWEEN :a AND :b"
    assert query(KeyConditionExpression=condition, ExpressionAttributeValues=between) == everything[3:8]
    nowhere = {"KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": "nowhere"}}}
    assert query(**nowhere) == []
