"""Runs over the event channel in memory: pushes, pauses, crashes, returns, causes (platform §3); the timer."""

from __future__ import annotations

from typing import Any

import pytest

from contest import reading
from contest.channel import connections, pushing
from contest.channel.dialects import DIALECTS
from contest.channel.rules import (
    AT_A_VISIT,
    ENTERED_BY,
    PING_DUE,
    Absence,
    Connection,
    Emitted,
    Push,
    PushKind,
    Told,
    owes_ping,
)
from contest.cycle.loading import load_cycle
from contest.cycle.rules.cycle import Mode
from contest.people.teams import add_team, issue_token, revoke_token
from contest.platform import Memory
from contest.run import planning, watching
from contest.run.planning import RunOrder
from contest.run.rules.conducting import Wish
from contest.run.rules.run import Kind, Run
from contest.session import following
from contest.session.rules.delivery import Cause, FileState
from contest.values import MINUTE, SECOND, Millis
from dispatch import channel_timer
from tests.contest.channel.speaking import ANSWER, breaks, names, start
from tests.fakes_channel import ChannelPlatform, SocketClient
from tests.samples import admit_to_finals
from tests.stage import Context
from tests.toys import FolderInMemory, toy_cycle

FILES = 5


class Final:
    """A final of five files over the channel, one a minute from the next minute on, and a team's client in it."""

    def __init__(self) -> None:
        self.platform = ChannelPlatform()
        cycle = FolderInMemory(toy_cycle(train=8, final=8, reserve=5))
        load_cycle(self.platform, "tests", "toy-1", cycle, lambda _: None)
        add_team(self.platform, "tests", "red", "Red")
        admit_to_finals(self.platform, "red")
        self.clock = self.platform.clock
        self.clock.goes = True
        self.token, self.stored_token = issue_token(self.platform, "tests", "red")
        self.run = planned(self.platform)
        self.client = self.connected()
        self.session_id = ""

    def connected(self, revision: str = "3") -> SocketClient:
        return SocketClient(self.platform, self.token, revision)

    def start(self, mode: str = "final") -> list[Told]:
        self.client.heard()
        events = self.client.says("session-start", {"type": mode, "params": {"countFiles": "30"}})
        self.session_id = events[0].payload["sessionId"]
        return events

    def go(self, until: Millis) -> None:
        """Let time pass second by second: pushes as they are due, the timer every minute."""
        while self.clock.now() < until:
            now = self.clock.now()
            self.clock.moment = min(until, now + SECOND - now % SECOND)
            self.platform.carry()
            if self.clock.now() % MINUTE < SECOND:
                pushing.maintain(self.platform, self.clock.now())
                self.platform.carry()

    def at(self, number: int, seconds: float) -> None:
        """Set the clock to ``seconds`` after a file's opening."""
        self.go(self.opening(number) + round(seconds * SECOND))

    def opening(self, number: int) -> Millis:
        return reading.schedule_now(self.platform, self.run.run_id).opens_at(number)

    def decide(self, kind: Kind, *numbers: int) -> None:
        watching.decide(self.platform, "anna", self.run.run_id, Wish(kind, "a reason", numbers))

    def revoke(self) -> None:
        revoke_token(self.platform, "tests", "red", self.stored_token.token_id)

    def fate(self, number: int) -> tuple[FileState, Cause | None]:
        """Return a file's state and cause in the session that was begun in the final."""
        session = reading.session(self.platform, self.session_id)
        assert session is not None
        result = following.known_of(self.platform, session)
        view = following.files_of(self.platform, session, result, self.clock.now())[number - 1]
        return view.state, view.cause


@pytest.fixture
def final() -> Final:
    """Return a final before its start, which the team's client has not begun."""
    return Final()


@pytest.fixture
def begun(final: Final) -> Final:
    """Return a final before its start, in which the team's client has begun its session."""
    final.start()
    return final


def planned(platform: ChannelPlatform, interval: Millis = MINUTE, mode: Mode = Mode.FINAL) -> Run:
    start = platform.clock.now() + MINUTE
    name = "final" if mode is Mode.FINAL else "train"
    return planning.plan_run(platform, "tests", RunOrder(mode, name, start, interval, files=FILES))


def files(events: list[Told]) -> list[int]:
    """List the numbers of the files in the order in which they came."""
    return [each.file[1] for each in events if each.file is not None and "fileId" in each.payload]


def test_every_file_comes_once_at_its_opening(begun: Final) -> None:
    for number in range(1, FILES + 1):
        begun.at(number, -0.001)
        assert files(begun.client.heard()) == []
        begun.at(number, 5)
        assert files(begun.client.heard()) == [number]
        delivery = begun.platform.deliveries.get(begun.session_id, number)
        assert delivery is not None
        assert delivery.handed_out_at == begun.opening(number)


