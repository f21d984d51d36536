"""The commands that open a session and work through it, and the one that tries a program before any session."""

from __future__ import annotations

import functools
import pkgutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import click

from markup_core.lazy import dataclass
from pku import config, submitting, tables
from pku.commanding import UNANSWERED, App, Pauses, command
from pku.config import Clock, show_moment
from pku.errors import PkuError, sentence

if TYPE_CHECKING:  # loaded where they are used
    from pku.answers import Order, SessionInfo
    from pku.exchange import Exchange
    from pku.journal import Journal
    from pku.runner import Outcome, Step
    from pku.solvers import Solver
    from pku.trial import Rules, Trial

_ASKED_BY: Final = {
    "mode": "--mode",
    "run_id": "--run",
    "set": "--set",
    "language": "--language",
    "requested_files": "--files",
    "time_limit_s": "--time-limit",
}
"""Command-line option that requests each field of a session."""
_PILOTS: Final[Mapping[str, str]] = {
    "essay": "pku.pilot:mark",
    "exam": "pku.pilot:first_choice",
    "gec": "pku.pilot.gec:correct",
    "diagnosis": "pku.pilot.diagnosis:answer",
    "custom": "pku.pilot.custom:answer",
}
"""The function of each contest's pilot, loaded when it runs."""
_OF_RUNS: Final = frozenset({"mode", "run_id"})
"""Fields compared for a session that follows a run; the run determines its other fields."""


@dataclass(frozen=True, slots=True)
class _Wish:
    """Requested parameters of a new session; ``named``: the options given on the command line, by session field."""

    order: Order
    wait: bool
    named: Mapping[str, Any] = field(default_factory=dict)

    @property
    def opens(self) -> bool:
        """Return whether the options determine a session to open if none is open."""
        return bool({"mode", "set", "run_id"} & set(self.named))


def _ordering(function: Callable[..., None]) -> Callable[..., None]:
    """Collect the options of a new session (R 6.4, 6.6, 7.4) and pass them to the command as one ``wish``."""

    @functools.wraps(function)
    def ordered(app: App, **options: Any) -> None:
        from pku.answers import ALGORITHMIC, Order

        requested = {name: options.pop(name) for name in _ASKED_BY}
        named = {name: value for name, value in requested.items() if value is not None}
        wait = options.pop("wait")
        order = Order(
            named.get("set", "train"),
            named.get("requested_files"),
            named.get("language", "all"),
            named.get("time_limit_s"),
            named.get("mode", ALGORITHMIC),
            named.get("run_id"),
            dict(options.pop("choices")),
        )
        function(app, wish=_Wish(order, wait, named), **options)

    decorated: Any = ordered
    for option in (
        click.option("--wait", is_flag=True, help="Wait until a run of this mode is announced."),
        click.option("--run", "run_id", help="The run to join; by default the next one."),
        click.option(
            "--time-limit", "time_limit_s", type=click.IntRange(1), help="Seconds per file; by default the cycle's."
        ),
        click.option("--language", help="A language of the cycle, or all (the default)."),
        click.option(
            "--choose",
            "choices",
            type=(str, click.IntRange(1)),
            metavar="NAME NUMBER",
            multiple=True,
            help="What else the contest lets choose, as in --choose variants 2.",
        ),
        click.option("--files", "requested_files", type=click.IntRange(1), help="At most so many; by default all."),
        click.option("--set", "set", help="The set of an algorithmic session: train or test."),
        click.option("--mode", help="The kind of session: algorithmic, technical, final, or another of the contest's."),
    ):
        decorated = option(decorated)
    return cast(Callable[..., None], decorated)


@command("start")
@_ordering
def start_(app: App, wish: _Wish) -> None:
    """Open a session (algorithmic on the training set unless said otherwise); pku run works through it."""
    with app.exchange() as exchange:
        session, _ = _opened(app, exchange, wish)
    app.give(session.raw)


@command("run", stopped="run.interrupted")
@click.option("--solver", help='A command, as in "python marker.py {input} {output}".')
@click.option("--entry-point", help="A Python function from essay to markup, as in package.module:function.")
@click.option("--folder", type=click.Path(file_okay=False, path_type=Path), help="Write essays to in/ and await out/.")
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="Files solved at the same time.")
@click.option("--keep-going", is_flag=True, help="Go on when the solver fails on file after file in the same way.")
@_ordering
def run_(
    app: App,
    wish: _Wish,
    solver: str | None,
    entry_point: str | None,
    folder: Path | None,
    workers: int,
    keep_going: bool,
) -> None:
    """Work through the open session, or open one with --set or --mode; continues where an earlier run stopped."""
    _work(app, solver_of(solver, entry_point, folder), wish, workers, keep_going=keep_going)


