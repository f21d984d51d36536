"""Why an assignment is given back, extended or taken away: the rule itself, which commands meet without a form."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from contest.experts.rules.assignment import Assignment, AssignmentState, extend, hand_back, take_away
from contest.refusals import RefusedError
from contest.values import LONGEST_REASON

GIVEN = Assignment("a1", "m", "essay", "anna", "rus", "hist", is_third=False, limit=3_600_000, assigned_at=0)
DECISIONS: dict[str, Callable[[str], Assignment]] = {
    "hand back": lambda why: hand_back(GIVEN, why, 10),
    "take away": lambda why: take_away(GIVEN, AssignmentState.RELEASED, why, 10),
    "extend": lambda why: extend(GIVEN, 1_000, why, 10),
}


@pytest.mark.parametrize("decide", DECISIONS.values(), ids=DECISIONS)
def test_a_decision_about_an_assignment_has_a_reason(
    decide: Callable[[str], Assignment],
) -> None:
    for reason in ("", " \n", "я" * (LONGEST_REASON + 1)):
        with pytest.raises(RefusedError) as refused:
            decide(reason)
        assert refused.value.code == "no_reason"
    assert decide(f" {'я' * (LONGEST_REASON - 2)} ").reason == "я" * (LONGEST_REASON - 2)
