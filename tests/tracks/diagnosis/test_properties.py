"""What holds for all diagnosis sessions, boards and schedules."""

from __future__ import annotations

import json
import random
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from markup_core.rounding import half_up
from tracks.command.batch import reply_to
from tracks.diagnosis.aggregate import assess, besides, board_values, tallies
from tracks.diagnosis.answers import STAGES, judge
from tracks.diagnosis.board import CRITERIA, Entry, board, finalists, partial_barrier
from tracks.diagnosis.classifier import NAMES
from tracks.diagnosis.items import UnsafeError, read_epicrisis
from tracks.diagnosis.measures import Matrix, exact_sum, generalised_quality, lower_bound
from tracks.diagnosis.replay import rotation
from tracks.diagnosis.score import Cell, Judged, Named
from tracks.protocol import Place

pytestmark = pytest.mark.property

fractions = st.floats(0, 1)
costs = st.floats(0, 1e6)
counts = st.integers(0, 300)
judged_epicrises = st.lists(
    st.builds(
        Judged,
        st.sampled_from(NAMES),
        st.sampled_from(Cell),
        costs,
        st.builds(Named, st.just(1), st.integers(1, 3)),
        st.builds(Named, st.just(0), st.integers(0, 3)),
        st.none() | st.floats(0, 60),
    ),
    max_size=30,
)
values = st.none() | fractions | st.sampled_from([0.9, 0.904, 0.905, 0.91])
names = st.sampled_from([f"t{number}" for number in range(12)])
teams = st.lists(
    st.builds(Entry, names, values, values, values, st.none() | costs, values, values, st.none() | costs),
    unique_by=lambda entry: entry.team,
)
near = st.sampled_from([None, 0.894, 0.895, 0.8999, 0.9, 0.9049, 0.905])
compared = st.builds(Entry, names, near.filter(bool), near, near, near, near, near, near)
passed = st.dictionaries(names, st.dictionaries(st.sampled_from(NAMES[:4]), compared, max_size=3), max_size=5)
json_values: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@given(judged_epicrises, st.randoms())
def test_the_order_of_epicrises_never_matters(epicrises: list[Judged], order: random.Random) -> None:
    shuffled = order.sample(epicrises, len(epicrises))
    result, other = assess(tallies(epicrises)), assess(tallies(shuffled))
    assert result == other
    assert board_values(result, besides(epicrises)) == board_values(other, besides(shuffled))


@given(judged_epicrises)
def test_every_epicrisis_is_counted_once(epicrises: list[Judged]) -> None:
    matrices = [each.matrix for each in tallies(epicrises).values()]
    assert sum(each.ill + each.healthy for each in matrices) == len(epicrises)


@given(counts, st.integers(1, 300), st.floats(0, 5), st.floats(0, 5))
def test_the_bound_falls_with_z_and_never_exceeds_the_share(successes: int, more: int, one: float, two: float) -> None:
    n = successes + more
    low, high = sorted((one, two))
    strict, lenient = lower_bound(successes, n, high), lower_bound(successes, n, low)
    assert strict is not None
    assert lenient is not None
    assert 0 <= strict <= lenient <= successes / n


@given(counts, st.integers(1, 300), st.floats(0.01, 5))
def test_the_bound_rises_with_successes_and_falls_with_failures(successes: int, more: int, z: float) -> None:
    n = successes + more
    here, better, worse = (
        lower_bound(successes, n, z),
        lower_bound(successes + 1, n, z),
        lower_bound(successes, n + 1, z),
    )
    assert here is not None
    assert better is not None
    assert worse is not None
    assert worse <= here < better


@given(st.integers(1, 50), st.integers(0, 50), st.integers(2, 20), st.floats(0.01, 5))
def test_the_bound_rises_with_the_sample_at_one_share(successes: int, failures: int, times: int, z: float) -> None:
    n = successes + failures
    small, large = lower_bound(successes, n, z), lower_bound(successes * times, n * times, z)
    assert small is not None
    assert large is not None
    assert small < large


@given(st.lists(st.builds(Matrix, counts, st.integers(1, 300), st.integers(1, 300), counts), min_size=1, max_size=6))
def test_sk_lies_between_the_lowest_and_the_highest_share_and_rises_with_a_right_answer(matrices: list[Matrix]) -> None:
    sk = generalised_quality(matrices)
    shares = [x for each in matrices for x in (each.tp / each.ill, each.tn / each.healthy)]
    assert sk is not None
    assert min(shares) - 1e-12 <= sk <= max(shares) + 1e-12
    first = matrices[0]
    better = generalised_quality([Matrix(first.tp + 1, first.fn - 1, first.fp, first.tn), *matrices[1:]])
    assert better is not None
    assert better >= sk


