"""A grade is a value: equal to its equals, and found in sets."""

from __future__ import annotations

from markup_core.criteria import grade
from tests.markup_core.criteria.graded import essay


def test_equal_grades_are_one_in_a_set() -> None:
    first, second, other = (grade(essay("rus", words)) for words in (150, 150, 1))
    assert first == second
    assert len({first, second, other}) == 2
