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
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Final

from markup_core.reading.wire import Limits, MalformedInput, decode, short, short_ru
from tracks.fields import of_json, reason
from tracks.protocol import Reason, Text

_ENCRYPTED: Final = 0x1 | 0x40 | 0x2000
"""Flags of a member whose content or name is encrypted."""
_COMPRESSIONS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_MOST_BYTES: Final = 255
"""Of one part of a path: what file systems hold."""
_MOST_PATH_BYTES: Final = 4096
_MOST_DEPTH: Final = 100
"""Folders above a file: unpacking makes each; the deepest packages of programs have some twenty."""
_DRIVE: Final = re.compile(r"[A-Za-z]:")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")


def member_faults(members: Sequence[zipfile.ZipInfo]) -> Iterator[Reason]:
    """Yield all faults of the members in their order, then those between members whose names are right."""
    for member in members:
        yield from _own(member)
    yield from _between(member for member in members if next(_name_faults(member.orig_filename), None) is None)


def member_fault(code: str, name: str, en: str, ru: str) -> Reason:
    """Return a fault of a member; the sentences go on after its name."""
    return Reason(
        code, Text(en=f"{short(name)} {en}", ru=f"{short_ru(name)} {ru}"), {"member": name[:_MOST_PATH_BYTES]}
    )


def is_folder(member: zipfile.ZipInfo) -> bool:
    """Return whether a member is a folder; the standard library fails at one without a name."""
    return member.filename.endswith("/")


def _own(member: zipfile.ZipInfo) -> Iterator[Reason]:
    """Clause: tracks §4 unpacking"""
    name = member.orig_filename
    yield from _name_faults(name)
    kind = stat.S_IFMT(member.external_attr >> 16)
    expected = stat.S_IFDIR if is_folder(member) else stat.S_IFREG
    if kind not in (0, expected):
        what = ("a link", "это ссылка") if kind == stat.S_IFLNK else ("a special file", "это особый файл")
        yield member_fault(
            "not_a_file", name, f"is {what[0]}, not a file or folder", f"— {what[1]}, а не файл и не папка"
        )
    if member.flag_bits & _ENCRYPTED:
        yield member_fault("encrypted", name, "is encrypted", "— зашифрован")
    if member.compress_type not in _COMPRESSIONS:
        en, ru = "is compressed by another method than deflate", "— сжат другим способом, чем deflate"
        yield member_fault("unsupported_compression", name, en, ru)
    if is_folder(member) and member.file_size:
        yield member_fault(
            "directory_with_data", name, "is a folder with data of its own", "— папка с собственными данными"
        )


def _name_faults(name: str) -> Iterator[Reason]:
    """Yield the first fault of a name: the others mostly follow from it.

    Clause: tracks §4 unpacking
    """
    if len(name) > _MOST_PATH_BYTES or name.count("/") > _MOST_DEPTH:
        yield _too_long(name)
        return
    parts = name.removesuffix("/").split("/")
    if not name or name == "/":
        yield member_fault("empty_name", name, "is a member without a name", "— элемент без имени")
    elif _CONTROL.search(name):
        yield member_fault("control_character", name, "has a control character in it", "— в имени управляющий символ")
    elif "\\" in name:
        en, ru = "has a backslash in it: folders are separated by /", "— в имени обратная косая черта: папки отделяет /"
        yield member_fault("backslash", name, en, ru)
    elif name.startswith("/"):
        yield member_fault("absolute_path", name, "is an absolute path", "— абсолютный путь")
    elif _DRIVE.match(name):
        yield member_fault("drive_letter", name, "begins with the letter of a drive", "— начинается с буквы диска")
    elif ".." in parts:
        yield member_fault("path_escape", name, "leads out of the folder", "— выводит за пределы папки")
    elif {"", "."} & set(parts):
        yield member_fault(
            "unclean_path", name, "has an empty part or . in its path", "— в пути пустая часть или точка"
        )
    elif len(_bytes(name)) > _MOST_PATH_BYTES or any(len(_bytes(part)) > _MOST_BYTES for part in parts):
        yield _too_long(name)


