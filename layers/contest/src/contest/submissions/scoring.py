"""Scoring and report of a submission (T10, T13, U-4, U-5)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from contest import reading, stored_names
from contest.cycle.rules.cycle import Item
from contest.cycle.rules.stages import described_off_board
from contest.platform import Platform
from contest.results import annulments, reporting
from contest.results.boards import EVERYTHING, Telling, of_submission
from contest.results.rules import hidden_sets, leaderboard, reports
from contest.results.rules.hidden_sets import Answers
from contest.results.rules.leaderboard import Claim, Entry
from contest.session.access import Request
from contest.submissions import uploading
from contest.submissions.errors import NotScoredError
from contest.submissions.rules import Submission, SubmissionState
from contest.texts import tr
from contest.values import canonical, iso
from markup_core.lazy import dataclass
from tracks.capabilities import AnsweredByProgram, steps_of
from tracks.protocol import ItemFacts, Outcome, Reason, Track, Verdict

FORMAT: Final = 1


@dataclass(frozen=True, slots=True)
class Scored:
    """Outcomes of a submission, with the errors of the answer to an item, by the item's id."""

    outcomes: tuple[Outcome, ...]
    missing: tuple[str, ...]
    invalid: Mapping[str, tuple[Reason, ...]]
    warnings: Mapping[str, tuple[Reason, ...]]


def contents(platform: Platform, submission: Submission) -> Mapping[str, tuple[Item, Any]]:
    """Return a set's items with their contents, by id, in the order of the manifest. O(items), all in memory."""
    items = reading.manifest(platform, submission.cycle, submission.order.manifest).items
    names = [stored_names.blob_names(submission.cycle, "items", item.content) for item in items]
    stored = platform.blobs.get_all(sorted(set(names)))
    return {item.item_id: (item, json.loads(stored[name])) for item, name in zip(items, names, strict=True)}


# Clause: TS T13, TS T5, TS U-4
def score(platform: Platform, submission: Submission, answers: Mapping[str, bytes]) -> Scored:
    """Score every item of a submission's set; one without an answer, or with an invalid one, is a missed one."""
    track, rules = reading.track_of(platform, submission), reading.parameters(platform, submission.parameters_version)
    item_contents = contents(platform, submission)
    stored = _references(platform, submission, [item for item, _ in item_contents.values()])
    outcomes, missing = list[Outcome](), list[str]()
    invalid, warnings = dict[str, tuple[Reason, ...]](), dict[str, tuple[Reason, ...]]()
    for item_id, (item, content) in item_contents.items():
        answer = None
        if item_id in answers:
            step = steps_of(track, content, rules.track)[0].name
            verdict = _judged(track, content, item_id, step, answers[item_id], rules.track)
            if verdict.valid:
                answer = verdict.canonical
            else:
                invalid[item_id] = verdict.reasons
            if verdict.warnings:
                warnings[item_id] = verdict.warnings
        if answer is None:
            missing.append(item_id)
        references = [stored[sha256] for sha256 in item.references]
        record = track.score(content, answer, references, rules.track)
        outcomes.append(Outcome(ItemFacts(item_id, item.language, item.group), answer is not None, record))
    return Scored(tuple(outcomes), tuple(missing), invalid, warnings)


# Clause: TS F-4
def _judged(track: Track, content: Any, item_id: str, step: str, body: bytes, parameters: Any) -> Verdict:
    """Return the verdict on an output; an output on which its reader fails is invalid."""
    try:
        return track.validate(content, item_id, step, body, parameters)
    except Exception as error:  # noqa: BLE001 -- nothing is read here but what the program wrote
        kind = type(error).__name__
        message = tr("the output cannot be read ({kind})", kind=kind)
        return Verdict((Reason("unreadable", message, {}),))


