"""The common parts of all commands: the person's language, JSON or tables, errors as sentences, exit codes.

Exit codes: 0 done; 1 refused or failed (the message says why); 2 wrong usage; 3 done, but some files have no accepted
answer; 4 the platform cannot be reached; 130 stopped by Ctrl-C.
"""

from __future__ import annotations

import functools
import json
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import click

from markup_core import texts
from markup_core.texts import LANGUAGES
from pku import config
from pku.config import show_moment
from pku.errors import (
    BRIEF,
    CONNECTION_CODES,
    WORKING,
    ExchangeError,
    Patience,
    PkuError,
    Trouble,
    Waiting,
    of_system,
    sentence,
)
from pku.messages import CATALOGUE
from tracks.command import spoken

if TYPE_CHECKING:  # loaded where they are used
    from rich.console import Console

    from pku.exchange import Exchange
    from pku.journal import Journal, Journals
    from pku.runner import Step
    from tracks.command.console import HeardProgress

Say = Callable[[str], None]
SECOND_TRY: Final = 2
SILENCE_S: Final = 4.0
"""Seconds without an answer after which a person reads that the command waits for one."""


class Outages:
    """Report each outage once (its start, its reason, the end of the retries), and its end once."""

    def __init__(self, language: str, say: Say, at_stake: Callable[[], str] = lambda: "") -> None:
        self._language = language
        self._say = say
        self._at_stake = at_stake
        self._is_told = False
        self._lock = threading.Lock()

    def __call__(self, trouble: Trouble | None) -> None:
        """Report a failing connection and its recovery; one that ends within a command's own patience gets no line."""
        with self._lock:
            if trouble is None:
                if self._is_told:
                    self._say(sentence("trouble.over", self._language))
                self._is_told = False
            elif (
                not self._is_told
                and trouble.tries >= SECOND_TRY
                and trouble.until - trouble.since > BRIEF.unreachable_s
            ):
                self._is_told = True
                message = sentence(
                    "trouble.on",
                    self._language,
                    since=show_moment(trouble.since)[11:19],
                    until=show_moment(trouble.until)[11:19],
                    why=trouble.error.sentence(self._language),
                )
                self._say(f"{message} {self._at_stake()}".rstrip())


class Pauses:
    """Report each pause of a run once with its reason, and once that the run goes on."""

    def __init__(self, language: str, say: Say) -> None:
        self._language = language
        self._say = say
        self._is_told = False

    def __call__(self, step: Step) -> None:
        """Hear where a run is."""
        if step.event != "waiting" or (step.pause is not None) == self._is_told:
            return
        self._is_told = not self._is_told
        name = "run.pause" if step.pause else "run.pause_unexplained" if self._is_told else "run.pause_over"
        self._say(sentence(name, self._language, **({"reason": step.pause} if step.pause else {})))


def files_at_stake(journal: Journal, language: str) -> str:
    """Say how many files are in hand, and by when the first of them must be answered."""
    due = [entry.due for entry in list(journal.entries.values()) if entry.unsolved or entry.unsent]
    if not due:
        return sentence("trouble.no_files", language)
    return sentence("trouble.files", language, count=len(due), due=show_moment(min(due))[11:19])


def report_silence(language: str, host: str, say: Say) -> Callable[[], AbstractContextManager[None]]:
    """Return a context for a request that says that its answer is waited for, if that takes long."""

    @contextmanager
    def watched() -> Iterator[None]:
        timer = threading.Timer(SILENCE_S, say, [sentence("trouble.waiting", language, host=host)])
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    return watched


FAILED: Final = 1
UNANSWERED: Final = 3
UNREACHABLE: Final = 4
INTERRUPTED: Final = 130


