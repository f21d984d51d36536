"""The command ``pku``: a participant's program in the contest (platform §6). Texts in Russian and English.

Sessions, trials and whole submissions have modules of their own: :mod:`pku.working` and, loaded by it,
:mod:`pku.submitting`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from markup_core.extras import FORMATS
from markup_core.lazy import dataclass
from pku import config, tables, working
from pku.commanding import App, command, main
from pku.errors import Detail, ExchangeError, PkuError, sentence, word

if TYPE_CHECKING:  # loaded where they are used
    from pku.answers import Receipt, ReportAnswer
    from pku.exchange import Exchange

__all__ = ["main", "write_kit"]

_STARTER_KITS: Final = Path(__file__).parent / "starter-kits"


@dataclass(frozen=True, slots=True)
class _Kit:
    """Words of a kit's README: what it needs, and the lines that install, test, play and solve."""

    needs: str
    install: str
    test: str
    play: str
    solve: str


_KITS: Final[Mapping[str, _Kit]] = {
    "python": _Kit(
        "Python 3.11, httpx",
        'pip install "httpx>=0.28,<0.29"',
        "python -m unittest",
        "python play.py",
        "python solver.py",
    ),
    "node": _Kit("Node.js 22", "node --version", "node --test", "node play.mjs", "node solver.mjs"),
    "r": _Kit(
        "R 4.2, httr2, jsonlite",
        'Rscript -e \'install.packages(c("httr2", "jsonlite"))\'',
        "Rscript test_solver.R",
        "Rscript play.R",
        "Rscript solver.R",
    ),
}


@command()
@click.argument("url", required=False)
@click.option("--token-stdin", is_flag=True, help="Read the token from standard input instead of asking for it.")
def login(app: App, url: str | None, token_stdin: bool) -> None:
    """Store the platform's address URL and the team's token, after trying them out.

    The token is asked for without showing it, or taken from HURDLE_TOKEN; without URL the address is HURDLE_URL.
    """
    from pku import preparing

    address = url or config.url_from_environment() or click.prompt(sentence("login.url", app.language), err=True)
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
        return str(click.prompt(sentence("login.token", app.language), hide_input=True, err=True))
    # Where nobody types there is nothing to hide, and getpass would warn of it, in English.
    if not from_stdin:
        click.echo(f"{sentence('login.token', app.language)}: ", err=True)
    try:
        line = sys.stdin.readline()  # the question about the address may have read this line into the same buffer
    except UnicodeDecodeError as error:
        raise PkuError("bad_token") from error
    if not line and not from_stdin:
        raise click.Abort
    if not line.strip():
        raise PkuError("no_token_given")
    return line.strip()


@command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--language", "kit", type=click.Choice([*_KITS]), required=True, help="Programming language.")
def new(app: App, folder: Path, kit: str) -> None:
    """Write a starter kit into FOLDER: a baseline that can be learned and played, its tests, a README."""
    files = write_kit(folder, kit)
    app.print_sentence("new.done", path=folder, files=", ".join(files))
    app.give({"folder": str(folder), "files": files})


def write_kit(folder: Path, kit: str) -> tuple[str, ...]:
    """Write the starter kit of a programming language into a new or empty folder; return the names of its files.

    Raises :class:`PkuError` ``kit_folder_in_use``.
    """
    values = {name: str(getattr(_KITS[kit], name)) for name in _Kit.__slots__} | {"name": folder.resolve().name}
    sources = [
        path for place in ("common", kit) for path in sorted((_STARTER_KITS / place).iterdir()) if path.is_file()
    ]
    # A .gitignore among the templates would hide files of theirs from Git and from the wheel.
    targets = [folder / (".gitignore" if source.name == "gitignore" else source.name) for source in sources]
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise PkuError("kit_folder_in_use", path=folder)
    for source, target in zip(sources, targets, strict=True):
        content = source.read_text("utf-8")
        for name, value in values.items() if source.suffix == ".md" else ():
            content = content.replace(f"@{name}@", value)
        target.write_text(content, "utf-8")
    return tuple(target.name for target in targets)


@command()
@click.option("--solver", help="Time this command on two sample essays.")
@click.option("--entry-point", help="Time this Python function on two sample essays.")
@click.option(
    "--archive",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Judge this archive with a program, and run it here once on a sample.",
)
def doctor(app: App, solver: str | None, entry_point: str | None, archive: Path | None) -> None:
    """Check that this machine is ready for a run: clock, latency, the solver's time, journals, the next run."""
    from pku import preparing

    chosen = working.solver_of(solver, entry_point, None) if solver is not None or entry_point is not None else None
    preparing.examine(app, chosen, app.journals().folder, archive)


