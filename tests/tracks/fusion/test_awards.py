"""Prizes of the private test, by hand from the contest's rules (tracks-sessions F-8 … F-10)."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from tracks.capabilities import Declared
from tracks.fusion.aggregate import awards, summary
from tracks.fusion.items import use
from tracks.fusion.subtasks import Subtask
from tracks.fusion.track import FusionTrack

TRACK = FusionTrack()
MINIMA = {"c2c": 0.2, "htr": 0.6, "zsod": 0.15, "vqa": 0.35}
CONFIRMED = Declared(100, 30, confirmed=True)


def result(c2c: float = 0.2, htr: float = 0.6, zsod: float = 0.15, vqa: float = 0.35, **parameters: Any) -> Any:
    """Return a result whose parts of S are these; without an argument each is its minimum, and S is 1.3."""
    completed, reasons = TRACK.read_parameters(parameters)
    assert reasons == ()
    scores = {Subtask.C2C: 100 * c2c, Subtask.HTR: htr, Subtask.ZSOD: zsod, Subtask.VQA: vqa}
    return summary(scores, use(completed))


def money(results: dict[str, Any], declared: dict[str, Declared] | None = None) -> dict[tuple[str, str], float]:
    known = dict.fromkeys(results, CONFIRMED) if declared is None else declared
    return {(each.board, each.team): each.roubles for each in awards(results, known)}


def of_sum(results: dict[str, Any], declared: dict[str, Declared] | None = None) -> dict[str, float]:
    return {team: roubles for (board, team), roubles in money(results, declared).items() if board == "s"}


@pytest.mark.clause("TS F-9", "F minima", "F prize")
def test_f9_a_minimum_that_is_met_exactly_is_met_and_one_thousandth_below_wins_nothing() -> None:
    assert of_sum({"red": result()}) == {"red": 1_000_000}
    for name, least in MINIMA.items():
        below = {**MINIMA, name: least - 0.001}
        assert of_sum({"red": result(**(below | {"vqa": below["vqa"] + 0.5} if name != "vqa" else below))}) == {}


@pytest.mark.clause("TS F-9", "F prize")
def test_f9_three_places_have_prizes_and_the_fourth_has_none() -> None:
    places = {f"team-{place}": result(vqa=0.39 - place / 100) for place in range(1, 5)}
    # S is 1.33, 1.32, 1.31, 1.30: FIX 1, 0.5, 0.2 million and α 2, 1, 0.6 for what is over 1.3.
    assert of_sum(places) == {"team-1": 1_060_000, "team-2": 520_000, "team-3": 206_000}


@pytest.mark.clause("TS F-9")
def test_f9_who_shares_places_shares_their_prizes_equally() -> None:
    assert of_sum({"red": result(), "blue": result()}) == {"red": 750_000, "blue": 750_000}
    third = of_sum({"red": result(), "blue": result(), "grey": result(vqa=0.36)})
    assert third == {"grey": 1_020_000, "red": 350_000, "blue": 350_000}
    assert money({"red": result(), "blue": result()})["htr", "red"] == 150_000
    many = money({f"team-{number}": result() for number in range(256)})
    assert many["htr", "team-0"] == 1_171.88  # of 1 171.875: halves go up
    assert many["s", "team-0"] == 6_640.63  # 1.7 million: 6 640.625


@pytest.mark.clause("TS F-9", "F nominations")
def test_f9_the_first_of_each_subtask_wins_its_prize_with_one_subtask_too() -> None:
    unitask = result(c2c=0, htr=0.9, zsod=0, vqa=0)
    found = money({"red": result(), "uni": unitask}, {"red": CONFIRMED})
    assert found == {
        ("s", "red"): 1_000_000,
        ("c2c", "red"): 300_000,
        ("zsod", "red"): 300_000,
        ("vqa", "red"): 300_000,
        ("htr", "uni"): 300_000,
    }
    assert ("htr", "uni") not in money({"uni": result(c2c=0, htr=0.599, zsod=0, vqa=0)})


@pytest.mark.clause("TS F-8", "F multitask 1", "F multitask 2")
@pytest.mark.parametrize(
    ("declared", "wins"),
    [
        (Declared(1000, 300, confirmed=True), True),
        (Declared(1000, 299, confirmed=True), False),
        (Declared(1000, 900, confirmed=False), False),
        (None, False),
    ],
)
def test_f8_thirty_per_cent_declared_and_confirmed_are_in_the_multitask_prizes(
    declared: Declared | None, *, wins: bool
) -> None:
    results = {"red": result(vqa=0.5), "blue": result()}
    found = money(results, {"blue": CONFIRMED} | ({"red": declared} if declared else {}))
    assert (("s", "red") in found) is wins
    assert found["vqa", "red"] == 300_000, "a subtask's prize asks for no declaration"
    assert found["s", "blue"] == (500_000 if wins else 1_000_000), "who is left out leaves no gap in the places"


@pytest.mark.clause("TS F-10")
def test_f10_the_ways_of_counting_are_the_cycles_and_stand_in_what_a_board_shows() -> None:
    usual, strict = result(), result(modes={"zsod": "strict_text", "c2c": "strict_text"})
    assert "modes" not in TRACK.totals(usual, ())
    assert TRACK.totals(strict, ())["modes"] == {"zsod": "strict_text", "c2c": "strict_text"}
    assert Decimal(str(usual["s"])) == Decimal("1.3")
