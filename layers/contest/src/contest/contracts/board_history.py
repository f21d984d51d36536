"""How the places of a board went, on the wire."""

from __future__ import annotations

from collections.abc import Sequence

from contest.contracts.wire import (
    Moment,
    ReplyBody,
)
from contest.domain.moments import Millis, iso
from contest.domain.results.board_state import Point


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


def history_body(points: Sequence[Point], now: Millis) -> HistoryBody:
    """A history."""
    return HistoryBody(
        points=[
            PointBody(
                at=iso(each.at),
                places=[PlacedBody(team_id=team.team_id, place=team.place, value=team.value) for team in each.places],
            )
            for each in points
        ],
        server_time=iso(now),
    )
