"""Submissions as their team, organizers and the commission see them (tracks-sessions T13, F-4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from contest.domain.moments import Millis
from contest.domain.submissions.submission import Submission, SubmissionKind
from contest.errors.submissions import LogsAbsentError
from contest.services.platform import Platform
from contest.services.session.request import Request
from contest.services.submissions import bringing, programs, working


@dataclass(frozen=True, slots=True)
class Shown:
    """A submission with what was found of it."""

    submission: Submission
    missing: Sequence[int]
    failed_at: Millis | None
    reasons: Sequence[Mapping[str, Any]]
    warnings: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Logs:
    """The ends of a program's streams."""

    stdout: bytes
    stderr: bytes


def shown(platform: Platform, found: Submission) -> Shown:
    """A submission as it stands."""
    told = working.checked(platform, found)
    failed_at = working.failed_at(platform, found)
    return Shown(found, bringing.missing(platform, found), failed_at, told["reasons"], told["warnings"])


def page(found: Sequence[Submission], limit: int, after: str | None) -> tuple[Sequence[Submission], str | None]:
    """So many of a list from behind the submission ``after``, and the last one's id where there are more."""
    names = [each.submission_id for each in found]
    begins = names.index(after) + 1 if after in names else 0
    some = found[begins : begins + limit]
    return some, (some[-1].submission_id if some and begins + limit < len(found) else None)


def everybodys(platform: Platform) -> Sequence[Submission]:
    """All teams' submissions but private runs, the newest first."""
    found = [each for each in platform.submissions.listed() if not each.of]
    return sorted(found, key=lambda each: (-each.created_at, each.submission_id))


def logs(platform: Platform, request: Request, submission_id: str) -> Logs:
    """What its latest run in the open has left of stdout and stderr: the last MiB of each; of a private run nothing.

    Clause: TS F-4
    """
    found = bringing.own(platform, request, submission_id)
    if found.order.kind is not SubmissionKind.PROGRAM or found.attempt == 0 or found.of:
        raise LogsAbsentError
    stdout, stderr = (programs.log_of(platform, found.run, each) for each in (programs.STDOUT, programs.STDERR))
    if stdout is None and stderr is None:
        raise LogsAbsentError
    return Logs(stdout or b"", stderr or b"")
