"""Names and kinds of an archive's members: what may be unpacked, judged before anything is (tracks.md §4).

A name is judged as it stands in the archive. Codes: ``empty_name``, ``control_character``, ``backslash``,
``absolute_path``, ``drive_letter``, ``path_escape``, ``unclean_path``, ``name_too_long``, ``not_a_file``,
``encrypted``, ``unsupported_compression``, ``directory_with_data``, ``duplicate_name``, ``case_collision``,
``file_as_directory``.
"""

from __future__ import annotations

import re
import stat
import unicodedata
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from markup_core.reading.wire import short, short_ru
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


def faults(members: Sequence[zipfile.ZipInfo]) -> Iterator[Reason]:
    """Return all faults of the members in their order, then those between members whose names are right."""
    for member in members:
        yield from _own(member)
    yield from _between(member for member in members if next(_name_faults(member.orig_filename), None) is None)


def fault(code: str, name: str, en: str, ru: str) -> Reason:
    """A fault of a member; the sentences go on after its name."""
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
        yield fault("not_a_file", name, f"is {what[0]}, not a file or folder", f"— {what[1]}, а не файл и не папка")
    if member.flag_bits & _ENCRYPTED:
        yield fault("encrypted", name, "is encrypted", "— зашифрован")
    if member.compress_type not in _COMPRESSIONS:
        en, ru = "is compressed by another method than deflate", "— сжат другим способом, чем deflate"
        yield fault("unsupported_compression", name, en, ru)
    if is_folder(member) and member.file_size:
        yield fault("directory_with_data", name, "is a folder with data of its own", "— папка с собственными данными")


def _name_faults(name: str) -> Iterator[Reason]:
    """The first thing that is wrong with a name: the others mostly follow from it.

    Clause: tracks §4 unpacking
    """
    if len(name) > _MOST_PATH_BYTES or name.count("/") > _MOST_DEPTH:
        yield _too_long(name)
        return
    parts = name.removesuffix("/").split("/")
    if not name or name == "/":
        yield fault("empty_name", name, "is a member without a name", "— элемент без имени")
    elif _CONTROL.search(name):
        yield fault("control_character", name, "has a control character in it", "— в имени управляющий символ")
    elif "\\" in name:
        en, ru = "has a backslash in it: folders are separated by /", "— в имени обратная косая черта: папки отделяет /"
        yield fault("backslash", name, en, ru)
    elif name.startswith("/"):
        yield fault("absolute_path", name, "is an absolute path", "— абсолютный путь")
    elif _DRIVE.match(name):
        yield fault("drive_letter", name, "begins with the letter of a drive", "— начинается с буквы диска")
    elif ".." in parts:
        yield fault("path_escape", name, "leads out of the folder", "— выводит за пределы папки")
    elif {"", "."} & set(parts):
        yield fault("unclean_path", name, "has an empty part or . in its path", "— в пути пустая часть или точка")
    elif len(_bytes(name)) > _MOST_PATH_BYTES or any(len(_bytes(part)) > _MOST_BYTES for part in parts):
        yield _too_long(name)


def _too_long(name: str) -> Reason:
    en = f"is longer than {_MOST_BYTES} bytes in a part, {_MOST_PATH_BYTES} in all or {_MOST_DEPTH} folders"
    ru = f"— часть имени длиннее {_MOST_BYTES} байт, весь путь — {_MOST_PATH_BYTES} или {_MOST_DEPTH} папок"
    return fault("name_too_long", name, en, ru)


def _between(members: Iterable[zipfile.ZipInfo]) -> Iterator[Reason]:
    """Report names that are one file on some system, and files that are folders of others. Linear in the names' length.

    Places are nodes of a tree, one a part of a path: paths spelled out for each folder would be quadratic in depth.
    """
    nodes: dict[tuple[int, str], int] = {}
    seen: dict[int, str] = {}
    files: dict[int, str] = {}
    folders: set[int] = set()
    for member in members:
        name = member.orig_filename.removesuffix("/")
        node = 0
        for number, part in enumerate(name.split("/")):
            if number:
                folders.add(node)
            node = nodes.setdefault((node, _folded(part)), len(nodes) + 1)
        if node in seen:
            same = seen[node] == name
            code = "duplicate_name" if same else "case_collision"
            other, other_ru = short(seen[node]), short_ru(seen[node])
            en = "stands in the archive twice" if same else f"is one name with {other} where case does not matter"
            ru = "— встречается дважды" if same else f"— то же имя, что {other_ru}, там, где регистр не важен"
            yield fault(code, name, en, ru)
        seen.setdefault(node, name)
        if is_folder(member):
            folders.add(node)
        else:
            files.setdefault(node, name)
    for name in sorted(files[node] for node in files.keys() & folders):
        yield fault("file_as_directory", name, "is both a file and a folder", "— сразу и файл, и папка")


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _bytes(name: str) -> bytes:
    return name.encode("utf-8", "surrogatepass")
