"""R 7.12: the board of a final and its teams by time; D 6.16, 1.7, 8.12, R 7.16: pauses, replacement and restart."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from contest import reading
from contest.refusals import RefusedError
from contest.results import publishing
from contest.run import watching
from contest.run.rules import commitment
from contest.run.rules.conducting import Wish
from contest.run.rules.run import Kind
from contest.run.rules.schedule import Schedule
from contest.run.watching import Restart
from contest.session.rules.delivery import Cause
from contest.values import DAY, HOUR, MINUTE, SECOND, canonical, iso
from tests.run_stage import ABSENT, SLOW, RunOnStage, run_cycle
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
        assert stage.request("GET", path).refusal == (403, "results_not_published")
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


PAUSE = Wish(Kind.PAUSE, "a cable is cut")


@pytest.mark.clause("D 6.16", "platform §3 pause", "platform §3 silence")
def test_d_6_16_pauses_last_two_hours_together_at_most(stage: Stage) -> None:
    played = RunOnStage(stage, 3, "red")
    start = played.run.starts_at
    played.open(1)
    paused = played.decide(PAUSE)
    (pause,) = Schedule.of(paused).pauses
    assert pause.length == 2 * HOUR
    stage.advance(HOUR / SECOND)
    stage.tick()
    assert played.programs["red"].get().json["state"] == "open", "no session ends for silence"
    played.at(pause.until)
    assert played.get("").json["state"] == "running"
    with pytest.raises(RefusedError) as refused:
        played.decide(PAUSE)
    assert refused.value.code == "pauses_used_up"
    # the second file opens in this very moment, so the third is the next one
    assert played.programs["red"].get("next").json["number"] == 2
    assert played.get("").json["next_opening"] == {"number": 3, "opens_at": iso(start + 2 * MINUTE + 2 * HOUR)}


@pytest.mark.clause("D 1.7", "D 8.12", "platform §3 mass failure")
def test_d_8_12_files_late_for_all_are_proposed_and_replaced_by_reserve_ones_that_prolong_the_run(stage: Stage) -> None:
    played = RunOnStage(stage, 3, "red", "blue")
    for number in (1, 2, 3):
        played.open(number, red=ABSENT, blue=SLOW)
        swept = stage.tick()
        assert swept["missed"] == (3 if number == 3 else 0)
    result = watching.watched_run(stage.platform, played.run)
    assert result.proposal is not None
    assert (result.proposal.body["numbers"], result.standing) == ([1, 2, 3], "open")
    assert stage.tick()["missed"] == 0
    played.decide(Wish(Kind.REPLACE, "the platform failed", (1, 2, 3)))
    stage.advance(3)
    assert played.get("").json["files"] == 6
    for number in (4, 5, 6):
        played.open(number, blue="abxx")
    played.finish()
    for team_id in ("red", "blue"):
        report = played.report(team_id)
        assert report["solution"] == {"voided_share": 0.0, "allowed_share": 0.05, "voided": False}
        assert [each["cause"] for each in report["files"]] == ["organizer_decision"] * 3 + [None] * 3
    publishing.publish(stage.platform, "organizer", played.run_id)
    rows = played.board().json["rows"]
    assert [(row["team_id"], row["files"], row["answered"]) for row in rows] == [("red", 3, 3), ("blue", 3, 3)]


@pytest.mark.clause("R 7.16", "R 7.16.1", "R 7.16.2", "R 7.16.3", "R 7.16.4", "D 6.13", "D 6.13.1", "D 6.13.2")
def test_r_7_16_a_restart_runs_on_new_files_and_the_old_results_do_not_count(stage: Stage) -> None:
    played = RunOnStage(stage, 2, "red")
    played.open(1)
    new = watching.restart(stage.platform, "organizer", played.run_id, "a mass failure", Restart(stage.now + DAY))
    stage.advance(5)
    assert played.get("").json["state"] == "stopped"
    assert played.programs["red"].get().json["state"] == "stopped"
    old = {each.item_id for each in reading.run_plan(stage.platform, Schedule.of(played.run))}
    drawn = {each.item_id for each in reading.run_plan(stage.platform, Schedule.of(new))}
    assert not old & drawn
    reply = stage.request("GET", f"/v1/runs/{new.run_id}").json
    assert (reply["restarts"], reply["files"], reply["state"]) == (played.run_id, 2, "planned")
    played.finish()
    assert [each["cause"] for each in played.report("red")["files"]] == [None, "organizer_decision"]
    with pytest.raises(RefusedError):
        publishing.publish(stage.platform, "organizer", played.run_id)
    assert played.board().code == "results_not_published"


@pytest.mark.clause("platform §3 commitment", "platform §3 amendments")
def test_platform_3_commitment_decisions_and_record_are_one_signed_chain(stage: Stage) -> None:
    played = RunOnStage(stage, 3, "red")
    before = played.get("").json["commitment"]
    assert played.get("record").code == "run_not_over"
    played.at(played.run.starts_at)
    handed_out = played.programs["red"].get("files/1").json
    played.open(1)
    played.decide(Wish(Kind.REPLACE, "unreadable", (1,)))
    for number in (2, 3, 4):
        played.open(number)
    played.finish()
    answer = played.get("record").json
    record = answer["record"]
    assert record["commitment"] == before == played.get("").json["commitment"]
    assert record["amendments"] == played.get("").json["amendments"]
    chain = [before["statement"], *(each["amendment"] for each in record["amendments"])]
    followers = [*chain[1:], answer["statement"]]
    assert [statement["previous"] for statement in followers] == [
        commitment.statement_digest(statement) for statement in chain
    ]
    roots = {plan["amendment"]: commitment.root_of(plan["rows"]) for plan in record["plans"]}
    assert roots == {0: chain[0]["root"], 1: chain[1]["details"]["root"]}
    (key,) = (base64.b64decode(each["public_key"]) for each in stage.request("GET", "/v1/keys").json["keys"])
    signed = [(before["statement"], before["signature"]), (answer["statement"], answer["signature"])]
    signed += [(each["amendment"], each["signature"]) for each in record["amendments"]]
    for result, signature in signed:
        Ed25519PublicKey.from_public_bytes(key).verify(base64.b64decode(signature), canonical(result))
    assert answer["statement"]["record_sha256"] == commitment.statement_digest(record)
    row = record["plans"][0]["rows"][0]
    assert (row["file_id"], row["number"]) == (handed_out["file_id"], 1)
    assert row["content_sha256"] == commitment.statement_digest(handed_out["content"])


@pytest.mark.clause("platform §1 audit")
def test_platform_3_what_people_decide_about_a_run_is_in_the_audit_log(stage: Stage) -> None:
    played = RunOnStage(stage, 2, "red")
    played.decide(Wish(Kind.VOID, "unreadable", (2,)))
    (change,) = [each for each in stage.platform.audit_log.on(iso(stage.now)[:10]) if each.what == "run amended: void"]
    assert (change.who, change.subject) == ("commission", played.run_id)
    assert change.before is not None
    assert change.after is not None
    assert (change.before["void_for_all"], change.after["void_for_all"]) == ([], [2])
    assert json.dumps(dict(change.after))
