"""What holds for all diagnosis sessions, boards and schedules."""

from __future__ import annotations

import json
import random
from decimal import Decimal
from fractions import Fraction
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tracks.batch import reply_to
from tracks.diagnosis.answers import STAGES, judge
from tracks.diagnosis.board import Entry, board, finalists, partial_barrier
from tracks.diagnosis.cells import Cell
from tracks.diagnosis.epicrisis import UnsafeError, read
from tracks.diagnosis.measures import Matrix, exact_sum, generalised_quality, half_up, lower_bound
from tracks.diagnosis.nosologies import NAMES
from tracks.diagnosis.rotation import rotation
from tracks.diagnosis.session import Judged, Named, assess, board_values, merge, tallies
from tracks.diagnosis.timing import Pause, Received, counting, mass_failure, publications

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
passed = st.dictionaries(names, st.dictionaries(st.sampled_from(NAMES), st.sampled_from([0.8, 0.85, 0.9, 0.95])))
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
    assert board_values(result, epicrises) == board_values(other, shuffled)


@given(judged_epicrises, st.integers(0, 30))
def test_merging_two_parts_is_counting_the_whole(epicrises: list[Judged], cut: int) -> None:
    merged = merge(tallies(epicrises[:cut]), tallies(epicrises[cut:]))
    whole = tallies(epicrises)
    assert {name: each.matrix for name, each in merged.items()} == {name: each.matrix for name, each in whole.items()}


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


@given(passed)
def test_the_partial_barrier_gives_as_many_places_as_there_are_teams_and_prizes(
    qualities: dict[str, dict[str, float]],
) -> None:
    places = partial_barrier(qualities)
    over = [team for team, own in qualities.items() if own]
    assert len(places) == min(3, len(over))
    assert {each.team for each in places} <= set(over)
    if over:
        best = max(sk for own in qualities.values() for sk in own.values())
        assert max(qualities[places[0].team].values()) == best
    assert partial_barrier(dict(reversed(qualities.items()))) == places


@given(st.lists(st.tuples(st.integers(0, 400), st.integers(0, 60)), max_size=5), st.integers(1, 20))
def test_pauses_only_delay_and_nothing_is_published_during_one(gaps: list[tuple[int, int]], files: int) -> None:
    pauses, at = [], 0
    for gap, length in gaps:
        pauses.append(Pause(at + gap, at + gap + length))
        at += gap + length
    times = publications(0, files, pauses, interval_ms=30)
    assert len(times) == files
    for number, time in enumerate(times):
        earlier = [pause for pause in pauses if pause.begin_ms <= time]
        assert time == 30 * number + sum(pause.end_ms - pause.begin_ms for pause in earlier)
        assert not any(pause.begin_ms <= time < pause.end_ms for pause in pauses)


@given(st.lists(st.builds(Received, st.integers(-5, 40), st.booleans(), st.integers()), max_size=8))
def test_the_counting_answer_is_valid_in_time_and_the_last(received: list[Received]) -> None:
    found = counting(received, 0, limit_ms=30)
    usable = [each for each in received if each.valid and 0 <= each.at_ms <= 30]
    assert (found is None) == (not usable)
    assert found is None or all(each.at_ms <= found.at_ms for each in usable)


@given(st.dictionaries(names, st.sets(st.sampled_from("abcdef")), max_size=5))
def test_one_punctual_team_prevents_a_mass_failure(late: dict[str, set[str]]) -> None:
    assert mass_failure(late).mass <= all(len(files) >= 3 for files in late.values())
    assert mass_failure({**late, "punctual": []}).files == ()


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
        found = read(source)
    except UnsafeError:
        return
    assert found.elements >= 1


@given(st.sampled_from(["validate", "bound", "session", "board", "partial_barrier", "rotation"]), json_values)
def test_no_request_breaks_the_stream(op: str, value: Any) -> None:
    fields = ("answer", "stage", "successes", "n", "z", "epicrises", "teams", "passed", "rounds")
    request = {**dict.fromkeys(fields, value), "op": f"diagnosis.{op}"}
    reply = reply_to(json.dumps(request).encode())
    assert reply["ok"] or reply["error"]["code"] in {"invalid_request", "invalid_json"}
