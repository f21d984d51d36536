"""Sessions over the event channel, in memory: entries, returns, refusals, and play from the start to the end."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contest.channel import connections, events, pushing
from contest.channel.dialects import DIALECTS
from contest.channel.rules import (
    NAMESPACES,
    STRANGERS_GREETINGS,
    TOO_LARGE,
    Absence,
    Attachment,
    Emitted,
    Push,
    PushKind,
    attachment_after_loss,
    attachment_after_return,
    away_at,
    was_there,
)
from contest.cycle.loading import load_cycle
from contest.errors import BusyError, FileNotHandedOutError, RateLimitedError, UnknownSessionError
from contest.people.teams import add_team, issue_token, revoke_token
from tests.contest.channel.speaking import ANSWER, breaks, frame, names, start
from tests.fakes_channel import ChannelPlatform, SocketClient
from tests.stage import Context
from tests.toys import FolderInMemory, toy_cycle


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
    assert set(NAMESPACES) == set(DIALECTS), "wherever clients speak, they are told"
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
            pushing.push_files(platform, push)
    assert tries == 1 + STRANGERS_GREETINGS


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


def test_a_client_is_welcomed_first_and_no_namespace_is_entered_that_is_not_there(client: SocketClient) -> None:
    platform = client.platform
    assert client.told == ["greeting", ("welcome", "/pku")]
    connections.enter_namespace(platform, DIALECTS, client.connection_id, "/elsewhere", {}, platform.clock.now())
    assert client.told[-1] == ("refused", "/elsewhere")


def test_a_greeting_that_overtakes_the_gateway_comes_again(platform: ChannelPlatform, token: str) -> None:
    query = {"EIO": "3", "transport": "websocket", "token": token}
    assert connections.connect(platform, "slow", query, platform.clock.now())
    for _ in range(3):
        (push,) = platform.pushes.taken(platform.clock.now())
        pushing.push_files(platform, push)
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
    connections.enter_namespace(platform, DIALECTS, client.connection_id, "/pku", blue, platform.clock.now())
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


def test_an_unknown_event_says_nothing_and_an_acknowledgement_is_given(client: SocketClient) -> None:
    assert client.says("made-up", {}) == []
    client.says("session-reconnect", None, ack=7)
    client.told.append("mark")
    asked = Emitted("/pku", "logs-send", {}, 8)
    connections.carry_out_event(client.platform, DIALECTS, client.connection_id, asked, client.platform.clock.now())
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
        connections.carry_out_event(client.platform, DIALECTS, client.connection_id, said, client.platform.clock.now())
    assert client.heard() == []


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


def test_a_large_answers_end_is_explained_without_the_file_again(platform: ChannelPlatform, token: str) -> None:
    """Else it answers again, is cut off again, without end. A person who asks for the file gets it."""
    first = SocketClient(platform, token)
    file = start(first)[1].payload
    first.drops(TOO_LARGE)
    second = SocketClient(platform, token)
    back, log_refused, refused = second.heard()
    assert (back.name, refused.name) == ("session-reconnect-success", "session-file-send-error")
    assert (log_refused.name, set(log_refused.payload)) == ("logs-send-error", {"message"})
    assert f"PUT /v1/sessions/{file['sessionId']}/log" in log_refused.payload["message"], "it may have been a log"
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


def test_absences_begin_and_end_with_connections() -> None:
    here = attachment_after_return(Attachment("s"), "c1", 10)
    assert attachment_after_return(here, "c1", 11) == here
    gone = attachment_after_loss(here, "c1", 20)
    assert attachment_after_loss(gone, "c1", 25) == gone
    back = attachment_after_return(gone, "c2", 30)
    assert [away_at(back, moment) for moment in (19, 20, 29, 30)] == [None, Absence(20, 30), Absence(20, 30), None]
    spans = {(10, 19): True, (10, 20): False, (29, 40): False, (30, 40): True, (9, 15): False}
    assert {span: was_there(back, *span) for span in spans} == spans
    assert attachment_after_loss(back, "c1", 40) == back
    assert away_at(None, 5) is None


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


def test_a_repetition_before_and_right_after_the_start_brings_nothing_and_content_may_be_an_object(
    client: SocketClient,
) -> None:
    """Every `-error` is shown to a person: what a client asks by itself is never refused."""
    none_yet = {"lastFileId": "Файлов ещё не было"}
    assert client.says("session-file-repeat", none_yet) == []
    file = start(client)[1].payload
    assert client.says("session-file-repeat", none_yet) == []
    assert client.says("session-file-repeat", {"lastFileId": file["fileId"]}) == []
    sent = client.says("session-file-send", {**file, "content": {"letters": "abcd"}})
    assert sent[0].name == "session-file-send-success"


def test_who_asks_again_in_person_gets_the_file_in_hand_or_an_answer(client: SocketClient) -> None:
    """Typed by a person: without a payload, however often."""
    file = start(client, countFiles=1)[1].payload
    for _ in range(2):
        (repeated,) = client.says("session-file-repeat")
        assert (repeated.name, repeated.payload) == ("session-file-repeat-success", {**file, "missed": False})
    client.says("session-client-abort")
    (refused,) = client.says("session-file-repeat")
    assert (refused.name, set(refused.payload)) == ("session-file-repeat-error", {"message", "missed"})


@pytest.mark.parametrize("answered", [False, True], ids=["unanswered", "stopped after the answer"])
def test_a_files_time_is_followed_by_the_next(
    client: SocketClient, monkeypatch: pytest.MonkeyPatch, answered: bool
) -> None:
    """Also where the process ended between the answer and the next file: the push after the file's time goes on."""
    file = start(client, time="10")[1].payload
    if answered:
        with monkeypatch.context() as patched:
            patched.setattr(pushing, "next_events", lambda *_: [])
            client.says("session-file-send", {**file, "content": ANSWER})
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
    """A client may send the session's name as text or as a number, or send nothing at all."""
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
    assert UnknownSessionError().message.en in refused.payload["message"]


