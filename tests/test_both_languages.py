"""Every sentence that is written for people stands in both languages, and the Russian is Russian."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from markup_core.reading.classifier import Classifier
from markup_core.reading.validation import validate
from markup_core.texts import Text, at, counted, first_of, in_language, number, speaking
from tests.leftovers import english

ROOT = Path(__file__).resolve().parents[1]
CYRILLIC = re.compile("[а-яё]", re.IGNORECASE)


def nodes_of(path: Path, pattern: re.Pattern[str]) -> Iterator[ast.AST]:
    """Yield a module's nodes; none where its text has not what is wanted, for to parse all modules takes seconds."""
    source = path.read_text("utf-8")
    if pattern.search(source):
        yield from ast.walk(ast.parse(source))


TOLD_BY_HURDLE = {
    "CorpusError",
    "DemonstrationError",
    "EmulatorGoneError",
    "OrganizerError",
    "StateError",
    "TemplateError",
}
"""Failures of the local cloud that the command tells in words (``local.organizing``)."""
TOLD = re.compile("|".join(TOLD_BY_HURDLE))


def test_no_failure_of_the_local_cloud_is_worded_in_english_alone() -> None:
    raised, bare = 0, []
    for path in sorted((ROOT / "local" / "src").rglob("*.py")):
        for node in nodes_of(path, TOLD):
            call = node.exc if isinstance(node, ast.Raise) else None
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in TOLD_BY_HURDLE:
                raised += 1
                bare += [f"{path.name}:{node.lineno}"] if isinstance(call.args[0], ast.Constant | ast.JoinedStr) else []
    assert raised > 25
    assert not bare


def test_every_refusal_of_the_interface_and_its_details_have_both_languages() -> None:
    """A detail that is written as a dictionary has ``message`` and ``message_ru``, which differ."""
    for path in sorted(ROOT.glob("layers/contest/src/**/*.py")):
        for node in nodes_of(path, re.compile("message")):
            if isinstance(node, ast.Dict):
                fields = {
                    key.value: value
                    for key, value in zip(node.keys, node.values, strict=True)
                    if isinstance(key, ast.Constant)
                }
                if "message" in fields and "code" in fields:
                    assert "message_ru" in fields or None in node.keys, f"{path}:{node.lineno}"
                if "message" in fields and "message_ru" in fields:
                    assert ast.dump(fields["message"]) != ast.dump(fields["message_ru"]), f"{path}:{node.lineno}"


FAULTY = {
    "meta": {"subject": "rus", "deep": [[[1]]], "theme": [], "nan": float("nan")},
    "text": "Привет, мир. \ud800",
    "more": 1,
    "criteria": {"X": "a"},
    "selections": [
        1,
        {},
        {"id": True, "startSelection": "a", "endSelection": 99, "type": 5, "comment": 1},
        {"id": 7, "startSelection": 5, "endSelection": 2, "type": "А.грам"},
        {
            "id": 7,
            "startSelection": 3,
            "endSelection": 3,
            "type": "Г.слов",
            "subtype": "х",
            "group": "meaning",
            "foo": 1,
        },
        {"id": 8, "startSelection": 0, "endSelection": 0, "type": "Г.слов"},
        {"id": 8, "startSelection": 0, "endSelection": 5, "type": "ПРИМЕР", "correction": "да"},
    ],
}


@pytest.mark.parametrize("raw", [FAULTY, [], {}, {"meta": {"subject": "cats"}, "text": 1, "selections": {}}])
def test_every_fault_of_a_markup_is_told_in_both_languages(raw: object) -> None:
    judged = validate(raw, essay_text="Привет, мир!")
    for fault in (*judged.errors, *judged.warnings):
        russian = in_language(fault.message, "ru")
        assert CYRILLIC.search(russian), fault
        assert not english(russian, {"meta", "nan", "true", *Classifier.default().subjects, "free"}), russian
        for figure in re.findall(r"\d+", str(fault.message).replace("d800", "")):
            assert figure in russian, (fault.message, russian)


def test_a_sentence_carries_its_russian_through_what_is_made_of_it() -> None:
    one = Text("a fault", "ошибка")
    assert (one, in_language(one, "en"), in_language(one, "ru")) == ("a fault", "a fault", "ошибка")
    assert in_language("nobody said it", "ru") == "nobody said it"
    assert at("line 3", one).ru == "line 3: ошибка"
    more = first_of([one, one, one], 2)
    assert (more, more.ru) == ("a fault; a fault (and 1 more)", "ошибка; ошибка (и ещё 1)")
    import copy
    import pickle

    assert pickle.loads(pickle.dumps(one)).ru == copy.copy(one).ru == "ошибка"  # noqa: S301 - our own bytes


@pytest.mark.parametrize(
    ("count", "noun"),
    [
        (0, "файлов"),
        (1, "файл"),
        (2, "файла"),
        (4, "файла"),
        (5, "файлов"),
        (11, "файлов"),
        (14, "файлов"),
        (21, "файл"),
        (102, "файла"),
        (111, "файлов"),
    ],
)
def test_a_number_takes_its_form_of_the_noun(count: int, noun: str) -> None:
    assert counted(count, "файл", "файла", "файлов") == f"{count} {noun}"


def test_a_language_ends_with_its_block() -> None:
    assert number(0.5, 1) == "0.5"
    with speaking("ru"):
        assert number(0.5, 1) == "0,5"
        with speaking("en"):
            assert number(0.5, 1) == "0.5"
        assert number(0.5, 1) == "0,5"
    assert number(0.5, 1) == "0.5"
