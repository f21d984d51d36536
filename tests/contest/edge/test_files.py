"""Files as answers: in the reader's language, and read back by other programs' readers.

Every code of the platform has its words. In tables nothing runs, numbers stay numbers, texts stay texts.
"""

from __future__ import annotations

import csv
import io
import math
from dataclasses import replace
from typing import Any

import openpyxl
import pytest

from contest.cycle.rules.cycle import Mode
from contest.edge.files import WORDS, code_in_words, language_of, written_csv, written_xlsx
from contest.edge.pages import table_in
from contest.results.rules.file_tables import section
from contest.results.rules.qualification import Step
from contest.run.rules.run import Kind
from contest.session.rules.delivery import Cause, FileState
from contest.session.rules.session import State
from contest.values import CellKind, Table, code_column, column, harmless, moment_column, number_column
from tracks.protocol import Text


@pytest.mark.clause("R 2.18")
@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        (None, "ru"),
        ("", "ru"),
        ("en", "en"),
        ("en-GB,en;q=0.9", "en"),
        ("de, en;q=0.5, ru;q=0.4", "en"),
        ("en;q=0.4, ru;q=0.5", "ru"),
        ("en, ru", "en"),
        ("en;q=0", "ru"),
        ("de", "ru"),
        ("*;;;,=", "ru"),
    ],
)
def test_the_preferred_one_of_our_languages_is_taken(accepted: str | None, language: str) -> None:
    assert language_of(None, accepted) == language
    assert language_of("ru", accepted) == "ru"


@pytest.mark.clause("R 2.18")
def test_every_state_and_cause_has_words_in_both_languages() -> None:
    kinds = (Cause, FileState, Kind, Step, Mode)
    named = {member.value for kind in kinds for member in kind} | {member.value for member in State}
    assert named - set(WORDS) == set()
    assert all(words.en and any("а" <= letter <= "я" for letter in words.ru) for words in WORDS.values())
    assert (code_in_words("team_late", "ru"), code_in_words("unheard_of", "ru")) == ("опоздание команды", "unheard_of")


HOSTILE = ["=1+1", "+7", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "＝1+1"]
PLAIN = ['a "quoted", cell', "two\nlines", "Ёжик", "1e5", "007", " =1"]
COLUMNS = (
    column("name", Text("Name", "Имя")),
    number_column("points", Text("Points", "Баллы")),
    code_column("cause", Text("Cause", "Причина")),
    moment_column("at", Text("At", "Когда")),
    column("ok", Text("OK", "Да"), CellKind.TRUTH),
)
AT = "2026-11-21T03:57:32.123Z"


def table(*names: str) -> Table:
    rows = tuple((name, -0.1 + place, "team_late", AT, place % 2 == 0) for place, name in enumerate(names))
    empty = (None, None, None, None, None)
    return Table("people", Text(en="People: all [of] them", ru="Люди"), COLUMNS, (*rows, empty))


def sheet(content: bytes) -> Any:
    return openpyxl.load_workbook(io.BytesIO(content)).worksheets[0]


def test_csv_is_rfc_4180_in_utf_8_and_what_a_program_would_run_has_an_apostrophe_before_it() -> None:
    for cell in HOSTILE:
        _, row, _ = csv.reader(io.StringIO(written_csv(table(cell)).decode("utf-8-sig"), newline=""), strict=True)
        assert row[0] == f"'{cell}"
        assert harmless(harmless(cell)) == harmless(cell)
    content = written_csv(table(*PLAIN))
    assert content.startswith(b"\xef\xbb\xbfname,points,cause,at,ok\r\n")
    assert content.endswith(b"\r\n,,,,\r\n")
    rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""), strict=True))
    assert [row[0] for row in rows[1:-1]] == PLAIN
    assert rows[1][1:] == ["-0.1", "team_late", AT, "true"]
    assert rows[2][4] == "false"


@pytest.mark.slow
def test_another_reader_takes_the_numbers_of_csv_for_numbers() -> None:
    import pandas  # only here: it takes as long to load as this room's tests

    found = pandas.read_csv(io.BytesIO(written_csv(table(*PLAIN, *HOSTILE))))
    assert found["points"].dropna().tolist() == [-0.1 + place for place in range(len(PLAIN) + len(HOSTILE))]
    assert found.columns.tolist() == ["name", "points", "cause", "at", "ok"]


