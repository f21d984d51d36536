"""Readiness, qualification and annulment.

Conclusions on the readiness of a program follow after a session (R 6.5.4, 6.7.4; platform §4, Decision). They go by its
files' states and counts, and by the share that decides (R 7.7).

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
from typing import TYPE_CHECKING, Final

from contest.session.rules.session import Session, State
from contest.texts import tr
from contest.values import MINUTE, Millis
from markup_core.lazy import dataclass
from markup_core.rounding import percent
from tracks.protocol import Reason, Text

if TYPE_CHECKING:
    from contest.cycle.rules.cycle import Parameters


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
    """Protocol, in the words of the person who ruled."""
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
    """Automatic conclusion of the report: true if the program is ready."""
    closed_at: Millis
    rulings: tuple[Ruling, ...] = ()
    version: int = 1
    annulled: str = ""
    """Reason for its annulment by the organizers; empty where they have not annulled it."""

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
"""Standings from which each ruling can be made: judges may change their mind until the commission has verified, and the
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
    """True if the team had qualified when the decision was made."""
    version: int = 1


# Clause: R 8.2.1, R 8.2.2
def may_rule(conclusion: Conclusion, ruling: Ruling) -> bool:
    """Return whether the standing of the conclusion allows a ruling."""
    return (ruling.step, ruling.positive) in conclusion.possible()


def is_own_judgement(conclusion: Conclusion, ruling: Ruling) -> bool:
    """Return whether a person would verify their own judgement."""
    judged_by = [ruling.person_id for ruling in conclusion.rulings if ruling.step is Step.JUDGEMENT]
    return ruling.step is Step.VERIFICATION and judged_by[-1:] == [ruling.person_id]


def with_ruling(conclusion: Conclusion, ruling: Ruling) -> Conclusion:
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


QUALIFICATION: Final = "qualification"
"""Name of the board that every cycle has; the others are finals', by the names of their runs."""
FOLLOWED: Final[Millis] = 10 * MINUTE
"""Milliseconds after a decision for which the timer checks that everything follows from it."""


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
def reason_not_counted(
    annulments: Sequence[Annulment], *, session_id: str, set_name: str, team_id: str = "", board: str = ""
) -> Annulment | None:
    """Return why a session, or a team's result of it on a board, does not count; None where it does."""
    keys = ((Annulled.SESSION, session_id, ""), (Annulled.SET, set_name, ""), (Annulled.RESULT, team_id, board))
    by_key = {annulment.key: annulment for annulment in annulments if annulment.holds}
    return next((by_key[key] for key in keys if key in by_key), None)


def holds_of_set(annulments: Sequence[Annulment], set_name: str) -> bool:
    """Return whether a data set is annulled."""
    return any(annulment.holds and annulment.key == (Annulled.SET, set_name, "") for annulment in annulments)


@dataclass(frozen=True, slots=True)
class Readiness:
    """Readiness; ``reasons`` are those against it, empty exactly when ready."""

    ready: bool
    valid_share: float
    reasons: tuple[Reason, ...]


# Clause: R 6.5.4, platform §4 readiness
def conclude(files: int, answered: int, state: State, parameters: Parameters) -> Readiness:
    """Conclude by the session's files: at least 95 % validly answered and at least 30 files, both parameters.

    A session over any set that it may be opened over counts, the training sets too (R 6.4, 6.9); its report names the
    set, and the judges see it. An aborted session does not count (platform §3), whatever it answered.
    """
    share = answered / files
    reasons = []
    if files < parameters.readiness_min_files:
        reasons.append(_too_few_files(files, parameters.readiness_min_files))
    if share < parameters.readiness_min_share:
        least = percent(parameters.readiness_min_share, parameters.readiness_min_share)
        text = tr(
            "{answered} of {files} files were validly answered; readiness needs at least {least}%.",
            answered=answered,
            files=files,
            least=_decimal(least),
        )
        where = {"answered": answered, "files": files, "least_share": parameters.readiness_min_share}
        reasons.append(Reason("too_few_answers", text, where))
    if state is State.ABORTED:
        reasons.append(_aborted())
    return Readiness(ready=not reasons, valid_share=share, reasons=tuple(reasons))


# Clause: R 6.7.4, platform §4 readiness
def conclude_run(
    counting: int,
    answered: int,
    voided_share: float | None,
    allowed_share: float,
    session: Session,
    parameters: Parameters,
    *,
    stopped: bool,
) -> Readiness:
    """Conclude on a run: at most 5 % of the counting files annulled, to the end, of as many files as a session needs.

    ``counting`` files were not taken away by the platform or the organizers, and ``answered`` of them were answered;
    where none counts nothing is shown. A file taken away is still one of the session's files: a fault of the platform
    makes no run too short. ``stopped``: whether the organizers stopped the run, during it or afterwards.
    """
    reasons = []
    if session.files < parameters.readiness_min_files:
        reasons.append(_too_few_files(session.files, parameters.readiness_min_files))
    if voided_share is None:
        reasons.append(Reason("no_files", tr("No file of this session counts."), {}))
    elif voided_share > allowed_share:
        shares = percent(voided_share, allowed_share, least=1), percent(allowed_share, allowed_share)
        text = tr(
            "{voided}% of the files were annulled; readiness allows at most {most}%.",
            voided=_decimal(shares[0]),
            most=_decimal(shares[1]),
        )
        where = {"share": voided_share, "allowed_share": allowed_share}
        reasons.append(Reason("too_many_voided", text, where))
    if session.state is State.ABORTED:
        reasons.append(_aborted())
    if stopped:
        text = tr("The run was stopped by the organizers; its results do not count.")
        reasons.append(Reason("run_stopped", text, {}))
    return Readiness(ready=not reasons, valid_share=answered / counting if counting else 0.0, reasons=tuple(reasons))


# Clause: TS D-1, D 7.8
def conclude_result(files: int, answered: int, state: State, *, passed: bool) -> Readiness:
    """Conclude by the session's result, as the contest says (D 7.8); an aborted session does not count."""
    not_passed = tr("The session's result does not pass the qualification.")
    reasons = [] if passed else [Reason("not_passed", not_passed, {})]
    if state is State.ABORTED:
        reasons.append(_aborted())
    return Readiness(ready=not reasons, valid_share=answered / files, reasons=tuple(reasons))


def _decimal(number: str) -> Text:
    """Return a number as each language writes it."""
    return Text(number, number.replace(".", ","))


def _too_few_files(files: int, least: int) -> Reason:
    text = tr("The session had {files} files; readiness needs at least {least}.", files=files, least=least)
    return Reason("too_few_files", text, {"files": files, "least": least})


def _aborted() -> Reason:
    text = tr("The session was aborted; an aborted session does not count.")
    return Reason("session_aborted", text, {})
