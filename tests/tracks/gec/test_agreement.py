"""Agreement of raters: G's Table 1, statsmodels, and what is undefined (tracks.md §3, §5)."""

from __future__ import annotations

import random
from typing import Any

import pytest

from markup_core.command.complaints import RefusedError
from tracks.fields import Fields
from tracks.gec.agreement import authors_percent, fleiss_kappa, krippendorff_alpha, randolph_kappa
from tracks.gec.operations import OPERATIONS

NOTHING = {"krippendorff_alpha": None, "fleiss_kappa": None, "randolph_kappa": None, "authors_percent": None}


def request(**fields: Any) -> Any:
    return OPERATIONS["gec.agreement"](Fields(fields))


@pytest.mark.clause("G Table 1", "G agreement alpha")
@pytest.mark.parametrize(
    ("items", "alpha"),
    [
        ([["1", "1", "1"], ["2", "2", "2"], ["1", "1", "1"]], 1.0),
        ([["1", "1", "1"], ["2", "2", "1"], ["1", "1", "1"]], 0.429),
        ([["1", "1", "1"], ["1", "2", "1"], ["1", "1", "1"]], 0.0),
    ],
)
def test_alpha_falls_fast_where_one_label_is_rare(items: list[list[str | None]], alpha: float) -> None:
    # G, Table 1, rounded there to three decimals.
    assert krippendorff_alpha(items) == pytest.approx(alpha, abs=5e-4)


@pytest.mark.clause("G Table 2")
@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ([1, 0, 0, 0, 0], (0.0, -5.3, 80.0, 95.0)),
        ([1, 1, *[0] * 13], (-1.7, -3.4, 86.7, 96.7)),
    ],
    ids=["Inappropriate register", "WO"],
)
def test_rows_of_the_papers_table_2_are_met(sizes: list[int], expected: tuple[float, ...]) -> None:
    # G, Table 2, in per cent: four raters, the base markup has no context-dependent error, and so many of the raters
    # see one all the same; the numbers follow from nothing else.
    items = [[1] * seen + [0] * (4 - seen) for seen in sizes]
    found = request(items=items, categories=[0, 1], base=[0] * len(items))
    assert [100 * value for value in list(found.values())[:3]] == pytest.approx(expected[:3], abs=0.05)
    assert found["authors_percent"] == pytest.approx(expected[3], abs=0.05)


@pytest.mark.clause("G agreement alpha")
def test_alpha_by_hand_with_missing_labels() -> None:
    # Pairable: (a, a, b) and (b, b); the last item has one label. Disagreeing ordered pairs: 4 of the first item, each
    # weighing 1/2: D_o = 2 / 5. Of 5 labels 2 are a, 3 are b: D_e = 2·2·3 / (5·4). alpha = 1 − 0.4 / 0.6.
    items = [["a", "a", "b", None], ["b", None, None, "b"], [None, "a", None, None]]
    assert krippendorff_alpha(items) == pytest.approx(1 / 3)


@pytest.mark.clause("G agreement Fleiss", "G agreement Randolph")
@pytest.mark.parametrize("seed", range(20))
def test_the_kappas_are_those_of_statsmodels(seed: int) -> None:
    from statsmodels.stats import inter_rater  # only here: it takes seconds to load

    rng = random.Random(seed)
    categories = "abcd"[: rng.randint(2, 4)]
    weights = [rng.random() for _ in categories]
    raters = rng.randint(2, 5)
    items: list[list[str | None]] = [
        list(rng.choices(categories, weights, k=raters)) for _ in range(rng.randint(2, 30))
    ]
    table = [[item.count(category) for category in categories] for item in items]
    assert randolph_kappa(items, len(categories)) == pytest.approx(inter_rater.fleiss_kappa(table, method="randolph"))
    if len({label for item in items for label in item}) > 1:
        assert fleiss_kappa(items) == pytest.approx(inter_rater.fleiss_kappa(table, method="fleiss"))


@pytest.mark.clause("G agreement Randolph")
def test_randolph_counts_all_listed_categories() -> None:
    # One pair of raters in two agrees: P = 1/2; of four listed categories two are used: (1/2 − 1/4) / (3/4).
    found = request(items=[["a", "a"], ["a", "b"]], categories=["a", "b", "c", "d"], base=None)
    assert found["randolph_kappa"] == pytest.approx(1 / 3)
    assert request(items=[["a", "a"], ["a", "b"]], base=None)["randolph_kappa"] == 0.0


