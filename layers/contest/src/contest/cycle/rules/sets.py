"""Data sets: imported zips (platform §7), repeated texts, samples (R 6.4), shares.

A zip is not trusted: nothing is unpacked to a disk, and the unpacked size is bounded before anything of it is read. A
text that stands in two sets of a cycle is a fault: an owner of one set knows part of the other.
"""

from __future__ import annotations

import hashlib
import io
import re
import stat
import unicodedata
import zipfile
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from enum import StrEnum
from fractions import Fraction
from itertools import accumulate, chain, islice
from typing import TYPE_CHECKING, Any, Final

from contest.cycle.rules.cycle import ALL_LANGUAGES, Item, SetKind
from contest.refusals import Fault
from contest.texts import tr
from contest.values import Millis, Upload
from markup_core.lazy import dataclass
from markup_core.reading.wire import broken_archive, of_archive

if TYPE_CHECKING:
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
"""Signature of a member in the list; a list with over twice as many as members are allowed is not read at all."""
_MOST_FAULTS: Final = 1000
"""Most faults reported of one zip; a zip with more is wrong throughout."""
_NOBODYS: Final = frozenset({"Thumbs.db", "desktop.ini"})
_DIRECTLY: Final = tr("load the folder with the deployment's own credentials, contest cycle load FOLDER --direct")


@dataclass(frozen=True, slots=True)
class Bounds:
    """Bounds of a zip: the least that a whole cycle needs with room to spare, and the most that one function can
    process."""

    directory: int = 16 * _MIB
    """Largest list of its members, in bytes."""
    members: int = 50_000
    path: int = 1024
    """Longest name with its folders, in bytes: the longest key of the bucket."""
    depth: int = 16
    """Most folders above a file; a cycle's folder has two, the folder that a program packs around it one more."""
    member: int = 2 * _MIB
    """Largest unpacked file, in bytes. A part of a set that is downloaded holds at least one whole file."""
    whole: int = 384 * _MIB
    """Most bytes of all files, unpacked."""
    ratio: int = 200
    """Most unpacked bytes per packed byte in a file of more than ``lenient`` bytes; JSON has some ten, rarely 50."""
    lenient: int = 64 * _KIB


BOUNDS: Final = Bounds()