def _too_long(name: str) -> Reason:
    en = f"is longer than {_MOST_BYTES} bytes in a part, {_MOST_PATH_BYTES} in all or {_MOST_DEPTH} folders"
    ru = f"— часть имени длиннее {_MOST_BYTES} байт, весь путь — {_MOST_PATH_BYTES} или {_MOST_DEPTH} папок"
    return member_fault("name_too_long", name, en, ru)


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
            other, other_ru = short(names[node]), short_ru(names[node])
            en = "stands in the archive twice" if same else f"is one name with {other} where case does not matter"
            ru = "— встречается дважды" if same else f"— то же имя, что {other_ru}, там, где регистр не важен"
            yield member_fault(code, name, en, ru)
        names.setdefault(node, name)
        if is_folder(member):
            folders.add(node)
        else:
            files.setdefault(node, name)
    for name in sorted(files[node] for node in files.keys() & folders):
        yield member_fault("file_as_directory", name, "is both a file and a folder", "— сразу и файл, и папка")


def _bytes(name: str) -> bytes:
    return name.encode("utf-8", "surrogatepass")


METADATA: Final = "metadata.json"
MAX_METADATA_BYTES: Final = 64 * 1024
"""Of the file; two strings need no more."""
_FIELDS: Final = ("image", "entry_point")
_LIMITS: Final = Limits(max_bytes=MAX_METADATA_BYTES)
_IMAGE: Final = re.compile(
    r"(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::[0-9]{1,5})?/)?"  # a registry
    r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*"
    r"(?::[A-Za-z0-9_][A-Za-z0-9._-]{0,127})?(?:@sha256:[0-9a-f]{64})?"
)
_MOST_IMAGE: Final = 512
_MOST_COMMAND: Final = 4096
"""Characters of a command; a longer one belongs into a script of the archive."""
_TOO_LONG: Final = f"more than {_MOST_COMMAND} characters"


@dataclass(frozen=True, slots=True)
class Metadata:
    """A submission's image and command."""

    image: str
    entry_point: str


def read_metadata(content: bytes) -> tuple[Metadata | None, tuple[Reason, ...], tuple[Reason, ...]]:
    """Read the metadata, the reasons why it is unusable, and the ignored fields; None exactly when there are reasons.

    Clause: F metadata
    """
    try:
        raw = decode(content, _LIMITS)
    except MalformedInput as error:
        refusal = of_json(error)
        message = Text(
            en=f"{METADATA} is no JSON: {refusal.message.en}", ru=f"{METADATA} — не JSON: {refusal.message.ru}"
        )
        return None, (replace(refusal, message=message),), ()
    if not isinstance(raw, dict):
        en, ru = f"{METADATA} must be an object, not {short(raw)}", f"{METADATA}: нужен объект, а не {short_ru(raw)}"
        return None, (reason("not_an_object", METADATA, en, ru),), ()
    reasons = tuple(fault for name in _FIELDS for fault in _metadata_faults(raw, name))
    warnings = tuple(
        reason("unknown_field", name, f"the field {short(name)} is ignored", f"поле {short_ru(name)} пропущено")
        for name in sorted(raw.keys() - set(_FIELDS))
    )
    return None if reasons else Metadata(raw["image"], raw["entry_point"]), reasons, warnings


def _metadata_faults(raw: Mapping[str, Any], name: str) -> list[Reason]:
    if name not in raw:
        return [reason("missing_field", name, f"there is no field {name}", f"нет поля {name}")]
    value = raw[name]
    if not isinstance(value, str):
        en, ru = f"{name} must be a string, not {short(value)}", f"{name}: нужна строка, а не {short_ru(value)}"
        return [reason("not_a_string", name, en, ru)]
    if not value.strip():
        return [reason("empty_value", name, f"{name} is empty", f"{name}: пустое значение")]
    return _image_faults(value) if name == "image" else _command_faults(value)


def _image_faults(image: str) -> list[Reason]:
    if len(image) <= _MOST_IMAGE and _IMAGE.fullmatch(image):
        return []
    en = f"image must be the name of a container image such as registry.example/team/model:1, not {short(image)}"
    ru = f"image: нужно имя образа, например registry.example/team/model:1, а не {short_ru(image)}"
    return [reason("bad_image", "image", en, ru)]


def _command_faults(command: str) -> list[Reason]:
    problem = _unwritable(command) or _unsplittable(command)
    if problem is None:
        return []
    russian = {
        "control characters": "управляющие символы",
        "half of a surrogate pair": "половина суррогатной пары",
        _TOO_LONG: f"больше {_MOST_COMMAND} знаков",
        "no closing quotation": "кавычка не закрыта",
    }
    en = f"entry_point must be one line of command: {problem}"
    ru = f"entry_point: нужна команда в одну строку: {russian.get(problem, problem)}"
    return [reason("bad_command", "entry_point", en, ru)]


