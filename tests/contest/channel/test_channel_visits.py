"""The event channel's timer: signs of life, silent connections, what could not be done."""

from __future__ import annotations

from typing import Any

import pytest

from contest.channel import connections, pushing
from contest.channel.rules import AT_A_VISIT, ENTERED_BY, PING_DUE, Connection, owes_ping
from dispatch import channel_timer
from tests.contest.channel.speaking import breaks, start
from tests.fakes_channel import ChannelPlatform, SocketClient
from tests.stage import Context


def come(platform: ChannelPlatform, token: str, *connection_ids: str) -> None:
    """Open connections that say nothing more."""
    for each in connection_ids:
        platform.sockets.open.add(each)
        query = {"EIO": "3", "transport": "websocket", "token": token}
        assert connections.connect(platform, each, query, platform.clock.now())


def test_signs_of_life_go_to_clients_of_revision_4_only(platform: ChannelPlatform, token: str) -> None:
    old, new = SocketClient(platform, token, "3"), SocketClient(platform, token, "4")
    for _ in range(4):
        platform.clock.advance(60)
        pushing.maintain(platform, platform.clock.now())
    assert (old.told.count("ping"), new.told.count("ping")) == (0, 1)
    connections.pong(platform, old.connection_id, "probe")
    assert old.told[-1] == ("pong", "probe")


def test_who_enters_nothing_is_not_kept(platform: ChannelPlatform, client: SocketClient, token: str) -> None:
    """An open connection costs the timer's time."""
    assert client.connection_id in platform.connections.known
    come(platform, token, "idle")
    for wait, left in ((ENTERED_BY - 1, 2), (1, 1)):
        platform.clock.advance(wait / 1000)
        pushing.maintain(platform, platform.clock.now())
        assert len(platform.connections.all()) == left
    assert "idle" not in platform.sockets.open


def test_one_failure_harms_no_other(platform: ChannelPlatform, token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    broken, whole = SocketClient(platform, token, "4"), SocketClient(platform, token, "4")
    ping = platform.sockets.ping

    def fails(connection: Connection) -> None:
        if connection.connection_id == broken.connection_id:
            raise RuntimeError("the gateway is busy")
        ping(connection)

    monkeypatch.setattr(platform.sockets, "ping", fails)
    platform.clock.advance(PING_DUE / 1000)
    assert len(pushing.maintain(platform, platform.clock.now()).failures) == 1
    assert whole.told[-1] == "ping"


def test_a_visit_closes_so_many_silent_connections_the_oldest_first(platform: ChannelPlatform, token: str) -> None:
    """A visit takes no longer however many connections are silent; the rest is left to the next visit."""
    come(platform, token, *(f"old-{number}" for number in range(AT_A_VISIT)))
    platform.clock.advance(1)
    come(platform, token, *(f"new-{number}" for number in range(AT_A_VISIT + 1)))
    platform.clock.advance(ENTERED_BY / 1000)
    tended = pushing.maintain(platform, platform.clock.now())
    assert (tended.retired, tended.left) == (AT_A_VISIT, AT_A_VISIT + 1)
    assert {each.partition("-")[0] for each in platform.sockets.open} == {"new"}
    assert set(platform.connections.known) == platform.sockets.open
    assert [pushing.maintain(platform, platform.clock.now()).left for _ in range(2)] == [1, 0]
    assert platform.sockets.open == set()


def test_a_visit_sends_so_many_signs_of_life_to_who_plays_nothing(platform: ChannelPlatform, token: str) -> None:
    clients = [SocketClient(platform, token, "4") for _ in range(AT_A_VISIT + 1)]
    platform.clock.advance(PING_DUE / 1000)
    visits = [pushing.maintain(platform, platform.clock.now()) for _ in range(2)]
    assert [(each.alive, each.left) for each in visits] == [(AT_A_VISIT, 1), (1, 0)]
    assert {client.told.count("ping") for client in clients} == {1}


def test_who_plays_is_seen_to_first(platform: ChannelPlatform, token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    come(platform, token, "silent")
    client = SocketClient(platform, token, "4")
    start(client)
    platform.clock.advance(PING_DUE / 1000)
    told: list[list[Any]] = []
    monkeypatch.setattr(platform.sockets, "close", lambda _: told.append(list(client.told)))
    assert pushing.maintain(platform, platform.clock.now()).playing == 1
    assert ["ping" in each for each in told] == [True]


def test_what_cannot_be_closed_is_kept(platform: ChannelPlatform, token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    come(platform, token, "stuck", "other")
    close = platform.sockets.close

    def fails(connection_id: str) -> None:
        if connection_id == "stuck":
            raise RuntimeError("the gateway is busy")
        close(connection_id)

    monkeypatch.setattr(platform.sockets, "close", fails)
    platform.clock.advance(ENTERED_BY / 1000)
    assert len(pushing.maintain(platform, platform.clock.now()).failures) == 1
    assert set(platform.connections.known) == {"stuck"}


def test_the_timer_says_what_it_did(platform: ChannelPlatform, token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    come(platform, token, "silent")
    platform.clock.advance(ENTERED_BY / 1000)
    monkeypatch.setattr(channel_timer, "platform", lambda: platform)
    with monkeypatch.context() as patched:
        patched.setattr(platform.sockets, "close", breaks)
        with pytest.raises(channel_timer.ChannelTimerError):
            channel_timer.handler({}, Context())
    assert channel_timer.handler({}, Context()) == {"playing": 0, "alive": 0, "retired": 1, "left": 0, "hooks": 0}


def test_a_ping_is_owed_after_its_time() -> None:
    connection = Connection("c", 4, 0, 0)
    assert [owes_ping(connection, PING_DUE + shift) for shift in (-1, 0)] == [False, True]
    assert not owes_ping(Connection("c", 3, 0, 0), 10 * PING_DUE)
