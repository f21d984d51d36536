"""Worker of submissions (T13), their views (F-4), and their independent recomputation.

The worker may run twice or stop half-way: stored objects are named by their subject, and every state is written on
condition that the one before still holds.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, BinaryIO, Final, cast

from contest import reading, stored_names
from contest.platform import Platform, decide_until_written
from contest.ports import LostRaceError, MissingBlobError
from contest.refusals import RefusedError
from contest.results import audit, boards
from contest.results.audit import Audited
from contest.results.errors import LogsAbsentError, results_differ
from contest.results.rules import leaderboard, reports
from contest.results.rules.jobs import ShadowTask
from contest.results.rules.rescoring import Recomputed
from contest.session import following
from contest.session.access import Request
from contest.stored_names import LetterQueue
from contest.submissions import scoring, uploading
from contest.submissions.rules import (
    FailureCause,
    Program,
    Submission,
    SubmissionKind,
    SubmissionState,
    SubmissionTask,
    facts_of,
    facts_of_all,
    given_up_by_team,
    is_abandoned,
    is_stuck,
    wants_worker,
    was_given_up,
)
from contest.texts import tr
from contest.values import Millis, canonical
from markup_core.lazy import dataclass
from markup_core.texts import Text
from tracks.capabilities import AnsweredByProgram, AnsweredInOneFile
from tracks.protocol import Reason

_STEPS: Final = 8
"""Maximum steps of a worker, more than there are states: one that goes round in circles is a mistake, and stops."""


# Clause: TS T13, TS F-4
def work(platform: Platform, task: SubmissionTask) -> bool:
    """Take a submission on until it is final or waits for its run; return whether the platform has lost its run."""
    for _ in range(_STEPS):
        submission = platform.submissions.get(task.submission_id)
        if submission is None or not submission.is_under_way:
            break
        try:
            goes_on = _WORK[submission.state](platform, submission)
        except LostRaceError:  # another worker is at it, or was faster: its writing is read
            goes_on = True
        if not goes_on:
            break
    current = platform.submissions.get(task.submission_id)
    return current is not None and current.is_final and current.cause is FailureCause.PLATFORM


# Clause: platform §7 doctor, TS T13
def send_again(platform: Platform, submission_id: str, *, sent: bool = False) -> None:
    """Send another worker for a submission under way. ``sent``: its message was sent already."""

    def noted(before: Submission) -> Submission:
        if not before.is_under_way:
            return before
        after = replace(before.noted(), sent_at=platform.clock.now())
        platform.submissions.change(before, after)
        return after

    submission = platform.submissions.get(submission_id)
    if submission is None:
        return
    done = decide_until_written(submission, noted, lambda: platform.submissions.get(submission_id) or submission)
    if done.is_under_way and not sent:
        platform.submission_tasks.send([SubmissionTask(submission_id)])


# Clause: TS T13
def tend(platform: Platform, now: Millis, submission_id: str) -> int:
    """Tend an unfinished submission, for the minute timer; return 1 if something was done.

    An upload that was given up is refused; another worker is sent where there is work.
    """
    submission = platform.submissions.get(submission_id)
    if submission is None:
        return 0
    if is_abandoned(submission, now):
        platform.submissions.change(submission, submission.at(SubmissionState.REFUSED, now))
        return 1
    # One whose worker failed for good waits for the organizers: its letter is open, and the doctor names it.
    if not wants_worker(submission, now) or failure_moment(platform, submission) is not None:
        return 0
    send_again(platform, submission_id)
    return 1


# Clause: TS T13
def count_stuck(platform: Platform, now: Millis, submission_id: str) -> int:
    """Return 1 if a submission that is not final has been in its state for longer than any work takes."""
    submission = platform.submissions.get(submission_id)
    return int(submission is not None and is_stuck(submission, now))


def failure_moment(platform: Platform, submission: Submission) -> Millis | None:
    """Return when the worker of a submission failed for good.

    None where none has, or it is not under way.
    """
    if not submission.is_under_way:
        return None
    moments = (reading.failed_at(platform, LetterQueue.SUBMISSIONS, task) for task in tasks_of(submission))
    return max((moment for moment in moments if moment is not None), default=None)


def tasks_of(submission: Submission) -> tuple[SubmissionTask, ...]:
    """List the possible subjects of a submission's workers: itself, and its latest run."""
    names = [submission.submission_id, *([submission.run] if submission.attempt else [])]
    return tuple(map(SubmissionTask, names))


