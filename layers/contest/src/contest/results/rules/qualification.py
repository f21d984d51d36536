"""Qualification and annulment.

Qualification (R 6.9, 8.2) leads from a report's automatic conclusion by judges and commission to the admission. A
positive automatic conclusion waits for the judges; confirmed, it waits for the commission; verified, it counts. Every
step is a ruling that stays, with its reason, and the commission may return a verified conclusion. Rulings concern one
report: they count no more after a later decision about a run makes another report.

Organizers annul data sets, sessions and results, and may take it back (D 6.10; platform §7).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Final

from contest.values import MINUTE, Millis
from markup_core.lazy import dataclass


class QualificationKind(StrEnum):
    """The two qualifications (R 6.9)."""

    ALGORITHMIC = "algorithmic"
    TECHNICAL = "technical"


class Standing(StrEnum):
    """Progress of a conclusion, from the least to the furthest."""

    ANNULLED = "annulled"
    """The organizers have annulled the session or its data set (D 6.10)."""
    NOT_READY = "not_ready"
    """The automatic conclusion is negative, so there is nothing to confirm."""
    REJECTED = "rejected"
    AWAITS_JUDGES = "awaits_judges"
    AWAITS_COMMISSION = "awaits_commission"
    VERIFIED = "verified"


_ORDER: Final = tuple(Standing)


class Step(StrEnum):
    """Step of a ruling: the judges' or the commission's."""

    JUDGEMENT = "judgement"
    VERIFICATION = "verification"


@dataclass(frozen=True, slots=True)
class Ruling:
    """Ruling of judges or commission; it stays for ever."""

    step: Step
    positive: bool
    person_id: str
    reason: str
    """The protocol, in the words of who ruled."""
    at: Millis
    report: str
    """Name of the report that it is about."""


@dataclass(frozen=True, slots=True)
class Conclusion:
    """The conclusion on a closed session, automatic and by people."""

    session_id: str
    team_id: str
    cycle: str
    kind: QualificationKind
    report: str
    ready: bool
    """What the report concludes by itself."""
    closed_at: Millis
    rulings: tuple[Ruling, ...] = ()
    version: int = 1
    annulled: str = ""
    """Why the organizers have annulled it; empty where they have not."""

    # Clause: R 8.2.1, R 8.2.2, D 6.10
    @property
    def standing(self) -> Standing:
        """Return its progress."""
        if self.annulled:
            return Standing.ANNULLED
        if not self.ready:
            return Standing.NOT_READY
        standing = Standing.AWAITS_JUDGES
        for ruling in self.rulings:
            if ruling.report == self.report:
                standing = _AFTER[ruling.step, ruling.positive]
        return standing

    def possible(self) -> tuple[tuple[Step, bool], ...]:
        """List the rulings that the present standing allows: the step, and whether it is for readiness."""
        return tuple(ruling for ruling, standings in _FROM.items() if self.standing in standings)


_AFTER: Final = {
    (Step.JUDGEMENT, True): Standing.AWAITS_COMMISSION,
    (Step.JUDGEMENT, False): Standing.REJECTED,
    (Step.VERIFICATION, True): Standing.VERIFIED,
    (Step.VERIFICATION, False): Standing.AWAITS_JUDGES,
}
_FROM: Final = {
    (Step.JUDGEMENT, True): {Standing.AWAITS_JUDGES, Standing.REJECTED},
    (Step.JUDGEMENT, False): {Standing.AWAITS_JUDGES, Standing.AWAITS_COMMISSION},
    (Step.VERIFICATION, True): {Standing.AWAITS_COMMISSION},
    (Step.VERIFICATION, False): {Standing.AWAITS_COMMISSION, Standing.VERIFIED},
}
"""From where each ruling can be made: judges may change their mind until the commission has verified, and the
commission returns what it has verified, so that every step has a way back."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The furthest of a team's conclusions of a kind; of equally far ones the latest."""

    team_id: str
    kind: QualificationKind
    session_id: str
    standing: Standing
    version: int = 1


