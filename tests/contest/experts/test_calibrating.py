"""An expert marks up training essays first; a third one is called by the rule and decides between two markups."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from contest.cycle.loading import load_cycle
from contest.edge.pages import tables
from contest.experts import judged_essays, work
from contest.experts.progress import marking_report
from contest.experts.rules.assignment import AssignmentState
from contest.people.rules import Role
from contest.room_ports import Written
from contest.values import LONGEST_REASON
from markup_core import third_expert
from markup_core.accuracy import score_pair
from markup_core.reading.validation import load
from tests.contest.experts.test_coordinating import changes
from tests.experts_stage import AGREED, CYCLE, DIFFERENT, Coordinator, Desk, Expert, essay_cycle, shipped
from tests.stage import Answered, Stage

ITEMS = ("hist-01", "hist-02", "lit-01")
TEXTS = {shipped(item)["text"]: item for item in ITEMS}


@pytest.fixture
def anna(stage: Stage) -> Expert:
    """Return a historian without any assignment."""
    load_cycle(stage.platform, "tests", CYCLE, essay_cycle(ITEMS), lambda _: None)
    Coordinator(stage).add("anna")
    return Expert(stage, "anna")


def begun(expert: Expert) -> tuple[str, str]:
    """Begin a calibration; return its assignment and its essay."""
    answered = expert.ask("POST", "/v1/calibrations").body()
    assignment_id = str(answered["assignment_id"])
    return assignment_id, TEXTS[expert.open(assignment_id).json["content"]["text"]]


def accuracy(x: object, y: object) -> float:
    found = score_pair(load(x), load(y), x_is_expert=True).pair_accuracy
    assert found is not None
    return found


@pytest.mark.clause("platform §5 calibration")
def test_platform_5_an_expert_sees_its_agreement_with_the_experts_of_a_training_essay(anna: Expert) -> None:
    assignment_id, item = begun(anna)
    path = f"/v1/assignments/{assignment_id}/calibration"
    own = {**shipped(item, 1), "selections": shipped(item, 1)["selections"][2:]}
    anna.save(assignment_id, 0, own)
    assert anna.ask("GET", path).refusal == (409, "calibration_not_done")
    assert anna.work(assignment_id).json["earlier"] is None
    assert anna.hand_in(assignment_id, 1).status == 200
    found = anna.ask("GET", path).json
    expected = [accuracy(own, shipped(item, number)) for number in (1, 2)]
    assert [each["accuracy"] for each in found["experts"]] == expected
    assert found["accuracy"] == pytest.approx(sum(expected) / 2)
    among = [accuracy(shipped(item, one), shipped(item, other)) for one, other in ((1, 2), (2, 1))]
    assert found["experts_accuracy"] == pytest.approx(sum(among) / 2)
    shown = [len(each["markup"]["selections"]) for each in found["experts"]]
    assert shown == [len(shipped(item, number)["selections"]) for number in (1, 2)]
    names = [shipped(item, number)["meta"]["expert"] for number in (1, 2)]
    assert not [name for name in names if name in anna.ask("GET", path).text]


def test_experts_calibrate_on_the_same_essay_without_a_rule_and_beside_their_work(stage: Stage, anna: Expert) -> None:
    olga = Coordinator(stage)
    olga.add("boris")
    boris = Expert(stage, "boris")
    for expert in (anna, boris):
        for _ in range(2):
            assignment_id, item = begun(expert)
            expert.save(assignment_id, 0, shipped(item, 1 if expert is anna else 2))
            expert.hand_in(assignment_id, 1)
    stage.tick()
    (marking,) = olga.ask("GET", "/v1/markings").json["markings"]
    essays = olga.progress(marking["marking_id"])["essays"]
    assert {each["item_id"]: len(each["assignments"]) for each in essays} == {"hist-01": 2, "hist-02": 2}
    assert [(each["third"], each["lacking"]) for each in essays] == [(None, 0), (None, 0)]
    olga.add("anna", ("hist", "lit"))
    olga.add("boris", ("hist", "lit"))
    assert all(each["before"] == 0 for each in olga.assign(set="train").json["loads"])


def test_every_training_essay_comes_once_one_at_a_time_and_to_experts_alone(anna: Expert) -> None:
    stranger = Expert(anna.stage, "stranger")
    assert stranger.ask("POST", "/v1/calibrations").code == "unknown_expert"
    assignment_id, _ = begun(anna)
    assert stranger.ask("GET", f"/v1/assignments/{assignment_id}/calibration").code == "unknown_assignment"
    first, one = begun(anna)
    assert begun(anna) == (first, one), "the one under way"
    anna.save(first, 0, shipped(one, 1))
    anna.hand_in(first, 1)
    second, other = begun(anna)
    assert {one, other} == {"hist-01", "hist-02"}
    anna.save(second, 0, shipped(other, 1))
    anna.hand_in(second, 1)
    assert anna.ask("POST", "/v1/calibrations").refusal == (409, "nothing_to_calibrate")
    assert [each["calibration"] for each in anna.own()] == [True, True]


def test_an_assignment_that_is_no_calibration_shows_no_agreement(stage: Stage) -> None:
    from tests.experts_stage import Desk

    desk = Desk(stage)
    (expert, assignment_id), _ = desk.given("hist-01")
    expert.mark_up(assignment_id, shipped("hist-01", 1))
    assert expert.ask("GET", f"/v1/assignments/{assignment_id}/calibration").code == "calibration_not_done"


def write(expert: Expert, assignment_id: str, text: Any) -> Answered:
    return expert.ask("PUT", f"/v1/assignments/{assignment_id}/note", {"text": text})


def third_decides(desk: Desk, number: int = 2) -> None:
    """Let the two mark up the essay on which they differ, and the third hand in one of these markups."""
    desk.mark_up(DIFFERENT)
    (third,) = [each for each in desk.olga.essay(DIFFERENT)["assignments"] if each["third"]]
    Expert(desk.stage, third["expert_id"]).mark_up(third["assignment_id"], shipped(DIFFERENT, number))


def test_a_note_is_written_from_the_opening_on_also_after_handing_in_and_coordinators_read_it(desk: Desk) -> None:
    (anna, assignment_id), (boris, _) = desk.given(AGREED)
    assert write(anna, assignment_id, "unreadable").refusal == (409, "assignment_not_opened")
    anna.open(assignment_id)
    assert write(anna, assignment_id, "The last page is missing").json["note"] == "The last page is missing"
    markup = shipped(AGREED, 1)
    assert anna.save(assignment_id, 0, markup).status == 200, "a note is no draft: its revision stays"
    assert anna.hand_in(assignment_id, 1).status == 200
    text = "Последняя страница ёлки 🎄"
    assert write(anna, assignment_id, text).json["note"] == text
    actual = {assignment["expert_id"]: assignment["note"] for assignment in desk.olga.essay(AGREED)["assignments"]}
    assert actual == {anna.name: text, boris.name: ""}
    commission = Coordinator(desk.stage, "carl", Role.COMMISSION)
    assert commission.essay(AGREED) == desk.olga.essay(AGREED)
    marking = desk.olga.ask("GET", "/v1/markings").json["markings"][0]["marking_id"]
    exported = desk.olga.ask("GET", f"/v1/markings/{marking}/markups").text
    assert (AGREED in exported, text in exported) == (True, False), "it is no part of the markup"
    exported_tables = tables(marking_report(desk.stage.platform, marking))
    (essays,) = [each for each in exported_tables if each.name == "essays"]
    assert [each["notes"] for each in essays.records()] == [f"{anna.name}: {text}"]
    assert [write(anna, assignment_id, "").json["note"] for _ in range(2)] == ["", ""]
    assert len(changes(desk.stage, "assignment noted")) == 3, "an equal note changes nothing"


def test_a_note_is_bounded_and_ones_own_and_an_assignment_says_how_many_words_its_text_has(desk: Desk) -> None:
    (anna, assignment_id), (boris, _) = desk.given(AGREED)
    anna.open(assignment_id)
    assert write(anna, assignment_id, "я" * LONGEST_REASON).status == 200
    for wrong in ("я" * (LONGEST_REASON + 1), 7, None):
        assert write(anna, assignment_id, wrong).status == 422
    assert write(boris, assignment_id, "mine").refusal == (404, "unknown_assignment")
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
    assert write(anna, assignment_id, "later").refusal == (409, "assignment_ended")
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


HOUR = 3600


@pytest.fixture
def third_desk(stage: Stage) -> Desk:
    """One essay on which its two experts will differ, and a third historian."""
    return Desk(stage, (DIFFERENT,), "anna boris clara")


def the_third(third_desk: Desk, item: str = DIFFERENT) -> tuple[Expert, str]:
    (third,) = [assignment for assignment in third_desk.olga.essay(item)["assignments"] if assignment["third"]]
    return Expert(third_desk.stage, third["expert_id"]), third["assignment_id"]


def reasons(item: str) -> Sequence[str]:
    first, second = (load(shipped(item, number)) for number in (1, 2))
    return [reason.message.en for reason in third_expert(first, second).reasons]


@pytest.mark.clause("R 7.10", "platform §5 third")
def test_r_7_10_when_the_two_differ_a_third_expert_is_given_the_essay_with_the_reasons(third_desk: Desk) -> None:
    (one, first), (other, second) = third_desk.given(DIFFERENT)
    one.mark_up(first, shipped(DIFFERENT, 1))
    assert third_desk.olga.essay(DIFFERENT)["third"] is None
    other.mark_up(second, shipped(DIFFERENT, 2))
    essay = third_desk.olga.essay(DIFFERENT)
    assert [each["message"] for each in essay["third"]["reasons"]] == reasons(DIFFERENT)
    assert all(each["message_ru"] != each["message"] for each in essay["third"]["reasons"])
    assert (essay["third"]["needed"], essay["lacking"], essay["done"]) == (True, 0, False)
    expert, assignment_id = the_third(third_desk)
    assert expert.name not in {one.name, other.name}
    (own,) = expert.own()
    assert (own["assignment_id"], own["third"], own["state"], own["limit_s"]) == (assignment_id, True, "assigned", HOUR)
    expert.mark_up(assignment_id, shipped(DIFFERENT, 1))
    essay = third_desk.olga.essay(DIFFERENT)
    assert (essay["done"], len(essay["assignments"])) == (True, 3)


@pytest.mark.clause("R 7.10", "platform §5 third")
def test_r_7_10_when_the_two_agree_nobody_is_called(stage: Stage) -> None:
    third_desk = Desk(stage, (AGREED,), "anna boris clara")
    third_desk.mark_up(AGREED)
    essay = third_desk.olga.essay(AGREED)
    assert (essay["third"]["needed"], essay["done"], len(essay["assignments"])) == (False, True, 2)


@pytest.mark.clause("R 7.10", "platform §5 third")
def test_a_third_expert_sees_both_markups_without_a_name_and_gives_way_to_another_third_expert(
    third_desk: Desk,
) -> None:
    third_desk.mark_up(DIFFERENT)
    expert, assignment_id = the_third(third_desk)
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
    named = [expert.name for expert, _ in third_desk.given(DIFFERENT)[:2]] + [
        name for _, name in third_desk.given(DIFFERENT)[:2]
    ]
    signed = [shipped(DIFFERENT, number)["meta"]["expert"] for number in (1, 2)]
    assert all(signed)
    assert [each for each in (*named, *signed) if each in text] == []
    third_desk.olga.add("dora")
    given_anew = third_desk.olga.decide("reassign", expert.name, assignment_id)
    assert (given_anew.json["expert_id"], given_anew.json["third"]) == ("dora", True)
    assert Expert(third_desk.stage, "dora").open(given_anew.json["assignment_id"]).json["earlier"]["markups"]


def test_a_markup_that_ran_out_counts_as_one_of_the_two(third_desk: Desk) -> None:
    (one, first), (other, second) = third_desk.given(DIFFERENT)
    one.mark_up(first, shipped(DIFFERENT, 1))
    other.draft(second, shipped(DIFFERENT, 2))
    third_desk.stage.advance(HOUR + 10)
    assert third_desk.stage.tick()["considered"] == 0
    assert third_desk.olga.essay(DIFFERENT)["third"] is None
    third_desk.stage.advance(60)
    swept = third_desk.stage.tick()
    assert (swept["expired"], swept["considered"]) == (1, 1)
    assert third_desk.olga.essay(DIFFERENT)["third"]["needed"]
    assert the_third(third_desk)[0].own()[0]["state"] == "assigned"


def test_the_timer_asks_what_a_dying_function_has_not(monkeypatch: pytest.MonkeyPatch, third_desk: Desk) -> None:
    def dead(*_: Any) -> bool:
        raise RuntimeError

    (one, first), (other, second) = third_desk.given(DIFFERENT)
    one.mark_up(first, shipped(DIFFERENT, 1))
    other.draft(second, shipped(DIFFERENT, 2))
    with monkeypatch.context() as dying:
        dying.setattr(work, "apply_third_expert_rule", dead)
        assert other.hand_in(second, 1).status == 500
    assert other.work(second).json["assignment"]["state"] == "handed_in"
    assert third_desk.olga.essay(DIFFERENT)["done"] is False, "the rule has not been asked"
    assert third_desk.stage.tick()["considered"] == 1
    assert third_desk.stage.tick()["considered"] == 0
    assert the_third(third_desk)[1]


def test_the_rule_asked_twice_at_once_gives_one_third_expert(monkeypatch: pytest.MonkeyPatch, third_desk: Desk) -> None:
    """Two processes decide on the same facts; the second one's write loses, and it sees that nothing is left to do."""
    really, inside = judged_essays._decision, []

    def meanwhile(platform: Any, at: Any, essay: Any, two: Any) -> Any:
        if len(two) == 2 and not inside:
            inside.append(1)
            assert judged_essays.apply_third_expert_rule(platform, essay.marking_id, essay.item_id)
        return really(platform, at, essay, two)

    monkeypatch.setattr(judged_essays, "_decision", meanwhile)
    third_desk.olga.add("dora")
    third_desk.mark_up(DIFFERENT)
    assert inside == [1]
    assert [row["third"] for row in third_desk.olga.essay(DIFFERENT)["assignments"]] == [False, False, True]


