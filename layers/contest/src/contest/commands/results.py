"""``contest results``: what everybody sees of the boards, what organizers see, how the places went."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final, TypeVar

import click
from rich.markup import escape

from contest import routes
from contest.commands.boards import result
from contest.commands.conducting import asked
from contest.commands.options import as_json
from contest.commands.shell import console
from contest.commands.words import code, heading, table, yes
from contest.domain.cycle.cycle import ALL_LANGUAGES
from markup_core.speaking import number, say
from tracks.command import spoken
from tracks.protocol import Text

Command = TypeVar("Command", bound=Callable[..., Any])
_reason = click.option("--reason", required=True, help="Why; it is written to the audit log.")
_board = click.argument("board")


def _part(command: Command) -> Command:
    """Which part of a board."""
    language = click.option("--language", default=ALL_LANGUAGES, show_default=True, help="A language of the cycle.")
    return language(
        click.option("--nomination", help="A nomination of the cycle, in the place of a language.")(command)
    )


@spoken.group()
def results() -> None:
    """Boards: BOARD is `qualification`, or a final's by the name of its run."""


@results.command("show")
@_board
@_part
@as_json
def show(board: str, language: str, nomination: str | None, *, raw: bool) -> None:
    """Show BOARD as it is now, whatever everybody sees of it."""
    from contest.domain.results import leaderboard

    found = asked().get(routes.BOARD_PREVIEW, {"language": language, "nomination": nomination}, board=board)
    if raw:
        click.echo(json.dumps(found, ensure_ascii=False, indent=2))
        return
    rows = table("place", "team", "files", "result", "behind", title=f"{board}: {code(found['state'])}")
    places = found["board"]["places"]
    for row in found["rows"]:
        ahead = row["ahead"]
        behind = "" if ahead is None else f"{number(ahead['difference'], places)}{' ≈' if ahead['overlap'] else ''}"
        place = leaderboard.said(row["place"], row["place_to"])
        rows.add_row(
            place, escape(row["team"]), f"{row['answered']}/{row['files']}", result(row["value"], places), behind
        )
    console.print(rows)


@results.command("history")
@_board
@_part
@click.option("--limit", type=click.IntRange(1, 100), default=20, show_default=True)
@as_json
def history(board: str, language: str, nomination: str | None, limit: int, *, raw: bool) -> None:
    """Show how the places of BOARD went, as everybody has seen them, the latest first."""
    from contest.domain.results.board_state import QUALIFICATION

    said = {"language": language, "limit": str(limit)}
    if board == QUALIFICATION:
        found = asked().get(routes.QUALIFICATION_HISTORY, said)
    else:
        found = asked().get(routes.FINAL_HISTORY, {**said, "run": board, "nomination": nomination})
    if raw:
        click.echo(json.dumps(found, ensure_ascii=False, indent=2))
        return
    points = table("since", "places")
    for point in found["points"]:
        places = ", ".join(f"{each['place']} {each['team_id']}" for each in point["places"])
        points.add_row(point["at"], escape(places))
    console.print(points)


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


_SAID: Final = {
    "published": Text("is published", "опубликован"),
    "frozen": Text("is frozen", "заморожен"),
    "hidden": Text("is withdrawn", "скрыт"),
}


def _decided(board: str, state: str, reason: str) -> None:
    made = asked().post(routes.DECIDE_BOARD, {"state": state, "reason": reason}, board=board)
    done, name = _SAID[made["state"]], made["board"]
    click.echo(say(f"the board {name} {done.en}", f"лидерборд {name} {done.ru}"))


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
    annulments = table("what", "subject", "board", "annulled", "since", "reason")
    for each in found["annulments"]:
        state = yes(each["annulled"]) if each["annulled"] else say("restored", "восстановлено")
        cells = (heading(each["of"]), each["subject"], each["board"] or "", state, each["at"], each["reason"])
        annulments.add_row(*map(escape, cells))
    console.print(annulments)


def _annulled(of: str, subject: str, board: str | None, reason: str, *, annulled: bool) -> None:
    said = {"of": of, "subject": subject, "board": board, "annulled": annulled, "reason": reason}
    asked().post(routes.ANNUL, said)
    done = Text("annulled", "аннулировано") if annulled else Text("restored", "восстановлено")
    click.echo(say(f"{of} {subject} is {done.en}", f"{heading(of)} {subject}: {done.ru}"))