class FilesInMemory:
    """Files by their names, as a :class:`contest.cycle.set_files.Source`."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = dict(files)
        self._folders: dict[str, list[str]] = {}
        for path in sorted(self.files):
            folder, _, name = path.rpartition("/")
            self._folders.setdefault(folder, []).append(name)

    def __len__(self) -> int:
        return len(self.files)

    def everything(self) -> Sequence[str]:
        """Return the names of all files, ascending."""
        return sorted(self.files)

    def names(self, folder: str) -> Sequence[str]:
        """Return the names of the files in a folder (``""`` is the top), ascending. O(1)."""
        return tuple(self._folders.get(folder, ()))

    def read(self, name: str) -> bytes:
        """Return the content of a file; :class:`LookupError` without one. O(1)."""
        return self.files[name]


def head_of(content: bytes, name: str) -> bytes | None:
    """Return a file at the top of a zip, or of the one folder that holds all others; None where none is readable, or
    one is larger than a file may be. Nothing else of the zip is read."""
    if _directory_size(content) > BOUNDS.directory:
        return None
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            named = [member for member in archive.infolist() if member.filename.rpartition("/")[2] == name]
            head = min(named, key=lambda member: member.filename.count("/"), default=None)
            return None if head is None or head.file_size > BOUNDS.member else archive.read(head)
    except broken_archive():
        return None


# Clause: platform §7 import
def open_zip(
    content: bytes, bounds: Bounds = BOUNDS, inside: Sequence[str] = ()
) -> tuple[FilesInMemory, tuple[Fault, ...]]:
    """Return all files of a zip, and every fault of it; where there are any, only whole files were unpacked.

    A folder that holds all the others is passed over, as programs that pack a folder make one, unless it is one of the
    ``inside`` folders of the contest. Hidden files and those left behind by file managers are ignored. O(unpacked
    bytes), at most ``bounds.whole``.
    """
    if _directory_size(content) > bounds.directory:
        return FilesInMemory({}), (_fault("not_a_zip", "", tr("this is no zip, or too large a one")),)
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
    except broken_archive() as error:
        message = tr("this is no zip that can be read: {error}", error=of_archive(error))
        return FilesInMemory({}), (_fault("not_a_zip", "", message),)
    with archive:
        members = [
            member
            for member in archive.infolist()
            if not (member.filename.endswith("/") or is_passed_over(member.filename))
        ]
        faults = [*_crowding(members, bounds)]
        if len(members) <= bounds.members:
            own = (fault for member in members for fault in _faults(member, bounds))
            faults = [*islice(chain(own, _doubles(members)), _MOST_FAULTS), *faults]
        if faults:
            return FilesInMemory({}), tuple(faults)
        files, broken = _unpacked(archive, members)
    return FilesInMemory(_without_root(files, inside)), tuple(broken)


def _directory_size(content: bytes) -> int:
    """Return the bytes of the list of members, as stated at the zip's end; more than any bound if it must not be read.

    This is a zip without an end, with the end of one of more than four gigabytes (its list would be read before it can
    be counted), or with more members than the bound: each costs half a kilobyte of memory once the list is read.
    """
    end = content.rfind(_END, max(0, len(content) - _END_SIZE - _LONGEST_REMARK))
    unreadable = len(content) + BOUNDS.directory + 1
    if end < 0 or len(content) - end < _END_SIZE or content[end - 20 : end - 16] == _END_64:
        return unreadable
    size = int.from_bytes(content[end + 12 : end + 16], "little")
    return unreadable if content.count(_MEMBER, max(0, end - size), end) > 2 * BOUNDS.members else size


def is_passed_over(name: str) -> bool:
    """Say whether a file, by its path, is to be ignored: hidden, or left behind by a file manager."""
    parts = name.split("/")
    hidden = any(part.startswith(".") and part[1:2] not in {"", "."} for part in parts)
    return hidden or parts[0] == "__MACOSX" or parts[-1] in _NOBODYS


def _faults(member: zipfile.ZipInfo, bounds: Bounds) -> Iterator[Fault]:
    name = member.orig_filename
    printable = _CONTROL.sub("�", name[: bounds.path])
    if len(name.encode("utf-8", "surrogatepass")) > bounds.path or name.count("/") > bounds.depth:
        long = tr(
            "a name has at most {path} bytes and stands in at most {depth} folders",
            path=bounds.path,
            depth=bounds.depth,
        )
        yield _fault("long_name", printable, long)
        return
    leaves = any(part in {"", ".", ".."} for part in name.split("/"))
    if leaves or "\\" in name or _CONTROL.search(name) or _DRIVE.match(name):  # out of its folders, on some system
        yield _fault("path", printable, tr("a path leads out of the zip, or no system could keep it"))
    if not member.flag_bits & _UTF_8 and not name.isascii():
        message = tr("the name is neither ASCII nor marked as UTF-8")
        yield _fault("name_encoding", printable, message)
    kind = stat.S_IFMT(member.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        yield _fault("not_a_file", printable, tr("a link or device, not a file"))
    if member.flag_bits & _ENCRYPTED:
        yield _fault("encrypted", printable, tr("the file is encrypted"))
    if member.compress_type not in _READABLE:
        message = tr("compressed in a way that is not read here; use deflate")
        yield _fault("compression", printable, message)
    if member.file_size > bounds.member:
        most = bounds.member // _KIB
        message = tr("a file has at most {most} KiB; {otherwise}", most=most, otherwise=_DIRECTLY)
        yield _fault("too_large", printable, message)
    elif member.file_size > max(bounds.lenient, bounds.ratio * member.compress_size):
        yield _fault("bomb", printable, tr("the file unpacks to far more than it says"))


def _crowding(members: Sequence[zipfile.ZipInfo], bounds: Bounds) -> Iterator[Fault]:
    if len(members) > bounds.members:
        most, count = bounds.members, len(members)
        yield _fault("too_many_files", "", tr("{count} files, at most {most}", count=count, most=most))
    whole, most = sum(member.file_size for member in members), bounds.whole // _MIB
    if whole > bounds.whole:
        message = tr(
            "unpacked it has more than {most} MiB: load it set by set, or {otherwise}", most=most, otherwise=_DIRECTLY
        )
        yield _fault("too_large", "", message)


def _doubles(members: Sequence[zipfile.ZipInfo]) -> Iterator[Fault]:
    """List different names that some system takes for the same one."""
    names: dict[str, str] = {}
    for member in members:
        name = member.filename
        key = unicodedata.normalize("NFC", name).casefold()
        if (first := names.get(key)) is not None:
            yield _fault("doubled", name, tr("the same name as {first}", first=first))
        else:
            names[key] = name


def _unpacked(archive: zipfile.ZipFile, members: Sequence[zipfile.ZipInfo]) -> tuple[dict[str, bytes], list[Fault]]:
    """Unpack members, each up to the size that it states, and verify their checksums."""
    files: dict[str, bytes] = {}
    faults = []
    for member in members:
        try:
            files[member.filename] = archive.read(member)
        except broken_archive() as error:
            message = tr("the file cannot be unpacked: {error}", error=of_archive(error))
            faults.append(_fault("broken", member.filename, message))
    return files, faults


def _without_root(files: Mapping[str, bytes], own: Sequence[str]) -> Mapping[str, bytes]:
    own_roots = {folder.partition("/")[0] for folder in own}
    while len(roots := {name.partition("/")[0] for name in files}) == 1 and all("/" in name for name in files):
        (root,) = roots
        if root in own_roots:
            break
        files = {name.removeprefix(f"{root}/"): content for name, content in files.items()}
    return files


def _fault(code: str, file: str, message: Text) -> Fault:
    return Fault(f"zip_{code}" if not code.endswith("zip") else code, file, message)


MOST: Final = 256 * 1024 * 1024
"""Largest zip, in bytes: the worker holds it in memory together with its unpacked content."""


class ImportKind(StrEnum):
    """Content of an imported zip."""

    CYCLE = "cycle"
    """``cycle.json`` and a folder for each set."""
    SET = "set"
    """The files of one set of the cycle that is loaded."""
    CORPUS = "corpus"
    """Another tool's export, from which a whole cycle is made."""


