"""Sessions over the event channel, in memory: start, answers, repetitions, end, log."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contest.channel import connections, pushing
from contest.channel.dialects import DIALECTS
from contest.channel.rules import Absence, Emitted, Push, PushKind
from contest.cycle.loading import load_cycle
from contest.errors import BusyError, UnknownSessionError
from contest.people.teams import add_team, issue_token
from tests.contest.channel.speaking import ANSWER, names, start
from tests.fakes_channel import ChannelPlatform, SocketClient
from tests.toys import FolderInMemory, toy_cycle


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


def test_a_repetition_right_after_the_start_brings_no_file_and_content_may_be_an_object(client: SocketClient) -> None:
    file = start(client)[1].payload
    assert client.says("session-file-repeat", {"lastFileId": "Файлов ещё не было"}) == []
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
        pushing.pushed(client.platform, Push(PushKind.NEXT, 0, session_id=session_id, number=1))
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
        connections.hear(platform, DIALECTS, client.connection_id, said, platform.clock.now())

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
