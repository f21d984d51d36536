"""What functions print: written to files on request, shown on request; problems are shown always."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class Logs:
    """Takes lines by source (a function's name, or a part of the local cloud).

    `folder`: one file per source is written there. `verbose`: every line goes to `screen` (standard error)
    with its source before it; otherwise only problems do.
    """

    def __init__(self, folder: Path | None = None, *, verbose: bool = False, screen: TextIO | None = None) -> None:
        self._folder = folder
        self._verbose = verbose
        self._screen = screen
        self._files: dict[str, TextIO] = {}

    def line(self, source: str, text: str) -> None:
        """Take one line."""
        self._write(source, text)
        if self._verbose:
            self._show(f"{source}: {text}")

    def problem(self, source: str, text: str, details: Sequence[str] = ()) -> None:
        """Take a problem that somebody has to look at; `details` are lines that explain it."""
        for line in (text, *details):
            self._write(source, line)
        self._show("\n".join([f"{source}: {text}", *(f"    {line}" for line in details)]))

    def close(self) -> None:
        """Close the files."""
        for file in self._files.values():
            file.close()
        self._files.clear()

    def _write(self, source: str, text: str) -> None:
        if self._folder is None:
            return
        if source not in self._files:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._files[source] = (self._folder / f"{source}.log").open("a", encoding="utf-8", buffering=1)
        self._files[source].write(text + "\n")

    def _show(self, text: str) -> None:
        print(text, file=self._screen or sys.stderr, flush=True)
