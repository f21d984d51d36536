"""The command ``pku``: a participant's program in the contest (platform §6). Texts in Russian and English."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from markup_core.extras import FORMATS
from pku import config
from pku.command import asking, submitting, tables, working
from pku.command.commanding import App, command
from pku.errors import ExchangeError, PkuError
from pku.messages import catalogue
from pku.texts import CATALOGUE
from pku.work import starting
from tracks.command import spoken

if TYPE_CHECKING:
    from pku.wire.answers import Receipt, ReportAnswer
    from pku.wire.exchange import Exchange

_NOT_PUBLISHED = "results_not_published"
"""Names the code of a board that is not published yet, which is no error of the asker."""


@spoken.group()
@click.version_option(package_name="hurdle-pku", prog_name="pku", message="%(prog)s %(version)s")
@spoken.choice
def main() -> None:
    """Take part in a contest: have essays handed out, send their markups, read the reports."""


main.catalogue = CATALOGUE
submitting.register_archives(main)


@command(main)
@click.argument("url", required=False)
@click.option("--token-stdin", is_flag=True, help="Read the token from standard input instead of asking for it.")
def login(app: App, url: str | None, token_stdin: bool) -> None:
    """Store the platform's address URL and the team's token, after trying them out.

    The token is asked for without showing it, or taken from HURDLE_TOKEN.
    """
    from pku.command import preparing

    address = url or click.prompt(catalogue.sentence("login.url", app.language), err=True)
    token = _token(app, from_stdin=token_stdin)
    with app.exchange(config.Login(address, token)) as exchange:
        exchange.sessions(limit=1)  # refused for a token that is not valid
        cycle, keys = exchange.cycle(), exchange.keys()
        path = config.save(config.Login(address, token))
        config.save_keys(keys)
        config.save_cycle(cycle)
        app.print_sentence("login.done", cycle=cycle["name"][app.language], path=path)
        preparing.tell_kit(app)
    app.give({"cycle": cycle["cycle"], "url": address})


def _token(app: App, *, from_stdin: bool) -> str:
    if not from_stdin and (token := config.token_from_environment()):
        return token
    if not from_stdin and sys.stdin.isatty():
        return str(click.prompt(catalogue.sentence("login.token", app.language), hide_input=True, err=True))
    # Where nobody types there is nothing to hide, and getpass would warn of it, in English.
    if not from_stdin:
        click.echo(f"{catalogue.sentence('login.token', app.language)}: ", err=True)
    line = sys.stdin.readline()
    if not line and not from_stdin:
        raise click.Abort
    if not line.strip():
        raise PkuError("no_token_given")
    return line.strip()


@command(main)
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--language", "kit", type=click.Choice(starting.KITS), required=True, help="Programming language.")
def new(app: App, folder: Path, kit: str) -> None:
    """Write a starter kit into FOLDER: a baseline that can be learned and played, its tests, a README."""
    files = starting.write_kit(folder, kit)
    app.print_sentence("new.done", path=folder, files=", ".join(files))
    app.give({"folder": str(folder), "files": files})


working.register(main)
submitting.register(main)
asking.register(main)
asking.register_hooks(main)
working.register_try(main)


@command(main)
@click.option("--solver", help="Time this command on two sample essays.")
@click.option("--entry-point", help="Time this Python function on two sample essays.")
@click.option(
    "--archive",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Judge this archive with a program, and run it here once on a sample.",
)
def doctor(app: App, solver: str | None, entry_point: str | None, archive: Path | None) -> None:
    """Is this machine ready for a run? Clock, latency, the solver's time, the journals, the next run."""
    from pku.command import preparing

    chosen = working.solver_of(solver, entry_point, None) if solver or entry_point else None
    preparing.examine(app, chosen, app.journals().folder, archive)


