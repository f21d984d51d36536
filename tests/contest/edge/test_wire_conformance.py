"""Answers, stored bytes too, have the documented form, and a track's own parts the form that the track gives them.

The document of a toy track is made here; real essays are checked against the document in the repository.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from contest.commands.main import Folder
from contest.cycle.loading import load_cycle
from contest.edge import document
from contest.results import publishing
from tests.apps import APPS
from tests.documented import DOCUMENT, conforms
from tests.experts_stage import CYCLE, DIFFERENT, Desk, Expert, shipped
from tests.run_stage import ABSENT, RunOnStage
from tests.stage import Program, staged
from tests.toys import ToyTrack

pytestmark = [pytest.mark.integration, pytest.mark.slow]

DEMONSTRATION = Path(__file__).resolve().parents[3] / "local" / "demonstration"
SESSION = "/v1/sessions/{session_id}"
FILE = f"{SESSION}/files/{{number}}"
_OF_A_SESSION = [201, 409, 200, 200, 422, 200, 404, 409, 200, 200, 200, 202, 202, 200, 200, 200]
SESSION_STATUSES = {
    kind: [*_OF_A_SESSION, comparison, 200, 200, 200, 200, 200, 401, 403]
    for kind, comparison in (("train", 200), ("test", 403))
}
EXPERTS_STATUSES = [*[200] * 7, 428, 200, 429, 412, 422, *[200] * 9, 409, 200, 200, 200, 409, 200]


@cache
def toys() -> dict[str, Any]:
    """Return the document of a platform with a toy track alone."""
    return document.build(APPS, [ToyTrack()])


class Statuses:
    """Checks answers against a document, and keeps their statuses: refusals alone would conform, too."""

    def __init__(self, made: Any) -> None:
        self._made = made
        self.statuses: list[int] = []

    def conform(self, answered: Any, method: str, path: str) -> None:
        conforms(answered, method, path, self._made)
        self.statuses.append(answered.status)


@pytest.mark.parametrize("kind", ["train", "test"])
def test_every_answer_of_a_whole_session_is_as_documented(tmp_path: Path, kind: str) -> None:
    seen = Statuses(toys())
    with staged(tmp_path) as stage:
        stage.load()
        program = Program(stage, stage.team("red"))
        session = "/v1/sessions/{session_id}"
        seen.conform(program.open(set=kind, client={"name": "pku", "version": "1"}), "post", "/v1/sessions")
        seen.conform(program.open(set=kind), "post", "/v1/sessions")
        seen.conform(program.get("next"), "get", f"{session}/next")
        seen.conform(program.get("files/1"), "get", f"{session}/files/{{number}}")
        seen.conform(program.answer(1, "[]"), "put", f"{session}/files/{{number}}/answer")
        seen.conform(program.answer(1, {"letters": "abcd"}), "put", f"{session}/files/{{number}}/answer")
        seen.conform(program.get("files/9"), "get", f"{session}/files/{{number}}")
        seen.conform(program.get("report"), "get", f"{session}/report")
        stage.advance(1)
        seen.conform(program.ask("PUT", f"/v1/sessions/{program.session_id}/log", "x"), "put", f"{session}/log")
        seen.conform(program.get(), "get", session)
        seen.conform(program.ask("POST", f"/v1/sessions/{program.session_id}/abort"), "post", f"{session}/abort")
        seen.conform(program.get("report"), "get", f"{session}/report")
        seen.conform(program.get("files/1/score"), "get", f"{session}/files/{{number}}/score")
        stage.score_all()
        for what in ("report", "receipts"):
            seen.conform(program.get(what), "get", f"{session}/{what}")
        stage.advance(1)
        for what in ("score", "comparison"):
            seen.conform(program.get(f"files/1/{what}"), "get", f"{session}/files/{{number}}/{what}")
        seen.conform(program.ask("GET", "/v1/sessions"), "get", "/v1/sessions")
        for path in ("/v1/cycle", "/v1/classifier", "/v1/keys", "/v1/leaderboards/qualification"):
            seen.conform(stage.request("GET", path), "get", path)
        seen.conform(stage.request("GET", "/v1/sessions"), "get", "/v1/sessions")
        seen.conform(stage.request("GET", "/v1/sessions", token="hrd_" + "x" * 43), "get", "/v1/sessions")
    assert seen.statuses == SESSION_STATUSES[kind]


def test_every_answer_of_a_final_is_as_documented(tmp_path: Path) -> None:
    with staged(tmp_path) as stage:
        played = RunOnStage(stage, 2, "red", "blue")
        program = played.programs["red"]
        run = "/v1/runs/{run_id}"
        conforms(program.get("next"), "get", f"{SESSION}/next", toys())
        conforms(program.get("files/1"), "get", FILE, toys())
        played.play({1: {"blue": ABSENT}})
        conforms(program.get("files/1"), "get", FILE, toys())
        conforms(program.get(), "get", SESSION, toys())
        played.finish()
        absent = played.programs["blue"].get("report")
        assert [each["cause"] for each in absent.json["files"]] == ["team_late", None]
        conforms(absent, "get", f"{SESSION}/report", toys())
        conforms(program.get("report"), "get", f"{SESSION}/report", toys())
        conforms(program.get("files/2/score"), "get", f"{FILE}/score", toys())
        publishing.publish(stage.platform, "anna", played.run_id)
        published = program.get("report")
        assert published.json["result"]["relative_accuracy"] == 100.0
        conforms(published, "get", f"{SESSION}/report", toys())
        conforms(program.get("files/2/comparison"), "get", f"{FILE}/comparison", toys())
        conforms(stage.request("GET", f"/v1/runs/{played.run_id}"), "get", run, toys())
        conforms(stage.request("GET", "/v1/runs"), "get", "/v1/runs", toys())
        board = stage.request("GET", "/v1/leaderboards/final")
        assert board.json["rows"][0]["audit"] is not None
        conforms(board, "get", "/v1/leaderboards/final", toys())
        conforms(stage.request("GET", f"/v1/runs/{'0' * 20}"), "get", run, toys())


@pytest.mark.parametrize(("kind", "files"), [("train", 3), pytest.param("test", 1000, marks=pytest.mark.long)])
def test_real_answers_of_essays_have_the_form_of_the_checked_in_document(tmp_path: Path, kind: str, files: int) -> None:
    """A played session: essays answered by their first expert's markup, by an empty one, and not at all."""
    with staged(tmp_path, cycle="demo") as stage:
        load_cycle(stage.platform, "tests", "demo", Folder(DEMONSTRATION), lambda _: None)
        program = Program(stage, stage.team("red"))
        program.open(set=kind, files=files)
        marked = {each["text"]: each for each in map(_read, sorted((DEMONSTRATION / kind).glob("*_exp01.json")))}
        while (found := program.get("next").json)["status"] == "available":
            number = found["number"]
            file = program.get(f"files/{number}")
            content = file.json["content"]
            if number <= 3:
                conforms(file, "get", FILE)
            sent = content if number == 2 else {**content, "selections": marked[content["text"]]["selections"]}
            assert program.answer(number, sent).status == 200
            stage.advance(1)
        stage.score_all()
        for path in ("/v1/cycle", "/v1/classifier"):
            conforms(stage.request("GET", path), "get", path)
        stage.advance(1)
        report = program.get("report")
        assert report.json["result"]["by_metric"]["M2"]["essays"] > 2
        conforms(report, "get", f"{SESSION}/report")
        for number in (1, 2):
            stage.advance(1)
            for what in ("score", "comparison"):
                answered = program.get(f"files/{number}/{what}")
                assert answered.status == (200 if what == "score" or kind == "train" else 403)
                conforms(answered, "get", f"{FILE}/{what}")
            if kind == "train":
                _explains_its_score(answered.json)
        board = stage.request("GET", "/v1/leaderboards/qualification")
        assert len(board.json["rows"]) == (kind == "test")
        conforms(board, "get", "/v1/leaderboards/qualification")


