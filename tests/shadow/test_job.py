"""The function on emulated services: items as they are stored, objects, the queue's messages."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from boto3.dynamodb.types import TypeSerializer

from contest.adapters import aws
from shadow import job
from shadow import source as facts
from shadow.source import Cell, compared, value_of
from tests.stage import Context, Stage, staged
from tests.stage_services import BUCKET
from tests.toys import ToyTrack


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


def essay(above: float | None, below: float | None, experts: int = 2) -> dict[str, Any]:
    return {"algorithm_accuracy": above, "expert_accuracy": below, "experts": experts}


RIGHT = {"algorithm_accuracy": 60.0, "expert_accuracy": 80.0, "relative_accuracy": 75.0, "essays": 2}
SCORES = [essay(90.0, 60.0), essay(30.0, 100.0)]


def test_accuracies_are_plain_means_and_their_ratio_and_an_aggregate_that_is_not_is_found() -> None:
    assert job.plain(SCORES) == RIGHT
    assert list(job.unlike_plain(RIGHT, SCORES)) == []
    (cell,) = job.unlike_plain({**RIGHT, "relative_accuracy": 75.001}, SCORES)
    assert (cell.quantity, cell.platform, cell.shadow) == ("result.relative_accuracy", 75.001, 75.0)
    assert len(list(job.unlike_plain(None, SCORES))) == 4
    undefined: list[list[Any]] = [[], [essay(90.0, None)], [essay(None, 60.0)], [essay(90.0, 60.0, experts=1)]]
    for scores in (*undefined, [essay(1.0, 0.0)], ["points"]):  # left to the library
        assert job.plain(scores) is None
        assert list(job.unlike_plain({"relative_accuracy": 1.0}, scores)) == []


def test_equal_results_share_a_place_and_undefined_ones_are_the_tracks_to_rank() -> None:
    def entries(**values: float | None) -> list[Any]:
        return [{"team_id": team, "result": {"relative_accuracy": value}} for team, value in values.items()]

    result = job.places_of(ToyTrack(), entries(red=90.0, blue=95.0, grey=90.0, pink=10.0))
    assert result == {"blue": 1, "red": 2, "grey": 2, "pink": 4}
    assert job.places_of(ToyTrack(), entries(red=None, blue=5.0)) == {"blue": 1, "red": 2}
    assert job.places_of(ToyTrack(), []) == {}


def test_every_place_that_differs_is_a_cell_which_says_where_and_what_in_both_languages() -> None:
    platform = {"a": 1, "b": [1, {"c": None}], "d": 100, "only": 1}
    shadow = {"a": 2, "b": [1, {"c": 3}], "d": 100.0, "other": True}
    assert [(each.quantity, each.platform, each.shadow) for each in compared("result", platform, shadow)] == [
        ("result.a", 1, 2),
        ("result.b[1].c", None, 3),
        ("result.only", 1, None),
        ("result.other", None, True),
    ]
    assert compared("score", [1, 2], [1]) == [Cell("score", [1, 2], [1])]
    assert compared("state", True, 1) == [Cell("state", True, 1)]
    assert compared("cause", None, None) == []
    result = Cell("cause", "team_late", None, 7, "red", "1").to_dict()
    assert (
        result["message"] == "red, file 7: the cause of the annulment: the platform has team_late, the recomputation —"
    )
    assert result["message_ru"] == "red, файл 7: причина аннулирования: у платформы team_late, при пересчёте —"
    assert Cell("place", 1, 2, 0, "red").to_dict()["message"].startswith("red: the place on the board: ")
    assert Cell("board", 1, 2).to_dict()["message"].startswith("who is on the board: ")
    assert len(Cell("receipt", "x" * 500, None).to_dict()["message"]) < 200


def test_every_quantity_that_is_compared_has_its_words() -> None:
    text = "".join(path.read_text("utf-8") for path in Path(facts.__file__).parent.glob("*.py"))
    used = {each.partition(".")[0] for each in re.findall(r'(?:Cell|compared|_bytes)\(f?"([a-z_.]+)', text)}
    assert used == set(facts.QUANTITIES)
