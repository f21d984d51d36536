"""``contest rescore``: closed sessions and finals scored anew, compared, accepted or discarded (platform §2)."""

from __future__ import annotations

import json
from typing import Any

import click
from rich.markup import escape
from rich.table import Table

from contest import routes
from contest.commands.options import as_json
from contest.commands.people import desk
from contest.commands.shell import console

_reason = click.option("--reason", required=True, help="Why; it is in the log of what people changed.")


@click.group()
def rescore() -> None:
    """Score closed sessions anew after a change of parameters, classifier, markups or scorer."""


@rescore.command("begin")
@click.option("--session", "sessions", multiple=True, metavar="SESSION", help="A session; may be repeated.")
@click.option("--team", "team_id", help="Sessions of this team.")
@click.option("--run", "run_id", help="Sessions of this run; a final is named by its run alone.")
@click.option("--set", "set_name", help="Sessions on this set.")
@click.option("--mode", type=click.Choice(["algorithmic", "technical"]), help="Sessions of this mode.")
@click.option("--since", metavar="DAY", help="Closed on this UTC day or later.")
@click.option("--until", metavar="DAY", help="Closed on this UTC day or earlier.")
@click.option(
    "--parameters",
    "version",
    type=int,
    help="By parameters of this version; the present ones without it, a final's own.",
)
@_reason
def begun(*, sessions: tuple[str, ...], set_name: str | None, version: int | None, **said: str | None) -> None:
    """Score the closed sessions to which everything applies that is said; nothing goes by it before it is accepted."""
    body: dict[str, Any] = {**said, "sessions": list(sessions), "set": set_name, "parameters_version": version}
    made = desk().post(routes.BEGIN_RESCORING, body)
    click.echo(made["rescoring_id"])


@rescore.command("list")
def listed() -> None:
    """List rescorings, the latest first."""
    table = Table("rescoring", "begun", "state", "made", "applied", "reason")
    for each in desk().get(routes.RESCORINGS)["rescorings"]:
        made, applied = (f"{each[name]}/{each['total']}" for name in ("made", "applied"))
        cells = each["rescoring_id"], each["begun_at"], each["state"], made, applied, each["reason"]
        table.add_row(*map(escape, cells))
    console.print(table)


@rescore.command("show")
@click.argument("rescoring_id")
@as_json
def shown(rescoring_id: str, *, raw: bool) -> None:
    """Show RESCORING_ID: how far it has come, sessions and boards, old and new side by side."""
    found = desk().get(routes.RESCORING, rescoring_id=rescoring_id)
    if raw:
        click.echo(json.dumps(found, ensure_ascii=False, indent=2))
        return
    click.echo(f"{found['state']}: {found['made']} of {found['total']} sessions made, {found['applied']} applied")
    click.echo(f"by parameters of version {found['parameters_version']}" + _of_final(found))
    if found["refused"]:
        raise click.ClickException(f"{found['refused']['code']}: {found['refused']['message']}")
    console.print(_sessions(found["sessions"]))
    for board in found["boards"]:
        console.print(_board(board))


@rescore.command("resume")
@click.argument("rescoring_id")
def resumed(rescoring_id: str) -> None:
    """Send once more for what is not done of RESCORING_ID."""
    _told(desk().post(routes.RESUME_RESCORING, rescoring_id=rescoring_id))


@rescore.command("accept")
@click.argument("rescoring_id")
@_reason
def accepted(rescoring_id: str, *, reason: str) -> None:
    """Let reports and boards go by RESCORING_ID; what was before is kept."""
    _told(desk().post(routes.ACCEPT_RESCORING, {"reason": reason}, rescoring_id=rescoring_id))


@rescore.command("discard")
@click.argument("rescoring_id")
@_reason
def discarded(rescoring_id: str, *, reason: str) -> None:
    """Leave reports and boards as they are; what RESCORING_ID has made is kept for comparison."""
    _told(desk().post(routes.DISCARD_RESCORING, {"reason": reason}, rescoring_id=rescoring_id))


def _of_final(found: dict[str, Any]) -> str:
    if not found["final"]:
        return ""
    before = sorted({each["old"]["parameters_version"] for each in found["sessions"]})
    return f", final {found['final']}" + (f" scored by version {before[0]} until now" if before else "")


def _sessions(sessions: list[dict[str, Any]]) -> Table:
    table = Table("session", "team", "figure", "old", "new", "difference")
    for each in sessions:
        for name, values in each["metrics"].items():
            row = (_shown(values[side]) for side in ("old", "new", "difference"))
            table.add_row(each["session_id"], escape(each["team_id"]), name, *row)
    return table


def _board(board: dict[str, Any]) -> Table:
    table = Table("place", "was", "team", "relative accuracy", "was", title=f"board {board['language']}")
    for each in board["rows"]:
        old, new = (each[side] or {"place": "", "value": None} for side in ("old", "new"))
        accuracies = (_shown(side["value"]) for side in (new, old))
        table.add_row(str(new["place"]), str(old["place"]), escape(each["team_id"]), *accuracies)
    return table


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"


def _told(made: dict[str, Any]) -> None:
    click.echo(f"{made['rescoring_id']}: {made['state']}")
