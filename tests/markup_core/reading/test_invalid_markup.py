"""The error of an invalid markup tells its first three faults and counts the others."""

from __future__ import annotations

import pytest

from markup_core.reading.fragment_reader import Fault
from markup_core.reading.validation import InvalidMarkup


@pytest.mark.parametrize(
    ("count", "told"),
    [(1, "fault 1"), (3, "fault 1; fault 2; fault 3"), (4, "fault 1; fault 2; fault 3 (and 1 more)")],
)
def test_three_faults_are_told_and_the_rest_counted(count: int, told: str) -> None:
    faults = tuple(Fault("code", f"fault {number}") for number in range(1, count + 1))
    error = InvalidMarkup(faults)
    assert str(error) == told
    assert error.errors == faults
