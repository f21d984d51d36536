"""The score record of one answer, and its verification by anybody who has the inputs (markup-scoring §8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markup_core.accuracy import EssayScore, score_essay
from markup_core.criteria import grade
from markup_core.metrics import read_ratings
from markup_core.params import ScoringParams
from markup_core.reading.classifier import Classifier
from markup_core.reading.validation import load
from markup_core.receipt import differences, fingerprint

Json = Any


def score_record(
    answer: Json,
    references: Sequence[Json],
    params: ScoringParams,
    classifier: Classifier | None = None,
    ratings: Json = None,
) -> dict[str, Any]:
    """Return the record of an answer against all expert markups: every number, the grade, and the fingerprint.

    ``answer`` and ``references`` are markups as JSON values, ``ratings`` those of the answer's explanations, if there
    are any (:func:`markup_core.metrics.read_ratings`); they are what the fingerprint hashes. Raises
    :class:`markup_core.reading.validation.InvalidMarkup`, :class:`markup_core.metrics.InvalidRatings`, and ValueError
    for markups of different texts or subjects.
    """
    algorithm = load(answer, classifier=classifier)
    experts = [load(reference, classifier=classifier) for reference in references]
    score = score_essay(algorithm, experts, params, ratings=read_ratings(ratings))
    points = grade(algorithm)
    sources = [answer, *references] if ratings is None else [answer, *references, ratings]
    return {
        "subject": algorithm.subject,
        "experts": len(experts),
        "fragments": len(algorithm.fragments),
        "grade": None if points is None else points.to_dict(),
        **score.to_dict(),
        "fingerprint": fingerprint("essay", params, sources, classifier),
    }


def score_of(record: Mapping[str, Any]) -> EssayScore:
    """Read the essay's score from its record, for summaries that do not read the markups again."""
    hardness = record["fingerprint"]["parameters"]["hardness"]
    return EssayScore.from_dict(record["subject"], record["experts"], record, hardness)


# Clause: MS §8 verify
def verify(
    record: Mapping[str, Any],
    answer: Json,
    references: Sequence[Json],
    classifier: Classifier | None = None,
    ratings: Json = None,
    params: ScoringParams | None = None,
) -> list[str]:
    """Recompute a record from its inputs and list every difference; empty when it is right to the last bit.

    ``params`` are those the record has to be made with, the cycle's for one: a record that is right by others than
    these differs. Without them it is recomputed by those that it names itself. Raises as :func:`score_record`,
    ValueError for a record that names no parameters, and InvalidParams for ones that cannot be used.
    """
    named = record.get("fingerprint")
    if not isinstance(named, Mapping) or not isinstance(named.get("parameters"), Mapping):
        raise ValueError("this is no score record: it has no fingerprint that names the parameters")  # noqa: TRY004
    used = params or ScoringParams.from_dict(named["parameters"])
    return list(differences(record, score_record(answer, references, used, classifier, ratings)))
