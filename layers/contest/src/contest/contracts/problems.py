"""Refusals on the wire: problem details (RFC 9457), with the platform's own stable codes beside them.

The standard members are for programs that know the standard alone; ``error`` is what the platform's programs have read
from its beginning, and stays as it is.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict, Field

from contest import routes
from contest.contracts.wire import ReplyBody
from contest.refusals import ContestError, RefusedError

MEDIA_TYPE: Final = "application/problem+json"
REFUSED: Final = "refused"
"""The place on the page of all refusals whose reasons are the organizers' business."""
_MOST_TOLD: Final = 3
"""Details whose sentences the one of the whole repeats."""


class Detail(BaseModel):
    """One reason of a refusal; further fields say where (`field`, `fragment`, `session_id` …)."""

    model_config = ConfigDict(extra="allow", frozen=True)

    code: str = Field(examples=["wrong_text"])
    message: str = Field(examples=["the text differs from the essay's at position 17"])
    message_ru: str = Field(examples=["текст отличается от текста эссе начиная со знака 17"])


class ErrorContent(ReplyBody):
    """What was refused and why."""

    code: str = Field(description="Stable; programs decide by it", examples=["invalid_answer"])
    message: str = Field(examples=["This is not a valid answer to this file; it was not counted as a send."])
    message_ru: str = Field(examples=["Это не корректный ответ на данный файл; попытка отправки не засчитана."])
    details: list[Detail]
    request_id: str = Field(description="Finds the request in the platform's log", examples=["f3k2dhHfIAMEMHg="])


class Problem(ReplyBody):
    """The body of every refusal: problem details (RFC 9457), and in `error` the same for programs that go by codes."""

    type: str = Field(
        description="Where the kind of refusal is documented, an address of this host; one for each `error.code`",
        examples=[f"{routes.ERRORS_PAGE.path}#session_closed"],
    )
    title: str = Field(description="The kind of refusal; `error.message`", examples=["The session has ended."])
    title_ru: str = Field(description="The same in Russian; `error.message_ru`", examples=["Сессия завершена."])
    status: int = Field(description="HTTP status", examples=[409])
    detail: str = Field(description="This very refusal: what its details say, else the title")
    detail_ru: str = Field(description="The same in Russian")
    instance: str = Field(
        description="Names this very refusal by `error.request_id`", examples=["urn:hurdle:request:f3k2dhHfIAMEMHg="]
    )
    error: ErrorContent


class GatewayError(ReplyBody):
    """The gateway's own body, where it refuses before the platform is asked."""

    message: str = Field(examples=["Unauthorized"])


def type_of(code: str) -> str:
    """The address of the page's place about a code."""
    return f"{routes.ERRORS_PAGE.path}#{code}"


def problem(error: ContestError, request_id: str) -> Problem:
    """A refusal of a request as every client reads it."""
    return Problem(
        type=type_of(REFUSED if isinstance(error, RefusedError) else error.code),
        title=error.en,
        title_ru=error.ru,
        status=int(error.status),
        detail=_told([str(each["message"]) for each in error.details], error.en, "and {} more"),
        detail_ru=_told([str(each["message_ru"]) for each in error.details], error.ru, "и ещё {}"),
        instance=f"urn:hurdle:request:{quote(request_id, safe='=')}",
        error=ErrorContent(
            code=error.code,
            message=error.en,
            message_ru=error.ru,
            details=[Detail.model_validate(each) for each in error.details],
            request_id=request_id,
        ),
    )


def _told(sentences: list[str], otherwise: str, more: str) -> str:
    told = sentences[:_MOST_TOLD]
    if len(sentences) > _MOST_TOLD:
        told.append(more.format(len(sentences) - _MOST_TOLD))
    return "; ".join(told) or otherwise
