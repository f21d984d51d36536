"""Bodies of the independent recomputation of results, and of errands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import Field

from contest.results.rules.jobs import ErrandKind, ErrandState
from contest.results.wire.parts import OffBoardBody
from contest.wire import Moment, ReplyBody, RunId

if TYPE_CHECKING:
    from contest.results.rules.recomputation import Recomputed
    from contest.submissions.rules import Recomputed as RecomputedSubmissions


class DifferenceBody(ReplyBody):
    """A cell with different values of platform and recomputation; without a team it concerns the whole run."""

    team_id: str
    session_id: str
    submission_id: str = Field(description="Of the submission, where it is about one; else empty")
    number: int = Field(description="The file's number; 0 for what is about the whole session")
    quantity: str = Field(description="What differs, with the path inside it: `cause`, `result.relative_accuracy`")
    platform: Any = Field(description="The platform's value; null for none")
    shadow: Any = Field(description="The recomputation's value; null for none")
    message: str
    message_ru: str


class RecomputationBody(ReplyBody):
    """Recomputation of a final under its present decisions and annotations: progress and findings."""

    run_id: RunId
    state: Literal["recomputing", "clean", "different"]
    teams: int
    made: int = Field(description="Teams that are recomputed")
    checked: dict[str, int] = Field(description="How many sessions, files, scores and receipts were looked at")
    total: int = Field(description="How many cells differ; the first 1000 are told")
    differences: list[DifferenceBody]


class SubmissionsRecomputationBody(ReplyBody):
    """Recomputation of the cycle's scored submissions as stored at present: progress and findings."""

    state: Literal["recomputing", "clean", "different"]
    submissions: int = Field(description="Scored submissions, private runs among them")
    made: int = Field(description="Submissions that are recomputed")
    checked: dict[str, int] = Field(description="How many submissions and items were looked at")
    total: int = Field(description="How many cells differ; the first 1000 are told")
    differences: list[DifferenceBody]


ErrandId = Annotated[str, Field(pattern=r"^[a-z0-9]{20}$", examples=["8k2m5p7r9t1v3x6z4b0c"])]


class VerificationBody(ReplyBody):
    """Result of rebuilding a session's scores and reports."""

    scores: int
    reports: int
    differences: list[str]
    missing: list[str]
    off_board: OffBoardBody | None = Field(
        None, description="The rule that keeps the session or submission off the board"
    )


class ErrandRefusalBody(ReplyBody):
    """Reason why an errand was refused."""

    code: str
    message: str
    message_ru: str


class ErrandBody(ReplyBody):
    """Work for a worker that takes longer than a request; ask again for its state."""

    errand_id: ErrandId
    kind: ErrandKind
    subject: str = Field(description="The session or the run that it is about")
    asked_at: Moment
    state: ErrandState
    refused: ErrandRefusalBody | None
    verification: VerificationBody | None


_NOTHING: Final[Mapping[str, Any]] = {"checked": {}, "total": 0, "differences": []}


def recomputation_body(run_id: str, recomputed: Recomputed) -> RecomputationBody:
    """Return the findings, cell by cell, or the progress."""
    result = recomputed.result or _NOTHING
    return RecomputationBody(
        run_id=run_id,
        state="recomputing" if recomputed.result is None else "clean" if recomputed.is_clean else "different",
        teams=recomputed.teams,
        made=recomputed.recomputed,
        checked=result["checked"],
        total=result["total"],
        differences=[DifferenceBody(**difference) for difference in result["differences"]],
    )


def of_submissions(recomputed: RecomputedSubmissions) -> SubmissionsRecomputationBody:
    """Return the findings on submissions, cell by cell, or the progress."""
    result = recomputed.result or _NOTHING
    return SubmissionsRecomputationBody(
        state="recomputing" if recomputed.result is None else "clean" if recomputed.is_clean else "different",
        submissions=recomputed.submissions,
        made=recomputed.recomputed,
        checked=result["checked"],
        total=result["total"],
        differences=[DifferenceBody(**difference) for difference in result["differences"]],
    )
