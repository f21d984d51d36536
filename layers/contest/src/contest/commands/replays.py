"""``contest replay``: stage 2, the commission chooses, organizers open rounds (D 9.10.7, 9.10.8)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
from rich.markup import escape
from rich.table import Table

from contest import routes
from contest.commands.options import Numbers, as_json
from contest.commands.people import desk
from contest.commands.shell import console
from contest.commands.words import code, yes
from markup_core.speaking import language, number, say
from tracks.command import spoken


@spoken.group()
def replay() -> None:
    """Stage 2: programs' work replayed for clinicians, who judge it."""


@replay.command("begin")
@click.argument("run_id")
@click.option("--files", type=Numbers(), required=True, help="Files of the run, one a round (1-16).")
@click.option("--person", "people", multiple=True, required=True, help="A clinician's id; once for each.")
@click.option(
    "--seed", type=click.IntRange(0, 2**53 - 1), required=True, help="Of the lot; everybody who signs in can see it."
)
@click.option("--team", "teams", multiple=True, help="A team whose work is replayed; all that took part without it.")
@click.option("--limit", type=click.IntRange(1, 7200), help="Seconds for a review; the contest's without it.")
@click.option("--reason", required=True, help="The experts' protocol; it is written to the audit log.")
def begin(
    *,
    run_id: str,
    files: tuple[int, ...],
    people: tuple[str, ...],
    seed: int,
    teams: tuple[str, ...],
    limit: int | None,
    reason: str,
) -> None:
    """Choose what of RUN_ID is replayed and draw the lot, once (D 9.10.8.5)."""
    said = {
        "run_id": run_id,
        "files": list(files),
        "people": list(people),
        "seed": seed,
        "teams": list(teams) or None,
        "limit_s": limit,
        "reason": reason,
    }
    _show(desk().post(routes.BEGIN_REPLAY, said))


@replay.command("open")
@click.argument("run_id")
def open_(run_id: str) -> None:
    """Open the next round of RUN_ID's replay."""
    found = desk().post(routes.OPEN_ROUND, run_id=run_id)
    which, of, until = len(found["opened"]), len(found["files"]), found["until"]
    click.echo(say(f"round {which} of {of} lasts until {until}", f"раунд {which} из {of} идёт до {until}"))


@replay.command("show")
@click.argument("run_id")
@as_json
def show(run_id: str, raw: bool) -> None:
    """Show the lot, the rounds and the reviews of RUN_ID's replay."""
    found = desk().get(routes.REPLAY, run_id=run_id)
    if raw:
        click.echo(json.dumps(found, ensure_ascii=False, indent=2))
        return
    _show(found)


@replay.command("save")
@click.argument("run_id")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
def save(run_id: str, folder: Path) -> None:
    """Keep what was shown and said in RUN_ID's replay in FOLDER, round by round."""
    found = desk().get(routes.REPLAY, run_id=run_id)
    folder.mkdir(parents=True, exist_ok=True)
    for which, file in enumerate(found["files"], start=1):
        told = desk().get(routes.REPLAY, {"round": str(which)}, run_id=run_id)
        reviews = [each for each in told["reviews"] if each["round"] == which]
        _keep(
            folder / f"round-{which:02d}.json",
            {"round": which, "file": file, "works": told["works"], "reviews": reviews},
        )
    _keep(folder / "replay.json", {name: each for name, each in found.items() if name != "works"})
    click.echo(say(f"{len(found['files'])} rounds in {folder}", f"раундов в {folder}: {len(found['files'])}"))


def _keep(file: Path, found: Any) -> None:
    file.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", "utf-8")


@replay.command("close")
@click.argument("run_id")
@click.option("--reason", required=True, help="The protocol of the stage; it is written to the audit log.")
def close(run_id: str, reason: str) -> None:
    """Reckon interpretability when all rounds of RUN_ID's replay are over; it stands beside the board from then on."""
    _show(desk().post(routes.CLOSE_REPLAY, {"reason": reason}, run_id=run_id))


def _show(found: Any) -> None:
    seed, which, of = found["seed"], len(found["opened"]), len(found["files"])
    console.print(say(f"seed {seed}; round {which} of {of}", f"начальное число {seed}; раунд {which} из {of}"))
    lot = Table(say("name", "имя"), say("who", "кто"), title=say("Lot", "Жребий"))
    for each in (*found["systems"], *found["people"]):
        lot.add_row(each["name"], escape(each["id"]))
    console.print(lot)
    if found["reviews"]:
        titles = (
            say("round", "раунд"),
            say("person", "клинический специалист"),
            say("system", "система"),
            say("answers", "ответы"),
            say("saved", "сохранено"),
        )
        reviews = Table(*titles, title=say("Reviews", "Заключения"))
        for each in found["reviews"]:
            answers = ", ".join(f"{code(key, 'question')}: {yes(value)}" for key, value in each["answers"].items())
            reviews.add_row(str(each["round"]), each["person"], each["system"], answers, each["saved_at"] or "—")
        console.print(reviews)
    if (results := found["results"]) is not None:
        told = Table(*(each[language()] for each in results["columns"]), title=results["title"][language()])
        for row in results["rows"]:
            told.add_row(
                *("—" if cell is None else number(cell, 3) if isinstance(cell, float) else str(cell) for cell in row)
            )
        console.print(told)