def test_without_a_competent_third_expert_one_is_lacking_until_there_is_one(stage: Stage) -> None:
    third_desk = Desk(stage, (DIFFERENT,), "anna boris")
    third_desk.olga.add("anna", groups=("x",))
    third_desk.olga.add("clara", groups=("x",))
    third_desk.mark_up(DIFFERENT)
    essay = third_desk.olga.essay(DIFFERENT)
    assert (essay["third"]["needed"], essay["lacking"], len(essay["assignments"])) == (True, 1, 2)
    refused = third_desk.olga.assign(set="train")
    assert refused.json["error"]["details"][0]["code"] == "no_other_expert"
    third_desk.olga.add("dora")
    assert third_desk.olga.assign(set="train").json["given"] == {DIFFERENT: ["dora"]}
    expert, assignment_id = the_third(third_desk)
    assert expert.open(assignment_id).json["earlier"]["markups"]


def test_a_markup_on_which_a_third_expert_was_called_stays(third_desk: Desk) -> None:
    (one, first), (other, second) = third_desk.given(DIFFERENT)
    one.draft(first, shipped(DIFFERENT, 1))
    third_desk.stage.advance(HOUR + 60)
    third_desk.stage.tick()
    third_desk.olga.decide("extend", other.name, second, seconds=HOUR)
    other.mark_up(second, shipped(DIFFERENT, 2))
    assert third_desk.olga.essay(DIFFERENT)["third"]["needed"]
    for what, said in (("extend", {"seconds": 10}), ("reassign", {}), ("release", {})):
        assert third_desk.olga.decide(what, one.name, first, **said).refusal == (409, "third_called")
    expert, third = the_third(third_desk)
    expert.draft(third, shipped(DIFFERENT, 1))
    third_desk.stage.advance(HOUR + 60)
    assert third_desk.olga.decide("extend", expert.name, third, seconds=10).json["state"] == "opened"


