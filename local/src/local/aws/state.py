"""A local cloud's lasting state: the SQLite database in its folder, and the objects of a running cloud.

A state is a set of parts: a table's item or stream record, a reader's position in a stream, an object, a message, a
secret, the accounts. A change gives a part its new value, or None when it is gone. Ids and times stand in the values,
so that nothing is computed anew at a start. Each change is on the disk before anybody is answered: SQLite's write-ahead
log makes changes that happen together stand or fall together, cuts off what a kill has torn, and is synchronized by
each transaction (docs/decisions/0050).
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import threading
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from local.aws.emulator import to_base64, with_bytes
from local.texts import tr
from markup_core.texts import filled

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from local.aws.emulator import Emulator

_BATCH_BYTES = 8 * 1024 * 1024
"""Objects are many and small: so many bytes go in one request."""

_PROBLEMS = {
    "no_state": tr("{folder} is no folder of a local cloud's state"),
    "other_version": tr("{folder} was written by another version of the local cloud"),
    "in_use": tr("another local cloud runs on {folder}"),
    "damaged": tr("the state in {folder} is damaged: put a copy of the folder in its place"),
    "unusable": tr("{folder} cannot be used: {names}"),
    "unknown": tr("{folder} has tables, buckets, queues or secrets that the template does not define: {names}"),
}


class StateError(Exception):
    """The folder is no state of a local cloud, or does not fit this one; nothing was changed."""


def keep(emulator: Emulator, folder: Path, variables: Mapping[str, str], readers: Mapping[str, Sequence[str]]) -> None:
    """Have the AWS services take the state of a folder, and keep it there from now on.

    `variables` are told to the functions instead of the template's; `readers` are those of each table's stream.
    StateError when the folder is no such state, another cloud's, or of a cloud with other variables.
    """
    for name, value in variables_of(folder).items():
        if name in variables and variables[name] != value:
            raise StateError(
                tr(
                    "the state is of a cloud with {name}={value}, this one has {running}; a cloud that is "
                    "started from it takes its name: hurdle up --state FOLDER, without --cycle",
                    name=name,
                    value=value,
                    running=variables[name],
                )
            )
    answer = emulator.call("keep", folder=str(folder.resolve()), variables=variables, readers=readers)
    if answer["problem"]:
        raise _refused(folder, *answer["problem"])


def variables_of(folder: Path) -> dict[str, str]:
    """Return the variables of the cloud whose state a folder has; none of one that is empty or not there yet.

    StateError for any other folder.
    """
    try:
        return _stored_variables(folder)
    except StateFolderError as error:
        raise _refused(folder, *error.args) from error


def _refused(folder: Path, problem: str, *names: str) -> StateError:
    return StateError(filled(_PROBLEMS[problem], folder=folder, names=", ".join(names)))


def objects(emulator: Emulator, buckets: list[str], prefix: str = "") -> Iterator[dict[str, Any]]:
    """Yield every object of these buckets whose key begins so, by bucket and key, its content in base 64."""
    after: list[str] = ["", ""]
    ask = {"buckets": buckets, "prefix": prefix, "limit": _BATCH_BYTES}
    while batch := emulator.call("objects", after=after, **ask)["objects"]:
        after = [batch[-1]["bucket"], batch[-1]["key"]]
        yield from batch


FILE: Final = "state.sqlite"
ITEM, RECORD, READER, OBJECT = "item", "record", "reader", "object"
MESSAGE, SECRET, ACCOUNTS = "message", "secret", "accounts"
_FORMAT: Final = 3
"""Number of the format, in SQLite's ``user_version``; 0 while a database is being made."""
_RESERVE_BYTES: Final = 64 * 1024 * 1024
"""Bytes of free disk below which requests that change something are refused before they do."""
_PREDECESSOR_S: Final = 10.0
"""A cloud that was killed leaves its folder within moments."""
_SCHEMA: Final = f"""
BEGIN;
CREATE TABLE variable (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE part (kind TEXT, place TEXT, name TEXT, value TEXT NOT NULL, content BLOB,
    PRIMARY KEY (kind, place, name));
PRAGMA user_version = {_FORMAT};
"""
_PUT: Final = "INSERT OR REPLACE INTO part VALUES (?, ?, ?, ?, ?)"
_DELETE: Final = "DELETE FROM part WHERE kind = ? AND place = ? AND name = ?"
_DELETE_READ: Final = """
DELETE FROM part WHERE kind = 'record' AND place = ?1 AND CAST(name AS INTEGER) <
    (SELECT min(CAST(value AS INTEGER)) FROM part WHERE kind = 'reader' AND place = ?1)
"""
_ROWS: Final = "SELECT kind, place, name, value, content FROM part ORDER BY rowid"
"""Select parts in the order of their last change, in which a queue delivers its messages."""

Part = tuple[str, str, str]
"""A kind, the place (a table, bucket or queue) and the name of a part of the state."""


_Row = tuple[Part, str | None, bytes | None]
"""A part with its new value in JSON, None when it is gone, and an object's content."""


