"""Redrive of dead letters, diagnosis of stuck work with its causes and remedies (platform §7), and work that waits.

Every mend is a piece of the timers' own work: a second run, or one beside a timer, changes nothing more.

The desk counts waiting work, with the oldest of each kind and the next deadline (platform §8 organizers). Its
cost is bounded, whatever the cycle holds: at most :data:`CALLS` reads of a table beside those of the experts' projects,
which a process makes once a minute.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, cast

from contest import reading
from contest.cycle import importing
from contest.cycle.rules.cycle import Cycle, Mode
from contest.cycle.rules.sets import ImportJob
from contest.experts import judged_essays, progress, work
from contest.experts.rules.assignment import Assignment, AssignmentState, missing_experts
from contest.experts.rules.progress import progress as progress_of
from contest.experts.rules.progress import ran_out
from contest.messages import asking
from contest.operations import letters, minute_timer
from contest.operations.rules import (
    IMPORT_PATIENCE,
    PATIENCE,
    RESULTS_PATIENCE,
    WORK,
    Ailment,
    DeadLetter,
    Deadline,
    Event,
    Finding,
    LetterState,
    Subject,
    Waiting,
    is_silent,
)
from contest.people.rules import Change, Identity, TeamStatus, by_person, may
from contest.platform import Platform
from contest.refusals import ContestError, RefusedError
from contest.results import audit, reporting, rescoring, settling
from contest.results.rules import qualification
from contest.results.rules.jobs import Settled
from contest.results.rules.qualification import Claim, Standing
from contest.results.rules.reports import results_edition
from contest.results.rules.rescoring import Decided
from contest.routes import Right
from contest.run import recording, under_way, watching
from contest.run.rules import fate
from contest.run.rules.run import Run, missing_sides
from contest.session import following
from contest.session.rules.session import IN_FLIGHT, Session
from contest.stored_names import LetterQueue
from contest.submissions import worker
from contest.submissions.rules import is_stuck
from contest.texts import tr
from contest.values import HOUR, MINUTE, Millis, iso
from markup_core.lazy import dataclass

LETTERS_AT_ONCE: Final = 100
"""Maximum letters that one request redrives; repeat the request until none is left."""
AT_ONCE: Final = 20
"""Maximum findings that one request mends."""
_LATE: Final = frozenset({Settled.SCORING, Settled.ENTRIES, Settled.VERIFYING})
TIMERS: Final = ("minute", "tend")
"""Timers that tick every minute; an alarm reports the silence of the audit's."""
_AUDIT: Final = "audit"
"""Ending of the name of the audit timer's function."""


@dataclass(frozen=True, slots=True)
class Redriven:
    """Result of a redrive: letters redriven, letters that cannot be redriven, open letters left."""

    redriven: tuple[str, ...]
    passed_over: tuple[str, ...]
    left: int


# Clause: platform §4 failed
def redrive(
    platform: Platform, identity: Identity, letter_ids: Sequence[str] | None, queue: LetterQueue | None
) -> Redriven:
    """Ask for the work of these letters again, or of the open ones of a queue, or of all.

    It does at most :data:`LETTERS_AT_ONCE`.

    First the work is asked for, then the letter is written: a crash between the two asks for it twice, which every
    worker bears, and never loses it. A letter decided meanwhile is left as it is, so that repeating a
    redrive does nothing more. :class:`UnknownLetterError` before anything is done.
    """
    if letter_ids is None:
        dead_letters = list(letters.letters(platform, queue, LETTERS_AT_ONCE, None).items)
    else:
        dead_letters = [letters.letter(platform, name) for name in dict.fromkeys(letter_ids[:LETTERS_AT_ONCE])]
    able = [dead_letter for dead_letter in dead_letters if dead_letter.is_open and can_be_redriven(dead_letter)]
    _ask_again(platform, able)
    done = [
        dead_letter.letter_id
        for dead_letter in able
        if letters.decide(platform, identity, dead_letter, LetterState.REDRIVEN)
    ]
    over = [
        dead_letter.letter_id
        for dead_letter in dead_letters
        if dead_letter.is_open and not can_be_redriven(dead_letter)
    ]
    open_now = platform.dead_letters.counts()
    remaining = sum(open_now.values()) if queue is None else open_now.get(queue, 0)
    return Redriven(tuple(done), tuple(over), remaining)


