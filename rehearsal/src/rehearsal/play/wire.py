"""One call of a simulated team's program: made, recorded in the history, and lost on purpose where the script says."""

from __future__ import annotations

import csv
import html
import io
import json
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Final

import httpx

from markup_core.receipt import canonical_bytes, sha256_hex
from rehearsal.history import AROUND, ATTACKING, MARK, MARKED_CODES, READING, Call, History
from rehearsal.moments import Millis

Json = Any
_MARKS: Final = re.compile(f"{MARK}([a-z]+-\\d+-\\d+)|(?<![A-Za-z0-9+/=_-])({MARKED_CODES}[0-9])(?![A-Za-z0-9+/=_-])")
"""Marks, and codes as whole words: neither parts of names nor of what is written in base64."""
_FILE_IDS: Final = re.compile(r'"file_id"\s*:\s*"([^"]*)"')
_HASHES: Final = re.compile(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")
_LARGEST: Final = 500_000
"""Bytes of an answer that is kept whole."""
_REMEMBERED: Final = 128
"""Received texts of which it is remembered what was found in them."""
_ZIP: Final = b"PK\x03\x04"
_KEPT: Final = frozenset({"open", "file", "answer", "decide", "leave", READING})
"""Calls whose answers the checker reads; of others the status and the names of files are kept."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A request to be made. ``due`` is the moment by which it has to arrive to count, None where none is near.

    ``reached`` and ``answer_seen`` are false where the request, or its answer, is to be lost. ``dies_at`` names the
    write before which the process that serves the request is to die.
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
    """What is meant by it, for the checker: what has to be answered, where the rehearsal knows it."""
    based_on: int | None = None
    """The version on which a change is based, as its ``If-Match`` names it."""
    tag: str | None = None
    """The entity tag of what its reader was given before."""

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
        """Return the code of a refusal."""
        error = self.body.get("error")
        return error.get("code") if isinstance(error, dict) else None

    @property
    def details(self) -> Mapping[str, Json]:
        """Return the first detail of a refusal."""
        error = self.body.get("error")
        details = error.get("details") if isinstance(error, dict) else None
        return details[0] if details else {}

    @property
    def passing(self) -> bool:
        """Return whether the same request may be answered otherwise a little later."""
        return self.status is None or self.status >= 500 or self.status == 429


@dataclass(frozen=True, slots=True)
class Kept:
    """A reader's last answer under a path, with its entity tag."""

    tag: str
    response: httpx.Response


class Wire:
    """The way from simulated programs to the platform at ``url``; safe between threads."""

    def __init__(
        self, url: str, now: Callable[[], Millis], history: History, texts: Callable[[str], tuple[int, ...]]
    ) -> None:
        # A worker that was killed is replaced within seconds; what takes longer than the gateway's limit is lost.
        self.url = url
        self.asked: Counter[tuple[str, str, int]] = Counter()
        """Answers by method, path and status, whoever asked."""

        def count(response: httpx.Response) -> None:
            self.asked[response.request.method, response.request.url.path, response.status_code] += 1

        self._http = httpx.Client(
            base_url=url,
            timeout=60,
            limits=httpx.Limits(max_connections=None),
            event_hooks={"response": [count]},
        )
        self.now = now
        self.history = history
        self.texts = texts

    def close(self) -> None:
        """Give the connections back."""
        self._http.close()

    def call(self, team: str, token: str | None, ask: Ask, cache: dict[str, Kept] | None = None) -> Reply:
        """Make a request for a team, unless it is to be lost before; return the program's view of the answer.

        An answer that the platform calls unchanged is read from ``cache``, by its path."""
        call = begun(self.history, team, ask, self.now())
        if cache is not None and ask.path in cache:
            ask = replace(ask, tag=cache[ask.path].tag)
        response = self._made(token, ask) if ask.reached else None
        if cache is not None and response is not None:
            response = _as_kept(cache, ask.path, response)
        heard = "" if response is None else heard_in(response)
        if response is not None:
            call = searched(call, heard, self.texts)
        body = said_by(response)
        answer_seen = ask.answer_seen and response is not None
        self.history.called(answered(call, self.now(), response, body, heard, answer_seen=answer_seen))
        if not answer_seen or response is None:
            return Reply(self.now(), None, {})
        return Reply(self.now(), response.status_code, body)

    def heard(self, team: str, what: str, frames: str, **means: Json) -> None:
        """Write down a team's message from the event channel, with the findings in it."""
        call = begun(self.history, team, Ask(what, "WS", "WS", means=means), self.now())
        answer = {"told": {}, "heard": frames}
        ended = replace(searched(call, frames, self.texts), done_at=self.now(), status=200, said=answer)
        self.history.called(ended)

    def get(self, path: str, token: str | None = None) -> httpx.Response:
        """Return a route's answer, outside the history."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return self._http.get(path, headers=headers, follow_redirects=True)

    def _made(self, token: str | None, ask: Ask) -> httpx.Response | None:
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
        if ask.tag is not None:
            headers["If-None-Match"] = ask.tag
        if ask.key is not None:
            headers["Idempotency-Key"] = ask.key
        if ask.based_on is not None:
            headers["If-Match"] = f'"{ask.based_on}"'
        try:
            reads = ask.what == READING  # what is kept as an object is answered with its place
            return self._http.request(ask.method, ask.path, headers=headers, content=ask.body, follow_redirects=reads)
        except httpx.TransportError:
            return None


def begun(history: History, team: str, ask: Ask, now: Millis) -> Call:
    """Write a request down as it is made; return its call."""
    call = Call(
        n=history.number(),
        team=team,
        what=ask.what,
        number=ask.number,
        sent_at=now,
        done_at=0,
        reached=ask.reached,
        key=ask.key,
        body_sha256=None if ask.body is None else sha256_hex(ask.body),
        content_sha256=ask.content_sha256,
        path=ask.path or None,
        method=ask.method,
        means=ask.means,
    )
    history.asked(call)
    return call


def _as_kept(cache: dict[str, Kept], path: str, response: httpx.Response) -> httpx.Response:
    """Return the answer that a reader sees: the one in its cache if the platform calls that unchanged."""
    if response.status_code == httpx.codes.NOT_MODIFIED and path in cache:
        return cache[path].response
    cache.pop(path, None)
    if response.status_code == httpx.codes.OK and "etag" in response.headers:
        cache[path] = Kept(response.headers["etag"], response)
    return response


def answered(
    call: Call,
    done_at: Millis,
    response: httpx.Response | None,
    body: Mapping[str, Json],
    heard: str = "",
    *,
    answer_seen: bool,
) -> Call:
    """Return a call with its answer; ``body`` is the response's JSON object, ``heard`` all that was searched in it."""
    if response is None:
        return replace(call, done_at=done_at, seen=False)
    error = body.get("error")
    is_kept = call.what in _KEPT or call.what.startswith(AROUND)
    answer = replace(
        call,
        done_at=done_at,
        seen=answer_seen,
        status=response.status_code,
        code=error.get("code") if isinstance(error, dict) else None,
        said=_said(call.what, body, response) if is_kept or isinstance(error, dict) else {},
        file_ids=tuple(dict.fromkeys(_FILE_IDS.findall(response.text))),
    )
    return answer if heard else searched(answer, heard_in(response), lambda _: call.texts)


def searched(call: Call, heard: str, texts: Callable[[str], tuple[int, ...]]) -> Call:
    """Return a call with the essays, marks and hashes in a received text."""
    texts_found, marks, hashes = _found_in(heard, texts)
    return replace(call, texts=texts_found, marks=marks, hashes=hashes)


@lru_cache(maxsize=_REMEMBERED)
def _found_in(
    heard: str, texts: Callable[[str], tuple[int, ...]]
) -> tuple[tuple[int, ...], tuple[str, ...], tuple[str, ...]]:
    """Return the essays, marks and hashes in a received text, found once where many read the same."""
    return texts(heard), marks_in(heard), hashes_in(heard)


def _said(what: str, body: Mapping[str, Json], response: httpx.Response) -> Mapping[str, Json]:
    """Return the answer for the history: of the attacker's all that it reads, but for the items themselves; of others'
    when to come again as well, and of a file's content its hash alone."""
    if what == READING:
        return {"read": content_of(response)} if response.status_code == httpx.codes.OK else body
    if what.startswith(ATTACKING):
        return {} if what == f"{ATTACKING}file" else {"told": body, "heard": heard_in(response)}
    if "retry-after" in response.headers:
        body = {**body, "retry_after": response.headers["retry-after"]}
    if what != "file" or "content" not in body:
        return body
    rest = {name: value for name, value in body.items() if name != "content"}
    return {**rest, "content_sha256": sha256_hex(canonical_bytes(body["content"]))}


_CELL: Final = re.compile(r"<(t[hd])\b[^>]*>(.*?)</\1>", re.DOTALL)
_ROW: Final = re.compile(r"<tr>(.*?)</tr>", re.DOTALL)
_CELLS: Final = re.compile(r"<c\b([^>]*?)(?:/>|>(.*?)</c>)", re.DOTALL)
_TOLD: Final = re.compile(r"<title\b[^>]*>(.*?)</title>", re.DOTALL)
_WORD: Final = re.compile(r"[\w-]+")
_TEXT: Final = re.compile(r"<[tv]\b[^>]*>(.*?)</[tv]>", re.DOTALL)


def content_of(response: httpx.Response) -> Json:
    """Return what somebody reads in an answer: a JSON value, the rows of a table for programs by their headings, the
    cells of a page or workbook; None for an image, an archive and what is no such form."""
    kind = response.headers.get("content-type", "").partition(";")[0]
    reader = _FORMS.get(kind)
    return None if reader is None or len(response.content) > _LARGEST else reader(response)


_FORMS: Final[Mapping[str, Callable[[httpx.Response], Json]]] = {
    "application/json": lambda response: response.json(),
    "application/x-ndjson": lambda response: {"rows": [json.loads(line) for line in response.text.splitlines()]},
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
        shared: list[str] = []
        if "xl/sharedStrings.xml" in packed.namelist():
            strings = packed.read("xl/sharedStrings.xml").decode()
            shared = [
                html.unescape("".join(re.findall(r"<t\b[^>]*>(.*?)</t>", one, re.DOTALL)))
                for one in re.findall(r"<si>(.*?)</si>", strings, re.DOTALL)
            ]
        for name in sorted(packed.namelist()):
            if name.startswith("xl/worksheets/sheet"):
                for row in re.findall(r"<row\b[^>]*>(.*?)</row>", packed.read(name).decode(), re.DOTALL):
                    cells = [
                        (kind, html.unescape("".join(_TEXT.findall(inner)))) for kind, inner in _CELLS.findall(row)
                    ]
                    yield [shared[int(text)] if 't="s"' in kind and text else text for kind, text in cells]


def heard_in(response: httpx.Response) -> str:
    """Return the whole response as text: its body, unpacked where it is packed, then its headers but for the moment, a
    line each."""
    headers = (f"{name}: {value}" for name, value in response.headers.items() if name != "date")
    return "\n".join([_unpacked(response), *headers])


def _unpacked(response: httpx.Response) -> str:
    """Return a body as text; of a ZIP file, as of a table's workbook, that of its files."""
    if not response.content.startswith(_ZIP):
        return response.text
    with zipfile.ZipFile(io.BytesIO(response.content)) as packed:
        return "\n".join(packed.read(name).decode(errors="replace") for name in packed.namelist())


def marks_in(received: str) -> tuple[str, ...]:
    """Return the experts' marks in something that was received, each once."""
    if MARK not in received and MARKED_CODES not in received:
        return ()
    return tuple(dict.fromkeys(mark[1] or mark[2] for mark in _MARKS.finditer(received)))


def hashes_in(received: str) -> tuple[str, ...]:
    """Return the SHA-256 hashes in something that was received, each once."""
    return tuple(dict.fromkeys(_HASHES.findall(received)))


def said_by(response: httpx.Response | None) -> Mapping[str, Json]:
    """Return the JSON object of a response; empty where there is none."""
    if response is None:
        return {}
    try:
        body = response.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}
