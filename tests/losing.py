"""Writes whose condition does not hold any more."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from contest.ports import LostRaceError


def loses(write: Callable[[], object]) -> None:
    """Fail a write as if another one had come first, writing nothing."""
    with pytest.raises(LostRaceError):
        write()