def can_be_redriven(dead_letter: DeadLetter) -> bool:
    """Return whether a letter has work to request again.

    Of the timers only the audit's has: the others' next visit does the work.
    """
    return dead_letter.queue is not LetterQueue.TIMERS or dead_letter.about.get("function", "").endswith(_AUDIT)


def _ask_again(platform: Platform, dead_letters: Sequence[DeadLetter]) -> None:
    by_queue: dict[LetterQueue, list[str]] = {}
    for dead_letter in dead_letters:
        by_queue.setdefault(dead_letter.queue, []).append(dead_letter.body)
    for queue in sorted(WORK & set(by_queue)):
        platform.work_queues.send_again(queue, by_queue[queue])
    if LetterQueue.RELAY in by_queue:
        reporting.redrive(platform)  # the note names no answer: all waiting answers go into the queue
    if LetterQueue.TIMERS in by_queue:
        audit.send_audits(platform)


@dataclass(frozen=True, slots=True)
class Mended:
    """Result of a mend; ``error`` says why the finding could not be mended, empty where it was."""

    finding: Finding
    error: str = ""

    @property
    def mended(self) -> bool:
        """Return whether the finding is no longer stuck."""
        return not self.error


# Clause: platform §7 doctor
def examine(platform: Platform) -> tuple[Finding, ...]:
    """List everything that is stuck at present.

    A thing that cannot be read hides nothing else: it is a finding itself.
    """
    now = platform.clock.now()
    findings: list[Finding] = []
    for check in _CHECKS:
        try:
            findings.extend(check(platform, now))
        except Exception as error:  # noqa: BLE001 -- whatever it is, the rest is to be seen
            name = check.__name__.removeprefix("_")
            findings.append(Finding(Ailment.UNREADABLE, name, None, {"error": type(error).__name__}))
    return tuple(findings)


# Clause: platform §7 doctor, platform §1 audit
def mend(platform: Platform, identity: Identity, ailments: Sequence[Ailment] | None) -> tuple[Mended, ...]:
    """Mend the present findings that can be mended, of these ailments or of all; at most :data:`AT_ONCE` findings.

    Each finding is examined anew, so one mended meanwhile is none any more. The log names the author of each mend.
    """
    chosen = set(Ailment) if ailments is None else set(ailments)
    findings = [finding for finding in examine(platform) if finding.words.mendable and finding.ailment in chosen][
        :AT_ONCE
    ]
    done = tuple(_mended(platform, identity, finding) for finding in findings)
    if done:
        entries = [{"ailment": result.finding.ailment.value, "subject": result.finding.subject} for result in done]
        errors = [result.error for result in done]
        after = {"findings": [{**entry, "error": error} for entry, error in zip(entries, errors, strict=True)]}
        who = by_person(identity.person_id)
        platform.upkeep.note_mending(Change(platform.clock.now(), who, "stuck work mended", "platform", None, after))
    return done


def _mended(platform: Platform, identity: Identity, finding: Finding) -> Mended:
    try:
        _MENDS[finding.ailment](platform, identity, finding.subject)
    except ContestError as error:
        return Mended(finding, f"{error.code}: {error.message}")
    except Exception as error:  # noqa: BLE001 -- one that cannot be mended keeps no other waiting
        return Mended(finding, type(error).__name__)
    return Mended(finding)


def _timers(platform: Platform, now: Millis) -> Iterator[Finding]:
    ticks = platform.upkeep.ticks()
    for name in TIMERS:
        at = ticks.get(name)
        if is_silent(at, now):
            yield Finding(Ailment.TIMER_SILENT, name, at, {"ticked_at": None if at is None else iso(at)})


def _sessions(platform: Platform, now: Millis) -> Iterator[Finding]:
    for session in _known(platform, platform.sessions.open_ids()):
        seen_at = following.latest_request(platform, session)
        if following.is_over(platform, session, seen_at, now - PATIENCE, IN_FLIGHT):
            evidence = {"team_id": session.team_id, "mode": str(session.order.mode), "seen_at": iso(seen_at)}
            yield Finding(Ailment.SESSION_OVERDUE, session.session_id, seen_at, evidence)


def _waiting(platform: Platform, now: Millis) -> Iterator[Finding]:
    for session in reporting.sessions_waiting(platform):
        if now > session.oldest + PATIENCE:
            yield Finding(Ailment.ANSWERS_WAITING, session.session_id, session.oldest, {"answers": session.answers})


