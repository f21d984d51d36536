"""``contest deadletters``: what failed for good, asked of the platform as somebody who has signed in (platform §4)."""

from __future__ import annotations

import json
from typing import Any, Final

import click
from rich.markup import escape
from rich.table import Table

from contest import routes
from contest.commands.options import as_json
from contest.commands.people import desk
from contest.commands.shell import console
from contest.stored_names import LetterQueue

QUEUES: Final = click.Choice([each.value for each in LetterQueue])
_PAGE: Final = "100"


@click.group()
def deadletters() -> None:
    """Jobs that failed for good: scores, records, audits, pushes, timers."""


@deadletters.command("list")
@click.option("--queue", type=QUEUES, help="Of this queue alone.")
@as_json
def listed(queue: str | None, *, raw: bool) -> None:
    """List the letters about which nobody has decided yet."""
    found = list(_all(queue))
    if raw:
        click.echo(json.dumps({"letters": found}, ensure_ascii=False, indent=2))
        return
    table = Table("letter", "about", "error", "times", "first", "last")
    for each in found:
        about = ", ".join(f"{name} {value}" for name, value in each["about"].items())
        told = (about, each["error"], str(each["times"]), each["first_at"], each["last_at"])
        table.add_row(each["letter_id"], *map(escape, told))
    console.print(table)


@deadletters.command("show")
@click.argument("letter_id")
def shown(letter_id: str) -> None:
    """Print LETTER_ID with its body as JSON."""
    click.echo(json.dumps(desk().get(routes.DEAD_LETTER, letter_id=letter_id), ensure_ascii=False, indent=2))


@deadletters.command("redrive")
@click.argument("letter_ids", nargs=-1)
@click.option("--queue", type=QUEUES, help="All of this queue.")
@click.option("--all", "whole", is_flag=True, help="All there are.")
def redriven(letter_ids: tuple[str, ...], queue: str | None, *, whole: bool) -> None:
    """Do the work of these letters again, of a queue's, or of all."""
    if sum((bool(letter_ids), queue is not None, whole)) != 1:
        raise click.UsageError("name letters, or --queue, or --all")
    count, over = 0, list[str]()
    body = {"letter_ids": list(letter_ids) or None, "queue": queue}
    while True:
        made = desk().post(routes.REDRIVE_LETTERS, body)
        count += len(made["redriven"])
        over = made["passed_over"]
        if letter_ids or not made["redriven"]:
            break
    click.echo(f"{count} letters redriven, {made['left']} left")
    for each in over:
        click.echo(f"{each}: a timer's run is not repeated, its next visit does the work; drop it when you know why")


@deadletters.command("drop")
@click.argument("letter_id")
@click.option("--reason", required=True, help="Why; it is kept.")
def dropped(letter_id: str, reason: str) -> None:
    """Let LETTER_ID go: its job is not done again."""
    made = desk().post(routes.DROP_LETTER, {"reason": reason}, letter_id=letter_id)
    click.echo(f"{letter_id} {made['state']}")


def _all(queue: str | None) -> Any:
    after: str | None = None
    while True:
        page = desk().get(routes.DEAD_LETTERS, {"queue": queue, "limit": _PAGE, "after": after})
        yield from page["letters"]
        after = page["after"]
        if after is None:
            return
