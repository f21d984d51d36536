"""Test agreement of experts against the scoring library and the reference implementation of alpha; intervals; drift.

Experts' drafts and ratings as the track judges them: whatever is sent, every fault is named and nothing raises.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import combinations
from typing import Any

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from markup_core import third_expert
from markup_core.accuracy import score_pair
from markup_core.bootstrap import mean_interval
from markup_core.criteria import total
from markup_core.reading.validation import load
from tests.examples import examples
from tests.experts_stage import shipped
from tests.json_mutations import NESTED, mutated
from tracks import registry
from tracks.capabilities import Agreed, Judged
from tracks.essay import experts as measured
from tracks.essay.experts import ABSENT, Units
from tracks.essay.items import complete, use
from tracks.protocol import ItemFacts, Reason

RULES = use(complete({})[0])
HISTORY = ["hist-01", "hist-02", "hist-03", "hist-04"]
LITERATURE = ["lit-01", "lit-02"]
SEED = 7


def agreed(item: str, experts: tuple[str, str], first: Any = None, second: Any = None) -> Agreed:
    """Return an essay that two experts have marked up, as shipped unless it says otherwise."""
    markups = (first or shipped(item, 1), second or shipped(item, 2))
    return Agreed(ItemFacts(item, "rus", item.rpartition("-")[0]), experts, measured.pair(*markups, RULES))


def without(item: str, number: int, fragments: int) -> Any:
    markup = shipped(item, number)
    return {**markup, "selections": markup["selections"][fragments:]}


@pytest.fixture(scope="module")
def rows() -> list[Agreed]:
    pairs = [("a", "b"), ("b", "a"), ("a", "c"), ("a", "b"), ("b", "c"), ("a", "b")]
    return [agreed(item, pair) for item, pair in zip([*HISTORY, *LITERATURE], pairs, strict=True)]


@pytest.fixture(scope="module")
def found(rows: list[Agreed]) -> Any:
    return measured.agreement(rows, SEED)


def accuracy(item: str) -> float:
    one, other = (load(shipped(item, number)) for number in (1, 2))
    both = [score_pair(x, y, x_is_expert=True).pair_accuracy for x, y in ((one, other), (other, one))]
    return sum(each for each in both if each is not None) / 2


def library_alpha(items: list[str]) -> float:
    """Compute alpha by the library's other input: a row per rater, a column per unit, codes as numbers."""
    first: list[str] = []
    second: list[str] = []
    for item in items:
        one, other = (load(shipped(item, number)) for number in (1, 2))
        matching = score_pair(one, other).matching
        first += [one.fragments[i].code.casefold() for i, _ in matching.pairs]
        second += [other.fragments[k].code.casefold() for _, k in matching.pairs]
        first += [one.fragments[i].code.casefold() for i in matching.unmatched_x] + [ABSENT] * len(matching.unmatched_y)
        second += [ABSENT] * len(matching.unmatched_x) + [
            other.fragments[k].code.casefold() for k in matching.unmatched_y
        ]
    numbers = {code: number for number, code in enumerate(sorted({*first, *second}))}
    data = [[numbers[code] for code in rater] for rater in (first, second)]
    return float(krippendorff.alpha(reliability_data=data, level_of_measurement="nominal"))


@pytest.mark.clause("platform §5 progress")
def test_platform_5_agreement_is_the_scoring_librarys_accuracy_and_the_reference_implementations_alpha(
    found: Any,
) -> None:
    whole = [*HISTORY, *LITERATURE]
    assert found["all"]["essays"] == 6
    assert found["all"]["accuracy"] == pytest.approx(sum(map(accuracy, whole)) / 6)
    assert found["all"]["alpha"] == pytest.approx(library_alpha(whole))
    for subject, items in (("hist", HISTORY), ("lit", LITERATURE)):
        assert found["by_subject"][subject]["accuracy"] == pytest.approx(sum(map(accuracy, items)) / len(items))
        assert found["by_subject"][subject]["alpha"] == pytest.approx(library_alpha(items))
    pairs = {tuple(each["experts"]): each for each in found["by_pair"]}
    assert {pair: each["essays"] for pair, each in pairs.items()} == {("a", "b"): 4, ("a", "c"): 1, ("b", "c"): 1}
    ours = ["hist-01", "hist-02", "hist-04", "lit-02"]
    assert pairs["a", "b"]["accuracy"] == pytest.approx(sum(map(accuracy, ours)) / 4)
    assert pairs["a", "b"]["alpha"] == pytest.approx(library_alpha(ours))


def test_there_is_no_interval_below_three_essays_and_one_around_the_value_from_there_on(found: Any) -> None:
    assert found["by_subject"]["lit"]["accuracy_95"] is found["by_subject"]["lit"]["alpha_95"] is None
    for measure in ("accuracy", "alpha"):
        low, high = found["by_subject"]["hist"][f"{measure}_95"]
        assert low <= found["by_subject"]["hist"][measure] <= high
    column = [accuracy(item) for item in HISTORY]
    assert found["by_subject"]["hist"]["accuracy_95"] == pytest.approx(mean_interval(column, SEED))