class ImportState(StrEnum):
    """Progress of an import; the last two states are final. ``CHECKED``: another tool's export would come in as its
    warnings say, and waits for the organizer's word."""

    UPLOADING = "uploading"
    QUEUED = "queued"
    CHECKING = "checking"
    CHECKED = "checked"
    STORING = "storing"
    DONE = "done"
    REFUSED = "refused"


FINAL: Final = frozenset({ImportState.DONE, ImportState.REFUSED})
TOLD: Final = FINAL | {ImportState.CHECKED}
"""States with faults or warnings to read."""
WORKED_ON: Final = frozenset({ImportState.QUEUED, ImportState.CHECKING, ImportState.STORING})
"""States in which a worker processes the import, or should."""


@dataclass(frozen=True, slots=True)
class ImportJob:
    """A worker's job to process an import."""

    import_id: str


@dataclass(frozen=True, slots=True)
class Decided:
    """An organizer's decisions about another tool's export: its subject, and codes of labels (None: left out)."""

    subject: str = ""
    codes: Mapping[str, str | None] = field(default_factory=dict)


NOTHING_DECIDED: Final = Decided()


def undecided_labels(choices: Sequence[Mapping[str, Any]], decided: Decided) -> list[str]:
    """List an export's labels without a code; raises LookupError for a subject or a code that is not offered.

    ``choices`` are those of the outcome: subject, labels, codes.
    """
    offered = [choice for choice in choices if decided.subject in ("", choice["subject"])]
    if choices and len(offered) != 1:
        raise LookupError(decided.subject)
    for choice in offered:
        for code in decided.codes.values():
            if code is not None and code not in choice["codes"]:
                raise LookupError(code)
    return [label for choice in offered for label in choice["labels"] if label not in decided.codes]


