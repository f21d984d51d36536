"""Clients that behave as the published ones, on the libraries those were published with and on today's, through the
local cloud's event channel: nobody says `session-reconnect`, and what they cannot take is `fatal`."""

from __future__ import annotations

import json
import queue
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import httpx
import pytest
import socketio

from contest.values import HOUR, MINUTE, SECOND, Millis, iso
from local.clock import Clock
from local.cloud import DEFAULT_TEMPLATE, LocalCloud
from local.lambdas.runtime import Logs
from local.organizing import Organizer
from tests.contest.channel.doctor_client import BASE, Heard, order
from tests.exchange_programs import FUNCTIONS, START_MS, Exchange, Program, issue_tokens

ROOT = Path(__file__).resolve().parents[3]
CLIENTS = ROOT / "tests" / "socket_clients"
OLD_PYTHON = ROOT / "build" / "socket_clients" / "bin" / "python"
PATIENCE_S = 30
BROUGHT = {"session-file-available", "session-file-repeat-success"}

needs_node = pytest.mark.skipif(
    not (shutil.which("node") and (CLIENTS / "node_modules").is_dir()),
    reason="needs Node and the clients of tests/socket_clients (make long installs them)",
)
needs_old_python = pytest.mark.skipif(
    not OLD_PYTHON.exists(), reason="needs python-socketio 4.6 in build/socket_clients (make test installs it)"
)
SCRIPT = str(CLIENTS / "client.py")
EARLIER = [
    pytest.param(
        ["node", str(CLIENTS / "client.cjs"), "2"], id="socket.io-client-2", marks=(needs_node, pytest.mark.long)
    ),
    pytest.param([str(OLD_PYTHON), SCRIPT], id="python-socketio-4", marks=needs_old_python),
]
LATER = [
    pytest.param(
        ["node", str(CLIENTS / "client.cjs"), "4"], id="socket.io-client-4", marks=(needs_node, pytest.mark.long)
    ),
    pytest.param([sys.executable, SCRIPT], id="python-socketio-5"),
]
KINDS = [*EARLIER, *LATER]
LATER_LONG = [pytest.param(*each.values, id=each.id, marks=(*each.marks, pytest.mark.long)) for each in LATER]
pytestmark = [pytest.mark.slow, pytest.mark.integration]


class Client:
    """Process of a client, and the events that it received."""

    def __init__(self, command: list[str], url: str, token: str, order: Any, *, manual: bool) -> None:
        words = [*command, url, token, json.dumps(order), *(["manual"] if manual else [])]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._lines: queue.Queue[str] = queue.Queue()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()
        self.heard: list[tuple[str, Any]] = []

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)

    def until(self, *names: str) -> Any:
        """Wait for one of these events; its payload."""
        while True:
            name, payload = json.loads(self._lines.get(timeout=PATIENCE_S))
            self.heard.append((name, payload))
            assert name != "fatal", payload
            if name in names:
                return payload

    def rest(self) -> None:
        """Read what a client that has left said at last."""
        self._reader.join()
        while not self._lines.empty():
            self.heard.append(tuple(json.loads(self._lines.get())))

    def do(self, command: str) -> None:
        """Give it a line."""
        assert self.process.stdin is not None
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()

    def is_heard(self) -> None:
        """Wait until everything that was said before has been answered."""
        self.do('typed logs-send {"entries": "still here"}')
        self.until("logs-send-success")

    def names(self) -> list[str]:
        return [name for name, _ in self.heard]

    def files(self) -> list[str]:
        """List the ids of the files in the order in which they came."""
        return [payload["fileId"] for name, payload in self.heard if name in BROUGHT]

    def stop(self) -> None:
        self.process.kill()
        self.process.communicate()
        self._reader.join()


Start = Callable[..., Client]


@pytest.fixture
def client(exchange: Exchange) -> Iterator[Start]:
    made: list[Client] = []

    def start(command: list[str], token: str, *, manual: bool = False, **order: Any) -> Client:
        made.append(Client(command, exchange.cloud.url, token, order, manual=manual))
        return made[-1]

    yield start
    for each in made:
        each.stop()


def algorithmic(files: int = 4) -> dict[str, Any]:
    """Return an order as the clients write it: numbers are text."""
    return {"type": "algorithmic", "params": {"dsType": "train", "countFiles": str(files), "lang": "all", "time": "30"}}


