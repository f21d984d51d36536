"""Scoring and report of a submission, runs of submitted programs (T10, T13, F-2 … F-4, U-4, U-5)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from contest import reading, stored_names
from contest.cycle.rules.cycle import Item
from contest.cycle.rules.stages import described_off_board
from contest.platform import Platform
from contest.results import reporting
from contest.results.boards import EVERYTHING, Telling, of_submission
from contest.results.errors import NotScoredError
from contest.results.rules import leaderboard, reports, set_access
from contest.results.rules.jobs import ShadowTask
from contest.results.rules.leaderboard import Claim, Entry
from contest.results.rules.set_access import Answers
from contest.session import following
from contest.session.access import Request
from contest.submissions import uploading
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
)
from contest.texts import tr
from contest.values import canonical, iso, sha256_hex
from markup_core.lazy import dataclass
from tracks.capabilities import AnsweredByProgram, AnsweredInOneFile, steps_of
from tracks.protocol import ItemFacts, Outcome, Reason, Track, Verdict

ORDER: Final = "order.json"
ENDING: Final = "ending.json"
OUTPUT: Final = "output/"
STDOUT: Final = "stdout"
STDERR: Final = "stderr"


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
def submitted_answers(platform: Platform, submission: Submission) -> tuple[dict[str, bytes], dict[str, Any] | None]:
    """Return the bodies of a submission's answers by item, and the report's part on a program's run."""
    if submission.order.kind is SubmissionKind.PROGRAM:
        return answers_of_run(platform, submission, submission.run)
    track = reading.track_of(platform, submission)
    if not isinstance(track, AnsweredInOneFile):
        raise TypeError(f"{submission.track} has no form for a file of answers")
    items = {name: content for name, (_, content) in set_contents(platform, submission).items()}
    return dict(track.read_submission(uploading.whole_content(platform, submission), items).answers), None


# Clause: TS F-2, TS F-6
def answers_of_run(platform: Platform, submission: Submission, run: str) -> tuple[dict[str, bytes], dict[str, Any]]:
    """Return the bodies of a run's answers by item, and the report's part on the run.

    An output that nobody asked for is no answer; nor is a file that differs from the one in the ending.
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
    return bodies, described_run(ending, run)


def described_run(ending: Ending, run: str) -> dict[str, Any]:
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
    content = reading.stored_object(platform, f"{stored_names.submission_run_folder(run)}{stream}")
    return None if content is None else content[-LOG_BYTES:]


def _asked(platform: Platform, submission: Submission) -> Mapping[str, Any]:
    """Return the items of a submission's set that it answers, by their ids."""
    groups = frozenset(submission.order.groups)
    items = set_contents(platform, submission)
    return {name: content for name, (item, content) in items.items() if not groups or item.group in groups}


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


# Clause: TS T13, platform §4 shadow
def begin_recomputation(platform: Platform, submission_id: str) -> None:
    """Send for the recomputation of a submission that is scored."""
    platform.shadows.send([ShadowTask("", submission_id=submission_id)])


FORMAT: Final = 1


@dataclass(frozen=True, slots=True)
class Scored:
    """Outcomes of a submission, with the errors of the answer to an item, by the item's id."""

    outcomes: tuple[Outcome, ...]
    missing: tuple[str, ...]
    invalid: Mapping[str, tuple[Reason, ...]]
    warnings: Mapping[str, tuple[Reason, ...]]


def set_contents(platform: Platform, submission: Submission) -> Mapping[str, tuple[Item, Any]]:
    """Return a set's items with their contents, by id, in the order of the manifest. O(items), all in memory."""
    items = reading.manifest(platform, submission.cycle, submission.order.manifest).items
    names = [stored_names.blob_names(submission.cycle, "items", item.content) for item in items]
    stored = platform.blobs.get_all(sorted(set(names)))
    return {item.item_id: (item, json.loads(stored[name])) for item, name in zip(items, names, strict=True)}


