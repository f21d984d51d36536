"""How the tracks' commands show tables: whole, one under another, without what would steer a terminal."""

from __future__ import annotations

import json

import click
import pytest
from rich import box
from rich.table import Table

from tracks.command import printing
from tracks.command.console import WholeConsole
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
    printing.give({"b": "ж", "a": -0.0})
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
