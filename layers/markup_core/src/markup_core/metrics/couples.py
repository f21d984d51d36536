"""What a matched pair of fragments has in common, field by field: the facts behind M3…M6 and the loss (R-App1, R-App2).

:mod:`markup_core.metrics.pair` counts the same without keeping it, because scoring has little time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from markup_core.comparable import text_key
from markup_core.matching.candidates import folded
from markup_core.model import Fragment, fold
from markup_core.params import ScoringParams
from markup_core.paraphrase import JUDGES
from markup_core.words import Span, touched_among

Likeness = Literal["equal", "paraphrase", "differs", "absent"]
"""Of two short texts; ``absent``: neither side has one."""


class Loss(NamedTuple):
    """What a pair costs (R-App2 §3): J = ``apart`` / ``union`` in characters, 1 more where it is 1, and 1 for each of
    start and code that differs."""

    apart: int
    union: int
    start_differs: bool
    code_differs: bool

    @property
    def j(self) -> float:
        """Jaccard distance, 0…1."""
        return self.apart / self.union

    @property
    def loss(self) -> float:
        """L, 0…4."""
        return self.j + (self.apart == self.union) + self.start_differs + self.code_differs

    def to_dict(self) -> dict[str, Any]:
        """The costs as JSON."""
        return {
            "j": self.j,
            "start_differs": self.start_differs,
            "code_differs": self.code_differs,
            "loss": self.loss,
        }


class Couple(NamedTuple):
    """A matched pair: indices into both markups, its loss, and how its fields agree."""

    x: int
    y: int
    loss: Loss
    subtype: Likeness
    comment: Likeness
    correction: Likeness
    common_words: int
    all_words: int
    same_span: bool

    @property
    def agrees(self) -> bool:
        """Whether M4 counts it: an equal subtype, a comment that says the same, or neither anywhere."""
        return (
            self.subtype == "equal"
            or self.comment in {"equal", "paraphrase"}
            or (self.subtype == "absent" and self.comment == "absent")
        )

    @property
    def overlap(self) -> float:
        """The Jaccard measure in words, as M5 takes it."""
        if self.same_span:
            return 1.0
        return self.common_words / self.all_words if self.all_words else 0.0

    def to_dict(self) -> dict[str, Any]:
        """The pair as JSON."""
        return {
            "x": self.x,
            "y": self.y,
            **self.loss.to_dict(),
            "subtype": self.subtype,
            "comment": self.comment,
            "correction": self.correction,
            "subtype_or_comment_agrees": self.agrees,
            "common_words": self.common_words,
            "all_words": self.all_words,
            "words_overlap": self.overlap,
        }


def loss_of(x: Fragment, y: Fragment) -> Loss:
    """The loss of a pair; two full-text fragments coincide, a full-text and a located one share nothing."""
    first, second = _characters(x), _characters(y)
    common = max(0, min(first[1], second[1]) - max(first[0], second[0]))
    union = first[1] - first[0] + second[1] - second[0] - common
    return Loss(union - common, union, first[0] != second[0], folded(x.code) != folded(y.code))


def couple(pair: tuple[int, int], x: Fragment, y: Fragment, words: Sequence[Span], params: ScoringParams) -> Couple:
    """The facts of one matched pair. ``words``: those of the whole text. O(log words + lengths of the fields)."""
    common, united = _words(x, y, words)
    return Couple(
        x=pair[0],
        y=pair[1],
        loss=loss_of(x, y),
        subtype=_likeness(fold(x.subtype), fold(y.subtype)),
        comment=_judged(text_key(x.comment), text_key(y.comment), params),
        correction=_likeness(text_key(x.correction), text_key(y.correction)),
        common_words=common,
        all_words=united,
        same_span=x[:2] == y[:2],
    )


def _characters(fragment: Fragment) -> Span:
    """The span as the matcher counts it: that of the whole text coincides with its like alone."""
    return (-1, 0) if fragment.is_full_text else (fragment.start, fragment.end)


def _words(x: Fragment, y: Fragment, words: Sequence[Span]) -> tuple[int, int]:
    if x.is_full_text or y.is_full_text:
        return (len(words), len(words)) if x.is_full_text and y.is_full_text else (0, len(words))
    shared, united = (max(x.start, y.start), min(x.end, y.end)), (min(x.start, y.start), max(x.end, y.end))
    return touched_among(words, *shared), touched_among(words, *united)


def _likeness(one: str, other: str) -> Likeness:
    if not one and not other:
        return "absent"
    return "equal" if one == other else "differs"


def _judged(one: str, other: str, params: ScoringParams) -> Likeness:
    plain = _likeness(one, other)
    said_twice = plain == "differs" and one and other
    return "paraphrase" if said_twice and JUDGES[params.paraphrase](one, other) else plain