def _explains_its_score(told: Any) -> None:
    """Check that the comparisons of an answer have the numbers of its score record, to the last bit."""
    scored = {each["y"]: each for each in told["score"]["pairs"] if each["x"] == "algorithm"}
    assert [each["y"] for each in told["comparisons"]] == sorted(scored) == [0, 1]
    for each in told["comparisons"]:
        pair, found = scored[each["y"]], each["comparison"]
        assert found["pair_accuracy"] == pair["pair_accuracy"]
        assert {name: metric["value"] for name, metric in found["metrics"].items()} == pair["metrics"]
        assert [[couple["x"], couple["y"]] for couple in found["pairs"]] == pair["pairs"]
        own = told["score"]["grade"]
        assert {name: found["grades"]["x"][name] for name in own} == own


def _read(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def test_what_has_a_field_too_many_or_another_tracks_form_is_not_as_documented(tmp_path: Path) -> None:
    with staged(tmp_path) as stage:
        stage.load()
        answered = stage.request("GET", "/v1/classifier")
        conforms(answered, "get", "/v1/classifier", toys())
        with pytest.raises(jsonschema.ValidationError):
            conforms(answered, "get", "/v1/classifier")
        with pytest.raises(jsonschema.ValidationError):
            conforms(replace(answered, text=json.dumps(answered.json | {"more": 1})), "get", "/v1/classifier", toys())


def _third_of(desk: Desk, second: str) -> tuple[Expert, str]:
    """Return the third expert with its assignment, after the second one has handed in."""
    desk.given(DIFFERENT)[1][0].mark_up(second, shipped(DIFFERENT, 2))
    expert, assignment_id = desk.given(DIFFERENT)[2]
    return expert, assignment_id


def test_every_answer_to_experts_and_their_coordinator_is_as_documented(tmp_path: Path) -> None:
    own, given = "/v1/assignments/{assignment_id}", "/v1/experts/{expert_id}/assignments/{assignment_id}"
    seen = Statuses(DOCUMENT)
    with staged(tmp_path, cycle=CYCLE) as stage:
        desk = Desk(stage, (DIFFERENT,), "anna boris clara")
        seen.conform(desk.olga.add("dora"), "put", "/v1/experts/{expert_id}")
        seen.conform(desk.olga.ask("GET", "/v1/experts"), "get", "/v1/experts")
        seen.conform(desk.olga.assign(set="train", preview=True), "post", "/v1/markings")
        seen.conform(desk.olga.ask("GET", "/v1/markings"), "get", "/v1/markings")
        (one, first), (_, second) = desk.given(DIFFERENT)
        seen.conform(one.ask("GET", "/v1/assignments"), "get", "/v1/assignments")
        seen.conform(one.work(first), "get", own)
        seen.conform(one.open(first), "post", f"{own}/open")
        seen.conform(one.save(first, None, {}), "put", f"{own}/draft")
        seen.conform(one.save(first, 0, {}), "put", f"{own}/draft")
        seen.conform(one.save(first, 1, shipped(DIFFERENT, 1)), "put", f"{own}/draft")
        seen.conform(one.save(first, 0, shipped(DIFFERENT, 1)), "put", f"{own}/draft")
        seen.conform(one.hand_in(first, 1), "post", f"{own}/hand-in")
        stage.advance(1)
        seen.conform(one.save(first, 1, shipped(DIFFERENT, 1)), "put", f"{own}/draft")
        seen.conform(one.ask("GET", f"/v1/assignments/{first}/drafts"), "get", f"{own}/drafts")
        seen.conform(one.ask("GET", f"/v1/assignments/{first}/drafts/1"), "get", f"{own}/drafts/{{revision}}")
        seen.conform(one.hand_in(first, 2), "post", f"{own}/hand-in")
        third, shown = _third_of(desk, second)
        seen.conform(third.open(shown), "post", f"{own}/open")
        seen.conform(desk.olga.decide("extend", third.name, shown, seconds=5), "post", f"{given}/extend")
        seen.conform(desk.olga.decide("reassign", third.name, shown), "post", f"{given}/reassign")
        last, left = desk.given(DIFFERENT)[3]
        seen.conform(last.ask("POST", f"/v1/assignments/{left}/hand-back", {"reason": "x"}), "post", f"{own}/hand-back")
        seen.conform(desk.olga.decide("release", last.name, left), "post", f"{given}/release")
        seen.conform(desk.olga.decide("extend", last.name, left, seconds=5), "post", f"{given}/extend")
        marking = desk.olga.progress()["marking"]["marking_id"]
        for what in ("", "/agreement"):
            answered = desk.olga.ask("GET", f"/v1/markings/{marking}{what}")
            seen.conform(answered, "get", f"/v1/markings/{{marking_id}}{what}")
        begun = (dora := Expert(stage, "dora")).ask("POST", "/v1/calibrations")
        seen.conform(begun, "post", "/v1/calibrations")
        assignment_id = begun.json["assignment_id"]
        seen.conform(dora.ask("GET", f"/v1/assignments/{assignment_id}/calibration"), "get", f"{own}/calibration")
        dora.mark_up(assignment_id, shipped(DIFFERENT, 1))
        seen.conform(dora.ask("GET", f"/v1/assignments/{assignment_id}/calibration"), "get", f"{own}/calibration")
    assert seen.statuses == EXPERTS_STATUSES