# Clause: TS T13, TS T5, TS U-4
def score_items(platform: Platform, submission: Submission, answers: Mapping[str, bytes]) -> Scored:
    """Score every item of a submission's set; one without an answer, or with an invalid one, is a missed one."""
    track, rules = reading.track_of(platform, submission), reading.parameters(platform, submission.parameters_version)
    item_contents = set_contents(platform, submission)
    verdicts = _verdicts(track, item_contents, answers, rules.track)
    valid = {item_id: verdict.canonical for item_id, verdict in verdicts.items() if verdict.valid}
    stored = _references(platform, submission, [item for item, _ in item_contents.values()])
    outcomes = list[Outcome]()
    for item_id, (item, content) in item_contents.items():
        answer = valid.get(item_id)
        references = [stored[sha256] for sha256 in item.references]
        record = track.score(content, answer, references, rules.track)
        outcomes.append(Outcome(ItemFacts(item_id, item.language, item.group), answer is not None, record))
    return Scored(
        tuple(outcomes),
        missing=tuple(outcome.item.item_id for outcome in outcomes if not outcome.answered),
        invalid={item_id: verdict.reasons for item_id, verdict in verdicts.items() if not verdict.valid},
        warnings={item_id: verdict.warnings for item_id, verdict in verdicts.items() if verdict.warnings},
    )


# Clause: TS F-4
def _verdicts(
    track: Track, item_contents: Mapping[str, tuple[Item, Any]], answers: Mapping[str, bytes], parameters: Any
) -> dict[str, Verdict]:
    """Return the verdicts on the answers to a set's items, by the item's id.

    An answer on which its reader fails is invalid.
    """
    verdicts = {}
    for item_id, (_, content) in item_contents.items():
        if item_id not in answers:
            continue
        step = steps_of(track, content, parameters)[0].name
        try:
            verdicts[item_id] = track.validate(content, item_id, step, answers[item_id], parameters)
        except Exception as error:  # noqa: BLE001 -- nothing is read here but what the program wrote
            message = tr("the output cannot be read ({kind})", kind=type(error).__name__)
            verdicts[item_id] = Verdict((Reason("unreadable", message, {}),))
    return verdicts


def counted_answers(platform: Platform, submission: Submission, answers: Mapping[str, bytes]) -> Answers:
    """Return a submission's answers as totals count them, with missing and invalid ones. O(requests)."""
    track, rules = reading.track_of(platform, submission), reading.parameters(platform, submission.parameters_version)
    item_contents = set_contents(platform, submission)
    verdicts = _verdicts(track, item_contents, answers, rules.track)
    valid = {item_id: verdict.canonical for item_id, verdict in verdicts.items() if verdict.valid}
    programs = isinstance(track, AnsweredByProgram)
    stored = _references(platform, submission, [item for item, _ in item_contents.values()]) if programs else {}
    items = []
    for item_id, (item, content) in item_contents.items():
        # A program's item holds many requests, each with an answer of its own to be compared with.
        references = [stored.get(sha256, sha256) for sha256 in item.references]
        requests = set_access.request_digests(track, content, valid.get(item_id), references, rules.track)
        items.append((item_id, item.language, requests))
    return set_access.answers_of(items, None if programs else len(valid))


def _references(platform: Platform, submission: Submission, items: Sequence[Item]) -> Mapping[str, Any]:
    """Return the contents of items' references by their SHA-256."""
    names = {
        sha256: stored_names.blob_names(submission.cycle, "references", sha256)
        for item in items
        for sha256 in item.references
    }
    stored = platform.blobs.get_all(sorted(names.values()))
    return {sha256: json.loads(stored[name]) for sha256, name in names.items()}


# Clause: TS T10
def decide_shown_totals(platform: Platform, submission: Submission, answers: Mapping[str, bytes]) -> Telling:
    """Decide once which totals of a submission over a hidden set are shown, and note it before they are."""
    if not set_access.tells_totals(reading.track_of(platform, submission), submission.order.set_kind):
        return EVERYTHING
    decision = of_submission(platform, submission, lambda: counted_answers(platform, submission, answers))
    noted = {
        name: None if reason is None else reports.described_reasons([reason])[0]
        for name, reason in {"withheld": decision.withheld, "left_out": decision.left_out}.items()
    }
    platform.blobs.put_if_absent(_telling_name(submission), canonical(noted))
    return decision


def _telling_name(submission: Submission) -> str:
    return stored_names.submission_withheld_name(submission.run, submission.order.manifest)


# Clause: TS T10
def withholding_reasons(platform: Platform, submission: Submission) -> Mapping[str, Any]:
    """Return the stored reasons for withholding a submission's totals or breakdowns."""
    note = reading.stored_json(platform, _telling_name(submission))
    return note or {"withheld": None, "left_out": None}