@dataclass(frozen=True, slots=True)
class NewCycle:
    """Wishes for a cycle made of an export; ``seed`` None: the first that leaves no set empty."""

    track: str
    name: Mapping[str, str]
    language: str
    subject: str
    split: str
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class ImportOrder:
    """The order of an import: the zip as it is uploaded; ``set_name`` and ``set_kind`` of one set, the kind of a new
    one alone; ``new_cycle`` of an export that becomes a whole cycle."""

    kind: ImportKind
    upload: Upload
    set_name: str = ""
    set_kind: SetKind | None = None
    new_cycle: NewCycle | None = None


@dataclass(frozen=True, slots=True)
class Import:
    """An import as stored; ``version`` counts its writes."""

    import_id: str
    order: ImportOrder
    who: str
    created_at: Millis
    state: ImportState = ImportState.UPLOADING
    files: int = 0
    """Number of files in the zip; 0 before it was opened."""
    read: int = 0
    """Number of read and checked files."""
    stored: int = 0
    """Number of stored objects: items and references."""
    faults: int = 0
    warnings: int = 0
    sent_at: Millis | None = None
    """Time of the last request for a worker."""
    is_confirmed: bool = False
    """True once an organizer has confirmed the loading of another tool's export."""
    decided: Decided = NOTHING_DECIDED
    version: int = 1

    def at(self, state: ImportState, files: int | None = None, read: int = 0, stored: int = 0) -> Import:
        """Return the import in a state, with these counts, or with those it had."""
        after = replace(self, state=state, version=self.version + 1)
        return after if files is None else replace(after, files=files, read=read, stored=stored)


_MOST_SECRET_FIRST: Final = (SetKind.FINAL, SetKind.RESERVE, SetKind.TEST, SetKind.TRAINING)
_INVISIBLE: Final = dict.fromkeys(map(ord, "\u00ad\u200b\u2060\ufeff"))
"""Soft hyphen, zero-width spaces, byte order mark: invisible characters by which copies of a text may differ."""


@dataclass(frozen=True, slots=True)
class Place:
    """An item of a set and the file it was read from."""

    kind: SetKind
    set_name: str
    item_id: str
    file: str

    @property
    def order(self) -> tuple[int, str, str]:
        """Sort key: most confidential set first."""
        return _MOST_SECRET_FIRST.index(self.kind), self.set_name, self.item_id


def fingerprint(text: str) -> bytes:
    """Compute a SHA-256 equal for texts that differ at most in white space, case and how characters are composed."""
    composed = unicodedata.normalize("NFC", text.translate(_INVISIBLE).casefold())
    return hashlib.sha256(" ".join(composed.split()).encode("utf-8", "surrogatepass")).digest()


# Clause: R 2.7, R 2.8
def repeated_texts(places: Mapping[Place, Iterable[bytes]]) -> tuple[Fault, ...]:
    """Return a fault for every text of more than one set, with all its items; by their fingerprints.

    Items that have several texts in common, its versions, are one fault.
    """
    sharing: defaultdict[bytes, set[Place]] = defaultdict(set)
    for place, texts in places.items():
        for digest in texts:
            sharing[digest].add(place)
    groups = {tuple(sorted(together, key=lambda place: place.order)) for together in sharing.values()}
    leaked = (group for group in groups if len({place.set_name for place in group}) > 1)
    faults = []
    for group in sorted(leaked, key=lambda group: [place.order for place in group]):
        listed = ", ".join(f"{place.set_name}: {place.item_id} ({place.file})" for place in group)
        message = tr("one text in several sets: {listed}", listed=listed)
        where = [{"set": place.set_name, "item": place.item_id, "file": place.file} for place in group]
        faults.append(Fault("text_in_several_sets", group[0].file, message, {"places": where}))
    return tuple(faults)


