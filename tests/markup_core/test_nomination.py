"""Nominations: which fragments they look at, and their own weights (markup-scoring §7)."""

from __future__ import annotations

import pytest

from markup_core.codes import MEANING
from markup_core.model import Fragment, Markup
from markup_core.params import ScoringParams
from markup_core.sample import WEIGHTS, nominations

TEXT = "раз два три четыре пять"


def markup(subject: str, *codes: str) -> Markup:
    """Each code on its own word; codes in capitals are blocks."""
    return Markup(
        TEXT,
        tuple(
            Fragment(4 * place, 4 * place + 3, code)._replace(**({"group": MEANING} if code.isupper() else {}))
            for place, code in enumerate(codes)
        ),
        {"subject": subject},
    )


@pytest.mark.clause("MS §7 logic")
@pytest.mark.parametrize(
    ("subject", "logical", "other"),
    [
        ("rus", "Л.связь", "Г.слов"),
        ("rus", "л.связь", "Р.лишн"),
        ("lit", "С.послед", "С.тема"),
        ("lit", "С.неразв", "С.связь"),
        ("social", "О.рассужд", "О.смысл"),
        ("social", "О.вывод", "О.факт"),
        ("hist", "И.лДейств", "И.лРоль"),
        ("hist", "И.излож", "И.факт"),
    ],
)
def test_logic_looks_at_its_own_codes_only(subject: str, logical: str, other: str) -> None:
    expert = markup(subject, logical, other)
    found = nominations(markup(subject, logical), [expert, expert])["logic"]
    assert found is not None
    assert found.algorithm_accuracy == 100
    assert found.pairs[0].pairs == ((0, 0),)
    missed = nominations(markup(subject, "Г.слов", other), [expert])["logic"]
    assert missed is not None
    assert missed.algorithm_accuracy == 0


@pytest.mark.clause("MS §7 structure")
def test_structure_looks_at_semantic_blocks_only() -> None:
    expert = markup("rus", "ПРОБЛЕМА", "Г.слов")
    found = nominations(markup("rus", "ПРОБЛЕМА", "Р.лишн"), [expert, expert])["structure"]
    assert found is not None
    assert (found.algorithm_accuracy, found.expert_accuracy, found.relative_accuracy) == (100, 100, 100)


def test_the_weights_are_the_nominations_own() -> None:
    assert WEIGHTS == (0, 2, 1, 1, 1, 0, 0)
    # One of two blocks found, with another code: M2 = 2/3, M3 = 0, M4 = M5 = 1/1 of X's fragments.
    expert = markup("rus", "ПРОБЛЕМА", "ПРИМЕР")
    found = nominations(markup("rus", "ПОЗИЦИЯ"), [expert], ScoringParams(weights=(1, 0, 0, 0, 0, 0, 0)))["structure"]
    assert found is not None
    assert found.algorithm_accuracy == pytest.approx((2 * 200 / 3 + 0 + 100 + 100) / 5)


@pytest.mark.parametrize("subject", ["rus-free", "eng", "eng-free", "poetry"])
def test_other_subjects_have_no_nominations(subject: str) -> None:
    assert nominations(markup(subject), [markup(subject)]) == {"logic": None, "structure": None}


def test_no_chosen_fragment_anywhere_is_perfect_agreement() -> None:
    found = nominations(markup("rus", "Г.слов"), [markup("rus", "Р.лишн"), markup("rus")])["logic"]
    assert found is not None
    assert (found.algorithm_accuracy, found.relative_accuracy) == (100, 100)


def test_a_voided_essay_has_expert_accuracy_alone() -> None:
    found = nominations(None, [markup("rus", "ПРОБЛЕМА")] * 2)["structure"]
    assert found is not None
    assert (found.algorithm_accuracy, found.expert_accuracy) == (None, 100)


def test_nothing_at_all_has_no_nominations() -> None:
    assert nominations(None, []) == {"logic": None, "structure": None}


def test_hardness_is_the_cycles() -> None:
    # Structure of A is that of the first expert alone: 100 and 0; at hardness 0.25 that is 0.25·50 + 0.75·100.
    experts = [markup("rus", "ПРОБЛЕМА"), markup("rus", "Г.слов")]
    found = nominations(markup("rus", "ПРОБЛЕМА"), experts, ScoringParams(hardness=0.25))["structure"]
    assert found is not None
    assert found.algorithm_accuracy == 87.5
