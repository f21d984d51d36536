"""Accuracy of answers to questions about images (tracks.md §4, VQA)."""

from __future__ import annotations

import pytest

from tracks.fusion import metrics
from tracks.fusion.metrics import TrueAnswer


@pytest.mark.clause("F VQA accuracy")
def test_answers_are_compared_exactly_after_trimming() -> None:
    truth = {"0": TrueAnswer("вниз", "ru"), "1": TrueAnswer("yes", "en"), "2": TrueAnswer("3", "en")}
    found = metrics.vqa_score(truth, {"0": " вниз\n", "1": "Yes", "5": "3"}).to_dict()
    assert found == {"score": 1 / 3, "right": 1, "total": 3, "unknown": ["5"]}


@pytest.mark.clause("F VQA accuracy", "tracks §4 missing")
def test_a_missing_answer_is_wrong_even_where_the_truth_is_empty() -> None:
    assert metrics.vqa_score({"0": TrueAnswer("", "en")}, {}).score == 0
    assert metrics.vqa_score({"0": TrueAnswer("", "en")}, {"0": " "}).score == 1


def test_without_questions_accuracy_is_undefined() -> None:
    assert metrics.vqa_score({}, {}).score is None


@pytest.mark.clause("tracks §4 modes")
@pytest.mark.parametrize(
    ("lang", "truth", "prediction"),
    [
        ("en", "The cat", "a cat"),
        ("en", "two", "2"),
        ("en", "none", "0"),
        ("en", "2,000", "2000"),
        ("en", "black and white", "Black-and white!"),
        ("en", "don’t walk", "don't walk."),
        ("en", "10:30", "10:30."),
        ("ru", "коты", "кот"),
        ("ru", "на зелёной траве", "На зеленая трава"),
        ("ru", "два", "2"),
        ("ru", "двумя", "2"),
        ("ru", "нисколько", "ноль"),
        ("ru", "«Стоп»", "стоп"),
    ],
)
def test_normalised_answers_are_equal_on_both_sides(lang: str, truth: str, prediction: str) -> None:
    for one, other in ((truth, prediction), (prediction, truth)):
        assert metrics.is_right(TrueAnswer(one, lang), other, normalised=True)
        assert not metrics.is_right(TrueAnswer(one, lang), other)


@pytest.mark.parametrize(
    ("lang", "truth", "prediction"),
    [
        ("en", "3.5", "35"),
        ("en", "cats", "cat"),
        ("en", "10:30", "10 30"),
        ("ru", "the кот", "кот"),
        ("ru", "кот", "кошка"),
        ("en", "yes no", "no yes"),
    ],
)
def test_normalised_answers_that_differ_are_different(lang: str, truth: str, prediction: str) -> None:
    assert not metrics.is_right(TrueAnswer(truth, lang), prediction, normalised=True)


def test_an_answer_of_which_nothing_is_left_is_compared_as_it_stands() -> None:
    assert metrics.is_right(TrueAnswer("A", "en"), "A", normalised=True)
    assert not metrics.is_right(TrueAnswer("A", "en"), "the", normalised=True)
    assert not metrics.is_right(TrueAnswer("?", "ru"), "", normalised=True)


def test_words_of_an_answer() -> None:
    assert metrics.words("The  two\tcats, on_the mat.", "en") == ("2", "cats", "on", "mat")
    assert metrics.words("Три девочки", "ru") == ("3", "девочка")


def test_canonically_equal_answers_are_equal_where_normalised_and_counted_where_not() -> None:
    truth = {"1": TrueAnswer("синий", "ru"), "2": TrueAnswer("ёж", "ru")}
    prediction = {"1": "сини\u0438\u0306", "2": "ёжик"}
    assert metrics.vqa_score(truth, prediction, metrics.NORMALISED).to_dict() == {"score": 0.5, "right": 1, "total": 2}
    assert metrics.vqa_score(truth, prediction).to_dict() == {"score": 0, "right": 0, "total": 2, "other_form": 1}
