"""Bodies of mails' choices and of webhooks."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from contest.notifications.rules import LONGEST_URL, MailKind, MailLanguage, Outcome
from contest.wire import SORTED, Moment, ReplyBody, RequestBody


class MailChoicesRequest(RequestBody):
    """Which kinds of mails are stopped, and the language of the others."""

    stopped: list[Annotated[MailKind, Field(strict=False)]] = Field(max_length=len(MailKind))
    language: Annotated[MailLanguage, Field(strict=False)]


class MailChoicesBody(ReplyBody):
    """Which kinds of mails are stopped, and the language of the others."""

    stopped: Annotated[list[MailKind], SORTED]
    language: MailLanguage


class HookRequest(RequestBody):
    """An address to be called."""

    url: Annotated[str, Field(max_length=LONGEST_URL, examples=["https://example.org/hurdle"])]


class HookAttemptBody(ReplyBody):
    """An attempt of a delivery; `status`: of the host's answer, `next_at`: not before then it is tried again."""

    at: Moment
    event: str
    kind: str
    number: int
    outcome: Outcome
    status: int | None
    next_at: Moment | None


class HookBody(ReplyBody):
    """A webhook with its last attempts, the latest first; `off_at`: since when it is off, because every one failed."""

    hook_id: str
    url: str
    created_at: Moment
    failures: int
    off_at: Moment | None
    tested_at: Moment | None
    attempts: list[HookAttemptBody]


class HooksBody(ReplyBody):
    """The own webhooks, the earliest first."""

    hooks: list[HookBody]
