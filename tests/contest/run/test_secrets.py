"""Nothing of a file is seen before its time: every route, method, identity, header and trick, searched byte by byte.

Platform §3: before its opening a file's text cannot be read by any participant path, and its id reveals nothing. One
cloud plays a final of its own cycle; the essays carry words that are nowhere else, and everything that the platform
knows of them (names, hashes, salts, blob names) is read from its store and looked for in whatever anybody is told.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import cached_property
from io import StringIO
from itertools import product
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from contest.edge import documentation
from contest.routes import ROUTES as LISTED
from contest.values import iso
from local.clock import Clock
from local.cloud import DEFAULT_TEMPLATE, LocalCloud
from local.lambdas.runtime import Logs
from local.organizing import Organizer
from tests.exchange_programs import DEMONSTRATION, FUNCTIONS, START_MS, Exchange, Program, issue_tokens
from tests.stage import unpacked

pytestmark = [pytest.mark.slow, pytest.mark.integration]

FILES, INTERVAL_S = 3, 180
STARTS_AT = START_MS + 30_000 + 240_000
STRANGER = "hrd_" + "S" * 43
UNKNOWN = "1" * 15
ROUTES = {
    path: [method.upper() for method in methods] for path, methods in json.loads(documentation.text())["paths"].items()
}
GUARDED = {route.path for route in LISTED if route.authorized and route.method == "GET"}
"""The gateway alone refuses these without a good token: `infra/test_infra_template` holds it for every route."""
OF_TEAMS = ("/v1/sessions", "/v1/runs")
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
LATER = "Fri, 31 Dec 2027 23:59:59 GMT"
TRICKS: tuple[dict[str, str], ...] = (
    {"Date": LATER, "X-Amz-Date": "20271231T235959Z", "X-Server-Time": "2027-12-31T23:59:59.000Z"},
    {"Range": "bytes=0-10"},
    {"If-None-Match": "*", "If-Modified-Since": LATER},
    {"If-Match": "*"},
    {"X-HTTP-Method-Override": "GET", "X-Forwarded-For": "127.0.0.1", "X-Original-URL": "/v1/runs"},
    {"Accept": "text/plain", "Accept-Encoding": "gzip", "Cache-Control": "no-cache"},
    {"Idempotency-Key": "the same"},
)
QUERIES = (
    "number=1&number=2&n=1",
    "now=2027-12-31T23:59:59.000Z&server_time=1830297599000",
    "limit=100&after=&before=9999999999999",
    "debug=1&verbose=true&include=files,content,plan&expand=*",
    "mode=final&run=&language=all&set=final",
)
BODIES: tuple[Any, ...] = (
    {"mode": "final"},
    {"mode": "technical"},
    {"mode": "final", "set": "final", "files": 3},
    {"set": "final"},
    {"set": "reserve"},
    {"mode": "algorithmic", "set": "final", "language": "all"},
)


@dataclass
class Final:
    """A final with teams, its secrets, and all answers."""

    exchange: Exchange
    run_id: str
    red: Program
    blue: Program
    green: Program
    """Team that leaves before the end."""
    plan: list[list[Any]]
    essays: dict[str, str]
    """Word that only the item's essay has, by item."""
    contents: dict[str, str]
    """Name of the item's object, by item."""
    searches: int = 0
    leaks: list[str] = field(default_factory=list)

    @cached_property
    def secrets(self) -> list[set[bytes]]:
        """Values that no answer may reveal, by the number of files that have opened."""
        return [self._secrets(opened) for opened in range(len(self.plan) + 1)]

    def _secrets(self, opened: int) -> set[bytes]:
        rows = self.plan[opened:]
        values = {value for row in rows for value in (row[0], row[1], row[4], row[5], self.contents[row[1]])}
        drawn = {row[1] for row in self.plan[:opened]}
        words = {word for item, word in self.essays.items() if item not in drawn}
        unseen = {item for item in self.essays if item not in drawn}
        manifests = {str(row[6]) for row in self.plan}
        return {text.encode() for text in values | words | unseen | manifests}

    def look(self, content: bytes, where: str, opened: int, others: Sequence[str] = ()) -> None:
        """Search an answer for secrets, and for data that only another team may know.

        A request for a file by its secret name gets that name back, as any other.
        """
        self.searches += 1
        secrets = {
            *self.secrets[opened],
            *(other.encode() for other in others),
            b"Traceback",
            b"amazonaws",
            b"X-Amz-Sig",
        }
        self.leaks += [
            f"{where}: {secret.decode()}" for secret in secrets if secret in content and secret not in where.encode()
        ]

    def at(self, moment: int) -> None:
        clock = self.exchange.clock
        clock.advance((moment - clock.now_ms()) / 1000)


