"""Qualification and admission: note conclusions with reports, judge, verify and decide on them (R 6.9, 8.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Any

from contest import reading
from contest.errors import UnknownSessionError
from contest.people.errors import UnknownTeamError
from contest.people.rules import Change, Identity, Team, by_person
from contest.platform import Platform, decide_until_written, read_and_decide
from contest.results import annulments
from contest.results.errors import NoConclusionError, NoSuchRulingError, SamePersonError
from contest.results.rules import qualification
from contest.session import access
from contest.session.rules.session import SESSION_ID, Session
from markup_core.lazy import dataclass


@dataclass(frozen=True, slots=True)
class TeamStanding:
    """Progress of a team on its way to the final."""

    team: Team
    claims: tuple[qualification.Claim, ...]
    admission: qualification.Admission | None
    kinds: tuple[qualification.QualificationKind, ...]
    """The contest's qualifications."""
    decided_by: str | None = None
    """Name of the person who decided about its admission."""

    @property
    def is_qualified(self) -> bool:
        """Return whether the team has passed the qualification."""
        return qualification.is_qualified(self.claims, self.kinds)


# Clause: R 6.5.4, R 6.7.4, R 6.9
def note(platform: Platform, session: Session, report: str, readiness: dict[str, Any]) -> None:
    """Note the automatic conclusion of a report: a positive one, or another one than was noted before.

    It is written before the report, so where there is a report its conclusion is noted; the same one changes nothing.
    """
    noted_conclusion = _of_session(platform, session)
    if noted_conclusion is None and not readiness["ready"]:
        return
    annulled = _annulled(platform, session)

    def noted(before: qualification.Conclusion | None) -> None:
        if before is not None and (before.report, before.ready) == (report, readiness["ready"]):
            return
        fresh = qualification.Conclusion(
            session_id=session.session_id,
            team_id=session.team_id,
            cycle=session.cycle,
            kind=qualification.QualificationKind(session.order.mode),
            report=report,
            ready=readiness["ready"],
            closed_at=session.closed_at or 0,
            annulled=annulled,
        )
        after = fresh if before is None else replace(fresh, rulings=before.rulings, version=before.version + 1)
        _write(platform, before, after, None)

    decide_until_written(noted_conclusion, noted, lambda: _of_session(platform, session))


# Clause: D 6.10
def follow_annulments(platform: Platform, cycle: str, team_id: str) -> None:
    """Update a team's conclusions and claims to the present annulments."""
    for kind in qualification.QualificationKind:
        for stored in platform.qualification.conclusions_of(cycle, team_id, kind):
            decide_until_written(stored, partial(_follow, platform), partial(_again, platform, stored))


def _again(platform: Platform, stored: qualification.Conclusion) -> qualification.Conclusion:
    latest = platform.qualification.conclusion(stored.cycle, stored.team_id, stored.kind, stored.session_id)
    return latest or stored


def _follow(platform: Platform, stored: qualification.Conclusion) -> None:
    session = platform.sessions.get(stored.session_id)
    reason = _annulled(platform, session) if session else ""
    if reason != stored.annulled:
        _write(platform, stored, replace(stored, annulled=reason, version=stored.version + 1), None)


def _annulled(platform: Platform, session: Session) -> str:
    """Return why a session's conclusion does not count; annulments of a result on a board do not concern it."""
    annulment = annulments.of_session(platform, session)
    return annulment.reason if annulment is not None and annulment.of is not qualification.Annulled.RESULT else ""


def conclusion(platform: Platform, identity: Identity, session_id: str) -> qualification.Conclusion:
    """Return the conclusion on a session, for its team and for readers of all reports.

    :class:`NoConclusionError` for a session without a positive one: why is in its report.
    """
    session = platform.sessions.get(session_id) if SESSION_ID.fullmatch(session_id) else None
    if session is None or not access.may_read(identity, session):
        raise UnknownSessionError
    stored = _of_session(platform, session) if is_qualifying(session) else None
    if stored is None:
        raise NoConclusionError
    return stored


