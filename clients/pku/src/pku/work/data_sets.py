"""Data sets on disk: fetched as one file or in checked parts, resumed after an interruption, laid out as a set."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import shutil
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from markup_core.reading.archives import BROKEN_ARCHIVE
from pku.errors import CONNECTION_CODES, ExchangeError, PkuError, of_system
from pku.wire.answers import DataSet, SetPack, SetPart
from pku.wire.exchange import Exchange

SUMS: Final = "SHA256SUMS"
"""What ``sha256sum -c`` reads, and by which a folder is known as a set's."""
_PARTS: Final = ".pku-parts"
_SET: Final = ".pku-set"
"""The SHA-256 of the set whose files a folder has."""
_NAME: Final = re.compile(r"""(?!\.)[^/\\:*?"<>|\x00-\x1f]{1,80}\.json""")
_TRIES: Final = 3
_AGAIN: Final = CONNECTION_CODES | {"address_over"}

Tell = Callable[[int, int], None]
"""Told the parts that are there and all of them."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """What is on disk now: the set, its files, and how many of its parts came just now (0: all was there); as one file
    it is one."""

    data_set: DataSet
    files: int
    parts_fetched: int


def fetch(exchange: Exchange, name: str, folder: Path, on_progress: Tell) -> Fetched:
    """Bring a set into a folder: ``ID.json`` with ``ID_expNN.json``, and ``SHA256SUMS`` of all of them.

    The folder is new, empty, or one that this function has made: then it becomes what the set is now, and files that
    left the set leave it. Nothing is written into it before every part is there and has the SHA-256 that it should.
    Raises :class:`PkuError`: ``data_folder_in_use``, ``data_damaged``, ``data_write``, ``data_bad_name``.
    """
    data_set = exchange.data_set(name)
    before = _sums(folder)
    if before is None and folder.is_dir() and any(entry.name not in {_PARTS, _SET} for entry in folder.iterdir()):
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
    except BROKEN_ARCHIVE:
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
    with os.fdopen(handle, "wb") as file:
        file.write(content)
    Path(name).replace(place)


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
