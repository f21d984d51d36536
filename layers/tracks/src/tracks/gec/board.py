"""The boards of a gec contest: F over all gold edits, recall of the context-dependent ones (tracks.md §3, G)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tracks.protocol import Json, Place, Standing, Text
from tracks.ranking import by_value
from tracks.rules import BoardRules, Unit

CONCENTRATED: Final = "concentrated"
BOARDS: Final = (
    BoardRules(
        key="all",
        title=Text(en="All edits", ru="Все правки"),
        measure=Text(en="F", ru="F"),
        unit=Unit.SHARE,
        whole_set=True,
    ),
    BoardRules(
        key=CONCENTRATED,
        title=Text(en="Context-dependent edits", ru="Контекстно зависимые правки"),
        measure=Text(en="Recall", ru="Полнота"),
        unit=Unit.SHARE,
        whole_set=True,
    ),
)
"""**Decision**: context-dependent edits are ranked by recall: other edits are no FP there, and G looks at recall.

Clause: TS G-3
"""


def value(aggregate: Json, board: str = "") -> float | None:
    """F of all edits, on the board of context-dependent ones their recall; None without a scored text."""
    counted = aggregate["concentrated" if board == CONCENTRATED else "correction"]
    if counted is None:
        return None
    found: float = counted["recall" if board == CONCENTRATED else "f"]
    return found


def rank(standings: Sequence[Standing], board: str = "") -> tuple[Place, ...]:
    """Places by the board's value, highest first."""
    return by_value({each.team: value(each.aggregate, board) for each in standings})
