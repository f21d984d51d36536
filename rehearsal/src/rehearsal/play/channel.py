"""Clients of the event channel over a real WebSocket: for teams, like the earlier clients; two that play nothing."""

from __future__ import annotations

import json
import random
import threading
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from socket import SHUT_RDWR
from typing import Any, Final
from urllib.parse import quote

from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.sync.client import ClientConnection, connect

from local.clock import monotonic_s
from rehearsal.history import MINUTE, SECOND, Millis, to_text
from rehearsal.play.driver import Play, Step, Timing, coming
from rehearsal.play.teams import RETRY, Answering, Answers, Steps, Team, insist
from rehearsal.play.wire import Ask, Reply, Wire, begun, searched

Json = Any
Event = tuple[str, Mapping[str, Json]]
GONE: Final = (WebSocketException, OSError, EOFError)  # errors of a connection that is lost
_BROUGHT: Final = frozenset({"session-file-available", "session-file-repeat-success"})
_ENTERED_S: Final = 20.0  # real seconds until a client that was not let in gives the connection up and makes another


def connected(url: str, token: str | None, version: int = 3, **how: Any) -> ClientConnection:
    """Connect to the event channel in a version of its protocol."""
    address = f"{url.replace('http', 'ws', 1)}/socket.io/?EIO={version}&transport=websocket"
    query = "" if token is None else f"&token={quote(token)}"
    opened: ClientConnection = connect(
        address + query, compression=None, ping_interval=None, open_timeout=_ENTERED_S, **how
    )
    return opened


def received(connection: ClientConnection, seconds: float) -> str:
    """Return the next frame as text."""
    frame = connection.recv(timeout=seconds)
    return frame if isinstance(frame, str) else frame.decode()


class ChannelClient:
    """One client. ``brought`` gets every file as it comes, also one that came before; one that ``asks`` sends
    `session-file-repeat {lastFileId}` after every connect, another nothing that a person did not ask for."""

    def __init__(
        self, url: str, token: str, brought: Callable[[Mapping[str, Json]], None], namespace: str, *, asks: bool
    ) -> None:
        self._url, self._token = url, token
        self._asks, self._namespace, self._brought = asks, namespace, brought
        self._last = "No files yet"
        self._open = ExitStack()
        self._socket: ClientConnection | None = None
        self._heard: list[Event] = []
        self._frames: list[str] = []
        self._lock = threading.Lock()
        self.connections = 0
        """Number of connections, failed attempts included."""

    def come(self) -> bool:
        """Connect and enter; return False if that failed, or the platform cut the client off meanwhile."""
        self.leave()
        self.connections += 1
        with suppress(*GONE):
            self._socket = self._open.enter_context(connected(self._url, self._token))
            if self._frame(_ENTERED_S)[:1] == "0" and self._frame(_ENTERED_S) == "40":
                self._say(f"40{self._namespace},")
                if self._entered():
                    if self._asks:
                        self.emit("session-file-repeat", {"lastFileId": self._last})
                    return True
        self.leave()
        return False

    def leave(self) -> None:
        """Drop the connection without a close frame."""
        if self._socket is not None:
            with suppress(OSError):
                self._socket.socket.shutdown(SHUT_RDWR)
            with suppress(*GONE):
                self._open.close()
            self._socket = None

    def emit(self, name: str, payload: Mapping[str, Json]) -> None:
        """Emit an event; over a connection that is gone, it is lost."""
        with suppress(*GONE):
            self._say(f"42{self._namespace},{json.dumps([name, payload])}")

    def until(self, *names: str, within_s: float) -> Event | None:
        """Return the first of these events, heard now or before; None when the time, in real seconds, is over, or when
        the connection was lost meanwhile and has been made again: an event sent over it may be lost, too."""
        ends, there = monotonic_s() + within_s, True
        while True:
            event = next((heard for heard in self._heard if heard[0] in names), None)
            if event is not None:
                self._heard.remove(event)
                return event
            left_s = ends - monotonic_s()
            if left_s <= 0 or not there:
                return None
            there = self._listen(left_s)

    def frames(self) -> str:
        """Return all frames received since the last call, of any connection, a line each."""
        frames, self._frames = self._frames, []
        return "\n".join(frames)

    def _listen(self, seconds: float) -> bool:
        """Receive one frame, or none within the time; return False if the connection was lost and made again."""
        with suppress(TimeoutError):
            try:
                self._take(self._frame(seconds))
            except (WebSocketException, ConnectionError, EOFError):
                self.come()
                return False
        return True

    def _entered(self) -> bool:
        ends = monotonic_s() + _ENTERED_S
        while (left_s := ends - monotonic_s()) > 0:
            frame = self._frame(left_s)
            if frame.startswith(f"40{self._namespace}"):
                return True
            self._take(frame)
        return False

    def _frame(self, seconds: float) -> str:
        if self._socket is None:
            raise EOFError
        self._frames.append(received(self._socket, seconds))
        return self._frames[-1]

    def _take(self, frame: str) -> None:
        """Remember an event. A message that is no frame is the gateway's report of a failed function: begin anew."""
        if frame.startswith("{"):
            raise EOFError
        head = f"42{self._namespace},"
        if not frame.startswith(head):
            return
        name, *rest = json.loads(frame.removeprefix(head))
        payload: Mapping[str, Json] = rest[0] if rest else {}
        if name in _BROUGHT:
            self._last = str(payload["fileId"])
            self._brought(payload)
        self._heard.append((name, payload))

    def _say(self, frame: str) -> None:
        if self._socket is None:
            raise EOFError
        with self._lock:
            self._socket.send(frame)