def check_result(platform: Platform, submission: Submission) -> dict[str, list[dict[str, Any]]]:
    """Return why a submission was refused, the remarks on it, and the unanswered items; empty before.

    Of an upload that was never handed in nothing is kept: when it ended says why.
    """
    if was_given_up(submission):
        code, message = (
            ("upload_given_up", tr("the team gave the upload up: it counts nowhere, submit again at any time"))
            if given_up_by_team(submission)
            else ("upload_abandoned", tr("the upload was not completed within a day: submit again"))
        )
        return {"reasons": reports.described_reasons([Reason(code, message, {})]), "warnings": []}
    notes = reading.stored_json(platform, stored_names.submission_checked_name(submission.submission_id))
    return notes or {"reasons": [], "warnings": []}


def _end(platform: Platform, submission: Submission, state: SubmissionState, **fields: Any) -> bool:
    """Write that a submission is final, and its team's place free; return False: there is no more work."""
    after = replace(submission.at(state, platform.clock.now()), **fields)
    lane = None if submission.of else platform.submissions.lane(submission.team_id)
    platform.submissions.change(submission, after, lane)
    return False


# Clause: TS T13, TS F-1, TS U-4, TS G-2
def _check(platform: Platform, submission: Submission) -> bool:
    damaged = uploading.take_in(platform, submission)
    if damaged is not None:
        number = damaged.number  # none: all parts together have another one
        whole = tr("the parts together have another SHA-256")
        part = tr("part {number} has another SHA-256 than was announced", number=number)
        defect = Reason("another_sha256", part if number else whole, {"part": number} if number else {})
        return _refuse(platform, submission, [defect])
    if submission.order.kind is SubmissionKind.PROGRAM:
        return _check_program(platform, submission)
    track = reading.track_of(platform, submission)
    if not isinstance(track, AnsweredInOneFile):
        raise TypeError(f"{submission.track} has no form for a file of answers")
    items = {name: content for name, (_, content) in scoring.set_contents(platform, submission).items()}
    content = uploading.whole_content(platform, submission)
    try:
        read = track.read_submission(content, items)
    except Exception as error:  # noqa: BLE001 -- the store has given everything: what fails now is in the file
        return _unreadable(platform, submission, error)
    reasons = read.reasons
    if not reasons:
        withheld = scoring.decide_shown_totals(platform, submission, read.answers).withheld
        reasons = () if withheld is None else (withheld,)
    if reasons:
        return _refuse(platform, submission, reasons)
    _note_checked(platform, submission, (), ())
    platform.submissions.change(submission, submission.at(SubmissionState.SCORING, platform.clock.now()))
    return True


def _check_program(platform: Platform, submission: Submission) -> bool:
    track, rules = reading.track_of(platform, submission), reading.parameters(platform, submission.parameters_version)
    if not isinstance(track, AnsweredByProgram):
        raise TypeError(f"{submission.track} runs no programs")
    try:
        read = track.read_program(cast("BinaryIO", uploading.KeptStream(platform, submission)), rules.track)
    except uploading.StoreFailedError:
        raise
    except Exception as error:  # noqa: BLE001 -- whatever reading it raises is in the archive
        return _unreadable(platform, submission, error)
    if read.reasons:
        return _refuse(platform, submission, read.reasons, read.warnings)
    _note_checked(platform, submission, (), read.warnings)
    program = Program(read.image, read.entry_point)
    queued = replace(submission.at(SubmissionState.QUEUED, platform.clock.now()), program=program, attempt=1)
    platform.submissions.change(submission, queued)
    return True