def test_an_interval_of_alpha_holds_the_alphas_of_resampled_essays(rows: list[Agreed]) -> None:
    """Compare the interval with a plain bootstrap: other random numbers, the library's alpha in every resample."""
    essays = [Counter({(a, b): n for a, b, n in each.pair["units"]}) for each in rows]
    low, high = measured.alpha_interval(essays, SEED) or (0.0, 0.0)
    dice = np.random.default_rng(1)
    drawn = [dice.integers(len(essays), size=len(essays)) for _ in range(400)]
    alphas = sorted(measured.alpha(sum((essays[i] for i in each), Counter())) or 0.0 for each in drawn)
    assert low == pytest.approx(alphas[9], abs=0.05)
    assert high == pytest.approx(alphas[-10], abs=0.05)


CODES = st.sampled_from(["a", "b", "c", ABSENT])


@given(st.dictionaries(st.tuples(CODES, CODES), st.integers(1, 9), min_size=1, max_size=8))
def test_alpha_of_whole_numbers_is_the_librarys(counts: dict[tuple[str, str], int]) -> None:
    units: Units = Counter(counts)
    values = {code for codes in units for code in codes}
    occurrences = [sum(count * codes.count(value) for codes, count in units.items()) for value in values]
    differing = sum(count for (one, other), count in units.items() if one != other)
    short = measured._alpha(units.total(), differing, occurrences)
    assert short == pytest.approx(measured.alpha(units))


@settings(max_examples=examples(3))
@given(st.permutations(range(6)))
def test_the_order_of_the_essays_changes_nothing(order: list[int]) -> None:
    pairs = list(combinations("abc", 2)) * 2
    made = [agreed(item, pair) for item, pair in zip([*HISTORY, *LITERATURE], pairs, strict=True)]
    assert measured.agreement([made[place] for place in order], SEED) == measured.agreement(made, SEED)


def test_experts_who_do_the_same_agree_in_everything(rows: list[Agreed]) -> None:
    same = [agreed(item, ("a", "b"), shipped(item, 1), shipped(item, 1)) for item in HISTORY]
    found = measured.agreement(same, SEED)
    assert (found["all"]["accuracy"], found["all"]["alpha"]) == (100.0, 1.0)
    assert found["all"]["accuracy_95"] == [100.0, 100.0]
    assert found["all"]["alpha_95"] == [1.0, 1.0]
    assert all(each["alpha"] == 1.0 and each["units"] == each["agreed"] for each in found["by_code"])
    for each in found["by_expert"]:
        assert (each["points"], each["points_95"], each["fragments"]) == (0.0, [0.0, 0.0], 0.0)


def test_each_code_is_told_against_all_others(found: Any) -> None:
    """Counted by hand from the matchings of one subject."""
    told = {each["code"]: each for each in found["by_code"] if each["subject"] == "lit"}
    units: Units = Counter()
    for item in LITERATURE:
        units.update({(a, b): n for a, b, n in measured.pair(shipped(item, 1), shipped(item, 2), RULES)["units"]})
    assert set(told) == {code for codes in units for code in codes} - {ABSENT}
    code = max(told, key=lambda each: told[each]["units"])
    both = units[code, code]
    one = sum(n for (a, b), n in units.items() if (a == code) != (b == code))
    assert (told[code]["units"], told[code]["agreed"]) == (both + one, both)
    all_ = units.total()
    given = 2 * both + one
    expected = given * (2 * all_ - given) / (all_ * (2 * all_ - 1))
    assert told[code]["alpha"] == pytest.approx(1 - (one / all_) / expected)


def test_drift_tells_who_finds_less_and_who_is_stricter() -> None:
    """Anna leaves four fragments out of what her partners find."""
    rows = [agreed(item, ("anna", "boris"), without(item, 1, 4), shipped(item, 1)) for item in HISTORY[:2]]
    rows += [agreed(item, ("clara", "anna"), shipped(item, 1), without(item, 1, 4)) for item in HISTORY[2:]]
    drift = {each["expert"]: each for each in measured.agreement(rows, SEED)["by_expert"]}
    assert {name: each["essays"] for name, each in drift.items()} == {"anna": 4, "boris": 2, "clara": 2}
    assert (drift["anna"]["fragments"], drift["anna"]["fragments_95"]) == (-4.0, [-4.0, -4.0])
    assert (drift["boris"]["fragments"], drift["clara"]["fragments"]) == (4.0, 4.0)
    gaps = []
    for item in HISTORY:
        own, partner = (total(load(each)) for each in (without(item, 1, 4), shipped(item, 1)))
        gaps.append(100 * ((own or 0) - (partner or 0)) / 12)
    assert drift["anna"]["points"] == pytest.approx(sum(gaps) / 4)
    low, high = drift["anna"]["points_95"]
    assert low <= drift["anna"]["points"] <= high
    assert (low, high) == (pytest.approx(min(gaps)), pytest.approx(max(gaps)))


def test_without_essays_nothing_is_told() -> None:
    found = measured.agreement([], SEED)
    assert found["all"] == {"essays": 0, "accuracy": None, "accuracy_95": None, "alpha": None, "alpha_95": None}
    assert (found["by_pair"], found["by_code"], found["by_expert"], found["by_subject"]) == ([], [], [], {})


