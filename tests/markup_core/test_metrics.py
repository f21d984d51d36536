"""M1 to M7 by hand, with every empty case (markup-scoring §3).

Nominations: which fragments they look at, and their own weights (markup-scoring §7).
"""

from __future__ import annotations

from typing import Any

import pytest

from markup_core.accuracy import EssayScore
from markup_core.comparable import MEANING
from markup_core.criteria import max_total
from markup_core.matching.match import match
from markup_core.metrics import InvalidRatings, Metrics, pair_metrics, read_ratings
from markup_core.model import Fragment, Markup
from markup_core.params import ScoringParams
from markup_core.sample import WEIGHTS, nominations

# Words at 0-4, 5-8, 9-15, 18-22; the dash at 16 is none.
TEXT = "Мама мыла ,раму, — дома"


def markup(*fragments: Fragment, subject: str = "rus", text: str = TEXT) -> Markup:
    return Markup(text, fragments, {"subject": subject})


def metrics(x: Markup, y: Markup, **options: Any) -> Metrics:
    return pair_metrics(x, y, match(x, y), ScoringParams(), **options)


def at(start: int, end: int, code: str = "Г.слов", **fields: Any) -> Fragment:
    return Fragment(start, end, code, **fields)


@pytest.mark.clause("MS §3 M1")
def test_m1_ignores_the_criteria_that_a_file_supplies() -> None:
    x = Markup(TEXT, (), {"subject": "rus-free"}, {"K1": 0})
    assert metrics(x, markup(subject="rus-free"))[0] == 100


def test_m1_is_undefined_without_a_grading_formula() -> None:
    assert metrics(markup(subject="poetry"), markup(subject="poetry"))[0] is None


def corrected(*corrections: str) -> Markup:
    """Return a markup of the text's first words with these corrections, none where a correction is empty."""
    places = ((0, 4), (5, 9), (10, 16), (19, 23))
    return markup(*(at(*place, correction=each) for place, each in zip(places, corrections, strict=False)))


M2_TO_M5 = ("M2", "M3", "M4", "M5")
M2_TO_M6 = (*M2_TO_M5, "M6")


