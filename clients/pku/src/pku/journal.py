"""The journal of a runner's steps on disk, so that it can be killed at any instant and continue (platform §6).

A session's journal is a file of JSON lines that only grows: ``opened``, and for each file ``received`` (with the
essay), ``solved`` (with the answer and the key it is sent under), ``sent`` (with the receipt; ``turned`` in a dialogue
that goes on) or ``failed`` (with the reason). Each line is on the disk before the next step is taken. A line that was
torn by a kill or a power cut is the last one by construction: it is cut off, and its step is taken again, which is
harmless, because every step is either local or idempotent on the platform.

One runner has a session: an exclusive lock of the operating system, on a file that is never deleted, which the system
releases when its holder dies. The number of the holding process stands in it for the message only.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from markup_core.lazy import dataclass
from pku.answers import FileOut, Order, Receipt, SessionInfo
from pku.config import write_json
from pku.errors import Failure, PkuError, of_system
from pku.exchange import new_key

if sys.platform == "win32":
    import msvcrt

    def _seize(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _seize(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


_PID_AT = 1
"""Offset of the process number: after the locked byte, where other processes may read it on every system."""


class Lock:
    """Exclusive lock on a file, held from :meth:`acquire` to :meth:`release` or the end of the process."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._handle: int | None = None

    def acquire(self) -> None:
        """Take the lock at once, or raise :class:`PkuError` ``session_in_use``."""
        handle = os.open(self._path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
        try:
            _seize(handle)
        except OSError:
            holder = os.pread(handle, 32, _PID_AT).decode("ascii", "replace").strip() or "?"
            os.close(handle)
            raise PkuError("session_in_use", pid=holder) from None
        os.ftruncate(handle, 0)
        os.pwrite(handle, f" {os.getpid()}\n".encode(), 0)
        self._handle = handle

    def release(self) -> None:
        """Give the lock up; without one nothing happens."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


FILE: Final = "journal.jsonl"
LOCK: Final = "lock"
OPENING: Final = "opening.json"

Json = Any


@dataclass(frozen=True, slots=True)
class Entry:
    """The journal's record of one file. ``due`` is the last moment for its answer by this machine's clock."""

    number: int
    file: FileOut | None = None
    due: float = 0.0
    answer: str | None = None
    key: str | None = None
    receipt: Receipt | None = None
    failure: Failure | None = None
    is_empty: bool = False
    """True if the sent answer has no fragment."""

    @property
    def unsent(self) -> bool:
        """Return whether there is an answer that the platform has not acknowledged."""
        return self.answer is not None and self.receipt is None and self.failure is None

    @property
    def unsolved(self) -> bool:
        """Return whether there is a file to which no answer is on its way."""
        return self.file is not None and self.receipt is None and not self.unsent


class Journal:
    """A session's journal. Writing needs the lock (``with journal:``), reading does not.

    Safe between the threads of one runner.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.session_id = folder.name
        self._path = folder / FILE
        self._lock = Lock(folder / LOCK)
        self._thread = threading.Lock()
        self._handle: int | None = None
        self._size = 0
        self._entries: dict[int, Entry] = {}

    def __enter__(self) -> Journal:
        self.folder.mkdir(parents=True, exist_ok=True)
        self._lock.acquire()
        try:
            self._recover()
        except BaseException:
            self._lock.release()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None
        self._lock.release()

    @property
    def entries(self) -> Mapping[int, Entry]:
        """Return the entries of the files, by number; after :meth:`__enter__` or :meth:`read`."""
        return self._entries

    def entry(self, number: int) -> Entry:
        """Return the entry of a file; an empty one if the journal has none."""
        return self._entries.get(number, Entry(number))

    def read(self) -> Mapping[int, Entry]:
        """Read the journal without the lock, as far as it is written."""
        self._entries = _replayed(record for _, record in _records(self._path))
        return self._entries

    def files(self) -> Mapping[int, FileOut]:
        """Return every file as it was handed out first, whatever its fate; read from the disk."""
        files: dict[int, FileOut] = {}
        for _, record in _records(self._path):
            if record["kind"] == "received":
                files.setdefault(record["number"], FileOut(**record["file"]))
        return files

    def opened(self, session: SessionInfo) -> None:
        """Record that the session was opened or found."""
        self._append({"kind": "opened", "session": {k: v for k, v in session.raw.items() if k != "deliveries"}})

    def received(self, file: FileOut, due: float) -> None:
        """Record that a file was handed out; ``due`` is the last moment for its answer by this machine's clock."""
        wire = {name: getattr(file, name) for name in FileOut.__slots__}
        self._append({"kind": "received", "number": file.number, "file": wire, "due": due})

    def solved(self, number: int, answer: str) -> None:
        """Record an answer that was computed, and fix the key under which it will be sent."""
        self._append({"kind": "solved", "number": number, "answer": answer, "key": new_key()})

    def sent(self, number: int, receipt: Receipt) -> None:
        """Record that the platform acknowledged the answer."""
        self._append({"kind": "sent", "number": number, "receipt": receipt.raw})

    def turned(self, number: int, receipt: Receipt) -> None:
        """Record that the platform acknowledged a turn of a dialogue that goes on."""
        turn = {"receipt": receipt.raw, "dialogue": receipt.dialogue}
        self._append({"kind": "turned", "number": number, **turn})

    def failed(self, number: int, failure: Failure) -> None:
        """Record that a file has no answer: the solver failed, or the platform refused its output."""
        wire = {name: getattr(failure, name) for name in Failure.__slots__}
        self._append({"kind": "failed", "number": number, "failure": wire})

    def _recover(self) -> None:
        existed = self._path.exists()
        self._handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0), 0o600)
        records = list(_records(self._path))
        self._size = records[-1][0] if records else 0
        os.ftruncate(self._handle, self._size)  # cuts a torn line off before anything is written behind it
        self._entries = _replayed(record for _, record in records)
        if not existed:
            _sync_folder(self.folder)

    def _append(self, record: Mapping[str, Json]) -> None:
        line = json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode("utf-8") + b"\n"
        with self._thread:
            if self._handle is None:
                raise RuntimeError("the journal is written under its lock only")
            try:
                self._write(self._handle, line)
            except OSError as error:
                os.ftruncate(self._handle, self._size)
                raise PkuError("journal_write", path=self._path, why=of_system(error)) from None
            self._size += len(line)
            _replay(self._entries, record)

    def _write(self, handle: int, line: bytes) -> None:
        """Write a line to the disk itself. A method of its own, so that tests can cut it off anywhere."""
        rest = memoryview(line)
        while rest:
            rest = rest[os.write(handle, rest) :]
        os.fsync(handle)


