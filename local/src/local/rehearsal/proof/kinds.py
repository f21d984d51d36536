"""The kinds of stage that can be rehearsed, as the checker has to know them; written anew from the specification."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from local.rehearsal.proof.oracle import ENDS

ESSAY, EXAM, GEC, SEMIFINAL = "essay", "exam", "gec", "diagnosis-semifinal"
DIALOGUES, PROGRAMS = "diagnosis-final", "fusion"


@dataclass(frozen=True, slots=True)
class Kind:
    """A contest's stage: its boards that are held against a replay, the steps of an item that is scored by all its
    answers, and whether each step is a publication of its own, or all are a dialogue over one (tracks-sessions T2, T3,
    T9). ``ends``: kinds of answers with which such a dialogue is over."""

    track: str
    boards: tuple[str, ...]
    steps: tuple[str, ...] = ()
    publications: int = 1
    ends: frozenset[str] = frozenset()

    @property
    def is_dialogue(self) -> bool:
        """Whether each file is answered in turns."""
        return bool(self.ends)

    @property
    def is_kept_back(self) -> bool:
        """Return whether its archive waits for a final that continues it, which no rehearsal plays (D 14.5)."""
        return self.publications > 1

    def last_of(self, number: int) -> int:
        """The last file of the item to which a file belongs, under which its score is kept."""
        return number + -number % self.publications


KINDS: Final[Mapping[str, Kind]] = MappingProxyType(
    {
        EXAM: Kind("exam", ("grade_norm",)),
        GEC: Kind("gec", ("all", "concentrated")),
        SEMIFINAL: Kind("diagnosis", ("criterion",), ("v3", "v2"), publications=2),
        DIALOGUES: Kind("diagnosis", ("criterion",), ("preliminary", "studies"), ends=ENDS),
    }
)
"""By their names in a history's header; the essays' final, which has checks of its own, is not among them."""
