"""Pair accuracy, STAR, STER, OTAR of an essay and of a sample, and which essays count (markup-scoring §3–4).

STAR, STER and OTAR of arbitrary samples against explicit loops in fractions (markup-scoring §4).

The third-expert rule (markup-scoring §6, R 7.10).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from markup_core.accuracy import EssayScore, score_essay, score_pair
from markup_core.criteria import FORMULAS
from markup_core.interrater import LIMITS, decide, third_expert
from markup_core.matching.match import match
from markup_core.metrics import read_ratings
from markup_core.model import Fragment, Markup
from markup_core.params import InvalidParams, ScoringParams
from markup_core.sample import Accuracies, Difference, EssayInput, SampleScore, compare_systems, score_sample, summarise
from tests.markup_core.criteria.graded import essay
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

TEXT = "раз два три четыре пять шесть семь восемь девять десять"
M2_ALONE = (0, 1, 0, 0, 0, 0, 0)
SPANS = ((0, 3), (4, 7), (8, 11), (12, 18), (19, 23))


def markup(*places: int, subject: str = "rus") -> Markup:
    """Return a markup of these of five places; against another its M2 is 2·common/(own + other's)."""
    return Markup(TEXT, tuple(Fragment(*SPANS[place], "Г.слов") for place in places), {"subject": subject})


def by_m2(hardness: float = 0.0) -> ScoringParams:
    return ScoringParams(weights=M2_ALONE, hardness=hardness)


@pytest.mark.clause("MS §3 weights")
def test_the_default_weights_are_the_regulations() -> None:
    assert ScoringParams().weights == (1, 2, 1, 1, 1, 1, 0)


def test_a_metric_that_counts_and_is_undefined_makes_the_accuracy_undefined() -> None:
    explained = Markup(TEXT, (Fragment(0, 3, "Г.слов", explanation="so", id=1),), {"subject": "rus"})
    weighty = ScoringParams(weights=(1, 1, 1, 1, 1, 1, 1))
    assert score_pair(explained, markup(0), weighty).pair_accuracy is None
    assert score_pair(explained, markup(0)).pair_accuracy is not None
    rated = read_ratings({"1": [[1, 1, 1, 1, 1]]})
    assert score_pair(explained, markup(0), weighty, ratings=rated).pair_accuracy is not None


def test_markups_of_different_texts_are_refused() -> None:
    with pytest.raises(ValueError, match="different texts"):
        score_pair(markup(0), Markup("other", (), {"subject": "rus"}))


def essay_of(hardness: float = 0.0) -> EssayScore:
    # A marks 0 1; E1 marks 0 1 2, E2 marks 0, E3 marks 0 3.
    # M2 of A: 4/5, 2/3, 2/4. Among the experts: E1-E2 2/4, E1-E3 2/5, E2-E3 2/3, the same both ways.
    return score_essay(markup(0, 1), [markup(0, 1, 2), markup(0), markup(0, 3)], by_m2(hardness))


def test_an_essays_pairs_name_both_sides() -> None:
    roles = [(pair.x, pair.y) for pair in essay_of().pairs]
    assert roles == [(None, 0), (None, 1), (None, 2), (0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]


def test_an_experts_explanations_count_in_full() -> None:
    score = score_essay(None, [markup(0), markup(0)], ScoringParams(weights=(0, 0, 0, 0, 0, 0, 1)))
    assert score.expert_accuracy == 100


GOOD = EssayInput(markup(0), [markup(0), markup(0)])  # a = 100, e = 100
HALF = EssayInput(markup(0), [markup(0, 1, 2), markup(0, 1, 2)])  # a = 2·1/4 = 50, e = 100
POOR = EssayInput(markup(0, 1), [markup(0, 1), markup(0)])  # a = 100, e = 2/3
VOIDED = EssayInput(None, [markup(0), markup(1)])  # e = 0
LONELY = EssayInput(markup(0), [markup(1)])  # a = 0, no e


def test_an_answer_to_an_essay_of_one_expert_is_not_shown_beside_the_experts_of_others() -> None:
    overall = score_sample([VOIDED, LONELY], by_m2()).overall
    assert (overall.algorithm_accuracy, overall.expert_accuracy, overall.relative_accuracy) == (None, 0, None)
    assert (overall.algorithm_accuracy_all, overall.algorithm_essays) == (0, 1)


def test_an_empty_sample_has_nothing_defined() -> None:
    overall = score_sample([], by_m2()).overall
    assert overall.to_dict() == {
        "essays": 0,
        "algorithm_essays": 0,
        "algorithm_accuracy": None,
        "algorithm_accuracy_all": None,
        "expert_accuracy": None,
        "relative_accuracy": None,
        "interval_95": dict.fromkeys(
            ("algorithm_accuracy", "algorithm_accuracy_all", "expert_accuracy", "relative_accuracy")
        ),
    }


def essay_inputs() -> Sequence[EssayInput]:
    return [GOOD, HALF, POOR, EssayInput(markup(0, 1, 4), [markup(0), markup(0, 4)])]


@pytest.mark.clause("MS §4 interval")
def test_intervals_hold_the_value_and_follow_the_seed() -> None:
    first, again, other = (score_sample(essay_inputs(), by_m2(), seed).overall for seed in (1, 1, 2))
    assert first == again
    assert first.relative_interval is not None
    assert first.relative_accuracy is not None
    low, high = first.relative_interval
    assert low <= first.relative_accuracy <= high
    assert other.relative_accuracy == first.relative_accuracy


def test_a_stored_score_reads_back_the_same() -> None:
    score = essay_of()
    assert EssayScore.from_dict("rus", 3, score.to_dict(), score.hardness) == score


@pytest.mark.clause("MS §3 weights", "R 5.6")
@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"weights": [1, 1]}, "weights"),
        ({"weights": "1111111"}, "weights"),
        ({"weights": [0] * 7}, "weights"),
        ({"weights": [1, 1, 1, 1, 1, 1, -1]}, "weights[6]"),
        ({"weights": [1, 1, 1, 1, 1, 1, float("nan")]}, "weights[6]"),
        ({"weights": [1, 1, 1, 1, 1, 1, 10**400]}, "weights[6]"),
        ({"weights": [True, 1, 1, 1, 1, 1, 1]}, "weights[0]"),
        ({"hardness": 1.5}, "hardness"),
        ({"hardness": "1"}, "hardness"),
        ({"separate_groups": 1}, "separate_groups"),
        ({"paraphrase": "oracle"}, "paraphrase"),
        ({"paraphrase": []}, "paraphrase"),
        ({"weigths": [1] * 7}, "weigths"),
        ([], "params"),
    ],
)
def test_parameters_that_cannot_be_used_are_refused_by_name(fields: object, place: str) -> None:
    with pytest.raises(InvalidParams) as refusal:
        ScoringParams.from_dict(fields)  # type: ignore[arg-type]
    assert [field for field, _ in refusal.value.faults] == [place]


