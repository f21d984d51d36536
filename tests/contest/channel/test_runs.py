"""Runs over the event channel in memory: pushes at openings, pauses, copies, crashes, returns, causes (platform §3)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contest import reading
from contest.channel import connections, pushing
from contest.channel.events import DIALECTS
from contest.channel.rules import Absence, Emitted, Push, PushKind, Told
from contest.cycle.loading import load_cycle
from contest.cycle.rules.cycle import Mode
from contest.people.teams import add_team, issue_token, revoke_token
from contest.platform import Memory
from contest.run import deciding, planning
from contest.run.planning import RunOrder
from contest.run.rules.amending import Wish
from contest.run.rules.run import Kind, Run
from contest.session import following
from contest.session.rules.delivery import Cause, FileState
from contest.values import MINUTE, SECOND, Millis
from tests.fakes_channel import ChannelPlatform, SocketClient
from tests.samples import admit_to_finals
from tests.toys import FolderInMemory, toy_cycle

FILES = 5


@pytest.fixture
def platform() -> ChannelPlatform:
    made = ChannelPlatform()
    load_cycle(made, "tests", "toy-1", FolderInMemory(toy_cycle(train=8, final=8, reserve=5)), lambda _: None)
    add_team(made, "tests", "red", "Red")
    admit_to_finals(made, "red")
    made.clock.goes = True
    return made


@pytest.fixture
def token(platform: ChannelPlatform) -> str:
    return issue_token(platform, "tests", "red")[0]


@pytest.fixture
def run(platform: ChannelPlatform) -> Run:
    return planned(platform)


def planned(platform: ChannelPlatform, interval: Millis = MINUTE, mode: Mode = Mode.FINAL) -> Run:
    start = platform.clock.now() + MINUTE
    name = "final" if mode is Mode.FINAL else "train"
    return planning.plan_run(platform, "tests", RunOrder(mode, name, start, interval, files=FILES))


def go(platform: ChannelPlatform, until: Millis) -> None:
    """Let time pass second by second: pushes as they are due, the timer every minute."""
    while platform.clock.now() < until:
        now = platform.clock.now()
        platform.clock.moment = min(until, now + SECOND - now % SECOND)
        platform.carry()
        if platform.clock.now() % MINUTE < SECOND:
            pushing.maintain(platform, platform.clock.now())
            platform.carry()


def start(client: SocketClient, mode: str = "final") -> list[Told]:
    client.heard()
    return client.says("session-start", {"type": mode, "params": {"countFiles": "30"}})


def files(events: list[Told]) -> list[int]:
    """Numbers of the files that came, in their order."""
    return [each.file[1] for each in events if each.file is not None and "fileId" in each.payload]


def names(events: list[Told]) -> list[str]:
    return [each.name for each in events]


def opening(platform: ChannelPlatform, run: Run, number: int) -> Millis:
    return reading.schedule_now(platform, run.run_id).opens_at(number)


def cause_of(platform: ChannelPlatform, session_id: str, number: int) -> tuple[FileState, Cause | None]:
    session = reading.session(platform, session_id)
    assert session is not None
    view = following.files_of(platform, session, following.known_of(platform, session), platform.clock.now())[
        number - 1
    ]
    return view.state, view.cause


def test_every_file_comes_once_at_its_opening(platform: ChannelPlatform, run: Run, token: str) -> None:
    client = SocketClient(platform, token)
    session_id = start(client)[0].payload["sessionId"]
    for number in range(1, FILES + 1):
        go(platform, opening(platform, run, number) - 1)
        assert files(client.heard()) == []
        go(platform, opening(platform, run, number) + 5 * SECOND)
        assert files(client.heard()) == [number]
        delivery = platform.deliveries.get(session_id, number)
        assert delivery is not None
        assert delivery.handed_out_at == opening(platform, run, number)


def test_an_open_file_is_pushed_at_once_to_who_joins_late(platform: ChannelPlatform, run: Run, token: str) -> None:
    """Two minutes after the start a final may still be joined (R-App2): the third file opens in that instant."""
    client = SocketClient(platform, token)
    go(platform, run.starts_at + 2 * MINUTE)
    events = start(client)
    assert names(events) == ["session-start-success", "session-file-available"]
    assert files(events) == [3]


def test_a_file_that_opens_during_the_joining_is_not_lost(platform: ChannelPlatform, run: Run, token: str) -> None:
    """The event arrives before the opening and is done after it: neither too early for a push nor too late."""
    client = SocketClient(platform, token)
    client.heard()
    arrival = run.starts_at - 50
    platform.clock.moment = run.starts_at + 50
    said = Emitted("/pku", "session-start", {"type": "final"})
    connections.hear(platform, DIALECTS, client.connection_id, said, arrival)
    platform.carry()
    assert files(client.heard()) == [1]


def test_after_a_pause_pushes_come_at_the_new_opening(platform: ChannelPlatform, run: Run, token: str) -> None:
    client = SocketClient(platform, token)
    start(client)
    go(platform, opening(platform, run, 1) + 30 * SECOND)
    client.heard()
    deciding.decide(platform, "anna", run.run_id, Wish(Kind.PAUSE, "a cable"))
    go(platform, platform.clock.now() + 17 * MINUTE + 41 * SECOND)
    assert client.heard() == []
    deciding.decide(platform, "anna", run.run_id, Wish(Kind.RESUME, "the cable is back"))
    for number in (2, 3, 4, 5):
        go(platform, opening(platform, run, number) - 1)
        assert files(client.heard()) == []
        go(platform, opening(platform, run, number) + 5 * SECOND)
        assert files(client.heard()) == [number]


@pytest.mark.parametrize("late_s", range(0, 60, 7))
def test_who_connects_in_a_pause_gets_its_file(platform: ChannelPlatform, run: Run, token: str, late_s: int) -> None:
    """The run goes on half a minute after the decision, sooner than the timer's next visit."""
    go(platform, run.starts_at - 6 * SECOND)
    deciding.decide(platform, "anna", run.run_id, Wish(Kind.PAUSE, "a cable"))
    go(platform, platform.clock.now() + 9 * MINUTE + late_s * SECOND)
    client = SocketClient(platform, token)
    start(client)
    deciding.decide(platform, "anna", run.run_id, Wish(Kind.RESUME, "the cable is back"))
    go(platform, opening(platform, run, 1) + 5 * SECOND)
    assert files(client.heard()) == [1]