OPEN, FILE, ANSWER, CUT, BACK = "channel_open", "channel_file", "channel_answer", "channel_cut", "channel_back"
EARLY: Final = "channel_early"  # a look a millisecond before a file's opening: a push received by then is too early
_LOST: Final = 2  # the file that every client of the channel loses by its network where connections are cut
UNPUSHED: Final = 3
"""Number of the file pushed to nobody where messages are lost, too: every client is there, and was away before."""
CUT_SHARE: Final = 0.4  # usual share of the files around which the connection is cut where disconnects are injected
_OPENINGS: Final = 3
"""Attempts to open a session: an unanswered one takes real seconds, and a dead channel answers none."""
_PUSHED_S, _ANSWERED_S, _EARLY_S = 0.3, 30.0, 0.02
"""Waiting times in real seconds: for a push, at each look once the platform is at rest; for an answer; for a push that
must not have come yet."""
_LOOKS_AGAIN: Final[Millis] = 4 * SECOND
"""Time until the next look of a team without a file's first push: the second comes three seconds after its opening."""
_OVER: Final = frozenset({"sessionId", "fileId", "signature"})  # fields of the answer to a send beside the receipt


@dataclass(frozen=True, slots=True)
class Cut:
    """Times of the connection's cut and return, counted from a file's opening; with ``in_hand`` from its arrival."""

    after: Millis
    back: Millis
    in_hand: bool = False


class ChannelTeam(Team):
    """One team with its client, an :class:`rehearsal.play.driver.Actor`. ``rested`` returns when the platform has
    done all that it has to do at this moment: a push that is not under way then comes later, or never."""

    skill = 0.5

    def __init__(self, index: int, name: str, token: str, wire: Wire, rested: Callable[[], object]) -> None:
        super().__init__(index, name, token, wire)
        self.client = ChannelClient(wire.url, token, self._came, "/pku", asks=index % 2 == 0)
        self._rested = rested
        self._files: dict[str, Mapping[str, Json]] = {}
        self._waiting: list[str] = []
        self._pushed: Counter[tuple[int, str]] = Counter()

    def ask(self, ask: Ask) -> Reply:
        wire = self.wire
        call = begun(wire.history, self.name, ask, wire.now())
        status, answer = self._done(ask)
        ids = (str(answer["file_id"]),) if "file_id" in answer else ()
        recorded = {name: value for name, value in answer.items() if name != "content"}
        done = replace(call, done_at=wire.now(), status=status, said=recorded, file_ids=ids)
        wire.history.called(searched(done, self.client.frames(), wire.texts))
        return Reply(wire.now(), status, answer)

    def _came(self, payload: Mapping[str, Json]) -> None:
        file_id = str(payload["fileId"])
        self._pushed[self.client.connections, file_id] += 1
        if file_id not in self._files:
            self._waiting.append(file_id)
        self._files[file_id] = payload

    def _done(self, ask: Ask) -> tuple[int | None, Mapping[str, Json]]:
        match ask.what:
            case "channel_open":
                return self._opened()
            case "channel_file":  # the one that was not seen before; files come in the order of their numbers
                if not self._waiting:
                    self._rested()
                    self.client.until("session-file-available", within_s=_PUSHED_S)
                if not self._waiting:
                    return None, {}
                payload = self._files[self._waiting.pop(0)]
                return 200, {"file_id": payload["fileId"], "content": payload["content"]}
            case "channel_answer":
                return self._answered(ask)
            case "channel_early":  # read received frames; a disconnected client has none
                self.client.until(within_s=_EARLY_S)
            case "channel_cut":
                self.client.leave()
            case "channel_back":
                return (200 if self.client.come() else None), {}
        return 200, {}

    def _opened(self) -> tuple[int | None, Mapping[str, Json]]:
        if not self.client.come():
            return None, {}
        # Numbers as text, as the clients send them; where a run decides, they mean nothing.
        self.client.emit("session-start", {"type": "final", "params": {"countFiles": "30", "time": "10"}})
        started = self.client.until("session-start-success", "session-reconnect-success", within_s=_ANSWERED_S)
        if started is None:
            return None, {}
        self.session_id = str(started[1]["sessionId"])
        return 201, {"session_id": self.session_id}

    def _answered(self, ask: Ask) -> tuple[int | None, Mapping[str, Json]]:
        file_id = ask.path
        # The text is escaped once here and once more with the frame; one client sends names as numbers.
        sent = {"sessionId": int(self.session_id), "fileId": file_id, "content": json.dumps(json.loads(ask.body or ""))}
        self.client.emit("session-file-send", sent)
        event = self.client.until("session-file-send-success", "session-file-send-error", within_s=_ANSWERED_S)
        if event is None or event[0] != "session-file-send-success" or event[1]["fileId"] != file_id:
            return None, {} if event is None else {"message": str(event[1].get("message"))}
        receipt = {name: value for name, value in event[1].items() if name not in _OVER}
        pushed = self._pushed[self.client.connections, file_id]
        return 200, {"receipt": receipt, "signature": event[1]["signature"], "pushed": pushed}


