"""Experts' ratings of explanations: five yes/no questions per explanation and rater (R-App1, M7)."""

from __future__ import annotations

from collections.abc import Mapping
from math import fsum
from typing import Any, Final

from markup_core.said import Said

QUESTIONS: Final = 5

Ratings = Mapping[str, float]
"""Mean rating of each rated explanation in per cent, by the fragment's id as a string."""


class InvalidRatings(ValueError):  # noqa: N818  the name says what the ratings are; callers read it so
    """Ratings that cannot be read; the text, ``message`` in both languages, names the fragment and the rater."""

    code: Final = "invalid_ratings"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def read_ratings(raw: Any) -> Ratings:
    """Read ``{fragment id: [[yes/no × 5], … one list per rater]}``; a fragment without a rater is not rated.

    Yes is 20 per cent; several raters are averaged. Yes and no are booleans or 1 and 0. Raises InvalidRatings.
    """
    if raw is None:
        return {}
    if not isinstance(raw, Mapping):
        message = Said(
            "ratings must be an object from fragment ids to lists of raters' answers",
            "оценки пояснений — объект: номер фрагмента и список ответов экспертов",
        )
        raise InvalidRatings(message)
    return {str(fragment): _mean(str(fragment), raters) for fragment, raters in raw.items() if raters}


def _mean(fragment: str, raters: Any) -> float:
    """Clause: R-App1 M7"""
    if not isinstance(raters, list | tuple):
        message = Said(
            f"fragment {fragment}: expected a list with one list per rater",
            f"фрагмент {fragment}: ожидается список, в нём по списку на каждого эксперта",
        )
        raise InvalidRatings(message)
    points = [_points(fragment, number, answers) for number, answers in enumerate(raters, start=1)]
    return fsum(points) / len(points) * (100 / QUESTIONS)


def _points(fragment: str, rater: int, answers: Any) -> int:
    whole = isinstance(answers, list | tuple) and len(answers) == QUESTIONS
    if not whole or any(type(answer) not in (bool, int) or answer not in (0, 1) for answer in answers):
        message = Said(
            f"fragment {fragment}, rater {rater}: expected {QUESTIONS} answers, each yes or no",
            f"фрагмент {fragment}, эксперт {rater}: ожидается {QUESTIONS} ответов «да» или «нет»",
        )
        raise InvalidRatings(message)
    return sum(answers)
