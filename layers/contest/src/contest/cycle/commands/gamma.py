"""Gamma (Mathet et al. 2015) of a corpus's texts by pygamma-agreement, which the extra ``gamma`` brings."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from math import fsum
from typing import Any, Final

import numpy

from markup_core.codes import fold
from markup_core.extras import needed
from markup_core.model import Markup

_SEED: Final = 2015
_MOST_SEEDS: Final = 1 << 32


def mean_gamma(texts: Sequence[Sequence[Markup]], seed: int) -> tuple[float | None, int]:
    """Return the mean of the texts' gammas and how many texts have one: those in which two annotators marked something.

    Expected disorder is drawn at random, so that another seed gives another number. Fragments about whole texts have no
    place and are left out. Seconds a text; raises ExtraNeededError where the package is not installed.
    """
    pygamma, segments = needed("pygamma_agreement", "gamma"), needed("pyannote.core", "gamma")
    numpy.random.seed((_SEED + seed) % _MOST_SEEDS)
    logging.disable(logging.WARNING)  # it tells of a solver that is not there, once a text and more
    try:
        dissimilarity = pygamma.CombinedCategoricalDissimilarity(alpha=1, beta=1, delta_empty=1)
        continua = [_continuum(pygamma, segments, text) for text in texts]
        gammas = [
            float(continuum.compute_gamma(dissimilarity).gamma)
            for continuum in continua
            if continuum.num_annotators > 1
        ]
    finally:
        logging.disable(logging.NOTSET)
    return fsum(gammas) / len(gammas) if gammas else None, len(gammas)


def _continuum(pygamma: Any, segments: Any, markups: Sequence[Markup]) -> Any:
    continuum = pygamma.Continuum()
    for number, markup in enumerate(markups, 1):
        for fragment in markup.fragments:
            if not fragment.is_full_text:
                continuum.add(str(number), segments.Segment(fragment.start, fragment.end), fold(fragment.code))
    return continuum
