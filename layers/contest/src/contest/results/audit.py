"""Audits of results, and errands: work that people ask for and workers do.

An audit rebuilds scores and reports from the stored facts and compares bytes (platform §4; architecture §2). An errand
takes longer than one request. It is stored first and sent then; its outcome is written once. A message that comes twice
finds the outcome. If a message is lost, or its worker fails for good, the errand shows that and can be sent again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Final

from contest import reading
from contest.cycle.rules.cycle import Mode
from contest.cycle.rules.stages import Stage
from contest.errors import UnknownErrandError, UnknownSessionError
from contest.platform import Platform
from contest.ports import MissingBlobError
from contest.results import boards, reporting
from contest.results.errors import NotScoredError
from contest.results.reporting import called_for
from contest.results.rules import leaderboard
from contest.results.rules.jobs import AuditJob, Errand, ErrandKind, Outcome, SettlingTask, Verification, is_lost
from contest.results.scoring import key_of, record_of
from contest.run.rules.run import Run
from contest.session.following import known_of
from contest.session.rules.session import Session
from contest.stored_names import (
    ERRANDS_ASKED,
    ERRANDS_DONE,
    LetterQueue,
    applied_name,
    audited_name,
    submission_report_name,
)
from contest.submissions.rules import Submission, SubmissionState
from contest.values import DAY, canonical, read_as, sha256_hex, utc_day
from markup_core.lazy import dataclass


@dataclass(frozen=True, slots=True)
class Audited:
    """Result of an audit.

    ``differences`` names everything that was not rebuilt to its stored bytes; ``missing`` everything that should be
    stored and is not, without a worker on it.

    A final's board, and a session's entry on it, count as reports. ``remembered`` sessions were audited before under
    the very facts, records and reports that are there now.
    """

    sessions: int = 0
    scores: int = 0
    reports: int = 0
    differences: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    remembered: int = 0
    off_board: Stage | None = None
    """Stage whose rule keeps the session or submission that an organizer named off the board."""


# Clause: platform §4 audit
def send_audits(platform: Platform) -> int:
    """Send workers for the sessions, submissions and boards to audit; return the number of jobs.

    These are sessions closed today and yesterday (UTC), those of closed finals, every scored submission, and the
    boards. A final gets its scores weeks after its end: its sessions are looked at as long as it is among the latest
    ones. A submission may be scored anew on any day; one of which nothing has changed is remembered.
    """
    now = platform.clock.now()
    ids = {session_id for day in (now - DAY, now) for session_id in platform.sessions.closed_on(utc_day(day))}
    for run in _finals(platform):
        if run.closed_at is not None:
            ids |= {session_id for _, session_id in platform.runs.sessions_of(run.run_id)}
    ids |= {
        submission.submission_id
        for submission in platform.submissions.listed()
        if submission.state is SubmissionState.SCORED
    }
    jobs = [*(AuditJob(name) for name in sorted(ids)), AuditJob()]
    platform.audits.send(jobs)
    return len(jobs)


# Clause: platform §4 audit
def audit(platform: Platform, job: AuditJob, rebuild: Callable[[Platform, str], Audited]) -> Audited:
    """Audit the object of a job, unless it was audited before under the same facts.

    ``rebuild`` audits a session or a submission by its name.
    """
    name = job.session_id
    if not name:
        return add_up(audit_boards(platform))
    facts = _facts_of(platform, name)
    if facts is None:
        return rebuild(platform, name)
    note = audited_name(name, facts)
    if note in platform.blobs.names(note):
        return Audited(sessions=1, remembered=1)
    audited = rebuild(platform, name)
    if not audited.differences and not audited.missing:
        platform.blobs.put_if_absent(note, canonical({"scores": audited.scores, "reports": audited.reports}))
    return audited


def _facts_of(platform: Platform, name: str) -> str | None:
    """Return the digest of everything that an audit compares; None while the object is still being made.

    Nothing is remembered of such an object: the same facts are whole now and lacking later.
    """
    session = reading.session(platform, name)
    if session is None:
        submission = platform.submissions.get(name)
        if submission is None or is_being_applied(platform, submission):
            return None
        return _facts_of_submission(platform, submission)
    if session.is_open or session.session_id in platform.sessions.unreported_ids():
        return None
    return _facts(platform, session)


def is_being_applied(platform: Platform, submission: Submission) -> bool:
    """Return whether an accepted rescoring has written the submission, but not all its claims yet."""
    if not submission.rescored:
        return False
    return _digest(platform, applied_name(submission.rescored, submission.submission_id)) is None


def _facts_of_submission(platform: Platform, submission: Submission) -> str:
    """Digest a submission, its stored report, its claims, and the days that decide whether it has any."""
    name, cycle = submission.submission_id, reading.cycle_now(platform)
    claims = boards.claims_of(platform, submission.cycle, submission.team_id, name)
    facts = {
        "code": platform.code,
        "submission": repr(submission),
        "report": _digest(platform, submission_report_name(name, submission.rescored)),
        "claims": [leaderboard.as_json(claim) for claim in claims],
        "days": [repr(cycle.stages), repr(cycle.calendar)],
    }
    return sha256_hex(canonical(facts))


def _facts(platform: Platform, session: Session) -> str:
    """Digest the inputs of a session's audit: facts, required scores, code and stored bytes."""
    schedule = reporting.schedule_of(platform, session)
    session_facts = known_of(platform, session, schedule)
    calls_for = [
        [job.number, key_of(platform, session, job.number, job.content_sha256).conditions]
        for job in called_for(platform, session, session_facts)
    ]
    stored = platform.scores.of_session(session.session_id)
    scores = sorted([key.number, key.answer_sha256, key.conditions, sha256_hex(stored[key])] for key in stored)
    objects = [reporting.report_name(platform, session, schedule)]
    objects += [boards.entry_name(schedule.run, session.session_id)] if schedule else []
    facts = {
        "code": platform.code,
        "session": repr(session),
        "run": schedule.run.version if schedule else None,
        "deliveries": repr(session_facts.deliveries),
        "circumstances": repr(replace(session_facts.circumstances, schedule=None)),
        "calls_for": calls_for,
        "scores": scores,
        "objects": [[name, _digest(platform, name)] for name in objects],
    }
    return sha256_hex(canonical(facts))


