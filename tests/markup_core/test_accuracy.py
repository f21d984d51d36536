"""Pair accuracy, STAR, STER, OTAR of an essay and of a sample, and which essays count (markup-scoring §3–4)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from markup_core.accuracy import EssayScore, score_essay, score_pair
from markup_core.metrics import read_ratings
from markup_core.model import Fragment, Markup
from markup_core.params import InvalidParams, ScoringParams
from markup_core.sample import EssayInput, score_sample

TEXT = "раз два три четыре пять шесть семь восемь девять десять"
M2_ALONE = (0, 1, 0, 0, 0, 0, 0)
SPANS = ((0, 3), (4, 7), (8, 11), (12, 18), (19, 23))


def markup(*places: int, subject: str = "rus") -> Markup:
    """Return a markup of these of five places; against another its M2 is 2·common/(own + other's)."""
    return Markup(TEXT, tuple(Fragment(*SPANS[place], "Г.слов") for place in places), {"subject": subject})


def by_m2(hardness: float = 0.0) -> ScoringParams:
    return ScoringParams(weights=M2_ALONE, hardness=hardness)


@pytest.mark.clause("R-App1 M", "R 5.5")
def test_pair_accuracy_is_the_weighted_mean_of_the_metrics() -> None:
    x, y = markup(0, 1), markup(0)
    score = score_pair(x, y, ScoringParams(weights=(0, 3, 1, 0, 0, 0, 0)))
    # M2 = 2·1/3, M3 = 1/2.
    assert score.pair_accuracy == pytest.approx((3 * 200 / 3 + 50) / 4)


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


def essay(hardness: float = 0.0) -> EssayScore:
    # A marks 0 1; E1 marks 0 1 2, E2 marks 0, E3 marks 0 3.
    # M2 of A: 4/5, 2/3, 2/4. Among the experts: E1-E2 2/4, E1-E3 2/5, E2-E3 2/3, the same both ways.
    return score_essay(markup(0, 1), [markup(0, 1, 2), markup(0), markup(0, 3)], by_m2(hardness))


@pytest.mark.clause("R 5.6", "R-App1 OTAR")
@pytest.mark.parametrize(
    ("hardness", "above", "below"),
    [
        (0.0, 0.8, 0.4),
        (1.0, (4 / 5 + 2 / 3 + 2 / 4) / 3, (2 / 4 + 2 / 5 + 2 / 3) / 3),
        (0.25, 0.25 * (4 / 5 + 2 / 3 + 2 / 4) / 3 + 0.75 * 0.8, 0.25 * (2 / 4 + 2 / 5 + 2 / 3) / 3 + 0.75 * 0.4),
    ],
)
def test_hardness_moves_from_the_best_and_the_worst_to_the_mean(hardness: float, above: float, below: float) -> None:
    score = essay(hardness)
    assert score.algorithm_accuracy == pytest.approx(100 * above)
    assert score.expert_accuracy == pytest.approx(100 * below)
    assert score.relative_accuracy == pytest.approx(100 * above / below)


def test_an_essays_pairs_name_both_sides() -> None:
    roles = [(pair.x, pair.y) for pair in essay().pairs]
    assert roles == [(None, 0), (None, 1), (None, 2), (0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]


def test_an_experts_explanations_count_in_full() -> None:
    score = score_essay(None, [markup(0), markup(0)], ScoringParams(weights=(0, 0, 0, 0, 0, 0, 1)))
    assert score.expert_accuracy == 100


GOOD = EssayInput(markup(0), [markup(0), markup(0)])  # a = 100, e = 100
HALF = EssayInput(markup(0), [markup(0, 1, 2), markup(0, 1, 2)])  # a = 2·1/4 = 50, e = 100
POOR = EssayInput(markup(0, 1), [markup(0, 1), markup(0)])  # a = 100, e = 2/3
VOIDED = EssayInput(None, [markup(0), markup(1)])  # e = 0
LONELY = EssayInput(markup(0), [markup(1)])  # a = 0, no e
UNMARKED = EssayInput(markup(0), [])


@pytest.mark.clause("R 5.3", "R 5.4", "R 5.7", "R-App1 STAR", "R-App1 STER")
def test_a_samples_accuracies_are_means_and_their_ratio() -> None:
    overall = score_sample([GOOD, HALF, POOR], by_m2()).overall
    assert overall.algorithm_accuracy == pytest.approx(250 / 3)
    assert overall.expert_accuracy == pytest.approx((100 + 100 + 200 / 3) / 3)
    assert overall.relative_accuracy == pytest.approx(100 * 250 / (200 + 200 / 3))


@pytest.mark.clause("MS §4 common", "R 5.7")
def test_accuracies_that_stand_together_are_over_the_same_essays_and_that_over_all_stands_apart() -> None:
    overall = score_sample([GOOD, HALF, VOIDED, LONELY, UNMARKED], by_m2()).overall
    assert (overall.algorithm_accuracy, overall.expert_accuracy) == (pytest.approx(75), 100)
    assert overall.relative_accuracy == overall.algorithm_accuracy
    assert overall.algorithm_essays == 3
    assert overall.algorithm_accuracy_all == pytest.approx(50)


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


@pytest.mark.clause("MS §4 undefined")
def test_experts_who_never_agree_leave_a_samples_relative_accuracy_undefined() -> None:
    overall = score_sample([EssayInput(markup(0), [markup(0), markup(1)])], by_m2()).overall
    assert (overall.expert_accuracy, overall.relative_accuracy, overall.relative_interval) == (0, None, None)


@pytest.mark.clause("MS §4 breakdowns")
def test_breakdowns_come_by_subject_language_and_metric() -> None:
    english = EssayInput(*_as("eng", GOOD))
    sample = score_sample([HALF, english, EssayInput(*_as("eng-free", HALF)), EssayInput(*_as("lit", GOOD))], by_m2())
    assert {name: each.algorithm_accuracy for name, each in sample.by_subject.items()} == {
        "eng": 100,
        "eng-free": 50,
        "lit": 100,
        "rus": 50,
    }
    assert {name: each.algorithm_accuracy for name, each in sample.by_language.items()} == {"eng": 75, "rus": 75}
    assert list(sample.by_metric) == ["M1", "M2", "M3", "M4", "M5", "M6", "M7"]
    assert sample.by_metric["M2"].algorithm_accuracy == sample.overall.algorithm_accuracy
    assert sample.by_metric["M3"].algorithm_accuracy == 100
    assert sample.by_metric["M7"].algorithm_accuracy == 0


def _as(subject: str, source: EssayInput) -> tuple[Markup, list[Markup]]:
    def turned(one: Markup) -> Markup:
        return Markup(one.text, one.fragments, {"subject": subject})

    assert source.algorithm is not None
    return turned(source.algorithm), [turned(expert) for expert in source.experts]


def test_the_metrics_breakdown_uses_the_same_formulas() -> None:
    parts = essay_inputs()
    metric = score_sample(parts, ScoringParams(hardness=0.5)).by_metric["M2"]
    assert metric == score_sample(parts, by_m2(0.5)).overall


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
    score = essay()
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