def test_parameters_read_back_what_they_write() -> None:
    params = ScoringParams(weights=(0, 1, 0.5, 0, 0, 0, 2), hardness=1, separate_groups=True, paraphrase="exact")
    assert ScoringParams.from_dict(params.to_dict()) == params
    assert ScoringParams.from_dict({}) == ScoringParams.from_dict(None) == ScoringParams()


Essay = tuple[Markup | None, list[Markup]]
Weights = Sequence[int]
HARDNESS = (0.0, 1.0, 0.3, 0.5)
weights = st.lists(st.integers(0, 4), min_size=6, max_size=6).filter(any).map(lambda six: (*six, 0))


@st.composite
def essays(draw: st.DrawFn) -> Essay:
    """Draw an answered or voided essay with up to three experts."""
    experts = draw(st.sampled_from((0, 1, 2, 2, 3)))
    answered = draw(st.sampled_from((True, True, True, False)))
    result = draw(markups(experts + 1, most=4))
    return (result[0] if answered else None), result[1:]


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
    actual = [sides(entry, chosen, hardness) for entry in sample]
    both = [(a, e) for a, e in actual if a is not None and e is not None]
    experts = [e for _, e in actual if e is not None]
    star = mean([a for a, _ in both]) if experts else mean([a for a, _ in actual if a is not None])
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


