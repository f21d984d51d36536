"""The event channel's services in memory: algorithmic sessions, connections, signs of life."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fakes import FolderInMemory, toy_cycle
from fakes_channel import ChannelPlatform, SocketClient

from contest.bootstrap import socket
from contest.bootstrap.socket import DIALECTS
from contest.domain.channel import (
    ENTERED_BY,
    PING_DUE,
    Absence,
    Attachment,
    Connection,
    Emitted,
    Push,
    PushKind,
    attached,
    away_at,
    lost,
    owes_ping,
)
from contest.errors import BusyError
from contest.services import channel, pushing
from contest.services.identity import add_team, issue_token, revoke_token
from contest.services.load_cycle import load_cycle

ANSWER = json.dumps({"letters": "abcd"})


@pytest.fixture
def platform() -> ChannelPlatform:
    made = ChannelPlatform()
    load_cycle(made, "tests", "toy-1", FolderInMemory(toy_cycle()), lambda _: None)
    add_team(made, "tests", "red", "Red")
    return made


@pytest.fixture
def token(platform: ChannelPlatform) -> str:
    return issue_token(platform, "tests", "red")[0]


@pytest.fixture
def client(platform: ChannelPlatform, token: str) -> SocketClient:
    return SocketClient(platform, token)


def start(client: SocketClient, **params: Any) -> list[Any]:
    return client.says("session-start", {"type": "algorithmic", "params": {"dsType": "train", **params}})


def names(events: list[Any]) -> list[str]:
    return [each.name for each in events]


def test_the_first_frames_come_before_anything_else(client: SocketClient) -> None:
    assert client.told == ["greeting", ("welcome", "/pku")]


def test_numbers_may_come_as_strings(client: SocketClient) -> None:
    started, first = start(client, countFiles="3", time="10", lang="all")
    assert (started.name, first.name) == ("session-start-success", "session-file-available")
    session = client.platform.sessions.get(started.payload["sessionId"])
    assert session is not None
    assert (session.files, session.order.time_limit_s) == (3, 10)


@pytest.mark.parametrize("params", [{"countFiles": "many"}, {"time": "-1"}, {"countFiles": True}])
def test_a_wrong_parameter_is_said_in_words(client: SocketClient, params: Any) -> None:
    (refused,) = start(client, **params)
    assert refused.name == "session-start-error"
    assert next(iter(params)) in refused.payload["message"]


def test_a_session_is_played_to_its_end(client: SocketClient) -> None:
    events = start(client, countFiles=3)
    session_id = events[0].payload["sessionId"]
    seen = []
    while events[-1].name == "session-file-available":
        file = events[-1].payload
        seen.append(file["fileId"])
        client.platform.clock.advance(1)
        sent = {"sessionId": session_id, "fileId": file["fileId"], "content": ANSWER}
        events = client.says("session-file-send", sent)
        assert events[0].name == "session-file-send-success"
        assert events[0].payload["status"] == "accepted"
        assert events[0].payload["fileId"] == file["fileId"]
    assert len(set(seen)) == 3
    assert names(events) == ["session-file-send-success", "session-close"]
    assert events[-1].payload == {"type": "finish"}


def test_content_may_be_an_object(client: SocketClient) -> None:
    file = start(client)[1].payload
    sent = client.says("session-file-send", {**file, "content": {"letters": "abcd"}})
    assert sent[0].name == "session-file-send-success"


def test_what_is_no_answer_is_refused_with_reasons_and_the_file_stays(client: SocketClient) -> None:
    file = start(client)[1].payload
    (refused,) = client.says("session-file-send", {**file, "content": '{"words": 1}'})
    assert (refused.name, refused.payload["fileId"], refused.payload["code"]) == (
        "session-file-send-error",
        file["fileId"],
        "invalid_answer",
    )
    assert client.says("session-file-send", {**file, "content": ANSWER})[0].name == "session-file-send-success"


def test_a_file_that_was_never_handed_out_cannot_be_answered(client: SocketClient) -> None:
    file = start(client)[1].payload
    (refused,) = client.says("session-file-send", {**file, "fileId": "0" * 16, "content": ANSWER})
    assert refused.payload["code"] == "file_not_handed_out"


def test_a_repetition_right_after_the_start_does_not_bring_the_file_twice(client: SocketClient) -> None:
    start(client)
    (repeated,) = client.says("session-file-repeat", {"lastFileId": "Файлов ещё не было"})
    assert repeated.name == "session-file-repeat-error"


def test_who_comes_back_gets_the_file_in_hand_once_more(platform: ChannelPlatform, token: str) -> None:
    first = SocketClient(platform, token)
    file = start(first)[1].payload
    first.drops()
    platform.clock.advance(20)
    second = SocketClient(platform, token)
    second.heard()
    assert names(second.says("session-reconnect")) == ["session-reconnect-success"]
    (repeated,) = second.says("session-file-repeat", {"lastFileId": file["fileId"]})
    assert repeated.name == "session-file-repeat-success"
    assert repeated.payload == {**file, "missed": False}


def test_a_file_missed_while_away_is_said(platform: ChannelPlatform, token: str) -> None:
    first = SocketClient(platform, token)
    file = start(first, time="10")[1].payload
    first.drops()
    platform.clock.advance(60)
    second = SocketClient(platform, token)
    second.heard()
    returned = second.says("session-reconnect")
    assert names(returned) == ["session-reconnect-success", "session-file-available"]
    assert returned[1].payload["fileId"] != file["fileId"]
    second.drops()
    third = SocketClient(platform, token)
    third.heard()
    (repeated,) = third.says("session-file-repeat")
    assert (repeated.payload["fileId"], repeated.payload["missed"]) == (returned[1].payload["fileId"], True)


def test_a_file_that_nobody_answers_is_followed_by_the_next(client: SocketClient) -> None:
    file = start(client, time="10")[1].payload
    client.platform.clock.advance(12)
    client.platform.carry()
    (following,) = client.heard()
    assert following.name == "session-file-available"
    assert following.payload["fileId"] != file["fileId"]


def test_a_second_session_is_refused_and_named(client: SocketClient) -> None:
    session_id = start(client)[0].payload["sessionId"]
    (refused,) = start(client)
    assert refused.payload["code"] == "session_already_open"
    assert session_id in refused.payload["message"]


def test_a_session_is_aborted(client: SocketClient) -> None:
    session_id = start(client)[0].payload["sessionId"]
    assert names(client.says("session-client-abort", {"sessionId": session_id})) == ["session-client-abort-success"]
    session = client.platform.sessions.get(session_id)
    assert session is not None
    assert session.state.value == "aborted"


def test_a_log_is_kept_with_the_session(client: SocketClient) -> None:
    session_id = start(client)[0].payload["sessionId"]
    assert names(client.says("logs-send", {"entries": ["a", "b"]})) == ["logs-send-success"]
    assert len(client.platform.blobs.names(f"logs/{session_id}/")) == 1


def test_another_teams_session_does_not_exist(platform: ChannelPlatform, client: SocketClient) -> None:
    file = start(client)[1].payload
    add_team(platform, "tests", "blue", "Blue")
    other = SocketClient(platform, issue_token(platform, "tests", "blue")[0])
    other.heard()
    (refused,) = other.says("session-file-send", {**file, "content": ANSWER})
    assert refused.payload["code"] == "unknown_session"


def test_without_a_good_token_a_client_is_told_so_and_turned_away(platform: ChannelPlatform) -> None:
    client = SocketClient(platform, "hrd_" + "x" * 43)
    assert names(client.heard()) == ["connection-auth-error"]
    assert client.connection_id not in platform.sockets.open
    assert platform.connections.all() == []


def test_a_revoked_token_dies_within_a_minute(platform: ChannelPlatform) -> None:
    token, stored = issue_token(platform, "tests", "red")
    client = SocketClient(platform, token)
    client.heard()
    revoke_token(platform, "tests", "red", stored.token_id)
    platform.clock.advance(60)
    assert names(start(client)) == ["connection-auth-error"]


def test_an_unknown_event_says_nothing_and_an_acknowledgement_is_given(client: SocketClient) -> None:
    assert client.says("made-up", {}) == []
    client.says("session-reconnect", None, ack=7)
    client.told.append("mark")
    asked = Emitted("/pku", "logs-send", {}, 8)
    channel.hear(client.platform, DIALECTS, client.connection_id, asked, client.platform.clock.now())
    assert ("ack", 8) in client.told


def test_too_many_events_in_a_second_are_refused_but_never_an_answer(client: SocketClient) -> None:
    file = start(client)[1].payload
    refused = [client.says("session-file-repeat")[0].payload.get("code") for _ in range(12)]
    assert "rate_limited" in refused
    assert client.says("session-file-send", {**file, "content": ANSWER})[0].name == "session-file-send-success"


def test_a_later_connection_takes_the_earlier_ones_place(platform: ChannelPlatform, token: str) -> None:
    first = SocketClient(platform, token)
    session_id = start(first)[0].payload["sessionId"]
    second = SocketClient(platform, token)
    second.heard()
    second.says("session-reconnect")
    assert first.connection_id not in platform.sockets.open
    assert platform.connections.attachments[session_id].connection_id == second.connection_id
    assert not platform.connections.attachments[session_id].is_away


def test_a_namespace_that_is_not_there_is_refused(platform: ChannelPlatform, client: SocketClient) -> None:
    channel.enter(platform, DIALECTS, client.connection_id, "/elsewhere", {})
    assert client.told[-1] == ("refused", "/elsewhere")


@pytest.mark.parametrize("query", [{"EIO": "2"}, {"EIO": "4", "transport": "polling"}, {"EIO": "x"}])
def test_other_protocols_are_not_accepted(platform: ChannelPlatform, query: dict[str, str]) -> None:
    assert not channel.connect(platform, "c", query, platform.clock.now())
    assert platform.connections.all() == []


def test_signs_of_life_go_to_clients_of_revision_4_only(platform: ChannelPlatform, token: str) -> None:
    old, new = SocketClient(platform, token, "3"), SocketClient(platform, token, "4")
    for _ in range(4):
        platform.clock.advance(60)
        pushing.tend(platform, platform.clock.now())
    assert (old.told.count("ping"), new.told.count("ping")) == (0, 1)
    channel.pong(platform, old.connection_id, "probe")
    assert old.told[-1] == ("pong", "probe")


def test_the_end_of_a_session_is_told(platform: ChannelPlatform, client: SocketClient) -> None:
    session_id = start(client)[0].payload["sessionId"]
    platform.clock.advance(3600)
    pushing.tend(platform, platform.clock.now())  # nobody has ended it yet
    from contest.services import closing, knowledge

    session = knowledge.session(platform, session_id)
    assert session is not None
    closing.by_time(platform, session, platform.clock.now())
    pushing.tend(platform, platform.clock.now())
    pushing.tend(platform, platform.clock.now())
    assert [each.payload for each in client.heard() if each.name == "session-close"] == [{"type": "timeout-close"}]


def test_a_message_of_the_queue_that_comes_twice_does_nothing_twice(client: SocketClient) -> None:
    session_id = start(client, time="10")[0].payload["sessionId"]
    client.platform.clock.advance(12)
    for _ in range(3):
        pushing.pushed(client.platform, Push(PushKind.NEXT, 0, session_id=session_id, number=1))
    assert len(client.heard()) == 1


def test_a_connection_that_is_gone_without_a_word_is_noted_when_it_is_spoken_to(client: SocketClient) -> None:
    session_id = start(client, time="10")[0].payload["sessionId"]
    client.platform.sockets.open.discard(client.connection_id)
    now = client.platform.clock.advance(12)
    client.platform.carry()
    assert client.platform.connections.attachments[session_id].absences == (Absence(now),)


def test_a_greeting_that_overtakes_the_gateway_comes_again(platform: ChannelPlatform, token: str) -> None:
    query = {"EIO": "3", "transport": "websocket", "token": token}
    assert channel.connect(platform, "slow", query, platform.clock.now())
    for _ in range(3):
        (push,) = platform.pushes.taken(platform.clock.now())
        pushing.pushed(platform, push)
    platform.sockets.open.add("slow")
    platform.carry()
    assert platform.sockets.told["slow"] == ["greeting"]


def test_a_connection_that_never_comes_is_given_up(platform: ChannelPlatform, token: str) -> None:
    query = {"EIO": "4", "transport": "websocket", "token": token}
    assert channel.connect(platform, "lost", query, platform.clock.now())
    platform.carry()
    assert platform.pushes.waiting == []
    assert platform.connections.all() == []


def test_what_nobody_expected_is_told_as_an_error_of_the_event(
    client: SocketClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The client hears of it, in two languages and without a word about how; the log has the rest."""
    file = start(client)[1].payload
    monkeypatch.setattr(socket, "platform", lambda: client.platform)
    monkeypatch.setattr(client.platform.deliveries, "send", _breaks)
    said = json.dumps(["session-file-send", {**file, "content": ANSWER}])
    socket.serve(frame(client, f"42/pku,7{said}"))
    (refused,) = client.heard()
    assert (refused.name, refused.payload["code"]) == ("session-file-send-error", "internal")
    assert refused.payload["fileId"] == file["fileId"]
    assert "secret" not in str(refused.payload)
    assert "table is on fire" in caplog.text


