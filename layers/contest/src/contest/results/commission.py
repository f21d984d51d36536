"""Qualification, record of a run for the commission and judges, their statements, annulments.

Judges confirm conclusions on programs, the commission verifies them, organizers decide on admission (R 6.9, 8.2). The
record shows causes, decisions, protocols and results after a run (R 8.3). Judges and commission state their findings on
a final's results or on a mass failure (R 8.3, R 7.16.1, D 11). Sessions, results and sets that the organizers annul
count nowhere: boards and conclusions follow (D 6.10; platform §7).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from functools import partial
from typing import Any, Final

from contest import errors, reading
from contest.cycle.rules.cycle import ALL_LANGUAGES, Cycle, Mode
from contest.errors import UnknownSessionError
from contest.people.errors import UnknownTeamError
from contest.people.rules import Change, Identity, Team, by_person
from contest.platform import Platform, decide_until_written, read_and_decide
from contest.ports import LostRaceError
from contest.refusals import RefusedError
from contest.results import boards, publishing, reporting
from contest.results.errors import NoConclusionError, NoSuchRulingError, SamePersonError
from contest.results.reporting import is_qualifying, reason_of_annulment, stored_conclusion, write_conclusion
from contest.results.rules import leaderboard, qualification
from contest.results.rules import reports as report_rules
from contest.results.rules.leaderboard import Row
from contest.results.rules.qualification import FOLLOWED, QUALIFICATION, Annulled, Annulment
from contest.results.rules.reports import SLOW_BODY
from contest.run import recording, under_way, watching
from contest.run.rules.run import MOST, Matter, Protocol, Run, latest_protocol
from contest.run.rules.schedule import Schedule
from contest.session import access, following
from contest.session.rules.session import SESSION_ID, Session
from contest.texts import tr
from contest.values import DAY, Millis, iso, iso_or_none, utc_day
from markup_core.lazy import dataclass
from tracks.protocol import Reason
from tracks.rules import Signatory


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


# Clause: D 6.10
def follow_annulments(platform: Platform, cycle: str, team_id: str) -> None:
    """Update a team's conclusions and claims to the present annulments."""
    for kind in qualification.QualificationKind:
        for stored in platform.qualification.conclusions_of(cycle, team_id, kind):
            decide_until_written(stored, partial(_follow_conclusion, platform), partial(_again, platform, stored))


def _again(platform: Platform, stored: qualification.Conclusion) -> qualification.Conclusion:
    latest = platform.qualification.conclusion(stored.cycle, stored.team_id, stored.kind, stored.session_id)
    return latest or stored


def _follow_conclusion(platform: Platform, stored: qualification.Conclusion) -> None:
    session = platform.sessions.get(stored.session_id)
    reason = reason_of_annulment(platform, session) if session else ""
    if reason != stored.annulled:
        write_conclusion(platform, stored, replace(stored, annulled=reason, version=stored.version + 1), None)


def conclusion(platform: Platform, identity: Identity, session_id: str) -> qualification.Conclusion:
    """Return the conclusion on a session, for its team and for readers of all reports.

    :class:`NoConclusionError` for a session without a positive one: why is in its report.
    """
    session = platform.sessions.get(session_id) if SESSION_ID.fullmatch(session_id) else None
    if session is None or not access.may_read(identity, session):
        raise UnknownSessionError
    stored = stored_conclusion(platform, session) if is_qualifying(session) else None
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
        after = qualification.with_ruling(before, ruling)
        what = f"conclusion {after.standing.value}"
        states = (
            {"standing": before.standing.value},
            {"standing": after.standing.value, "reason": reason, "team_id": after.team_id},
        )
        change = Change(now, by_person(identity.person_id), what, session_id, *states)
        write_conclusion(platform, before, after, change)
        return after

    return read_and_decide(lambda: conclusion(platform, identity, session_id), ruled)


def team_standings(platform: Platform, standing: qualification.Standing | None = None) -> Sequence[TeamStanding]:
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
def admit(platform: Platform, identity: Identity, team_id: str, reason: str, *, admitted: bool) -> TeamStanding:
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


FORMAT: Final = 1
_LOG_DAYS: Final = 400
"""Days of the log, from a run's planning, in which decisions about it are looked for."""