@pytest.mark.clause("R-App1 M1", "R-App1 M2", "R-App1 M3", "R-App1 M5", "R-App1 M6")
@pytest.mark.clause("MS §1 codes", "MS §3 M6", "MS §3 empty")
@pytest.mark.parametrize(
    ("x", "y", "forth", "back"),
    [
        # rus-free: 24 at most; each grammar error costs one point of K1.
        (
            markup(at(0, 4), at(5, 9), subject="rus-free"),
            markup(subject="rus-free"),
            {"M1": (1 - 2 / 24) * 100},
            {"M1": (1 - 2 / 24) * 100},
        ),
        # social, 6 at most. X: an idea (K1 = 1) and a notion (K2 = 1), 2 points; Y: nothing, 0: 1 − 2/6.
        (
            markup(at(0, 4, "ИДЕЯ"), at(5, 9, "ПОНЯТИЕ"), subject="social"),
            markup(subject="social"),
            {"M1": 200 / 3},
            {"M1": 200 / 3},
        ),
        # One match: precision 1/2, recall 1/3, their harmonic mean 2/5.
        (markup(at(0, 4), at(5, 9)), markup(at(0, 4), at(10, 16), at(19, 23)), {"M2": 40}, {"M2": 40}),
        (markup(at(0, 4), at(5, 9, "Г.упр")), markup(at(0, 4, "Г.СЛОВ"), at(5, 9)), {"M3": 50}, {"M3": 50}),
        (markup(at(0, 4), at(10, 16)), markup(at(0, 9)), {"M5": 25}, {"M5": 50}),  # (1/2 + 0) / 2, and 1/2
        # Two fragments of X on the span of one fragment of Y: one match. M2: precision 1/2, recall 1, hence 2/3.
        (
            markup(at(0, 4), at(0, 4, "Г.упр")),
            markup(at(0, 4)),
            {"M2": 200 / 3, "M3": 50, "M4": 50, "M5": 50},
            {"M2": 200 / 3, "M3": 100, "M4": 100, "M5": 100},
        ),
        # Of four fragments two are matched, one of them with an equal code; the shares are of four.
        (
            markup(at(0, 4), at(5, 9, "Г.упр"), at(10, 16), at(19, 23)),
            markup(at(0, 4), at(5, 9)),
            {"M3": 25, "M4": 50, "M5": 50},
            {"M3": 50, "M4": 100, "M5": 100},
        ),
        (markup(), markup(), dict.fromkeys(M2_TO_M6, 100), dict.fromkeys(M2_TO_M6, 100)),
        (markup(), markup(at(0, 4)), dict.fromkeys(M2_TO_M6, 0), dict.fromkeys(M2_TO_M6, 0)),
        (markup(at(0, 4)), markup(at(5, 9)), dict.fromkeys(M2_TO_M5, 0), {}),
        (markup(at(0, 0)), markup(at(0, 23)), dict.fromkeys(M2_TO_M5, 0), {}),  # full text, and all of it as a span
        (markup(at(0, 4, "Г.упр", subtype="прич")), markup(at(0, 4, subtype="прич")), {"M3": 0, "M4": 100}, {}),
        # Agree: equal subtypes; neither side has anything. Disagree: another subtype; a remark on one side. 2 of 4.
        (
            markup(at(0, 4, subtype="a"), at(5, 9), at(10, 16, subtype="a"), at(19, 23, comment="no")),
            markup(at(0, 4, subtype="A", comment="x"), at(5, 9), at(10, 16, subtype="b"), at(19, 23)),
            {"M4": 50},
            {"M4": 50},
        ),
        # A blank subtype and a blank comment are nothing beside a real one.
        (
            markup(at(0, 4, subtype=" ", comment="нет запятой")),
            markup(at(0, 4, subtype="\t", comment=" ")),
            {"M4": 0},
            {},
        ),
        (corrected("Papa", "ела", "", "там"), corrected(" papa ", "", "раму"), {"M6": 100 / 3}, {"M6": 50}),
        (corrected("чай\u0306  Й"), corrected("ЧАЙ\u0306 и\u0306\n"), {"M6": 100}, {"M6": 100}),
        (corrected(""), corrected(""), {"M6": 100}, {"M6": 100}),
        (corrected(""), corrected("Папа"), {"M6": 0}, {}),
        (corrected(" "), corrected(""), {"M6": 100}, {}),
        # One of X's two fragments has a correction, and its match has the same: 1 of 1; Y's second is asked from Y.
        (corrected("Папа", ""), corrected("Папа", "мыл"), {"M6": 100}, {"M6": 50}),
        (corrected("Папа"), markup(at(5, 9, correction="Папа")), {"M6": 0}, {}),  # no match
        *((corrected(one), corrected(other), {"M6": 0}, {}) for one, other in (("мыл а", "мыла"), ("мыл", "мыл."))),
        (corrected("ё"), corrected("е"), {"M6": 0}, {}),
        (markup(at(0, 4, "Живо\u0439")), markup(at(0, 4, "Живо\u0438\u0306")), {"M3": 100}, {}),
        (markup(at(0, 4, subtype="о\u0439")), markup(at(0, 4, subtype="о\u0438\u0306")), {"M4": 100}, {}),
    ],
)
def test_metrics_are_what_is_counted_by_hand(
    x: Markup, y: Markup, forth: dict[str, float], back: dict[str, float]
) -> None:
    for one, other, expected in ((x, y, forth), (y, x, back)):
        counted = metrics(one, other).to_dict()
        assert {name: counted[name] for name in expected} == pytest.approx(expected)


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
        (at(11, 13), at(12, 14), 1),  # both inside ,раму, : one word on either side
        (at(1, 3), at(1, 7), 1 / 2),  # inside Мама | from Мама into мыла
        (at(0, 0, "Г.упр"), at(0, 0), 1),  # full-text, other codes
        (at(4, 5), at(4, 9), 0),  # the blank between two words has none of мыла's
        (at(17, 18), at(16, 19), 0),  # blank | blank, dash, blank: no word in the union
        (at(0, 23), at(0, 23), 1),  # the whole text as a span
        (at(0, 23), at(0, 4), 1 / 4),  # four words, one of them shared
    ],
)
def test_m5_is_the_jaccard_measure_in_words(one: Fragment, other: Fragment, share: float) -> None:
    assert match(markup(one), markup(other)).pairs == ((0, 0),)
    both_ways = metrics(markup(one), markup(other))[4], metrics(markup(other), markup(one))[4]
    assert both_ways == pytest.approx((share * 100, share * 100))


def explained(*names: int | str) -> Markup:
    return markup(*[at(5 * number, 5 * number + 4, explanation="why", id=name) for number, name in enumerate(names)])


@pytest.mark.clause("R-App1 M7", "MS §3 M7")
@pytest.mark.parametrize(
    ("x", "ratings", "is_expert", "value"),
    [
        (markup(at(0, 4)), None, True, 100),
        (markup(), None, True, 100),
        (markup(), None, False, 0),
        (markup(at(0, 4, explanation=" ")), None, False, 0),
        (explained(1), None, False, None),  # nothing is rated
        (explained(1), {"2": [[1, 1, 1, 1, 1]]}, False, None),
        (explained(1), {"1": []}, False, None),
        (explained(1), {"1": [[1, 1, 1, 0, 0]]}, False, 60),  # 3 of 5, 20 per cent each
        # (60 + 100) / 2 = 80 and 20; the third explanation is not rated.
        (
            explained(1, "b", 3),
            {"1": [[True, True, True, False, False], [1, 1, 1, 1, 1]], "b": [[0, 0, 0, 0, 1]]},
            False,
            50,
        ),
        # The second fragment has ratings and no explanation.
        (
            markup(at(0, 4, explanation="why", id=1), at(5, 9, id=2)),
            {"1": [[1, 0, 0, 0, 0]], "2": [[1, 1, 1, 1, 1]]},
            False,
            20,
        ),
    ],
)
def test_m7_is_the_mean_of_ratings_whatever_is_matched(x: Markup, ratings: Any, is_expert: bool, value: Any) -> None:
    for y in (markup(), markup(at(19, 23))):
        assert metrics(x, y, x_is_expert=is_expert, ratings=read_ratings(ratings))[6] == pytest.approx(value)


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


