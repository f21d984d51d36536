"""Helpers with which tests observe other processes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from local.clock import monotonic_s

PATIENCE_S: Final = 10
"""Longest wait of a test for another process, in seconds."""


def eventually(condition: Callable[[], bool]) -> bool:
    """Return True if a condition that another process brings about holds within ``PATIENCE_S``."""
    deadline = monotonic_s() + PATIENCE_S
    while not condition():
        if monotonic_s() > deadline:
            return False
    return True


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"  # a zombie of a killed parent waits for whoever adopted it, and holds nothing
