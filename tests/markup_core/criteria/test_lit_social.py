"""Grading of literature and social studies (markup-scoring §5); every expectation is counted by hand from the text."""

from __future__ import annotations

import pytest

from tests.markup_core.criteria.graded import essay, explained, points

LIT = "АРГУМЕНТ ПОНЯТИЕ"
SOCIAL = "ИДЕЯ ПОНЯТИЕ ТЕОРИЯ ЛОГИКА ПРИМЕР.общ*2 ПРИМЕР.лич*2"


def lit(number: int, marks: str) -> int:
    return points(essay("lit", 150, marks))[number - 1]


def social(number: int, marks: str) -> int:
    return points(essay("social", 1, marks))[number - 1]


@pytest.mark.clause("MS §5 lit", "R-App2 §1.3")
def test_a_flawless_essay_in_literature_has_all_14_points() -> None:
    assert points(essay("lit", 150, LIT)) == [3, 3, 2, 3, 3]
    assert points(essay("lit", 149, LIT)) == [0, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("errors", "expected"),
    [("С.одностор", 2), ("С.поверхн С.одностор", 1), ("С.тема С.поверхн С.одностор", 0), ("С.тема", 0)],
)
def test_lit_k1_takes_the_gravest_error_in_the_topic(errors: str, expected: int) -> None:
    assert lit(1, f"{LIT} {errors}") == expected


def test_lit_k1_of_zero_leaves_the_other_criteria_alone() -> None:
    assert points(essay("lit", 150, f"{LIT} С.тема")) == [0, 3, 2, 3, 3]


@pytest.mark.clause("MS §5 lit")
@pytest.mark.parametrize(
    ("marks", "expected"),
    [
        ("", 0),
        ("АРГУМЕНТ", 3),
        ("АРГУМЕНТ С.факт", 2),
        ("АРГУМЕНТ С.факт*2", 2),
        ("АРГУМЕНТ С.факт*3", 1),
        ("АРГУМЕНТ С.факт*4", 0),
        ("АРГУМЕНТ С.упрощен", 1),
        ("АРГУМЕНТ С.пересказ С.факт", 1),
        ("АРГУМЕНТ С.опора", 0),
        ("АРГУМЕНТ С.позиция С.упрощен", 0),
    ],
)
def test_lit_k2_weighs_arguments_and_errors(marks: str, expected: int) -> None:
    assert lit(2, marks) == expected


@pytest.mark.parametrize(
    ("marks", "expected"),
    [
        ("", 0),
        ("ПОНЯТИЕ", 2),
        ("ПОНЯТИЕ С.неиспол", 1),
        ("ПОНЯТИЕ С.понятие", 1),
        ("ПОНЯТИЕ С.понятие*2", 0),
        ("ПОНЯТИЕ С.неиспол*3 С.понятие", 1),
        ("С.неиспол", 0),
    ],
)
def test_lit_k3_weighs_notions(marks: str, expected: int) -> None:
    assert lit(3, marks) == expected


@pytest.mark.parametrize(
    ("errors", "expected"),
    [("С.послед*3", 2), ("С.неразв С.послед", 1), ("С.связь", 1), ("С.композ С.послед", 0), ("", 3)],
)
def test_lit_k4_takes_the_gravest_error_in_the_composition(errors: str, expected: int) -> None:
    assert lit(4, errors) == expected


@pytest.mark.parametrize(("errors", "expected"), [(0, 3), (1, 3), (2, 2), (3, 2), (4, 1), (6, 0), (7, 0), (9, 0)])
def test_lit_k5_loses_half_a_point_per_speech_error(errors: int, expected: int) -> None:
    assert lit(5, "Р.тавт " * errors) == expected


def test_literature_is_explained_by_its_facts() -> None:
    faulty = essay("lit", 150, "АРГУМЕНТ С.факт*3 С.тема")
    assert explained(faulty, "K1") == ("K1 = 0: одна ошибка С.тема", "K1 = 0: one error С.тема")
    assert explained(faulty, "K2") == (
        "K2 = 1: один аргумент, три ошибки С.факт",
        "K2 = 1: one argument, three errors С.факт",
    )
    assert explained(faulty, "K4") == ("K4 = 3: нет ошибок", "K4 = 3: no errors")
    assert explained(essay("lit", 2), "K5") == ("K5 = 0: 2 слова, меньше 150", "K5 = 0: 2 words, fewer than 150")


