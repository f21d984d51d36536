"""Two markups side by side: what makes each number, held against the scoring and against the specification's words.

The definition of a word (markup-scoring §3).

The paraphrase judges: a labelled list, symmetry, the unrecognisable.
"""

from __future__ import annotations

import json
from fractions import Fraction
from math import fsum
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from markup_core.accuracy import compare, score_pair
from markup_core.comparable import JUDGES, default, exact, folded, stem
from markup_core.criteria import grade
from markup_core.metrics import BECAUSE, loss_of, read_ratings
from markup_core.model import Fragment, Markup, Span, word_spans, words_of
from markup_core.params import METRICS, ScoringParams
from markup_core.receipt import canonical_json
from tests.examples import examples
from tests.markup_core.metrics_oracle import jaccard, markups

TEXT = "Петр I провел реформу, и народ был рад."


def markup(*fragments: Fragment, subject: str = "hist") -> Markup:
    return Markup(TEXT, fragments, {"subject": subject})


def at(start: int, end: int, code: str = "И.личность", **fields: Any) -> Fragment:
    return Fragment(start, end, code, **fields)


def shown(x: Markup, y: Markup, **options: Any) -> Any:
    return json.loads(canonical_json(compare(x, y, **options).to_dict()))


@pytest.mark.property
@settings(max_examples=examples(30))
@given(markups(2), st.booleans(), st.booleans(), st.sampled_from(["default", "exact"]))
def test_the_numbers_are_the_scorings_and_the_fragments_make_them_to_the_last_bit(
    found: list[Markup], split: bool, expert: bool, judge: str
) -> None:
    params = ScoringParams(separate_groups=split, paraphrase=judge)
    ratings = read_ratings({str(each): [[1, 0, 1, 1, 0], [1, 1, 1, 0, 0]] for each in range(3)})
    x, y = found
    options: dict[str, Any] = {"x_is_expert": expert, "ratings": ratings}
    score, told = score_pair(x, y, params, **options), compare(x, y, params, **options).to_dict()
    assert told["pair_accuracy"] == score.pair_accuracy
    for name, value in score.metrics.to_dict().items():
        metric = told["metrics"][name]
        assert metric["value"] == value, name
        gained = [each for each in (*metric["gained_x"], *metric["gained_y"]) if each is not None]
        assert len(metric["gained_x"]) in {0, len(x.fragments)}
        assert len(metric["gained_y"]) in {0, len(y.fragments)}
        if metric["because"] is not None:
            assert metric["denominator"] == 0
        elif name == "M1":
            assert value == metric["numerator"] * 100 / metric["denominator"]
        elif name == "M7":
            assert value == fsum(gained) / metric["denominator"]
        else:
            assert metric["numerator"] == fsum(gained)
            assert value == fsum(gained) * 100 / metric["denominator"]


@pytest.mark.property
@given(markups(2), st.booleans())
def test_every_fragment_is_in_one_pair_or_left_over_and_the_losses_make_q(found: list[Markup], split: bool) -> None:
    x, y = found
    told = compare(x, y, ScoringParams(separate_groups=split)).to_dict()
    assert sorted([*(each["x"] for each in told["pairs"]), *told["unmatched_x"]]) == list(range(len(x.fragments)))
    assert sorted([*(each["y"] for each in told["pairs"]), *told["unmatched_y"]]) == list(range(len(y.fragments)))
    ones = sum(each["start_differs"] + each["code_differs"] for each in told["pairs"])
    left = len(told["unmatched_x"]) + len(told["unmatched_y"])
    assert told["q"] == ones + left + fsum(each["j"] for each in told["pairs"])
    assert all(each["loss"] < 2 for each in told["pairs"])


@pytest.mark.property
@given(markups(2))
def test_a_loss_is_what_the_regulation_says(found: list[Markup]) -> None:
    x, y = found
    for one in x.fragments:
        for other in y.fragments:
            loss = loss_of(one, other)
            located = not one.is_full_text and not other.is_full_text
            ours, theirs = set(range(*one[:2])), set(range(*other[:2]))
            if located:
                j = 1 - Fraction(len(ours & theirs), len(ours | theirs))
            else:
                j = Fraction(int(one.is_full_text != other.is_full_text))
            starts = (one.start if located or not one.is_full_text else -1) != (
                other.start if located or not other.is_full_text else -1
            )
            codes = folded(one.code) != folded(other.code)
            assert Fraction(loss.apart, loss.union) == j
            assert loss.loss == pytest.approx(float(j + (j == 1) + starts + codes), abs=1e-12)


