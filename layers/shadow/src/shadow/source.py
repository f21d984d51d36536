"""The stored facts as the recomputation reads them: items as plain dictionaries, objects as bytes (DynamoDB, S3).

The facts of one session are ordered by file. Differences from the platform are cells, each with a sentence for people
in both languages.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from decimal import Decimal
from functools import cache, cached_property, lru_cache
from typing import Any, Final, Protocol

from markup_core.lazy import dataclass
from markup_core.receipt import canonical_bytes, is_same_value, sha256_hex
from tracks.capabilities import MeasuredByProgram
from tracks.protocol import Track

Json = Any
Item = Mapping[str, Json]
Millis = int
"""A moment in milliseconds since the epoch, UTC, or a duration."""


class Source(Protocol):
    """Storage. ``table`` is ``Exchange``, ``Scores`` or ``Catalogue``."""

    def items(self, table: str, pk: str, prefix: str = "") -> Sequence[Item]:
        """Return the items of a partition by sort key, those whose sort key begins with the prefix, as last written."""

    def read(self, name: str) -> bytes | None:
        """Return an object's bytes; None if there is none."""

    def tags(self, prefix: str) -> Mapping[str, str]:
        """Return the names of the objects with a prefix, each with a tag that changes with its bytes."""

    def write(self, name: str, content: bytes) -> None:
        """Write an object, replacing an earlier one."""

    def __hash__(self) -> int:
        """Return a storage's own hash: parsed values are held by storage, name and tag."""


class MissingError(LookupError):
    """Raised if a stored value that the recomputation needs is missing."""


def stored_object(source: Source, name: str) -> bytes | None:
    """Return an object's bytes; None if there is none."""
    return source.read(name)


def content_of(source: Source, name: str) -> bytes:
    """Return a stored object's bytes; raise :class:`MissingError` if there is none."""
    content = source.read(name)
    if content is None:
        raise MissingError(name)
    return content


def document(source: Source, name: str) -> Json:
    """Return a stored JSON value; raise :class:`MissingError` if there is none."""
    return json.loads(content_of(source, name))


def unchanged(source: Source, name: str, read: Callable[[Source, str], Json]) -> Json:
    """Return the result of ``read`` for an object, which is read once for all jobs, until its tag changes.

    The record and the board of a final grow with its teams, and each team's job reads both: the last two are held.
    """
    return _tagged(source, name, source.tags(name).get(name), read)


@lru_cache(maxsize=2)
def _tagged(source: Source, name: str, _tag: str | None, read: Callable[[Source, str], Json]) -> Json:
    return read(source, name)


def read_item(source: Source, table: str, pk: str, sk: str) -> Item:
    """Return an item by its key; raise :class:`MissingError` if there is none."""
    items = [item for item in source.items(table, pk, sk) if item["sk"] == sk]
    if not items:
        raise MissingError(f"{pk} {sk}")
    return items[0]


def digest(value: Json) -> str:
    """Return the SHA-256 of a value's canonical JSON."""
    return sha256_hex(canonical_bytes(value))


def digest_of_bytes(content: bytes) -> str:
    """Return the SHA-256 of bytes."""
    return hashlib.sha256(content).hexdigest()


def parameters_of(source: Source, cycle: str, version: int) -> Mapping[str, Json]:
    """Return a cycle's parameters of a version; raise :class:`MissingError` if there are none."""
    item = read_item(source, "Catalogue", f"CYCLE#{cycle}", f"PARAMETERS#{version:06d}")
    parameters: Mapping[str, Json] = json.loads(item["body"])
    return parameters


def track_under(source: Source, track: Track, cycle: str, version: int) -> Track:
    """Return a contest under the parameters of a version; its program runs anew, whatever the platform remembers."""
    if not isinstance(track, MeasuredByProgram):
        return track

    def program(sha256: str) -> bytes:
        return content_of(source, f"sets/{cycle}/measures/{sha256}")

    return track.under(parameters_of(source, cycle, version)["track"], program, anew=True)


_ANSWERS = "answers/"
_ABSENT = frozenset({"NoSuchKey", "404"})


