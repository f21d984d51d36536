"""Answers that come out just under the barrier: by them it shows whether a board rounds before it compares (R 7.12)."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from math import fsum
from typing import Final

from local.rehearsal.play.material import TEST, Material
from markup_core.accuracy import EssayScore
from markup_core.record import score_of
from tracks import registry
from tracks.essay.items import complete

LEAST, BARRIER = 99.5, 100.0
"""Relative accuracies from here on, and under the other, are rounded to the barrier."""
_SKILLS: Final = (0.0, 0.1, 0.2, 0.3, 0.5)
_TRIES: Final = 5_000


def skills_below(material: Material) -> Mapping[str, float]:
    """With which skill each essay of the test set is to be answered, by its text, so that the whole set comes out just
    under the barrier by the usual parameters. RuntimeError where no mixture of skills does.

    The relative accuracy of a set that is wholly answered is the mean accuracy of the answers over that of the experts,
    of essays with two experts or more.
    """
    track, parameters = registry.get("essay"), complete({})[0]
    items = [(item, experts) for item, experts in material.own() if item["meta"]["id"].startswith(f"{TEST}-")]
    scores = [
        [score_of(track.score(item, material.answer(item, skill), experts, parameters)) for skill in _SKILLS]
        for item, experts in items
    ]
    chance = random.Random("just below the barrier")  # noqa: S311 - reproducible, no secret
    for _ in range(_TRIES):
        places = [chance.randrange(len(_SKILLS)) for _ in items]
        if LEAST <= _relative([row[place] for row, place in zip(scores, places, strict=True)]) < BARRIER:
            return {str(item["text"]): _SKILLS[place] for (item, _), place in zip(items, places, strict=True)}
    raise RuntimeError("no answers come out just below the barrier")


def _relative(scores: Sequence[EssayScore]) -> float:
    sides = [(each.algorithm_accuracy, each.expert_accuracy) for each in scores]
    known = [(answer, experts) for answer, experts in sides if answer is not None and experts is not None]
    return 100 * fsum(answer for answer, _ in known) / fsum(experts for _, experts in known)
