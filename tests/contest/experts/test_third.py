"""The third expert: called by the rule, assigned automatically, shown two markups without their authors."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from contest.experts import judged_essays, work
from contest.experts.rules.assignment import AssignmentState
from contest.room_ports import Written
from markup_core import third_expert
from markup_core.accuracy import score_pair
from markup_core.reading.validation import load
from tests.experts_stage import AGREED, DIFFERENT, Desk, Expert, shipped
from tests.stage import Stage

HOUR = 3600


@pytest.fixture
def desk(stage: Stage) -> Desk:
    """One essay on which its two experts will differ, and a third historian."""
    return Desk(stage, (DIFFERENT,), "anna boris clara")


def the_third(desk: Desk, item: str = DIFFERENT) -> tuple[Expert, str]:
    (found,) = [each for each in desk.olga.essay(item)["assignments"] if each["third"]]
    return Expert(desk.stage, found["expert_id"]), found["assignment_id"]


def reasons(item: str) -> Sequence[str]:
    first, second = (load(shipped(item, number)) for number in (1, 2))
    return [reason.message.en for reason in third_expert(first, second).reasons]


@pytest.mark.clause("R 7.10", "platform §5 third")
def test_r_7_10_when_the_two_differ_a_third_expert_is_given_the_essay_with_the_reasons(desk: Desk) -> None:
    (one, first), (other, second) = desk.given(DIFFERENT)
    one.mark_up(first, shipped(DIFFERENT, 1))
    assert desk.olga.essay(DIFFERENT)["third"] is None
    other.mark_up(second, shipped(DIFFERENT, 2))
    essay = desk.olga.essay(DIFFERENT)
    assert [each["message"] for each in essay["third"]["reasons"]] == reasons(DIFFERENT)
    assert all(each["message_ru"] != each["message"] for each in essay["third"]["reasons"])
    assert (essay["third"]["needed"], essay["lacking"], essay["done"]) == (True, 0, False)
    expert, assignment_id = the_third(desk)
    assert expert.name not in {one.name, other.name}
    (own,) = expert.own()
    assert (own["assignment_id"], own["third"], own["state"], own["limit_s"]) == (assignment_id, True, "assigned", HOUR)
    expert.mark_up(assignment_id, shipped(DIFFERENT, 1))
    essay = desk.olga.essay(DIFFERENT)
    assert (essay["done"], len(essay["assignments"])) == (True, 3)


@pytest.mark.clause("R 7.10", "platform §5 third")
def test_r_7_10_when_the_two_agree_nobody_is_called(stage: Stage) -> None:
    desk = Desk(stage, (AGREED,), "anna boris clara")
    desk.mark_up(AGREED)
    essay = desk.olga.essay(AGREED)
    assert (essay["third"]["needed"], essay["done"], len(essay["assignments"])) == (False, True, 2)


@pytest.mark.clause("R 7.10", "platform §5 third")
def test_a_third_expert_sees_both_markups_without_a_name_and_gives_way_to_another_third_expert(desk: Desk) -> None:
    desk.mark_up(DIFFERENT)
    expert, assignment_id = the_third(desk)
    assert expert.work(assignment_id).json["earlier"] is None, "not before it is opened"
    opened = expert.open(assignment_id).json
    earlier = opened["earlier"]
    assert [each["message"] for each in earlier["reasons"]] == reasons(DIFFERENT)
    expected = [
        [
            (each["startSelection"], each["endSelection"], each["type"])
            for each in shipped(DIFFERENT, number)["selections"]
        ]
        for number in (1, 2)
    ]
    shown = [
        [(each["startSelection"], each["endSelection"], each["type"]) for each in markup["selections"]]
        for markup in earlier["markups"]
    ]
    assert shown == expected
    pair = score_pair(load(shipped(DIFFERENT, 1)), load(shipped(DIFFERENT, 2)), x_is_expert=True)
    assert earlier["comparison"]["pair_accuracy"] == pair.pair_accuracy
    matched = earlier["comparison"]["pairs"]
    assert [(each["x"], each["y"]) for each in matched] == list(pair.matching.pairs)
    assert {(each["start_differs"], each["code_differs"]) for each in matched} <= {
        (False, False),
        (True, False),
        (False, True),
    }
    text = json.dumps(opened, ensure_ascii=False)
    named = [each.name for each, _ in desk.given(DIFFERENT)[:2]] + [name for _, name in desk.given(DIFFERENT)[:2]]
    signed = [shipped(DIFFERENT, number)["meta"]["expert"] for number in (1, 2)]
    assert all(signed)
    assert [each for each in (*named, *signed) if each in text] == []
    desk.olga.add("dora")
    given_anew = desk.olga.decide("reassign", expert.name, assignment_id)
    assert (given_anew.json["expert_id"], given_anew.json["third"]) == ("dora", True)
    assert Expert(desk.stage, "dora").open(given_anew.json["assignment_id"]).json["earlier"]["markups"]


def test_a_markup_that_ran_out_counts_as_one_of_the_two(desk: Desk) -> None:
    (one, first), (other, second) = desk.given(DIFFERENT)
    one.mark_up(first, shipped(DIFFERENT, 1))
    other.draft(second, shipped(DIFFERENT, 2))
    desk.stage.advance(HOUR + 10)
    assert desk.stage.tick()["considered"] == 0
    assert desk.olga.essay(DIFFERENT)["third"] is None
    desk.stage.advance(60)
    swept = desk.stage.tick()
    assert (swept["expired"], swept["considered"]) == (1, 1)
    assert desk.olga.essay(DIFFERENT)["third"]["needed"]
    assert the_third(desk)[0].own()[0]["state"] == "assigned"


def test_the_timer_asks_what_a_dying_function_has_not(monkeypatch: pytest.MonkeyPatch, desk: Desk) -> None:
    def dead(*_: Any) -> bool:
        raise RuntimeError

    (one, first), (other, second) = desk.given(DIFFERENT)
    one.mark_up(first, shipped(DIFFERENT, 1))
    other.draft(second, shipped(DIFFERENT, 2))
    with monkeypatch.context() as dying:
        dying.setattr(work, "consider", dead)
        assert other.hand_in(second, 1).status == 500
    assert other.work(second).json["assignment"]["state"] == "handed_in"
    assert desk.olga.essay(DIFFERENT)["done"] is False, "the rule has not been asked"
    assert desk.stage.tick()["considered"] == 1
    assert desk.stage.tick()["considered"] == 0
    assert the_third(desk)[1]


def test_the_rule_asked_twice_at_once_gives_one_third_expert(monkeypatch: pytest.MonkeyPatch, desk: Desk) -> None:
    """Two processes decide on the same facts; the second one's write loses, and it sees that nothing is left to do."""
    really, inside = judged_essays._decision, []

    def meanwhile(platform: Any, at: Any, essay: Any, two: Any) -> Any:
        if len(two) == 2 and not inside:
            inside.append(1)
            assert judged_essays.consider(platform, essay.marking_id, essay.item_id)
        return really(platform, at, essay, two)

    monkeypatch.setattr(judged_essays, "_decision", meanwhile)
    desk.olga.add("dora")
    desk.mark_up(DIFFERENT)
    assert inside == [1]
    assert [each["third"] for each in desk.olga.essay(DIFFERENT)["assignments"]] == [False, False, True]


