"""What people ask workers for, on the wire."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from contest.contracts.results import OffBoardBody
from contest.contracts.wire import Moment, ReplyBody
from contest.domain.results.errand import ErrandKind, ErrandState

ErrandId = Annotated[str, Field(pattern=r"^[a-z0-9]{20}$", examples=["8k2m5p7r9t1v3x6z4b0c"])]


class VerificationBody(ReplyBody):
    """What a rebuilding of a session's scores and reports found."""

    scores: int
    reports: int
    differences: list[str]
    missing: list[str]
    off_board: OffBoardBody | None = Field(
        None, description="The rule that keeps the session or submission off the board"
    )


class ErrandRefusalBody(ReplyBody):
    """Why what was asked for was not done."""

    code: str
    message: str
    message_ru: str


class ErrandBody(ReplyBody):
    """Work that takes longer than a request: a worker does it, and whoever asked looks again."""

    errand_id: ErrandId
    kind: ErrandKind
    subject: str = Field(description="The session or the run that it is about")
    asked_at: Moment
    state: ErrandState
    refused: ErrandRefusalBody | None
    verification: VerificationBody | None
