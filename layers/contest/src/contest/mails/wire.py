"""Bodies of mails' choices."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from contest.mails.rules import MailKind, MailLanguage
from contest.wire import SORTED, ReplyBody, RequestBody


class MailChoicesRequest(RequestBody):
    """Which kinds of mails are stopped, and the language of the others."""

    stopped: list[Annotated[MailKind, Field(strict=False)]] = Field(max_length=len(MailKind))
    language: Annotated[MailLanguage, Field(strict=False)]


class MailChoicesBody(ReplyBody):
    """Which kinds of mails are stopped, and the language of the others."""

    stopped: Annotated[list[MailKind], SORTED]
    language: MailLanguage
