"""``hurdle rehearse``: a final with simulated teams, with a program of one's own among them, or to be joined by one."""

from __future__ import annotations

import gc
import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import click
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from local.aws.emulator import EmulatorGoneError
from local.aws.template import TemplateError
from local.clock import monotonic_s
from local.organizing import OrganizerError, in_words
from markup_core.texts import EN
from pku.answers import Order
from pku.errors import PkuError
from pku.solvers import CommandSolver, Solver, entry_point
from rehearsal import show
from rehearsal.ending import Settings
from rehearsal.history import SECOND, History, Millis, to_text
from rehearsal.play.driver import RunningPace, Timing
from rehearsal.play.material import FINAL, Cycle
from rehearsal.play.teams import Entry, Program, RecordedTransport, Team
from rehearsal.play.wire import Fault, UnknownFaultError, faults_named
from rehearsal.proof.checker import check
from rehearsal.proof.oracle import ESSAY, PROGRAMS
from rehearsal.remote import OWN_FAULTS, Outside, Place, clock_of, tokens_in
from rehearsal.stages import KINDS, STAGES, TRACKS, Outcome, Stage, kind_named, settings_of, staged
from tracks.command import spoken
from tracks.command.console import HeardProgress, WholeConsole, waiting

Json = Any
PROGRAM: Final = "your-program"
_EXPECTED: Final = (OrganizerError, EmulatorGoneError, TemplateError, OSError)
_JOINS_BEFORE: Final[Millis] = 40 * SECOND
_LEAD, _LEAD_TO_JOIN = 120.0, 60.0
"""Seconds until the start of a final, then of one that is to be joined; sessions may be opened two minutes longer."""
_PROVOKING: Final = 0.9  # share of the files with a trick where a bug is planted, which shows only when it is provoked
_SILENCE_S: Final = 30
"""Longest time of an act without a line, in seconds, where no bar moves: there are many acts, each named at first."""
_CONTAINERS: Final = 50_000
"""Lists and objects from which on cycles are looked for: a history is never garbage, and more than Python's 700."""
_LIST: Final = "list"
_FILE: Final = click.Path(dir_okay=False, path_type=Path)
_READ: Final = click.Path(exists=True, dir_okay=False, path_type=Path)


def _faults(_: click.Context, param: click.Parameter, value: str) -> frozenset[Fault]:
    try:
        return faults_named(value)
    except UnknownFaultError as error:
        raise click.BadParameter(in_words(error), param=param) from error


