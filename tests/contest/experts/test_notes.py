"""Experts' notes for coordinators, what tells assignments apart, and the third expert's decision afterwards."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contest.edge.pages.reports import tables
from contest.experts.progress import marking_report
from contest.people.rules import Role
from contest.values import LONGEST_REASON
from markup_core.accuracy import score_pair
from markup_core.reading.validation import load
from tests.experts_stage import AGREED, DIFFERENT, Coordinator, Desk, Expert, shipped
from tests.stage import Answered, Stage


def write(expert: Expert, assignment_id: str, text: Any) -> Answered:
    return expert.ask("PUT", f"/v1/assignments/{assignment_id}/note", {"text": text})


def third_decides(desk: Desk, number: int = 2) -> None:
    """Let the two mark up the essay on which they differ, and the third hand in one of these markups."""
    desk.mark_up(DIFFERENT)
    (third,) = [each for each in desk.olga.essay(DIFFERENT)["assignments"] if each["third"]]
    Expert(desk.stage, third["expert_id"]).mark_up(third["assignment_id"], shipped(DIFFERENT, number))


def test_a_note_is_written_from_the_opening_on_also_after_handing_in_and_coordinators_read_it(desk: Desk) -> None:
    (anna, assignment_id), (boris, _) = desk.given(AGREED)
    early = write(anna, assignment_id, "unreadable")
    assert (early.status, early.code) == (409, "assignment_not_opened")
    anna.open(assignment_id)
    assert write(anna, assignment_id, "The last page is missing").json["note"] == "The last page is missing"
    markup = shipped(AGREED, 1)
    assert anna.save(assignment_id, 0, markup).status == 200, "a note is no draft: its revision stays"
    assert anna.hand_in(assignment_id, 1).status == 200
    text = "Последняя страница ёлки 🎄"
    assert write(anna, assignment_id, text).json["note"] == text
    given = {each["expert_id"]: each["note"] for each in desk.olga.essay(AGREED)["assignments"]}
    assert given == {anna.name: text, boris.name: ""}
    commission = Coordinator(desk.stage, "carl", Role.COMMISSION)
    assert commission.essay(AGREED) == desk.olga.essay(AGREED)
    marking = desk.olga.ask("GET", "/v1/markings").json["markings"][0]["marking_id"]
    exported = desk.olga.ask("GET", f"/v1/markings/{marking}/markups").text
    assert (AGREED in exported, text in exported) == (True, False), "it is no part of the markup"
    exported_tables = tables(marking_report(desk.stage.platform, marking))
    (essays,) = [each for each in exported_tables if each.name == "essays"]
    assert [each["notes"] for each in essays.records()] == [f"{anna.name}: {text}"]
    assert write(anna, assignment_id, "").json["note"] == ""


def test_a_note_is_bounded_and_ones_own_and_an_assignment_says_how_many_words_its_text_has(desk: Desk) -> None:
    (anna, assignment_id), (boris, _) = desk.given(AGREED)
    anna.open(assignment_id)
    assert write(anna, assignment_id, "я" * LONGEST_REASON).status == 200
    for wrong in ("я" * (LONGEST_REASON + 1), 7, None):
        assert write(anna, assignment_id, wrong).status == 422
    other = write(boris, assignment_id, "mine")
    assert (other.status, other.code) == (404, "unknown_assignment")
    assert anna.work(assignment_id).json["assignment"]["note"] == "я" * LONGEST_REASON
    (own,) = anna.own()
    assert (own["words"], own["open_until"]) == (len(shipped(AGREED)["text"].split()), None)


def test_a_note_outlives_the_time_and_ends_with_the_essay_given_to_another(desk: Desk) -> None:
    desk.olga.add("clara")
    (anna, assignment_id), _ = desk.given(AGREED)
    anna.open(assignment_id)
    desk.stage.advance(3600 + 1)
    assert write(anna, assignment_id, "too long").json["state"] == "expired"
    desk.stage.advance(60)
    assert desk.stage.tick()["expired"] == 1, "the timer records what a note has not"
    assert desk.olga.decide("reassign", anna.name, assignment_id).status == 200
    refused = write(anna, assignment_id, "later")
    assert (refused.status, refused.code) == (409, "assignment_ended")
    assert desk.olga.essay(AGREED)["assignments"][0]["note"] == "too long"


@pytest.mark.clause("platform §5 third")
def test_an_expert_sees_the_thirds_markup_beside_the_own_one_when_the_whole_set_is_done(stage: Stage) -> None:
    desk = Desk(stage, (AGREED, DIFFERENT), "anna boris clara")
    (one, first), (other, second) = desk.given(DIFFERENT)
    third_decides(desk)
    assert one.work(first).json["decided"] is None, "others still work on the set"
    desk.mark_up(AGREED)
    decided = one.work(first).json["decided"]
    kinds = [[fragment["type"] for fragment in markup["selections"]] for markup in decided["markups"]]
    assert kinds == [[each["type"] for each in shipped(DIFFERENT, number)["selections"]] for number in (2, 1)]
    pair = score_pair(load(shipped(DIFFERENT, 2)), load(shipped(DIFFERENT, 1)), x_is_expert=True)
    assert decided["comparison"]["pair_accuracy"] == pair.pair_accuracy
    assert [reason["message"] for reason in decided["reasons"]]
    (third,) = [each for each in desk.olga.essay(DIFFERENT)["assignments"] if each["third"]]
    names = (other.name, third["expert_id"], second, third["assignment_id"])
    assert [name for name in names if name in json.dumps(decided)] == []
    assert Expert(stage, third["expert_id"]).work(third["assignment_id"]).json["decided"] is None, "its own decision"
    (agreed, name), _ = desk.given(AGREED)
    assert agreed.work(name).json["decided"] is None, "nobody was called"


@pytest.mark.clause("platform §5 third")
def test_the_cycles_parameter_keeps_the_thirds_decision_from_experts(stage: Stage) -> None:
    desk = Desk(stage, (DIFFERENT,), "anna boris clara", third_shown=False)
    (one, first), _ = desk.given(DIFFERENT)
    third_decides(desk)
    assert desk.olga.essay(DIFFERENT)["done"]
    assert one.work(first).json["decided"] is None
