"""Helpers with which tests play small rehearsals."""

from __future__ import annotations

import os

from rehearsal.ending import Settings
from rehearsal.harm.bugs import Rehearsal
from rehearsal.history import History
from rehearsal.play.wire import Fault, faults_named
from rehearsal.proof.oracle import ESSAY, PROGRAMS
from rehearsal.stages import KINDS, Outcome, rehearse, settings_of

EVERY = bool(os.environ.get("HURDLE_EVERY_BUG"))
SEEDS = {PROGRAMS: 1}
"""Seeds with which the bugs of a kind of stage are provoked, where it is not 6."""


def play(small: Rehearsal, bug: str | None = None) -> Outcome:
    """Play a small rehearsal; one process of each function, unless two have to race."""
    (stage, rhythm), seed = KINDS[small.kind], SEEDS.get(small.kind, 6)
    faults = faults_named(small.faults)
    workers = 1 + (Fault.DUPLICATES in faults and small.kind == ESSAY)
    settings = Settings(
        small.teams, small.files, seed, faults, rhythm.interval, bug=bug, share=small.share, workers=workers
    )
    return rehearse(settings_of(small.kind, settings), History(), lambda _: None, stage)


def red(outcome: Outcome) -> dict[str, list[str]]:
    """Return the failed checks, each with what contradicts it."""
    return {check.name: check.faults for check in outcome.checks if not check.passed}