def _digest(platform: Platform, name: str) -> str | None:
    content = reading.stored_object(platform, name)
    return None if content is None else sha256_hex(content)


def audit_boards(platform: Platform) -> list[Audited]:
    """Audit the made boards of the latest finals against their sessions' stored entries."""
    audits = []
    for run in _finals(platform):
        if boards.is_made(platform, run):
            try:
                same = boards.assemble_entries(platform, run) == platform.blobs.get(boards.entries_name(run))
            except MissingBlobError:
                same = False
            audits.append(Audited(reports=1, differences=() if same else (f"board {run.run_id}",)))
    return audits


def _finals(platform: Platform) -> list[Run]:
    """Return the latest finals."""
    return [reading.run_now(platform, run_id) for run_id in platform.runs.of_mode(Mode.FINAL, boards.LATEST)]


def _audit_entry(platform: Platform, session: Session) -> Audited:
    """Audit a session's entry on a final's board, where there is one."""
    schedule = reporting.schedule_of(platform, session)
    stored = reading.stored_object(platform, boards.entry_name(schedule.run, session.session_id)) if schedule else None
    if stored is None or schedule is None:
        return Audited()
    facts = reporting.gather_facts(platform, session, schedule, results=True)
    if isinstance(facts, reporting.Pending):
        return Audited()  # the scores that are missing are named by themselves
    same = stored == boards.made_of(facts, schedule, reading.track_of(platform, session))
    return Audited(reports=1, differences=() if same else (f"entry {session.session_id}",))


