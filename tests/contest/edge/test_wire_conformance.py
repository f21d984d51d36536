"""Answers, stored bytes too, have the documented form, and a track's own parts the form that the track gives them.

The document of a toy track is made here; real essays are checked against the document in the repository.
"""

from __future__ import annotations

import json
from collections import Counter
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
from tests.stage import Answered, Program, Stage, route_of, staged
from tests.toys import ToyTrack

pytestmark = [pytest.mark.integration, pytest.mark.slow]

DEMONSTRATION = Path(__file__).resolve().parents[3] / "local" / "demonstration"
OF_A_SESSION = [201, 409, 200, 200, 422, 200, 404, 409, 200, 200, 200, 202, 202, 200, 200, 200]
SESSION_STATUSES = {
    kind: [*OF_A_SESSION, comparison, 200, 200, 200, 200, 200, 401, 403]
    for kind, comparison in (("train", 200), ("test", 403))
}


@cache
def toys() -> dict[str, Any]:
    """Return the document of a platform with a toy track alone."""
    return document.build(APPS, [ToyTrack()])


@pytest.fixture
def statuses(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Hold every answer to the document of its contest; list the statuses: refusals alone would conform, too."""
    statuses, request = list[int](), Stage.request

    def held(stage: Stage, method: str, path: str, *more: Any, **named: Any) -> Answered:
        answered, route = request(stage, method, path, *more, **named), route_of(method, path.partition("?")[0])
        assert route is not None
        is_toy = stage.platform.settings.cycle == "toy-1"
        conforms(answered, method.lower(), route.path, toys() if is_toy else DOCUMENT)
        statuses.append(answered.status)
        return answered

    monkeypatch.setattr(Stage, "request", held)
    return statuses


@pytest.mark.parametrize("kind", ["train", "test"])
def test_every_answer_of_a_whole_session_is_as_documented(tmp_path: Path, statuses: list[int], kind: str) -> None:
    with staged(tmp_path) as stage:
        stage.load()
        program = Program(stage, stage.team("red"))
        program.open(set=kind, client={"name": "pku", "version": "1"})
        program.open(set=kind)
        for what in ("next", "files/1"):
            program.get(what)
        for answer in ("[]", {"letters": "abcd"}):
            program.answer(1, answer)
        for what in ("files/9", "report"):
            program.get(what)
        stage.advance(1)
        session = f"/v1/sessions/{program.session_id}"
        for method, path in (("PUT", f"{session}/log"), ("GET", session), ("POST", f"{session}/abort")):
            program.ask(method, path, "x" if method == "PUT" else None)
        for what in ("report", "files/1/score"):
            program.get(what)
        stage.score_all()
        for what in ("report", "receipts"):
            program.get(what)
        stage.advance(1)
        for what in ("score", "comparison"):
            program.get(f"files/1/{what}")
        program.ask("GET", "/v1/sessions")
        for path in ("/v1/cycle", "/v1/classifier", "/v1/keys", "/v1/leaderboards/qualification"):
            stage.request("GET", path)
        for token in (None, "hrd_" + "x" * 43):
            stage.request("GET", "/v1/sessions", token=token)
    assert statuses == SESSION_STATUSES[kind]


def test_every_answer_of_a_final_is_as_documented(tmp_path: Path, statuses: list[int]) -> None:
    with staged(tmp_path) as stage:
        played = RunOnStage(stage, 2, "red", "blue")
        program, absent = played.programs["red"], played.programs["blue"]
        for what in ("next", "files/1"):
            program.get(what)
        played.play({1: {"blue": ABSENT}})
        for what in ("files/1", ""):
            program.get(what)
        played.finish()
        assert [row["cause"] for row in absent.get("report").json["files"]] == ["team_late", None]
        for what in ("report", "files/2/score"):
            program.get(what)
        publishing.publish(stage.platform, "anna", played.run_id)
        assert program.get("report").json["result"]["relative_accuracy"] == 100.0
        program.get("files/2/comparison")
        assert stage.request("GET", "/v1/leaderboards/final").json["rows"][0]["audit"] is not None
        for path in (f"/v1/runs/{played.run_id}", "/v1/runs", f"/v1/runs/{'0' * 20}"):
            stage.request("GET", path)
    assert Counter(statuses) == {200: 16, 201: 2, 403: 1, 404: 1, 425: 1}


@pytest.mark.parametrize(("kind", "files"), [("train", 3), pytest.param("test", 1000, marks=pytest.mark.long)])
def test_real_answers_of_essays_have_the_form_of_the_checked_in_document(
    tmp_path: Path, statuses: list[int], kind: str, files: int
) -> None:
    """A played session: essays answered by their first expert's markup, by an empty one, and not at all."""
    with staged(tmp_path, cycle="demo") as stage:
        load_cycle(stage.platform, "tests", "demo", Folder(DEMONSTRATION), lambda _: None)
        program = Program(stage, stage.team("red"))
        program.open(set=kind, files=files)
        texts = [path.read_text("utf-8") for path in sorted((DEMONSTRATION / kind).glob("*_exp01.json"))]
        marked = {text["text"]: text for text in map(json.loads, texts)}
        while (found := program.get("next").json)["status"] == "available":
            number = found["number"]
            content = program.get(f"files/{number}").json["content"]
            sent = content if number == 2 else {**content, "selections": marked[content["text"]]["selections"]}
            assert program.answer(number, sent).status == 200
            stage.advance(1)
        stage.score_all()
        for path in ("/v1/cycle", "/v1/classifier"):
            stage.request("GET", path)
        stage.advance(1)
        assert program.get("report").json["result"]["by_metric"]["M2"]["essays"] > 2
        for number in (1, 2):
            stage.advance(1)
            for what in ("score", "comparison"):
                answered = program.get(f"files/{number}/{what}")
                assert answered.status == (200 if what == "score" or kind == "train" else 403)
            if kind == "train":
                _explains_its_score(answered.json)
        assert len(stage.request("GET", "/v1/leaderboards/qualification").json["rows"]) == (kind == "test")


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


def test_what_has_a_field_too_many_or_another_tracks_form_is_not_as_documented(tmp_path: Path) -> None:
    with staged(tmp_path) as stage:
        stage.load()
        answered = stage.request("GET", "/v1/classifier")
        conforms(answered, "get", "/v1/classifier", toys())
        with pytest.raises(jsonschema.ValidationError):
            conforms(answered, "get", "/v1/classifier")
        with pytest.raises(jsonschema.ValidationError):
            conforms(replace(answered, text=json.dumps(answered.json | {"more": 1})), "get", "/v1/classifier", toys())


def test_every_answer_to_experts_and_their_coordinator_is_as_documented(tmp_path: Path, statuses: list[int]) -> None:
    with staged(tmp_path, cycle=CYCLE) as stage:
        desk = Desk(stage, (DIFFERENT,), "anna boris clara")
        olga = desk.olga
        olga.add("dora")
        olga.ask("GET", "/v1/experts")
        olga.assign(set="train", preview=True)
        (one, first), (two, second) = desk.given(DIFFERENT)
        one.own()
        one.work(first)
        one.open(first)
        for revision, markup in ((None, {}), (0, {}), (1, shipped(DIFFERENT, 1)), (0, shipped(DIFFERENT, 1))):
            one.save(first, revision, markup)
        one.hand_in(first, 1)
        stage.advance(1)
        one.save(first, 1, shipped(DIFFERENT, 1))
        for drafts in ("drafts", "drafts/1"):
            one.ask("GET", f"/v1/assignments/{first}/{drafts}")
        one.hand_in(first, 2)
        two.mark_up(second, shipped(DIFFERENT, 2))
        third, assignment = desk.given(DIFFERENT)[2]
        third.open(assignment)
        olga.decide("extend", third.name, assignment, seconds=5)
        olga.decide("reassign", third.name, assignment)
        last, left = desk.given(DIFFERENT)[3]
        last.ask("POST", f"/v1/assignments/{left}/hand-back", {"reason": "x"})
        olga.decide("release", last.name, left)
        olga.decide("extend", last.name, left, seconds=5)
        marking = olga.progress()["marking"]["marking_id"]
        olga.ask("GET", f"/v1/markings/{marking}/agreement")
        dora = Expert(stage, "dora")
        calibration = dora.ask("POST", "/v1/calibrations").json["assignment_id"]
        dora.ask("GET", f"/v1/assignments/{calibration}/calibration")
        dora.mark_up(calibration, shipped(DIFFERENT, 1))
        dora.ask("GET", f"/v1/assignments/{calibration}/calibration")
    assert Counter(statuses) == {200: 37, 409: 2, 412: 1, 422: 1, 428: 1, 429: 1}
