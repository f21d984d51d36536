"""A failure is found in the log by what the caller, the queue or the gateway knows it by."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
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
from contest.edge.guards import log
from contest.session import access
from contest.wiring import Wiring
from tests.stage import Context, Program
from tests.stage_services import ORIGIN_SECRET

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

    monkeypatch.setattr("dispatch.push.pushed", pushed)
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
