"""Qualification (R 6.9, 8.2) over HTTP; protocols of stages are recorded, shown and waited for (R 8.3, D 11)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from contest import reading
from contest.cycle.rules.cycle import Mode
from contest.errors import SameSignatoryError
from contest.people.rules import Change, Pool, Role
from contest.refusals import RefusedError
from contest.results import commission, publishing, reporting
from contest.results.commission import Statement
from contest.results.rules import qualification
from contest.results.rules.qualification import Conclusion, QualificationKind, Ruling, Standing, Step
from contest.run import recording, watching
from contest.run.rules.run import MOST, Matter, Run
from contest.run.rules.run import Kind as Amendment
from contest.session.rules.delivery import Cause
from contest.values import iso
from tests.contest.conduct.test_conducting import RUNS, Staff
from tests.contest.run.played_runs import Played, planned
from tests.run_stage import ABSENT, RunOnStage
from tests.stage import Answered, Program, Stage
from tests.stage_kept import Setting
from tests.toys import toy_cycle
from tracks.rules import Signatory

FEW = 4
RUN = 21
"""Files of a technical run of which one may be missed: less than one in twenty."""

STAGE = Setting(play=lambda stage: stage.load(toy_cycle(train=25, final=3, readiness_min_files=FEW)))


@pytest.fixture
def red(stage: Stage) -> Program:
    return Program(stage, stage.team("red", admitted=False))


STAFF = {"jan": Role.JUDGE, "vera": Role.COMMISSION, "olga": Role.ORGANIZER}


def ask(stage: Stage, who: str, method: str, path: str, body: Any = None) -> Answered:
    """Send a request of a staff member, or of a member of red, a second after the one before."""
    stage.advance(1)
    role = STAFF.get(who, Role.PARTICIPANT)
    stage.person(role, who, "red" if role is Role.PARTICIPANT else "")
    return stage.request(method, path, body, stage.sign_in(who, Pool.STAFF if who in STAFF else Pool.PARTICIPANTS))


def judge(stage: Stage, session_id: str, *, confirmed: bool = True, who: str = "jan") -> Answered:
    path = f"/v1/sessions/{session_id}/conclusion/judgement"
    return ask(stage, who, "POST", path, {"confirmed": confirmed, "reason": "as the report says"})


def verify(stage: Stage, session_id: str, *, verified: bool = True, who: str = "vera") -> Answered:
    path = f"/v1/sessions/{session_id}/conclusion/verification"
    return ask(stage, who, "POST", path, {"verified": verified, "reason": "checked"})


def algorithmic(stage: Stage, program: Program, *, skip: int = 0) -> str:
    """Play a session of as few files as readiness asks for, and make its report."""
    assert program.open(files=FEW).status == 201
    program.play(skip=range(1, skip + 1))
    if skip:
        stage.advance(120)
        assert program.get("next").status == 200
    stage.score_all()
    assert program.get("report").status == 200
    return program.session_id


def technical(stage: Stage, program: Program, *, skip: int = 0) -> tuple[Any, str]:
    """Play a technical run and make its report."""
    run = stage.plan(mode=Mode.TECHNICAL, set_name="train", files=RUN, interval_s=10)
    stage.set_clock(run.starts_at)
    assert program.join("technical").status == 201
    session_id = program.session_id
    for number in range(1, RUN + 1):
        stage.set_clock(run.starts_at + (number - 1) * 10_000)
        if number > skip:
            assert program.get(f"files/{number}").status == 200
            assert program.answer(number, {"letters": "ab"}).status == 200
    stage.tick(after=200)
    stage.report_all()
    assert program.get("report").status == 200
    return run, session_id


def standing(stage: Stage) -> dict[str, Any]:
    found: dict[str, Any] = ask(stage, "olga", "GET", "/v1/qualification").json["teams"][0]
    return found


@pytest.mark.slow
@pytest.mark.clause(
    "R 6.9", "R 8.2.1", "R 8.2.2", "R 8.2.3", "platform §1 judge", "platform §4 admission", "D 11.1", "D 11.2"
)
def test_a_team_has_qualified_with_a_verified_conclusion_of_each_kind(stage: Stage, red: Program) -> None:
    first = algorithmic(stage, red)
    assert [each["standing"] for each in standing(stage)["claims"]] == ["awaits_judges"]
    assert judge(stage, first).json["standing"] == "awaits_commission"
    assert verify(stage, first).json["standing"] == "verified"
    assert standing(stage)["qualified"] is False
    _, second = technical(stage, red)
    judge(stage, second)
    assert standing(stage)["qualified"] is False
    verify(stage, second)
    assert standing(stage)["qualified"] is True
    seen = ask(stage, "anna", "GET", "/v1/team/qualification").json
    assert (seen["qualified"], seen["admission"]) == (True, None)


@pytest.mark.clause("R 8.2.1")
def test_a_negative_conclusion_has_nothing_to_confirm(stage: Stage, red: Program) -> None:
    session_id = algorithmic(stage, red, skip=2)
    assert red.get("report").json["readiness"]["ready"] is False
    assert standing(stage)["claims"] == []
    assert judge(stage, session_id).refusal == (404, "no_conclusion")


@pytest.mark.clause("R 8.2.1", "R 8.2.2", "platform §1 judge", "D 11.1", "D 11.2")
def test_what_is_possible_is_told_has_a_way_back_and_everything_else_is_refused(stage: Stage, red: Program) -> None:
    """Each round tries all rulings that are not offered as possible, then makes one ruling."""
    session_id = algorithmic(stage, red)
    ways = {
        ("judgement", True): lambda: judge(stage, session_id),
        ("judgement", False): lambda: judge(stage, session_id, confirmed=False),
        ("verification", True): lambda: verify(stage, session_id),
        ("verification", False): lambda: verify(stage, session_id, verified=False),
    }
    result, standings = [], []
    rulings = [("judgement", False), ("judgement", True), ("verification", True), ("verification", False)]
    for ruling in rulings:
        answer = ask(stage, "jan", "GET", f"/v1/sessions/{session_id}/conclusion").json["possible"]
        possible = {(decision["step"], decision["positive"]) for decision in answer}
        result.append(len(possible))
        refusals = [way() for name, way in ways.items() if name not in possible]
        assert {each.code for each in refusals} == {"no_such_ruling"}
        assert {each.json["error"]["details"][0]["standing"] for each in refusals} == {
            standings[-1] if standings else "awaits_judges"
        }
        standings.append(ways[ruling]().json["standing"])
    assert result == [2, 1, 3, 1]
    assert standings == ["rejected", "awaits_commission", "verified", "awaits_judges"]
    assert standing(stage)["claims"][0]["standing"] == "awaits_judges"
    answer = ask(stage, "anna", "GET", f"/v1/sessions/{session_id}/conclusion").json
    assert [(entry["step"], entry["positive"]) for entry in answer["rulings"]] == rulings
    assert [name for name in ("jan", "vera") if name in str(answer)] == []


def test_nobody_verifies_what_they_have_judged(stage: Stage, red: Program) -> None:
    session_id = algorithmic(stage, red)
    assert judge(stage, session_id, who="olga").json["standing"] == "awaits_commission"
    assert verify(stage, session_id, who="olga").refusal == (409, "same_person")
    assert verify(stage, session_id).json["standing"] == "verified"


@pytest.mark.slow
@pytest.mark.clause("R 6.9", "R 6.7.4")
def test_a_decision_about_the_run_calls_for_another_judgement(stage: Stage, red: Program) -> None:
    """A judgement confirms one report; if a ruling makes another report, that one waits for the judges again."""
    run, session_id = technical(stage, red, skip=1)
    judge(stage, session_id)
    verify(stage, session_id)
    stage.decide(run, Amendment.RULE, team_id="red", numbers=(1,), cause=Cause.PLATFORM)
    stage.tick(after=10)
    reporting.finished_report(stage.platform, stage.platform.sessions.get(session_id))
    shown = ask(stage, "jan", "GET", f"/v1/sessions/{session_id}/conclusion").json
    assert (shown["standing"], [each["counts"] for each in shown["rulings"]]) == ("awaits_judges", [False, False])
    assert standing(stage)["claims"][0]["standing"] == "awaits_judges"


def test_the_furthest_conclusion_is_the_claim_and_the_next_one_takes_its_place(stage: Stage, red: Program) -> None:
    first = algorithmic(stage, red)
    judge(stage, first)
    verify(stage, first)
    second = algorithmic(stage, red)
    assert standing(stage)["claims"][0]["session_id"] == first
    judge(stage, second)
    verify(stage, first, verified=False)
    assert standing(stage)["claims"] == [{"kind": "algorithmic", "session_id": second, "standing": "awaits_commission"}]
    queue = ask(stage, "vera", "GET", "/v1/qualification?standing=awaits_commission").json["teams"]
    assert [each["team_id"] for each in queue] == ["red"]
    assert ask(stage, "jan", "GET", "/v1/qualification?standing=rejected").json["teams"] == []


@pytest.mark.clause("R 8.2.3", "platform §4 admission", "R 7.2", "platform §3 trial")
def test_a_final_takes_the_teams_that_are_admitted_when_they_join_and_a_trial_every_one(
    stage: Stage, red: Program
) -> None:
    blue = Program(stage, stage.team("blue", admitted=False))
    final = stage.plan(in_s=600)
    for program in (red, blue):
        assert program.join(run=final.run_id).refusal == (403, "not_admitted")
        assert program.join().code == "not_admitted"
    refused = ask(stage, "olga", "POST", "/v1/teams/none/admission", {"admitted": True, "reason": "x"})
    assert refused.refusal == (404, "unknown_team")
    said = ask(stage, "olga", "POST", "/v1/teams/red/admission", {"admitted": True, "reason": "the jury's wish"})
    assert (said.json["admission"]["admitted"], said.json["admission"]["qualified"]) == (True, False)
    ask(stage, "olga", "POST", "/v1/teams/red/admission", {"admitted": False, "reason": "withdrawn"})
    assert red.join(run=final.run_id).code == "not_admitted"
    ask(stage, "olga", "POST", "/v1/teams/red/admission", {"admitted": True, "reason": "back again"})
    assert red.join(run=final.run_id).status == 201
    assert blue.join(run=final.run_id).code == "not_admitted"
    named = stage.plan(in_s=700, admitted=("blue",))
    assert blue.join(run=named.run_id).status == 201
    grey = Program(stage, stage.team("grey", admitted=False))
    assert grey.join(run=stage.plan(in_s=800, trial=True).run_id).status == 201


@pytest.mark.slow
@pytest.mark.clause("R 7.2", "R 8.2.3")
def test_planning_a_final_tells_how_many_teams_are_admitted_and_qualified(stage: Stage, red: Program) -> None:
    order = {"mode": "final", "set": "final", "starts_at": iso(stage.now + 3_600_000)}

    def told(**more: Any) -> list[dict[str, int]]:
        return [
            notice["where"]
            for notice in ask(stage, "olga", "POST", "/v1/conduct/runs/preview", {**order, **more}).body()["notices"]
            if notice["code"] == "admission"
        ]

    assert told() == [{"admitted": 0, "qualified": 0, "both": 0}]
    assert told(trial=True) == []
    for session_id in (algorithmic(stage, red), technical(stage, red)[1]):
        judge(stage, session_id)
        verify(stage, session_id)
    stage.team("blue")
    assert told() == [{"admitted": 1, "qualified": 1, "both": 0}]
    assert told(admitted=["red"]) == [{"admitted": 1, "qualified": 1, "both": 1}]


@pytest.mark.clause("platform §4 admission")
def test_every_step_stands_in_the_log(stage: Stage, red: Program) -> None:
    session_id = algorithmic(stage, red)
    judge(stage, session_id)
    verify(stage, session_id)
    ask(stage, "olga", "POST", "/v1/teams/red/admission", {"admitted": True, "reason": "qualified"})
    found = stage.platform.audit_log.on("2026-09-21")
    assert [(each.who, each.what) for each in found if each.who != "tests"] == [
        ("person:jan", "conclusion awaits_commission"),
        ("person:vera", "conclusion verified"),
        ("person:olga", "team admitted to the final"),
    ]


RULING = Ruling(Step.JUDGEMENT, True, "jan", "x", 5, "report")
CONCLUSION = Conclusion("s", "red", "toy", QualificationKind.ALGORITHMIC, "report", True, 4)


@pytest.mark.clause("TS D-1")
def test_a_team_qualifies_by_verified_claims_of_each_kind_about_the_present_report() -> None:
    confirmed = qualification.with_ruling(CONCLUSION, RULING)
    assert confirmed.standing is Standing.AWAITS_COMMISSION
    other = Conclusion(**{**{n: getattr(confirmed, n) for n in confirmed.__slots__}, "report": "another"})
    assert other.standing is Standing.AWAITS_JUDGES
    assert not qualification.is_qualified([], tuple(QualificationKind))
    verified = qualification.Claim("red", QualificationKind.TECHNICAL, "s", Standing.VERIFIED)
    assert not qualification.is_qualified([verified, verified], tuple(QualificationKind))
    assert qualification.admitted_teams([]) == ()
    algorithmic_claim = qualification.Claim("red", QualificationKind.ALGORITHMIC, "s", Standing.VERIFIED)
    assert qualification.is_qualified([algorithmic_claim], [QualificationKind.ALGORITHMIC])
    assert not qualification.is_qualified([algorithmic_claim], [QualificationKind.TECHNICAL])
    assert not qualification.is_qualified([algorithmic_claim], [])


JUDGES, COMMISSION = Signatory
WHO = {JUDGES: "person:judith", COMMISSION: "person:carl"}


@pytest.fixture
def played() -> Played:
    return planned().play().finish()


def demand(played: Played, *sides: Signatory) -> None:
    """Make the cycle demand protocols on its results."""
    catalogue = played.platform.catalogue
    before = reading.written_cycle(played.platform)
    catalogue.publish(replace(before, protocols=sides), None, Change(0, "olga", "cycle loaded", "toy-1", None, None))


def state(played: Played, by: Signatory, *, who: str = "", reason: str = "looked at", **said: Any) -> Run:
    matter, positive = said.get("matter", Matter.RESULTS), said.get("positive", True)
    return commission.record_protocol(
        played.platform, who or WHO[by], played.run_id, Statement(by, matter, positive, reason)
    )


def confirmed(played: Played) -> bool | None:
    return recording.is_confirmed(played.platform, reading.cycle_now(played.platform), played.run)


def refused(error: type[Exception], *words: Any, **said: Any) -> str:
    with pytest.raises(error) as caught:
        state(*words, **said)
    return str(getattr(caught.value, "code", ""))


@pytest.mark.clause("R 8.3.3", "R 8.3.4", "R 8.3.5")
def test_results_wait_for_everybody_whose_protocol_the_cycle_demands(played: Played) -> None:
    demand(played, JUDGES, COMMISSION)
    assert confirmed(played) is False
    with pytest.raises(RefusedError, match="the judges, the technical commission"):
        publishing.publish(played.platform, "anna", played.run_id)
    state(played, JUDGES)
    state(played, COMMISSION, positive=False)
    with pytest.raises(RefusedError) as caught:
        publishing.publish(played.platform, "anna", played.run_id)
    assert (caught.value.code, caught.value.details[0]["missing"]) == ("not_confirmed", ["commission"])
    state(played, COMMISSION, reason="it was a mistake in reading")
    assert confirmed(played) is True
    publishing.publish(played.platform, "anna", played.run_id)
    assert played.run.published_at is not None


@pytest.mark.clause("R 8.3.5")
def test_where_nobody_s_is_demanded_results_are_published_without(played: Played) -> None:
    assert confirmed(played) is None
    publishing.publish(played.platform, "anna", played.run_id)
    demand(played)
    assert confirmed(played) is None


def test_nothing_is_taken_out_and_nobody_says_twice_what_was_said(played: Played) -> None:
    state(played, JUDGES)
    assert refused(RefusedError, played, JUDGES) == "stated_already"
    state(played, JUDGES, positive=False)
    state(played, JUDGES)
    protocols = watching.run_protocols(played.platform, played.run_id)["protocols"]
    assert [(each["number"], each["positive"], each["current"]) for each in protocols] == [
        (3, True, True),
        (2, False, True),
        (1, True, True),
    ]
    kept = commission.record(played.platform, played.run_id, played.platform.clock.now())["protocols"]
    assert kept == [{name: value for name, value in each.items() if name != "name"} for each in protocols]


@pytest.mark.clause("R 8.2.2")
def test_one_person_does_not_sign_for_both_sides_and_a_command_may(played: Played) -> None:
    state(played, JUDGES)
    with pytest.raises(SameSignatoryError):
        state(played, COMMISSION, who=WHO[JUDGES])
    state(played, COMMISSION, who=WHO[JUDGES], matter=Matter.MASS_FAILURE)
    state(played, JUDGES, who="command:olga", positive=False)
    with pytest.raises(SameSignatoryError):  # another has signed since, and it is still the other side's
        state(played, COMMISSION, who=WHO[JUDGES])
    state(played, COMMISSION, who="command:olga")


def test_results_are_stated_of_when_they_are_made_and_a_failure_when_the_run_has_begun() -> None:
    made = planned()
    assert refused(RefusedError, made, JUDGES) == "run_not_over"
    made.at(made.run.starts_at - 1)
    assert refused(RefusedError, made, JUDGES, matter=Matter.MASS_FAILURE) == "run_not_started"
    made.at(made.run.starts_at)
    assert state(made, JUDGES, matter=Matter.MASS_FAILURE).protocols[0].edition == ""


def test_a_run_takes_only_so_many_protocols(played: Played) -> None:
    for number in range(MOST):
        state(played, JUDGES, positive=bool(number % 2))
    assert refused(RefusedError, played, JUDGES, positive=False) == "too_many_protocols"


def test_a_protocol_recorded_at_the_same_moment_by_somebody_else_is_not_lost(played: Played) -> None:
    change, before = played.platform.runs.change, played.run
    calls = []

    def raced(*words: Any) -> Any:
        calls.append(words)
        if len(calls) == 1:
            state(played, COMMISSION)
        return change(*words)

    played.platform.runs.change = raced  # type: ignore[method-assign]  # another's write comes first
    state(played, JUDGES)
    assert [(each.number, each.by) for each in played.run.protocols] == [(1, COMMISSION), (2, JUDGES)]
    assert played.run.version == before.version + 2


@pytest.mark.integration
@pytest.mark.clause("R 7.16.1", "D 6.13", "D 11.3", "platform §1 judge")
def test_judges_and_commission_each_state_for_their_own_side_and_all_read_it(stage: Stage) -> None:
    run = RunOnStage(stage, 4, "red")
    run.open(1, red=ABSENT)
    judge, member, olga = (Staff(stage, role) for role in (Role.JUDGE, Role.COMMISSION, Role.ORGANIZER))
    path = f"{RUNS}/{run.run_id}/protocols"
    said = {"matter": "mass_failure", "reason": "the hall had no power"}
    assert member.post(f"{path}/judges", said).status == 403
    assert judge.post(f"{path}/commission", said).status == 403
    assert judge.said(f"{path}/judges", said)["protocols"][0]["name"] == "The-Judge"
    member.said(f"{path}/commission", {**said, "positive": False})
    for each in (judge, member, olga):
        shown = each.said(path)
        assert [(one["by"], one["positive"], one["matter"]) for one in shown["protocols"]] == [
            ("commission", False, "mass_failure"),
            ("judges", True, "mass_failure"),
        ]
    assert stage.request("GET", path).status in {401, 403}
    assert judge.post(f"{path}/judges", {"reason": "too early"}).code == "run_not_over"
    logged = [each for each in stage.platform.audit_log.on("2026-09-21") if each.what == "protocol recorded"]
    assert [each.after["by"] for each in logged] == ["judges", "commission"]