class Journals:
    """All journals of a machine, one folder per session, and the opening that is under way."""

    def __init__(self, folder: Path, make: Callable[[Path], Journal] = Journal) -> None:
        self.folder = folder
        self._make = make

    def of(self, session_id: str) -> Journal:
        """Return the journal of a session, which need not exist yet."""
        if not session_id or not session_id.replace("-", "").replace("_", "").isalnum():
            raise PkuError("bad_session_id", session_id=session_id)
        return self._make(self.folder / session_id)

    def keep_run(self, run_id: str, run: Json, record: str | None = None) -> None:
        """Keep what a run has promised and decided by now, and the hash of its record: later it shall be compared.

        What is kept is added to and never changed: where the run says something else now, the earlier word stays.
        """
        stored = self.kept_run(run_id)
        before, now = stored["amendments"], run["amendments"]
        updated = {
            "commitment": stored["commitment"] or run["commitment"],
            "amendments": now if now[: len(before)] == before else before,
            "roster": stored["roster"] or run.get("roster"),
            "record": stored["record"] or record,
        }
        if updated != stored:
            write_json(self._kept_run(run_id), updated)

    def kept_run(self, run_id: str) -> Json:
        """Return the stored ``commitment``, ``amendments``, ``roster`` and ``record``; None and empty if missing."""
        nothing: Json = {"commitment": None, "amendments": [], "roster": None, "record": None}
        try:
            return nothing | json.loads(self._kept_run(run_id).read_bytes())
        except (OSError, ValueError, TypeError):
            return nothing

    def _kept_run(self, run_id: str) -> Path:
        return self.folder / "runs" / f"{run_id}.json"

    def sessions(self) -> tuple[str, ...]:
        """Return the sessions that have a journal on this machine, the latest written first."""
        dated = [(path.stat().st_mtime, path.parent.name) for path in self.folder.glob(f"*/{FILE}")]
        return tuple(name for _, name in sorted(dated, reverse=True))

    def opening_key(self, order: Order) -> str:
        """Return the key that opens a session; kept until :meth:`opened`, so that a crash in between opens one."""
        path = self.folder / OPENING
        order_body = dict(order.to_wire())
        try:
            stored = json.loads(path.read_bytes())
            if stored["order"] == order_body:
                return str(stored["key"])
        except (OSError, ValueError, KeyError, TypeError):
            pass  # none, or none of use: a new key opens a new session
        key = new_key()
        write_json(path, {"order": order_body, "key": key})
        return key

    def opened(self, session: SessionInfo) -> Journal:
        """Begin the journal of a session that was just opened."""
        journal = self.of(session.session_id)
        with journal:
            journal.opened(session)
        self.forget_opening()
        return journal

    def forget_opening(self) -> None:
        """Delete the key of the opening, which has succeeded or was refused for good."""
        (self.folder / OPENING).unlink(missing_ok=True)


