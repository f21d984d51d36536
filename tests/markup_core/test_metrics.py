"""M1 to M7 by hand, with every empty case (markup-scoring §3)."""

from __future__ import annotations

from typing import Any

import pytest

from markup_core.criteria import max_total
from markup_core.matching.match import match
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


@pytest.mark.clause("R-App1 M1")
def test_m1_compares_grades_with_the_greatest_possible_one() -> None:
    # rus-free: 24 at most; each grammar error costs one point of K1.
    x, y = markup(at(0, 4), at(5, 9), subject="rus-free"), markup(subject="rus-free")
    assert metrics(x, y)[0] == pytest.approx((1 - 2 / 24) * 100)


@pytest.mark.clause("MS §3 M1")
def test_m1_ignores_the_criteria_that_a_file_supplies() -> None:
    x = Markup(TEXT, (), {"subject": "rus-free"}, {"K1": 0})
    assert metrics(x, markup(subject="rus-free"))[0] == 100


def test_m1_is_undefined_without_a_grading_formula() -> None:
    assert metrics(markup(subject="poetry"), markup(subject="poetry"))[0] is None


@pytest.mark.clause("R-App1 M2")
def test_m2_is_the_harmonic_mean_of_precision_and_recall() -> None:
    x = markup(at(0, 4), at(5, 9))
    y = markup(at(0, 4), at(10, 16), at(19, 23))
    # One match: precision 1/2, recall 1/3, their harmonic mean 2/5.
    assert metrics(x, y)[1] == 40
    assert metrics(y, x)[1] == 40


@pytest.mark.clause("R-App1 M3")
def test_m3_is_the_share_of_xs_fragments_matched_with_an_equal_code() -> None:
    x, y = markup(at(0, 4), at(5, 9, "Г.упр")), markup(at(0, 4, "Г.СЛОВ"), at(5, 9))
    assert metrics(x, y)[2] == 50


@pytest.mark.clause("R-App1 M4", "MS §3 M4")
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


@pytest.mark.clause("MS §3 paraphrase")
def test_m4_asks_the_chosen_judge() -> None:
    x, y = markup(at(0, 4, comment="пропущена запятая")), markup(at(0, 4, comment="запятая отсутствует"))
    assert pair_metrics(x, y, match(x, y), ScoringParams(paraphrase="exact"))[3] == 0


@pytest.mark.clause("R-App1 M5", "MS §3 M5")
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


@pytest.mark.clause("R-App1 M5")
def test_m5_is_a_mean_over_xs_fragments_with_zero_for_unmatched_ones() -> None:
    x = markup(at(0, 4), at(10, 16))
    assert metrics(x, markup(at(0, 9)))[4] == 25  # (1/2 + 0) / 2


@pytest.mark.clause("R-App1 M6")
def test_m6_looks_at_xs_corrections_alone() -> None:
    x = markup(at(0, 4, correction="Papa"), at(5, 9, correction="ела"), at(10, 16), at(19, 23, correction="там"))
    y = markup(at(0, 4, correction=" papa "), at(5, 9), at(10, 16, correction="раму"))
    assert metrics(x, y)[5] == pytest.approx(100 / 3)
    assert metrics(y, x)[5] == 50


@pytest.mark.clause("MS §3 M6")
def test_m6_compares_after_nfc_case_folding_and_collapsing_white_space() -> None:
    x, y = markup(at(0, 4, correction="чай\u0306  Й")), markup(at(0, 4, correction="ЧАЙ\u0306 и\u0306\n"))
    assert metrics(x, y)[5] == 100


@pytest.mark.clause("R-App1 M6")
def test_m6_without_corrections_in_x() -> None:
    assert metrics(markup(at(0, 4)), markup(at(0, 4)))[5] == 100
    assert metrics(markup(at(0, 4)), markup(at(0, 4, correction="Папа")))[5] == 0
    assert metrics(markup(at(0, 4, correction=" ")), markup(at(0, 4)))[5] == 100


@pytest.mark.clause("MS §3 empty")
def test_two_empty_markups_agree_and_one_empty_markup_agrees_with_nothing() -> None:
    empty, one = markup(), markup(at(0, 4))
    assert metrics(empty, empty)[1:6] == (EMPTY_BOTH,) * 5
    assert metrics(empty, one)[1:6] == (EMPTY_ONE,) * 5
    assert metrics(one, empty)[1:6] == (EMPTY_ONE,) * 5


