"""String accuracy of recognised handwriting (tracks.md §4, HTR; F, "Подзадача 2")."""

from __future__ import annotations

from collections.abc import Mapping

from tracks.fusion.subtasks import Scored, Subtask, is_other_form, sorted_apart


def score(truth: Mapping[str, str], prediction: Mapping[str, str]) -> Scored:
    """The share of strings recognised without any difference; a missing key is an empty string (F, HTR).

    Strings are compared as they are: neither blanks nor case nor the form of Unicode is changed. How many differ by
    their form alone (й as letter and mark) is counted as ``other_form``. Undefined without images.

    Clause: F HTR accuracy, F HTR missing
    """
    right = sum(prediction.get(name, "") == text for name, text in truth.items())
    forms = sum(is_other_form(prediction.get(name, ""), text) for name, text in truth.items())
    parts = {"right": right, "total": len(truth), **({"other_form": forms} if forms else {})}
    return Scored(Subtask.HTR, right / len(truth) if truth else None, parts, sorted_apart(truth, prediction))
