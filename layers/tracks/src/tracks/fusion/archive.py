"""Submission archives: check one with every fault, and unpack it safely (tracks.md §4).

All sizes are counted while the content streams by, whatever the archive says about them, so that neither a bomb nor
a lying header gets further than the limit. Codes besides those below: ``not_a_zip``, ``packed_too_big``,
``unpacked_too_big``, ``too_many_members``, ``directory_too_big``, ``broken_member``, ``size_differs``, ``no_metadata``,
``metadata_not_at_root``, ``metadata_too_big``.

Names and kinds of members are judged before anything is unpacked (tracks.md §4). A name is judged as it stands in the
archive. Codes: ``empty_name``, ``control_character``, ``backslash``, ``absolute_path``, ``drive_letter``,
``path_escape``, ``unclean_path``, ``name_too_long``, ``not_a_file``, ``encrypted``, ``unsupported_compression``,
``directory_with_data``, ``duplicate_name``, ``case_collision``, ``file_as_directory``.

``metadata.json`` of a submission names the image it runs in and the command that runs it (F, "Общий формат решения").
Codes: those of :class:`markup_core.reading.wire.MalformedInput` under ``malformed_json``, ``not_an_object``,
``missing_field``, ``not_a_string``, ``empty_value``, ``bad_image``, ``bad_command``; warning: ``unknown_field``.
"""

from __future__ import annotations

import copy
import io
import re
import shlex
import shutil
import stat
import unicodedata
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Final

from markup_core.lazy import dataclass
from markup_core.reading.wire import Limits, MalformedInput, broken_archive, decode, short
from tracks.base import of_json, reason
from tracks.protocol import Reason, Text
from tracks.texts import CATALOGUE, tr

_ENCRYPTED: Final = 0x1 | 0x40 | 0x2000
"""Flags of a member whose content or name is encrypted."""
_COMPRESSIONS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_MOST_BYTES: Final = 255
"""Most bytes in one part of a path that file systems hold."""
_MOST_PATH_BYTES: Final = 4096
_MOST_DEPTH: Final = 100
"""Most folders above a file: unpacking creates each; the deepest packages of programs have some twenty."""
_DRIVE: Final = re.compile(r"[A-Za-z]:")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")


def member_faults(members: Sequence[zipfile.ZipInfo]) -> Iterator[Reason]:
    """Yield all faults of the members in their order, then those between members whose names are right."""
    for member in members:
        yield from _own(member)
    yield from _between(member for member in members if next(_name_faults(member.orig_filename), None) is None)


def member_fault(code: str, name: str, problem: Text) -> Reason:
    """Return a fault of a member; the sentence begins with its name."""
    return Reason(code, tr("{name} {problem}", name=short(name), problem=problem), {"member": name[:_MOST_PATH_BYTES]})


def is_folder(member: zipfile.ZipInfo) -> bool:
    """Return whether a member is a folder; the standard library fails at one without a name."""
    return member.filename.endswith("/")


# Clause: tracks §4 unpacking
def _own(member: zipfile.ZipInfo) -> Iterator[Reason]:
    name = member.orig_filename
    yield from _name_faults(name)
    kind = stat.S_IFMT(member.external_attr >> 16)
    expected = stat.S_IFDIR if is_folder(member) else stat.S_IFREG
    if kind not in (0, expected):
        what = tr("a link") if kind == stat.S_IFLNK else tr("a special file")
        yield member_fault("not_a_file", name, tr("is {what}, not a file or folder", what=what))
    if member.flag_bits & _ENCRYPTED:
        yield member_fault("encrypted", name, tr("is encrypted"))
    if member.compress_type not in _COMPRESSIONS:
        yield member_fault("unsupported_compression", name, tr("is compressed by another method than deflate"))
    if is_folder(member) and member.file_size:
        yield member_fault("directory_with_data", name, tr("is a folder with data of its own"))


