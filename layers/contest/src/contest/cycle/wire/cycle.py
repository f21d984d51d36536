"""Bodies of the loaded cycle, its parameters and their versions, and announcements."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from contest.cycle.rules.notices import ABSENT, AnnouncementKind, AnnouncementState
from contest.cycle.rules.pages import LONGEST_PAGE
from contest.cycle.wire.parameters import ParametersBody
from contest.cycle.wire.parts import Name, WarningBody
from contest.wire import NOT_BLANK, DecisionReason, Moment, RealMoment, ReplyBody, RequestBody, Sha256, attribute

Line = Annotated[str, Field(min_length=1, max_length=200, pattern=NOT_BLANK)]


class PageRequest(RequestBody):
    """A version of a page, in both languages."""

    text: dict[Literal["en", "ru"], Annotated[str, Field(max_length=LONGEST_PAGE)]]
    title: dict[Literal["en", "ru"], Line] | None = Field(None, min_length=2, description="Of a new page")

    def words(self) -> tuple[dict[str, str] | None, dict[str, str]]:
        """Return title and text by language."""
        return None if self.title is None else dict(self.title.items()), dict(self.text.items())


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


VersionNumber = Annotated[int, Field(ge=1, le=999_999)]


_Side = Annotated[Any, BeforeValidator(lambda value: None if value is ABSENT else value)]


class ParametersRequest(RequestBody):
    """A change of parameters: all of them, as `parameters` of the cycle's file says them."""

    parameters: dict[str, Any]
    effective_at: RealMoment
    reason: DecisionReason
    preview: bool = Field(default=False, description="Tell what would change and store nothing")


class FolderHead(RequestBody):
    """Carry a folder's own file and the lists of its test sets."""

    cycle: dict[str, Any] = Field(description="The value of the folder's own file")
    tests: dict[Name, Sha256] = Field(
        max_length=100, description="SHA-256 of the list of each test set, by the set's name"
    )


class FieldChangeBody(ReplyBody):
    """A field that differs; null where it is not there."""

    field: str
    before: _Side
    after: _Side


class PlannedParametersBody(ReplyBody):
    """A change of parameters, stored or previewed."""

    version: int = attribute("parameters.version")
    effective_at: Moment
    stored: bool
    changes: list[FieldChangeBody] = attribute("changed")
    warnings: list[WarningBody]
    announcement: AnnouncementBody


class StaleResultsBody(ReplyBody):
    """List the results that loading a folder would make stale; empty: none."""

    warnings: list[WarningBody]


class VersionBody(ReplyBody):
    """A version and how it stands."""

    version: int
    state: str = Field(description="`former`, `in_force`, `pending` or `withdrawn`", examples=["pending"])
    announced_at: Moment
    effective_at: Moment | None = Field(description="null: since the cycle was first loaded")


class VersionsBody(ReplyBody):
    """All versions, the latest first."""

    versions: list[VersionBody]


class WholeVersionBody(VersionBody):
    """A version with everything that it says."""

    parameters: ParametersBody


class DescriptionBody(ReplyBody):
    """The running cycle as its file says it, with what the file leaves out."""

    description: dict[str, Any]
    server_time: Moment


class SetItemsBody(ReplyBody):
    """Items of a set: id, language, group, SHA-256 of the content and of each reference."""

    set: str
    items: list[list[Any]]


class ChangesBody(ReplyBody):
    """What differs between two versions."""

    version: int
    since: int
    changes: list[FieldChangeBody]
