"""A zip that somebody hands in, read without believing it: nothing is unpacked to a disk, and what it unpacks to is
bounded before anything of it is read."""

from __future__ import annotations

import io
import re
import stat
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Final

from contest.faults import Fault
from tracks.protocol import Text

_KIB: Final = 1024
_MIB: Final = 1024 * _KIB
_END: Final = b"PK\x05\x06"
_END_64: Final = b"PK\x06\x07"
_END_SIZE: Final = 22
_LONGEST_REMARK: Final = 65_535
_DRIVE: Final = re.compile(r"[A-Za-z]:")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
_ENCRYPTED, _UTF_8 = 0x1, 0x800
_READABLE: Final = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_MEMBER: Final = b"PK\x01\x02"
"""Before each member in the list; a list with more of them than members may be is not read at all."""
_MOST_FAULTS: Final = 1000
"""Told of one zip; one with more is wrong throughout."""
_NOBODYS: Final = frozenset({"Thumbs.db", "desktop.ini"})
_DIRECTLY: Final = "load the folder with the deployment's own credentials, contest cycle load FOLDER --direct"
_DIRECTLY_RU: Final = "загрузите папку с правами самого развёртывания: contest cycle load ПАПКА --direct"
# RuntimeError is that of an encrypted member; NotImplementedError, a kind of it, that of an unknown compression.
_BROKEN: Final = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError, OverflowError)


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a zip may hold: the least that a whole cycle needs with room to spare, and what one function can bear."""

    directory: int = 16 * _MIB
    """Bytes of the list of its members."""
    members: int = 50_000
    path: int = 1024
    """Bytes of a name with its folders: a key of the bucket is no longer."""
    depth: int = 16
    """Folders above a file; a cycle's folder has two, the folder that a program packs around it one more."""
    member: int = 2 * _MIB
    """Bytes of one file, unpacked. A part of a set that is downloaded holds at least one whole file."""
    whole: int = 384 * _MIB
    """Bytes of all files, unpacked."""
    ratio: int = 200
    """How many bytes one byte may unpack to, in a file of more than ``lenient``; JSON comes to some ten, rarely 50."""
    lenient: int = 64 * _KIB


BOUNDS: Final = Bounds()


class FilesInMemory:
    """Files by their names, as a :class:`contest.services.cycle.folder.Source`."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = dict(files)
        self._folders: dict[str, list[str]] = {}
        for each in sorted(self._files):
            folder, _, name = each.rpartition("/")
            self._folders.setdefault(folder, []).append(name)

    def __len__(self) -> int:
        return len(self._files)

    def everything(self) -> Sequence[str]:
        """Names of all files, ascending."""
        return sorted(self._files)

    def names(self, folder: str) -> Sequence[str]:
        """Names of the files in a folder (``""`` is the top), ascending. O(1)."""
        return tuple(self._folders.get(folder, ()))

    def read(self, name: str) -> bytes:
        """Content of a file; :class:`LookupError` without one. O(1)."""
        return self._files[name]


def head_of(content: bytes, name: str) -> bytes | None:
    """A file at the top of a zip, or of the one folder that holds all others; None where there is none that can be
    read, or one larger than a file may be. Nothing else of the zip is read."""
    if _directory_size(content) > BOUNDS.directory:
        return None
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            named = [each for each in archive.infolist() if each.filename.rpartition("/")[2] == name]
            found = min(named, key=lambda each: each.filename.count("/"), default=None)
            return None if found is None or found.file_size > BOUNDS.member else archive.read(found)
    except _BROKEN:
        return None


def opened(
    content: bytes, bounds: Bounds = BOUNDS, inside: Sequence[str] = ()
) -> tuple[FilesInMemory, tuple[Fault, ...]]:
    """All files of a zip, and every fault of it; where there are any, nothing was unpacked but what is whole.

    A folder that holds all the others is passed over, as programs that pack a folder make one, unless it is one of the
    ``inside`` folders of the contest. So is what file managers leave behind, and what is hidden. O(bytes of what it
    unpacks to), at most ``bounds.whole``.

    Clause: platform §7 import
    """
    if _directory_size(content) > bounds.directory:
        return FilesInMemory({}), (_fault("not_a_zip", "", "this is no zip, or too large a one", "это не zip"),)
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
    except _BROKEN as error:
        said = f"this is no zip that can be read: {error}", f"zip не читается: {error}"
        return FilesInMemory({}), (_fault("not_a_zip", "", *said),)
    with archive:
        members = [each for each in archive.infolist() if not _is_passed_over(each)]
        faults = [*_crowding(members, bounds)]
        if len(members) <= bounds.members:
            own = (fault for each in members for fault in _faults(each, bounds))
            faults = [*islice(chain(own, _doubles(members)), _MOST_FAULTS), *faults]
        if faults:
            return FilesInMemory({}), tuple(faults)
        files, broken = _unpacked(archive, members)
    return FilesInMemory(_without_root(files, inside)), tuple(broken)


def _directory_size(content: bytes) -> int:
    """Return the bytes of the list of members, as the zip's end says; more than any bound where it is not to be read.

    That is a zip that has no end, the end of one of more than four gigabytes (its list would be read before anybody
    could count), or more members than the bound: each costs half a kilobyte of memory as soon as the list is read.
    """
    end = content.rfind(_END, max(0, len(content) - _END_SIZE - _LONGEST_REMARK))
    unreadable = len(content) + BOUNDS.directory + 1
    if end < 0 or len(content) - end < _END_SIZE or content[end - 20 : end - 16] == _END_64:
        return unreadable
    size = int.from_bytes(content[end + 12 : end + 16], "little")
    return unreadable if content.count(_MEMBER, max(0, end - size), end) > 2 * BOUNDS.members else size


def _is_passed_over(member: zipfile.ZipInfo) -> bool:
    return member.filename.endswith("/") or is_passed_over(member.filename)


def is_passed_over(name: str) -> bool:
    """Whether a file, by its path, is none that somebody means to bring: hidden, or left behind by a file manager."""
    parts = name.split("/")
    hidden = any(each.startswith(".") and each[1:2] not in {"", "."} for each in parts)
    return hidden or parts[0] == "__MACOSX" or parts[-1] in _NOBODYS


def _faults(member: zipfile.ZipInfo, bounds: Bounds) -> Iterator[Fault]:
    name = member.orig_filename
    shown = _CONTROL.sub("�", name[: bounds.path])
    if len(name.encode("utf-8", "surrogatepass")) > bounds.path or name.count("/") > bounds.depth:
        long = f"a name has at most {bounds.path} bytes and stands in at most {bounds.depth} folders"
        long_ru = f"в имени не более {bounds.path} байт, папок над файлом не более {bounds.depth}"
        yield _fault("long_name", shown, long, long_ru)
        return
    if _is_trick(name):
        yield _fault("path", shown, "a path leads out of the zip, or no system could keep it", "недопустимый путь")
    if not member.flag_bits & _UTF_8 and not name.isascii():
        said = "the name is neither ASCII nor marked as UTF-8", "имя не в ASCII и не помечено как UTF-8"
        yield _fault("name_encoding", shown, *said)
    kind = stat.S_IFMT(member.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        yield _fault("not_a_file", shown, "a link or device, not a file", "это ссылка или устройство, а не файл")
    if member.flag_bits & _ENCRYPTED:
        yield _fault("encrypted", shown, "the file is encrypted", "файл зашифрован")
    if member.compress_type not in _READABLE:
        said = "compressed in a way that is not read here; use deflate", "способ сжатия не поддержан; нужен deflate"
        yield _fault("compression", shown, *said)
    if member.file_size > bounds.member:
        most = bounds.member // _KIB
        said = f"a file has at most {most} KiB; {_DIRECTLY}", f"в файле не более {most} КиБ; {_DIRECTLY_RU}"
        yield _fault("too_large", shown, *said)
    elif member.file_size > max(bounds.lenient, bounds.ratio * member.compress_size):
        yield _fault(
            "bomb", shown, "the file unpacks to far more than it says", "файл распаковывается в слишком многое"
        )


def _is_trick(name: str) -> bool:
    """Whether a name leads anywhere else than into the zip's own folders, on any system."""
    parts = name.split("/")
    return bool(
        "\\" in name or _CONTROL.search(name) or _DRIVE.match(name) or any(each in {"", ".", ".."} for each in parts)
    )