# Clause: tracks §4 unpacking
def _name_faults(name: str) -> Iterator[Reason]:
    """Yield the first fault of a name: the others mostly follow from it."""
    if len(name) > _MOST_PATH_BYTES or name.count("/") > _MOST_DEPTH:
        yield _too_long(name)
        return
    parts = name.removesuffix("/").split("/")
    if not name or name == "/":
        yield member_fault("empty_name", name, tr("is a member without a name"))
    elif _CONTROL.search(name):
        yield member_fault("control_character", name, tr("has a control character in it"))
    elif "\\" in name:
        yield member_fault("backslash", name, tr("has a backslash in it: folders are separated by /"))
    elif name.startswith("/"):
        yield member_fault("absolute_path", name, tr("is an absolute path"))
    elif _DRIVE.match(name):
        yield member_fault("drive_letter", name, tr("begins with the letter of a drive"))
    elif ".." in parts:
        yield member_fault("path_escape", name, tr("leads out of the folder"))
    elif {"", "."} & set(parts):
        yield member_fault("unclean_path", name, tr("has an empty part or . in its path"))
    elif len(_bytes(name)) > _MOST_PATH_BYTES or any(len(_bytes(part)) > _MOST_BYTES for part in parts):
        yield _too_long(name)


def _too_long(name: str) -> Reason:
    message = tr(
        "is longer than {most_bytes} bytes in a part, {most_path_bytes} in all or {most_depth} folders",
        most_bytes=_MOST_BYTES,
        most_path_bytes=_MOST_PATH_BYTES,
        most_depth=_MOST_DEPTH,
    )
    return member_fault("name_too_long", name, message)


def _between(members: Iterable[zipfile.ZipInfo]) -> Iterator[Reason]:
    """Report names that are one file on some system, and files that are folders of others. Linear in the names' length.

    Places are nodes of a tree, one a part of a path: paths spelled out for each folder would be quadratic in depth.
    """
    nodes: dict[tuple[int, str], int] = {}
    names: dict[int, str] = {}
    files: dict[int, str] = {}
    folders: set[int] = set()
    for member in members:
        name = member.orig_filename.removesuffix("/")
        node = 0
        for number, part in enumerate(name.split("/")):
            if number:
                folders.add(node)
            folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", part).casefold())
            node = nodes.setdefault((node, folded), len(nodes) + 1)
        if node in names:
            same = names[node] == name
            code = "duplicate_name" if same else "case_collision"
            alike = tr("is one name with {other} where case does not matter", other=short(names[node]))
            yield member_fault(code, name, tr("stands in the archive twice") if same else alike)
        names.setdefault(node, name)
        if is_folder(member):
            folders.add(node)
        else:
            files.setdefault(node, name)
    for name in sorted(files[node] for node in files.keys() & folders):
        yield member_fault("file_as_directory", name, tr("is both a file and a folder"))


def _bytes(name: str) -> bytes:
    return name.encode("utf-8", "surrogatepass")


METADATA: Final = "metadata.json"
MAX_METADATA_BYTES: Final = 64 * 1024
"""Most bytes of ``metadata.json``; its two strings need no more."""
_FIELDS: Final = ("image", "entry_point")
_LIMITS: Final = Limits(max_bytes=MAX_METADATA_BYTES)
_IMAGE: Final = re.compile(
    r"(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::[0-9]{1,5})?/)?"  # a registry
    r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*"
    r"(?::[A-Za-z0-9_][A-Za-z0-9._-]{0,127})?(?:@sha256:[0-9a-f]{64})?"
)
_MOST_IMAGE: Final = 512
_MOST_COMMAND: Final = 4096
"""Most characters of a command; a longer one belongs into a script of the archive."""
_TOO_LONG: Final = tr("more than {count} characters", count=_MOST_COMMAND)


@dataclass(frozen=True, slots=True)
class Metadata:
    """A submission's image and command."""

    image: str
    entry_point: str


# Clause: F metadata
def read_metadata(content: bytes) -> tuple[Metadata | None, tuple[Reason, ...], tuple[Reason, ...]]:
    """Return the metadata (None exactly when there are reasons), the reasons against it, and the ignored fields."""
    try:
        raw = decode(content, _LIMITS)
    except MalformedInput as error:
        refusal = of_json(error)
        message = tr("{metadata} is no JSON: {problem}", metadata=METADATA, problem=refusal.message)
        return None, (replace(refusal, message=message),), ()
    if not isinstance(raw, dict):
        problem = tr("{metadata} must be an object, not {raw}", metadata=METADATA, raw=short(raw))
        return None, (reason("not_an_object", METADATA, problem),), ()
    reasons = tuple(fault for name in _FIELDS for fault in _metadata_faults(raw, name))
    warnings = tuple(
        reason("unknown_field", name, tr("the field {name} is ignored", name=short(name)))
        for name in sorted(raw.keys() - set(_FIELDS))
    )
    return None if reasons else Metadata(raw["image"], raw["entry_point"]), reasons, warnings


