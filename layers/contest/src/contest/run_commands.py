"""``contest run …``: plan runs, look at them, watch them, keep their records."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import click
from rich.live import Live
from rich.table import Table

from contest.domain import run as schedule
from contest.domain.cycle import ALL_LANGUAGES, Mode
from contest.domain.moments import SECOND, Millis, iso, iso_or_none
from contest.domain.run import Limits, Run, RunState
from contest.run_decision_commands import DECISIONS
from contest.run_options import Moment, as_json
from contest.services import knowledge, run_record, run_watch, runs
from contest.services.run_watch import RunView, TeamView
from contest.services.runs import RunOrder
from contest.shell import complaints, console, refusals, who, wired
from tracks.protocol import Reason

MODES: Final = click.Choice([Mode.FINAL.value, Mode.TECHNICAL.value])
SILENT: Final[Millis] = 120 * SECOND
"""A program that has not been heard of for so long while files were opening is shown as away."""


@click.group()
def run() -> None:
    """Runs: the scheduled release of a set to all teams at once (technical qualification, final)."""


for _decision in DECISIONS:
    run.add_command(_decision)


@run.command("plan")
@click.option("--mode", type=MODES, default=Mode.FINAL.value, show_default=True)
@click.option("--set", "set_name", default="final", show_default=True, help="The set to draw files from.")
@click.option("--start", type=Moment(), required=True, help="When the first file opens, with its zone.")
@click.option("--interval", type=float, help="Seconds between openings; the cycle's without it.")
@click.option("--files", type=int, help="How many files; all of the set without it.")
@click.option("--language", default=ALL_LANGUAGES, show_default=True)
@click.option("--request", type=float, help="Seconds to ask for a file; the cycle's without it.")
@click.option("--answer", type=float, help="Seconds from the hand-out to the answer; the cycle's without it.")
@click.option("--total", type=float, help="Seconds from the opening to the answer; the cycle's without it.")
@click.option("--join", type=float, help="Seconds after the start to open a session; the cycle's without it.")
@click.option("--trial", is_flag=True, help="The same in everything, but it counts nowhere.")
@click.option("--admit", help="Teams that may take part, by commas; all active ones without it.")
@click.option("--admit-file", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="One team a line.")
@as_json
def run_plan(  # noqa: PLR0913 -- one option each
    *,
    mode: str,
    set_name: str,
    start: Millis,
    interval: float | None,
    files: int | None,
    language: str,
    request: float | None,
    answer: float | None,
    total: float | None,
    join: float | None,
    trial: bool,
    admit: str | None,
    admit_file: Path | None,
    raw: bool,
) -> None:
    """Plan a run, publish its commitment and print the run's name."""
    with refusals():
        cycle = knowledge.cycle_now(wired())
        parameters = knowledge.parameters(wired(), cycle.parameters_version)
        rules = parameters.final if mode == Mode.FINAL else parameters.technical
        usual = (rules.request_s, rules.answer_s, rules.total_s, rules.join_s)
        given = (request, answer, total, join)
        limits = Limits(*(_millis(own, known) for own, known in zip(given, usual, strict=True)))
        between = _millis(interval, rules.interval_s[0])
        teams = _teams(admit, admit_file)
        order = RunOrder(Mode(mode), set_name, start, between, limits, files, language, trial, teams)
        planned = runs.plan_run(wired(), who(), order)
    _warn(runs.notices(wired(), planned))
    _print_run(planned, raw)


def _millis(given: float | None, usual: int) -> Millis:
    return round((usual if given is None else given) * SECOND)


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
    """Show RUN_ID: schedule, state, commitment, decisions, a proposal on a mass failure."""
    with refusals():
        _print_run(knowledge.run_now(wired(), run_id), raw)


