"""D 6.16: pauses; D 1.7, 8.12: mass failure and replacement; R 7.16: restart. As programs see them over HTTP."""

from __future__ import annotations

import base64
import json

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from contest import reading
from contest.refusals import RefusedError
from contest.results import publishing
from contest.run import deciding, watching
from contest.run.deciding import Restart
from contest.run.rules import commitment
from contest.run.rules.amending import Wish
from contest.run.rules.run import Kind
from contest.run.rules.schedule import Schedule
from contest.values import DAY, HOUR, MINUTE, SECOND, canonical, iso
from tests.run_stage import ABSENT, SLOW, RunOnStage
from tests.stage import Stage

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
    found = watching.look(stage.platform, played.run)
    assert found.proposal is not None
    assert (found.proposal.body["numbers"], found.standing) == ([1, 2, 3], "open")
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
    new = deciding.restart(stage.platform, "organizer", played.run_id, "a mass failure", Restart(stage.now + DAY))
    stage.advance(5)
    assert played.get("").json["state"] == "stopped"
    assert played.programs["red"].get().json["state"] == "stopped"
    old = {each.item_id for each in reading.run_plan(stage.platform, Schedule.of(played.run))}
    drawn = {each.item_id for each in reading.run_plan(stage.platform, Schedule.of(new))}
    assert not old & drawn
    told = stage.request("GET", f"/v1/runs/{new.run_id}").json
    assert (told["restarts"], told["files"], told["state"]) == (played.run_id, 2, "planned")
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
    assert [statement["previous"] for statement in followers] == [commitment.digest(statement) for statement in chain]
    roots = {plan["amendment"]: commitment.root_of(plan["rows"]) for plan in record["plans"]}
    assert roots == {0: chain[0]["root"], 1: chain[1]["details"]["root"]}
    (key,) = (base64.b64decode(each["public_key"]) for each in stage.request("GET", "/v1/keys").json["keys"])
    signed = [(before["statement"], before["signature"]), (answer["statement"], answer["signature"])]
    signed += [(each["amendment"], each["signature"]) for each in record["amendments"]]
    for said, signature in signed:
        Ed25519PublicKey.from_public_bytes(key).verify(base64.b64decode(signature), canonical(said))
    assert answer["statement"]["record_sha256"] == commitment.digest(record)
    row = record["plans"][0]["rows"][0]
    assert (row["file_id"], row["number"]) == (handed_out["file_id"], 1)
    assert row["content_sha256"] == commitment.digest(handed_out["content"])


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