def _records(path: Path) -> Iterator[tuple[int, Mapping[str, Json]]]:
    """Yield the whole records of a file, each with the offset behind it; none where there is no file.

    A torn last line is skipped, a damaged one before it raises.
    """
    content, start = path.read_bytes() if path.exists() else b"", 0
    while (end := content.find(b"\n", start)) >= 0:
        try:
            record = json.loads(content[start:end])
            whole = isinstance(record, dict) and "kind" in record
        except ValueError:
            whole = False
        if not whole:
            if content.find(b"\n", end + 1) >= 0:
                raise PkuError("journal_damaged", path=path, offset=start) from None
            return
        start = end + 1
        yield start, record


def _replayed(records: Iterator[Mapping[str, Json]]) -> dict[int, Entry]:
    entries: dict[int, Entry] = {}
    for record in records:
        _replay(entries, record)
    return entries


def _replay(entries: dict[int, Entry], record: Mapping[str, Json]) -> None:
    """Apply one record. Essay and answer are let go once the receipt is there: a session may hold a thousand."""
    if record["kind"] == "opened":
        return
    number = record["number"]
    entry = entries.get(number, Entry(number))
    match record["kind"]:
        case "received":
            entry = replace(entry, file=FileOut(**record["file"]), due=record["due"])
        case "solved":
            entry = replace(entry, answer=record["answer"], key=record["key"], failure=None)
        case "sent":
            # A markup without a fragment is empty; other contests have answers that say nothing rightly.
            answer = None if entry.answer is None else json.loads(entry.answer)
            is_empty = isinstance(answer, dict) and answer.get("selections") == []
            receipt = Receipt.read(record["receipt"])
            entry = replace(entry, receipt=receipt, file=None, answer=None, failure=None, is_empty=is_empty)
        case "turned" if entry.file is not None:
            file = replace(entry.file, dialogue=record["dialogue"])
            entry = replace(entry, file=file, answer=None, key=None, failure=None)
        case "failed":
            entry = replace(entry, failure=Failure(**record["failure"]), answer=None)
    entries[number] = entry


def _sync_folder(folder: Path) -> None:
    """Put a new file's name on the disk too; Windows knows no such thing and needs none."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