# Clause: R 8.2.1, R 8.2.2, platform §1 judge, platform §4 admission, D 11.1, D 11.2
def rule(
    platform: Platform, identity: Identity, session_id: str, step: qualification.Step, reason: str, *, positive: bool
) -> qualification.Conclusion:
    """Rule on a conclusion, as a judge or for the commission."""

    def ruled(before: qualification.Conclusion) -> qualification.Conclusion:
        now = platform.clock.now()
        ruling = qualification.Ruling(step, positive, identity.person_id, reason, now, before.report)
        if not qualification.may_rule(before, ruling):
            raise NoSuchRulingError.at(before.standing.value)
        if qualification.is_own_judgement(before, ruling):
            raise SamePersonError
        after = qualification.ruled(before, ruling)
        what = f"conclusion {after.standing.value}"
        states = (
            {"standing": before.standing.value},
            {"standing": after.standing.value, "reason": reason, "team_id": after.team_id},
        )
        change = Change(now, by_person(identity.person_id), what, session_id, *states)
        _write(platform, before, after, change)
        return after

    return read_and_decide(lambda: conclusion(platform, identity, session_id), ruled)


def standings(platform: Platform, standing: qualification.Standing | None = None) -> Sequence[TeamStanding]:
    """Return every team's progress, by team; with a ``standing``, those with a claim of it: a queue."""
    cycle = reading.recent_cycle(platform).name
    claims: dict[str, list[qualification.Claim]] = {}
    for claim in platform.qualification.claims(cycle):
        claims.setdefault(claim.team_id, []).append(claim)
    admissions = {admission.team_id: admission for admission in platform.qualification.admissions(cycle)}
    names = {
        person_id: _name_of(platform, person_id)
        for person_id in {admission.person_id for admission in admissions.values()}
    }
    kinds, team_standings = reading.qualifications(platform), []
    for team in platform.people.all_teams():
        admission = admissions.get(team.team_id)
        by = None if admission is None else names[admission.person_id]
        team_standings.append(TeamStanding(team, tuple(claims.get(team.team_id, ())), admission, kinds, by))
    return [
        team_standing
        for team_standing in team_standings
        if standing is None or standing in {claim.standing for claim in team_standing.claims}
    ]


def standing_of(platform: Platform, team_id: str) -> TeamStanding:
    """Return a team's progress."""
    team = platform.people.team(team_id)
    if team is None:
        raise UnknownTeamError
    cycle = reading.recent_cycle(platform).name
    claims = tuple(platform.qualification.claims_of(cycle, team_id))
    return TeamStanding(
        team, claims, platform.qualification.admission(cycle, team_id), reading.qualifications(platform)
    )


def _name_of(platform: Platform, person_id: str) -> str:
    person = platform.persons.person(person_id)
    return person_id if person is None else person.name


# Clause: R 8.2.3, platform §4 admission, TS D-1, D 7.14
def decide(platform: Platform, identity: Identity, team_id: str, reason: str, *, admitted: bool) -> TeamStanding:
    """Admit a team to the final, or refuse it. One that has not qualified may be admitted, too; that is stored."""

    def decided(before: TeamStanding) -> TeamStanding:
        now = platform.clock.now()
        admission_before = before.admission
        after = qualification.Admission(
            team_id=team_id,
            admitted=admitted,
            reason=reason,
            person_id=identity.person_id,
            at=now,
            qualified=before.is_qualified,
            version=admission_before.version + 1 if admission_before else 1,
        )
        what = "team admitted to the final" if admitted else "team not admitted to the final"
        change = Change(
            now,
            by_person(identity.person_id),
            what,
            team_id,
            asdict(admission_before) if admission_before else None,
            asdict(after),
        )
        platform.qualification.admit(reading.recent_cycle(platform).name, admission_before, after, change)
        return replace(before, admission=after, decided_by=_name_of(platform, identity.person_id))

    return read_and_decide(lambda: standing_of(platform, team_id), decided)


def is_qualifying(session: Session) -> bool:
    """Return whether a session is one of a qualification; a final's is not."""
    return session.order.mode in set(qualification.QualificationKind)


def _of_session(platform: Platform, session: Session) -> qualification.Conclusion | None:
    kind = qualification.QualificationKind(session.order.mode)
    return platform.qualification.conclusion(session.cycle, session.team_id, kind, session.session_id)


def _write(
    platform: Platform, before: qualification.Conclusion | None, after: qualification.Conclusion, change: Change | None
) -> None:
    """Write a conclusion with the claim that follows from all of its team's."""
    port, cycle, team_id = platform.qualification, after.cycle, after.team_id
    claimed = next((claim for claim in port.claims_of(cycle, team_id) if claim.kind is after.kind), None)
    others = [
        other for other in port.conclusions_of(cycle, team_id, after.kind) if other.session_id != after.session_id
    ]
    port.conclude(before, after, claimed, qualification.claim(claimed, [*others, after]), change)