@cache
def _session() -> Any:
    """Return the process's session; the SDK is loaded with the first client, as other functions do."""
    import botocore.session  # type: ignore[import-untyped]  # the SDK has no types

    return botocore.session.get_session()


def client(service: str) -> Any:
    """Create a client of an AWS service."""
    return _session().create_client(service)


class CloudSource:
    """:class:`Source` on DynamoDB and S3. ``tables`` maps Exchange, Scores, Catalogue to their names."""

    def __init__(self, tables: Mapping[str, str], bucket: str) -> None:
        self._tables = tables
        self._bucket = bucket
        self._answers: tuple[str, Mapping[str, bytes]] = ("", {})
        """Small answers of the session of the last answer read: one query reads them all and needs fewer read units."""

    def forget(self) -> None:
        """Clear the answers that were read, so that the next job reads current ones."""
        self._answers = ("", {})

    @cached_property
    def _dynamo(self) -> Any:
        return client("dynamodb")

    @cached_property
    def _s3(self) -> Any:
        return client("s3")

    def items(self, table: str, pk: str, prefix: str = "") -> Sequence[Item]:
        """See the protocol."""
        condition, values = "pk = :pk", {":pk": {"S": pk}}
        if prefix:
            condition, values = f"{condition} AND begins_with(sk, :prefix)", {**values, ":prefix": {"S": prefix}}
        pages = self._dynamo.get_paginator("query").paginate(
            TableName=self._tables[table],
            KeyConditionExpression=condition,
            ExpressionAttributeValues=values,
            ConsistentRead=True,
        )
        return [{name: value_of(stored) for name, stored in item.items()} for page in pages for item in page["Items"]]

    def read(self, name: str) -> bytes | None:
        """See the protocol. A small answer is an item of the exchange table, compressed."""
        if name.startswith(_ANSWERS):
            session_id, number, content_sha256 = name.removeprefix(_ANSWERS).removesuffix(".json").split("/")
            if self._answers[0] != session_id:
                packed = {item["sk"]: item["content"] for item in self.items("Exchange", f"ANSWERS#{session_id}")}
                self._answers = session_id, packed
            small = self._answers[1].get(f"ANSWER#{int(number):04d}#{content_sha256}")
            if small is not None:
                return zlib.decompress(small)
        try:
            content: bytes = self._s3.get_object(Bucket=self._bucket, Key=name)["Body"].read()
        except self._s3.exceptions.ClientError as error:
            if error.response["Error"]["Code"] in _ABSENT:
                return None
            raise
        return content

    def tags(self, prefix: str) -> Mapping[str, str]:
        """See the protocol."""
        pages = self._s3.get_paginator("list_objects_v2").paginate(Bucket=self._bucket, Prefix=prefix)
        return {entry["Key"]: entry["ETag"] for page in pages for entry in page.get("Contents", ())}

    def write(self, name: str, content: bytes) -> None:
        """See the protocol."""
        self._s3.put_object(Bucket=self._bucket, Key=name, Body=content)


def value_of(stored: Mapping[str, Any]) -> Any:
    """Return the value of an attribute as DynamoDB writes it: a number is an int where it is whole, else a float.

    Raises ValueError for a set, which nothing of a session or a run has.
    """
    ((kind, value),) = stored.items()
    match kind:
        case "S" | "B" | "BOOL":
            return value
        case "NULL":
            return None
        case "N":
            number = Decimal(value)
            return int(number) if number == number.to_integral_value() else float(number)
        case "L":
            return [value_of(part) for part in value]
        case "M":
            return {name: value_of(part) for name, part in value.items()}
    raise ValueError(f"no value of the platform has the type {kind}")


