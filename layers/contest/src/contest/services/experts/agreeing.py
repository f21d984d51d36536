"""How far people agree whose ratings organizers bring: the contest measures, nothing is kept."""

from __future__ import annotations

from contest.errors import InvalidRequestError, UnknownRouteError, from_reasons
from contest.services import reading
from contest.services.platform import Platform
from tracks.capabilities import MeasuresRatings
from tracks.protocol import Section


def of_ratings(platform: Platform, body: bytes) -> tuple[Section, ...]:
    """The contest's tables of agreement; :class:`InvalidRequestError` with every reason against the ratings,
    :class:`UnknownRouteError` where the contest measures none.

    Clause: TS G-5
    """
    track = platform.tracks(reading.recent_cycle(platform).track)
    if not isinstance(track, MeasuresRatings):
        raise UnknownRouteError
    found, reasons = track.ratings_sections(body)
    if reasons:
        raise InvalidRequestError(from_reasons(reasons))
    return found
