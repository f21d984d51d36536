"""The stored facts as the recomputation reads them: items as plain dictionaries, objects as bytes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
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


def document(source: Source, name: str) -> Json:
    """Return a stored JSON value; raise :class:`MissingError` if there is none."""
    content = source.read(name)
    if content is None:
        raise MissingError(name)
    return json.loads(content)


def unchanged_document(source: Source, name: str) -> Json:
    """Return a stored JSON value as :func:`document` does, parsed once for all jobs until its bytes change.

    The record of a final grows with its teams, and each team's job reads it; the last one is held.
    """
    return _tagged_document(source, name, source.tags(name).get(name))


@lru_cache(maxsize=1)
def _tagged_document(source: Source, name: str, _tag: str | None) -> Json:
    return document(source, name)


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