def _unwritable(command: str) -> str | None:
    """Return the reason why a command cannot be executed."""
    if len(command) > _MOST_COMMAND:
        return _TOO_LONG
    if any("\ud800" <= character <= "\udfff" for character in command):
        return "half of a surrogate pair"
    return "control characters" if _CONTROL.search(command) else None


def _unsplittable(command: str) -> str | None:
    try:
        shlex.split(command)
    except ValueError as error:
        return str(error).lower()
    return None


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
    """Result of checking an archive; ``metadata`` is None if it cannot be used."""

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
    """Open an archive, or yield the reasons why it cannot be opened."""
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
    reasons = list(islice(member_faults(entries), _MOST_FAULTS))
    unpacked = 0
    if not reasons:  # what may not be there is not worth reading
        unpacked, reasons = _counted(archive, limits)
    metadata, faults, warnings = _metadata(archive)
    return Checked((*reasons, *faults), warnings, metadata, len(entries), unpacked)


def _counted(archive: zipfile.ZipFile, limits: ArchiveLimits) -> tuple[int, list[Reason]]:
    """Count the bytes of all files and list their faults; stop at the limit.

    Clause: F limits archive, tracks §4 unpacking
    """
    total, reasons = 0, list[Reason]()
    for entry in archive.infolist():
        size = 0
        try:
            for chunk in _content(archive, entry):
                size += len(chunk)
                if total + size > limits.unpacked:
                    refusal = _too_big("unpacked_too_big", "unpacked", "распакованный", None, limits.unpacked)
                    return total + size, [*reasons, refusal]
        except _BROKEN:
            reasons.append(member_fault("broken_member", entry.filename, "is damaged", "— повреждён"))
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
    return [member_fault("size_differs", entry.filename, en, ru)]


def _content(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Iterator[bytes]:
    """Yield a member's content to the end of its data: the size in the archive's table would cut it short."""
    whole = copy.copy(entry)
    whole.file_size = 1 << 62
    with archive.open(whole) as stream:
        while chunk := stream.read(_CHUNK):
            yield chunk


def _metadata(archive: zipfile.ZipFile) -> tuple[Metadata | None, tuple[Reason, ...], tuple[Reason, ...]]:
    """Read ``metadata.json`` of the root; point at one in another place or spelling.

    Clause: F metadata
    """
    names = archive.namelist()
    if METADATA not in names:
        return None, (_absent(names),), ()
    content = b""
    try:
        for chunk in _content(archive, archive.getinfo(METADATA)):
            content += chunk
            if len(content) > MAX_METADATA_BYTES:
                en = f"{METADATA} takes more than {MAX_METADATA_BYTES} bytes"
                ru = f"{METADATA} больше {MAX_METADATA_BYTES} байт"
                return None, (_reason("metadata_too_big", en, ru),), ()
    except _BROKEN:  # told among the members
        return None, (), ()
    return read_metadata(content)


def _absent(names: list[str]) -> Reason:
    similar = [name for name in names if name.rsplit("/", 1)[-1].casefold() == METADATA]
    if not similar:
        en = f"there is no {METADATA} at the root of the archive"
        return _reason("no_metadata", en, f"в корне архива нет {METADATA}")
    nearest = min(similar, key=lambda name: (name.count("/"), name))
    en = f"there is {nearest}, but {METADATA} must stand at the root of the archive under this very name"
    ru = f"есть {nearest}, но {METADATA} должен лежать в корне архива и называться именно так"
    return Reason("metadata_not_at_root", Text(en=en, ru=ru), {"member": nearest})


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
                    refusal = _too_big("unpacked_too_big", "unpacked", "распакованный", None, limits.unpacked)
                    raise RefusedArchiveError((refusal,))
                file.write(chunk)
        place.chmod(0o755 if (entry.external_attr >> 16) & _EXECUTABLE else 0o644)


def _too_big(code: str, en: str, ru: str, size: int | None, limit: int) -> Reason:
    sizes = ("more", "больше") if size is None else (f"{size} bytes", f"{size} байт")
    return _reason(
        code,
        f"the {en} archive takes {sizes[0]}, the limit is {limit} bytes",
        f"{ru} архив занимает {sizes[1]}, предел — {limit} байт",
    )


def _reason(code: str, en: str, ru: str) -> Reason:
    return Reason(code, Text(en=en, ru=ru), {})
