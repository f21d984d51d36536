"""Grading of Russian essays (markup-scoring §5, rus, rus-free); each expectation is counted by hand from its text."""

from __future__ import annotations

import pytest

from tests.markup_core.criteria.graded import essay, explained, points

FULL = "ПРОБЛЕМА ПРИМЕР*2 ПОЯСНЕНИЕ*2 СВЯЗЬ ПОЗИЦИЯ ОТНОШЕНИЕ"


def k(number: int, words: int, marks: str) -> int:
    return points(essay("rus", words, marks))[number - 1]


@pytest.mark.clause("MS §5 rus", "R-App2 §1.3")
def test_a_flawless_essay_has_all_24_points() -> None:
    assert points(essay("rus", 150, FULL)) == [1, 5, 1, 1, 2, 2, 3, 3, 2, 2, 1, 1]


@pytest.mark.clause("MS §5 rus")
@pytest.mark.parametrize(("words", "expected"), [(69, 0), (70, 19), (149, 19), (150, 24)])
def test_the_volume_decides_at_70_and_at_150_words(words: int, expected: int) -> None:
    # Under 150 words K7, K8, K9 and K10 = floor(1.5) lose a point each, and K6 one more, because K10 < 2: 24 - 5.
    assert sum(points(essay("rus", words, FULL))) == expected


def test_an_empty_markup_of_a_long_essay_keeps_the_points_for_faultlessness() -> None:
    assert points(essay("rus", 150)) == [0, 0, 0, 0, 2, 2, 3, 3, 2, 2, 1, 1]


@pytest.mark.parametrize("error", ["П.проблема", "П.факт", "п.ФАКТ"])
def test_k1_falls_with_an_error_in_the_problem_and_takes_k2_k3_k4_along(error: str) -> None:
    assert points(essay("rus", 150, f"{FULL} {error}"))[:4] == [0, 0, 0, 0]


@pytest.mark.clause("MS §5 rus")
@pytest.mark.parametrize(
    ("blocks", "expected"),
    [
        ("ПРИМЕР*2 ПОЯСНЕНИЕ*2 СВЯЗЬ", 5),
        ("ПРИМЕР*3 ПОЯСНЕНИЕ*4 СВЯЗЬ*2", 5),
        ("ПРИМЕР*2 ПОЯСНЕНИЕ*2", 4),  # no link: 2 + 0 >= 2
        ("ПРИМЕР*2 ПОЯСНЕНИЕ СВЯЗЬ", 4),
        ("ПРИМЕР*2 СВЯЗЬ*2", 4),
        ("ПРИМЕР*2 ПОЯСНЕНИЕ", 3),  # 2 + 1 blocks
        ("ПРИМЕР*3", 3),
        ("ПРИМЕР ПОЯСНЕНИЕ*2 СВЯЗЬ*2", 3),  # one example is never more
        ("ПОЯСНЕНИЕ*3", 3),
        ("ПРИМЕР*2", 2),
        ("ПРИМЕР ПОЯСНЕНИЕ", 1),
        ("ПРИМЕР", 1),
        ("ПОЯСНЕНИЕ СВЯЗЬ", 0),
        ("", 0),
    ],
)
def test_k2_counts_examples_explanations_and_links(blocks: str, expected: int) -> None:
    assert k(2, 150, f"ПРОБЛЕМА {blocks}") == expected


@pytest.mark.parametrize("error", ["П.опора", "П.пересказ", "П.фактКомм", "П.факткомм", "П.другая", "П.копир"])
def test_k2_is_lost_with_any_error_in_the_comment(error: str) -> None:
    assert points(essay("rus", 150, f"{FULL} {error}"))[:4] == [1, 0, 1, 1]


def test_k3_needs_the_position_without_an_error() -> None:
    assert k(3, 150, "ПРОБЛЕМА ПОЗИЦИЯ*2") == 1
    assert k(3, 150, "ПРОБЛЕМА") == 0
    assert k(3, 150, "ПРОБЛЕМА ПОЗИЦИЯ П.позиция") == 0


