"""What functions print: kept briefly, written to files on request, shown on request, shown in part on a crash."""

from __future__ import annotations

import sys
from collections import defaultdict, deque
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from pathlib import Path

_KEPT_LINES = 30


class Logs:
    """Takes lines by source (a function's name, or a part of the local cloud).

    `folder`: one file per source is written there. `verbose`: every line goes to `screen` with its source
    before it; otherwise only what `report` is told, that is, what somebody has to look at.
    """

    def __init__(self, folder: Path | None = None, *, verbose: bool = False, screen: TextIO | None = None) -> None:
        self._folder = folder
        self._verbose = verbose
        self._screen = screen
        self._kept: dict[str, deque[str]] = defaultdict(lambda: deque(maxlen=_KEPT_LINES))
        self._files: dict[str, TextIO] = {}

    def line(self, source: str, text: str) -> None:
        """Take one line."""
        self._kept[source].append(text)
        if self._folder is not None:
            if source not in self._files:
                self._folder.mkdir(parents=True, exist_ok=True)
                self._files[source] = (self._folder / f"{source}.log").open("a", encoding="utf-8", buffering=1)
            self._files[source].write(text + "\n")
        if self._verbose:
            self._show(f"{source}: {text}")

    def report(self, source: str, problem: str) -> None:
        """Show a problem, and where lines are not shown anyway, the last ones of this source."""
        tail = [] if self._verbose else [f"    {text}" for text in self.tail(source)]
        self.line(source, problem)
        if not self._verbose:
            self._show("\n".join([f"{source}: {problem}", *tail]))

    def tail(self, source: str) -> list[str]:
        """Return the last lines of a source."""
        return list(self._kept[source])

    def close(self) -> None:
        """Close the files."""
        for file in self._files.values():
            file.close()
        self._files.clear()

    def _show(self, text: str) -> None:
        print(text, file=self._screen or sys.stderr, flush=True)
