"""The organizer's command: cycles, teams, tokens, scoring, boards.

The commands parse, call a service and print. Exit codes: 0 done, 1 refused (the message says why), 2 wrong usage, 3 a
verification found a difference or a run is open, 130 Ctrl-C.
"""

from __future__ import annotations

import copy
import sys
from pathlib import Path
from typing import Final

import click

from contest import routes
from contest.commands import connection, shell
from contest.commands.shell import show_json, speak
from contest.cycle.commands import cycles
from contest.cycle.commands.cycles import announce, pages
from contest.cycle.commands.folders import Folder
from contest.cycle.commands.sets import bring_cycle, kit, sets
from contest.cycle.rules.cycle import ALL_LANGUAGES
from contest.experts.commands import expert, marking, replay
from contest.messages.commands import hooks, mails, questions
from contest.operations.commands import check, cost, deadletters, doctor, log
from contest.people.commands import asked, finished, login, logout, staff, team, token, whoami
from contest.results import commands as boards
from contest.results.commands import export, qualification, results
from contest.run.commands import run
from contest.submissions.commands import rescore, shadow, shadow_of_submissions, submission
from contest.texts import CATALOGUE, say
from contest.values import iso
from markup_core.texts import localized
from tracks.command import spoken

DIFFERENCE: Final = 3


@click.group(cls=shell.StoppableGroup)
@click.version_option(package_name="hurdle-contest", prog_name="contest", message="%(prog)s %(version)s")
@spoken.choice
@click.option(
    "--cycle", metavar="NAME", help="A cycle that you have logged in to, or have deployed; the latest login without it."
)
@click.option("--local", is_flag=True, help="The local cloud that runs on this machine, as its sample organizer.")
@click.pass_context
def main(context: click.Context, cycle: str | None, *, local: bool) -> None:
    """Organize a contest: everything a deployment needs that no participant may do.

    Commands ask the platform as whoever has logged in. Where the environment names a deployment, those about runs,
    scoring and results work on it directly, with AWS credentials; so they do with --cycle NAME before anybody has
    logged in there: the cycle's stack says what they need.
    """
    if cycle is not None and local:
        raise click.UsageError(say("either --cycle or --local"))
    context.obj = connection.LOCAL if local else cycle


main.catalogue = CATALOGUE

for _group in (
    login,
    logout,
    whoami,
    team,
    token,
    staff,
    qualification,
    replay,
    expert,
    marking,
    announce,
    questions,
    mails,
    hooks,
    pages,
    check,
    export,
    deadletters,
    doctor,
    cost,
    log,
    run,
    rescore,
    results,
    sets,
    submission,
    kit,
):
    main.add_command(_group)
run.add_command(shadow)
submission.add_command(shadow_of_submissions)


@main.group()
def cycle() -> None:
    """Manage the cycle: sets, languages and parameters."""


for _command in cycles.COMMANDS:
    cycle.add_command(_command)
for _name, _command in (("init", cycles.create), ("check", cycles.validate)):
    _same = copy.copy(_command)
    _same.hidden = True  # the list of commands has one line for both names
    cycle.add_command(_same, _name)


@cycle.command("load")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--direct", is_flag=True, help="With AWS credentials, past the interface: the first time, or in need.")
def cycle_load(folder: Path, *, direct: bool) -> None:
    """Load FOLDER (cycle.json and its sets) all or nothing; lists every fault there is."""
    from rich.progress import SpinnerColumn, TextColumn

    from tracks.command.console import HeardProgress

    if not direct:
        bring_cycle(folder)
        return
    from contest.cycle import loading

    deployment = connection.chosen_deployment()
    files = say("{task.completed} files")
    columns = (SpinnerColumn(), TextColumn(files), TextColumn("{task.description}"))
    with shell.refusals():
        try:
            with HeardProgress(*columns, console=shell.complaints, transient=True) as progress:
                task = progress.add_task("", total=None)
                loaded = loading.load_cycle(
                    deployment,
                    shell.who(),
                    deployment.settings.cycle,
                    Folder(folder),
                    lambda name: progress.update(task, advance=1, description=name),
                )
        except loading.CycleFaultsError as error:
            shell.refuse_load(error.faults, len(error.faults))
    for warning in loaded.warnings:
        shell.caution(f"{warning.file}: {localized(warning.message)}")
    sizes = ", ".join(f"{essay_set.name} {essay_set.size}" for essay_set in loaded.cycle.sets)
    name, version = loaded.cycle.name, loaded.parameters.version
    speak("cycle {name}: {sizes} files, parameters version {version}", name=name, sizes=sizes, version=version)


