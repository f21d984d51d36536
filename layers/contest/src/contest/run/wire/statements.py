"""Bodies of scheduled runs, of signed statements about them, and of the record (platform §3; docs/fairness.md).

A statement goes out as it was signed: no field is added, none is left out. So every part that only some statements have
is a form of its own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field
from typing_extensions import TypeAliasType

from contest.cycle.rules.cycle import Mode
from contest.run.rules.commitment import published_rulings
from contest.run.rules.schedule import ArmedBy, RunState, Schedule
from contest.session.rules.delivery import Cause, FileState
from contest.session.rules.session import State
from contest.values import SECOND, Millis
from contest.wire import FileId, Moment, ReplyBody, RunId, RunLimits, SessionId, Sha256, attribute, run_limits

KeyId = TypeAliasType(
    "KeyId", Annotated[str, Field(pattern=r"^[0-9a-f]{16}$", description="The key that signs; `GET /v1/keys` has it")]
)


Previous = Annotated[Sha256, Field(description="SHA-256 of the canonical JSON of the statement before: a chain")]


Format = TypeAliasType(
    "Format", Annotated[int, Field(description="Version of the form; a verifier refuses one that it does not know")]
)


Signature = TypeAliasType(
    "Signature", Annotated[str, Field(description="64 bytes, base64, over the canonical JSON of what is signed")]
)


class StatementLimits(ReplyBody):
    """A run's limits in milliseconds."""

    request_ms: int
    answer_ms: int
    total_ms: int
    join_ms: int


class CommitmentStatement(ReplyBody):
    """Promise a run's times, and its files by their Merkle root, before it."""

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
    """Show the promise before a run; `signature` is 64 bytes, base64, over the canonical JSON of `statement`."""

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
    """The decision that is taken back, by its number."""

    amendment: int


class SealedDetails(ReplyBody):
    """A ruling on one team's file, or that one is taken back: the SHA-256 of the canonical JSON that opens it."""

    seal: Sha256


class AmendmentStatement(ReplyBody):
    """A decision about a run. A ruling concerns one team: until the record is there, the chain has its seal alone."""

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
    """What opens a seal: the SHA-256 of its canonical JSON is the `seal` of the statement with its number."""

    run_id: RunId
    number: int
    amendment: Literal["rule", "undo"]
    reason: str
    details: RuledDetails | UndoDetails
    salt: Sha256


class RosterStatement(ReplyBody):
    """State the number of teams in a run, and the SHA-256 of the canonical JSON of their pairs of team and session."""

    format: Format
    kind: Literal["roster"]
    run_id: RunId
    sessions: int
    sessions_sha256: Annotated[Sha256, Field(description="Over `[[team_id, session_id], …]`, sorted")]
    made_at: Moment
    previous: Annotated[Sha256, Field(description="SHA-256 of the canonical JSON of the commitment")]
    key_id: KeyId


class RecordStatement(ReplyBody):
    """What is signed after a run: the hash of its record."""

    format: Format
    kind: Literal["record"]
    run_id: RunId
    record_sha256: Sha256
    made_at: Moment
    previous: Previous
    key_id: KeyId


class RosterBody(ReplyBody):
    """Seal the teams of a run once joining is over; `signature` is 64 bytes, base64, over the canonical JSON of
    `statement`."""

    statement: RosterStatement
    signature: Signature


class AmendmentBody(ReplyBody):
    """A decision about the run; `signature` is 64 bytes, base64, over the canonical JSON of `amendment`."""

    amendment: AmendmentStatement
    signature: Signature


class RecordPause(ReplyBody):
    """Nothing opened from `from` until just before `until`."""

    start: Moment = Field(alias="from")
    until: Moment


class RecordRun(ReplyBody):
    """The run that a record is of."""

    run_id: RunId
    cycle: str
    track: str
    mode: Mode
    trial: bool
    set: str
    language: str
    files: int
    starts_at: Moment
    interval_ms: int
    limits: StatementLimits
    restarts: RunId | None
    stopped_at: Moment | None
    pauses: list[RecordPause]
    ends_at: Moment


class RecordRow(ReplyBody):
    """What a leaf of a Merkle tree commits to: the SHA-256 of its canonical JSON after a zero byte is the leaf."""

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
    """A file that opened; without a release record, which nobody wrote because nobody asked, `armed_at` is null."""

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
    body_at: Moment | None = Field(None, description="When its body was there as a whole")
    decided_at: Moment | None
    state: FileState
    cause: Cause | None
    evidence: dict[str, Any] = Field({}, description="What the cause rests on; records of the time before it have none")


class RecordSession(ReplyBody):
    """A team in the run."""

    team_id: str
    session_id: SessionId
    opened_at: Moment
    closed_at: Moment | None
    state: State
    files: list[RecordFile]


class Record(ReplyBody):
    """Everything that happened in a run: what was promised and decided, what opened when, what every team did."""

    format: Format
    run: RecordRun
    commitment: CommitmentBody
    roster: RosterBody = Field(description="Who was let in: it has the hash of the sessions that were opened in time")
    amendments: list[AmendmentBody]
    rulings: list[OpenedRuling] = Field(description="What opens the seals among the amendments, by number")
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


class RunBody(ReplyBody):
    """A scheduled run. Times are as they are known now; a pause moves those that are still to come."""

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
    roster: RosterBody | None = Field(description="Who was let in, sealed; null until joining is over for a minute")
    amendments: list[AmendmentBody]
    rulings: list[OpenedRuling] = Field(
        description="What opens the seals among the amendments; nothing before the record is there"
    )
    restarts: RunId | None = Field(description="The run that this one replaces (R 7.16)")
    results_published: bool = Field(description="Whether everybody sees its results; before, its board is refused")
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
