"""The command ``pku``: a participant's program in the contest (platform §6). Texts in Russian and English."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

from pku import config
from pku.checks.receipts import check_all, read_keys
from pku.clock import show_moment
from pku.command import archives, conclusions, preparing, tables
from pku.command.commanding import UNANSWERED, App, command
from pku.command.helping import SpokenGroup
from pku.errors import PkuError
from pku.messages import catalogue
from pku.pilot import mark
from pku.wire.answers import ALGORITHMIC, MODES, Order, Receipt, ReportAnswer, SessionInfo
from pku.wire.exchange import Exchange
from pku.work.journal import Journal
from pku.work.runner import Outcome, Step, run
from pku.work.sessions import cycle_classifier, open_session, start, start_when_possible, wait_for_report
from pku.work.solvers import CommandSolver, FolderSolver, FunctionSolver, Solver, entry_point


@click.group(cls=SpokenGroup)
def main() -> None:
    """Take part in a contest: have essays handed out, send their markups, read the reports."""


archives.register(main)


@command(main)
@click.argument("url", required=False)
@click.option("--token-stdin", is_flag=True, help="Read the token from standard input instead of asking for it.")
def login(app: App, url: str | None, token_stdin: bool) -> None:
    """Store the platform's address URL and the team's token, after trying them out.

    The token is asked for without showing it, or taken from HURDLE_TOKEN.
    """
    address = url or click.prompt(catalogue.say("login.url", app.language), err=True)
    token = sys.stdin.readline().strip() if token_stdin else config.token_from_environment()
    token = token or click.prompt(catalogue.say("login.token", app.language), hide_input=True, err=True)
    with Exchange(address, token, language=app.language) as exchange:
        exchange.sessions(limit=1)  # refused for a token that is not valid
        cycle, keys = exchange.cycle(), exchange.keys()
    path = config.save(config.Login(address, token))
    config.save_keys(keys)
    app.say("login.done", cycle=cycle["name"][app.language], path=path)
    app.give({"cycle": cycle["cycle"], "url": address})


@dataclass(frozen=True, slots=True)
class _Wish:
    """What a session is to be opened with; ``said`` is whether set, mode or run were named at all."""

    order: Order
    wait: bool
    said: bool


def _ordering(function: Callable[..., None]) -> Callable[..., None]:
    """The options of what a session is opened with (R 6.4, 6.6, 7.4), given to the command as one ``wish``."""

    @functools.wraps(function)
    def ordered(app: App, **options: Any) -> None:
        mode, set_name, run_id = (options.pop(name) for name in ("mode", "set_name", "run_id"))
        files, language, time_limit, wait = (options.pop(name) for name in ("files", "language", "time_limit", "wait"))
        order = Order(set_name or "train", files, language, time_limit, mode or ALGORITHMIC, run_id)
        wish = _Wish(order, wait, said=any((mode, set_name, run_id)))
        function(app, wish=wish, **options)

    made: Any = ordered
    for option in (
        click.option("--wait", is_flag=True, help="Wait until a run of this mode is announced."),
        click.option("--run", "run_id", help="The run to join; by default the next one."),
        click.option("--time-limit", type=click.IntRange(1), help="Seconds per file; by default the cycle's."),
        click.option("--language", default="all", show_default=True, help="A language of the cycle, or all."),
        click.option("--files", type=click.IntRange(1), help="At most so many; by default all."),
        click.option("--set", "set_name", help="The set of an algorithmic session: train or test."),
        click.option("--mode", type=click.Choice(MODES), help="How files come: at once, or by a run's schedule."),
    ):
        made = option(made)
    return cast(Callable[..., None], made)


@command(main, "start")
@_ordering
def start_(app: App, wish: _Wish) -> None:
    """Open a session (algorithmic on the training set unless said otherwise); pku run works through it."""
    with app.exchange() as exchange:
        session, _ = _opened(app, exchange, wish)
    app.give(session.raw)


def _opened(app: App, exchange: Exchange, wish: _Wish) -> tuple[SessionInfo, Journal]:
    if wish.wait:
        session, journal = start_when_possible(
            exchange,
            app.journals(),
            wish.order,
            on_wait=lambda seconds: app.say("start.waiting", seconds=f"{seconds:.0f}"),
        )
    else:
        session, journal = start(exchange, app.journals(), wish.order)
    _tell_opened(app, session, wish.order.files)
    return session, journal


def _tell_opened(app: App, session: SessionInfo, wished: int | None) -> None:
    if session.is_scheduled:
        times = {name: session.raw.get(name) for name in ("run_id", "starts_at", "interval_s")}
        app.say("start.scheduled", session_id=session.session_id, files=session.files, mode=session.mode, **times)
        return
    app.say("start.done", session_id=session.session_id, files=session.files, set=session.set)
    if wished is not None and wished > session.files:
        app.say("start.capped", requested=wished, files=session.files)


@command(main, "run")
@click.option("--solver", help='A command, as in "python marker.py {input} {output}".')
@click.option("--entry-point", help="A Python function from essay to markup, as in package.module:function.")
@click.option("--folder", type=click.Path(file_okay=False, path_type=Path), help="Write essays to in/ and await out/.")
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="Files solved at the same time.")
@_ordering
def run_(app: App, wish: _Wish, solver: str | None, entry_point: str | None, folder: Path | None, workers: int) -> None:
    """Work through the open session, or open one with --set or --mode; continues where an earlier run stopped."""
    _work(app, _solver(solver, entry_point, folder), wish, workers)


@command(main)
@_ordering
def pilot(app: App, wish: _Wish) -> None:
    """Run the pilot program: a simple marker made of dictionaries and patterns, in Russian and English."""
    _work(app, FunctionSolver(mark), wish, workers=1)


def _solver(command_line: str | None, function: str | None, folder: Path | None) -> Solver:
    given = [each for each in (command_line, function, folder) if each is not None]
    if len(given) != 1:
        raise PkuError("no_solver")
    if command_line is not None:
        return CommandSolver(command_line)
    if function is not None:
        return entry_point(function)
    return FolderSolver(Path(given[0]))


def _work(app: App, solver: Solver, wish: _Wish, workers: int) -> None:
    with app.exchange() as exchange:
        session, journal = _session_to_work_on(app, exchange, wish)
        classifier = cycle_classifier(exchange.cycle())
        columns = (SpinnerColumn(), BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
        with Progress(*columns, TimeRemainingColumn(), console=app.err, disable=app.as_json) as progress:
            task = progress.add_task(catalogue.say("run.progress", app.language), total=session.files)

            def tell(step: Step) -> None:
                progress.update(task, completed=step.done, total=step.files, description=_shown_step(app, step))

            outcome = run(exchange, journal, solver, workers=workers, on_progress=tell, classifier=classifier)
    _tell_outcome(app, outcome)
    if not outcome.complete:
        sys.exit(UNANSWERED)


def _shown_step(app: App, step: Step) -> str:
    """What the progress bar says: the next opening, where one is waited for."""
    if step.opens_at is None:
        return catalogue.say("run.progress", app.language)
    return catalogue.say("run.opens", app.language, number=step.number, at=show_moment(step.opens_at)[11:19])


def _session_to_work_on(app: App, exchange: Exchange, wish: _Wish) -> tuple[SessionInfo, Journal]:
    """The open session of the wished mode, or a new one."""
    session = open_session(exchange, wish.order.mode if wish.said else None)
    if session is not None:
        app.say("run.resumed", session_id=session.session_id)
        return session, app.journals().of(session.session_id)
    if not wish.said:
        raise PkuError("no_open_session")
    return _opened(app, exchange, wish)


def _tell_outcome(app: App, outcome: Outcome) -> None:
    for number, failure in outcome.failures:
        app.say("run.failure", number=number, text=failure.text(app.language))
    failed = outcome.session.files - outcome.accepted - outcome.late
    app.say("run.done", accepted=outcome.accepted, files=outcome.session.files, late=outcome.late, failed=failed)
    app.say("run.next", session_id=outcome.session.session_id)
    app.give(
        {
            "session_id": outcome.session.session_id,
            "files": outcome.session.files,
            "accepted": outcome.accepted,
            "late": outcome.late,
            "failures": [
                {"number": number, "code": each.code, "message": each.text(app.language)}
                for number, each in outcome.failures
            ],
        }
    )


@command(main)
@click.option("--solver", help="Time this command on two sample essays.")
@click.option("--entry-point", help="Time this Python function on two sample essays.")
def doctor(app: App, solver: str | None, entry_point: str | None) -> None:
    """Is this machine ready for a run? Clock, latency, the solver's time, the journals, the next run."""
    chosen = _solver(solver, entry_point, None) if solver or entry_point else None
    preparing.examine(app, chosen, app.journals().folder)


