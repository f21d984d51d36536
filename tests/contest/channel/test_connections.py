"""The event channel's services in memory: algorithmic sessions, connections, signs of life."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contest.domain.channel.channel import (
    AT_A_VISIT,
    ENTERED_BY,
    NAMESPACES,
    PING_DUE,
    STRANGERS_GREETINGS,
    TOO_LARGE,
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
from contest.edge import socket
from contest.edge.socket import DIALECTS
from contest.errors import BusyError, FileNotHandedOutError, RateLimitedError, UnknownSessionError
from contest.services.channel import connections, pushing
from contest.services.cycle.loading import load_cycle
from contest.services.people.teams import add_team
from contest.services.people.tokens import issue_token, revoke_token
from dispatch import tend
from tests.fakes_channel import ChannelPlatform, SocketClient
from tests.stage import Context
from tests.toys import FolderInMemory, toy_cycle

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


@pytest.mark.parametrize("params", [{}, {"time": ""}])
def test_without_a_limit_the_cycles_usual_one_holds(params: Any) -> None:
    platform = ChannelPlatform()
    usual = {"min": 10, "max": 30, "default": 20}
    load_cycle(platform, "tests", "toy-1", FolderInMemory(toy_cycle(time_limit_s=usual)), lambda _: None)
    add_team(platform, "tests", "red", "Red")
    events = start(SocketClient(platform, issue_token(platform, "tests", "red")[0]), **params)
    session = platform.sessions.get(events[0].payload["sessionId"])
    assert session is not None
    assert session.order.time_limit_s == 20


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
    assert (refused.name, set(refused.payload)) == ("session-file-send-error", {"sessionId", "fileId", "message"})
    assert (refused.payload["sessionId"], refused.payload["fileId"]) == (file["sessionId"], file["fileId"])
    assert "letters" in refused.payload["message"]
    assert client.says("session-file-send", {**file, "content": ANSWER})[0].name == "session-file-send-success"


def test_a_file_that_was_never_handed_out_cannot_be_answered(client: SocketClient) -> None:
    file = start(client)[1].payload
    (refused,) = client.says("session-file-send", {**file, "fileId": "1" * 15, "content": ANSWER})
    assert FileNotHandedOutError().en in refused.payload["message"]
    assert refused.payload["fileId"] == "1" * 15


def test_a_repetition_right_after_the_start_does_not_bring_the_file_twice(client: SocketClient) -> None:
    file = start(client)[1].payload
    assert client.says("session-file-repeat", {"lastFileId": "Файлов ещё не было"}) == []
    assert client.says("session-file-repeat", {"lastFileId": file["fileId"]}) == []


def test_who_asks_again_in_person_gets_the_file_in_hand_or_an_answer(client: SocketClient) -> None:
    """Typed by a person: without a payload, however often."""
    file = start(client, countFiles=1)[1].payload
    for _ in range(2):
        (repeated,) = client.says("session-file-repeat")
        assert (repeated.name, repeated.payload) == ("session-file-repeat-success", {**file, "missed": False})
    client.says("session-client-abort")
    (refused,) = client.says("session-file-repeat")
    assert (refused.name, set(refused.payload)) == ("session-file-repeat-error", {"message", "missed"})


def test_what_a_client_asks_by_itself_is_never_refused_in_red(client: SocketClient) -> None:
    """Every `-error` is shown to a person: before the first start there is nothing to say."""
    assert client.says("session-file-repeat", {"lastFileId": "Файлов ещё не было"}) == []


def test_who_comes_back_gets_the_file_in_hand_once_more(platform: ChannelPlatform, token: str) -> None:
    first = SocketClient(platform, token)
    file = start(first)[1].payload
    first.drops()
    platform.clock.advance(20)
    second = SocketClient(platform, token)
    assert second.told[1] == ("welcome", "/pku")
    back, again = second.heard()
    assert (back.name, back.payload) == ("session-reconnect-success", {"sessionId": file["sessionId"]})
    assert (again.name, again.payload) == ("session-file-available", file)
    assert second.says("session-file-repeat", {"lastFileId": file["fileId"]}) == []
    assert names(second.says("session-reconnect")) == ["session-reconnect-success"]


def test_who_was_cut_off_for_a_large_answer_is_told_why_and_not_given_the_file_again(
    platform: ChannelPlatform, token: str
) -> None:
    """Else it answers again, is cut off again, without end. A person who asks for the file gets it."""
    first = SocketClient(platform, token)
    file = start(first)[1].payload
    first.drops(TOO_LARGE)
    second = SocketClient(platform, token)
    back, refused = second.heard()
    assert (back.name, refused.name) == ("session-reconnect-success", "session-file-send-error")
    assert set(refused.payload) == {"sessionId", "fileId", "message"}
    assert refused.payload["fileId"] == file["fileId"]
    assert f"PUT /v1/sessions/{file['sessionId']}/files/1/answer" in refused.payload["message"]
    assert second.says("session-file-repeat", {"lastFileId": "No files yet"}) == []
    assert names(second.says("session-file-repeat")) == ["session-file-repeat-success"]
    second.drops()
    assert names(SocketClient(platform, token).heard()) == ["session-reconnect-success", "session-file-available"]


@pytest.mark.parametrize("returned", [False, True], ids=["at once", "after another connection"])
def test_a_log_that_is_too_large_is_said_to_be_one(platform: ChannelPlatform, token: str, returned: bool) -> None:
    """A log comes after the session's end, perhaps over a connection that never had a session."""
    client = SocketClient(platform, token)
    session_id = start(client)[0].payload["sessionId"]
    client.says("session-client-abort")
    if returned:
        client.drops()
        client = SocketClient(platform, token)
    client.drops(TOO_LARGE)
    (refused,) = SocketClient(platform, token).heard()
    assert (refused.name, set(refused.payload)) == ("logs-send-error", {"message"})
    assert f"PUT /v1/sessions/{session_id}/log" in refused.payload["message"]


