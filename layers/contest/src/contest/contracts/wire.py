"""The parts all wire models share."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, RootModel

from contest.domain.moments import from_iso


def _real(text: str) -> str:
    """Refuse what has a moment's form and is none."""
    from_iso(text)
    return text


Moment = Annotated[
    str,
    Field(
        pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$",
        description="UTC, ISO 8601 with milliseconds",
        examples=["2026-11-21T03:57:32.123Z"],
    ),
]
RealMoment = Annotated[Moment, AfterValidator(_real)]
"""The same in a request: a day and a time that there are."""
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$", description="SHA-256, hexadecimal")]
SessionId = Annotated[str, Field(pattern=r"^[1-9][0-9]{14}$", examples=["294017735586120"])]
RunId = Annotated[str, Field(pattern=r"^[a-z0-9]{20}$", examples=["3h6x0w8t2r5e9q1m4k7s"])]
FileId = Annotated[
    str, Field(pattern=r"^[1-9][0-9]{14}$", description="The file's name in this session", examples=["705521943360817"])
]


class RequestBody(BaseModel):
    """A body the API takes: nothing unknown, nothing converted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class ReplyBody(BaseModel):
    """A body the API gives."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class RunLimits(ReplyBody):
    """How long a run gives for the request after an opening, for the answer after the hand-out and the opening."""

    request_s: float
    answer_s: float
    total_s: float


class Detail(BaseModel):
    """One reason of a refusal; further fields say where (`field`, `fragment`, `session_id` …)."""

    model_config = ConfigDict(extra="allow", frozen=True)

    code: str = Field(examples=["wrong_text"])
    message: str = Field(examples=["the text differs from the essay's at position 17"])
    message_ru: str | None = Field(None, examples=["текст отличается от текста эссе в позиции 17"])


class ErrorContent(ReplyBody):
    """What was refused and why."""

    code: str = Field(description="Stable; programs decide by it", examples=["invalid_answer"])
    message: str = Field(examples=["This is not a valid answer to this file; it was not counted as a send."])
    message_ru: str = Field(examples=["Это не корректный ответ на данный файл; попытка отправки не засчитана."])
    details: list[Detail]
    request_id: str = Field(description="Finds the request in the platform's log", examples=["f3k2dhHfIAMEMHg="])


class Error(ReplyBody):
    """The body of every refusal."""

    error: ErrorContent


class GatewayError(ReplyBody):
    """The gateway's own body, where it refuses before the platform is asked."""

    message: str = Field(examples=["Unauthorized"])


class Forbidden(RootModel[Error | GatewayError]):
    """A token without the right (the platform's body), or one that is unknown or revoked (the gateway's)."""


Json = Any
"""A track's own JSON; the platform passes it through."""