@pytest.mark.property
@given(markups(2))
def test_words_in_common_are_counted_as_the_specification_counts_them(found: list[Markup]) -> None:
    x, y = found
    for each in compare(x, y).to_dict()["pairs"]:
        share = jaccard(x.fragments[each["x"]], y.fragments[each["y"]], x.text)
        assert each["words_overlap"] == pytest.approx(float(share))
        if each["all_words"] and not x.fragments[each["x"]].is_full_text:
            assert Fraction(each["common_words"], each["all_words"]) == share


@pytest.mark.property
@given(markups(2), st.lists(st.floats(0, 1e300) | st.integers(0, 5), min_size=7, max_size=7).filter(any))
def test_the_parts_of_the_metrics_make_the_pair_accuracy(found: list[Markup], weights: list[float]) -> None:
    told = compare(*found, ScoringParams(weights=tuple(weights)), x_is_expert=True).to_dict()
    parts = [told["metrics"][name]["part_of_pair_accuracy"] for name in METRICS]
    assert fsum(parts) == pytest.approx(told["pair_accuracy"])
    canonical_json(told)


def test_a_pair_says_what_differs_field_by_field() -> None:
    x = markup(
        at(0, 6, subtype="имя", comment="нет запятой", correction="Пётр I"),
        at(7, 21, "И.факт", comment="союз пропущен"),
        at(33, 38, "И.период"),
    )
    y = markup(
        at(0, 4, subtype="ИМЯ", comment="другое", correction="петр"),
        at(7, 21, "И.понятие", comment="пропущен союз"),
        at(33, 38, "И.период", correction="рада"),
    )
    first, second, third = shown(x, y)["pairs"]
    assert (first["j"], first["start_differs"], first["code_differs"]) == (pytest.approx(1 / 3), False, False)
    assert (first["subtype"], first["comment"], first["correction"]) == ("equal", "differs", "differs")
    assert (first["common_words"], first["all_words"], first["subtype_or_comment_agrees"]) == (1, 2, True)
    assert (second["code_differs"], second["loss"], second["subtype"]) == (True, 1.0, "absent")
    assert (second["comment"], second["subtype_or_comment_agrees"]) == ("paraphrase", True)
    assert (third["subtype"], third["comment"], third["correction"]) == ("absent", "absent", "differs")
    assert third["words_overlap"] == 1.0


def test_every_metric_says_which_fragments_gained_it() -> None:
    x = markup(at(0, 6, correction="Пётр"), at(7, 21, "И.факт"), at(22, 24, "И.период"))
    y = markup(at(0, 6, correction="пётр"), at(7, 21, "И.понятие"))
    metrics = shown(x, y)["metrics"]
    assert (metrics["M2"]["gained_x"], metrics["M2"]["gained_y"]) == ([1, 1, 0], [1, 1])
    assert (metrics["M2"]["numerator"], metrics["M2"]["denominator"], metrics["M2"]["value"]) == (4, 5, 80)
    assert (metrics["M3"]["gained_x"], metrics["M3"]["denominator"]) == ([1, 0, 0], 3)
    assert metrics["M4"]["gained_x"] == [1, 1, 0]
    assert metrics["M5"]["gained_x"] == [1, 1, 0]
    assert (metrics["M6"]["gained_x"], metrics["M6"]["denominator"]) == ([1, None, None], 1)
    assert (metrics["M2"]["weight"], metrics["M2"]["part_of_pair_accuracy"]) == (2, pytest.approx(160 / 7))


def test_what_is_left_over_and_overlaps_is_told_with_why_it_does_not_correspond() -> None:
    x = markup(at(0, 12), at(13, 21, "И.факт"))
    y = markup(at(7, 12, "СЯП", group="meaning"), at(5, 12, "И.период"), at(30, 38, "И.факт"))
    told = shown(x, y)
    assert (told["pairs"], told["unmatched_x"], told["unmatched_y"]) == ([], [0, 1], [0, 1, 2])
    (near,) = told["near"]
    assert (near["x"], near["y"], near["start_differs"], near["code_differs"]) == (0, 1, True, True)
    assert (near["group_differs"], near["loss"]) == (False, pytest.approx(2 + 5 / 12))


