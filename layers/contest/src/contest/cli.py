"""The organizer's command: cycles, teams, tokens, scoring, boards. It works through the same ports as the functions.

Exit codes: 0 done, 1 refused (the message says why), 2 wrong usage, 3 a verification found a difference.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import click
from rich.progress import Progress, SpinnerColumn, TextColumn
from rich.table import Table

from contest.bootstrap import Wiring
from contest.domain.cycle import ALL_LANGUAGES
from contest.domain.faults import Fault
from contest.domain.moments import iso
from contest.domain.report import described_parameters
from contest.run_commands import run
from contest.services import audit, identity, score_answer
from contest.services import board as boards
from contest.services import load_cycle as loading
from contest.services.identity import NotPossibleError
from contest.shell import complaints, console, refusals, who, wired

DIFFERENCE: Final = 3


class Folder:
    """A cycle's folder on disk."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def names(self, folder: str) -> Sequence[str]:
        """See :class:`contest.services.load_cycle.Source`."""
        place = self._path / folder
        return sorted(each.name for each in place.iterdir() if each.is_file()) if place.is_dir() else []

    def read(self, name: str) -> bytes:
        """See :class:`contest.services.load_cycle.Source`."""
        try:
            return (self._path / name).read_bytes()
        except OSError as error:
            raise LookupError(name) from error


@click.group()
def main() -> None:
    """Organize a contest: everything a deployment needs that no participant may do."""


main.add_command(run)


@main.group()
def cycle() -> None:
    """The cycle: its sets, languages and parameters."""


@cycle.command("load")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
def cycle_load(folder: Path) -> None:
    """Load FOLDER (cycle.json and its sets) all or nothing; lists every fault there is."""
    deployment = wired()
    columns = (SpinnerColumn(), TextColumn("{task.completed} files"), TextColumn("{task.description}"))
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
    except NotPossibleError as error:
        raise click.ClickException(str(error)) from None
    for warning in loaded.warnings:
        complaints.print(f"[yellow]warning[/] {warning.file}: {warning.message}")
    sizes = ", ".join(f"{each.name} {each.size}" for each in loaded.cycle.sets)
    click.echo(f"cycle {loaded.cycle.name}: {sizes} files, parameters version {loaded.parameters.version}")


def _show_faults(faults: Sequence[Fault]) -> None:
    table = Table("file", "code", "fault", "where")
    for each in faults:
        table.add_row(each.file, each.code, each.message, json.dumps(dict(each.where), ensure_ascii=False))
    complaints.print(table)


@cycle.command("show")
def cycle_show() -> None:
    """Print the loaded cycle as JSON."""
    deployment = wired()
    found = deployment.catalogue.cycle()
    if found is None:
        raise click.ClickException("no cycle is loaded")
    shown = {
        "cycle": found.name,
        "name": dict(found.title),
        "track": found.track,
        "time_zone": found.time_zone,
        "loaded_at": iso(found.loaded_at),
        "sets": {each.name: {"kind": each.kind.value, "files": dict(each.sizes)} for each in found.sets},
        "parameters": described_parameters(deployment.catalogue.parameters(found.parameters_version)),
    }
    click.echo(json.dumps(shown, ensure_ascii=False, indent=2))


@main.group()
def team() -> None:
    """Teams."""


@team.command("add")
@click.argument("team_id")
@click.argument("name")
def team_add(team_id: str, name: str) -> None:
    """Admit a team: TEAM_ID (a–z, 0–9, '-') and its NAME."""
    with refusals():
        identity.add_team(wired(), who(), team_id, name)
    click.echo(f"team {team_id} added")


@main.group()
def token() -> None:
    """Tokens of the teams' programs."""


@token.command("issue")
@click.argument("team_id")
def token_issue(team_id: str) -> None:
    """Print a new token of TEAM_ID. Nobody can show it again."""
    with refusals():
        secret, stored = identity.issue_token(wired(), who(), team_id)
    complaints.print(f"token {stored.token_id} of team {team_id}; it is shown this once")
    click.echo(secret)


@token.command("revoke")
@click.argument("team_id")
@click.argument("token_id")
def token_revoke(team_id: str, token_id: str) -> None:
    """Revoke TOKEN_ID of TEAM_ID; it dies within a minute."""
    with refusals():
        identity.revoke_token(wired(), who(), team_id, token_id)
    click.echo(f"token {token_id} revoked")


@token.command("list")
@click.argument("team_id")
def token_list(team_id: str) -> None:
    """List the tokens of TEAM_ID, never the tokens themselves."""
    table = Table("token", "issued", "revoked")
    for each in wired().people.tokens_of(team_id):
        table.add_row(each.token_id, iso(each.created_at), iso(each.revoked_at) if each.revoked_at else "")
    console.print(table)


@main.group()
def scoring() -> None:
    """Answers that are not scored yet."""


@scoring.command("status")
def scoring_status() -> None:
    """List the sessions that wait for scores."""
    deployment = wired()
    table = Table("session", "waiting answers", "oldest")
    for session_id in _sessions(deployment):
        entries = deployment.outbox.of_session(session_id)
        if entries:
            table.add_row(session_id, str(len(entries)), iso(min(each.enqueued_at for each in entries)))
    console.print(table)


@scoring.command("redrive")
def scoring_redrive() -> None:
    """Put every waiting answer into the queue again, now."""
    deployment = wired()
    jobs = [entry.job for session_id in _sessions(deployment) for entry in deployment.outbox.of_session(session_id)]
    score_answer.relay(deployment, jobs)
    click.echo(f"{len(jobs)} answers enqueued")


def _sessions(deployment: Wiring) -> list[str]:
    return sorted({*deployment.sessions.open_ids(), *deployment.sessions.unreported_ids()})


@main.command("board")
@click.option("--language", default=ALL_LANGUAGES, show_default=True, help="A language of the cycle, or all.")
def board(language: str) -> None:
    """Print the qualification leaderboard."""
    with refusals():
        found = boards.qualification_board(wired(), language)
    table = Table("place", "team", "files", "result")
    for row in found.rows:
        name = found.names[row.entry.team_id]
        table.add_row(str(row.place), name, f"{row.entry.answered}/{row.entry.whole}", _headline(row.entry.result))
    console.print(table)


def _headline(result: Any) -> str:
    value = result.get("relative_accuracy") if isinstance(result, dict) else result
    return "undefined" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value)


@main.command("verify")
@click.argument("session_id")
def verify(session_id: str) -> None:
    """Rebuild the scores and the report of SESSION_ID from the stored facts and compare every byte."""
    deployment = wired()
    if deployment.sessions.get(session_id) is None:
        raise click.ClickException(f"there is no session {session_id}")
    found = audit.audit_session(deployment, session_id)
    for name in (*found.differences, *found.missing):
        complaints.print(f"[red]differs or is missing:[/] {name}")
    click.echo(f"{found.scores} scores, {found.reports} reports compared")
    if found.differences or found.missing:
        sys.exit(DIFFERENCE)
