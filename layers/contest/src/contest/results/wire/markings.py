"""Bodies of the report on an annotation project."""

from __future__ import annotations

from pydantic import Field

from contest.experts.rules.assignment import AssignmentState
from contest.experts.wire import MarkingBody, SpeedBody
from contest.wire import Json, Moment, ReplyBody


class ExpertReportBody(ReplyBody):
    """One expert's work."""

    expert_id: str
    pseudonym: str | None
    states: dict[AssignmentState, int]
    without_markup: int
    speed: SpeedBody | None


class MarkingReportBody(ReplyBody):
    """Report of the coordinator of experts (R 7.10)."""

    marking: MarkingBody
    essays: int
    done: int
    lacking: int = Field(description="Experts that essays lack")
    thirds: int
    third_reasons: dict[str, int] = Field(description="How often each reason for a third expert stood")
    experts: list[ExpertReportBody]
    agreement: Json = Field(description="The track's, with drift, as the route about agreement tells it")
    server_time: Moment
