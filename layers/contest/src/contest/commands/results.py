"""``contest results``: what everybody sees of the boards, what organizers see, how the places went."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final, TypeVar

import click
from rich.markup import escape
from rich.table import Table

from contest import routes
from contest.commands.conducting import asked
from contest.commands.options import as_json
from contest.commands.shell import console
from contest.domain.cycle.cycle import ALL_LANGUAGES
from contest.domain.results import leaderboard
from contest.domain.results.board_state import QUALIFICATION

Command = TypeVar("Command", bound=Callable[..., Any])
_reason = click.option("--reason", required=True, help="Why; it is written to the audit log.")
_board = click.argument("board")


def _part(command: Command) -> Command:
    """Which part of a board."""
    language = click.option("--language", default=ALL_LANGUAGES, show_default=True, help="A language of the cycle.")
    return language(
        click.option("--nomination", help="A nomination of the cycle, in the place of a language.")(command)
    )


@click.group()
def results() -> None:
    """Boards: BOARD is `qualification`, or a final's by the name of its run."""


@results.command("show")
@_board
@_part
@as_json
def show(board: str, language: str, nomination: str | None, *, raw: bool) -> None:
    """Show BOARD as it is now, whatever everybody sees of it."""
    found = asked().get(routes.BOARD_PREVIEW, {"language": language, "nomination": nomination}, board=board)
    if raw:
        click.echo(json.dumps(found, ensure_ascii=False, indent=2))
        return
    table = Table("place", "team", "files", "result", "behind", title=f"{board}: {found['state']}")
    for row in found["rows"]:
        value, ahead = row["value"], row["ahead"]
        behind = "" if ahead is None else f"{ahead['difference']:.2f}{' ≈' if ahead['overlap'] else ''}"
        shown = "undefined" if value is None else f"{value:.2f}"
        place = leaderboard.said(row["place"], row["place_to"])
        table.add_row(place, escape(row["team"]), f"{row['answered']}/{row['files']}", shown, behind)
    console.print(table)


@results.command("history")
@_board
@_part
@click.option("--limit", type=click.IntRange(1, 100), default=20, show_default=True)
@as_json
def history(board: str, language: str, nomination: str | None, limit: int, *, raw: bool) -> None:
    """Show how the places of BOARD went, as everybody has seen them, the latest first."""
    said = {"language": language, "limit": str(limit)}
    if board == QUALIFICATION:
        found = asked().get(routes.QUALIFICATION_HISTORY, said)
    else:
        found = asked().get(routes.FINAL_HISTORY, {**said, "run": board, "nomination": nomination})
    if raw:
        click.echo(json.dumps(found, ensure_ascii=False, indent=2))
        return
    table = Table("since", "places")
    for point in found["points"]:
        table.add_row(point["at"], escape(", ".join(f"{each['place']} {each['team_id']}" for each in point["places"])))
    console.print(table)


@results.command("publish")
@_board
@_reason
def publish(board: str, reason: str) -> None:
    """Let everybody see BOARD as it is, from now on; of a final the results in the teams' reports, too."""
    _decided(board, "published", reason)


@results.command("freeze")
@_board
@_reason
def freeze(board: str, reason: str) -> None:
    """Let everybody see BOARD as it is now, whatever changes, until it is published or withdrawn."""
    _decided(board, "frozen", reason)


@results.command("withdraw")
@_board
@_reason
def withdraw(board: str, reason: str) -> None:
    """Let nobody but organizers and commission see BOARD; of a final the results in the teams' reports go with it."""
    _decided(board, "hidden", reason)


_SAID: Final = {"published": "is published", "frozen": "is frozen", "hidden": "is withdrawn"}


def _decided(board: str, state: str, reason: str) -> None:
    made = asked().post(routes.DECIDE_BOARD, {"state": state, "reason": reason}, board=board)
    click.echo(f"the board {made['board']} {_SAID[made['state']]}")


_OF: Final = click.Choice(["set", "session", "result"])


def _named(command: Command) -> Command:
    """What is annulled."""
    for option in (
        _reason,
        click.option("--board", help="Of a result: qualification, or a final by the name of its run."),
        click.argument("subject"),
        click.argument("of", type=_OF),
    ):
        command = option(command)
    return command


@results.command("annul")
@_named
def annul(of: str, subject: str, board: str | None, reason: str) -> None:
    """Annul the data set, the session, or the result of the team SUBJECT (D 6.10); it is shown with its reason."""
    _annulled(of, subject, board, reason, annulled=True)


@results.command("restore")
@_named
def restore(of: str, subject: str, board: str | None, reason: str) -> None:
    """Take the annulment of SUBJECT back."""
    _annulled(of, subject, board, reason, annulled=False)


@results.command("annulled")
@as_json
def listed(*, raw: bool) -> None:
    """List what was annulled, and what was restored."""
    found = asked().get(routes.ANNULMENTS)
    if raw:
        click.echo(json.dumps(found, ensure_ascii=False, indent=2))
        return
    table = Table("what", "subject", "board", "annulled", "since", "reason")
    for each in found["annulments"]:
        state = "yes" if each["annulled"] else "restored"
        cells = (each["of"], each["subject"], each["board"] or "", state, each["at"], each["reason"])
        table.add_row(*map(escape, cells))
    console.print(table)


def _annulled(of: str, subject: str, board: str | None, reason: str, *, annulled: bool) -> None:
    said = {"of": of, "subject": subject, "board": board, "annulled": annulled, "reason": reason}
    asked().post(routes.ANNUL, said)
    click.echo(f"{of} {subject} is {'annulled' if annulled else 'restored'}")
