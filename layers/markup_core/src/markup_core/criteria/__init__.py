"""Grading: the criteria K1, K2 … of an essay, counted from the fragments of its markup (markup-scoring §5).

``criteria`` that a file supplies are never read. A subject without a formula has no grade.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any

from markup_core.criteria.formulas import FORMULAS
from markup_core.criteria.tally import Tally
from markup_core.model import Markup, check_markups

__all__ = ["FORMULAS", "Grade", "grade", "max_total", "total"]


@dataclass(frozen=True)
class Grade:
    """A grade in points: every criterion, the total, the greatest possible total and the reasons."""

    subject: str
    criteria: Mapping[str, int] = field(hash=False)
    total: int
    max: int
    _tally: Tally = field(repr=False, compare=False)

    @cached_property
    def explanations(self) -> Mapping[str, Mapping[str, str]]:
        """Return a sentence per criterion that states the counted facts: ``{"K2": {"ru": …, "en": …}, …}``."""
        texts = FORMULAS[self.subject].explain(self._tally, tuple(self.criteria.values()))
        return MappingProxyType(
            {name: MappingProxyType({"ru": text.ru, "en": text.en}) for name, text in texts.items()}
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the grade as JSON: subject, criteria, total, max, explanations (markup-scoring §8.1)."""
        return {
            "subject": self.subject,
            "criteria": dict(self.criteria),
            "total": self.total,
            "max": self.max,
            "explanations": {name: dict(texts) for name, texts in self.explanations.items()},
        }


# Clause: R 2.15, R-App2 §1.3
def grade(markup: Markup) -> Grade | None:
    """Grade a valid markup by its subject's formula; None for a subject without one.

    Linear in the fragments and the words, but for sorting. Neither the order nor the ids of the fragments matter.
    """
    check_markups(markup)
    formula = FORMULAS.get(markup.subject)
    if formula is None:
        return None
    tally = Tally(markup)
    points = formula.points(tally)
    criteria = MappingProxyType(dict(zip(formula.names, points, strict=True)))
    return Grade(markup.subject, criteria, sum(points), formula.max, tally)


# Clause: MS §3 M1
def total(markup: Markup) -> int | None:
    """Compute total points alone, for M1: the same formula without names and sentences; None without a formula."""
    formula = FORMULAS.get(markup.subject)
    return None if formula is None else sum(formula.points(Tally(markup)))


def max_total(subject: str) -> int | None:
    """Return the greatest possible total of a subject (``max K``); None for a subject without a formula."""
    formula = FORMULAS.get(subject)
    return None if formula is None else formula.max