def _reports(platform: Platform, now: Millis) -> Iterator[Finding]:
    for session in _known(platform, platform.sessions.unreported_ids()):
        if session.closed_at is None or now <= session.closed_at + PATIENCE:
            continue
        if platform.outbox.of_session(session.session_id):
            continue
        schedule = reporting.schedule_of(platform, session)
        facts = reporting.gather_facts(platform, session, schedule)
        if isinstance(facts, reporting.Pending):
            if facts.missing:
                evidence = {"answers": len(facts.missing), "team_id": session.team_id}
                yield Finding(Ailment.SCORES_LOST, session.session_id, session.closed_at, evidence)
        else:
            yield Finding(Ailment.REPORT_MISSING, session.session_id, session.closed_at, {"team_id": session.team_id})


def _runs(platform: Platform, now: Millis) -> Iterator[Finding]:
    for run_id in sorted({*platform.runs.active_ids(), *platform.runs.unsettled_ids()}):
        schedule, state = reading.schedule_now(platform, run_id), settling.settling_state(platform, run_id)
        evidence = {
            "state": state.state.value,
            "teams": state.teams,
            "made": state.finished,
            "unscored": state.unscored,
        }
        over = under_way.over_at(schedule)
        if state.state is Settled.RECORD and now > over + RESULTS_PATIENCE:
            yield Finding(Ailment.RECORD_MISSING, run_id, over, evidence)
        latest = max((amendment.at for amendment in schedule.run.amendments), default=over)
        published_at = schedule.run.published_at
        if (
            published_at is not None
            and now > published_at + RESULTS_PATIENCE
            and settling.due_archives(platform, schedule.run)
        ):
            yield Finding(Ailment.ARCHIVE_MISSING, run_id, published_at, evidence)
        if state.state in _LATE and now > max(over, latest) + RESULTS_PATIENCE:
            yield Finding(Ailment.RESULTS_MISSING, run_id, max(over, latest), evidence)


def _proposals(platform: Platform, now: Millis) -> Iterator[Finding]:
    for run_id in sorted({*platform.runs.active_ids(), *platform.runs.unsettled_ids()}):
        proposal = platform.runs.proposal(run_id)
        if proposal is None:
            continue
        if watching.standing_of(reading.schedule_now(platform, run_id), proposal) is fate.Standing.OPEN:
            yield Finding(Ailment.PROPOSAL_OPEN, run_id, None, {"looked_at": iso(now)})


def _assignments(platform: Platform, now: Millis) -> Iterator[Finding]:
    for expert_id, assignment_id in platform.experts.open_assignments():
        assignment = platform.experts.assignment(expert_id, assignment_id)
        if assignment is not None and assignment.closes_at is not None and now > assignment.closes_at + PATIENCE:
            evidence = {"marking_id": assignment.marking_id, "item_id": assignment.item_id}
            yield Finding(Ailment.ASSIGNMENT_OVERDUE, f"{expert_id}/{assignment_id}", assignment.closes_at, evidence)


def _rules(platform: Platform, now: Millis) -> Iterator[Finding]:
    for marking_id, item_id in platform.experts.due_essays():
        essay = platform.experts.essay(marking_id, item_id)
        if essay is None or not essay.due:
            continue
        since = max((assignment.ended_at or 0 for assignment in platform.experts.assignments(essay.given)), default=0)
        if now > since + PATIENCE:
            yield Finding(Ailment.RULE_NOT_ASKED, f"{marking_id}/{item_id}", since, {"given": len(essay.given)})


def _thirds(platform: Platform, now: Millis) -> Iterator[Finding]:
    """Yield essays that need a third expert and have none.

    An essay that the coordinator has taken from a third expert and not reassigned yet is left to the coordinator.
    """
    for marking in platform.experts.markings():
        essays = [
            essay for essay in platform.experts.essays(marking.marking_id) if essay.third and essay.third.is_needed
        ]
        assignments = judged_essays.given_in(platform, essays, now)
        for essay in essays:
            decided_at = essay.third.at if essay.third else now
            released = any(assignment.state is AssignmentState.RELEASED for assignment in assignments[essay.item_id])
            if missing_experts(essay, assignments[essay.item_id]) and not released and now > decided_at + PATIENCE:
                evidence = {"language": essay.language, "subject": essay.subject, "given": len(essay.given)}
                subject = f"{marking.marking_id}/{essay.item_id}"
                yield Finding(Ailment.THIRD_EXPERT_LACKING, subject, decided_at, evidence)


