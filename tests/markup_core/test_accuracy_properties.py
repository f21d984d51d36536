"""STAR, STER and OTAR of arbitrary samples against explicit loops in fractions (markup-scoring §4)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from markup_core.accuracy import EssayScore
from markup_core.matching.match import match
from markup_core.model import Markup
from markup_core.params import ScoringParams
from markup_core.sample import Accuracies, EssayInput, SampleScore, score_sample, summarise
from markup_core.significance import Difference, compare_systems
from tests.markup_core.metrics_oracle import (
    LANGUAGE,
    Number,
    algorithm_side,
    expert_side,
    markups,
    mean,
    metrics,
    ratio,
)

pytestmark = pytest.mark.property

Essay = tuple[Markup | None, list[Markup]]
Weights = Sequence[int]
HARDNESS = (0.0, 1.0, 0.3, 0.5)
weights = st.lists(st.integers(0, 4), min_size=6, max_size=6).filter(any).map(lambda six: (*six, 0))


@st.composite
def essays(draw: st.DrawFn) -> Essay:
    """Draw an answered or voided essay with up to three experts."""
    experts = draw(st.sampled_from((0, 1, 2, 2, 3)))
    answered = draw(st.sampled_from((True, True, True, False)))
    found = draw(markups(experts + 1, most=4))
    return (found[0] if answered else None), found[1:]


samples = st.lists(essays(), max_size=5)


def accuracy(x: Markup, y: Markup, chosen: Weights) -> Fraction:
    """M(X, Y) = Σ wM / Σ w."""
    values = metrics(x, y, match(x, y).pairs)
    return sum((w * m for w, m in zip(chosen, values, strict=False)), Fraction(0)) / sum(chosen)


def sides(essay: Essay, chosen: Weights, hardness: Fraction) -> tuple[Number, Number]:
    algorithm, experts = essay
    above = [] if algorithm is None else [accuracy(algorithm, expert, chosen) for expert in experts]
    below = []
    for i, one in enumerate(experts):
        for k, other in enumerate(experts):
            if i != k:
                below.append(accuracy(one, other, chosen))
    return algorithm_side(above, hardness), expert_side(below, hardness)


def expected(sample: Sequence[Essay], chosen: Weights, hardness: Fraction) -> list[Number]:
    """STAR, STER, OTAR: which essays count, and the means."""
    known = [sides(each, chosen, hardness) for each in sample]
    both = [(a, e) for a, e in known if a is not None and e is not None]
    experts = [e for _, e in known if e is not None]
    star = mean([a for a, _ in both]) if experts else mean([a for a, _ in known if a is not None])
    ster = mean([e for _, e in both]) if both else mean(experts)
    return [star, ster, ratio(mean([a for a, _ in both]), mean([e for _, e in both]))]


def three(found: Accuracies) -> list[float | None]:
    return [found.algorithm_accuracy, found.expert_accuracy, found.relative_accuracy]


def same(found: Accuracies, wanted: list[Number]) -> bool:
    plain = [None if each is None else float(each) for each in wanted]
    return all(
        (one is None) == (other is None) and (one is None or one == pytest.approx(other, rel=1e-12, abs=1e-9))
        for one, other in zip(three(found), plain, strict=True)
    )


def inputs(sample: Sequence[Essay]) -> list[EssayInput]:
    return [EssayInput(algorithm, experts) for algorithm, experts in sample]


def subject_of(essay: Essay) -> str | None:
    algorithm, experts = essay
    return next((markup.subject for markup in (algorithm, *experts) if markup is not None), None)


@given(samples, weights, st.sampled_from(HARDNESS) | st.floats(0, 1))
def test_a_sample_follows_the_formulas_in_all_breakdowns(
    sample: list[Essay], chosen: tuple[int, ...], hardness: float
) -> None:
    found = score_sample(inputs(sample), ScoringParams(weights=chosen, hardness=hardness, paraphrase="exact"))
    exact = Fraction(hardness)
    assert same(found.overall, expected(sample, chosen, exact))
    named = [(subject_of(each), each) for each in sample]
    subjects = {name for name, _ in named if name is not None}
    assert set(found.by_subject) == subjects
    for name, group in found.by_subject.items():
        assert same(group, expected([each for subject, each in named if subject == name], chosen, exact))
    assert set(found.by_language) == {LANGUAGE[name] for name in subjects}
    for name, group in found.by_language.items():
        assert same(group, expected([each for s, each in named if s and LANGUAGE[s] == name], chosen, exact))
    for place in range(6):
        alone = [int(place == other) for other in range(7)]
        assert same(found.by_metric[f"M{place + 1}"], expected(sample, alone, exact))
    for score, essay in zip(found.by_essay, sample, strict=True):
        a, e = sides(essay, chosen, exact)
        for one, other in (
            (score.algorithm_accuracy, a),
            (score.expert_accuracy, e),
            (score.relative_accuracy, ratio(a, e)),
        ):
            assert one == (None if other is None else pytest.approx(float(other), abs=1e-9))


def groups(found: SampleScore) -> list[Accuracies]:
    """All accuracies of a sample in which three numbers stand together."""
    return [found.overall, *found.by_subject.values(), *found.by_language.values(), *found.by_metric.values()]


@pytest.mark.clause("MS §4 common", "R 5.7")
@given(samples, weights, st.sampled_from(HARDNESS) | st.floats(0, 1))
def test_star_ster_and_otar_divide_wherever_they_stand_together(
    sample: list[Essay], chosen: tuple[int, ...], hardness: float
) -> None:
    star, ster, otar = expected(sample, chosen, Fraction(hardness))
    assert otar is None or (star is not None and ster is not None and otar * ster == 100 * star)
    found = score_sample(inputs(sample), ScoringParams(weights=chosen, hardness=hardness, paraphrase="exact"))
    assert same(found.overall, [star, ster, otar])
    every = mean([a for a, _ in (sides(each, chosen, Fraction(hardness)) for each in sample) if a is not None])
    assert found.overall.algorithm_accuracy_all == (None if every is None else pytest.approx(float(every), abs=1e-9))
    for group in groups(found):
        if group.relative_accuracy is not None:
            assert group.algorithm_accuracy is not None
            assert group.expert_accuracy is not None
            assert group.relative_accuracy == group.algorithm_accuracy / group.expert_accuracy * 100.0
        elif group.algorithm_accuracy is not None and group.expert_accuracy is not None:
            assert group.expert_accuracy == 0


@given(samples, st.sampled_from(HARDNESS), st.randoms(use_true_random=False))
def test_the_order_of_essays_and_experts_changes_no_bit(
    sample: list[Essay], hardness: float, rng: random.Random
) -> None:
    params = ScoringParams(hardness=hardness)
    mixed = [(algorithm, rng.sample(experts, len(experts))) for algorithm, experts in sample]
    rng.shuffle(mixed)
    assert score_sample(inputs(mixed), params).to_dict() == score_sample(inputs(sample), params).to_dict()


@given(samples, st.sampled_from(HARDNESS))
def test_less_hardness_never_makes_an_essay_worse_for_the_algorithm(sample: list[Essay], hardness: float) -> None:
    harder = score_sample(inputs(sample), ScoringParams(hardness=hardness)).by_essay
    softer = score_sample(inputs(sample), ScoringParams(hardness=0)).by_essay
    for hard, soft in zip(harder, softer, strict=True):
        if hard.algorithm_accuracy is not None and soft.algorithm_accuracy is not None:
            assert hard.algorithm_accuracy <= soft.algorithm_accuracy
        if hard.expert_accuracy is not None and soft.expert_accuracy is not None:
            assert hard.expert_accuracy >= soft.expert_accuracy


def otar_difference(first: Sequence[EssayScore], second: Sequence[EssayScore]) -> Difference:
    return compare_systems(first, second, by_scipy=False).measures[1]


@given(samples, st.sampled_from(HARDNESS), st.data())
def test_a_difference_is_that_of_both_ratios_over_the_essays_both_answered(
    sample: list[Essay], hardness: float, data: st.DataObject
) -> None:
    params = ScoringParams(hardness=hardness)
    missed = [data.draw(st.booleans()) for _ in sample]
    other = [
        (None if gone else (experts[-1] if experts else algorithm), experts)
        for gone, (algorithm, experts) in zip(missed, sample, strict=True)
    ]
    first, second = (score_sample(inputs(each), params).by_essay for each in (sample, other))
    shared = [k for k, (a, b) in enumerate(zip(first, second, strict=True)) if a.answered and b.answered]
    one = summarise([first[k] for k in shared]).overall.relative_accuracy
    two = summarise([second[k] for k in shared]).overall.relative_accuracy
    forward, back = otar_difference(first, second), otar_difference(second, first)
    counting = sum(first[k].experts >= 2 for k in shared)
    assert forward.essays == (counting or sum(first[k].experts > 0 for k in shared))
    assert forward.difference == (None if one is None or two is None else one - two)
    if forward.difference is not None:
        assert back.difference == -forward.difference
        assert (forward.interval_95 is None) == (forward.essays < 3)
    if forward.interval_95 is not None:
        assert back.interval_95 == (-forward.interval_95[1], -forward.interval_95[0])