# Clause: TS F-4, TS T13
def _unreadable(platform: Platform, submission: Submission, error: Exception) -> bool:
    """Refuse a file on which its reader fails: between upload and check only the store is the platform's."""
    kind = type(error).__name__
    message = tr("it cannot be read ({kind})", kind=kind)
    return _refuse(platform, submission, [Reason("unreadable", message, {})])


def _refuse(
    platform: Platform, submission: Submission, reasons: Sequence[Reason], warnings: Sequence[Reason] = ()
) -> bool:
    """Note why a submission is refused, and end it; return False: there is no more work."""
    _note_checked(platform, submission, reasons, warnings)
    return _end(platform, submission, SubmissionState.REFUSED)


# Clause: TS F-2, TS F-4
def _run(platform: Platform, submission: Submission) -> bool:
    run = scoring.look_at_run(platform, submission)
    if run.ending is not None:
        if run.ending.cause is None:
            platform.submissions.change(submission, submission.at(SubmissionState.SCORING, platform.clock.now()))
            return True
        return _end(platform, submission, SubmissionState.FAILED, cause=run.ending.cause)
    if run.started and submission.state is SubmissionState.QUEUED:
        platform.submissions.change(submission, submission.at(SubmissionState.RUNNING, platform.clock.now()))
    return False


# Clause: TS T13, TS U-5, TS F-5, TS F-6
def _score(platform: Platform, submission: Submission) -> bool:
    """Score a submission.

    A worker that stops before the last line has sent nobody to recompute it: publication sends for missing ones.
    """
    answers, run = scoring.submitted_answers(platform, submission)
    scored = scoring.score_items(platform, submission, answers)
    if submission.order.kind is SubmissionKind.PROGRAM and len(scored.missing) == len(scored.outcomes):
        # The errors of every output are noted beside the place of the report.
        notes = canonical(scoring.reasons_by_item(scored.invalid))
        platform.blobs.put_if_absent(stored_names.submission_report_name(f"{submission.run}-outputs"), notes)
        cause = FailureCause.BAD_OUTPUT if answers else FailureCause.NO_OUTPUT
        return _end(platform, submission, SubmissionState.FAILED, cause=cause)
    following.note_stage(platform, submission)
    scoring.decide_shown_totals(platform, submission, answers)
    report = scoring.build_report(platform, submission, scored, run)
    platform.blobs.put_if_absent(stored_names.submission_report_name(submission.submission_id), report)
    # Boards come first: a submission in the state scored is on them, whatever crashed in between.
    scoring.enter_boards(platform, submission, scored)
    _end(platform, submission, SubmissionState.SCORED, value=scoring.value_of(platform, submission, scored))
    scoring.begin_recomputation(platform, submission.submission_id)
    return False


_WORK: Final[Mapping[SubmissionState, Callable[[Platform, Submission], bool]]] = {
    SubmissionState.CHECKING: _check,
    SubmissionState.QUEUED: _run,
    SubmissionState.RUNNING: _run,
    SubmissionState.SCORING: _score,
}


def _note_checked(
    platform: Platform, submission: Submission, reasons: Sequence[Reason], warnings: Sequence[Reason]
) -> None:
    notes = {"reasons": reports.described_reasons(reasons), "warnings": reports.described_reasons(warnings)}
    platform.blobs.put_if_absent(stored_names.submission_checked_name(submission.submission_id), canonical(notes))


@dataclass(frozen=True, slots=True)
class Shown:
    """Submission with the findings on it."""

    submission: Submission
    missing: Sequence[int]
    failed_at: Millis | None
    reasons: Sequence[Mapping[str, Any]]
    warnings: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Logs:
    """Ends of a program's streams."""

    stdout: bytes
    stderr: bytes


def submission_view(platform: Platform, submission: Submission) -> Shown:
    """Return a submission with its remarks and missing parts."""
    notes = check_result(platform, submission)
    failed_at = failure_moment(platform, submission)
    return Shown(
        submission, uploading.missing_numbers(platform, submission), failed_at, notes["reasons"], notes["warnings"]
    )


