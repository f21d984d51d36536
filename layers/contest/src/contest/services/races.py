"""Lost races: read again, decide again, until a write holds (decision 0001, part 3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from contest.errors import BusyError
from contest.ports import LostRaceError

Known = TypeVar("Known")
Written = TypeVar("Written")

ATTEMPTS: Final = 8
"""How often something is decided before the caller is told to come back."""
PATIENT_ATTEMPTS: Final = 100
"""The same where nobody may be sent away: more than there can be writes to lose against."""


def decide_until_written(
    known: Known,
    decide: Callable[[Known], Written],
    read_again: Callable[[], Known],
    attempts: Callable[[Known], int] = lambda _: ATTEMPTS,
) -> Written:
    """Decide on what is known and write it; after a lost race read again and decide again.

    ``decide`` raises :class:`LostRaceError` where somebody else wrote first, and has written nothing then.
    :class:`BusyError` after so many lost races as what is known allows, :data:`ATTEMPTS` as a rule.
    """
    made = 0
    while made < attempts(known):
        if made:
            known = read_again()
        try:
            return decide(known)
        except LostRaceError:
            made += 1
    raise BusyError