def _metadata_faults(raw: Mapping[str, Any], name: str) -> list[Reason]:
    if name not in raw:
        return [reason("missing_field", name, tr("there is no field {name}", name=name))]
    value = raw[name]
    if not isinstance(value, str):
        return [reason("not_a_string", name, tr("{name} must be a string, not {value}", name=name, value=short(value)))]
    if not value.strip():
        return [reason("empty_value", name, tr("{name} is empty", name=name))]
    return _image_faults(value) if name == "image" else _command_faults(value)


def _image_faults(image: str) -> list[Reason]:
    if len(image) <= _MOST_IMAGE and _IMAGE.fullmatch(image):
        return []
    message = tr(
        "image must be the name of a container image such as registry.example/team/model:1, not {image}",
        image=short(image),
    )
    return [reason("bad_image", "image", message)]


def _command_faults(command: str) -> list[Reason]:
    problem = _unwritable(command)
    if problem is None:
        try:
            shlex.split(command)
        except ValueError as error:
            problem = CATALOGUE.word("fact", str(error).lower())
        else:
            return []
    message = tr("entry_point must be one line of command: {problem}", problem=problem)
    return [reason("bad_command", "entry_point", message)]


def _unwritable(command: str) -> Text | None:
    """Return the reason why a command cannot be executed."""
    if len(command) > _MOST_COMMAND:
        return _TOO_LONG
    if any("\ud800" <= character <= "\udfff" for character in command):
        return tr("half of a surrogate pair")
    return tr("control characters") if _CONTROL.search(command) else None


GIGABYTE: Final = 1024**3
_CHUNK: Final = 1 << 20
_DIRECTORY_BYTES: Final = 16 * 1024**2
"""Most bytes of an archive's table of contents, which is read at once."""
_MOST_FAULTS: Final = 100
_EXECUTABLE: Final = 0o100
"""Owner's execute permission in a member's file mode."""


# Clause: F limits archive
@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """Bounds of a submission (F, "Ограничения"): bytes packed and unpacked, files and folders."""

    packed: int = 10 * GIGABYTE
    unpacked: int = 10 * GIGABYTE
    members: int = 100_000


CONTEST_LIMITS: Final = ArchiveLimits()


@dataclass(frozen=True, slots=True)
class Checked:
    """Result of checking an archive; ``metadata`` is None if it cannot be used."""

    reasons: tuple[Reason, ...]
    warnings: tuple[Reason, ...] = ()
    metadata: Metadata | None = None
    members: int = 0
    unpacked: int = 0
    """Bytes of all unpacked files, as counted."""

    @property
    def valid(self) -> bool:
        """Return whether the archive is a valid submission."""
        return not self.reasons


class RefusedArchiveError(ValueError):
    """An archive that was not unpacked; nothing of it is left."""

    def __init__(self, reasons: tuple[Reason, ...]) -> None:
        super().__init__("; ".join(reason.message.en for reason in reasons))
        self.reasons = reasons


# Clause: F archive
def check(source: BinaryIO, limits: ArchiveLimits = CONTEST_LIMITS) -> Checked:
    """Judge an archive without writing anything; every file is decompressed once, in pieces.

    ``source`` is a seekable binary stream. Never raises on an archive's contents. Reports at most 100 faults.
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
    """A stream that refuses a single read of more bytes than a table of contents may have."""

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
    """Raised if the archive's table of contents is too long to be read at once."""


@contextmanager
def _opened(source: BinaryIO, limits: ArchiveLimits) -> Iterator[tuple[zipfile.ZipFile | None, tuple[Reason, ...]]]:
    """Open an archive, or yield the reasons why it cannot be opened."""
    packed = source.seek(0, io.SEEK_END)
    source.seek(0)
    if packed > limits.packed:
        yield None, (_too_big("packed_too_big", tr("packed"), packed, limits.packed),)
        return
    try:
        archive = zipfile.ZipFile(_Measured(source))
    except _DirectoryTooBigError:
        message = tr(
            "the archive's table of contents takes more than {directory_bytes} bytes", directory_bytes=_DIRECTORY_BYTES
        )
        yield None, (_reason("directory_too_big", message),)
        return
    except broken_archive():
        yield None, (_reason("not_a_zip", tr("this is no ZIP archive")),)
        return
    with archive:
        yield archive, ()


