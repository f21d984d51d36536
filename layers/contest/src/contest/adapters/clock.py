"""The time: the system's, or what the local cloud's clock file says."""

from __future__ import annotations

import json
import time
from pathlib import Path

from contest.domain.moments import Millis


class SystemClock:
    """:class:`contest.ports.Clock` of the machine."""

    def now(self) -> Millis:
        """See the port."""
        return time.time_ns() // 1_000_000


class FileClock:
    """:class:`contest.ports.Clock` of the local cloud, which can hold and shift the time for all processes at once.

    The file is ``{"held_ms": int | null, "offset_ms": int}``, read at every call: held, the time stands still.
    """

    def __init__(self, path: str) -> None:
        self._path = Path(path)

    def now(self) -> Millis:
        """See the port."""
        said = json.loads(self._path.read_text("utf-8"))
        held = said.get("held_ms")
        return int(held) if held is not None else SystemClock().now() + int(said.get("offset_ms", 0))