class ChannelTeams:
    """The plays of the teams on the channel."""

    def __init__(
        self, timing: Timing, seed: int, cuts: float, material: Answering, injected: Callable[..., None]
    ) -> None:
        self._timing, self._seed, self._cuts = timing, seed, cuts
        self._material, self._injected = material, injected
        # Away over an opening and for the whole time to ask for the file, which is then lost by the network.
        self._too_long = Cut(-3 * SECOND, timing.request + 5 * SECOND)

    def participation(self, team: ChannelTeam, at: Millis) -> Play:
        """Open the session, then wait for every file and answer it."""
        reply = yield from insist(at, Ask(OPEN, "WS", ""), tries=_OPENINGS)
        if reply.status != 201:
            return
        number = 0
        while (number := number + 1) <= self._timing.all_files:
            yield from self._played(team, number, reply.at)

    def _played(self, team: ChannelTeam, number: int, not_before: Millis) -> Generator[Step, Sequence[Reply], None]:
        timing = self._timing
        opening = max((yield from coming(timing, number)), not_before)
        chance = random.Random(f"{self._seed}/channel/{team.index}/{number}")  # noqa: S311 - reproducible, no secret
        cut = self._too_long if number == _LOST and self._cuts else self._drawn(chance, number)
        if cut is not None and not cut.in_hand:
            yield from self._away(team, number, max(opening + cut.after, not_before), opening + cut.back)
            opening = opening + max(0, cut.back)
        else:
            yield Step(max(opening - 1, not_before), (Ask(EARLY, "WS", "", number),))
        file = yield from self._received(max(opening, (yield from coming(timing, number, 0))), number)
        if file.status != 200:
            return
        there = file.at
        if cut is not None and cut.in_hand:
            there = (yield from self._away(team, number, file.at + cut.after, file.at + cut.back)).at
        work = timing.answer * chance.randint(1, 6) // 10
        due = timing.opens_at(number) + timing.answer - 5 * SECOND
        answers = Answers(team, number, self._material, file.body["content"], due)
        markup = replace(answers.right(0, keyed=False), what=ANSWER, method="WS", number=None, due=None)
        at = max(there, min(file.at + work, due))
        yield from insist(at, replace(markup, path=str(file.body["file_id"])))

    def _drawn(self, chance: random.Random, number: int) -> Cut | None:
        """Play the drawn absence around one file: before its opening, over it, for its whole time to be asked for, with
        it in hand; none around the file that is pushed to nobody, which a returning client would be given."""
        if chance.random() >= self._cuts or number == UNPUSHED:
            return None
        over = Cut(-3 * SECOND, min(4 * SECOND, self._timing.request // 2))
        in_hand = [Cut(SECOND, back * SECOND, in_hand=True) for back in (2, 3)]
        return chance.choice([Cut(-5 * SECOND, -4 * SECOND), over, self._too_long, *in_hand])

    def _away(self, team: ChannelTeam, number: int, since: Millis, until: Millis) -> Steps:
        """Be away from one moment to another; the checker goes by the true moments of the absence."""
        (gone,) = yield Step(since, (Ask(CUT, "WS", "", number),))
        reply = yield from insist(max(until, gone.at), Ask(BACK, "WS", "", number))
        self._injected("channel_away", team=team.name, number=number, since=to_text(gone.at), until=to_text(reply.at))
        return reply

    def _received(self, at: Millis, number: int) -> Steps:
        """Wait for the push, until the file cannot be asked for any more. A frame that comes between two looks is read
        at the next."""
        ends = self._timing.opens_at(number) + self._timing.request
        while True:
            (reply,) = yield Step(at, (Ask(FILE, "WS", "", number),))
            if reply.status == 200 or reply.at >= ends:
                return reply
            at = min(reply.at + _LOOKS_AGAIN, max(ends, reply.at + RETRY))


ENTERED, HEARD, IDLE, LET_GO = "life_entered", "life_heard", "life_idle", "life_let_go"
LOOKED_AFTER: Final[Millis] = 5 * MINUTE  # before the gateway itself ends a silent connection, which is after ten
LOOKED_LAST: Final[Millis] = 13 * MINUTE  # after three signs of life at the least
_COMES: Final[Millis] = 60 * SECOND  # before the start, when the timer has been there
_APART: Final[Millis] = 211
_LATEST_S: Final = 2.0  # waiting time, in real seconds, for a frame that must be there
_AT_ONCE_S: Final = 0.02
_PING, _PONG = "2", "3"


def looked_at(timing: Timing) -> Millis:
    """Return when both clients have looked for the last time, though they had to come twice."""
    return timing.starts_at + LOOKED_LAST


class Lifelines:
    """Both clients of a team's program, an :class:`rehearsal.play.driver.Actor`."""

    def __init__(self, team: Team) -> None:
        self._team, self._wire = team, team.wire
        self._open = ExitStack()
        self._sockets: dict[str, ClientConnection] = {}
        self._signs = 0

    def play(self, timing: Timing) -> Play:
        """Come before the start; look whether the idle one was let go of, and what the other one has heard by then."""
        at = timing.starts_at - _COMES + _APART
        for what in (ENTERED, IDLE):
            at = (yield from insist(at, Ask(what, "", ""))).at
        for after in range(MINUTE, LOOKED_LAST + 1, MINUTE):
            for what in (LET_GO, HEARD) if after == LOOKED_AFTER else (HEARD,):
                yield Step(at + after, (Ask(what, "", ""),))

    def ask(self, ask: Ask) -> Reply:
        wire = self._wire
        call = begun(wire.history, self._team.name, ask, wire.now())
        answer: dict[str, Json] = {}
        with suppress(*GONE):
            answer = self._done(ask.what)
        status = 200 if answer else None
        wire.history.called(replace(call, done_at=wire.now(), status=status, said=answer))
        return Reply(wire.now(), status, answer)

    def close(self) -> None:
        with suppress(*GONE):
            self._open.close()

    def _come(self, what: str) -> dict[str, Json]:
        socket = self._sockets[what] = self._open.enter_context(connected(self._wire.url, self._team.token, 4))
        if not received(socket, _ENTERED_S).startswith("0"):
            raise EOFError
        if what == IDLE:
            return {"opened": True}
        socket.send("40/pku,")
        while (frame := received(socket, _ENTERED_S)).startswith("0{"):
            pass  # the greeting's event has come twice
        if frame.startswith("{"):  # the gateway's own words for a function that failed
            raise EOFError
        return {"entered": frame.startswith("40/pku,{")}

    def _done(self, what: str) -> dict[str, Json]:
        if what in {ENTERED, IDLE}:
            return self._come(what)
        with suppress(TimeoutError):
            if what == HEARD:
                while True:  # answer the signs of life that came
                    if self._sockets[ENTERED].recv(timeout=_AT_ONCE_S) == _PING:
                        self._signs += 1
                        self._sockets[ENTERED].send(_PONG)
            with suppress(ConnectionClosed):  # of the connection that entered nothing
                while True:
                    self._sockets[IDLE].recv(timeout=_LATEST_S)
            return {"let_go": True}
        return {"let_go": False} if what == LET_GO else {"signs": self._signs}
