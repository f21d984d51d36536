"""A client that comes back to the event channel gets the events that it missed."""

from __future__ import annotations

import pytest

from contest.channel.rules import TOO_LARGE, Absence, Attachment, attached, away_at, lost
from tests.contest.channel.speaking import names, start
from tests.fakes_channel import ChannelPlatform, SocketClient


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
    here = attached(Attachment("s"), "c1", 10)
    assert attached(here, "c1", 11) == here
    gone = lost(here, "c1", 20)
    assert lost(gone, "c1", 25) == gone
    back = attached(gone, "c2", 30)
    assert [away_at(back, moment) for moment in (19, 20, 29, 30)] == [None, Absence(20, 30), Absence(20, 30), None]
    assert lost(back, "c1", 40) == back
    assert away_at(None, 5) is None
