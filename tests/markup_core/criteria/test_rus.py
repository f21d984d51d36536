"""Grading of Russian essays (markup-scoring §5, rus, rus-free); each expectation is counted by hand from its text."""

from __future__ import annotations

import pytest

from tests.markup_core.criteria.graded import essay, explained, points

FULL = "ПРОБЛЕМА ПРИМЕР*2 ПОЯСНЕНИЕ*2 СВЯЗЬ ПОЗИЦИЯ ОТНОШЕНИЕ"


@pytest.mark.clause("MS §5 rus")
@pytest.mark.parametrize(("words", "expected"), [(69, 0), (70, 19), (149, 19), (150, 24)])
def test_the_volume_decides_at_70_and_at_150_words(words: int, expected: int) -> None:
    # Under 150 words K7, K8, K9 and K10 = floor(1.5) lose a point each, and K6 one more, because K10 < 2: 24 - 5.
    assert sum(points(essay("rus", words, FULL))) == expected


@pytest.mark.clause("MS §5 rus", "MS §5 counting")
@pytest.mark.parametrize(
    ("number", "words", "marks", "expected"),
    [
        (2, 150, "ПРОБЛЕМА ПРИМЕР*2 ПОЯСНЕНИЕ*2 СВЯЗЬ", 5),
        (2, 150, "ПРОБЛЕМА ПРИМЕР*3 ПОЯСНЕНИЕ*4 СВЯЗЬ*2", 5),
        (2, 150, "ПРОБЛЕМА ПРИМЕР*2 ПОЯСНЕНИЕ*2", 4),  # no link: 2 + 0 >= 2
        (2, 150, "ПРОБЛЕМА ПРИМЕР*2 ПОЯСНЕНИЕ СВЯЗЬ", 4),
        (2, 150, "ПРОБЛЕМА ПРИМЕР*2 СВЯЗЬ*2", 4),
        (2, 150, "ПРОБЛЕМА ПРИМЕР*2 ПОЯСНЕНИЕ", 3),  # 2 + 1 blocks
        (2, 150, "ПРОБЛЕМА ПРИМЕР*3", 3),
        (2, 150, "ПРОБЛЕМА ПРИМЕР ПОЯСНЕНИЕ*2 СВЯЗЬ*2", 3),  # one example is never more
        (2, 150, "ПРОБЛЕМА ПОЯСНЕНИЕ*3", 3),
        (2, 150, "ПРОБЛЕМА ПРИМЕР*2", 2),
        (2, 150, "ПРОБЛЕМА ПРИМЕР ПОЯСНЕНИЕ", 1),
        (2, 150, "ПРОБЛЕМА ПРИМЕР", 1),
        (2, 150, "ПРОБЛЕМА ПОЯСНЕНИЕ СВЯЗЬ", 0),
        (2, 150, "ПРОБЛЕМА ", 0),
        # Fragments with one code and one tag count once; three codes with one tag are three.
        (2, 150, "ПРОБЛЕМА ПРИМЕР#1 ПРИМЕР#1", 1),
        (2, 150, "ПРОБЛЕМА ПРИМЕР#1 пример#1 ПРИМЕР#2", 2),
        (2, 150, "ПРОБЛЕМА ПРИМЕР#1 ПОЯСНЕНИЕ#1 СВЯЗЬ#1", 3),
        (5, 150, "Л.скачок#1 Л.абзац#1", 0),  # the sum is over codes
        (3, 150, "ПРОБЛЕМА ПОЗИЦИЯ*2", 1),
        (3, 150, "ПРОБЛЕМА", 0),
        (3, 150, "ПРОБЛЕМА ПОЗИЦИЯ П.позиция", 0),
        (4, 150, "ПРОБЛЕМА ОТНОШЕНИЕ", 1),
        (4, 150, "ПРОБЛЕМА", 0),
        (4, 150, "ПРОБЛЕМА ОТНОШЕНИЕ П.отнош", 0),
        (4, 150, "ПРОБЛЕМА ОТНОШЕНИЕ П.обоснов", 0),
        (5, 150, "Л.скачок", 1),
        (5, 150, "Л.скачок Л.абзац", 0),
        (5, 150, "Л.скачок*5", 0),
        (6, 150, "", 2),
        (6, 150, "П.однообр", 1),
        (6, 150, "П.точность", 1),
        (6, 150, "П.однообр П.точность", 0),
        (6, 150, "Р.тавт", 2),  # K10 = floor(2.5 - 0.5) = 2
        (6, 150, "Р.тавт*2", 1),  # K10 = floor(2.5 - 1) = 1
        (6, 150, "П.однообр*2 Р.тавт*2", 1),  # K10 < 2 gives the point whatever the precision
        # Half a point an error of grammar in K9 and of speech in K10, the rest rounded down.
        *((9, 150, "Г.упр " * errors, left) for errors, left in ((0, 2), (1, 1), (2, 1), (3, 0), (9, 0))),
        *((9, 149, "Г.упр " * errors, left) for errors, left in ((0, 1), (1, 0), (2, 0), (3, 0))),
        *((10, 150, "Р.знач " * errors, left) for errors, left in enumerate((2, 2, 1, 1, 0, 0))),
        *((10, 149, "Р.знач " * errors, left) for errors, left in enumerate((1, 1, 0))),
    ],
)
def test_a_criterion_counts_its_blocks_and_errors(number: int, words: int, marks: str, expected: int) -> None:
    assert points(essay("rus", words, marks))[number - 1] == expected


