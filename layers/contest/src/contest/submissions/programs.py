"""Answers of submissions, runs of submitted programs (T13, F-2 … F-4), and recomputation."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, cast

from contest import reading, stored_names
from contest.platform import Platform
from contest.ports import MissingBlobError
from contest.refusals import RefusedError
from contest.results import annulments, audit, boards, errands
from contest.results.audit import Audited
from contest.results.errors import results_differ
from contest.results.rules import leaderboard
from contest.results.rules.jobs import ShadowTask
from contest.results.rules.rescoring import Recomputed
from contest.submissions import scoring, uploading
from contest.submissions.rules import (
    LOG_BYTES,
    Ending,
    FailureCause,
    Phase,
    Program,
    RunLimits,
    RunOrder,
    Stored,
    Submission,
    SubmissionKind,
    SubmissionState,
    as_json,
    ending_from,
    facts_of,
    facts_of_all,
)
from contest.texts import tr
from contest.values import canonical, sha256_hex
from markup_core.lazy import dataclass
from markup_core.texts import Text
from tracks.capabilities import AnsweredByProgram, AnsweredInOneFile

ORDER: Final = "order.json"
ENDING: Final = "ending.json"
OUTPUT: Final = "output/"
STDOUT: Final = "stdout"
STDERR: Final = "stderr"
_SHOWS_ALL: Final = "contest submission shadow"
"""Command that shows all differences of the recomputation."""


@dataclass(frozen=True, slots=True)
class Seen:
    """State of a run: whether its program has started, and its ending, None before."""

    started: bool
    ending: Ending | None = None


# Clause: TS F-2, TS F-4
def look_at_run(platform: Platform, submission: Submission) -> Seen:
    """Return the state of a submission's latest run; start the run if it was not started.

    A run that is over without an ending has failed by the platform's fault.
    """
    name = submission.run
    ending = ending_of(platform, name)
    if ending is not None:
        return Seen(started=True, ending=ending)
    phase = platform.runner.phase(name)
    if phase is Phase.UNKNOWN:
        platform.runner.start(_ordered(platform, submission, name))
        return Seen(started=False)
    if phase is Phase.OVER:
        ending = ending_of(platform, name)  # written between the two looks, or never
        lost = Ending(FailureCause.PLATFORM, None, 0.0, said="the job is over and has left no ending")
        return Seen(started=True, ending=ending or lost)
    return Seen(started=phase is Phase.STARTED)


def ending_of(platform: Platform, run: str) -> Ending | None:
    """Return the ending of a run; None before."""
    ending = reading.stored_json(platform, f"{stored_names.submission_run_folder(run)}{ENDING}")
    return None if ending is None else ending_from(ending)


# Clause: TS T13
def answered(platform: Platform, submission: Submission) -> tuple[dict[str, bytes], dict[str, Any] | None]:
    """Return the bodies of a submission's answers by item, and the report's part on a program's run."""
    if submission.order.kind is SubmissionKind.PROGRAM:
        return answers(platform, submission, submission.run)
    track = reading.track_of(platform, submission)
    if not isinstance(track, AnsweredInOneFile):
        raise TypeError(f"{submission.track} has no form for a file of answers")
    items = {name: content for name, (_, content) in scoring.contents(platform, submission).items()}
    return dict(track.read_submission(uploading.content(platform, submission), items).answers), None


# Clause: TS F-2, TS F-6
def answers(platform: Platform, submission: Submission, run: str) -> tuple[dict[str, bytes], dict[str, Any]]:
    """Return the bodies of a run's answers by item, and the report's part on the run.

    An output that nobody asked for is no answer; what is another file than the ending says is none either.
    """
    track = reading.track_of(platform, submission)
    ending = ending_of(platform, run)
    if ending is None or not isinstance(track, AnsweredByProgram):
        raise LookupError(run)
    outputs = {output.name: output for output in ending.outputs}
    bodies = dict[str, bytes]()
    for item_id, content in _asked(platform, submission).items():
        output = next((outputs[name] for name in track.outputs_of(content) if name in outputs), None)
        if output is not None:
            body = platform.blobs.get(f"{stored_names.submission_run_folder(run)}{OUTPUT}{output.name}")
            if sha256_hex(body) == output.sha256:
                bodies[item_id] = body
    return bodies, described(ending, run)


def described(ending: Ending, run: str) -> dict[str, Any]:
    """Describe a run for reports."""
    return {
        "run": run,
        "machine": ending.machine,
        "image_digest": ending.image_digest,
        "exit_code": ending.exit_code,
        "seconds": ending.seconds,
        "not_enforced": [{"en": en, "ru": ru} for en, ru in ending.not_enforced],
    }


def log_of(platform: Platform, run: str, stream: str) -> bytes | None:
    """Return the end of a run's stream; None if there is no stream."""
    content = reading.stored(platform, f"{stored_names.submission_run_folder(run)}{stream}")
    return None if content is None else content[-LOG_BYTES:]


