"""Reports of closed sessions and their entries on the board: made once, from facts that no longer change (R 6.5)."""

from __future__ import annotations

import json
from dataclasses import dataclass

from contest.domain import leaderboard, report, run_report
from contest.domain import run as schedule
from contest.domain.canonical import canonical
from contest.domain.cycle import SetKind
from contest.domain.moments import Millis
from contest.domain.report import Facts
from contest.domain.rights import Identity
from contest.domain.run import Run
from contest.domain.scoring import Job
from contest.domain.session import Session
from contest.errors import RunNotOverError, SessionOpenError
from contest.ports import MissingBlobError
from contest.services import closing, knowledge
from contest.services.access import own_session
from contest.services.facts import course_of
from contest.services.platform import Platform
from contest.services.score_answer import is_scorable, key_of


@dataclass(frozen=True, slots=True)
class Pending:
    """Scores are still being made: ``scored`` of ``answered`` answers have theirs."""

    scored: int
    answered: int
    missing: tuple[Job, ...] = ()


def session_report(platform: Platform, identity: Identity, session_id: str, arrival: Millis) -> bytes | Pending:
    """The report of an own, closed session: the stored bytes, made now if nobody has yet.

    In a run it names every file with its language and group, so it is given when all have opened.
    """
    session = closing.by_time(platform, own_session(platform, identity, session_id, arrival), arrival)
    if session.is_open:
        raise SessionOpenError
    run = run_of(platform, session)
    if run is not None and not schedule.all_opened(run, arrival):
        # The session has ended before its run: what is still to open must not be told by its report.
        raise RunNotOverError.until(schedule.ends_at(run), arrival)
    return finished_report(platform, session)


def finished_report(platform: Platform, session: Session) -> bytes | Pending:
    """The report of a closed session. Making it twice makes the same bytes, and the first ones stay.

    A session of a run has one for every decision that concerns it, and one with its results when these are told; the
    earlier ones stay where they are. The boards come first: where there is a report, its entries are on them,
    whatever crashed in between.
    """
    run = run_of(platform, session)
    name = report_name(session, run)
    try:
        return platform.blobs.get(name)
    except MissingBlobError:
        pass
    found = gather(platform, session, run)
    if isinstance(found, Pending):
        return found
    _enter_boards(platform, found)
    platform.blobs.put_if_absent(name, rebuilt(platform, found, run))
    return platform.blobs.get(name)


def run_of(platform: Platform, session: Session) -> Run | None:
    """The run of a session as last written: the newest decision counts."""
    return knowledge.run_now(platform, session.run_id) if session.run_id is not None else None


def tells_results(run: Run | None, session: Session) -> bool:
    """Whether a report may say how good the answers were: of a final when its results are out (R 7.11)."""
    return run is None or session.set_kind is SetKind.TRAINING or run.published_at is not None


def report_name(session: Session, run: Run | None) -> str:
    """Name of the report that holds now."""
    if run is None:
        return knowledge.report_name(session)
    results = f"-results{run_report.markups_edition(run)}" if tells_results(run, session) else ""
    plain = knowledge.report_name(session).removesuffix(".json")
    return f"{plain}-{run_report.edition(run, session.team_id)}{results}.json"


def is_later_edition(session: Session, run: Run | None) -> bool:
    """Whether a decision or the publication has called for another report than the one the end of the session did."""
    return run is not None and (run_report.edition(run, session.team_id) > 0 or run.published_at is not None)


def gather(
    platform: Platform, session: Session, run: Run | None = None, *, results: bool | None = None
) -> Facts | Pending:
    """All facts of a closed session's report, or how many scores are missing that it needs.

    ``results``: whether it needs any; None: if its report may tell them.
    """
    needed = tells_results(run, session) if results is None else results
    deliveries = platform.deliveries.of_session(session.session_id)
    wanted = {
        each.number: key_of(platform, session, each.number, each.answer.content_sha256)
        for each in deliveries
        if each.answer is not None and is_scorable(platform, session, each.number)
    }
    records = platform.scores.of_session(session.session_id)
    scores = {number: json.loads(records[key]) for number, key in wanted.items() if key in records}
    if len(scores) < len(wanted) and needed:
        missing = tuple(
            Job(session.session_id, number, key.answer_sha256) for number, key in wanted.items() if key not in records
        )
        return Pending(len(scores), len(wanted), missing)
    return Facts(
        session=session,
        plan=knowledge.plan(platform, session),
        deliveries=deliveries,
        scores=scores,
        parameters=knowledge.parameters(platform, session.parameters_version),
        course=course_of(platform, session, run),
    )


def rebuilt(platform: Platform, facts: Facts, run: Run | None) -> bytes:
    """The canonical report of these facts."""
    track = knowledge.track_of(platform, facts.session)
    if run is None:
        return canonical(report.build(facts, track))
    accuracy = tells_results(run, facts.session) and all_scored(facts)
    return canonical(run_report.build(facts, run, track, accuracy=accuracy))


def all_scored(facts: Facts) -> bool:
    """Whether every counting answer has its score; without a reference it has none."""
    return all(each.number in facts.scores for each in facts.deliveries if each.answer is not None)


def _enter_boards(platform: Platform, facts: Facts) -> None:
    session = facts.session
    if session.set_kind is not SetKind.TEST or session.run_id is not None:
        return
    whole = knowledge.manifest(platform, session.cycle, session.manifest).sizes()
    for entry in leaderboard.entries(facts, whole, knowledge.track_of(platform, session)):
        platform.scores.enter(session.cycle, entry)
