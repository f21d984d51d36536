"""Grading of English essays (markup-scoring §5, eng, eng-free); every expectation is counted by hand from the text."""

from __future__ import annotations

import pytest

from markup_core.model import Fragment, Markup
from tests.markup_core.criteria.graded import essay, explained, points

# Every block of the plan starts at 0 in these essays, which is in non-decreasing order.
FULL = "ПРОБЛЕМА ЛМНЕНИЕ АРГУМЕНТ*3 ПРМНЕНИЕ ОБОСНОВАНИЕ ВЫВОД"


def plan(*starts: int | None) -> int:
    """K2 of an essay whose blocks stand at these places, in the order problem, opinion, opposing, reason, conclusion.

    The arguments and the aspect rule are satisfied by marks that the plan does not read.
    """
    blocks = ("ПРОБЛЕМА", "ЛМНЕНИЕ", "ПРМНЕНИЕ", "ОБОСНОВАНИЕ", "ВЫВОД")
    found = [Fragment(start, start + 1, code) for code, start in zip(blocks, starts, strict=True) if start is not None]
    arguments = [Fragment(9, 10, "АРГУМЕНТ")] * 3
    markup = Markup("word " * 180, (*found, *arguments), {"subject": "eng"})
    return points(markup)[1]


@pytest.mark.clause("MS §5 eng", "R-App2 §1.3")
@pytest.mark.parametrize("subject", ["eng", "eng-free"])
def test_a_flawless_essay_has_all_14_points(subject: str) -> None:
    assert points(essay(subject, 180, FULL)) == [3, 3, 3, 3, 2]


@pytest.mark.clause("MS §5 eng")
def test_fewer_than_180_words_make_everything_zero() -> None:
    assert points(essay("eng", 179, FULL)) == [0, 0, 0, 0, 0]
    assert points(essay("eng", 0, FULL)) == [0, 0, 0, 0, 0]


WITHOUT_CONCLUSION = FULL.removesuffix(" ВЫВОД")


@pytest.mark.parametrize(
    ("number", "marks", "expected"),
    [
        (1, FULL, 3),
        (1, f"{FULL} А.стиль", 3),
        (1, f"{FULL} А.стиль*2", 2),
        (1, f"{FULL} А.стиль*3 А.аспект*2", 2),
        (1, f"{FULL} А.аспект", 2),
        (1, f"{FULL} А.аспект*3", 1),
        (1, f"{FULL} А.аспект*4 А.стиль*4", 1),
        (1, f"{FULL} А.стиль*4", 1),
        (1, f"{FULL} А.стиль*5", 0),
        (1, f"{FULL} А.аспект*5", 0),
        (1, f"{FULL} А.перифр", 1),  # one aspect missing: 2
        (1, f"{FULL} А.пробл А.перифр А.аспект*2", 1),  # still one aspect: 2 + 2
        (1, f"{FULL} А.пробл А.аспект*3", 0),
        (1, "ЛМНЕНИЕ АРГУМЕНТ*3 ПРМНЕНИЕ ОБОСНОВАНИЕ", 1),
        (1, "ПРОБЛЕМА АРГУМЕНТ*3 ПРМНЕНИЕ ОБОСНОВАНИЕ", 1),
        (1, "ПРОБЛЕМА ЛМНЕНИЕ АРГУМЕНТ*3 ОБОСНОВАНИЕ", 1),
        (1, "ПРОБЛЕМА ЛМНЕНИЕ АРГУМЕНТ*3 ПРМНЕНИЕ", 1),
        (1, "ПРОБЛЕМА ЛМНЕНИЕ АРГУМЕНТ*2 ПРМНЕНИЕ ОБОСНОВАНИЕ", 1),
        (1, "ПРОБЛЕМА ЛМНЕНИЕ АРГУМЕНТ ПРМНЕНИЕ ОБОСНОВАНИЕ", 1),  # two arguments missing: 4
        (1, "ПРОБЛЕМА ЛМНЕНИЕ ПРМНЕНИЕ ОБОСНОВАНИЕ", 0),  # three: 6
        (1, "ПРОБЛЕМА ЛМНЕНИЕ АРГУМЕНТ*9", 1),
        (1, "ПРОБЛЕМА АРГУМЕНТ*9", 0),
        (1, "ПРОБЛЕМА ЛМНЕНИЕ АРГУМЕНТ#1 АРГУМЕНТ#1 АРГУМЕНТ ПРМНЕНИЕ ОБОСНОВАНИЕ", 1),
        (2, f"{FULL} А.логика", 2),
        (2, f"{FULL} А.логика*2 А.связь А.абзац", 2),
        (2, f"{FULL} А.логика*5", 1),
        (2, f"{FULL} А.связь*4 А.абзац*4", 1),
        (2, f"{FULL} А.связь*9", 0),
        # Faults of the plan and errors add up.
        (2, f"{WITHOUT_CONCLUSION} А.логика*3", 2),
        (2, f"{WITHOUT_CONCLUSION} А.логика*4", 1),
        (2, f"{WITHOUT_CONCLUSION} А.логика*8", 0),
        (3, f"{FULL} А.лекс", 3),
        (3, f"{FULL} А.лекс*2", 2),
        (3, f"{FULL} А.лекс*3", 2),
        (3, f"{FULL} А.запас", 2),
        (3, f"{FULL} А.лекс А.запас", 1),
        (3, f"{FULL} А.лекс*4 А.запас", 1),
        (3, f"{FULL} А.лекс*5", 0),
        (3, f"{FULL} А.запас*2", 0),
        (4, f"{FULL} А.грамм*2", 3),
        (4, f"{FULL} А.грамм*3", 2),
        (4, f"{FULL} А.грамм*4", 2),
        (4, f"{FULL} А.грамм*5", 1),
        (4, f"{FULL} А.уров", 1),
        (4, f"{FULL} А.грамм*7 А.уров", 1),
        (4, f"{FULL} А.грамм*8", 0),
        (4, f"{FULL} А.уров*2", 0),
        (5, f"{FULL} А.орф А.пункт", 2),
        (5, f"{FULL} А.орф*2", 1),
        (5, f"{FULL} А.пункт*4", 1),
        (5, f"{FULL} А.орф*3 А.пункт", 1),
        (5, f"{FULL} А.орф*3 А.пункт*2", 0),
    ],
)
def test_a_criterion_weighs_its_aspects_and_errors(number: int, marks: str, expected: int) -> None:
    assert points(essay("eng", 180, marks))[number - 1] == expected


