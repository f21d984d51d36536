"""Uploads in parts by signed addresses: the addresses, the missing parts, and the content of the whole."""

from __future__ import annotations

from typing import Final

from contest import stored_names
from contest.platform import Platform
from contest.values import Millis, Upload, sha256_hex
from markup_core.lazy import dataclass

LIFETIME_MS: Final = 5 * 60 * 1000
"""How long the address of a part lives: whoever has not begun to send by then asks for another one."""


@dataclass(frozen=True, slots=True)
class Place:
    """The address of one part: a path with a query, until a moment, and the bytes that it takes."""

    address: str
    until: Millis
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Damaged:
    """The uploaded bytes differ from those announced; ``number`` is the part's from 1, 0 for the parts together."""

    number: int


# Clause: TS T12, TS T13
def place_of(platform: Platform, folder: str, upload: Upload, number: int) -> Place:
    """Return the address for part ``number``; :class:`LookupError` for one that was not announced.

    What is put there again takes the place of what was there, and is held to the same SHA-256 when it is read.
    """
    if not 1 <= number <= len(upload.parts):
        raise LookupError(number)
    until = (platform.clock.now() + LIFETIME_MS) // 1000 * 1000
    sha256, size = upload.parts[number - 1], upload.size_of(number)
    return Place(platform.addresses.to_put(_name(folder, upload, number), until), until, size, sha256)


def missing(platform: Platform, folder: str, upload: Upload) -> list[int]:
    """List the numbers of the parts that are not there with their size, ascending."""
    there = platform.blobs.sizes(folder)
    numbers = range(1, len(upload.parts) + 1)
    return [number for number in numbers if there.get(_name(folder, upload, number)) != upload.size_of(number)]


# Clause: TS T13
def content(platform: Platform, folder: str, upload: Upload) -> bytes | Damaged:
    """Return the whole content, as it was announced to the byte; :class:`contest.ports.MissingBlobError` where a part
    is gone. O(bytes), all of them in memory."""
    names = [_name(folder, upload, number) for number in range(1, len(upload.parts) + 1)]
    stored = platform.blobs.get_all(sorted(set(names)))
    for number, (name, announced) in enumerate(zip(names, upload.parts, strict=True), 1):
        if sha256_hex(stored[name]) != announced:
            return Damaged(number)
    whole = b"".join(stored[name] for name in names)
    if sha256_hex(whole) != upload.sha256:
        return Damaged(0)
    return whole


def _name(folder: str, upload: Upload, number: int) -> str:
    return stored_names.upload_part_name(folder, upload.size_of(number), upload.parts[number - 1])
