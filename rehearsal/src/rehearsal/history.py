"""The history of a rehearsal: JSON lines of requests, answers, injected faults, and the data stored in the end.

Times are virtual, in milliseconds since the epoch, read and written by code of the rehearsal's own, so that it shares
no mistake with the platform. Lines by their ``kind``:

- ``header``: seed, teams, how many of them on the event channel, files, faults, whether the clock was driven, and the
  schedule as it was announced;
- ``own``: an essay of the final as the rehearsal wrote it, with its experts' markups;
- ``request`` and ``response`` of the same ``n``: one call of a team's program. ``reached`` tells whether the request
  was let through, ``seen`` whether the answer was; both are lost on purpose where disconnects are injected;
- ``decided``: an order of the rehearsal's organizers, its time, and the platform's answer;
- ``forbidden``: an order of theirs against the rules, the code of the due refusal, and the platform's answer;
- ``injected``: one fault, ``what`` and where;
- ``item``, ``object``, ``answer`` (the API's answer in the end), ``written``, ``left``: the facts.

A history is all the checker gets, so that it can be checked again, elsewhere, or written by hand in a test.
"""

from __future__ import annotations

import json
import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, TextIO

Millis = int
SECOND: Final = 1000
MINUTE: Final = 60 * SECOND
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def from_text(text: str) -> Millis:
    """Return the milliseconds of ``2026-11-21T03:57:32.123Z``; ValueError for a moment without a zone."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"no time zone: {text}")
    return (moment - _EPOCH) // timedelta(milliseconds=1)


def to_text(moment: Millis) -> str:
    """Return a moment in ISO 8601, in UTC with milliseconds."""
    return (_EPOCH + timedelta(milliseconds=moment)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


Json = Any
FORMAT: Final = 1
MARK: Final = "expert-mark-"
"""Prefix of a mark that the rehearsal puts into experts' comments; the essay and the expert's number follow."""
MARKED_CODES: Final = "Q0"
"""Prefix of ICD-10 codes that only the references of diagnoses contain, which can have no other mark; a digit follows.
No cell of a sheet has such an address."""
MARK_OF_PROGRAMS: Final = "program-mark-"
"""Prefix of a submitted program's output; team, program and run follow. Its own team alone may read the output."""
STRANGERS, ORGANIZERS = "strangers", "organizers"
"""Authors of calls without a valid token, and of decisions; no team has these names."""
PRACTISED, QUALIFYING, SUBMITTING, ATTACKING = "practice_", "qualify_", "submit_", "attack_"
"""Prefixes of the names of calls that belong to no run: to the runs and sessions around the final, the people who
decide on them, a contest of programs submitted as a whole, and the team that attacks a hidden test set."""
PUSHES: Final = "pushes"  # frames that the attacker received over the event channel at a moment of a run
PEOPLE, DAY, BOARDS, NEWS = "people", "day", "boards", "news"
"""Names, behind :data:`QUALIFYING`, of the calls about changes of people, a day's sessions, boards, and notifications
of teams."""
READING: Final = "read"  # name of the calls of readers, who request every readable route
LEAVE: Final = "leave"  # name of a team's call that ends its session for good
UNANSWERED: Final = "unanswered/"  # prefix of the name of a final request that the platform did not answer
NOT_PUBLISHED, OPERATIONS, SENT = "not_published", "operations", "sent"
"""Names of answers: the platform's refusal to publish the results, in its words; the operations of the interface with
the numbers of their answers; the mails and the webhooks' requests that were sent."""
AROUND: Final = (PRACTISED, QUALIFYING, SUBMITTING, ATTACKING)
"""Prefixes of the names of calls that do not belong to the rehearsed final."""


@dataclass(frozen=True, slots=True)
class Call:
    """One request and its response. ``status`` is None without a response; ``code`` is the code of a refusal.

    ``content_sha256`` is the hash of the answer's canonical bytes, None if the answer is not valid for its file.
    ``file_ids`` are all names of files anywhere in the response's body.
    """

    n: int
    team: str
    what: str
    number: int | None
    sent_at: Millis
    done_at: Millis
    reached: bool = True
    seen: bool = True
    status: int | None = None
    code: str | None = None
    key: str | None = None
    body_sha256: str | None = None
    content_sha256: str | None = None
    said: Mapping[str, Json] = field(default_factory=dict)
    file_ids: tuple[str, ...] = ()
    path: str | None = None
    method: str = ""
    means: Mapping[str, Json] = field(default_factory=dict)
    """Purpose of the request and its expected response, where the rehearsal knows them."""
    marks: tuple[str, ...] = ()  # experts' marks in the response
    texts: tuple[int, ...] = ()
    """Numbers of the ``own`` lines of those of the rehearsal's own essays that the response contains."""
    hashes: tuple[str, ...] = ()  # SHA-256 hashes, in hexadecimal, anywhere in the response, its headers among it

    def unusual(self, names: Iterable[str]) -> dict[str, Json]:
        """Return those of the named values that differ from their defaults."""
        return {name: value for name in names if (value := getattr(self, name)) != _USUAL[name]}

    @property
    def where(self) -> str:
        """Return the name under which counter-examples cite it."""
        return f"{self.team}, call {self.n}"

    @property
    def failed(self) -> bool:
        """Return whether the platform itself failed: no answer though the request went through, or a server error."""
        return self.reached and (self.status is None or self.status >= 500)