def test_full_text_fragments_are_near_to_none() -> None:
    told = shown(markup(at(0, 0, "И.излож")), markup(at(0, 38, "И.факт")))
    assert (told["near"], told["unmatched_x"], told["unmatched_y"]) == ([], [0], [0])
    both = shown(markup(at(0, 0, "И.излож")), markup(at(0, 0, "И.излож")))
    assert (both["pairs"][0]["loss"], both["metrics"]["M5"]["gained_x"]) == (0, [1])


@pytest.mark.parametrize(
    ("x", "y", "options", "name", "value", "because"),
    [
        (markup(), markup(), {}, "M2", 100, "both_empty"),
        (markup(), markup(at(0, 6)), {}, "M5", 0, "one_empty"),
        (markup(at(0, 6)), markup(), {}, "M3", 0, "one_empty"),
        (markup(at(0, 6)), markup(at(0, 6)), {}, "M6", 100, "no_corrections"),
        (markup(at(0, 6)), markup(at(0, 6, correction="а")), {}, "M6", 0, "corrections_only_in_y"),
        (markup(at(0, 6)), markup(at(0, 6)), {"x_is_expert": True}, "M7", 100, "expert"),
        (markup(at(0, 6)), markup(at(0, 6)), {}, "M7", 0, "no_explanations"),
        (markup(at(0, 6, explanation="а")), markup(at(0, 6)), {}, "M7", None, "not_rated"),
        (markup(at(0, 6), subject="geo"), markup(at(0, 6), subject="geo"), {}, "M1", None, "no_formula"),
    ],
)
def test_a_value_that_follows_from_a_rule_says_why(
    x: Markup, y: Markup, options: Any, name: str, value: float | None, because: str
) -> None:
    metric = shown(x, y, **options)["metrics"][name]
    assert (metric["value"], metric["because"]["code"]) == (value, because)
    assert (metric["because"]["en"], metric["because"]["ru"]) == (BECAUSE[because].en, BECAUSE[because].ru)


def test_every_reason_is_one_that_is_tested_above() -> None:
    (parameters,) = test_a_value_that_follows_from_a_rule_says_why.pytestmark
    assert {each[-1] for each in parameters.args[1]} == set(BECAUSE)


def test_both_grades_are_told_with_the_criteria_in_which_they_differ() -> None:
    x, y = markup(at(0, 38, "СЯП", group="meaning"), at(0, 6, "И.факт")), markup(at(0, 6, "И.понятие"))
    told = shown(x, y)
    for side, each in (("x", x), ("y", y)):
        expected = grade(each)
        assert expected is not None
        assert {name: told["grades"][side][name] for name in expected.to_dict()} == json.loads(
            canonical_json(expected.to_dict())
        )
        assert sum(told["grades"][side]["maxima"].values()) == expected.max
    criteria = {side: told["grades"][side]["criteria"] for side in ("x", "y")}
    assert told["differing_criteria"] == [name for name in criteria["x"] if criteria["x"][name] != criteria["y"][name]]
    assert "K1" in told["differing_criteria"]
    difference = abs(told["grades"]["x"]["total"] - told["grades"]["y"]["total"])
    assert told["metrics"]["M1"]["numerator"] == 12 - difference
    assert shown(markup(subject="geo"), markup(subject="geo"))["grades"] == {"x": None, "y": None}


def test_markups_of_different_texts_are_refused() -> None:
    with pytest.raises(ValueError, match="different texts"):
        compare(markup(), Markup("x", (), {"subject": "hist"}))


def by_definition(text: str) -> tuple[tuple[int, int], ...]:
    """Follow the definition literally: split at white space, keep the runs with a letter or digit."""
    spans, start = [], 0
    for position, char in enumerate(text + " "):
        if char.isspace():
            if any(c.isalnum() for c in text[start:position]):
                spans.append((start, position))
            start = position + 1
    return tuple(spans)


@pytest.mark.clause("MS §3 words")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("   \n\t", []),
        ("кто-то,", ["кто-то,"]),
        ("я — он", ["я", "он"]),
        ("... «Мцыри» (1839) !", ["«Мцыри»", "(1839)"]),
        ("don't stop", ["don't", "stop"]),
        ("a\u00a0b\u2028c\u3000d", ["a", "b", "c", "d"]),  # no-break space, line separator, ideographic space
        ("a\u200bb", ["a\u200bb"]),  # a zero-width space is no white space
        ("_ __ _x_", ["_x_"]),  # an underscore is neither letter nor digit
        ("😀 😀2", ["😀2"]),
        ("a\r\nb", ["a", "b"]),
    ],
)
def test_a_word_is_a_run_with_a_letter_or_a_digit(text: str, words: list[str]) -> None:
    assert [text[start:end] for start, end in word_spans(text)] == words
    assert words_of(text).total == len(words)


