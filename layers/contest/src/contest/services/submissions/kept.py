"""What was brought, as the platform keeps it: compared with what was announced, part by part, read as one stream."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from typing import Final

from contest import stored_names
from contest.domain.canonical import sha256_hex
from contest.domain.submissions.submission import Submission
from contest.domain.uploads import PART
from contest.services.platform import Platform
from contest.services.uploads import Damaged

_IN_MEMORY: Final = 2
"""Parts of a stream that are held at a time: the one that is read, and the one with the archive's directory."""


class StoreFailedError(Exception):
    """The store did not give what it keeps. No reader of what a team sent takes this for a fault of that."""


def take_in(platform: Platform, found: Submission) -> Damaged | None:
    """Keep the parts of a submission for good; what is not what was announced is told, by its number.

    One part is in memory at a time. Whoever has the address of a part may put other bytes there as long as it lives:
    what was compared is what is kept, and everything after reads that. A part that is kept already is read from there.

    Clause: TS T13, TS F-1
    """
    upload, whole = found.order.upload, hashlib.sha256()
    folder = stored_names.submission_uploads(found.submission_id)
    kept = frozenset(platform.blobs.names(f"{stored_names.BROUGHT}{found.submission_id}/"))
    for number, announced in enumerate(upload.parts, 1):
        name = stored_names.submission_part_name(found.submission_id, number, announced)
        brought = stored_names.upload_part_name(folder, upload.size_of(number), announced)
        content = platform.blobs.get(name if name in kept else brought)
        if sha256_hex(content) != announced:
            return Damaged(number)
        whole.update(content)
        platform.blobs.put_if_absent(name, content)
    return Damaged(0) if whole.hexdigest() != upload.sha256 else None


def part_names(found: Submission) -> Sequence[str]:
    """Names of the kept parts, in their order."""
    return [
        stored_names.submission_part_name(found.source, number, sha256)
        for number, sha256 in enumerate(found.order.upload.parts, 1)
    ]


def content(platform: Platform, found: Submission) -> bytes:
    """All of a submission; for files of answers, which are small."""
    return b"".join(platform.blobs.get(each) for each in part_names(found))


class KeptStream(io.RawIOBase):
    """A kept submission as a seekable stream; two parts of it are in memory."""

    def __init__(self, platform: Platform, found: Submission) -> None:
        self._platform, self._names, self._size = platform, part_names(found), found.order.upload.size
        self._at = 0
        self._held: dict[int, bytes] = {}

    def readable(self) -> bool:
        """It is."""
        return True

    def seekable(self) -> bool:
        """It is."""
        return True

    def tell(self) -> int:
        """Where the next byte is read."""
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Go to a byte: from the beginning, from here, or from the end."""
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        if start + offset < 0:
            raise OSError("before the beginning")
        self._at = start + offset
        return self._at

    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]  # any buffer that can be written
        """Read what is left of the present part, as far as there is room."""
        if self._at >= self._size or not buffer:
            return 0
        number, place = divmod(self._at, PART)
        found = self._part(number)[place : place + len(buffer)]
        buffer[: len(found)] = found
        self._at += len(found)
        return len(found)

    def _part(self, number: int) -> bytes:
        if number not in self._held:
            while len(self._held) >= _IN_MEMORY:
                del self._held[next(iter(self._held))]
            try:
                self._held[number] = self._platform.blobs.get(self._names[number])
            except Exception as error:
                raise StoreFailedError(self._names[number]) from error
        return self._held[number]