def test_nothing_matched_is_zero() -> None:
    assert metrics(markup(at(0, 4)), markup(at(5, 9)))[1:5] == (0.0,) * 4


def explained(*names: int | str) -> Markup:
    return markup(*[at(5 * number, 5 * number + 4, explanation="why", id=name) for number, name in enumerate(names)])


@pytest.mark.clause("R-App1 M7")
def test_m7_is_100_for_an_expert() -> None:
    assert metrics(markup(at(0, 4)), markup(), x_is_expert=True)[6] == 100


@pytest.mark.clause("MS §3 M7")
def test_m7_without_explanations_is_zero() -> None:
    assert metrics(markup(at(0, 4, explanation=" ")), markup())[6] == 0


@pytest.mark.clause("MS §3 M7")
def test_m7_is_undefined_while_nothing_is_rated() -> None:
    assert metrics(explained(1), markup())[6] is None
    assert metrics(explained(1), markup(), ratings=read_ratings({"2": [[1, 1, 1, 1, 1]]}))[6] is None
    assert metrics(explained(1), markup(), ratings=read_ratings({"1": []}))[6] is None


@pytest.mark.clause("R-App1 M7")
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


@pytest.mark.parametrize(
    ("subject", "greatest"),
    [("rus", 24), ("rus-free", 24), ("lit", 14), ("social", 6), ("hist", 12), ("eng", 14), ("eng-free", 14)],
)
def test_m1_is_100_for_equal_grades_of_every_subject_with_a_formula(subject: str, greatest: int) -> None:
    x = markup(subject=subject)
    assert max_total(subject) == greatest
    assert metrics(x, x)[0] == 100


def test_m1_is_the_same_for_a_grade_above_and_below() -> None:
    # social, 6 at most. X: an idea (K1 = 1) and a notion (K2 = 1), 2 points; Y: nothing, 0: 1 − 2/6.
    x, y = markup(at(0, 4, "ИДЕЯ"), at(5, 9, "ПОНЯТИЕ"), subject="social"), markup(subject="social")
    assert metrics(x, y)[0] == metrics(y, x)[0] == pytest.approx(200 / 3)


def test_m1_takes_the_grades_that_are_known_already() -> None:
    x = markup(subject="rus-free")
    # 24 and 12 of 24 points instead of its own 24.
    assert pair_metrics(x, x, match(x, x), totals=(24, 12))[0] == 50
    assert pair_metrics(x, x, match(x, x), totals=(None, 12))[0] is None


def test_m2_to_m5_count_matches_and_not_places() -> None:
    # Two fragments of X on the span of one fragment of Y: one match. M2: precision 1/2, recall 1, hence 2/3.
    x, y = markup(at(0, 4), at(0, 4, "Г.упр")), markup(at(0, 4))
    assert metrics(x, y)[1:5] == pytest.approx((200 / 3, 50, 50, 50))
    assert metrics(y, x)[1:5] == pytest.approx((200 / 3, 100, 100, 100))


def test_m3_to_m5_are_shares_of_xs_fragments_the_unmatched_ones_included() -> None:
    # Of four fragments two are matched, one of them with an equal code; the shares are of four.
    x = markup(at(0, 4), at(5, 9, "Г.упр"), at(10, 16), at(19, 23))
    y = markup(at(0, 4), at(5, 9))
    assert metrics(x, y)[2:5] == (25, 50, 50)
    assert metrics(y, x)[2:5] == (50, 100, 100)


def test_m4_does_not_ask_for_equal_codes() -> None:
    x, y = markup(at(0, 4, "Г.упр", subtype="прич")), markup(at(0, 4, subtype="прич"))
    assert metrics(x, y)[2:4] == (0, 100)


def test_m4_is_a_share_of_xs_fragments() -> None:
    # Agree: equal subtypes; neither side has anything. Disagree: another subtype; a remark on one side. 2 of 4.
    x = markup(at(0, 4, subtype="a"), at(5, 9), at(10, 16, subtype="a"), at(19, 23, comment="no"))
    y = markup(at(0, 4, subtype="A", comment="x"), at(5, 9), at(10, 16, subtype="b"), at(19, 23))
    assert metrics(x, y)[3] == metrics(y, x)[3] == 50


