"""Annulment over the interface (D 6.10): sets, sessions and results leave boards and conclusions, and come back."""

from __future__ import annotations

from typing import Any

import pytest

from contest.people.rules import Role
from contest.results import commission
from contest.values import iso
from tests.contest.conduct.test_boards import FINAL, QUALIFICATION, places, play, seen
from tests.contest.conduct.test_conducting import RUNS, Staff
from tests.run_stage import RunOnStage, run_cycle
from tests.stage import Program, Stage
from tests.stage_kept import Setting
from tests.toys import toy_cycle

pytestmark = pytest.mark.integration
AT = "/v1/conduct/annulments"

STAGE = Setting()


def said(of: str, subject: str, *, annulled: bool = True, **more: Any) -> dict[str, Any]:
    return {"of": of, "subject": subject, "annulled": annulled, "reason": "a leak", **more}


@pytest.mark.clause("D 6.10", "platform §7 annul", "D 12.2", "D 12.12")
def test_an_annulled_session_leaves_the_board_to_the_next_best_and_comes_back(stage: Stage) -> None:
    stage.load()
    olga, red = Staff(stage), Program(stage, stage.team("red"))
    play(stage, red, "abxx")
    weaker = red.session_id
    play(stage, red, "abcd")
    assert places(seen(stage, QUALIFICATION)) == {"red": (1, 100.0)}
    done = olga.said(AT, said("session", red.session_id))
    assert (done["annulled"], done["reason"], done["board"]) == (True, "a leak", None)
    for query in ("", "?language=rus", "?language=eng"):
        assert places(seen(stage, f"{QUALIFICATION}{query}")) == {"red": (1, 50.0)}
    told = red.get().json["annulled"]
    assert (told["of"], told["reason"]) == ("session", "a leak")
    assert [each["annulled"] is not None for each in red.ask("GET", "/v1/sessions").json["sessions"]] == [True, False]
    olga.said(AT, said("session", weaker))
    assert places(seen(stage, QUALIFICATION)) == {}, "nothing of the team is left"
    play(stage, red, "abcx")
    assert places(seen(stage, QUALIFICATION)) == {"red": (1, 75.0)}, "a new one counts, better annulled ones do not"
    olga.said(AT, said("session", done["subject"], annulled=False))
    assert places(seen(stage, QUALIFICATION)) == {"red": (1, 100.0)}
    stage.advance(1)
    listed = {each["subject"]: each["annulled"] for each in olga.said(AT)["annulments"]}
    assert listed == {done["subject"]: False, weaker: True}
    changes = [each for each in stage.platform.audit_log.on(iso(stage.now)[:10]) if each.subject == done["subject"]]
    assert [(each.who, each.what) for each in changes if each.what.startswith("session")] == [
        ("person:the-organizer", "session annulled"),
        ("person:the-organizer", "session restored"),
    ]


