"""Bodies of rescorings, of the independent recomputation of results, and of errands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import Field

from contest.results.rules.jobs import ErrandKind, ErrandState
from contest.results.rules.rescoring import Decided, Selection
from contest.results.wire.boards import OffBoardBody
from contest.wire import DecisionReason, Moment, RealDay, ReplyBody, RequestBody, RunId, SessionId

if TYPE_CHECKING:
    from contest.results.rules.rescoring import Recomputed


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
    """Return the findings on a final, cell by cell, or the progress."""
    return RecomputationBody(run_id=run_id, teams=recomputed.whole, **_findings(recomputed))


def of_submissions(recomputed: Recomputed) -> SubmissionsRecomputationBody:
    """Return the findings on submissions, cell by cell, or the progress."""
    return SubmissionsRecomputationBody(submissions=recomputed.whole, **_findings(recomputed))


def _findings(recomputed: Recomputed) -> dict[str, Any]:
    result = recomputed.result or _NOTHING
    return {
        "state": "recomputing" if recomputed.result is None else "clean" if recomputed.is_clean else "different",
        "made": recomputed.recomputed,
        "checked": result["checked"],
        "total": result["total"],
        "differences": [DifferenceBody(**difference) for difference in result["differences"]],
    }


class RescoringRequest(RequestBody):
    """Selection of closed sessions and scored submissions to rescore, and the parameters. All conditions apply.

    A submission is named among the sessions, its mode is its kind, and it is of no run.
    A final is scored anew as a whole: its run is named and nothing else; without a version by that of its start.
    """

    sessions: list[SessionId] = Field(default_factory=list, max_length=300)
    team_id: str | None = None
    run_id: RunId | None = None
    set: str | None = None
    mode: Literal["algorithmic", "technical", "answers", "program"] | None = None
    since: RealDay | None = Field(
        default=None, description="The first UTC day on which sessions were closed, submissions handed in"
    )
    until: RealDay | None = Field(default=None, description="The last one")
    parameters_version: int | None = Field(
        default=None, ge=1, description="Without it the cycle's present one; of a final its own"
    )
    reason: DecisionReason

    def selection(self) -> Selection:
        """Return the selection."""
        return Selection(
            sessions=tuple(self.sessions),
            team_id=self.team_id or "",
            run_id=self.run_id or "",
            set_name=self.set or "",
            mode=self.mode or "",
            since=self.since or "",
            until=self.until or "",
        )


class RescoringDecisionRequest(RequestBody):
    """Tell why a rescoring is accepted or discarded."""

    reason: DecisionReason


class SelectionBody(ReplyBody):
    """The selection; empty fields are no condition."""

    sessions: list[SessionId]
    team_id: str
    run_id: str
    set_name: str
    mode: str
    since: str
    until: str


class RescoringRefusedBody(ReplyBody):
    """Reason why a final's annotations cannot be imported: discard the rescoring, mend that, begin again."""

    code: str
    message: str
    message_ru: str


class RescoringBody(ReplyBody):
    """A rescoring: `made` of `total` sessions and submissions are rescored; `applied` already use an accepted one."""

    rescoring_id: RunId
    state: Decided
    begun_at: Moment
    reason: str
    parameters_version: int
    final: RunId | None = Field(description="The final whose results it makes anew; null for other sessions")
    refused: RescoringRefusedBody | None
    selection: SelectionBody
    total: int
    made: int
    applied: int
    decided_reason: str


class MetricBody(ReplyBody):
    """A figure of a session's result, before and after."""

    old: float | None
    new: float | None
    difference: float | None


class ScoredByBody(ReplyBody):
    """Parameters and conclusion of a scored session or submission."""

    parameters_version: int
    ready: bool | None = Field(description="null where the contest knows no readiness")


class RescoredSessionBody(ReplyBody):
    """A session or submission, old and new side by side; a submission's `mode` is `answers` or `program`."""

    session_id: SessionId
    team_id: str
    mode: str
    set: str
    held_back: bool = Field(
        description="It keeps the references that it had: by corrected ones its totals would differ in too few hidden"
        " items"
    )
    old: ScoredByBody
    new: ScoredByBody
    metrics: dict[str, MetricBody]


class BoardPlaceBody(ReplyBody):
    """A team's place on a board, with its relative accuracy in per cent."""

    place: int
    value: float | None


class RescoredRowBody(ReplyBody):
    """A team on a board, old and new; null where it is not on the board."""

    team_id: str
    old: BoardPlaceBody | None
    new: BoardPlaceBody | None


class RescoredBoardBody(ReplyBody):
    """A board that changes, in its new order."""

    language: str
    rows: list[RescoredRowBody]


class RescoringDetailsBody(RescoringBody):
    """A rescoring with every session, submission and board, old and new side by side."""

    held_back: int = Field(description="So many of the results keep the references that they had")
    sessions: list[RescoredSessionBody]
    boards: list[RescoredBoardBody]


class RescoringsBody(ReplyBody):
    """All rescorings, the latest first."""

    rescorings: list[RescoringBody]