@command(stopped="run.interrupted")
@_ordering
def pilot(app: App, wish: _Wish) -> None:
    """Run the contest's pilot program: for essays, a simple marker made of dictionaries and patterns."""
    from pku.solvers import FunctionSolver, contest_of

    with app.exchange() as exchange:
        cycle = exchange.cycle()
    if cycle["track"] in submitting.WHOLE_PILOTS:
        submitting.pilot(app, cycle)
        return
    contest_of(cycle)
    _work(app, FunctionSolver(pkgutil.resolve_name(_PILOTS[cycle["track"]])), wish, workers=1, keep_going=True)


@command("try")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--solver", help='A command, as in "python marker.py {input} {output}".')
@click.option("--entry-point", help="A Python function from essay to markup, as in package.module:function.")
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="Files solved at the same time.")
@click.option("--files", type=click.IntRange(1), help="At most so many; by default all.")
@click.option("--time-limit", type=click.IntRange(2), help="Seconds per file; by default the cycle's.")
@click.option("--compare", "compared", metavar="ID", help="Show the answer to this essay beside the experts'.")
def try_(
    app: App,
    folder: Path,
    workers: int,
    files: int | None,
    time_limit: int | None,
    compared: str | None,
    **named: Any,
) -> None:
    """Run a program on the essays of FOLDER, which experts have marked up, and score it: no session, no platform.

    FOLDER is what pku data get brings: ID.json beside ID_exp01.json, ID_exp02.json. Rules are those of the cycle
    of the latest pku login.
    """
    from pku import trial

    chosen = solver_of(named["solver"], named["entry_point"], None)
    cycle = config.load_cycle()
    rules = _rules(cycle, time_limit)
    essays = trial.essays_of(folder, rules.classifier)[:files]
    if compared is not None and compared not in {essay.essay_id for essay in essays}:
        raise PkuError("try_no_such_essay", essay=compared)
    with app.progress("Spinner", "Bar", "MofNComplete", "TimeRemaining") as progress:
        task = progress.add_task("", total=len(essays))
        tried = trial.attempt(essays, chosen, Clock(), rules, workers=workers, on_done=lambda: progress.advance(task))
    _show(app, tried, rules, cycle)
    if compared is not None:
        app.show(*tables.comparison(compared, tried.comparison(compared), app.language))
    app.give(_as_json(app, tried))
    if len(tried.answered) < len(tried.tried):
        sys.exit(UNANSWERED)


def solver_of(command_line: str | None, function: str | None, folder: Path | None) -> Solver:
    """Return the solver that the options name; :class:`PkuError` ``no_solver`` for none and for several."""
    from pku.solvers import CommandSolver, FolderSolver, entry_point

    named = [option for option in (command_line, function, folder) if option is not None]
    if len(named) != 1:
        raise PkuError("no_solver")
    if command_line is not None:
        return CommandSolver(command_line)
    if function is not None:
        return entry_point(function)
    return FolderSolver(Path(named[0]))


def _work(app: App, solver: Solver, wish: _Wish, workers: int, *, keep_going: bool) -> None:
    from pku.runner import STOP_AFTER, run
    from pku.sessions import keep_decisions
    from pku.solvers import contest_of

    with app.exchange() as exchange:
        cycle = exchange.cycle()
        session, journal = _session_to_work_on(app, exchange, wish, solver, cycle)
    columns = ("Spinner", "Bar", "MofNComplete", "Text", "TimeRemaining")
    with app.progress(*columns, transient=False) as progress:
        task = progress.add_task(sentence("run.progress", app.language), total=session.files)

        pauses = Pauses(app.language, app.tell)

        def tell(step: Step) -> None:
            pauses(step)
            progress.update(task, completed=step.done, total=step.files, description=_step_line(app, step))

        with app.working_exchange(journal) as exchange:
            outcome = run(
                exchange,
                journal,
                solver,
                workers=workers,
                on_progress=tell,
                contest=contest_of(cycle),
                stop_after=None if keep_going else STOP_AFTER,
            )
            keep_decisions(exchange, app.journals(), session)
    _tell_outcome(app, outcome, journal)
    if not outcome.complete:
        sys.exit(UNANSWERED)


