"""Hold that the house's figures fall: each count is bounded, and each figure is lowered with its count."""

from __future__ import annotations

import ast
from collections.abc import Mapping

import pytest

from tools.house import counts, figures


@pytest.fixture(scope="module")
def today() -> Mapping[str, float]:
    return counts.counts()


def test_no_count_rises_each_figure_is_lowered_with_it_and_the_page_shows_them(today: Mapping[str, float]) -> None:
    assert figures.faults(today) == []
    assert figures.PAGE.read_text("utf-8") == figures.page()
    bound = figures.figures()["python_modules"].bound
    (risen,) = figures.faults({"python_modules": bound + 1})
    assert risen == f"python_modules is {bound + 1}, at most {bound}: take something away, or raise it and say for what"
    (fallen,) = figures.faults({"python_modules": bound // 2})
    assert fallen.endswith("lower it in figures.toml, then python -m tools.house")
    assert figures.faults({"python_modules": bound}) == []


def test_counts_of_short_functions_and_of_empty_names() -> None:
    """Count private functions of six lines that are called once, and the share of empty names that are assigned."""
    body = "\n".join(f"    x{line} = {line}" for line in range(5))
    assert counts.short_functions(ast.parse(f"def _once():\n{body}\n_once()\n")) == 1
    assert counts.short_functions(ast.parse(f"def _once():\n{body}\n    y = 1\n_once()\n")) == 0
    assert counts.short_functions(ast.parse(f"def _twice():\n{body}\n_twice()\n_twice()\n")) == 0
    assert counts.short_functions(ast.parse(f"def public():\n{body}\npublic()\n")) == 0
    assert counts.short_functions(ast.parse(f"def _value():\n{body}\nx = [_value]\n")) == 0
    assert (
        counts.short_functions(ast.parse("class A:\n    def _m(self): return 1\n    def n(self): return self._m()"))
        == 1
    )
    assert counts.short_functions(ast.parse("import a\n@a.b\ndef _once(): return 1\n_once()\n")) == 0
    tree = ast.parse("def f(self, told, session): found, team = told, session")
    assert counts.empty_names([tree]) == 50.0
    assert counts.empty_names([ast.parse("1 + 1")]) == 0.0