def test_k4_needs_the_attitude_without_errors() -> None:
    assert k(4, 150, "ПРОБЛЕМА ОТНОШЕНИЕ") == 1
    assert k(4, 150, "ПРОБЛЕМА") == 0
    assert k(4, 150, "ПРОБЛЕМА ОТНОШЕНИЕ П.отнош") == 0
    assert k(4, 150, "ПРОБЛЕМА ОТНОШЕНИЕ П.обоснов") == 0


@pytest.mark.parametrize(("errors", "expected"), [("Л.скачок", 1), ("Л.скачок Л.абзац", 0), ("Л.скачок*5", 0)])
def test_k5_loses_a_point_per_logic_error(errors: str, expected: int) -> None:
    assert k(5, 150, errors) == expected


@pytest.mark.parametrize(
    ("errors", "expected"),
    [
        ("", 2),
        ("П.однообр", 1),
        ("П.точность", 1),
        ("П.однообр П.точность", 0),
        ("Р.тавт", 2),  # K10 = floor(2.5 - 0.5) = 2
        ("Р.тавт*2", 1),  # K10 = floor(2.5 - 1) = 1
        ("П.однообр*2 Р.тавт*2", 1),  # K10 < 2 gives the point whatever the precision
    ],
)
def test_k6_follows_precision_and_k10(errors: str, expected: int) -> None:
    assert k(6, 150, errors) == expected


@pytest.mark.parametrize(
    ("words", "errors", "k9"),
    [
        (150, 0, 2),
        (150, 1, 1),
        (150, 2, 1),
        (150, 3, 0),
        (150, 9, 0),
        (149, 0, 1),
        (149, 1, 0),
        (149, 2, 0),
        (149, 3, 0),
    ],
)
def test_k9_loses_half_a_point_per_grammar_error(words: int, errors: int, k9: int) -> None:
    assert k(9, words, "Г.упр " * errors) == k9


@pytest.mark.parametrize(
    ("words", "errors", "k10"),
    [
        (150, 0, 2),
        (150, 1, 2),
        (150, 2, 1),
        (150, 3, 1),
        (150, 4, 0),
        (150, 5, 0),
        (149, 0, 1),
        (149, 1, 1),
        (149, 2, 0),
    ],
)
def test_k10_loses_half_a_point_per_speech_error(words: int, errors: int, k10: int) -> None:
    assert k(10, words, "Р.знач " * errors) == k10


def test_k7_and_k8_depend_on_the_volume_alone() -> None:
    assert points(essay("rus", 150, "Г.упр*9"))[6:8] == [3, 3]
    assert points(essay("rus", 149, "Г.упр*9"))[6:8] == [2, 2]


def test_k11_and_k12_fall_with_one_error() -> None:
    assert points(essay("rus", 150, "Э.агресс"))[10:] == [0, 1]
    assert points(essay("rus", 150, "Ф.цит*2"))[10:] == [1, 0]


@pytest.mark.clause("MS §5 counting")
def test_fragments_with_one_code_and_one_tag_count_once() -> None:
    assert k(2, 150, "ПРОБЛЕМА ПРИМЕР#1 ПРИМЕР#1") == 1
    assert k(2, 150, "ПРОБЛЕМА ПРИМЕР#1 пример#1 ПРИМЕР#2") == 2
    assert k(2, 150, "ПРОБЛЕМА ПРИМЕР#1 ПОЯСНЕНИЕ#1 СВЯЗЬ#1") == 3  # three codes with one tag are three
    assert k(5, 150, "Л.скачок#1 Л.абзац#1") == 0  # the sum is over codes


@pytest.mark.clause("MS §5 counting")
def test_codes_without_a_rule_do_not_count() -> None:
    assert points(essay("rus", 150, f"{FULL} ИСП*3 СЯП Гибрид Л ")) == points(essay("rus", 150, FULL))


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
