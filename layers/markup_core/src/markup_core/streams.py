"""The process's own streams, as the commands of all packages use them."""

from __future__ import annotations

import io
import shutil
import sys
from typing import Final

_UNLIMITED: Final = 100_000
_LINES: Final = 25


def escape_unshowable() -> None:
    """Let characters that a terminal or a pipe cannot take (cp1251, cp866, ASCII) be escaped instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def columns() -> int:
    """How many columns there are to print in: the terminal's, or those of ``COLUMNS``; a file or a pipe has no end.

    Tables cut nothing for a width that nobody sees: ids and hashes are there to be copied.
    """
    return shutil.get_terminal_size((_UNLIMITED, _LINES)).columns
