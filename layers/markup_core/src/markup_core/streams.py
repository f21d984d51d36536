"""The process's own streams, as the commands of all packages use them."""

from __future__ import annotations

import io
import sys


def escape_unshowable() -> None:
    """Let characters that a terminal or a pipe cannot take (cp1251, cp866, ASCII) be escaped instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
