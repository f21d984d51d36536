"""Experts' drafts and ratings as the track judges them: whatever is sent, every fault is named and nothing raises."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from markup_core import third_expert
from markup_core.reading.validation import load
from tests.examples import examples
from tests.experts_stage import shipped
from tests.json_mutations import NESTED, mutated
from tracks import registry
from tracks.capabilities import Judged, MarkedByExperts
from tracks.protocol import Reason, Track

TRACK: Any = registry.get("essay")
RULES = TRACK.read_parameters({})[0]
ITEM, MARKUP = shipped("hist-02"), shipped("hist-02", 1)
ANSWER = TRACK.judge(ITEM, json.dumps(MARKUP).encode(), RULES).markup
EXPLAINED = [str(each["id"]) for each in MARKUP["selections"] if each["explanation"].strip()]
RATINGS = {"ratings": {name: [True, False, True, True, False] for name in EXPLAINED}}


def well_formed(judged: Judged) -> None:
    assert (judged.markup is None) == bool(judged.reasons)
    for each in (*judged.reasons, *judged.warnings):
        assert isinstance(each, Reason)
        assert re.fullmatch("[a-z][a-z0-9_]*", each.code)
        assert each.message.en
        assert re.search("[а-яё]", each.message.ru, re.IGNORECASE)
        json.dumps(dict(each.where), allow_nan=False)


def test_essays_and_texts_of_gec_are_marked_up_by_experts_on_the_platform() -> None:
    kinds = {name: isinstance(registry.get(name), MarkedByExperts) for name in registry.names()}
    assert [name for name, marked in kinds.items() if marked] == ["essay", "gec"]
    assert isinstance(TRACK, Track)


@settings(max_examples=examples(5))
@given(NESTED)
def test_whatever_is_sent_as_a_draft_is_judged(change: Any) -> None:
    short = {**MARKUP, "selections": MARKUP["selections"][:2]}
    for value in (*mutated(short, change), *mutated(RATINGS, change)):
        body = json.dumps(value).encode("utf-8", "surrogatepass")
        well_formed(TRACK.judge(ITEM, body, RULES))
        well_formed(TRACK.judge_ratings(ANSWER, body, RULES))


@given(st.binary(max_size=60))
def test_bytes_that_are_no_json_are_said_to_be_none(body: bytes) -> None:
    for judged in (TRACK.judge(ITEM, body, RULES), TRACK.judge_ratings(ANSWER, body, RULES)):
        well_formed(judged)
        assert judged.reasons


def test_a_draft_without_faults_is_graded_and_one_with_faults_is_not() -> None:
    judged = TRACK.judge(ITEM, json.dumps(MARKUP).encode(), RULES)
    assert judged.is_valid
    assert judged.grade["total"] == sum(judged.grade["criteria"].values())
    other = TRACK.judge(ITEM, json.dumps({**MARKUP, "text": "x"}).encode(), RULES)
    assert (other.is_valid, other.grade) == (False, None)


def test_a_reference_is_one_that_a_set_would_take_and_keeps_the_essays_own_words_about_it() -> None:
    reference = TRACK.reference(ITEM, ANSWER, "expert-1", is_third=True)
    assert TRACK.read_reference(ITEM, reference, RULES) == ()
    assert {**reference["meta"], "expert": "", "third": False} == {**ITEM["meta"], "expert": "", "third": False}
    assert (reference["meta"]["expert"], reference["meta"]["third"]) == ("expert-1", True)
    assert reference["selections"] == ANSWER["selections"]


def test_the_rule_for_a_third_expert_is_the_librarys() -> None:
    first, second = shipped("hist-02", 1), shipped("hist-02", 2)
    told = TRACK.third_expert(ITEM, first, second, RULES)
    assert [(each.code, each.message.en, each.message.ru) for each in told] == [
        (each.code, each.message.en, each.message.ru) for each in third_expert(load(first), load(second)).reasons
    ]
    assert TRACK.third_expert(ITEM, first, first, RULES) == ()


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
        TRACK.score_rated(ITEM, ANSWER, [MARKUP], {name: [[vote] * 5] for name in EXPLAINED}, RULES) for vote in (0, 1)
    )
    assert worst != best
