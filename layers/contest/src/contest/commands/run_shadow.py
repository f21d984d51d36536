"""``contest run shadow`` and ``contest submission shadow``: what the independent recomputation found, cell by cell."""

from __future__ import annotations

import json
from typing import Any, Final

import click
from rich.markup import escape
from rich.table import Table

from contest import routes
from contest.commands.options import as_json
from contest.commands.people import desk
from contest.commands.shell import complaints, console
from contest.commands.words import table
from markup_core.speaking import say
from tracks.command import spoken

_COMPARED: Final = {"sessions": "сессий", "files": "файлов", "receipts": "квитанций", "scores": "оценок"}
"""What is counted of a recomputation, by the interface's names."""


@spoken.command("shadow")
@click.argument("run_id")
@click.option("--again", is_flag=True, help="Recompute it once more, whatever was found before.")
@as_json
def shadow(run_id: str, *, again: bool, raw: bool) -> None:
    """Show in which cells the independent recomputation of the final RUN_ID differs from the platform."""
    found = (desk().post if again else desk().get)(routes.RECOMPUTE if again else routes.RECOMPUTATION, run_id=run_id)
    if raw:
        click.echo(json.dumps(found, ensure_ascii=False, indent=2))
        return
    if again or found["state"] == "recomputing":
        made, teams = found["made"], found["teams"]
        click.echo(
            say(
                f"{run_id}: {made} of {teams} teams are recomputed; look again in a few minutes",
                f"{run_id}: пересчитано команд {made} из {teams}; посмотрите через несколько минут",
            )
        )
        return
    checked = ", ".join(f"{count} {name}" for name, count in found["checked"].items())
    compared = ", ".join(f"{_COMPARED.get(name, name)} {count}" for name, count in found["checked"].items())
    total = found["total"]
    click.echo(
        say(f"{run_id}: {total} differences in {checked}", f"{run_id}: расхождений {total}; сверено: {compared}")
    )
    if found["differences"]:
        console.print(_table(found["differences"], "file"))
        complaints.print(_until_mended("contest run shadow --again"))


@spoken.command("shadow")
@click.option("--again", is_flag=True, help="Recompute it once more, whatever was found before.")
@as_json
def shadow_of_submissions(*, again: bool, raw: bool) -> None:
    """Show in which cells the independent recomputation of the scored submissions differs from the platform."""
    desk_of = desk()
    found = (desk_of.post if again else desk_of.get)(
        routes.RECOMPUTE_SUBMISSIONS if again else routes.SUBMISSIONS_RECOMPUTATION
    )
    if raw:
        click.echo(json.dumps(found, ensure_ascii=False, indent=2))
        return
    if again or found["state"] == "recomputing":
        made, known = found["made"], found["submissions"]
        click.echo(
            say(
                f"{made} of {known} submissions are recomputed; look again in a few minutes",
                f"пересчитано посылок {made} из {known}; посмотрите через несколько минут",
            )
        )
        return
    checked, total = found["checked"], found["total"]
    click.echo(
        say(
            f"{total} differences in {checked['submissions']} submissions, {checked['items']} items",
            f"расхождений {total}; сверено: посылок {checked['submissions']}, заданий {checked['items']}",
        )
    )
    if found["differences"]:
        console.print(_table(found["differences"], "submission"))
        complaints.print(_until_mended("contest submission shadow --again"))


def _until_mended(command: str) -> str:
    return say(
        f"nothing is published until there are none: mend what was stored, then {command}",
        f"пока они есть, ничего не публикуется: исправьте сохранённое, затем {command}",
    )


def _table(differences: list[dict[str, Any]], of: str) -> Table:
    """Cells, each with its place: a file of a session by its number, or a submission."""
    cells = table("team", of, "what", "platform", "recomputed")
    for each in differences:
        values = (json.dumps(each[name], ensure_ascii=False) for name in ("platform", "shadow"))
        place = each["submission_id"] or (str(each["number"]) if each["number"] else "")
        cells.add_row(escape(each["team_id"]), place, escape(each["quantity"]), *map(escape, values))
    return cells