@pytest.mark.clause("MS §5 social", "R-App2 §1.3")
def test_a_flawless_essay_in_social_studies_has_all_6_points() -> None:
    assert points(essay("social", 1, SOCIAL)) == [1, 2, 1, 2]


@pytest.mark.clause("MS §5 social")
@pytest.mark.parametrize("error", ["О.смысл", "О.подмена", "О.пересказ"])
def test_social_k1_decides_about_everything(error: str) -> None:
    assert points(essay("social", 1, f"{SOCIAL} {error}")) == [0, 0, 0, 0]
    assert points(essay("social", 1, SOCIAL.removeprefix("ИДЕЯ "))) == [0, 0, 0, 0]


@pytest.mark.parametrize(
    ("marks", "expected"),
    [
        ("ПОНЯТИЕ ТЕОРИЯ", 2),
        ("ПОНЯТИЕ*3", 1),
        ("ТЕОРИЯ", 1),
        ("", 0),
        ("ПОНЯТИЕ ТЕОРИЯ О.понятие*2 О.теория", 1),  # errors in notions and theory cost one point together
        ("ПОНЯТИЕ ТЕОРИЯ О.теорСвязь", 1),
        ("ПОНЯТИЕ ТЕОРИЯ О.теорсвязь*2", 0),
        ("ПОНЯТИЕ ТЕОРИЯ О.неХватает О.теория", 0),
        ("ПОНЯТИЕ О.неХватает*5", 0),
        ("ПОНЯТИЕ ТЕОРИЯ О.упрощ", 0),
    ],
)
def test_social_k2_weighs_notions_and_theory(marks: str, expected: int) -> None:
    assert social(2, f"ИДЕЯ {marks}") == expected


@pytest.mark.parametrize(
    ("marks", "expected"), [("ЛОГИКА*2", 1), ("", 0), ("ЛОГИКА О.рассужд", 0), ("ЛОГИКА О.вывод*4", 0)]
)
def test_social_k3_weighs_the_reasoning(marks: str, expected: int) -> None:
    assert social(3, f"ИДЕЯ {marks}") == expected


@pytest.mark.parametrize(
    ("marks", "expected"),
    [
        ("ПРИМЕР.общ ПРИМЕР.лич ПРИМЕР.ист", 0),  # a kind counts from its second example on
        ("ПРИМЕР.общ*2", 1),
        ("ПРИМЕР.ист*5 ПРИМЕР.лич", 1),
        ("ПРИМЕР.общ*2 ПРИМЕР.лич*2 ПРИМЕР.ист*2", 2),
        ("ПРИМЕР.общ*2 ПРИМЕР.лич*2 ПРИМЕР.ист*2 О.дубл", 1),  # cut to 2 before the errors
        ("ПРИМЕР.общ*2 ПРИМЕР.лич*2 О.примСвязь О.подтв", 0),
        ("ПРИМЕР.общ*2 ПРИМЕР.лич*2 О.факт", 1),
        ("ПРИМЕР.общ*2 О.подробн*3", 0),
        ("ПРИМЕР.общ#1 ПРИМЕР.общ#1", 0),  # one example in two places
    ],
)
def test_social_k4_weighs_the_kinds_of_examples(marks: str, expected: int) -> None:
    assert social(4, f"ИДЕЯ {marks}") == expected


def test_social_studies_are_explained_by_their_facts() -> None:
    faulty = essay("social", 1, "ИДЕЯ ПОНЯТИЕ*2 ПРИМЕР.лич*4 О.теорСвязь")
    assert explained(faulty, "K2") == (
        "K2 = 0: два понятия, нет теоретических положений, одна ошибка О.теорСвязь",
        "K2 = 0: two notions, no theoretical propositions, one error О.теорСвязь",
    )
    assert explained(faulty, "K4") == (
        "K4 = 1: нет общественных примеров, четыре личных примера, нет исторических примеров",
        "K4 = 1: no public examples, four personal examples, no historical examples",
    )
    assert explained(essay("social", 1), "K1") == ("K1 = 0: нет идей", "K1 = 0: no ideas")
