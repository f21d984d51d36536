"""The function on emulated services: items as they are stored, objects, the queue's messages."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from boto3.dynamodb.types import TypeSerializer

from contest.adapters import aws
from shadow import job
from shadow.source import value_of
from tests.stage import Context, Stage, staged
from tests.stage_services import BUCKET


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    with staged(tmp_path) as ready:
        yield ready


def test_items_are_read_as_plain_values_and_all_of_them(stage: Stage) -> None:
    values = {
        "whole": {"N": "7"},
        "part": {"N": "0.5"},
        "text": {"S": "é"},
        "bytes": {"B": b"ab"},
        "yes": {"BOOL": True},
        "none": {"NULL": True},
        "filler": {"S": "x" * 300_000},
    }
    for number in range(5):
        key = {"pk": {"S": "SESSION#1"}, "sk": {"S": f"FILE#{number}"}}
        aws.client("dynamodb").put_item(TableName="exchange", Item={**key, **values})
    aws.client("dynamodb").put_item(TableName="exchange", Item={"pk": {"S": "SESSION#1"}, "sk": {"S": "STATE"}})
    found = job.source().items("Exchange", "SESSION#1", "FILE#")
    assert [each["sk"] for each in found] == [f"FILE#{number}" for number in range(5)]
    first = {name: found[0][name] for name in values if name != "filler"}
    assert first == {"whole": 7, "part": 0.5, "text": "é", "bytes": b"ab", "yes": True, "none": None}
    assert len(job.source().items("Exchange", "SESSION#1")) == 6


def test_small_answers_of_a_session_are_read_at_once_and_anew_in_the_next_job(stage: Stage) -> None:
    """A recomputation that is asked for again finds what was changed after the first one."""
    source = job.source()

    def write(number: int, content: bytes) -> str:
        item = {"pk": "ANSWERS#1", "sk": f"ANSWER#{number:04d}#ab"}
        values = {name: {"S": value} for name, value in item.items()} | {"content": {"B": zlib.compress(content)}}
        aws.client("dynamodb").put_item(TableName="exchange", Item=values)
        return f"answers/1/{number}/ab.json"

    answers = {write(number, b"%d" % number): b"%d" % number for number in (1, 2)}
    assert {name: source.read(name) for name in answers} == answers
    late = write(3, b"3")
    changed = write(1, b"another")
    assert (source.read(changed), source.read(late)) == (b"1", None)
    source.forget()
    assert (source.read(changed), source.read(late)) == (b"another", b"3")


def test_objects_are_read_listed_with_their_tags_and_replaced(stage: Stage) -> None:
    source = job.source()
    assert (source.read("reports/shadow/a"), dict(source.tags("reports/shadow/"))) == (None, {})
    source.write("reports/shadow/a", b"1")
    before = source.tags("reports/shadow/")["reports/shadow/a"]
    source.write("reports/shadow/a", b"2")
    assert source.read("reports/shadow/a") == b"2"
    assert source.tags("reports/shadow/")["reports/shadow/a"] != before
    assert aws.client("s3").get_object(Bucket=BUCKET, Key="reports/shadow/a")["Body"].read() == b"2"


def test_a_message_about_an_unknown_run_fails_and_comes_again(stage: Stage) -> None:
    body = json.dumps({"run_id": "unknown", "session_id": "", "again": False})
    with pytest.raises(LookupError, match="RUN#unknown"):
        job.handler({"Records": [{"body": body}]}, Context())


@pytest.mark.parametrize(
    "value", ["", "текст", 0, -7, 10**20, True, False, None, [], {}, {"a": [1, {"b": None, "c": "d"}]}, b"\x00\xff"]
)
def test_a_stored_value_is_read_as_it_was_written(value: Any) -> None:
    read = value_of(TypeSerializer().serialize(value))
    assert (read, type(read)) == (value, type(value))


@pytest.mark.parametrize(("stored", "value"), [("0.5", 0.5), ("1E+3", 1000), ("3.0", 3)])
def test_a_number_is_whole_where_it_has_no_fraction_and_a_set_is_refused(stored: str, value: float) -> None:
    read = value_of({"N": stored})
    assert (read, type(read)) == (value, type(value))
    with pytest.raises(ValueError, match="SS"):
        value_of({"SS": ["a"]})
