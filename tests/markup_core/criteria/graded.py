"""Essays for the tests of the grading: a text of so many words and marks written in one line."""

from __future__ import annotations

from markup_core.criteria import grade, total
from markup_core.model import Fragment, Markup


def essay(subject: str, words: int, marks: str = "") -> Markup:
    """Return a markup of ``marks``: codes separated by blanks; ``ПРИМЕР*2`` twice, ``ПРИМЕР#а`` with the tag «а»."""
    fragments = []
    for mark in marks.split():
        named, _, tag = mark.partition("#")
        code, _, times = named.partition("*")
        fragments += [Fragment(0, 5, code, tag=tag)] * int(times or 1)
    return Markup("слово " * words, tuple(fragments), {"subject": subject})


def points(markup: Markup) -> list[int]:
    """K1, K2 … of an essay, after checking that the total agrees and every criterion is explained twice."""
    graded = grade(markup)
    assert graded is not None
    assert graded.total == sum(graded.criteria.values()) == total(markup)
    for name, score in graded.criteria.items():
        for language in ("ru", "en"):
            assert graded.explanations[name][language].startswith(f"{name} = {score}: ")
    return list(graded.criteria.values())


def explained(markup: Markup, name: str) -> tuple[str, str]:
    """Return the Russian and the English sentence of one criterion."""
    graded = grade(markup)
    assert graded is not None
    return graded.explanations[name]["ru"], graded.explanations[name]["en"]
