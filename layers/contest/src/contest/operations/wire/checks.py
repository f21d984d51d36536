"""Bodies of the checks before a final."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from contest.run.rules.checks import CheckGrade
from contest.wire import Moment, ReplyBody, RunId, attribute


class CheckBody(ReplyBody):
    """One thing that was looked at."""

    name: str
    grade: CheckGrade
    message: str = attribute("message.en")
    message_ru: str = attribute("message.ru")
    where: dict[str, Any]


class ChecksBody(ReplyBody):
    """All checks."""

    run_id: RunId | None = Field(description="The final that it was about; null where none is planned")
    failed: int
    warnings: int
    checks: list[CheckBody]
    server_time: Moment