@command(main, "verify-run")
@click.argument("run_id")
@click.option(
    "--files",
    nargs=2,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Saved answers of /v1/runs/RUN_ID and /v1/runs/RUN_ID/record, without the platform.",
)
def verify_run(app: App, run_id: str, files: tuple[Path, Path] | None) -> None:
    """Check that the run RUN_ID was as promised: commitment, decisions, openings, times, and what came here."""
    preparing.verify_run(app, run_id, files)


@command(main)
@click.argument("session_id", required=False)
def status(app: App, session_id: str | None) -> None:
    """List the team's sessions, or the files of SESSION_ID."""
    with app.exchange() as exchange:
        if session_id is None:
            found = exchange.sessions()
            app.show(tables.sessions(found, app.language))
            app.give([each.raw for each in found])
            return
        session = exchange.session(session_id)
    app.show(tables.sessions([session], app.language), tables.deliveries(session, app.language))
    app.give(session.raw)


@command(main)
@click.argument("session_id", required=False)
@click.option("--yes", is_flag=True, help="Do not ask.")
def abort(app: App, session_id: str | None, yes: bool) -> None:
    """End SESSION_ID (by default the open one) before its end; it does not count."""
    with app.exchange() as exchange:
        chosen = session_id or _open_id(exchange)
        question = "abort.question_final" if exchange.session(chosen).mode == "final" else "abort.question"
        if not yes and not click.confirm(catalogue.say(question, app.language, session_id=chosen), err=True):
            app.say("abort.kept")
            return
        ended = exchange.abort(chosen, confirm=True)
    app.say("abort.done", session_id=chosen, state=ended.state)
    app.give(ended.raw)


