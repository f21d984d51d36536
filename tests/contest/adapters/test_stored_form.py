"""Test the stored form of values, the forms of earlier versions, and the retries after the store's refusals."""

from __future__ import annotations

import zlib
from typing import Any
from unittest.mock import patch

import pytest
from botocore.exceptions import ClientError
from pynamodb.exceptions import PutError, TransactWriteError
from pynamodb.transactions import TransactWrite

from contest.adapters import aws
from contest.adapters.aws import atomic_writes
from contest.channel.store import AttachmentItem, attachment_of
from contest.cycle.rules.cycle import EXPERTS, Parameters
from contest.exchange.store import FileItem, delivery_of
from contest.session.rules.delivery import Answer
from contest.session.store import UseItem
from contest.values import read_as
from tests.stage import Program, Stage


def test_a_score_record_lies_there_as_the_packed_bytes_that_are_served(stage: Stage, red: Program) -> None:
    red.open(files=1)
    red.play()
    stage.score_all()
    items = aws.client("dynamodb").scan(TableName="scores")["Items"]
    (record,) = [each["record"]["B"] for each in items if each["sk"]["S"].startswith("SCORE#")]
    assert zlib.decompress(record).decode() == red.get("files/1/score").text


@pytest.mark.parametrize(("code", "tries"), [("AccessDenied", 1), ("SlowDown", 1), ("ConditionalRequestConflict", 3)])
def test_only_two_writers_are_waited_out(stage: Stage, monkeypatch: pytest.MonkeyPatch, code: str, tries: int) -> None:
    made = []

    def refuse(**_: Any) -> None:
        made.append(code)
        raise ClientError({"Error": {"Code": code}}, "PutObject")

    monkeypatch.setattr(aws.client("s3"), "put_object", refuse)
    with pytest.raises(ClientError, match=code):
        stage.platform.blobs.put_if_absent("a", b"b")
    assert len(made) >= tries
    assert (len(made) == 1) is (tries == 1)


def test_a_use_that_cannot_be_noted_costs_nobody_a_request(stage: Stage, red: Program) -> None:
    failing = ClientError({"Error": {"Code": "InternalServerError", "Message": "x"}}, "PutItem")
    with patch.object(UseItem, "save", side_effect=PutError(cause=failing)) as tried:
        assert red.open().status == 201
    assert tried.called
    assert stage.platform.requests.uses("red") == {}


def test_a_transaction_that_meets_another_is_tried_again_with_all_its_writes(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy = ClientError({"Error": {"Code": "TransactionInProgressException", "Message": "x"}}, "TransactWriteItems")
    commit, met, pauses = TransactWrite._commit, list[TransactWrite](), list[int]()

    def meet(transaction: TransactWrite) -> Any:
        if transaction not in met:
            met.append(transaction)
            raise TransactWriteError("busy", cause=busy)
        return commit(transaction)

    monkeypatch.setattr(TransactWrite, "_commit", meet)
    monkeypatch.setattr(aws, "back_off", pauses.append)
    with atomic_writes() as transaction:
        for name in ("a", "b"):
            transaction.save(FileItem(name, "FILE#0001", number=1, handed_out_at=1, answer_by=2, sends=0, version=0))
    assert (met, pauses) == ([transaction], [0])
    assert [FileItem.get(name, "FILE#0001").number for name in ("a", "b")] == [1, 1]


FILE = {
    "pk": {"S": "SESSION#100000000000001"},
    "sk": {"S": "FILE#0001"},
    "number": {"N": "1"},
    "handed_out_at": {"N": "1000"},
    "answer_by": {"N": "61000"},
    "sends": {"N": "1"},
    "latest_sha256": {"S": "a"},
    "answer": {"S": '{"send": 1, "received_at": 5000, "content_sha256": "a"}'},
    "refusals": {"N": "2"},
    "version": {"N": "2"},
}
ATTACHMENT = {
    "pk": {"S": "SESSION#100000000000001"},
    "sk": {"S": "ATTACHMENT"},
    "connection_id": {"S": "c"},
    "absences": {"S": "[[1, null]]"},
    "version": {"N": "1"},
}


def test_what_an_earlier_version_did_not_store_is_what_it_meant() -> None:
    assert delivery_of(FileItem.from_raw_data(FILE)).answer == Answer(1, 5000, "a", decided_at=5000, begun_at=5000)
    result = attachment_of(AttachmentItem.from_raw_data(ATTACHMENT))
    assert (result.since, result.owes_reason) == (None, False)


def test_parameters_that_say_nothing_of_experts_mean_the_usual_ones() -> None:
    rules = {"files": [1, 2], "interval_s": [60, 60], "request_s": 10, "answer_s": 50, "total_s": 60, "join_s": 120}
    usual = {"enabled": True, "every_hours": 4, "lead_s": 600}
    names = (
        *("version", "announced_at", "sessions_per_day", "idle_timeout_s", "sends_per_file", "requests_per_second"),
        *("readiness_min_files", "readiness_min_share", "bootstrap_seed", "track"),
    )
    stored = dict.fromkeys(names, 1) | {"time_limit_s": [10, 60, 60]}
    parameters = read_as(Parameters, {**stored, "technical": rules, "technical_times": usual, "final": rules})
    assert parameters.experts == EXPERTS
