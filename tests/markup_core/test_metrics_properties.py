"""M1…M7 of arbitrary markups against a plain reading of the specification (markup-scoring §3)."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from markup_core.accuracy import exact_mean, score_essay, score_pair, weighted
from markup_core.matching.match import match
from markup_core.metrics import Metrics, pair_metrics, read_ratings
from markup_core.model import Fragment, Markup, word_spans
from markup_core.params import ScoringParams
from tests.examples import examples
from tests.markup_core.metrics_oracle import TEXT, markups, metrics, words_of_text

pytestmark = pytest.mark.property

EXACT = ScoringParams(paraphrase="exact")
percents = st.floats(0, 100)
weights = st.lists(st.floats(0, 1e300) | st.integers(0, 5), min_size=7, max_size=7).filter(any)


def test_the_oracle_sees_the_same_words() -> None:
    assert [(min(word), max(word) + 1) for word in words_of_text(TEXT)] == list(word_spans(TEXT))


@settings(max_examples=examples(25))
@given(markups(2), st.booleans())
def test_every_metric_is_what_the_specification_says_of_the_same_matching(found: list[Markup], split: bool) -> None:
    x, y = found
    matching = match(x, y, ScoringParams(separate_groups=split))
    ours = pair_metrics(x, y, matching, EXACT)
    assert list(ours[:6]) == pytest.approx([float(each) for each in metrics(x, y, matching.pairs)], abs=1e-9)


@given(markups(1))
def test_a_markup_agrees_with_itself_whatever_is_weighed(found: list[Markup]) -> None:
    x = found[0]
    for params in (ScoringParams(), EXACT, ScoringParams(separate_groups=True)):
        assert score_pair(x, x, params).metrics[:6] == (100.0,) * 6


@given(markups(2), weights)
def test_metrics_and_their_mean_stay_between_0_and_100(found: list[Markup], chosen: list[float]) -> None:
    score = score_pair(*found, ScoringParams(weights=tuple(chosen)), x_is_expert=True)
    for value in (*score.metrics, score.pair_accuracy):
        assert value is not None
        assert 0 <= value <= 100


@given(markups(2), st.randoms(use_true_random=False))
def test_shuffled_and_renumbered_fragments_score_to_the_same_bit(found: list[Markup], rng: random.Random) -> None:
    mixed = []
    for each in found:
        order = rng.sample(each.fragments, len(each.fragments))
        mixed.append(Markup(each.text, tuple(f._replace(id=f"n{rng.random()}") for f in order), each.meta))
    score, other = score_pair(*found, x_is_expert=True), score_pair(*mixed, x_is_expert=True)
    assert (score.metrics, score.pair_accuracy) == (other.metrics, other.pair_accuracy)


@given(markups(2))
def test_grades_that_are_known_already_change_nothing(found: list[Markup]) -> None:
    x, y = found
    matching = match(x, y)
    backward = pair_metrics(y, x, matching.transposed())
    assert backward == pair_metrics(y, x, match(y, x))
    assert score_pair(y, x).metrics == backward


@given(markups(3))
def test_an_essays_pairs_are_what_each_pair_scores_alone(found: list[Markup]) -> None:
    algorithm, *experts = found
    for pair in score_essay(algorithm, experts).pairs:
        x = algorithm if pair.x is None else experts[pair.x]
        alone = score_pair(x, experts[pair.y], x_is_expert=pair.x is not None)
        assert (pair.metrics, pair.pair_accuracy, pair.pairs) == (*alone[:2], alone.matching.pairs)


@given(st.lists(st.floats(0, 100), min_size=1, max_size=9), st.data())
def test_a_mean_is_rounded_once_lies_between_its_values_and_is_them_when_they_are_equal(
    values: list[float], data: st.DataObject
) -> None:
    chosen = data.draw(st.lists(st.integers(0, 2**60), min_size=len(values), max_size=len(values)).filter(any))
    whole = sum(weight * Fraction(value) for weight, value in zip(chosen, values, strict=True)) / sum(chosen)
    assert min(values) <= exact_mean(values, chosen) == float(whole) <= max(values)
    assert exact_mean([values[0]] * len(values), chosen) == values[0]


@given(percents, st.lists(st.floats(1e-3, 1e3), min_size=7, max_size=7))
def test_equal_metrics_have_that_pair_accuracy_under_all_weights(value: float, chosen: list[float]) -> None:
    assert weighted(Metrics(*[value] * 7), chosen) == value


@given(st.integers(0, 6), percents, percents, st.floats(1e-300, 1e300))
def test_a_weight_on_one_metric_gives_that_metric(place: int, value: float, others: float, weight: float) -> None:
    values, chosen = [others] * 7, [0.0] * 7
    values[place], chosen[place] = value, weight
    assert weighted(Metrics(*values), chosen) == value


@given(st.lists(st.lists(st.lists(st.booleans(), min_size=5, max_size=5), max_size=4), min_size=1, max_size=5))
def test_ratings_are_the_mean_over_explanations_of_the_mean_over_raters(raters: list[list[list[bool]]]) -> None:
    explained = tuple(Fragment(k, k + 1, "Г.слов", explanation="so", id=k) for k in range(len(raters)))
    x = Markup("a" * 9, explained, {"subject": "rus"})
    means = [sum(20 * sum(answers) for answers in each) / len(each) for each in raters if each]
    found = score_pair(x, x, ratings=read_ratings(dict(enumerate(raters)))).metrics.m7
    assert found == (pytest.approx(sum(means) / len(means)) if means else None)