# Clause: TS T10, TS T13, TS U-4, TS U-6
def build_report(
    platform: Platform, submission: Submission, scored: Scored, run: Mapping[str, Any] | None = None
) -> bytes:
    """Return the canonical report of a scored submission; the same facts make the same bytes.

    For a set with published totals it names no item but those without an answer, which its team knows. Where totals
    are withheld it has no result.
    """
    track, rules = reading.track_of(platform, submission), reading.parameters(platform, submission.parameters_version)
    result = track.aggregate(scored.outcomes, rules.track, rules.bootstrap_seed)
    off_board = following.noted_stage(platform, submission)
    noted = withholding_reasons(platform, submission)
    reason, left_out = noted["withheld"], noted["left_out"]
    details = track.details(submission.order.set_kind.value)
    shown_result, sections = (
        reports.told_of(track, details, result, scored.outcomes, breakdowns=left_out is None)
        if reason is None
        else (None, [])
    )
    body = {
        "format": FORMAT,
        "submission": describe_submission(submission),
        "counts": {
            "items": len(scored.outcomes),
            "answered": len(scored.outcomes) - len(scored.missing),
            "missing": len(scored.missing),
        },
        "result": shown_result,
        "sections": sections,
        "missing": list(scored.missing),
        "invalid": reasons_by_item(scored.invalid),
        "warnings": reasons_by_item(scored.warnings),
        "barrier": reports.described_barrier(result if reason is None else None, track),
        "run": run,
        "parameters": reports.reported_parameters(rules),
        "scorer": {"track": track.name, "version": track.version},
        **({"off_board": described_off_board(off_board)} if off_board else {}),
        **({} if reason is None else {"withheld": reason}),
        **({} if left_out is None else {"left_out": left_out}),
    }
    return canonical(body)


def reasons_by_item(reasons: Mapping[str, Sequence[Reason]]) -> list[dict[str, Any]]:
    """Return the reasons of each item, by its id."""
    return [{"item": name, "reasons": reports.described_reasons(reasons[name])} for name in sorted(reasons)]


def describe_submission(submission: Submission) -> dict[str, Any]:
    """Describe a submission for its report."""
    return {
        "submission_id": submission.submission_id,
        "team_id": submission.team_id,
        "cycle": submission.cycle,
        "kind": submission.order.kind.value,
        "set": submission.order.set_name,
        "groups": list(submission.order.groups),
        "bytes": submission.order.upload.size,
        "content_sha256": submission.order.upload.sha256,
        "completed_at": iso(submission.completed_at or 0),
        "day": submission.day,
    }


# Clause: TS U-5, TS T9, R 6.10
def enter_boards(platform: Platform, submission: Submission, scored: Scored) -> None:
    """Enter a submission's claims on the boards, as of a session over the whole set."""
    for entry in entries_of(platform, submission, scored):
        reporting.enter_claim(platform, submission.cycle, reading.track_of(platform, submission), entry)


# Clause: R 6.3
def entries_of(platform: Platform, submission: Submission, scored: Scored) -> tuple[Entry, ...]:
    """Return a submission's claims on the boards; none where a stage keeps it off."""
    if following.noted_stage(platform, submission) is not None:
        return ()
    noted = withholding_reasons(platform, submission)
    if noted["withheld"] is not None:
        return ()
    track, rules = reading.track_of(platform, submission), reading.parameters(platform, submission.parameters_version)
    whole = reading.manifest(platform, submission.cycle, submission.order.manifest).sizes()
    claim = Claim(
        submission.team_id,
        submission.submission_id,
        submission.completed_at or 0,
        submission.order.set_kind,
        rules,
        scored.outcomes,
        submission.order.manifest,
        breakdowns=noted["left_out"] is None,
    )
    return leaderboard.entries_of(claim, whole, track)


def value_of(platform: Platform, submission: Submission, scored: Scored) -> float | None:
    """Return a submission's value on the main board; None where its totals are withheld."""
    if withholding_reasons(platform, submission)["withheld"] is not None:
        return None
    track, rules = reading.track_of(platform, submission), reading.parameters(platform, submission.parameters_version)
    return track.value(track.aggregate(scored.outcomes, rules.track, rules.bootstrap_seed))


_AGAIN_S: Final = 5


@dataclass(frozen=True, slots=True)
class Waiting:
    """A submission is not scored yet; the caller may retry after so many seconds."""

    state: SubmissionState
    again_s: int = _AGAIN_S


# Clause: TS T13, TS T10
def submission_report(platform: Platform, request: Request, submission_id: str) -> bytes | Waiting:
    """Return the stored report of a scored submission; :class:`NotScoredError` if it can have none."""
    submission = uploading.own_submission(platform, request, submission_id)
    if submission.state is SubmissionState.SCORED:
        return platform.blobs.get(stored_names.submission_report_name(submission_id, submission.rescored))
    if submission.is_final or submission.state is SubmissionState.UPLOADING:
        raise NotScoredError
    return Waiting(submission.state)
