"""The folders of the contests' demonstration cycles."""

from __future__ import annotations

from pathlib import Path
from typing import Final

FOLDER = Path(__file__).parents[2] / "demonstration"
_CONTESTS: Final = FOLDER.with_name("contests")
"""Cycles of the other contests, a folder each."""
_DECLARED: Final = FOLDER.parents[1] / "docs/examples/entities"
"""The example of a contest with a measure of its own."""


# Clause: TS T18
def contests() -> tuple[str, ...]:
    """Return the names of the contests with a demonstration, the essays first."""
    others = [path.parent.name for path in _CONTESTS.glob("*/cycle.json")]
    return ("essay", *sorted([*others, *(["custom"] if _DECLARED.is_dir() else [])]))


def folder_of(contest: str) -> Path:
    """Return the folder with a contest's demonstration cycle."""
    return {"essay": FOLDER, "custom": _DECLARED}.get(contest, _CONTESTS / contest)
