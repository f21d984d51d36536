"""Places on an essay contest's board (R 6.10)."""

from __future__ import annotations

from collections.abc import Sequence

from tracks.protocol import Place, Standing
from tracks.ranking import by_value


def rank(standings: Sequence[Standing]) -> tuple[Place, ...]:
    """Places by relative accuracy, highest first."""
    return by_value({standing.team: standing.aggregate["relative_accuracy"] for standing in standings})
