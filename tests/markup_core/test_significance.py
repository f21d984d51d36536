"""Two systems over the same essays: by hand, against scipy's own intervals and distributions, and at every edge."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from scipy import stats

from markup_core.accuracy import EssayPair, EssayScore
from markup_core.metrics import Metrics
from markup_core.sample import Difference, Systems, compare_systems

FIRST = (82.0, 75.5, 91.0, 60.0, 88.0, 70.25, 95.0, 66.0)
SECOND = (80.0, 70.0, 85.5, 61.0, 80.0, 70.25, 90.0, 60.5)
EXPERTS = (90.0, 80.0, 95.0, 70.0, 85.0, 75.0, 97.0, 72.0)


def pair(x: int | None, y: int, accuracy: float | None) -> EssayPair:
    value = 0.0 if accuracy is None else accuracy
    return EssayPair(x, y, Metrics(value, value, value, value, value, value, accuracy), accuracy, ())


def essay(algorithm: float | None, expert: float | None = 50.0, *, answered: bool = True) -> EssayScore:
    """Return an essay of two experts who agree as ``expert``, of one where it is None."""
    count = 1 if expert is None else 2
    pairs = [pair(None, number, algorithm) for number in range(count)] if answered else []
    if expert is not None:
        pairs += [pair(0, 1, expert), pair(1, 0, expert)]
    return EssayScore("rus", answered, count, tuple(pairs), 0.0)


def system(values: Sequence[float | None], experts: Sequence[float | None] = EXPERTS) -> list[EssayScore]:
    return [essay(*both) for both in zip(values, experts, strict=False)]


def measure(compared: Systems, name: str) -> Difference:
    (difference,) = [tested for tested in compared.measures if tested.measure == name]
    return difference


@pytest.fixture(scope="module")
def compared() -> Systems:
    return compare_systems(system(FIRST), system(SECOND), seed=7)


def test_the_differences_are_those_of_the_means_and_of_their_ratios_to_the_experts(compared: Systems) -> None:
    star, otar = measure(compared, "STAR"), measure(compared, "OTAR")
    assert star[:2] == ("STAR", 8)
    assert star.first == pytest.approx(np.mean(FIRST))
    assert star.difference == pytest.approx(np.mean(FIRST) - np.mean(SECOND))
    assert otar.difference == pytest.approx(100 * (np.mean(FIRST) - np.mean(SECOND)) / np.mean(EXPERTS))
    assert [tested.measure for tested in compared.measures] == ["STAR", "OTAR", *(f"M{k}" for k in range(1, 8))]


def test_exchanges_are_counted_exactly_up_to_thirteen_essays(compared: Systems) -> None:
    differences = np.subtract(FIRST, SECOND)
    signs = np.array(np.meshgrid(*[[-1, 1]] * 8)).reshape(8, -1).T
    means = (signs * differences).mean(axis=1)
    gap = differences.mean()
    tails = (means >= gap - 1e-9).mean(), (means <= gap + 1e-9).mean()
    assert measure(compared, "STAR").p_permutation == pytest.approx(2 * min(tails))
    assert measure(compared, "OTAR").p_permutation == measure(compared, "STAR").p_permutation


def test_the_interval_lies_where_scipys_own_lies(compared: Systems) -> None:
    def gap(x: Any, y: Any, axis: int) -> Any:
        return x.mean(axis=axis) - y.mean(axis=axis)

    scipys = stats.bootstrap((FIRST, SECOND), gap, paired=True, method="percentile", n_resamples=20_000, rng=1)
    star = measure(compared, "STAR")
    assert star.interval_95 == pytest.approx(tuple(scipys.confidence_interval), abs=0.3)
    assert star.bca_95 == pytest.approx(star.interval_95, abs=1.0)


def test_p_of_the_resamples_is_near_that_of_the_normal_distribution(compared: Systems) -> None:
    differences = np.subtract(FIRST, SECOND)
    z = differences.mean() / (differences.std() / np.sqrt(len(differences)))
    assert measure(compared, "STAR").p_bootstrap == pytest.approx(2 * stats.norm.sf(z), abs=0.005)


def test_the_order_of_the_essays_changes_nothing_and_that_of_the_systems_the_signs(compared: Systems) -> None:
    assert compare_systems(system(FIRST[::-1], EXPERTS[::-1]), system(SECOND[::-1], EXPERTS[::-1]), 7) == compared
    back = measure(compare_systems(system(SECOND), system(FIRST), 7), "STAR")
    star = measure(compared, "STAR")
    assert star.interval_95 is not None
    assert (back.difference, back.interval_95) == (
        -(star.difference or 0),
        (-star.interval_95[1], -star.interval_95[0]),
    )
    assert (back.p_bootstrap, back.p_permutation) == (star.p_bootstrap, star.p_permutation)


def test_a_system_compared_with_itself_has_no_difference_and_p_one() -> None:
    star = measure(compare_systems(system(FIRST), system(FIRST)), "STAR")
    assert (star.difference, star.interval_95) == (0.0, (0.0, 0.0))
    assert (star.p_bootstrap, star.p_permutation) == (1.0, 1.0)
    assert star.bca_95 is None


def test_equal_differences_everywhere_have_no_bca_interval_and_the_least_p() -> None:
    second = [value - 2.0 for value in FIRST]
    star = measure(compare_systems(system(FIRST), system(second)), "STAR")
    assert (star.interval_95, star.bca_95) == (pytest.approx((2.0, 2.0)), None)
    assert (star.p_bootstrap, star.p_permutation) == (1 / 2001, 2 / 256)


@pytest.mark.parametrize("essays", [0, 1, 2])
def test_fewer_than_three_essays_have_neither_interval_nor_p(essays: int) -> None:
    star = measure(compare_systems(system(FIRST[:essays]), system(SECOND[:essays])), "STAR")
    assert (star.difference is None) == (essays == 0)
    assert star[5:] == (None, None, None, None)


def test_essays_with_two_experts_count_if_there_are_any() -> None:
    experts = (*EXPERTS[:3], None, None)
    both = compare_systems(system(FIRST[:5], experts), system(SECOND[:5], experts), by_scipy=False)
    assert (measure(both, "STAR").essays, measure(both, "OTAR").essays) == (3, 3)
    single = compare_systems(system(FIRST, [None] * 8), system(SECOND, [None] * 8), by_scipy=False)
    assert measure(single, "STAR").essays == 8
    assert measure(single, "STAR").interval_95 is not None
    assert measure(single, "OTAR")[2:] == (None,) * 7


def test_essays_that_one_system_left_out_do_not_count() -> None:
    second = [*system(SECOND)[:-1], essay(None, EXPERTS[-1], answered=False)]
    assert measure(compare_systems(system(FIRST), second, by_scipy=False), "STAR").essays == 7


def test_an_undefined_value_makes_its_measure_undefined_and_no_other() -> None:
    comparison = compare_systems(system((None, *FIRST[1:])), system(SECOND), by_scipy=False)
    assert measure(comparison, "STAR")[2:] == (None,) * 7
    assert measure(comparison, "M1").difference is not None


def test_experts_who_never_agree_leave_otar_undefined() -> None:
    comparison = compare_systems(system(FIRST, [0.0] * 8), system(SECOND, [0.0] * 8), by_scipy=False)
    assert measure(comparison, "OTAR")[1:] == (8, *(None,) * 7)
    assert measure(comparison, "STAR").difference is not None


@pytest.mark.parametrize("second", [[], system(SECOND)[:-1], system(SECOND, [1.0] * 8)])
def test_scores_of_other_essays_are_refused(second: list[EssayScore]) -> None:
    with pytest.raises(ValueError, match="same essays"):
        compare_systems(system(FIRST), second)


@pytest.mark.parametrize("seed", [-1, 2**64 + 5])
def test_any_whole_number_is_a_seed(seed: int) -> None:
    assert measure(compare_systems(system(FIRST), system(SECOND), seed), "STAR").p_permutation is not None


def test_without_scipy_the_librarys_own_numbers_are_the_same(
    compared: Systems, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def without(name: str) -> Any:
        if name.startswith("scipy"):
            raise ModuleNotFoundError(name)
        return real(name)

    monkeypatch.setattr("markup_core.extras.import_module", without)
    bare = compare_systems(system(FIRST), system(SECOND), seed=7)
    assert bare.scipy is None
    assert bare.to_dict() == compared.to_dict()
    assert {tested.p_permutation for tested in bare.measures} == {None}


def test_the_frame_names_scipys_version_and_a_notebook_shows_a_dash_for_what_is_undefined(compared: Systems) -> None:
    signed = Systems(
        compared.measures,
        7,
        compared.scipy,
        {"op": "systems", "library": "m 1", "parameters": None, "classifier": None, "inputs": []},
    )
    (signature, *_) = signed.to_frame().columns["signature"]
    assert f"|seed:7|resamples:2000|scipy:{compared.scipy}|permutations:9999|fingerprint:" in signature
    assert compared.to_frame().columns["signature"] == [None] * 9
    assert "—" in compare_systems([], [])._repr_html_()
