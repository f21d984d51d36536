"""The port of imports; see :mod:`contest.ports` for what all ports promise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from contest.domain.cycle.importing import Import
from contest.domain.people.teams import Change


class Imports(Protocol):
    """Imports of cycles and sets."""

    def get(self, import_id: str) -> Import | None:
        """The import as last written."""

    def listed(self) -> Sequence[Import]:
        """All that were ever announced, in no order."""

    def unfinished(self) -> Sequence[Import]:
        """All that a worker is at, or should be."""

    def write(self, before: Import | None, after: Import, change: Change | None) -> None:
        """Write an import if the one there is still as it was read (None: there is none).

        ``change``: None where a worker did it.
        """
