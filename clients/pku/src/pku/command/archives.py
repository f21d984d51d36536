"""The command for what comes after a final: does its archive make the numbers of its board?"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from pku.command.commanding import FAILED, App, command
from pku.messages import catalogue

if TYPE_CHECKING:  # loaded where they are used
    from rich.table import Table

    from pku.checks.archive import Verdict

_COLUMNS: Final = ("column.place", "column.team", "column.files")


def register(group: click.Group) -> None:
    """Add the command to a group."""

    @command(group, "verify-archive")
    @click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
    def verify_archive(app: App, file: Path) -> None:
        """Check the archive FILE of a final: every hash, and its board from what is in it."""
        from rich.progress import SpinnerColumn, TextColumn

        from pku.checks import archive
        from tracks.command.console import HeardProgress

        with HeardProgress(
            SpinnerColumn(), TextColumn("{task.description}"), console=app.err, transient=True
        ) as progress:
            task = progress.add_task("", total=None)
            verdict = archive.verify(file, lambda team_id: progress.update(task, description=team_id))
        _say(app, verdict)
        if verdict.faults:
            sys.exit(FAILED)


def _say(app: App, verdict: Verdict) -> None:
    from rich.text import Text

    for fault in verdict.faults:
        sentence = catalogue.say(f"archive.{fault.code}", app.language, **fault.values)
        app.show(Text.assemble(("✗", "red"), " ", sentence))
    if verdict.results:
        app.show(_table(verdict, app.language))
    kind = "" if verdict.of == "markups" else f"_{verdict.of}"
    app.say(f"archive.looked_at{kind}", files=verdict.files, markups=verdict.markups, teams=len(verdict.results))
    app.say("archive.unsound" if verdict.faults else f"archive.sound{kind}")
    results = [
        {name: getattr(each, name) for name in ("place", "team_id", "files", "relative_accuracy", "value")}
        for each in verdict.results
    ]
    faults = [
        {"code": each.code, "message": catalogue.say(f"archive.{each.code}", app.language, **each.values)}
        for each in verdict.faults
    ]
    counts = {"files": verdict.files, "markups": verdict.markups}
    app.give({"sound": not faults, "of": verdict.of, **counts, "results": results, "faults": faults})


def _table(verdict: Verdict, language: str) -> Table:
    from rich.table import Table

    last = "column.relative" if verdict.of == "markups" else "column.value"
    table = Table(*(catalogue.say(each, language) for each in (*_COLUMNS, last)))
    for each in verdict.results:
        value, places = (each.relative_accuracy, 2) if verdict.of == "markups" else (each.value, 4)
        relative = "—" if value is None else catalogue.number(value, places, language)
        table.add_row(str(each.place), each.team_id, str(each.files), relative)
    return table
