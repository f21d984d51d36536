"""R 7.12: the board of a final; R 4.5, 5.7, 7.7, 7.11: who is on it, and when."""

from __future__ import annotations

from typing import Any

import pytest

from contest.refusals import RefusedError
from contest.results import publishing
from contest.run.rules.amending import Wish
from contest.run.rules.run import Kind
from contest.session.rules.delivery import Cause
from tests.run_stage import ABSENT, RunOnStage, run_cycle
from tests.stage import Stage


def published(played: RunOnStage) -> list[Any]:
    publishing.publish(played.stage.platform, "organizer", played.run_id)
    rows: list[Any] = played.board().json["rows"]
    return rows


@pytest.mark.clause("R 7.12", "R 2.13")
def test_r_7_12_teams_stand_by_relative_accuracy_and_ties_share_a_place(stage: Stage) -> None:
    played = RunOnStage(stage, 2, "red", "blue", "grey")
    for number in (1, 2):
        played.open(number, blue="abxx")
    played.finish()
    rows = published(played)
    assert [(row["place"], row["team_id"], row["barrier"]) for row in rows] == [
        (1, "grey", True),
        (1, "red", True),
        (3, "blue", False),
    ]
    assert {(row["answered"], row["files"]) for row in rows} == {(2, 2)}


@pytest.mark.clause("R 7.12", "R 10.2", "R 7.7", "R 4.5")
def test_r_7_12_annulled_solutions_and_teams_that_abort_are_not_on_the_board(stage: Stage) -> None:
    played = RunOnStage(stage, 2, "red", "blue", "grey")
    played.play({1: {"red": ABSENT}})
    grey = played.programs["grey"]
    aborted = grey.ask("POST", f"/v1/sessions/{grey.session_id}/abort", {"confirm": True})
    assert aborted.json["state"] == "aborted"
    played.finish()
    assert [row["team_id"] for row in published(played)] == ["blue"]
    played.decide(Wish(Kind.RULE, "our fault", (1,), "red", Cause.PLATFORM))
    stage.tick()
    assert [row["team_id"] for row in played.board().json["rows"]] == ["blue", "red"]


@pytest.mark.clause("platform §3 trial", "D 6.9")
def test_r_7_12_a_trial_counts_nowhere(stage: Stage) -> None:
    played = RunOnStage(stage, 2, "red", trial=True)
    played.play()
    played.finish()
    assert published(played) == []
    report = played.report("red")
    assert (report["run"]["trial"], report["result"]["relative_accuracy"]) == (True, 100.0)
    assert stage.request("GET", "/v1/leaderboards/final").code == "results_not_published"


@pytest.mark.clause("R 7.11", "R 8.3.5", "D 14.5", "platform §4 boards", "D 11.6")
def test_r_7_11_the_board_and_the_results_are_seen_when_they_are_published(stage: Stage) -> None:
    played = RunOnStage(stage, 2, "red")
    played.play()
    played.finish()
    for path in (f"/v1/leaderboards/final?run={played.run_id}", "/v1/leaderboards/final"):
        refused = stage.request("GET", path)
        assert (refused.status, refused.code) == (403, "results_not_published")
    assert played.report("red")["result"] is None
    assert played.programs["red"].get("files/1/score").code == "results_not_published"
    assert len(published(played)) == 1
    assert stage.request("GET", "/v1/leaderboards/final?run=00000000000000000000").code == "unknown_run"
    assert played.report("red")["result"]["relative_accuracy"] == 100.0
    assert played.programs["red"].get("files/1/score").json["points"] == 100.0
    publishing.hide(stage.platform, "organizer", played.run_id)
    assert played.board().status == 403
    assert played.report("red")["result"] is None


@pytest.mark.clause("R 7.10", "R 7.3", "R 2.8", "platform §5 embargo")
def test_r_7_10_a_final_is_scored_by_the_markups_that_the_experts_make_after_it(stage: Stage) -> None:
    played = RunOnStage(stage, 2, "red", "blue", marked=False)
    for number in (1, 2):
        played.open(number, blue="abxx")
    played.finish()
    with pytest.raises(RefusedError) as refused:
        published(played)
    assert refused.value.code == "not_marked_yet"
    stage.load(run_cycle(2))
    publishing.mark(stage.platform, "organizer", played.run_id)
    stage.advance(3)
    with pytest.raises(RefusedError) as refused:
        published(played)
    assert refused.value.code == "not_scored_yet"
    stage.score_all()
    with pytest.raises(RefusedError) as refused:
        published(played)
    assert refused.value.code == "results_not_made_yet"
    assert stage.settle() == []
    assert [(row["team_id"], row["result"]["relative_accuracy"]) for row in published(played)] == [
        ("red", 100.0),
        ("blue", 50.0),
    ]
    assert played.programs["blue"].get("files/1/comparison").json["experts"] == [{"letters": "abcd"}]