def _asked(platform: Platform, submission: Submission) -> Mapping[str, Any]:
    """Return the items of a submission's set that it answers, by their ids."""
    groups = frozenset(submission.order.groups)
    contents = scoring.contents(platform, submission)
    return {name: content for name, (item, content) in contents.items() if not groups or item.group in groups}


# Clause: TS F-2, TS F-3, F input
def _ordered(platform: Platform, submission: Submission, run: str) -> RunOrder:
    """Return a run's order, stored for its job. It contains no true answers."""
    track, rules = reading.track_of(platform, submission), reading.parameters(platform, submission.parameters_version)
    if not isinstance(track, AnsweredByProgram):
        raise TypeError(f"{submission.track} runs no programs")
    program = submission.program or Program("", "")
    upload = submission.order.upload
    archive = tuple(
        Stored(name, upload.size_of(number), upload.parts[number - 1])
        for number, name in enumerate(uploading.part_names(submission), 1)
    )
    order = RunOrder(
        run=run,
        folder=stored_names.submission_run_folder(run),
        image=program.image,
        entry_point=program.entry_point,
        archive=archive,
        inputs=_inputs(platform, submission, track),
        limits=RunLimits(**track.run_limits(rules.track)),
    )
    platform.blobs.put_if_absent(f"{order.folder}{ORDER}", canonical(as_json(order)))
    return order


def _inputs(platform: Platform, submission: Submission, track: AnsweredByProgram) -> tuple[Stored, ...]:
    """Return the contents of the program's folder of inputs: files and attachments of each item that it answers."""
    inputs = list[Stored]()
    for content in _asked(platform, submission).values():
        for path, value in sorted(track.inputs(content).items()):
            body = canonical(value)
            name = stored_names.blob_names(submission.cycle, "inputs", sha256_hex(body))
            platform.blobs.put_if_absent(name, body)
            inputs.append(Stored(name, len(body), sha256_hex(body), path))
        for path, attachment in sorted(track.attachments(content).items()):
            size, _, digest = attachment.partition("-")
            inputs.append(Stored(stored_names.attachment_name(submission.cycle, digest), int(size), digest, path))
    return tuple(inputs)


def verify(platform: Platform, name: str) -> Audited:
    """Audit the session or the scored submission that an organizer names; refused where there is none."""
    errands.refuse_unverifiable(platform, name)
    return rebuilt(platform, name)


# Clause: platform §4 audit
def rebuilt(platform: Platform, name: str) -> Audited:
    """Rebuild the stored results of a session or submission from its facts, and compare every byte."""
    submission = platform.submissions.get(name)
    audited = audit.audit_session(platform, name) if submission is None else _rebuilt(platform, submission)
    scored = submission or reading.session(platform, name)
    return audited if scored is None else replace(audited, off_board=annulments.noted_stage(platform, scored))


def _rebuilt(platform: Platform, submission: Submission) -> Audited:
    """Rebuild a submission's report, value and claims; skip those of an older scorer.

    What an accepted rescoring is still writing is left to the next round.
    """
    name, track = submission.submission_id, reading.track_of(platform, submission)
    if submission.state is not SubmissionState.SCORED or audit.is_being_applied(platform, submission):
        return Audited(0, 0, 0, (), ())
    stored = reading.stored(platform, stored_names.submission_report_name(name, submission.rescored))
    if stored is None:
        return Audited(1, 0, 0, (), (f"report {name}",))
    if json.loads(stored)["scorer"] != {"track": track.name, "version": track.version}:
        return Audited(1, 0, 0, (), ())
    try:
        answers, run = answered(platform, submission)
    except MissingBlobError:
        return Audited(1, 0, 0, (), (f"answers {name}",))
    scored = scoring.score(platform, submission, answers)
    different = [] if stored == scoring.report(platform, submission, scored, run) else [f"report {name}"]
    if scoring.value_of(platform, submission, scored) != submission.value:
        different.append(f"value {name}")
    different += [f"entry {name} {scope}" for scope in _unlike_claims(platform, submission, scored)]
    return Audited(1, len(scored.outcomes), 1, tuple(different), ())


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


# Clause: TS T13, platform §4 shadow
def begin(platform: Platform, submission_id: str) -> None:
    """Send for the recomputation of a submission that is scored."""
    platform.shadows.send([_task(submission_id)])


# Clause: R 8.3.4
def again(platform: Platform) -> Recomputed:
    """Recompute every scored submission again; the present findings stay meanwhile."""
    recomputation = look(platform)
    scored_ids = [
        submission.submission_id
        for submission in platform.submissions.listed()
        if submission.state is SubmissionState.SCORED
    ]
    platform.shadows.send([_task(submission_id, again=True) for submission_id in scored_ids])
    return recomputation


def look(platform: Platform) -> Recomputed:
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

    What nobody has recomputed yet is sent for.
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
    platform.shadows.send([_task(name) for name in missing or list(parts)[:1]])
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


def _task(submission_id: str, *, again: bool = False) -> ShadowTask:
    return ShadowTask("", submission_id=submission_id, again=again)
