"""Commands ``contest cycle carry`` and ``earlier``: read an earlier cycle's table of teams and archives of finals."""

from __future__ import annotations

import csv
import json
import zipfile
from pathlib import Path
from typing import Any, Final

import click
from rich.markup import escape

from contest import routes
from contest.commands.shell import as_json, console
from contest.commands.words import complaint, end_with_json, in_language, show_json, speak, table
from contest.cycle.rules.pages import LANGUAGES
from contest.people.commands import desk
from tracks.command import spoken

_TEAMS: Final = "teams.csv"
_BOARD: Final = "board.json"
_UNREADABLE: Final = (csv.Error, AttributeError, LookupError, TypeError, ValueError)
"""Exceptions of the readers of JSON and CSV at forged files."""
_MOST_BOARD: Final = 20 * 2**20
"""Bytes of an archive's board that are read at most: its results in full."""


@spoken.command("carry")
@click.argument("source", type=click.Path(exists=True, path_type=Path))
@as_json
def carry(source: Path, *, raw: bool) -> None:
    """Carry bans and agreeing teams from SOURCE: an earlier cycle's teams.csv (`contest team export`), or its folder.

    A ban keeps its end. Teams that agreed stand as applications; invite their people. Run it again as often as you
    like.
    """
    file = source / _TEAMS if source.is_dir() else source
    if not file.is_file():
        raise complaint("{file} is missing: contest team export {file}", file=file)
    outcome = desk().post_bytes(routes.IMPORT_TEAMS, file.read_bytes(), {"earlier": "true"})
    end_with_json(raw, outcome)
    speak("{added} teams carried", added=len(outcome["added"]))
    if outcome["left"]:
        rows = table("team", "reason")
        for row in outcome["left"]:
            rows.add_row(escape(row["team_id"]), in_language(row))
        console.print(rows)


@spoken.command("earlier")
@click.argument("archive", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--title-ru", required=True, help="Its title in Russian.")
@click.option("--title-en", required=True, help="Its title in English.")
@click.option("--work-ru", required=True, help="What programs had to do, in Russian.")
@click.option("--work-en", required=True, help="What programs had to do, in English.")
@click.option("--first", type=click.DateTime(["%Y-%m-%d"]), required=True, help="Its first day.")
@click.option("--last", type=click.DateTime(["%Y-%m-%d"]), required=True, help="Its last day.")
@click.option("--unit", type=click.Choice(["%", ""]), default="%", show_default=True, help="Unit of its values.")
@click.option("--link", "links", multiple=True, nargs=2, metavar="NAME URL", help="A published set or archive.")
@click.option("--teams", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Its teams.csv, for names.")
def earlier(archive: Path, links: tuple[tuple[str, str], ...], teams: Path | None, unit: str, **facts: Any) -> None:
    """Print the final in ARCHIVE (a ZIP that an earlier cycle has published) as an entry of `earlier_cycles`."""
    board, names = _board(archive), _names(teams)
    rows = [
        {
            "place": row["place"],
            "team": names.get(row["team_id"], row["team_id"]),
            "value": row.get("value"),
            "overcame": bool(row.get("overcame")),
        }
        for row in board["rows"]
    ]
    entry = {
        "cycle": board["cycle"],
        **{part: {language: facts[f"{part}_{language}"] for language in LANGUAGES} for part in ("title", "work")},
        **{day: facts[day].date().isoformat() for day in ("first", "last")},
        "unit": unit,
        "rows": rows,
        "published": [{"name": name, "url": url} for name, url in links],
    }
    show_json(entry)


def _board(archive: Path) -> Any:
    """Return the board of a final's archive; :class:`click.ClickException` for another file."""
    from markup_core.reading.archives import BROKEN_ARCHIVE

    try:
        with zipfile.ZipFile(archive) as opened:
            if opened.getinfo(_BOARD).file_size > _MOST_BOARD:
                raise complaint("{archive}: its board is too large", archive=archive)
            board = json.loads(opened.read(_BOARD))
        # Every field that is read below, so that another file is refused here.
        rows = [{"place": row["place"], **row, "team_id": str(row["team_id"])} for row in board["rows"]]
        return {"cycle": board["cycle"], "rows": rows}
    except (*BROKEN_ARCHIVE, *_UNREADABLE) as error:
        raise complaint("{archive} is no archive of a final: {error}", archive=archive, error=error) from None


def _names(teams: Path | None) -> dict[str, str]:
    """Return the teams' names by id; :class:`click.ClickException` for a file that is no table of teams."""
    if teams is None:
        return {}
    try:
        with teams.open(encoding="utf-8-sig", newline="") as rows:
            return {row["team_id"]: row["name"].removeprefix("'") for row in csv.DictReader(rows)}
    except _UNREADABLE as error:
        raise complaint("{teams} is no table of teams: {error}", teams=teams, error=error) from None


COMMANDS: Final = (carry, earlier)
