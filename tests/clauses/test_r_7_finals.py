"""A final through the HTTP interface: joining, openings, deadlines, annulments, its end (R 4.5, 7.4–7.16, App. 2)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contest.run.rules.run import Kind, Run
from contest.values import iso
from tests.run_stage import at
from tests.stage import Answered, Program, Stage
from tests.toys import toy_cycle

RIGHT = {"letters": "abcd"}


@pytest.fixture
def stage(stage: Stage) -> Stage:
    stage.load(toy_cycle(final=3, reserve=2))
    stage.restart()
    return stage


def detail(answered: Answered) -> Any:
    return answered.json["error"]["details"][0]


def file_of(program: Program, number: int) -> Any:
    return program.get().json["deliveries"][number - 1]


def receipt(answered: Answered) -> Any:
    return answered.json["receipt"]


@pytest.mark.clause("R 7.4", "R-App2 §2 final", "platform §3 admission")
def test_r_7_4_a_session_opens_until_two_minutes_after_the_start(stage: Stage, run: Run, program: Program) -> None:
    first = program.join().json
    assert (first["run_id"], first["starts_at"], first["state"]) == (run.run_id, iso(run.starts_at), "open")
    at(stage, run, 1, 120)
    assert Program(stage, stage.team("blue")).join().status == 201
    at(stage, run, 1, 120.001)
    assert Program(stage, stage.team("grey")).join().refusal == (404, "no_run")
    named = Program(stage, stage.team("pink")).join(run=run.run_id)
    assert named.refusal == (409, "run_not_joinable")
    assert detail(named)["join_until"] == iso(run.starts_at + 120_000)


def test_r_4_5_a_team_takes_part_in_a_final_with_one_session_and_confirms_to_abort_it(joined: Program) -> None:
    session_id, path = joined.session_id, f"/v1/sessions/{joined.session_id}/abort"
    assert joined.join().refusal == (409, "session_already_open")
    for body in (None, {}, {"confirm": False}):
        assert joined.ask("POST", path, body).refusal == (409, "confirmation_needed")
    assert joined.get().json["state"] == "open"
    assert joined.ask("POST", path, {"confirm": True}).json["state"] == "aborted"
    again = joined.join()
    assert (again.status, again.code, detail(again)["session_id"]) == (409, "already_participated", session_id)


@pytest.mark.clause("R 8.2.3", "R 7.2", "platform §3 admission")
def test_r_8_2_only_admitted_teams_take_part(stage: Stage, program: Program) -> None:
    blue = Program(stage, stage.team("blue"))
    run = stage.plan(admitted=("blue",))
    assert program.join().refusal == (403, "not_admitted")
    assert program.join(run=run.run_id).code == "not_admitted"
    assert blue.join().status == 201


@pytest.mark.parametrize("choice", [{"set": "final"}, {"files": 3}, {"language": "rus"}, {"time_limit_s": 60}])
def test_r_7_5_a_program_chooses_nothing_in_a_final(run: Run, program: Program, choice: dict[str, Any]) -> None:
    refused = program.join(**choice)
    assert refused.refusal == (422, "invalid_request")
    assert detail(refused)["field"] == f"body.{next(iter(choice))}"


@pytest.mark.clause("R 7.5", "platform §3 release", "D 8.8", "D 4.2")
def test_r_7_5_a_file_opens_every_minute_the_same_for_all(stage: Stage, run: Run, joined: Program) -> None:
    other = Program(stage, stage.team("blue"))
    other.join()
    for number in (1, 2, 3):
        at(stage, run, number, -0.001)
        early = joined.get(f"files/{number}")
        assert (early.status, early.code, early.headers["retry-after"]) == (425, "not_open_yet", "1")
        assert (detail(early)["number"], detail(early)["opens_at"]) == (number, iso(stage.now + 1))
        stage.advance(0.001)
        handed_out = joined.get(f"files/{number}").json
        assert handed_out["opens_at"] == iso(stage.now)
        assert handed_out["content"] == other.get(f"files/{number}").json["content"]


@pytest.mark.clause("R 7.5", "platform §3 next")
def test_r_7_5_next_names_the_opening_and_passes_over_what_was_missed(stage: Stage, run: Run, joined: Program) -> None:
    waiting = joined.get("next")
    assert (waiting.json["status"], waiting.json["number"], waiting.json["run_state"]) == ("waiting", 1, "planned")
    assert (waiting.json["opens_at"], waiting.headers["retry-after"]) == (iso(run.starts_at), "600")
    at(stage, run, 1, 10)
    assert (joined.get("next").json["status"], joined.get("next").json["number"]) == ("available", 1)
    stage.advance(0.001)
    assert (joined.get("next").json["status"], joined.get("next").json["number"]) == ("waiting", 2)


@pytest.mark.clause("R-App2 §2 final", "platform §3 by number")
def test_r_app2_ten_seconds_to_ask_and_fifty_to_answer(stage: Stage, run: Run, joined: Program) -> None:
    at(stage, run, 1, 10)
    first = joined.get("files/1").json
    assert first["answer_by"] == iso(stage.now + 50_000)
    stage.advance(45)
    again = joined.get("files/1").json
    assert {**again, "server_time": ""} == {**first, "server_time": ""}
    stage.advance(5)
    assert receipt(joined.answer(1, RIGHT))["status"] == "accepted"
    at(stage, run, 2)
    joined.get("files/2")
    stage.advance(50.001)
    late = receipt(joined.answer(2, RIGHT))
    assert (late["status"], late["reason"], late["run_id"]) == ("late", "deadline_passed", run.run_id)
    assert (file_of(joined, 2)["state"], file_of(joined, 2)["evidence"]) == ("voided", {"late_by_ms": 1})
    at(stage, run, 3, 10.001)
    missed = joined.get("files/3")
    assert missed.refusal == (410, "file_missed")
    assert (detail(missed)["cause"], detail(missed)["late_by_ms"]) == ("team_late", 1)
    assert file_of(joined, 3)["cause"] == "team_late"
    assert file_of(joined, 3)["evidence"] == {"requested_late_by_ms": 1}


@pytest.mark.clause("R-App2 §2 final", "R 7.6", "D 6.8")
def test_r_app2_an_answer_is_due_sixty_seconds_after_the_opening(stage: Stage, program: Program) -> None:
    stage.load(toy_cycle(final=1))
    from contest.run.rules.run import SaidLimits

    run = stage.plan(limits=SaidLimits(request=30_000))
    program.join()
    at(stage, run, 1, 20)
    assert program.get("files/1").json["answer_by"] == iso(run.starts_at + 60_000)


@pytest.mark.clause("R 7.4", "D 6.7", "D 13.2", "platform §3 causes")
def test_r_7_4_who_joins_late_has_the_file_if_there_is_time(stage: Stage, run: Run, program: Program) -> None:
    at(stage, run, 1, 5)
    program.join()
    assert program.get("files/1").status == 200
    late = Program(stage, stage.team("blue"))
    at(stage, run, 1, 30)
    late.join()
    missed = detail(late.get("files/1"))
    assert (missed["joined_at"], "late_by_ms" in missed) == (iso(stage.now), False)
    assert late.get("next").json["number"] == 2


@pytest.mark.clause("R 7.6", "platform §3 causes", "R 8.3.1", "D 11.3")
def test_r_7_6_a_missed_file_is_annulled_with_its_reason(stage: Stage, run: Run, joined: Program) -> None:
    for number in (1, 3):
        at(stage, run, number)
        joined.get(f"files/{number}")
        joined.answer(number, RIGHT)
    stage.advance(600)
    status = joined.get().json
    assert (status["state"], status["counts"]["answered"], status["counts"]["voided"]) == ("finished", 2, 1)
    assert [each["cause"] for each in status["deliveries"]] == [None, "team_late", None]
    assert status["deliveries"][1]["evidence"] == {"requested": False}


@pytest.mark.clause("R 7.7", "R 10.2")
@pytest.mark.parametrize(("missed", "share", "annulled"), [((), 0.0, False), ((5,), 0.05, False), ((5, 6), 0.1, True)])
def test_r_7_7_more_than_five_per_cent_annulled_annul_the_solution(
    stage: Stage, program: Program, missed: tuple[int, ...], share: float, annulled: bool
) -> None:
    stage.load(toy_cycle(final=20))
    run = stage.plan(in_s=10, interval_s=2)
    program.join()
    for number in range(1, 21):
        at(stage, run, number)
        if number not in missed:
            program.get(f"files/{number}")
            assert program.answer(number, RIGHT).status == 200
    stage.advance(600)
    status = program.get().json
    assert (status["voided_share"], status["solution_voided"]) == (share, annulled)


@pytest.mark.clause("R 7.7", "platform §3 annulment")
def test_r_7_7_files_lost_by_a_decision_count_on_neither_side(stage: Stage, run: Run, joined: Program) -> None:
    at(stage, run, 1)
    joined.get("files/1")
    joined.answer(1, RIGHT)
    stage.decide(run, Kind.VOID, numbers=(2,))
    stage.advance(5)
    assert joined.get().json["voided_share"] == 0.0
    assert file_of(joined, 2)["cause"] == "organizer_decision"
    at(stage, run, 2)
    missed = joined.get("files/2")
    assert (missed.code, detail(missed)["cause"], detail(missed)["amendment"]) == (
        "file_missed",
        "organizer_decision",
        1,
    )
    at(stage, run, 3, 600)
    assert joined.get().json["voided_share"] == 0.5  # of files 1 and 3, file 3 was missed


@pytest.mark.clause("R 7.11", "platform §1 secrets")
def test_r_7_8_a_finals_report_tells_times_and_no_result(stage: Stage, run: Run, joined: Program) -> None:
    at(stage, run, 1, 2)
    joined.get("files/1")
    stage.advance(3)
    joined.answer(1, RIGHT)
    stage.score_all()
    assert stage.outbox() == []
    stage.advance(600)
    stage.tick()
    report = joined.get("report").json
    assert report["timing"]["delay_ms"]["max"] == 2_000
    assert report["timing"]["processing_ms"]["max"] == 3_000
    assert report["voided"]["by_cause"]["team_late"]["files"] == 2
    assert report["solution"]["voided"] is True
    assert joined.get("timeline").text.startswith("<?xml")
    assert joined.get("files/1/score").code == "results_not_published"
    assert joined.get("files/1/comparison").code == "comparison_not_allowed"
    assert stage.request("GET", "/v1/leaderboards/final").code == "results_not_published"
    assert joined.get("report").json["result"] is None


@pytest.mark.clause("R 7.16", "R 7.10", "D 8.13")
def test_r_7_16_a_stopped_run_ends_and_blames_nobody(stage: Stage, run: Run, joined: Program) -> None:
    assert Program(stage, stage.team("grey")).join().status == 201
    at(stage, run, 1)
    joined.get("files/1")
    stage.decide(run, Kind.STOP)
    stage.advance(4.999)
    assert joined.get().json["state"] == "open"
    stage.advance(0.001)
    status = joined.get().json
    assert (status["state"], status["run_state"]) == ("stopped", "stopped")
    assert {each["cause"] for each in status["deliveries"]} == {"organizer_decision"}
    assert status["voided_share"] is None
    assert joined.get("next").code == "session_closed"
    assert joined.get("files/2").code == "session_closed"
    assert Program(stage, stage.team("blue")).join(run=run.run_id).code == "run_not_joinable"
    assert stage.tick()["closed"] == 1
    assert json.loads(stage.request("GET", f"/v1/runs/{run.run_id}").text)["state"] == "stopped"
    stage.advance(60)
    stage.tick()
    record = stage.request("GET", f"/v1/runs/{run.run_id}/record")
    assert record.status == 200, "a run that is over is closed with its record"


@pytest.mark.clause("D 6.16", "platform §3 pause")
def test_d_6_16_a_pause_shifts_all_later_openings(stage: Stage, run: Run, joined: Program) -> None:
    at(stage, run, 1)
    answer_by = joined.get("files/1").json["answer_by"]
    stage.decide(run, Kind.PAUSE)
    at(stage, run, 2)
    early = joined.get("files/2")
    assert (early.status, detail(early)["run_state"]) == (425, "paused")
    waiting = joined.get("next").json
    assert (waiting["status"], waiting["run_state"]) == ("waiting", "paused")
    assert waiting["paused_until"] == iso(run.starts_at + 5_000 + 2 * 3_600_000)
    assert joined.get("files/1").json["answer_by"] == answer_by
    assert receipt(joined.answer(1, RIGHT))["status"] == "late"
    stage.advance(240)
    stage.decide(run, Kind.RESUME)  # 30 s later: the pause lasted 325 s
    at(stage, run, 2, 325 - 0.001)
    assert joined.get("files/2").code == "not_open_yet"
    stage.advance(0.001)
    assert joined.get("next").json["run_state"] == "running"
    handed_out = joined.get("files/2").json
    assert (handed_out["opens_at"], handed_out["request_by"]) == (iso(stage.now), iso(stage.now + 10_000))
    shown = stage.request("GET", f"/v1/runs/{run.run_id}").json
    assert shown["pauses"] == [{"from": iso(run.starts_at + 5_000), "until": iso(run.starts_at + 330_000)}]
    assert [each["amendment"]["amendment"] for each in shown["amendments"]] == ["pause", "resume"]
    assert shown["ends_at"] == iso(run.starts_at + 3 * 60_000 + 325_000)


def test_d_8_12_replaced_files_leave_and_reserve_ones_follow(stage: Stage, run: Run, joined: Program) -> None:
    at(stage, run, 1, 30)
    stage.decide(run, Kind.REPLACE, numbers=(1,))
    stage.advance(5)
    status = joined.get().json
    assert (status["files"], status["deliveries"][0]["cause"]) == (4, "organizer_decision")
    opens_at = status["deliveries"][3]["opens_at"]
    assert opens_at == iso(run.starts_at + 3 * 60_000)
    at(stage, run, 4)
    handed_out = joined.get("files/4").json
    assert handed_out["opens_at"] == opens_at
    assert receipt(joined.answer(4, RIGHT))["status"] == "accepted"


@pytest.mark.clause("R 8.3.1")
def test_a_ruling_gives_a_missed_file_another_cause(stage: Stage, run: Run, joined: Program) -> None:
    from contest.session.rules.delivery import Cause

    at(stage, run, 1, 30)
    stage.decide(run, Kind.RULE, numbers=(1,), team_id="red", cause=Cause.PLATFORM)
    stage.advance(5)
    first = file_of(joined, 1)
    assert (first["cause"], first["evidence"]["automatic"]["cause"]) == ("platform", "team_late")
    (public,) = stage.request("GET", f"/v1/runs/{run.run_id}").json["amendments"]
    told = public["amendment"]
    assert (told["amendment"], told["reason"], set(told["details"])) == ("sealed", "", {"seal"}), (
        "whose and what, hidden"
    )