def test_k1_of_zero_makes_everything_zero() -> None:
    assert points(essay("eng", 180, f"{FULL} А.стиль*5")) == [0, 0, 0, 0, 0]


def unproductive(words: int, *spans: tuple[int, int]) -> int:
    """K1 of a flawless essay of five-letter words whose spans are marked unproductive."""
    flawless = essay("eng", words, FULL)
    marked = tuple(Fragment(start, end, "А.непрод") for start, end in spans)
    return points(Markup(flawless.text, flawless.fragments + marked, flawless.meta))[0]


def test_more_than_30_per_cent_of_unproductive_words_make_everything_zero() -> None:
    # "слово " takes six characters: word number i lies at [6i, 6i + 5). 30 % of 200 words are 60.
    assert unproductive(200, (0, 6 * 60)) == 3
    assert unproductive(200, (0, 6 * 60 + 1)) == 0  # one character of the 61st
    assert unproductive(200, (5, 6 * 61)) == 3  # from the blank after word 1: words 2 to 61
    assert unproductive(200, (4, 6 * 61)) == 0
    assert unproductive(200, (0, 180), (600, 780)) == 3
    assert unproductive(200, (0, 180), (60, 120), (100, 361)) == 0  # overlaps count once: words 1 to 61
    assert unproductive(200, (0, 180), (60, 120), (100, 360)) == 3
    assert unproductive(200, (0, 0)) == 0  # full-text covers all


@pytest.mark.parametrize(
    ("starts", "expected"),
    [
        ((1, 2, 3, 4, 5), 3),
        ((1, 1, 1, 1, 1), 3),
        ((1, 2, 3, 4, None), 2),
        ((5, 1, 2, 3, 4), 2),  # one block out of order
        ((5, 4, 3, 2, 1), 2),  # four removed leave one
        ((5, 4, 3, 2, None), 2),  # 1 missing and 3 out of order: 4
    ],
)
def test_k2_counts_missing_and_misplaced_blocks(starts: tuple[int | None, ...], expected: int) -> None:
    assert plan(*starts) == expected


def test_a_block_stands_where_it_first_occurs() -> None:
    blocks = [("ПРОБЛЕМА", 50), ("ПРОБЛЕМА", 0), ("ЛМНЕНИЕ", 10), ("ПРМНЕНИЕ", 20), ("ОБОСНОВАНИЕ", 30), ("ВЫВОД", 40)]
    found = [Fragment(start, start + 1, code) for code, start in blocks] + [Fragment(1, 2, "АРГУМЕНТ")] * 3
    assert points(Markup("word " * 180, tuple(found), {"subject": "eng"}))[1] == 3


def test_codes_without_a_rule_do_not_count() -> None:
    assert points(essay("eng", 180, f"{FULL} А.аспм*9 А.факт*9 ИСП*9 Г.упр*9")) == [3, 3, 3, 3, 2]


def test_english_essays_are_explained_by_their_facts() -> None:
    faulty = essay("eng", 200, f"{FULL} А.перифр А.стиль*2 А.орф*3")
    assert explained(faulty, "K1") == (
        "K1 = 1: 200 слов, один нераскрытый аспект, две ошибки А.стиль",
        "K1 = 1: 200 words, one missing aspect, two errors А.стиль",
    )
    assert explained(faulty, "K2") == ("K2 = 3: нет нарушений плана", "K2 = 3: no plan faults")
    assert explained(faulty, "K5") == ("K5 = 1: три ошибки А.орф", "K5 = 1: three errors А.орф")
    assert explained(essay("eng", 171, FULL), "K1") == (
        "K1 = 0: 171 слово, меньше 180",
        "K1 = 0: 171 words, fewer than 180",
    )
    assert explained(essay("eng", 1, FULL), "K4") == ("K4 = 0: потому что K1 = 0", "K4 = 0: because K1 = 0")
    borrowed = Markup("word " * 180, (Fragment(0, 500, "А.непрод"),), {"subject": "eng"})
    assert explained(borrowed, "K1")[1] == (
        "K1 = 0: 180 words, 100 of 180 unproductive, more than 30 %, seven missing aspects"
    )