def _checked(archive: zipfile.ZipFile, limits: ArchiveLimits) -> Checked:
    entries = archive.infolist()
    if len(entries) > limits.members:
        message = tr(
            "the archive has {entries} files and folders, the limit is {members}",
            entries=len(entries),
            members=limits.members,
        )
        return Checked((_reason("too_many_members", message),), members=len(entries))
    reasons = list(islice(member_faults(entries), _MOST_FAULTS))
    unpacked = 0
    if not reasons:  # no reading of files in an archive that is refused anyway
        unpacked, reasons = _counted(archive, limits)
    metadata, faults, warnings = _metadata(archive)
    return Checked((*reasons, *faults), warnings, metadata, len(entries), unpacked)


# Clause: F limits archive, tracks §4 unpacking
def _counted(archive: zipfile.ZipFile, limits: ArchiveLimits) -> tuple[int, list[Reason]]:
    """Count the bytes of all files and list their faults; stop at the limit."""
    total, reasons = 0, list[Reason]()
    for entry in archive.infolist():
        size = 0
        try:
            for chunk in _content(archive, entry):
                size += len(chunk)
                if total + size > limits.unpacked:
                    refusal = _too_big("unpacked_too_big", tr("unpacked"), None, limits.unpacked)
                    return total + size, [*reasons, refusal]
        except broken_archive():
            reasons.append(member_fault("broken_member", entry.filename, tr("is damaged")))
        else:
            if size != entry.file_size:
                stated = entry.file_size
                message = tr("holds {size} bytes where the archive says {file_size}", size=size, file_size=stated)
                reasons.append(member_fault("size_differs", entry.filename, message))
        total += size
        if len(reasons) >= _MOST_FAULTS:
            break
    return total, reasons


def _content(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Iterator[bytes]:
    """Yield a member's content to the end of its data: the size in the archive's table would cut it short."""
    whole = copy.copy(entry)
    whole.file_size = 1 << 62
    with archive.open(whole) as stream:
        while chunk := stream.read(_CHUNK):
            yield chunk


# Clause: F metadata
def _metadata(archive: zipfile.ZipFile) -> tuple[Metadata | None, tuple[Reason, ...], tuple[Reason, ...]]:
    """Read ``metadata.json`` of the root; point at one in another place or spelling."""
    names = archive.namelist()
    if METADATA not in names:
        return None, (_absent(names),), ()
    content = b""
    try:
        for chunk in _content(archive, archive.getinfo(METADATA)):
            content += chunk
            if len(content) > MAX_METADATA_BYTES:
                message = tr(
                    "{metadata} takes more than {max_metadata_bytes} bytes",
                    metadata=METADATA,
                    max_metadata_bytes=MAX_METADATA_BYTES,
                )
                return None, (_reason("metadata_too_big", message),), ()
    except broken_archive():  # reported among the members' faults
        return None, (), ()
    return read_metadata(content)


def _absent(names: list[str]) -> Reason:
    similar = [name for name in names if name.rsplit("/", 1)[-1].casefold() == METADATA]
    if not similar:
        return _reason("no_metadata", tr("there is no {metadata} at the root of the archive", metadata=METADATA))
    nearest = min(similar, key=lambda name: (name.count("/"), name))
    message = tr(
        "there is {nearest}, but {metadata} must stand at the root of the archive under this very name",
        nearest=nearest,
        metadata=METADATA,
    )
    return Reason("metadata_not_at_root", message, {"member": nearest})


def _write(archive: zipfile.ZipFile, target: Path, limits: ArchiveLimits) -> None:
    remaining = limits.unpacked
    for entry in archive.infolist():
        place = target / entry.filename
        if is_folder(entry):
            place.mkdir(parents=True, exist_ok=True)
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        with place.open("xb") as file:
            for chunk in _content(archive, entry):
                remaining -= len(chunk)
                if remaining < 0:  # the archive changed after it was checked
                    refusal = _too_big("unpacked_too_big", tr("unpacked"), None, limits.unpacked)
                    raise RefusedArchiveError((refusal,))
                file.write(chunk)
        place.chmod(0o755 if (entry.external_attr >> 16) & _EXECUTABLE else 0o644)


def _too_big(code: str, kind: Text, size: int | None, limit: int) -> Reason:
    space = tr("more") if size is None else tr("{size} bytes", size=size)
    return _reason(
        code, tr("the {kind} archive takes {taken}, the limit is {limit} bytes", kind=kind, taken=space, limit=limit)
    )


def _reason(code: str, message: Text) -> Reason:
    return Reason(code, message, {})
