"""Records, aggregates and ranks of the essay track: which of the library's numbers make them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from markup_core.accuracy import EssayScore
from markup_core.record import score_of
from markup_core.sample import accuracies, summarise
from tracks.essay_parameters import EssayParameters
from tracks.protocol import Json, Outcome, Place, Standing
from tracks.ranking import by_value

_STRING: Final = {"type": "string"}
_SELECTION: Final[Mapping[str, Json]] = {
    "type": "object",
    "required": ["startSelection", "endSelection", "type"],
    "properties": {
        "id": {"type": ["integer", "string"]},
        "startSelection": {"type": "integer", "minimum": 0, "description": "first code point, from 0"},
        "endSelection": {"type": "integer", "minimum": 0, "description": "code point after the last; 0, 0: whole text"},
        "type": {"type": "string", "description": "code of the classifier"},
        **dict.fromkeys(("subtype", "comment", "explanation", "correction", "tag"), _STRING),
        "group": {"type": "string", "enum": ["meaning", "error"], "description": "follows from the code"},
    },
}
MARKUP_SCHEMA: Final[Mapping[str, Json]] = {
    "type": "object",
    "title": "Markup",
    "description": "A markup in the contest's published form; the text is the one that was handed out.",
    "required": ["meta", "selections", "text"],
    "properties": {
        "meta": {"type": "object", "required": ["subject"], "properties": {"id": _STRING, "subject": _STRING}},
        "criteria": {"type": "object", "additionalProperties": {"type": "integer"}},
        "selections": {"type": "array", "items": _SELECTION, "maxItems": 2000},
        "text": _STRING,
    },
}


def aggregate(outcomes: Sequence[Outcome], rules: EssayParameters, seed: int) -> dict[str, Any]:
    """Accuracies over the answered essays; missed ones are excluded (R 7.6), and shown as zeros beside.

    ``missed_as_zero`` is the abstention audit's number: the relative accuracy with every essay that was not
    answered counted as 0 on the algorithm's side. Expert accuracies of those essays are not known to the session,
    so the mean of the answered ones stands for them.
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
    return None if relative is None else relative * counted / (counted + missed)


def rank(standings: Sequence[Standing]) -> tuple[Place, ...]:
    """Places by relative accuracy, highest first."""
    return by_value({standing.team: standing.aggregate["relative_accuracy"] for standing in standings})