@given(teams, st.randoms())
def test_the_order_of_teams_never_matters(entries: list[Entry], order: random.Random) -> None:
    assert board(order.sample(entries, len(entries))) == board(entries)


@given(teams)
def test_a_place_is_one_more_than_the_number_of_better_teams(entries: list[Entry]) -> None:
    places = board(entries)
    assert sorted(each.team for each in places) == sorted(entry.team for entry in entries)
    for each in places:
        assert each.place == 1 + sum(other.place < each.place for other in places)


@given(teams)
def test_at_most_four_teams_are_admitted_and_no_better_one_is_left_behind(entries: list[Entry]) -> None:
    places = board(entries)
    admitted, undecided = finalists(places)
    by_team = {each.team: each.place for each in places}
    assert len(admitted) <= 4
    assert len(admitted) + len(undecided) >= min(4, len(entries))
    worst = max((by_team[team] for team in admitted), default=0)
    assert all(by_team[team] > worst for team in by_team if team not in admitted)


def ahead(one: Entry, other: Entry) -> bool:
    """Whether one is better by the list of comparisons, each at two decimals, halves up on the decimal value."""
    for name, more_is_better in CRITERIA:
        pair = [getattr(each, name) for each in (one, other)]
        mine, theirs = (None if x is None else Decimal(str(x)).quantize(Decimal("0.01"), ROUND_HALF_UP) for x in pair)
        if mine != theirs:
            return theirs is None or (mine is not None and (mine > theirs) == more_is_better)
    return False


@given(passed)
def test_the_partial_barrier_goes_by_the_leaders_of_nosologies_then_by_values_alone(
    own: dict[str, dict[str, Entry]],
) -> None:
    def leads(team: str, name: str) -> bool:
        return not any(name in others and ahead(others[name], own[team][name]) for others in own.values())

    def best(entries: list[Entry]) -> Entry:
        return next(each for each in entries if not any(ahead(other, each) for other in entries))

    over = [team for team, values in own.items() if values]
    led = {team: [values for name, values in own[team].items() if leads(team, name)] for team in over}
    shown = {team: best(led[team] or list(own[team].values())) for team in over}

    def before(one: str, other: str) -> bool:
        return bool(led[one]) > bool(led[other]) or (
            bool(led[one]) == bool(led[other]) and ahead(shown[one], shown[other])
        )

    places = {team: 1 + sum(before(other, team) for other in over) for team in over}
    expected = sorted(over, key=lambda team: (places[team], team))[:3]
    assert partial_barrier(own) == tuple(Place(team, places[team]) for team in expected)
    assert partial_barrier(dict(reversed(own.items()))) == partial_barrier(own)


@given(st.integers(16, 32))
def test_in_every_round_every_clinician_works_with_one_system(rounds: int) -> None:
    for pairs in rotation(rounds):
        assert sorted(clinician for pair in pairs for clinician in pair) == list(range(1, 9))


@given(st.floats(0, 1e9), st.integers(0, 4))
def test_rounding_is_the_decimal_half_up(value: float, places: int) -> None:
    exact = Fraction(Decimal(repr(value))) * 10**places
    assert half_up(value, places) == float(Fraction(int(exact + Fraction(1, 2)), 10**places))


@given(st.lists(costs, max_size=12), st.randoms())
def test_sums_do_not_depend_on_the_order(numbers: list[float], order: random.Random) -> None:
    assert exact_sum(order.sample(numbers, len(numbers))) == exact_sum(numbers)


@given(st.sampled_from(STAGES), json_values)
def test_judging_never_raises_and_says_why(stage: str, answer: Any) -> None:
    verdict = judge(stage, answer)
    assert verdict.valid == (verdict.canonical is not None)
    assert all(each.message.en and each.message.ru for each in verdict.reasons)
    json.dumps(verdict.canonical, ensure_ascii=False).encode()


@given(st.text(alphabet="<>&;/!?[] abENTIYDOCP\"'=\x00é", max_size=60))
def test_reading_xml_refuses_or_reads_and_never_fails_otherwise(source: str) -> None:
    try:
        found = read_epicrisis(source)
    except UnsafeError:
        return
    assert found.elements >= 1


@given(st.sampled_from(["validate", "bound", "session", "board", "partial_barrier", "rotation"]), json_values)
def test_no_request_breaks_the_stream(op: str, value: Any) -> None:
    fields = ("answer", "stage", "successes", "n", "z", "epicrises", "teams", "passed", "rounds")
    request = {**dict.fromkeys(fields, value), "op": f"diagnosis.{op}"}
    reply = reply_to(json.dumps(request).encode())
    assert reply["ok"] or reply["error"]["code"] in {"invalid_request", "invalid_json"}
