"""``hurdle rehearse``: a final with simulated teams, with a program of one's own among them, or to be joined by one."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import click
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from local.aws.emulator import EmulatorGoneError
from local.aws.template import TemplateError
from local.clock import monotonic_s
from local.organizing import OrganizerError
from local.wording import in_words
from markup_core.speaking import EN
from pku.errors import PkuError
from pku.wire.answers import Order
from pku.work.solvers import CommandSolver, Solver, entry_point
from rehearsal import show
from rehearsal.contests import KINDS, STAGES, TRACKS, kind_named, settings_of
from rehearsal.ending import Player, Settings
from rehearsal.final import Outcome, Stage, staged
from rehearsal.harm.bugs import BUGS
from rehearsal.history import History
from rehearsal.messages import sentence
from rehearsal.moments import SECOND, Millis, to_text
from rehearsal.play.cycles import FINAL, Cycle
from rehearsal.play.driver import RunningPace, Timing
from rehearsal.play.guest import DrivenClock, Entry, Program, RecordedTransport
from rehearsal.play.injections import Fault, UnknownFaultError, faults_named
from rehearsal.play.teams import Team
from rehearsal.proof.checker import check
from rehearsal.proof.oracle import ESSAY, PROGRAMS
from rehearsal.remote import OWN_FAULTS, Outside, Place, clock_of, tokens_in
from rehearsal.texts import say
from tracks.command import spoken
from tracks.command.console import WholeConsole
from tracks.command.progress import waiting

Json = Any
PROGRAM: Final = "your-program"
_EXPECTED: Final = (OrganizerError, EmulatorGoneError, TemplateError, OSError)
_JOINS_BEFORE: Final[Millis] = 40 * SECOND
_LEAD, _LEAD_TO_JOIN = 120.0, 60.0
"""Seconds until the start of a final that is to be joined; a session may be opened two minutes longer."""
_PROVOKING: Final = 0.9
"""Share of the files with a trick where a bug is planted, which shows only when it is provoked."""
_SILENCE_S: Final = 30
"""So long an act may take without a line where no bar moves: it has many, and each is named as it begins."""
_LIST: Final = "list"
_FILE: Final = click.Path(dir_okay=False, path_type=Path)
_READ: Final = click.Path(exists=True, dir_okay=False, path_type=Path)


class _FaultNames(click.ParamType[frozenset[Fault]]):
    """Names of faults with commas between, or none, some, all."""

    name = "faults"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> frozenset[Fault]:
        """See click."""
        if isinstance(value, frozenset):
            return value
        try:
            return faults_named(value)
        except UnknownFaultError as error:
            self.fail(in_words(error), param, ctx)


class _BugName(click.ParamType[str]):
    """Name of a bug; ``list`` prints all of them."""

    name = "name"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """See click."""
        name = str(value)
        if name == _LIST and ctx is not None:
            for bug in sorted(BUGS):
                click.echo(f"{bug}: {BUGS[bug].mistake}")
            ctx.exit()
        if name not in BUGS:
            self.fail(say("there is no bug {name}; --bug list prints all", name=name), param, ctx)
        return name


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
    "--faults", default="all", show_default=True, type=_FaultNames(), help="none, some, all, or names with commas."
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
    type=_BugName(),
    metavar="NAME",
    help="Plant a bug in the platform, to see it found; list prints their names.",
)
def rehearse(  # noqa: PLR0913 - one parameter per option of the command
    *,
    track: str | None,
    folder: Path | None,
    stage: str | None,
    teams: int | None,
    files: int | None,
    seed: int,
    faults: frozenset[Fault],
    interval: float | None,
    report_file: Path | None,
    history_file: Path | None,
    solver: str | None,
    function: str | None,
    join: bool,
    address: str | None,
    run_id: str | None,
    tokens: Path | None,
    port: int,
    log_dir: Path | None,
    details: bool,
    bug: str | None,
) -> None:
    """Play a whole final, or another contest's stage, on this machine, with faults, and prove what came of it.

    Exit code 1 when a check fails.
    """
    if sum(map(bool, (solver, function, join, address))) > 1:
        raise click.UsageError(say("choose one of --solver, --entry-point, --join and --at"))
    lead = _LEAD_TO_JOIN if join else _LEAD
    share = _PROVOKING if bug else None
    try:
        cycle = None if folder is None else Cycle.owned(folder)
        kind = _kind(track, cycle, stage, alone=not (solver or function or join))
        own_files = len(cycle.own(FINAL)) if cycle is not None and kind != PROGRAMS else 0
    except OrganizerError as error:
        raise click.ClickException(in_words(error)) from error
    usual = KINDS[kind][1]
    every = interval or (cycle.time("interval", usual.interval) if cycle is not None else usual.interval)
    size = (teams or usual.teams, files or own_files or usual.files, seed, faults, every)
    settings = settings_of(kind, Settings(*size, bug=bug, driven=not join, lead=lead, share=share, cycle=cycle))
    chosen = _solver(solver, function)
    with closing(History(history_file)) as history:
        rehearsal = _Rehearsal(settings, history, KINDS[kind][0])
        try:
            if address is not None:
                outcome = _from_outside(address, run_id, tokens, settings, history)
            else:
                _entitle(kind, settings.teams, settings.files, settings)
                outcome = rehearsal.play(chosen, port, log_dir)
        except _EXPECTED as error:
            raise click.ClickException(in_words(error)) from error
    show.show(outcome, details=details)
    rehearsal.show_program()
    if report_file is not None:
        show.write_report(outcome, report_file, rehearsal.program_report())
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
        raise click.UsageError(say("--at takes the trial run's name (--run) and its teams' --tokens, and no --bug"))
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
        raise click.UsageError(say("the cycle is one of the contest {track}; leave --track out", track=named))
    track = track or named
    kind = kind_named(track, stage)
    if kind is None:
        raise click.UsageError(say("the contest {track} has no stage {stage}", track=track, stage=stage))
    if kind != ESSAY and not alone:
        raise click.UsageError(say("a program of your own takes part in a final of essays; leave --track out"))
    return kind


def _solver(command: str | None, function: str | None) -> Solver | None:
    """Return the participant's program, if one was named."""
    try:
        if command:
            return CommandSolver(command)
        return entry_point(function) if function else None
    except PkuError as error:
        raise click.UsageError(error.text(EN)) from error


