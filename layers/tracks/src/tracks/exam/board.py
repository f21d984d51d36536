"""Places on an exam's board (tracks.md §2)."""

from __future__ import annotations

from collections.abc import Sequence

from tracks.protocol import Place, Standing
from tracks.ranking import by_value


def rank(standings: Sequence[Standing]) -> tuple[Place, ...]:
    """Places by grade_norm, highest first."""
    return by_value({each.team: each.aggregate["grade_norm"] for each in standings})