def planned(exchange: Exchange, interval_s: int = 60, files: int = 4) -> Millis:
    """Plan a final; return its start."""
    starts_at: Millis = (exchange.clock.now_ms() // SECOND + 30) * SECOND
    timing = ["--start", iso(starts_at), "--interval", str(interval_s), "--files", str(files)]
    exchange.organizer.contest("run", "plan", "--mode", "final", "--trial", "--set", "train", *timing)
    return starts_at


def go_to(exchange: Exchange, moment: Millis) -> None:
    """Let time pass, timers included, the last two minutes; what is before is passed over."""
    exchange.clock.jump(max(0, moment - 2 * MINUTE - exchange.clock.now_ms()) / SECOND)
    exchange.clock.advance((moment - exchange.clock.now_ms()) / SECOND)


def states(program: Program) -> list[tuple[str, str | None]]:
    return [(each["state"], each["cause"]) for each in program.get().json()["deliveries"]]


@pytest.mark.parametrize("command", KINDS)
def test_an_algorithmic_session_is_played_to_its_end(exchange: Exchange, client: Start, command: list[str]) -> None:
    program = exchange.program()
    old = client(command, program.token, **algorithmic())
    assert old.until("session-close") == {"type": "finish"}
    assert old.process.wait(PATIENCE_S) == 0
    old.rest()
    assert len(old.files()) == len(set(old.files())) == 4
    assert old.names().count("session-file-send-success") == 4
    assert not [name for name in old.names() if name.endswith("-error")], "every refusal would be shown in red"
    program.session_id = dict(old.heard)["session-start-success"]["sessionId"]
    status = program.get().json()
    assert (status["state"], status["counts"]["answered"]) == ("finished", 4)


@pytest.mark.parametrize("command", KINDS)
def test_a_bad_token_is_told_and_the_connection_closed(exchange: Exchange, client: Start, command: list[str]) -> None:
    stranger = client(command, "hrd_" + "0" * 43, type="algorithmic", params={})
    assert stranger.until("connection-auth-error")["message"]
    stranger.until("disconnect") if command[0] == "node" else None


@pytest.mark.parametrize("command", [*EARLIER, *LATER_LONG])
def test_cut_connections_lose_no_file_of_a_run(exchange: Exchange, client: Start, command: list[str]) -> None:
    """R 7.5 and platform §3: pushed at the second, the gate deciding. The connection is cut before a file opens, and
    with a file in hand; the library comes back, and the client says nothing of it."""
    program, starts_at = exchange.program(), planned(exchange)
    old = client(command, program.token, manual=True, type="final", params={})
    program.session_id = old.until("session-start-success")["sessionId"]
    for number in range(4):
        if number % 2:
            old.do("drop")
            assert old.until("session-reconnect-success") == {"sessionId": program.session_id}
        go_to(exchange, starts_at + number * MINUTE)
        file_id = old.until("session-file-available")["fileId"]
        if number > 1:
            old.do("drop")
            old.until("session-reconnect-success")
            assert old.until("session-file-available")["fileId"] == file_id
        old.do("answer")
        assert old.until("session-file-send-success")["fileId"] == file_id
    go_to(exchange, starts_at + 6 * MINUTE)
    exchange.cloud.drain()
    assert old.until("session-close") == {"type": "finish"}
    assert states(program) == [("answered", None)] * 4
    assert len(set(old.files())) == 4
    openings = [iso(starts_at + number * MINUTE) for number in range(4)]
    assert [each["handed_out_at"] for each in program.get().json()["deliveries"]] == openings


@pytest.mark.parametrize("command", EARLIER)
def test_a_long_final_is_played_over_two_connections(exchange: Exchange, client: Start, command: list[str]) -> None:
    """The gateway ends every connection after two hours: here half a minute before the last file."""
    program, starts_at = exchange.program(), planned(exchange, interval_s=40 * 60)
    old = client(command, program.token, type="final", params={})
    program.session_id = old.until("session-start-success")["sessionId"]
    opened_at = exchange.clock.now_ms()
    for opening in range(3):
        go_to(exchange, starts_at + opening * 40 * MINUTE)
        old.until("session-file-send-success")
        for _ in range(4):
            exchange.clock.jump(9 * MINUTE / SECOND)
            old.is_heard()  # who is silent for ten minutes is cut off, too
    assert old.names().count("connect") == 1
    exchange.clock.jump((opened_at + 2 * HOUR - exchange.clock.now_ms()) / SECOND)
    assert old.until("session-reconnect-success") == {"sessionId": program.session_id}
    go_to(exchange, starts_at + 2 * HOUR)
    old.until("session-file-send-success")
    assert states(program) == [("answered", None)] * 4


@pytest.mark.parametrize("command", EARLIER)
def test_a_large_markup_is_refused_with_the_way_by_https(exchange: Exchange, client: Start, command: list[str]) -> None:
    program = exchange.program()
    old = client(command, program.token, manual=True, **algorithmic())
    file = old.until("session-file-available")
    old.do("large")
    old.until("session-reconnect-success")
    refused = old.until("session-file-send-error")
    assert (refused["sessionId"], refused["fileId"]) == (file["sessionId"], file["fileId"])
    assert f"PUT /v1/sessions/{file['sessionId']}/files/1/answer" in refused["message"]
    old.is_heard()
    assert old.files() == [file["fileId"]], "whoever gets the file again answers again, and is cut off again"
    old.do("typed session-file-repeat")
    assert old.until("session-file-repeat-success")["fileId"] == file["fileId"]
    old.do("answer")
    old.until("session-file-send-success")


@pytest.mark.parametrize("command", EARLIER)
def test_a_session_is_aborted_without_a_payload(exchange: Exchange, client: Start, command: list[str]) -> None:
    program = exchange.program()
    old = client(command, program.token, manual=True, **algorithmic())
    program.session_id = old.until("session-file-available")["sessionId"]
    old.do("typed session-client-abort")
    assert set(old.until("session-client-abort-success")) == {"message"}
    assert program.get().json()["state"] == "aborted"


class Diagnosing:
    """A client of the diagnosis contest on python-socketio itself: the library connects, hears, and comes back."""

    def __init__(self, url: str, token: str) -> None:
        self.url, self.token = url, token
        self._said: queue.Queue[tuple[str, Any]] = queue.Queue()
        self.client = socketio.Client(reconnection_delay=0.1, reconnection_delay_max=0.2)
        self.client.register_namespace(Heard("/baseline", lambda name, said: self._said.put((name, said))))
        self.client.connect(f"{url}?token={token}", transports=["websocket"], namespaces=["/baseline"])

    def emits(self, name: str, *payload: Any) -> None:
        self.client.emit(name, *payload, namespace="/baseline")

    def hears(self, name: str) -> Any:
        """Wait for the next event, which has to have this name; its payload."""
        heard, said = self._said.get(timeout=PATIENCE_S)
        assert heard == name, said
        return said

    def posts(self, what: str, **said: Any) -> int:
        return httpx.post(
            f"{self.url}{BASE}/{what}", json={"token": self.token, **said}, timeout=PATIENCE_S
        ).status_code


@pytest.fixture
def diagnosing(tmp_path: Path) -> Iterator[Diagnosing]:
    """Start the client on a cloud of its own with the shipped diagnosis cycle."""
    folder = shutil.copytree(ROOT / "local" / "contests" / "diagnosis", tmp_path / "cycle")
    cycle = (folder / "cycle.json").read_text("utf-8")
    (folder / "cycle.json").write_text(cycle.replace('"diagnosis-demo"', '"demo"', 1), "utf-8")
    logs = Logs(screen=StringIO())
    with LocalCloud(DEFAULT_TEMPLATE, FUNCTIONS, clock=Clock(START_MS), logs=logs) as cloud:
        Organizer(cloud).load(folder)
        made = Diagnosing(cloud.url, issue_tokens(cloud, ["red"])["red"])
        yield made
        made.client.disconnect()


@pytest.mark.long
@pytest.mark.clause("TS D-13")
def test_d_13_python_socketio_brings_every_event_to_its_method(diagnosing: Diagnosing) -> None:
    """A session from its start over a cut to its end: each name is looked up by the library, each payload fits."""
    diagnosing.emits("session-start", order("final", "training", countFiles="2", time="60"))
    session_id = diagnosing.hears("session_start_success")["sessionId"]
    task = diagnosing.hears("session_send_next_file")
    asked = {"baselineToken": diagnosing.token, "epicrisisId": task["epicrisisId"]}
    assert httpx.get(f"{diagnosing.url}{BASE}", params=asked, timeout=PATIENCE_S).status_code == 200
    preliminary = [{"decorCode": "diagnosisPreliminary", "code": "J44"}]
    assert diagnosing.posts("upload-result", taskId=task["taskId"], answer=preliminary) == 201
    assert diagnosing.posts("get-test", taskId=task["taskId"], code="A06.09") == 201
    assert diagnosing.hears("session_get_test_success")["taskId"] == task["taskId"]
    diagnosing.client.eio.ws.close()
    assert diagnosing.hears("session_reconnect_success") == {"sessionId": session_id}
    assert diagnosing.hears("session_send_next_file") == task
    diagnosing.emits("session-start", order("final", "training", countFiles="2", time="60"))
    assert diagnosing.hears("session_blank_start") is None
    assert diagnosing.posts("abort") == 201
    assert diagnosing.hears("session_close") == {"type": "finish"}
    diagnosing.emits("session-start", {"contest": "readable", "params": {}})
    assert set(diagnosing.hears("session_start_error")) == {"message"}