def secret_cycle(folder: Path) -> Path:
    """Write a cycle whose final and reserve sets have essays of their own, each with a unique word."""
    cycle = json.loads((DEMONSTRATION / "cycle.json").read_text("utf-8"))
    cycle["parameters"]["technical"] = {"enabled": False}
    cycle["sets"] |= {name: {"folder": name, "kind": name} for name in ("final", "reserve")}
    (folder / "cycle.json").write_text(json.dumps(cycle), "utf-8")
    for name in ("train", "test"):
        (folder / name).symlink_to(DEMONSTRATION / name)
    essays = sorted(path for path in (DEMONSTRATION / "test").glob("rus-*.json") if "_exp" not in path.stem)
    for name, essay in product(("final", "reserve"), essays[:4]):
        content = json.loads(essay.read_text("utf-8"))
        item = f"{name}-{essay.stem}-hidden"
        content["meta"]["id"] = item
        content["text"] = f"{_word(item)} {content['text']}"
        (folder / name).mkdir(exist_ok=True)
        (folder / name / f"{item}.json").write_text(json.dumps(content, ensure_ascii=False), "utf-8")
    return folder


def _word(item: str) -> str:
    return f"Zq{item.replace('-', '')}Qz"


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("logs")


@pytest.fixture(scope="module")
def final(tmp_path_factory: pytest.TempPathFactory, logs: Path) -> Iterator[Final]:
    folder = secret_cycle(tmp_path_factory.mktemp("cycle"))
    screen = StringIO()
    workers = {"FunctionsDispatch": 2}
    with LocalCloud(
        without_limits(tmp_path_factory.mktemp("template") / "template.json"),
        FUNCTIONS,
        clock=Clock(START_MS),
        logs=Logs(logs, screen=screen),
        workers_of=workers,
    ) as cloud:
        Organizer(cloud).load(folder)
        with closing(Exchange(cloud, issue_tokens(cloud, ["red", "blue", "green"]), screen)) as exchange:
            yield _planned(exchange)


def without_limits(path: Path) -> Path:
    """Write a template whose firewall and gateways let a thousand times as much through.

    Their limits go by real time, which a held clock does not; nobody else sends so many probes in a second.
    """
    limits = re.compile(r'("(?:ThrottlingBurstLimit|ThrottlingRateLimit|Limit)": \d+)')
    path.write_text(limits.sub(r"\g<1>000", DEFAULT_TEMPLATE.read_text("utf-8")), "utf-8")
    return path


def _planned(exchange: Exchange) -> Final:
    timing = ["--start", iso(STARTS_AT), "--interval", str(INTERVAL_S), "--files", str(FILES)]
    exchange.organizer.contest("run", "plan", "--mode", "final", "--set", "final", *timing, "--admit", "red,blue,green")
    (plan_name, plan), *_ = ((k, v) for k, v in exchange.blobs("runs/").items() if k.endswith("plan-0.json"))
    contents = {}
    for name, manifest in exchange.blobs("sets/").items():
        if "/manifests/" in name:
            contents |= {row[0]: str(row[3]) for row in json.loads(manifest)["items"]}
    hidden = {item: _word(item) for item in contents if item.endswith("-hidden")}
    assert len(hidden) == 8
    programs = [exchange.program() for _ in range(3)]
    for program in programs:
        opened = program.ask("POST", "/v1/sessions", json={"mode": "final"}, key="the same")
        assert opened.status_code == 201, opened.text
        program.session_id = opened.json()["session_id"]
    return Final(exchange, plan_name.split("/")[1], *programs, json.loads(plan)["files"], hidden, contents)


