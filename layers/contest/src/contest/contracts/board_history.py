"""How the places of a board went, on the wire."""

from __future__ import annotations

from contest.contracts.wire import Moment, ReplyBody


class PlacedBody(ReplyBody):
    """A team's place at a moment, with what the board showed of its result."""

    team_id: str
    place: int
    value: float | None


class PointBody(ReplyBody):
    """The places of a board from a moment on."""

    at: Moment
    places: list[PlacedBody]


class HistoryBody(ReplyBody):
    """How the places of a board went, the latest point first; a point is there where something changed."""

    points: list[PointBody]
    server_time: Moment
