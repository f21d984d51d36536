"""Selection as a stage that teams pass or not, and baselines on boards, over HTTP."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest

from contest.people.rules import Role
from contest.results.rules import leaderboard
from contest.results.rules.leaderboard import Entry
from tests.contest.people.test_team_life import Somebody
from tests.run_stage import RunOnStage, run_cycle
from tests.stage import Program, Stage
from tests.stage_kept import Setting
from tests.toys import toy_cycle

DAYS = {"first": "2026-01-01", "last": "2026-12-31"}
QUALIFICATION = "/v1/leaderboards/qualification"

STAGE = Setting()


@pytest.fixture
def olga(stage: Stage) -> Somebody:
    return Somebody(stage, "olga", Role.ORGANIZER)


def selecting(files: dict[str, Any], *, decided: bool = True) -> dict[str, Any]:
    """Return a cycle that selects teams by decision."""
    files["cycle.json"]["stages"] = {"selection": {**DAYS, "decided": decided}}
    return files


def decide(olga: Somebody, team_id: str, **decision: Any) -> Any:
    answered = olga.ask("POST", f"/v1/teams/{team_id}/decision", {"reason": "by the protocol", **decision})
    assert answered.status == 200, answered.text
    return answered.json


@pytest.mark.clause("R 4.1", "R 4.2", "R 6.2")
def test_a_team_has_sets_sessions_and_a_row_only_while_it_passes_the_selection(stage: Stage, olga: Somebody) -> None:
    stage.load(selecting(toy_cycle()))
    token = stage.team("red")
    red = Program(stage, token)
    assert red.open(set="test").refusal == (403, "not_selected")
    assert red.open(set="train").code == "not_selected"
    assert stage.request("GET", "/v1/sets", token=token).json["sets"] == []
    assert olga.ask("GET", "/v1/teams/red").json["selection"] is None

    passed = decide(olga, "red", passed=True)["selection"]
    assert (passed["passed"], passed["reason"]) == (True, "by the protocol")
    assert [offer["name"] for offer in stage.request("GET", "/v1/sets", token=token).json["sets"]] == ["train"]
    assert red.open(set="test").status == 201
    red.play("abcd")
    stage.score_all()
    stage.tick()
    stage.advance(10)
    assert [row["team_id"] for row in stage.request("GET", QUALIFICATION).json["rows"]] == ["red"]

    decide(olga, "red", passed=False, reason="a forged form")
    stage.advance(10)
    assert stage.request("GET", QUALIFICATION).json["rows"] == []
    assert red.open(set="test").code == "not_selected"
    member = stage.person(Role.PARTICIPANT, "max", "red")
    team = stage.request("GET", "/v1/team", token=member).json
    assert (team["status"], team["selection"]["passed"]) == ("approved", False)
    assert team["selection"]["reason"] == "a forged form"
    changes = olga.ask("GET", "/v1/audit?day=2026-09-21").json["changes"]
    entries = [change for change in changes if "pass" in change["what"]]
    assert [(entry["what"], entry["after"]["decision"]) for entry in entries] == [
        ("team passed the selection", "by the protocol"),
        ("team did not pass the selection", "a forged form"),
    ]
    assert entries[1]["before"]["selection"]["passed"] is True


@pytest.mark.clause("R 4.1", "R 7.2")
def test_a_final_takes_no_team_that_has_not_passed_the_selection_even_if_admitted(stage: Stage, olga: Somebody) -> None:
    stage.load(selecting(run_cycle(4)))
    red, blue = (Program(stage, stage.team(name)) for name in ("red", "blue"))
    run = stage.plan(in_s=60)
    decide(olga, "red", passed=True)
    assert red.join(run=run.run_id).status == 201
    assert blue.join(run=run.run_id).code == "not_selected"
    watched = olga.ask("GET", f"/v1/conduct/runs/{run.run_id}/watch").json
    assert [team["team_id"] for team in watched["absent"]] == [], "nobody waits for a team that cannot join"


@pytest.mark.clause("R 4.1", "R 6.3")
def test_a_cycle_without_decisions_takes_every_approved_team_and_everybody_reads_the_rule(stage: Stage) -> None:
    stage.load(selecting(toy_cycle(), decided=False))
    assert Program(stage, stage.team("red")).open(set="train").status == 201
    stages = stage.request("GET", "/v1/cycle").json["stages"]
    assert "decision" not in stages[0]["message"]
    stage.load(selecting(toy_cycle()))
    stage.restart()
    stages = stage.request("GET", "/v1/cycle").json["stages"]
    assert stages[0]["message"].endswith("Teams pass it by the organizers' decision; before it they open no session.")


@pytest.mark.parametrize("body", [{}, {"passed": True, "baseline": True}, {"status": "suspended", "passed": True}])
def test_a_decision_is_about_one_thing(stage: Stage, olga: Somebody, body: dict[str, Any]) -> None:
    stage.load()
    stage.team("red")
    refused = olga.ask("POST", "/v1/teams/red/decision", {"reason": "x", **body})
    assert (refused.status, refused.json["error"]["details"][0]["code"]) == (422, "one_decision")


@pytest.mark.clause("platform §4 boards", "R 6.10")
def test_a_baseline_stands_at_its_value_marked_and_takes_nobodys_place(stage: Stage, olga: Somebody) -> None:
    stage.load()
    letters = {"red": "abcd", "pilot": "abxx", "blue": "abxx", "grey": "axxx"}
    for name, answers in letters.items():
        program = Program(stage, stage.team(name))
        assert program.open(set="test").status == 201
        program.play(answers)
    stage.score_all()
    decide(olga, "pilot", baseline=True)
    stage.tick()
    stage.advance(10)
    rows = stage.request("GET", QUALIFICATION).json["rows"]
    assert [(row["team_id"], row["place"], row["value"]) for row in rows] == [
        ("red", 1, 100.0),
        ("pilot", None, 50.0),
        ("blue", 2, 50.0),
        ("grey", 3, 25.0),
    ]
    assert [row["ahead"]["team_id"] if row["ahead"] else None for row in rows] == [None, "red", "red", "blue"]
    table = list(csv.DictReader(io.StringIO(stage.request("GET", f"{QUALIFICATION}.csv").text.lstrip("\ufeff"))))
    assert [(row["team_id"], row["place"], row["baseline"]) for row in table] == [
        ("red", "1", "false"),
        ("pilot", "", "true"),
        ("blue", "2", "false"),
        ("grey", "3", "false"),
    ]
    points = stage.request("GET", f"{QUALIFICATION}/history").json["points"]
    assert {placed["team_id"] for placed in points[0]["places"]} == {"red", "blue", "grey"}
    decide(olga, "pilot", baseline=False)
    stage.advance(10)
    rows = stage.request("GET", QUALIFICATION).json["rows"]
    assert [(row["team_id"], row["place"], row["place_to"]) for row in rows][1:] == [
        ("blue", 2, 3),
        ("pilot", 2, 3),
        ("grey", 4, 4),
    ]


@pytest.mark.clause("R 7.12")
def test_a_final_is_recomputed_with_its_baseline_which_has_no_place(stage: Stage, olga: Somebody) -> None:
    played = RunOnStage(stage, 4, "red", "pilot")
    played.play()
    decide(olga, "pilot", baseline=True)
    played.finish()
    body = {"state": "published", "reason": "all is well"}
    assert olga.ask("POST", f"/v1/conduct/boards/{played.run_id}/decision", body).status == 200
    assert [(row["team_id"], row["place"]) for row in played.board().json["rows"]] == [("pilot", None), ("red", 1)]
    assert stage.audit()["differences"] == (), "the recomputation has the baseline's result, too"


def test_only_baselines_on_a_board_take_no_place_and_stand_in_each_others_way_nowhere(stage: Stage) -> None:
    track = stage.platform.tracks("toy")
    values = {"a": 1.0, "b": 2.0}
    entries = [Entry("all", name, name, 1, 1, 1, 1, {"relative_accuracy": value}) for name, value in values.items()]
    rows = leaderboard.board(entries, track, {"a", "b"})
    assert [(row.entry.team_id, row.place, row.is_baseline) for row in rows] == [("b", 1, True), ("a", 1, True)]
    assert leaderboard.board([], track, {"a"}) == ()
    assert leaderboard.ahead(rows) == [None, None]
    assert leaderboard.point(rows, 1).places == ()
