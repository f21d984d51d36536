"""String accuracy of recognised handwriting (tracks.md §4, HTR)."""

from __future__ import annotations

import pytest

from tracks.fusion import metrics


@pytest.mark.clause("F HTR accuracy")
def test_string_accuracy_is_the_share_of_equal_strings() -> None:
    found = metrics.htr_score({"0.png": "а", "1.png": "б", "2.png": ""}, {"0.png": "а", "1.png": "Б"})
    assert found.to_dict() == {"score": 2 / 3, "right": 2, "total": 3}


@pytest.mark.clause("F HTR missing")
def test_a_missing_image_is_an_empty_string() -> None:
    assert metrics.htr_score({"0.png": "", "1.png": "x"}, {}).score == 0.5


@pytest.mark.parametrize("read", ["слово ", "Слово", "слово\u0301"])
def test_strings_are_compared_as_they_are(read: str) -> None:
    assert metrics.htr_score({"0.png": "слово"}, {"0.png": read}).score == 0


def test_without_images_string_accuracy_is_undefined() -> None:
    assert metrics.htr_score({}, {"0.png": "x"}).to_dict() == {
        "score": None,
        "right": 0,
        "total": 0,
        "unknown": ["0.png"],
    }


def test_answers_that_are_wrong_by_the_form_of_a_letter_alone_are_counted() -> None:
    found = metrics.htr_score(
        {"0.png": "мой", "1.png": "ёж", "2.png": "а"}, {"0.png": "мо\u0438\u0306", "1.png": "е\u0308ж "}
    )
    assert found.to_dict() == {"score": 0, "right": 0, "total": 3, "other_form": 1}
