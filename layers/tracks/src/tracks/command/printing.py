"""Common parts of the tracks' commands: operations for programs, replies and tables for people.

``tracks batch`` answers programs in any language, one JSON object per line (tracks.md §5). The stream is the one of
:mod:`markup_core.command.batch`: one line of answer per request, in order and at once, whatever a line holds. An op is
named after its track: ``exam.item`` is ``OPERATIONS["exam.item"]`` of the module in :data:`tracks.command.TRACKS`,
which is loaded when the track's first op is asked for. An operation takes the :class:`tracks.base.Fields` of a request,
returns a JSON object and raises :class:`markup_core.command.inputs.RefusedError` for what it cannot do.

Codes of errors: ``invalid_request`` (details: field), ``unknown_op`` (details: known), those of the tracks' own
operations, ``invalid_json`` and ``internal_error``.

A command for people does the work of the stream: it reads files into the fields of an operation, asks the same table of
operations, and returns a :class:`Reply`, which is printed in one place. What draws and what computes is loaded where it
is called: help needs neither.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Literal

import click

from markup_core.command.inputs import RefusedError, UnreadableError, read_json
from markup_core.lazy import dataclass
from markup_core.reading.wire import short
from markup_core.rounding import fixed
from markup_core.tables import decimal
from markup_core.texts import columns
from tracks.base import Fields, fingerprint
from tracks.command import TRACKS
from tracks.command.spoken import give, options
from tracks.protocol import Json, LongSection, Section, Text, in_language
from tracks.texts import tr

if TYPE_CHECKING:
    from rich.table import Table

    from markup_core.command.operations import Answer

UNDEFINED: Final = "—"
_NUMBER: Final = re.compile(r"-?[0-9]+\.[0-9]+")
"""A cell that is a number as its contest writes it, and no float."""


Operation = Callable[[Fields], Any]


# Clause: tracks §5 batch
def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer request after request until the input ends. Raises only the errors of reading and writing."""
    from markup_core.command.batch import stream

    stream(requests, answers, answer)


def answer(op: str, fields: Mapping[str, Any]) -> Answer:
    """Do one operation; raises :class:`RefusedError`."""
    from markup_core.command.operations import Answer

    return Answer(_find(op)(Fields(fields)), fingerprint(op, fields))


def operation_names() -> Iterator[str]:
    """Yield the names of all operations; load every track that has any."""
    for track in TRACKS:
        yield from _operations(track)


def _find(op: str) -> Operation:
    track = op.partition(".")[0]
    operation = _operations(track).get(op) if track in TRACKS else None
    if operation is None:
        names = list(operation_names())
        message = tr("there is no op {op}; the ops are {names}", op=short(op), names=", ".join(names))
        raise RefusedError("unknown_op", message, {"known": names})
    return operation


def _operations(track: str) -> Mapping[str, Operation]:
    operations: Mapping[str, Operation] = import_module(TRACKS[track]).OPERATIONS
    return operations


@dataclass(frozen=True, slots=True)
class Reply:
    """Reply of a command: ``value`` for programs, and for people ``tables``, made in their language.

    ``lines`` stand below the tables, ``remarks`` on standard error.
    """

    value: Json
    tables: Callable[[str], Iterable[Section]]
    lines: Sequence[Text] = ()
    remarks: Sequence[Text] = ()
    code: int = 0


def replies(function: Callable[..., Reply]) -> Callable[..., Any]:
    """Give a command ``--json`` and ``--lang``, and print its reply; the reply's code is the command's."""

    @wraps(function)
    def replying(*args: Any, language: str, as_json: bool, **rest: Any) -> int:
        reply = function(*args, **rest)
        if as_json:
            give(reply.value)
            return reply.code
        show(reply.tables(language), language)
        for line in reply.lines:
            click.echo(getattr(line, language))
        for remark in reply.remarks:
            click.echo(getattr(remark, language), err=True)
        return reply.code

    return options(replying)