def counted(platform: Platform, submission: Submission, answers: Mapping[str, bytes]) -> Answers:
    """Return a submission's answers as totals count them, with missing and invalid ones. O(requests)."""
    track, rules = reading.track_of(platform, submission), reading.parameters(platform, submission.parameters_version)
    item_contents = contents(platform, submission)
    valid = dict(_valid_answers(track, item_contents, answers, rules.track))
    programs = isinstance(track, AnsweredByProgram)
    stored = _references(platform, submission, [item for item, _ in item_contents.values()]) if programs else {}
    items = []
    for item_id, (item, content) in item_contents.items():
        # A program's item holds many requests, each with an answer of its own to be compared with.
        references = [stored.get(sha256, sha256) for sha256 in item.references]
        requests = hidden_sets.counted(track, content, valid.get(item_id), references, rules.track)
        items.append((item_id, item.language, requests))
    return hidden_sets.answers_of(items, None if programs else len(valid))


def _valid_answers(
    track: Track, item_contents: Mapping[str, tuple[Item, Any]], answers: Mapping[str, bytes], parameters: Any
) -> Iterator[tuple[str, Any]]:
    """Yield each item with its answer in canonical form, where it is valid."""
    for item_id, (_, content) in item_contents.items():
        if item_id in answers:
            step = steps_of(track, content, parameters)[0].name
            verdict = _judged(track, content, item_id, step, answers[item_id], parameters)
            if verdict.valid:
                yield item_id, verdict.canonical


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
def decide(platform: Platform, submission: Submission, answers: Mapping[str, bytes]) -> Telling:
    """Decide once which totals of a submission over a hidden set are shown, and note it before they are."""
    if not hidden_sets.tells_totals(reading.track_of(platform, submission), submission.order.set_kind):
        return EVERYTHING
    decision = of_submission(platform, submission, lambda: counted(platform, submission, answers))
    noted = {
        name: None if reason is None else reports.described_reasons([reason])[0]
        for name, reason in {"withheld": decision.withheld, "left_out": decision.left_out}.items()
    }
    platform.blobs.put_if_absent(_telling_name(submission), canonical(noted))
    return decision


def _telling_name(submission: Submission) -> str:
    return stored_names.submission_withheld_name(submission.run, submission.order.manifest)


# Clause: TS T10
def telling(platform: Platform, submission: Submission) -> Mapping[str, Any]:
    """Return the stored reasons for withholding a submission's totals or breakdowns."""
    note = reading.stored_json(platform, _telling_name(submission))
    return note or {"withheld": None, "left_out": None}


# Clause: TS T10, TS T13, TS U-4, TS U-6
def report(platform: Platform, submission: Submission, scored: Scored, run: Mapping[str, Any] | None = None) -> bytes:
    """Return the canonical report of a scored submission; the same facts make the same bytes.

    Of a set of which totals are told it names no item but those without an answer, which its team knows. Where they are
    withheld it has no result.
    """
    track, rules = reading.track_of(platform, submission), reading.parameters(platform, submission.parameters_version)
    result = track.aggregate(scored.outcomes, rules.track, rules.bootstrap_seed)
    off_board = annulments.noted_stage(platform, submission)
    noted = telling(platform, submission)
    reason, left_out = noted["withheld"], noted["left_out"]
    details = track.details(submission.order.set_kind.value)
    shown_result, sections = (
        reports.told_of(track, details, result, scored.outcomes, breakdowns=left_out is None)
        if reason is None
        else (None, [])
    )
    body = {
        "format": FORMAT,
        "submission": described(submission),
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


def described(submission: Submission) -> dict[str, Any]:
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
        reporting.enter(platform, submission.cycle, reading.track_of(platform, submission), entry)


# Clause: R 6.3
def entries_of(platform: Platform, submission: Submission, scored: Scored) -> tuple[Entry, ...]:
    """Return a submission's claims on the boards; none where a stage keeps it off."""
    if annulments.noted_stage(platform, submission) is not None:
        return ()
    noted = telling(platform, submission)
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
    if telling(platform, submission)["withheld"] is not None:
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
    submission = uploading.own(platform, request, submission_id)
    if submission.state is SubmissionState.SCORED:
        return platform.blobs.get(stored_names.submission_report_name(submission_id, submission.rescored))
    if submission.is_final or submission.state is SubmissionState.UPLOADING:
        raise NotScoredError
    return Waiting(submission.state)
