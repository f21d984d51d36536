"""Sets packed into parts for whoever downloads them: once each, kept under a name that their content makes.

Nobody waits for a whole set: a request packs some parts, says how far that is, and the next one goes on. What two pack
at once has the same bytes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Final, cast

from contest import stored_names
from contest.domain.canonical import canonical, sha256_hex
from contest.domain.results import downloads
from contest.domain.results.downloads import FILES_OF_PART, PART, Part, SetFile
from contest.ports import MissingBlobError
from contest.services.platform import Platform

_PER_REQUEST: Final = 1_000
"""Files that a request reads at least, before it says how far it is."""
_AT_A_TIME: Final = 100
_MADE: Final = re.compile(r".*/(?P<number>\d{5})-(?P<files>\d+)-(?P<size>\d+)-(?P<sha256>[0-9a-f]{64})\.json")

Show = Callable[[SetFile, bytes], bytes]
"""A file as it is given, from how it is stored."""


@dataclass(frozen=True, slots=True)
class Packed:
    """A set in parts; while it is not whole, those that are made. ``folder`` is before their names."""

    folder: str
    files: int
    parts: tuple[Part, ...]

    @property
    def done(self) -> int:
        """Files in the parts that are made."""
        return sum(each.files for each in self.parts)

    @property
    def is_whole(self) -> bool:
        """Whether all parts are made."""
        return self.done == self.files


def pack(platform: Platform, cycle: str, folder: str, files: Sequence[SetFile], show: Show) -> Packed:
    """The parts of a set, some more of them made if they were not all there."""
    found = known(platform, folder)
    if found is not None:
        return found
    packed = Packed(folder, len(files), _made(platform, folder))
    first, read = packed.done, packed.done
    contents: list[tuple[str, bytes]] = []
    while not packed.is_whole and read - first < _PER_REQUEST:
        while read < len(files) and not _fills_a_part(contents):
            contents += _contents(platform, cycle, files[read : read + _AT_A_TIME], show)
            read = min(read + _AT_A_TIME, len(files))
        count, content = downloads.packed(contents)
        part = Part(count, len(content), sha256_hex(content))
        platform.blobs.put_if_absent(_name(folder, len(packed.parts) + 1, part), content)
        packed, contents = Packed(folder, len(files), (*packed.parts, part)), contents[count:]
    if packed.is_whole:
        index = canonical({"format": 1, "parts": [asdict(each) for each in packed.parts]})
        platform.blobs.put_if_absent(_index(folder), index)
    return packed


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
        found = Packed(folder, sum(each.files for each in parts), parts)
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
