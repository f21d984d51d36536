"""Bodies of the commission's record and of a run's files."""

from __future__ import annotations

from typing import Any

from pydantic import ConfigDict, Field

from contest.exchange.wire import ClientSeen, CountsBody
from contest.results.rules.qualification import Standing, Step
from contest.results.wire.parts import Audit, BoardRulesBody
from contest.results.wire.results import ReportRun, Solution, Timing, Voided
from contest.run.rules.run import Kind
from contest.session.rules.delivery import Cause, FileState
from contest.session.rules.session import State
from contest.wire import FileId, Moment, ProtocolBody, ReplyBody, RunId, SessionId, Sha256


class CommissionRun(ReportRun):
    """The run, with its end."""

    ends_at: Moment
    closed_at: Moment | None
    published_at: Moment | None
    voided_for_all: dict[str, int] = Field(description="Files annulled for everybody, with the decision that did it")


class AnnulledFile(ReplyBody):
    """A file annulled for a team: the cause and its evidence."""

    number: int
    file_id: FileId
    cause: Cause
    evidence: dict[str, Any]
    opens_at: Moment
    request_by: Moment
    asked_at: Moment | None
    handed_out_at: Moment | None
    answer_by: Moment | None
    answered_at: Moment | None


class SlowBody(ReplyBody):
    """A file whose answer was complete more than a second after its headers."""

    number: int
    file_id: FileId
    answered_at: Moment
    body_ms: int = Field(description="From the headers to the whole body, with what the platform took before its work")


class CommissionSession(ReplyBody):
    """A team's session with its annulled files."""

    team_id: str
    session_id: SessionId
    state: State
    opened_at: Moment
    closed_at: Moment | None
    client: ClientSeen | None
    counts: CountsBody
    timing: Timing
    voided: Voided
    solution: Solution
    annulled: list[AnnulledFile]
    slow_bodies: list[SlowBody]


class CommissionDecision(ReplyBody):
    """A decision about the run, a private ruling too."""

    number: int
    kind: Kind
    at: Moment
    effective_at: Moment
    who: str
    reason: str
    details: dict[str, Any]


class CommissionRuling(ReplyBody):
    """A ruling on a conclusion, with its protocol."""

    step: Step
    positive: bool
    person_id: str
    reason: str
    at: Moment


class CommissionConclusion(ReplyBody):
    """The rulings on a session's conclusion."""

    team_id: str
    session_id: SessionId
    standing: Standing
    rulings: list[CommissionRuling]


class CommissionResult(ReplyBody):
    """A team's row of the coming board."""

    place: int
    team_id: str
    session_id: SessionId
    files: int
    answered: int
    value: float | None = Field(description="What the board ranks by, in the board's unit")
    barrier: bool | None
    audit: Audit | None


class CommissionChange(ReplyBody):
    """A person's change of the run."""

    at: Moment
    who: str
    what: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None


class CommissionBody(ReplyBody):
    """Record of a run for commission and judges (R 8.3)."""

    format: int
    run: CommissionRun
    sessions: list[CommissionSession]
    decisions: list[CommissionDecision]
    protocols: list[ProtocolBody]
    mass_failure: dict[str, Any] | None
    conclusions: list[CommissionConclusion]
    board: BoardRulesBody
    results: list[CommissionResult] | None = Field(description="Of a final, when they are made; published or not")
    log: list[CommissionChange]


class RunFileBody(ReplyBody):
    """One file of a team in a run; further fields are the contest's metrics, null until published."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, int | float | None]

    team_id: str
    session_id: SessionId
    number: int
    file_id: FileId
    language: str
    group: str
    state: FileState
    cause: Cause | None
    opens_at: Moment | None
    asked_at: Moment | None
    delay_ms: int | None
    handed_out_at: Moment | None
    answer_by: Moment | None
    answered_at: Moment | None
    processing_ms: int | None
    send: int | None
    content_sha256: Sha256 | None


class RunFilesBody(ReplyBody):
    """Every file of every team of a run, with every published metric; the names are the CSV's columns."""

    run_id: RunId
    files: list[RunFileBody]
