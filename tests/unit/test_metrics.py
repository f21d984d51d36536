"""M1 to M7 by hand, with every empty case (markup-scoring §3)."""

from __future__ import annotations

from typing import Any

import pytest

from markup_core.matching import match
from markup_core.metrics import InvalidRatings, Metrics, pair_metrics, read_ratings
from markup_core.model import Fragment, Markup
from markup_core.params import ScoringParams

# Words at 0-4, 5-8, 9-15, 18-22; the dash at 16 is none.
TEXT = "Мама мыла ,раму, — дома"
EMPTY_BOTH, EMPTY_ONE = 100.0, 0.0


def markup(*fragments: Fragment, subject: str = "rus", text: str = TEXT) -> Markup:
    return Markup(text, fragments, {"subject": subject})


def metrics(x: Markup, y: Markup, **options: Any) -> Metrics:
    return pair_metrics(x, y, match(x, y), ScoringParams(), **options)


def at(start: int, end: int, code: str = "Г.слов", **fields: Any) -> Fragment:
    return Fragment(start, end, code, **fields)


def test_m1_compares_grades_with_the_greatest_possible_one() -> None:
    # rus-free: 24 at most; each grammar error costs one point of K1.
    x, y = markup(at(0, 4), at(5, 9), subject="rus-free"), markup(subject="rus-free")
    assert metrics(x, y)[0] == pytest.approx((1 - 2 / 24) * 100)


def test_m1_ignores_the_criteria_that_a_file_supplies() -> None:
    x = Markup(TEXT, (), {"subject": "rus-free"}, {"K1": 0})
    assert metrics(x, markup(subject="rus-free"))[0] == 100


def test_m1_is_undefined_without_a_grading_formula() -> None:
    assert metrics(markup(subject="poetry"), markup(subject="poetry"))[0] is None


def test_m2_is_the_harmonic_mean_of_precision_and_recall() -> None:
    x = markup(at(0, 4), at(5, 9))
    y = markup(at(0, 4), at(10, 16), at(19, 23))
    # One match: precision 1/2, recall 1/3, their harmonic mean 2/5.
    assert metrics(x, y)[1] == 40
    assert metrics(y, x)[1] == 40


def test_m3_is_the_share_of_xs_fragments_matched_with_an_equal_code() -> None:
    x, y = markup(at(0, 4), at(5, 9, "Г.упр")), markup(at(0, 4, "Г.СЛОВ"), at(5, 9))
    assert metrics(x, y)[2] == 50


@pytest.mark.parametrize(
    ("one", "other", "agree"),
    [
        ({}, {}, True),
        ({"subtype": "прич"}, {"subtype": " ПРИЧ "}, True),
        ({"subtype": "прич"}, {"subtype": "деепр"}, False),
        ({"subtype": "прич"}, {}, False),
        ({"subtype": " "}, {}, True),  # blanks are empty
        ({"comment": "пропущена запятая"}, {"comment": "запятая отсутствует"}, True),
        ({"comment": "пропущена запятая"}, {"comment": "лишняя запятая"}, False),
        ({"comment": "пропущена запятая"}, {}, False),
        ({"subtype": "прич", "comment": "a"}, {"subtype": "деепр", "comment": "A"}, True),
        ({"subtype": "прич"}, {"comment": "прич"}, False),
        ({"comment": " "}, {"comment": "\n"}, True),
    ],
)
def test_m4_takes_equal_subtypes_or_paraphrased_comments_or_neither(
    one: dict[str, str], other: dict[str, str], agree: bool
) -> None:
    x, y = markup(at(0, 4, **one)), markup(at(0, 4, **other))
    assert metrics(x, y)[3] == metrics(y, x)[3] == (100 if agree else 0)


def test_m4_asks_the_chosen_judge() -> None:
    x, y = markup(at(0, 4, comment="пропущена запятая")), markup(at(0, 4, comment="запятая отсутствует"))
    assert pair_metrics(x, y, match(x, y), ScoringParams(paraphrase="exact"))[3] == 0


