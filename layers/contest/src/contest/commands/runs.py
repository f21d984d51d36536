"""``contest run …``: plan runs, look at them, watch them, keep their records."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click
from rich.live import Live
from rich.table import Table

from contest.commands.exports import archive
from contest.commands.options import Moment, Seconds, as_json, teams_named
from contest.commands.run_decisions import DECISIONS
from contest.commands.shell import complaints, console, refusals, who, wired
from contest.domain.cycle.cycle import ALL_LANGUAGES, Mode
from contest.domain.moments import SECOND, Millis, iso
from contest.domain.run.run import SaidLimits
from contest.domain.run.schedule import RunState
from contest.services import reading
from contest.services.results import settling
from contest.services.run import planning, records, showing, watching
from contest.services.run.planning import RunOrder
from contest.services.run.watching import RunView
from tracks.protocol import Reason

MODES: Final = click.Choice([Mode.FINAL.value, Mode.TECHNICAL.value])


@click.group()
def run() -> None:
    """Runs: the scheduled release of a set to all teams at once (technical qualification, final)."""


run.add_command(archive)
for _decision in DECISIONS:
    run.add_command(_decision)


@run.command("plan")
@click.option("--mode", type=MODES, default=Mode.FINAL.value, show_default=True)
@click.option("--set", "set_name", default="final", show_default=True, help="The set to draw files from.")
@click.option("--start", type=Moment(), required=True, help="When the first file opens, with its zone.")
@click.option("--interval", type=Seconds(), help="Between openings; the cycle's without it.")
@click.option("--files", type=int, help="How many files; all of the set without it.")
@click.option("--language", default=ALL_LANGUAGES, show_default=True)
@click.option("--request", type=Seconds(), help="To ask for a file; the cycle's without it.")
@click.option("--answer", type=Seconds(), help="From the hand-out to the answer; the cycle's without it.")
@click.option("--total", type=Seconds(), help="From the opening to the answer; the cycle's without it.")
@click.option("--join", type=Seconds(), help="After the start to open a session; the cycle's without it.")
@click.option("--trial", is_flag=True, help="The same in everything, but it counts nowhere.")
@click.option("--admit", help="Teams that may take part, by commas; all active ones without it.")
@click.option("--admit-file", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="One team a line.")
@as_json
def run_plan(  # noqa: PLR0913 -- one option each
    *,
    mode: str,
    set_name: str,
    start: Millis,
    interval: Millis | None,
    files: int | None,
    language: str,
    request: Millis | None,
    answer: Millis | None,
    total: Millis | None,
    join: Millis | None,
    trial: bool,
    admit: str | None,
    admit_file: Path | None,
    raw: bool,
) -> None:
    """Plan a run, publish its commitment and print the run's name."""
    limits, teams = SaidLimits(request, answer, total, join), teams_named(admit, admit_file)
    with refusals():
        order = RunOrder(Mode(mode), set_name, start, interval, limits, files, language, trial, teams)
        planned = planning.plan_run(wired(), who(), order)
    _warn(planning.notices(wired(), planned))
    _print_run(planned.run_id, raw)


def _warn(notices: Sequence[Reason]) -> None:
    for each in notices:
        complaints.print(f"[yellow]warning[/] {each.code}: {each.message.en}")


@run.command("list")
@click.option("--mode", type=MODES)
@click.option("--limit", type=click.IntRange(1, 100), default=20, show_default=True)
@as_json
def run_list(mode: str | None, limit: int, raw: bool) -> None:
    """List runs, the latest start first."""
    found = showing.listed(wired(), Mode(mode) if mode else None, limit)
    if raw:
        click.echo(json.dumps(found, ensure_ascii=False, indent=2))
        return
    table = Table("run", "mode", "set", "start", "files", "state")
    for each in found:
        kind = f"{each['mode']} (trial)" if each["trial"] else each["mode"]
        table.add_row(each["run_id"], kind, each["set"], each["starts_at"], str(each["total_files"]), each["state"])
    console.print(table)


@run.command("show")
@click.argument("run_id")
@as_json
def run_show(run_id: str, raw: bool) -> None:
    """Show RUN_ID: schedule, state, commitment, decisions, a proposal on a mass failure."""
    with refusals():
        _print_run(run_id, raw)


@run.command("watch")
@click.argument("run_id")
@click.option("--every", type=click.FloatRange(0.5, 60), default=2.0, show_default=True, help="Seconds between looks.")
@click.option("--once", is_flag=True, help="Look once and end.")
@as_json
def run_watching(run_id: str, every: float, once: bool, raw: bool) -> None:
    """Watch RUN_ID: who is connected, delays, annulments; ends with the run."""

    def look() -> RunView:
        with refusals():
            return watching.look(wired(), reading.run_now(wired(), run_id))

    if raw:
        click.echo(json.dumps(showing.watched(look()), ensure_ascii=False, indent=2))
        return
    if once:
        console.print(_board(look()))
        return
    with Live(_board(found := look()), console=console, auto_refresh=False) as live:
        while found.schedule.run.closed_at is None:
            time.sleep(every)
            live.update(_board(found := look()), refresh=True)


@run.command("record")
@click.argument("run_id")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), required=True, help="The folder to write to.")
def run_records(run_id: str, out: Path) -> None:
    """Write the record of RUN_ID for the commission: record.json, timeline.svg, sessions.csv."""
    with refusals():
        files = records.folder(wired(), run_id)
    out.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (out / name).write_bytes(content)
    click.echo(f"{out}: {', '.join(files)}")


def _print_run(run_id: str, raw: bool) -> None:
    said = {**showing.shown(wired(), run_id), "settlement": settling.shown(wired(), run_id)}
    if raw:
        click.echo(json.dumps(said, ensure_ascii=False, indent=2))
        return
    click.echo(run_id)
    table = Table("what", "value", show_header=False)
    for name, value in said.items():
        if name not in {"run_id", "commitment", "amendments"} and value is not None:
            table.add_row(name, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
    table.add_row("root", said["commitment"]["statement"]["root"])
    for each in said["amendments"]:
        details = json.dumps(each["details"], ensure_ascii=False)
        table.add_row(
            f"amendment {each['number']}", f"{each['kind']} {details} {each['effective_at']} {each['reason']}"
        )
    complaints.print(table)


def _board(found: RunView) -> Table:
    total = found.schedule.total_files
    state = found.schedule.state_at(found.now)
    title = f"{found.schedule.run.run_id} · {state.value} · {found.opened} of {total} open · {iso(found.now)}"
    table = Table("team", "session", "heard of", "answered", "open", "void", "share", "delay", title=title)
    for each in found.teams:
        silent = max(0, found.now - each.seen_at) / SECOND
        heard = f"{silent:.0f} s ago" if each.connected else f"[red]away {silent:.0f} s[/]"
        void = ", ".join(f"{cause.value} {count}" for cause, count in sorted(each.voided.items())) or "—"
        share = "—" if each.voided_share is None else f"{each.voided_share:.1%}"
        late = "—" if each.last_delay is None else f"{each.last_delay / SECOND:.2f} s"
        marked = f"[red]{share}[/]" if each.solution_voided else share
        table.add_row(
            each.team_id, each.state, heard, f"{each.answered}/{each.files}", str(each.open), void, marked, late
        )
    if found.proposal is not None and found.standing is not None:
        numbers = ", ".join(map(str, found.proposal.body["numbers"]))
        table.caption = f"mass failure ({found.standing.value}): everybody missed the files {numbers}"
    elif state is RunState.PLANNED:
        table.caption = f"starts at {iso(found.schedule.opens_at(1))}"
    return table
