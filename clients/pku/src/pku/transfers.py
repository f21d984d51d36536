"""Content too large for one request: data sets are fetched, submissions are brought, both part by part.

A data set comes as one file or in checked parts, and is laid out as a set on disk. A submission is measured, announced,
uploaded, handed in and watched to its end. Killed at any point, the same command goes on: what has come is kept, an
announcement is written down before it is made, the platform says which parts are still to come, and handing in twice
gives the same receipt.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from markup_core.reading.wire import broken_archive
from pku.answers import DataSet, SetPack, SetPart
from pku.config import write_json
from pku.errors import CONNECTION_CODES, ExchangeError, PkuError, of_system
from pku.exchange import Exchange, Handed, SubmissionInfo, new_key

SUMS: Final = "SHA256SUMS"
"""Checksum file in the format of ``sha256sum -c``; a folder is recognized as a set's by it."""
_PARTS: Final = ".pku-parts"
_SET: Final = ".pku-set"
"""The SHA-256 of the set whose files a folder has."""
_NAME: Final = re.compile(r"""(?!\.)[^/\\:*?"<>|\x00-\x1f]{1,80}\.json""")
_TRIES: Final = 3
_AGAIN: Final = CONNECTION_CODES | {"address_over"}

PART: Final = 64 * 1024**2
"""Bytes of every part but the last one, as the platform takes them."""
MOST_PARTS: Final = 160
FIRST_POLL_S, LONGEST_POLL_S = 1.0, 20.0
_CHUNK: Final = 1024**2
_ROUNDS: Final = 5
"""Most rounds over all parts of an upload; another round is needed only where the platform lost a stored part."""
_ADDRESSES: Final = 5
"""Most upload addresses requested for one part; one is refused only if it expires before the part arrives."""

