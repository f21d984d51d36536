"""A platform in one process for the tests of the participants' kit: the HTTP interface over a dictionary.

Its answers go through the platform's own wire models, so it cannot speak another language than the real one.
Faults are put into ``faults``; each request takes the next one (None: nothing happens).
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any

import httpx
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from contest.contracts import exchange, kit, public, receipts
from contest.contracts.problems import MEDIA_TYPE, problem
from contest.domain.cycle.cycle import MAX_FILES, Parameters
from contest.domain.cycle.kit import KitList, Package, statement
from contest.domain.results.session_report import described_parameters
from contest.refusals import RefusedError
from markup_core.reading.validation import MalformedInput, decode, dump, validate
from markup_core.receipt import canonical_bytes
from pku.clock import show_moment

TOKEN = "hrd_" + "t" * 43
START = 1_780_000_000.0
KEY_ID = "0123456789abcdef"
USUAL_LIMIT_S = 60

PARAMETERS = Parameters(
    version=1,
    announced_at=0,
    sessions_per_day=20,
    time_limit_s=(10, 60, 60),
    idle_timeout_s=900,
    sends_per_file=10,
    requests_per_second=10,
    readiness_min_files=30,
    readiness_min_share=0.95,
    bootstrap_seed=1,
    track={},
)

Fault = Callable[[httpx.Request, Callable[[], httpx.Response]], httpx.Response]


class DrivenClock:
    """Time that passes only when somebody waits."""

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


@dataclass
class FakeFile:
    file_id: str
    content: dict[str, Any]
    handed_out_at: float | None = None
    sends: list[dict[str, Any]] = field(default_factory=list)
    by_key: dict[str, dict[str, Any]] = field(default_factory=dict)
    accepted: bool = False
    refusals: int = 0


@dataclass
class FakeSession:
    session_id: str
    order: dict[str, Any]
    files: list[FakeFile]
    opened_at: float
    state: str = "open"
    closed_at: float | None = None


KIT_PACKAGES = (
    Package("hurdle_pku-1-py3-none-any.whl", 1, "1" * 64, "hurdle-pku", "1"),
    Package("markup_core-1-py3-none-any.whl", 1, "2" * 64, "markup-core", "1"),
    Package("hurdle_tracks-1-py3-none-any.whl", 1, "3" * 64, "hurdle-tracks", "1"),
)


class FakePlatform:
    ahead = 0.0
    """Seconds by which the platform's clock is ahead of the program's."""

    def __init__(self, clock: Any, essays: list[dict[str, Any]] | None = None) -> None:
        self.clock = clock
        self.essays = essays if essays is not None else [essay(f"e{n}") for n in range(3)]
        self.sessions: dict[str, FakeSession] = {}
        self.opened_by_key: dict[str, str] = {}
        self.faults: deque[Fault | None] = deque()
        self.requests: list[tuple[str, str]] = []
        self.query = ""
        """Of the latest request."""
        self.handled: list[tuple[str, str]] = []
        self.agents: set[str] = set()
        self.reports: dict[str, Any] = {}
        self.board: dict[str, Any] = {}
        self.comparisons: dict[int, dict[str, Any]] = {}
        self.kit: kit.SignedKitBody | None = None
        self.kit_status = 200
        """What every question about the kit is answered with."""
        self.unscored = 0
        self.classifier: Any = "default"
        self.training = {"train"}
        self.receipts_per_page = 2
        self.takes: list[str] = []
        """Kinds of submissions."""
        self.track = "essay"
        self.signer = Ed25519PrivateKey.from_private_bytes(b"\x07" * 32)

    @property
    def transport(self) -> httpx.MockTransport:
        return httpx.MockTransport(self.handle)

    def handle(self, request: httpx.Request) -> httpx.Response:
        self.requests.append((request.method, request.url.path))
        self.query = request.url.query.decode()
        self.agents.add(request.headers["User-Agent"])
        fault = self.faults.popleft() if self.faults else None
        if fault is not None:
            return fault(request, lambda: self._handled(request))
        return self._handled(request)

    def open_session(self) -> FakeSession:
        (found,) = [each for each in self.sessions.values() if each.state == "open"]
        return found

    def answers_counted(self) -> list[int]:
        """Sends that the platform counted, by file, over all sessions."""
        return [len(file.sends) for session in self.sessions.values() for file in session.files]

    def _handled(self, request: httpx.Request) -> httpx.Response:
        self.handled.append((request.method, request.url.path))
        path = request.url.path
        if path.startswith("/v1/sessions") and request.headers.get("Authorization") != f"Bearer {TOKEN}":
            return httpx.Response(403, json={"message": "Forbidden"})  # the gateway's own words
        for method, pattern, answer in self._routes():
            if request.method == method and (match := re.fullmatch(pattern, path)):
                return answer(request, *match.groups())
        return refusal(404, "unknown_route")

    def _routes(self) -> list[tuple[str, str, Callable[..., httpx.Response]]]:
        one = r"/v1/sessions/(\d+)"
        file = one + r"/files/(\d+)"
        return [
            ("POST", "/v1/sessions", self._open),
            ("GET", "/v1/sessions", self._list),
            ("GET", one, lambda _, name: self._with(name, self._status)),
            ("GET", f"{one}/next", lambda _, name: self._with(name, self._next)),
            ("POST", f"{one}/abort", lambda _, name: self._with(name, self._abort)),
            ("GET", f"{one}/receipts", lambda request, name: self._receipts(request, self.sessions[name])),
            ("PUT", f"{one}/log", lambda request, _: _ok(receipts.LogBody(sha256=_sha(request.content)))),
            ("GET", f"{one}/report", lambda _, name: self._report(self.sessions[name])),
            ("GET", file, lambda _, name, n: self._with(name, lambda each: self._file(each, int(n)))),
            ("PUT", f"{file}/answer", lambda request, name, n: self._answer(request, self.sessions[name], int(n))),
            ("GET", f"{file}/comparison", lambda _, name, n: self._comparison(self.sessions[name], int(n))),
            ("GET", f"{file}/score", lambda _, name, n: httpx.Response(200, json={"format": 1})),
            ("GET", "/v1/leaderboards/(qualification|final)", lambda *_: httpx.Response(200, json=self.board)),
            ("GET", "/v1/cycle", lambda _: self._cycle()),
            ("GET", "/v1/kit", lambda _: self._kit()),
            ("GET", "/v1/keys", lambda _: _ok(public.keys_body({KEY_ID: self._public_key()}))),
        ]

    def _kit(self) -> httpx.Response:
        if self.kit_status != httpx.codes.OK:
            return refusal(self.kit_status, "busy")
        return _ok(kit.KitBody(kit=self.kit))

    def _with(self, name: str, answer: Callable[[FakeSession], httpx.Response]) -> httpx.Response:
        session = self.sessions.get(name)
        return refusal(404, "unknown_session") if session is None else answer(session)

    def _public_key(self) -> bytes:
        return self.signer.public_key().public_bytes_raw()

    def _open(self, request: httpx.Request) -> httpx.Response:
        order = exchange.OpenRequest.model_validate_json(request.content)
        order = order.model_copy(
            update={"files": order.files or MAX_FILES, "time_limit_s": order.time_limit_s or USUAL_LIMIT_S}
        )
        key = request.headers["Idempotency-Key"]
        if key in self.opened_by_key:
            return self._status(self.sessions[self.opened_by_key[key]], whole=False)
        for each in self.sessions.values():
            if each.state == "open":
                return refusal(409, "session_already_open", session_id=each.session_id)
        name = f"1{len(self.sessions) + 1:014d}"
        chosen = self.essays[: order.files]
        files = [self._fresh(name, n, each) for n, each in enumerate(chosen)]
        self.sessions[name] = FakeSession(name, order.model_dump(), files, self.clock.now())
        self.opened_by_key[key] = name
        return self._status(self.sessions[name], whole=False)

    def _fresh(self, session_id: str, index: int, content: dict[str, Any]) -> FakeFile:
        return FakeFile(str(10**14 + int(_sha(f"{session_id}{index}".encode())[:11], 16)), content)

    def _list(self, request: httpx.Request) -> httpx.Response:
        newest = sorted(self.sessions.values(), key=lambda each: each.session_id, reverse=True)
        limit = int(request.url.params.get("limit", 20))
        bodies = [exchange.SessionBody.model_validate(self._fields(each)) for each in newest[:limit]]
        return _ok(exchange.SessionsBody(sessions=bodies, server_time=self._now()))

    def _status(self, session: FakeSession, *, whole: bool = True) -> httpx.Response:
        fields = self._fields(session)
        if not whole:
            return _ok(exchange.SessionBody.model_validate(fields))
        rows = [self._delivery(session, number) for number in range(1, len(session.files) + 1)]
        shares = {"voided_share": None, "solution_voided": None}
        return _ok(exchange.StatusBody.model_validate({**fields, "deliveries": rows, **shares}))

    def _fields(self, session: FakeSession) -> dict[str, Any]:
        states = [self._state(session, each) for each in session.files]
        counts = {name: states.count(name) for name in ("waiting", "open", "answered", "voided")}
        order = session.order
        return {
            "session_id": session.session_id,
            **{name: order[name] for name in ("mode", "set", "language", "time_limit_s", "client")},
            "files": len(session.files),
            "requested_files": order["files"],
            "available_files": len(self.essays),
            "choices": order.get("choices") or {},
            "state": session.state,
            "opened_at": show_moment(session.opened_at),
            "closed_at": None if session.closed_at is None else show_moment(session.closed_at),
            "counts": {**counts, "late": sum(bool(each.sends) and not each.accepted for each in session.files)},
            "client_known": None,
            "parameters_version": 1,
            **dict.fromkeys(("run_id", "starts_at", "interval_s", "limits", "run_state", "paused_until")),
            "server_time": self._now(),
        }

    def _delivery(self, session: FakeSession, number: int) -> dict[str, Any]:
        file = session.files[number - 1]
        state = self._state(session, file)
        out = file.handed_out_at
        return {
            "number": number,
            "file_id": None if out is None else file.file_id,
            "state": state,
            "opens_at": None,
            "request_by": None,
            "handed_out_at": None if out is None else self._shown(out),
            "answer_by": None if out is None else self._shown(self._answer_by(session, file)),
            "answered_at": next((each["receipt"]["received_at"] for each in file.sends if file.accepted), None),
            "sends": len(file.sends),
            "cause": "team_late" if state == "voided" else None,
            "evidence": {},
        }

    def _answer_by(self, session: FakeSession, file: FakeFile) -> float:
        return float((file.handed_out_at or 0) + session.order["time_limit_s"])

    def _state(self, session: FakeSession, file: FakeFile) -> str:
        if file.accepted:
            return "answered"
        if session.state != "open":
            return "voided"
        if file.handed_out_at is None:
            return "waiting"
        return "voided" if self.clock.now() > self._answer_by(session, file) else "open"

    def _next(self, session: FakeSession) -> httpx.Response:
        if session.state not in {"open", "finished"}:
            return refusal(409, "session_closed")
        waiting = any(each.handed_out_at is None for each in session.files)
        states = {self._state(session, each) for each in session.files}
        if not waiting and "open" not in states and session.state == "open":
            session.state, session.closed_at = "finished", self.clock.now()
        return httpx.Response(200, json=self._coming(session))

    def _coming(self, session: FakeSession) -> dict[str, Any]:
        waiting = [n for n, each in enumerate(session.files, 1) if each.handed_out_at is None]
        body = {"status": "available" if waiting else "complete", "number": waiting[0] if waiting else None}
        body |= {"opens_at": None, "closes_at": None, "session_state": session.state, "server_time": self._now()}
        body |= {"run_state": None, "paused_until": None}
        return exchange.NextBody.model_validate(body).model_dump(mode="json")

    def _abort(self, session: FakeSession) -> httpx.Response:
        if session.state == "open":
            session.state, session.closed_at = "aborted", self.clock.now()
        return self._status(session)

    def _file(self, session: FakeSession, number: int) -> httpx.Response:
        if session.state != "open":
            return refusal(409, "session_closed")
        file = session.files[number - 1]
        if file.handed_out_at is None:
            file.handed_out_at = self.clock.now()
        content = {**file.content, "meta": {**file.content["meta"], "id": file.file_id}}
        body = {"number": number, "file_id": file.file_id, "content": content, "server_time": self._now()}
        body |= {"opens_at": None, "request_by": None}
        body["handed_out_at"] = self._shown(file.handed_out_at)
        body["answer_by"] = self._shown(self._answer_by(session, file))
        return _ok(exchange.FileBody.model_validate(body))

    def _answer(self, request: httpx.Request, session: FakeSession, number: int) -> httpx.Response:
        file = session.files[number - 1]
        key = request.headers["Idempotency-Key"]
        if key in file.by_key:
            return self._receipted(file.by_key[key], session)
        try:
            judged = validate(decode(request.content), essay_text=file.content["text"])
        except MalformedInput as error:
            return refusal(400, "malformed_json", reason=error.code)
        if judged.markup is None:
            file.refusals += 1
            return refusal(422, "invalid_answer", reason=judged.errors[0].code)
        late = self.clock.now() > self._answer_by(session, file) or session.state != "open"
        file.accepted = file.accepted or not late
        receipt = {
            "format": 1,
            "team_id": "team",
            "cycle": "trial",
            "track": "essay",
            "mode": "algorithmic",
            "run_id": None,
            "session_id": session.session_id,
            "file_id": file.file_id,
            "number": number,
            "send": len(file.sends) + 1,
            "status": "late" if late else "accepted",
            "reason": "deadline_passed" if late else None,
            "received_at": self._now(),
            "decided_at": self._now(),
            "content_sha256": _sha(canonical_bytes(dump(judged.markup))),
            "key_id": KEY_ID,
        }
        signature = base64.b64encode(self.signer.sign(canonical_bytes(receipt))).decode()
        body = receipts.ReceiptBody.model_validate({"receipt": receipt, "signature": signature})
        file.sends.append(body.model_dump(mode="json", exclude_unset=True))
        file.by_key[key] = file.sends[-1]
        return self._receipted(file.sends[-1], session)

    def _receipted(self, receipt: dict[str, Any], session: FakeSession) -> httpx.Response:
        """A receipt and what comes next; telling it ends nothing."""
        coming = self._coming(session) if session.state == "open" else None
        return httpx.Response(200, json={**receipt, "next": coming})

    def _receipts(self, request: httpx.Request, session: FakeSession) -> httpx.Response:
        found = [each for file in session.files for each in file.sends]
        start = int(request.url.params.get("after", 0))
        end = start + self.receipts_per_page
        body = {"receipts": found[start:end], "next": str(end) if end < len(found) else None}
        receipts.ReceiptsBody.model_validate(body)
        return httpx.Response(200, json=body)  # each as it was signed, without the fields that it does not have

    def _report(self, session: FakeSession) -> httpx.Response:
        if session.state == "open":
            return refusal(409, "session_open")
        if self.unscored > 0:
            self.unscored -= 1
            body = {"status": "scoring", "scored": len(session.files) - self.unscored - 1, "files": len(session.files)}
            return httpx.Response(202, json=body, headers={"Retry-After": "2"})
        return httpx.Response(200, json=self.reports.get(session.session_id, {"format": 1}))

    def _comparison(self, session: FakeSession, number: int) -> httpx.Response:
        if session.order["set"] not in self.training:
            return refusal(403, "comparison_not_allowed")
        return httpx.Response(200, json=self.comparisons[number])

    def _cycle(self) -> httpx.Response:
        sizes, size = {"rus": len(self.essays)}, {"most": 1000, "usual": 1000}
        body = {
            "cycle": "trial",
            "name": {"ru": "Пробный цикл", "en": "Trial cycle"},
            "track": self.track,
            "items_called": {"one": {"en": "essay", "ru": "эссе"}, "many": {"en": "essays", "ru": "эссе"}},
            "time_zone": "Europe/Moscow",
            "languages": {"rus": ["rus-free"]},
            "sets": {"train": {"kind": "training", "files": len(self.essays), "by_language": sizes}},
            "parameters": described_parameters(PARAMETERS),
            "classifier": self.classifier,
            "modes": [{"mode": "algorithmic", "counts": "files", **size, "sets": {"train": size}, "in_run": False}],
            "submissions": self.takes,
            "limits": {"answer_bytes": 2_097_152, "log_bytes": 1_048_576, "files_per_session": 1000},
            "stages": [],
            "knowledge_base": [],
            "server_time": self._now(),
        }
        return _ok(public.CycleBody.model_validate(body))

    def _now(self) -> str:
        return self._shown(self.clock.now())

    def _shown(self, moment: float) -> str:
        """A moment of the program's clock as the platform's clock shows it."""
        return show_moment(moment + self.ahead)


def refusal(status: int, code: str, headers: Mapping[str, str] | None = None, **where: Any) -> httpx.Response:
    """A refusal as the platform writes it; ``where`` becomes one detail."""
    refused = RefusedError(code, f"{code} in English.", f"{code} по-русски.")
    refused.status = HTTPStatus(status)
    if where:
        detail = {"code": f"{code}_detail", "message": "detail", "message_ru": "подробность", **where}
        refused.details = (detail,)
    body = problem(refused, "req-1").model_dump_json()
    return httpx.Response(status, content=body, headers={"Content-Type": MEDIA_TYPE, **(headers or {})})


def answering(status: int, code: str, headers: Mapping[str, str] | None = None, **where: Any) -> Fault:
    """The request is refused and does nothing."""
    return lambda _request, _handle: refusal(status, code, headers, **where)


def lost_before(request: httpx.Request, _handle: Callable[[], httpx.Response]) -> httpx.Response:
    """The request never arrives."""
    raise httpx.ConnectError("connection refused", request=request)


def lost_after(request: httpx.Request, handle: Callable[[], httpx.Response]) -> httpx.Response:
    """The request is carried out, its answer is lost."""
    handle()
    raise httpx.ReadError("connection reset", request=request)


def _ok(body: Any) -> httpx.Response:
    return httpx.Response(200, content=json.dumps(body.model_dump(mode="json")).encode())


def _sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@contextmanager
def serving(platform: FakePlatform) -> Iterator[str]:
    """The platform on a port of this machine, for programs of their own process; gives the address.

    A fault that raises closes the connection without an answer.
    """
    lock = Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def answer(self) -> None:
            content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            request = httpx.Request(
                self.command, f"http://fake{self.path}", headers=dict(self.headers), content=content
            )
            try:
                with lock:
                    response = platform.handle(request)
            except httpx.HTTPError:
                self.close_connection = True
                return
            except Exception:  # noqa: BLE001  a fake that breaks is no platform that is away, for which a client would wait
                traceback.print_exc()
                response = refusal(422, "broken_fake")
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
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def publish_kit(platform: FakePlatform, version: str, modules: str) -> None:
    """The platform's signed list of a kit of this version, whose modules have this SHA-256."""
    said = statement("trial", KitList(version, modules, KIT_PACKAGES), 0, KEY_ID)
    signature = base64.b64encode(platform.signer.sign(canonical_bytes(said))).decode()
    platform.kit = kit.SignedKitBody.model_validate({"statement": said, "signature": signature})
