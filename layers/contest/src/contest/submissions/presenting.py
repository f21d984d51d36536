"""Conversion of submissions to their bodies on the wire."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from contest.edge import web
from contest.results import presenting as reports
from contest.submissions.rules import given_up_at
from contest.submissions.wire import CompletedBody, PrivateTestBody, SubmissionBody, SubmissionLogsBody
from contest.values import PART

if TYPE_CHECKING:
    from contest.edge.web import Reply
    from contest.submissions.private import Result
    from contest.submissions.scoring import Waiting
    from contest.submissions.worker import Logs, Shown

_SHOWN: Final = 1_000_000
"""Characters of a stream in one answer, which holds 6 MB when every one is escaped."""


def submission(view: Shown) -> SubmissionBody:
    """Return the body of a submission."""
    return SubmissionBody.from_value(
        view.submission,
        part_size=PART,
        missing_parts=view.missing,
        upload_until=given_up_at(view.submission),
        failed_at=view.failed_at,
        reasons=view.reasons,
        warnings=view.warnings,
    )


def completed(view: Shown) -> CompletedBody:
    """Return a submission with its receipt."""
    return CompletedBody(submission=submission(view), **json.loads(view.submission.receipt))


def report(content: bytes | Waiting) -> Reply:
    """Return a report, or that there is none yet."""
    return web.answer(content) if isinstance(content, bytes) else reports.waiting(content)


def logs(streams: Logs) -> SubmissionLogsBody:
    """Return the ends of a program's streams."""
    return SubmissionLogsBody(
        stdout=streams.stdout.decode("utf-8", "replace")[-_SHOWN:],
        stderr=streams.stderr.decode("utf-8", "replace")[-_SHOWN:],
        stdout_bytes=len(streams.stdout),
        stderr_bytes=len(streams.stderr),
    )


def private_test(result: Result, *, with_runs: bool) -> PrivateTestBody:
    """Return the private test; its runs are for organizers and the commission alone."""
    return PrivateTestBody.from_value(result, runs=result.runs if with_runs else ())
