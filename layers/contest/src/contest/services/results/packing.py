"""Sets packed into parts for whoever downloads them: once each, kept under a name that their content makes.

Nobody waits for a whole set: a request packs some parts, says how far that is, and the next one goes on. What two pack
at once has the same bytes.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Final, cast

from contest import stored_names
from contest.domain.canonical import canonical, sha256_hex
from contest.domain.results import downloads
from contest.domain.results.downloads import FILES_OF_PART, PART, Pack, Part, SetFile
from contest.ports import MissingBlobError
from contest.services.platform import Platform

_PER_REQUEST: Final = 1_000
"""Files that a request reads at least, before it says how far it is."""
_AT_A_TIME: Final = 100
_PARTS_AT_A_TIME: Final = 16
"""Parts that are in memory together, 4.5 MB each."""
_MADE: Final = re.compile(r".*/(?P<number>\d{5})-(?P<files>\d+)-(?P<size>\d+)-(?P<sha256>[0-9a-f]{64})\.json")

Show = Callable[[SetFile, bytes], bytes]
"""A file as it is given, from how it is stored."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a set's parts are kept (``folder`` is before their names), and what names the set as one file."""

    cycle: str
    folder: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Packed:
    """A set in parts, and as one file where it is given so; while it is not ready, the parts that are made."""

    folder: str
    files: int
    parts: tuple[Part, ...]
    pack: Pack | None = None
    is_ready: bool = False
    """Whether everything is made."""

    @property
    def done(self) -> int:
        """Files in the parts that are made."""
        return sum(each.files for each in self.parts)

    @property
    def is_whole(self) -> bool:
        """Whether all parts are made."""
        return self.done == self.files


def pack(platform: Platform, at: Place, files: Sequence[SetFile], show: Show) -> Packed:
    """A set's parts, some more of them made if they were not all there; then, by a request of its own, the one file."""
    found = known(platform, at.folder)
    if found is not None:
        return found
    packed = Packed(at.folder, len(files), _made(platform, at.folder))
    if not packed.is_whole:
        packed = _with_more_parts(platform, at, packed, files, show)
        if not packed.is_whole or downloads.is_given_as_one(packed.parts):
            return packed
    made = _as_one(platform, at, packed) if downloads.is_given_as_one(packed.parts) else None
    told = {"format": 2, "parts": [asdict(each) for each in packed.parts], "pack": asdict(made) if made else None}
    platform.blobs.put_if_absent(_index(at.folder), canonical(told))
    return known(platform, at.folder) or packed


def _with_more_parts(platform: Platform, at: Place, packed: Packed, files: Sequence[SetFile], show: Show) -> Packed:
    first, read = packed.done, packed.done
    contents: list[tuple[str, bytes]] = []
    while not packed.is_whole and read - first < _PER_REQUEST:
        while read < len(files) and not _fills_a_part(contents):
            contents += _contents(platform, at.cycle, files[read : read + _AT_A_TIME], show)
            read = min(read + _AT_A_TIME, len(files))
        count, content = downloads.packed(contents)
        part = Part(count, len(content), sha256_hex(content))
        platform.blobs.put_if_absent(_name(at.folder, len(packed.parts) + 1, part), content)
        packed, contents = replace(packed, parts=(*packed.parts, part)), contents[count:]
    return packed


def _as_one(platform: Platform, at: Place, packed: Packed) -> Pack:
    """The set's files as one zip, with the earliest date of one, so that equal sets have equal zips. O(bytes), of which
    a few parts and the zip are in memory."""
    place = io.BytesIO()
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        for start in range(0, len(packed.parts), _PARTS_AT_A_TIME):
            numbers = range(start + 1, min(start + _PARTS_AT_A_TIME, len(packed.parts)) + 1)
            names = [_name(packed.folder, number, packed.parts[number - 1]) for number in numbers]
            stored = platform.blobs.get_all(names)
            for file in (each for name in names for each in json.loads(stored[name])["files"]):
                told = zipfile.ZipInfo(file["name"])
                told.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(told, file["text"])
    content = place.getvalue()
    made = Pack(len(content), sha256_hex(content))
    platform.blobs.put_if_absent(stored_names.pack_name(at.cycle, at.fingerprint, made.sha256), content)
    return made


def _fills_a_part(contents: Sequence[tuple[str, bytes]]) -> bool:
    """Whether no further file can change what the next part holds."""
    return len(contents) >= FILES_OF_PART or sum(len(content) for _, content in contents) > PART


def known(platform: Platform, folder: str) -> Packed | None:
    """A set that is packed; None while it is not."""
    key = ("packed", folder)
    found = platform.memory.known(key)
    if found is None:
        try:
            told = json.loads(platform.blobs.get(_index(folder)))
        except MissingBlobError:
            return None
        parts = tuple(Part(**each) for each in told["parts"])
        pack = Pack(**told["pack"]) if told.get("pack") else None
        found = Packed(folder, sum(each.files for each in parts), parts, pack, is_ready=True)
        platform.memory.put(key, found)
    return cast(Packed, found)


def part_of(platform: Platform, packed: Packed, number: int) -> bytes:
    """Part ``number`` of a set, from 1; :class:`LookupError` for one that it has not."""
    if not 1 <= number <= len(packed.parts):
        raise LookupError(number)
    return platform.blobs.get(_name(packed.folder, number, packed.parts[number - 1]))


def _made(platform: Platform, folder: str) -> tuple[Part, ...]:
    """Parts that are there, as their names tell, as far as none is missing before them."""
    names = platform.blobs.names(folder)
    told = [match for each in names if (match := _MADE.fullmatch(each))]
    whole = (match for number, match in enumerate(told, 1) if int(match["number"]) == number)
    return tuple(Part(int(each["files"]), int(each["size"]), each["sha256"]) for each in whole)


def _contents(platform: Platform, cycle: str, files: Sequence[SetFile], show: Show) -> list[tuple[str, bytes]]:
    names = {each: stored_names.blob_names(cycle, each.kind, each.content) for each in files}
    stored: Mapping[str, bytes] = platform.blobs.get_all(sorted(set(names.values())))
    return [(each.name, show(each, stored[names[each]])) for each in files]


def _name(folder: str, number: int, part: Part) -> str:
    return f"{folder}{number:05d}-{part.files}-{part.size}-{part.sha256}.json"


def _index(folder: str) -> str:
    return f"{folder}index.json"