def add_up(parts: list[Audited]) -> Audited:
    """Return the sum of audits."""
    return Audited(
        sessions=sum(part.sessions for part in parts),
        scores=sum(part.scores for part in parts),
        reports=sum(part.reports for part in parts),
        differences=tuple(name for part in parts for name in part.differences),
        missing=tuple(name for part in parts for name in part.missing),
        remembered=sum(part.remembered for part in parts),
    )


# Clause: platform §4 audit
def audit_session(platform: Platform, session_id: str) -> Audited:
    """Audit one session; skip records of an older scorer, and open sessions, which have none."""
    session = reading.session(platform, session_id)
    if session is None:
        return Audited(missing=(f"session {session_id}",))
    scores = _audit_scores(platform, session)
    return add_up([scores, _audit_report(platform, session), _audit_entry(platform, session)])


def _audit_scores(platform: Platform, session: Session) -> Audited:
    # The outbox first: a score that is written meanwhile is then among the stored ones.
    waiting = {entry.job for entry in platform.outbox.of_session(session.session_id)}
    stored = platform.scores.of_session(session.session_id)
    checked, different, missing = 0, [], []
    for job in called_for(platform, session, known_of(platform, session, reporting.schedule_of(platform, session))):
        key = key_of(platform, session, job.number, job.content_sha256)
        name = f"score {session.session_id} {job.number}"
        if key not in stored:
            missing += [] if job in waiting else [name]
            continue
        checked += 1
        if record_of(platform, session, job) != stored[key]:
            different.append(name)
    return Audited(sessions=1, scores=checked, differences=tuple(different), missing=tuple(missing))


def _audit_report(platform: Platform, session: Session) -> Audited:
    name = f"report {session.session_id}"
    # Before the report is looked for: a report that the timer makes meanwhile is then there.
    is_on_the_timer = session.session_id in platform.sessions.unreported_ids()
    schedule = reporting.schedule_of(platform, session)
    facts = reporting.gather_facts(platform, session, schedule) if not session.is_open else None
    if facts is None or isinstance(facts, reporting.Pending):
        return Audited()
    try:
        stored = platform.blobs.get(reporting.report_name(platform, session, schedule))
    except MissingBlobError:
        # The timer makes the first edition; a later one is made when somebody asks for it.
        is_coming = is_on_the_timer or reporting.is_later_edition(platform, session, schedule)
        return Audited(missing=() if is_coming else (name,))
    same = stored == reporting.rebuild_report(platform, facts, schedule)
    return Audited(reports=1, differences=() if same else (name,))


_FORMAT: Final = 1


# Clause: platform §4 audit
def ask_to_verify(platform: Platform, who: str, session_id: str) -> Errand:
    """Ask for a session or a scored submission to be rebuilt and compared."""
    refuse_unverifiable(platform, session_id)
    return start_errand(platform, who, ErrandKind.VERIFY, session_id)


def refuse_unverifiable(platform: Platform, name: str) -> None:
    """Refuse a name that belongs to no session and no scored submission.

    :class:`UnknownSessionError`, :class:`NotScoredError`.
    """
    if reading.session(platform, name) is not None:
        return
    submission = platform.submissions.get(name)
    if submission is None:
        raise UnknownSessionError
    if submission.state is not SubmissionState.SCORED:
        raise NotScoredError


def send_errand(platform: Platform, errand: Errand) -> None:
    """Send an errand to its queue, for the first time or again; a finished one is not repeated."""
    if errand.kind is ErrandKind.VERIFY:
        platform.audits.send([AuditJob(errand.subject, errand.errand_id)])
    else:
        platform.settling.send([SettlingTask(errand.subject, errand_id=errand.errand_id)])


def letter_of(errand: Errand) -> str:
    """Return the id of the dead letter that an errand's job leaves when it fails for good."""
    if errand.kind is ErrandKind.VERIFY:
        return reading.letter_of(LetterQueue.AUDITS, AuditJob(errand.subject, errand.errand_id))
    return reading.letter_of(LetterQueue.SETTLEMENT, SettlingTask(errand.subject, errand_id=errand.errand_id))


