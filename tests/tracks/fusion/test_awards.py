"""Scores of the four subtasks.

Prizes of the private test, by hand from the contest's rules (tracks-sessions F-8 … F-10).

Prize money (tracks.md §4).

The sum of the four, its rounding and its minima (tracks.md §4).

Boards by the sum and by subtask (tracks.md §4).
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from tracks.capabilities import Declared
from tracks.fusion.items import use
from tracks.fusion.subtasks import (
    CONTEST,
    MINIMA,
    Subtask,
    awards,
    below_minimum,
    boards,
    contribution,
    integral,
    roubles,
    summary,
)
from tracks.fusion.track import FusionTrack
from tracks.protocol import Place


def scores(c2c: float | None, htr: float | None, zsod: float | None, vqa: float | None) -> dict[Subtask, float | None]:
    return dict(zip(Subtask, (c2c, htr, zsod, vqa), strict=True))


TRACK = FusionTrack()
OWN_MINIMA = {"c2c": 0.2, "htr": 0.6, "zsod": 0.15, "vqa": 0.35}
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
    for name, least in OWN_MINIMA.items():
        below = {**OWN_MINIMA, name: least - 0.001}
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


@pytest.mark.clause("F prize")
@pytest.mark.parametrize(
    ("s", "place", "expected"),
    [
        ("1.299", 1, 0),
        ("1.3", 1, 1_000_000),
        ("1.3", 2, 500_000),
        ("1.3", 3, 200_000),
        ("1.8", 1, 2_000_000),  # 1 + 2 · 0.5
        ("1.8", 2, 1_000_000),  # 0.5 + 1 · 0.5
        ("1.8", 3, 500_000),  # 0.2 + 0.6 · 0.5
        ("2.299", 1, 2_998_000),
        ("2.299", 3, 799_400),
        ("2.3", 1, 3_000_000),
        ("2.3", 2, 1_500_000),
        ("4", 3, 800_000),
        ("4", 4, 0),
    ],
)
def test_prizes(s: str, place: int, expected: int) -> None:
    assert roubles(Decimal(s), place) == expected


def test_a_prize_never_passes_its_maximum() -> None:
    steep = replace(CONTEST, alpha=(Decimal(9), Decimal(1), Decimal(1)))
    assert roubles(Decimal("2.2"), 1, steep) == 3_000_000


@pytest.mark.clause("F sum")
@pytest.mark.parametrize(
    ("subtask", "score", "expected"),
    [
        (Subtask.HTR, 0.1245, "0.125"),  # the float is below: 0.12449999…
        (Subtask.HTR, 0.1235, "0.124"),
        (Subtask.HTR, 0.0005, "0.001"),
        (Subtask.HTR, 0.00049999, "0.000"),
        (Subtask.HTR, 1.0, "1.000"),
        (Subtask.C2C, 12.45, "0.125"),
        (Subtask.C2C, 100, "1.000"),
        (Subtask.C2C, 28.05, "0.281"),
    ],
)
def test_contributions_are_rounded_as_decimals_halves_up(subtask: Subtask, score: float, expected: str) -> None:
    assert str(contribution(subtask, score)) == expected


@pytest.mark.clause("F sum")
def test_each_score_is_rounded_before_they_are_added() -> None:
    """Hand count: 0.4 + 0.001 + 0.001 + 0.001; the unrounded sum would be 0.4015, 0.402 after rounding."""
    assert integral(scores(40, 0.0005, 0.0005, 0.0005)) == Decimal("0.403")
    assert integral(scores(100, 1, 1, 1)) == 4
    assert integral(scores(100, 1, None, 1)) is integral({Subtask.C2C: 100.0}) is None


@pytest.mark.clause("F minima")
def test_a_minimum_that_is_met_exactly_is_met_and_the_minima_make_the_least_sum() -> None:
    assert sum(MINIMA.values()) == CONTEST.smin
    assert below_minimum(scores(20, 0.6, 0.15, 0.35)) == ()
    assert below_minimum(scores(19.94, 0.6, None, 0.3495)) == (Subtask.C2C, Subtask.ZSOD)


@pytest.mark.clause("F nominations", "F board")
def test_boards_share_places_by_what_is_equal_after_rounding() -> None:
    outcome = boards(
        {
            "a": scores(40, 0.8, 0.2, 0.4),
            "b": scores(40.04, 0.8, 0.2, 0.4),
            "c": scores(30, 0.8, 0.2, 0.4),
            "d": scores(90, None, 0.2, 0.4),
        }
    )
    assert outcome.by_sum == (Place("a", 1), Place("b", 1), Place("c", 3), Place("d", 4))
    assert outcome.by_subtask[Subtask.C2C] == (Place("d", 1), Place("a", 2), Place("b", 2), Place("c", 4))
    assert outcome.by_subtask[Subtask.HTR][-1] == Place("d", 4)
    assert {award.place for award in outcome.by_subtask[Subtask.VQA]} == {1}