@run.command("watch")
@click.argument("run_id")
@click.option("--every", type=click.FloatRange(0.5, 60), default=2.0, show_default=True, help="Seconds between looks.")
@click.option("--once", is_flag=True, help="Look once and end.")
@as_json
def run_watching(run_id: str, every: float, once: bool, raw: bool) -> None:
    """Watch RUN_ID: who is connected, delays, annulments; ends with the run."""

    def look() -> RunView:
        with refusals():
            return run_watch.look(wired(), knowledge.run_now(wired(), run_id))

    if raw:
        click.echo(json.dumps(_watched(look()), ensure_ascii=False, indent=2))
        return
    if once:
        console.print(_board(look()))
        return
    with Live(_board(found := look()), console=console, auto_refresh=False) as live:
        while found.run.closed_at is None:
            time.sleep(every)
            live.update(_board(found := look()), refresh=True)


@run.command("record")
@click.argument("run_id")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), required=True, help="The folder to write to.")
def run_records(run_id: str, out: Path) -> None:
    """Write the record of RUN_ID for the commission: record.json, timeline.svg, sessions.csv."""
    with refusals():
        content = run_record.published(wired(), run_id, wired().clock.now())
    record = json.loads(content)["record"]
    out.mkdir(parents=True, exist_ok=True)
    (out / "record.json").write_bytes(content)
    (out / "timeline.svg").write_bytes(run_record.chart(record))
    (out / "sessions.csv").write_bytes(run_record.table(record).encode("utf-8-sig"))
    click.echo(f"{out}: record.json, timeline.svg, sessions.csv; {len(record['sessions'])} sessions")


def summary(found: Run, now: Millis) -> dict[str, Any]:
    """A run as these commands print it."""
    return {
        "run_id": found.run_id,
        "state": schedule.state_at(found, now).value,
        **runs.described(found),
        "total_files": schedule.total_files(found),
        "ends_at": iso(schedule.ends_at(found)),
        "published": found.published_at is not None,
        "closed_at": iso_or_none(found.closed_at),
    }


def _print_run(found: Run, raw: bool) -> None:
    said = summary(found, wired().clock.now())
    said["commitment"] = runs.commitment_of(wired(), found.run_id)
    proposal = wired().runs.proposal(found.run_id)
    said["mass_failure"] = (
        {**proposal.body, "standing": run_watch.standing_of(found, proposal).value} if proposal else None
    )
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
        if name not in {"run_id", "commitment", "amendments"} and value is not None:
            table.add_row(name, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
    table.add_row("root", said["commitment"]["statement"]["root"])
    for each in said["amendments"]:
        details = json.dumps(each["details"], ensure_ascii=False)
        table.add_row(
            f"amendment {each['number']}", f"{each['kind']} {details} {each['effective_at']} {each['reason']}"
        )
    complaints.print(table)


def _watched(found: RunView) -> dict[str, Any]:
    return {
        **summary(found.run, found.now),
        "now": iso(found.now),
        "opened": found.opened,
        "mass_failure": found.proposal.body["numbers"] if found.proposal else None,
        "standing": found.standing.value if found.standing else None,
        "teams": [
            {
                "team_id": each.team_id,
                "session_id": each.session_id,
                "state": each.state,
                "connected": _connected(each, found),
                "seen_at": iso(each.seen_at),
                "answered": each.answered,
                "open": each.open,
                "voided": {cause.value: count for cause, count in sorted(each.voided.items())},
                "voided_share": each.voided_share,
                "solution_voided": each.solution_voided,
                "last_delay_ms": each.last_delay,
            }
            for each in found.teams
        ],
    }


def _connected(team: TeamView, found: RunView) -> bool:
    if team.on_channel is not None:
        return team.on_channel
    return schedule.silent_for(found.run, team.seen_at, found.now) < max(SILENT, 2 * found.run.interval)


def _board(found: RunView) -> Table:
    total = schedule.total_files(found.run)
    state = schedule.state_at(found.run, found.now)
    title = f"{found.run.run_id} · {state.value} · {found.opened} of {total} open · {iso(found.now)}"
    table = Table("team", "session", "heard of", "answered", "open", "void", "share", "delay", title=title)
    for each in found.teams:
        silent = max(0, found.now - each.seen_at) / SECOND
        heard = f"{silent:.0f} s ago" if _connected(each, found) else f"[red]away {silent:.0f} s[/]"
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
        table.caption = f"starts at {iso(schedule.opens_at(found.run, 1))}"
    return table
