"""Bodies of webhooks."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from contest.hooks.rules import LONGEST_URL
from contest.wire import Moment, ReplyBody, RequestBody


class HookRequest(RequestBody):
    """An address to be called."""

    url: Annotated[str, Field(max_length=LONGEST_URL, examples=["https://example.org/hurdle"])]


class HookBody(ReplyBody):
    """A webhook; `off_at`: since when it is off, because every attempt failed."""

    hook_id: str
    url: str
    created_at: Moment
    failures: int
    off_at: Moment | None


class HooksBody(ReplyBody):
    """The own webhooks, the earliest first."""

    hooks: list[HookBody]
