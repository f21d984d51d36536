"""The real platform for the tests of the participants' kit: a stage behind a transport of httpx, with faults before it.

The stage's clock follows the program's, ``ahead`` seconds before it. Faults are put into ``faults``: each request takes
the next one (None: nothing happens).
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from unittest.mock import patch

import httpx
import pytest
from click.testing import CliRunner, Result

from contest.adapters import aws
from contest.adapters.system import FileClock
from contest.people.rules import Role
from contest.reading import run_now
from contest.refusals import RefusedError
from contest.run.rules.conducting import Wish
from contest.run.rules.run import Kind
from contest.run.rules.schedule import Schedule
from contest.run.watching import decide
from contest.wire import MEDIA_TYPE, problem
from markup_core.texts import Text
from pku.cli import main
from pku.config import Clock, parse_moment
from pku.errors import PkuError
from pku.exchange import Exchange
from tests.stage import Answered, Stage, staged
from tests.stage_services import BUCKET

TOKEN = "hrd_" + "t" * 43
"""Token for a platform that is not asked, or is not a stage."""
START = 1_780_000_000.0
HELD_S = 2.5
"""Longest time that the platform holds a request for a file before its opening, in seconds."""

Handle = Callable[[], httpx.Response]
Fault = Callable[[httpx.Request, Handle], httpx.Response]


class Killed(BaseException):
    """End of the process at this point."""


class DrivenClock(Clock):
    """Clock whose time passes only when a caller waits."""

    def __init__(self, at: float = START) -> None:
        self.at = at
        self.slept: list[float] = []

    def now(self) -> float:
        return self.at

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.at += max(0.0, seconds)


def essay(name: str, text: str = "В мае месяце я гулял.", subject: str = "rus-free") -> dict[str, Any]:
    meta = {"id": name, "theme": "Тема", "taskText": "", "class": "11", "year": 2024, "subject": subject}
    return {"meta": {**meta, "test": "", "category": ""}, "selections": [], "text": text}


def numbered(count: int, words: str = "Это эссе номер") -> list[dict[str, Any]]:
    """Return essays with their numbers in their texts, from 0."""
    return [essay(f"e{number}", f"{words} {number}.") for number in range(count)]


def essay_cycle(
    train: Sequence[Any], test: Sequence[Any] = (), final: Sequence[Any] = (), **parameters: Any
) -> dict[str, Any]:
    """Return a cycle of essays that two experts marked as faultless; ``parameters`` as in its file."""
    sets = {"train": train, "test": test, "final": final}
    kinds = {"train": "training", "test": "test", "final": "final"}
    files: dict[str, Any] = {
        "cycle.json": {
            "cycle": "trial",
            "name": {"ru": "Пробный цикл", "en": "Trial cycle"},
            "track": "essay",
            "languages": {"rus": ["rus-free"]},
            "parameters": {"requests_per_second": 1000, "technical": {"enabled": False}, **parameters},
            "sets": {name: {"folder": name, "kind": kinds[name]} for name, essays in sets.items() if essays},
        }
    }
    for folder, essays in sets.items():
        for content in essays:
            name = content["meta"]["id"]
            files |= {f"{folder}/{name}{expert}.json": content for expert in ("", "_exp01", "_exp02")}
    return files


class Platform:
    """A stage as a program of one team meets it; ``token`` is the team's."""

    def __init__(self, stage: Stage, clock: Any, cycle: Mapping[str, Any], *, ahead: float = 0.0) -> None:
        self.stage, self.clock, self.ahead = stage, clock, ahead
        self.faults: deque[Fault | None] = deque()
        self.requests: list[tuple[str, str]] = []
        self.query = ""
        """Query string of the latest request."""
        self.handled: list[tuple[str, str]] = []
        self.agents: set[str] = set()
        self.instead: dict[str, Callable[[], httpx.Response]] = {}
        """Functions whose responses replace the stage's answers, by path."""
        self.loses: list[int] = []
        """Numbers of parts that are gone once they were taken."""
        self.puts: list[int] = []
        self.refused_puts = 0
        self.tokens_at_addresses: set[str | None] = set()
        self.parts: dict[str, int] = {}
        self._later: deque[tuple[float, Callable[[], None]]] = deque()
        self._lock = threading.RLock()
        self.follow()
        stage.load(cycle)
        self.token = stage.team("red")

    @property
    def transport(self) -> httpx.MockTransport:
        return httpx.MockTransport(self.handle)

    def exchange(self, transport: httpx.BaseTransport | None = None, **settings: Any) -> Exchange:
        """Return the kit's side of the team's exchange."""
        return Exchange("http://fake", self.token, transport=transport or self.transport, clock=self.clock, **settings)

    def server_now(self) -> float:
        return float(self.clock.now()) + self.ahead

    def at(self, moment: float, deed: Callable[[], None]) -> None:
        """Do something at a moment of the platform's clock; moments come in their order."""
        self._later.append((moment, deed))

    def follow(self) -> None:
        """Let the stage's clock show what the program's shows, once everything is done that was for before."""
        while self._later and self._later[0][0] <= self.server_now():
            moment, deed = self._later.popleft()
            present, self.clock.at = self.clock.at, moment - self.ahead
            deed()
            self.clock.at = present
        self.stage.set_clock(round(self.server_now() * 1000))

    def handle(self, request: httpx.Request) -> httpx.Response:
        with self._lock:
            self.requests.append((request.method, request.url.path))
            self.query = request.url.query.decode()
            self.agents.add(request.headers["User-Agent"])
            fault = self.faults.popleft() if self.faults else None
            if fault is not None:
                return fault(request, lambda: self._handled(request))
            return self._handled(request)

    def ask(self, path: str, method: str = "GET", body: Any = None) -> Any:
        """Return the stage's answer to the team beside its program, as JSON."""
        with self._lock:
            answered = self._asked(method, path, body, self.token)
            assert answered.status < 300, answered.text
            return answered.json

    def session_ids(self) -> list[str]:
        """List the team's sessions, the oldest first."""
        return [each["session_id"] for each in reversed(self.ask("/v1/sessions")["sessions"])]

    def status(self, session_id: str = "") -> Any:
        """Return a session with its deliveries; the newest where none is named."""
        return self.ask(f"/v1/sessions/{session_id or self.session_ids()[-1]}")

    def answers_counted(self) -> list[int]:
        """Return the sends that the platform counted, by file, over all sessions."""
        rows = [self.status(each)["deliveries"] for each in self.session_ids()]
        return [each["sends"] for deliveries in rows for each in deliveries]

    def abort(self, session_id: str) -> None:
        self.ask(f"/v1/sessions/{session_id}/abort", "POST")

    def idle_out(self) -> None:
        """Let time pass until every open session is over."""
        self.clock.at += 3600
        self.tick()

    def tick(self) -> None:
        self.follow()
        self.stage.tick()

    def score_all(self) -> None:
        """Let the workers score and report what is answered."""
        with self._lock, redirect_stderr(io.StringIO()):
            self.follow()
            self.stage.score_all()

    def publish_kit(self, version: str, modules: str) -> None:
        """Publish a kit of this version, whose modules have this SHA-256; a minute later every process has read it."""
        names = ("hurdle-pku", "markup-core", "hurdle-tracks")
        packages = [
            {"name": name, "version": "1", "bytes": 1, "sha256": str(number) * 64,
             "file": f"{name.replace('-', '_')}-1-py3-none-any.whl"}
            for number, name in enumerate(names, 1)
        ]  # fmt: skip
        kit = {"format": 1, "version": version, "modules_sha256": modules, "packages": packages}
        organizer = self.stage.person(Role.ORGANIZER, "olga")
        assert self._asked("POST", "/v1/conduct/kit", kit, organizer).status == 200
        self.stage.restart()

    def _handled(self, request: httpx.Request) -> httpx.Response:
        self.handled.append((request.method, request.url.path))
        if request.url.path in self.instead:
            return self.instead[request.url.path]()
        if request.method == "PUT" and request.url.path.startswith("/uploads/"):
            return self._put(request)
        if request.url.path.startswith("/published/"):
            return _response(self.stage.published(request.url.path))
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        path = request.url.raw_path.decode()
        answered = _response(self._asked(request.method, path, request.read() or None, token, request.headers))
        if request.method == "GET" and "/parts/" in path:
            self.parts[answered.json()["address"]] = int(path.rsplit("/", 1)[1])
        return answered

    def _asked(
        self, method: str, path: str, body: Any, token: str, headers: Mapping[str, str] | None = None
    ) -> Answered:
        self.follow()
        with redirect_stderr(io.StringIO()), patch.object(FileClock, "wait_until", self._waited):
            return self.stage.request(method, path, body, token, headers, follow=False)

    def _waited(self, moment: int) -> int:
        left = moment / 1000 - self.server_now()
        if left > 0:
            self.clock.sleep(min(HELD_S, left))
            self.follow()
        return self.stage.now

    def _put(self, request: httpx.Request) -> httpx.Response:
        """Put a part at its signed address, as the distribution takes it: each address lives for one try here."""
        self.tokens_at_addresses.add(request.headers.get("Authorization"))
        number = self.parts.pop(request.url.raw_path.decode(), None)
        if number is None or self.refused_puts:
            self.refused_puts = max(0, self.refused_puts - 1)
            return httpx.Response(403, text="over")
        self.puts.append(number)
        if number in self.loses:
            self.loses.remove(number)
        else:
            aws.client("s3").put_object(Bucket=BUCKET, Key=request.url.path.removeprefix("/"), Body=request.read())
        return httpx.Response(200, text="taken")