@pytest.mark.property
@pytest.mark.clause("MS §4 breakdowns", "R 5.5", "R 5.6", "R-App1 M")
@given(samples, weights, st.sampled_from(HARDNESS) | st.floats(0, 1))
def test_a_sample_follows_the_formulas_in_all_breakdowns(
    sample: list[Essay], chosen: tuple[int, ...], hardness: float
) -> None:
    result = score_sample(inputs(sample), ScoringParams(weights=chosen, hardness=hardness, paraphrase="exact"))
    exact = Fraction(hardness)
    assert same(result.overall, expected(sample, chosen, exact))
    named = [(subject_of(each), each) for each in sample]
    subjects = {name for name, _ in named if name is not None}
    assert list(result.by_subject) == sorted(subjects)
    for name, group in result.by_subject.items():
        assert same(group, expected([each for subject, each in named if subject == name], chosen, exact))
    assert list(result.by_language) == sorted({LANGUAGE[name] for name in subjects})
    for name, group in result.by_language.items():
        assert same(group, expected([each for s, each in named if s and LANGUAGE[s] == name], chosen, exact))
    for place in range(6):
        alone = [int(place == other) for other in range(7)]
        assert same(result.by_metric[f"M{place + 1}"], expected(sample, alone, exact))
    for score, scored in zip(result.by_essay, sample, strict=True):
        a, e = sides(scored, chosen, exact)
        for one, other in (
            (score.algorithm_accuracy, a),
            (score.expert_accuracy, e),
            (score.relative_accuracy, ratio(a, e)),
        ):
            assert one == (None if other is None else pytest.approx(float(other), abs=1e-9))


def groups(found: SampleScore) -> list[Accuracies]:
    """All accuracies of a sample in which three numbers stand together."""
    return [found.overall, *found.by_subject.values(), *found.by_language.values(), *found.by_metric.values()]


@pytest.mark.property
@pytest.mark.clause("MS §4 common", "R 5.7")
@given(samples, weights, st.sampled_from(HARDNESS) | st.floats(0, 1))
def test_star_ster_and_otar_divide_wherever_they_stand_together(
    sample: list[Essay], chosen: tuple[int, ...], hardness: float
) -> None:
    star, ster, otar = expected(sample, chosen, Fraction(hardness))
    assert otar is None or (star is not None and ster is not None and otar * ster == 100 * star)
    result = score_sample(inputs(sample), ScoringParams(weights=chosen, hardness=hardness, paraphrase="exact"))
    assert same(result.overall, [star, ster, otar])
    every = mean([a for a, _ in (sides(each, chosen, Fraction(hardness)) for each in sample) if a is not None])
    assert result.overall.algorithm_accuracy_all == (None if every is None else pytest.approx(float(every), abs=1e-9))
    for group in groups(result):
        if group.relative_accuracy is not None:
            assert group.algorithm_accuracy is not None
            assert group.expert_accuracy is not None
            assert group.relative_accuracy == group.algorithm_accuracy / group.expert_accuracy * 100.0
        elif group.algorithm_accuracy is not None and group.expert_accuracy is not None:
            assert group.expert_accuracy == 0


@pytest.mark.property
@given(samples, st.sampled_from(HARDNESS), st.randoms(use_true_random=False))
def test_the_order_of_essays_and_experts_changes_no_bit(
    sample: list[Essay], hardness: float, rng: random.Random
) -> None:
    params = ScoringParams(hardness=hardness)
    mixed = [(algorithm, rng.sample(experts, len(experts))) for algorithm, experts in sample]
    rng.shuffle(mixed)
    assert score_sample(inputs(mixed), params).to_dict() == score_sample(inputs(sample), params).to_dict()


def otar_difference(first: Sequence[EssayScore], second: Sequence[EssayScore]) -> Difference:
    return compare_systems(first, second, by_scipy=False).measures[1]


@pytest.mark.property
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