class _Rehearsal:
    """One rehearsal with its participant's questions about their own program."""

    def __init__(self, settings: Settings, history: History, stage_type: type[Stage]) -> None:
        self._of = stage_type
        self._settings = settings
        self._history = history
        self._wants_program = False
        self._error: str | None = None
        self._reasons: dict[int, str] = {}
        self._status: Json = None

    def play(self, solver: Solver | None, port: int, log_dir: Path | None) -> Outcome:
        """Play it to the end and check it."""
        settings, began = self._settings, monotonic_s()
        self._wants_program = solver is not None or not settings.driven
        with ExitStack() as stack:
            with waiting("Preparing the cloud, the cycle and the teams …", every_s=_SILENCE_S):
                stage = stack.enter_context(
                    staged(settings, self._history, stage_type=self._of, port=port, log_dir=log_dir)
                )
                teams, others = stage.admit(*([PROGRAM] if self._wants_program else []))
                timing = stage.plan()
            mine = others[0] if others else None
            if mine is not None and solver is None:
                self._invite(stage, mine, timing)
            self._run(stage, timing, teams, mine, solver)
            with _Acts() as begin:
                stage.on_act = begin
                stage.conclude(timing, [*teams, *others])
                begin("checking")
                bill = stage.bill(len(teams) + len(others))
                story = self._history.story()
                checks = check(story)
        self._status = story.facts.answers.get(f"status/{PROGRAM}")
        return Outcome(story, checks, monotonic_s() - began, bill)

    def _run(
        self, stage: Stage, timing: Timing, teams: Sequence[Player], mine: Team | None, solver: Solver | None
    ) -> None:
        with tempfile.TemporaryDirectory(prefix="hurdle-program-") as name, _bar(timing) as on_moment:
            if mine is None or solver is None:
                stage.play(timing, teams, on_moment)
            else:
                program = self._program(stage, timing, mine, solver, Path(name))
                stage.play(timing, teams, on_moment, [program])
                self._error = program.error
                if program.outcome is not None:
                    self._reasons = {number: failure.text(EN) for number, failure in program.outcome.failures}
                mine.session_id = program.session_id
        if mine is not None and solver is None:
            sessions = stage.wire.get("/v1/sessions?mode=final", mine.token).json().get("sessions") or []
            mine.session_id = str(sessions[0]["session_id"]) if sessions else ""

    def _program(self, stage: Stage, timing: Timing, mine: Team, solver: Solver, journals: Path) -> Program:
        now = stage.cloud.clock.now_ms
        joins_at = timing.starts_at - _JOINS_BEFORE
        order = Order(mode="final", run=timing.run_id)
        entry = Entry(PROGRAM, mine.token, stage.cloud.url, order, joins_at, journals)
        settings = self._settings
        transport = RecordedTransport(PROGRAM, self._history, now, settings.seed, settings.faults)
        return Program(entry, solver, DrivenClock(now), transport, EN)

    def _invite(self, stage: Stage, mine: Team, timing: Timing) -> None:
        url = stage.cloud.url
        join_until = to_text(timing.starts_at + timing.join)
        for line in (
            "A final to join with a program of your own:",
            f"The API         {url}",
            f"Your token      {mine.token}",
            f"The run         {timing.run_id}",
            f"It starts at    {to_text(timing.starts_at)}; join until {join_until}",
            f"With the kit    pku login {url} && pku start --mode final && pku run --solver COMMAND",
        ):
            click.echo(line)

    def program_report(self) -> dict[str, Json]:
        """Return the program's results, for the report; nothing without one."""
        if not self._wants_program:
            return {}
        return {"program": {"error": self._error, "reasons": self._reasons, "status": self._status}}

    def show_program(self) -> None:
        """Print the files that would have been annulled, and why."""
        if not self._wants_program:
            return
        console = WholeConsole()
        console.print("[bold]Your program[/]")
        if self._error:
            console.print(f"The program stopped: {self._error}", highlight=False)
        if self._status is None:
            console.print("No program joined.")
            return
        files = self._status["deliveries"]
        missed = [delivery for delivery in files if delivery["state"] != "answered"]
        answered = len(files) - len(missed)
        console.print(f"{answered} of {len(files)} files answered in time", highlight=False)
        if not missed:
            console.print("Nothing would have been annulled.")
            return
        console.print(f"{len(missed)} files would have been annulled:", highlight=False)
        console.print(self._missed(missed))
        if self._status["solution_voided"]:
            console.print(
                "[red]More than 5 % missed: the solution would have been annulled (R 7.7).[/]", highlight=False
            )

    def _missed(self, missed: Sequence[Json]) -> Table:
        table = Table("file", "cause", "why")
        for delivery in missed:
            evidence = ", ".join(f"{name}: {value}" for name, value in (delivery.get("evidence") or {}).items())
            why = self._reasons.get(delivery["number"], "") or evidence
            table.add_row(str(delivery["number"]), sentence(f"fate.{delivery['cause']}"), why)
        return table


