"""Bodies of rescorings: what is selected, decided and changed by them."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from contest.results.rules.rescoring import Decided, Selection
from contest.wire import DecisionReason, Moment, RealDay, ReplyBody, RequestBody, RunId, SessionId


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
