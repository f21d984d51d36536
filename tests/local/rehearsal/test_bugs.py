"""The checker is itself checked: each bug planted in the platform turns a small rehearsal red, for the right reason.

Which faults are injected is what brings the bug out; without the bug the same rehearsals are green. The gate plays a
fixed part of them, ``make bugs`` all.
"""

from __future__ import annotations

import os

import pytest

from local.rehearsal import found
from local.rehearsal.harm.bugs import BUGS
from local.rehearsal.history import STRANGERS

pytestmark = pytest.mark.integration

FOUND_BY = found.bugs()
EVERY = bool(os.environ.get("HURDLE_EVERY_BUG"))
IN_MAKE_LONG = ("archive-nothing",)
TOLD_STRANGERS = {
    "nowhere": (404, 429),
    "without_token": (401,),
    "malformed": (403,),
    "unknown": (403,),
    "connect": (400,),
    "connect_malformed": (400,),
    "connect_unknown": (101,),
}


def test_every_bug_has_its_test() -> None:
    assert FOUND_BY.keys() == BUGS.keys()


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("bug", sorted(FOUND_BY) if EVERY else IN_MAKE_LONG)
def test_a_planted_bug_turns_the_checker_red(bug: str) -> None:
    by = FOUND_BY[bug]
    red = found.red(found.small(by.faults, by.share, by.at, bug))
    assert by.check in red, red


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3] if EVERY else [1])
def test_without_a_bug_the_checker_is_green_whatever_is_injected(seed: int) -> None:
    outcome = found.small("all", 0.7, (5, 4), seed=seed)
    assert found.red(outcome) == {}
    assert {"record_lost", "job_lost", "step_lost", "crowd"} <= {each["what"] for each in outcome.story.injected}
    heard = {(call.what, call.status) for call in outcome.story.calls if call.team == STRANGERS}
    assert {what for what, _ in heard} == TOLD_STRANGERS.keys()
    assert heard <= {(what, status) for what, statuses in TOLD_STRANGERS.items() for status in statuses}
    assert any(call.status is None or call.status >= 400 for call in outcome.story.calls)
