"""An expert marks up training essays first and sees how far it agrees with their experts."""

from __future__ import annotations

import pytest

from contest.cycle.loading import load_cycle
from markup_core.accuracy import score_pair
from markup_core.reading.validation import load
from tests.experts_stage import CYCLE, Coordinator, Expert, essay_cycle, shipped
from tests.stage import Stage

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
    answered = expert.ask("POST", "/v1/calibrations")
    assert answered.status == 200, answered.text
    assignment_id = str(answered.json["assignment_id"])
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
    early = anna.ask("GET", path)
    assert (early.status, early.code) == (409, "calibration_not_done")
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


def test_every_training_essay_of_the_experts_competence_comes_once_and_one_at_a_time(anna: Expert) -> None:
    first, one = begun(anna)
    assert begun(anna) == (first, one), "the one under way"
    anna.save(first, 0, shipped(one, 1))
    anna.hand_in(first, 1)
    second, other = begun(anna)
    assert {one, other} == {"hist-01", "hist-02"}
    anna.save(second, 0, shipped(other, 1))
    anna.hand_in(second, 1)
    refused = anna.ask("POST", "/v1/calibrations")
    assert (refused.status, refused.code) == (409, "nothing_to_calibrate")
    assert [each["calibration"] for each in anna.own()] == [True, True]


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


def test_who_is_no_expert_gets_no_essay(anna: Expert) -> None:
    stranger = Expert(anna.stage, "stranger")
    assert stranger.ask("POST", "/v1/calibrations").code == "unknown_expert"
    assignment_id, _ = begun(anna)
    assert stranger.ask("GET", f"/v1/assignments/{assignment_id}/calibration").code == "unknown_assignment"


def test_an_assignment_that_is_no_calibration_shows_no_agreement(stage: Stage) -> None:
    from tests.experts_stage import Desk

    desk = Desk(stage)
    (expert, assignment_id), _ = desk.given("hist-01")
    expert.mark_up(assignment_id, shipped("hist-01", 1))
    assert expert.ask("GET", f"/v1/assignments/{assignment_id}/calibration").code == "calibration_not_done"
