"""Shared parts of all commands: sentences, tables, refusals, the author, options, values about runs.

Codes of the platform are translated into Russian words; in English they are printed as they are.
"""

from __future__ import annotations

import getpass
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Final, NoReturn

import click
from rich.markup import escape
from rich.table import Table

from contest.adapters.system import SystemClock
from contest.cycle.rules.cycle import GREATEST_NUMBER
from contest.refusals import ContestError, Fault
from contest.texts import CATALOGUE, code_in_words, say
from contest.values import SECOND, Millis
from markup_core.command.inputs import of_system
from markup_core.texts import RU, counted, language, localized
from tracks.command.console import WholeConsole
from tracks.command.spoken import FiniteRange, SpokenGroup
from tracks.protocol import Text

STOPPED: Final = 130


class StoppableGroup(SpokenGroup):
    """Commands that explain Ctrl-C, and the end of input at a question: click's "Aborted!" could be read as that of a
    run or a session."""

    def invoke(self, ctx: click.Context) -> Any:
        """See :class:`click.Group`."""
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, click.Abort):
            message = say("Stopped. What was sent to the platform before is not taken back.")
            click.echo(message, err=True)
            ctx.exit(STOPPED)


console = WholeConsole()
complaints = WholeConsole(stderr=True)


def show_rows(headings: Sequence[str], rows: Iterable[Iterable[str]], **more: Any) -> None:
    """Print rows of plain texts as a table with these headings."""
    listing = table(*headings, **more)
    for cells in rows:
        listing.add_row(*map(escape, cells))
    console.print(listing)


def who() -> str:
    """Return the author for the audit log: the operating system's name of the person."""
    return f"command:{getpass.getuser()}"


@contextmanager
def refusals() -> Iterator[None]:
    """Turn a refusal into the command's own error: the sentence, then the details that add to it."""
    try:
        yield
    except ContestError as error:
        whole = localized(error.message)
        details = [in_language(detail) for detail in error.details]
        added = "; ".join(detail for detail in details if detail != whole)
        raise click.ClickException(f"{whole} {added}".strip()) from None


def show_faults(faults: Sequence[Fault]) -> None:
    """Print the faults of files."""
    rows = table("file, code", "fault, where", show_lines=True)
    for fault in faults:
        places = (f"{name}: {_of_place(value)}" for name, value in fault.where.items())
        description = "\n".join((localized(fault.message), *places))
        rows.add_row(escape(f"{fault.file}\n{fault.code}"), escape(description))
    complaints.print(rows)


def _of_place(value: Any) -> str:
    """Write a detail of a fault for people: an excerpt keeps its lines, a list stands in one."""
    if isinstance(value, str):
        return f"\n{value}" if "\n" in value else value
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_of_place(inner)}" for name, inner in value.items())
    if isinstance(value, list | tuple):
        return "; ".join(map(_of_place, value))
    return json_text(value)


def refuse_load(faults: Sequence[Fault], count: int) -> NoReturn:
    """Show these of ``count`` faults, and end with exit code 1."""
    show_faults(faults)
    raise complaint("{faults}; nothing was loaded", faults=faults_counted(count))


def faults_counted(count: int) -> str:
    """Return the number of faults in words."""
    english = f"{count} fault" if count == 1 else f"{count} faults"
    return localized(Text(english, counted(count, "нарушение", "нарушения", "нарушений")))


def warn(notices: Sequence[Any]) -> None:
    """Print the platform's warnings."""
    for notice in notices:
        caution(f"{notice['code']}: {in_language(notice)}")


def caution(warning: str) -> None:
    """Write a caution, marked as such."""
    complaints.print("[yellow]" + say("warning") + f"[/] {escape(warning)}")


_MOMENT: Final = "2026-11-21T12:00:00Z"
_FROM_NOW: Final = re.compile(r"\+(\d{1,6})([smhd])")
_SECONDS_OF: Final = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
as_json = click.option("--json", "raw", is_flag=True, help="Print JSON instead of a table.")


class Moment(click.ParamType[Millis]):
    """A moment with its zone, ``2026-11-21T12:00:00Z`` or ``…+03:00``, or a time from now, ``+10m``.

    No zone is ever guessed; a time from now is counted by this machine's clock.
    """

    name = "moment"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Millis:
        """See click."""
        if isinstance(value, int):
            return value
        from_now = _FROM_NOW.fullmatch(value)
        if from_now is not None:
            return (round(SystemClock().now() / SECOND) + int(from_now[1]) * _SECONDS_OF[from_now[2]]) * SECOND
        try:
            read = datetime.fromisoformat(value)
        except ValueError:
            message = say("{value!r} is no moment like {moment} or +10m", value=value, moment=_MOMENT)
            self.fail(message, param, ctx)
        if read.tzinfo is None:
            message = say("{value!r} does not say its zone; write …Z or …+03:00", value=value)
            self.fail(message, param, ctx)
        return round(read.timestamp() * SECOND)


