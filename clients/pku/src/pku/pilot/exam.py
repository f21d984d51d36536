"""The exam's pilot program: always the first choice. It shows the exchange and sets a level that is easy to beat."""

from __future__ import annotations

from typing import Any, Final

FIRST: Final = "1"


# Clause: TS T16
def answer(content: dict[str, Any]) -> str:  # noqa: ARG001 - whatever the task is
    """Return the same answer to any task."""
    return FIRST