# Clause: R 8.3.1, R 8.3.3, D 11.4
def record(platform: Platform, run_id: str, arrival: Millis) -> dict[str, Any]:
    """Return the commission's record of a run that is over; :class:`RunNotOverError` before.

    Every session with the cause and the evidence of every annulment, all decisions with their reasons (a private
    ruling, too), the proposal on a mass failure, the rulings on conclusions, the places of the board as it is now, once
    it is made, with the barrier and the abstention audit, and the log of people's changes to the run.
    O(files of all teams).
    """
    schedule, sessions = _over(platform, run_id, arrival)
    run, proposal = schedule.run, platform.runs.proposal(run_id)
    standing = None if proposal is None else watching.standing_of(schedule, proposal).value
    last = min(arrival, run.created_at + _LOG_DAYS * DAY)
    days = {utc_day(moment) for moment in range(run.created_at, last, DAY)} | {utc_day(last)}
    is_made = boards.has_results(run) and boards.is_made(platform, run)
    rows = boards.live_part(platform, run, ALL_LANGUAGES).rows if is_made else None
    changes = (change for day in sorted(days) for change in platform.audit_log.on(day))  # one query a day
    return {
        "format": FORMAT,
        "run": {
            **report_rules.describe_run(schedule),
            "ends_at": iso(schedule.ends_at),
            "closed_at": iso_or_none(run.closed_at),
            "published_at": iso_or_none(run.published_at),
            "voided_for_all": {str(number): by for number, by in sorted(schedule.voided_for_all.items())},
        },
        "sessions": [_session(report) for report in _reports(platform, schedule, sessions)],
        "decisions": [
            {**report_rules.described_amendment(amendment), "who": amendment.who} for amendment in run.amendments
        ],
        "mass_failure": None if proposal is None else {**proposal.body, "standing": standing},
        "protocols": recording.describe_protocols(run),
        "conclusions": [
            conclusion for session in sessions if (conclusion := _conclusion(platform, session)) is not None
        ],
        "board": leaderboard.describe_board(reading.track_of(platform, run).boards()[0]),
        "results": None if rows is None else [_result(row) for row in rows],
        "log": [
            {name: getattr(change, name) for name in ("who", "what", "before", "after")} | {"at": iso(change.at)}
            for change in changes
            if change.subject == run.run_id
        ],
    }


def reports(platform: Platform, run_id: str, team_id: str | None, arrival: Millis) -> list[dict[str, Any]]:
    """Return the present reports of a run that is over, of every team or of one, by team."""
    schedule, sessions = _over(platform, run_id, arrival)
    named = [session for session in sessions if team_id in {None, session.team_id}]
    return list(_reports(platform, schedule, named))


def _over(platform: Platform, run_id: str, arrival: Millis) -> tuple[Schedule, Sequence[Session]]:
    schedule = reading.schedule_now(platform, run_id)
    if schedule.run.closed_at is None:
        raise errors.RunNotOverError.until(max(under_way.over_at(schedule), arrival), arrival)
    return schedule, under_way.taking_part(platform, schedule.run)


def _reports(platform: Platform, schedule: Schedule, sessions: Sequence[Session]) -> Iterator[dict[str, Any]]:
    """Return the stored reports; a missing one is made of the facts, for its first reader to store."""
    for session in sessions:
        stored = reading.stored_object(platform, reporting.report_name(platform, session, schedule))
        if stored is None:
            facts = reporting.gather_facts(platform, session, schedule, results=False)
            if isinstance(facts, reporting.Pending):
                raise errors.BusyError
            stored = reporting.rebuild_report(platform, facts, schedule)
        yield json.loads(stored)


_OF_A_FILE: Final = (
    "number",
    "file_id",
    "cause",
    "evidence",
    "opens_at",
    "request_by",
    "asked_at",
    "handed_out_at",
    "answer_by",
    "answered_at",
)


# Clause: R 8.3.1, platform §3 body
def _session(report: Mapping[str, Any]) -> dict[str, Any]:
    """Return a session with its annulled files, and with the answers whose bodies came late."""
    annulled = [{name: file[name] for name in _OF_A_FILE} for file in report["files"] if file["cause"] is not None]
    session = report["session"]
    named = ("team_id", "session_id", "state", "opened_at", "closed_at", "client")
    rest = {name: report[name] for name in ("counts", "timing", "voided", "solution")}
    slow = [
        {**{name: file[name] for name in ("number", "file_id", "answered_at")}, "body_ms": warning["body_ms"]}
        for file in report["files"]
        for warning in file.get("warnings", ())
        if warning["code"] == SLOW_BODY
    ]
    return {**{name: session[name] for name in named}, **rest, "annulled": annulled, "slow_bodies": slow}


