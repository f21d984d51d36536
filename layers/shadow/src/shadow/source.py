"""The stored facts as the recomputation reads them: items as plain dictionaries, objects as bytes (DynamoDB, S3)."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import cache, cached_property, lru_cache
from typing import Any, Protocol

from markup_core.receipt import canonical_bytes, sha256_hex
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
    """Something without which nothing can be computed is not stored."""


def stored(source: Source, name: str) -> bytes | None:
    """Return an object's bytes; None if there is none."""
    return source.read(name)


def document(source: Source, name: str) -> Json:
    """Return a stored JSON value; raise :class:`MissingError` if there is none."""
    content = source.read(name)
    if content is None:
        raise MissingError(name)
    return json.loads(content)


def unchanged(source: Source, name: str, read: Callable[[Source, str], Json]) -> Json:
    """Return what ``read`` makes of an object; it is read once for all jobs, until its tag changes.

    The record and the board of a final grow with its teams, and each team's job reads both: the last two are held.
    """
    return _tagged(source, name, source.tags(name).get(name), read)


@lru_cache(maxsize=2)
def _tagged(source: Source, name: str, _tag: str | None, read: Callable[[Source, str], Json]) -> Json:
    return read(source, name)


def one(source: Source, table: str, pk: str, sk: str) -> Item:
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
    item = one(source, "Catalogue", f"CYCLE#{cycle}", f"PARAMETERS#{version:06d}")
    parameters: Mapping[str, Json] = json.loads(item["body"])
    return parameters


def track_under(source: Source, track: Track, cycle: str, version: int) -> Track:
    """Return a contest under the parameters of a version; its program runs anew, whatever the platform remembers."""
    if not isinstance(track, MeasuredByProgram):
        return track

    def program(sha256: str) -> bytes:
        name = f"sets/{cycle}/measures/{sha256}"
        content = source.read(name)
        if content is None:
            raise MissingError(name)
        return content

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
    """:class:`shadow.source.Source` on DynamoDB and S3. ``tables`` maps Exchange, Scores, Catalogue to their names."""

    def __init__(self, tables: Mapping[str, str], bucket: str) -> None:
        self._tables = tables
        self._bucket = bucket
        self._answers: tuple[str, Mapping[str, bytes]] = ("", {})
        """The small answers of the session of which one was read last: a query packs their bytes into its units."""

    def forget(self) -> None:
        """Forget what was read: another job reads it as it stands then."""
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
