"""Clock, random names, figures in the log, version of the running code.

The time is the system's, or that of the local cloud's clock file. Random names come from the system's generator; names
that are secrets cannot be guessed.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import string
import time
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Final

from contest.people.rules import INVITATION_PREFIX, TOKEN_BYTES, TOKEN_PREFIX
from contest.stored_names import (
    CYCLE_DIMENSION,
    MILLISECONDS,
    NAMESPACE,
    OF_TROUBLE,
    SECONDS,
    SERVICE,
    SERVICE_DIMENSION,
    Figure,
)
from contest.values import SECOND, Millis

_LONGEST: Final[Millis] = 2_500
_LOOK: Final[Millis] = 100
"""Longest sleep between two readings of a clock that may be shifted while a caller waits for it."""
_FILE_LIMIT: Final = 4096
"""Bytes read of the clock's file, which has less than a hundred."""


class SystemClock:
    """:class:`contest.ports.Clock` of the machine."""

    def now(self) -> Millis:
        return time.time_ns() // 1_000_000

    def wait_until(self, moment: Millis) -> Millis:
        last = min(moment, self.now() + _LONGEST)
        while (remaining := last - self.now()) > 0:
            time.sleep(remaining / SECOND)
        return self.now()


class FileClock:
    """:class:`contest.ports.Clock` of the local cloud, which can hold and shift the time for all processes at once.

    The file is ``{"held_ms": int | null, "offset_ms": int}``, read at every call: held, the time stands still.
    """

    def __init__(self, path: str) -> None:
        self._path = path

    def now(self) -> Millis:
        return self._read()[0]

    def wait_until(self, moment: Millis) -> Millis:
        tired = SystemClock().now() + _LONGEST
        now, is_held = self._read()
        while now < moment and not is_held and SystemClock().now() < tired:
            time.sleep(min(moment - now, _LOOK) / SECOND)
            now, is_held = self._read()
        return now

    def _read(self) -> tuple[Millis, bool]:
        # Called a dozen times in a request, hence without path and stream objects.
        descriptor = os.open(self._path, os.O_RDONLY)
        try:
            state = json.loads(os.read(descriptor, _FILE_LIMIT))
        finally:
            os.close(descriptor)
        held_ms = state.get("held_ms")
        if held_ms is not None:
            return int(held_ms), True
        return SystemClock().now() + int(state.get("offset_ms", 0)), False


_ALPHABET: Final = string.ascii_lowercase + string.digits
_LEAST: Final = 10**14


class SystemRandomness:
    """:class:`contest.ports.Randomness`."""

    def session_id(self) -> str:
        """Draw 49 random bits."""
        return _number()

    def run_id(self) -> str:
        """Draw 103 random bits."""
        return _name(20)

    def file_id(self) -> str:
        """Draw 49 random bits."""
        return _number()

    def assignment_id(self) -> str:
        """Draw 103 random bits."""
        return _name(20)

    def pseudonym(self) -> str:
        """Draw 31 random bits."""
        return f"expert-{_name(6)}"

    def salt(self) -> str:
        """Draw 256 random bits."""
        return secrets.token_hex(32)

    def token(self) -> str:
        """Draw 256 random bits."""
        return TOKEN_PREFIX + secrets.token_urlsafe(TOKEN_BYTES)

    def invitation(self) -> str:
        """Draw 256 random bits."""
        return INVITATION_PREFIX + secrets.token_urlsafe(TOKEN_BYTES)

    def token_id(self) -> str:
        return _name(12)


# Clause: platform §3 ids
def _number() -> str:
    """Return 15 digits, the first not 0.

    The earlier clients read an id as a whole number or take only digits (docs/event-channel.md); 15 are exact in
    JavaScript, too. That one could be guessed opens nothing: what a team may see and do is decided by its token, and a
    session of others is to it none at all. Twins: a session is written on condition that its name is free, and drawn
    anew if it is not; a file's name need only be its own within the session, where the file's number is the key.
    """
    return str(_LEAST + secrets.randbelow(9 * _LEAST))


def _name(length: int) -> str:
    return "".join(secrets.choice(_ALPHABET) for _ in range(length))


class LoggedFigures:
    """:class:`contest.ports.Figures` of a function, whose standard output is its log.

    A line in CloudWatch's embedded metric format (Amazon CloudWatch User Guide, "Specification: Embedded metric
    format") costs no call of AWS.
    """

    def __init__(self, cycle: str) -> None:
        self._cycle = cycle

    def note(self, values: Mapping[Figure, float]) -> None:
        reported = {figure: value for figure, value in values.items() if value or figure not in OF_TROUBLE}
        if not reported:
            return
        units = {**dict.fromkeys(SECONDS, "Seconds"), **dict.fromkeys(MILLISECONDS, "Milliseconds")}
        described = {
            "Namespace": NAMESPACE,
            "Dimensions": [[CYCLE_DIMENSION, SERVICE_DIMENSION]],
            "Metrics": [{"Name": figure.value, "Unit": units.get(figure, "Count")} for figure in reported],
        }
        line = {
            "_aws": {"Timestamp": SystemClock().now(), "CloudWatchMetrics": [described]},
            CYCLE_DIMENSION: self._cycle,
            SERVICE_DIMENSION: SERVICE,
            **{figure.value: [float(value)] for figure, value in reported.items()},
        }
        print(json.dumps(line, separators=(",", ":")))


_PACKAGES: Final = ("contest", "tracks", "markup_core")
"""Packages whose sources and data determine scores, reports and leaderboards."""


def identity() -> str:
    """Return the digest of the sources and data that make results. Reads some two hundred files: once per process."""
    whole = hashlib.sha256()
    for package in _PACKAGES:
        folder = Path(str(files(package)))
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.suffix != ".pyc":
                content = path.read_bytes()
                name = f"{package}/{path.relative_to(folder).as_posix()}"
                whole.update(f"{name} {len(content)}\n".encode() + content)
    return whole.hexdigest()