@cycle.command("deploying")
@click.option("--anyway", "reason", metavar="REASON", help="Deploy in spite of open runs; written to the audit log.")
@shell.as_json
def cycle_deploying(reason: str | None, raw: bool) -> None:
    """Ask with AWS credentials whether the cycle may be deployed now; exit code 3 while a run is open.

    A run is open that goes on, is paused or starts within an hour. ``make deploy`` asks by itself.
    """
    from contest.operations import overview

    deployment = connection.chosen_deployment()
    with shell.refusals():
        open_runs = overview.open_runs(deployment)
        if open_runs and reason:
            overview.note_deployment(deployment, shell.who(), reason, open_runs)
    rows = [
        {"run_id": row.run_id, "mode": row.mode, "state": row.state, "starts_at": iso(row.starts_at)}
        for row in open_runs
    ]
    if raw:
        show_json({"runs": rows})
    elif not rows:
        speak("no run is open: the cycle may be deployed")
    else:
        cells = ((row["run_id"], *map(shell.code, (row["mode"], row["state"])), row["starts_at"]) for row in rows)
        shell.show_rows(("run", "mode", "state", "start"), cells)
    if open_runs and not reason:
        sys.exit(DIFFERENCE)


@cycle.command("schema")
def cycle_schema() -> None:
    """Print the JSON Schema of cycle.json, by which editors complete it."""
    # The file that ships, not the models: those load pydantic.
    click.echo(Path(cycles.__file__).parents[1].joinpath("cycle.schema.json").read_text("utf-8"), nl=False)


@cycle.command("show")
def cycle_show() -> None:
    """Print the loaded cycle as JSON."""
    description = asked().get(routes.CONDUCTED_CYCLE)
    show_json(description)


@main.group()
def scoring() -> None:
    """Manage answers that wait for scores."""


@scoring.command("status")
def scoring_status() -> None:
    """List the sessions that wait for scores."""
    sessions = asked().get(routes.UNSCORED)["sessions"]
    rows = ((session["session_id"], str(session["answers"]), session["oldest"]) for session in sessions)
    shell.show_rows(("session", "waiting answers", "oldest"), rows)


@scoring.command("redrive")
@click.option("--run", "run_id", help="Of this run alone; what lost its place in the outbox is found as well.")
def scoring_redrive(run_id: str | None) -> None:
    """Put every waiting answer into the queue again, now."""
    answer = asked().post(routes.REDRIVE, {"run": run_id})
    count = answer["enqueued"]
    speak("{count} answers enqueued", count=count)


@main.command("board")
@click.option("--language", default=ALL_LANGUAGES, show_default=True, help="A language of the cycle, or all.")
@click.option("--nomination", help="A nomination of the cycle, instead of a language.")
@click.option("--final", is_flag=True, help="The latest final's board, once it is published.")
@click.option("--run", "run_id", help="The board of this final.")
def board(language: str, nomination: str | None, final: bool, run_id: str | None) -> None:
    """Print the leaderboard of the qualification, or of a final, as everybody sees it."""
    if nomination is not None and not (final or run_id):
        raise click.UsageError(say("nominations are parts of a final's board: add --final, or --run RUN"))
    route = routes.FINAL_BOARD if final or run_id else routes.QUALIFICATION_BOARD
    boards.show_asked(asked(), route, {"language": language, "nomination": nomination, "run": run_id})


@main.command("verify")
@click.argument("session_id")
def verify(session_id: str) -> None:
    """Rebuild the scores and the report of SESSION_ID, a session or submission, and compare every byte."""
    at = asked()
    verification = finished(at, at.post(routes.VERIFY_SESSION, session_id=session_id))["verification"]
    for name in (*verification["differences"], *verification["missing"]):
        shell.complaints.print("[red]" + say("differs or is missing:") + f"[/] {name}")
    if verification["off_board"]:
        click.echo(shell.in_language(verification["off_board"]))
    scores, reports = verification["scores"], verification["reports"]
    speak("{scores} scores, {reports} reports compared", scores=scores, reports=reports)
    if verification["differences"] or verification["missing"]:
        sys.exit(DIFFERENCE)