class FinalPlatform(Platform):
    """A platform with one run, a final that begins ten minutes after the making."""

    def __init__(
        self, stage: Stage, clock: Any, essays: Sequence[Any], *, ahead: float = 0.0, planned: bool = True
    ) -> None:
        super().__init__(stage, clock, essay_cycle([essay("t", "Учебное эссе.")], final=essays), ahead=ahead)
        self.run_id = ""
        if planned:
            self.plan()

    def plan(self) -> None:
        self.run_id = self.stage.plan().run_id

    def opens_at(self, number: int) -> float:
        """Return a file's opening by the platform's clock, in seconds."""
        return Schedule.of(run_now(self.stage.platform, self.run_id)).opens_at(number) / 1000

    def decide(self, kind: Kind, reason: str = "a reason", **wish: Any) -> None:
        """Let the organizers decide something about the run."""
        self.follow()
        decide(self.stage.platform, "tests", self.run_id, Wish(kind, reason, **wish))

    def lateness(self) -> list[float | None]:
        """List the seconds from each opening to the hand-out; None if the file was not handed out."""
        rows = [(each["opens_at"], each["handed_out_at"]) for each in self.status()["deliveries"]]
        return [None if out is None else parse_moment(out) - parse_moment(opening) for opening, out in rows]


class Commands:
    """A team's folder, from which this Python is started with the team's settings."""

    def __init__(self, folder: Path, address: str, token: str) -> None:
        self.folder = folder
        settings = {"HURDLE_HOME": str(folder / "home"), "HURDLE_URL": address, "HURDLE_TOKEN": token}
        self._environment = {**os.environ, **settings, "COLUMNS": "120"}

    def start(self, *words: str) -> subprocess.Popen[str]:
        pipes: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        return subprocess.Popen([sys.executable, *words], cwd=self.folder, env=self._environment, **pipes)


