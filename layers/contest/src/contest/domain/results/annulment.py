"""Annulment of data sets, sessions and results by the organizers, with a way back (D 6.10; platform §7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from contest.domain.moments import MINUTE, Millis

FOLLOWED: Final[Millis] = 10 * MINUTE
"""For so long after a decision the timer looks whether everything follows from it."""


class Annulled(StrEnum):
    """What may be annulled."""

    SET = "set"
    """A data set by its name: no new sessions of it, and those there are count nowhere."""
    SESSION = "session"
    """A session: neither its conclusion nor its result counts."""
    RESULT = "result"
    """A team's result on one board, whatever sessions it has."""


@dataclass(frozen=True, slots=True)
class Annulment:
    """The last decision about a subject; ``holds`` is false where it was taken back. ``board``: of a result."""

    of: Annulled
    subject: str
    board: str
    reason: str
    at: Millis
    holds: bool = True
    version: int = 1

    @property
    def key(self) -> tuple[Annulled, str, str]:
        """What it is about."""
        return self.of, self.subject, self.board


def ground(
    known: Sequence[Annulment], *, session_id: str, set_name: str, team_id: str = "", board: str = ""
) -> Annulment | None:
    """Why a session, or a team's result of it on a board, does not count; None where it does.

    Clause: D 6.10
    """
    keys = (
        (Annulled.SESSION, session_id, ""),
        (Annulled.SET, set_name, ""),
        (Annulled.RESULT, team_id, board),
    )
    held = {each.key: each for each in known if each.holds}
    return next((held[key] for key in keys if key in held), None)


def holds_of_set(known: Sequence[Annulment], set_name: str) -> bool:
    """Whether a data set is annulled."""
    return any(each.holds and each.key == (Annulled.SET, set_name, "") for each in known)
