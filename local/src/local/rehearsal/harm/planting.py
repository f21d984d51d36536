"""How a bug is planted: under which name, and in the place of what."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Bug = Callable[[], None]
"""Plants itself in the process that calls it."""


def by_name(*bugs: Bug) -> dict[str, Bug]:
    """Bugs by their names, which are those of their functions with hyphens."""
    return {each.__name__.replace("_", "-"): each for each in bugs}


def put_in(owner: Any, name: str, value: Any) -> None:
    """Put something in the place of a function of a module, or of a method or property of a class.

    AttributeError where there is none of the name: a bug that changes nothing would be seen by no check.
    """
    getattr(owner, name)
    setattr(owner, name, value)
