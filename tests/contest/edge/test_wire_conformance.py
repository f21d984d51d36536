"""What goes out as stored bytes has the documented form too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from contest.edge import document
from tests.experts_stage import CYCLE, DIFFERENT, Desk, Expert, shipped
from tests.stage import Program, staged

pytestmark = pytest.mark.integration

DOCUMENT = json.loads(document.text())


def conforms(answered: Any, method: str, path: str) -> None:
    """Check an answer against the checked-in document."""
    described = DOCUMENT["paths"][path][method]["responses"][str(answered.status)]
    schema = {**described["content"]["application/json"]["schema"], "components": DOCUMENT["components"]}
    jsonschema.Draft202012Validator(schema).validate(answered.json)


@pytest.mark.parametrize("kind", ["train", "test"])
def test_every_answer_of_a_whole_session_is_as_documented(tmp_path: Path, kind: str) -> None:
    with staged(tmp_path) as stage:
        stage.load()
        program = Program(stage, stage.team("red"))
        session = "/v1/sessions/{session_id}"
        conforms(program.open(set=kind, client={"name": "pku", "version": "1"}), "post", "/v1/sessions")
        conforms(program.open(set=kind), "post", "/v1/sessions")
        conforms(program.get("next"), "get", f"{session}/next")
        conforms(program.get("files/1"), "get", f"{session}/files/{{number}}")
        conforms(program.answer(1, "[]"), "put", f"{session}/files/{{number}}/answer")
        conforms(program.answer(1, {"letters": "abcd"}), "put", f"{session}/files/{{number}}/answer")
        conforms(program.get("files/9"), "get", f"{session}/files/{{number}}")
        conforms(program.get("report"), "get", f"{session}/report")
        stage.advance(1)
        conforms(program.ask("PUT", f"/v1/sessions/{program.session_id}/log", "x"), "put", f"{session}/log")
        conforms(program.get(), "get", session)
        conforms(program.ask("POST", f"/v1/sessions/{program.session_id}/abort"), "post", f"{session}/abort")
        conforms(program.get("report"), "get", f"{session}/report")
        conforms(program.get("files/1/score"), "get", f"{session}/files/{{number}}/score")
        stage.score_all()
        for what in ("report", "receipts"):
            conforms(program.get(what), "get", f"{session}/{what}")
        stage.advance(1)
        for what in ("score", "comparison"):
            conforms(program.get(f"files/1/{what}"), "get", f"{session}/files/{{number}}/{what}")
        conforms(program.ask("GET", "/v1/sessions"), "get", "/v1/sessions")
        for path in ("/v1/cycle", "/v1/keys", "/v1/leaderboards/qualification"):
            conforms(stage.request("GET", path), "get", path)
        conforms(stage.request("GET", "/v1/sessions"), "get", "/v1/sessions")
        conforms(stage.request("GET", "/v1/sessions", token="hrd_" + "x" * 43), "get", "/v1/sessions")


def test_every_answer_to_experts_and_their_coordinator_is_as_documented(tmp_path: Path) -> None:
    own, given = "/v1/assignments/{assignment_id}", "/v1/experts/{expert_id}/assignments/{assignment_id}"
    with staged(tmp_path, cycle=CYCLE) as stage:
        desk = Desk(stage, (DIFFERENT,), "anna boris clara")
        conforms(desk.olga.add("dora"), "put", "/v1/experts/{expert_id}")
        conforms(desk.olga.ask("GET", "/v1/experts"), "get", "/v1/experts")
        conforms(desk.olga.assign(set="train", preview=True), "post", "/v1/markings")
        conforms(desk.olga.ask("GET", "/v1/markings"), "get", "/v1/markings")
        (one, first), (_, second) = desk.given(DIFFERENT)
        conforms(one.ask("GET", "/v1/assignments"), "get", "/v1/assignments")
        conforms(one.work(first), "get", own)
        conforms(one.open(first), "post", f"{own}/open")
        conforms(one.save(first, None, {}), "put", f"{own}/draft")
        conforms(one.save(first, 0, {}), "put", f"{own}/draft")
        conforms(one.save(first, 1, shipped(DIFFERENT, 1)), "put", f"{own}/draft")
        conforms(one.save(first, 0, shipped(DIFFERENT, 1)), "put", f"{own}/draft")
        conforms(one.hand_in(first, 1), "post", f"{own}/hand-in")
        stage.advance(1)
        conforms(one.save(first, 1, shipped(DIFFERENT, 1)), "put", f"{own}/draft")
        conforms(one.ask("GET", f"/v1/assignments/{first}/drafts"), "get", f"{own}/drafts")
        conforms(one.ask("GET", f"/v1/assignments/{first}/drafts/1"), "get", f"{own}/drafts/{{revision}}")
        conforms(one.hand_in(first, 2), "post", f"{own}/hand-in")
        desk.given(DIFFERENT)[1][0].mark_up(second, shipped(DIFFERENT, 2))
        third, shown = desk.given(DIFFERENT)[2]
        conforms(third.open(shown), "post", f"{own}/open")
        conforms(desk.olga.decide("extend", third.name, shown, seconds=5), "post", f"{given}/extend")
        conforms(desk.olga.decide("reassign", third.name, shown), "post", f"{given}/reassign")
        last, left = desk.given(DIFFERENT)[3]
        conforms(last.ask("POST", f"/v1/assignments/{left}/hand-back", {"reason": "x"}), "post", f"{own}/hand-back")
        conforms(desk.olga.decide("release", last.name, left), "post", f"{given}/release")
        conforms(desk.olga.decide("extend", last.name, left, seconds=5), "post", f"{given}/extend")
        marking = desk.olga.progress()["marking"]["marking_id"]
        for what in ("", "/agreement"):
            answered = desk.olga.ask("GET", f"/v1/markings/{marking}{what}")
            conforms(answered, "get", f"/v1/markings/{{marking_id}}{what}")
        dora = Expert(stage, "dora")
        begun = dora.ask("POST", "/v1/calibrations")
        conforms(begun, "post", "/v1/calibrations")
        assignment_id = begun.json["assignment_id"]
        conforms(dora.ask("GET", f"/v1/assignments/{assignment_id}/calibration"), "get", f"{own}/calibration")
        dora.mark_up(assignment_id, shipped(DIFFERENT, 1))
        conforms(dora.ask("GET", f"/v1/assignments/{assignment_id}/calibration"), "get", f"{own}/calibration")