@command("verify-run")
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
    from pku import preparing

    preparing.verify_run(app, run_id, files, receipts, wait=wait)


@command()
@click.argument("session_id", required=False)
def status(app: App, session_id: str | None) -> None:
    """List the team's sessions, or the files of SESSION_ID."""
    with app.exchange() as exchange:
        if session_id is None:
            sessions = exchange.sessions()
            if sessions:
                app.show(tables.sessions(sessions, app.language))
            else:
                app.print_sentence("error.no_session")
            app.give([session.raw for session in sessions])
            return
        session = exchange.session(session_id)
    app.show(tables.sessions([session], app.language), tables.deliveries(session, app.language))
    app.give(session.raw)


@command(stopped="abort.kept")
@click.argument("session_id", required=False)
@click.option("--yes", is_flag=True, help="Do not ask.")
def abort(app: App, session_id: str | None, yes: bool) -> None:
    """End SESSION_ID (by default the open one) before its end; it does not count."""
    with app.exchange() as exchange:
        chosen = session_id or _open_id(exchange)
        question = "abort.question_final" if exchange.session(chosen).mode == "final" else "abort.question"
        if not yes and not click.confirm(sentence(question, app.language, session_id=chosen), err=True):
            app.print_sentence("abort.kept")
            return
        ended = exchange.abort(chosen, confirm=True)
    app.print_sentence("abort.done", session_id=chosen, state=ended.state)
    app.give(ended.raw)


def _open_id(exchange: Exchange) -> str:
    from pku.sessions import open_session

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


@command()
@click.argument("session_id", required=False)
@click.option("--sort", help="Sort the files by STAR, STER, OTAR or M1 … M7, best first.")
@click.option("--all", "whole", is_flag=True, help="Show all files.")
@click.option("--timeline", type=click.Path(dir_okay=False, path_type=Path), help="Write a run's timeline there (SVG).")
def report(app: App, session_id: str | None, sort: str | None, whole: bool, timeline: Path | None) -> None:
    """Show the report of SESSION_ID (by default the newest), waiting for its scores."""
    from pku.sessions import wait_for_report

    with app.exchange() as exchange, app.progress("Spinner", "Text") as progress:
        task = progress.add_task(sentence("report.waiting", app.language), visible=False)

        def tell(answer: ReportAnswer) -> None:
            progress.update(task, visible=True, total=answer.files, completed=answer.scored)

        chosen = _latest_id(exchange, session_id)
        session_report = wait_for_report(exchange, chosen, on_progress=tell)
        if timeline is not None:
            tables.write_timeline(exchange, chosen, timeline)
    _show_report(app, session_report, sort, whole)
    app.give(session_report)


def _show_report(app: App, body: Any, sort: str | None, whole: bool) -> None:
    sections = []
    for section in body["sections"]:
        of_files = section["key"] == "files"
        limit = tables.SHOWN_FILES if of_files and not whole else None
        sections.append(tables.section(section, app.language, sort=sort if of_files else None, limit=limit))
    session = body["session"]
    answered = body["counts"]["answered"]
    app.print_sentence(
        "report.title", session_id=session["session_id"], set=session["set"], answered=answered, files=session["files"]
    )
    tables.show_remarks(app, body)
    for table, hidden in sections:
        app.show(table)
        if hidden:
            app.print_sentence("report.more", count=hidden)
    if isinstance(body["result"], dict) and "by_metric" in body["result"]:
        app.show(tables.chart(body["result"], app.language))
    tables.show(app, body)


@command()
@click.argument("action", type=click.Choice(["list", "get"]))
@click.argument("name", required=False)
@click.argument("folder", required=False, type=click.Path(file_okay=False, path_type=Path))
def data(app: App, action: str, name: str | None, folder: Path | None) -> None:
    """List the data sets that the team may have, or get the set NAME into FOLDER (by default NAME)."""
    from pku import preparing

    if action == "list":
        preparing.list_sets(app)
        return
    if name is None:
        raise PkuError("no_set_named")
    preparing.get_set(app, name, folder or Path(name))


@command()
@click.argument("number", type=click.IntRange(1))
@click.option("--session", "session_id", help="The session; by default the newest.")
def compare(app: App, number: int, session_id: str | None) -> None:
    """Compare your markup of file NUMBER with the experts' (training set, published final)."""
    with app.exchange() as exchange:
        comparison = exchange.comparison(_latest_id(exchange, session_id), number)
    if comparison is None:
        raise PkuError("not_scored_yet")
    app.show(*tables.comparison(number, comparison, app.language))
    app.give({"answer": comparison.answer, "experts": list(comparison.experts), "score": comparison.score})