@command(main, "verify-run")
@click.argument("run_id")
@click.option(
    "--files",
    nargs=2,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Saved answers of /v1/runs/RUN_ID and /v1/runs/RUN_ID/record, without the platform.",
)
@click.option(
    "--receipts",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Receipts of any team, as `pku receipts --json` prints them, to hold against the record; may be repeated.",
)
@click.option("--wait", is_flag=True, help="Wait until the run is over.")
def verify_run(
    app: App, run_id: str, files: tuple[Path, Path] | None, receipts: tuple[Path, ...], *, wait: bool
) -> None:
    """Check that the run RUN_ID was as promised: commitment, decisions, openings, times, and what came here."""
    from pku.command import preparing

    preparing.verify_run(app, run_id, files, receipts, wait=wait)


@command(main)
@click.argument("session_id", required=False)
def status(app: App, session_id: str | None) -> None:
    """List the team's sessions, or the files of SESSION_ID."""
    with app.exchange() as exchange:
        if session_id is None:
            sessions = exchange.sessions()
            app.show(tables.sessions(sessions, app.language))
            app.give([session.raw for session in sessions])
            return
        session = exchange.session(session_id)
    app.show(tables.sessions([session], app.language), tables.deliveries(session, app.language))
    app.give(session.raw)


@command(main, stopped="abort.kept")
@click.argument("session_id", required=False)
@click.option("--yes", is_flag=True, help="Do not ask.")
def abort(app: App, session_id: str | None, yes: bool) -> None:
    """End SESSION_ID (by default the open one) before its end; it does not count."""
    with app.exchange() as exchange:
        chosen = session_id or _open_id(exchange)
        question = "abort.question_final" if exchange.session(chosen).mode == "final" else "abort.question"
        if not yes and not click.confirm(catalogue.sentence(question, app.language, session_id=chosen), err=True):
            app.print_sentence("abort.kept")
            return
        ended = exchange.abort(chosen, confirm=True)
    app.print_sentence("abort.done", session_id=chosen, state=ended.state)
    app.give(ended.raw)


def _open_id(exchange: Exchange) -> str:
    from pku.work.sessions import open_session

    session = open_session(exchange)
    if session is None:
        raise PkuError("no_open_session")
    return session.session_id


def _latest_id(exchange: Exchange, session_id: str | None) -> str:
    """Return the given session's id, or that of the team's newest session."""
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
    from pku.work.sessions import wait_for_report

    with app.exchange() as exchange, app.progress("Spinner", "Text", transient=False) as progress:
        task = progress.add_task(catalogue.sentence("report.waiting", app.language), visible=False)

        def tell(answer: ReportAnswer) -> None:
            progress.update(task, visible=True, total=answer.files, completed=answer.scored)

        chosen = _latest_id(exchange, session_id)
        session_report = wait_for_report(exchange, chosen, on_progress=tell)
        if timeline is not None:
            tables.write_timeline(exchange, chosen, timeline)
    _show_report(app, session_report, sort, whole)
    app.give(session_report)


def _show_report(app: App, body: Any, sort: str | None, whole: bool) -> None:
    session = body["session"]
    answered = body["counts"]["answered"]
    app.print_sentence(
        "report.title", session_id=session["session_id"], set=session["set"], answered=answered, files=session["files"]
    )
    tables.show_remarks(app, body)
    for section in body["sections"]:
        limit = None if whole or section["key"] != "files" else tables.SHOWN_FILES
        table, hidden = tables.section(
            section, app.language, sort=sort if section["key"] == "files" else None, limit=limit
        )
        app.show(table)
        if hidden:
            app.print_sentence("report.more", count=hidden)
    if isinstance(body["result"], dict) and "by_metric" in body["result"]:
        app.show(tables.chart(body["result"], app.language))
    tables.show(app, body)


@command(main)
@click.argument("action", type=click.Choice(["list", "get"]))
@click.argument("name", required=False)
@click.argument("folder", required=False, type=click.Path(file_okay=False, path_type=Path))
def data(app: App, action: str, name: str | None, folder: Path | None) -> None:
    """List the data sets that the team may have, or get the set NAME into FOLDER (by default NAME)."""
    from pku.command import preparing

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
        comparison = exchange.comparison(_latest_id(exchange, session_id), number)
    if comparison is None:
        raise PkuError("not_scored_yet")
    app.show(*tables.comparison(number, comparison, app.language))
    app.give({"answer": comparison.answer, "experts": list(comparison.experts), "score": comparison.score})


