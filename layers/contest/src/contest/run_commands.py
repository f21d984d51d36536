"""``contest run …``: plan runs, decide about them, watch them, publish their results."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import click
from rich.table import Table

from contest.domain import run as schedule
from contest.domain.cycle import ALL_LANGUAGES, Mode
from contest.domain.moments import SECOND, Millis, iso
from contest.domain.run import Limits, Run
from contest.services import knowledge, runs
from contest.services.runs import RunOrder
from contest.shell import complaints, console, refusals, who, wired
from tracks.protocol import Reason

MODES: Final = click.Choice([Mode.FINAL.value, Mode.TECHNICAL.value])
as_json = click.option("--json", "raw", is_flag=True, help="Print JSON instead of a table.")


class Moment(click.ParamType[Millis]):
    """A moment with its zone, ``2026-11-21T12:00:00Z`` or ``…+03:00``: no zone is ever guessed."""

    name = "moment"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Millis:
        """See click."""
        if isinstance(value, int):
            return value
        try:
            read = datetime.fromisoformat(value)
        except ValueError:
            self.fail(f"{value!r} is no moment like 2026-11-21T12:00:00Z", param, ctx)
        if read.tzinfo is None:
            self.fail(f"{value!r} does not say its zone; write …Z or …+03:00", param, ctx)
        return round(read.timestamp() * SECOND)


@click.group()
def run() -> None:
    """Runs: the scheduled release of a set to all teams at once (technical qualification, final)."""


@run.command("plan")
@click.option("--mode", type=MODES, default=Mode.FINAL.value, show_default=True)
@click.option("--set", "set_name", default="final", show_default=True, help="The set to draw files from.")
@click.option("--start", type=Moment(), required=True, help="When the first file opens, with its zone.")
@click.option("--interval", type=float, default=60.0, show_default=True, help="Seconds between openings.")
@click.option("--files", type=int, help="How many files; all of the set without it.")
@click.option("--language", default=ALL_LANGUAGES, show_default=True)
@click.option("--request", type=float, default=10.0, show_default=True, help="Seconds to ask for a file.")
@click.option("--answer", type=float, default=50.0, show_default=True, help="Seconds from the hand-out to the answer.")
@click.option("--total", type=float, default=60.0, show_default=True, help="Seconds from the opening to the answer.")
@click.option("--join", type=float, default=120.0, show_default=True, help="Seconds after the start to open a session.")
@click.option("--trial", is_flag=True, help="The same in everything, but it counts nowhere.")
@click.option("--admit", help="Teams that may take part, by commas; all active ones without it.")
@click.option("--admit-file", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="One team a line.")
@as_json
def run_plan(  # noqa: PLR0913 -- one option each
    *,
    mode: str,
    set_name: str,
    start: Millis,
    interval: float,
    files: int | None,
    language: str,
    request: float,
    answer: float,
    total: float,
    join: float,
    trial: bool,
    admit: str | None,
    admit_file: Path | None,
    raw: bool,
) -> None:
    """Plan a run, publish its commitment and print the run's name."""
    limits = Limits(*(round(each * SECOND) for each in (request, answer, total, join)))
    order = RunOrder(
        Mode(mode), set_name, start, round(interval * SECOND), limits, files, language, trial, _teams(admit, admit_file)
    )
    with refusals():
        planned = runs.plan_run(wired(), who(), order)
    _warn(runs.notices(wired(), planned))
    _print_run(planned, raw)


def _teams(admit: str | None, admit_file: Path | None) -> tuple[str, ...] | None:
    """Teams named by the options; None where neither is given."""
    if admit is None and admit_file is None:
        return None
    lines = admit_file.read_text("utf-8").splitlines() if admit_file else []
    named = [each.strip() for each in [*(admit or "").split(","), *lines]]
    return tuple(sorted({each for each in named if each and not each.startswith("#")}))


def _warn(notices: Sequence[Reason]) -> None:
    for each in notices:
        complaints.print(f"[yellow]warning[/] {each.code}: {each.message.en}")


@run.command("list")
@click.option("--mode", type=MODES)
@click.option("--limit", type=click.IntRange(1, 100), default=20, show_default=True)
@as_json
def run_list(mode: str | None, limit: int, raw: bool) -> None:
    """List runs, the latest start first."""
    now = wired().clock.now()
    found = runs.listed(wired(), Mode(mode) if mode else None, limit)
    if raw:
        click.echo(json.dumps([summary(each, now) for each in found], ensure_ascii=False, indent=2))
        return
    table = Table("run", "mode", "set", "start", "files", "state")
    for each in found:
        kind = f"{each.mode.value} (trial)" if each.trial else each.mode.value
        files = str(schedule.total_files(each))
        table.add_row(each.run_id, kind, each.set_name, iso(each.starts_at), files, schedule.state_at(each, now).value)
    console.print(table)


@run.command("show")
@click.argument("run_id")
@as_json
def run_show(run_id: str, raw: bool) -> None:
    """Show a run: schedule, state, commitment, decisions."""
    with refusals():
        _print_run(knowledge.run_now(wired(), run_id), raw)


def summary(found: Run, now: Millis) -> dict[str, Any]:
    """A run as these commands print it."""
    return {
        "run_id": found.run_id,
        "state": schedule.state_at(found, now).value,
        **runs.described(found),
        "total_files": schedule.total_files(found),
        "ends_at": iso(schedule.ends_at(found)),
        "published": found.published_at is not None,
        "closed_at": iso(found.closed_at) if found.closed_at is not None else None,
    }


def _print_run(found: Run, raw: bool) -> None:
    said = summary(found, wired().clock.now())
    said["commitment"] = runs.commitment_of(wired(), found.run_id)
    said["amendments"] = [
        {"number": each.number, "kind": each.kind.value, "at": iso(each.at), "who": each.who, "reason": each.reason}
        | {"effective_at": iso(each.effective_at), "details": dict(each.details)}
        for each in found.amendments
    ]
    if raw:
        click.echo(json.dumps(said, ensure_ascii=False, indent=2))
        return
    click.echo(found.run_id)
    table = Table("what", "value", show_header=False)
    for name, value in said.items():
        if name not in {"run_id", "commitment", "amendments"}:
            table.add_row(name, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
    table.add_row("root", said["commitment"]["statement"]["root"])
    for each in said["amendments"]:
        details = json.dumps(each["details"], ensure_ascii=False)
        table.add_row(
            f"amendment {each['number']}", f"{each['kind']} {details} {each['effective_at']} {each['reason']}"
        )
    complaints.print(table)