class StateFolderError(Exception):
    """The folder cannot be used; the first argument names the reason, as in `_PROBLEMS`."""


class Change(NamedTuple):
    """A part's new value, None when it is gone, and an object's content."""

    part: Part
    value: Any
    content: bytes | None = None


class StateDatabase:
    """The database in a folder, open for this process alone. StateFolderError if it is another cloud's, or damaged."""

    def __init__(self, folder: Path, variables: Mapping[str, str]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._noting, self._writing = threading.Lock(), threading.Lock()
        self._pending: list[_Row] = []
        self._noted = self._on_disk = 0
        path = folder / FILE
        try:
            self._database = sqlite3.connect(
                path, timeout=_PREDECESSOR_S, isolation_level=None, check_same_thread=False
            )
        except sqlite3.Error as error:
            raise _problem(error) from error
        try:
            self._open(variables)
        except StateFolderError:
            self._database.close()
            raise
        except sqlite3.Error as error:
            self._database.close()
            raise _problem(error) from error

    def _open(self, variables: Mapping[str, str]) -> None:
        for setting in ("locking_mode = EXCLUSIVE", "journal_mode = WAL", "synchronous = FULL"):
            self._database.execute(f"PRAGMA {setting}")
        self._database.execute("BEGIN IMMEDIATE")
        self._database.execute("COMMIT")
        if self._database.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
            raise StateFolderError("damaged")
        if self._database.execute("PRAGMA user_version").fetchone() == (0,):
            self._database.executescript(_SCHEMA)
            self._database.executemany("INSERT INTO variable VALUES (?, ?)", variables.items())
            self._database.execute("COMMIT")

    def close(self) -> None:
        """Let go of the folder."""
        self._database.close()

    def has_room(self) -> bool:
        """Return whether the disk has room for changes: without it none may be made."""
        free = os.statvfs(self._folder)
        return free.f_bavail * free.f_frsize > _RESERVE_BYTES

    def places(self) -> set[tuple[str, str]]:
        """Return the kinds and places that have parts; secrets have their names as places."""
        place = "CASE kind WHEN 'secret' THEN name ELSE place END"
        return set(self._database.execute(f"SELECT DISTINCT kind, {place} FROM part"))  # noqa: S608 - no foreign text

    def rows(self) -> Iterator[tuple[Part, Any, bytes | None]]:
        """Yield each part with its value and content, in the order in which they were last changed; items' bytes are
        bytes again."""
        for kind, place, name, value, content in self._database.execute(_ROWS):
            yield (kind, place, name), json.loads(value, object_hook=with_bytes if kind == ITEM else None), content

    def note(self, changes: Iterable[Change]) -> None:
        """Take changes that happen together; whoever learns of them waits first.

        Values are encoded here: they may be moto's own, which the next request changes.
        """
        noted = [
            (part, None if value is None else json.dumps(value, separators=(",", ":"), default=to_base64), content)
            for part, value, content in changes
        ]
        if noted:
            with self._noting:
                self._pending += noted
                self._noted += 1

    def wait(self) -> None:
        """Return when everything that was noted is on the disk: one transaction for all who wait.

        A disk that fails ends this process: what it has in its memory must not be told to anybody.
        """
        goal = self._noted
        if self._on_disk >= goal:
            return
        with self._writing:
            if self._on_disk >= goal:  # the previous holder of the lock has written these, too
                return
            with self._noting:
                pending, self._pending, noted = self._pending, [], self._noted
            try:
                self._write(pending)
            except sqlite3.Error as error:
                print(f"the state in {self._folder} cannot be written: {error}", file=sys.stderr, flush=True)
                os._exit(1)
            self._on_disk = noted

    def _write(self, changes: list[_Row]) -> None:
        """Write changes in their order, and forget records that all readers of their stream have passed."""
        self._database.execute("BEGIN IMMEDIATE")
        for part, text, content in changes:
            if text is None:
                self._database.execute(_DELETE, part)
            else:
                self._database.execute(_PUT, (*part, text, content))
        for table in {place for (kind, place, _), _, _ in changes if kind == READER}:
            self._database.execute(_DELETE_READ, (table,))
        self._database.execute("COMMIT")


def _stored_variables(folder: Path) -> dict[str, str]:
    if not folder.exists() or not any(folder.iterdir()):
        return {}
    if not (folder / FILE).exists():
        raise StateFolderError("no_state")
    try:
        with closing(sqlite3.connect(folder / FILE, timeout=_PREDECESSOR_S)) as database:
            (version,) = database.execute("PRAGMA user_version").fetchone()
            if version == _FORMAT:
                return dict(database.execute("SELECT name, value FROM variable"))
    except sqlite3.Error as error:
        raise _problem(error) from error
    if version:
        raise StateFolderError("other_version")
    return {}


def _problem(error: sqlite3.Error) -> StateFolderError:
    """Return the refusal of a folder by SQLite's code."""
    if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
        return StateFolderError("in_use")
    if error.sqlite_errorcode in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}:
        return StateFolderError("damaged")
    return StateFolderError("unusable", str(error))
