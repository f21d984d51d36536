"""Test requests that bypass the front, and messages of queues whose work failed."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from typing import Any

import pytest

from contest import settings
from contest.adapters import aws
from contest.edge import guards
from contest.operations.store import QueueError, SqsRedelivery
from contest.routes import ROUTES, Function, Route
from tests.stage import Context, Program, Stage
from tests.stage_services import ORIGIN_SECRET, REGION, handler_of, queue_url

UNKNOWN = "$default"


def event(stage: Stage, route: Route, said: str | None, token: str | None = None) -> dict[str, Any]:
    """Return the gateway's event of a route; ``said`` is the distribution's header, None for a request past it."""
    made = stage.event(route.method, re.sub(r"{\w+}", "1", route.path), None, token, None)
    del made["headers"][settings.ORIGIN_HEADER]
    made["headers"] |= {} if said is None else {settings.ORIGIN_HEADER: said}
    made["routeKey"] = made["requestContext"]["routeKey"] = route.key
    return made


def test_past_the_front_no_route_answers_and_what_is_none_is_told_nothing(stage: Stage) -> None:
    for route in ROUTES:
        handler = handler_of(route.function.lower())
        for said in (None, "", "guessed", ORIGIN_SECRET.upper(), f"{ORIGIN_SECRET},x", "\udc00"):
            passed = handler(event(stage, route, said), Context())
            assert (passed["statusCode"], passed["body"]) == (403, '{"message":"Forbidden"}'), (route.key, said)
        assert handler(event(stage, route, ORIGIN_SECRET), Context())["body"] != passed["body"], route.key
    made = event(stage, ROUTES[0], None) | {"routeKey": UNKNOWN}
    assert handler_of(Function.PUBLIC.lower())(made, Context())["statusCode"] == 403


def test_past_the_front_a_good_token_is_none(stage: Stage, red: Program) -> None:
    (route,) = (each for each in ROUTES if each.key == "GET /v1/sessions")
    authorize = handler_of("authorize")
    said = [authorize(event(stage, route, each, red.token), Context())["isAuthorized"] for each in (None, "x")]
    assert said == [False, False]
    assert authorize(event(stage, route, ORIGIN_SECRET, red.token), Context())["isAuthorized"]


def test_without_a_secret_nobody_is_trusted(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """A deployment that forgot it must not take an empty header for the right one."""
    monkeypatch.setenv(settings.ORIGIN_SECRET, "")
    monkeypatch.setattr(settings, "origin_secret", settings.origin_secret.__wrapped__)
    (route,) = (each for each in ROUTES if each.key == "GET /v1/keys")
    with pytest.raises(settings.SettingsError, match=settings.ORIGIN_SECRET):
        handler_of("public")(event(stage, route, ""), Context())


def test_an_answer_for_everybody_says_how_long_it_may_be_kept_and_no_other_may(stage: Stage, red: Program) -> None:
    for path, kept in (("/v1/cycle", 10), ("/v1/keys", 60), ("/v1/runs", 2), ("/docs", 300), ("/v1/openapi.json", 300)):
        answered = stage.request("GET", path)
        assert (answered.status, answered.headers["cache-control"]) == (200, f"public, max-age={kept}")
    for path in ("/v1/runs/nowhere", "/v1/runs?limit=many", "/nothing"):
        assert "max-age" not in stage.request("GET", path).headers["cache-control"]
    red.open()
    assert red.get().headers["cache-control"] == "private, no-cache"
    assert red.get("next").headers["cache-control"] == "no-store"


def test_what_depends_on_who_asks_is_never_kept_and_what_everybody_may_ask_has_a_limit() -> None:
    assert [route.key for route in ROUTES if route.cached_s and not route.public] == []
    public = [route for route in ROUTES if route.public]
    assert {route.function for route in public} == {Function.PUBLIC}
    assert all(route.limit is not None for route in public)
    assert [route.key for route in public if not route.cached_s] == [
        "POST /v1/notation/parse",
        "POST /v1/notation/render",
    ]


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


def test_failed_messages_return_after_the_functions_timeout(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    records = received(stage, "good", "bad", "bad")
    with monkeypatch.context() as asked:
        asked.setattr(SqsRedelivery, "soon", lambda *_: pytest.fail("asked"))
        assert guards.consume(records[:1], fails, Context()) == {"batchItemFailures": []}, "all is done"
    returns: list[tuple[str, Sequence[str], int]] = []
    real = SqsRedelivery.soon

    def noted(self: SqsRedelivery, arn: str, handles: Sequence[str]) -> None:
        returns.append((arn, handles, self._after_s))
        real(self, arn, handles)

    monkeypatch.setattr(SqsRedelivery, "soon", noted)
    outcome = guards.consume(records, fails, Context())
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


def test_a_message_that_cannot_return_is_named_all_the_same(stage: Stage, caplog: pytest.LogCaptureFixture) -> None:
    [record] = received(stage, "bad")
    with pytest.raises(QueueError):
        SqsRedelivery(29).soon(ARN, ["of no message"])
    with caplog.at_level(logging.ERROR):
        outcome = guards.consume([record | {"receiptHandle": "of no message"}], fails, Context())
    assert outcome == {"batchItemFailures": [{"itemIdentifier": record["messageId"]}]}
    assert [record.message for record in caplog.records] == ["message failed", "messages stay hidden"]
