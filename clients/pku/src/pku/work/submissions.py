"""Bring a submission: measure, announce, upload part by part, hand in, watch to its end.

Killed at any point, the same command goes on: the announcement is written down before it is made, the platform
says which parts are still to come, and handing in twice gives the same receipt.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pku.config import write_private
from pku.errors import CONNECTION_CODES, ExchangeError, PkuError
from pku.wire.exchange import Exchange, Handed, SubmissionInfo, new_key

PART: Final = 64 * 1024**2
"""Bytes of every part but the last one, as the platform takes them."""
MOST_PARTS: Final = 160
FIRST_POLL_S, LONGEST_POLL_S = 1.0, 20.0
_CHUNK: Final = 1024**2
_ROUNDS: Final = 5
"""How often all parts are gone through: one is lost again only where the platform loses what it has taken."""
_ADDRESSES: Final = 5
"""Addresses that are asked for one part; each is refused only where it is over before the part is there."""

Tell = Callable[[int, int], None]
"""Told the bytes that are done and all of them."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A file as it is to be brought: its size, its SHA-256, and that of each part."""

    path: Path
    size: int
    sha256: str
    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is submitted: its kind, to which set (None: the cycle's one test set), which of its groups (none: all)."""

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
        self._write(place, {"key": key, "file": str(measured.path.resolve())})
        return key

    def forget(self, measured: Measured, target: Wanted) -> None:
        """Forget the key, so that the file's next submission is a new one."""
        self._place(measured, target).unlink(missing_ok=True)

    def keep_receipt(self, handed: Handed) -> None:
        """Write a receipt down."""
        place = self.receipt_of(handed.submission.submission_id)
        self._write(place, {"receipt": handed.receipt, "signature": handed.signature})

    def receipt_of(self, submission_id: str) -> Path:
        """Return the file in which a submission's receipt is kept."""
        return self.folder / "receipts" / f"{submission_id}.json"

    def _place(self, measured: Measured, target: Wanted) -> Path:
        identity = [self.url, target.kind, target.set, list(target.groups), measured.sha256, measured.size]
        return self.folder / f"{hashlib.sha256(json.dumps(identity).encode()).hexdigest()[:32]}.json"

    def _write(self, place: Path, content: Any) -> None:
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            write_private(place, json.dumps(content, ensure_ascii=False).encode())
        except OSError as error:
            raise PkuError("journal_write", path=place, why=error.strerror or str(error)) from None


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
        raise PkuError("submission_unreadable", path=path, why=error.strerror or str(error)) from None
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
        why = error.strerror or str(error)
        raise PkuError("submission_unreadable", path=measured.path, why=why) from None
    if size != measured.size or hashlib.sha256(content).hexdigest() != measured.parts[number - 1]:
        raise PkuError("submission_changed", path=measured.path)
    return content
