"""Announcements on the wire."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from contest.contracts.wire import NOT_BLANK, DecisionReason, Moment, RealMoment, ReplyBody, RequestBody
from contest.domain.cycle.announcements import AnnouncementKind, AnnouncementState

Line = Annotated[str, Field(min_length=1, max_length=200, pattern=NOT_BLANK)]
Prose = Annotated[str, Field(min_length=1, max_length=10_000, pattern=NOT_BLANK)]


class TitleRequest(RequestBody):
    """A title in both languages."""

    ru: Line
    en: Line


class TextRequest(RequestBody):
    """A text in both languages."""

    ru: Prose
    en: Prose


class AnnouncementRequest(RequestBody):
    """What is announced; `about` names the run, version or sets, `effective_at` from when it holds."""

    kind: Annotated[AnnouncementKind, Field(strict=False)] = AnnouncementKind.GENERAL
    title: TitleRequest
    text: TextRequest
    about: dict[Annotated[str, Field(max_length=40)], Annotated[str, Field(max_length=200)]] = Field(
        default={}, max_length=20
    )
    effective_at: RealMoment | None = None
    as_draft: bool = Field(default=False, description="Keep it as a draft instead of publishing it")


class PublishDraftRequest(RequestBody):
    """With what a draft is published instead of its own words."""

    title: TitleRequest | None = None
    text: TextRequest | None = None


class WithdrawalRequest(RequestBody):
    """Why something is withdrawn; it is told."""

    reason: DecisionReason


class SaidBody(ReplyBody):
    """Something in both languages."""

    ru: str
    en: str


class AnnouncementBody(ReplyBody):
    """An announcement; what became of it is its state."""

    announcement_id: str
    kind: AnnouncementKind
    state: AnnouncementState
    title: SaidBody
    text: SaidBody
    about: dict[str, Any] = Field(description="The run, the version or the sets that it is about")
    effective_at: Moment | None
    created_at: Moment
    published_at: Moment | None
    ended_at: Moment | None = Field(description="When it was corrected, withdrawn or discarded")
    reason: str = Field(description="Why it was withdrawn")
    corrects: str | None
    corrected_by: str | None


class AnnouncementsBody(ReplyBody):
    """Announcements, the latest first."""

    announcements: list[AnnouncementBody]
    next: str | None = Field(description="What `after` is to be for the page that follows; null at the end")


class DraftsOfAnnouncementsBody(ReplyBody):
    """Drafts, the oldest first."""

    announcements: list[AnnouncementBody]