def _breaks(*_: Any) -> Any:
    raise RuntimeError("the table is on fire, and a secret with it")


def frame(client: SocketClient, body: str, **more: Any) -> dict[str, Any]:
    """The gateway's event of a frame."""
    context = {"routeKey": "$default", "connectionId": client.connection_id, "requestId": "r"}
    return {"requestContext": {**context, "requestTimeEpoch": client.platform.clock.now()}, "body": body, **more}


@pytest.mark.parametrize(
    ("body", "more"), [("Mjpwcm9iZQ==", {"isBase64Encoded": True}), ("nonsense", {}), ("40//[,", {})]
)
def test_bytes_and_nonsense_end_the_connection(
    client: SocketClient, monkeypatch: pytest.MonkeyPatch, body: str, more: dict[str, Any]
) -> None:
    """Bytes reach the function as base64, which may look like a frame."""
    monkeypatch.setattr(socket, "platform", lambda: client.platform)
    answered = socket.serve(frame(client, body, **more))
    gone = client.connection_id not in client.platform.sockets.open
    assert (answered["statusCode"], gone) == ((200, False) if body.startswith("40") else (400, True))


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
        channel.hear(client.platform, DIALECTS, client.connection_id, said, client.platform.clock.now())
    assert client.heard() == []


def test_a_start_and_a_repetition_at_the_same_time_bring_one_file(
    client: SocketClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The gateway may hand a connection's frames to two processes; the files still come one after the other."""
    platform, hand_out = client.platform, client.platform.deliveries.hand_out

    def meanwhile(session_id: str, delivery: Any) -> None:
        monkeypatch.undo()
        hand_out(session_id, delivery)
        said = Emitted("/pku", "session-file-repeat")
        channel.hear(platform, DIALECTS, client.connection_id, said, platform.clock.now())

    monkeypatch.setattr(platform.deliveries, "hand_out", meanwhile)
    came = {each.payload["fileId"] for each in start(client) if "content" in each.payload}
    assert len(came) == 1


def test_an_accepted_answer_is_acknowledged_whatever_follows(
    client: SocketClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = start(client)[1].payload

    def busy(*_: Any) -> Any:
        raise BusyError

    monkeypatch.setattr(pushing.exchange, "next_file", busy)
    assert names(client.says("session-file-send", {**file, "content": ANSWER})) == ["session-file-send-success"]


def test_a_session_that_stopped_after_an_answer_goes_on_by_itself(
    client: SocketClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process ended between the answer and the next file: the push after the file's time goes on."""
    file = start(client, time="10")[1].payload
    with monkeypatch.context() as patched:
        patched.setattr(pushing, "next_events", lambda *_: [])
        client.says("session-file-send", {**file, "content": ANSWER})
    client.platform.clock.advance(12)
    client.platform.carry()
    (following,) = client.heard()
    assert following.payload["fileId"] != file["fileId"]


def test_the_end_is_told_once_and_a_log_may_follow(client: SocketClient) -> None:
    file = start(client, countFiles=1)[1].payload
    events = client.says("session-file-send", {**file, "content": ANSWER})
    assert names(events) == ["session-file-send-success", "session-close"]
    pushing.tend(client.platform, client.platform.clock.now())
    assert client.heard() == []
    for log in ({"entries": ["a"]}, ["a", "b"], "a line"):
        client.platform.clock.advance(1)
        assert names(client.says("logs-send", log)) == ["logs-send-success"]
    kept = client.platform.blobs.objects
    logs = [kept[name] for name in sorted(kept) if name.startswith("logs/")]
    assert [json.loads(each)["entries"] for each in logs] == [["a"], ["a", "b"], "a line"]


def test_the_end_of_one_session_is_not_told_to_who_plays_the_next(
    client: SocketClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The timer has read the connections, and only then the client begins anew."""
    platform = client.platform
    session_id = start(client)[0].payload["sessionId"]
    client.says("session-client-abort", {"sessionId": session_id})
    read = platform.connections.all()
    assert names(start(client)) == ["session-start-success", "session-file-available"]
    monkeypatch.setattr(platform.connections, "all", lambda: read)
    pushing.tend(platform, platform.clock.now())
    assert client.heard() == []


def test_who_enters_nothing_is_not_kept(platform: ChannelPlatform, client: SocketClient) -> None:
    """An open connection costs the timer's time; a token is needed to keep one."""
    platform.sockets.open.add("idle")
    assert channel.connect(platform, "idle", {"EIO": "3", "transport": "websocket"}, platform.clock.now())
    for wait, left in ((ENTERED_BY - 1, 2), (1, 1)):
        platform.clock.advance(wait / 1000)
        pushing.tend(platform, platform.clock.now())
        assert len(platform.connections.all()) == left
    assert "idle" not in platform.sockets.open


def test_one_connections_failure_keeps_nothing_from_the_others(
    platform: ChannelPlatform, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, whole = SocketClient(platform, token, "4"), SocketClient(platform, token, "4")
    ping = platform.sockets.ping

    def fails(connection: Connection) -> None:
        if connection.connection_id == broken.connection_id:
            raise RuntimeError("the gateway is busy")
        ping(connection)

    monkeypatch.setattr(platform.sockets, "ping", fails)
    platform.clock.advance(PING_DUE / 1000)
    with pytest.raises(ExceptionGroup):
        pushing.tend(platform, platform.clock.now())
    assert whole.told[-1] == "ping"


def test_another_token_on_the_same_connection_speaks_for_no_session(
    platform: ChannelPlatform, client: SocketClient
) -> None:
    start(client)
    add_team(platform, "tests", "blue", "Blue")
    blue = {"token": issue_token(platform, "tests", "blue")[0]}
    channel.enter(platform, DIALECTS, client.connection_id, "/pku", blue)
    known = platform.connections.get(client.connection_id)
    assert known is not None
    assert known.session_id == ""
    (refused,) = client.says("session-reconnect")
    assert refused.payload["code"] == "unknown_session"


@pytest.mark.parametrize("token", ["\ud800", "", "x" * 100_000, "hrd_" + "я" * 43])
def test_a_token_of_no_form_is_no_token(platform: ChannelPlatform, token: str) -> None:
    assert names(SocketClient(platform, token).heard()) == ["connection-auth-error"]


def test_who_is_sent_away_is_told_not_to_come_back(platform: ChannelPlatform) -> None:
    """A client that is only cut off would connect again and again."""
    assert SocketClient(platform, "hrd_" + "x" * 43).told[-1] == "part"


def test_absences_begin_and_end_with_connections() -> None:
    here = attached(Attachment("s"), "c1", 10)
    assert attached(here, "c1", 11) == here
    gone = lost(here, "c1", 20)
    assert lost(gone, "c1", 25) == gone
    back = attached(gone, "c2", 30)
    assert [away_at(back, moment) for moment in (19, 20, 29, 30)] == [None, Absence(20, 30), Absence(20, 30), None]
    assert lost(back, "c1", 40) == back
    assert away_at(None, 5) is None


def test_a_ping_is_owed_after_its_time() -> None:
    connection = Connection("c", 4, 0, 0)
    assert [owes_ping(connection, PING_DUE + shift) for shift in (-1, 0)] == [False, True]
    assert not owes_ping(Connection("c", 3, 0, 0), 10 * PING_DUE)
