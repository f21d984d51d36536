from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from pathlib import Path
from string import Formatter

import pytest

import pku
from contest import errors
from contest.domain.session.delivery import Cause, Status
from pku.messages import catalogue

SOURCES = sorted(Path(pku.__file__).parent.rglob("*.py"))


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("name", sorted(catalogue.CATALOGUE))
def test_both_languages_say_the_same_things(name: str) -> None:
    english, russian = catalogue.CATALOGUE[name]
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
    assert [code for code in sorted(codes) if f"error.{code}" not in catalogue.CATALOGUE] == []


def dead(names: Iterable[str]) -> list[str]:
    """Sentences that nothing in the kit can say.

    A name is said where the sources hold it whole, or where they make names of its family (``f"report.{name}"``) and
    hold its second half, or that half is a code of the platform's.
    """
    constants: set[str] = set()
    made: set[str] = set()
    for path in SOURCES:
        if path.parent.name == "messages":
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                constants.add(node.value)
            if isinstance(node, ast.JoinedStr) and isinstance(node.values[0], ast.Constant):
                made.add(str(node.values[0].value))
    platform = {each.code for each in vars(errors).values() if isinstance(each, type) and hasattr(each, "code")}
    platform |= {each.value for each in (*Cause, *Status)}
    found = []
    for name in names:
        family = name.partition(".")[0]
        codes = {f"error.{each}" for each in constants if family == "error"}  # raised by its code alone
        rests = {name.removeprefix(each) for each in made if each.startswith(f"{family}.") and name.startswith(each)}
        rests |= {name.removeprefix(f"error.{each}") for each in made if each and name.startswith(f"error.{each}")}
        known = constants | platform if family in {"hint", "cause", "error"} else constants
        if name not in constants | codes and not rests & known:
            found.append(name)
    return found


def test_no_sentence_is_there_for_nothing() -> None:
    assert dead(catalogue.CATALOGUE) == []


FAMILIES = sorted({name.partition(".")[0] for name in catalogue.CATALOGUE})


@pytest.mark.parametrize("family", FAMILIES)
def test_a_planted_dead_sentence_is_found(family: str) -> None:
    planted = f"{family}.nobody_says_this"
    assert dead([*catalogue.CATALOGUE, planted]) == [planted]
