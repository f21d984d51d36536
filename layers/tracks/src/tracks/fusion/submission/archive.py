"""Submission archives: everything that is wrong with one, and unpacking that nothing in it can misuse (tracks.md §4).

All sizes are counted while the content streams by, whatever the archive says about them, so that neither a bomb nor
a lying header gets further than the limit. Codes besides those of :mod:`tracks.fusion.submission.members` and
:mod:`tracks.fusion.submission.metadata`: ``not_a_zip``, ``packed_too_big``, ``unpacked_too_big``, ``too_many_members``,
``directory_too_big``, ``broken_member``, ``size_differs``, ``no_metadata``, ``metadata_not_at_root``,
``metadata_too_big``.
"""

from __future__ import annotations

import copy
import io
import shutil
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Final

from tracks.fusion.submission import members, metadata
from tracks.fusion.submission.metadata import Metadata, read_metadata
from tracks.protocol import Reason, Text

GIGABYTE: Final = 1024**3
_CHUNK: Final = 1 << 20
_DIRECTORY_BYTES: Final = 16 * 1024**2
"""Most bytes of an archive's table of contents, which is read at once."""
_MOST_FAULTS: Final = 100
_EXECUTABLE: Final = 0o100
_BROKEN: Final = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OSError)
"""What reading a damaged member raises."""


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """Bounds of a submission (F, "Ограничения"): bytes packed and unpacked, files and folders.

    Clause: F limits archive
    """

    packed: int = 10 * GIGABYTE
    unpacked: int = 10 * GIGABYTE
    members: int = 100_000


