"""A deployed cycle looked over, on the wire."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from contest.contracts.wire import Moment, ReplyBody, RunId, attribute
from contest.domain.run.checks import CheckGrade


class CheckBody(ReplyBody):
    """One thing that was looked at."""

    name: str
    grade: CheckGrade
    message: str = attribute("said.en")
    message_ru: str = attribute("said.ru")
    where: dict[str, Any]


class ChecksBody(ReplyBody):
    """Everything that was looked at."""

    run_id: RunId | None = Field(description="The final that it was about; null where none is planned")
    failed: int
    warnings: int
    checks: list[CheckBody]
    server_time: Moment
