"""Published clients, unmodified, through the local cloud's event channel: socket.io-client 2 and 4, python-socketio."""

from __future__ import annotations

import json
import queue
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from exchange_programs import Exchange

from contest.domain.moments import iso

CLIENTS = Path(__file__).resolve().parents[1] / "socket_clients"
PATIENCE_S = 30

needs_node = pytest.mark.skipif(
    not (shutil.which("node") and (CLIENTS / "node_modules").is_dir()),
    reason="needs Node and the clients of tests/socket_clients (make test installs them)",
)
KINDS = [
    pytest.param(["node", str(CLIENTS / "client.cjs"), "2"], id="socket.io-client-2", marks=needs_node),
    pytest.param(["node", str(CLIENTS / "client.cjs"), "4"], id="socket.io-client-4", marks=needs_node),
    pytest.param([sys.executable, str(CLIENTS / "client.py")], id="python-socketio"),
]
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("event-channel")]


class Client:
    """A client's process and what it heard."""

    def __init__(self, command: list[str], url: str, token: str, order: Any) -> None:
        words = [*command, url, token, json.dumps(order)]
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
            if name in names:
                return payload

    def drop(self) -> None:
        """Cut the connection under the client."""
        assert self.process.stdin is not None
        self.process.stdin.write("drop\n")
        self.process.stdin.flush()

    def names(self) -> list[str]:
        return [name for name, _ in self.heard]

    def files(self) -> list[str]:
        """Files as they came, in order."""
        came = {"session-file-available", "session-file-repeat-success"}
        return [payload["fileId"] for name, payload in self.heard if name in came]

    def stop(self) -> None:
        self.process.kill()
        self.process.communicate()
        self._reader.join()


@pytest.fixture
def client(exchange: Exchange) -> Iterator[Callable[..., Client]]:
    made: list[Client] = []

    def start(command: list[str], token: str, **order: Any) -> Client:
        made.append(Client(command, exchange.cloud.url, token, order))
        return made[-1]

    yield start
    for each in made:
        each.stop()


@pytest.mark.parametrize("command", KINDS)
def test_an_algorithmic_session_is_played_to_its_end(
    exchange: Exchange, client: Callable[..., Client], command: list[str]
) -> None:
    program = exchange.program()
    params = {"dsType": "train", "countFiles": "4", "lang": "all", "time": "30"}
    old = client(command, program.token, type="algorithmic", params=params)
    assert old.until("session-close") == {"type": "finish"}
    assert old.process.wait(PATIENCE_S) == 0
    assert len(old.files()) == len(set(old.files())) == 4
    assert old.names().count("session-file-send-success") == 4
    program.session_id = dict(old.heard)["session-start-success"]["sessionId"]
    status = program.get().json()
    assert (status["state"], status["counts"]["answered"]) == ("finished", 4)


@pytest.mark.parametrize("command", KINDS)
def test_a_bad_token_is_told_and_the_connection_closed(
    exchange: Exchange, client: Callable[..., Client], command: list[str]
) -> None:
    stranger = client(command, "hrd_" + "0" * 43, type="algorithmic", params={})
    assert stranger.until("connection-auth-error")["message"]
    stranger.until("disconnect") if command[0] == "node" else None


@pytest.mark.parametrize("command", KINDS)
def test_files_of_a_run_come_at_their_openings_and_a_lost_connection_loses_nothing(
    exchange: Exchange, client: Callable[..., Client], command: list[str]
) -> None:
    """R 7.5 and platform §3: pushed at the second, the gate deciding; a client that comes back goes on."""
    program = exchange.program()
    starts_at = (exchange.clock.now_ms() // 1000 + 30) * 1000
    timing = ["--start", iso(starts_at), "--interval", "60", "--files", "4"]
    exchange.organizer.contest("run", "plan", "--mode", "final", "--trial", "--set", "train", *timing)
    old = client(command, program.token, type="final", params={})
    program.session_id = old.until("session-start-success")["sessionId"]
    old.until("session-file-repeat-error")
    assert old.files() == []
    for number in range(1, 5):
        _advance_to(exchange, starts_at + (number - 1) * 60_000)
        old.until("session-file-send-success")
        if number == 2:
            old.drop()
            old.until("session-reconnect-success")
    assert len(old.files()) == len(set(old.files())) == 4
    _advance_to(exchange, starts_at + 6 * 60_000)
    exchange.cloud.drain()
    assert old.until("session-close") == {"type": "finish"}
    deliveries = program.get().json()["deliveries"]
    assert [each["state"] for each in deliveries] == ["answered"] * 4
    openings = [iso(starts_at + number * 60_000) for number in range(4)]
    assert [each["handed_out_at"] for each in deliveries] == openings


def _advance_to(exchange: Exchange, moment: int) -> None:
    exchange.clock.advance((moment - exchange.clock.now_ms()) / 1000)
