"""Data sets on disk: fetched as one file or in checked parts, resumed after an interruption, laid out as a set."""

from __future__ import annotations

import hashlib
import io
import json
import lzma
import os
import re
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pku.errors import CONNECTION_CODES, ExchangeError, PkuError, of_system
from pku.wire.answers import DataSet, SetPack, SetPart
from pku.wire.exchange import Exchange

SUMS: Final = "SHA256SUMS"
"""What ``sha256sum -c`` reads, and by which a folder is known as a set's."""
_PARTS: Final = ".pku-parts"
_SET: Final = ".pku-set"
"""The SHA-256 of the set whose files a folder has."""
_NAME: Final = re.compile(r"""(?!\.)[^/\\:*?"<>|\x00-\x1f]{1,80}\.json""")
_BROKEN: Final = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError, RuntimeError)
"""What reading a zip that is none can raise; a method that is not known or a password is a RuntimeError."""
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
    told = exchange.data_set(name)
    before = _sums(folder)
    if before is None and folder.is_dir() and any(each.name not in {_PARTS, _SET} for each in folder.iterdir()):
        raise PkuError("data_folder_in_use", path=folder)
    try:
        return _fetch(exchange, told, folder, before or {}, on_progress)
    except OSError as error:
        raise PkuError("data_write", path=folder, why=of_system(error)) from None


def _fetch(exchange: Exchange, told: DataSet, folder: Path, before: dict[str, str], on_progress: Tell) -> Fetched:
    aside = folder / _PARTS
    if not aside.exists() and _is_whole(folder, before, told):
        on_progress(1, 1)
        return Fetched(told, len(before), 0)
    aside.mkdir(parents=True, exist_ok=True)
    if told.pack is not None:
        fetched, sums = _as_one(exchange, told, told.pack, folder, on_progress)
    else:
        fetched, sums = _in_parts(exchange, told, folder, on_progress)
    for gone in set(before) - set(sums):
        (folder / gone).unlink(missing_ok=True)
    _write(folder / SUMS, "".join(f"{digest}  {name}\n" for name, digest in sorted(sums.items())).encode())
    _write(folder / _SET, told.sha256.encode())
    shutil.rmtree(aside)
    return Fetched(told, len(sums), fetched)


def _in_parts(exchange: Exchange, told: DataSet, folder: Path, on_progress: Tell) -> tuple[int, dict[str, str]]:
    """Return how many parts came, and the names of the files with their SHA-256."""
    fetched, aside = 0, folder / _PARTS
    for done, part in enumerate(told.parts):
        on_progress(done, len(told.parts))
        fetched += _bring(exchange, told.name, part, aside / f"{part.sha256}.json")
    on_progress(len(told.parts), len(told.parts))
    return fetched, _unpacked([aside / f"{part.sha256}.json" for part in told.parts], folder)


def _as_one(
    exchange: Exchange, told: DataSet, pack: SetPack, folder: Path, on_progress: Tell
) -> tuple[int, dict[str, str]]:
    """The same of a set that comes as one file; another address for each try."""
    place = folder / _PARTS / f"{pack.sha256}.zip"
    on_progress(0, 1)
    content = place.read_bytes() if place.exists() else b""
    fetched = 0
    for tried in range(_TRIES):
        if _sha256(content) == pack.sha256:
            break
        try:
            content, fetched = exchange.set_pack(told.name, pack.size), 1
        except ExchangeError as error:
            if error.code not in _AGAIN or tried == _TRIES - 1:
                raise
    else:
        if _sha256(content) != pack.sha256:
            raise PkuError("data_pack_damaged")
    if fetched:
        _write(place, content)
    on_progress(1, 1)
    return fetched, _unzipped(content, folder, told)


def _unzipped(content: bytes, folder: Path, told: DataSet) -> dict[str, str]:
    """Write the files of the zip, none before all are read: no more of them, and no more bytes, than the set has."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = archive.infolist()
            names = {each.filename for each in members}
            if len(members) != told.files or len(names) != told.files:
                raise PkuError("data_pack_damaged")
            if sum(each.file_size for each in members) > told.size:
                raise PkuError("data_pack_damaged")
            files = {each.filename: archive.read(each) for each in members}
    except _BROKEN:
        raise PkuError("data_pack_damaged") from None
    for name in files:
        if not _NAME.fullmatch(name):
            raise PkuError("data_bad_name", name=name)
    for name, each in files.items():
        _write(folder / name, each)
    return {name: _sha256(each) for name, each in files.items()}


def _bring(exchange: Exchange, name: str, part: SetPart, place: Path) -> int:
    """A part on disk; whether it had to be fetched."""
    if place.exists() and _sha256(place.read_bytes()) == part.sha256:
        return 0
    for _ in range(_TRIES):
        content = exchange.set_part(name, part.number)
        if _sha256(content) == part.sha256:
            _write(place, content)
            return 1
    raise PkuError("data_damaged", number=part.number)


def _unpacked(parts: list[Path], folder: Path) -> dict[str, str]:
    """Write the files of the parts; their names with their SHA-256."""
    sums: dict[str, str] = {}
    for each in parts:
        for file in json.loads(each.read_bytes())["files"]:
            name, content = str(file["name"]), str(file["text"]).encode("utf-8")
            if not _NAME.fullmatch(name):
                raise PkuError("data_bad_name", name=name)
            sums[name] = _sha256(content)
            if sums[name] != file["sha256"]:
                raise PkuError("data_damaged", number=name)
            _write(folder / name, content)
    return sums


def _is_whole(folder: Path, before: dict[str, str], told: DataSet) -> bool:
    """Return whether a folder has all files of the set as it is now."""
    try:
        of_it = (folder / _SET).read_text("utf-8") == told.sha256 and len(before) == told.files
        return of_it and all(_sha256((folder / name).read_bytes()) == digest for name, digest in before.items())
    except FileNotFoundError:
        return False


def _sums(folder: Path) -> dict[str, str] | None:
    """Names and SHA-256 of the files that were brought into a folder; None for one of somebody else's."""
    try:
        lines = (folder / SUMS).read_text("utf-8").splitlines()
    except (FileNotFoundError, NotADirectoryError):
        return None
    pairs = (line.split("  ", 1) for line in lines)
    return {name: digest for digest, name in pairs if _NAME.fullmatch(name)}


def _write(place: Path, content: bytes) -> None:
    """A file that is whole or not there."""
    handle, name = tempfile.mkstemp(dir=place.parent, prefix=".pku-")
    with os.fdopen(handle, "wb") as file:
        file.write(content)
    Path(name).replace(place)


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