QUANTITIES: Final[Mapping[str, tuple[str, str]]] = {
    "answer": ("the answer that counts", "учитываемый ответ"),
    "answer_by": ("the deadline of the answer", "крайний срок ответа"),
    "answer_bytes": ("the stored bytes of an answer", "сохранённые байты ответа"),
    "board": ("who is on the board", "состав таблицы результатов"),
    "cause": ("the cause of the annulment", "причина аннулирования"),
    "chosen": ("what is run in the private test", "что запущено в закрытом тесте"),
    "completeness": ("how many files count and are answered", "сколько файлов учитывается и обработано"),
    "content": ("the stored bytes of an essay", "сохранённые байты эссе"),
    "counts": ("how many items are answered", "на сколько заданий есть ответ"),
    "entry": ("the team's entry on the board", "строка команды в таблице"),
    "invalid": ("which answers are none", "какие ответы недопустимы"),
    "manifest": ("the stored list of a set's files", "сохранённый перечень файлов выборки"),
    "missing": ("which items have no answer", "на какие задания нет ответа"),
    "output": ("the stored bytes of a program's output", "сохранённые байты результата программы"),
    "place": ("the place on the board", "место в таблице"),
    "receipt": ("the receipt", "квитанция"),
    "received_in_time": ("whether the answer came in time", "поступил ли ответ в срок"),
    "record": ("the file in the run's published record", "файл в опубликованном протоколе прогона"),
    "reference": ("the stored bytes of an expert's markup", "сохранённые байты экспертной разметки"),
    "report": ("whose report it is", "чей это отчёт"),
    "result": ("the aggregate of the team", "итоговый показатель команды"),
    "roster": ("the sealed roster of who was let in", "подписанный список допущенных"),
    "run": ("what was run", "что было запущено"),
    "score": ("the score of the answer", "оценка ответа"),
    "session": ("the team's session", "сессия команды"),
    "signature": ("the signature of a receipt", "подпись квитанции"),
    "solution_voided": ("whether the whole solution is annulled", "аннулировано ли решение целиком"),
    "state": ("what became of the file", "что стало с файлом"),
    "submission": ("the stored submission", "сохранённая посылка"),
    "table": ("a table of the report", "таблица отчёта"),
    "withheld": ("why totals of a program are withheld", "почему итоги программы не сообщаются"),
    "value": ("the value of the main board", "значение основного лидерборда"),
    "voided_share": ("the share of missed files", "доля аннулированных файлов"),
}
"""Compared quantities in English and Russian. A cell's quantity may go on with a path inside: ``score.pairs[0].x``."""

NOTHING: Final = "—"


@dataclass(frozen=True, slots=True)
class Cell:
    """One difference. ``number`` is a file's, 0 where it is about the whole session; a run's own has neither team nor
    session. ``platform`` and ``shadow`` are the two values, None where there is none."""

    quantity: str
    platform: Json
    shadow: Json
    number: int = 0
    team_id: str = ""
    session_id: str = ""
    submission_id: str = ""

    def of_submission(self, team_id: str, submission_id: str) -> Cell:
        """Return the cell assigned to a team's submission."""
        return replace(self, team_id=team_id, submission_id=submission_id)

    def to_dict(self) -> dict[str, Json]:
        """Return the cell's wire body, with its sentence in both languages."""
        en, ru = QUANTITIES[self.quantity.partition(".")[0].partition("[")[0]]
        path = self.quantity if "." in self.quantity or "[" in self.quantity else ""
        number = f"{self.number}" if self.number else ""
        name = f"{self.team_id}, {self.submission_id}" if self.submission_id else self.team_id or number
        place_en = place_ru = f"{name}: " if name else ""
        if number:
            place_en, place_ru = f"{name}, file {number}: ", f"{name}, файл {number}: "
        inner = f" ({path})" if path else ""
        platform, shadow = _abbreviated(self.platform), _abbreviated(self.shadow)
        return {
            "team_id": self.team_id,
            "session_id": self.session_id,
            "submission_id": self.submission_id,
            "number": self.number,
            "quantity": self.quantity,
            "platform": self.platform,
            "shadow": self.shadow,
            "message": f"{place_en}{en}{inner}: the platform has {platform}, the recomputation {shadow}",
            "message_ru": f"{place_ru}{ru}{inner}: у платформы {platform}, при пересчёте {shadow}",
        }


def _abbreviated(value: Json) -> str:
    text = NOTHING if value is None else str(value)
    return text if len(text) <= 80 else f"{text[:77]}…"