def test_a_blank_subtype_and_a_blank_comment_are_nothing_beside_a_real_one() -> None:
    x, y = markup(at(0, 4, subtype=" ", comment="нет запятой")), markup(at(0, 4, subtype="\t", comment=" "))
    assert metrics(x, y)[3] == 0


@pytest.mark.parametrize(
    ("one", "other", "share"),
    [
        (at(11, 13), at(12, 14), 1),  # both inside ,раму, : one word on either side
        (at(1, 3), at(1, 7), 1 / 2),  # inside Мама | from Мама into мыла
        (at(0, 0, "Г.упр"), at(0, 0), 1),  # full-text, other codes
        (at(4, 5), at(4, 9), 0),  # the blank between two words has none of мыла's
        (at(17, 18), at(16, 19), 0),  # blank | blank, dash, blank: no word in the union
        (at(0, 23), at(0, 23), 1),  # the whole text as a span
        (at(0, 23), at(0, 4), 1 / 4),  # four words, one of them shared
    ],
)
def test_m5_counts_words_inside_and_around_the_borders(one: Fragment, other: Fragment, share: float) -> None:
    assert match(markup(one), markup(other)).pairs == ((0, 0),)
    assert metrics(markup(one), markup(other))[4] == metrics(markup(other), markup(one))[4] == share * 100


def test_a_full_text_fragment_is_not_the_span_of_the_whole_text() -> None:
    assert metrics(markup(at(0, 0)), markup(at(0, 23)))[1:5] == (0,) * 4


def test_m6_leaves_xs_fragments_without_a_correction_out() -> None:
    # One of X's two fragments has a correction, and its match has the same: 1 of 1; Y's second one is asked from Y.
    x = markup(at(0, 4, correction="Папа"), at(5, 9))
    y = markup(at(0, 4, correction="Папа"), at(5, 9, correction="мыл"))
    assert metrics(x, y)[5] == 100
    assert metrics(y, x)[5] == 50


def test_m6_takes_a_correction_whose_fragment_has_no_match_for_wrong() -> None:
    x, y = markup(at(0, 4, correction="Папа")), markup(at(5, 9, correction="Папа"))
    assert metrics(x, y)[5] == 0


@pytest.mark.parametrize(("one", "other"), [("мыл а", "мыла"), ("мыл", "мыл."), ("ё", "е")])
def test_m6_forgives_nothing_else(one: str, other: str) -> None:
    assert metrics(markup(at(0, 4, correction=one)), markup(at(0, 4, correction=other)))[5] == 0


def test_m7_of_an_empty_answer_is_zero_and_of_an_expert_100_without_any_explanation() -> None:
    assert metrics(markup(), markup())[6] == 0
    assert metrics(markup(), markup(), x_is_expert=True)[6] == 100


def test_m7_does_not_look_at_matches() -> None:
    ratings = read_ratings({"1": [[1, 1, 1, 0, 0]]})  # 3 of 5, 20 per cent each
    assert metrics(explained(1), markup(at(19, 23)), ratings=ratings)[6] == 60


def test_m7_leaves_ratings_of_fragments_without_an_explanation_out() -> None:
    x = markup(at(0, 4, explanation="why", id=1), at(5, 9, id=2))
    ratings = read_ratings({"1": [[1, 0, 0, 0, 0]], "2": [[1, 1, 1, 1, 1]]})
    assert metrics(x, markup(), ratings=ratings)[6] == 20


def test_metrics_go_by_their_published_names() -> None:
    assert list(metrics(markup(), markup()).to_dict()) == ["M1", "M2", "M3", "M4", "M5", "M6", "M7"]


@pytest.mark.clause("MS §1 codes")
def test_codes_and_subtypes_are_compared_in_nfc() -> None:
    composed, decomposed = "живо\u0439", "живо\u0438\u0306"
    by_code, by_subtype = (at(0, 4, "Живо\u0438\u0306"), at(0, 4, subtype=decomposed))
    assert metrics(markup(at(0, 4, "Живо\u0439")), markup(by_code))[2] == 100
    assert metrics(markup(at(0, 4, subtype=composed)), markup(by_subtype))[3] == 100
