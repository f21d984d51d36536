"""Places on a gec contest's board (tracks.md §3)."""

from __future__ import annotations

from collections.abc import Sequence

from tracks.protocol import Place, Standing
from tracks.ranking import by_value


def rank(standings: Sequence[Standing]) -> tuple[Place, ...]:
    """Places by F, highest first."""
    return by_value({standing.team: standing.aggregate["ranked"] for standing in standings})
