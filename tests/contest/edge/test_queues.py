"""A message whose work failed comes again after its function's time-out; one whose worker died stays hidden longer."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import pytest

from contest.adapters import aws
from contest.edge import queues
from contest.operations.store import QueueError, SqsRedelivery
from tests.stage import Context, Stage
from tests.stage_services import REGION, queue_url

ARN = f"arn:aws:sqs:{REGION}:123456789012:scoring"


def received(stage: Stage, *bodies: str) -> list[dict[str, Any]]:
    """Send and receive messages, as a trigger gives them to a function; they are hidden for ten minutes."""
    queue, url = aws.client("sqs"), queue_url("scoring")
    for body in bodies:
        queue.send_message(QueueUrl=url, MessageBody=body)
    messages = queue.receive_message(QueueUrl=url, MaxNumberOfMessages=10, VisibilityTimeout=600)["Messages"]
    return [
        {
            "messageId": message["MessageId"],
            "receiptHandle": message["ReceiptHandle"],
            "body": message["Body"],
            "eventSourceARN": ARN,
        }
        for message in messages
    ]


def fails(body: str) -> None:
    if body == "bad":
        raise RuntimeError("of this job")


def test_failed_messages_are_named_and_let_return_after_the_functions_timeout(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = received(stage, "good", "bad", "bad")
    returns: list[tuple[str, Sequence[str], int]] = []
    real = SqsRedelivery.soon

    def noted(self: SqsRedelivery, arn: str, handles: Sequence[str]) -> None:
        returns.append((arn, handles, self._after_s))
        real(self, arn, handles)

    monkeypatch.setattr(SqsRedelivery, "soon", noted)
    outcome = queues.consume(records, fails, Context())
    bad = [record for record in records if record["body"] == "bad"]
    assert outcome == {"batchItemFailures": [{"itemIdentifier": record["messageId"]} for record in bad]}
    assert returns == [(ARN, [record["receiptHandle"] for record in bad], 29)], "the time-out that the stage tells"


def test_they_are_there_again_when_the_time_is_over(stage: Stage) -> None:
    [record] = received(stage, "bad")
    queue, url = aws.client("sqs"), queue_url("scoring")
    assert "Messages" not in queue.receive_message(QueueUrl=url)
    SqsRedelivery(0).soon(ARN, [record["receiptHandle"]])
    [again] = queue.receive_message(QueueUrl=url)["Messages"]
    assert again["MessageId"] == record["messageId"]


def test_nothing_is_asked_of_the_queue_when_all_is_done(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    records = received(stage, "good")
    monkeypatch.setattr(SqsRedelivery, "soon", lambda *_: pytest.fail("asked"))
    assert queues.consume(records, fails, Context()) == {"batchItemFailures": []}


def test_a_message_that_cannot_be_let_return_is_named_all_the_same(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    [record] = received(stage, "bad")
    with pytest.raises(QueueError):
        SqsRedelivery(29).soon(ARN, ["of no message"])
    with caplog.at_level(logging.ERROR):
        outcome = queues.consume([record | {"receiptHandle": "of no message"}], fails, Context())
    assert outcome == {"batchItemFailures": [{"itemIdentifier": record["messageId"]}]}
    assert [record.message for record in caplog.records] == ["message failed", "messages stay hidden"]
