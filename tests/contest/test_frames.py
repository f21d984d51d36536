"""Frames of Engine.IO and Socket.IO as the published clients write and read them.

The literal frames stand in the protocols' documents (Engine.IO 3 and 4, Socket.IO 4 and 5) or were seen from
socket.io-client 2.5.
"""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.channel import frames
from contest.channel.frames import Closing, Connect, Disconnect, Event, FrameError, Nothing, Ping, Pong, Revision


@pytest.mark.parametrize(
    ("frame", "packet"),
    [
        ("1", Closing()),
        ("2", Ping()),
        ("2probe", Ping("probe")),
        ("3", Pong()),
        ("5", Nothing()),
        ("6", Nothing()),
        ("40", Connect("/", {})),
        ("40/pku,", Connect("/pku", {})),
        ("40/pku?token=hrd_a%2Bb&x=1,", Connect("/pku", {"token": "hrd_a+b", "x": "1"})),
        ("40/pku?token=t", Connect("/pku", {"token": "t"})),
        ('40/pku,{"token":"t"}', Connect("/pku", {"token": "t"})),
        ("41/pku,", Disconnect("/pku")),
        ("41", Disconnect("/")),
        ('42["logs-send"]', Event("/", "logs-send", ())),
        ('42/pku,["session-start",{"type":"final"}]', Event("/pku", "session-start", ({"type": "final"},))),
        ('42/pku,17["session-reconnect",null]', Event("/pku", "session-reconnect", (None,), 17)),
        ("43/pku,1[]", Nothing()),
        ("40//[,", Connect("//[", {})),
        ("40/" + "a" * 999 + ",", Connect("/" + "a" * 999, {})),
    ],
)
def test_a_clients_frame_is_read(frame: str, packet: Any) -> None:
    assert frames.read(frame) == packet


@pytest.mark.parametrize(
    "frame",
    [
        *("", "0{}", "7", "x", "4", "49", "42", "42{}", "42[]", "42[1]", '42["a",NaN]', "42/pku,[", "40/pku,[]"),
        *("451-[]", "40/" + "a" * 1_000 + ",", "é", pytest.param('42["a",' + "[" * 100_000, id="deep nesting")),
    ],
)
def test_what_is_no_frame_is_refused(frame: str) -> None:
    with pytest.raises(FrameError):
        frames.read(frame)


def test_the_opening_tells_the_intervals() -> None:
    said = frames.opening("c1", Revision.THREE, 25_000, 60_000)
    assert said[0] == "0"
    assert json.loads(said[1:]) == {"sid": "c1", "upgrades": [], "pingInterval": 25_000, "pingTimeout": 60_000}
    assert json.loads(frames.opening("c1", Revision.FOUR, 1, 1)[1:])["maxPayload"] == 131_072


@pytest.mark.parametrize(
    ("made", "frame"),
    [
        (frames.ping(), "2"),
        (frames.pong("probe"), "3probe"),
        (frames.connected("/", Revision.THREE, "c1"), "40"),
        (frames.connected("/pku", Revision.THREE, "c1"), "40/pku,"),
        (frames.connected("/pku", Revision.FOUR, "c1"), '40/pku,{"sid":"c1"}'),
        (frames.refused("/pku", Revision.THREE, "no"), '44/pku,"no"'),
        (frames.refused("/pku", Revision.FOUR, "no"), '44/pku,{"message":"no"}'),
        (frames.disconnected("/pku"), "41/pku,"),
        (frames.event("/pku", "session-close", {"type": "finish"}), '42/pku,["session-close",{"type":"finish"}]'),
        (frames.event("/", "эссе", "текст"), '42["эссе","текст"]'),
        (frames.acknowledged("/pku", 17, {"sessionId": "s"}), '43/pku,17[{"sessionId":"s"}]'),
    ],
)
def test_a_frame_for_the_client_is_written(made: str, frame: str) -> None:
    assert made == frame


@given(st.text(max_size=60))
def test_any_text_is_a_packet_or_refused(frame: str) -> None:
    try:
        read = frames.read(frame)
    except FrameError:
        return
    assert isinstance(read, get_args(frames.Packet)), read


@given(
    st.sampled_from(["/", "/pku", "/baseline"]),
    st.text(min_size=1, max_size=10),
    st.lists(st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5)), max_size=3),
)
def test_an_event_read_again_is_the_same(namespace: str, name: str, arguments: list[Any]) -> None:
    assert frames.read(frames.event(namespace, name, *arguments)) == Event(namespace, name, tuple(arguments))
