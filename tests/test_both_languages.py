"""Every sentence that is written for people stands in both languages, and the Russian is Russian."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from markup_core.reading.classifier import Classifier
from markup_core.reading.validation import validate
from markup_core.speaking import counted, say, speaking
from markup_core.texts import Text, at, first_of, in_language
from tests.leftovers import english

ROOT = Path(__file__).resolve().parents[1]
PLACES = {
    "Text": (0, 1),
    "say": (0, 1),
    "refuse": (1, 2),
    "refuse_value": (1, 2),
    "reason": (2, 3),
    "RefusedError": (1, 2),
    "_WrongError": (1, 2),
    "_note": (0, 1),
}
"""Where the English and the Russian stand in the arguments of what is made of both."""
MADE_OF_BOTH = re.compile(rf"\b(?:{'|'.join(PLACES)})\b")
APART = {"layers/markup_core/src/markup_core/criteria"}
"""There the Russian comes first, and is part of the specification's own wording."""
OWN_WORDS = {"this is no XML: {}"}
"""What a library says in English alone, where the Russian says it in other words."""
CYRILLIC = re.compile("[а-яё]", re.IGNORECASE)
WORD = re.compile(r"[A-Za-zА-Яа-яЁё]{3,}")


def nodes_of(path: Path, wanted: re.Pattern[str]) -> Iterator[ast.AST]:
    """Yield a module's nodes; none where its text has not what is wanted, for to parse all modules takes seconds."""
    source = path.read_text("utf-8")
    if wanted.search(source):
        yield from ast.walk(ast.parse(source))


@cache
def pairs() -> list[tuple[str, str, str]]:
    """Where it stands, the English and the Russian, of all that is written as literals."""
    return list(_pairs())


def _pairs() -> Iterator[tuple[str, str, str]]:
    """Where it stands, the English and the Russian, of all that is written as literals."""
    for path in sorted(
        [*ROOT.glob("layers/*/src/**/*.py"), *ROOT.glob("functions/**/*.py"), *ROOT.glob("local/src/**/*.py")]
    ):
        for node in nodes_of(path, MADE_OF_BOTH):
            if not isinstance(node, ast.Call):
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            said: list[ast.expr | None] = []
            if name in PLACES:
                said = [node.args[place] if place < len(node.args) else None for place in PLACES[name]]
            by_name = {each.arg: each.value for each in node.keywords}
            english_, russian = (
                by_name.get(one, other) for one, other in zip(("en", "ru"), said or (None, None), strict=True)
            )
            if str(path.parent.relative_to(ROOT)) in APART:
                continue
            if name in PLACES and _literal(english_) and _literal(russian):
                yield f"{path.relative_to(ROOT)}:{node.lineno}", _text(english_), _text(russian)


def _literal(node: ast.expr | None) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _text(node: ast.expr | None) -> str:
    """Return the literal text; a placeholder becomes a mark."""
    if isinstance(node, ast.JoinedStr):
        return "".join(each.value if isinstance(each, ast.Constant) else "{}" for each in node.values)
    assert isinstance(node, ast.Constant)
    return str(node.value)


def test_every_sentence_has_its_russian() -> None:
    found = pairs()
    assert len(found) > 400
    wrong = [
        f"{where}: {ru!r} for {en!r}"
        for where, en, ru in found
        if WORD.search(en) and english(en) and not CYRILLIC.search(ru)
    ]
    wrong += [
        f"{where}: Russian in {en!r}" for where, en, ru in found if CYRILLIC.search(re.sub(r"[\"«].*?[\"»]", "", en))
    ]
    assert not wrong, "\n".join(wrong)


def test_no_russian_sentence_shows_a_value_in_english_words() -> None:
    """``short`` says "a list" and "(61 characters)"; what a Russian sentence shows comes from ``short_ru``."""
    shown = [
        (f"{path.relative_to(ROOT)}:{node.lineno}", ast.unparse(node))
        for path in sorted([*ROOT.glob("layers/*/src/**/*.py"), *ROOT.glob("clients/*/src/**/*.py")])
        for node in nodes_of(path, CYRILLIC)
        if isinstance(node, ast.JoinedStr) and CYRILLIC.search(_text(node))
    ]
    assert sum("short_ru(" in sentence for _, sentence in shown) > 40
    assert [(where, sentence) for where, sentence in shown if re.search(r"\bshort\(", sentence)] == []


def test_both_sentences_have_the_same_figures() -> None:
    """What is filled into one is filled into the other, as often or more: a place, a number, a name."""
    fewer = [
        f"{where}: {en!r} / {ru!r}"
        for where, en, ru in pairs()
        if bool(en.count("{}")) != bool(ru.count("{}")) and en not in OWN_WORDS
    ]
    assert not fewer, "\n".join(fewer)


TOLD_BY_HURDLE = {
    "CorpusError",
    "DemonstrationError",
    "EmulatorGoneError",
    "OrganizerError",
    "StateError",
    "TemplateError",
}
"""Failures of the local cloud that the command tells in words (``local.wording``)."""
TOLD = re.compile("|".join(TOLD_BY_HURDLE))


def test_no_failure_of_the_local_cloud_is_worded_in_english_alone() -> None:
    raised, bare = 0, []
    for path in sorted((ROOT / "local" / "src").rglob("*.py")):
        for node in nodes_of(path, TOLD):
            made = node.exc if isinstance(node, ast.Raise) else None
            if isinstance(made, ast.Call) and isinstance(made.func, ast.Name) and made.func.id in TOLD_BY_HURDLE:
                raised += 1
                bare += [f"{path.name}:{node.lineno}"] if isinstance(made.args[0], ast.Constant | ast.JoinedStr) else []
    assert raised > 25
    assert not bare


def test_every_refusal_of_the_interface_and_its_details_have_both_languages() -> None:
    """A detail that is written as a dictionary has ``message`` and ``message_ru``, which differ."""
    for path in sorted(ROOT.glob("layers/contest/src/**/*.py")):
        for node in nodes_of(path, re.compile("message")):
            if isinstance(node, ast.Dict):
                said = {
                    key.value: value
                    for key, value in zip(node.keys, node.values, strict=True)
                    if isinstance(key, ast.Constant)
                }
                if "message" in said and "code" in said:
                    assert "message_ru" in said or None in node.keys, f"{path}:{node.lineno}"
                if "message" in said and "message_ru" in said:
                    assert ast.dump(said["message"]) != ast.dump(said["message_ru"]), f"{path}:{node.lineno}"


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
    ("count", "said"),
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
def test_a_number_takes_its_form_of_the_noun(count: int, said: str) -> None:
    assert counted(count, "файл", "файла", "файлов") == f"{count} {said}"


def test_a_language_ends_with_its_block() -> None:
    assert say("yes", "да") == "yes"
    with speaking("ru"):
        assert say("yes", "да") == "да"
        with speaking("en"):
            assert say("yes", "да") == "yes"
        assert say("yes", "да") == "да"
    assert say("yes", "да") == "yes"
