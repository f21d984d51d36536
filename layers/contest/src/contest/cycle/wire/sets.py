"""Bodies of data sets and of the notation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from contest.cycle.rules.cycle import SetKind
from contest.cycle.wire.imports import Address
from contest.errors import from_reasons
from contest.results.rules.downloads import View
from contest.results.wire.parts import Section
from contest.wire import NAME, Detail, Json, Moment, ReplyBody, Sha256, attribute, of_track
from tracks.protocol import Reason, Verdict, Written


class OfferBody(ReplyBody):
    """A set that whoever asks may have."""

    name: str = Field(description="A set's of the cycle, or `final-` and the final's id")
    kind: SetKind
    view: View = Field(description="`whole`: items and references; `questions`: items as they are handed out")
    items: dict[str, int] = attribute("sizes", description="Number of items per language")
    references: int = Field(description="Experts' markups, or whatever an answer is held against")
    files: int = attribute("count")
    sha256: Sha256 = attribute("fingerprint", description="Names what is given: it changes when any file does")
    published_at: Moment | None = Field(description="Since when everybody may have it, or a final's results are out")
    run_id: str | None = Field(description="The final whose results set it free")
    described: bool = Field(description="Whether the contest has tables of what it holds, for whoever is signed in")


class OffersBody(ReplyBody):
    """Sets that whoever asks may have."""

    sets: list[OfferBody]


class PartBody(ReplyBody):
    """A part of a set."""

    number: int = Field(description="From 1")
    files: int
    size: int = Field(description="Bytes, at most 4.5 MB")
    sha256: Sha256


class PackBody(ReplyBody):
    """A set as one file."""

    size: int = Field(description="Bytes of the zip")
    sha256: Sha256


class SetBody(OfferBody):
    """A set with its parts."""

    size: int = Field(description="Bytes of all parts")
    parts: list[PartBody]
    pack: PackBody | None = Field(
        description="All files as one zip; null of one part, of more than 512 MB, and for who has not signed in"
    )


class PackPlaceBody(PackBody):
    """Where a set may be read as one file."""

    method: Literal["GET"]
    address: Address
    expires_at: Moment = Field(description="What has begun before goes on")


class PackingBody(ReplyBody):
    """How far the parts of a set are made that nobody had asked for yet."""

    packed: int = Field(description="Files in the parts that are made")
    files: int


class SetFileBody(ReplyBody):
    """A file of a set."""

    name: str
    sha256: Sha256 = Field(description="Of the text in UTF-8")
    text: str = Field(description="JSON, as the file has it")


class SetPartBody(ReplyBody):
    """Files of a set."""

    files: list[SetFileBody]


class TablesBody(ReplyBody):
    """The contest's own tables: of what a data set holds, or of how far people agree."""

    sections: list[Section]


class ParsedBody(ReplyBody):
    """A text in the notation as an answer: there whenever the text could be read, with everything wrong with it."""

    track: str = of_track(NAME)
    answer: Json = of_track("canonical", nullable=True)
    errors: list[Detail]
    warnings: list[Detail]


class RenderedBody(ReplyBody):
    """An answer as a text in the notation; null where it is no valid answer."""

    text: str | None
    errors: list[Detail]
    warnings: list[Detail]


def parsed_body(track: str, verdict: Verdict) -> ParsedBody:
    """Return the body of a parsed text."""
    return ParsedBody(
        track=track, answer=verdict.canonical, errors=_details(verdict.reasons), warnings=_details(verdict.warnings)
    )


def rendered_body(rendered: Written) -> RenderedBody:
    """Return the body of a rendered answer."""
    return RenderedBody(text=rendered.text, errors=_details(rendered.reasons), warnings=_details(rendered.warnings))


def _details(reasons: Sequence[Reason]) -> list[Detail]:
    return [Detail.model_validate(detail) for detail in from_reasons(reasons)]