def page_of(
    submissions: Sequence[Submission], limit: int, after: str | None
) -> tuple[Sequence[Submission], str | None]:
    """Return so many of a list after the submission ``after``, and the last one's id where there are more."""
    names = [submission.submission_id for submission in submissions]
    begins = names.index(after) + 1 if after in names else 0
    some = submissions[begins : begins + limit]
    return some, (some[-1].submission_id if some and begins + limit < len(submissions) else None)


def all_submissions(platform: Platform) -> Sequence[Submission]:
    """List all teams' submissions except private runs, the newest first."""
    submissions = [submission for submission in platform.submissions.listed() if not submission.of]
    return sorted(submissions, key=lambda submission: (-submission.created_at, submission.submission_id))


# Clause: TS F-4
def run_logs(platform: Platform, request: Request, submission_id: str) -> Logs:
    """Return the last MiB of stdout and stderr of the latest public run; none of a private run."""
    submission = uploading.own_submission(platform, request, submission_id)
    if submission.order.kind is not SubmissionKind.PROGRAM or submission.attempt == 0 or submission.of:
        raise LogsAbsentError
    stdout, stderr = (scoring.log_of(platform, submission.run, stream) for stream in (scoring.STDOUT, scoring.STDERR))
    if stdout is None and stderr is None:
        raise LogsAbsentError
    return Logs(stdout or b"", stderr or b"")


_SHOWS_ALL: Final = "contest submission shadow"
"""Command that shows all differences of the recomputation."""


def verify(platform: Platform, name: str) -> Audited:
    """Audit the session or the scored submission that an organizer names; refused where there is none."""
    audit.refuse_unverifiable(platform, name)
    return rebuild(platform, name)


# Clause: platform §4 audit
def rebuild(platform: Platform, name: str) -> Audited:
    """Rebuild the stored results of a session or submission from its facts, and compare every byte."""
    submission = platform.submissions.get(name)
    audited = audit.audit_session(platform, name) if submission is None else _rebuilt(platform, submission)
    scored = submission or reading.session(platform, name)
    return audited if scored is None else replace(audited, off_board=following.noted_stage(platform, scored))


def _rebuilt(platform: Platform, submission: Submission) -> Audited:
    """Rebuild a submission's report, value and claims; skip those of an older scorer.

    Results that an accepted rescoring is still writing are left to the next round.
    """
    name, track = submission.submission_id, reading.track_of(platform, submission)
    if submission.state is not SubmissionState.SCORED or audit.is_being_applied(platform, submission):
        return Audited()
    stored = reading.stored_object(platform, stored_names.submission_report_name(name, submission.rescored))
    if stored is None:
        return Audited(sessions=1, missing=(f"report {name}",))
    if json.loads(stored)["scorer"] != {"track": track.name, "version": track.version}:
        return Audited(sessions=1)
    try:
        answers, run = scoring.submitted_answers(platform, submission)
    except MissingBlobError:
        return Audited(sessions=1, missing=(f"answers {name}",))
    scored = scoring.score_items(platform, submission, answers)
    different = [] if stored == scoring.build_report(platform, submission, scored, run) else [f"report {name}"]
    if scoring.value_of(platform, submission, scored) != submission.value:
        different.append(f"value {name}")
    different += [f"entry {name} {scope}" for scope in _unlike_claims(platform, submission, scored)]
    return Audited(sessions=1, scores=len(scored.outcomes), reports=1, differences=tuple(different))


def _unlike_claims(platform: Platform, submission: Submission, scored: scoring.Scored) -> Iterator[str]:
    """Yield the parts of boards on which a submission's claim differs from its answers' result.

    A cycle loaded after the scoring may have other days of its stages: what claims nothing at all may have been off
    the board before, and is not asked for.
    """
    if submission.of:
        return
    claims = boards.claims_of(platform, submission.cycle, submission.team_id, submission.submission_id)
    if not claims and reading.cycle_now(platform).loaded_at > submission.changed_at:
        return
    for entry in scoring.entries_of(platform, submission, scored):
        claimed = [leaderboard.as_json(claim) for claim in claims if claim.language == entry.language]
        if canonical(claimed) != canonical([leaderboard.as_json(entry)]):
            yield entry.language


