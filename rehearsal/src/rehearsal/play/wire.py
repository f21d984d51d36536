"""One call of a simulated team's program, and the faults that a rehearsal injects.

A call is made, recorded in the history, and lost on purpose where the script says. Each team's behaviour with each file
is drawn from the seed, the faults and that file alone, so that a rehearsal with the same words injects the same.
"""

from __future__ import annotations

import csv
import html
import io
import random
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache
from typing import Any, Final
from xml.etree import ElementTree

import httpx
import urllib3

from local.aws.emulator import read_json
from markup_core.receipt import canonical_bytes, sha256_hex
from rehearsal.history import AROUND, ATTACKING, MARK, MARKED_CODES, QUALIFYING, READING, SECOND, Call, History, Millis


class Fault(StrEnum):
    """Kinds of faults, as ``--faults`` names them."""

    DISCONNECTS = "disconnects"
    SLOW = "slow"
    DUPLICATES = "duplicates"
    WRONG = "wrong"
    BROKEN = "broken"
    RESENDS = "resends"
    KILLS = "kills"
    EVENTS = "events"
    TICKS = "ticks"
    THROTTLES = "throttles"
    CLOCKS = "clocks"
    LOSSES = "losses"
    CROWD = "crowd"
    PRYING = "prying"
    DECISIONS = "decisions"
    PRACTICE = "practice"
    QUALIFYING = "qualifying"
    LEAVING = "leaving"
    READING = "reading"
    PEOPLE = "people"
    TWINS = "twins"


ALL: Final = frozenset(Fault) - {Fault.TWINS}
"""All faults but TWINS, which must be named: a second visit of the timer would replace every missed one."""
SOME: Final = frozenset({Fault.DISCONNECTS, Fault.SLOW, Fault.DUPLICATES, Fault.EVENTS, Fault.TICKS})
_WORDS: Final = {"none": frozenset[Fault](), "some": SOME, "all": ALL}
_SHARE: Final = 0.35  # usual share of the files with a trick when everything is injected


class UnknownFaultError(ValueError):
    """Raised for a word of ``--faults`` that is no fault's name."""


class Trick(StrEnum):
    """A team's behaviour with a file besides asking for it and answering."""

    NONE = "none"
    LOST_REQUEST = "lost_request"
    LOST_FILE = "lost_file"
    UNSENT_ANSWER = "unsent_answer"
    LOST_RECEIPT = "lost_receipt"
    LOST_RECEIPT_WITH_KEY = "lost_receipt_with_key"
    LAST_MOMENT_REQUEST = "last_moment_request"
    LATE_REQUEST = "late_request"
    NO_REQUEST = "no_request"
    LAST_MOMENT_ANSWER = "last_moment_answer"
    LATE_ANSWER = "late_answer"
    LATE_IMPROVEMENT = "late_improvement"
    TWO_REQUESTS = "two_requests_at_once"
    SAME_TWICE = "same_answer_twice_at_once"
    SAME_TWICE_WITH_KEY = "same_answer_twice_with_key"
    TWO_ANSWERS = "two_answers_at_once"
    TWO_ANSWERS_ONE_KEY = "two_answers_with_one_key"
    OTHER_ESSAY = "other_essay_first"
    OTHER_ESSAY_ONLY = "other_essay_only"
    BROKEN_JSON = "broken_json_first"
    BROKEN_JSON_ONLY = "broken_json_only"
    TWELVE_SENDS = "twelve_sends"
    EARLY_REQUEST = "early_request"
    ABANDONED_REQUEST = "abandoned_request"
    ABANDONED_ANSWER = "abandoned_answer"