class _Acts:
    """Name the act that is played, with the time that it takes, and each act that is over with the time it took."""

    def __init__(self) -> None:
        self._name, self._began = "", 0.0
        self._shown = ExitStack()

    def __enter__(self) -> Callable[[str], None]:
        return self._begin

    def __exit__(self, *_: object) -> None:
        self._shown.close()
        if self._name:
            seconds = monotonic_s() - self._began
            click.echo(f"{sentence(f'act.{self._name}')}: {seconds:.0f} s", err=True)

    def _begin(self, name: str) -> None:
        """End the act before and show this one."""
        self.__exit__()
        self._name, self._began = name, monotonic_s()
        self._shown.enter_context(waiting(f"{sentence(f'act.{name}')} …", every_s=_SILENCE_S))


class _bar:  # noqa: N801 - used as a function
    """A progress bar over the run's virtual time, or, where nobody could see it move, a line as each act begins and
    every half a minute; yields what hears of moments."""

    def __init__(self, timing: Timing) -> None:
        self._bar = Progress(
            TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[moment]}"), TimeElapsedColumn()
        )
        self._timing = timing

    def __enter__(self) -> Callable[[Millis], None]:
        timing = self._timing
        self._bar.start()
        task = self._bar.add_task("The run", total=None, moment="")

        console, said_at, last_act = self._bar.console, monotonic_s(), ""

        def told(now: Millis) -> None:
            nonlocal said_at, last_act
            total = timing.ends_at - timing.starts_at  # decisions may have moved it
            elapsed = min(max(0, now - timing.starts_at), total)
            act = "The run" if elapsed < total else sentence("act.settling")
            self._bar.update(task, description=act, completed=elapsed, total=total, moment=to_text(now))
            if not console.is_terminal and (act != last_act or monotonic_s() >= said_at + _SILENCE_S):
                said_at, last_act = monotonic_s(), act
                console.print(f"{act}: {to_text(now)}  {elapsed / total:.0%}", highlight=False)

        return told

    def __exit__(self, *_: object) -> None:
        self._bar.stop()