class Seconds(click.ParamType[Millis]):
    """A time in seconds, ``2.5``."""

    name = "seconds"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Millis:
        """See click."""
        return round(FiniteRange(-1e9, 1e9).convert(value, param, ctx) * SECOND)


class Numbers(click.ParamType[tuple[int, ...]]):
    """Numbers of files: ``3,5-7``."""

    name = "numbers"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        """See click."""
        if isinstance(value, tuple):
            return value
        numbers: set[int] = set()
        for part in value.split(","):
            first, dash, last = part.strip().partition("-")
            if not first.isdecimal() or (dash and not last.isdecimal()):
                self.fail(say("{value!r} is no list of numbers like 3,5-7", value=value), param, ctx)
            ends = int(first), int(last or first)
            if not 0 <= ends[1] - ends[0] < GREATEST_NUMBER:
                self.fail(say("{part!r} is no range of files", part=part), param, ctx)
            numbers.update(range(ends[0], ends[1] + 1))
        return tuple(sorted(numbers))


def teams_named(admit: str | None, admit_file: Path | None) -> tuple[str, ...] | None:
    """Return teams separated by commas and of a file's lines (``#`` begins a remark); None without both."""
    if admit is None and admit_file is None:
        return None
    lines = admit_file.read_text("utf-8-sig", "backslashreplace").splitlines() if admit_file else []
    named = [team.strip() for team in [*(admit or "").split(","), *lines]]
    return tuple(team for team in named if team and not team.startswith("#"))


def speak(sentence: str, **values: Any) -> None:
    """Print a sentence in the present language."""
    click.echo(say(sentence, **values))


def complaint(sentence: str, **values: Any) -> click.ClickException:
    """Return a failure of the command with a sentence in the present language."""
    return click.ClickException(say(sentence, **values))


def reason_of(error: BaseException) -> str:
    """Return the system's reason of a failure in words, also of one that a library wraps; else its own message."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.errno:
            return of_system(cause)
        cause = cause.__cause__ or cause.__context__
    return str(error)


def show_json(value: Any) -> None:
    """Print a value as JSON, indented."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def end_with_json(raw: bool, value: Any) -> None:
    """Print a value as JSON and end the command, if ``--json`` was given."""
    if raw:
        show_json(value)
        raise click.exceptions.Exit


def fact(english: str) -> str:
    """Return the word for a fact about a run, by its name in the interface."""
    if language() == RU:
        return CATALOGUE.word("fact", english).ru
    return _FACTS_IN_ENGLISH.get(english, english.replace("_ms", ", ms").replace("_", " "))


_FACTS_IN_ENGLISH: Final = {"limits": "limits, ms", "total_files": "files with replacements"}
"""English words for facts whose names in the interface are not clear enough."""


def value_in_words(name: str, value: Any) -> str:
    """Return a fact's value: a code in words; several values one after another."""
    if isinstance(value, str):
        return code(value, "failure" if name == "standing" else "") if name in _CODED else value
    if isinstance(value, bool):
        return yes(value)
    if isinstance(value, Mapping):
        other = _ENGLISH if language() == RU else _RUSSIAN
        parts = {inner: part for inner, part in value.items() if part not in (None, [], {}) and inner not in other}
        return "; ".join(f"{fact(inner)}: {value_in_words(inner, part)}" for inner, part in parts.items())
    if isinstance(value, list):
        return ", ".join(value_in_words(name, part) for part in value)
    return json_text(value).replace(".", "," if language() == RU else ".")


_CODED: Final = frozenset({"mode", "state", "standing"})


_ENGLISH: Final = frozenset({"reason", "message"})
"""Names of texts that have a Russian version in a field beside them."""
_RUSSIAN: Final = frozenset(f"{name}_ru" for name in _ENGLISH)


def heading(english: str) -> str:
    """Return the heading of a column."""
    return localized(CATALOGUE.word("heading", english))


def code(value: str, subject: str = "") -> str:
    """Return a code of the platform in words; the code itself in English, and if it is unknown here.

    ``subject``: the kind of object that the code describes (``session``), where it has words of its own.
    """
    return localized(code_in_words(value, subject))


def table(*headings: str, **more: Any) -> Table:
    """Return a table with these columns."""
    return Table(*map(heading, headings), **more)


def in_language(body: Mapping[str, Any], name: str = "message") -> str:
    """Return a sentence of the interface in the present language; the Russian one has ``_ru`` behind its name."""
    return str(body[f"{name}_ru"] if language() == RU else body[name])


def yes(value: bool) -> str:
    """Return the yes or no of a table."""
    return ("да" if value else "нет") if language() == RU else ("yes" if value else "no")


def json_text(value: Any) -> str:
    """Write a value as JSON with every character as it is."""
    return json.dumps(value, ensure_ascii=False)
