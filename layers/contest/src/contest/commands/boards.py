"""A board as everybody sees it, printed: the qualification's or a final's."""

from __future__ import annotations

from typing import Any

from rich.markup import escape
from rich.table import Table

from contest import routes
from contest.commands.conducting import Asked
from contest.commands.shell import console
from contest.domain.cycle.cycle import ALL_LANGUAGES
from contest.domain.results import leaderboard


def show_final(at: Asked, run_id: str) -> None:
    """Print the board of a final whose results are out."""
    show(at.get(routes.FINAL_BOARD, {"language": ALL_LANGUAGES, "nomination": None, "run": run_id}))


def show(found: Any) -> None:
    """Print a board that the interface has answered."""
    table = Table("place", "team", "files", "result")
    for row in found["rows"]:
        result = row["value"]
        shown = "undefined" if result is None else f"{result:.2f}"
        place = leaderboard.said(row["place"], row["place_to"])
        table.add_row(place, escape(row["team"]), f"{row['answered']}/{row['files']}", shown)
    console.print(table)