@command(main)
@click.argument("session_id", required=False)
@click.option("--verify", is_flag=True, help="Check every signature against the keys saved by pku login.")
@click.option("--offline", is_flag=True, help="Take the receipts of this machine's journal, without the platform.")
def receipts(app: App, session_id: str | None, verify: bool, offline: bool) -> None:
    """List the receipts of SESSION_ID (by default the newest)."""
    from pku.checks.receipts import check_all, read_keys

    if offline:
        session_receipts = _receipts_from_journal(app, session_id)
    else:
        with app.exchange() as exchange:
            session_receipts = exchange.receipts(_latest_id(exchange, session_id))
    verdicts = check_all(session_receipts, read_keys(config.load_keys())) if verify else ()
    faults = [verdict.fault for verdict in verdicts] or [None] * len(session_receipts)
    app.show(tables.receipts(list(zip(session_receipts, faults, strict=True)), app.language, verified=verify))
    app.give(
        [
            {**receipt.raw, **({"fault": fault} if verify else {})}
            for receipt, fault in zip(session_receipts, faults, strict=True)
        ]
    )
    if verify:
        app.print_sentence("receipts.summary", good=faults.count(None), count=len(faults))
        if any(faults):
            sys.exit(1)


def _receipts_from_journal(app: App, session_id: str | None) -> tuple[Receipt, ...]:
    journals = app.journals()
    chosen = session_id or next(iter(journals.sessions()), None)
    if chosen is None:
        raise PkuError("no_session")
    entries = journals.of(chosen).read().values()
    return tuple(entry.receipt for entry in entries if entry.receipt is not None)


@command(main)
@click.option("--language", default="all", show_default=True, help="A language of the cycle, or all.")
@click.option("--nomination", help="A nomination of the cycle, instead of a language.")
@click.option("--final", is_flag=True, help="The latest final's board, once it is published.")
@click.option("--run", "run_id", help="The board of this final.")
def board(app: App, language: str, nomination: str | None, final: bool, run_id: str | None) -> None:
    """Show the leaderboard of the qualification, or of a final."""
    with app.exchange() as exchange:
        try:
            body = exchange.leaderboard(language=language, nomination=nomination, final=final, run=run_id)
        except ExchangeError as error:
            if error.code != _NOT_PUBLISHED:
                raise
            app.print_sentence("board.not_published")
            app.give({"rows": [], "published": False})
            return
    of_final = final or run_id is not None
    if body["rows"]:
        app.show(tables.board(body, app.language, of_final=of_final))
    else:
        empty = "board.empty_whole" if body["board"]["whole_set"] else "board.empty"
        app.print_sentence("board.empty_final" if of_final else empty)
    if (stage := body.get("stage")) is not None:
        app.show(stage["message_ru" if app.language == "ru" else "message"])
    app.give(body)


@command(main, "board-table")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--format", "form", type=click.Choice(FORMATS), default=FORMATS[0], show_default=True, help="Its form.")
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="Where the table goes.")
def board_table(app: App, file: Path, form: str, output: Path | None) -> None:  # noqa: ARG001 -- a command's first argument
    """Write the board of FILE, a final's archive or what pku board --json printed, as a table for other programs."""
    from pku.work.boards import read_board

    tables.write_board(read_board(file), form, output)


@command(main)
def cycle(app: App) -> None:
    """Show the cycle: its sets and parameters."""
    with app.exchange() as exchange:
        body = exchange.cycle()
    app.show(tables.cycle(body, app.language))
    app.give(body)


@command(main)
@click.argument("name", required=False)
@click.option("--version", type=click.IntRange(1), help="A version by its number; the last one without it.")
def pages(app: App, name: str | None, version: int | None) -> None:
    """List the pages of the cycle, or print the page NAME: `rules` is the regulation."""
    with app.exchange() as exchange:
        if name is not None:
            page = exchange.page(name, version)
            app.show_text(page["text"][app.language])
            app.give(page)
            return
        listing = exchange.cycle().get("pages", [])
    for page in listing:
        app.show_text(f"{page['name']}  {page['title'][app.language]}  ({len(page['versions'])})")
    if not listing:
        app.print_sentence("pages.none")
    app.give(listing)