def _conclusion(platform: Platform, session: Session) -> dict[str, Any] | None:
    """Return the rulings on a session's conclusion, with their reasons (R 8.2)."""
    if not reporting.is_qualifying(session):
        return None
    conclusion = reporting.stored_conclusion(platform, session)
    if conclusion is None:
        return None
    rulings = [{**asdict(ruling), "at": iso(ruling.at)} for ruling in conclusion.rulings]
    names = ("step", "positive", "person_id", "reason", "at")
    return {
        "team_id": conclusion.team_id,
        "session_id": conclusion.session_id,
        "standing": conclusion.standing.value,
        "rulings": [{name: ruling[name] for name in names} for ruling in rulings],
    }


def _result(row: Row) -> dict[str, Any]:
    entry = row.entry
    return {
        "place": None if row.is_baseline else row.place,
        "team_id": entry.team_id,
        "session_id": entry.session_id,
        "files": entry.whole,
        "answered": entry.answered,
        "value": row.value,
        "barrier": row.overcame,
        "audit": leaderboard.abstention(entry.result),
    }


@dataclass(frozen=True, slots=True)
class Statement:
    """Statement of a person; see :class:`~contest.run.rules.run.Protocol`."""

    by: Signatory
    matter: Matter
    positive: bool
    reason: str


# Clause: R 8.3.3, R 8.3.4, R 7.16.1, D 6.10, D 6.13, D 8.5.2, D 8.14, D 11.2, D 11.3, D 11.4, TS D-6, TS D-12
# Clause: platform §1 judge
def record_protocol(platform: Platform, who: str, run_id: str, statement: Statement) -> Run:
    """Record a protocol about a run; it names the very results that would be published now.

    Results can be stated of when they are made (they are sent for, like those of a publication), a mass failure from
    the run's start on. Nobody who has ever signed for one side of a matter signs for the other (R 8.2 has it so of
    conclusions), and no side repeats its latest statement. O(protocols of the run).
    """

    def stated(before: Run) -> Run:
        now, edition = platform.clock.now(), _edition(platform, before, statement.matter)
        _refuse_again(before, who, statement, edition)
        protocol = Protocol(
            len(before.protocols) + 1,
            statement.matter,
            statement.by,
            statement.positive,
            statement.reason,
            who,
            now,
            edition,
        )
        after = replace(before, protocols=(*before.protocols, protocol), version=before.version + 1)
        fields = {"by": protocol.by, "matter": protocol.matter, "positive": protocol.positive, "edition": edition}
        change = Change(now, who, "protocol recorded", run_id, {}, {**fields, "reason": protocol.reason})
        platform.runs.change(before, after, change)
        return after

    return read_and_decide(lambda: reading.run_now(platform, run_id), stated)


# Clause: R 8.3.3, R 8.3.4, D 11.2, D 11.4
def missing_protocols(platform: Platform, run: Run) -> Iterator[Reason]:
    """Warn of missing positive protocols on a final that counts, once its board is made."""
    if boards.has_results(run) and not run.trial and boards.is_made(platform, run):
        yield from recording.missing_protocols(platform, run)


def _edition(platform: Platform, run: Run, matter: Matter) -> str:
    """Return the edition of the results of a statement; empty on another matter."""
    if matter is Matter.RESULTS:
        publishing.refuse_unless_closed(run)
        publishing.refuse_unmade(platform, run)
        return report_rules.results_edition(run)
    if platform.clock.now() < run.starts_at:
        raise RefusedError("run_not_started", tr("the run has not begun yet"))
    return ""


def _refuse_again(run: Run, who: str, statement: Statement, edition: str) -> None:
    if len(run.protocols) >= MOST:
        raise RefusedError("too_many_protocols", tr("the run has {most} protocols, and takes no more", most=MOST))
    own = latest_protocol(run.protocols, statement.matter, statement.by)
    if own is not None and (own.positive, own.edition) == (statement.positive, edition):
        raise RefusedError("stated_already", tr("the same is stated already"))
    others = {
        protocol.who
        for protocol in run.protocols
        if protocol.matter is statement.matter and protocol.by is not statement.by
    }
    # A command on the deployment itself names no person of the contest.
    if who in others and who.startswith(by_person("")):
        raise errors.SameSignatoryError


