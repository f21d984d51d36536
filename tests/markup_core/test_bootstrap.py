"""Resampling: the frozen stream, whole sums, the ends of the interval."""

from __future__ import annotations

from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from markup_core.bootstrap import (
    RESAMPLES,
    Interval,
    bounded_mean_interval,
    mean_interval,
    ratio_interval,
    resampled_sums,
    scale,
)

accuracies = st.lists(st.floats(0, 100), min_size=3, max_size=30)
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
        sum(values[(splitmix64(seed, row * size + j) >> 32) * size >> 32] for j in range(size)) * scale(size)
        for row in range(resamples)
    ]
    assert resampled_sums([values], seed, resamples)[0].tolist() == expected


@given(st.floats(1, 100), st.floats(1, 100))
def test_essays_all_alike_are_certain_to_the_last_bit(above: float, below: float) -> None:
    # Three equal addends and four have sums that 64 bits hold exactly; floats need not.
    for essays in (3, 4):
        low, high = cast(Interval, mean_interval([above] * essays, seed=1))
        assert low == high == pytest.approx(above, rel=1e-15)
        low, high = cast(Interval, ratio_interval([above] * essays, [below] * essays, seed=1))
        assert low == high == pytest.approx(above / below * 100.0, rel=1e-15)


@given(st.integers(1, 10**9))
def test_the_largest_sum_of_any_number_of_essays_fits_in_64_bits(essays: int) -> None:
    assert essays * 100 * int(scale(essays)) < 2**62
    assert essays * 200 * int(scale(essays)) > 2**61  # and no bit is given away


@pytest.mark.clause("MS §4 interval")
@pytest.mark.parametrize("essays", [0, 1, 2, 3])
def test_fewer_than_three_essays_have_no_interval(essays: int) -> None:
    above, below = [50.0, 60.0, 55.0][:essays], [70.0, 80.0, 60.0][:essays]
    intervals = mean_interval(above, seed=1), ratio_interval(above, below, seed=1)
    assert [each is None for each in intervals] == [essays < 3] * 2


def test_resamples_without_a_ratio_are_left_out_of_the_rest() -> None:
    # Of three essays, two with denominator 0: resamples that take the other one once, twice, three times give
    # 100·30/50 = 60, 100·30/100 = 30 and 100·30/150 = 20 per cent; the others have no ratio.
    assert ratio_interval([10.0, 10.0, 10.0], [50.0, 0.0, 0.0], seed=3) == (20.0, 60.0)
    assert ratio_interval([10.0, 20.0, 30.0], [0.0, 0.0, 0.0], seed=1) is None


@given(accuracies, st.integers(0, 2**32))
def test_the_interval_lies_within_the_values(values: list[float], seed: int) -> None:
    interval = mean_interval(values, seed)
    assert interval is not None
    low, high = interval
    assert min(values) - 1e-9 <= low <= high <= max(values) + 1e-9


@pytest.mark.clause("MS §4 interval")
def test_intervals_cut_a_fortieth_on_each_side() -> None:
    values = [float(number) for number in range(50)]
    means = sorted(total / scale(50) / 50 for total in resampled_sums([values], 11)[0].tolist())
    assert len(means) == RESAMPLES
    assert mean_interval(values, 11) == (means[49], means[1950])


@pytest.mark.parametrize("seed", [0, 1, 2**63, -1])
def test_a_large_sample_is_drawn_in_pieces_with_the_same_result(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    values = [float(number % 101) for number in range(257)]
    whole = resampled_sums([values], seed, 20).tolist()
    monkeypatch.setattr("markup_core.bootstrap._CHUNK", 1000)
    assert resampled_sums([values], seed, 20).tolist() == whole


@pytest.mark.clause("MS §4 interval")
def test_ms_4_a_mean_between_other_bounds_has_the_interval_of_its_share_of_the_way() -> None:
    column = [-40.0, -10.0, 0.0, 25.0, 60.0]
    low, high = mean_interval([(value + 100) / 2 for value in column], 3) or (0.0, 0.0)
    found = bounded_mean_interval(column, -100.0, 100.0, 3)
    assert found == pytest.approx((2 * low - 100, 2 * high - 100))
    assert bounded_mean_interval(column[:2], -100.0, 100.0, 3) is None
