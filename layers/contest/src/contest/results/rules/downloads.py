"""Pure rules of downloads: access to data sets, their parts, the archive of a final.

Access depends on the caller and the set (platform §1); sets are given in parts (tracks-sessions T12). The archive of a
final (R 7.14) is a function to bytes: the same facts make the same archive.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from contest.cycle.rules.cycle import EssaySet, Item, SetKind
from contest.run.rules.schedule import Schedule
from contest.values import canonical, sha256_hex
from markup_core.lazy import dataclass

if TYPE_CHECKING:
    from contest.run.rules.run import Run

PART: Final = 3_500_000
"""Bytes of a part, from which on no further file is put into it. A function's answer holds 4.5 MB in base64, and one
file, of 2 MiB at most, comes to 4 MiB where every character must be escaped."""
FILES_OF_PART: Final = 1_000
_REFERENCE: Final = re.compile(r"_exp\d{2,}\.json")
"""What stands behind an item's name in those of its references."""


PACK: Final = 512_000_000
"""Bytes of the parts of a set that is given as one file, at most: a request reads and compresses them in some ten of
its thirty seconds, and an import through the interface unpacks to less."""


class Asker(StrEnum):
    """Role of a caller for access to sets."""

    ANYBODY = "anybody"
    PARTICIPANT = "participant"
    """A member, or the program, of a team that is approved now."""
    ORGANIZER = "organizer"


class View(StrEnum):
    """Extent of a set that a caller gets."""

    WHOLE = "whole"
    """Items and references, file by file as they were imported."""
    QUESTIONS = "questions"
    """Items as they are handed out, and no reference."""


# Clause: platform §1 data sets, R 2.6, R 4.2.1, R 2.7, R 2.8, TS T12, D 1.9, D 7.6, D 8.3
def view_of(asker: Asker, data_set: EssaySet, *, open_tests: bool) -> View | None:
    """Return a caller's view of a set of the cycle; None: the set is not even named.

    ``open_tests``: whether the track hands out test sets as wholes.
    """
    if asker is Asker.ORGANIZER or data_set.published_at is not None:
        return View.WHOLE
    if asker is Asker.PARTICIPANT and data_set.kind is SetKind.TRAINING:
        return View.WHOLE
    if asker is Asker.PARTICIPANT and data_set.kind is SetKind.TEST and open_tests:
        return View.QUESTIONS
    return None


# Clause: R 7.11, platform §1 data sets
def may_have_final(asker: Asker, run: Run) -> bool:
    """Return whether a caller may download the essays and expert annotations of a final.

    All participants may while its results are published. A trial's count nowhere, and stay where they are.
    """
    is_out = run.published_at is not None and not run.trial and Schedule.of(run).stop is None
    return is_out and asker is not Asker.ANYBODY


@dataclass(frozen=True, slots=True)
class SetFile:
    """File of a download: its name, the kind of its content (``items``, ``references``), its SHA-256."""

    name: str
    kind: str
    content: str


def files_of(items: Sequence[Item], view: View) -> tuple[SetFile, ...]:
    """Return the files of a set in their order: every item's own, then its references'. O(files)."""
    set_files: list[SetFile] = []
    for item in items:
        set_files.append(SetFile(f"{item.item_id}.json", "items", item.content))
        if view is View.WHOLE:
            set_files += [SetFile(name, "references", digest) for name, digest in item.files]
    return tuple(set_files)


def entries_of(files: Iterable[Mapping[str, Any]]) -> list[tuple[Any, list[Any]]]:
    """Return the items of a set's files, each with its references.

    Every item's own stands before its references', which have its name and a number.
    """
    entries: list[tuple[Any, list[Any]]] = []
    name = ""
    for file in files:
        text = json.loads(file["text"])
        if entries and _REFERENCE.fullmatch(file["name"].removeprefix(name)):
            entries[-1][1].append(text)
        else:
            entries.append((text, []))
            name = file["name"].removesuffix(".json")
    return entries


def fingerprint_of(files: Sequence[SetFile], view: View, shown_by: str) -> str:
    """Return the SHA-256 that names a download: another file, name, view or version of the display changes it."""
    return sha256_hex(canonical([view.value, shown_by, [[file.name, file.kind, file.content] for file in files]]))


