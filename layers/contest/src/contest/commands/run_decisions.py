"""``contest run pause|resume|stop|…``: every decision about a run, with ``--preview`` for what it would change."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final, TypeVar

import click
from rich.table import Table

from contest.commands.options import Moment, Numbers, Seconds, as_json
from contest.commands.shell import complaints, console, refusals, who, wired
from contest.domain.moments import Millis, iso
from contest.domain.run.amending import Wish
from contest.domain.run.run import Kind, Run
from contest.domain.session.delivery import Cause
from contest.services.results import publishing
from contest.services.run import amendments, watching
from contest.services.run.amendments import Preview, Restart
from contest.services.run.watching import TeamView

Command = TypeVar("Command", bound=Callable[..., Any])
CAUSES: Final = click.Choice([each.value for each in Cause])


def decision(command: Command) -> Command:
    """The run, the reason and the ways of printing that every decision has."""
    for option in (
        as_json,
        click.option("--preview", is_flag=True, help="Show what would change and write nothing."),
        click.option("--reason", required=True, help="Why; it is published and written to the audit log."),
        click.argument("run_id"),
    ):
        command = option(command)
    return command


@click.command("pause")
@decision
def pause(run_id: str, reason: str, preview: bool, raw: bool) -> None:
    """Open nothing more of RUN_ID from five seconds on; all pauses together last two hours at most (D 6.16)."""
    _fulfil(run_id, Wish(Kind.PAUSE, reason), preview, raw)


@click.command("resume")
@decision
def resume(run_id: str, reason: str, preview: bool, raw: bool) -> None:
    """Let the paused RUN_ID go on in half a minute; everything that is still to open moves by the pause."""
    _fulfil(run_id, Wish(Kind.RESUME, reason), preview, raw)


@click.command("stop")
@decision
def stop(run_id: str, reason: str, preview: bool, raw: bool) -> None:
    """End RUN_ID for good; its results do not count and stay visible to organizers (R 7.16)."""
    _fulfil(run_id, Wish(Kind.STOP, reason), preview, raw)


@click.command("void")
@decision
@click.argument("numbers", type=Numbers())
def void(run_id: str, numbers: tuple[int, ...], reason: str, preview: bool, raw: bool) -> None:
    """Annul the files NUMBERS (3,5-7) of RUN_ID for everybody; they count for nobody."""
    _fulfil(run_id, Wish(Kind.VOID, reason, numbers), preview, raw)


@click.command("replace")
@decision
@click.argument("numbers", type=Numbers(), required=False)
@click.option("--proposal", is_flag=True, help="The files that the proposal on a mass failure names.")
def replace(
    run_id: str, numbers: tuple[int, ...] | None, proposal: bool, reason: str, preview: bool, raw: bool
) -> None:
    """Annul the files NUMBERS of RUN_ID for everybody and append as many of the reserve set (D 8.12)."""
    if (numbers is None) == (not proposal):
        raise click.UsageError("name the files, or give --proposal")
    with refusals():
        wish = watching.replacement(wired(), run_id, reason) if proposal else Wish(Kind.REPLACE, reason, numbers or ())
    _fulfil(run_id, wish, preview, raw)


@click.command("rule")
@decision
@click.argument("team_id")
@click.argument("number", type=int)
@click.argument("cause", type=CAUSES)
def rule(run_id: str, team_id: str, number: int, cause: str, reason: str, preview: bool, raw: bool) -> None:
    """Say of the void file NUMBER of TEAM_ID in RUN_ID that its cause is another; the team alone is told."""
    _fulfil(run_id, Wish(Kind.RULE, reason, (number,), team_id, Cause(cause)), preview, raw)


@click.command("undo")
@decision
@click.argument("amendment", type=int)
def undo(run_id: str, amendment: int, reason: str, preview: bool, raw: bool) -> None:
    """Take the decision AMENDMENT of RUN_ID back (its number: contest run show)."""
    _fulfil(run_id, Wish(Kind.UNDO, reason, amendment=amendment), preview, raw)


@click.command("restart")
@decision
@click.option("--start", type=Moment(), required=True, help="When the new run's first file opens, with its zone.")
@click.option("--files", type=int, help="How many files; as many as before without it, if the reserve has them.")
@click.option("--interval", type=Seconds(), help="Between openings; as before without it.")
def restart(
    run_id: str, start: Millis, files: int | None, interval: Millis | None, reason: str, preview: bool, raw: bool
) -> None:
    """Stop RUN_ID and plan a new run on the reserve set: one decision (R 7.16)."""
    wish = Restart(start, interval, files)
    with refusals():
        if preview:
            stop, planned = amendments.preview_restart(wired(), run_id, reason, wish)
            _print_preview(stop, raw)
            (complaints if raw else console).print(
                f"then a new run on the set {planned.set_name}: {planned.files} files from {iso(start)}"
            )
            return
        new = amendments.restart(wired(), who(), run_id, reason, wish)
    click.echo(json.dumps({"run_id": new.run_id, "restarts": run_id}) if raw else new.run_id)


@click.command("dismiss")
@click.argument("run_id")
@click.option("--reason", required=True, help="Why the platform was not at fault.")
def dismiss(run_id: str, reason: str) -> None:
    """Dismiss the proposal on a mass failure in RUN_ID; the files stay as they are (D 1.7)."""
    with refusals():
        watching.dismiss(wired(), who(), run_id, reason)
    click.echo("the proposal is dismissed")


@click.command("mark")
@click.argument("run_id")
def mark(run_id: str) -> None:
    """Score the closed final RUN_ID by the markups that experts made here, or that the cycle has now (R 7.10)."""
    with refusals():
        publishing.mark(wired(), who(), run_id)
    click.echo(f"{run_id} has the present markups; contest run publish has its answers scored by them")


@click.command("publish")
@click.argument("run_id")
def publish(run_id: str) -> None:
    """Publish the results of the final RUN_ID: the board, and the results in the teams' reports (R 7.11, 7.12)."""
    with refusals():
        publishing.publish(wired(), who(), run_id)
    click.echo(f"the results of {run_id} are published")


