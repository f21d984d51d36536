"""The journal of a local cloud's state: each change is on the disk before anybody is answered.

A state is a set of parts: a table's item or stream record, a reader's position in a stream, an object, a message, a
secret, the accounts. A change gives a part its new value, or None when it is gone. Ids and times stand in the values,
so nothing is computed anew when a journal is read: the last value of each part is the state.

    cloud.json          the format, and the variables of the cloud
    00000001.journal    frames, oldest first
    lock                held while a cloud runs on the folder

A frame is its lengths and check sums, a line of JSON, and the contents of the objects in it. :meth:`Journal.note` takes
changes in the order in which they happen; :meth:`Journal.wait` returns when all of them are on the disk, with one frame
and one synchronization for all who wait (group commit). So only the last frame can be torn by a kill; nobody was told
of it, and it is cut off. A frame that is not whole and has others behind it is damage, and nothing is taken from there.

When a file has grown beyond what the state itself takes, a new one is begun, and a thread writes the state of all
before it in their place. So the folder is at most a few times as large as the state.
"""

from __future__ import annotations

import fcntl
import json
import os
import struct
import sys
import threading
import time
import zlib
from base64 import b64encode
from collections import defaultdict
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

FORMAT: Final = {"format": "hurdle-local-state", "version": 2}
CLOUD: Final = "cloud.json"
ITEM, RECORD, READER, OBJECT = "item", "record", "reader", "object"
MESSAGE, SECRET, ACCOUNTS = "message", "secret", "accounts"
_BASE: Final = "base"
"""A frame that begins a file which stands for all files before it."""
_HEADER: Final = struct.Struct(">IIII")
"""Lengths of JSON and contents, their check sum, and that of these three numbers."""
_OWN: Final = struct.Struct(">III")
_ENDING: Final = ".journal"
_LEAST_BYTES: Final = 64 * 1024 * 1024
"""A file below this is not compacted: to read it at a start takes two seconds."""
_RESERVE_BYTES: Final = 64 * 1024 * 1024
"""With less room on the disk, requests that change something are refused before they do."""
_PREDECESSOR_S: Final = 10.0
"""A cloud that was killed leaves its folder within moments."""
_LOOK_AGAIN_S: Final = 0.05
_synchronize: Final = getattr(os, "fdatasync", os.fsync)  # macOS has no fdatasync

Part = tuple[str, str, str]
"""A kind, the place (a table, bucket or queue) and the key of a part of the state."""


class JournalError(Exception):
    """The folder cannot be used; the argument names why, as `local.aws.state` words it."""


class Content(NamedTuple):
    """An object's bytes in a file of the journal."""

    path: Path
    offset: int
    size: int

    def read(self) -> bytes:
        """Return the bytes."""
        with self.path.open("rb") as file:
            file.seek(self.offset)
            return file.read(self.size)


class Change(NamedTuple):
    """A part's new value, None when it is gone, and an object's content."""

    part: Part
    value: Any
    content: bytes | None = None


State = dict[Part, tuple[Any, Content | None]]


