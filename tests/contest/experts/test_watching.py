"""Agreement and speed of experts as the coordinator and the commission see them, over HTTP."""

from __future__ import annotations

import json

import pytest

from contest.people.rules import Role
from tests.experts_stage import Desk, Person, shipped
from tests.stage import Stage
from tracks.capabilities import Agreed
from tracks.essay import experts
from tracks.essay.items import complete, use
from tracks.protocol import ItemFacts

HISTORY = ("hist-01", "hist-02", "hist-03", "hist-04")


@pytest.mark.clause("platform §5 progress", "R 8.3.2", "platform §1 commission")
def test_platform_5_agreement_speed_and_drift_are_shown_of_what_the_two_have_handed_in(stage: Stage) -> None:
    desk = Desk(stage, HISTORY, "anna boris")
    rows, took = [], {"anna": 300, "boris": 500}
    for item in HISTORY:
        names = []
        for number, (expert, assignment_id) in enumerate(desk.given(item), start=1):
            names.append(expert.name)
            expert.open(assignment_id)
            expert.save(assignment_id, 0, shipped(item, number))
            stage.advance(took[expert.name])
            expert.hand_in(assignment_id, 1)
        pair = experts.pair(shipped(item, 1), shipped(item, 2), use(complete({})[0]))
        rows.append(Agreed(ItemFacts(item, "rus", "hist"), (names[0], names[1]), pair))
    marking_id = desk.olga.progress()["marking"]["marking_id"]
    for who in (desk.olga, Person(stage, Role.COMMISSION, "carl")):
        answered = who.ask("GET", f"/v1/markings/{marking_id}/agreement")
        assert answered.status == 200, answered.text
        found = answered.json
        seed = stage.platform.catalogue.parameters(1).bootstrap_seed
        assert found["agreement"] == json.loads(json.dumps(experts.agreement(rows, seed)))
        assert [(each["expert_id"], each["essays"], each["median_s"], each["mean_s"]) for each in found["speeds"]] == [
            ("anna", 4, 300.0, 300.0),
            ("boris", 4, 500.0, 500.0),
        ]
        assert found["speeds"][0]["mean_95"] == [300.0, 300.0]


def test_one_markup_tells_no_agreement_and_what_ran_out_nothing_of_an_experts_speed(desk: Desk) -> None:
    (expert, assignment_id), _ = desk.given("hist-01")
    expert.mark_up(assignment_id, shipped("hist-01", 1))
    marking_id = desk.olga.progress()["marking"]["marking_id"]
    found = desk.olga.ask("GET", f"/v1/markings/{marking_id}/agreement").json
    assert found["agreement"]["all"]["essays"] == 0
    assert [each["expert_id"] for each in found["speeds"]] == [expert.name]
    other, late = desk.given("hist-01")[1]
    other.open(late)
    other.save(late, 0, shipped("hist-01", 1))
    desk.stage.advance(4000)
    desk.stage.tick()
    assert desk.olga.ask("GET", f"/v1/markings/{marking_id}/agreement").json["speeds"] == found["speeds"]
    assert desk.olga.ask("GET", "/v1/markings/nothing/agreement").code == "unknown_marking"


def test_a_third_experts_markup_is_not_counted_as_agreement(stage: Stage) -> None:
    """It has seen the two others."""
    desk = Desk(stage, ("hist-02",), "anna boris clara")
    desk.mark_up("hist-02")
    marking_id = desk.olga.progress()["marking"]["marking_id"]
    path = f"/v1/markings/{marking_id}/agreement"
    before = desk.olga.ask("GET", path).json["agreement"]
    third, assignment_id = desk.given("hist-02")[2]
    third.mark_up(assignment_id, shipped("hist-02", 1))
    after = desk.olga.ask("GET", path).json
    assert after["agreement"] == before
    assert third.name in {each["expert_id"] for each in after["speeds"]}
