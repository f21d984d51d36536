"""Bodies of runs: signed statements about them, requests and views of those who conduct them.

A statement (platform §3; docs/fairness.md) goes out as it was signed: no field is added, none is left out. So every
part that only some statements have is a form of its own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from contest.cycle.rules.cycle import GREATEST_NUMBER, MAX_FILES, Mode
from contest.results.rules.jobs import Settled
from contest.results.wire import Statistics
from contest.run.rules.commitment import published_rulings
from contest.run.rules.run import Kind
from contest.run.rules.schedule import ArmedBy, RunState, Schedule
from contest.session.rules.delivery import Cause, FileState
from contest.session.rules.session import State
from contest.session.wire import AbsentTeamBody, NoticeBody, ReportRun, ReportRunLimits, WatchedTeamBody
from contest.values import SECOND, Millis
from contest.wire import (
    DecisionReason,
    FileId,
    FileNumber,
    Format,
    KeyId,
    Moment,
    RealMoment,
    ReplyBody,
    RequestBody,
    RunId,
    RunLimits,
    SessionId,
    Sha256,
    Signature,
    TeamId,
    attribute,
    run_limits,
)

Previous = Annotated[Sha256, Field(description="SHA-256 of the canonical JSON of the statement before: a chain")]


class StatementLimits(ReportRunLimits):
    """A run's limits in milliseconds."""


class CommitmentStatement(ReplyBody):
    """Commitment before a run to its times, and by a Merkle root to its files."""

    format: Format
    kind: Literal["commitment"]
    run_id: RunId
    cycle: str
    track: str
    mode: Mode
    trial: bool
    restarts: RunId | None
    files: int
    starts_at: Moment
    interval_ms: int
    limits: StatementLimits
    root: Sha256
    made_at: Moment
    key_id: KeyId


class CommitmentBody(ReplyBody):
    """The commitment before a run; `signature` is 64 bytes, base64, over the canonical JSON of `statement`."""

    statement: CommitmentStatement
    signature: Signature


class PauseBody(ReplyBody):
    """Nothing opens from `from` until just before `until`."""

    start: Moment = Field(alias="from")
    until: Moment


class OpeningBody(ReplyBody):
    """The next file to open."""

    number: int
    opens_at: Moment


class NoDetails(ReplyBody):
    """A pause, a resumption, or a stop without a restart."""


class StopDetails(ReplyBody):
    """A stop for a restart, by the name of the run that follows."""

    successor: RunId


class VoidDetails(ReplyBody):
    """Files that are void for everybody."""

    numbers: list[int]


class ReplaceDetails(ReplyBody):
    """Files that are replaced: the appended ones begin with the number `first` in the slot `slot`, and `root` commits
    to them."""

    numbers: list[int]
    first: int
    slot: int
    root: Sha256


class AdmitDetails(ReplyBody):
    """The team that may take part from then on, though the time to join is over."""

    team_id: str


class UndoDetails(ReplyBody):
    """Number of the decision that is undone."""

    amendment: int


class SealedDetails(ReplyBody):
    """A ruling on one team's file, or its reversal: the SHA-256 of the canonical JSON that opens it."""

    seal: Sha256


class AmendmentStatement(ReplyBody):
    """A decision about a run. A ruling concerns one team: before the record is published, the chain has its seal."""

    format: Format
    kind: Literal["amendment"]
    run_id: RunId
    number: int
    amendment: Literal["pause", "resume", "stop", "void", "replace", "admit", "undo", "sealed"]
    at: Moment
    effective_at: Moment
    reason: str
    details: ReplaceDetails | VoidDetails | AdmitDetails | UndoDetails | SealedDetails | StopDetails | NoDetails
    previous: Previous
    key_id: KeyId


class RuledDetails(ReplyBody):
    """The cause that the commission gave a team's missed file."""

    team_id: str
    number: int
    cause: Cause


class OpenedRuling(ReplyBody):
    """The ruling under a seal: the SHA-256 of its canonical JSON is the `seal` of the statement with its number."""

    run_id: RunId
    number: int
    amendment: Literal["rule", "undo"]
    reason: str
    details: RuledDetails | UndoDetails
    salt: Sha256