def bytes_of(answered: httpx.Response) -> bytes:
    """Return the headers and the body of an answer."""
    headers = b"\n".join(name + b": " + value for name, value in answered.headers.raw)
    return headers + b"\n\n" + answered.content


def tried(final: Final, opened: int) -> None:
    """Try every route, then every trick; where a run or session is named, with every method and identity.

    Methods that no route has are tried where teams have business. What names neither, and is the same for every team,
    is asked once, before the first opening; so are queries and bodies.
    """
    red, blue = final.red, final.blue
    routes = {_filled(final, route, opened + 1): route for route in ROUTES}
    for path, number in _addresses(final):
        others = (red.team_id,) if red.session_id in path else (red.session_id, red.team_id)
        route = routes.get(path) if number in {None, opened + 1} else None
        names_it = red.session_id in path or final.run_id in path
        for method in _methods(route, opened, names_it=names_it):
            _as(final, red, method, path, opened, (blue.session_id, blue.team_id))
        if route is not None and route not in GUARDED and (names_it or opened == 0):
            _public(final, "GET", path, opened)
        if route is not None and names_it:
            _as(final, blue, "GET", path, opened, others)
    _tricks(final, opened)


def _methods(route: str | None, opened: int, *, names_it: bool) -> Sequence[str]:
    """Return the methods to try at an address, which may be no route; more where a run or a session is named."""
    if route is None:
        return ("GET",)
    if not names_it:
        return ("GET",) if "GET" in ROUTES[route] and opened == 0 else ()
    if not route.startswith(OF_TEAMS):
        return sorted({"GET", *ROUTES[route]})
    return METHODS if opened == 0 else ("GET", "PUT", "POST")


def _leaves(final: Final, opened: int) -> None:
    """Let a team leave: it gets a report at once, of a session whose other files have yet to open for the others."""
    green = final.green
    taken_file = green.take(opened)
    assert green.answer(opened, taken_file).status_code == 200
    assert green.ask("POST", green.path("abort"), json={"confirm": True}).status_code == 200
    final.exchange.cloud.drain()
    final.exchange.clock.advance(60)
    for what in ("", "next", "report", "timeline", "receipts", *(f"files/{n}" for n in range(1, FILES + 1))):
        _as(final, green, "GET", green.path(what), opened, (final.red.session_id, final.blue.team_id))
    for what in ("score", "comparison"):
        for number in range(1, FILES + 1):
            _as(final, green, "GET", green.path(f"files/{number}/{what}"), opened)


def _tricks(final: Final, opened: int) -> None:
    """Headers, queries and bodies, by a team on its own session and on what is public."""
    red, others = final.red, (final.blue.session_id, final.blue.team_id)
    for number, headers in product((opened + 1, FILES), TRICKS):
        for what in (f"files/{number}", "next"):
            _as(final, red, "GET", red.path(what), opened, others, headers=headers)
    own = [red.path(what) for what in ("", "next", f"files/{opened + 1}", "receipts", "report")]
    if opened:
        return
    for query, path in product(QUERIES, (*own, "/v1/sessions", "/v1/runs", "/v1/cycle", f"/v1/runs/{final.run_id}")):
        _as(final, red, "GET", f"{path}?{query}", opened, others)
    for body in (*BODIES, {"mode": "final", "run": final.run_id}):
        for key in ("the same", "another"):
            _as(final, red, "POST", "/v1/sessions", opened, others, json=body, key=key)


def _addresses(final: Final) -> Iterator[tuple[str, int | None]]:
    """Yield every documented path with its parameters filled in, and some undocumented ones."""
    for path in ROUTES:
        numbers = range(FILES + 2) if "{number}" in path else [None]
        if not path.endswith("/abort"):
            yield from ((_filled(final, path, number), number) for number in numbers)
    for odd in ("-1", "1e0", "01", "%31", "1%00", "..%2f..%2f..%2fruns", "null", "٢", final.plan[-1][0]):
        yield final.red.path(f"files/{odd}"), None
    for name in ("plan-0.json", "plan", "files", "files/1", "releases", "record.json", "commitment.json"):
        yield f"/v1/runs/{final.run_id}/{name}", None
        yield f"/runs/{final.run_id}/{name}", None
    yield from ((path, None) for path in ("/", "/v1", "/sets/", "/v1/sets/final", "/v1/leaderboards/final/"))