def test_two_empty_markups_agree_in_accuracy_and_have_no_alpha() -> None:
    empty = {**shipped("hist-01"), "selections": []}
    found = measured.agreement([agreed("hist-01", ("a", "b"), empty, empty)], SEED)
    assert (found["all"]["accuracy"], found["all"]["alpha"]) == (100.0, None)


TRACK: Any = registry.get("essay")
JUDGED = TRACK.read_parameters({})[0]
ITEM, MARKUP = shipped("hist-02"), shipped("hist-02", 1)
ANSWER = TRACK.judge(ITEM, json.dumps(MARKUP).encode(), JUDGED).markup
EXPLAINED = [str(each["id"]) for each in MARKUP["selections"] if each["explanation"].strip()]
RATINGS = {"ratings": {name: [True, False, True, True, False] for name in EXPLAINED}}


def well_formed(judged: Judged) -> None:
    assert (judged.markup is None) == bool(judged.reasons)
    for element in (*judged.reasons, *judged.warnings):
        assert isinstance(element, Reason)
        assert re.fullmatch("[a-z][a-z0-9_]*", element.code)
        assert element.message.en
        assert re.search("[а-яё]", element.message.ru, re.IGNORECASE)
        json.dumps(dict(element.where), allow_nan=False)


@settings(max_examples=examples(5))
@given(NESTED)
def test_whatever_is_sent_as_a_draft_is_judged(change: Any) -> None:
    short = {**MARKUP, "selections": MARKUP["selections"][:2]}
    for value in (*mutated(short, change), *mutated(RATINGS, change)):
        body = json.dumps(value).encode("utf-8", "surrogatepass")
        well_formed(TRACK.judge(ITEM, body, JUDGED))
        well_formed(TRACK.judge_ratings(ANSWER, body, JUDGED))


@given(st.binary(max_size=60))
def test_bytes_that_are_no_json_are_said_to_be_none(body: bytes) -> None:
    for judged in (TRACK.judge(ITEM, body, JUDGED), TRACK.judge_ratings(ANSWER, body, JUDGED)):
        well_formed(judged)
        assert judged.reasons


def test_a_draft_without_faults_is_graded_and_one_with_faults_is_not() -> None:
    judged = TRACK.judge(ITEM, json.dumps(MARKUP).encode(), JUDGED)
    assert judged.is_valid
    assert judged.grade["total"] == sum(judged.grade["criteria"].values())
    other = TRACK.judge(ITEM, json.dumps({**MARKUP, "text": "x"}).encode(), JUDGED)
    assert (other.is_valid, other.grade) == (False, None)


def test_a_reference_is_one_that_a_set_would_take_and_keeps_the_essays_own_words_about_it() -> None:
    reference = TRACK.reference(ITEM, ANSWER, "expert-1", is_third=True)
    assert TRACK.read_reference(ITEM, reference, JUDGED) == ()
    assert {**reference["meta"], "expert": "", "third": False} == {**ITEM["meta"], "expert": "", "third": False}
    assert (reference["meta"]["expert"], reference["meta"]["third"]) == ("expert-1", True)
    assert reference["selections"] == ANSWER["selections"]


def test_the_rule_for_a_third_expert_is_the_librarys() -> None:
    first, second = shipped("hist-02", 1), shipped("hist-02", 2)
    result = TRACK.third_expert(ITEM, first, second, JUDGED)
    assert [(warning.code, warning.message.en, warning.message.ru) for warning in result] == [
        (each.code, each.message.en, each.message.ru) for each in third_expert(load(first), load(second)).reasons
    ]
    assert TRACK.third_expert(ITEM, first, first, JUDGED) == ()


@pytest.mark.parametrize(
    ("ratings", "rated"),
    [
        (None, False),
        ({}, False),
        ({EXPLAINED[0]: [[True] * 5]}, False),
        ({name: [[True] * 5] for name in EXPLAINED}, True),
        ({name: [] for name in EXPLAINED}, False),
    ],
    ids=["none", "empty", "some", "all", "nobody"],
)
def test_an_answer_is_rated_when_every_explanation_is(ratings: Any, rated: bool) -> None:
    assert TRACK.is_rated(ANSWER, ratings) is rated
    assert TRACK.is_rated({**ANSWER, "selections": []}, ratings) is True


def test_cards_come_in_another_order_to_another_rater() -> None:
    orders = {
        tuple(card["fragment"] for card in TRACK.cards(ITEM, ANSWER, f"rater-{number}")["cards"]) for number in range(9)
    }
    assert orders == {tuple(EXPLAINED), tuple(reversed(EXPLAINED))}
    assert TRACK.cards(ITEM, {**ANSWER, "selections": []}, "x") is None


def test_ratings_of_explanations_reach_the_score_of_an_answer() -> None:
    worst, best = (
        TRACK.score_rated(ITEM, ANSWER, [MARKUP], {name: [[vote] * 5] for name in EXPLAINED}, JUDGED) for vote in (0, 1)
    )
    assert worst != best