class RosterStatement(ReplyBody):
    """The number of teams in a run, and the SHA-256 of the canonical JSON of their pairs of team and session."""

    format: Format
    kind: Literal["roster"]
    run_id: RunId
    sessions: int
    sessions_sha256: Annotated[Sha256, Field(description="Over `[[team_id, session_id], …]`, sorted")]
    made_at: Moment
    previous: Annotated[Sha256, Field(description="SHA-256 of the canonical JSON of the commitment")]
    key_id: KeyId


class RecordStatement(ReplyBody):
    """Signed statement after a run: the hash of its record."""

    format: Format
    kind: Literal["record"]
    run_id: RunId
    record_sha256: Sha256
    made_at: Moment
    previous: Previous
    key_id: KeyId


class RosterBody(ReplyBody):
    """The sealed teams of a run once joining is over; `signature` is 64 bytes, base64, over the canonical JSON of
    `statement`."""

    statement: RosterStatement
    signature: Signature


class AmendmentBody(ReplyBody):
    """A decision about the run; `signature` is 64 bytes, base64, over the canonical JSON of `amendment`."""

    amendment: AmendmentStatement
    signature: Signature


class RunBody(ReplyBody):
    """A scheduled run. Times are the present plan; a pause moves future ones."""

    run_id: RunId
    mode: Mode
    trial: bool = Field(description="Scored for information, counted nowhere")
    set: str = attribute("set_name")
    language: str
    files: int
    state: RunState
    starts_at: Moment = Field(description="When the first file opens")
    interval_s: float
    ends_at: Moment = Field(description="The latest deadline of the last file")
    join_from: Moment = attribute("created_at")
    join_until: Moment
    limits: RunLimits
    pauses: list[PauseBody]
    paused_until: Moment | None
    next_opening: OpeningBody | None
    commitment: CommitmentBody
    roster: RosterBody | None = Field(description="Sealed list of teams; null until a minute after joining ends")
    amendments: list[AmendmentBody]
    rulings: list[OpenedRuling] = Field(
        description="The rulings under the amendments' seals; empty before the record is published"
    )
    restarts: RunId | None = Field(description="The run that this one replaces (R 7.16)")
    results_published: bool = Field(description="Whether its results are public; before, its board is refused")
    server_time: Moment


class RunsBody(ReplyBody):
    """Runs, the latest start first."""

    runs: list[RunBody]
    server_time: Moment


def run_body(
    schedule: Schedule, commitment: Mapping[str, Any], roster: Mapping[str, Any] | None, now: Millis
) -> RunBody:
    """Return a run for everybody: its times and promises, nothing of its files."""
    run = schedule.run
    coming, (state, paused_until) = schedule.next_opening(now), schedule.standing_at(now)
    return RunBody.from_value(
        run,
        files=schedule.total_files,
        state=state,
        starts_at=schedule.opens_at(1),
        interval_s=run.interval / SECOND,
        ends_at=schedule.ends_at,
        join_until=schedule.join_until,
        limits=run_limits(run),
        pauses=schedule.pauses,
        paused_until=paused_until,
        next_opening=OpeningBody.from_value(number=coming[0], opens_at=coming[1]) if coming else None,
        commitment=commitment,
        roster=roster,
        amendments=[json.loads(amendment.signed) for amendment in run.amendments if amendment.signed],
        rulings=published_rulings(run),
        results_published=run.published_at is not None,
        server_time=now,
    )


ProposalStanding = Literal["open", "accepted", "dismissed"]
Scheduled = Literal["technical", "final"]
Decided = Literal["pause", "resume", "stop", "void", "replace", "rule", "admit", "undo"]
Seconds = Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)]
Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$")]


class SaidLimitsBody(RequestBody):
    """A run's limits that differ from the cycle's."""

    request_s: Seconds | None = None
    answer_s: Seconds | None = None
    total_s: Seconds | None = None
    join_s: Annotated[float, Field(ge=0, le=86_400, allow_inf_nan=False)] | None = None