def test_without_a_competent_third_expert_one_is_lacking_until_there_is_one(stage: Stage) -> None:
    desk = Desk(stage, (DIFFERENT,), "anna boris")
    desk.olga.add("anna", groups=("x",))
    desk.olga.add("clara", groups=("x",))
    desk.mark_up(DIFFERENT)
    essay = desk.olga.essay(DIFFERENT)
    assert (essay["third"]["needed"], essay["lacking"], len(essay["assignments"])) == (True, 1, 2)
    refused = desk.olga.assign(set="train")
    assert refused.json["error"]["details"][0]["code"] == "no_other_expert"
    desk.olga.add("dora")
    assert desk.olga.assign(set="train").json["given"] == {DIFFERENT: ["dora"]}
    expert, assignment_id = the_third(desk)
    assert expert.open(assignment_id).json["earlier"]["markups"]


def test_a_markup_on_which_a_third_expert_was_called_stays(desk: Desk) -> None:
    (one, first), (other, second) = desk.given(DIFFERENT)
    one.draft(first, shipped(DIFFERENT, 1))
    desk.stage.advance(HOUR + 60)
    desk.stage.tick()
    desk.olga.decide("extend", other.name, second, seconds=HOUR)
    other.mark_up(second, shipped(DIFFERENT, 2))
    assert desk.olga.essay(DIFFERENT)["third"]["needed"]
    for what, said in (("extend", {"seconds": 10}), ("reassign", {}), ("release", {})):
        assert desk.olga.decide(what, one.name, first, **said).refusal == (409, "third_called")


def test_a_markup_that_goes_away_takes_the_rules_answer_with_it(stage: Stage) -> None:
    """An expired markup is reopened before a third expert is called; the rule is asked again about its new version."""
    desk = Desk(stage, (DIFFERENT,), "anna boris clara")
    (one, first), (other, second) = desk.given(DIFFERENT)
    one.draft(first, shipped(DIFFERENT, 2))
    desk.stage.advance(HOUR + 60)
    desk.stage.tick()
    other.mark_up(second, shipped(DIFFERENT, 2))
    assert desk.olga.essay(DIFFERENT)["third"]["needed"] is False
    assert desk.olga.decide("extend", one.name, first, seconds=HOUR).json["state"] == "opened"
    assert desk.olga.essay(DIFFERENT)["third"] is None
    one.save(first, 1, shipped(DIFFERENT, 1))
    one.hand_in(first, 2)
    assert desk.olga.essay(DIFFERENT)["third"]["needed"] is True


def test_a_markup_that_goes_away_calls_nobody(monkeypatch: pytest.MonkeyPatch, stage: Stage) -> None:
    """The rule's answer is written only if both markups are still what it was asked about."""
    desk = Desk(stage, (DIFFERENT,), "anna boris clara")
    (one, first), (other, second) = desk.given(DIFFERENT)
    one.draft(first, shipped(DIFFERENT, 1))
    desk.stage.advance(HOUR + 60)
    desk.stage.tick()
    really, inside = judged_essays._decision, []

    def meanwhile(platform: Any, at: Any, essay: Any, two: Any) -> Any:
        if len(two) == 2 and not inside:
            inside.append(1)
            found = platform.experts.assignment(one.name, first)
            platform.experts.write(
                Written((replace(found, state=AssignmentState.OPENED, version=found.version + 1),)), None
            )
        return really(platform, at, essay, two)

    monkeypatch.setattr(judged_essays, "_decision", meanwhile)
    other.draft(second, shipped(DIFFERENT, 2))
    assert other.hand_in(second, 1).status == 200
    assert inside == [1]
    assert desk.stage.platform.experts.essay(desk.olga.progress()["marking"]["marking_id"], DIFFERENT).third is None
    assert len(desk.olga.essay(DIFFERENT)["assignments"]) == 2
