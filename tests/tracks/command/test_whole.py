"""Ids, hashes and verdicts are whole in every table, at any width; every table of every command is printed so."""

from __future__ import annotations

import ast
import io
import re
from pathlib import Path

import pytest
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tracks.command.console import WholeConsole

ROOT = Path(__file__).parents[3]
SOURCES = [*ROOT.glob("layers/*/src"), *ROOT.glob("clients/*/src"), ROOT / "local/src", ROOT / "rehearsal/src"]
RUN, PERSON, ROOT_HASH = "imtcdhardc7qrwsgigrx", "38fc6525-4367-57ff-80e0-1f9187a05aa0", "3d0c1024" * 8
MOMENT, PROSE = "2026-11-25T01:50:44.239Z", "the minute timer came late and nobody was told of it"


def shown(table: Table, monkeypatch: pytest.MonkeyPatch, columns: int | None) -> list[str]:
    if columns is None:
        monkeypatch.delenv("COLUMNS", raising=False)
    else:
        monkeypatch.setenv("COLUMNS", str(columns))
    console = WholeConsole(file=io.StringIO())
    console.print(table)
    said = console.file.getvalue()  # type: ignore[attr-defined]
    assert "…" not in said
    return [line.rstrip() for line in said.splitlines()]


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
        lines = shown(of_runs(*cells), monkeypatch, columns)
        assert wanted <= words(lines), columns
        assert columns is None or max(len(line) for line in lines) <= columns
        assert {"runs", "all"} <= words(lines), columns


def test_a_table_that_fits_is_a_table_and_in_a_pipe_a_row_is_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = shown(of_runs(PERSON, ROOT_HASH, MOMENT, PROSE, PROSE), monkeypatch, None)
    assert [line for line in lines if PERSON in line and ROOT_HASH in line and MOMENT in line and PROSE in line]


def test_prose_goes_on_in_the_next_line_before_anything_else_is_narrowed(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = shown(of_runs(PERSON, PROSE), monkeypatch, 80)
    assert [line for line in lines if "│" in line and PERSON in line]
    assert PROSE not in "\n".join(lines)


def test_where_no_table_fits_rows_are_lists_of_headings_and_values(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = shown(of_runs(PERSON, ROOT_HASH), monkeypatch, 80)
    assert f"column0  {PERSON}" in lines
    assert f"column1  {ROOT_HASH}" in lines
    below = shown(of_runs(PERSON, ROOT_HASH), monkeypatch, 70)
    assert below[below.index("column1") + 1] == f"  {ROOT_HASH}"


def test_facts_without_headings_are_listed_by_their_first_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    facts = Table("what", "value", show_header=False)
    facts.add_row("root", Text(ROOT_HASH))
    assert shown(facts, monkeypatch, 72) == [f"root  {ROOT_HASH}"]


def test_a_table_without_rows_is_its_headings(monkeypatch: pytest.MonkeyPatch) -> None:
    assert {"run", "state"} <= words(shown(Table("run", "state"), monkeypatch, 80))


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
