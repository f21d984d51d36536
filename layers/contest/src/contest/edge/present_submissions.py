"""Submissions as answers on the wire."""

from __future__ import annotations

import json
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any, Final

from contest.contracts import submissions as wire
from contest.domain.moments import iso, iso_or_none
from contest.domain.submissions.submission import Declaration, Submission, given_up_at
from contest.domain.uploads import PART
from contest.edge import web
from contest.edge.web import Reply
from contest.services.submissions.bringing import Left
from contest.services.submissions.private import Result
from contest.services.submissions.showing import Logs, Shown
from contest.services.submissions.submitted_report import Waiting

_SHOWN: Final = 1_000_000
"""Characters of a stream in one answer, which holds 6 MB when every one is escaped."""


def line(found: Submission) -> wire.SubmissionLine:
    """A submission in a list."""
    return wire.SubmissionLine(**_line(found))


def submission(shown: Shown) -> wire.SubmissionBody:
    """A submission as it stands."""
    found = shown.submission
    return wire.SubmissionBody(
        **_line(found),
        bytes=found.order.upload.size,
        sha256=found.order.upload.sha256,
        part_size=PART,
        missing_parts=list(shown.missing),
        upload_until=iso_or_none(given_up_at(found)),
        failed_at=iso_or_none(shown.failed_at),
        reasons=[wire.SubmissionReason(**each) for each in shown.reasons],
        warnings=[wire.SubmissionReason(**each) for each in shown.warnings],
    )


def submissions(found: Sequence[Submission], following: str | None, left: Left | None) -> wire.SubmissionsBody:
    """A page of a list."""
    told = None
    if left is not None:
        told = wire.LeftBody(scored=left.scored, unscored=left.unscored, resets_at=iso(left.resets_at))
    return wire.SubmissionsBody(submissions=[line(each) for each in found], next=following, left_today=told)


def completed(shown: Shown) -> wire.CompletedBody:
    """A submission with its receipt."""
    return wire.CompletedBody(submission=submission(shown), **json.loads(shown.submission.receipt))


def report(found: bytes | Waiting) -> Reply:
    """A report, or that there is none yet."""
    if isinstance(found, Waiting):
        return web.answer(wire.SubmissionPending(state=found.state), HTTPStatus.ACCEPTED, retry_after_s=found.again_s)
    return web.answer(found)


def logs(found: Logs) -> wire.SubmissionLogsBody:
    """The ends of a program's streams."""
    return wire.SubmissionLogsBody(
        stdout=found.stdout.decode("utf-8", "replace")[-_SHOWN:],
        stderr=found.stderr.decode("utf-8", "replace")[-_SHOWN:],
        stdout_bytes=len(found.stdout),
        stderr_bytes=len(found.stderr),
    )


def _line(found: Submission) -> dict[str, Any]:
    return {
        "submission_id": found.submission_id,
        "team_id": found.team_id,
        "kind": found.order.kind,
        "set": found.order.set_name,
        "groups": list(found.order.groups),
        "state": found.state,
        "created_at": iso(found.created_at),
        "completed_at": iso_or_none(found.completed_at),
        "ended_at": iso_or_none(found.ended_at),
        "day": found.day or None,
        "cause": found.cause,
        "attempt": found.attempt,
        "value": found.value,
        "named": found.named_at is not None,
        "declaration": _declaration(found.declaration),
    }


def _declaration(said: Declaration | None) -> wire.DeclarationBody | None:
    if said is None:
        return None
    return wire.DeclarationBody(
        total_parameters=said.total,
        shared_parameters=said.shared,
        shared_share=said.shared / said.total,
        declared_at=iso(said.at),
        confirmed=said.confirmed,
        reason=said.reason,
    )


def private_test(found: Result, *, with_runs: bool) -> wire.PrivateTestBody:
    """The private test; of its runs organizers and the commission are told alone."""
    runs = [
        wire.PrivateRunBody(
            submission_id=each.submission_id,
            of=each.of,
            team_id=each.team_id,
            set=each.order.set_name,
            state=each.state,
            cause=each.cause,
            value=each.value,
        )
        for each in found.runs
        if with_runs
    ]
    places = [
        wire.PrivatePlaceBody(
            board=each.board, team_id=each.team_id, place=each.place, value=each.value, overcame=each.overcame
        )
        for each in found.places
    ]
    awards = [
        wire.AwardBody(team_id=each.team, board=each.board, place=each.place, roubles=each.roubles)
        for each in found.awards
    ]
    return wire.PrivateTestBody(published=found.published, runs=runs, places=places, awards=awards)
