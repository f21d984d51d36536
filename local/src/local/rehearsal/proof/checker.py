"""The checker: reads a history and says, check by check, whether it proves what a final has to be (platform §3, §4).

It shares no code with the contest but the scoring library. A check that cannot even read what it needs fails, with
what it missed as its counter-example: a history that says too little proves nothing. So does one that has fewer cases
than a rehearsal of its size (:mod:`local.rehearsal.proof.least`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from local.rehearsal.history import Story
from local.rehearsal.proof import (
    checks_answers,
    checks_channel,
    checks_crowd,
    checks_decisions,
    checks_files,
    checks_prying,
    checks_results,
)
from local.rehearsal.proof.case import Case, Check
from local.rehearsal.proof.least import Size, too_few

CHECKS: Final[tuple[tuple[str, Callable[[Case], Check]], ...]] = (
    ("acknowledged_kept", checks_answers.acknowledged),
    ("late_not_accepted", checks_answers.none_late),
    ("on_time_not_refused", checks_answers.none_refused),
    ("deadlines_told", checks_answers.deadlines),
    ("ten_sends", checks_answers.ten_sends),
    ("one_winner", checks_answers.one_winner),
    ("nothing_early", checks_files.opened_on_time),
    ("files_as_committed", checks_files.handed_out_as_promised),
    ("nothing_stuck", checks_files.none_stuck),
    ("causes_by_the_rules", checks_files.causes_right),
    ("scored_once", checks_results.scored_once),
    ("commitment_kept", checks_results.commitment),
    ("replay_agrees", checks_results.same_board),
    ("no_faults_no_voids", checks_files.quiet),
    ("channel_kept", checks_channel.kept),
    ("not_yet_told", checks_prying.early_refused),
    ("others_kept", checks_prying.others_kept),
    ("joined_once", checks_prying.joined_once),
    ("texts_in_time", checks_prying.texts_in_time),
    ("strangers_kept_out", checks_crowd.kept_out),
    ("decisions_kept", checks_decisions.kept),
)
"""All checks in the order in which they are shown."""


def check(story: Story) -> tuple[Check, ...]:
    """All checks of a history. A history without the run's description and the keys raises KeyError."""
    case = Case(story)
    return tuple(_checked(name, run, case) for name, run in CHECKS)


def _checked(name: str, run: Callable[[Case], Check], case: Case) -> Check:
    try:
        found = run(case)
        few = too_few(name, found.examined, Size.of(case.story.header))
    except (KeyError, TypeError, ValueError, IndexError) as error:
        return Check(name, 0, [f"the history cannot be read: {type(error).__name__} {error}"])
    found.faults += [few] if few else []
    return found