def test_m1_takes_the_grades_that_are_known_already() -> None:
    x = markup(subject="rus-free")
    # 24 and 12 of 24 points instead of its own 24.
    assert pair_metrics(x, x, match(x, x), totals=(24, 12))[0] == 50
    assert pair_metrics(x, x, match(x, x), totals=(None, 12))[0] is None


NOMINATED_TEXT = "раз два три четыре пять"


def marked(subject: str, *codes: str) -> Markup:
    """Each code on its own word; codes in capitals are blocks."""
    return Markup(
        NOMINATED_TEXT,
        tuple(
            Fragment(4 * place, 4 * place + 3, code)._replace(**({"group": MEANING} if code.isupper() else {}))
            for place, code in enumerate(codes)
        ),
        {"subject": subject},
    )


def nominated(name: str, *inputs: Any) -> EssayScore:
    score = nominations(*inputs)[name]
    assert score is not None
    return score


@pytest.mark.clause("MS §7 logic")
@pytest.mark.parametrize(
    ("subject", "logical", "other"),
    [
        ("rus", "Л.связь", "Г.слов"),
        ("rus", "л.связь", "Р.лишн"),
        ("lit", "С.послед", "С.тема"),
        ("lit", "С.неразв", "С.связь"),
        ("social", "О.рассужд", "О.смысл"),
        ("social", "О.вывод", "О.факт"),
        ("hist", "И.лДейств", "И.лРоль"),
        ("hist", "И.излож", "И.факт"),
    ],
)
def test_logic_looks_at_its_own_codes_only(subject: str, logical: str, other: str) -> None:
    expert = marked(subject, logical, other)
    result = nominated("logic", marked(subject, logical), [expert, expert])
    assert result.algorithm_accuracy == 100
    assert result.pairs[0].pairs == ((0, 0),)
    missed = nominated("logic", marked(subject, "Г.слов", other), [expert])
    assert missed.algorithm_accuracy == 0


@pytest.mark.clause("MS §7 structure")
def test_structure_looks_at_semantic_blocks_only() -> None:
    expert = marked("rus", "ПРОБЛЕМА", "Г.слов")
    result = nominated("structure", marked("rus", "ПРОБЛЕМА", "Р.лишн"), [expert, expert])
    assert (result.algorithm_accuracy, result.expert_accuracy, result.relative_accuracy) == (100, 100, 100)


def test_the_weights_are_the_nominations_own() -> None:
    assert WEIGHTS == (0, 2, 1, 1, 1, 0, 0)
    # One of two blocks found, with another code: M2 = 2/3, M3 = 0, M4 = M5 = 1/1 of X's fragments.
    expert = marked("rus", "ПРОБЛЕМА", "ПРИМЕР")
    result = nominated("structure", marked("rus", "ПОЗИЦИЯ"), [expert], ScoringParams(weights=(1, 0, 0, 0, 0, 0, 0)))
    assert result.algorithm_accuracy == pytest.approx((2 * 200 / 3 + 0 + 100 + 100) / 5)


@pytest.mark.parametrize("subject", ["rus-free", "eng", "eng-free", "poetry"])
def test_other_subjects_have_no_nominations(subject: str) -> None:
    assert nominations(marked(subject), [marked(subject)]) == {"logic": None, "structure": None}


def test_no_chosen_fragment_anywhere_is_perfect_agreement() -> None:
    result = nominated("logic", marked("rus", "Г.слов"), [marked("rus", "Р.лишн"), marked("rus")])
    assert (result.algorithm_accuracy, result.relative_accuracy) == (100, 100)


def test_a_voided_essay_has_expert_accuracy_alone() -> None:
    result = nominated("structure", None, [marked("rus", "ПРОБЛЕМА")] * 2)
    assert (result.algorithm_accuracy, result.expert_accuracy) == (None, 100)


def test_nothing_at_all_has_no_nominations() -> None:
    assert nominations(None, []) == {"logic": None, "structure": None}


def test_hardness_is_the_cycles() -> None:
    # Structure of A is that of the first expert alone: 100 and 0; at hardness 0.25 that is 0.25·50 + 0.75·100.
    experts = [marked("rus", "ПРОБЛЕМА"), marked("rus", "Г.слов")]
    result = nominated("structure", marked("rus", "ПРОБЛЕМА"), experts, ScoringParams(hardness=0.25))
    assert result.algorithm_accuracy == 87.5