def _step_line(app: App, step: Step) -> str:
    """Return the text of the progress bar: the next opening, where one is waited for."""
    if step.pause is not None:
        return sentence("run.paused", app.language)
    if step.opens_at is None:
        return sentence("run.progress", app.language)
    return sentence("run.opens", app.language, number=step.number, at=show_moment(step.opens_at)[11:19])


def _session_to_work_on(
    app: App, exchange: Exchange, wish: _Wish, solver: Solver, cycle: Mapping[str, Any]
) -> tuple[SessionInfo, Journal]:
    """Return the open session of the given mode, or a new one; for a solver that does not work nothing is opened."""
    from pku.sessions import open_session

    session = open_session(exchange, wish.order.mode if wish.opens else None)
    if session is not None:
        _refuse_another(session, wish)
        app.print_sentence("run.resumed", session_id=session.session_id, set=session.set, mode=session.mode)
        return session, app.journals().of(session.session_id)
    if not wish.opens:
        raise PkuError("no_open_session")
    _try_out(app, solver, wish.order, cycle)
    return _opened(app, exchange, wish)


def _refuse_another(session: SessionInfo, wish: _Wish) -> None:
    """Refuse to work on an open session where another one was asked for: the answers would go to the wrong place."""
    differing = [
        (f"{_ASKED_BY[name]} {wished}", f"{_ASKED_BY[name]} {getattr(session, name)}")
        for name, wished in wish.named.items()
        if getattr(session, name) != wished and (name in _OF_RUNS or not session.is_scheduled)
    ]
    choices = session.raw.get("choices") or {}
    differing += [
        (f"--choose {name} {number}", f"--choose {name} {choices[name]}" if name in choices else f"--set {session.set}")
        for name, number in wish.order.choices.items()
        if choices.get(name) != number and not session.is_scheduled
    ]
    for option, found in differing:
        raise PkuError("another_session_open", option=option, found=found, session_id=session.session_id)


def _try_out(app: App, solver: Solver, order: Order, cycle: Mapping[str, Any]) -> None:
    """Let the solver answer a sample before a session is opened: attempts are counted, and a final is joined once.

    People and programs at a folder are not tried: they wait for essays, and nothing tells them that one is none. A
    contest that the kit cannot play is refused here.
    """
    from pku import doctor
    from pku.doctor import samples_of
    from pku.solvers import FolderSolver, contest_of

    contest, sample = contest_of(cycle), next(iter(samples_of(cycle, order.language)), None)
    if sample is None or isinstance(solver, FolderSolver):
        return
    limit = float(order.time_limit_s or doctor.answer_s_of(cycle, order.mode))
    try:
        with app.err.status(sentence("run.trying", app.language)):
            doctor.try_out(solver, Clock(), sample, limit, contest)
    except PkuError as error:
        raise PkuError("solver_fails_on_sample", error=error) from error


def _opened(app: App, exchange: Exchange, wish: _Wish) -> tuple[SessionInfo, Journal]:
    from pku.preparing import tell_kit
    from pku.sessions import start, start_when_possible

    if "run_id" in wish.named and "mode" not in wish.named:  # the usual mode follows no run
        raise PkuError("run_without_mode", run=wish.named["run_id"])
    tell_kit(app)
    if wish.wait:
        session, journal = start_when_possible(
            exchange,
            app.journals(),
            wish.order,
            on_wait=lambda seconds: app.print_sentence("start.waiting", seconds=f"{seconds:.0f}"),
        )
    else:
        session, journal = start(exchange, app.journals(), wish.order)
    _tell_opened(app, session, wish.order.files)
    return session, journal


def _tell_opened(app: App, session: SessionInfo, wished: int | None) -> None:
    if session.is_scheduled:
        times = {name: session.raw.get(name) for name in ("run_id", "starts_at", "interval_s")}
        app.print_sentence(
            "start.scheduled", session_id=session.session_id, files=session.files, mode=session.mode, **times
        )
        return
    app.print_sentence("start.done", session_id=session.session_id, files=session.files, set=session.set)
    if wished is not None and wished > session.files:
        app.print_sentence("start.capped", requested=wished, files=session.files)