@pytest.mark.clause("D 6.10")
def test_the_timer_completes_what_whoever_decided_did_not(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    stage.load()
    olga, red = Staff(stage), Program(stage, stage.team("red"))
    play(stage, red, "abxx")
    play(stage, red, "abcd")
    with monkeypatch.context() as crashing:
        crashing.setattr(commission, "_follow", lambda *_: None)
        olga.said(AT, said("session", red.session_id))
    assert places(seen(stage, QUALIFICATION)) == {}, "what is annulled is never shown"
    stage.tick()
    assert places(seen(stage, QUALIFICATION)) == {"red": (1, 50.0)}


@pytest.mark.clause("D 6.10", "platform §7 annul")
def test_of_an_annulled_set_nothing_begins_and_nothing_counts(stage: Stage) -> None:
    cycle = toy_cycle(technical={"enabled": True, "every_hours": 4, "lead_s": 600, "files": [30, 30]}, train=40)
    stage.load(cycle)
    olga, red = Staff(stage), Program(stage, stage.team("red"))
    play(stage, red, "abcd")
    stage.tick()
    (run,) = stage.request("GET", "/v1/runs").json["runs"]
    for name in ("test", "train"):
        olga.said(AT, said("set", name))
    assert places(seen(stage, QUALIFICATION)) == {}
    assert red.get().json["annulled"]["of"] == "set"
    for set_name in ("test", "train"):
        refused = red.open(set=set_name)
        assert (refused.status, refused.code) == (409, "set_annulled")
    assert red.join("technical", run=run["run_id"]).code == "set_annulled"
    stage.advance(4 * 3600)
    stage.tick()
    assert len(stage.request("GET", "/v1/runs").json["runs"]) == 1, "the timer plans none on it"
    order = {"mode": "technical", "set": "train", "starts_at": iso(stage.now + 3_600_000)}
    assert olga.post(RUNS, order).code == "set_annulled"
    for name in ("test", "train"):
        olga.said(AT, said("set", name, annulled=False))
    assert places(seen(stage, QUALIFICATION)) == {"red": (1, 100.0)}
    stage.tick()
    assert len(seen(stage, "/v1/runs").json["runs"]) == 2
    assert red.open(set="test").status == 201


@pytest.mark.clause("D 6.10", "platform §7 annul", "D 12.2", "D 12.12")
def test_a_teams_result_leaves_the_board_of_a_final_and_no_other(stage: Stage) -> None:
    played = RunOnStage(stage, 2, "red", "blue")
    played.play({1: {"blue": "abxx"}})
    played.finish()
    olga = Staff(stage)
    olga.said(f"/v1/conduct/boards/{played.run_id}/decision", {"state": "published", "reason": "out"})
    assert set(places(seen(stage, FINAL))) == {"red", "blue"}
    olga.said(AT, said("result", "red", board="qualification"))
    assert set(places(seen(stage, FINAL))) == {"red", "blue"}
    olga.said(AT, said("result", "red", board=played.run_id))
    assert places(seen(stage, FINAL)) == {"blue": (1, 75.0)}
    assert played.programs["red"].get().json["annulled"]["of"] == "result"
    assert played.programs["blue"].get().json["annulled"] is None
    olga.said(AT, said("result", "red", board=played.run_id, annulled=False))
    assert set(places(seen(stage, FINAL))) == {"red", "blue"}
    olga.said(AT, said("set", "final"))
    assert places(seen(stage, FINAL)) == {}


@pytest.mark.clause("D 6.10", "R 6.9")
def test_the_conclusion_on_an_annulled_session_counts_no_more(stage: Stage) -> None:
    stage.load(toy_cycle(train=40))
    olga, jan = Staff(stage), Staff(stage, Role.JUDGE)
    red = Program(stage, stage.team("red"))
    assert red.open(set="train", files=30).status == 201
    red.play("abcd")
    stage.score_all()
    stage.tick()
    at = f"/v1/sessions/{red.session_id}/conclusion"
    jan.said(f"{at}/judgement", {"confirmed": True, "reason": "good"})

    def claims() -> list[tuple[str, str]]:
        (team,) = olga.said("/v1/qualification")["teams"]
        return [(each["session_id"], each["standing"]) for each in team["claims"]]

    assert claims() == [(red.session_id, "awaits_commission")]
    olga.said(AT, said("session", red.session_id))
    told = red.ask("GET", at).json
    assert (told["standing"], told["annulled"]) == ("annulled", "a leak")
    assert claims() == [(red.session_id, "annulled")]
    refused = olga.post(f"{at}/verification", {"verified": True, "reason": "x"})
    assert (refused.status, refused.code) == (409, "no_such_ruling")
    olga.said(AT, said("session", red.session_id, annulled=False))
    assert claims() == [(red.session_id, "awaits_commission")], "the rulings are still there"


def test_wrong_annulments_are_refused(stage: Stage) -> None:
    stage.load(run_cycle(2))
    stage.team("red")
    olga = Staff(stage)
    for body, status, code in (
        (said("set", "nothing"), 409, "unknown_set"),
        (said("session", "1" * 15), 404, "unknown_session"),
        (said("result", "grey", board="qualification"), 404, "unknown_team"),
        (said("result", "red", board="z" * 20), 404, "unknown_board"),
        (said("result", "red"), 422, "invalid_request"),
        (said("set", "train", board="qualification"), 422, "invalid_request"),
        (said("team", "red"), 422, "invalid_request"),
        ({**said("set", "train"), "reason": " "}, 422, "invalid_request"),
        (said("set", "train", annulled=False), 409, "not_annulled"),
    ):
        refused = olga.post(AT, body)
        assert (refused.status, refused.code) == (status, code), refused.text
    assert olga.said(AT) == {"annulments": []}
    olga.said(AT, said("set", "train"))
    assert olga.post(AT, said("set", "train")).code == "annulled_already"
