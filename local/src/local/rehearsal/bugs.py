"""Bugs that can be planted in a copy of the platform, so that the checker is itself checked: each must turn it red.

Each is a change of the contest's own code in every process of the copy, made where a mistake of that kind would be.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

BUGS: Final[dict[str, Callable[[], None]]] = {}


def plant(name: str) -> None:
    """Change this process's platform. KeyError for an unknown bug."""
    BUGS[name]()