def test_an_open_file_is_pushed_at_once_to_who_joins_late(final: Final) -> None:
    """Two minutes after the start a final may still be joined (R-App2): the third file opens in that instant."""
    final.go(final.run.starts_at + 2 * MINUTE)
    events = final.start()
    assert names(events) == ["session-start-success", "session-file-available"]
    assert files(events) == [3]


def test_a_file_that_opens_during_the_joining_is_not_lost(final: Final) -> None:
    """The event arrives before the opening and is done after it: neither too early for a push nor too late."""
    final.client.heard()
    arrival = final.run.starts_at - 50
    final.clock.moment = final.run.starts_at + 50
    said = Emitted("/pku", "session-start", {"type": "final"})
    connections.carry_out_event(final.platform, DIALECTS, final.client.connection_id, said, arrival)
    final.platform.carry()
    assert files(final.client.heard()) == [1]


def test_after_a_pause_pushes_come_at_the_new_opening(begun: Final) -> None:
    begun.at(1, 30)
    begun.client.heard()
    begun.decide(Kind.PAUSE)
    begun.go(begun.clock.now() + 17 * MINUTE + 41 * SECOND)
    assert begun.client.heard() == []
    begun.decide(Kind.RESUME)
    for number in (2, 3, 4, 5):
        begun.at(number, -0.001)
        assert files(begun.client.heard()) == []
        begun.at(number, 5)
        assert files(begun.client.heard()) == [number]


@pytest.mark.parametrize("late_s", range(0, 60, 7))
def test_who_connects_in_a_pause_gets_its_file(final: Final, late_s: int) -> None:
    """The run goes on half a minute after the decision, sooner than the timer's next visit."""
    final.at(1, -6)
    final.decide(Kind.PAUSE)
    final.go(final.clock.now() + 9 * MINUTE + late_s * SECOND)
    final.client = final.connected()
    final.start()
    final.decide(Kind.RESUME)
    final.at(1, 5)
    assert files(final.client.heard()) == [1]


