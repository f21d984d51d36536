"""Essays that count, breakdowns and intervals, computed by hand (markup-scoring §4).

Resampling: the frozen stream, whole sums, the ends of the interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from markup_core import bootstrap
from markup_core.accuracy import EssayPair, EssayScore
from markup_core.metrics import Metrics, read_ratings
from markup_core.model import Fragment, Markup
from markup_core.params import ScoringParams
from markup_core.sample import Accuracies, EssayInput, accuracies, score_sample, summarise


def pair(x: int | None, y: int, accuracy: float | None) -> EssayPair:
    """Return a pair whose M1 … M7 are all its accuracy."""
    value = 0.0 if accuracy is None else accuracy
    return EssayPair(x, y, Metrics(value, value, value, value, value, value, accuracy), accuracy, ())


def score(
    algorithm: Sequence[float | None] | None,
    experts: Sequence[float] = (),
    hardness: float = 0.0,
    subject: str = "rus",
    number: int | None = None,
) -> EssayScore:
    """Score an essay with M(A, E) of each expert (None: voided) and M(E, E') of the ordered pairs of experts."""
    count = number if number is not None else {0: 1, 2: 2, 6: 3}[len(experts)]
    order = [(i, k) for i in range(count) for k in range(count) if i != k]
    found = [pair(i, k, value) for (i, k), value in zip(order, experts, strict=True)]
    if algorithm is not None:
        found = [*(pair(None, k, value) for k, value in enumerate(algorithm)), *found]
    return EssayScore(subject, algorithm is not None, count, tuple(found), hardness)


def three(found: Accuracies) -> tuple[float | None, float | None, float | None]:
    return found.algorithm_accuracy, found.expert_accuracy, found.relative_accuracy


@pytest.mark.clause("R 5.6", "R-App1 OTAR", "R-App1 STAR", "R-App1 STER", "R 5.7")
@pytest.mark.parametrize(
    ("hardness", "above", "below"),
    [
        (0.0, 90, 20),  # the best and the worst
        (1.0, 60, 50),  # (30 + 60 + 90) / 3 and (20 + 40 + 60 + 80 + 50 + 50) / 6
        (0.3, 81, 29),  # 0.3·60 + 0.7·90 = 18 + 63 and 0.3·50 + 0.7·20 = 15 + 14
    ],
)
def test_three_experts_at_three_hardnesses(hardness: float, above: float, below: float) -> None:
    one = score([30, 60, 90], [20, 40, 60, 80, 50, 50], hardness)
    assert one.algorithm_accuracy == pytest.approx(above)
    assert one.expert_accuracy == pytest.approx(below)
    assert one.relative_accuracy == pytest.approx(100 * above / below)


@pytest.mark.clause("R 5.3", "R 5.4", "R 5.7", "R-App1 STAR", "R-App1 STER", "MS §4 undefined")
@pytest.mark.parametrize(
    ("sample", "expected"),
    [
        # The expert side takes both directions of two experts.
        ([score([0, 0], [40, 70], 0.0)], (0, 40, 0)),
        ([score([0, 0], [40, 70], 1.0)], (0, 55, 0)),
        # Different numbers of experts weigh alike: a = 50 and 90, e = 80 and 20; not a mean over pairs.
        ([score([50, 10], [80, 90]), score([30, 60, 90], [20, 40, 60, 80, 50, 50])], (70, 50, 140)),
        # A ratio of means: 60/75; a mean of the ratios 100/50 and 20/100 would be 110 %.
        ([score([100, 0], [50, 50]), score([20, 0], [100, 100])], (60, 75, 80)),
        # Zero among the experts is undefined above it, and counts in the mean: 100 · (50 + 50) / (0 + 80).
        ([score([50, 50], [0, 0])], (50, 0, None)),
        ([score([50, 50], [0, 0]), score([50, 50], [80, 80])], (50, 40, 125)),
        ([score([0, 0], [50, 50])], (0, 50, 0)),  # no match is zero and not undefined
    ],
)
def test_accuracies_are_means_over_essays_and_their_ratio(sample: list[EssayScore], expected: tuple[Any, ...]) -> None:
    found = accuracies(sample)
    assert three(found) == expected
    assert found.relative_interval is None


@pytest.mark.clause("MS §4 common", "R 5.7")
def test_relative_accuracy_uses_the_same_essays_above_and_below() -> None:
    # Only the first essay has both sides: 40/80. The second has one expert, the third is voided, the fourth has none.
    sample = [score([40, 40], [80, 80]), score([100]), score(None, [10, 10]), score([], [], number=0)]
    found = accuracies(sample)
    assert found.relative_accuracy == 50
    assert found.expert_accuracy == 80
    assert (found.essays, found.algorithm_essays) == (1, 2)
    assert found.algorithm_accuracy == 40  # over the essay of the two others; 40/80 is the 50 above
    assert found.algorithm_accuracy_all == 70  # (40 + 100) / 2, with the essay of one expert
    found = accuracies(sample * 3)
    assert found.algorithm_interval == (40, 40)
    # Of three 40 and three 100 a resample has none or all of the 100 once in 64 times each: 1.6 %, outside.
    assert found.algorithm_interval_all == (50, 90)


def test_one_expert_everywhere_leaves_the_algorithms_side_alone() -> None:
    found = accuracies([score([40]), score([60]), score([50])])
    assert three(found) == (50, None, None)
    assert found.algorithm_accuracy_all == 50
    assert found.algorithm_interval == found.algorithm_interval_all == (40, 60)
    assert found.expert_interval is found.relative_interval is None
    assert found.essays == 3


def test_an_undefined_accuracy_makes_the_essay_and_the_sample_undefined() -> None:
    part = score([None, 60], [80, 80])
    assert (part.algorithm_accuracy, part.expert_accuracy, part.relative_accuracy) == (None, 80, None)
    found = accuracies([part, *[score([40, 40], [80, 80])] * 2])
    assert three(found) == (None, 80, None)
    assert found.algorithm_interval is found.relative_interval is None
    assert found.expert_interval == (80, 80)
    assert found.essays == 3


def explaining(ratings: bool) -> EssayInput:
    text = "раз два"
    own = Markup(text, (Fragment(0, 3, "Г.слов", explanation="so", id=1),), {"subject": "rus"})
    expert = Markup(text, (Fragment(0, 3, "Г.слов"),), {"subject": "rus"})
    return EssayInput(own, [expert, expert], read_ratings({"1": [[1, 1, 0, 0, 0]]}) if ratings else None)


def test_an_unrated_explanation_makes_m7_undefined_everywhere_above_and_nowhere_below() -> None:
    found = score_sample([explaining(True), explaining(False)], ScoringParams(weights=(1, 0, 0, 0, 0, 0, 1)))
    assert three(found.by_metric["M7"]) == (None, 100, None)
    assert three(found.overall) == (None, 100, None)
    assert three(found.by_metric["M1"]) == (100, 100, 100)
    assert [each.algorithm_accuracy for each in found.by_essay] == [70, None]  # (100 + 40) / 2


def test_a_cycle_names_the_languages_of_its_own_subjects() -> None:
    sample = [score([40, 0], [80, 80], subject="poetry"), score([60, 0], [80, 80], subject="rus")]
    assert list(summarise(sample).by_language) == ["poetry", "rus"]
    assert list(summarise(sample, languages={"poetry": "uk", "rus": "rus"}).by_language) == ["rus", "uk"]


def test_an_essay_without_any_markup_is_of_no_subject() -> None:
    found = score_sample([EssayInput(None, [])])
    assert found.by_subject == found.by_language == {}
    assert three(found.overall) == (None, None, None)


THREE = [score([20, 0], [40, 40]), score([90, 0], [60, 60]), score([90, 0], [60, 60])]


def test_a_sample_tells_its_intervals_and_breakdowns_as_json() -> None:
    # One in 27 resamples takes the first essay three times, eight never: more than 2.5 % on each side.
    told = summarise(THREE).to_dict()
    assert told["interval_95"] == {
        "algorithm_accuracy": [20, 90],
        "algorithm_accuracy_all": [20, 90],
        "expert_accuracy": [40, 60],
        "relative_accuracy": [50, 150],
    }
    assert told["by_subject"]["rus"] == told["by_language"]["rus"]
    assert told["by_metric"]["M2"]["relative_accuracy"] == told["relative_accuracy"]
    assert told["relative_accuracy"] == pytest.approx(125)


sums_of_accuracies = st.lists(st.floats(0, 100), min_size=3, max_size=30)
MASK = (1 << 64) - 1


def splitmix64(seed: int, position: int) -> int:
    """Compute the published generator in Python's whole numbers, one word at a time: an oracle without numpy."""

    def mix(word: int) -> int:
        word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & MASK
        return word ^ (word >> 31)

    return mix((mix(seed & MASK) + (position + 1) * 0x9E3779B97F4A7C15) & MASK)


@pytest.mark.clause("MS §8 same bytes")
@given(st.lists(st.integers(0, 100), min_size=1, max_size=9), st.integers(0, 2**64 - 1))
def test_sums_follow_the_published_generator_on_every_machine(values: list[int], seed: int) -> None:
    size, resamples = len(values), 7
    expected = [
        sum(values[(splitmix64(seed, row * size + j) >> 32) * size >> 32] for j in range(size)) * bootstrap.scale(size)
        for row in range(resamples)
    ]
    assert bootstrap.resampled_sums([values], seed, resamples)[0].tolist() == expected


@given(st.floats(1, 100), st.floats(1, 100))
def test_essays_all_alike_are_certain_to_the_last_bit(above: float, below: float) -> None:
    # Three equal addends and four have sums that 64 bits hold exactly; floats need not.
    for essays in (3, 4):
        low, high = cast(bootstrap.Interval, bootstrap.mean_interval([above] * essays, seed=1))
        assert low == high == pytest.approx(above, rel=1e-15)
        low, high = cast(bootstrap.Interval, bootstrap.ratio_interval([above] * essays, [below] * essays, seed=1))
        assert low == high == pytest.approx(above / below * 100.0, rel=1e-15)


@given(st.integers(1, 10**9))
def test_the_largest_sum_of_any_number_of_essays_fits_in_64_bits(essays: int) -> None:
    assert essays * 100 * int(bootstrap.scale(essays)) < 2**62
    assert essays * 200 * int(bootstrap.scale(essays)) > 2**61  # and no bit is given away


@pytest.mark.clause("MS §4 interval")
@pytest.mark.parametrize("essays", [0, 1, 2, 3])
def test_fewer_than_three_essays_have_no_interval(essays: int) -> None:
    above, below = [50.0, 60.0, 55.0][:essays], [70.0, 80.0, 60.0][:essays]
    intervals = bootstrap.mean_interval(above, seed=1), bootstrap.ratio_interval(above, below, seed=1)
    assert [each is None for each in intervals] == [essays < 3] * 2


def test_resamples_without_a_ratio_are_left_out_of_the_rest() -> None:
    # Of three essays, two with denominator 0: resamples that take the other one once, twice, three times give
    # 100·30/50 = 60, 100·30/100 = 30 and 100·30/150 = 20 per cent; the others have no ratio.
    assert bootstrap.ratio_interval([10.0, 10.0, 10.0], [50.0, 0.0, 0.0], seed=3) == (20.0, 60.0)
    assert bootstrap.ratio_interval([10.0, 20.0, 30.0], [0.0, 0.0, 0.0], seed=1) is None


@given(sums_of_accuracies, st.integers(0, 2**32))
def test_the_interval_lies_within_the_values(values: list[float], seed: int) -> None:
    interval = bootstrap.mean_interval(values, seed)
    assert interval is not None
    low, high = interval
    assert min(values) - 1e-9 <= low <= high <= max(values) + 1e-9


@pytest.mark.clause("MS §4 interval")
def test_intervals_cut_a_fortieth_on_each_side() -> None:
    values = [float(number) for number in range(50)]
    means = sorted(total / bootstrap.scale(50) / 50 for total in bootstrap.resampled_sums([values], 11)[0].tolist())
    assert len(means) == bootstrap.RESAMPLES
    assert bootstrap.mean_interval(values, 11) == (means[49], means[1950])


@pytest.mark.parametrize("seed", [0, 1, 2**63, -1])
def test_a_large_sample_is_drawn_in_pieces_with_the_same_result(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    values = [float(number % 101) for number in range(257)]
    whole = bootstrap.resampled_sums([values], seed, 20).tolist()
    monkeypatch.setattr("markup_core.bootstrap._CHUNK", 1000)
    assert bootstrap.resampled_sums([values], seed, 20).tolist() == whole


@pytest.mark.clause("MS §4 interval")
def test_ms_4_a_mean_between_other_bounds_has_the_interval_of_its_share_of_the_way() -> None:
    column = [-40.0, -10.0, 0.0, 25.0, 60.0]
    low, high = bootstrap.mean_interval([(value + 100) / 2 for value in column], 3) or (0.0, 0.0)
    result = bootstrap.bounded_mean_interval(column, -100.0, 100.0, 3)
    assert result == pytest.approx((2 * low - 100, 2 * high - 100))
    assert bootstrap.bounded_mean_interval(column[:2], -100.0, 100.0, 3) is None
