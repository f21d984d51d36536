"""What the technical commission and the judges look at after a run: causes, decisions, protocols, results (R 8.3)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from contest.domain.moments import DAY, Millis, iso, iso_or_none, utc_day
from contest.domain.results import leaderboard, run_report
from contest.domain.results.leaderboard import Row
from contest.domain.results.qualification import QualificationKind
from contest.domain.results.session_report import SLOW_BODY
from contest.domain.run.run import Run
from contest.domain.run.schedule import Schedule
from contest.domain.session.session import Session
from contest.errors import BusyError, RunNotOverError
from contest.ports import MissingBlobError
from contest.services import reading
from contest.services.platform import Platform
from contest.services.results import boards, qualifying, reporting
from contest.services.run import protocols, records, watching

FORMAT: Final = 1
_LOG_DAYS: Final = 400
"""Days of the log, from a run's planning, in which decisions about it are looked for."""


def record(platform: Platform, run_id: str, arrival: Millis) -> dict[str, Any]:
    """The commission's record of a run that is over; :class:`RunNotOverError` before.

    Every session with the cause and the evidence of every annulment, all decisions with their reasons (a private
    ruling, too), the proposal on a mass failure, the rulings on conclusions, the results as far as they are made with
    the barrier and the abstention audit, and the log of what people changed about the run. O(files of all teams).

    Clause: R 8.3.1, R 8.3.3, D 11.4
    """
    schedule, sessions = _over(platform, run_id, arrival)
    run, proposal = schedule.run, platform.runs.proposal(run_id)
    standing = None if proposal is None else watching.standing_of(schedule, proposal).value
    return {
        "format": FORMAT,
        "run": {**run_report.described(schedule), **_ends(schedule)},
        "sessions": [_session(report) for report in _reports(platform, schedule, sessions)],
        "decisions": [_decision(each) for each in run.amendments],
        "mass_failure": None if proposal is None else {**proposal.body, "standing": standing},
        "protocols": protocols.described(run),
        "conclusions": [found for each in sessions if (found := _conclusion(platform, each)) is not None],
        "board": leaderboard.described(platform.tracks(run.track).boards()[0]),
        "results": _results(platform, run),
        "log": [_entry(each) for each in _log(platform, run, arrival)],
    }


def reports(platform: Platform, run_id: str, team_id: str | None, arrival: Millis) -> list[dict[str, Any]]:
    """The reports of a run that is over, of every team or of one, by team, as they are now."""
    schedule, sessions = _over(platform, run_id, arrival)
    named = [each for each in sessions if team_id in {None, each.team_id}]
    return list(_reports(platform, schedule, named))


def _over(platform: Platform, run_id: str, arrival: Millis) -> tuple[Schedule, Sequence[Session]]:
    schedule = reading.schedule_now(platform, run_id)
    if schedule.run.closed_at is None:
        raise RunNotOverError.until(max(records.over_at(schedule), arrival), arrival)
    return schedule, records.taking_part(platform, schedule.run)


def _reports(platform: Platform, schedule: Schedule, sessions: Sequence[Session]) -> Iterator[dict[str, Any]]:
    """The stored reports; one that nobody has asked for yet is made of the facts, and stored by whoever stores it."""
    for session in sessions:
        try:
            stored = platform.blobs.get(reporting.report_name(platform, session, schedule))
        except MissingBlobError:
            found = reporting.gather(platform, session, schedule, results=False)
            if isinstance(found, reporting.Pending):
                raise BusyError from None
            stored = reporting.rebuilt(platform, found, schedule)
        yield json.loads(stored)


def _ends(schedule: Schedule) -> dict[str, Any]:
    run = schedule.run
    return {
        "ends_at": iso(schedule.ends_at),
        "closed_at": iso_or_none(run.closed_at),
        "published_at": iso_or_none(run.published_at),
        "voided_for_all": {str(number): by for number, by in sorted(schedule.voided_for_all.items())},
    }


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


def _session(report: Mapping[str, Any]) -> dict[str, Any]:
    """A session with what was annulled of it, and which answers came later than their headers.

    Clause: R 8.3.1, platform §3 body
    """
    annulled = [{name: each[name] for name in _OF_A_FILE} for each in report["files"] if each["cause"] is not None]
    told = report["session"]
    named = ("team_id", "session_id", "state", "opened_at", "closed_at", "client")
    rest = {name: report[name] for name in ("counts", "timing", "voided", "solution")}
    slow = [found for each in report["files"] for found in _slow_bodies(each)]
    return {**{name: told[name] for name in named}, **rest, "annulled": annulled, "slow_bodies": slow}


def _slow_bodies(of_file: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The remark of a report's file on a body that came late, with the file."""
    named = {name: of_file[name] for name in ("number", "file_id", "answered_at")}
    for warning in of_file.get("warnings", ()):
        if warning["code"] == SLOW_BODY:
            yield {**named, "body_ms": warning["body_ms"]}


def _decision(each: Any) -> dict[str, Any]:
    return {
        "number": each.number,
        "kind": each.kind.value,
        "at": iso(each.at),
        "effective_at": iso(each.effective_at),
        "who": each.who,
        "reason": each.reason,
        "details": dict(each.details),
    }


def _conclusion(platform: Platform, session: Session) -> dict[str, Any] | None:
    """The rulings on a session's conclusion, with what was said of it (R 8.2)."""
    if not qualifying.is_qualifying(session):
        return None
    kind = QualificationKind(session.order.mode)
    found = platform.qualification.conclusion(session.cycle, session.team_id, kind, session.session_id)
    if found is None:
        return None
    rulings = [{**asdict(each), "at": iso(each.at)} for each in found.rulings]
    shown = ("step", "positive", "person_id", "reason", "at")
    return {
        "team_id": found.team_id,
        "session_id": found.session_id,
        "standing": found.standing.value,
        "rulings": [{name: each[name] for name in shown} for each in rulings],
    }


def _results(platform: Platform, run: Run) -> list[dict[str, Any]] | None:
    """What the board will say of every team, whoever is on it; None before it is made.

    Clause: R 8.3.3
    """
    if not boards.has_results(run) or not boards.is_made(platform, run):
        return None
    rows = leaderboard.board(boards.entries_of(platform, run), platform.tracks(run.track))
    return [_result(row) for row in rows]


def _result(row: Row) -> dict[str, Any]:
    entry = row.entry
    return {
        "place": row.place,
        "team_id": entry.team_id,
        "session_id": entry.session_id,
        "files": entry.whole,
        "answered": entry.answered,
        "value": row.value,
        "barrier": row.overcame,
        "audit": leaderboard.abstention(entry.result),
    }


def _log(platform: Platform, run: Run, now: Millis) -> Iterator[Any]:
    """What people changed about the run, in order. One query a day."""
    last = min(now, run.created_at + _LOG_DAYS * DAY)
    days = {utc_day(moment) for moment in range(run.created_at, last, DAY)} | {utc_day(last)}
    return (each for day in sorted(days) for each in platform.audit_log.on(day) if each.subject == run.run_id)


def _entry(each: Any) -> dict[str, Any]:
    return {"at": iso(each.at), "who": each.who, "what": each.what, "before": each.before, "after": each.after}