@dataclass(frozen=True, slots=True)
class Pack:
    """A set as one zip: its bytes and its SHA-256."""

    size: int
    sha256: str


# Clause: TS T12
def is_given_as_one(parts: Sequence[Part]) -> bool:
    """Return whether a set is also given as one file.

    Not of one part, where it would save nothing, nor above :data:`PACK`, where no request makes it.
    """
    return len(parts) > 1 and sum(part.size for part in parts) <= PACK


@dataclass(frozen=True, slots=True)
class Part:
    """Part of a set: the number of its files, in their order, its bytes and SHA-256."""

    files: int
    size: int
    sha256: str


def packed(contents: Sequence[tuple[str, bytes]]) -> tuple[int, bytes]:
    """Return the number of files of the next part, at least one, and its bytes. O(bytes).

    Every file stands in it as text, to the byte as it is hashed.
    """
    entries: list[Mapping[str, Any]] = []
    size = 0
    for name, content in contents[:FILES_OF_PART]:
        entry = {"name": name, "sha256": sha256_hex(content), "text": content.decode("utf-8")}
        size += len(canonical(entry))
        if entries and size > PART:
            break
        entries.append(entry)
    return len(entries), canonical({"files": entries})


FORMAT: Final = 1
MANIFEST: Final = "manifest.json"
LICENCE: Final = "CC-BY-4.0"
_ROW: Final = re.compile(r"\| `(?P<place>[^/`]+)")
_DATE: Final = (1980, 1, 1, 0, 0, 0)
"""The first day that the format knows, in place of the files' own times."""
_UNIX: Final = 3
_READABLE: Final = 0o644 << 16


class _Tail(io.BytesIO):
    """The end of a file that is handed on in pieces: places in it are counted from the beginning of the whole file."""

    _before = 0

    def tell(self) -> int:
        return self._before + super().tell()

    def seek(self, place: int, whence: int = io.SEEK_SET, /) -> int:
        return self._before + super().seek(place - self._before, whence)

    def handed_on(self) -> bytes:
        """Return the bytes written since the last piece, and forget them."""
        piece = self.getvalue()
        self.seek(self._before)
        self.truncate(0)
        self._before += len(piece)
        return piece


# Clause: R 7.14, platform §7 exports
def archive(about: Mapping[str, Any], files: Callable[[], Iterable[tuple[str, bytes]]]) -> Iterator[bytes]:
    """Yield the archive of these files, by name, with a manifest of their SHA-256, in pieces. O(bytes).

    ``files`` is called twice, for the manifest and for the contents: no two files are held at once, as the answers of
    a final are more than a function's memory. Nothing is compressed in it: what compresses differs from one machine to
    another, and the archive is compressed as it is sent.
    """
    listed = [{"name": name, "sha256": sha256_hex(content), "bytes": len(content)} for name, content in files()]
    manifest = canonical({"format": FORMAT, "licence": LICENCE, **about, "files": listed})
    tail = _Tail()
    with zipfile.ZipFile(tail, "w", zipfile.ZIP_STORED) as packed:
        for name, content in chain([(MANIFEST, manifest)], files()):
            entry = zipfile.ZipInfo(name, _DATE)
            entry.create_system, entry.external_attr = _UNIX, _READABLE
            packed.writestr(entry, content)
            yield tail.handed_on()
    yield tail.handed_on()


# Clause: R 7.14, D 14.7
def readme(template: str, files: Collection[str], about: str, left_out: Sequence[str]) -> str:
    """Return the readme of an archive: the template without the table rows of missing files, its two places filled."""
    folders = {name.split("/")[0] for name in files} | {MANIFEST}
    lines = [line for line in template.splitlines() if (row := _ROW.match(line)) is None or row["place"] in folders]
    listed = "\n".join(f"- {text}" for text in left_out)
    return "\n".join(lines).format(about=about, left_out=listed) + "\n"


# Clause: R 7.14
def pseudonyms(authors: Sequence[str]) -> dict[str, str]:
    """Return a name for every author, in the order of first appearance; none contains a part of their own name."""
    names: dict[str, str] = {}
    for author in authors:
        names.setdefault(author, f"expert-{len(names) + 1}")
    return names
