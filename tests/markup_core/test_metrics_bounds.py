"""What holds of the metrics and accuracies of any two valid markups."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from markup_core.accuracy import score_essay, score_pair
from markup_core.matching.match import match
from markup_core.metrics import pair_metrics
from markup_core.model import Fragment, Markup
from markup_core.params import ScoringParams
from markup_core.reading.classifier import Classifier
from markup_core.sample import EssayInput, score_sample

pytestmark = pytest.mark.property

TEXT = "Мама мыла раму — и окно, а кот-то… спал.\n\nIt was the 21st day !"
COMMENTS = ("", " ", "лишняя запятая", "запятая не нужна", "missing article", "the article is missing")
CODES = {
    subject: Classifier.default().codes(subject) for subject in ("rus", "lit", "social", "hist", "eng", "rus-free")
}


@st.composite
def fragments(draw: st.DrawFn, subject: str) -> Fragment:
    code = draw(st.sampled_from(CODES[subject]))
    if code.full_text and draw(st.booleans()):
        start = end = 0
    else:
        start = draw(st.integers(0, len(TEXT) - 1))
        end = draw(st.integers(start + 1, min(len(TEXT), start + 15)))
    return Fragment(
        start,
        end,
        code.code,
        draw(st.sampled_from(("", *code.subtypes))),
        draw(st.sampled_from(COMMENTS)),
        draw(st.sampled_from(("", "потому что"))),
        draw(st.sampled_from(("", "исправлено", " ИСПРАВЛЕНО "))),
        draw(st.sampled_from(("", "1", "2"))),
        code.group,
        draw(st.integers(0, 9)),
    )


@st.composite
def markups(draw: st.DrawFn, count: int = 2) -> list[Markup]:
    """Markups of one text and subject."""
    subject = draw(st.sampled_from(sorted(CODES)))
    lists = [draw(st.lists(fragments(subject), max_size=9)) for _ in range(count)]
    return [Markup(TEXT, tuple(each), {"subject": subject}) for each in lists]


@pytest.mark.clause("MS §3 empty")
@given(markups(1))
def test_a_markup_agrees_with_itself_in_full(found: list[Markup]) -> None:
    x = found[0]
    assert pair_metrics(x, x, match(x, x))[:6] == (100,) * 6


@given(markups())
def test_metrics_are_percentages(found: list[Markup]) -> None:
    x, y = found
    metrics = pair_metrics(x, y, match(x, y), x_is_expert=True)
    assert all(value is not None and 0 <= value <= 100 for value in metrics)
    assert metrics[6] == 100


@given(markups())
def test_grades_and_found_fragments_are_compared_both_ways_alike(found: list[Markup]) -> None:
    x, y = found
    assert pair_metrics(x, y, match(x, y))[:2] == pair_metrics(y, x, match(y, x))[:2]


@given(markups(), st.randoms(use_true_random=False))
def test_neither_order_nor_ids_of_fragments_change_a_metric(found: list[Markup], rng: random.Random) -> None:
    x, y = found
    mixed = [
        Markup(
            TEXT, tuple(f._replace(id=rng.random()) for f in rng.sample(one.fragments, len(one.fragments))), one.meta
        )  # type: ignore[arg-type]
        for one in found
    ]
    assert score_pair(*mixed, ScoringParams()).metrics == score_pair(x, y, ScoringParams()).metrics


@given(markups(), st.lists(st.floats(0, 10), min_size=6, max_size=6).filter(any))
def test_pair_accuracy_lies_between_its_metrics(found: list[Markup], weights: list[float]) -> None:
    score = score_pair(*found, ScoringParams(weights=(*weights, 0)))
    counted = [value for value, weight in zip(score.metrics, weights, strict=False) if weight and value is not None]
    assert score.pair_accuracy is not None
    assert min(counted) - 1e-9 <= score.pair_accuracy <= max(counted) + 1e-9


@given(markups(4), st.floats(0, 1))
def test_the_order_of_the_experts_changes_nothing(found: list[Markup], hardness: float) -> None:
    algorithm, *experts = found
    params = ScoringParams(hardness=hardness)
    one, other = score_essay(algorithm, experts, params), score_essay(algorithm, experts[::-1], params)
    assert one.algorithm_accuracy == other.algorithm_accuracy
    assert one.expert_accuracy == other.expert_accuracy


@given(markups(3))
def test_an_essays_pairs_are_what_each_pair_scores_alone(found: list[Markup]) -> None:
    algorithm, *experts = found
    for pair in score_essay(algorithm, experts).pairs:
        x = algorithm if pair.x is None else experts[pair.x]
        alone = score_pair(x, experts[pair.y], x_is_expert=pair.x is not None)
        assert (pair.metrics, pair.pair_accuracy, pair.pairs) == (*alone[:2], alone.matching.pairs)


@given(st.lists(markups(3), min_size=3, max_size=4))
def test_every_interval_is_ordered_and_within_bounds(essays: list[list[Markup]]) -> None:
    sample = score_sample([EssayInput(first, rest) for first, *rest in essays]).overall
    assert sample.algorithm_interval is not None
    low, high = sample.algorithm_interval
    assert 0 <= low <= high <= 100
    assert sample.algorithm_accuracy is not None
    assert 0 <= sample.algorithm_accuracy <= 100
