"""Requests that bypass the front, messages whose work failed, and a failure found in the log.

A failure is found by what the caller, the queue or the gateway knows it by.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from io import StringIO
from typing import Any, NoReturn

import pytest

import authorize.api
import dispatch.api
import dispatch.public
import dispatch.push
import dispatch.socket
import score.relay
import score.worker
from contest import settings
from contest.adapters import aws
from contest.edge import guards
from contest.edge.guards import log
from contest.operations.store import QueueError, SqsRedelivery
from contest.routes import ROUTES, Function, Route
from contest.session import access
from contest.wiring import Wiring
from tests.stage import Context, Program, Stage
from tests.stage_services import ORIGIN_SECRET, REGION, handler_of, queue_url

UNKNOWN = "$default"


def event(stage: Stage, route: Route, header: str | None, token: str | None = None) -> dict[str, Any]:
    """Return the gateway's event of a route; ``header`` is the distribution's header, None for a request past it."""
    request = stage.event(route.method, re.sub(r"{\w+}", "1", route.path), None, token, None)
    del request["headers"][settings.ORIGIN_HEADER]
    request["headers"] |= {} if header is None else {settings.ORIGIN_HEADER: header}
    request["routeKey"] = request["requestContext"]["routeKey"] = route.key
    return request


def test_past_the_front_no_route_answers_and_what_is_none_is_told_nothing(stage: Stage) -> None:
    for route in ROUTES:
        handler = handler_of(route.function.lower())
        for header in (None, "", "guessed", ORIGIN_SECRET.upper(), f"{ORIGIN_SECRET},x", "\udc00"):
            passed = handler(event(stage, route, header), Context())
            assert (passed["statusCode"], passed["body"]) == (403, '{"message":"Forbidden"}'), (route.key, header)
        assert handler(event(stage, route, ORIGIN_SECRET), Context())["body"] != passed["body"], route.key
    request = event(stage, ROUTES[0], None) | {"routeKey": UNKNOWN}
    assert handler_of(Function.PUBLIC.lower())(request, Context())["statusCode"] == 403


def test_past_the_front_a_good_token_is_none(stage: Stage, red: Program) -> None:
    (route,) = (route_ for route_ in ROUTES if route_.key == "GET /v1/sessions")
    authorize = handler_of("authorize")
    admitted = [
        authorize(event(stage, route, admitted, red.token), Context())["isAuthorized"] for admitted in (None, "x")
    ]
    assert admitted == [False, False]
    assert authorize(event(stage, route, ORIGIN_SECRET, red.token), Context())["isAuthorized"]


def test_without_a_secret_nobody_is_trusted(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """A deployment that forgot it must not take an empty header for the right one."""
    monkeypatch.setenv(settings.ORIGIN_SECRET, "")
    monkeypatch.setattr(settings, "origin_secret", settings.origin_secret.__wrapped__)
    (route,) = (entry for entry in ROUTES if entry.key == "GET /v1/keys")
    with pytest.raises(settings.SettingsError, match=settings.ORIGIN_SECRET):
        handler_of("public")(event(stage, route, ""), Context())


def test_an_answer_for_everybody_says_how_long_it_may_be_kept_and_no_other_may(stage: Stage, red: Program) -> None:
    for path, seconds in (
        ("/v1/cycle", 10),
        ("/v1/keys", 60),
        ("/v1/runs", 2),
        ("/docs", 300),
        ("/v1/openapi.json", 300),
    ):
        answered = stage.request("GET", path)
        assert (answered.status, answered.headers["cache-control"]) == (200, f"public, max-age={seconds}")
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
    with monkeypatch.context() as context:
        context.setattr(SqsRedelivery, "soon", lambda *_: pytest.fail("asked"))
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


logger = log()

pytestmark = pytest.mark.integration

OF_NO_ONE = "ffffffffffffffffffff"


@pytest.fixture
def lines_logged(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], list[dict[str, Any]]]]:
    """Return a reader of the lines written so far."""
    stream = StringIO()
    monkeypatch.setattr(logger.registered_handler, "stream", stream)
    before = logger.log_level
    logger.setLevel("INFO")
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    logger.setLevel(before)


def burns(*_: Any, **__: Any) -> NoReturn:
    raise RuntimeError("the table is on fire")


def request_event(red: Program, request_id: str) -> Any:
    """Send an event of a request of the team, under the gateway's id for it."""
    event = red.stage.event("GET", "/v1/sessions", None, red.token, None)
    event["routeKey"] = "GET /v1/sessions"
    event["requestContext"]["requestId"] = request_id
    event["requestContext"]["authorizer"] = {"lambda": {"role": "program", "team_id": "red", "token_id": "k"}}
    return event


