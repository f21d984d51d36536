"""What of a contest's markups everybody may have, where its finals are published as archives (R 7.14)."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from tracks.protocol import Json


@runtime_checkable
class Archived(Protocol):
    """A track whose finals are published as archives, beside :class:`tracks.protocol.Track`.

    What is archived scores exactly as what it was made of.
    """

    def author_of(self, reference: Json) -> str:
        """By what name a reference says who made it, empty where it says nothing. It is never published."""

    def archived_reference(self, item: Json, reference: Json, file_id: str, expert: str) -> Json:
        """A reference under the item's opaque name, of its author the pseudonym alone."""

    def archived_answer(self, item: Json, answer: Json, file_id: str) -> Json:
        """An answer under the item's opaque name, with nothing of the people and machines that made it."""