class App:
    """Output of one command: its language, and its form for people or for programs (JSON)."""

    def __init__(self, language: str, *, as_json: bool) -> None:
        self.language = language
        self.as_json = as_json

    @functools.cached_property
    def out(self) -> Console:
        """Return the console of the result."""
        from tracks.command.console import WholeConsole

        return WholeConsole()

    @functools.cached_property
    def err(self) -> Console:
        """Return the console of messages beside the result."""
        from rich.console import Console

        return Console(stderr=True)

    def print_sentence(self, name: str, **values: Any) -> None:
        """Print a sentence for people; with ``--json`` nothing is printed."""
        if not self.as_json:
            self.out.print(sentence(name, self.language, **values), highlight=False, markup=False, soft_wrap=True)

    def show(self, *parts: Any) -> None:
        """Print tables and charts; with ``--json`` nothing is printed."""
        if not self.as_json:
            for part in parts:
                self.out.print(part)

    def show_text(self, text: str) -> None:
        """Print a text as it is, brackets and long lines included; with ``--json`` nothing is printed."""
        if not self.as_json:
            click.echo(text)

    def give(self, value: Any) -> None:
        """Print the command's result as JSON, if ``--json`` was given."""
        if self.as_json:
            click.echo(json.dumps(value, ensure_ascii=False, indent=2))

    def tell(self, line: str) -> None:
        """Print a line to stderr, beside the result."""
        self.err.print(line, highlight=False, markup=False, soft_wrap=True)

    def progress(self, *columns: str, transient: bool = True) -> HeardProgress:
        """Return the bar of something that takes long, made of rich's columns of these names; ``Text`` says what."""
        from rich import progress

        from tracks.command.console import HeardProgress

        words = {"Text": ["{task.description}"]}
        column_instances = [getattr(progress, f"{name}Column")(*words.get(name, ())) for name in columns]
        return HeardProgress(*column_instances, console=self.err, disable=self.as_json, transient=transient)

    def exchange(self, login: config.Login | None = None, patience: Patience = BRIEF) -> Exchange:
        """Open the platform's API with a short patience, by the stored login or the given one."""
        from pku.exchange import Exchange

        chosen = login or config.load()
        around = report_silence(self.language, chosen.url, self.tell)
        waiting = Waiting(patience, Outages(self.language, self.tell), around)
        return Exchange(chosen.url, chosen.token, language=self.language, waiting=waiting)

    def working_exchange(self, journal: Journal) -> Exchange:
        """Open the platform's API inside an open session, with the patience that files at stake deserve."""
        from pku.exchange import Exchange

        login = config.load()
        outages = Outages(self.language, self.tell, partial(files_at_stake, journal, self.language))
        return Exchange(login.url, login.token, language=self.language, waiting=Waiting(WORKING, outages))

    def journals(self) -> Journals:
        """Return the journals of this machine."""
        from pku.journal import Journals

        return Journals(config.home() / "journals")


@spoken.group()
@click.version_option(package_name="hurdle-pku", prog_name="pku", message="%(prog)s %(version)s")
@spoken.choice
def main() -> None:
    """Take part in a contest: get essays, send their markups, read the reports."""


main.catalogue = CATALOGUE


def command(name: str | None = None, *, stopped: str = "stopped") -> Callable[[Callable[..., None]], click.Command]:
    """Make a function taking an :class:`App` and its options a command of ``pku`` with ``--lang`` and ``--json``;
    ``stopped`` names what is said after Ctrl-C."""

    def register(function: Callable[..., None]) -> click.Command:
        @functools.wraps(function)
        def run(lang: str | None, as_json: bool, **options: Any) -> None:
            language = lang or texts.language()
            app = App(language, as_json=as_json)
            try:
                function(app, **options)
            except PkuError as error:
                sys.exit(_fail(app, error))
            except OSError as error:
                if error.filename is None:  # standard output, which the group of commands explains
                    raise
                sys.exit(_fail(app, PkuError("not_written", path=error.filename, why=of_system(error))))
            except (KeyboardInterrupt, click.Abort):  # the latter at a question
                app.tell(sentence(stopped, language))
                sys.exit(INTERRUPTED)

        options = (
            click.option("--lang", type=click.Choice(LANGUAGES), help="Language; by default the system's."),
            click.option("--json", "as_json", is_flag=True, help="Print the result as JSON for programs."),
        )
        decorated: Any = run
        for option in options:
            decorated = option(decorated)
        return main.command(name)(decorated)

    return register


def _fail(app: App, error: PkuError) -> int:
    details = getattr(error, "details", ())
    request = getattr(error, "request_id", None)
    sentence = error.text(app.language)
    if app.as_json:
        listed = [{"code": detail.code, "message": detail.text(app.language)} for detail in details]
        body = {"code": error.code, "message": sentence, "details": listed, "request_id": request}
        click.echo(json.dumps({"error": body}, ensure_ascii=False, indent=2))
    else:
        named = f"{error.code}, {request}" if request else error.code
        lines = [
            f"pku: {sentence} [{named}]",
            *(f"  - {detail.field}{detail.text(app.language)} [{detail.code}]" for detail in details),
        ]
        # Not by a console: loading one takes longer than the rest of a command that fails.
        click.secho(lines[0], err=True, fg="red", color=False if config.wants_no_colour() else None)
        click.echo("\n".join(lines[1:]), err=True, nl=bool(details))
    return UNREACHABLE if isinstance(error, ExchangeError) and error.code in CONNECTION_CODES else FAILED
