"""A final played to count what it asks of the cloud: no faults, a driven clock, every team answering every file."""

from __future__ import annotations

from contextlib import closing
from typing import Final

from local.rehearsal.final import staged
from local.rehearsal.history import History
from local.rehearsal.wanted import Settings

KINDS: Final = (
    "http_requests",
    "function_calls",
    "table_read_units",
    "table_write_units",
    "object_reads",
    "object_writes",
    "queue_requests",
)
"""What is the same on every machine; how long functions take is not."""


def metered(teams: int, files: int) -> dict[str, float]:
    """What a final of so many teams and files asks for, from its planning to its published board, by kind."""
    settings = Settings(teams=teams, files=files, faults=frozenset())
    with closing(History()) as history, staged(settings, history) as stage:
        players, _ = stage.admit()
        timing = stage.plan()
        stage.play(timing, players, lambda _: None)
        stage.conclude(timing, players)
        return stage.cloud.metered()
