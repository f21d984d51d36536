"""Bodies of submissions and the private test, of rescorings, recomputation, and errands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import Field
from typing_extensions import TypeAliasType

from contest.cycle.wire.cycle import Name
from contest.results.rules.jobs import ErrandKind, ErrandState
from contest.results.rules.rescoring import Decided, Selection
from contest.results.wire import OffBoardBody, Words
from contest.submissions.rules import MOST_PARTS, FailureCause, SubmissionKind, SubmissionState, Wish
from contest.values import PART
from contest.wire import (
    EMPTY_IS_NULL,
    DecisionReason,
    Json,
    Moment,
    RealDay,
    ReplyBody,
    RequestBody,
    RunId,
    SessionId,
    Sha256,
    attribute,
    of_track,
)

if TYPE_CHECKING:
    from contest.results.rules.rescoring import Recomputed


SubmissionId = TypeAliasType(
    "SubmissionId",
    Annotated[
        SessionId, Field(description="A submission's id, in the form of a session's, so that boards name either")
    ],
)


class SubmissionRequest(RequestBody):
    """A file to upload: the answers to a whole set, or an archive with a program."""

    kind: Annotated[SubmissionKind, Field(strict=False)]
    bytes: int = Field(ge=1, description="Size of the file")
    sha256: Sha256
    parts: list[Sha256] | None = Field(
        default=None,
        min_length=1,
        max_length=MOST_PARTS,
        description=f"SHA-256 of each part, of {PART} bytes but the last one; may be left out of a file of one part",
    )
    set: Name | None = Field(default=None, description="The answered set; by default the cycle's only test set")
    groups: list[Annotated[str, Field(min_length=1, max_length=100)]] = Field(
        default_factory=list,
        max_length=100,
        description="Answered groups (subtasks) of the set; by default all. The others count 0",
    )

    def wish(self) -> Wish:
        """Return the order in the service's form."""
        parts = None if self.parts is None else tuple(self.parts)
        return Wish(self.kind, self.bytes, self.sha256, parts, self.set, tuple(dict.fromkeys(self.groups)))


class DeclarationRequest(RequestBody):
    """A team's declaration of its model's size (F-8)."""

    total_parameters: int = Field(ge=1, le=10**15)
    shared_parameters: int = Field(ge=0, le=10**15, description="Parameters that every subtask uses")


class NamingRequest(RequestBody):
    """A team's choice of submissions for the private test (F-7); an empty list: its best by the board."""

    submissions: list[SubmissionId] = Field(max_length=2)


class SubmissionReason(ReplyBody):
    """An error or a remark on a submission."""

    code: str
    message: str
    message_ru: str
    where: dict[str, Any] = Field(description="The place in the file")


class SentenceInTwo(Words):
    """A sentence in both languages."""


class DeclarationBody(ReplyBody):
    """A team's declaration of its model's size, with the commission's decision."""

    total_parameters: int = attribute("total")
    shared_parameters: int = attribute("shared")
    shared_share: float = Field(description="Share of all parameters, from 0 to 1")
    declared_at: Moment = attribute("at")
    confirmed: bool | None = Field(description="null: not decided")
    reason: str


class SubmissionLine(ReplyBody):
    """A submission in a list."""

    submission_id: SubmissionId
    team_id: str
    kind: SubmissionKind = attribute("order.kind")
    set: str = attribute("order.set_name")
    groups: list[str] = attribute("order.groups", description="Empty: all of the set's")
    state: SubmissionState
    created_at: Moment
    completed_at: Moment | None
    ended_at: Moment | None
    day: Annotated[str | None, EMPTY_IS_NULL] = Field(description="Day in the cycle's time zone for which it counts")
    cause: FailureCause | None = Field(description="Cause of a failure")
    attempt: int = Field(description="Number of started runs of its program")
    value: float | None = Field(description="Value on the main board, once scored")
    named: bool = attribute("is_named", description="Whether its team has named it for the private test")
    declaration: DeclarationBody | None


