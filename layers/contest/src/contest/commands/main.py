"""The organizer's command: cycles, teams, tokens, scoring, boards. They parse, call a service, print.

Exit codes: 0 done, 1 refused (the message says why), 2 wrong usage, 3 a verification found a difference.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click
from rich.markup import escape
from rich.progress import Progress, SpinnerColumn, TextColumn
from rich.table import Table

from contest.commands.experts import expert, marking
from contest.commands.people import log, login, logout, staff, team, token, whoami
from contest.commands.qualification import qualification
from contest.commands.rescore import rescore
from contest.commands.run_shadow import shadow
from contest.commands.runs import run
from contest.commands.shell import complaints, console, refusals, who, wired
from contest.contracts import cycle_file
from contest.domain.cycle.cycle import ALL_LANGUAGES
from contest.domain.moments import iso
from contest.domain.results import leaderboard
from contest.faults import Fault
from contest.services.cycle import loading, showing
from contest.services.results import audit, boards, waiting

DIFFERENCE: Final = 3


class Folder:
    """A cycle's folder on disk."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def names(self, folder: str) -> Sequence[str]:
        """See :class:`contest.services.cycle.loading.Source`."""
        place = self._path / folder
        return sorted(each.name for each in place.iterdir() if each.is_file()) if place.is_dir() else []

    def read(self, name: str) -> bytes:
        """See :class:`contest.services.cycle.loading.Source`."""
        try:
            return (self._path / name).read_bytes()
        except OSError as error:
            raise LookupError(name) from error


@click.group()
@click.option("--cycle", metavar="NAME", help="A cycle that you have logged in to; the latest one without it.")
@click.pass_context
def main(context: click.Context, cycle: str | None) -> None:
    """Organize a contest: everything a deployment needs that no participant may do.

    Commands about people ask the platform as whoever has logged in; those about cycle, runs and scoring work on the
    deployment itself, with AWS credentials.
    """
    context.obj = cycle


for _group in (login, logout, whoami, team, token, staff, qualification, expert, marking, log, run, rescore):
    main.add_command(_group)
run.add_command(shadow)


@main.group()
def cycle() -> None:
    """The cycle: its sets, languages and parameters."""


@cycle.command("load")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
def cycle_load(folder: Path) -> None:
    """Load FOLDER (cycle.json and its sets) all or nothing; lists every fault there is."""
    deployment = wired()
    columns = (SpinnerColumn(), TextColumn("{task.completed} files"), TextColumn("{task.description}"))
    with refusals():
        try:
            with Progress(*columns, console=complaints, transient=True) as progress:
                task = progress.add_task("")
                loaded = loading.load_cycle(
                    deployment,
                    who(),
                    deployment.settings.cycle,
                    Folder(folder),
                    lambda name: progress.update(task, advance=1, description=name),
                )
        except loading.CycleFaultsError as error:
            _show_faults(error.faults)
            raise click.ClickException(f"{len(error.faults)} faults; nothing was loaded") from None
    for warning in loaded.warnings:
        said = f"{warning.file}: {warning.message.en} / {warning.message.ru}"
        complaints.print(f"[yellow]warning[/] {escape(said)}")
    sizes = ", ".join(f"{each.name} {each.size}" for each in loaded.cycle.sets)
    click.echo(f"cycle {loaded.cycle.name}: {sizes} files, parameters version {loaded.parameters.version}")


def _show_faults(faults: Sequence[Fault]) -> None:
    table = Table("file, code", "fault, where", show_lines=True)
    for each in faults:
        where = json.dumps(dict(each.where), ensure_ascii=False)
        said = f"{each.message.en}\n{each.message.ru}\n{where}"
        table.add_row(escape(f"{each.file}\n{each.code}"), escape(said))
    complaints.print(table)


@cycle.command("schema")
def cycle_schema() -> None:
    """Print the JSON Schema of cycle.json, by which editors complete it."""
    click.echo(cycle_file.schema_text(), nl=False)


@cycle.command("show")
def cycle_show() -> None:
    """Print the loaded cycle as JSON."""
    with refusals():
        found = showing.shown(wired())
    click.echo(json.dumps(found, ensure_ascii=False, indent=2))


@main.group()
def scoring() -> None:
    """Answers that are not scored yet."""


@scoring.command("status")
def scoring_status() -> None:
    """List the sessions that wait for scores."""
    table = Table("session", "waiting answers", "oldest")
    for each in waiting.waiting(wired()):
        table.add_row(each.session_id, str(each.answers), iso(each.oldest))
    console.print(table)


@scoring.command("redrive")
@click.option("--run", "run_id", help="Of this run alone; what lost its place in the outbox is found as well.")
def scoring_redrive(run_id: str | None) -> None:
    """Put every waiting answer into the queue again, now."""
    with refusals():
        enqueued = waiting.redrive(wired(), run_id)
    click.echo(f"{enqueued} answers enqueued")


@main.command("board")
@click.option("--language", default=ALL_LANGUAGES, show_default=True, help="A language of the cycle, or all.")
def board(language: str) -> None:
    """Print the qualification leaderboard."""
    with refusals():
        found = boards.qualification_board(wired(), language)
    table = Table("place", "team", "files", "result")
    for row in found.rows:
        name, result = found.names[row.entry.team_id], leaderboard.relative(row.entry.result)
        shown = "undefined" if result is None else f"{result:.2f}"
        table.add_row(str(row.place), name, f"{row.entry.answered}/{row.entry.whole}", shown)
    console.print(table)


@main.command("verify")
@click.argument("session_id")
def verify(session_id: str) -> None:
    """Rebuild the scores and the report of SESSION_ID from the stored facts and compare every byte."""
    with refusals():
        found = audit.verify(wired(), session_id)
    for name in (*found.differences, *found.missing):
        complaints.print(f"[red]differs or is missing:[/] {name}")
    click.echo(f"{found.scores} scores, {found.reports} reports compared")
    if found.differences or found.missing:
        sys.exit(DIFFERENCE)