def _open_id(exchange: Exchange) -> str:
    session = open_session(exchange)
    if session is None:
        raise PkuError("no_open_session")
    return session.session_id


def _latest_id(exchange: Exchange, session_id: str | None) -> str:
    """The session that was named, or the team's newest."""
    if session_id is not None:
        return session_id
    newest = exchange.sessions(limit=1)
    if not newest:
        raise PkuError("no_session")
    return newest[0].session_id


@command(main)
@click.argument("session_id", required=False)
@click.option("--sort", help="Sort the files by STAR, STER, OTAR or M1 … M7, best first.")
@click.option("--all", "whole", is_flag=True, help="Show all files.")
@click.option("--timeline", type=click.Path(dir_okay=False, path_type=Path), help="Write a run's timeline there (SVG).")
def report(app: App, session_id: str | None, sort: str | None, whole: bool, timeline: Path | None) -> None:
    """Show the report of SESSION_ID (by default the newest), waiting for its scores."""
    with (
        app.exchange() as exchange,
        Progress(SpinnerColumn(), TextColumn("{task.description}"), console=app.err, disable=app.as_json) as progress,
    ):
        task = progress.add_task(catalogue.say("report.waiting", app.language), visible=False)

        def tell(found: ReportAnswer) -> None:
            progress.update(task, visible=True, total=found.files, completed=found.scored)

        chosen = _latest_id(exchange, session_id)
        found = wait_for_report(exchange, chosen, on_progress=tell)
        if timeline is not None:
            conclusions.write_timeline(exchange, chosen, timeline)
    _show_report(app, found, sort, whole)
    app.give(found)


