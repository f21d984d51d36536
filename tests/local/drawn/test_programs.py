"""Pairs of functions: tokens of both languages, and a Python that does what it says."""

from __future__ import annotations

from typing import Any

import pytest

from local.drawn.pages import PRIVATE, PUBLIC, of_java, of_python
from tracks.fusion.c2c import laid_out

PYTHON = {source.partition("(")[0].removeprefix("def "): source for _, source in (*PUBLIC, *PRIVATE)}


def test_layout_is_spelled_out_and_comes_back() -> None:
    written = of_python("def f(x):\n    if x:\n        return 1\n    return -1")
    assert written == (
        "def f ( x ) : NEW_LINE INDENT if x : NEW_LINE INDENT return 1 NEW_LINE DEDENT return - 1 NEW_LINE DEDENT"
    )
    assert of_java("int[] a = {1}; a[0]++; x <= y && z != 2.5;") == (
        "int [ ] a = { 1 } ; a [ 0 ] ++ ; x <= y && z != 2.5 ;"
    )


def test_no_function_stands_there_twice_and_names_are_the_same_in_both_languages() -> None:
    assert len(PYTHON) == len(PUBLIC) + len(PRIVATE) == 40
    for java, python in (*PUBLIC, *PRIVATE):
        name = python.partition("(")[0].removeprefix("def ")
        assert f" {name}(" in java


@pytest.mark.parametrize(
    ("name", "arguments", "result"),
    [
        ("total", ([1, 2, 3],), 6),
        ("product", ([2, 3, 4],), 24),
        ("largest", ([3, 9, 4],), 9),
        ("lastIndexOfZero", ([0, 1, 0, 2],), 2),
        ("factorial", (5,), 120),
        ("gcd", (12, 18), 6),
        ("fibonacci", (10,), 55),
        ("digits", (1234,), 4),
        ("repeat", ("ab", 3), "ababab"),
        ("smallest", ([3, 1, 4],), 1),
        ("alternating", ([5, 1, 5],), 9),
        ("steps", ([1, 1, 2],), 1),
        ("weighted", ([1, 2],), 5),
        ("power", (2, 10), 1024),
        ("sumOfDigits", (987,), 24),
        ("isPrime", (97,), True),
        ("collatz", (6,), 8),
        ("indexOf", ([4, 5], 5), 1),
        ("triangle", (4,), 10),
        ("between", (2, 1, 3), True),
        ("celsius", (212,), 100),
    ],
)
def test_a_true_answer_laid_out_again_does_what_its_name_says(name: str, arguments: Any, result: Any) -> None:
    found: dict[str, Any] = {}
    exec(laid_out(of_python(PYTHON[name])), found)  # noqa: S102 - our own function
    assert found[name](*arguments) == result
