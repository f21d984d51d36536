"""Versions of the parameters on the wire."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from contest.contracts.announcements import AnnouncementBody
from contest.contracts.cycle_file import Name
from contest.contracts.parameters import ParametersBody
from contest.contracts.wire import DecisionReason, Moment, RealMoment, ReplyBody, RequestBody, Sha256, attribute
from contest.domain.cycle.changes import ABSENT

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


class WarningBody(ReplyBody):
    """Something to think about; nothing is refused for it."""

    code: str
    message: str = attribute("message.en")
    message_ru: str = attribute("message.ru")
    where: dict[str, Any]


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