def look_at_errand(platform: Platform, errand_id: str) -> tuple[Errand, Outcome | None, bool]:
    """Return an errand, its outcome (None: none yet), and whether no worker has it any more."""
    errand, outcome = errand_of(platform, errand_id), outcome_of(platform, errand_id)
    return errand, outcome, outcome is None and _is_lost_errand(platform, errand)


# Clause: platform §7 doctor
def lost_errands(platform: Platform) -> list[Errand]:
    """List errands without an outcome that no worker has any more, the oldest first.

    O(errands ever asked for).
    """
    done = {name.removeprefix(ERRANDS_DONE) for name in platform.blobs.names(ERRANDS_DONE)}
    names = (name.removeprefix(ERRANDS_ASKED) for name in platform.blobs.names(ERRANDS_ASKED))
    open_ones = [errand_of(platform, name.removesuffix(".json")) for name in names if name not in done]
    lost_errands = [errand for errand in open_ones if _is_lost_errand(platform, errand)]
    return sorted(lost_errands, key=lambda errand: (errand.asked_at, errand.errand_id))


def send_errand_again(platform: Platform, errand_id: str) -> None:
    """Send an errand again unless it has an outcome."""
    if outcome_of(platform, errand_id) is None:
        send_errand(platform, errand_of(platform, errand_id))


def _is_lost_errand(platform: Platform, errand: Errand) -> bool:
    letter = platform.dead_letters.get(letter_of(errand))
    failed_at = letter.last_at if letter is not None and letter.is_open else None
    return is_lost(errand, failed_at, platform.clock.now())


def audit_or_verify(platform: Platform, job: AuditJob, rebuild: Callable[[Platform, str], Audited]) -> Audited:
    """Audit the object of a job, for the timer or for an errand whose outcome is stored. For a worker.

    ``rebuild`` audits a session or submission by its name, as both ask for it.
    """
    if not job.errand_id:
        return audit(platform, job, rebuild)
    rebuilt = rebuild(platform, job.session_id)
    compared = Verification(rebuilt.scores, rebuilt.reports, rebuilt.differences, rebuilt.missing, rebuilt.off_board)
    finish_errand(platform, job.errand_id, Outcome(verification=compared))
    return rebuilt


def start_errand(platform: Platform, who: str, kind: ErrandKind, subject: str) -> Errand:
    """Store a new errand and send it to its queue."""
    errand = Errand(platform.randomness.run_id(), kind, subject, who, platform.clock.now())
    platform.blobs.put_if_absent(
        _name(ERRANDS_ASKED, errand.errand_id), canonical({"format": _FORMAT, **asdict(errand)})
    )
    send_errand(platform, errand)
    return errand


def finish_errand(platform: Platform, errand_id: str, outcome: Outcome) -> None:
    """Store the outcome of an errand unless it has one."""
    platform.blobs.put_if_absent(_name(ERRANDS_DONE, errand_id), canonical({"format": _FORMAT, **asdict(outcome)}))


def errand_of(platform: Platform, errand_id: str) -> Errand:
    """Return an errand; :class:`UnknownErrandError` where there is none of this name."""
    stored = reading.stored_json(platform, _name(ERRANDS_ASKED, errand_id))
    if stored is None:
        raise UnknownErrandError
    return Errand(stored["errand_id"], ErrandKind(stored["kind"]), stored["subject"], stored["who"], stored["asked_at"])


def outcome_of(platform: Platform, errand_id: str) -> Outcome | None:
    """Return the outcome of an errand; None before it has one."""
    stored = reading.stored_json(platform, _name(ERRANDS_DONE, errand_id))
    return None if stored is None else read_as(Outcome, {name: stored[name] for name in ("refused", "verification")})


def _name(prefix: str, errand_id: str) -> str:
    return f"{prefix}{errand_id}.json"