Tell = Callable[[int, int], None]
"""Progress callback with the completed and the total number: parts of a data set, bytes of a submission."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """Result of a fetch: the set on disk, its number of files, and the number of parts fetched by this call (0: all
    were there already); a set fetched as one file has one part."""

    data_set: DataSet
    files: int
    parts_fetched: int


def fetch(exchange: Exchange, name: str, folder: Path, on_progress: Tell) -> Fetched:
    """Bring a set into a folder: ``ID.json`` with ``ID_expNN.json``, and ``SHA256SUMS`` of all of them.

    The folder is new, empty, or one that this function has begun: then it becomes what the set is now, and files that
    left the set leave it. Nothing is written into it before every part is there and has the SHA-256 that it should.
    Raises :class:`PkuError`: ``data_folder_in_use``, ``data_damaged``, ``data_write``, ``data_bad_name``.
    """
    data_set = exchange.data_set(name)
    before = _sums(folder)
    is_begun = before is not None or (folder / _PARTS).exists()
    if not is_begun and folder.is_dir() and any(entry.name != _SET for entry in folder.iterdir()):
        raise PkuError("data_folder_in_use", path=folder)
    try:
        return _fetch(exchange, data_set, folder, before or {}, on_progress)
    except OSError as error:
        raise PkuError("data_write", path=folder, why=of_system(error)) from None


def _fetch(exchange: Exchange, data_set: DataSet, folder: Path, before: dict[str, str], on_progress: Tell) -> Fetched:
    aside = folder / _PARTS
    if not aside.exists() and _is_whole(folder, before, data_set):
        on_progress(1, 1)
        return Fetched(data_set, len(before), 0)
    aside.mkdir(parents=True, exist_ok=True)
    if data_set.pack is not None:
        fetched, sums = _as_one(exchange, data_set, data_set.pack, folder, on_progress)
    else:
        fetched, sums = _in_parts(exchange, data_set, folder, on_progress)
    for gone in set(before) - set(sums):
        (folder / gone).unlink(missing_ok=True)
    _write(folder / SUMS, "".join(f"{digest}  {name}\n" for name, digest in sorted(sums.items())).encode())
    _write(folder / _SET, data_set.sha256.encode())
    shutil.rmtree(aside)
    return Fetched(data_set, len(sums), fetched)


def _in_parts(exchange: Exchange, data_set: DataSet, folder: Path, on_progress: Tell) -> tuple[int, dict[str, str]]:
    """Fetch a set part by part; return how many parts came, and the names of the files with their SHA-256."""
    fetched, aside = 0, folder / _PARTS
    for done, part in enumerate(data_set.parts):
        on_progress(done, len(data_set.parts))
        fetched += _bring(exchange, data_set.name, part, aside / f"{part.sha256}.json")
    on_progress(len(data_set.parts), len(data_set.parts))
    return fetched, _unpacked([aside / f"{part.sha256}.json" for part in data_set.parts], folder)


def _as_one(
    exchange: Exchange, data_set: DataSet, pack: SetPack, folder: Path, on_progress: Tell
) -> tuple[int, dict[str, str]]:
    """Fetch a set as one file, with another address for each try; the return value is that of :func:`_in_parts`."""
    place = folder / _PARTS / f"{pack.sha256}.zip"
    on_progress(0, 1)
    content = place.read_bytes() if place.exists() else b""
    fetched = 0
    for tried in range(_TRIES):
        if _sha256(content) == pack.sha256:
            break
        try:
            content, fetched = exchange.set_pack(data_set.name, pack.size), 1
        except ExchangeError as error:
            if error.code not in _AGAIN or tried == _TRIES - 1:
                raise
    else:
        if _sha256(content) != pack.sha256:
            raise PkuError("data_pack_damaged")
    if fetched:
        _write(place, content)
    on_progress(1, 1)
    return fetched, _unzipped(content, folder, data_set)


def _unzipped(content: bytes, folder: Path, data_set: DataSet) -> dict[str, str]:
    """Write the files of the zip, none before all are read: no more of them, and no more bytes, than the set has."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = archive.infolist()
            names = {member.filename for member in members}
            if len(members) != data_set.files or len(names) != data_set.files:
                raise PkuError("data_pack_damaged")
            if sum(member.file_size for member in members) > data_set.size:
                raise PkuError("data_pack_damaged")
            files = {member.filename: archive.read(member) for member in members}
    except broken_archive():
        raise PkuError("data_pack_damaged") from None
    for name in files:
        if not _NAME.fullmatch(name):
            raise PkuError("data_bad_name", name=name)
    for name, file_content in files.items():
        _write(folder / name, file_content)
    return {name: _sha256(file_content) for name, file_content in files.items()}


def _bring(exchange: Exchange, name: str, part: SetPart, place: Path) -> int:
    """Fetch a part unless it is on disk; return the number of parts fetched."""
    if place.exists() and _sha256(place.read_bytes()) == part.sha256:
        return 0
    for _ in range(_TRIES):
        content = exchange.set_part(name, part.number)
        if _sha256(content) == part.sha256:
            _write(place, content)
            return 1
    raise PkuError("data_damaged", number=part.number)


def _unpacked(parts: list[Path], folder: Path) -> dict[str, str]:
    """Write the files of the parts; return their names with their SHA-256."""
    sums: dict[str, str] = {}
    for part in parts:
        for file in json.loads(part.read_bytes())["files"]:
            name, content = str(file["name"]), str(file["text"]).encode("utf-8")
            if not _NAME.fullmatch(name):
                raise PkuError("data_bad_name", name=name)
            sums[name] = _sha256(content)
            if sums[name] != file["sha256"]:
                raise PkuError("data_damaged", number=name)
            _write(folder / name, content)
    return sums


def _is_whole(folder: Path, before: dict[str, str], data_set: DataSet) -> bool:
    """Return whether a folder has all files of the set as it is now."""
    try:
        of_it = (folder / _SET).read_text("utf-8") == data_set.sha256 and len(before) == data_set.files
        return of_it and all(_sha256((folder / name).read_bytes()) == digest for name, digest in before.items())
    except FileNotFoundError:
        return False