@command()
@click.argument("session_id", required=False)
@click.option("--verify", is_flag=True, help="Check every signature against the keys saved by pku login.")
@click.option("--offline", is_flag=True, help="Take the receipts of this machine's journal, without the platform.")
def receipts(app: App, session_id: str | None, verify: bool, offline: bool) -> None:
    """List the receipts of SESSION_ID (by default the newest)."""
    from pku.proof import read_keys, receipt_fault

    if offline:
        session_receipts = _receipts_from_journal(app, session_id)
    else:
        with app.exchange() as exchange:
            session_receipts = exchange.receipts(_latest_id(exchange, session_id))
    keys = read_keys(config.load_keys()) if verify else {}
    checked = [(receipt, receipt_fault(receipt, keys) if verify else None) for receipt in session_receipts]
    app.show(tables.receipts(checked, app.language, verified=verify))
    app.give([{**receipt.raw, **({"fault": fault} if verify else {})} for receipt, fault in checked])
    if verify:
        good = sum(fault is None for _, fault in checked)
        app.print_sentence("receipts.summary", good=good, count=len(checked))
        if good < len(checked):
            sys.exit(1)


def _receipts_from_journal(app: App, session_id: str | None) -> tuple[Receipt, ...]:
    journals = app.journals()
    chosen = session_id or next(iter(journals.sessions()), None)
    if chosen is None:
        raise PkuError("no_session")
    entries = journals.of(chosen).read().values()
    return tuple(entry.receipt for entry in entries if entry.receipt is not None)


@command()
@click.option("--language", default="all", show_default=True, help="A language of the cycle, or all.")
@click.option("--nomination", help="A nomination of the cycle, instead of a language.")
@click.option("--final", is_flag=True, help="The latest final's board, once it is published.")
@click.option("--run", "run_id", help="The board of this final.")
def board(app: App, language: str, nomination: str | None, final: bool, run_id: str | None) -> None:
    """Show the leaderboard of the qualification, or of a final."""
    of_final = final or run_id is not None
    with app.exchange() as exchange:
        if nomination is not None and not of_final:
            raise _refused_nomination(exchange, nomination)
        try:
            body = exchange.leaderboard(language=language, nomination=nomination, final=final, run=run_id)
        except ExchangeError as error:
            if nomination is not None and (
                error.code == "unknown_board"
                or (error.code == "invalid_request" and nomination not in _nominations(exchange))
            ):
                raise _refused_nomination(exchange, nomination) from error
            if error.code != "results_not_published":
                raise
            app.print_sentence("board.not_published")
            app.give({"rows": [], "published": False})
            return
    if body["rows"]:
        app.show(tables.board(body, app.language, of_final=of_final))
    else:
        empty = "board.empty_whole" if body["board"]["whole_set"] else "board.empty"
        app.print_sentence("board.empty_final" if of_final else empty)
    if (stage := body.get("stage")) is not None:
        app.show_text(Detail.read(stage).text(app.language))
    app.give(body)


def _refused_nomination(exchange: Exchange, nomination: str) -> PkuError:
    """Return the refusal of a nomination that a board does not have; that of the qualification has none."""
    return PkuError("unknown_nomination", name=nomination, names=", ".join(_nominations(exchange)) or "—")


def _nominations(exchange: Exchange) -> list[str]:
    return sorted(exchange.cycle()["parameters"].get("nominations") or {})


@command("board-table")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--format", "form", type=click.Choice(FORMATS), default=FORMATS[0], show_default=True, help="Its form.")
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="Where the table goes.")
def board_table(app: App, file: Path, form: str, output: Path | None) -> None:  # noqa: ARG001 -- a command's first argument
    """Write the board of FILE, a final's archive or what pku board --json printed, as a table for other programs."""
    from pku.tables import read_board

    tables.write_board(read_board(file), form, output)


@command()
def cycle(app: App) -> None:
    """Show the cycle: its sets and parameters."""
    with app.exchange() as exchange:
        body = exchange.cycle()
    app.show(tables.cycle(body, app.language))
    app.give(body)


@command()
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


