from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any

import pytest

import pku
from contest import errors
from contest.cycle.rules.cycle import Mode, SetKind
from contest.cycle.rules.stages import StageName
from contest.messages.rules import Outcome
from contest.results import errors as results_errors
from contest.results.rules.reports import described_parameters
from contest.results.wire import LimitsBody
from contest.session.rules.delivery import Cause, FileState, Status
from contest.session.rules.session import State
from contest.submissions.rules import FailureCause, SubmissionKind, SubmissionState
from markup_core.texts import EN, RU
from pku.errors import number, sentence, word
from pku.messages import SENTENCES
from tests.samples import PARAMETERS
from tracks.essay.items import complete

MEANINGS = {
    "asked": ("open", "answered", "closed", "withdrawn"),
    "state": State,
    "file": FileState,
    "status": Status,
    "mode": Mode,
    "cause": Cause,
    "stage": StageName,
    "became": SubmissionState,
    "failure": FailureCause,
    "kind": [*SubmissionKind, *SetKind],
    "sent": Outcome,
}
"""Families of names that say what the platform's codes mean."""
SOURCES = sorted(Path(pku.__file__).parent.rglob("*.py"))


def paths(said: dict[str, Any], before: str = "") -> set[str]:
    """List the names of everything in an object, those of parts with a point between."""
    inner = [paths(each, f"{before}{name}.") for name, each in said.items() if isinstance(each, dict)]
    return {before + name for name in said}.union(*inner)


APART = replace(PARAMETERS, sessions_per_day_on=dict.fromkeys((SetKind.TRAINING, SetKind.TEST), 3))
"""Parameters with separate quotas for the kinds of sets on which sessions are opened."""
PARAMETERS_TOLD = paths(described_parameters(APART) | {"track": complete({})[0]}) | set(LimitsBody.model_fields)
"""Fields of parameters and limits in the answer of ``GET /v1/cycle``."""


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def test_both_languages_say_the_same_things() -> None:
    assert len(SENTENCES) > 300
    for name, text in SENTENCES.items():
        english, russian = text.en, text.ru
        assert fields(english) == fields(russian), name
        if name not in {"error.unreadable", "compare.value", "column.number", "ask.question"}:
            quoted = re.sub(r"«[^»]*»", "", english)
            assert not re.search("[а-яё]", quoted, re.IGNORECASE), f"Russian in the English text of {name}"
            assert re.search("[а-яё]", russian, re.IGNORECASE), f"no Russian in the Russian text of {name}"


def used_codes() -> set[str]:
    """Return the codes of errors that the sources raise by name."""
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
    assert [code for code in sorted(codes) if f"error.{code}" not in SENTENCES] == []


@cache
def texts_of_sources() -> tuple[frozenset[str], frozenset[str]]:
    """Return the constants of the kit's sources, and the beginnings of the texts that they put together."""
    constants: set[str] = set()
    made: set[str] = set()
    for path in SOURCES:
        if path.name == "messages.py":
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                constants.add(node.value)
            if isinstance(node, ast.JoinedStr) and isinstance(node.values[0], ast.Constant):
                made.add(str(node.values[0].value))
    return frozenset(constants), frozenset(made)


def dead(names: Iterable[str]) -> list[str]:
    """Return the sentences that the kit can never print.

    A name is said where the sources hold it whole, or where they make names of its family (``f"report.{name}"``) and
    hold its second half, or that half is a code of the platform's.
    """
    constants, made = texts_of_sources()
    platform = {
        error.code
        for error in (*vars(errors).values(), *vars(results_errors).values())
        if isinstance(error, type) and hasattr(error, "code")
    }
    platform |= set(Status)  # an answer that does not count is an error by its status
    found = []
    for name in names:
        family, _, code = name.partition(".")
        if family in MEANINGS:
            found += [name] if code not in set(MEANINGS[family]) else []
            continue
        if family in {"parameter", "parameter_value"}:
            found += [name] if code not in PARAMETERS_TOLD else []
            continue
        codes = {f"error.{each}" for each in constants if family == "error"}  # raised by its code alone
        rests = {name.removeprefix(each) for each in made if each.startswith(f"{family}.") and name.startswith(each)}
        rests |= {name.removeprefix(f"error.{each}") for each in made if each and name.startswith(f"error.{each}")}
        # A code that is made itself, as of a receipt's fault a run's: f"receipt_{fault}".
        rests |= {rest.removeprefix(each) for rest in set(rests) for each in made if each and rest.startswith(each)}
        known = constants | platform if family in {"hint", "error"} else constants
        if name not in constants | codes and not rests & known:
            found.append(name)
    return found


def test_no_sentence_is_there_for_nothing() -> None:
    assert dead(SENTENCES) == []


@pytest.mark.parametrize("family", MEANINGS)
def test_every_code_of_the_platform_is_said_in_words(family: str) -> None:
    assert [meaning for meaning in MEANINGS[family] if f"{family}.{meaning}" not in SENTENCES] == []


def test_a_code_of_a_newer_platform_is_said_as_it_is() -> None:
    assert word("state", "suspended", RU) == "suspended"


@pytest.mark.parametrize(("count", "said"), [(0, "0 files"), (1, "1 file"), (2, "2 files"), (21, "21 files")])
def test_one_file_is_no_files(count: int, said: str) -> None:
    assert said in sentence("start.done", EN, session_id="1", files=count, set="train")


def test_numbers_are_written_as_the_language_writes_them() -> None:
    times = {"p50_ms": 1, "p99_ms": 2, "max_ms": 3, "margin_s": 9.5, "limit_s": 10.0}
    assert "9,5 с из 10,0 с" in sentence("doctor.latency", RU, **times)
    assert "9.5 s of a request's 10.0 s" in sentence("doctor.latency", EN, **times)
    assert number(104.126, 2, RU) == "104,13"
    assert number(104.126, 2, EN) == "104.13"


def test_a_planted_dead_sentence_of_each_family_is_found() -> None:
    families = sorted({name.partition(".")[0] for name in SENTENCES})
    planted = [f"{family}.nobody_says_this" for family in families]
    assert dead([*SENTENCES, *planted]) == planted