_TRICKS: Final[dict[Fault, dict[Trick, int]]] = {
    Fault.DISCONNECTS: {
        Trick.LOST_REQUEST: 3, Trick.LOST_FILE: 3, Trick.UNSENT_ANSWER: 2, Trick.LOST_RECEIPT: 3,
        Trick.LOST_RECEIPT_WITH_KEY: 3,
    },
    Fault.SLOW: {
        Trick.LAST_MOMENT_REQUEST: 3, Trick.LATE_REQUEST: 1, Trick.NO_REQUEST: 1, Trick.LAST_MOMENT_ANSWER: 3,
        Trick.LATE_ANSWER: 1, Trick.LATE_IMPROVEMENT: 2,
    },
    Fault.DUPLICATES: {
        Trick.TWO_REQUESTS: 2, Trick.SAME_TWICE: 3, Trick.SAME_TWICE_WITH_KEY: 3, Trick.TWO_ANSWERS: 3,
        Trick.TWO_ANSWERS_ONE_KEY: 2,
    },
    Fault.WRONG: {Trick.OTHER_ESSAY: 3, Trick.OTHER_ESSAY_ONLY: 1},
    Fault.BROKEN: {Trick.BROKEN_JSON: 3, Trick.BROKEN_JSON_ONLY: 1},
    Fault.RESENDS: {Trick.TWELVE_SENDS: 3},
    Fault.KILLS: {Trick.ABANDONED_REQUEST: 1, Trick.ABANDONED_ANSWER: 1},
    Fault.CLOCKS: {Trick.EARLY_REQUEST: 4},
}  # fmt: skip
"""Tricks of each fault with their weights."""


@dataclass(frozen=True, slots=True)
class Script:
    """A team's behaviour with a file: time of its request, counted from the opening; time of its work; its trick."""

    ask_after: Millis
    work: Millis
    trick: Trick


def faults_named(text: str) -> frozenset[Fault]:
    """Return the faults for ``none``, ``some``, ``all``, or names with commas between; :class:`UnknownFaultError`."""
    if text in _WORDS:
        return _WORDS[text]
    names, every = [word.strip() for word in text.split(",")], list(Fault)
    if unknown := next((name for name in names if name not in every), None):
        choices = ", ".join([*_WORDS, *Fault])
        raise UnknownFaultError(f"no fault is called {unknown!r}; choose from {choices}")
    return frozenset(map(Fault, names))