@pytest.mark.clause("MS §5 rus", "MS §5 counting", "R-App2 §1.3")
@pytest.mark.parametrize(
    ("words", "marks", "first", "expected"),
    [
        (150, FULL, 1, [1, 5, 1, 1, 2, 2, 3, 3, 2, 2, 1, 1]),
        (150, f"{FULL} ИСП*3 СЯП Гибрид Л ", 1, [1, 5, 1, 1, 2, 2, 3, 3, 2, 2, 1, 1]),  # codes without a rule
        (150, "", 1, [0, 0, 0, 0, 2, 2, 3, 3, 2, 2, 1, 1]),  # points for faultlessness
        # K1 falls with an error in the problem and takes K2, K3 and K4 along; K2 falls with any in the comment.
        *((150, f"{FULL} {error}", 1, [0, 0, 0, 0]) for error in ("П.проблема", "П.факт", "п.ФАКТ")),
        *(
            (150, f"{FULL} {error}", 1, [1, 0, 1, 1])
            for error in ("П.опора", "П.пересказ", "П.фактКомм", "П.факткомм", "П.другая", "П.копир")
        ),
        # K7 and K8 depend on the volume alone; K11 and K12 fall with one error.
        (150, "Г.упр*9", 7, [3, 3]),
        (149, "Г.упр*9", 7, [2, 2]),
        (150, "Э.агресс", 11, [0, 1]),
        (150, "Ф.цит*2", 11, [1, 0]),
    ],
)
def test_criteria_fall_together(words: int, marks: str, first: int, expected: list[int]) -> None:
    assert points(essay("rus", words, marks))[first - 1 :][: len(expected)] == expected


@pytest.mark.clause("MS §5 explained")
def test_the_sentences_state_the_counted_facts() -> None:
    short = essay("rus", 142, "ПРОБЛЕМА ПРИМЕР*2 ПОЯСНЕНИЕ Г.упр*21 П.точность")
    assert explained(short, "K2") == (
        "K2 = 3: два примера, одно пояснение, нет связей",
        "K2 = 3: two examples, one explanation, no links",
    )
    assert explained(short, "K9") == (
        "K9 = 0: 21 грамматическая ошибка, 142 слова, меньше 150",
        "K9 = 0: 21 grammar errors, 142 words, fewer than 150",
    )
    assert explained(short, "K6") == (
        "K6 = 1: одна ошибка П.точность, K10 = 1",
        "K6 = 1: one error П.точность, K10 = 1",
    )
    faulty = essay("rus", 150, "ПРОБЛЕМА ПРИМЕР*5 П.пересказ*2")
    assert explained(faulty, "K2") == (
        "K2 = 0: пять примеров, нет пояснений, нет связей, две ошибки П.пересказ",
        "K2 = 0: five examples, no explanations, no links, two errors П.пересказ",
    )
    assert explained(essay("rus", 150), "K3") == ("K3 = 0: потому что K1 = 0", "K3 = 0: because K1 = 0")
    assert explained(essay("rus", 21), "K12") == (
        "K12 = 0: 21 слово, меньше 70",
        "K12 = 0: 21 words, fewer than 70",
    )


@pytest.mark.clause("MS §5 rus-free")
def test_a_free_essay_loses_points_by_kind_of_error() -> None:
    assert points(essay("rus-free", 1)) == [4, 4, 4, 3, 3, 3, 3]
    assert points(essay("rus-free", 500, "Г.упр Р.тавт*2 Л.абзац*3 Ф.цит*2 Э.агресс")) == [3, 2, 1, 1, 2, 3, 3]
    assert points(essay("rus-free", 500, "Г.упр*4 Р.тавт*5 Л.абзац*9 Ф.цит*3 Э.агресс*4")) == [0, 0, 0, 0, 0, 3, 3]
    assert points(essay("rus-free", 500, "Г.упр#1 Г.УПР#1 Г.согл#1"))[0] == 2


def test_a_free_essay_is_explained_by_its_errors() -> None:
    assert explained(essay("rus-free", 9, "Р.тавт*3"), "K2") == (
        "K2 = 1: три речевые ошибки",
        "K2 = 1: three speech errors",
    )
    assert explained(essay("rus-free", 9), "K5") == ("K5 = 3: нет этических ошибок", "K5 = 3: no ethical errors")
