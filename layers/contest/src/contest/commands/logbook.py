"""``contest log``: what people changed, on a day or over many, as a table, as CSV or as JSON lines."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from typing import Any, Final

import click
from rich.markup import escape

from contest import routes
from contest.commands.deeds import deed
from contest.commands.options import as_json
from contest.commands.people import desk
from contest.commands.shell import console
from contest.commands.words import table
from markup_core.speaking import say
from tracks.command import spoken

_PAGE: Final = 1000
_COLUMNS: Final = ("at", "who", "what", "subject")


@spoken.command()
@click.argument("day", required=False)
@click.option("--from", "first", metavar="DAY", help="The first of many days instead.")
@click.option("--to", "last", metavar="DAY", help="The last one; the first one without it.")
@click.option("--who", help="Whose changes: person:ID or command:NAME.")
@click.option("--what", help="Part of what was done.")
@click.option("--subject", help="What was changed: a team, a person, a run.")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
@click.option("--lines", "as_lines", is_flag=True, help="Print JSON, an entry a line.")
@as_json
def log(
    day: str | None, first: str | None, last: str | None, *, as_csv: bool, as_lines: bool, raw: bool, **by: str | None
) -> None:
    """Print what people changed on a DAY (UTC, 2026-11-22), or over days, by filters."""
    begins = day or first
    if begins is None or (day is not None and first is not None):
        raise click.UsageError(say("name a DAY, or --from and --to", "укажите день DAY или --from и --to"))
    if sum((as_csv, as_lines, raw)) > 1:
        raise click.UsageError(
            say("choose one of --csv, --lines and --json", "выберите одно: --csv, --lines или --json")
        )
    order = {"from": begins, "to": last or begins, **by}
    if as_csv:
        click.echo("".join(_tables(order)), nl=False)
        return
    found = [json.loads(line) for line in _lines(order)]
    if as_lines:
        click.echo("".join(f"{json.dumps(each, ensure_ascii=False)}\n" for each in found), nl=False)
    elif raw:
        click.echo(json.dumps({"changes": found}, ensure_ascii=False, indent=2))
    else:
        _show(found)


def _lines(order: dict[str, str | None]) -> Iterator[str]:
    after: str | None = None
    while True:
        page = desk().text(routes.AUDIT_LINES, {**order, "limit": str(_PAGE), "after": after}).splitlines()
        yield from page
        if len(page) < _PAGE:
            return
        after = json.loads(page[-1])["cursor"]


def _tables(order: dict[str, str | None]) -> Iterator[str]:
    """CSV as the platform writes it, its line of names once."""
    after: str | None = None
    while True:
        text = desk().text(routes.AUDIT_CSV, {**order, "limit": str(_PAGE), "after": after})
        rows = list(csv.reader(io.StringIO(text, newline="")))
        yield text if after is None else text.partition("\r\n")[2]
        if len(rows) <= _PAGE:
            return
        after = rows[-1][0]


def _show(found: list[dict[str, Any]]) -> None:
    changes = table(*_COLUMNS)
    for each in found:
        shown = {**each, "what": deed(each["what"])}
        changes.add_row(*(escape(str(shown[name] or "")) for name in _COLUMNS))
    console.print(changes)
