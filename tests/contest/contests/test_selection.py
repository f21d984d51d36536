"""Selection of the diagnosis contest: one epicrisis in a minute, teams that pass, teams that are approved."""

from __future__ import annotations

from typing import Any

import pytest

from contest.people.rules import Pool, Role
from contest.values import iso
from tests.contest.contests.epicrises import folder
from tests.contest.contests.played import Contest
from tests.stage import Answered, Program, Stage
from tests.stage_kept import Setting

pytestmark = pytest.mark.integration
STAFF = {"jan": Role.JUDGE, "vera": Role.COMMISSION, "olga": Role.ORGANIZER}

STAGE = Setting("contest-1", lambda stage: stage.load(folder(Contest.named("diagnosis-selection"), "train", "test")))


def answer(*codes: str) -> list[dict[str, str]]:
    return [
        {"xPath": "", "start": "", "end": "", "name": code, "decorCode": "diagnosisMain", "code": ""} for code in codes
    ]


def played(stage: Stage, team: str, *codes: str, after_ms: int = 60_000, status: str = "accepted") -> Program:
    """Play a session with these codes as its answer, or without an answer, and make its report."""
    program = Program(stage, stage.team(team))
    opened = program.open(mode="algorithmic", set="test")
    assert (opened.json["files"], opened.json["time_limit_s"]) == (1, 60)
    stage.advance(17)
    assert program.get("files/1").json["content"]["version"] == "v1"
    stage.set_clock(stage.now + after_ms)
    if codes:
        told = program.answer(1, answer(*codes))
        assert told.code == "invalid_answer" if " " in codes[0] else told.json["receipt"]["status"] == status
    stage.pass_minutes(3)
    return program


def asked(stage: Stage, who: str, method: str, path: str, body: Any = None) -> Answered:
    stage.advance(1)
    stage.person(STAFF[who], who)
    return stage.request(method, path, body, stage.sign_in(who, Pool.STAFF))


@pytest.mark.clause("TS D-1", "TS T11", "D 7.8", "D 7.10.1", "D 7.10.2", "D 7.12", "D-App2 one object")
@pytest.mark.parametrize(
    ("codes", "passed"),
    [
        (("J44",), True),
        (("J44.1",), True),
        (("C34",), False),
        (("j44",), False),
        ((" J44",), False),
        (("J44", "J44"), False),
        ((), False),
    ],
)
def test_selection_is_one_epicrisis_within_a_minute(stage: Stage, codes: tuple[str, ...], passed: bool) -> None:
    program = played(stage, "red", *codes)
    status, report = program.get().json, program.get("report").json
    assert status["state"] != "open", "without an answer within a minute the session is closed"
    assert (report["result"]["passed"], report["readiness"]["ready"]) == (passed, passed)
    assert [each["code"] for each in report["readiness"]["reasons"]] == ([] if passed else ["not_passed"])
    known = asked(stage, "jan", "GET", "/v1/qualification?standing=awaits_judges").json["teams"]
    assert [each["team_id"] for each in known] == (["red"] if passed else [])


@pytest.mark.clause("TS D-1", "TS T2", "D 7.12")
@pytest.mark.parametrize(("after_ms", "status", "passed"), [(60_000, "accepted", True), (60_001, "late", False)])
def test_the_selections_minute_runs_from_the_hand_out(stage: Stage, after_ms: int, status: str, passed: bool) -> None:
    program = played(stage, "red", "J44", after_ms=after_ms, status=status)
    assert program.get().json["state"] == "finished"
    assert program.get("report").json["result"]["passed"] is passed


@pytest.mark.slow
@pytest.mark.clause("TS D-1", "D 7.14", "D 11.1", "D 11.2")
def test_who_has_passed_is_listed_and_approved_by_somebody_at_a_moment(stage: Stage) -> None:
    red, blue = played(stage, "red", "J44"), played(stage, "blue", "C34")
    before = asked(stage, "olga", "GET", "/v1/qualification").json["teams"]
    assert {each["team_id"]: (len(each["claims"]), each["qualified"]) for each in before} == {
        "red": (1, False),
        "blue": (0, False),
    }
    session = f"/v1/sessions/{red.session_id}/conclusion"
    assert blue.get("conclusion").code == "no_conclusion"
    assert (
        asked(stage, "jan", "POST", f"{session}/judgement", {"confirmed": True, "reason": "as the log"}).status == 200
    )
    done = asked(stage, "vera", "POST", f"{session}/verification", {"verified": True, "reason": "checked"})
    assert done.json["standing"] == "verified"
    said = {"admitted": True, "reason": "the protocol of 21 September"}
    assert asked(stage, "vera", "POST", "/v1/teams/red/admission", said).status == 403, "the organizers approve"
    made = asked(stage, "olga", "POST", "/v1/teams/red/admission", said)
    assert (made.json["qualified"], made.json["admission"]["qualified"]) == (True, True), "one kind is all there is"
    decided_at = iso(stage.now)
    rows = asked(stage, "jan", "GET", "/v1/qualification").json["teams"]
    approved = {each["team_id"]: each["admission"] for each in rows}
    assert (approved["red"]["by"], approved["red"]["at"]) == ("Olga", decided_at)
    member = stage.person(Role.PARTICIPANT, "rita", "red")
    own = stage.request("GET", "/v1/team/qualification", token=member).json
    assert (own["admission"]["admitted"], own["admission"]["by"]) == (True, None)


@pytest.mark.clause("TS D-1", "TS T6", "D 7.6", "D 7.7")
@pytest.mark.parametrize(
    ("mode", "set_name", "opens"),
    [
        ("algorithmic", "test", True),
        ("algorithmic", "train", False),
        ("training", "train", True),
        ("training", "test", False),
        ("estimated-training", "test", False),
    ],
)
def test_each_kind_of_sessions_has_its_own_set(stage: Stage, mode: str, set_name: str, opens: bool) -> None:
    program = Program(stage, stage.team("red"))
    opened = program.open(mode=mode, set=set_name)
    assert opened.status == 201 if opens else opened.json["error"]["details"][0]["code"] == "set_not_of_mode"