class Journal:
    """The journal in a folder, open for this process alone. JournalError when it is another cloud's, or damaged."""

    def __init__(self, folder: Path, variables: Mapping[str, str]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._lock_file = _locked(folder)
        if not (folder / CLOUD).exists():
            _write_whole(folder / CLOUD, json.dumps({**FORMAT, "variables": dict(variables)}).encode())
        for unfinished in folder.glob("*.new"):
            unfinished.unlink()
        self._files = sorted(folder.glob(f"*{_ENDING}")) or [folder / f"{1:08}{_ENDING}"]
        try:
            self.state, self.cut_bytes = _folded(self._files)
        except JournalError:
            self._lock_file.close()
            raise
        self._file = os.open(self._files[-1], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        _synchronize_names(folder)
        self._size = os.fstat(self._file).st_size
        self._base_bytes = self._files[0].stat().st_size
        self._pending: list[tuple[bytes, bytes]] = []
        self._noted = self._on_disk = 0
        self._noting, self._writing = threading.Lock(), threading.Lock()
        self._compaction: threading.Thread | None = None

    def has_room(self) -> bool:
        """Return whether the disk has room for changes: without it none may be made."""
        free = os.statvfs(self._folder)
        return free.f_bavail * free.f_frsize > _RESERVE_BYTES

    def note(self, changes: Iterable[Change]) -> None:
        """Take changes that happen together; whoever learns of them waits first."""
        encoded = _encoded(changes)
        if encoded[0]:
            with self._noting:
                self._pending.append(encoded)
                self._noted += 1

    def wait(self) -> None:
        """Return when everything that was noted is on the disk.

        A disk that fails ends this process: what it has in its memory must not be told to anybody.
        """
        wanted = self._noted
        if self._on_disk >= wanted:
            return
        with self._writing:
            if self._on_disk >= wanted:  # whoever held the lock has written these, too
                return
            with self._noting:
                pending, self._pending, noted = self._pending, [], self._noted
            try:
                frame = _frame(pending)
                _write(self._file, frame)
                _synchronize(self._file)
                self._size += len(frame)
                self._on_disk = noted
                if self._size > max(_LEAST_BYTES, self._base_bytes):
                    self._begin_file()
            except OSError as error:
                print(f"the state in {self._folder} cannot be written: {error}", file=sys.stderr, flush=True)
                os._exit(1)

    def _begin_file(self) -> None:
        """Go on in a new file, and have the present ones replaced by the state that they lead to."""
        if self._compaction is not None and self._compaction.is_alive():
            return
        closed = list(self._files)
        fresh = self._folder / f"{int(closed[-1].stem) + 1:08}{_ENDING}"
        file = os.open(fresh, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        _synchronize_names(self._folder)
        os.close(self._file)
        self._file, self._size = file, 0
        self._files = [closed[-1], fresh]
        self._compaction = threading.Thread(target=self._compact, args=(closed,), name="compaction", daemon=True)
        self._compaction.start()

    def _compact(self, files: list[Path]) -> None:
        """Write the state of these files in the place of the last of them, and remove the others."""
        state, _ = _folded(files)
        target = files[-1].with_suffix(".new")
        try:
            with target.open("wb") as written:
                written.write(_frame([_encoded([Change((_BASE, "", ""), 1)])]))
                for part, (value, content) in state.items():
                    change = Change(part, value, None if content is None else content.read())
                    written.write(_frame([_encoded([change])]))
                written.flush()
                os.fsync(written.fileno())
                self._base_bytes = written.tell()
            target.replace(files[-1])
            for file in files[:-1]:
                file.unlink()
            _synchronize_names(self._folder)
        except OSError as error:  # nothing is lost: the files stay as they are, until there is room
            print(f"the state in {self._folder} is not compacted: {error}", file=sys.stderr, flush=True)
            target.unlink(missing_ok=True)


def variables_of(folder: Path) -> dict[str, str]:
    """Return the variables of the cloud whose state a folder has; none of a folder that is empty or not there yet.

    JournalError for any other folder.
    """
    if not folder.exists() or not any(folder.iterdir()):
        return {}
    try:
        described = json.loads((folder / CLOUD).read_text("utf-8"))
        variables: dict[str, str] = described.pop("variables")
    except (OSError, ValueError, KeyError) as error:
        raise JournalError("no_state") from error
    if described != FORMAT:
        raise JournalError("other_version")
    return variables


def _locked(folder: Path) -> BinaryIO:
    """Return the folder's lock; it goes with the process, whatever ends it."""
    file = (folder / "lock").open("wb")
    deadline = time.monotonic() + _PREDECESSOR_S
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            if time.monotonic() > deadline:
                file.close()
                raise JournalError("in_use") from error
            time.sleep(_LOOK_AGAIN_S)
        else:
            return file


def _encoded(changes: Iterable[Change]) -> tuple[bytes, bytes]:
    """Return changes as rows of JSON, without the brackets around them, and the contents of their objects."""
    rows, contents = [], []
    for change in changes:
        rows.append([*change.part, change.value, *([] if change.content is None else [len(change.content)])])
        contents.append(change.content or b"")
    text = json.dumps(rows, ensure_ascii=False, separators=(",", ":"), default=_base64)
    return text[1:-1].encode(), b"".join(contents)


def _frame(encoded: Sequence[tuple[bytes, bytes]]) -> bytes:
    """Return changes as one frame of the journal."""
    head = b"[%b]" % b",".join(rows for rows, _ in encoded)
    body = b"".join(contents for _, contents in encoded)
    own = _OWN.pack(len(head), len(body), zlib.crc32(body, zlib.crc32(head)))
    return own + struct.pack(">I", zlib.crc32(own)) + head + body


def _base64(content: bytes) -> str:
    return b64encode(content).decode()


def _folded(files: list[Path]) -> tuple[State, int]:
    """Return the state that files lead to, and how many bytes of a torn frame were cut off the last one."""
    state: State = {}
    cut = 0
    for path in files if files[-1].exists() else ():
        end = 0
        for part, value, content, whole_until in _changes_of(path):
            end = whole_until
            if part[0] == _BASE:
                state.clear()
            elif value is None:
                state.pop(part, None)
            else:
                state[part] = (value, content)
        cut = path.stat().st_size - end
        if cut and path != files[-1]:
            raise JournalError("damaged")
        if cut:
            os.truncate(path, end)
    behind: defaultdict[str, list[int]] = defaultdict(list)
    for (kind, table, _), (position, _) in state.items():
        if kind == READER:
            behind[table].append(position)
    for part in [part for part in state if part[0] == RECORD and int(part[2]) < min(behind[part[1]], default=0)]:
        del state[part]  # every reader is past it
    return state, cut


def _changes_of(path: Path) -> Iterator[tuple[Part, Any, Content | None, int]]:
    """Yield each change of a file up to a torn frame at its end, with the end of its frame. JournalError for damage."""
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        while len(header := file.read(_HEADER.size)) == _HEADER.size:
            head_bytes, body_bytes, check, own = _HEADER.unpack(header)
            if zlib.crc32(header[: _OWN.size]) != own:
                if any(header) or any(file.read()):  # a machine that lost its power may leave zeros
                    raise JournalError("damaged")
                return
            head = file.read(head_bytes)
            offset = file.tell()
            end = offset + body_bytes
            if zlib.crc32(file.read(body_bytes), zlib.crc32(head)) != check:
                if end < size:
                    raise JournalError("damaged")
                return
            for kind, place, key, value, *sizes in json.loads(head):
                content = Content(path, offset, sizes[0]) if sizes else None
                offset += sum(sizes)
                yield (kind, place, key), value, content, end


def _write(file: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(file, view) :]


def _write_whole(path: Path, content: bytes) -> None:
    """Write a file that is there whole or not at all."""
    fresh = path.with_suffix(".new")
    with fresh.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)
    _synchronize_names(path.parent)


def _synchronize_names(folder: Path) -> None:
    """Bring the folder's list of files to the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
