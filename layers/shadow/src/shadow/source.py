"""What is stored, as whoever recomputes reads it: items as plain dictionaries, objects as bytes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from markup_core.receipt import canonical_bytes, sha256_hex

Json = Any
Item = Mapping[str, Json]
Millis = int
"""A moment in milliseconds since the epoch, UTC, or a duration."""


class Source(Protocol):
    """Storage. ``table`` is ``Exchange``, ``Scores`` or ``Catalogue``."""

    def items(self, table: str, pk: str, prefix: str = "") -> Sequence[Item]:
        """Items of a partition whose sort key begins so, by sort key, as last written."""

    def read(self, name: str) -> bytes | None:
        """An object's bytes; None where there is none."""

    def tags(self, prefix: str) -> Mapping[str, str]:
        """Names of the objects that begin so, each with a tag that changes with its bytes."""

    def write(self, name: str, content: bytes) -> None:
        """Put an object in the place of the one before."""


class MissingError(LookupError):
    """Something without which nothing can be computed is not stored."""


def document(source: Source, name: str) -> Json:
    """A stored JSON value; :class:`MissingError` where there is none."""
    found = source.read(name)
    if found is None:
        raise MissingError(name)
    return json.loads(found)


def one(source: Source, table: str, pk: str, sk: str) -> Item:
    """An item by its key; :class:`MissingError` where there is none."""
    found = [each for each in source.items(table, pk, sk) if each["sk"] == sk]
    if not found:
        raise MissingError(f"{pk} {sk}")
    return found[0]


def digest(value: Json) -> str:
    """SHA-256 of a value's canonical JSON."""
    return sha256_hex(canonical_bytes(value))


def digest_of_bytes(content: bytes) -> str:
    """SHA-256 of bytes."""
    return hashlib.sha256(content).hexdigest()


def parameters_of(source: Source, cycle: str, version: int) -> Mapping[str, Json]:
    """A cycle's parameters of a version; :class:`MissingError` where there are none."""
    item = one(source, "Catalogue", f"CYCLE#{cycle}", f"PARAMETERS#{version:06d}")
    found: Mapping[str, Json] = json.loads(item["body"])
    return found
