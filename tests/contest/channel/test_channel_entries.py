"""Entry to the event channel: clients admitted, by token and protocol, and clients sent away."""

from __future__ import annotations

import pytest

from contest.channel import connections, events, pushing
from contest.channel.dialects import DIALECTS
from contest.channel.rules import NAMESPACES, STRANGERS_GREETINGS
from contest.people.teams import add_team, issue_token, revoke_token
from tests.contest.channel.speaking import breaks, frame, names, start
from tests.fakes_channel import ChannelPlatform, SocketClient
from tests.stage import Context


def test_the_first_frames_come_before_anything_else(client: SocketClient) -> None:
    assert client.told == ["greeting", ("welcome", "/pku")]


def back_while_failing(
    platform: ChannelPlatform, token: str, monkeypatch: pytest.MonkeyPatch, write: str
) -> tuple[SocketClient, str]:
    """Let a client come back while a write of its entry fails; return it with its session."""
    client = SocketClient(platform, token)
    session_id = start(client)[0].payload["sessionId"]
    client.drops()
    back = SocketClient(platform, token, enters=False)
    with monkeypatch.context() as patched:
        patched.setattr(events, "platform", lambda: platform)
        patched.setattr(platform.connections, write, breaks)
        assert events.serve(frame(back, "40/pku,"), Context())["statusCode"] == 500
    return back, session_id


def test_an_entry_that_fails_cuts_off(platform: ChannelPlatform, token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that cannot be attached to its session is disconnected: connected, it would still count as away."""
    back, _ = back_while_failing(platform, token, monkeypatch, "attach")
    assert back.connection_id not in platform.sockets.open
    assert ("welcome", "/pku") not in back.told


def test_who_was_welcomed_stays(platform: ChannelPlatform, token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The platform's fault must not look like a connection that the client has lost."""
    back, session_id = back_while_failing(platform, token, monkeypatch, "mark_pushed")
    assert names(back.heard()) == ["session-reconnect-success", "session-file-available"]
    assert not platform.connections.attachments[session_id].is_away


@pytest.mark.parametrize("revision", ["3", "4"])
def test_of_who_has_no_good_token_nothing_is_stored(platform: ChannelPlatform, revision: str) -> None:
    query = {"EIO": revision, "transport": "websocket", "token": "hrd_" + "x" * 43}
    platform.sockets.open.add("stranger")
    assert connections.connect(platform, "stranger", query, platform.clock.now())
    assert platform.connections.known == {}
    platform.carry()
    assert platform.connections.known == {}
    refused = {"/pku": "connection-auth-error", "/baseline": "connection_auth_error", "/toy-1": "connection_auth_error"}
    # Told to part, a client does not come back by itself.
    said = ["greeting", *(each for name, event in refused.items() for each in (("welcome", name), event, "part"))]
    assert [getattr(each, "name", each) for each in platform.sockets.told["stranger"]] == said
    assert "stranger" not in platform.sockets.open


def test_a_stranger_who_is_gone_costs_ten_tries_and_no_more(platform: ChannelPlatform) -> None:
    query = {"EIO": "4", "transport": "websocket", "token": "hrd_" + "x" * 43}
    assert connections.connect(platform, "stranger", query, platform.clock.now())
    tries = 0
    while due := platform.pushes.taken(platform.clock.now()):
        tries += len(due)
        for push in due:
            pushing.pushed(platform, push)
    assert tries == 1 + STRANGERS_GREETINGS


def test_who_is_turned_away_is_told_wherever_clients_speak() -> None:
    assert set(NAMESPACES) == set(DIALECTS)


def test_a_revoked_token_dies_within_a_minute(platform: ChannelPlatform) -> None:
    token, stored = issue_token(platform, "tests", "red")
    client = SocketClient(platform, token)
    client.heard()
    revoke_token(platform, "tests", "red", stored.token_id)
    platform.clock.advance(60)
    assert names(start(client)) == ["connection-auth-error"]


def test_a_later_connection_takes_the_earlier_ones_place(platform: ChannelPlatform, token: str) -> None:
    first = SocketClient(platform, token)
    session_id = start(first)[0].payload["sessionId"]
    second = SocketClient(platform, token)
    assert first.connection_id not in platform.sockets.open
    assert platform.connections.attachments[session_id].connection_id == second.connection_id
    assert not platform.connections.attachments[session_id].is_away


def test_a_namespace_that_is_not_there_is_refused(platform: ChannelPlatform, client: SocketClient) -> None:
    connections.enter(platform, DIALECTS, client.connection_id, "/elsewhere", {}, platform.clock.now())
    assert client.told[-1] == ("refused", "/elsewhere")


def test_a_greeting_that_overtakes_the_gateway_comes_again(platform: ChannelPlatform, token: str) -> None:
    query = {"EIO": "3", "transport": "websocket", "token": token}
    assert connections.connect(platform, "slow", query, platform.clock.now())
    for _ in range(3):
        (push,) = platform.pushes.taken(platform.clock.now())
        pushing.pushed(platform, push)
    platform.sockets.open.add("slow")
    platform.carry()
    assert platform.sockets.told["slow"] == ["greeting"]


def test_a_connection_that_never_comes_is_given_up(platform: ChannelPlatform, token: str) -> None:
    query = {"EIO": "4", "transport": "websocket", "token": token}
    assert connections.connect(platform, "lost", query, platform.clock.now())
    platform.carry()
    assert platform.pushes.waiting == []
    assert platform.connections.all() == []


def test_another_token_on_a_connection_has_no_session(platform: ChannelPlatform, client: SocketClient) -> None:
    start(client)
    add_team(platform, "tests", "blue", "Blue")
    blue = {"token": issue_token(platform, "tests", "blue")[0]}
    connections.enter(platform, DIALECTS, client.connection_id, "/pku", blue, platform.clock.now())
    known = platform.connections.get(client.connection_id)
    assert known is not None
    assert known.session_id == ""
    (refused,) = client.says("session-reconnect")
    assert (refused.name, set(refused.payload)) == ("session-reconnect-error", {"message"})


@pytest.mark.parametrize("token", ["\ud800", "", "x" * 100_000, "hrd_" + "я" * 43])
def test_without_a_token_of_the_right_form_nobody_comes_in(platform: ChannelPlatform, token: str) -> None:
    query = {"EIO": "3", "transport": "websocket", "token": token}
    assert not connections.connect(platform, "c", query, platform.clock.now())
    assert not connections.connect(platform, "c", {"EIO": "3"}, platform.clock.now())
    assert (platform.connections.known, platform.pushes.waiting) == ({}, [])
