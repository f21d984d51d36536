"""A session's accuracies: which of the library's numbers make them (R 6.5.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from markup_core.accuracy import EssayScore
from markup_core.record import score_of
from markup_core.sample import accuracies, summarise
from tracks.essay.parameters import EssayParameters
from tracks.protocol import Outcome


def aggregate(outcomes: Sequence[Outcome], rules: EssayParameters, seed: int) -> dict[str, Any]:
    """Accuracies over the answered essays; missed ones are excluded (R 7.6), and shown as zeros beside.

    ``missed_as_zero`` is the abstention audit's number: the relative accuracy with every essay that was not
    answered counted as 0 on the algorithm's side. Expert accuracies of those essays are not known to the session,
    so the mean of the answered ones stands for them.

    Clause: R 6.5.1, platform §4 abstention, R 7.6
    """
    scores = [score_of(outcome.score) for outcome in outcomes if outcome.score is not None]
    languages = {subject: language for language, subjects in rules.languages.items() for subject in subjects}
    return {
        **summarise(scores, seed, languages).to_dict(),
        "files": len(outcomes),
        "answered": sum(outcome.answered for outcome in outcomes),
        "missed_as_zero": {
            "relative_accuracy": _missed_as_zero(scores, sum(not outcome.answered for outcome in outcomes))
        },
    }


def _missed_as_zero(scores: Sequence[EssayScore], missed: int) -> float | None:
    counted = sum(score.experts >= 2 for score in scores)
    relative = accuracies(scores).relative_accuracy
    if relative is None or not missed:  # without a missed essay the very same number: x · n / n need not be x
        return relative
    return relative * counted / (counted + missed)
