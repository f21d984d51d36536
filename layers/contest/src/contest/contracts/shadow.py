"""The independent recomputation of a final on the wire."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from contest.contracts.wire import ReplyBody, RunId


class DifferenceBody(ReplyBody):
    """A cell in which the platform and the recomputation differ; of the whole run where it names no team."""

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
    """How far a final is recomputed under its present decisions and markups, and what was found."""

    run_id: RunId
    state: Literal["recomputing", "clean", "different"]
    teams: int
    made: int = Field(description="Teams that are recomputed")
    checked: dict[str, int] = Field(description="How many sessions, files, scores and receipts were looked at")
    total: int = Field(description="How many cells differ; the first 1000 are told")
    differences: list[DifferenceBody]


class SubmissionsRecomputationBody(ReplyBody):
    """How far the cycle's scored submissions are recomputed as they are stored now, and what was found."""

    state: Literal["recomputing", "clean", "different"]
    submissions: int = Field(description="Scored submissions, private runs among them")
    made: int = Field(description="Submissions that are recomputed")
    checked: dict[str, int] = Field(description="How many submissions and items were looked at")
    total: int = Field(description="How many cells differ; the first 1000 are told")
    differences: list[DifferenceBody]