@command()
@click.argument("text")
@click.option(
    "--item",
    nargs=2,
    type=(str, click.IntRange(1)),
    metavar="SESSION_ID NUMBER",
    help="About this SESSION_ID and file number.",
)
@click.option("--run", "run_id", help="About this run.")
@click.option("--rule", help="About this rule, as R 7.6.")
@click.option("--protest", is_flag=True, help="A protest: it names what it is about, and is upheld or rejected.")
def ask(
    app: App, text: str, item: tuple[str, int] | None, run_id: str | None, rule: str | None, *, protest: bool
) -> None:
    """Ask the organizers and judges TEXT, or protest; nobody but they and your team reads it."""
    subjects = [
        {"session_id": item[0], "number": item[1]} if item else None,
        {"run_id": run_id} if run_id else None,
        {"rule": rule} if rule else None,
    ]
    named = [subject for subject in subjects if subject is not None]
    if len(named) > 1:
        raise click.UsageError(sentence("ask.one_subject", app.language))
    with app.exchange() as exchange:
        question = exchange.ask(text, app.language, next(iter(named), None), protest=protest)
    app.print_sentence("ask.done", question=question["question_id"])
    app.give(question)


@command()
@click.option("--withdraw", metavar="QUESTION", help="Withdraw this question, which waits.")
def questions(app: App, withdraw: str | None) -> None:
    """List the team's questions with their answers, and mark these as read."""
    with app.exchange() as exchange:
        if withdraw is not None:
            question = exchange.withdraw_question(withdraw)
            _show(app, question)
            app.give(question)
            return
        listing = exchange.questions()
        for question in listing["questions"]:
            _show(app, question)
        if not listing["questions"]:
            app.print_sentence("ask.none")
        app.give(listing)
        for question in listing["questions"]:
            if question["unread"]:
                exchange.mark_question_seen(question["question_id"], question["version"])


@command()
@click.argument("action", type=click.Choice(["list", "add", "test", "remove", "verify"]))
@click.argument("what", required=False)
def hooks(app: App, action: str, what: str | None) -> None:
    """List the team's webhooks, add the address WHAT, test or remove the webhook WHAT, or verify a request's body.

    The body is read from the file WHAT, or from standard input, and checked with the keys that pku login has saved.
    """
    if action == "verify":
        _verify(app, what)
        return
    if what is None and action != "list":
        raise click.UsageError(sentence("hooks.what", app.language))
    with app.exchange() as exchange:
        if action == "add":
            exchange.add_hook(str(what))
            app.print_sentence("hooks.added")
        if action == "test":
            exchange.test_hook(str(what))
            app.print_sentence("hooks.tested")
        listing = exchange.remove_hook(str(what)) if action == "remove" else exchange.hooks()
    for hook in listing["hooks"]:
        app.show_text(f"{hook['hook_id']}  {hook['url']}")
        for attempt in hook["attempts"][:1]:
            outcome = word("sent", attempt["outcome"], app.language)
            result = outcome if attempt["status"] is None else f"{outcome}, HTTP {attempt['status']}"
            app.print_sentence("hooks.last", kind=attempt["kind"], at=attempt["at"][:16], outcome=result)
        if hook["off_at"] is not None:
            app.print_sentence("hooks.off", at=hook["off_at"][:16])
    if not listing["hooks"]:
        app.print_sentence("hooks.none")
    app.give(listing)


def _verify(app: App, path: str | None) -> None:
    """Print whether the platform signed a webhook's body; :class:`PkuError` ``hook_unreadable`` for other content."""
    from pku.proof import fault_of, read_keys

    try:
        body = sys.stdin.read() if path is None else Path(path).read_text("utf-8")
        content = json.loads(body)
        event = content["event"]
        fault = fault_of(event, content["signature"], read_keys(config.load_keys()))
        kind = "not_a_hook" if event["type"] != "hook" else fault
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise PkuError("hook_unreadable", why=f"{type(error).__name__}: {error}") from None
    app.print_sentence("hooks.good" if kind is None else "hooks.bad", fault=kind)
    app.give({"fault": kind, "event": event})
    if kind is not None:
        sys.exit(1)


def _show(app: App, question: Any) -> None:
    """Print a question, and its answer in the person's language if it has that, else in the other."""
    state = word("asked", question["state"], app.language)
    name, at = question["question_id"], question["asked_at"][:16]
    app.print_sentence("ask.question", question=name, at=at, standing=state, text=question["text"])
    if question["answer"] is not None:
        texts = question["answer"]["texts"]
        answer = texts.get(app.language) or next(iter(texts.values()))
        if question["answer"].get("upheld") is not None:
            app.print_sentence("ask.upheld" if question["answer"]["upheld"] else "ask.rejected", question=name)
        everybody = "ask.answer_to_all" if question["answer"]["announcement_id"] else "ask.answer"
        app.print_sentence("ask.answer_withdrawn" if question["answer"].get("withdrawn") else everybody, text=answer)
    if question["reason"]:
        app.print_sentence("ask.closed", reason=question["reason"])