def _filled(final: Final, path: str, number: int | None) -> str:
    named = path.replace("{run_id}", final.run_id).replace("{session_id}", final.red.session_id)
    return named.replace("{number}", str(number))


def _public(final: Final, method: str, path: str, opened: int) -> None:
    for header in ({}, {"Authorization": f"Bearer {STRANGER}"}):
        answered = final.exchange.http.request(method, path, headers=header, content=b"{}")
        teams = (final.blue.session_id, final.red.session_id)
        final.look(bytes_of(answered), f"{method} {path} of nobody", opened, [e for e in teams if e not in path])


def _as(
    final: Final, program: Program, method: str, path: str, opened: int, others: Sequence[str] = (), **more: Any
) -> httpx.Response:
    answered = program.ask(method, path, **more)
    final.look(bytes_of(answered), f"{method} {path} of {program.team_id} {more}", opened, others)
    assert answered.status_code not in {429, 500, 502}, f"{method} {path}: {answered.text}"
    return answered


def channel_says(final: Final, token: str, frames: Sequence[str | bytes]) -> bytes:
    """Return the event channel's answers to frames, from its first one to the answer to the last."""
    url = final.exchange.cloud.url.replace("http", "ws", 1)
    heard: list[str] = []
    with connect(f"{url}/socket.io/?EIO=4&transport=websocket&token={token}") as socket:
        # Whoever is turned away while still sending reads afterwards what was told before the end.
        with suppress(ConnectionClosed):
            for frame in ("40/pku,", *frames, '42/pku,99["session-file-repeat"]'):
                socket.send(frame)
        with suppress(ConnectionClosed):
            while not heard or not heard[-1].startswith(("43/pku,99", "41/pku,")):
                heard.append(str(socket.recv(timeout=20)))
    return "\n".join(heard).encode()


def _without_id(answered: httpx.Response) -> tuple[int, str]:
    body = answered.json()
    body.get("error", {}).pop("request_id", None)
    body.pop("instance", None)
    return answered.status_code, json.dumps(body)


def test_nothing_of_a_file_is_told_before_its_opening_and_nothing_of_another_team(final: Final) -> None:
    tried(final, 0)
    for number in range(1, FILES + 1):
        opening = STARTS_AT + (number - 1) * INTERVAL_S * 1000
        for before in (2_001, 1_000, 1):
            final.at(opening - before)
            answered = _as(final, final.red, "GET", final.red.path(f"files/{number}"), number - 1)
            assert (answered.status_code, answered.json()["error"]["code"]) == (425, "not_open_yet")
            _as(final, final.red, "GET", final.red.path("next"), number - 1, headers=TRICKS[0])
            _as(final, final.red, "GET", final.red.path(), number - 1)
        final.at(opening)
        file_opened = final.red.get(f"files/{number}")
        item = final.plan[number - 1][1]
        assert final.essays[item].encode() in file_opened.content, "the search would find nothing"
        assert final.leaks == [], "\n".join(final.leaks)
        final.look(bytes_of(file_opened), f"file {number} itself", number - 1, ["the search would find nothing"])
        assert final.leaks, "what is looked for is not found where it is"
        final.leaks.clear()
        final.look(bytes_of(file_opened), f"file {number} itself", number)
        assert item.encode() not in file_opened.content, "the essay's own name is nobody's business"
        if number == 1:
            _leaves(final, number)
        if number == 2:
            tried(final, number)
    assert final.leaks == []
    assert final.searches > 500