def test_the_end_of_a_session_is_told(platform: ChannelPlatform, client: SocketClient) -> None:
    session_id = start(client)[0].payload["sessionId"]
    platform.clock.advance(3600)
    pushing.maintain(platform, platform.clock.now())  # nobody has ended it yet
    from contest import reading
    from contest.session import following as closing

    session = reading.session(platform, session_id)
    assert session is not None
    closing.by_time(platform, session, platform.clock.now())
    pushing.maintain(platform, platform.clock.now())
    pushing.maintain(platform, platform.clock.now())
    assert [each.payload for each in client.heard() if each.name == "session-close"] == [{"type": "timeout-close"}]


def test_a_message_of_the_queue_that_comes_twice_does_nothing_twice(client: SocketClient) -> None:
    session_id = start(client, time="10")[0].payload["sessionId"]
    client.platform.clock.advance(12)
    for _ in range(3):
        pushing.push_files(client.platform, Push(PushKind.NEXT, 0, session_id=session_id, number=1))
    assert len(client.heard()) == 1


def test_a_connection_that_is_gone_without_a_word_is_noted_when_it_is_spoken_to(client: SocketClient) -> None:
    session_id = start(client, time="10")[0].payload["sessionId"]
    client.platform.sockets.open.discard(client.connection_id)
    now = client.platform.clock.advance(12)
    client.platform.carry()
    assert client.platform.connections.attachments[session_id].absences == (Absence(now),)


def test_a_start_and_a_repetition_at_once_bring_one_file(client: SocketClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """The gateway may hand a connection's frames to two processes; the files still come one after the other."""
    platform, hand_out = client.platform, client.platform.deliveries.hand_out

    def meanwhile(session_id: str, delivery: Any) -> None:
        monkeypatch.undo()
        hand_out(session_id, delivery)
        said = Emitted("/pku", "session-file-repeat")
        connections.carry_out_event(platform, DIALECTS, client.connection_id, said, platform.clock.now())

    monkeypatch.setattr(platform.deliveries, "hand_out", meanwhile)
    came = {each.payload["fileId"] for each in start(client) if "content" in each.payload}
    assert len(came) == 1


def test_an_accepted_answer_is_acknowledged_in_any_case(client: SocketClient, monkeypatch: pytest.MonkeyPatch) -> None:
    file = start(client)[1].payload

    def busy(*_: Any) -> Any:
        raise BusyError

    monkeypatch.setattr(pushing.files, "next_file", busy)
    assert names(client.says("session-file-send", {**file, "content": ANSWER})) == ["session-file-send-success"]


def test_the_end_is_told_once_and_a_log_may_follow(client: SocketClient) -> None:
    file = start(client, countFiles=1)[1].payload
    events = client.says("session-file-send", {**file, "content": ANSWER})
    assert names(events) == ["session-file-send-success", "session-close"]
    pushing.maintain(client.platform, client.platform.clock.now())
    assert client.heard() == []
    for log in ({"entries": ["a"]}, ["a", "b"], "a line"):
        client.platform.clock.advance(1)
        assert names(client.says("logs-send", log)) == ["logs-send-success"]
    kept = client.platform.blobs.objects
    logs = [kept[name] for name in sorted(kept) if name.startswith("logs/")]
    assert [json.loads(each)["entries"] for each in logs] == [["a"], ["a", "b"], "a line"]


def test_the_end_of_one_session_is_not_that_of_the_next(client: SocketClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """The timer has read the connections, and only then the client begins anew."""
    platform = client.platform
    session_id = start(client)[0].payload["sessionId"]
    client.says("session-client-abort", {"sessionId": session_id})
    read = platform.connections.all()
    assert names(start(client)) == ["session-start-success", "session-file-available"]
    monkeypatch.setattr(platform.connections, "all", lambda: read)
    pushing.maintain(platform, platform.clock.now())
    assert client.heard() == []