def eligible_items(items: Sequence[Item], language: str) -> tuple[Item, ...]:
    """List the items that a session in this language may get."""
    return tuple(item for item in items if language in {ALL_LANGUAGES, item.language})


def of_groups(items: Sequence[Item], names: Collection[str]) -> tuple[Item, ...]:
    """List the items of the named groups."""
    return tuple(item for item in items if item.group in names)


# Clause: TS U-3, TS T6
def choose_groups(items: Sequence[Item], session_id: str, count: int, per_group: int | None = None) -> tuple[Item, ...]:
    """Sample groups of items without replacement, as :func:`choose_items` samples items; their items in random order.

    The groups are whole, or ``per_group`` items of each. O(n log n).
    """

    def draw(group: str) -> bytes:
        return hashlib.sha256(f"{session_id}\n\n{group}".encode()).digest()

    drawn = frozenset(sorted({item.group for item in items}, key=draw)[:count])
    possible = [item for item in items if item.group in drawn]
    if per_group is not None:
        groups = ([item for item in possible if item.group == group] for group in sorted(drawn))
        possible = [item for group in groups for item in choose_items(group, session_id, per_group)]
    return choose_items(possible, session_id, len(possible))


# Clause: R 6.4
def choose_items(items: Sequence[Item], session_id: str, count: int) -> tuple[Item, ...]:
    """Sample without replacement, in random order, seeded by the session's id.

    Items are ordered by SHA-256 of session id and item id and the first ``count`` taken: uniform over samples and
    orders as far as the hash is, the same in every language and version of anything, independent of the order of
    ``items``. O(n log n).
    """

    def draw(item: Item) -> bytes:
        return hashlib.sha256(f"{session_id}\n{item.item_id}".encode()).digest()

    return tuple(sorted(items, key=draw)[:count])


def drawn_at(text: bytes, seed: int) -> Fraction:
    """Return the point from 0 to 1 of a text by its :func:`fingerprint`: SHA-256 of the seed and it."""
    return Fraction(int.from_bytes(hashlib.sha256(f"{seed}\n".encode() + text).digest()), 1 << 256)


def set_of(text: bytes, shares: Mapping[str, Fraction], seed: int) -> str:
    """Return the set of a text by its :func:`fingerprint`: uniform by shares, which make one, whatever texts there are.

    The sets share out the line from 0 to 1 in the order given.
    """
    point, ends = drawn_at(text, seed), accumulate(shares.values())
    return next(name for name, end in zip(shares, ends, strict=True) if point < end)


def split_items(items: Mapping[str, str], shares: Mapping[str, Fraction], seed: int) -> dict[str, list[str]]:
    """Return ids of items for each set, in ascending order. ``items`` maps an id to its stratum, such as its subject;
    every stratum is divided by the shares, whose sum is one, as evenly as whole items allow.

    The division depends on SHA-256 of seed and id, not on the order of the items. :class:`ValueError` for shares whose
    sum is not one. O(n log n + n · sets).
    """
    if sum(shares.values()) != 1 or min(shares.values()) <= 0:
        raise ValueError(shares)

    def drawn(item: str) -> tuple[str, bytes]:
        return items[item], hashlib.sha256(f"{seed}\n{item}".encode()).digest()

    parts: dict[str, list[str]] = {name: [] for name in shares}
    for number, item in enumerate(sorted(items, key=drawn), 1):
        # The set that is furthest behind its share gets the item; ties are broken by name.
        behind = max(sorted(shares), key=lambda name: shares[name] * number - len(parts[name]))
        parts[behind].append(item)
    return {name: sorted(chosen) for name, chosen in parts.items()}