def test_the_event_channel_tells_nothing_before_its_time(final: Final) -> None:
    """The last file has opened by now, so a run of its own shows what the channel says before."""
    exchange, clock = final.exchange, final.exchange.clock
    starts_at = (clock.now_ms() // 1000 + 1800) * 1000
    timing = ["--start", iso(starts_at), "--interval", "60", "--files", "3"]
    exchange.organizer.contest("run", "plan", "--mode", "technical", "--set", "train", *timing)
    plans = {name: json.loads(raw)["files"] for name, raw in exchange.blobs("runs/").items() if "plan-0" in name}
    plan = next(rows for name, rows in plans.items() if final.run_id not in name)
    secret, unknown = plan[0][0], "123456789012345"
    tokens = (final.red.token, STRANGER)

    def sent(file_id: str) -> str:
        return f'42/pku,["session-file-send",{{"fileId":"{file_id}","content":"{{}}"}}]'

    answers = {}
    frames: dict[str, tuple[str | bytes, ...]] = {
        "start": ('42/pku,["session-start",{"type":"technical","params":{"countFiles":"3"}}]',),
        "events": (
            '42/pku,["session-reconnect"]',
            '42/pku,["session-file-repeat",{"lastFileId":"нет файла"}]',
            '42/pku,["session-send-next-file",{}]',
            '42/baseline,["session-reconnect"]',
            "40/baseline,",
            '42/baseline,["session-reconnect"]',
            "40/pku,",
            '42/pku,["session-file-send",{"sessionId":["x"],"fileId":{"a":1}}]',
            '42/pku,["session-start",{"type":["final"]}]',
        ),
        "known": (sent(secret),),
        "unknown": (sent(unknown),),
        "bytes": (b"\x00\x01",),
        "no frame": ("nonsense",),
    }
    for token, (name, sent_frames) in product(tokens, frames.items()):
        clock.advance(2)
        answers[token, name] = channel_says(final, token, sent_frames)
    red = {name: answers[final.red.token, name] for name in frames}
    assert b"session-start-success" in red["start"]
    assert red["known"].count(b"session-file-send-error") == 1
    assert _after_opening(red["known"]).replace(secret.encode(), b"") == _after_opening(red["unknown"]).replace(
        unknown.encode(), b""
    )
    assert all(b"session-start-success" not in answers[STRANGER, name] for name in frames)
    assert b"connection-auth-error" in answers[STRANGER, "start"]
    hidden = [value.encode() for row in plan for value in (row[0], row[1], row[4], row[5])]
    leaks = [(name, secret) for name, frame in red.items() for secret in hidden if secret in frame and name != "known"]
    assert leaks == []


def _after_opening(frames: bytes) -> bytes:
    """Frames that do not name the connection."""
    return b"\n".join(line for line in frames.split(b"\n") if b'"sid"' not in line)


def test_what_is_secret_cannot_be_told_from_what_is_not_there(final: Final) -> None:
    """The same code and the same words for another team's session as for none, for a hidden set as for a wrong name,
    for a file's real name as for any other."""
    red, blue = final.red, final.blue
    final.exchange.clock.advance(2)
    for what in ("", "/next", "/receipts", "/files/1", "/files/1/score", "/files/1/comparison", "/report", "/timeline"):
        foreign = red.ask("GET", f"/v1/sessions/{blue.session_id}{what}")
        missing = red.ask("GET", f"/v1/sessions/{UNKNOWN}{what}")
        assert _without_id(foreign) == _without_id(missing), what
        assert foreign.status_code == 404
    hidden = [red.ask("POST", "/v1/sessions", json={"set": name}) for name in ("final", "reserve", "nothing")]
    sets = ("final", "reserve", "nothing")
    assert len({_without_id(answered)[1].replace(name, "") for answered, name in zip(hidden, sets, strict=True)}) == 1
    names = final.plan[-1][0], "123456789012345"
    by_name = [red.ask("GET", red.path(f"files/{name}")) for name in names]
    assert len({_without_id(answered)[1].replace(name, "") for answered, name in zip(by_name, names, strict=True)}) == 1


def test_no_token_and_no_essay_is_in_any_log(final: Final, logs: Path) -> None:
    final.exchange.cloud.drain()
    log = "\n".join(path.read_text("utf-8") for path in sorted(logs.iterdir()))
    assert "request" in log
    secret = {final.red.token, final.blue.token, STRANGER, *final.essays.values()}
    salts = {value for row in final.plan for value in (row[4], row[5])}
    assert [secret_text for secret_text in secret | salts if secret_text in log] == []
    assert final.exchange.screen.getvalue() == ""
    stored = json.dumps(
        [final.exchange.items(table) for table in ("StorageExchange", "StorageIdentity")], default=unpacked
    )
    assert [token for token in (final.red.token, final.blue.token, STRANGER) if token in stored] == []