def differing(quantity: str, platform: Json, shadow: Json) -> Iterator[tuple[str, Json, Json]]:
    """Yield every place in which two JSON values differ, with its path appended to the quantity; numbers by value."""
    if isinstance(platform, Mapping) and isinstance(shadow, Mapping):
        for name in sorted({*platform, *shadow}):
            yield from differing(f"{quantity}.{name}", platform.get(name), shadow.get(name))
    elif isinstance(platform, list) and isinstance(shadow, list) and len(platform) == len(shadow):
        for index, (one, other) in enumerate(zip(platform, shadow, strict=True)):
            yield from differing(f"{quantity}[{index}]", one, other)
    elif not is_same_value(platform, shadow):
        yield quantity, platform, shadow


def compared(quantity: str, platform: Json, shadow: Json, number: int = 0) -> list[Cell]:
    """Return the cells of two values of one quantity; none if they are equal."""
    return [Cell(where, one, other, number) for where, one, other in differing(quantity, platform, shadow)]


_REFUSED: Final = "refused_"
_ARRIVED: Final = "arrived_"


@dataclass
class Trace:
    """The stored facts of one file of a session."""

    asked_at: Millis | None = None
    """Moment of the first request that counts."""
    delivery: Item | None = None
    undecided: list[Millis] = field(default_factory=list)
    """Arrival times of valid answers without a decision."""
    refused: int = 0
    """Number of invalid bodies that arrived as answers."""
    receipts: list[Item] = field(default_factory=list)
    is_unfinished: bool = False
    """True if the file has a dialogue that has not ended: then none of its answers counts."""

    @property
    def accepted(self) -> Item | None:
        """Return the receipt of the answer that counts: the last accepted one (R 11.5); None in an open dialogue."""
        if self.is_unfinished:
            return None
        accepted = [receipt for receipt in self.receipts if receipt["status"] == "accepted"]
        return max(accepted, key=lambda receipt: int(receipt["send"]), default=None)

    @property
    def is_late(self) -> bool:
        """Return whether an answer came too late while the session was open."""
        return self.delivery is not None and self.delivery.get("late_at") is not None


@dataclass(frozen=True)
class Evidence:
    """A session with the traces of its files, by number."""

    session: Item
    traces: Mapping[int, Trace]
    absences: Sequence[tuple[Millis, Millis | None]]
    """Start and end of each absence of its client from the event channel; None: until the end."""
    present_since: Millis | None
    """Moment at which its client was first on the event channel; None for one that never was."""

    @property
    def aborted_at(self) -> Millis | None:
        """Return the moment at which the team ended its participation; None if it did not."""
        return self.session["closed_at"] if self.session["state"] == "aborted" else None

    def trace(self, number: int) -> Trace:
        """Return the trace of a file; an empty one if nothing is stored of it."""
        return self.traces.get(number, Trace())


def evidence_of(source: Source, session_id: str) -> Evidence:
    """Read a session; raise :class:`MissingError` if it is not stored."""
    partition = f"SESSION#{session_id}"
    session = read_item(source, "Exchange", partition, "STATE")
    traces: dict[int, Trace] = defaultdict(Trace)
    absences: Sequence[tuple[Millis, Millis | None]] = ()
    since = None
    for item in source.items("Exchange", partition):
        kind, _, rest = item["sk"].partition("#")
        if kind == "CONNECTION":
            absences = [(begin, end) for begin, end in decoded(item["absences"])]
            since = item.get("since")
        elif kind == "BODIES":
            for name, count in item.items():
                if name.startswith(_REFUSED):
                    traces[int(name.removeprefix(_REFUSED))].refused = int(count)
        elif kind == "FILE":
            _note(traces[int(rest)], item)
        elif kind == "RECEIPT":
            traces[int(rest.partition("#")[0])].receipts.append(item)
    return Evidence(session, traces, absences, since)


def _note(trace: Trace, item: Item) -> None:
    """Record the delivery of a file, its first request, and the arrival times of answers without a decision."""
    if item.get("handed_out_at") is not None:
        trace.delivery = item
    if item.get("asked_at") is not None:
        trace.asked_at = int(item["asked_at"])
    trace.undecided.extend(int(at) for name, at in item.items() if name.startswith(_ARRIVED))


def decoded(value: Json) -> Json:
    """Parse an attribute that holds JSON; return it as it is if it was parsed before."""
    return json.loads(value) if isinstance(value, str) else value
