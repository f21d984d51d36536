"""Every counter-example of the proof has its Russian, found in the proof's own sources."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from local.rehearsal import proof
from local.rehearsal.counterexamples import told

_ENGLISH = re.compile(r"[A-Za-z]{2,}")
_LEAST = 90
"""So many sentences the proof has at least: a test that reads none is none."""


def _sentences(source: str) -> Iterator[str]:
    """Texts with blanks that are no docstrings, each value in them replaced by a number."""
    tree = ast.parse(source)
    apart = {id(each.value) for each in ast.walk(tree) if isinstance(each, ast.Expr)}
    apart |= {id(part) for each in ast.walk(tree) if isinstance(each, ast.JoinedStr) for part in each.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            said = "".join(str(part.value) if isinstance(part, ast.Constant) else "7" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in apart:
            said = node.value
        else:
            continue
        if _ENGLISH.search(said) and " " in said.strip():
            yield said.removesuffix(" 7").rstrip() + (" 7" if said.endswith(" 7") else "")


def _all_sentences() -> set[str]:
    return {
        # A place that the rest of a sentence follows is read with such a rest.
        f"{said} 7" if said.endswith(",") else said
        for path in sorted(Path(proof.__file__).parent.glob("*.py"))
        for said in _sentences(path.read_text("utf-8"))
    }


def test_every_sentence_of_the_proof_has_its_russian() -> None:
    sentences = _all_sentences()
    assert len(sentences) >= _LEAST
    assert [said for said in sorted(sentences) if _ENGLISH.search(told(said, "ru"))] == []


def test_what_has_no_russian_yet_is_shown_as_the_check_said_it() -> None:
    assert told("something that nobody has said yet", "ru") == "something that nobody has said yet"


@pytest.mark.parametrize(
    ("said", "russian"),
    [
        (
            "team-007, file 5, send 2 (accepted), call 171: accepted 1 ms after the deadline",
            "team-007, файл 5, отправка 2 (accepted), запрос 171: принято через 1 мс после срока",
        ),
        (
            "bob, file 1: a fault of the platform is counted as team_late",
            "bob, файл 1: вина платформы засчитана так: аннулирован: команда опоздала",
        ),
        (
            "team-002, file 3: is network, by the rules answered or platform",
            (
                "team-002, файл 3: аннулирован: у команды не было связи, а по правилам — "
                "отвечен вовремя или аннулирован: вина платформы"
            ),
        ),
        (
            "team-002, call 9: file 3, 1500 ms before its opening, is told of it",
            "team-002, запрос 9: файл 3, за 1500 мс до открытия: сообщается о нём",
        ),
        ("a step of the whole run that was lost: done after 700 s", "потерянный шаг всего прогона: сделан через 700 с"),
        ("team-002, call 9 (join_late): is answered 201", "team-002, запрос 9 (join_late): отвечено 201"),
        ("team-002: the session is open", "team-002: состояние сессии — open"),
        ("the statement amendment 2 has no good signature", "запись amendment 2: подпись неверна"),
    ],
)
def test_what_a_person_reads(said: str, russian: str) -> None:
    assert told(said, "ru") == russian
    assert told(said, "en") == said