def test_a_markup_that_goes_away_takes_the_rules_answer_with_it(stage: Stage) -> None:
    """An expired markup is reopened before a third expert is called; the rule is asked again about its new version."""
    third_desk = Desk(stage, (DIFFERENT,), "anna boris clara")
    (one, first), (other, second) = third_desk.given(DIFFERENT)
    one.draft(first, shipped(DIFFERENT, 2))
    third_desk.stage.advance(HOUR + 60)
    third_desk.stage.tick()
    other.mark_up(second, shipped(DIFFERENT, 2))
    assert third_desk.olga.essay(DIFFERENT)["third"]["needed"] is False
    assert third_desk.olga.decide("extend", one.name, first, seconds=HOUR).json["state"] == "opened"
    assert third_desk.olga.essay(DIFFERENT)["third"] is None
    one.save(first, 1, shipped(DIFFERENT, 1))
    one.hand_in(first, 2)
    assert third_desk.olga.essay(DIFFERENT)["third"]["needed"] is True


def test_a_markup_that_goes_away_calls_nobody(monkeypatch: pytest.MonkeyPatch, stage: Stage) -> None:
    """The rule's answer is written only if both markups are still what it was asked about."""
    third_desk = Desk(stage, (DIFFERENT,), "anna boris clara")
    (one, first), (other, second) = third_desk.given(DIFFERENT)
    one.draft(first, shipped(DIFFERENT, 1))
    third_desk.stage.advance(HOUR + 60)
    third_desk.stage.tick()
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
    assert (
        third_desk.stage.platform.experts.essay(third_desk.olga.progress()["marking"]["marking_id"], DIFFERENT).third
        is None
    )
    assert len(third_desk.olga.essay(DIFFERENT)["assignments"]) == 2
