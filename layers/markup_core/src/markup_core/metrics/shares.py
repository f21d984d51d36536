"""Every metric of a pair as numerator over denominator, and what each fragment gained of the numerator.

A viewer explains a number by the fragments that gained or lost it, and computes nothing: for M2…M6::

    value = fsum(everything gained) * 100 / denominator          to the last bit

M1 compares two grades, so no fragment gains any of it: its numerator is the greatest total less the difference. What
M7 gains is in per cent already: ``value = fsum(gained) / denominator``. Where a value follows from a rule for a case
in which there is nothing to divide, ``because`` says which; ``gained`` is None for a fragment that does not count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any, Final

from markup_core.comparable import text_key
from markup_core.criteria import max_total
from markup_core.metrics.couples import Couple
from markup_core.metrics.pair import FULL, Totals
from markup_core.metrics.ratings import Ratings
from markup_core.model import Fragment, Markup

BECAUSE: Final[dict[str, tuple[str, str]]] = {
    "both_empty": ("neither markup has a fragment: they agree", "ни в одной разметке нет фрагментов: они совпадают"),
    "one_empty": ("one of the markups has no fragment", "в одной из разметок нет фрагментов"),
    "no_corrections": ("neither markup has a correction: they agree", "исправлений нет ни в одной разметке"),
    "corrections_only_in_y": ("only the other markup has corrections", "исправления есть только в другой разметке"),
    "expert": ("an expert's explanations count in full", "пояснения эксперта засчитываются полностью"),
    "no_explanations": ("there is no explanation", "пояснений нет"),
    "not_rated": ("no explanation has been rated yet", "пояснения ещё не оценены"),
    "no_formula": ("the subject has no grading formula", "у предмета нет формулы оценки"),
}
"""Why a value stands where there is nothing to divide: by its code, in English and in Russian."""
Gained = tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Share:
    """One metric: ``gained_x`` by index of X's fragments, ``gained_y`` of Y's where they count too."""

    value: float | None
    numerator: float
    denominator: float
    gained_x: Gained = ()
    gained_y: Gained = ()
    because: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The metric as JSON."""
        en, ru = BECAUSE[self.because] if self.because else ("", "")
        return {
            "value": self.value,
            "numerator": self.numerator,
            "denominator": self.denominator,
            "gained_x": list(self.gained_x),
            "gained_y": list(self.gained_y),
            "because": {"code": self.because, "en": en, "ru": ru} if self.because else None,
        }


def shares(
    x: Markup,
    y: Markup,
    couples: Sequence[Couple],
    totals: Totals,
    *,
    x_is_expert: bool = False,
    ratings: Ratings | None = None,
) -> dict[str, Share]:
    """M1…M7 of X against Y by their names; the values are those of :func:`markup_core.metrics.pair_metrics`.

    ``couples`` are the matched pairs, ``totals`` the grades of both. Linear in the fragments.
    """
    m7 = Share(FULL, 0.0, 0.0, because="expert") if x_is_expert else _explanations(x.fragments, ratings or {})
    return {"M1": _grades(x.subject, totals), **_of_fragments(x.fragments, y.fragments, couples), "M7": m7}


def _of_fragments(
    fragments: Sequence[Fragment], others: Sequence[Fragment], couples: Sequence[Couple]
) -> dict[str, Share]:
    if not fragments or not others:
        empty = len(fragments) == len(others)
        none: Gained = (0.0,) * len(fragments)
        share = Share(FULL if empty else 0.0, 0.0, 0.0, none, (), "both_empty" if empty else "one_empty")
        return dict.fromkeys(("M2", "M3", "M4", "M5", "M6"), share)
    size = len(fragments)
    matched = _spread(size, {each.x: 1.0 for each in couples})
    return {
        "M2": _ratio(size + len(others), matched, _spread(len(others), {each.y: 1.0 for each in couples})),
        "M3": _ratio(size, _spread(size, {each.x: float(not each.loss.code_differs) for each in couples})),
        "M4": _ratio(size, _spread(size, {each.x: float(each.agrees) for each in couples})),
        "M5": _ratio(size, _spread(size, {each.x: each.overlap for each in couples})),
        "M6": _corrections(fragments, others, couples),
    }


def _spread(size: int, gained: dict[int, float]) -> Gained:
    return tuple(gained.get(index, 0.0) for index in range(size))


def _ratio(denominator: int, gained_x: Gained, gained_y: Gained = ()) -> Share:
    numerator = fsum(each for each in (*gained_x, *gained_y) if each is not None)
    return Share(numerator * FULL / denominator, numerator, denominator, gained_x, gained_y)


def _grades(subject: str, totals: Totals) -> Share:
    greatest, (first, second) = max_total(subject), totals
    if greatest is None or first is None or second is None:
        return Share(None, 0.0, 0.0, because="no_formula")
    return Share((greatest - abs(first - second)) * FULL / greatest, greatest - abs(first - second), greatest)


def _corrections(fragments: Sequence[Fragment], others: Sequence[Fragment], couples: Sequence[Couple]) -> Share:
    corrected = [index for index, each in enumerate(fragments) if text_key(each.correction)]
    if not corrected:
        nothing: Gained = (None,) * len(fragments)
        theirs = any(text_key(each.correction) for each in others)
        because = "corrections_only_in_y" if theirs else "no_corrections"
        return Share(0.0 if theirs else FULL, 0.0, 0.0, nothing, (), because)
    same = {each.x: float(each.correction == "equal") for each in couples}
    counted = {index: same.get(index, 0.0) for index in corrected}
    return _ratio(len(corrected), tuple(counted.get(index) for index in range(len(fragments))))


def _explanations(fragments: Sequence[Fragment], ratings: Ratings) -> Share:
    names = [str(each.id) if each.explanation.strip() else None for each in fragments]
    gained = tuple(None if name is None else ratings.get(name) for name in names)
    rated = [each for each in gained if each is not None]
    if not any(name is not None for name in names):
        return Share(0.0, 0.0, 0.0, gained, because="no_explanations")
    if not rated:
        return Share(None, 0.0, 0.0, gained, because="not_rated")
    return Share(fsum(rated) / len(rated), fsum(rated), len(rated), gained)
