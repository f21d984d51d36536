"""Commands that a test types: their exit codes and output."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Protocol


class Printed(Protocol):
    """Return what was printed since the last look, as pytest's ``capsys`` does."""

    def readouterr(self) -> Any: ...


class Command:
    """Run a command in this process; ``first`` are the words that every line begins with."""

    def __init__(self, main: Callable[[list[str]], int], capsys: Printed, *first: str) -> None:
        self._main, self._capsys, self._first = main, capsys, first

    def __call__(self, *arguments: object) -> tuple[int, str, str]:
        """Return the exit code and what stands on standard output and standard error: no traceback."""
        code = self._main([*self._first, *map(str, arguments)])
        printed = self._capsys.readouterr()
        assert "Traceback" not in printed.err
        return code, printed.out, printed.err

    def json(self, *arguments: object) -> Any:
        """Return what the command prints as JSON without a word beside it."""
        code, out, err = self(*arguments, "--json")
        assert (code, err) == (0, "")
        return json.loads(out)
