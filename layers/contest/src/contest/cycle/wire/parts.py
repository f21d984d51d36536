"""Parts of a cycle's file that stand by themselves: days, texts in both languages, pages, earlier cycles."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from contest.wire import NOT_BLANK, Moment, ReplyBody, Sha256, attribute

URL_FORM: Final = r"^https://[^\s<>\"]+$"
MOST_PLACED: Final = 200
"""Rows of an earlier cycle's board."""


class FilePart(BaseModel):
    """A part of the file: nothing unknown, nothing converted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)


def _real_day(text: str) -> str:
    if date.fromisoformat(text).isoformat() != text:
        raise ValueError(text)
    return text


Day = Annotated[
    str, Field(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$", description="A day, 2027-03-01"), AfterValidator(_real_day)
]
Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$", description="1–40 of a–z, 0–9 and '-'")]


class Told(FilePart):
    """Describe a document in both languages."""

    ru: Annotated[str, Field(pattern=NOT_BLANK, max_length=500)]
    en: Annotated[str, Field(pattern=NOT_BLANK, max_length=500)]


class PagePart(FilePart):
    """A page in Markdown; its texts are the files ``pages/NAME.ru.md`` and ``pages/NAME.en.md``."""

    title: Told


class PlacedPart(FilePart):
    """A row of an earlier cycle's final board; without a place it is a baseline."""

    place: int | None = Field(ge=1, le=MOST_PLACED)
    team: Annotated[str, Field(pattern=NOT_BLANK, max_length=200)]
    value: float | None
    overcame: bool = False


class LinkPart(FilePart):
    """A published data set or archive of an earlier cycle."""

    name: Annotated[str, Field(pattern=NOT_BLANK, max_length=200)]
    url: str = Field(pattern=URL_FORM, max_length=500)


class EarlierPart(FilePart):
    """An earlier cycle of the contest, as `contest cycle earlier` makes it of a final's archive."""

    cycle: Name
    title: Told
    work: Told = Field(description="What programs had to do")
    first: Day
    last: Day
    unit: Literal["%", ""] = Field(default="", description="Unit of the values")
    rows: list[PlacedPart] = Field(max_length=MOST_PLACED, description="The final's board")
    published: list[LinkPart] = Field(default=[], max_length=20, description="Data sets and archives to download")

    @property
    def overcame(self) -> bool:
        """State whether a program overcame the barrier; a baseline does not count."""
        return any(row.overcame for row in self.rows if row.place is not None)

    # Clause: R 4.8
    def made(self) -> dict[str, Any]:
        """Return the cycle as it is stored, with its number of teams, best value and end."""
        placed = [row for row in self.rows if row.place is not None]
        best = max((row.value for row in placed if row.value is not None), default=None)
        return {**self.model_dump(), "teams": len(placed), "best": best, "overcame": self.overcame}


class WarningBody(ReplyBody):
    """Something to think about; nothing is refused for it."""

    code: str
    message: str = attribute("message.en")
    message_ru: str = attribute("message.ru")
    where: dict[str, Any]


class PageVersionBody(ReplyBody):
    """A version of a page."""

    at: Moment = Field(description="Since when it holds")
    sha256: Sha256


class PageBody(ReplyBody):
    """A version of a page in Markdown."""

    name: str = attribute("page.name")
    title: dict[str, str] = attribute("page.title")
    number: int
    version: PageVersionBody
    text: dict[str, str]
