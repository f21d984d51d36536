"""Annotators describe errors on the platform, blind, by the article's six fields; what they hand in is a set (G-7)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contest.people.rules import Role
from tests.contest.contests.test_gec import SPELLING, TENSE, gec_cycle
from tests.experts_stage import Coordinator, Expert
from tests.stage import Stage
from tests.stage_kept import Setting

pytestmark = [pytest.mark.integration, pytest.mark.slow]
CONTEXT = {"detection": True, "correction": True, "scope": "sentence", "direction": "left", "left": 1}
FAR = {**CONTEXT, "left": 3, "detection": False}


def loaded(stage: Stage) -> None:
    files = gec_cycle()
    parameters = {"requests_per_second": 1_000, "least_hidden_items": 1}
    head = {**files["cycle.json"], "sets": {"test": {"kind": "test"}}, "parameters": parameters}
    stage.load({"cycle.json": head, "test/t0.json": files["test/t0.json"]})


STAGE = Setting("gec-1", loaded)


@pytest.fixture
def olga(stage: Stage) -> Coordinator:
    return Coordinator(stage)


@pytest.fixture
def annotators(olga: Coordinator, stage: Stage) -> list[Expert]:
    found = [Expert(stage, name) for name in ("anna", "boris")]
    for each in found:
        assert olga.add(each.name, subjects=("letters",), languages=["eng"]).status == 200
    begun = olga.assign(set="test")
    assert begun.status == 200, begun.text
    return found


def task_of(expert: Expert) -> str:
    (only,) = expert.own()
    return str(only["assignment_id"])


def edits(*found: Any) -> dict[str, Any]:
    return {"edits": list(found)}


@pytest.mark.clause("TS G-7", "G annotation")
def test_g_7_annotators_work_blind_and_make_a_set(stage: Stage, olga: Coordinator, annotators: list[Expert]) -> None:
    anna, boris = annotators
    first = edits({**TENSE, "context": CONTEXT}, SPELLING)
    anna.mark_up(task_of(anna), first)
    opened = boris.open(task_of(boris))
    assert opened.json["content"]["tokens"] == ["I", "go", "their", "."]
    assert "context" not in opened.text.replace("context_", ""), "nobody sees what another annotator has said"
    boris.save(task_of(boris), 0, edits({**TENSE, "context": FAR}))
    assert boris.hand_in(task_of(boris), 1).status == 200
    marking = olga.ask("GET", "/v1/markings").json["markings"][0]["marking_id"]
    told = olga.ask("GET", f"/v1/markings/{marking}/agreement")
    assert told.status == 200, told.text
    fields = told.json["agreement"]["by_field"]
    assert fields["direction"]["same_percent"] == fields["scope"]["same_percent"] == 50.0, "one error has one label"
    assert fields["distance"]["same_percent"] == fields["detection"]["same_percent"] == 0.0
    assert fields["type"]["fleiss_kappa"] is None, "a label is missing"
    assert olga.ask("GET", f"/v1/markings/{marking}/report.csv").status == 200

    files = {each["name"]: json.loads(each["text"]) for each in markups(olga, marking)}
    assert set(files) == {"t0.json", "t0_exp01.json", "t0_exp02.json"}
    assert anna.name not in json.dumps(files), "pseudonyms alone"
    head = {**gec_cycle()["cycle.json"], "sets": {"again": {"kind": "training"}}}
    loaded = stage.load({"cycle.json": head, **{f"again/{name}": each for name, each in files.items()}})
    assert loaded is not None
    assert len(stage.platform.catalogue.cycle().sets) == 1  # type: ignore[union-attr]
    assert markups(olga, marking, after="t0") == []


def markups(olga: Coordinator, marking: str, after: str = "") -> Any:
    answered = olga.ask("GET", f"/v1/markings/{marking}/markups?after={after}")
    assert answered.status == 200, answered.text
    return answered.json["files"]


@pytest.mark.clause("TS G-7", "G fields 1", "G fields 3", "G fields 4", "G fields 5")
def test_g_7_an_error_that_depends_on_context_says_all_of_it(stage: Stage, annotators: list[Expert]) -> None:
    anna, _ = annotators
    task = task_of(anna)
    anna.open(task)
    faulty = [
        (edits(TENSE), "context_missing"),
        (edits({**TENSE, "context": {**CONTEXT, "left": 0}}), "invalid_reference"),
        (edits({**TENSE, "end": 9, "context": CONTEXT}), "invalid_reference"),
        ([], "wrong_form"),
    ]
    for number, (draft, code) in enumerate(faulty):
        stage.advance(10)
        saved = anna.save(task, number, draft)
        assert saved.status == 200, saved.text
        assert [each["code"] for each in saved.json["judged"]["faults"]] == [code], draft
        assert all(each["message_ru"] for each in saved.json["judged"]["faults"])
        assert anna.hand_in(task, number + 1).code == "markup_not_valid"


@pytest.mark.clause("TS G-7", "platform §1 rights")
def test_g_7_organizers_alone_take_markups(stage: Stage, olga: Coordinator, annotators: list[Expert]) -> None:
    marking = olga.ask("GET", "/v1/markings").json["markings"][0]["marking_id"]
    for token in (annotators[0].token, stage.team("red"), stage.person(Role.COMMISSION)):
        assert stage.request("GET", f"/v1/markings/{marking}/markups", token=token).status == 403