def _imports(platform: Platform, now: Millis) -> Iterator[Finding]:
    for unfinished in platform.imports.unfinished():
        failed_at, sent_at = importing.failed_at(platform, unfinished), unfinished.sent_at or unfinished.created_at
        if failed_at is not None or now > sent_at + IMPORT_PATIENCE:
            evidence = {
                "state": unfinished.state.value,
                "set": unfinished.order.set_name,
                "files": unfinished.files,
                "read": unfinished.read,
            }
            yield Finding(Ailment.IMPORT_STUCK, unfinished.import_id, failed_at or sent_at, evidence)


def _submissions(platform: Platform, now: Millis) -> Iterator[Finding]:
    for name in platform.submissions.unfinished():
        submission = platform.submissions.get(name)
        if submission is None:
            continue
        failed_at = worker.failure_moment(platform, submission)
        if failed_at is not None or is_stuck(submission, now):
            evidence = {"state": submission.state.value, "team_id": submission.team_id, "attempt": submission.attempt}
            yield Finding(Ailment.SUBMISSION_STUCK, name, failed_at or submission.changed_at, evidence)


def _errands(platform: Platform, _: Millis) -> Iterator[Finding]:
    for errand in audit.lost_errands(platform):
        evidence = {"kind": errand.kind.value, "subject": errand.subject}
        yield Finding(Ailment.ERRAND_LOST, errand.errand_id, errand.asked_at, evidence)


def _rescorings(platform: Platform, now: Millis) -> Iterator[Finding]:
    for candidate in platform.rescorings.all():
        since = candidate.begun_at if candidate.decided_at is None else candidate.decided_at
        if candidate.state is Decided.DISCARDED or now <= since + RESULTS_PATIENCE:
            continue
        summary = rescoring.summary(platform, candidate)
        done = summary["made" if candidate.state is Decided.OPEN else "applied"]
        if done < summary["total"] and summary["refused"] is None:
            evidence = {"state": summary["state"], "done": done, "total": summary["total"]}
            yield Finding(Ailment.RESCORING_STUCK, candidate.rescoring_id, since, evidence)


def _letters(platform: Platform, now: Millis) -> Iterator[Finding]:
    for queue, count in sorted(platform.dead_letters.counts().items()):
        page = platform.dead_letters.open(queue, LETTERS_AT_ONCE, None)
        oldest = min((dead_letter.first_at for dead_letter in page.items), default=now)
        if any(can_be_redriven(dead_letter) for dead_letter in page.items):
            yield Finding(Ailment.DEAD_LETTERS, queue.value, oldest, {"letters": count})


_CHECKS: Final[tuple[Callable[[Platform, Millis], Iterator[Finding]], ...]] = (
    _timers,
    _sessions,
    _waiting,
    _reports,
    _runs,
    _proposals,
    _assignments,
    _rules,
    _thirds,
    _imports,
    _submissions,
    _errands,
    _rescorings,
    _letters,
)


def _known(platform: Platform, names: Sequence[str]) -> Iterator[Session]:
    for name in names:
        session = reading.session(platform, name)
        if session is not None:
            yield session


def _report(platform: Platform, _: Identity, session_id: str) -> None:
    minute_timer.make_report(platform, session_id)


def _settle(platform: Platform, _: Identity, run_id: str) -> None:
    reporting.redrive(platform, run_id)
    settling.send_due_steps(platform, run_id)


def _in_two(name: str) -> tuple[str, str]:
    """Return the two parts of a finding's subject: expert and assignment, or annotation project and item."""
    first, _, second = name.partition("/")
    return first, second


def _call(platform: Platform, _: Identity, name: str) -> None:
    if not judged_essays.assign_third_expert(platform, *_in_two(name)):
        raise RefusedError("nobody_able", tr("no expert may have this essay: enter one who may"))


def _import(platform: Platform, identity: Identity, import_id: str) -> None:
    """Send the letter's job as it is; send a new one without a letter."""
    letter_id = reading.letter_of(LetterQueue.IMPORTS, ImportJob(import_id))
    importing.send_again(platform, import_id, sent=_redriven(platform, identity, letter_id))


def _submission(platform: Platform, identity: Identity, submission_id: str) -> None:
    """Send the letter's job as it is; send a new one without a letter."""
    submission = platform.submissions.get(submission_id)
    tasks = worker.tasks_of(submission) if submission else ()
    names = [reading.letter_of(LetterQueue.SUBMISSIONS, task) for task in tasks]
    sent = [_redriven(platform, identity, letter_id) for letter_id in names]
    worker.send_again(platform, submission_id, sent=any(sent))


