"""``tracks gec check``: a module of its own, as reading M2 needs nothing of what scores, and people wait for it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from markup_core.command.inputs import read_text
from markup_core.formats.m2 import M2Error, parse, remarks
from tracks.command import spoken
from tracks.command.spoken import FILE, FOUND


@spoken.command()
@click.argument("files", metavar="FILE...", type=FILE, nargs=-1, required=True)
@spoken.options
def check(files: Sequence[Path], language: str, as_json: bool) -> int:
    """Read M2 files and list every fault with its line. Exit code 1: there is one."""
    wrong = False
    for path in files:
        text = read_text(path)  # once: a pipe has no second reading
        try:
            read = parse(text)
        except M2Error as error:
            wrong = True
            result: dict[str, Any] = {"faults": [fault._asdict() for fault in error.faults], "count": error.count}
        else:
            result = {
                "units": len(read),
                "edits": sum(len(edits) for unit in read for edits in unit.annotators.values()),
                "faults": [],
                "count": 0,
            }
            if listed := remarks(text):
                result["warnings"] = [remark._asdict() for remark in listed]
        if as_json:
            spoken.give({"file": str(path), **result})
        else:
            _show_checked(path, result, language)
    return FOUND if wrong else 0


def _show_checked(path: Path, result: dict[str, Any], language: str) -> None:
    if not result["count"]:
        click.echo(
            f"{path}: units {result['units']}, edits {result['edits']}"
            if language == "en"
            else f"{path}: блоков {result['units']}, правок {result['edits']}"
        )
    if result["count"] or "warnings" in result:
        from tracks.command import printing  # drawing and scoring, which a file without faults does not wait for
        from tracks.gec import report

        warned = [(path.name, remark) for remark in result.get("warnings", ())]
        section = report.faults(path, result, language) if result["count"] else report.remarks(warned, language)
        printing.show([section], language)