def _show_report(app: App, found: Any, sort: str | None, whole: bool) -> None:
    told = found["session"]
    answered = found["counts"]["answered"]
    app.say("report.title", session_id=told["session_id"], set=told["set"], answered=answered, files=told["files"])
    for each in found["sections"]:
        limit = None if whole or each["key"] != "files" else tables.SHOWN_FILES
        table, hidden = tables.section(each, app.language, sort=sort if each["key"] == "files" else None, limit=limit)
        app.show(table)
        if hidden:
            app.say("report.more", count=hidden)
    if isinstance(found["result"], dict) and "by_metric" in found["result"]:
        app.show(tables.chart(found["result"], app.language))
    conclusions.show(app, found)


@command(main)
@click.argument("action", type=click.Choice(["list", "get"]))
@click.argument("name", required=False)
@click.argument("folder", required=False, type=click.Path(file_okay=False, path_type=Path))
def data(app: App, action: str, name: str | None, folder: Path | None) -> None:
    """List the data sets that the team may have, or get the set NAME into FOLDER (by default NAME)."""
    if action == "list":
        preparing.list_sets(app)
        return
    if name is None:
        raise PkuError("no_set_named")
    preparing.get_set(app, name, folder or Path(name))


@command(main)
@click.argument("number", type=click.IntRange(1))
@click.option("--session", "session_id", help="The session; by default the newest.")
def compare(app: App, number: int, session_id: str | None) -> None:
    """Compare the own markup of file NUMBER with the experts' (training set, published final)."""
    with app.exchange() as exchange:
        found = exchange.comparison(_latest_id(exchange, session_id), number)
    if found is None:
        raise PkuError("not_scored_yet")
    app.show(*tables.comparison(number, found, app.language))
    app.give({"answer": found.answer, "experts": list(found.experts), "score": found.score})


@command(main)
@click.argument("session_id", required=False)
@click.option("--verify", is_flag=True, help="Check every signature against the keys saved by pku login.")
@click.option("--offline", is_flag=True, help="Take the receipts of this machine's journal, without the platform.")
def receipts(app: App, session_id: str | None, verify: bool, offline: bool) -> None:
    """List the receipts of SESSION_ID (by default the newest)."""
    found = _kept_receipts(app, session_id) if offline else _stored_receipts(app, session_id)
    verdicts = check_all(found, read_keys(config.load_keys())) if verify else ()
    faults = [each.fault for each in verdicts] or [None] * len(found)
    app.show(tables.receipts(list(zip(found, faults, strict=True)), app.language, verified=verify))
    app.give([{**each.raw, **({"fault": fault} if verify else {})} for each, fault in zip(found, faults, strict=True)])
    if verify:
        app.say("receipts.summary", good=faults.count(None), count=len(faults))
        if any(faults):
            sys.exit(1)


def _stored_receipts(app: App, session_id: str | None) -> tuple[Receipt, ...]:
    with app.exchange() as exchange:
        return exchange.receipts(_latest_id(exchange, session_id))


def _kept_receipts(app: App, session_id: str | None) -> tuple[Receipt, ...]:
    journals = app.journals()
    chosen = session_id or next(iter(journals.sessions()), None)
    if chosen is None:
        raise PkuError("no_session")
    entries = journals.of(chosen).read().values()
    return tuple(entry.receipt for entry in entries if entry.receipt is not None)


@command(main)
@click.option("--language", default="all", show_default=True, help="A language of the cycle, or all.")
def board(app: App, language: str) -> None:
    """Show the qualification leaderboard."""
    with app.exchange() as exchange:
        body = exchange.leaderboard(language=language)
    if body["rows"]:
        app.show(tables.board(body, app.language))
    else:
        app.say("board.empty")
    app.give(body)


@command(main)
def cycle(app: App) -> None:
    """Show the cycle: its sets and parameters."""
    with app.exchange() as exchange:
        body = exchange.cycle()
    app.show(tables.cycle(body, app.language))
    app.give(body)