# Clause: R 8.3.4
def recompute_again(platform: Platform) -> Recomputed:
    """Recompute every scored submission again; the present findings stay meanwhile."""
    recomputation = look_at_recomputation(platform)
    scored_ids = [
        submission.submission_id
        for submission in platform.submissions.listed()
        if submission.state is SubmissionState.SCORED
    ]
    platform.shadows.send([ShadowTask("", submission_id=submission_id, again=True) for submission_id in scored_ids])
    return recomputation


def look_at_recomputation(platform: Platform) -> Recomputed:
    """Return the recomputation of the scored submissions under the present facts: progress and findings. O(all)."""
    submissions = platform.submissions.listed()
    parts = _parts(platform, submissions)
    there = frozenset(platform.blobs.names(stored_names.SUBMISSION_SHADOWS))
    recomputed = sum(part in there for part in parts.values())
    return Recomputed(len(parts), recomputed, _result(platform, submissions, parts))


# Clause: TS T13, TS F-7, platform §4 shadow, R 8.3.5
def refuse_unless_clean(platform: Platform, places: Sequence[tuple[str, str, int, float | None]]) -> None:
    """Refuse to publish results that were not recomputed, or differ from the recomputed ones.

    These are numbers of a submission, the choice of the private runs, a place. ``places``: board, team, place, value,
    as they would be published.

    Missing recomputations are sent for.
    """
    submissions = platform.submissions.listed()
    parts = _parts(platform, submissions)
    result = _result(platform, submissions, parts)
    if result is None:
        raise _waits(platform, parts)
    if result["total"]:
        differences = result["differences"]
        messages = [Text(difference["message"], difference["message_ru"]) for difference in differences]
        raise results_differ(result["total"], messages, _SHOWS_ALL, submission_id=differences[0]["submission_id"])
    own, recomputed = ({(row[0], row[1]): list(row) for row in rows} for rows in (places, result["places"]))
    pairs = ((own.get(key), recomputed.get(key)) for key in sorted({*own, *recomputed}))
    unlike = [pair for pair in pairs if pair[0] != pair[1]]
    if unlike:
        messages = [
            tr("place: the platform has {ours}, the recomputation {theirs}", ours=ours, theirs=theirs)
            for ours, theirs in unlike
        ]
        raise results_differ(len(unlike), messages, _SHOWS_ALL)


def _waits(platform: Platform, parts: Mapping[str, str]) -> RefusedError:
    there = frozenset(platform.blobs.names(stored_names.SUBMISSION_SHADOWS))
    missing = [name for name, part in parts.items() if part not in there]
    platform.shadows.send([ShadowTask("", submission_id=name) for name in missing or list(parts)[:1]])
    done = len(parts) - len(missing)
    message = tr(
        "{done} of {parts} submissions are recomputed independently; publish when all are, in a few minutes",
        done=done,
        parts=len(parts),
    )
    return RefusedError("results_not_verified", message, made=done, submissions=len(parts))


def _parts(platform: Platform, submissions: Sequence[Submission]) -> dict[str, str]:
    """Return names of the results for the scored objects, by submission."""
    scored = [submission for submission in submissions if submission.state is SubmissionState.SCORED]
    report_of = stored_names.submission_report_name
    named = {
        submission.submission_id: report_of(submission.submission_id, submission.rescored) for submission in scored
    }
    there = frozenset(platform.blobs.names(stored_names.SUBMISSION_REPORTS))
    reports = platform.blobs.get_all(sorted(name for name in named.values() if name in there))
    return {
        submission.submission_id: stored_names.submission_shadow_name(
            submission.submission_id, facts_of(submission, reports.get(named[submission.submission_id]))
        )
        for submission in scored
    }


def _result(platform: Platform, submissions: Sequence[Submission], parts: Mapping[str, str]) -> dict[str, Any] | None:
    name = stored_names.submission_shadow_name("whole", facts_of_all(submissions, parts))
    return cast(dict[str, Any] | None, reading.stored_json(platform, name))