class Scripts:
    """The scripts of a rehearsal's teams. ``longest`` is the part of the time for an answer that a team may use.

    ``share`` is that of the files with a trick, by default a third when everything is injected, and otherwise the part
    of it for the chosen faults: so each trick is as frequent alone as it is among others.
    """

    def __init__(self, seed: int, faults: frozenset[Fault], longest: Millis, share: float | None = None) -> None:
        self._seed = seed
        self._tricks = {
            trick: weight for fault in sorted(faults & _TRICKS.keys()) for trick, weight in _TRICKS[fault].items()
        }
        part = sum(self._tricks.values()) / sum(sum(weights.values()) for weights in _TRICKS.values())
        self._share = _SHARE * part if share is None else share
        self._longest = longest

    def of(self, team: int, number: int) -> Script:
        """Return a team's behaviour with a file.

        Moments lie on a grid of half seconds for requests and of a tenth of the time for answers: so several teams
        act at the same moment, as they would.
        """
        chance = random.Random(f"{self._seed}/{team}/{number}")  # noqa: S311 - reproducible, nothing secret
        ask_after = chance.choice((0, 0, 0, 0, 500, 1000, 1500, 3000))
        work = self._longest * chance.randint(1, 8) // 10
        trick = Trick.NONE
        if self._tricks and chance.random() < self._share:
            trick = chance.choices(tuple(self._tricks), tuple(self._tricks.values()))[0]
        return Script(ask_after, work - work % (SECOND // 2), trick)


Json = Any
_MARKS: Final = re.compile(f"{MARK}([a-z]+-\\d+-\\d+)|(?<![A-Za-z0-9+/=_-])({MARKED_CODES}[0-9])(?![A-Za-z0-9+/=_-])")
"""Pattern of marks, and of marked codes as whole words: no parts of names or of base64 texts."""
_FILE_IDS: Final = re.compile(r'"file_id"\s*:\s*"([^"]*)"')
_HASHES: Final = re.compile(r"[0-9a-f]{64,}")  # of 64 digits and no more
_DIGITS: Final = 64  # of a SHA-256 in hexadecimal
_PATIENCE_S: Final = 60
_CONNECTIONS: Final = 256  # kept open; more may be open at once
_ONCE: Final = urllib3.Retry(None, connect=False, read=False, other=False, redirect=5)  # redirections, if followed
_LARGEST: Final = 500_000  # bytes of an answer that is kept whole
_REMEMBERED: Final = 128  # number of received texts whose findings are cached
_ZIP: Final = b"PK\x03\x04"
_KEPT: Final = frozenset({"open", "file", "answer", "decide", "leave", READING})
"""Names of calls whose answers the checker reads; of others only the status and the names of files are recorded."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A request to be made. ``due`` is the deadline of its arrival, None if no deadline is near.

    ``reached`` and ``answer_seen`` are false if the request, or its answer, is to be lost. ``dies_at`` names the write
    before which the process that serves the request is to die.
    """

    what: str
    method: str
    path: str
    number: int | None = None
    body: bytes | None = None
    key: str | None = None
    content_sha256: str | None = None
    due: Millis | None = None
    reached: bool = True
    answer_seen: bool = True
    dies_at: tuple[str, str] | None = None
    means: Mapping[str, Json] = field(default_factory=dict)
    """Purpose of the request, for the checker, with the expected answer where the rehearsal knows it."""
    based_on: int | None = None  # the version on which a change is based, as its ``If-Match`` names it

    def again(self) -> Ask:
        """Return the same request, without any loss on purpose."""
        return replace(self, reached=True, answer_seen=True)


@dataclass(frozen=True, slots=True)
class Reply:
    """A program's view of an answer: ``status`` is None and ``body`` is empty where it sees none."""

    at: Millis
    status: int | None
    body: Mapping[str, Json]

    @property
    def code(self) -> str | None:
        return _error(self.body).get("code")

    @property
    def details(self) -> Mapping[str, Json]:
        details = _error(self.body).get("details")
        return details[0] if details else {}

    @property
    def passing(self) -> bool:
        """Return whether the same request may be answered otherwise a little later."""
        return self.status is None or self.status >= 500 or self.status == 429


Cache = dict[str, httpx.Response]  # a reader's last answers that have an entity tag, by their paths


class Http:
    """Requests to the platform at ``url``; safe between threads. ``source`` is the address that they come from.

    A rehearsal makes thousands: with httpx, whose answers these are, its process had a sixth more work.
    """

    def __init__(self, url: str, source: str | None = None) -> None:
        self.url = url
        # A killed worker is replaced within seconds; a request that takes longer than the gateway's limit is lost.
        origin = None if source is None else (source, 0)
        self._pool = urllib3.PoolManager(maxsize=_CONNECTIONS, timeout=_PATIENCE_S, source_address=origin)

    def close(self) -> None:
        self._pool.clear()

    def ask(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes | None = None, *, follows: bool = False
    ) -> httpx.Response | None:
        """Return the answer, of a followed redirection the last one; None for a lost one."""
        sent = {"Accept": "*/*", "Accept-Encoding": "gzip", **headers}
        try:
            answer = self._pool.request(
                method, f"{self.url}{path}", body, headers=sent, retries=_ONCE, redirect=follows, decode_content=False
            )
        except urllib3.exceptions.HTTPError:
            return None
        return httpx.Response(answer.status, headers=[*answer.headers.items()], content=answer.data)


class Wire:
    """The way from simulated programs to the platform at ``url``; safe between threads."""

    def __init__(
        self, url: str, now: Callable[[], Millis], history: History, texts: Callable[[str], tuple[int, ...]]
    ) -> None:
        self.url = url
        self.asked: Counter[tuple[str, str, int]] = Counter()
        """Number of answers to all callers, by method, path and status."""
        self._http = Http(url)
        self.now, self.history, self.texts = now, history, texts

    def close(self) -> None:
        self._http.close()

    def call(self, team: str, token: str | None, ask: Ask, cache: Cache | None = None) -> Reply:
        """Make a request for a team, unless it is to be lost before; return the program's view of the answer.

        An answer that the platform calls unchanged is read from ``cache``, by its path."""
        call = begun(self.history, team, ask, self.now())
        response = self._made(token, ask, {} if cache is None else cache) if ask.reached else None
        body = {} if response is None else said_by(response)
        self.history.called(answered(call, self.now(), response, self.texts, body, answer_seen=ask.answer_seen))
        if response is None or not ask.answer_seen:
            return Reply(self.now(), None, {})
        return Reply(self.now(), response.status_code, body)

    def heard(self, team: str, what: str, frames: str, **means: Json) -> None:
        """Write down a team's message from the event channel, with the findings in it."""
        call = begun(self.history, team, Ask(what, "WS", "WS", means=means), self.now())
        answer = {"told": {}, "heard": frames}
        ended = replace(searched(call, frames, self.texts), done_at=self.now(), status=200, said=answer)
        self.history.called(ended)

    def get(self, path: str, token: str | None = None) -> httpx.Response:
        """Return a route's answer, outside the history. :class:`httpx.ReadError` for a lost one."""
        response = self._asked("GET", path, {"Authorization": f"Bearer {token}"} if token else {}, follows=True)
        if response is None:
            raise httpx.ReadError(f"no answer from {self.url}{path}")
        return response

    def _made(self, token: str | None, ask: Ask, cache: Cache) -> httpx.Response | None:
        cached = cache.get(ask.path)
        headers = {
            "Authorization": token and f"Bearer {token}",
            "If-None-Match": cached and cached.headers["etag"],
            "Idempotency-Key": ask.key,
            "If-Match": None if ask.based_on is None else f'"{ask.based_on}"',
        }
        named = {"Content-Type": "application/json"} | {name: value for name, value in headers.items() if value}
        reads = ask.what == READING  # content stored as an object is answered with its address
        response = self._asked(ask.method, ask.path, named, ask.body, follows=reads)
        if response is None:
            return None
        if cached is not None and response.status_code == httpx.codes.NOT_MODIFIED:
            return cached
        cache.pop(ask.path, None)
        if response.status_code == httpx.codes.OK and "etag" in response.headers:
            cache[ask.path] = response
        return response

    def _asked(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes | None = None, *, follows: bool
    ) -> httpx.Response | None:
        response = self._http.ask(method, path, headers, body, follows=follows)
        if response is not None:
            self.asked[method, path.partition("?")[0], response.status_code] += 1
        return response


class Caller:
    """A client that makes requests under a name. ``token`` returns the current token, None without one."""

    cache: Cache | None = None

    def __init__(self, name: str, wire: Wire, token: Callable[[], str | None]) -> None:
        self.name, self.wire, self.current_token = name, wire, token

    def ask(self, ask: Ask) -> Reply:
        return self.wire.call(self.name, self.current_token(), ask, self.cache)


def begun(history: History, team: str, ask: Ask, now: Millis) -> Call:
    """Write a request down as it is made; return its call."""
    same = ("what", "number", "reached", "key", "content_sha256", "method", "means")
    digest = None if ask.body is None else sha256_hex(ask.body)
    fields = {name: getattr(ask, name) for name in same}
    call = Call(history.number(), team, sent_at=now, done_at=0, body_sha256=digest, path=ask.path or None, **fields)
    history.asked(call)
    return call


def answered(
    call: Call,
    done_at: Millis,
    response: httpx.Response | None,
    texts: Callable[[str], tuple[int, ...]] = lambda _: (),
    body: Mapping[str, Json] | None = None,
    *,
    answer_seen: bool = True,
) -> Call:
    """Return a call with its answer and the findings in it. ``body`` is the response's, if it has been read."""
    if response is None:
        return replace(call, done_at=done_at, seen=False)
    body = said_by(response) if body is None else body
    is_kept = call.what in _KEPT or call.what.startswith(AROUND) or isinstance(body.get("error"), dict)
    answer = replace(
        call,
        done_at=done_at,
        seen=answer_seen,
        status=response.status_code,
        code=_error(body).get("code"),
        said=_said(call.what, body, response) if is_kept else {},
        file_ids=tuple(dict.fromkeys(_FILE_IDS.findall(response.text))),
    )
    return searched(answer, heard_in(response), texts)


def _error(body: Mapping[str, Json]) -> Mapping[str, Json]:
    error = body.get("error")
    return error if isinstance(error, dict) else {}


def searched(call: Call, heard: str, texts: Callable[[str], tuple[int, ...]]) -> Call:
    """Return a call with the essays, marks and hashes in a received text."""
    texts_found, marks, hashes = _found_in(heard, texts)
    return replace(call, texts=texts_found, marks=marks, hashes=hashes)


@lru_cache(maxsize=_REMEMBERED)
def _found_in(heard: str, texts: Callable[[str], tuple[int, ...]]) -> tuple[Any, tuple[str, ...], tuple[str, ...]]:
    """Return the essays, marks and hashes in a received text; cached, since many readers receive the same."""
    return (
        texts(heard),
        marks_in(heard),
        tuple(dict.fromkeys(digits for digits in _HASHES.findall(heard) if len(digits) == _DIGITS)),
    )


def _said(what: str, body: Mapping[str, Json], response: httpx.Response) -> Mapping[str, Json]:
    """Return the answer for the history: of the attacker's all that it reads, but for the items themselves; of others'
    when to come again as well, and of a file's content its hash alone."""
    if what == READING:
        named = response.headers.get("content-disposition", "").partition('filename="')[2].rstrip('"')
        return {"read": content_of(response), "named": named} if response.status_code == httpx.codes.OK else body
    if what.startswith(ATTACKING):
        return {} if what == f"{ATTACKING}file" else {"told": body, "heard": heard_in(response)}
    if what.startswith(QUALIFYING) and "attachment" in response.headers.get("content-disposition", ""):
        return content_of(response) or {}
    if "retry-after" in response.headers:
        body = {**body, "retry_after": response.headers["retry-after"]}
    if what != "file" or "content" not in body:
        return body
    rest = {name: value for name, value in body.items() if name != "content"}
    return {**rest, "content_sha256": sha256_hex(canonical_bytes(body["content"]))}


_CELL: Final = re.compile(r"<(t[hd])\b[^>]*>(.*?)</\1>", re.DOTALL)
_ROW: Final = re.compile(r"<tr>(.*?)</tr>", re.DOTALL)
_TOLD: Final = re.compile(r"<title\b[^>]*>(.*?)</title>", re.DOTALL)
_WORD: Final = re.compile(r"[\w-]+")
_IN_SHEETS: Final = ("xl/worksheets/sheet", "xl/sharedStrings.xml")


def content_of(response: httpx.Response) -> Json:
    """Return an answer's content for its reader: a JSON value, the rows of a table for programs by their headings, the
    cells of a page or workbook; None for an image, an archive and any other form."""
    kind = response.headers.get("content-type", "").partition(";")[0]
    reader = _FORMS.get(kind)
    return None if reader is None or len(response.content) > _LARGEST else reader(response)


_FORMS: Final[Mapping[str, Callable[[httpx.Response], Json]]] = {
    "application/json": lambda response: read_json(response.content),
    "application/x-ndjson": lambda response: {"rows": [read_json(line) for line in response.content.splitlines()]},
    "text/csv": lambda response: {"rows": list(csv.DictReader(io.StringIO(response.text.removeprefix("\ufeff"))))},
    "text/html": lambda response: {
        "cells": [[html.unescape(cell[1]) for cell in _CELL.findall(row)] for row in _ROW.findall(response.text)],
        "lang": response.text.partition('lang="')[2][:2],
    },
    "image/svg+xml": lambda response: {"cells": [_WORD.findall(title) for title in _TOLD.findall(response.text)]},
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": lambda response: {
        "cells": list(_sheet_rows(response.content))
    },
}


def _sheet_rows(workbook: bytes) -> Iterator[list[str]]:
    with zipfile.ZipFile(io.BytesIO(workbook)) as packed:
        names = [name for name in sorted(packed.namelist()) if name.startswith(_IN_SHEETS)]
        parts = {name: ElementTree.fromstring(packed.read(name)) for name in names}  # noqa: S314 - the platform's own
    shared = ["".join(text.itertext()) for text in parts.pop("xl/sharedStrings.xml", ())]
    for sheet in parts.values():
        for row in sheet.iterfind(".//{*}row"):
            cells = [(cell.get("t"), "".join(cell.itertext())) for cell in row]
            yield [shared[int(text)] if kind == "s" and text else text for kind, text in cells]


def heard_in(response: httpx.Response) -> str:
    """Return the whole response as text: its body, of a ZIP file, as of a table's workbook, that of its files; then its
    headers but for the moment, a line each."""
    headers = [f"{name}: {value}" for name, value in response.headers.items() if name != "date"]
    if not response.content.startswith(_ZIP):
        return "\n".join([response.text, *headers])
    with zipfile.ZipFile(io.BytesIO(response.content)) as packed:
        return "\n".join([*(packed.read(name).decode(errors="replace") for name in packed.namelist()), *headers])


def marks_in(received: str) -> tuple[str, ...]:
    """Return the experts' marks in something that was received, each once."""
    if MARK not in received and MARKED_CODES not in received:
        return ()
    return tuple(dict.fromkeys(mark[1] or mark[2] for mark in _MARKS.finditer(received)))


def said_by(response: httpx.Response) -> Mapping[str, Json]:
    """Return the JSON object of a response; empty where there is none."""
    try:
        body = read_json(response.content)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}