def _response(answered: Answered) -> httpx.Response:
    headers = {name: value for name, value in answered.headers.items() if name != "content-encoding"}
    return httpx.Response(answered.status, headers=headers, content=answered.content or answered.text.encode())


@contextmanager
def platform_of(folder: Path, clock: Any, cycle: Mapping[str, Any]) -> Iterator[Platform]:
    """Start a platform on a stage of its own."""
    with staged(folder, cycle["cycle.json"]["cycle"]) as stage:
        yield Platform(stage, clock, cycle)


def refusal(status: int, code: str, headers: Mapping[str, str] | None = None, **where: Any) -> httpx.Response:
    """Return a refusal as the platform writes it; ``where`` becomes one detail."""
    refused = RefusedError(code, Text(f"{code} in English.", f"{code} по-русски."))
    refused.status = HTTPStatus(status)
    if where:
        detail = {"code": f"{code}_detail", "message": "detail", "message_ru": "подробность", **where}
        refused.details = (detail,)
    body = problem(refused, "req-1").model_dump_json()
    return httpx.Response(status, content=body, headers={"Content-Type": MEDIA_TYPE, **(headers or {})})


def pku(*words: str, given: str | bytes | None = None, code: int = 0) -> Result:
    """Run a command of ``pku`` that ends with this exit code; ``given`` is typed to it."""
    ended = CliRunner().invoke(main, list(words), input=given, catch_exceptions=False)
    assert ended.exit_code == code, ended.output
    return ended


def pku_error(code: str) -> pytest.RaisesExc[PkuError]:
    """Expect an error of the kit with this code."""
    return pytest.raises(PkuError, check=lambda error: error.code == code)


def answering(status: int, code: str, headers: Mapping[str, str] | None = None, **where: Any) -> Fault:
    """Refuse the request without any effect."""
    return lambda _request, _handle: refusal(status, code, headers, **where)


def lost_before(request: httpx.Request, _handle: Handle) -> httpx.Response:
    """Lose the request before it arrives."""
    raise httpx.ConnectError("connection refused", request=request)


def lost_after(request: httpx.Request, handle: Handle) -> httpx.Response:
    """Carry the request out and lose its answer."""
    handle()
    raise httpx.ReadError("connection reset", request=request)


@contextmanager
def serving(platform: Platform) -> Iterator[str]:
    """Serve the platform on a port of this machine, for programs of their own process; yield the address.

    A fault that raises closes the connection without an answer.
    """

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def answer(self) -> None:
            content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            request = httpx.Request(
                self.command, f"http://fake{self.path}", headers=dict(self.headers), content=content
            )
            try:
                response = platform.handle(request)
            except httpx.HTTPError:
                self.close_connection = True
                return
            except Exception:  # noqa: BLE001  a test that breaks is no platform that is away, for which a client would wait
                traceback.print_exc()
                response = refusal(422, "broken_test")
            self.send_response(response.status_code)
            for name, value in response.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(response.content)

        do_GET = do_PUT = do_POST = answer  # noqa: N815  names that http.server gives

        def log_message(self, *_: object) -> None:
            return

        def handle(self) -> None:
            try:
                super().handle()
            except ConnectionError:
                return  # the client was killed

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
