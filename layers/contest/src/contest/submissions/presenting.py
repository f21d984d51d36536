"""Conversion of submissions to their bodies on the wire."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import Final

from contest.edge import web
from contest.edge.web import Reply
from contest.submissions.private import Result
from contest.submissions.rules import given_up_at
from contest.submissions.scoring import Waiting
from contest.submissions.wire import (
    CompletedBody,
    PrivateTestBody,
    SubmissionBody,
    SubmissionLogsBody,
    SubmissionPending,
)
from contest.submissions.working import Logs, Shown
from contest.values import PART

_SHOWN: Final = 1_000_000
"""Characters of a stream in one answer, which holds 6 MB when every one is escaped."""


def submission(shown: Shown) -> SubmissionBody:
    """Return a submission as it stands."""
    return SubmissionBody.from_value(
        shown.submission,
        part_size=PART,
        missing_parts=shown.missing,
        upload_until=given_up_at(shown.submission),
        failed_at=shown.failed_at,
        reasons=shown.reasons,
        warnings=shown.warnings,
    )


def completed(shown: Shown) -> CompletedBody:
    """Return a submission with its receipt."""
    return CompletedBody(submission=submission(shown), **json.loads(shown.submission.receipt))


def report(found: bytes | Waiting) -> Reply:
    """Return a report, or that there is none yet."""
    if isinstance(found, Waiting):
        return web.answer(SubmissionPending(state=found.state), HTTPStatus.ACCEPTED, retry_after_s=found.again_s)
    return web.answer(found)


def logs(found: Logs) -> SubmissionLogsBody:
    """Return the ends of a program's streams."""
    return SubmissionLogsBody(
        stdout=found.stdout.decode("utf-8", "replace")[-_SHOWN:],
        stderr=found.stderr.decode("utf-8", "replace")[-_SHOWN:],
        stdout_bytes=len(found.stdout),
        stderr_bytes=len(found.stderr),
    )


def private_test(found: Result, *, with_runs: bool) -> PrivateTestBody:
    """Return the private test; its runs are for organizers and the commission alone."""
    return PrivateTestBody.from_value(found, runs=found.runs if with_runs else ())