def test_copies_of_a_push_do_what_one_does_also_at_the_same_time(
    platform: ChannelPlatform, run: Run, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = SocketClient(platform, token)
    copy = Push(PushKind.FILE, run.starts_at, session_id=start(client)[0].payload["sessionId"], number=1)
    ask = platform.deliveries.ask

    def meanwhile(session_id: str, number: int, at: Millis) -> Millis:
        monkeypatch.undo()
        pushing.pushed(platform, copy)
        return ask(session_id, number, at)

    monkeypatch.setattr(platform.deliveries, "ask", meanwhile)
    platform.clock.moment = run.starts_at
    for _ in range(3):
        pushing.pushed(platform, copy)
    platform.carry()
    assert files(client.heard()) == [1]


@pytest.mark.parametrize("broken", ["hand_out", "ask"])
def test_a_push_that_died_is_made_up_for_within_the_time_to_ask(
    platform: ChannelPlatform, run: Run, token: str, broken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = SocketClient(platform, token)
    session_id = start(client)[0].payload["sessionId"]
    pushes = [each for each in platform.pushes.waiting if each.number == 1]
    with monkeypatch.context() as patched:
        patched.setattr(platform.deliveries, broken, _fails)
        platform.clock.moment = run.starts_at
        with pytest.raises(RuntimeError):
            pushing.pushed(platform, pushes[0])
    platform.pushes.waiting = pushes[1:]
    go(platform, run.starts_at + 4 * SECOND)
    assert files(client.heard()) == [1]
    assert cause_of(platform, session_id, 1) == (FileState.OPEN, None)


@pytest.mark.clause("platform §3 platform faults")
def test_a_file_that_no_push_asked_for_is_the_platforms_fault(platform: ChannelPlatform, run: Run, token: str) -> None:
    client = SocketClient(platform, token)
    session_id = start(client)[0].payload["sessionId"]
    go(platform, run.starts_at - 2 * SECOND)
    platform.pushes.waiting = [each for each in platform.pushes.waiting if each.number != 1]
    go(platform, run.starts_at + 40 * SECOND)
    assert files(client.heard()) == []
    assert cause_of(platform, session_id, 1) == (FileState.VOIDED, Cause.PLATFORM)


@pytest.mark.clause("platform §3 platform faults")
def test_who_is_turned_away_at_an_opening_has_no_claim_on_the_platform(platform: ChannelPlatform, run: Run) -> None:
    token, stored = issue_token(platform, "tests", "red")
    session_id = start(SocketClient(platform, token))[0].payload["sessionId"]
    go(platform, run.starts_at - 2 * SECOND)
    revoke_token(platform, "tests", "red", stored.token_id)
    go(platform, run.starts_at + 40 * SECOND)
    assert cause_of(platform, session_id, 1) == (FileState.VOIDED, Cause.NETWORK)


def test_a_push_that_died_after_the_file_was_told_tells_it_again(
    platform: ChannelPlatform, run: Run, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever ends in between makes a file come twice rather than never."""
    client = SocketClient(platform, token)
    start(client)
    with monkeypatch.context() as patched:
        patched.setattr(platform.connections, "mark_pushed", _fails)
        platform.clock.moment = run.starts_at
        with pytest.raises(RuntimeError):
            platform.carry()
    go(platform, run.starts_at + 4 * SECOND)
    assert files(client.heard())[0] == 1


def _fails(*_: Any) -> Any:
    raise RuntimeError("the process ends here")


def test_a_file_missed_while_away_is_the_networks_fault(platform: ChannelPlatform, run: Run, token: str) -> None:
    client = SocketClient(platform, token)
    session_id = start(client)[0].payload["sessionId"]
    go(platform, opening(platform, run, 1) + 30 * SECOND)
    first = client.heard()[0].payload
    client.drops()
    left_at = platform.clock.now()
    go(platform, opening(platform, run, 2) + 40 * SECOND)
    back = SocketClient(platform, token)
    assert names(back.heard()) == ["session-reconnect-success"]
    (repeated,) = back.says("session-file-repeat", {"lastFileId": first["fileId"]})
    assert (repeated.name, repeated.payload["missed"]) == ("session-file-repeat-error", True)
    assert platform.connections.attachments[session_id].absences == (Absence(left_at, platform.clock.now()),)
    assert cause_of(platform, session_id, 2) == (FileState.VOIDED, Cause.NETWORK)
    go(platform, opening(platform, run, 3) + 5 * SECOND)
    assert files(back.heard()) == [3]


@pytest.mark.parametrize("asks", [True, False], ids=["asks for a repetition", "says nothing"])
def test_a_client_that_comes_back_loses_no_file(platform: ChannelPlatform, run: Run, token: str, asks: bool) -> None:
    """One library's client asks by itself for what it has missed, another's says nothing; neither says
    `session-reconnect`. Each file's answer is lost with the connection, which is cut for a second, once more later."""
    client = SocketClient(platform, token)
    session_id, last = start(client)[0].payload["sessionId"], "Файлов ещё не было"
    for number in range(1, FILES + 1):
        go(platform, opening(platform, run, number) + 5 * SECOND)
        (file,) = [each.payload for each in client.heard() if each.name == "session-file-available"]
        last = file["fileId"]
        for _ in range(2):
            client.drops()
            go(platform, platform.clock.now() + SECOND)
            client = SocketClient(platform, token)
            back, again = client.heard()
            assert (back.payload, again.payload) == ({"sessionId": session_id}, file)
            if asks:
                assert client.says("session-file-repeat", {"lastFileId": last}) == []
        sent = {**file, "content": json.dumps({"letters": "abcd"})}
        assert names(client.says("session-file-send", sent)) == ["session-file-send-success"]
    fates = {cause_of(platform, session_id, number) for number in range(1, FILES + 1)}
    assert fates == {(FileState.ANSWERED, None)}


def test_who_left_without_a_trace_is_away_at_the_opening(platform: ChannelPlatform, run: Run, token: str) -> None:
    """The connection's item went, the absence was never written: the push that finds nobody writes it."""
    client = SocketClient(platform, token)
    session_id = start(client)[0].payload["sessionId"]
    platform.connections.remove(client.connection_id)
    go(platform, opening(platform, run, 1) + 30 * SECOND)
    assert cause_of(platform, session_id, 1) == (FileState.VOIDED, Cause.NETWORK)


def test_who_comes_back_gets_the_file_in_hand_and_the_one_that_opened(platform: ChannelPlatform, token: str) -> None:
    """In a technical run files overlap: with one in hand, the next one's ten seconds run too (R-App2)."""
    run = planned(platform, 20 * SECOND, Mode.TECHNICAL)
    client = SocketClient(platform, token)
    start(client, "technical")
    go(platform, opening(platform, run, 1) + 15 * SECOND)
    assert files(client.heard()) == [1]
    client.drops()
    go(platform, opening(platform, run, 2) + 5 * SECOND)
    back = SocketClient(platform, token)
    assert files(back.heard()) == [1, 2]
    assert back.says("session-file-repeat", {"lastFileId": "anything"}) == []
    assert files(back.says("session-file-repeat")) == [1, 2]


@pytest.mark.parametrize("when", ["before", "during"])
def test_a_client_that_comes_back_while_its_file_opens_gets_it(
    platform: ChannelPlatform, run: Run, token: str, when: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = SocketClient(platform, token)
    start(client)
    go(platform, run.starts_at - 3 * SECOND)
    returned: list[SocketClient] = []

    def come_back(session_id: str, number: int, at: Millis) -> Millis:
        monkeypatch.undo()
        returned.append(SocketClient(platform, token))
        return ask(session_id, number, at)

    ask = platform.deliveries.ask
    if when == "during":
        monkeypatch.setattr(platform.deliveries, "ask", come_back)
    else:
        come_back("", 0, 0)
    go(platform, run.starts_at + 5 * SECOND)
    assert files(returned[0].heard()) == [1]
    assert "part" in client.told


@pytest.mark.parametrize(
    "wish", [Wish(Kind.STOP, "power"), Wish(Kind.VOID, "broken", (2, 3))], ids=["stopped", "annulled"]
)
def test_stopped_and_annulled_files_are_not_pushed(platform: ChannelPlatform, run: Run, token: str, wish: Wish) -> None:
    client = SocketClient(platform, token)
    start(client)
    go(platform, opening(platform, run, 1) + 30 * SECOND)
    client.heard()
    deciding.decide(platform, "anna", run.run_id, wish)
    go(platform, opening(platform, run, 3) + 30 * SECOND)
    assert files(client.heard()) == []
    assert len(platform.pushes.waiting) < 10


def test_files_of_the_reserve_are_pushed_like_others(platform: ChannelPlatform, run: Run, token: str) -> None:
    client = SocketClient(platform, token)
    start(client)
    go(platform, opening(platform, run, 1) + 5 * SECOND)
    deciding.decide(platform, "anna", run.run_id, Wish(Kind.REPLACE, "a mass failure", (2,)))
    client.heard()
    go(platform, opening(platform, run, FILES + 1) + 5 * SECOND)
    assert files(client.heard()) == [3, 4, 5, 6]


def test_a_revoked_token_is_pushed_nothing_and_is_turned_away(platform: ChannelPlatform, run: Run) -> None:
    token, stored = issue_token(platform, "tests", "red")
    client = SocketClient(platform, token)
    start(client)
    revoke_token(platform, "tests", "red", stored.token_id)
    go(platform, opening(platform, run, 2) + 5 * SECOND)
    events = client.heard()
    assert (names(events), files(events)) == (["connection-auth-error"], [])
    assert client.connection_id not in platform.sockets.open


def test_the_timers_work_needs_nobodys_token(
    platform: ChannelPlatform, run: Run, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The timer has no right to the teams' table (docs/decisions/0001 §5)."""
    client = SocketClient(platform, token, "4")
    start(client)
    platform.clock.advance(200)
    monkeypatch.setattr(platform, "people", None)
    platform.memory = Memory()
    pushing.maintain(platform, platform.clock.now())
    assert client.told[-1] == "ping"


def test_a_file_is_answered_by_what_was_pushed(platform: ChannelPlatform, run: Run, token: str) -> None:
    client = SocketClient(platform, token)
    start(client)
    go(platform, opening(platform, run, 1) + 5 * SECOND)
    file = client.heard()[0].payload
    sent = {**file, "content": json.dumps({"letters": "abcd"})}
    for status in ("accepted", "accepted"):
        (receipt,) = client.says("session-file-send", sent)
        assert (receipt.name, receipt.payload["status"]) == ("session-file-send-success", status)
    go(platform, opening(platform, run, 1) + 20 * SECOND)
    assert client.heard() == []


ANSWER = json.dumps({"letters": "abcd"})


def answered(client: SocketClient, told: Told) -> list[Told]:
    """Answer a file that came."""
    named = {name: told.payload[name] for name in ("sessionId", "fileId")}
    return client.says("session-file-send", {**named, "content": ANSWER})


def beside_a_final(platform: ChannelPlatform, run: Run, token: str, *, answers: int) -> tuple[SocketClient, str, Told]:
    """Return a client after a part of its final, and its algorithmic session with a file handed out."""
    client = SocketClient(platform, token)
    session_id = start(client)[0].payload["sessionId"]
    for number in range(1, answers + 1):
        go(platform, opening(platform, run, number) + 5 * SECOND)
        (told,) = client.heard()
        assert names(answered(client, told)) == ["session-file-send-success"]
    platform.clock.advance(2)
    begun = client.says("session-start", {"type": "algorithmic", "params": {"dsType": "train"}})
    assert names(begun) == ["session-start-success", "session-file-available"]
    return client, session_id, begun[1]


@pytest.mark.clause("TS D-13")
def test_who_is_cut_off_goes_on_with_the_file_in_hand(platform: ChannelPlatform, run: Run, token: str) -> None:
    client, final_id, told = beside_a_final(platform, run, token, answers=FILES)
    client.drops()
    platform.clock.advance(1)
    back, again = (client := SocketClient(platform, token)).heard()
    assert (back.name, back.payload) == ("session-reconnect-success", {"sessionId": told.payload["sessionId"]})
    assert (again.name, again.payload) == ("session-file-available", told.payload)
    platform.clock.advance(1)
    assert names(client.says("session-client-abort")) == ["session-client-abort-success"]
    assert platform.sessions.get(final_id).is_open  # type: ignore[union-attr]


@pytest.mark.clause("TS D-13")
@pytest.mark.parametrize("drops", [False, True], ids=["over one connection", "after a cut"])
def test_a_finals_files_come_beside_another_session(
    platform: ChannelPlatform, run: Run, token: str, drops: bool
) -> None:
    client, final_id, told = beside_a_final(platform, run, token, answers=1)
    if drops:
        client.drops()
        client = SocketClient(platform, token)
        assert client.heard()[0].payload == {"sessionId": told.payload["sessionId"]}
    for number in range(2, FILES + 1):
        go(platform, opening(platform, run, number) + 5 * SECOND)
        pushed = [each for each in client.heard() if each.payload.get("sessionId") == final_id]
        assert files(pushed) == [number]
        assert names(answered(client, pushed[0])) == ["session-file-send-success"]


@pytest.mark.clause("TS D-13", "R 7.6")
def test_who_is_away_in_another_session_is_away_in_the_final(platform: ChannelPlatform, run: Run, token: str) -> None:
    """The connection spoke for the other session last: its end is the end for both, and no fault of the platform."""
    client, final_id, _ = beside_a_final(platform, run, token, answers=1)
    client.drops()
    go(platform, opening(platform, run, 2) + 40 * SECOND)
    assert cause_of(platform, final_id, 2) == (FileState.VOIDED, Cause.NETWORK)


@pytest.mark.clause("platform §3 final states")
def test_who_aborts_an_ended_session_is_told_so(platform: ChannelPlatform, run: Run, token: str) -> None:
    client, final_id, told = beside_a_final(platform, run, token, answers=FILES)
    go(platform, platform.clock.now() + 10 * MINUTE)
    final = platform.sessions.get(final_id)
    assert final is not None
    following.by_time(platform, final, platform.clock.now())
    client.heard()
    (refused,) = client.says("session-client-abort", {"sessionId": final_id})
    assert (refused.name, set(refused.payload)) == ("session-client-abort-error", {"message"})
    assert "finished" in refused.payload["message"]
    assert platform.sessions.get(told.payload["sessionId"]).is_open  # type: ignore[union-attr]
