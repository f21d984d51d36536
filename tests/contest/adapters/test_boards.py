"""Boards' states and histories, in tables."""

from __future__ import annotations

from dataclasses import replace

import pytest

from contest.people.rules import Change
from contest.platform import Platform
from contest.results.rules.leaderboard import BoardState, Placed, Point, Visibility
from tests.losing import loses

pytestmark = [
    pytest.mark.integration,
    pytest.mark.parametrize("platform", ["real"], indirect=True),  # no fake stands for these ports
]
AT = 1_790_000_000_000
FROZEN = BoardState("qualification", Visibility.FROZEN, AT, "the last day", "reports/boards/x.json")
FIRST = Point(AT, (Placed("red", 1, 50.0), Placed("blue", 2, None)))
SECOND = Point(AT + 60_000, (Placed("blue", 1, 75.25), Placed("red", 2, 50.0)))


def change(what: str) -> Change:
    return Change(AT, "person:olga", what, "qualification", None, None)


def test_a_board_is_decided_on_condition_that_nobody_has_meanwhile(platform: Platform) -> None:
    assert platform.boards.state("toy-1", "qualification") is None
    platform.boards.decide("toy-1", None, FROZEN, change("frozen"))
    assert platform.boards.state("toy-1", "qualification") == FROZEN
    hidden = replace(FROZEN, visibility=Visibility.HIDDEN, frozen="", version=2)
    loses(lambda: platform.boards.decide("toy-1", None, hidden, change("lost")))
    platform.boards.decide("toy-1", FROZEN, hidden, change("hidden"))
    loses(lambda: platform.boards.decide("toy-1", FROZEN, FROZEN, change("lost")))
    assert platform.boards.state("toy-1", "qualification") == hidden
    assert platform.boards.state("toy-2", "qualification") is None
    assert sorted(each.what for each in platform.audit_log.on("2026-09-21")) == ["frozen", "hidden"]


def test_a_history_grows_from_its_latest_point_alone(platform: Platform) -> None:
    def points(scope: str = "all") -> list[Point]:
        return list(platform.boards.points("toy-1", "qualification", scope))

    platform.boards.add_point("toy-1", "qualification", "all", None, FIRST, None)
    loses(lambda: platform.boards.add_point("toy-1", "qualification", "all", None, SECOND, None))
    platform.boards.add_point("toy-1", "qualification", "all", FIRST, SECOND, None)
    assert (points(), points("rus")) == ([FIRST, SECOND], [])
    loses(
        lambda: platform.boards.add_point("toy-1", "qualification", "all", FIRST, replace(SECOND, at=AT + 1), FIRST.at)
    )
    third = replace(FIRST, at=AT + 120_000)
    platform.boards.add_point("toy-1", "qualification", "all", SECOND, third, SECOND.at)
    assert points() == [FIRST, third]
