"""Parts of a session that several bodies show."""

from __future__ import annotations

from contest.wire import ReplyBody


class CountsBody(ReplyBody):
    """Files by state; `late` counts those of `voided` for which an answer came too late."""

    waiting: int
    open: int
    answered: int
    late: int
    voided: int


class ClientSeen(ReplyBody):
    """The client as recorded."""

    name: str
    version: str
    sha256: str | None
    markup_core: str | None