def test_who_comes_without_an_open_session_hears_nothing(platform: ChannelPlatform, token: str) -> None:
    first = SocketClient(platform, token)
    start(first)
    first.says("session-client-abort")
    first.drops()
    assert SocketClient(platform, token).heard() == []


def test_an_entry_that_fails_cuts_the_client_off_so_that_it_comes_again(
    platform: ChannelPlatform, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who stayed without its session would be there and count as away."""
    client = SocketClient(platform, token)
    start(client)
    client.drops()
    monkeypatch.setattr(socket, "platform", lambda: platform)
    back = SocketClient(platform, token, enters=False)
    with monkeypatch.context() as patched:
        patched.setattr(platform.connections, "attach", _breaks)
        assert socket.serve(frame(back, "40/pku,"), Context())["statusCode"] == 500
    assert back.connection_id not in platform.sockets.open
    assert ("welcome", "/pku") not in back.told


def test_who_was_welcomed_stays_whatever_fails_afterwards(
    platform: ChannelPlatform, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The platform's fault must not look like a connection that the client has lost."""
    client = SocketClient(platform, token)
    session_id = start(client)[0].payload["sessionId"]
    client.drops()
    monkeypatch.setattr(socket, "platform", lambda: platform)
    back = SocketClient(platform, token, enters=False)
    with monkeypatch.context() as patched:
        patched.setattr(platform.connections, "mark_pushed", _breaks)
        assert socket.serve(frame(back, "40/pku,"), Context())["statusCode"] == 500
    assert names(back.heard()) == ["session-reconnect-success", "session-file-available"]
    assert not platform.connections.attachments[session_id].is_away


def test_a_file_missed_while_away_is_said(platform: ChannelPlatform, token: str) -> None:
    first = SocketClient(platform, token)
    file = start(first, time="10")[1].payload
    first.drops()
    platform.clock.advance(60)
    second = SocketClient(platform, token)
    returned = second.heard()
    assert names(returned) == ["session-reconnect-success", "session-file-available"]
    assert returned[1].payload["fileId"] != file["fileId"]
    second.drops()
    third = SocketClient(platform, token)
    assert names(third.heard()) == ["session-reconnect-success", "session-file-available"]
    platform.clock.advance(11)
    (said,) = third.says("session-file-repeat", {"lastFileId": file["fileId"]})
    assert said.payload["fileId"] != returned[1].payload["fileId"]
    assert said.payload["missed"] is True


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
    assert (refused.name, set(refused.payload)) == ("session-start-error", {"message"})
    assert session_id in refused.payload["message"]


@pytest.mark.parametrize("named", [None, str, int])
def test_a_session_is_aborted(client: SocketClient, named: Any) -> None:
    """One client names the session, another reads names as numbers, or says nothing at all."""
    session_id = start(client)[0].payload["sessionId"]
    payload = {"sessionId": named(session_id)} if named else None
    (aborted,) = client.says("session-client-abort", payload)
    assert (aborted.name, set(aborted.payload)) == ("session-client-abort-success", {"message"})
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
    assert UnknownSessionError().en in refused.payload["message"]


def test_without_a_good_token_a_client_is_told_so_and_turned_away(platform: ChannelPlatform) -> None:
    client = SocketClient(platform, "hrd_" + "x" * 43)
    assert set(names(client.heard())) == {"connection-auth-error"}
    assert client.connection_id not in platform.sockets.open
    assert platform.connections.all() == []


@pytest.mark.parametrize("revision", ["3", "4"])
def test_of_who_has_no_good_token_nothing_is_stored(platform: ChannelPlatform, revision: str) -> None:
    query = {"EIO": revision, "transport": "websocket", "token": "hrd_" + "x" * 43}
    platform.sockets.open.add("stranger")
    assert connections.connect(platform, "stranger", query, platform.clock.now())
    assert platform.connections.known == {}
    platform.carry()
    assert platform.connections.known == {}
    entered = ("/pku", "/baseline", "/toy-1")
    said = ["greeting", *(each for name in entered for each in (("welcome", name), "connection-auth-error", "part"))]
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
    assert any(RateLimitedError(retry_after_s=1).en in each.payload.get("message", "") for each in said)
    assert client.says("session-file-send", {**file, "content": ANSWER})[0].name == "session-file-send-success"


def test_answers_beyond_a_files_first_ones_are_refused_for_the_rate(client: SocketClient) -> None:
    file = start(client)[1].payload
    rate = RateLimitedError(retry_after_s=1).en
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
    rate = RateLimitedError(retry_after_s=1).en
    assert [rate in each.payload["message"] for each in said] == [False] * 10 + [True] * 2


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


@pytest.mark.parametrize("query", [{"EIO": "2"}, {"EIO": "4", "transport": "polling"}, {"EIO": "x"}])
def test_other_protocols_are_not_accepted(platform: ChannelPlatform, token: str, query: dict[str, str]) -> None:
    assert not connections.connect(platform, "c", {**query, "token": token}, platform.clock.now())
    assert platform.connections.all() == []


def test_signs_of_life_go_to_clients_of_revision_4_only(platform: ChannelPlatform, token: str) -> None:
    old, new = SocketClient(platform, token, "3"), SocketClient(platform, token, "4")
    for _ in range(4):
        platform.clock.advance(60)
        pushing.tend(platform, platform.clock.now())
    assert (old.told.count("ping"), new.told.count("ping")) == (0, 1)
    connections.pong(platform, old.connection_id, "probe")
    assert old.told[-1] == ("pong", "probe")


def test_the_end_of_a_session_is_told(platform: ChannelPlatform, client: SocketClient) -> None:
    session_id = start(client)[0].payload["sessionId"]
    platform.clock.advance(3600)
    pushing.tend(platform, platform.clock.now())  # nobody has ended it yet
    from contest.services import reading
    from contest.services.session import closing

    session = reading.session(platform, session_id)
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


def test_what_nobody_expected_is_told_as_an_error_of_the_event(
    client: SocketClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The client hears of it, in two languages and without a word about how; the log has the rest."""
    file = start(client)[1].payload
    monkeypatch.setattr(socket, "platform", lambda: client.platform)
    monkeypatch.setattr(client.platform.deliveries, "send", _breaks)
    said = json.dumps(["session-file-send", {**file, "content": ANSWER}])
    socket.serve(frame(client, f"42/pku,7{said}"), Context())
    (refused,) = client.heard()
    assert (refused.name, set(refused.payload)) == ("session-file-send-error", {"sessionId", "fileId", "message"})
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
    answered = socket.serve(frame(client, body, **more), Context())
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
        connections.hear(client.platform, DIALECTS, client.connection_id, said, client.platform.clock.now())
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
        connections.hear(platform, DIALECTS, client.connection_id, said, platform.clock.now())

    monkeypatch.setattr(platform.deliveries, "hand_out", meanwhile)
    came = {each.payload["fileId"] for each in start(client) if "content" in each.payload}
    assert len(came) == 1


def test_an_accepted_answer_is_acknowledged_whatever_follows(
    client: SocketClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = start(client)[1].payload

    def busy(*_: Any) -> Any:
        raise BusyError

    monkeypatch.setattr(pushing.hand_out, "next_file", busy)
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


def test_who_enters_nothing_is_not_kept(platform: ChannelPlatform, client: SocketClient, token: str) -> None:
    """An open connection costs the timer's time."""
    assert client.connection_id in platform.connections.known
    come(platform, token, "idle")
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
    assert len(pushing.tend(platform, platform.clock.now()).failures) == 1
    assert whole.told[-1] == "ping"


def come(platform: ChannelPlatform, token: str, *connection_ids: str) -> None:
    """Open connections that say nothing more."""
    for each in connection_ids:
        platform.sockets.open.add(each)
        query = {"EIO": "3", "transport": "websocket", "token": token}
        assert connections.connect(platform, each, query, platform.clock.now())


def test_a_visit_closes_so_many_silent_connections_the_oldest_first(platform: ChannelPlatform, token: str) -> None:
    """However many come, a visit takes no longer; the rest is left to the next."""
    come(platform, token, *(f"old-{number}" for number in range(AT_A_VISIT)))
    platform.clock.advance(1)
    come(platform, token, *(f"new-{number}" for number in range(AT_A_VISIT + 1)))
    platform.clock.advance(ENTERED_BY / 1000)
    tended = pushing.tend(platform, platform.clock.now())
    assert (tended.retired, tended.left) == (AT_A_VISIT, AT_A_VISIT + 1)
    assert {each.partition("-")[0] for each in platform.sockets.open} == {"new"}
    assert set(platform.connections.known) == platform.sockets.open
    assert [pushing.tend(platform, platform.clock.now()).left for _ in range(2)] == [1, 0]
    assert platform.sockets.open == set()


def test_a_visit_sends_so_many_signs_of_life_to_who_plays_nothing(platform: ChannelPlatform, token: str) -> None:
    clients = [SocketClient(platform, token, "4") for _ in range(AT_A_VISIT + 1)]
    platform.clock.advance(PING_DUE / 1000)
    visits = [pushing.tend(platform, platform.clock.now()) for _ in range(2)]
    assert [(each.alive, each.left) for each in visits] == [(AT_A_VISIT, 1), (1, 0)]
    assert {client.told.count("ping") for client in clients} == {1}


def test_who_plays_is_seen_to_before_who_says_nothing(
    platform: ChannelPlatform, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    come(platform, token, "silent")
    client = SocketClient(platform, token, "4")
    start(client)
    platform.clock.advance(PING_DUE / 1000)
    told: list[list[Any]] = []
    monkeypatch.setattr(platform.sockets, "close", lambda _: told.append(list(client.told)))
    assert pushing.tend(platform, platform.clock.now()).playing == 1
    assert ["ping" in each for each in told] == [True]


def test_a_connection_that_cannot_be_closed_is_kept_for_another_time(
    platform: ChannelPlatform, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    come(platform, token, "stuck", "other")
    close = platform.sockets.close

    def fails(connection_id: str) -> None:
        if connection_id == "stuck":
            raise RuntimeError("the gateway is busy")
        close(connection_id)

    monkeypatch.setattr(platform.sockets, "close", fails)
    platform.clock.advance(ENTERED_BY / 1000)
    assert len(pushing.tend(platform, platform.clock.now()).failures) == 1
    assert set(platform.connections.known) == {"stuck"}


def test_the_channels_timer_says_what_it_did_and_fails_where_something_failed(
    platform: ChannelPlatform, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    come(platform, token, "silent")
    platform.clock.advance(ENTERED_BY / 1000)
    monkeypatch.setattr(tend, "platform", lambda: platform)
    with monkeypatch.context() as patched:
        patched.setattr(platform.sockets, "close", _breaks)
        with pytest.raises(tend.TendError):
            tend.handler({}, Context())
    assert tend.handler({}, Context()) == {"playing": 0, "alive": 0, "retired": 1, "left": 0}


def test_another_token_on_the_same_connection_speaks_for_no_session(
    platform: ChannelPlatform, client: SocketClient
) -> None:
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
