"""The event channel's edge: gateway events in, statuses out; frames heard, faults that close nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from contest import settings
from contest.channel import connections, events
from contest.channel.rules import Attachment, Push, PushKind
from contest.people.teams import add_team, issue_token
from tests.fakes_channel import ChannelPlatform
from tests.stage import Context

NOW = 1_790_000_000_000


@pytest.fixture
def platform(monkeypatch: pytest.MonkeyPatch) -> ChannelPlatform:
    made = ChannelPlatform()
    monkeypatch.setattr(events, "platform", lambda: made)
    monkeypatch.setattr(settings, "origin_secret", lambda: "secret")
    return made


def event(route: str, **more: Any) -> dict[str, Any]:
    request = {"routeKey": route, "connectionId": "one", "requestTimeEpoch": NOW, "requestId": "gateway-1"}
    return {"requestContext": request, "headers": {"X-Hurdle-Origin": "secret"}, **more}


def serve(said: dict[str, Any]) -> dict[str, Any]:
    return events.serve(said, Context())


def connected(platform: ChannelPlatform) -> ChannelPlatform:
    platform.sockets.open.add("one")
    add_team(platform, "tests", "red", "Red")
    query = {"EIO": "4", "transport": "websocket", "token": issue_token(platform, "tests", "red")[0]}
    assert serve(event("$connect", queryStringParameters=query)) == {"statusCode": 200}
    return platform


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({}, 200),
        ({"EIO": "3"}, 200),
        ({"EIO": "4", "transport": "websocket"}, 200),
        ({"EIO": "5"}, 400),
        ({"EIO": "2"}, 400),
        ({"EIO": "x"}, 400),
        ({"EIO": "4", "transport": "polling"}, 400),
        ({"token": "hrd_short"}, 400),
        (None, 400),
    ],
)
def test_only_protocols_spoken_here_are_let_in(
    platform: ChannelPlatform, query: dict[str, str] | None, status: int
) -> None:
    add_team(platform, "tests", "red", "Red")
    sent = None if query is None else {"token": issue_token(platform, "tests", "red")[0], **query}
    assert serve(event("$connect", queryStringParameters=sent)) == {"statusCode": status}
    assert (platform.connections.get("one") is not None) is (status == 200)


@pytest.mark.parametrize("headers", [{}, None, {"X-Hurdle-Origin": "guessed"}, {"X-Hurdle-Origin": ""}])
def test_who_comes_past_the_front_is_not_let_in(platform: ChannelPlatform, headers: dict[str, str] | None) -> None:
    add_team(platform, "tests", "red", "Red")
    query = {"EIO": "4", "transport": "websocket", "token": issue_token(platform, "tests", "red")[0]}
    assert serve(event("$connect", queryStringParameters=query, headers=headers))["statusCode"] == 403
    assert (platform.connections.known, platform.pushes.waiting) == ({}, [])


def test_a_connection_is_greeted_its_ping_answered_and_its_client_heard_in_a_namespace(
    platform: ChannelPlatform,
) -> None:
    connected(platform)
    known = platform.connections.get("one")
    assert known is not None
    assert (known.opened_at, platform.pushes.waiting) == (NOW, [Push(PushKind.OPENING, NOW, "one")])
    assert serve(event("$default", body="2probe")) == {"statusCode": 200}
    assert platform.sockets.told["one"] == [("pong", "probe")]
    platform.sockets.told.clear()
    serve(event("$default", body="40/pku,"))
    assert platform.sockets.told["one"] == [("welcome", "/pku")]
    platform.sockets.told.clear()
    assert serve(event("$default", body='42/pku,7["session-start",{"type":"nonsense"}]')) == {"statusCode": 200}
    acknowledged, refused = platform.sockets.told["one"]
    assert (acknowledged, refused.name) == (("ack", 7), "session-start-error")


@pytest.mark.parametrize(
    ("status", "said"),
    [
        *((200, {"body": frame}) for frame in ("41/pku,", "1")),  # who says goodbye
        *((400, said) for said in ({"body": "nonsense"}, {"body": "2", "isBase64Encoded": True}, {"body": None}, {})),
        (200, None),  # the connection is lost
    ],
)
def test_who_leaves_or_sends_what_is_no_frame_is_disconnected(
    platform: ChannelPlatform, status: int, said: dict[str, Any] | None
) -> None:
    connected(platform)
    assert serve(event("$disconnect") if said is None else event("$default", **said)) == {"statusCode": status}
    assert platform.connections.get("one") is None


@pytest.mark.parametrize(("code", "owed"), [(1009, True), (1001, False), (None, False)])
def test_a_too_large_message_owes_its_client_a_reason(platform: ChannelPlatform, code: int | None, owed: bool) -> None:
    connected(platform)
    serve(event("$default", body="40/pku,"))
    platform.connections.note(replace(platform.connections.known["one"], session_id="1" * 15), "session_id")
    ended = event("$disconnect")
    ended["requestContext"] |= {} if code is None else {"disconnectStatusCode": code, "disconnectReason": ""}
    assert serve(ended) == {"statusCode": 200}
    assert platform.connections.attachments.get("1" * 15, Attachment("")).owes_reason is owed


def fails(*_: Any, **__: Any) -> None:
    raise OSError("the platform fails here")


def test_a_fault_closes_no_connection_and_in_an_event_is_told_to_its_client(
    platform: ChannelPlatform, monkeypatch: pytest.MonkeyPatch
) -> None:
    connected(platform)
    monkeypatch.setattr(connections, "answer_heartbeat", fails)
    assert serve(event("$default", body="2")) == {"statusCode": 500}
    assert platform.connections.get("one") is not None
    serve(event("$default", body="40/pku,"))
    platform.sockets.told.clear()
    monkeypatch.setattr(connections, "carry_out_event", fails)
    assert serve(event("$default", body='42/pku,["session-start",{}]')) == {"statusCode": 200}
    assert [each.name for each in platform.sockets.told["one"]] == ["session-start-error"]