def _errand(platform: Platform, identity: Identity, errand_id: str) -> None:
    if not _redriven(platform, identity, audit.letter_of(audit.look_at_errand(platform, errand_id)[0])):
        audit.send_errand_again(platform, errand_id)


def _redriven(platform: Platform, identity: Identity, letter_id: str) -> bool:
    """Do the work of a letter again, if it is there and open."""
    letter = platform.dead_letters.get(letter_id)
    if letter is None or not letter.is_open:
        return False
    redrive(platform, identity, [letter_id], None)
    return True


_MENDS: Final[Mapping[Ailment, Callable[[Platform, Identity, str], Any]]] = {
    Ailment.SESSION_OVERDUE: lambda platform, _, session_id: minute_timer.close_session(
        platform, platform.clock.now(), session_id
    ),
    Ailment.ANSWERS_WAITING: lambda platform, _, session_id: reporting.redrive_session(platform, session_id),
    Ailment.SCORES_LOST: _report,
    Ailment.REPORT_MISSING: _report,
    Ailment.RECORD_MISSING: _settle,
    Ailment.RESULTS_MISSING: _settle,
    Ailment.ASSIGNMENT_OVERDUE: lambda platform, _, name: work.expire(platform, *_in_two(name), platform.clock.now()),
    Ailment.RULE_NOT_ASKED: lambda platform, _, name: judged_essays.consider_thirds(platform, *_in_two(name)),
    Ailment.THIRD_EXPERT_LACKING: _call,
    Ailment.IMPORT_STUCK: _import,
    Ailment.SUBMISSION_STUCK: _submission,
    Ailment.ERRAND_LOST: _errand,
    Ailment.ARCHIVE_MISSING: _settle,
    Ailment.RESCORING_STUCK: lambda platform, _, rescoring_id: rescoring.resume(platform, rescoring_id),
    Ailment.DEAD_LETTERS: lambda platform, identity, queue: redrive(platform, identity, None, LetterQueue(queue)),
}


RUNS_READ: Final = 12
"""Runs that one request reads: those whose record is still to be made first, then the latest finals."""
FINALS_READ: Final = 4
PROJECTS_READ: Final = 5
"""Annotation projects that are looked through for late experts, the latest ones."""
LETTERS_READ: Final = 100
"""Dead letters among which the oldest is looked for."""
CALLS: Final = 24
"""Reads of a table that one request makes at most, pages of a long list apart: cycle, claims, their sessions,
admissions, teams (2), active and final runs (2), the runs, letters (3), ticks, questions."""


@dataclass(frozen=True, slots=True)
class Desk:
    """All work that waits for a person with the caller's rights, of each kind that it may see; 0 where none waits."""

    waiting: tuple[Waiting, ...]
    deadline: Deadline | None


# Clause: R 2.18, platform §8 organizers
def waiting_work(platform: Platform, identity: Identity) -> Desk:
    """Return the work that waits, of the kinds that the caller's rights open, and the next deadline."""
    cycle, now = reading.recent_cycle(platform), platform.clock.now()
    run_ids = dict.fromkeys([*platform.runs.active_ids(), *platform.runs.of_mode(Mode.FINAL, FINALS_READ)])
    stored_runs = (platform.runs.get(run_id) for run_id in list(run_ids)[:RUNS_READ])
    runs = tuple(run for run in stored_runs if run is not None)
    rows: list[Waiting] = []
    for right, look in _LOOKS.items():
        if may(identity, right):
            rows.extend(look(platform, cycle, runs, now))
    order = list(Subject)
    return Desk(
        tuple(sorted(rows, key=lambda waiting: order.index(waiting.subject))),
        min(
            (deadline for deadline in _deadlines(cycle, runs) if deadline.at > now),
            key=lambda deadline: deadline.at,
            default=None,
        ),
    )


def _of_results(platform: Platform, cycle: Cycle, runs: tuple[Run, ...], _: Millis) -> Iterator[Waiting]:
    """Yield what waits for judges, commission and organizers on the teams' way to the final."""
    claims = platform.qualification.claims(cycle.name)
    waiting = {
        subject: [claim for claim in claims if claim.standing is standing]
        for subject, standing in (
            (Subject.JUDGEMENTS, Standing.AWAITS_JUDGES),
            (Subject.VERIFICATIONS, Standing.AWAITS_COMMISSION),
        )
    }
    sessions = platform.session_reads.sessions([claim.session_id for group in waiting.values() for claim in group])
    for subject, group in waiting.items():
        closed = [sessions[claim.session_id].closed_at for claim in group if claim.session_id in sessions]
        yield Waiting(subject, len(group), _oldest(closed))
    yield Waiting(Subject.ADMISSIONS, _undecided(platform, cycle, claims), None)
    applied = [team for team in platform.people.all_teams() if team.status is TeamStatus.APPLIED]
    yield Waiting(Subject.APPLICATIONS, len(applied), _oldest(team.created_at for team in applied))
    unstated = [
        run
        for run in runs
        if run.closed_at is not None
        and run.published_at is None
        and not run.trial
        and missing_sides(run.protocols, recording.demanded_sides(platform, cycle, run), results_edition(run))
    ]
    yield Waiting(Subject.PROTOCOLS, len(unstated), _oldest(run.closed_at for run in unstated))


