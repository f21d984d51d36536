"""String accuracy of recognised handwriting (tracks.md §4, HTR)."""

from __future__ import annotations

import pytest

from tracks.fusion import metrics


@pytest.mark.clause("F HTR accuracy", "F HTR missing")
@pytest.mark.parametrize(
    ("truth", "read", "expected"),
    [
        (("а", "б", ""), ("а", "Б"), {"score": 2 / 3, "right": 2, "total": 3}),
        (("", "x"), (), {"score": 0.5, "right": 1, "total": 2}),  # a missing image is an empty string
        (("слово",), ("слово ",), {"score": 0, "right": 0, "total": 1}),
        (("слово",), ("Слово",), {"score": 0, "right": 0, "total": 1}),
        (("слово",), ("слово\u0301",), {"score": 0, "right": 0, "total": 1}),
        ((), ("x",), {"score": None, "right": 0, "total": 0, "unknown": ["0.png"]}),
        # Wrong by the form of a letter alone.
        (("мой", "ёж", "а"), ("мо\u0438\u0306", "е\u0308ж "), {"score": 0, "right": 0, "total": 3, "other_form": 1}),
    ],
)
def test_string_accuracy_is_the_share_of_equal_strings(
    truth: tuple[str, ...], read: tuple[str, ...], expected: dict[str, object]
) -> None:
    of_images = ({f"{number}.png": each for number, each in enumerate(strings)} for strings in (truth, read))
    assert metrics.htr_score(*of_images).to_dict() == expected