@click.command("hide")
@click.argument("run_id")
def hide(run_id: str) -> None:
    """Withdraw the published results of RUN_ID."""
    with refusals():
        publishing.hide(wired(), who(), run_id)
    click.echo(f"the results of {run_id} are hidden")


DECISIONS: Final = (pause, resume, stop, restart, void, replace, rule, undo, dismiss, mark, publish, hide)


def _fulfil(run_id: str, wish: Wish, preview: bool, raw: bool) -> None:
    with refusals():
        if preview:
            _print_preview(amendments.preview(wired(), run_id, wish), raw)
            return
        after = amendments.decide(wired(), who(), run_id, wish)
    made = after.amendments[-1]
    if raw:
        click.echo(json.dumps(_described(after), ensure_ascii=False, indent=2))
        return
    click.echo(f"amendment {made.number}: {made.kind.value}, in effect at {iso(made.effective_at)}")


def _described(after: Run) -> dict[str, Any]:
    made = after.amendments[-1]
    return {
        "amendment": made.number,
        "kind": made.kind.value,
        "effective_at": iso(made.effective_at),
        "details": dict(made.details),
        "version": after.version,
    }


def _print_preview(found: Preview, raw: bool) -> None:
    moved = [
        {"number": each.number, "before": each.before and iso(each.before), "after": each.after and iso(each.after)}
        for each in found.moved
    ]
    teams = [
        {"team_id": was.team_id, "session_id": was.session_id, "before": _standing(was), "after": _standing(becomes)}
        for was, becomes in found.teams
    ]
    if raw:
        said = {
            **_described(found.after.run),
            "preview": True,
            "moved": moved,
            "teams": teams,
            "ends": list(found.ends),
        }
        click.echo(json.dumps(said, ensure_ascii=False, indent=2))
        return
    made = found.after.run.amendments[-1]
    console.print(f"{made.kind.value} would hold from {iso(made.effective_at)}; nothing is written")
    openings = Table("file", "opens", "would open", title="Openings that move")
    for each in moved:
        openings.add_row(str(each["number"]), str(each["before"] or "—"), str(each["after"] or "—"))
    shares = Table("team", "void", "would be", "share", "would be", "solution", "would be", title="Teams")
    for was, becomes in found.teams:
        cells = [(len(was.voided_numbers), len(becomes.voided_numbers)), (_share(was), _share(becomes))]
        cells.append((_fate(was), _fate(becomes)))
        shares.add_row(was.team_id, *(str(cell) for pair in cells for cell in pair))
    for table, rows in ((openings, moved), (shares, teams)):
        if rows:
            console.print(table)
    console.print(f"sessions that end: {', '.join(found.ends) or 'none'}")


def _standing(view: TeamView) -> dict[str, Any]:
    return {
        "voided": list(view.voided_numbers),
        "voided_share": view.voided_share,
        "solution_voided": view.solution_voided,
        "state": view.state,
    }


def _share(view: TeamView) -> str:
    return "—" if view.voided_share is None else f"{view.voided_share:.1%}"


def _fate(view: TeamView) -> str:
    return "void" if view.solution_voided else "counts"