class SubmissionBody(SubmissionLine):
    """A submission with its state."""

    bytes: int = attribute("order.upload.size")
    sha256: Sha256 = attribute("order.upload.sha256")
    part_size: int = Field(description="Bytes of every part but the last one")
    missing_parts: list[int] = Field(description="Numbers of the missing parts, from 1")
    upload_until: Moment | None = Field(description="Deadline of an upload, which is then refused")
    failed_at: Moment | None = Field(description="When its worker failed for good")
    reasons: list[SubmissionReason] = Field(description="Why it was refused")
    warnings: list[SubmissionReason]


class LeftBody(ReplyBody):
    """Submissions that a team may still complete today."""

    scored: int
    unscored: int
    resets_at: Moment


class SubmissionsBody(ReplyBody):
    """Submissions, the newest first."""

    submissions: list[SubmissionLine]
    next: str | None = Field(description="`after` of the next page; null at the end")
    left_today: LeftBody | None = Field(description="Only in a team's own list")


class SubmissionReceipt(ReplyBody):
    """The signed content: canonical JSON (sorted keys, no blanks, UTF-8) of exactly these fields."""

    format: int = Field(examples=[1])
    submission_id: SubmissionId
    team_id: str
    cycle: str
    track: str
    kind: SubmissionKind
    set: str
    bytes: int
    content_sha256: Sha256
    received_at: Moment
    day: str
    key_id: str = Field(pattern="^[0-9a-f]{16}$")


class CompletedBody(ReplyBody):
    """An accepted submission with its receipt; a repetition returns the same."""

    submission: SubmissionBody
    receipt: SubmissionReceipt
    signature: str = Field(description="64 bytes, base64, over the canonical JSON of `receipt`")


class SubmissionLogsBody(ReplyBody):
    """The last part of a program's streams; of each at most the last MiB is stored."""

    stdout: str
    stderr: str
    stdout_bytes: int = Field(description="Number of stored bytes")
    stderr_bytes: int


class ItemReasons(ReplyBody):
    """Remarks on one answer."""

    item: str
    reasons: list[SubmissionReason]


class SubmissionCounts(ReplyBody):
    """Items of the set."""

    items: int
    answered: int
    missing: int = Field(description="Items without a valid answer: they count as wrong")


class RunOfProgram(ReplyBody):
    """The run of a program."""

    run: str
    machine: str
    image_digest: str | None
    exit_code: int | None
    seconds: float = Field(description="Seconds of the entry point alone")
    not_enforced: list[SentenceInTwo] = Field(description="Limits that the machine did not enforce")


class SubmissionReport(ReplyBody):
    """The report of a scored submission, the same bytes for ever."""

    format: int
    submission: dict[str, Any]
    counts: SubmissionCounts
    result: Json = of_track("aggregate", description="The track's result; of a hidden set its totals", nullable=True)
    sections: list[dict[str, Any]]
    missing: list[str] = Field(description="Ids of the items without an answer")
    invalid: list[ItemReasons]
    warnings: list[ItemReasons]
    barrier: dict[str, Any]
    run: RunOfProgram | None
    parameters: dict[str, Any]
    scorer: dict[str, Any]
    off_board: OffBoardBody | None = Field(
        None, description="Handed in outside the qualification's days, and kept off the board by the cycle's rule"
    )
    withheld: SubmissionReason | None = Field(
        None, description="Why a program's totals over a hidden set are withheld; then `result` is null"
    )
    left_out: SubmissionReason | None = Field(None, description="Why breakdowns over a hidden set are withheld")


class RerunRequest(RequestBody):
    """Reason to rerun a submission that failed by the platform's fault."""

    reason: DecisionReason


class DeclarationDecision(RequestBody):
    """The commission's decision about a declaration."""

    confirmed: bool
    reason: DecisionReason


class PrivateTestRequest(RequestBody):
    """The final set of the private test."""

    set: Name


class PrivatePublicationRequest(RequestBody):
    """Reason to publish the private test now."""

    reason: DecisionReason


class PrivateRunBody(ReplyBody):
    """A private run."""

    submission_id: SubmissionId = Field(description="Id of the run")
    of: SubmissionId = Field(description="The submission that is run")
    team_id: str
    set: str = attribute("order.set_name")
    state: SubmissionState
    cause: FailureCause | None
    value: float | None