def _sums(folder: Path) -> dict[str, str] | None:
    """Return the names and SHA-256 of a fetched set's files; None for a folder that this kit did not write."""
    try:
        lines = (folder / SUMS).read_text("utf-8").splitlines()
    except (FileNotFoundError, NotADirectoryError):
        return None
    pairs = (line.split("  ", 1) for line in lines)
    return {name: digest for digest, name in pairs if _NAME.fullmatch(name)}


def _write(place: Path, content: bytes) -> None:
    """Write a file atomically."""
    handle, name = tempfile.mkstemp(dir=place.parent, prefix=".pku-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(name).replace(place)
    finally:
        Path(name).unlink(missing_ok=True)


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@dataclass(frozen=True, slots=True)
class Measured:
    """A file to upload: its path, its size in bytes, its SHA-256, and the SHA-256 of each part."""

    path: Path
    size: int
    sha256: str
    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Target of a submission: its kind, the set (None: the cycle's one test set), groups of that set (empty: all)."""

    kind: str
    set: str | None = None
    groups: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Begun:
    """Submissions that were announced from this machine and are not over, a small file each in ``folder``; and the
    receipts of those that were handed in."""

    folder: Path
    url: str = field(default="")

    def key_of(self, measured: Measured, target: Wanted) -> str:
        """Return the key that announces this file; it stays the same until :meth:`forget`."""
        place = self._place(measured, target)
        with suppress(OSError, ValueError, KeyError):
            return str(json.loads(place.read_bytes())["key"])
        key = new_key()
        write_json(place, {"key": key, "file": str(measured.path.resolve())})
        return key

    def forget(self, measured: Measured, target: Wanted) -> None:
        """Forget the key, so that the file's next submission is a new one."""
        self._place(measured, target).unlink(missing_ok=True)

    def keep_receipt(self, handed: Handed) -> None:
        """Write a receipt down."""
        place = self.receipt_of(handed.submission.submission_id)
        write_json(place, {"receipt": handed.receipt, "signature": handed.signature})

    def receipt_of(self, submission_id: str) -> Path:
        """Return the file in which a submission's receipt is kept."""
        return self.folder / "receipts" / f"{submission_id}.json"

    def _place(self, measured: Measured, target: Wanted) -> Path:
        identity = [self.url, target.kind, target.set, list(target.groups), measured.sha256, measured.size]
        return self.folder / f"{hashlib.sha256(json.dumps(identity).encode()).hexdigest()[:32]}.json"


def measure(path: Path, on_progress: Tell) -> Measured:
    """Read a file once. :class:`PkuError`: ``submission_unreadable``, ``submission_empty``,
    ``submission_too_large_here``."""
    whole, parts = hashlib.sha256(), list[str]()
    try:
        size = path.stat().st_size
        if size == 0:
            raise PkuError("submission_empty", path=path)
        if size > MOST_PARTS * PART:
            raise PkuError("submission_too_large_here", path=path, size=size, most=MOST_PARTS * PART)
        done = 0
        with path.open("rb") as file:
            for start in range(0, size, PART):
                part = hashlib.sha256()
                remaining = min(PART, size - start)
                while remaining > 0 and (chunk := file.read(min(_CHUNK, remaining))):
                    remaining -= len(chunk)
                    whole.update(chunk)
                    part.update(chunk)
                    done += len(chunk)
                    on_progress(done, size)
                parts.append(part.hexdigest())
    except OSError as error:
        raise PkuError("submission_unreadable", path=path, why=of_system(error)) from None
    return Measured(path, size, whole.hexdigest(), tuple(parts))


# Clause: TS T13, TS T16
def bring(exchange: Exchange, begun: Begun, measured: Measured, target: Wanted, on_progress: Tell) -> Handed:
    """Announce, bring and hand in; what was done before is not done again.

    Raises :class:`ExchangeError` for what the platform refuses, :class:`PkuError` ``submission_changed`` where the file
    is another one meanwhile.
    """
    submission = _announced(exchange, begun, measured, target)
    for _ in range(_ROUNDS):
        _bring_parts(exchange, submission, measured, on_progress)
        try:
            handed = exchange.submissions.complete(submission.submission_id)
        except ExchangeError as error:
            if error.code != "parts_missing":
                raise
            submission = exchange.submissions.get(submission.submission_id)
        else:
            begun.keep_receipt(handed)
            return handed
    raise PkuError("submission_parts_lost", submission_id=submission.submission_id)


def watch(exchange: Exchange, submission_id: str, on_state: Callable[[SubmissionInfo], None]) -> SubmissionInfo:
    """Wait until a submission is over; ``on_state`` is told each state once, the present one first."""
    last_state, pause = "", FIRST_POLL_S
    while True:
        submission = exchange.submissions.get(submission_id)
        if submission.state != last_state:
            last_state, pause = submission.state, FIRST_POLL_S
            on_state(submission)
        if submission.is_over:
            return submission
        exchange.clock.sleep(pause)
        pause = min(pause * 1.5, LONGEST_POLL_S)


def listed(exchange: Exchange, limit: int) -> tuple[Sequence[Any], Any]:
    """Return the newest submissions, page by page, and what is left of the day."""
    rows, after, quota = list[Any](), None, None
    while len(rows) < limit:
        page = exchange.submissions.page(limit=min(100, limit - len(rows)), after=after)
        rows += page["submissions"]
        quota = page["left_today"] if quota is None else quota
        after = page["next"]
        if after is None:
            break
    return rows, quota


def _announced(exchange: Exchange, begun: Begun, measured: Measured, target: Wanted) -> SubmissionInfo:
    """Return the open submission of this file, or begin another one if the earlier one is over."""
    body = {
        "kind": target.kind,
        "bytes": measured.size,
        "sha256": measured.sha256,
        **({"parts": list(measured.parts)} if len(measured.parts) > 1 else {}),
        **({"set": target.set} if target.set is not None else {}),
        **({"groups": list(target.groups)} if target.groups else {}),
    }
    while True:
        key = begun.key_of(measured, target)
        try:
            submission = exchange.submissions.begin(body, key=key)
        except ExchangeError as error:
            if 400 <= error.status < 500:
                begun.forget(measured, target)
            raise
        if not submission.is_over:
            return submission
        begun.forget(measured, target)


def _bring_parts(exchange: Exchange, submission: SubmissionInfo, measured: Measured, on_progress: Tell) -> None:
    missing = list(submission.missing_parts)
    sizes = {number: min(PART, measured.size - (number - 1) * PART) for number in missing}
    done = measured.size - sum(sizes.values())
    on_progress(done, measured.size)
    for number in missing:
        _bring_part(exchange, submission.submission_id, number, _part(measured, number))
        done += sizes[number]
        on_progress(done, measured.size)


def _bring_part(exchange: Exchange, submission_id: str, number: int, content: bytes) -> None:
    """Put a part; each try has an address of its own: one lives for minutes, and a lost network may last longer."""
    for tried in range(_ADDRESSES):
        try:
            exchange.submissions.put_part(exchange.submissions.place_of_part(submission_id, number), content)
        except ExchangeError as error:
            if error.code not in {"address_over", *CONNECTION_CODES} or tried == _ADDRESSES - 1:
                raise
        else:
            return


def _part(measured: Measured, number: int) -> bytes:
    """Read a part of a file; :class:`PkuError` ``submission_changed`` if it changed since it was measured."""
    try:
        with measured.path.open("rb") as file:
            file.seek((number - 1) * PART)
            content = file.read(PART)
            size = os.fstat(file.fileno()).st_size
    except OSError as error:
        raise PkuError("submission_unreadable", path=measured.path, why=of_system(error)) from None
    if size != measured.size or hashlib.sha256(content).hexdigest() != measured.parts[number - 1]:
        raise PkuError("submission_changed", path=measured.path)
    return content