def _bug(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Return the name of a bug; ``list`` prints all of them."""
    if value is None:
        return None
    from rehearsal.harm.bugs import BUGS  # loads the whole platform, which no other rehearsal needs here

    if value == _LIST:
        for bug in sorted(BUGS):
            click.echo(f"{bug}: {BUGS[bug].mistake}")
        ctx.exit()
    if value not in BUGS:
        raise click.BadParameter(f"there is no bug {value}; --bug list prints all", param=param)
    return value


@spoken.command()
@click.option("--track", type=click.Choice(TRACKS), help="The contest; the essays, or the cycle's, without it.")
@click.option(
    "--cycle",
    "folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Play your own cycle: its contest, parameters, sets and days; the demonstration's without it.",
)
@click.option("--stage", type=click.Choice(STAGES), help="Which stage of it, where it has several.")
@click.option("--teams", type=click.IntRange(1, 1000), help="Simulated teams; as many as usual without it.")
@click.option("--files", type=click.IntRange(1, 1000), help="Items of the stage; as many as usual without it.")
@click.option("--seed", default=1, show_default=True, help="Reproduces what is injected.")
@click.option(
    "--faults",
    default="all",
    show_default=True,
    metavar="FAULTS",
    callback=_faults,
    help="none, some, all, or names with commas.",
)
@click.option("--interval", type=float, help="Seconds between openings; the contest's without it.")
@click.option("--report", "report_file", type=_FILE, help="Write all that is shown, and more, as JSON.")
@click.option(
    "--history", "history_file", type=_FILE, help="Write every request and answer and the facts (JSON lines)."
)
@click.option(
    "--solver", metavar="COMMAND", help="Let the kit play with this command: words with {input} and {output}."
)
@click.option(
    "--entry-point", "function", metavar="MODULE:FUNCTION", help="Let the kit play with this Python function."
)
@click.option("--join", is_flag=True, help="In real time: any program may take part with the printed token.")
@click.option("--at", "address", metavar="ADDRESS", help="In real time: play a trial run of the platform there.")
@click.option("--run", "run_id", help="The trial run that --at plays.")
@click.option("--tokens", type=_READ, help="Its simulated teams: TEAM TOKEN a line.")
@click.option("--port", default=0, help="Port of the API while --join runs; 0 takes any free one.")
@click.option("--log-dir", type=click.Path(file_okay=False, path_type=Path), help="Write what functions print there.")
@click.option("--details", is_flag=True, help="Show each check by itself, not the twelve promises alone.")
@click.option(
    "--bug",
    callback=_bug,
    metavar="NAME",
    help="Plant a bug in the platform, to see it found; list prints their names.",
)
def rehearse(**words: Any) -> None:
    """Play a whole final, or another contest's stage, on this machine, with faults, and prove what came of it.

    Exit code 1 when a check fails.
    """
    gc.set_threshold(_CONTAINERS)
    args = SimpleNamespace(**words)
    if sum(map(bool, (args.solver, args.function, args.join, args.address))) > 1:
        raise click.UsageError("choose one of --solver, --entry-point, --join and --at")
    try:
        cycle = None if args.folder is None else Cycle.owned(args.folder)
        kind = _kind(args.track, cycle, args.stage, alone=not (args.solver or args.function or args.join))
        own_files = len(cycle.own(FINAL)) if cycle is not None and kind != PROGRAMS else 0
    except OrganizerError as error:
        raise click.ClickException(in_words(error)) from error
    stage_type, usual = KINDS[kind]
    every = args.interval or (cycle.time("interval", usual.interval) if cycle is not None else usual.interval)
    size = (args.teams or usual.teams, args.files or own_files or usual.files, args.seed, args.faults, every)
    lead, share = _LEAD_TO_JOIN if args.join else _LEAD, _PROVOKING if args.bug else None
    settings = settings_of(
        kind, Settings(*size, bug=args.bug, driven=not args.join, lead=lead, share=share, cycle=cycle)
    )
    chosen, program = _solver(args.solver, args.function), None
    with closing(History(args.history_file)) as history:
        try:
            if args.address is not None:
                outcome = _from_outside(args.address, args.run_id, args.tokens, settings, history)
            else:
                _entitle(kind, settings.teams, settings.files, settings)
                outcome, program = _played(settings, history, stage_type, chosen, args.port, args.log_dir)
        except _EXPECTED as error:
            raise click.ClickException(in_words(error)) from error
    show.show(outcome, details=args.details)
    if program is not None:
        _show_program(**program)
    if args.report_file is not None:
        report = show.report(outcome) | ({} if program is None else {"program": program})
        args.report_file.write_text(json.dumps(report, ensure_ascii=False, indent=1) + "\n", "utf-8")
    if not outcome.green:
        raise SystemExit(1)


def _entitle(title: str, teams: int, files: int, settings: Settings) -> None:
    names = ", ".join(sorted(settings.faults)) or "none"
    click.echo(f"{title}: {teams} teams × {files} files, seed {settings.seed}, faults: {names}")
    if settings.bug:
        click.echo(f"The platform's copy has the bug «{settings.bug}» on purpose.")


def _from_outside(
    address: str, run_id: str | None, tokens: Path | None, settings: Settings, history: History
) -> Outcome:
    """Play a trial run at an address; OrganizerError for one that cannot be played there."""
    if run_id is None or tokens is None or settings.bug:
        raise click.UsageError("--at takes the trial run's name (--run) and its teams' --tokens, and no --bug")
    by_team = tokens_in(tokens)
    now, took = clock_of(address)
    with closing(Outside(Place(address, run_id, by_team, settings.cycle), RunningPace(now), history, took)) as outside:
        timing = outside.timing()
        own = replace(settings, faults=settings.faults & OWN_FAULTS)
        _entitle(f"A trial run at {address}", len(by_team), timing.files, own)
        with _bar(timing) as on_moment:
            return outside.rehearse(timing, own, on_moment)


def _kind(track: str | None, cycle: Cycle | None, stage: str | None, *, alone: bool) -> str:
    """Return the kind of stage with this name; ``alone``: no program of somebody's own takes part."""
    named = ESSAY if cycle is None else cycle.name
    if cycle is not None and track not in {None, named}:
        raise click.UsageError(f"the cycle is one of the contest {named}; leave --track out")
    track = track or named
    kind = kind_named(track, stage)
    if kind is None:
        raise click.UsageError(f"the contest {track} has no stage {stage}; leave --stage out")
    if kind != ESSAY and not alone:
        raise click.UsageError("a program of your own takes part in a final of essays; leave --track out")
    return kind


def _solver(command: str | None, function: str | None) -> Solver | None:
    try:
        if command:
            return CommandSolver(command)
        return entry_point(function) if function else None
    except PkuError as error:
        raise click.UsageError(error.text(EN)) from error


def _played(
    settings: Settings,
    history: History,
    stage_type: type[Stage],
    solver: Solver | None,
    port: int,
    log_dir: Path | None,
) -> tuple[Outcome, dict[str, Json] | None]:
    """Play a rehearsal to its end and check it; return the results of the participant's own program, too, where one
    takes part."""
    began, error, reasons = monotonic_s(), None, {}
    with ExitStack() as stack:
        with waiting("Preparing the cloud, the cycle and the teams …", every_s=_SILENCE_S):
            cloud = staged(settings, history, stage_type=stage_type, port=port, log_dir=log_dir)
            stage = stack.enter_context(cloud)
            teams, others = stage.admit(*([PROGRAM] if solver is not None or not settings.driven else []))
            timing = stage.plan()
        with tempfile.TemporaryDirectory(prefix="hurdle-program-") as name:
            guests = [_program(stage, timing, mine, solver, Path(name)) for mine in others if solver is not None]
            if not guests:
                _invite(stage, others, timing)
            with _bar(timing) as on_moment:
                stage.play(timing, teams, on_moment, guests)
        for mine in others:
            sessions = stage.wire.get("/v1/sessions?mode=final", mine.token).json().get("sessions") or []
            mine.session_id = str(sessions[0]["session_id"]) if sessions else ""
        for program in guests:
            error, outcome = program.error, program.outcome
            reasons = {number: failure.text(EN) for number, failure in (outcome.failures if outcome else ())}
        with _acts() as begin:
            stage.on_act = begin
            stage.conclude(timing, [*teams, *others])
            begin("checking")
            bill = stage.bill(len(teams) + len(others))
            story = history.story()
            checks = check(story)
    status = story.facts.answers.get(f"status/{PROGRAM}")
    own = {"error": error, "reasons": reasons, "status": status} if others else None
    return Outcome(story, checks, monotonic_s() - began, bill), own


def _program(stage: Stage, timing: Timing, mine: Team, solver: Solver, journals: Path) -> Program:
    now, settings = stage.cloud.clock.now_ms, stage.settings
    order = Order(mode="final", run=timing.run_id)
    entry = Entry(PROGRAM, mine.token, stage.cloud.url, order, timing.starts_at - _JOINS_BEFORE, journals)
    transport = RecordedTransport(PROGRAM, stage.history, now, settings.seed, settings.faults)
    return Program(entry, solver, now, transport, EN)


def _invite(stage: Stage, others: Sequence[Team], timing: Timing) -> None:
    url = stage.cloud.url
    for mine in others:
        for line in (
            "A final to join with a program of your own:",
            f"The API         {url}",
            f"Your token      {mine.token}",
            f"The run         {timing.run_id}",
            f"It starts at    {to_text(timing.starts_at)}; join until {to_text(timing.starts_at + timing.join)}",
            f"With the kit    pku login {url} && pku start --mode final && pku run --solver COMMAND",
        ):
            click.echo(line)


def _show_program(error: str | None, reasons: Mapping[int, str], status: Json) -> None:
    """Print the files of the participant's program that would have been annulled, and why."""
    console = WholeConsole()
    console.print("[bold]Your program[/]")
    if error:
        console.print(f"The program stopped: {error}", highlight=False)
    if status is None:
        console.print("No program joined.")
        return
    files = status["deliveries"]
    missed = [delivery for delivery in files if delivery["state"] != "answered"]
    console.print(f"{len(files) - len(missed)} of {len(files)} files answered in time", highlight=False)
    if not missed:
        console.print("Nothing would have been annulled.")
        return
    console.print(f"{len(missed)} files would have been annulled:", highlight=False)
    table = Table("file", "cause", "why")
    for delivery in missed:
        evidence = ", ".join(f"{name}: {value}" for name, value in (delivery.get("evidence") or {}).items())
        number, cause = delivery["number"], show.sentence(f"fate.{delivery['cause']}")
        table.add_row(str(number), cause, reasons.get(number, "") or evidence)
    console.print(table)
    if status["solution_voided"]:
        console.print("[red]More than 5 % missed: the solution would have been annulled (R 7.7).[/]", highlight=False)


@contextmanager
def _acts() -> Iterator[Callable[[str], None]]:
    """Name the act that is played, with the time that it takes, and each act that is over with the time it took."""
    over = ExitStack()

    def begin(name: str) -> None:
        over.close()
        act, began = show.sentence(f"act.{name}"), monotonic_s()
        over.callback(lambda: click.echo(f"{act}: {monotonic_s() - began:.0f} s", err=True))
        over.enter_context(waiting(f"{act} …", every_s=_SILENCE_S))

    with over:
        yield begin


@contextmanager
def _bar(timing: Timing) -> Iterator[Callable[[Millis], None]]:
    """Show how much of the run's virtual time is over, in per cent; yield what hears of moments."""
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with HeardProgress(*columns, every_s=_SILENCE_S) as bar:
        task = bar.add_task("The run", total=100)

        def told(now: Millis) -> None:
            elapsed = (now - timing.starts_at) / (timing.ends_at - timing.starts_at)  # decisions may have moved the end
            act = "The run" if elapsed < 1 else show.sentence("act.settling")
            bar.update(task, description=f"{act}: {to_text(now)}", completed=100 * min(max(0.0, elapsed), 1.0))

        yield told