def test_a_500_is_found_by_its_bodys_id(red: Program, lines_logged: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    dispatch.api.handler(request_event(red, "before"), Context())
    with monkeypatch.context() as broken:
        broken.setattr(access, "list_sessions", burns)
        answered = dispatch.api.handler(request_event(red, "the-one"), Context())
    red.stage.advance(1)
    dispatch.api.handler(request_event(red, "after"), Context())
    error = json.loads(answered["body"])["error"]
    assert (answered["statusCode"], error["code"], error["request_id"]) == (500, "internal", "the-one")
    fault, request = (line for line in lines_logged() if line.get("correlation_id") == error["request_id"])
    assert "the table is on fire" in fault["exception"]
    assert "Traceback" in fault["exception"]
    for line in (fault, request):
        assert (line["route"], line["team_id"], line["token_id"]) == ("GET /v1/sessions", "red", "k")
        assert (line["function_name"], line["function_request_id"]) == (Context.function_name, Context.aws_request_id)
    assert request["status"] == 500
    assert [line["correlation_id"] for line in lines_logged() if "exception" in line] == ["the-one"]
    assert red.token not in str(lines_logged())


def test_the_callers_own_address_is_in_the_log_whatever_the_caller_writes(red: Program, lines_logged: Any) -> None:
    """CloudFront adds the caller's address behind what the caller wrote, and the gateway adds CloudFront's."""
    for hops in ("203.0.113.7, 192.0.2.1", "6.6.6.6, 203.0.113.7, 192.0.2.1", "192.0.2.1"):
        event = request_event(red, "r")
        event["headers"]["x-forwarded-for"] = hops
        dispatch.api.handler(event, Context())
    context = {"routeKey": "$connect", "connectionId": "c1", "requestId": "r1", "requestTimeEpoch": 0}
    headers = {"X-Hurdle-Origin": ORIGIN_SECRET, "X-Forwarded-For": "6.6.6.6,203.0.113.8, 192.0.2.1"}
    dispatch.socket.handler({"requestContext": context, "headers": headers}, Context())
    assert [line["address"] for line in lines_logged()] == ["203.0.113.7", "203.0.113.7", "", "203.0.113.8"]


def test_what_one_request_is_about_is_not_said_of_the_next(red: Program, lines_logged: Any) -> None:
    dispatch.api.handler(request_event(red, "first"), Context())
    event = red.stage.event("GET", "/v1/keys", None, None, None)
    dispatch.public.handler({**event, "routeKey": "GET /v1/keys"}, Context())
    logger.info("outside")
    first, public, outside = lines_logged()
    assert (first["team_id"], public["route"]) == ("red", "GET /v1/keys")
    assert "team_id" not in public
    assert not {"team_id", "route", "correlation_id"} & set(outside)


def test_a_frame_that_fails_is_found(red: Program, lines_logged: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Wiring, "connections", property(burns))
    context = {"routeKey": "$disconnect", "connectionId": "c1", "requestId": "r1", "requestTimeEpoch": 0}
    answered = dispatch.socket.handler({"requestContext": context}, Context())
    assert answered == {"statusCode": 500}
    (fault,) = lines_logged()
    assert (fault["connection_id"], fault["route"], fault["correlation_id"]) == ("c1", "$disconnect", "r1")
    assert "the table is on fire" in fault["exception"]


def test_a_message_that_fails_is_found_by_its_session_and_its_file(red: Program, lines_logged: Any) -> None:
    red.open()
    red.get("files/1")
    red.answer(1, {"letters": "abcd"})
    (image,) = red.stage.outbox()
    good = {"session_id": red.session_id, "number": 1, "content_sha256": image["content_sha256"]["S"]}
    bad = {**good, "session_id": OF_NO_ONE, "number": 7}
    records = [{"messageId": job["session_id"], "body": json.dumps(job)} for job in (bad, good)]
    answered = score.worker.handler({"Records": [*records, {"messageId": "text", "body": "no json"}]}, Context())
    assert answered == {"batchItemFailures": [{"itemIdentifier": OF_NO_ONE}, {"itemIdentifier": "text"}]}
    unknown, unread = (line for line in lines_logged() if line["message"] == "message failed")
    assert json.loads(unknown["asked"]) == bad
    assert (unknown["message_id"], unknown["function_request_id"]) == (OF_NO_ONE, Context.aws_request_id)
    assert (unread["message_id"], unread["asked"]) == ("text", "no json")
    assert red.get("files/1/score").status == 200


def test_a_push_that_fails_keeps_no_other_back(
    red: Program, lines_logged: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []

    def pushed(_: Any, push: Any) -> None:
        if push.connection_id == "c1":
            burns()
        done.append(push.connection_id)

    monkeypatch.setattr("dispatch.push.push_files", pushed)
    asking = [{"kind": "file", "at": at, "connection_id": f"c{at}"} for at in (3, 1, 2)]
    records = [{"messageId": f"m{push['at']}", "body": json.dumps(push)} for push in asking]
    assert dispatch.push.handler({"Records": records}, Context()) == {"batchItemFailures": [{"itemIdentifier": "m1"}]}
    assert done == ["c2", "c3"]  # by their times, whatever their order in the batch
    (fault,) = (line for line in lines_logged() if line["message"] == "message failed")
    assert json.loads(fault["asked"])["connection_id"] == "c1"


def test_a_small_function_tells_its_failures(red: Program, lines_logged: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    event = request_event(red, "knocking")
    monkeypatch.setattr(Wiring, "people", property(burns))
    with suppress(RuntimeError):
        authorize.api.handler(event, Context())
    monkeypatch.setattr(Wiring, "queue", property(burns))
    with pytest.raises(RuntimeError, match="fire"):
        score.relay.handler({"Records": []}, Context())
    refused, relayed = lines_logged()
    assert (refused["correlation_id"], refused["route"]) == ("knocking", "GET /v1/sessions")
    assert "the table is on fire" in refused["exception"]
    assert (relayed["jobs"], relayed["function_request_id"]) == ([], Context.aws_request_id)
    assert red.token not in str(lines_logged())