# Clause: D 6.10, platform §7 annul, D 12.2, D 12.12
def decide_annulment(
    platform: Platform, who: str, subject: tuple[Annulled, str, str], reason: str, *, annulled: bool
) -> Annulment:
    """Annul a subject, or revoke the annulment; boards and conclusions follow at once, and again by the timer."""
    cycle = reading.cycle_now(platform).name
    _refuse_unknown(platform, subject)

    def decided(before: Annulment | None) -> Annulment:
        holds = before is not None and before.holds
        if holds is annulled:
            if annulled:
                raise RefusedError("annulled_already", tr("it is annulled already"))
            raise RefusedError("not_annulled", tr("it is not annulled"))
        now = platform.clock.now()
        after = Annulment(*subject, reason, now, annulled, before.version + 1 if before else 1)
        what = f"{subject[0].value} {'annulled' if annulled else 'restored'}"
        change = Change(now, who, what, subject[1], asdict(before) if before else None, asdict(after))
        platform.annulments.decide(cycle, before, after, change)
        return after

    annulment = read_and_decide(
        lambda: next((annulment for annulment in platform.annulments.all(cycle) if annulment.key == subject), None),
        decided,
    )
    _follow(platform, annulment)
    return annulment


def annulments(platform: Platform) -> Sequence[Annulment]:
    """Return the last decision about every subject that was ever annulled."""
    return platform.annulments.all(reading.cycle_now(platform).name)


def follow_decisions(platform: Platform, now: Millis) -> int:
    """Update boards and conclusions after the decisions of the last minutes; return the number of decisions.
    For the timer: a request may have crashed after its decision, and sessions may have ended meanwhile."""
    with suppress(errors.NoCycleError):
        recent_annulments = reading.annulments(platform, reading.recent_cycle(platform, now).name, now)
        followed = [annulment for annulment in recent_annulments if annulment.at >= now - FOLLOWED]
        for annulment in followed:
            _follow(platform, annulment)
        return len(followed)
    return 0


def _follow(platform: Platform, annulment: Annulment) -> None:
    if annulment.of is Annulled.RESULT:
        return  # it leaves its board when that is next looked at, and concerns nothing else
    cycle = reading.recent_cycle(platform)
    if annulment.of is Annulled.SET:
        team_ids = [team.team_id for team in platform.people.all_teams()]
    else:
        claimant = platform.sessions.get(annulment.subject) or platform.submissions.get(annulment.subject)
        team_ids = [claimant.team_id] if claimant else []
    for team_id in team_ids:
        follow_annulments(platform, cycle.name, team_id)
        for scope in boards.qualification_scopes(platform):
            with suppress(LostRaceError):  # the timer looks again
                _enter_best(platform, cycle, scope, team_id)


def _enter_best(platform: Platform, cycle: Cycle, scope: str, team_id: str) -> None:
    """Write the best of a team's entries that are not annulled; without any, the board shows none."""
    before = platform.scores.entry(cycle.name, scope, team_id)
    claims = following.counting_entries(platform, cycle.name, None, platform.scores.claims(cycle.name, scope, team_id))
    if not claims:
        return
    best = leaderboard.best_of(claims, reading.track_of(platform, cycle))
    if best != before:
        platform.scores.enter(cycle.name, before, best)


def _refuse_unknown(platform: Platform, subject: tuple[Annulled, str, str]) -> None:
    kind, name, board = subject
    if kind is Annulled.SET and reading.cycle_now(platform).set_named(name) is None:
        raise RefusedError("unknown_set", tr("the cycle has no set {name}", name=name))
    claimant = platform.sessions.get(name) or platform.submissions.get(name) if kind is Annulled.SESSION else None
    if kind is Annulled.SESSION and claimant is None:
        raise UnknownSessionError
    if kind is not Annulled.RESULT:
        return
    if platform.people.team(name) is None:
        raise UnknownTeamError
    run = platform.runs.get(board) if board != QUALIFICATION else None
    if board != QUALIFICATION and (run is None or run.mode is not Mode.FINAL):
        raise errors.UnknownBoardError