class PlanRequest(RequestBody):
    """A run to plan. Times that are left out are the cycle's; without `files` all of the set."""

    mode: Scheduled = "final"
    set: Name = "final"
    starts_at: RealMoment
    interval_s: Seconds | None = None
    files: Annotated[int, Field(ge=1, le=MAX_FILES)] | None = None
    language: Name = "all"
    limits: SaidLimitsBody = SaidLimitsBody()
    trial: bool = False
    admitted: Annotated[list[TeamId], Field(max_length=1000)] | None = Field(
        None,
        description="Teams that may take part. Without it a final takes those admitted to finals when they join, and "
        "any other run, a trial too, every approved team",
    )
    run_id: RunId | None = Field(None, description="A chosen id: the same plan requested twice is one run")
    continues: RunId | None = Field(None, description="The final whose results count with this one's on the last board")


class RunDecisionRequest(RequestBody):
    """A decision about a run. `numbers` belong to void and replace, or `proposal` for the files of a mass failure;
    `team_id`, `number` and `cause` to rule; `team_id` alone to admit; `amendment` to undo."""

    kind: Decided
    reason: DecisionReason
    numbers: Annotated[list[FileNumber], Field(min_length=1, max_length=GREATEST_NUMBER)] | None = None
    proposal: bool = False
    team_id: TeamId | None = None
    number: FileNumber | None = None
    cause: Cause | None = Field(None, strict=False)
    amendment: Annotated[int, Field(ge=1)] | None = None
    version: Annotated[int, Field(ge=0)] | None = Field(
        None, description="Version of the run that the caller saw; refused after a newer decision"
    )


class RestartRequest(RequestBody):
    """The run that replaces another, on the reserve set; fields left out are as before."""

    reason: DecisionReason
    starts_at: RealMoment
    interval_s: Seconds | None = None
    files: Annotated[int, Field(ge=1, le=MAX_FILES)] | None = None


class DismissalRequest(RequestBody):
    """Reason why the platform was not at fault."""

    reason: DecisionReason


class MillisecondLimitsBody(ReplyBody):
    """A run's limits in milliseconds."""

    request: int
    answer: int
    total: int
    join: int


class RunSummaryBody(ReplyBody):
    """A run for the people who conduct it."""

    run_id: RunId
    state: RunState
    mode: Scheduled
    set: str = attribute("set_name")
    starts_at: Moment
    interval_ms: int = attribute("interval")
    files: int = Field(description="Number of files in the first plan")
    limits: MillisecondLimitsBody
    trial: bool
    admitted: list[str] | None = Field(description="Teams named for this run; null: none named")
    restarts: RunId | None
    continues: RunId | None = None
    confirmed: bool | None = Field(
        None,
        description="Whether every demanded protocol finds the results as they are now right; null: none is demanded",
    )
    total_files: int = Field(description="Number of files with the appended replacements")
    ends_at: Moment
    published: bool
    closed_at: Moment | None


class RunSummariesBody(ReplyBody):
    """Runs, the latest start first."""

    runs: list[RunSummaryBody]


class DismissalBody(ReplyBody):
    """Finding that the platform was not at fault, with author, moment and reason."""

    who: str
    name: str | None = Field(description="The person's name; null for a command")
    at: Moment
    reason: str


class ProposalBody(ReplyBody):
    """Files that everybody missed at once, for the commission (D 1.7)."""

    numbers: list[int]
    sessions: int = Field(description="Number of examined sessions")
    found_at: Moment
    settled: list[int] = Field(description="Files of earlier proposals that were dismissed")
    dismissed: DismissalBody | None
    standing: ProposalStanding


class DecidedBody(ReplyBody):
    """A decision that was made; it holds from `effective_at` on."""

    number: int
    kind: Kind
    at: Moment
    who: str
    name: str | None = Field(description="The deciding person's name; null for a command")
    reason: str
    effective_at: Moment
    details: dict[str, Any] = Field(description="Details by kind: numbers, team, cause, root …")


class SettlementBody(ReplyBody):
    """Progress of a run's results, and what delays them."""

    state: Settled
    reason: str
    reason_ru: str
    teams: int
    made: int
    unscored: int
    notices: list[NoticeBody] = Field(description="Late markups or results, missing protocols")


