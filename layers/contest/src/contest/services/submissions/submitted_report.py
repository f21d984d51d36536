"""The report of a submission, once it is scored (tracks-sessions T13)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from contest import stored_names
from contest.domain.submissions.submission import SubmissionState
from contest.errors.submissions import NotScoredError
from contest.services.platform import Platform
from contest.services.session.request import Request
from contest.services.submissions import bringing

_AGAIN_S: Final = 5


@dataclass(frozen=True, slots=True)
class Waiting:
    """A submission is not scored yet; whoever asks may come again after so many seconds."""

    state: SubmissionState
    again_s: int = _AGAIN_S


def report(platform: Platform, request: Request, submission_id: str) -> bytes | Waiting:
    """The stored report of a scored submission; :class:`NotScoredError` of one that never will have any.

    Clause: TS T13, TS T10
    """
    found = bringing.own(platform, request, submission_id)
    if found.state is SubmissionState.SCORED:
        return platform.blobs.get(stored_names.submission_report_name(submission_id, found.rescored))
    if found.is_final or found.state is SubmissionState.UPLOADING:
        raise NotScoredError
    return Waiting(found.state)