def give_scored(op: str, inputs: Mapping[str, Json], result: Json, fields: Mapping[str, Json]) -> None:
    """Print a scored result."""
    give(scored(op, inputs, result, fields))


def scored(op: str, inputs: Mapping[str, Json], result: Json, fields: Mapping[str, Json]) -> dict[str, Json]:
    """Return a result with the names of the files it was made from (``inputs``) and its fingerprint."""
    return {"op": op, "inputs": inputs, "result": result, "fingerprint": fingerprint(op, fields)}


def run_operation(op: str, inputs: Mapping[str, Json], fields: Mapping[str, Json]) -> dict[str, Json]:
    """Return an operation's result for these fields, in the form of :func:`scored`."""
    answered = answer(op, fields)
    return {"op": op, "inputs": inputs, "result": answered.result, "fingerprint": answered.fingerprint}


def read_object(path: Path) -> dict[str, Any]:
    """Read the one JSON object of a file; raise UnreadableError otherwise."""
    value = read_json(path)
    if not isinstance(value, dict):
        raise UnreadableError(tr("{path}: must be a JSON object, not {value}", path=path, value=short(value)))
    return value


def show(sections: Iterable[Section | LongSection], language: str = "en") -> None:
    """Print sections of a report as tables, one after another; fractions with the decimals that the sections say.

    Rows are read twice, for the widths of their columns and to be printed, and never held where they fit the terminal.
    """
    from tracks.command.console import WholeConsole

    console = WholeConsole(highlight=False, markup=False, emoji=False)
    for number, section in enumerate(sections):
        table, rows = _table(section, language)
        with console.capture() as drawn:
            console.print(_plain(getattr(section.title, language)), style="bold", soft_wrap=True)
            console.print(table)
        lines = (line.rstrip() for line in drawn.get().splitlines())
        click.echo("\n".join(["", *lines] if number else lines))
        for row in rows:
            click.echo(row)


def _table(section: Section | LongSection, language: str) -> tuple[Table, Iterator[str]]:
    """Return a table's head and the lines of its rows; where they are too long the whole table and no lines."""
    from rich import box
    from rich.cells import cell_len
    from rich.table import Table

    places = section.places()
    titles = [getattr(column, language) for column in section.columns]
    widths, numeric = list(map(cell_len, titles)), [True] * len(titles)
    for row in section.rows:
        widths = list(map(max, widths, map(cell_len, _cells(row, places, language))))
        numeric = [
            so_far and (value is None or isinstance(value, int | float))
            for so_far, value in zip(numeric, row, strict=True)
        ]
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    fits = sum(widths) + 2 * len(widths) - 1 <= columns()
    for title, width, is_number in zip(titles, widths, numeric, strict=True):
        justify: Literal["right", "left"] = "right" if is_number else "left"
        table.add_column(title, justify=justify, overflow="fold", width=width if fits else None)

    def line(cells: Iterable[str]) -> str:
        padded = []
        for cell, width, is_number in zip(cells, widths, numeric, strict=True):
            blanks = " " * (width - cell_len(cell))
            padded.append(blanks + cell if is_number else cell + blanks)
        return "  ".join(padded).rstrip()

    if fits:
        return table, (line(_cells(row, places, language)) for row in section.rows)
    for row in section.rows:
        table.add_row(*_cells(row, places, language))
    return table, iter(())


def _cells(row: Iterable[Json], places: Iterable[int], language: str) -> list[str]:
    return [_cell(value, digits, language) for value, digits in zip(row, places, strict=True)]


def _cell(value: Json, digits: int, language: str) -> str:
    if value is None:
        return UNDEFINED
    if isinstance(value, float):
        return decimal(fixed(value, digits), language)
    text = str(in_language(value, language))
    return _plain(decimal(text, language) if _NUMBER.fullmatch(text) else text)


def _plain(text: str) -> str:
    """Replace control characters, which would move the cursor or colour the terminal."""
    return text if text.isprintable() else "".join(char if char.isprintable() else " " for char in text)