@pytest.mark.parametrize(
    ("one", "other", "share"),
    [
        (at(0, 4), at(0, 9), 1 / 2),  # Мама | Мама мыла
        (at(0, 6), at(0, 9), 1),  # one letter is enough to touch мыла
        (at(0, 5), at(0, 9), 1 / 2),  # the blank after a word belongs to none
        (at(0, 16), at(5, 18), 2 / 3),  # Мама мыла ,раму, | мыла ,раму, and a dash that is no word
        (at(16, 19), at(16, 18), 0),  # no word on either side, and spans that differ
        (at(16, 18), at(16, 18), 1),  # no word in two equal spans
        (at(16, 18), at(16, 20), 0),  # dash | dash дома
        (at(0, 0), at(0, 0), 1),  # two full-text fragments
    ],
)
def test_m5_is_the_jaccard_measure_in_words(one: Fragment, other: Fragment, share: float) -> None:
    assert metrics(markup(one), markup(other))[4] == pytest.approx(share * 100)


def test_m5_is_a_mean_over_xs_fragments_with_zero_for_unmatched_ones() -> None:
    x = markup(at(0, 4), at(10, 16))
    assert metrics(x, markup(at(0, 9)))[4] == 25  # (1/2 + 0) / 2


def test_m6_looks_at_xs_corrections_alone() -> None:
    x = markup(at(0, 4, correction="Papa"), at(5, 9, correction="ела"), at(10, 16), at(19, 23, correction="там"))
    y = markup(at(0, 4, correction=" papa "), at(5, 9), at(10, 16, correction="раму"))
    assert metrics(x, y)[5] == pytest.approx(100 / 3)
    assert metrics(y, x)[5] == 50


def test_m6_compares_after_nfc_case_folding_and_collapsing_white_space() -> None:
    x, y = markup(at(0, 4, correction="чай\u0306  Й")), markup(at(0, 4, correction="ЧАЙ\u0306 и\u0306\n"))
    assert metrics(x, y)[5] == 100


def test_m6_without_corrections_in_x() -> None:
    assert metrics(markup(at(0, 4)), markup(at(0, 4)))[5] == 100
    assert metrics(markup(at(0, 4)), markup(at(0, 4, correction="Папа")))[5] == 0
    assert metrics(markup(at(0, 4, correction=" ")), markup(at(0, 4)))[5] == 100


def test_two_empty_markups_agree_and_one_empty_markup_agrees_with_nothing() -> None:
    empty, one = markup(), markup(at(0, 4))
    assert metrics(empty, empty)[1:6] == (EMPTY_BOTH,) * 5
    assert metrics(empty, one)[1:6] == (EMPTY_ONE,) * 5
    assert metrics(one, empty)[1:6] == (EMPTY_ONE,) * 5


def test_nothing_matched_is_zero() -> None:
    assert metrics(markup(at(0, 4)), markup(at(5, 9)))[1:5] == (0.0,) * 4


def explained(*names: int | str) -> Markup:
    return markup(*[at(5 * number, 5 * number + 4, explanation="why", id=name) for number, name in enumerate(names)])


def test_m7_is_100_for_an_expert() -> None:
    assert metrics(markup(at(0, 4)), markup(), x_is_expert=True)[6] == 100


def test_m7_without_explanations_is_zero() -> None:
    assert metrics(markup(at(0, 4, explanation=" ")), markup())[6] == 0


def test_m7_is_undefined_while_nothing_is_rated() -> None:
    assert metrics(explained(1), markup())[6] is None
    assert metrics(explained(1), markup(), ratings=read_ratings({"2": [[1, 1, 1, 1, 1]]}))[6] is None
    assert metrics(explained(1), markup(), ratings=read_ratings({"1": []}))[6] is None


def test_m7_averages_raters_and_leaves_unrated_explanations_out() -> None:
    ratings = read_ratings({"1": [[True, True, True, False, False], [1, 1, 1, 1, 1]], "b": [[0, 0, 0, 0, 1]]})
    # (60 + 100) / 2 = 80 and 20; the third explanation is not rated.
    assert metrics(explained(1, "b", 3), markup(), ratings=ratings)[6] == pytest.approx(50)


@pytest.mark.parametrize(
    "raw",
    [[], "x", {"1": 5}, {"1": [[1, 1, 1, 1]]}, {"1": [[1, 1, 1, 1, 2]]}, {"1": [["yes"] * 5]}, {"1": [[1.0] * 5]}],
)
def test_ratings_of_another_shape_are_refused(raw: Any) -> None:
    with pytest.raises(InvalidRatings):
        read_ratings(raw)


def test_no_ratings_are_ratings_of_nothing() -> None:
    assert not read_ratings(None)


def test_markups_of_different_subjects_are_refused() -> None:
    with pytest.raises(ValueError, match="different subjects"):
        metrics(markup(), markup(subject="lit"))
