"""Texts in the contest's notation for people, read and written for whoever asks (MS §1.1)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from contest.cycle.publications import MAX_TEXT
from tests.contest.cycle.test_classifier import OWN, essay_cycle
from tests.stage import Stage, staged

pytestmark = pytest.mark.integration

TEXT: Final = "Предмет: hist\n\nПри (\\ И.личность имя \\ Петре II 😀 \\ не он :: был Пётр I >> Петре I \\) так."
FRAGMENT: Final = {
    "id": 1,
    "startSelection": 4,
    "endSelection": 14,
    "type": "И.личность",
    "subtype": "имя",
    "comment": "не он",
    "explanation": "был Пётр I",
    "correction": "Петре I",
    "tag": "",
    "group": "error",
}


@pytest.fixture
def essays(tmp_path: Path) -> Iterator[Stage]:
    with staged(tmp_path, cycle="essays") as stage:
        stage.load(essay_cycle("default", "hist"))
        yield stage


def parsed(stage: Stage, body: Any) -> Any:
    answered = stage.request("POST", "/v1/notation/parse", body)
    assert (answered.status, answered.headers["cache-control"]) == (200, "no-store")
    return answered.json


def rendered(stage: Stage, body: Any) -> Any:
    answered = stage.request("POST", "/v1/notation/render", body)
    assert answered.status == 200
    return answered.json


def test_a_text_is_read_as_a_markup_by_the_platforms_own_parser_and_written_back(essays: Stage) -> None:
    told = parsed(essays, TEXT)
    assert (told["track"], told["errors"]) == ("essay", [])
    assert [each["code"] for each in told["warnings"]] == ["unknown_subtype"]
    assert told["answer"]["text"] == "При Петре II 😀 так."
    assert told["answer"]["selections"] == [{**FRAGMENT, "endSelection": 14}]
    written = rendered(essays, told["answer"])
    assert (written["errors"], written["text"]) == ([], TEXT)


@pytest.mark.parametrize(
    ("body", "line", "column", "english", "russian"),
    [
        ("Предмет: hist\n\nраз\nдва (\\ И.факт", 4, 5, "never closed", "блок не закрыт"),
        ("Предмет: hist\n\nраз ^x", 3, 5, "after ^ one of", "после ^ нужен один из знаков"),
        ("без заголовка", 1, 1, "a header line", "нужна строка заголовка"),
        ("Предмет: hist", 1, 14, "an empty line is expected", "нужна пустая строка"),
        ("Предмет: hist\n\n(\\ \\ раз \\)", 3, 4, "no code", "нет кода"),
        ("\ufeffПредмет: hist\n\nраз", 1, 1, "byte-order mark", "метка порядка байтов"),
    ],
)
def test_a_text_that_cannot_be_read_says_where_in_both_languages(
    essays: Stage, body: str, line: int, column: int, english: str, russian: str
) -> None:
    told = parsed(essays, body)
    (fault,) = told["errors"]
    assert told["answer"] is None
    assert (fault["code"], fault["line"], fault["column"]) == ("notation_error", line, column)
    assert fault["message"].startswith(f"line {line}, column {column}: ")
    assert english in fault["message"]
    assert fault["message_ru"].startswith(f"строка {line}, столбец {column}: ")
    assert russian in fault["message_ru"]
    assert fault["excerpt"].endswith("^")


def test_a_text_that_can_be_read_is_given_with_everything_that_is_wrong_with_it(essays: Stage) -> None:
    told = parsed(essays, "Предмет: hist\n\n(\\ И.личнось \\ раз \\) (\\ Г.слов \\ два \\)")
    assert [each["code"] for each in told["errors"]] == ["unknown_code", "unknown_code"]
    assert told["errors"][0]["suggestion"] == "И.личность"
    assert [each["type"] for each in told["answer"]["selections"]] == ["И.личнось", "Г.слов"]


@pytest.mark.parametrize(
    ("body", "code"),
    [("{", "malformed_json"), ("[]", "not_an_object"), (b"\xff", "malformed_json"), ({"meta": {}}, "missing_field")],
)
def test_what_is_no_markup_is_not_written_and_says_why(essays: Stage, body: Any, code: str) -> None:
    told = rendered(essays, body)
    assert told["text"] is None
    assert code in {each["code"] for each in told["errors"]}
    assert all(each["message_ru"] for each in told["errors"])


def test_bytes_that_are_no_text_are_told_and_there_is_a_bound(essays: Stage) -> None:
    (fault,) = parsed(essays, b"\xd0\xff")["errors"]
    assert (fault["code"], fault["message_ru"]) == ("wrong_encoding", "байт 0 — не UTF-8")
    header = "Предмет: hist\n\n"
    left = MAX_TEXT - len(header.encode())
    whole = header + "я" * (left // 2) + "x" * (left % 2)
    assert parsed(essays, whole)["errors"] == []
    for path in ("parse", "render"):
        answered = essays.request("POST", f"/v1/notation/{path}", whole + "x")
        assert answered.refusal == (413, "answer_too_large")
        assert answered.json["error"]["details"][0]["limit"] == MAX_TEXT


def test_the_cycles_own_classifier_judges(tmp_path: Path) -> None:
    with staged(tmp_path, cycle="essays") as stage:
        stage.load(essay_cycle(OWN, "uk"))
        assert parsed(stage, "Предмет: uk\n\n(\\ g/case noun \\ раз >> два \\)")["errors"] == []
        (fault,) = parsed(stage, "Предмет: hist\n\nраз")["errors"]
        assert fault["code"] == "unknown_subject"


def test_another_track_reads_and_writes_its_own(stage: Stage) -> None:
    assert parsed(stage, "abcd")["answer"] == {"letters": "abcd"}
    assert rendered(stage, {"letters": "abcd"}) == {"text": "abcd", "errors": [], "warnings": []}
