"""Start a command: Ctrl-C while it loads, or later, shows no stack trace."""

from __future__ import annotations

from importlib import import_module

INTERRUPTED = 130
"""Exit code of a program that Ctrl-C has ended."""


def start(module: str) -> int | None:
    """Load the module, run its ``main`` and return the exit code."""
    try:
        code: int | None = import_module(module).main()
    except KeyboardInterrupt:
        return INTERRUPTED
    return code
