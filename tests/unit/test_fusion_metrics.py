"""String accuracy, F1 and answers' accuracy of the fusion track (tracks.md §4)."""

from __future__ import annotations

from typing import Any

import pytest

from tracks.fusion import htr, vqa, wording, zsod
from tracks.fusion.vqa import Answer
from tracks.fusion.zsod import Box, Counts

CAT = Box(0, 0, 10, 10)
FAR = Box(500, 500, 10, 10)


def counted(truth: list[Box], prediction: list[Box], **mode: bool) -> tuple[int, int, int]:
    return tuple(zsod.count(tuple(truth), tuple(prediction), **mode))


def test_string_accuracy_is_the_share_of_equal_strings() -> None:
    found = htr.score({"0.png": "а", "1.png": "б", "2.png": ""}, {"0.png": "а", "1.png": "Б"})
    assert found.to_dict() == {"score": 2 / 3, "right": 2, "total": 3}


def test_a_missing_image_is_an_empty_string() -> None:
    assert htr.score({"0.png": "", "1.png": "x"}, {}).score == 0.5


@pytest.mark.parametrize("read", ["слово ", "Слово", "слово\u0301"])
def test_strings_are_compared_as_they_are(read: str) -> None:
    assert htr.score({"0.png": "слово"}, {"0.png": read}).score == 0


def test_without_images_string_accuracy_is_undefined() -> None:
    assert htr.score({}, {"0.png": "x"}).to_dict() == {
        "score": None,
        "right": 0,
        "total": 0,
        "unknown": ["0.png"],
    }


def test_boxes_of_a_class_that_is_not_there_are_false_positives() -> None:
    assert counted([], [CAT, FAR]) == (0, 2, 0)


def test_a_class_that_is_neither_there_nor_predicted_counts_nothing() -> None:
    assert counted([], []) == (0, 0, 0)


def test_a_class_without_any_box_is_missed_as_often_as_it_is_there() -> None:
    assert counted([CAT, FAR], []) == (0, 0, 2)
    assert counted([CAT, FAR], [], strict_text=True) == (0, 0, 1)


def test_too_few_boxes_miss_what_is_left_except_by_the_letter() -> None:
    assert counted([CAT, FAR, FAR], [CAT]) == (1, 0, 2)
    assert counted([CAT, FAR, FAR], [CAT], strict_text=True) == (1, 0, 0)


def test_a_wrong_box_is_a_false_positive_and_takes_a_miss_away() -> None:
    """The decision's formula counts boxes, whether they hit or not: max(0, 1 − 1)."""
    assert counted([CAT], [FAR]) == (0, 1, 0)


def test_every_box_on_one_object_is_a_hit() -> None:
    """The public script counts equal boxes side by side once."""
    assert counted([CAT], [CAT, CAT]) == (2, 0, 0)
    assert counted([CAT, FAR], [CAT, CAT]) == (2, 0, 0)


@pytest.mark.parametrize(
    ("box", "hit"),
    [
        (Box(0, 0, 5.1, 10), True),  # 51 of 100
        (Box(0, 0, 5, 10), False),  # 50 of 100: not over a half; the public script counts it
        (Box(0, 0, 20, 10), False),  # 100 of 200
        (Box(0, 0, 4.9, 10), False),
        (Box(10, 0, 10, 10), False),  # touches
        (Box(0, 0, 0, 10), False),
    ],
)
def test_a_box_hits_when_iou_is_over_a_half(box: Box, hit: bool) -> None:
    assert counted([CAT], [box])[0] == hit


def test_a_half_is_a_half_as_it_is_written() -> None:
    """0.1, 0.2 and 0.3 are no binary fractions: floats make 0.5000000000000001 of this IoU of exactly 0.5."""
    truth, box = Box(0.1, 0.1, 0.2, 0.3), Box(0.1, 0.1, 0.1, 0.3)
    assert not zsod.overlaps(truth, box)
    assert zsod.overlaps(Box(0.1, 0.1, 0.1999999, 0.3), box)


def test_iou_of_empty_boxes_is_zero() -> None:
    point = Box(5, 5, 0, 0)
    assert counted([point], [point]) == (0, 1, 0)


def test_huge_boxes_do_not_overflow() -> None:
    huge = Box(0.0, 0.0, 1e300, 1e300)
    assert counted([huge], [huge]) == (1, 0, 0)
    assert counted([huge], [CAT]) == (0, 1, 0)


def test_f1_is_counted_over_all_images() -> None:
    """Hand count: 0.jpg one hit, one false box; 1.jpg is missing with two objects. F1 = 2·1 / (2·1 + 1 + 2) = 0.4."""
    truth = {"0.jpg": {"cat": (CAT,), "dog": ()}, "1.jpg": {"cow": (CAT, FAR)}}
    found = zsod.score(truth, {"0.jpg": {"cat": (CAT,), "dog": (FAR,)}}).to_dict()
    assert found == {
        "score": 0.4,
        "tp": 1,
        "fp": 1,
        "fn": 2,
    }


@pytest.mark.parametrize("truth", [{}, {"0.jpg": {"cat": ()}}, {"0.jpg": {}}])
def test_without_a_box_anywhere_f1_is_zero(truth: Any) -> None:
    assert zsod.score(truth, {}).score == 0


def test_images_and_classes_nobody_asked_for_are_told_and_ignored() -> None:
    truth = {"0.jpg": {"cat": (CAT,)}}
    found = zsod.score(truth, {"0.jpg": {"cat": (CAT,), "cow": (CAT,)}, "9.jpg": {"cat": (CAT,)}}).to_dict()
    assert (found["score"], found["unknown"], found["unknown_classes"]) == (1, ["9.jpg"], {"0.jpg": ["cow"]})


def test_f1_of_counts() -> None:
    """Precision 3/4, recall 3/5: 2 · 0.45 / 1.35 = 2/3."""
    assert zsod.f1(Counts(3, 1, 2)) == 2 / 3


def test_answers_are_compared_exactly_after_trimming() -> None:
    truth = {"0": Answer("вниз", "ru"), "1": Answer("yes", "en"), "2": Answer("3", "en")}
    found = vqa.score(truth, {"0": " вниз\n", "1": "Yes", "5": "3"}).to_dict()
    assert found == {"score": 1 / 3, "right": 1, "total": 3, "unknown": ["5"]}


def test_a_missing_answer_is_wrong_even_where_the_truth_is_empty() -> None:
    assert vqa.score({"0": Answer("", "en")}, {}).score == 0
    assert vqa.score({"0": Answer("", "en")}, {"0": " "}).score == 1


def test_without_questions_accuracy_is_undefined() -> None:
    assert vqa.score({}, {}).score is None


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
        assert vqa.is_right(Answer(one, lang), other, normalised=True)
        assert not vqa.is_right(Answer(one, lang), other)


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
    assert not vqa.is_right(Answer(truth, lang), prediction, normalised=True)


def test_an_answer_of_which_nothing_is_left_is_compared_as_it_stands() -> None:
    assert vqa.is_right(Answer("A", "en"), "A", normalised=True)
    assert not vqa.is_right(Answer("A", "en"), "the", normalised=True)
    assert not vqa.is_right(Answer("?", "ru"), "", normalised=True)


def test_words_of_an_answer() -> None:
    assert wording.words("The  two\tcats, on_the mat.", "en") == ("2", "cats", "on", "mat")
    assert wording.words("Три девочки", "ru") == ("3", "девочка")