class ConductedRunBody(RunSummaryBody):
    """A run with its commitment, every decision, a proposal on a mass failure, and the progress of its results."""

    version: int
    commitment: CommitmentBody
    mass_failure: ProposalBody | None
    amendments: list[DecidedBody]
    settlement: SettlementBody


class PlannedBody(ReplyBody):
    """The planned run with warnings."""

    run: ConductedRunBody
    notices: list[NoticeBody]


class PlanPreviewBody(ReplyBody):
    """The run that would be planned now. No file is drawn for it."""

    mode: Scheduled
    set: str = attribute("set_name")
    language: str
    trial: bool
    files: int
    available: int = Field(description="Files of the set that may be drawn")
    starts_at: Moment
    ends_at: Moment
    interval_ms: int = attribute("interval")
    limits: MillisecondLimitsBody
    admitted: list[str] | None = Field(description="Teams named for this run; null: none named")
    notices: list[NoticeBody]


class WatchBody(RunSummaryBody):
    """The present state of a run and of its teams."""

    now: Moment
    opened: int
    next_opening: OpeningBody | None
    connected: int
    voided: dict[Cause, int]
    delay_ms: Statistics = Field(description="From the openings to the hand-outs, of all teams together")
    mass_failure: list[int] | None
    standing: ProposalStanding | None
    teams: list[WatchedTeamBody]
    absent: list[AbsentTeamBody] = Field(description="Approved and admitted teams that have not opened a session")


class RecordPause(PauseBody):
    """Nothing opened from `from` until just before `until`."""


class RecordRun(ReportRun):
    """The run of a record."""

    limits: StatementLimits
    pauses: list[RecordPause]
    ends_at: Moment


class RecordRow(ReplyBody):
    """Content of a Merkle leaf, which is the SHA-256 of a zero byte followed by the content's canonical JSON."""

    number: int
    planned_at: Moment
    file_id: FileId
    content_sha256: Sha256
    salt: Sha256


class RecordPlan(ReplyBody):
    """The rows of the commitment (`amendment` 0), or of a replacement, in the order of their numbers."""

    amendment: int
    rows: list[RecordRow]


class RecordRelease(ReplyBody):
    """An opened file; if no team asked for it, there is no release record and `armed_at` is null."""

    number: int
    planned_at: Moment
    opens_at: Moment
    armed_at: Moment | None
    armed_by: ArmedBy | None


class RecordFile(ReplyBody):
    """A file of a team."""

    number: int
    asked_at: Moment | None
    handed_out_at: Moment | None
    answer_by: Moment | None
    answered_at: Moment | None
    headers_at: Moment | None = Field(None, description="When the headers of the answer that counts came")
    body_at: Moment | None = Field(None, description="When its body was complete")
    decided_at: Moment | None
    state: FileState
    cause: Cause | None
    evidence: dict[str, Any] = Field({}, description="Evidence of the cause; empty in older records")


class RecordSession(ReplyBody):
    """A team in the run."""

    team_id: str
    session_id: SessionId
    opened_at: Moment
    closed_at: Moment | None
    state: State
    files: list[RecordFile]


class Record(ReplyBody):
    """The full course of a run: commitment, decisions, openings, and every team's actions."""

    format: Format
    run: RecordRun
    commitment: CommitmentBody
    roster: RosterBody = Field(description="The teams, with the hash of the sessions that were opened in time")
    amendments: list[AmendmentBody]
    rulings: list[OpenedRuling] = Field(description="The rulings under the amendments' seals, by number")
    plans: list[RecordPlan]
    releases: list[RecordRelease]
    voided: dict[str, int] = Field(description="Files void for everybody by number, with the number of the decision")
    sessions: list[RecordSession]


class RecordBody(ReplyBody):
    """The record of a run; `signature` is 64 bytes, base64, over the canonical JSON of `statement`.

    The statement has the SHA-256 of the canonical JSON of `record`, and that of the statement before it.
    """

    record: Record
    statement: RecordStatement
    signature: Signature
