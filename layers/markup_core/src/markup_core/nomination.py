"""Nominations: two extra rankings on chosen fragments only, *logic* and *structure* (markup-scoring §7)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from markup_core.accuracy import EssayScore, score_essay
from markup_core.model import MEANING, Fragment, Markup, check_markups, fold
from markup_core.params import DEFAULT, ScoringParams

WEIGHTS: Final = (0.0, 2.0, 1.0, 1.0, 1.0, 0.0, 0.0)
NAMES: Final = ("logic", "structure")
Choice = Callable[[Fragment], bool]

_LOGIC: Final[Mapping[str, frozenset[str]]] = {
    subject: frozenset(map(fold, codes))
    for subject, codes in {
        "lit": ("С.послед", "С.неразв"),
        "social": ("О.рассужд", "О.вывод"),
        "hist": ("И.лДейств", "И.причин", "И.следств", "И.излож"),
    }.items()
}
_LOGIC_OF_RUS: Final = fold("Л.")


def nominations(
    algorithm: Markup | None, experts: Sequence[Markup], params: ScoringParams = DEFAULT
) -> dict[str, EssayScore | None]:
    """Score of each nomination for one essay; None where the subject has none.

    The nomination's weights replace the cycle's; hardness, groups and the judge stay. A nomination of which no
    markup has a fragment agrees perfectly, as two empty markups do.
    """
    markups = [*([] if algorithm is None else [algorithm]), *experts]
    check_markups(*markups)
    subject = markups[0].subject if markups else ""
    own = replace(params, weights=WEIGHTS)
    return {
        name: _score(choice, algorithm, experts, own) for name, choice in zip(NAMES, _choices(subject), strict=True)
    }


def _choices(subject: str) -> tuple[Choice | None, Choice | None]:
    """Clause: MS §7 logic"""
    if subject == "rus":
        return _is_logic_of_rus, _is_structure
    codes = _LOGIC.get(subject)
    if codes is None:
        return None, None
    return (lambda fragment: fold(fragment.code) in codes), _is_structure


def _is_logic_of_rus(fragment: Fragment) -> bool:
    """Clause: MS §7 logic"""
    return fold(fragment.code).startswith(_LOGIC_OF_RUS)


def _is_structure(fragment: Fragment) -> bool:
    """Clause: MS §7 structure"""
    return fragment.group == MEANING


def _score(
    choice: Choice | None, algorithm: Markup | None, experts: Sequence[Markup], params: ScoringParams
) -> EssayScore | None:
    if choice is None:
        return None
    kept = None if algorithm is None else _only(algorithm, choice)
    return score_essay(kept, [_only(expert, choice) for expert in experts], params)


def _only(markup: Markup, choice: Choice) -> Markup:
    return replace(markup, fragments=tuple(filter(choice, markup.fragments)))