@pytest.mark.clause("tracks §3 agreement")
def test_one_label_alone_leaves_alpha_and_fleiss_undefined() -> None:
    # G, Table 2, the row DET: no alpha, no kappa, 100 % of matches. Randolph's needs only the listed categories.
    found = request(items=[[0, 0, 0, 0]] * 18, categories=[0, 1], base=[0] * 18)
    assert found == {**NOTHING, "randolph_kappa": 1.0, "authors_percent": 100.0}
    assert request(items=[[0, 0]], categories=[0], base=[0]) == {**NOTHING, "authors_percent": 100.0}


@pytest.mark.clause("tracks §3 agreement")
@pytest.mark.parametrize(
    "fields",
    [
        {"items": [], "categories": ["a"], "base": []},
        {"items": [[], []], "categories": ["a", "b"], "base": ["a", "b"]},
        {"items": [["a"], ["b"]], "categories": ["a", "b"], "base": None},
        {"items": [[None, None]], "categories": ["a", "b"], "base": ["a"]},
        {"items": [["a", None], [None, "b"]], "categories": ["a", "b"], "base": [None, None]},
    ],
)
def test_what_is_undefined_is_null(fields: dict[str, Any]) -> None:
    assert request(**fields) == NOTHING


def test_missing_labels_leave_the_kappas_undefined_and_alpha_not() -> None:
    found = request(items=[["a", "a", "b"], ["b", "b", None]], categories=["a", "b"], base=["a", "b"])
    assert (found["fleiss_kappa"], found["randolph_kappa"]) == (None, None)
    assert found["krippendorff_alpha"] == pytest.approx(1 / 3)  # the same pairs as by hand above
    # 2 of 3 and, of the labels that there are, 2 of 2.
    assert found["authors_percent"] == pytest.approx(100 * (2 / 3 + 1) / 2)


@pytest.mark.clause("G agreement authors")
def test_the_authors_measure_is_the_mean_share_of_matches() -> None:
    # G: 100/n · Σ (matches of an item / raters) = 50 · (2/4 + 4/4).
    assert authors_percent([["a", "a", "b", "b"], ["c"] * 4], ["a", "c"]) == 75.0
    assert authors_percent([["a"], ["b"]], ["a", None]) == 100.0
    assert authors_percent([["a"]], None) is None


def test_labels_are_equal_where_their_values_are() -> None:
    found = request(items=[[1, 1.0], [True, True], ["1", "1"]], categories=[1, True, "1"], base=None)
    assert found["fleiss_kappa"] == 1.0


@pytest.mark.clause("G Table 2")
def test_types_give_the_same_by_type() -> None:
    items, base = [["a", "b"], ["a", "a"], ["b", "b"]], ["a", "a", "b"]
    found = request(items=items, categories=["a", "b"], base=base, types=["DET", "PRON", "PRON"])
    assert list(found["by_type"]) == ["DET", "PRON"]
    alone = request(items=items[1:], categories=["a", "b"], base=base[1:])
    assert found["by_type"]["PRON"] == alone
    assert "by_type" not in alone


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"items": "a"}, "items"),
        ({"items": ["a"]}, "items[0]"),
        ({"items": [["a", {}]]}, "items[0][1]"),
        ({"items": [["a", "b"], ["a"]]}, "items[1]"),
        ({"items": [["a", "b"]], "categories": ["a"]}, "categories"),
        ({"items": [["a", "b"]], "categories": ["a", "b", "a"]}, "categories"),
        ({"items": [["a", "b"]], "categories": ["a", "b", None]}, "categories"),
        ({"items": [["a", "b"]], "categories": ["a", "b"], "base": ["a", "b"]}, "base"),
        ({"items": [["a", "b"]], "categories": ["a", "b"], "base": ["c"]}, "categories"),
        ({"items": [["a", "b"]], "categories": ["a", "b"], "types": []}, "types"),
        ({"items": [["a", "b"]], "categories": ["a", "b"], "types": [1]}, "types[0]"),
    ],
)
def test_a_wrong_field_is_named(fields: dict[str, Any], field: str) -> None:
    with pytest.raises(RefusedError) as caught:
        request(**fields)
    assert caught.value.details == {"field": field}
