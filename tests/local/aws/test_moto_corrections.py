"""Each correction of moto is needed: one process shows its fault in plain moto, another that it is gone.

A test that is red because plain moto no longer has the fault says that moto was mended: take the correction out, with
its row here and its line in `moto_corrections`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from local.environment import base_environment
from tests.local.aws import moto_faults

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[3]
_QUEUES = "moto.sqs.models.SQSBackend"
_TABLES = "moto.dynamodb.models"
WRONG_ANSWERS: dict[str, tuple[Any, Any]] = {
    "cancelled_transaction": (["phantom"], ["after"]),
    "copied_table": (True, False),
    "failed_update": (True, False),
    "upsert": (2, 1),
    "overwritten": (3, 1),
    "lost_message": (True, False),
    "returned_message": (0, 1),
    "visible_at_once": (False, True),
}
"""Each fault by its measure: the answer of plain moto, and the right one."""
LONG_WAYS = (
    "query",
    "answer",
    "operations",
    "request_id",
    "headers",
    "condition",
    "update",
    "made_item",
    "weighed_item",
    "compared_key",
    "copied_item",
    "answered_item",
    "retention",
)
"""Measures whose calls plain moto makes half as many again, at least."""
REPLACED = {
    "http.client.parse_headers": "headers",
    "moto.core.common_models.BaseModel.__new__": "overwritten",
    "moto.core.responses.method_names_from_class": "operations",
    "moto.core.serialize.BaseJSONSerializer._serialize_type_structure": "answer",
    f"{_TABLES}.DynamoDBBackend.transact_write_items": "cancelled_transaction",
    f"{_TABLES}.DynamoDBBackend.update_item": "upsert failed_update",
    f"{_TABLES}.dynamo_type.DynamoType.__deepcopy__": "copied_item",
    f"{_TABLES}.dynamo_type.DynamoType.__eq__": "compared_key",
    f"{_TABLES}.dynamo_type.DynamoType.__hash__": "compared_key",
    f"{_TABLES}.dynamo_type.DynamoType.size": "weighed_item",
    f"{_TABLES}.dynamo_type.Item.__init__": "made_item",
    "moto.dynamodb.responses.dynamo_to_dict": "answered_item",
    f"{_TABLES}.table.Table.__deepcopy__": "copied_table",
    f"{_TABLES}.table.Table.all_items": "query",
    f"{_TABLES}.table.Table.query": "query",
    "moto.dynamodb.comparisons.ConditionExpressionParser._make_operand": "condition",
    "moto.dynamodb.comparisons.ConditionExpressionParser.parse": "condition",
    "moto.dynamodb.parsing.expressions.UpdateExpressionParser.make": "update",
    "moto.moto_api._internal.moto_random.MotoRandom.get_random_string": "request_id",
    "moto.s3.models.FakeKey.__del__": "overwritten",
    "moto.sqs.models.Message.visible": "visible_at_once",
    f"{_QUEUES}.change_message_visibility": "returned_message",
    f"{_QUEUES}.delete_message": "lost_message",
    f"{_QUEUES}.is_message_valid_based_on_retention_period": "retention",
    f"{_QUEUES}.receive_message": "waiting_receiver",
    "moto.sqs.models.unix_time": "sent_at",
    "moto.sqs.models.unix_time_millis": "sent_at",
}
"""Each attribute that the corrections replace, and the measures that show its fault."""


@pytest.fixture(scope="module")
def processes() -> list[dict[str, Any]]:
    """Return what a process with plain moto and one with ours measure."""

    def measured(*arguments: str) -> dict[str, Any]:
        command = [sys.executable, "-m", moto_faults.__name__, *arguments]
        done = subprocess.run(command, env=base_environment(), cwd=ROOT, check=True, capture_output=True, text=True)
        result: dict[str, Any] = json.loads(done.stdout)
        return result

    with ThreadPoolExecutor() as pool:
        return list(pool.map(lambda arguments: measured(*arguments), ([], ["corrected"])))


@pytest.fixture(scope="module")
def plain(processes: list[dict[str, Any]]) -> dict[str, Any]:
    measures: dict[str, Any] = processes[0]["measures"]
    return measures


@pytest.fixture(scope="module")
def corrected(processes: list[dict[str, Any]]) -> dict[str, Any]:
    measures: dict[str, Any] = processes[1]["measures"]
    return measures


def test_each_replaced_attribute_has_a_fault_and_each_fault_an_attribute(processes: list[dict[str, Any]]) -> None:
    assert (processes[0]["replaced"], processes[1]["replaced"]) == ([], sorted(REPLACED))
    measured = {measure for measures in REPLACED.values() for measure in measures.split()}
    assert measured == {measure.__name__ for measure in moto_faults.MEASURES}
    assert measured == {*WRONG_ANSWERS, *LONG_WAYS, "waiting_receiver", "sent_at"}


@pytest.mark.parametrize("fault", WRONG_ANSWERS)
def test_plain_moto_answers_wrongly(fault: str, plain: dict[str, Any], corrected: dict[str, Any]) -> None:
    assert (plain[fault], corrected[fault]) == WRONG_ANSWERS[fault]


@pytest.mark.parametrize("work", LONG_WAYS)
def test_plain_moto_goes_a_long_way(work: str, plain: dict[str, int], corrected: dict[str, int]) -> None:
    assert plain[work] > 1.5 * corrected[work]


def test_a_query_passes_over_other_partitions(corrected: dict[str, int]) -> None:
    assert corrected["query"] == 0


def test_a_receiver_sleeps_until_a_message_is_due_or_its_time_is_over(plain: Any, corrected: Any) -> None:
    assert plain["waiting_receiver"] == 1
    assert 15 <= corrected["waiting_receiver"] <= 20


def test_queues_go_by_the_local_clouds_clock(plain: dict[str, float], corrected: dict[str, float]) -> None:
    assert plain["sent_at"] > moto_faults.HELD_MS * 1000
    assert corrected["sent_at"] == moto_faults.HELD_MS
