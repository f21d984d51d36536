"""Test tables of the tracks' commands: whole, one under another, without control characters.

Ids, hashes and verdicts are whole in every table, at any width; every table of every command is printed so.

In a pipe progress is a line every few seconds: no clock is waited for, the beats are counted.
"""

from __future__ import annotations

import ast
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from threading import Event

import click
import pytest
from rich import box
from rich.console import Console
from rich.progress import TextColumn
from rich.table import Table
from rich.text import Text as RichText

from tracks.command import printing, spoken
from tracks.command.console import SILENCE_S, HeardProgress, WholeConsole, waiting
from tracks.protocol import Json, LongSection, Section, Text


def both(words: str) -> Text:
    return Text(en=words, ru=f"{words} по-русски")


def section(title: str, *rows: tuple[Json, ...], places: int = 3) -> Section:
    return Section("key", both(title), (both("name"), both("value")), rows, least_places=places)


def shown(capsys: pytest.CaptureFixture[str], *sections: Section | LongSection, language: str = "en") -> str:
    printing.show(sections, language)
    return capsys.readouterr().out


def test_a_table_has_its_title_rounded_fractions_and_a_dash_for_what_is_undefined(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = shown(capsys, section("Title", ("a", 0.12345), ("bcd", 7), ("e", None)))
    assert found.splitlines() == ["Title", "name  value", "─" * 12, "a     0.123", "bcd       7", "e         —"]


def test_tables_stand_apart_and_speak_the_chosen_language(capsys: pytest.CaptureFixture[str]) -> None:
    lines = shown(capsys, section("One", ("a", 1)), section("Two", ("b", 2.0), places=1), language="ru").splitlines()
    assert lines[0] == "One по-русски"
    assert lines[4:6] == ["", "Two по-русски"]
    assert lines[-1].split() == ["b", "2,0"]


def test_nothing_is_cut_or_wrapped_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    lines = shown(capsys, section("t" * 300, ("x " * 300, 1))).splitlines()
    assert lines[0] == "t" * 300
    assert lines[-1].startswith("x " * 300)


def test_markup_and_control_characters_are_shown_and_not_obeyed(capsys: pytest.CaptureFixture[str]) -> None:
    found = shown(capsys, section("[bold]t\x1b[2J", ("[red]a[/] :smile: \x1b[31m", 1)))
    assert "[bold]t [2J" in found
    assert "[red]a[/] :smile:  [31m" in found
    assert "\x1b" not in found


NAMES = ("漢字", "e\u0301", "wide words " * 3, "", " a ")
VALUES = (1, None, 0.25, -12, 3)


@pytest.mark.parametrize("width", ["1000", "41", "40", "12"])
def test_rows_that_are_made_as_they_are_printed_look_as_rich_draws_them(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: str
) -> None:
    monkeypatch.setenv("COLUMNS", width)
    columns = (both("name"), both("value"))
    printed = shown(capsys, LongSection(both("Title"), columns, lambda: zip(NAMES, VALUES, strict=True)))
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    table.add_column("name")
    table.add_column("value", justify="right")
    for name, value in zip(
        ("漢字", "e\u0301 ", "wide words " * 3, "", " a "), ("1", "—", "0.250", "-12", "3"), strict=True
    ):
        table.add_row(name, value)
    WholeConsole(highlight=False, markup=False).print(table)
    assert printed.splitlines() == ["Title", *(line.rstrip() for line in capsys.readouterr().out.splitlines())]


def test_a_table_without_rows_shows_its_columns(capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(capsys, section("Empty")).splitlines()[:2] == ["Empty", "name  value"]


def test_json_is_one_canonical_line(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    spoken.give({"b": "ж", "a": -0.0})
    assert capsysbinary.readouterr().out == '{"a":0.0,"b":"ж"}\n'.encode()


@pytest.mark.parametrize(("language", "remark"), [("en", "missed"), ("ru", "missed по-русски")])
def test_a_reply_ends_with_its_lines_and_its_remarks_beside_them(
    capsys: pytest.CaptureFixture[str], language: str, remark: str
) -> None:
    @click.command()
    @printing.replies
    def command() -> printing.Reply:
        return printing.Reply({"a": 1}, lambda _: [section("Title")], (both("line"),), (both("missed"),), code=3)

    assert command.main(["--lang", language], standalone_mode=False) == 3
    printed = capsys.readouterr()
    assert printed.out.splitlines()[-1].startswith("line")
    assert printed.err.splitlines() == [remark]
    assert command.main(["--json"], standalone_mode=False) == 3
    printed = capsys.readouterr()
    assert (json.loads(printed.out), printed.err) == ({"a": 1}, "")


ROOT = Path(__file__).parents[3]
SOURCES = [*ROOT.glob("layers/*/src"), *ROOT.glob("clients/*/src"), ROOT / "local/src", ROOT / "rehearsal/src"]
RUN, PERSON, ROOT_HASH = "imtcdhardc7qrwsgigrx", "38fc6525-4367-57ff-80e0-1f9187a05aa0", "3d0c1024" * 8
MOMENT, PROSE = "2026-11-25T01:50:44.239Z", "the minute timer came late and nobody was told of it"


def printed(table: Table, monkeypatch: pytest.MonkeyPatch, columns: int | None) -> list[str]:
    if columns is None:
        monkeypatch.delenv("COLUMNS", raising=False)
    else:
        monkeypatch.setenv("COLUMNS", str(columns))
    console = WholeConsole(file=io.StringIO())
    console.print(table)
    output = console.file.getvalue()  # type: ignore[attr-defined]
    assert "…" not in output
    return [line.rstrip() for line in output.splitlines()]


def words(lines: list[str]) -> set[str]:
    return set(re.sub("[│┃]", " ", " ".join(lines)).split())


def of_runs(*cells: str) -> Table:
    table = Table(*(f"column{number}" for number in range(len(cells))), title="the runs", caption="all of them")
    table.add_row(*cells)
    table.add_row(*("—" for _ in cells))
    return table


@pytest.mark.parametrize(
    "cells",
    [
        (RUN, "technical", "train", MOMENT, "32", "planned"),
        (PERSON, "Olga", "olga@example.org", MOMENT, PROSE),
        (RUN, ROOT_HASH, PROSE),
        (PROSE, PROSE, PROSE, RUN),
        tuple("1234567890") + (RUN,) * 4,
    ],
)
def test_no_word_is_cut_or_folded_but_a_moment(cells: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = {word for cell in cells for word in cell.split()} - {MOMENT}
    for columns in (*range(70, 171, 5), None):
        lines = printed(of_runs(*cells), monkeypatch, columns)
        assert wanted <= words(lines), columns
        assert columns is None or max(len(line) for line in lines) <= columns
        assert {"runs", "all"} <= words(lines), columns


def test_a_table_that_fits_is_a_table_and_in_a_pipe_a_row_is_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = printed(of_runs(PERSON, ROOT_HASH, MOMENT, PROSE, PROSE), monkeypatch, None)
    assert [line for line in lines if PERSON in line and ROOT_HASH in line and MOMENT in line and PROSE in line]


def test_prose_goes_on_in_the_next_line_before_anything_else_is_narrowed(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = printed(of_runs(PERSON, PROSE), monkeypatch, 80)
    assert [line for line in lines if "│" in line and PERSON in line]
    assert PROSE not in "\n".join(lines)


def test_where_no_table_fits_rows_are_lists_of_headings_and_values(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = printed(of_runs(PERSON, ROOT_HASH), monkeypatch, 80)
    assert f"column0  {PERSON}" in lines
    assert f"column1  {ROOT_HASH}" in lines
    below = printed(of_runs(PERSON, ROOT_HASH), monkeypatch, 70)
    assert below[below.index("column1") + 1] == f"  {ROOT_HASH}"


def test_facts_without_headings_are_listed_by_their_first_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    facts = Table("what", "value", show_header=False)
    facts.add_row("root", RichText(ROOT_HASH))
    assert printed(facts, monkeypatch, 72) == [f"root  {ROOT_HASH}"]


def test_a_table_without_rows_is_its_headings(monkeypatch: pytest.MonkeyPatch) -> None:
    assert {"run", "state"} <= words(printed(Table("run", "state"), monkeypatch, 80))


def test_every_console_that_prints_tables_is_a_whole_one() -> None:
    """A console that is not says sentences on standard error."""
    others = [
        f"{path.relative_to(ROOT)}:{call.lineno}"
        for source in SOURCES
        for path in source.rglob("*.py")
        if Console.__name__ in (text := path.read_text("utf-8"))
        for call in ast.walk(ast.parse(text))
        if isinstance(call, ast.Call)
        and Console.__name__ in {getattr(call.func, "id", None), getattr(call.func, "attr", None)}
        and [each.arg for each in call.keywords] != ["stderr"]
    ]
    assert others == []


class Beats:
    """Wait function that runs the next callback at each call; with none left, it returns that the waiting is over."""

    def __init__(self, *happens: Callable[[], None]) -> None:
        self._happens = list(happens)
        self.waited: list[float] = []
        self.passed = Event()

    def __call__(self, seconds: float) -> bool:
        self.waited.append(seconds)
        if not self._happens:
            self.passed.set()
            return True
        self._happens.pop(0)()
        return False


def nothing() -> None:
    """Stand for a step in which nothing happens."""


def console(*, terminal: bool = False) -> Console:
    return Console(file=io.StringIO(), force_terminal=terminal, width=80)


def heard(where: Console) -> list[str]:
    assert isinstance(where.file, io.StringIO)
    return where.file.getvalue().splitlines()


def test_every_five_seconds_a_line_says_how_far() -> None:
    pipe = console()
    beats = Beats(lambda: progress.advance(task), lambda: progress.advance(task))
    progress = HeardProgress(TextColumn("{task.description}"), console=pipe, pause=beats)
    task = progress.add_task("files", total=32)
    with progress:
        assert beats.passed.wait(10)
        assert heard(pipe) == ["1/32 files", "2/32 files"]
    assert beats.waited == [SILENCE_S] * 3
    assert SILENCE_S <= 5  # issue 11: silence longer than this is a defect


def test_of_what_does_not_change_it_is_said_since_when() -> None:
    pipe, beats = console(), Beats(nothing, nothing, lambda: progress.advance(task), nothing)
    progress = HeardProgress(TextColumn("{task.description}"), console=pipe, pause=beats)
    task = progress.add_task("file 1 opens at 12:00 UTC", total=60)
    with progress:
        assert beats.passed.wait(10)
        waited = ["0/60 file 1 opens at 12:00 UTC", "0/60 file 1 opens at 12:00 UTC (0:05)"]
        assert heard(pipe) == [*waited, "1/60 file 1 opens at 12:00 UTC", "1/60 file 1 opens at 12:00 UTC (0:05)"]


def test_a_wait_is_said_at_once() -> None:
    pipe, beats = console(), Beats()
    with waiting("The local cloud starts …", pipe, beats):
        assert beats.passed.wait(10)
        assert heard(pipe) == ["The local cloud starts …"]
    assert heard(pipe) == ["The local cloud starts …"], "nothing is left of a bar that nobody saw"


def test_what_has_no_known_length_is_said_with_the_time_that_has_passed() -> None:
    pipe, seconds = console(), [0.0]

    def pass_time() -> None:
        seconds[0] += 35

    beats = Beats(pass_time, pass_time)
    column = TextColumn("{task.description}")
    progress = HeardProgress(column, console=pipe, pause=beats, get_time=lambda: seconds[0])
    progress.add_task("The local cloud starts …", total=None)
    with progress:
        assert beats.passed.wait(10)
        assert heard(pipe) == ["The local cloud starts … 0:35", "The local cloud starts … 1:10"]


@pytest.mark.parametrize("disabled", [True, False])
def test_a_terminal_has_its_bar_and_json_has_nothing_but_json(disabled: bool) -> None:
    where, beats = console(terminal=not disabled), Beats()
    progress = HeardProgress(TextColumn("{task.description}"), console=where, pause=beats, disable=disabled)
    progress.add_task("files", total=2)
    with progress:
        pass
    assert not beats.waited
    assert disabled == (not any("files" in each for each in heard(where)))


def test_a_step_that_is_not_shown_is_not_said() -> None:
    pipe, beats = console(), Beats(nothing)
    progress = HeardProgress(TextColumn("{task.description}"), console=pipe, pause=beats)
    progress.add_task("scored", total=2, visible=False)
    with progress:
        assert beats.passed.wait(10)
        assert not heard(pipe)