@dataclass(frozen=True)
class Facts:
    """The stored data in the end, and the API's answers about it.

    ``items`` by table, partition and sort key; ``objects`` by name, as SHA-256 and, for documents, the text;
    ``answers`` of the API by the name of the request; ``written`` the watched writes that succeeded; ``left`` the
    messages in queues.
    """

    items: Mapping[str, Mapping[str, Mapping[str, Mapping[str, Json]]]]
    objects: Mapping[str, tuple[str, str | None]]
    answers: Mapping[str, Json]
    written: tuple[Mapping[str, Json], ...] = ()
    left: Mapping[str, int] = field(default_factory=dict)

    def of(self, table: str, pk: str, prefix: str = "") -> Iterator[tuple[str, Mapping[str, Json]]]:
        """Yield the items of a partition whose sort key begins with ``prefix``, in the order of their sort keys."""
        partition = self.items.get(table, {}).get(pk, {})
        for sk in sorted(partition):
            if sk.startswith(prefix):
                yield sk, partition[sk]


@dataclass(frozen=True)
class Story:
    """A whole history as the checker reads it."""

    header: Mapping[str, Json]
    calls: tuple[Call, ...]
    injected: tuple[Mapping[str, Json], ...]
    facts: Facts
    own: tuple[Mapping[str, Json], ...] = ()
    decided: tuple[Mapping[str, Json], ...] = ()
    forbidden: tuple[Mapping[str, Json], ...] = ()


class History:
    """Collects the lines, in memory and in a file if one is named; safe between threads."""

    def __init__(self, path: Path | None = None) -> None:
        self._lines: list[Mapping[str, Json]] = []
        self._lock = threading.Lock()
        self._number = 0
        self._file: TextIO | None = path.open("w", encoding="utf-8") if path is not None else None

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def add(self, kind: str, **what: Json) -> None:
        line = {"kind": kind, **what}
        with self._lock:
            self._lines.append(line)
            if self._file is not None:
                self._file.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")

    def number(self) -> int:
        """Return a number for the next call."""
        with self._lock:
            self._number += 1
            return self._number

    def called(self, call: Call) -> None:
        """Write the answer's line of a call, whose request's line was written by :meth:`asked`."""
        self.add("response", n=call.n, at=call.done_at, **call.unusual(_OF_RESPONSE))

    def asked(self, call: Call) -> None:
        """Write the request's line of a call."""
        self.add("request", n=call.n, at=call.sent_at, **call.unusual(_OF_REQUEST))

    def story(self) -> Story:
        with self._lock:
            return story_of(self._lines)


def read(path: Path) -> Story:
    """Return a history from its file. ValueError for a line that is no JSON, KeyError for one that lacks something."""
    with path.open(encoding="utf-8") as lines:
        return story_of(json.loads(line) for line in lines)


def story_of(lines: Iterable[Mapping[str, Json]]) -> Story:
    """Put the lines together."""
    by_kind: dict[str, list[Mapping[str, Json]]] = defaultdict(list)
    for line in lines:
        by_kind[line["kind"]].append(line)
    requests = {line["n"]: line for line in by_kind["request"]}
    items: dict[str, dict[str, dict[str, Mapping[str, Json]]]] = defaultdict(lambda: defaultdict(dict))
    for line in by_kind["item"]:
        items[line["table"]][line["pk"]][line["sk"]] = line["item"]
    facts = Facts(
        items=items,
        objects={line["name"]: (line["sha256"], line.get("text")) for line in by_kind["object"]},
        answers={line["of"]: line["body"] for line in by_kind["answer"]},
        written=tuple(by_kind["written"]),
        left={line["queue"]: line["messages"] for line in by_kind["left"]},
    )
    calls = tuple(_call(requests[line["n"]], line) for line in by_kind["response"])
    header = next(iter(by_kind["header"]), {})
    rest = (tuple(by_kind[kind]) for kind in ("own", "decided", "forbidden"))
    return Story(header, calls, tuple(by_kind["injected"]), facts, *rest)


def _call(request: Mapping[str, Json], response: Mapping[str, Json]) -> Call:
    lines = ((request, _OF_REQUEST), (response, _OF_RESPONSE))
    values = _USUAL | {name: line[name] for line, names in lines for name in names if name in line}
    values |= {name: tuple(values[name]) for name in ("file_ids", "texts", "marks", "hashes")}
    return Call(n=request["n"], sent_at=request["at"], done_at=response["at"], **values)


_OF_REQUEST: Final = (
    "team", "what", "number", "path", "method", "reached", "key", "body_sha256", "content_sha256", "means",
)  # fmt: skip
_OF_RESPONSE: Final = ("seen", "status", "code", "said", "file_ids", "texts", "marks", "hashes")
_SILENT: Final = Call(0, "", "", None, 0, 0)
_USUAL: Final[dict[str, Json]] = {name: getattr(_SILENT, name) for name in (*_OF_REQUEST, *_OF_RESPONSE)}