CONTEST_LIMITS: Final = ArchiveLimits()


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found in an archive; ``metadata`` is None where it cannot be used."""

    reasons: tuple[Reason, ...]
    warnings: tuple[Reason, ...] = ()
    metadata: Metadata | None = None
    members: int = 0
    unpacked: int = 0
    """Bytes of all files, counted."""

    @property
    def valid(self) -> bool:
        """Whether the archive is a submission."""
        return not self.reasons


class RefusedArchiveError(ValueError):
    """An archive that was not unpacked; nothing of it is left."""

    def __init__(self, reasons: tuple[Reason, ...]) -> None:
        super().__init__("; ".join(reason.message.en for reason in reasons))
        self.reasons = reasons


def check(source: BinaryIO, limits: ArchiveLimits = CONTEST_LIMITS) -> Checked:
    """Judge an archive without writing anything; every file is decompressed once, in pieces.

    ``source`` is a seekable binary stream. Never raises on what the archive holds. At most a hundred faults are told.

    Clause: F archive
    """
    with _opened(source, limits) as (archive, reasons):
        return Checked(reasons) if archive is None else _checked(archive, limits)


def unpack(source: BinaryIO, target: Path, limits: ArchiveLimits = CONTEST_LIMITS) -> Checked:
    """Unpack a submission into a folder that is not there yet; all or nothing.

    The archive is checked first and counted again while it is written. Files keep nothing of their rights but that
    their owner may execute them. Raises :class:`RefusedArchiveError` for an archive with faults, OSError for what the
    file system refuses.
    """
    checked = check(source, limits)
    if not checked.valid:
        raise RefusedArchiveError(checked.reasons)
    target.mkdir(parents=True)
    try:
        with zipfile.ZipFile(source) as archive:
            _write(archive, target, limits)
    except BaseException:
        shutil.rmtree(target)
        raise
    return checked


class _Measured(io.RawIOBase):
    """A stream that does not hand out more at once than a table of contents may take."""

    def __init__(self, source: BinaryIO) -> None:
        self._source = source

    def read(self, size: int = -1, /) -> bytes:
        if size > _DIRECTORY_BYTES:
            raise _DirectoryTooBigError
        return self._source.read(size)

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        return self._source.seek(offset, whence)

    def tell(self) -> int:
        return self._source.tell()

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True


class _DirectoryTooBigError(Exception):
    """The archive wants its table of contents read at once, and it is too long for that."""


@contextmanager
def _opened(source: BinaryIO, limits: ArchiveLimits) -> Iterator[tuple[zipfile.ZipFile | None, tuple[Reason, ...]]]:
    """The archive, or why it cannot even be opened."""
    packed = source.seek(0, io.SEEK_END)
    source.seek(0)
    if packed > limits.packed:
        yield None, (_too_big("packed_too_big", "packed", "упакованный", packed, limits.packed),)
        return
    try:
        archive = zipfile.ZipFile(_Measured(source))
    except _DirectoryTooBigError:
        en = f"the archive's table of contents takes more than {_DIRECTORY_BYTES} bytes"
        yield None, (_reason("directory_too_big", en, f"оглавление архива больше {_DIRECTORY_BYTES} байт"),)
        return
    except _BROKEN:
        yield None, (_reason("not_a_zip", "this is no ZIP archive", "это не архив ZIP"),)
        return
    with archive:
        yield archive, ()


def _checked(archive: zipfile.ZipFile, limits: ArchiveLimits) -> Checked:
    entries = archive.infolist()
    if len(entries) > limits.members:
        en = f"the archive has {len(entries)} files and folders, the limit is {limits.members}"
        ru = f"в архиве {len(entries)} файлов и папок, предел — {limits.members}"
        return Checked((_reason("too_many_members", en, ru),), members=len(entries))
    reasons = list(islice(members.faults(entries), _MOST_FAULTS))
    unpacked = 0
    if not reasons:  # what may not be there is not worth reading
        unpacked, reasons = _counted(archive, limits)
    found, faults, warnings = _metadata(archive)
    return Checked((*reasons, *faults), warnings, found, len(entries), unpacked)


def _counted(archive: zipfile.ZipFile, limits: ArchiveLimits) -> tuple[int, list[Reason]]:
    """Bytes of all files and what is wrong with them; stops at the limit.

    Clause: F limits archive, tracks §4 unpacking
    """
    total, reasons = 0, list[Reason]()
    for entry in archive.infolist():
        size = 0
        try:
            for chunk in _content(archive, entry):
                size += len(chunk)
                if total + size > limits.unpacked:
                    said = _too_big("unpacked_too_big", "unpacked", "распакованный", None, limits.unpacked)
                    return total + size, [*reasons, said]
        except _BROKEN:
            reasons.append(members.fault("broken_member", entry.filename, "is damaged", "— повреждён"))
        else:
            reasons += _size_faults(entry, size)
        total += size
        if len(reasons) >= _MOST_FAULTS:
            break
    return total, reasons


def _size_faults(entry: zipfile.ZipInfo, size: int) -> list[Reason]:
    if size == entry.file_size:
        return []
    en = f"holds {size} bytes where the archive says {entry.file_size}"
    ru = f"— в нём {size} байт, а в оглавлении архива {entry.file_size}"
    return [members.fault("size_differs", entry.filename, en, ru)]


def _content(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Iterator[bytes]:
    """What a member really holds, to the end of its data: the size the archive gives would cut it short."""
    whole = copy.copy(entry)
    whole.file_size = 1 << 62
    with archive.open(whole) as stream:
        while chunk := stream.read(_CHUNK):
            yield chunk


def _metadata(archive: zipfile.ZipFile) -> tuple[Metadata | None, tuple[Reason, ...], tuple[Reason, ...]]:
    """``metadata.json`` of the root; one in another place or spelling is pointed at.

    Clause: F metadata
    """
    names = archive.namelist()
    if metadata.NAME not in names:
        return None, (_absent(names),), ()
    content = b""
    try:
        for chunk in _content(archive, archive.getinfo(metadata.NAME)):
            content += chunk
            if len(content) > metadata.MAX_BYTES:
                en = f"{metadata.NAME} takes more than {metadata.MAX_BYTES} bytes"
                ru = f"{metadata.NAME} больше {metadata.MAX_BYTES} байт"
                return None, (_reason("metadata_too_big", en, ru),), ()
    except _BROKEN:  # told among the members
        return None, (), ()
    return read_metadata(content)


def _absent(names: list[str]) -> Reason:
    similar = [name for name in names if name.rsplit("/", 1)[-1].casefold() == metadata.NAME]
    if not similar:
        en = f"there is no {metadata.NAME} at the root of the archive"
        return _reason("no_metadata", en, f"в корне архива нет {metadata.NAME}")
    found = min(similar, key=lambda name: (name.count("/"), name))
    en = f"there is {found}, but {metadata.NAME} must stand at the root of the archive under this very name"
    ru = f"есть {found}, но {metadata.NAME} должен лежать в корне архива и называться именно так"
    return Reason("metadata_not_at_root", Text(en=en, ru=ru), {"member": found})


def _write(archive: zipfile.ZipFile, target: Path, limits: ArchiveLimits) -> None:
    left = limits.unpacked
    for entry in archive.infolist():
        place = target / entry.filename
        if members.is_folder(entry):
            place.mkdir(parents=True, exist_ok=True)
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        with place.open("xb") as file:
            for chunk in _content(archive, entry):
                left -= len(chunk)
                if left < 0:  # the archive changed after it was checked
                    said = _too_big("unpacked_too_big", "unpacked", "распакованный", None, limits.unpacked)
                    raise RefusedArchiveError((said,))
                file.write(chunk)
        place.chmod(0o755 if (entry.external_attr >> 16) & _EXECUTABLE else 0o644)


def _too_big(code: str, en: str, ru: str, size: int | None, limit: int) -> Reason:
    taken = ("more", "больше") if size is None else (f"{size} bytes", f"{size} байт")
    return _reason(
        code,
        f"the {en} archive takes {taken[0]}, the limit is {limit} bytes",
        f"{ru} архив занимает {taken[1]}, предел — {limit} байт",
    )


def _reason(code: str, en: str, ru: str) -> Reason:
    return Reason(code, Text(en=en, ru=ru), {})
