"""A contest's notation for people on the wire: answers as texts, texts as answers."""

from __future__ import annotations

from collections.abc import Sequence

from contest.contracts.problems import Detail
from contest.contracts.wire import NAME, Json, ReplyBody, of_track
from contest.errors import from_reasons
from tracks.protocol import Reason, Verdict, Written


class ParsedBody(ReplyBody):
    """A text in the notation as an answer: there whenever the text could be read, with everything wrong with it."""

    track: str = of_track(NAME)
    answer: Json = of_track("kept", nullable=True)
    errors: list[Detail]
    warnings: list[Detail]


class RenderedBody(ReplyBody):
    """An answer as a text in the notation; null where it is no valid answer."""

    text: str | None
    errors: list[Detail]
    warnings: list[Detail]


def parsed_body(track: str, found: Verdict) -> ParsedBody:
    """What was read of a text."""
    return ParsedBody(
        track=track, answer=found.canonical, errors=_details(found.reasons), warnings=_details(found.warnings)
    )


def rendered_body(found: Written) -> RenderedBody:
    """What was written of an answer."""
    return RenderedBody(text=found.text, errors=_details(found.reasons), warnings=_details(found.warnings))


def _details(reasons: Sequence[Reason]) -> list[Detail]:
    return [Detail.model_validate(each) for each in from_reasons(reasons)]
