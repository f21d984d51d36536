"""Mass failure (D 1.7): three or more files that everybody missed at once, proposed to the technical commission."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from contest.domain.moments import Millis, iso
from contest.domain.run.release import Proposal
from contest.domain.run.run import whole_items
from contest.domain.run.schedule import Window

LEAST_FILES: Final = 3
"""Items that have to be late for everybody (D 1.7)."""
LEAST_SESSIONS: Final = 2
"""With a single participant a failure cannot be told from the participant's own."""


class Standing(StrEnum):
    """What became of a proposal."""

    OPEN = "open"
    ACCEPTED = "accepted"
    """All its files are annulled for everybody, most likely replaced."""
    DISMISSED = "dismissed"


@dataclass(frozen=True, slots=True)
class Attendance:
    """One session of a run: when it took part, and which files it missed for a cause that is no decision."""

    session_id: str
    opened_at: Millis
    closed_at: Millis | None
    missed: frozenset[int]

    def saw(self, window: Window) -> bool:
        """Whether the session was there when a file opened."""
        return self.opened_at <= window.opens_at and (self.closed_at is None or self.closed_at > window.opens_at)


def missed_by_all(
    windows: Sequence[Window], sessions: Sequence[Attendance], annulled: Collection[int], publications: int = 1
) -> tuple[int, ...]:
    """The files of items that every session there at an opening missed; annulled ones are settled.

    An item of several files (``publications`` in a row) is lost for a session that missed any of those at whose opening
    it was there; which of them it was may differ from team to team. O(files · sessions).

    Clause: D 1.7, TS D-4, platform §3 mass failure
    """

    def lost(numbers: range) -> bool:
        seen = [(each, [n for n in numbers if each.saw(windows[n - 1])]) for each in sessions]
        there = [(each, opened) for each, opened in seen if opened]
        return len(there) >= LEAST_SESSIONS and all(not each.missed.isdisjoint(opened) for each, opened in there)

    items = (range(first, first + publications) for first in range(1, len(windows) + 1, publications))
    return tuple(number for item in items if lost(item) for number in item if number not in annulled)


def proposed(
    before: Proposal | None, missed: Collection[int], sessions: int, now: Millis, publications: int = 1
) -> Proposal | None:
    """The proposal that is to be written now; None where the one there says it all, or there is nothing to say.

    An open proposal grows with every further item; after a dismissal three new items make a new one.
    ``publications`` are an item's files; all of them are named.

    Clause: D 1.7, TS D-4, platform §3 mass failure
    """
    decided = before is not None and before.body["dismissed"] is not None
    told = set(before.body["numbers"]) if before else set()
    settled = set(before.body["settled"]) | (told if decided else set()) if before else set()
    fresh = set(whole_items(missed, publications)) - told - settled
    open_one = before is not None and not decided
    if not fresh or (not open_one and len(fresh) < LEAST_FILES * publications):
        return None
    body: dict[str, Any] = {
        "numbers": sorted(fresh | (told if open_one else set())),
        "sessions": sessions,
        "found_at": before.body["found_at"] if before is not None and open_one else iso(now),
        "settled": sorted(settled),
        "dismissed": None,
    }
    return Proposal(body, before.version + 1 if before else 1)


def dismissed(before: Proposal, who: str, reason: str, now: Millis) -> Proposal:
    """The proposal after the commission found that the platform was not at fault."""
    decision = {"who": who, "at": iso(now), "reason": reason}
    return Proposal({**before.body, "dismissed": decision}, before.version + 1)


def standing(found: Proposal, annulled: Collection[int]) -> Standing:
    """What became of a proposal."""
    if found.body["dismissed"] is not None:
        return Standing.DISMISSED
    return Standing.ACCEPTED if set(found.body["numbers"]) <= set(annulled) else Standing.OPEN
