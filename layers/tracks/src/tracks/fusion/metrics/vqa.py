"""Accuracy of answers to questions about images (tracks.md §4, VQA; F, "Подзадача 4")."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from tracks.fusion.subtasks import Scored, Subtask, is_other_form, sorted_apart

NORMALISED: Final = "normalised"
MODES: Final = (NORMALISED,)
LANGUAGES: Final = ("ru", "en")


class TrueAnswer(NamedTuple):
    """A true answer and the language of its question."""

    text: str
    lang: str


def score(truth: Mapping[str, TrueAnswer], prediction: Mapping[str, str], mode: str | None = None) -> Scored:
    """Return the share of right answers; a missing one is wrong. Undefined without questions.

    Wrong answers that differ from the truth by their Unicode form alone are counted as ``other_form``.

    Clause: F VQA accuracy, tracks §4 missing
    """
    right = sum(
        is_right(answer, prediction[name], normalised=mode == NORMALISED)
        for name, answer in truth.items()
        if name in prediction
    )
    forms = 0
    if mode != NORMALISED:
        forms = sum(is_other_form(prediction.get(name, "").strip(), each.text.strip()) for name, each in truth.items())
    parts = {"right": right, "total": len(truth), **({"other_form": forms} if forms else {})}
    return Scored(Subtask.VQA, right / len(truth) if truth else None, parts, sorted_apart(truth, prediction))


def is_right(answer: TrueAnswer, predicted: str, *, normalised: bool = False) -> bool:
    """Equal after trimming (F, Accuracy: exact matches); ``normalised`` also if both mean the same words.

    An answer of which normalising leaves nothing (an article alone) is compared as it stands.

    Clause: F VQA accuracy, tracks §4 modes
    """
    if answer.text.strip() == predicted.strip():
        return True
    if not normalised:
        return False
    from tracks.fusion.metrics.wording import words  # loads dictionaries

    wanted = words(answer.text, answer.lang)
    return bool(wanted) and wanted == words(predicted, answer.lang)