def _undecided(platform: Platform, cycle: Cycle, claims: Iterable[Claim]) -> int:
    """Count the teams that have qualified and are neither admitted to the final nor refused."""
    decided = {admission.team_id for admission in platform.qualification.admissions(cycle.name)}
    kinds = reading.qualifications(platform)
    by_team: dict[str, list[Claim]] = {}
    for claim in claims:
        if claim.team_id not in decided:
            by_team.setdefault(claim.team_id, []).append(claim)
    return sum(qualification.is_qualified(group, kinds) for group in by_team.values())


def _of_work(platform: Platform, _: Cycle, runs: tuple[Run, ...], now: Millis) -> Iterator[Waiting]:
    """Yield runs that go on or start within the hour, and work that is stuck."""
    starts = [run.starts_at for run in runs if run.closed_at is None and run.starts_at <= now + HOUR]
    yield Waiting(Subject.RUNS, len(starts), _oldest(starts))
    open_letters = platform.dead_letters.open(None, LETTERS_READ, None).items
    count = sum(platform.dead_letters.counts().values())
    yield Waiting(Subject.DEAD_LETTERS, count, _oldest(letter.first_at for letter in open_letters))
    ticks = platform.upkeep.ticks()
    silent = [ticks.get(timer) for timer in TIMERS if is_silent(ticks.get(timer), now)]
    yield Waiting(Subject.SILENT_TIMERS, len(silent), _oldest(silent))


def _of_experts(platform: Platform, _: Cycle, __: tuple[Run, ...], now: Millis) -> Iterator[Waiting]:
    """Yield the experts whose time for an essay ran out and whose place nobody has taken; read once a minute."""

    def read() -> Waiting:
        late = list[Assignment]()
        for marking in progress.list_markings(platform)[:PROJECTS_READ]:
            essays = platform.experts.essays(marking.marking_id)
            for essay in progress_of(essays, judged_essays.given_in(platform, essays, now)).essays:
                late.extend(filter(ran_out, essay.assignments if essay.is_late else ()))
        experts = {assignment.expert_id for assignment in late}
        return Waiting(Subject.LATE_EXPERTS, len(experts), _oldest(assignment.ended_at for assignment in late))

    yield cast(Waiting, platform.memory.keep(("late experts", now // MINUTE), read))


def _of_questions(platform: Platform, _: Cycle, __: tuple[Run, ...], ___: Millis) -> Iterator[Waiting]:
    """Yield the teams' questions without an answer."""
    questions = asking.count_waiting(platform)
    yield Waiting(Subject.QUESTIONS, questions.count, questions.oldest_at)


def _oldest(moments: Iterable[Millis | None]) -> Millis | None:
    return min((moment for moment in moments if moment is not None), default=None)


def _deadlines(cycle: Cycle, runs: Iterable[Run]) -> Iterator[Deadline]:
    """Yield the beginnings and ends of stages, and the starts of runs."""
    for stage in cycle.stages:
        yield Deadline(Event.STAGE_BEGINS, stage.name.value, stage.starts_at(cycle.calendar))
        yield Deadline(Event.STAGE_ENDS, stage.name.value, stage.ends_at(cycle.calendar))
    for run in runs:
        if run.closed_at is None:
            yield Deadline(Event.RUN_STARTS, run.run_id, run.starts_at)


_Look = Callable[[Platform, Cycle, tuple[Run, ...], Millis], Iterator[Waiting]]
_LOOKS: Final[Mapping[Right, _Look]] = MappingProxyType(
    {
        Right.READ_REPORTS: _of_results,
        Right.INSPECT_SUBMISSIONS: _of_work,
        Right.WATCH_ASSIGNMENTS: _of_experts,
        Right.ANSWER: _of_questions,
    }
)
