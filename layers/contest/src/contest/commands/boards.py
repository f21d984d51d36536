"""A board as everybody sees it, printed: the qualification's or a final's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.markup import escape

from contest import routes
from contest.commands.conducting import Asked
from contest.commands.desk import NotDoneError
from contest.commands.shell import caution, console
from contest.commands.words import in_language, table
from contest.domain.cycle.cycle import ALL_LANGUAGES
from contest.route import Route
from markup_core.speaking import number, say


def show_final(at: Asked, run_id: str) -> None:
    """Print the board of a final whose results are out."""
    show(at.get(routes.FINAL_BOARD, {"language": ALL_LANGUAGES, "nomination": None, "run": run_id}))


def show_asked(at: Asked, route: Route, query: Mapping[str, str | None]) -> None:
    """Print a board; one that is still to be published is empty, which is no error."""
    from contest.errors import ResultsNotPublishedError

    try:
        board = at.get(route, query)
    except NotDoneError as error:
        if error.refused.get("code") != ResultsNotPublishedError.code:
            raise
        console.print(in_language(error.refused), highlight=False)
    else:
        show(board)


def show(found: Any) -> None:
    """Print a board that the interface has answered."""
    from contest.domain.results import leaderboard

    board = table("place", "team", "files", "result")
    for row in found["rows"]:
        place = leaderboard.said(row["place"], row["place_to"])
        files = f"{row['answered']}/{row['files']}"
        board.add_row(place, escape(row["team"]), files, result(row["value"], found["board"]["places"]))
    console.print(board)
    if found.get("stage"):
        console.print(in_language(found["stage"]), highlight=False)
    if found.get("several_rules"):
        caution(in_language(found["several_rules"]))


def result(value: float | None, places: int) -> str:
    """Return a team's value with the board's decimals."""
    return say("undefined", "не определён") if value is None else number(value, places)
