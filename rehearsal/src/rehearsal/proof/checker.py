"""The checker: decide check by check whether a history proves that a final keeps its rules (platform §3, §4).

A check that cannot read the data it needs fails, with the missing data as its counter-example: a history with too
little in it proves nothing. A check that has fewer cases than a rehearsal of its size fails, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from rehearsal.history import BOARDS, DAY, PEOPLE, Story
from rehearsal.proof import (
    checks_answers,
    checks_around,
    checks_files,
    checks_programs,
    checks_prying,
    checks_reading,
    checks_results,
    checks_staff,
)
from rehearsal.proof.case import EVERY_STAGE, Case, Check, Row, Size, meant
from rehearsal.proof.checks_programs import ProgramCase
from rehearsal.proof.oracle import ESSAY, PROGRAMS

_MACHINES: Final = "containers and AWS Batch: machines are a stand-in, one run goes through the real local runner"
"""Steps that a rehearsal of submitted programs leaves out."""
_PROMISES: Final = (
    "opened", "committed", "kept", "deadlines", "no_cost", "hidden", "limits", "admitted", "decided", "experts",
    "scored", "results",
)  # fmt: skip
"""Twelve promises of a contest in the order in which a fault goes on: a file that opened early, or was another one, has
other answers, scores and boards."""
_MODULES: Final = (
    checks_files, checks_prying, checks_answers, checks_staff, checks_around, checks_results, checks_programs,
    checks_reading,
)  # fmt: skip
_REVOKED: Final = "a revoked token, a suspended team and a dismissed person are refused and listed so, nobody else"
_DECIDED: Final = "every form of a leaderboard is frozen, hidden or shown to everybody as it was decided"
_READY: Final = (
    "sessions of the qualification go as they are played, and reports conclude as the rules do, ready with 95 % of at "
    "least as many files as the cycle says answered, in a technical run with at most 5 % annulled (R 6.5.4, 6.7.4)"
)
_TRIAL: Final = (
    "a trial says that it is one, in its commitment too, may draw from any set, takes the teams that it was planned "
    "for, and stands on no board when its results are out (D 6.9)"
)
_FAILURE: Final = (
    "three files that everybody missed are proposed to the commission, two are not, and the decision that agrees "
    "replaces exactly these, once, and they count for nobody (D 1.7, 8.12)"
)
_MEANT: Final = (
    meant("hidden", "people", PEOPLE, "people_kept", 30, _REVOKED),
    meant("limits", "people", DAY, "day_kept", 7, "a team can open the sessions of its daily quota, and no more"),
    meant("decided", "people", BOARDS, "boards_as_decided", 40, _DECIDED),
    meant("admitted", "qualifying", "session technical file answer readiness", "readiness_concluded", 250, _READY),
    meant("decided", "qualifying", "trial", "trial_apart", 9, _TRIAL),
    meant("no_cost", "qualifying", "failure", "failure_proposed", 7, _FAILURE),
)
_CHECKED: Final = [row for module in _MODULES for row in vars(module).values() if isinstance(row, Row)]
ROWS: Final = sorted([*_CHECKED, *_MEANT], key=lambda row: _PROMISES.index(row.promise))
"""All checks in the order in which they are shown."""
PROMISES: Final[Mapping[str, tuple[str, ...]]] = {
    promise: tuple(dict.fromkeys(row.name for row in ROWS if row.promise == promise)) for promise in _PROMISES
}
"""The promises, each with the checks that try it."""


@dataclass(frozen=True, slots=True)
class Proof:
    """The checks of one kind of stage, in the order in which they are shown."""

    rows: tuple[Row, ...]
    case: Callable[[Story], Any] = Case
    """Class, or function, that makes of a history the case for its checks."""

    def of(self, story: Story) -> tuple[Check, ...]:
        """Return all checks of a history. A history without the run's description and the keys raises KeyError."""
        case = self.case(story)
        return tuple(_checked(row, case) for row in self.rows)

    @property
    def checks(self) -> dict[str, Row]:
        """Return its checks by their names, in their order."""
        return {row.name: row for row in self.rows}

    def unexercised(self, size: Size) -> dict[str, str]:
        """Return why checks have no cases in a rehearsal of this size, by their names, then the steps never played."""
        machines = {"machines": _MACHINES} if self.case is ProgramCase else {}
        return {row.name: row.needs for row in self.rows if not row.least(size)} | machines


def _checked(row: Row, case: Any) -> Check:
    check = Check(row.name)
    try:
        row.run(check, case)
        least = row.least(Size.of(case.story.header))
    except (LookupError, TypeError, ValueError, AttributeError, RuntimeError, StopIteration) as error:
        return Check(row.name, 0, [f"the history cannot be read: {type(error).__name__} {error}"])
    if check.examined < least:
        few = f"{check.examined} cases were looked at, in a rehearsal of this size there are {least}"
        check.faults.append(few)
    return check


PROOFS: Final[Mapping[str, Proof]] = {
    stage: Proof(tuple(row for row in ROWS if stage in row.stages), ProgramCase if stage == PROGRAMS else Case)
    for stage in sorted(EVERY_STAGE)
}
"""Proofs by the kind of stage in a history's header; the essays' final if it names none."""


def proof_of(header: Mapping[str, Any]) -> Proof:
    """Return the proof of the stage that a header names, of one that was seen from outside the checks that can be made
    there. KeyError for an unknown kind."""
    if header.get("outside"):

        def seen(row: Row) -> Row:  # stored things are not looked at, only answers
            return replace(row, least=lambda size: min(row.least(size), size.answered))

        return Proof(tuple(seen(row) for row in PROOFS[header["stage"]].rows if row.outside))
    return PROOFS[header.get("stage", ESSAY)]


def check(story: Story) -> tuple[Check, ...]:
    """Return all checks of a history, by its kind of stage; raises as :meth:`Proof.of` does."""
    return proof_of(story.header).of(story)


def promised(checks: Sequence[Check]) -> dict[str, list[Check]]:
    """Return the checks of each promise, in the order of :data:`PROMISES`; promises without a check are left out.

    Raises KeyError for a check that tries no promise.
    """
    promise_of = {check: promise for promise, tried_by in PROMISES.items() for check in tried_by}
    grouped: dict[str, list[Check]] = {promise: [] for promise in PROMISES}
    for check in checks:
        grouped[promise_of[check.name]].append(check)
    return {promise: tried_by for promise, tried_by in grouped.items() if tried_by}