@pytest.mark.parametrize("cell", [*HOSTILE, *PLAIN])
def test_no_cell_of_xlsx_is_a_formula_and_every_text_is_what_it_was(cell: str) -> None:
    found = sheet(written_xlsx([table(cell)], "en"))["A2"]
    assert (found.data_type, found.value) == ("s", cell.replace("\r", "\n"))
    assert bool(found.quotePrefix) == (cell in HOSTILE)


def test_xlsx_has_numbers_words_and_titles_of_the_language() -> None:
    russian, english = (sheet(written_xlsx([table("Ёжик")], language)) for language in ("ru", "en"))
    assert [each.value for each in russian[1]] == ["Имя", "Баллы", "Причина", "Когда", "Да"]
    assert [each.value for each in russian[2]] == ["Ёжик", -0.1, "опоздание команды", AT, True]
    assert [each.value for each in english[2]] == ["Ёжик", -0.1, "team late", AT, True]
    assert (russian["B2"].data_type, russian["E2"].data_type) == ("n", "b")
    assert [each.value for each in russian[3]] == [None] * 5
    assert (russian.title, english.title) == ("Люди", "People  all  of  them")
    assert russian.auto_filter.ref == "A1:E3"


def test_a_fraction_has_its_columns_decimals_in_a_workbook_and_keeps_its_value() -> None:
    columns = [replace(number_column("points", Text("Points", "Баллы")), places=places) for places in range(4)]
    title = Text("Boards of the seven best teams' results", "Доска")
    titles = (title, title, Text("BOARDS of the seven best teams' results", "Доска"), title)
    tables = [Table("board", own, (points,), ((1.2985,), (3,))) for own, points in zip(titles, columns, strict=True)]
    book = openpyxl.load_workbook(io.BytesIO(written_xlsx(tables, "en")))
    assert book.sheetnames == [
        "Boards of the seven best teams",
        *(f"{word} of the seven best te {n}" for word, n in (("Boards", 2), ("BOARDS", 3), ("Boards", 4))),
    ]
    for cells, shown_as in zip(book, ("0", "0.0", "0.00", "0.000"), strict=True):
        assert (cells["A2"].value, cells["A2"].number_format) == (1.2985, shown_as)
        assert (cells["A3"].value, cells["A3"].number_format) == (3, "General")


def test_equal_tables_have_equal_bytes_fifteen_digits_and_excels_ends_of_lines() -> None:
    figures = [math.pi * 10**power / divisor for power in range(-8, 9) for divisor in (1, 3, 7, 11)]
    rows = tuple(("one\r\ntwo\rthree", figure, "", AT, True) for figure in figures)
    sheet_rows = list(sheet(written_xlsx([replace(table(), rows=rows)], "en")).iter_rows(min_row=2, values_only=True))
    assert [row[1] for row in sheet_rows] == [float(f"{figure:.15g}") for figure in figures]
    assert {row[0] for row in sheet_rows} == {"one\ntwo\nthree"}
    assert written_xlsx([table("a", "b")], "ru") == written_xlsx([table("a", "b")], "ru")
    assert written_xlsx([table("a", "b")], "ru") != written_xlsx([table("a", "c")], "ru")


def test_what_a_contest_names_in_both_languages_is_read_in_ones_own() -> None:
    rows = [["to the final · в финал", 1.5], ["Сова · Owl", 2], ["people · люди", None]]
    titles = {
        "title": {"en": "Who", "ru": "Кто"},
        "columns": [{"en": "who", "ru": "кто"}, {"en": "n", "ru": "n"}],
        "places": [2, 2],
    }
    told = section({"key": "who", **titles, "rows": rows})
    for language, words in (("en", ["to the final", "people"]), ("ru", ["в финал", "люди"])):
        page = [row[0] for row in table_in(told, language).rows]
        assert page == [each["A"].value for each in _lines(told, language)] == [words[0], "Сова · Owl", words[1]]
    assert "to the final · в финал,1.5" in written_csv(told).decode("utf-8-sig"), "a file's words stay the same in both"


def _lines(told: Table, language: Any) -> list[dict[str, Any]]:
    found = sheet(written_xlsx([told], language))
    return [{each.column_letter: each for each in row} for row in found.iter_rows(min_row=2)]
