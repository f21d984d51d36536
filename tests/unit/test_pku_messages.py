from __future__ import annotations

import ast
import re
from pathlib import Path
from string import Formatter

import pytest

import pku
from pku import messages

SOURCES = sorted(Path(pku.__file__).parent.rglob("*.py"))


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("name", sorted(messages.CATALOGUE))
def test_both_languages_say_the_same_things(name: str) -> None:
    english, russian = messages.CATALOGUE[name]
    assert fields(english) == fields(russian)
    if name not in {"error.unreadable", "compare.value", "column.number"}:
        assert not re.search("[а-яё]", re.sub(r"«[^»]*»", "", english), re.IGNORECASE), "Russian in the English text"
        assert re.search("[а-яё]", russian, re.IGNORECASE), "no Russian in the Russian text"


def used_codes() -> set[str]:
    """Codes of errors that the sources raise by name."""
    found = set()
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute) and node.args:
                name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
                first = node.args[0]
                if name in {"PkuError", "SolverError", "_own", "_lost"} and isinstance(first, ast.Constant):
                    found.add(first.value)
    return found


def test_every_error_that_is_raised_has_its_sentence() -> None:
    codes = used_codes()
    assert len(codes) > 20, "the sources have changed and this test looks at nothing"
    assert [code for code in sorted(codes) if f"error.{code}" not in messages.CATALOGUE] == []


def test_no_sentence_is_there_for_nothing() -> None:
    sources = "\n".join(path.read_text("utf-8") for path in SOURCES if not path.name.startswith("messages_"))
    unused = [
        name
        for name in messages.CATALOGUE
        if name not in sources
        and name.partition(".")[2] not in sources
        and not name.startswith(
            ("hint.", "error.answer_", "receipts.", "doctor.end_", "cause.")
        )  # made of a code: the platform's or a verdict
    ]
    assert unused == []