TEXTS = st.text(st.sampled_from("aЯ1_-—«» \n\t\u00a0\u200b\u2028\x1f😀½²"), max_size=40)
LONG = st.lists(st.sampled_from(["a", "-" * 99, "—" * 100, "-" * 300, " ", "-\n"]), max_size=6).map("".join)


@given(TEXTS | LONG, st.lists(st.floats(0, 1), min_size=2, max_size=2))
def test_words_that_touch_a_span_share_a_character_with_it(text: str, places: list[float]) -> None:
    words = by_definition(text)
    assert word_spans(text) == words
    assert words_of(text).total == len(words)
    start, end = sorted(round(place * len(text)) for place in places)
    assume(start < end)
    assert words_of(text).touching(start, end) == sharing(words, (start, end))


@pytest.mark.parametrize("text", ["a" + "-" * 300, "-" * 300 + "a", "-" * 300, "a" + "-" * 149 + " b" + "-" * 100])
def test_a_letter_at_the_far_end_of_a_long_run_makes_it_a_word(text: str) -> None:
    words = by_definition(text)
    for span in [(50, 51), (99, 100), (100, 101), (99, 102), (145, 160), (0, 200)]:
        assert words_of(text).touching(*span) == sharing(words, span)


def sharing(words: tuple[Span, ...], span: Span) -> int:
    return sum(bool({*range(*word)} & {*range(*span)}) for word in words)


def test_a_long_run_without_a_letter_is_passed_over_in_linear_time() -> None:
    assert word_spans("-" * 200_000) == ()
    assert words_of("-" * 200_000).total == 0
    assert word_spans("-" * 200_000 + "a") == ((0, 200_001),)


class Labelled(NamedTuple):
    part: str
    same: bool
    one: str
    other: str


def labelled() -> list[Labelled]:
    lines = (Path(__file__).parent / "paraphrase_pairs.tsv").read_text("utf-8").splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    return [Labelled(part, label == "yes", one, other) for part, label, one, other in rows]


def test_the_list_holds_both_kinds_in_both_languages() -> None:
    pairs = labelled()
    assert len(pairs) >= 60
    russian = [pair for pair in pairs if any("а" <= letter <= "я" for letter in pair.one)]
    for part in (russian, [pair for pair in pairs if pair not in russian]):
        assert 0.3 < sum(pair.same for pair in part) / len(part) < 0.7


@pytest.mark.clause("MS §3 paraphrase")
@pytest.mark.parametrize("part", ["tune", "check"])
def test_the_default_judge_is_right_more_often_than_not_by_far(part: str) -> None:
    judged = [(pair.same, default(pair.one, pair.other)) for pair in labelled() if pair.part == part]
    hits = sum(same and found for same, found in judged)
    assert hits / sum(found for _, found in judged) >= 0.8  # precision
    assert hits / sum(same for same, _ in judged) >= 0.8  # recall


@pytest.mark.parametrize("name", sorted(JUDGES))
def test_judges_are_symmetric_and_find_every_comment_its_own_paraphrase(name: str) -> None:
    judge = JUDGES[name]
    for pair in labelled():
        assert judge(pair.one, pair.one)
        assert judge(pair.one, pair.other) == judge(pair.other, pair.one)


@pytest.mark.parametrize(
    ("judge", "one", "other", "agree"),
    [
        (exact, "Лишняя  запятая", "лишняя запятая ", True),
        (exact, "лишняя запятая", "запятая лишняя", False),
        (default, "повтор слова «жизнь»", "«Жизнь»: слово повторяется", True),  # word order and endings do not matter
        (default, "the verb is missing", "missing verbs", True),
        (default, "реформа 1861 года", "в 1861 году была реформа года", True),
        (default, "реформа 1861 года", "реформа 1864 года", False),  # numbers must agree
        (default, "запятая не нужна", "лишняя запятая", True),
        (default, "запятая нужна", "запятая не нужна", False),
        (default, "—", "—", True),
        (default, "—", "!!!", False),
    ],
)
def test_a_judge_looks_past_what_means_nothing(judge: Any, one: str, other: str, agree: bool) -> None:
    assert judge(one, other) is agree


def test_stems_keep_at_least_three_letters() -> None:
    assert stem("человека") == stem("человеку")
    assert stem("mistakes") == stem("mistake")
    assert len(stem("ошиб")) >= 3
    assert stem("он") == "он"
