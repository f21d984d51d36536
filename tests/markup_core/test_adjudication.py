"""The third-expert rule (markup-scoring §6, R 7.10)."""

from __future__ import annotations

import pytest

from markup_core.criteria import FORMULAS
from markup_core.interrater import LIMITS, decide, third_expert
from markup_core.model import Markup
from tests.markup_core.criteria.graded import essay


def criteria(subject: str, **points: int) -> dict[str, int]:
    """Criteria of a subject, 1 where not given."""
    return {**dict.fromkeys(FORMULAS[subject].names, 1), **points}


@pytest.mark.clause("MS §6 rus", "MS §6 lit", "MS §6 social", "MS §6 hist", "MS §6 eng", "platform §5 third", "R 7.10")
@pytest.mark.parametrize(
    ("subject", "first", "second", "reasons"),
    [
        ("rus", {"K2": 5, "K5": 2, "K9": 2, "K10": 2}, {"K3": 0}, ["total differs by 8 (limit 8)"]),  # 4+1+1+1+1
        ("rus", {"K2": 5, "K5": 2, "K9": 2}, {"K3": 0}, []),  # 7
        ("rus", {"K7": 3}, {"K7": 1}, ["K7 differs by 2 (limit 2)"]),
        ("rus", {"K8": 0}, {"K8": 3}, ["K8 differs by 3 (limit 2)"]),
        ("rus", {"K7": 2, "K1": 0}, {"K7": 1}, []),
        ("rus-free", {"K1": 4, "K2": 4}, {"K3": 0, "K4": 0}, ["total differs by 8 (limit 8)"]),
        ("rus-free", {"K1": 4, "K7": 3, "K6": 3}, {}, []),  # 7, and no limit on single criteria
        ("lit", {"K1": 3, "K2": 3, "K4": 3}, {"K3": 0}, ["total differs by 7 (limit 7)", "K1 differs by 2 (limit 2)"]),
        ("lit", {"K5": 3}, {}, ["K5 differs by 2 (limit 2)"]),
        ("lit", {"K1": 0}, {}, ["exactly one has K1 = 0"]),
        ("lit", {"K1": 0, "K2": 2}, {"K1": 0}, []),
        ("social", {"K2": 2, "K4": 2, "K3": 1}, {"K3": 0}, ["total differs by 3 (limit 3)"]),
        ("social", {"K2": 2}, {"K2": 0}, ["K2 differs by 2 (limit 2)"]),
        ("social", {"K4": 0}, {"K4": 2}, ["K4 differs by 2 (limit 2)"]),
        ("social", {"K1": 0}, {}, ["exactly one has K1 = 0"]),
        ("hist", {"K6": 3}, {"K6": 0}, ["K6 differs by 3 (limit 2)"]),
        ("hist", {"K1": 2}, {"K1": 0}, ["K1 differs by 2 (limit 2)"]),
        ("hist", {"K2": 2}, {"K2": 0}, ["K2 differs by 2 (limit 2)"]),
        ("hist", {"K3": 0}, {"K3": 2}, ["K3 differs by 2 (limit 2)"]),
        ("hist", {"K1": 2, "K2": 0, "K4": 0, "K5": 0}, {}, ["4 criteria differ (limit 4)"]),
        ("hist", {"K1": 2, "K2": 2, "K3": 2, "K6": 2, "K7": 0}, {"K4": 1}, ["5 criteria differ (limit 4)"]),
        ("hist", {"K1": 2, "K2": 2, "K6": 2}, {}, []),
        (
            "hist",
            {"K1": 2, "K2": 2, "K6": 2, "K3": 2},
            {"K4": 0},
            ["total differs by 5 (limit 5)", "5 criteria differ"],
        ),
        ("eng", {"K1": 3, "K2": 2}, {"K4": 0}, ["total differs by 4 (limit 4)"]),
        ("eng", {"K1": 3, "K2": 2}, {}, []),
        ("eng-free", {"K1": 3, "K2": 3}, {}, ["total differs by 4 (limit 4)"]),
        ("eng-free", {"K1": 0}, {}, []),
    ],
)
def test_the_limits_of_each_subject_give_their_reasons(
    subject: str, first: dict[str, int], second: dict[str, int], reasons: list[str]
) -> None:
    one, other = criteria(subject, **first), criteria(subject, **second)
    answer = decide(subject, one, other)
    english = [reason.message.en for reason in answer.reasons]
    for reason in reasons:
        assert any(reason in text for text in english), english
    assert answer.needed == bool(reasons)
    assert decide(subject, other, one) == answer


def test_every_reason_is_worded_in_both_languages() -> None:
    answer = decide("hist", criteria("hist", K1=2, K2=2, K3=2, K6=3), criteria("hist", K1=0, K6=0, K7=0))
    assert answer.needed
    # K1 2, K2 1, K3 1, K6 3, K7 1: eight points, five criteria.
    assert [(reason.code, reason.message.ru, reason.message.en) for reason in answer.reasons] == [
        ("total", "итог расходится на 8 (предел 5)", "total differs by 8 (limit 5)"),
        ("criterion", "K1 расходится на 2 (предел 2)", "K1 differs by 2 (limit 2)"),
        ("criterion", "K6 расходится на 3 (предел 2)", "K6 differs by 3 (limit 2)"),
        ("count", "расходятся 5 критериев (предел 4)", "5 criteria differ (limit 4)"),
    ]
    zero = decide("social", criteria("social", K1=0), criteria("social"))
    assert (zero.reasons[0].message.ru, zero.reasons[0].message.en) == (
        "ровно у одного K1 = 0",
        "exactly one has K1 = 0",
    )
    assert zero.reasons[0].code == "zero"


def test_two_markups_are_graded_and_compared() -> None:
    good = essay("hist", 1, "СЯП*2")
    bad = essay("hist", 1, "СЯП*2 И.факт*3")
    answer = third_expert(good, bad)
    # K6 is 3 and 0; nothing else differs.
    assert [reason.message.en for reason in answer.reasons] == ["K6 differs by 3 (limit 2)"]
    assert third_expert(bad, good) == answer
    assert third_expert(good, good) == (False, ())


def test_markups_of_different_subjects_are_refused() -> None:
    with pytest.raises(ValueError, match="their subjects are 'hist' and 'lit'"):
        third_expert(essay("hist", 1), essay("lit", 1))


def test_a_subject_without_a_formula_never_needs_a_third_expert() -> None:
    markup = Markup("text", (), {"subject": "uk"})
    assert third_expert(markup, markup) == (False, ())


def test_every_graded_subject_has_limits() -> None:
    assert LIMITS.keys() == FORMULAS.keys()
