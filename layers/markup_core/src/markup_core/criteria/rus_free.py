"""Grade of a free essay in Russian, 24 points at most (markup-scoring §5, rus-free)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from markup_core.criteria import nouns
from markup_core.criteria.formula import Formula, Points
from markup_core.criteria.rus import PUNCTUATION_ERRORS, SPELLING_ERRORS
from markup_core.criteria.tally import Tally
from markup_core.criteria.wording import Text, counted

MAXIMA: Final = (4, 4, 4, 3, 3, 3, 3)

# K1…K5: each error of a kind costs one of the criterion's points.
_KINDS: Final = (
    ("г", nouns.GRAMMAR),
    ("р", nouns.SPEECH),
    ("л", nouns.LOGIC),
    ("ф", nouns.FACT),
    ("э", nouns.ETHICS),
)


def points(tally: Tally) -> Points:
    """K1…K7; the volume does not matter.

    Clause: MS §5 rus-free
    """
    kinds = [max(0, most - tally.kind(letter)) for most, (letter, _) in zip(MAXIMA, _KINDS, strict=False)]
    return (*kinds, max(0, (6 - SPELLING_ERRORS) // 2), max(0, (7 - PUNCTUATION_ERRORS) // 2))


def reasons(tally: Tally, scored: Points) -> Iterator[Sequence[Text]]:  # noqa: ARG001  one signature for all subjects
    """The counted facts behind each criterion."""
    for letter, noun in _KINDS:
        yield [counted(tally.kind(letter), noun)]
    yield [nouns.NO_SPELLING]
    yield [nouns.NO_PUNCTUATION]


FORMULA: Final = Formula(MAXIMA, points, reasons)
