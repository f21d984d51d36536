"""``contest export``: reports and tables of the platform into files, in the form that the file's name asks for."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import click

from contest import routes
from contest.commands.people import desk
from contest.route import Route
from markup_core.speaking import say
from tracks.command import spoken

Forms = Mapping[str, Route]
"""Routes by the ending of the file's name."""

_SESSION: Final[Forms] = {
    ".json": routes.REPORT,
    ".html": routes.REPORT_PAGE,
    ".csv": routes.REPORT_CSV,
    ".xlsx": routes.REPORT_XLSX,
}
_SUBMISSION: Final[Forms] = {
    ".json": routes.SUBMISSION_REPORT,
    ".html": routes.SUBMISSION_PAGE,
    ".csv": routes.SUBMISSION_CSV,
    ".xlsx": routes.SUBMISSION_XLSX,
}
_COMMISSION: Final[Forms] = {
    ".json": routes.COMMISSION_RECORD,
    ".html": routes.COMMISSION_PAGE,
    ".xlsx": routes.COMMISSION_XLSX,
}
_FILES: Final[Forms] = {".json": routes.RUN_FILES, ".csv": routes.RUN_FILES_CSV, ".xlsx": routes.RUN_FILES_XLSX}
_EXPERTS: Final[Forms] = {
    ".json": routes.MARKING_REPORT,
    ".html": routes.MARKING_PAGE,
    ".csv": routes.MARKING_CSV,
    ".xlsx": routes.MARKING_XLSX,
}
_QUALIFICATION: Final[Forms] = {
    ".json": routes.QUALIFICATION_BOARD,
    ".csv": routes.QUALIFICATION_BOARD_CSV,
    ".xlsx": routes.QUALIFICATION_BOARD_XLSX,
}
_FINAL: Final[Forms] = {
    ".json": routes.FINAL_BOARD,
    ".csv": routes.FINAL_BOARD_CSV,
    ".xlsx": routes.FINAL_BOARD_XLSX,
}

_TEAMS: Final[Forms] = {".json": routes.BOARD_PREVIEW, ".csv": routes.COMPARED_CSV, ".xlsx": routes.COMPARED_XLSX}

_file = click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
_lang = click.option("--lang", type=click.Choice(["ru", "en"]), default="ru", show_default=True, help="For people.")


@spoken.group()
def export() -> None:
    """Write reports and tables into FILE: .json, .csv, .xlsx, or .html to print."""


@export.command("session")
@click.argument("session_id")
@_file
@_lang
def session(session_id: str, file: Path, lang: str) -> None:
    """Write the report of SESSION_ID: every file with every metric."""
    _write(_SESSION, file, lang, session_id=session_id)


@export.command("submission")
@click.argument("submission_id")
@_file
@_lang
def submission(submission_id: str, file: Path, lang: str) -> None:
    """Write the report of SUBMISSION_ID, as it stands on the board."""
    _write(_SUBMISSION, file, lang, submission_id=submission_id)


@export.command("commission")
@click.argument("run_id")
@_file
@_lang
def commission(run_id: str, file: Path, lang: str) -> None:
    """Write what the commission looks at of RUN_ID: annulments, decisions, protocols, results, the log."""
    _write(_COMMISSION, file, lang, run_id=run_id)


@export.command("files")
@click.argument("run_id")
@_file
@click.option("--team", help="This team's files alone.")
@_lang
def files(run_id: str, file: Path, team: str | None, lang: str) -> None:
    """Write every file of every team of RUN_ID."""
    _write(_FILES, file, lang, {"team": team}, run_id=run_id)


@export.command("experts")
@click.argument("marking_id")
@_file
@_lang
def experts(marking_id: str, file: Path, lang: str) -> None:
    """Write the experts' work on MARKING_ID: progress, speed, agreement, drift, third experts."""
    _write(_EXPERTS, file, lang, marking_id=marking_id)


@export.command("board")
@_file
@click.option("--final", "final_", is_flag=True, help="Of the latest final whose results are out.")
@click.option("--run", "run_id", help="Of this final.")
@click.option("--language", default="all", show_default=True, help="Over the files of a language.")
@click.option("--nomination", help="Of a final: over the files of this nomination.")
@_lang
def board(file: Path, *, final_: bool, run_id: str | None, language: str, nomination: str | None, lang: str) -> None:
    """Write a leaderboard: of the qualification, or of a final."""
    if final_ or run_id is not None:
        _write(_FINAL, file, lang, {"run": run_id, "language": language, "nomination": nomination})
    elif nomination is not None:
        raise click.UsageError(
            say("nominations are of finals: --final, or --run RUN", "номинации бывают у финала: --final или --run RUN")
        )
    else:
        _write(_QUALIFICATION, file, lang, {"language": language})


@export.command("teams")
@click.argument("run_id")
@_file
@click.option("--key", help="Another board of the contest than its main one.")
@_lang
def teams(run_id: str, file: Path, key: str | None, lang: str) -> None:
    """Write all teams of the final RUN_ID in the contest's tables, as they are now (D-App1б, Table 2)."""
    _write(_TEAMS, file, lang, {"key": key}, board=run_id)


@spoken.command("archive")
@click.argument("run_id")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), required=True, help="The file to write.")
def archive(run_id: str, out: Path) -> None:
    """Write the archive of the published final RUN_ID (CC BY 4.0); pku verify-archive checks it."""
    content = desk().published(routes.RUN_ARCHIVE, run_id=run_id)
    out.write_bytes(content)
    _say_written(out, content)


def _write(forms: Forms, file: Path, lang: str, query: Mapping[str, str | None] | None = None, **names: str) -> None:
    route = forms.get(file.suffix.lower())
    if route is None:
        endings = ", ".join(forms)
        told = say(f"{file.name} ends in none of {endings}", f"{file.name} не оканчивается ни на одно из {endings}")
        raise click.BadParameter(told, param_hint="FILE")
    content = desk().content(route, {**(query or {}), "lang": lang}, **names)
    file.write_bytes(content)
    _say_written(file, content)


def _say_written(file: Path, content: bytes) -> None:
    click.echo(say(f"{file}: {len(content)} bytes", f"{file}: байт {len(content)}"))
