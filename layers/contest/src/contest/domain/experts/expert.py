"""Who may mark up what (R 2.29, platform §5)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

EXPERT_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,99}")
"""The form of a person's id; what separates the parts of a key is not in it."""


@dataclass(frozen=True, slots=True)
class Expert:
    """A person's profile as an expert.

    ``groups`` are conflict groups, say the team or the school somebody works for: two experts who share one never mark
    up the same essay. ``active``: whether new essays come; essays that were assigned before stay. ``pseudonym`` is how
    markups and published tables name the expert.
    """

    expert_id: str
    pseudonym: str
    subjects: frozenset[str]
    languages: frozenset[str]
    groups: frozenset[str] = frozenset()
    active: bool = True
    version: int = 0

    def may_mark(self, language: str, subject: str) -> bool:
        """Whether essays of this kind may be assigned.

        Clause: platform §5 assignment
        """
        return self.active and language in self.languages and subject in self.subjects

    def conflicts_with(self, other: Expert) -> bool:
        """Whether the two must not mark up the same essay.

        Clause: platform §5 assignment
        """
        return bool(self.groups & other.groups)
