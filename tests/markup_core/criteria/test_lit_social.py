"""Grading of literature and social studies (markup-scoring §5); every expectation is counted by hand from the text."""

from __future__ import annotations

import pytest

from tests.markup_core.criteria.graded import essay, explained, points

LIT = "АРГУМЕНТ ПОНЯТИЕ"
SOCIAL = "ИДЕЯ ПОНЯТИЕ ТЕОРИЯ ЛОГИКА ПРИМЕР.общ*2 ПРИМЕР.лич*2"


@pytest.mark.clause("MS §5 lit", "R-App2 §1.3")
def test_a_flawless_essay_in_literature_has_all_14_points() -> None:
    assert points(essay("lit", 150, LIT)) == [3, 3, 2, 3, 3]
    assert points(essay("lit", 149, LIT)) == [0, 0, 0, 0, 0]
    assert points(essay("lit", 150, f"{LIT} С.тема")) == [0, 3, 2, 3, 3], "K1 of 0 leaves the others alone"


@pytest.mark.clause("MS §5 lit")
@pytest.mark.parametrize(
    ("number", "marks", "expected"),
    [
        (1, f"{LIT} С.одностор", 2),
        (1, f"{LIT} С.поверхн С.одностор", 1),
        (1, f"{LIT} С.тема С.поверхн С.одностор", 0),
        (1, f"{LIT} С.тема", 0),
        (2, "", 0),
        (2, "АРГУМЕНТ", 3),
        (2, "АРГУМЕНТ С.факт", 2),
        (2, "АРГУМЕНТ С.факт*2", 2),
        (2, "АРГУМЕНТ С.факт*3", 1),
        (2, "АРГУМЕНТ С.факт*4", 0),
        (2, "АРГУМЕНТ С.упрощен", 1),
        (2, "АРГУМЕНТ С.пересказ С.факт", 1),
        (2, "АРГУМЕНТ С.опора", 0),
        (2, "АРГУМЕНТ С.позиция С.упрощен", 0),
        (3, "", 0),
        (3, "ПОНЯТИЕ", 2),
        (3, "ПОНЯТИЕ С.неиспол", 1),
        (3, "ПОНЯТИЕ С.понятие", 1),
        (3, "ПОНЯТИЕ С.понятие*2", 0),
        (3, "ПОНЯТИЕ С.неиспол*3 С.понятие", 1),
        (3, "С.неиспол", 0),
        (4, "С.послед*3", 2),
        (4, "С.неразв С.послед", 1),
        (4, "С.связь", 1),
        (4, "С.композ С.послед", 0),
        (4, "", 3),
        # Half a point an error of speech, the rest rounded down.
        *(
            (5, "Р.тавт " * errors, left)
            for errors, left in ((0, 3), (1, 3), (2, 2), (3, 2), (4, 1), (6, 0), (7, 0), (9, 0))
        ),
    ],
)
def test_a_criterion_of_literature_weighs_its_errors(number: int, marks: str, expected: int) -> None:
    assert points(essay("lit", 150, marks))[number - 1] == expected


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


@pytest.mark.clause("MS §5 social")
@pytest.mark.parametrize(
    ("number", "marks", "expected"),
    [
        (2, "ИДЕЯ ПОНЯТИЕ ТЕОРИЯ", 2),
        (2, "ИДЕЯ ПОНЯТИЕ*3", 1),
        (2, "ИДЕЯ ТЕОРИЯ", 1),
        (2, "ИДЕЯ ", 0),
        (2, "ИДЕЯ ПОНЯТИЕ ТЕОРИЯ О.понятие*2 О.теория", 1),  # errors in notions and theory cost one point together
        (2, "ИДЕЯ ПОНЯТИЕ ТЕОРИЯ О.теорСвязь", 1),
        (2, "ИДЕЯ ПОНЯТИЕ ТЕОРИЯ О.теорсвязь*2", 0),
        (2, "ИДЕЯ ПОНЯТИЕ ТЕОРИЯ О.неХватает О.теория", 0),
        (2, "ИДЕЯ ПОНЯТИЕ О.неХватает*5", 0),
        (2, "ИДЕЯ ПОНЯТИЕ ТЕОРИЯ О.упрощ", 0),
        (3, "ИДЕЯ ЛОГИКА*2", 1),
        (3, "ИДЕЯ ", 0),
        (3, "ИДЕЯ ЛОГИКА О.рассужд", 0),
        (3, "ИДЕЯ ЛОГИКА О.вывод*4", 0),
        (4, "ИДЕЯ ПРИМЕР.общ ПРИМЕР.лич ПРИМЕР.ист", 0),  # a kind counts from its second example on
        (4, "ИДЕЯ ПРИМЕР.общ*2", 1),
        (4, "ИДЕЯ ПРИМЕР.ист*5 ПРИМЕР.лич", 1),
        (4, "ИДЕЯ ПРИМЕР.общ*2 ПРИМЕР.лич*2 ПРИМЕР.ист*2", 2),
        (4, "ИДЕЯ ПРИМЕР.общ*2 ПРИМЕР.лич*2 ПРИМЕР.ист*2 О.дубл", 1),  # cut to 2 before the errors
        (4, "ИДЕЯ ПРИМЕР.общ*2 ПРИМЕР.лич*2 О.примСвязь О.подтв", 0),
        (4, "ИДЕЯ ПРИМЕР.общ*2 ПРИМЕР.лич*2 О.факт", 1),
        (4, "ИДЕЯ ПРИМЕР.общ*2 О.подробн*3", 0),
        (4, "ИДЕЯ ПРИМЕР.общ#1 ПРИМЕР.общ#1", 0),  # one example in two places
    ],
)
def test_a_criterion_of_social_studies_weighs_its_errors(number: int, marks: str, expected: int) -> None:
    assert points(essay("social", 1, marks))[number - 1] == expected


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
