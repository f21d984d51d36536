"""Rebuild scores and reports from the stored facts and compare bytes (platform §4; architecture §2)."""

from __future__ import annotations

from dataclasses import dataclass

from contest.domain.cycle import Mode
from contest.domain.moments import DAY, utc_day
from contest.domain.run import Run
from contest.domain.scoring import Job
from contest.domain.session import Session
from contest.ports import MissingBlobError
from contest.services import board, knowledge, reporting
from contest.services.platform import Platform
from contest.services.score_answer import is_scorable, key_of, record_of


@dataclass(frozen=True, slots=True)
class Audited:
    """``differences`` names what did not rebuild to its stored bytes; ``missing`` what should be stored and is not.

    A final's board counts as a report.
    """

    sessions: int
    scores: int
    reports: int
    differences: tuple[str, ...]
    missing: tuple[str, ...]


def audit_recent(platform: Platform) -> Audited:
    """Audit the sessions closed today and yesterday (UTC), and the boards of finals."""
    now = platform.clock.now()
    ids = [each for day in (now - DAY, now) for each in platform.sessions.closed_on(utc_day(day))]
    return together([*(audit_session(platform, each) for each in ids), *audit_boards(platform)])


def audit_boards(platform: Platform) -> list[Audited]:
    """Audit the entries of every final whose results are out; those that nobody has looked at yet are not made."""
    finals = (knowledge.run_now(platform, each) for each in platform.runs.of_mode(Mode.FINAL, board.LATEST))
    return [_audit_board(platform, run) for run in finals if run.published_at is not None]


def _audit_board(platform: Platform, run: Run) -> Audited:
    try:
        stored = platform.blobs.get(board.entries_name(run))
    except MissingBlobError:
        return Audited(0, 0, 0, (), ())
    made = board.final_entries(platform, run)
    same = not isinstance(made, reporting.Pending) and board.entries_json(made) == stored
    return Audited(0, 0, 1, () if same else (f"board {run.run_id}",), ())


def together(parts: list[Audited]) -> Audited:
    """The sum of audits."""
    return Audited(
        sessions=sum(each.sessions for each in parts),
        scores=sum(each.scores for each in parts),
        reports=sum(each.reports for each in parts),
        differences=tuple(name for each in parts for name in each.differences),
        missing=tuple(name for each in parts for name in each.missing),
    )


def audit_session(platform: Platform, session_id: str) -> Audited:
    """Audit one session. Records of an older scorer are left to the scorer that made them; open sessions have none."""
    session = knowledge.session(platform, session_id)
    if session is None:
        return Audited(0, 0, 0, (), (f"session {session_id}",))
    scores = _audit_scores(platform, session)
    return together([scores, _audit_report(platform, session)])


def _audit_scores(platform: Platform, session: Session) -> Audited:
    stored = platform.scores.of_session(session.session_id)
    checked, different, missing = 0, [], []
    for each in platform.deliveries.of_session(session.session_id):
        if each.answer is None or not is_scorable(platform, session, each.number):
            continue
        digest = each.answer.content_sha256
        key = key_of(platform, session, each.number, digest)
        name = f"score {session.session_id} {each.number}"
        if key not in stored:
            missing.append(name)
            continue
        checked += 1
        if record_of(platform, session, Job(session.session_id, each.number, digest)) != stored[key]:
            different.append(name)
    return Audited(1, checked, 0, tuple(different), tuple(missing))


def _audit_report(platform: Platform, session: Session) -> Audited:
    name = f"report {session.session_id}"
    run = reporting.run_of(platform, session)
    facts = reporting.gather(platform, session, run) if not session.is_open else None
    if facts is None or isinstance(facts, reporting.Pending):
        return Audited(0, 0, 0, (), ())
    try:
        stored = platform.blobs.get(reporting.report_name(session, run))
    except MissingBlobError:
        # A later edition is made when somebody asks for it.
        return Audited(0, 0, 0, (), () if reporting.is_later_edition(session, run) else (name,))
    same = stored == reporting.rebuilt(platform, facts, run)
    return Audited(0, 0, 1, () if same else (name,), ())