def test_copies_of_a_push_do_what_one_does(begun: Final, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = Push(PushKind.FILE, begun.run.starts_at, session_id=begun.session_id, number=1)
    ask = begun.platform.deliveries.ask

    def meanwhile(session_id: str, number: int, at: Millis) -> Millis:
        monkeypatch.undo()
        pushing.push_files(begun.platform, copy)
        return ask(session_id, number, at)

    monkeypatch.setattr(begun.platform.deliveries, "ask", meanwhile)
    begun.clock.moment = begun.run.starts_at
    for _ in range(3):
        pushing.push_files(begun.platform, copy)
    begun.platform.carry()
    assert files(begun.client.heard()) == [1]


@pytest.mark.parametrize("broken", ["hand_out", "ask"])
def test_a_push_that_died_is_made_up_for_in_time(begun: Final, broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pushes = [each for each in begun.platform.pushes.waiting if each.number == 1]
    with monkeypatch.context() as patched:
        patched.setattr(begun.platform.deliveries, broken, breaks)
        begun.clock.moment = begun.run.starts_at
        with pytest.raises(RuntimeError):
            pushing.push_files(begun.platform, pushes[0])
    begun.platform.pushes.waiting = pushes[1:]
    begun.at(1, 4)
    assert files(begun.client.heard()) == [1]
    assert begun.fate(1) == (FileState.OPEN, None)


@pytest.mark.clause("platform §3 platform faults")
def test_a_file_that_no_push_asked_for_is_the_platforms_fault(begun: Final) -> None:
    begun.at(1, -2)
    begun.platform.pushes.waiting = [each for each in begun.platform.pushes.waiting if each.number != 1]
    begun.at(1, 40)
    assert files(begun.client.heard()) == []
    assert begun.fate(1) == (FileState.VOIDED, Cause.PLATFORM)


@pytest.mark.clause("platform §3 platform faults")
def test_who_is_turned_away_at_an_opening_has_no_claim_on_the_platform(begun: Final) -> None:
    begun.at(1, -2)
    begun.revoke()
    begun.at(1, 40)
    assert begun.fate(1) == (FileState.VOIDED, Cause.NETWORK)


def test_a_push_that_died_after_the_file_was_told_tells_it_again(begun: Final, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever ends in between makes a file come twice rather than never."""
    with monkeypatch.context() as patched:
        patched.setattr(begun.platform.connections, "mark_pushed", breaks)
        begun.clock.moment = begun.run.starts_at
        with pytest.raises(RuntimeError):
            begun.platform.carry()
    begun.at(1, 4)
    assert files(begun.client.heard())[0] == 1


def test_a_file_missed_while_away_is_the_networks_fault(begun: Final) -> None:
    begun.at(1, 30)
    first = begun.client.heard()[0].payload
    begun.client.drops()
    left_at = begun.clock.now()
    begun.at(2, 40)
    back = begun.connected()
    assert names(back.heard()) == ["session-reconnect-success"]
    (repeated,) = back.says("session-file-repeat", {"lastFileId": first["fileId"]})
    assert (repeated.name, repeated.payload["missed"]) == ("session-file-repeat-error", True)
    assert begun.platform.connections.attachments[begun.session_id].absences == (Absence(left_at, begun.clock.now()),)
    assert begun.fate(2) == (FileState.VOIDED, Cause.NETWORK)
    begun.at(3, 5)
    assert files(back.heard()) == [3]


@pytest.mark.parametrize("asks", [True, False], ids=["asks for a repetition", "says nothing"])
def test_a_client_that_comes_back_loses_no_file(begun: Final, asks: bool) -> None:
    """One library's client asks by itself for what it has missed, another's says nothing; neither says
    `session-reconnect`. Each file's answer is lost with the connection, which is cut for a second, once more later."""
    last = "Файлов ещё не было"
    for number in range(1, FILES + 1):
        begun.at(number, 5)
        (file,) = [each.payload for each in begun.client.heard() if each.name == "session-file-available"]
        last = file["fileId"]
        for _ in range(2):
            begun.client.drops()
            begun.go(begun.clock.now() + SECOND)
            begun.client = begun.connected()
            back, again = begun.client.heard()
            assert (back.payload, again.payload) == ({"sessionId": begun.session_id}, file)
            if asks:
                assert begun.client.says("session-file-repeat", {"lastFileId": last}) == []
        sent = {**file, "content": ANSWER}
        assert names(begun.client.says("session-file-send", sent)) == ["session-file-send-success"]
    fates = {begun.fate(number) for number in range(1, FILES + 1)}
    assert fates == {(FileState.ANSWERED, None)}


def test_who_left_without_a_trace_is_away_at_the_opening(begun: Final) -> None:
    """The connection's item went, the absence was never written: the push that finds nobody writes it."""
    begun.platform.connections.remove(begun.client.connection_id)
    begun.at(1, 30)
    assert begun.fate(1) == (FileState.VOIDED, Cause.NETWORK)


def test_who_comes_back_gets_the_file_in_hand_and_the_one_that_opened(final: Final) -> None:
    """In a technical run files overlap: with one in hand, the next one's ten seconds run too (R-App2)."""
    final.run = planned(final.platform, 20 * SECOND, Mode.TECHNICAL)
    final.start("technical")
    final.at(1, 15)
    assert files(final.client.heard()) == [1]
    final.client.drops()
    final.at(2, 5)
    back = final.connected()
    assert files(back.heard()) == [1, 2]
    assert back.says("session-file-repeat", {"lastFileId": "anything"}) == []
    assert files(back.says("session-file-repeat")) == [1, 2]


@pytest.mark.parametrize("when", ["before", "during"])
def test_who_comes_back_while_its_file_opens_gets_it(begun: Final, when: str, monkeypatch: pytest.MonkeyPatch) -> None:
    begun.at(1, -3)
    returned: list[SocketClient] = []

    def come_back(session_id: str, number: int, at: Millis) -> Millis:
        monkeypatch.undo()
        returned.append(begun.connected())
        return ask(session_id, number, at)

    ask = begun.platform.deliveries.ask
    if when == "during":
        monkeypatch.setattr(begun.platform.deliveries, "ask", come_back)
    else:
        come_back("", 0, 0)
    begun.at(1, 5)
    assert files(returned[0].heard()) == [1]
    assert "part" in begun.client.told


@pytest.mark.parametrize(
    "wish", [Wish(Kind.STOP, "power"), Wish(Kind.VOID, "broken", (2, 3))], ids=["stopped", "annulled"]
)
def test_stopped_and_annulled_files_are_not_pushed(begun: Final, wish: Wish) -> None:
    begun.at(1, 30)
    begun.client.heard()
    watching.decide(begun.platform, "anna", begun.run.run_id, wish)
    begun.at(3, 30)
    assert files(begun.client.heard()) == []
    assert len(begun.platform.pushes.waiting) < 10


def test_files_of_the_reserve_are_pushed_like_others(begun: Final) -> None:
    begun.at(1, 5)
    begun.decide(Kind.REPLACE, 2)
    begun.client.heard()
    begun.at(FILES + 1, 5)
    assert files(begun.client.heard()) == [3, 4, 5, 6]


def test_a_revoked_token_is_pushed_nothing_and_is_turned_away(begun: Final) -> None:
    begun.revoke()
    begun.at(2, 5)
    events = begun.client.heard()
    assert (names(events), files(events)) == (["connection-auth-error"], [])
    assert begun.client.connection_id not in begun.platform.sockets.open


def test_the_timers_work_needs_nobodys_token(begun: Final, monkeypatch: pytest.MonkeyPatch) -> None:
    """The timer has no right to the teams' table (docs/decisions/0001 §5)."""
    begun.client = begun.connected("4")
    begun.clock.advance(200)
    monkeypatch.setattr(begun.platform, "people", None)
    begun.platform.memory = Memory()
    pushing.maintain(begun.platform, begun.clock.now())
    assert begun.client.told[-1] == "ping"


def test_a_file_is_answered_by_what_was_pushed(begun: Final) -> None:
    begun.at(1, 5)
    file = begun.client.heard()[0].payload
    sent = {**file, "content": ANSWER}
    for status in ("accepted", "accepted"):
        (receipt,) = begun.client.says("session-file-send", sent)
        assert (receipt.name, receipt.payload["status"]) == ("session-file-send-success", status)
    begun.at(1, 20)
    assert begun.client.heard() == []


def answered(client: SocketClient, told: Told) -> list[Told]:
    """Answer a file that came."""
    named = {name: told.payload[name] for name in ("sessionId", "fileId")}
    return client.says("session-file-send", {**named, "content": ANSWER})


def beside_a_final(begun: Final, *, answers: int) -> Told:
    """Let the client play a part of its final and begin an algorithmic session; return the file that it gets."""
    for number in range(1, answers + 1):
        begun.at(number, 5)
        (result,) = begun.client.heard()
        assert names(answered(begun.client, result)) == ["session-file-send-success"]
    begun.clock.advance(2)
    events = begun.client.says("session-start", {"type": "algorithmic", "params": {"dsType": "train"}})
    assert names(events) == ["session-start-success", "session-file-available"]
    return events[1]


@pytest.mark.clause("TS D-13")
def test_who_is_cut_off_goes_on_with_the_file_in_hand(begun: Final) -> None:
    result = beside_a_final(begun, answers=FILES)
    begun.client.drops()
    begun.clock.advance(1)
    begun.client = begun.connected()
    back, again = begun.client.heard()
    assert (back.name, back.payload) == ("session-reconnect-success", {"sessionId": result.payload["sessionId"]})
    assert (again.name, again.payload) == ("session-file-available", result.payload)
    begun.clock.advance(1)
    assert names(begun.client.says("session-client-abort")) == ["session-client-abort-success"]
    assert begun.platform.sessions.get(begun.session_id).is_open  # type: ignore[union-attr]


@pytest.mark.clause("TS D-13")
@pytest.mark.parametrize("drops", [False, True], ids=["over one connection", "after a cut"])
def test_a_finals_files_come_beside_another_session(begun: Final, drops: bool) -> None:
    result = beside_a_final(begun, answers=1)
    if drops:
        begun.client.drops()
        begun.client = begun.connected()
        assert begun.client.heard()[0].payload == {"sessionId": result.payload["sessionId"]}
    for number in range(2, FILES + 1):
        begun.at(number, 5)
        pushed = [each for each in begun.client.heard() if each.payload.get("sessionId") == begun.session_id]
        assert files(pushed) == [number]
        assert names(answered(begun.client, pushed[0])) == ["session-file-send-success"]


@pytest.mark.clause("TS D-13", "R 7.6")
def test_who_is_away_in_another_session_is_away_in_the_final(begun: Final) -> None:
    """The connection spoke for the other session last: its end is the end for both, and no fault of the platform."""
    beside_a_final(begun, answers=1)
    begun.client.drops()
    begun.at(2, 40)
    assert begun.fate(2) == (FileState.VOIDED, Cause.NETWORK)


@pytest.mark.clause("platform §3 final states")
def test_who_aborts_an_ended_session_is_told_so(begun: Final) -> None:
    result = beside_a_final(begun, answers=FILES)
    begun.go(begun.clock.now() + 10 * MINUTE)
    session = begun.platform.sessions.get(begun.session_id)
    assert session is not None
    following.by_time(begun.platform, session, begun.clock.now())
    begun.client.heard()
    (refused,) = begun.client.says("session-client-abort", {"sessionId": begun.session_id})
    assert (refused.name, set(refused.payload)) == ("session-client-abort-error", {"message"})
    assert "finished" in refused.payload["message"]
    assert begun.platform.sessions.get(result.payload["sessionId"]).is_open  # type: ignore[union-attr]


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
    connections.answer_heartbeat(platform, old.connection_id, "probe")
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