@dataclass(frozen=True, slots=True)
class Admission:
    """The organizers' decision on a team's part in the final."""

    team_id: str
    admitted: bool
    reason: str
    person_id: str
    at: Millis
    qualified: bool
    """Whether the team had qualified when it was decided."""
    version: int = 1


# Clause: R 8.2.1, R 8.2.2
def may_rule(conclusion: Conclusion, ruling: Ruling) -> bool:
    """Return whether the standing of the conclusion allows a ruling."""
    return (ruling.step, ruling.positive) in conclusion.possible()


def is_own_judgement(conclusion: Conclusion, ruling: Ruling) -> bool:
    """Return whether a person would verify their own judgement."""
    judged_by = [ruling.person_id for ruling in conclusion.rulings if ruling.step is Step.JUDGEMENT]
    return ruling.step is Step.VERIFICATION and judged_by[-1:] == [ruling.person_id]


def ruled(conclusion: Conclusion, ruling: Ruling) -> Conclusion:
    """Return a conclusion with another ruling."""
    return replace(conclusion, rulings=(*conclusion.rulings, ruling), version=conclusion.version + 1)


def claim(before: Claim | None, conclusions: Iterable[Conclusion]) -> Claim:
    """Return the claim of a team by its conclusions of one kind, at least one."""
    best = max(
        conclusions,
        key=lambda conclusion: (_ORDER.index(conclusion.standing), conclusion.closed_at, conclusion.session_id),
    )
    return Claim(best.team_id, best.kind, best.session_id, best.standing, before.version + 1 if before else 1)


# Clause: R 6.9, TS D-1
def is_qualified(claims: Iterable[Claim], kinds: Collection[QualificationKind]) -> bool:
    """Return whether a team has a confirmed positive conclusion of each of the contest's kinds, one at least."""
    verified = {claim.kind for claim in claims if claim.standing is Standing.VERIFIED}
    return bool(kinds) and verified.issuperset(kinds)


# Clause: R 7.2, R 8.2.3
def admitted_teams(admissions: Sequence[Admission]) -> tuple[str, ...]:
    """Return the teams admitted to finals, by id; none before any decision."""
    return tuple(sorted(admission.team_id for admission in admissions if admission.admitted))


FOLLOWED: Final[Millis] = 10 * MINUTE
"""For so long after a decision the timer looks whether everything follows from it."""


class Annulled(StrEnum):
    """Kind of a subject that may be annulled."""

    SET = "set"
    """A data set by its name: no new sessions of it, and those there are count nowhere."""
    SESSION = "session"
    """A session: neither its conclusion nor its result counts."""
    RESULT = "result"
    """A team's result on one board, whatever sessions it has."""


@dataclass(frozen=True, slots=True)
class Annulment:
    """The last decision about a subject; ``holds`` is false after a restoration. ``board``: of a result."""

    of: Annulled
    subject: str
    board: str
    reason: str
    at: Millis
    holds: bool = True
    version: int = 1

    @property
    def key(self) -> tuple[Annulled, str, str]:
        """Return the key of the subject."""
        return self.of, self.subject, self.board


# Clause: D 6.10
def ground(
    annulments: Sequence[Annulment], *, session_id: str, set_name: str, team_id: str = "", board: str = ""
) -> Annulment | None:
    """Return why a session, or a team's result of it on a board, does not count; None where it does."""
    keys = (
        (Annulled.SESSION, session_id, ""),
        (Annulled.SET, set_name, ""),
        (Annulled.RESULT, team_id, board),
    )
    by_key = {annulment.key: annulment for annulment in annulments if annulment.holds}
    return next((by_key[key] for key in keys if key in by_key), None)


def holds_of_set(annulments: Sequence[Annulment], set_name: str) -> bool:
    """Return whether a data set is annulled."""
    return any(annulment.holds and annulment.key == (Annulled.SET, set_name, "") for annulment in annulments)
