"""A declared measure's value judged: which direction is better, and what overcomes a number's barrier and people's."""

from __future__ import annotations

from typing import Any

import pytest

from tests.tracks.samples import ENTITIES
from tracks.custom.declaration import Declaration, complete
from tracks.custom.track import CustomTrack, sections
from tracks.protocol import Judged, Standing


def result(value: float | None, better: str, barrier: float | None, people: float | None = None) -> Any:
    """Return an aggregate of the track, as far as its value is judged."""
    of_people = None if people is None else {"value": people}
    judged = {"values": {"value": value}, "better": better, "barrier": barrier, "people": of_people}
    return {**judged, "counts": {}, "failed": None}


@pytest.mark.parametrize(("better", "overcame"), [("higher", [False, True, True]), ("lower", [True, True, False])])
def test_a_number_is_reached_and_people_are_bettered_in_the_declared_direction(
    better: str, overcame: list[bool]
) -> None:
    track, values = CustomTrack(), (1.0, 2.0, 3.0)
    assert [track.overcame(result(value, better, 2.0)) for value in values] == overcame
    bettered = [track.overcame(result(value, better, None, people=2.0)) for value in values]
    assert bettered == [overcame[0], False, overcame[2]], "equal to people is not better than people"
    assert track.overcame(result(None, better, 2.0)) is None
    assert track.overcame(result(1.0, better, None)) is None


@pytest.mark.parametrize(("better", "first"), [("higher", "many"), ("lower", "few")])
def test_the_better_value_leads_equal_ones_share_a_place_and_an_undefined_one_is_last(better: str, first: str) -> None:
    values = {"few": 1.0, "none": None, "even": 2.0, "same": 2.0, "many": 3.0}
    ranked = CustomTrack().rank([Standing(team, result(value, better, None)) for team, value in values.items()])
    last = {"many": "few", "few": "many"}[first]
    assert {each.team: each.place for each in ranked} == {first: 1, "even": 2, "same": 2, last: 4, "none": 5}


@pytest.mark.parametrize(("better", "judged"), [("higher", (Judged(1, 2),)), ("lower", ())])
def test_a_table_draws_a_verdict_only_where_more_is_better(better: str, judged: tuple[Judged, ...]) -> None:
    parameters, reasons = complete({"measure": {**ENTITIES, "better": better, "barrier": 2.0}})
    assert reasons == ()
    (overall,) = sections(Declaration(parameters["measure"]), result(1.0, better, 2.0), [])
    assert overall.judged == judged