def _tell_outcome(app: App, outcome: Outcome, journal: Journal) -> None:
    session = outcome.session
    for number, failure in outcome.failures:
        app.print_sentence("run.failure", number=number, text=failure.text(app.language))
    failed = session.files - outcome.accepted - outcome.late
    app.print_sentence("run.done", accepted=outcome.accepted, files=session.files, late=outcome.late, failed=failed)
    if outcome.accepted and outcome.empty == outcome.accepted:
        app.print_sentence("run.empty", count=outcome.empty)
    if session.is_open:
        now = Clock().now()
        due = max((entry.due for entry in journal.entries.values() if entry.unsolved and entry.due > now), default=None)
        message = "run.open_until" if due is not None else "run.open"
        app.print_sentence(
            message, session_id=session.session_id, **({} if due is None else {"until": show_moment(due)[11:19]})
        )
    else:
        app.print_sentence("run.next", session_id=session.session_id)
    app.give(
        {
            "session_id": session.session_id,
            "state": session.state,
            "files": session.files,
            "accepted": outcome.accepted,
            "late": outcome.late,
            "empty": outcome.empty,
            "failures": [
                {"number": number, "code": failure.code, "message": failure.text(app.language)}
                for number, failure in outcome.failures
            ],
        }
    )


_SHOWN_CODES: Final = 20


def _rules(cycle: Mapping[str, Any] | None, time_limit: int | None) -> Rules:
    """Return the scoring rules of a cycle, or the library's own without a login."""
    from markup_core.bootstrap import DEFAULT_SEED
    from markup_core.params import ScoringParams
    from pku import doctor
    from pku.solvers import Essays, contest_of
    from pku.trial import Rules

    if cycle is None:
        return Rules(ScoringParams(), None, time_limit or doctor.ANSWER_S, DEFAULT_SEED)
    contest = contest_of(cycle)
    if not isinstance(contest, Essays):
        raise PkuError("try_essays_only", name=cycle["track"])
    parameters = cycle["parameters"]
    defaults = ScoringParams().to_dict()
    scoring = ScoringParams.from_dict({name: value for name, value in parameters["track"].items() if name in defaults})
    limit = time_limit or parameters["time_limit_s"]["default"]
    return Rules(scoring, contest.classifier, limit, parameters["bootstrap_seed"])


def _show(app: App, tried: Trial, rules: Rules, cycle: Mapping[str, Any] | None) -> None:
    for outcome in tried.tried:
        if outcome.failure is not None:
            app.print_sentence("try.failure", essay=outcome.essay.essay_id, text=outcome.failure.text(app.language))
    answered, files = len(tried.answered), len(tried.tried)
    share, needed = answered / files, 1.0
    if cycle is not None:
        needed = cycle["parameters"]["readiness_min_share"]
    app.print_sentence("try.answered", answered=answered, files=files, share=(share, needed, 1.0))
    if answered and tried.empty == answered:
        app.print_sentence("run.empty", count=answered)
    if answered:
        app.print_sentence("try.longest", seconds=round(tried.longest_s, 1), limit=rules.limit_s)
    app.show(tables.accuracies(tried.sample, app.language), tables.chart(tried.sample.to_dict(), app.language))
    counts = tried.by_code()
    app.show(tables.codes(counts[:_SHOWN_CODES], app.language))
    if len(counts) > _SHOWN_CODES:
        app.print_sentence("try.more_codes", count=len(counts) - _SHOWN_CODES)
    if cycle is None:
        app.print_sentence("try.no_cycle")
        return
    least = cycle["parameters"]["readiness_min_files"]
    app.print_sentence("try.ready" if share >= needed else "try.not_ready", least=least, needed=(needed, needed))


def _as_json(app: App, tried: Trial) -> Mapping[str, Any]:
    return {
        "files": len(tried.tried),
        "answered": len(tried.answered),
        "empty": tried.empty,
        "longest_s": tried.longest_s,
        "result": tried.sample.to_dict(),
        "codes": [
            {name: getattr(count, name) for name in ("code", "experts", "found", "named", "own", "stray")}
            for count in tried.by_code()
        ],
        "essays": [{"essay": outcome.essay.essay_id, **outcome.score.to_dict()} for outcome in tried.tried],
        "failures": [
            {
                "essay": outcome.essay.essay_id,
                "code": outcome.failure.code,
                "message": outcome.failure.text(app.language),
            }
            for outcome in tried.tried
            if outcome.failure is not None
        ],
    }