def _crowding(members: Sequence[zipfile.ZipInfo], bounds: Bounds) -> Iterator[Fault]:
    if len(members) > bounds.members:
        most, found = bounds.members, len(members)
        yield _fault("too_many_files", "", f"{found} files, at most {most}", f"файлов: {found}, не более {most}")
    whole, most = sum(each.file_size for each in members), bounds.whole // _MIB
    if whole > bounds.whole:
        said = (
            f"unpacked it has more than {most} MiB: load it set by set, or {_DIRECTLY}",
            f"в распакованном виде больше {most} МиБ: загрузите по выборкам, либо {_DIRECTLY_RU}",
        )
        yield _fault("too_large", "", *said)


def _doubles(members: Sequence[zipfile.ZipInfo]) -> Iterator[Fault]:
    """Names that some system takes for one."""
    names: dict[str, str] = {}
    for member in members:
        name = member.filename
        key = unicodedata.normalize("NFC", name).casefold()
        if (first := names.get(key)) is not None:
            yield _fault("doubled", name, f"the same name as {first}", f"то же имя, что {first}")
        else:
            names[key] = name


def _unpacked(archive: zipfile.ZipFile, members: Sequence[zipfile.ZipInfo]) -> tuple[dict[str, bytes], list[Fault]]:
    """Reading stops at the size that a member says, and its checksum is looked at."""
    files: dict[str, bytes] = {}
    faults = []
    for each in members:
        try:
            files[each.filename] = archive.read(each)
        except _BROKEN as error:
            said = f"the file cannot be unpacked: {error}", f"файл не распаковывается: {error}"
            faults.append(_fault("broken", each.filename, *said))
    return files, faults


def _without_root(files: Mapping[str, bytes], own: Sequence[str]) -> Mapping[str, bytes]:
    known = {each.partition("/")[0] for each in own}
    while (
        files and len(roots := {name.partition("/")[0] for name in files}) == 1 and all("/" in each for each in files)
    ):
        (root,) = roots
        if root in known:
            break
        files = {name.removeprefix(f"{root}/"): content for name, content in files.items()}
    return files


def _fault(code: str, file: str, en: str, ru: str) -> Fault:
    return Fault(f"zip_{code}" if not code.endswith("zip") else code, file, Text(en, ru))
