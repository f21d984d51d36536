"""Refusals of the event channel to a client that sends too much, too often, or something unintelligible."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contest.channel import connections, events
from contest.channel.dialects import DIALECTS
from contest.channel.rules import Emitted
from contest.errors import FileNotHandedOutError, RateLimitedError
from tests.contest.channel.speaking import ANSWER, breaks, frame, start
from tests.fakes_channel import SocketClient
from tests.stage import Context


@pytest.mark.parametrize("params", [{"countFiles": "many"}, {"time": "-1"}, {"countFiles": True}])
def test_a_wrong_parameter_is_said_in_words(client: SocketClient, params: Any) -> None:
    (refused,) = start(client, **params)
    assert refused.name == "session-start-error"
    assert next(iter(params)) in refused.payload["message"]


def test_what_is_no_answer_or_to_no_file_is_refused_and_the_file_stays(client: SocketClient) -> None:
    file = start(client)[1].payload
    (refused,) = client.says("session-file-send", {**file, "fileId": "1" * 15, "content": ANSWER})
    assert FileNotHandedOutError().message.en in refused.payload["message"]
    assert refused.payload["fileId"] == "1" * 15
    (refused,) = client.says("session-file-send", {**file, "content": '{"words": 1}'})
    assert (refused.name, set(refused.payload)) == ("session-file-send-error", {"sessionId", "fileId", "message"})
    assert (refused.payload["sessionId"], refused.payload["fileId"]) == (file["sessionId"], file["fileId"])
    assert "letters" in refused.payload["message"]
    assert client.says("session-file-send", {**file, "content": ANSWER})[0].name == "session-file-send-success"


def test_what_a_client_asks_by_itself_is_never_refused_in_red(client: SocketClient) -> None:
    """Every `-error` is shown to a person: before the first start there is nothing to say."""
    assert client.says("session-file-repeat", {"lastFileId": "Файлов ещё не было"}) == []


def test_an_unknown_event_says_nothing_and_an_acknowledgement_is_given(client: SocketClient) -> None:
    assert client.says("made-up", {}) == []
    client.says("session-reconnect", None, ack=7)
    client.told.append("mark")
    asked = Emitted("/pku", "logs-send", {}, 8)
    connections.hear(client.platform, DIALECTS, client.connection_id, asked, client.platform.clock.now())
    assert ("ack", 8) in client.told


def test_too_many_events_in_a_second_are_refused_but_never_an_answer(client: SocketClient) -> None:
    file = start(client)[1].payload
    said = [client.says("session-file-repeat")[0] for _ in range(12)]
    assert any(RateLimitedError(retry_after_s=1).message.en in each.payload.get("message", "") for each in said)
    assert client.says("session-file-send", {**file, "content": ANSWER})[0].name == "session-file-send-success"


def test_answers_beyond_a_files_first_ones_are_refused_for_the_rate(client: SocketClient) -> None:
    file = start(client)[1].payload
    rate = RateLimitedError(retry_after_s=1).message.en
    said = [client.says("session-file-send", {**file, "content": f"[{n}]"})[0] for n in range(40)]
    assert {each.name for each in said} == {"session-file-send-error"}
    assert [rate in each.payload["message"] for each in said] == [False] * 21 + [True] * 19
    client.platform.clock.advance(1)
    assert client.says("session-file-send", {**file, "content": ANSWER})[0].name == "session-file-send-success"


@pytest.mark.parametrize("named", [{"sessionId": "123"}, {"fileId": "another"}, {"sessionId": None, "fileId": 7}])
def test_answers_to_no_file_of_ones_own_are_refused_for_the_rate(client: SocketClient, named: dict[str, Any]) -> None:
    file = start(client)[1].payload
    client.platform.clock.advance(1)
    said = [client.says("session-file-send", {**file, **named, "content": ANSWER})[0] for _ in range(12)]
    rate = RateLimitedError(retry_after_s=1).message.en
    assert [rate in each.payload["message"] for each in said] == [False] * 10 + [True] * 2


def test_what_nobody_expected_is_told_as_an_error_of_the_event(
    client: SocketClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The client gets an error in two languages without details; the log has the details."""
    file = start(client)[1].payload
    monkeypatch.setattr(events, "platform", lambda: client.platform)
    monkeypatch.setattr(client.platform.deliveries, "send", breaks)
    said = json.dumps(["session-file-send", {**file, "content": ANSWER}])
    events.serve(frame(client, f"42/pku,7{said}"), Context())
    (refused,) = client.heard()
    assert (refused.name, set(refused.payload)) == ("session-file-send-error", {"sessionId", "fileId", "message"})
    assert refused.payload["fileId"] == file["fileId"]
    assert "secret" not in str(refused.payload)
    assert "table is on fire" in caplog.text


def test_bytes_end_the_connection_strange_names_not(client: SocketClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bytes reach the function as base64, which may look like a frame."""
    monkeypatch.setattr(events, "platform", lambda: client.platform)
    for body, more, status in (("40//[,", {}, 200), ("Mjpwcm9iZQ==", {"isBase64Encoded": True}, 400)):
        assert client.connection_id in client.platform.sockets.open
        assert events.serve(frame(client, body, **more), Context())["statusCode"] == status
    assert client.connection_id not in client.platform.sockets.open


@pytest.mark.parametrize(
    "payload",
    [
        {"type": ["final"]},
        {"type": {"a": 1}},
        {"type": None},
        {"type": "algorithmic", "params": {"dsType": ["train"], "countFiles": {"a": 1}}},
        {"type": "algorithmic", "params": {"lang": 7}},
        "text",
        [1],
    ],
)
def test_payloads_of_any_form_are_refused_in_words(client: SocketClient, payload: Any) -> None:
    for name in ("session-start", "session-file-send", "session-client-abort"):
        (refused, *_) = client.says(name, payload)
        assert refused.name == f"{name}-error"


def test_a_refusal_repeats_no_more_than_a_files_name(client: SocketClient) -> None:
    start(client)
    (refused,) = client.says("session-file-send", {"fileId": "x" * 100_000, "content": "{}"})
    assert len(str(refused.payload)) < 1_000
    (refused,) = client.says("session-file-send", {"fileId": "x", "content": "{}"})
    assert refused.payload["fileId"] == "x"


def test_an_event_of_another_namespace_is_not_heard(client: SocketClient) -> None:
    for namespace in ("/", "/baseline"):
        said = Emitted(namespace, "session-start", {"type": "algorithmic"})
        connections.hear(client.platform, DIALECTS, client.connection_id, said, client.platform.clock.now())
    assert client.heard() == []
