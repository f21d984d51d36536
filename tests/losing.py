"""Writes whose condition does not hold any more."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from contest.ports import LostRaceError


def loses(write: Callable[[], object]) -> None:
    """The write finds that somebody else wrote first, and writes nothing."""
    with pytest.raises(LostRaceError):
        write()
