"""What of a contest's results everybody may have, where they are published as archives (R 7.14, D 14.7).

Each contest's text decides: what it gives over is in the archive, what it closes is left out, and the archive says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from tracks.protocol import Json
from tracks.rules import Text


@dataclass(frozen=True, slots=True)
class ArchiveRules:
    """What an archive says of itself: ``about`` what is in it, ``left_out`` what is not and why, a sentence each.

    ``answers``: the folder of what programs sent. ``waits_at``: the step with which the files of a run begin whose
    archive waits until the results of a final that continues it are out; empty: no run's waits.
    """

    about: Text
    left_out: tuple[Text, ...]
    answers: str = "answers"
    waits_at: str = ""


@runtime_checkable
class Archived(Protocol):
    """A track whose results are published as archives, beside :class:`tracks.protocol.Track`."""

    @property
    def archive_rules(self) -> ArchiveRules:
        """Return what an archive holds and what is left out, by the contest's text."""


@runtime_checkable
class ArchivesAnswers(Archived, Protocol):
    """A track whose finals' archives hold what programs sent."""

    def archived_answer(self, item: Json, answer: Json, file_id: str) -> Json:
        """Return an answer under the item's opaque name, with nothing of the people and machines that made it.

        Of an item with more than one step ``answer`` is the list of its turns, as :meth:`tracks.protocol.Track.score`
        takes them.
        """


@runtime_checkable
class ArchivesReferences(ArchivesAnswers, Protocol):
    """A track whose archives hold items and references, too: what is archived scores as what it was made of."""

    def author_of(self, reference: Json) -> str:
        """By what name a reference says who made it, empty where it says nothing. It is never published."""

    def archived_reference(self, item: Json, reference: Json, file_id: str, expert: str) -> Json:
        """A reference under the item's opaque name, of its author the pseudonym alone."""
