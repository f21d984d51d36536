"""The definition of a word (markup-scoring §3).

The paraphrase judges: a labelled list, symmetry, the unrecognisable.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from markup_core.comparable import JUDGES, default, exact, stem
from markup_core.model import Span, word_spans, words_of


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


@given(st.text(st.sampled_from("aЯ1_-—«» \n\u2028\x1f😀½²"), max_size=40))
def test_word_spans_follow_the_definition(text: str) -> None:
    assert word_spans(text) == by_definition(text)


TEXTS = st.text(st.sampled_from("aЯ1_-—«» \n\t\u00a0\u200b\u2028\x1f😀½²"), max_size=40)
LONG = st.lists(st.sampled_from(["a", "-" * 99, "—" * 100, "-" * 300, " ", "-\n"]), max_size=6).map("".join)


@given(TEXTS | LONG, st.lists(st.floats(0, 1), min_size=2, max_size=2))
def test_words_that_touch_a_span_share_a_character_with_it(text: str, places: list[float]) -> None:
    words = by_definition(text)
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


def test_the_exact_judge_looks_past_case_and_white_space_only() -> None:
    assert exact("Лишняя  запятая", "лишняя запятая ")
    assert not exact("лишняя запятая", "запятая лишняя")


def test_word_order_and_endings_do_not_matter() -> None:
    assert default("повтор слова «жизнь»", "«Жизнь»: слово повторяется")
    assert default("the verb is missing", "missing verbs")


def test_numbers_must_agree() -> None:
    assert default("реформа 1861 года", "в 1861 году была реформа года")
    assert not default("реформа 1861 года", "реформа 1864 года")


def test_missing_and_superfluous_are_opposites() -> None:
    assert default("запятая не нужна", "лишняя запятая")
    assert not default("запятая нужна", "запятая не нужна")


def test_comments_without_a_word_agree_only_when_equal() -> None:
    assert default("—", "—")
    assert not default("—", "!!!")


def test_stems_keep_at_least_three_letters() -> None:
    assert stem("человека") == stem("человеку")
    assert stem("mistakes") == stem("mistake")
    assert len(stem("ошиб")) >= 3
    assert stem("он") == "он"