class PrivatePlaceBody(ReplyBody):
    """A team's place on one of the final boards; none: a baseline."""

    board: str
    team_id: str
    place: int | None
    value: float | None
    overcame: bool | None


class AwardBody(ReplyBody):
    """Prize money."""

    team_id: str = attribute("team")
    board: str
    place: int
    roubles: float


class PrivateTestBody(ReplyBody):
    """The private test: runs (for organizers and the commission alone), final boards, prizes."""

    published: bool
    runs: list[PrivateRunBody]
    places: list[PrivatePlaceBody]
    awards: list[AwardBody]


class DifferenceBody(ReplyBody):
    """A cell with different values of platform and recomputation; without a team it concerns the whole run."""

    team_id: str
    session_id: str
    submission_id: str = Field(description="The submission, if it concerns one; else empty")
    number: int = Field(description="The file's number; 0 for what is about the whole session")
    quantity: str = Field(description="Differing value, with the path inside it: `cause`, `result.relative_accuracy`")
    platform: Any = Field(description="The platform's value; null for none")
    shadow: Any = Field(description="The recomputation's value; null for none")
    message: str
    message_ru: str


class RecomputationBody(ReplyBody):
    """Recomputation of a final under its present decisions and annotations: progress and findings."""

    run_id: RunId
    state: Literal["recomputing", "clean", "different"]
    teams: int
    made: int = Field(description="Number of recomputed teams")
    checked: dict[str, int] = Field(description="Number of checked sessions, files, scores and receipts")
    total: int = Field(description="Number of differing cells; the first 1000 are listed")
    differences: list[DifferenceBody]


class SubmissionsRecomputationBody(ReplyBody):
    """Recomputation of the cycle's scored submissions as stored at present: progress and findings."""

    state: Literal["recomputing", "clean", "different"]
    submissions: int = Field(description="Scored submissions, private runs among them")
    made: int = Field(description="Number of recomputed submissions")
    checked: dict[str, int] = Field(description="Number of checked submissions and items")
    total: int = Field(description="Number of differing cells; the first 1000 are listed")
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
    until: RealDay | None = Field(default=None, description="The last such day")
    parameters_version: int | None = Field(
        default=None, ge=1, description="By default the cycle's present one; of a final its own"
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
    """Reason to accept or discard a rescoring."""

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


class RescoringRefusedBody(ErrandRefusalBody):
    """Reason why a final's annotations cannot be imported: discard the rescoring, mend that, begin again."""


class RescoringBody(ReplyBody):
    """A rescoring: `made` of `total` sessions and submissions are rescored; `applied` already use an accepted one."""

    rescoring_id: RunId
    state: Decided
    begun_at: Moment
    reason: str
    parameters_version: int
    final: RunId | None = Field(description="The rescored final; null for other sessions")
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
        description="It keeps its earlier references: by corrected ones its totals would differ in too few hidden items"
    )
    old: ScoredByBody
    new: ScoredByBody
    metrics: dict[str, MetricBody]


class BoardPlaceBody(ReplyBody):
    """A team's place and value on a board."""

    place: int | None
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

    held_back: int = Field(description="Number of results that keep their earlier references")
    sessions: list[RescoredSessionBody]
    boards: list[RescoredBoardBody]


class RescoringsBody(ReplyBody):
    """All rescorings, the latest first."""

    rescorings: list[RescoringBody]


class ScoringRedriveRequest(RequestBody):
    """Run whose answers are queued again; null: of all. Answers missing in the outbox are found, too."""

    run: RunId | None = None


class WaitingBody(ReplyBody):
    """A session with answers that wait for scores, and the moment of the oldest one."""

    session_id: SessionId
    answers: int
    oldest: Moment


class WaitingListBody(ReplyBody):
    """Sessions that wait for scores."""

    sessions: list[WaitingBody]


class ScoringRedrivenBody(ReplyBody):
    """Number of answers put into the queue again."""

    enqueued: int
