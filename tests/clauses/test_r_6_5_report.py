"""R 6.5, 6.7: the report of a session; who may compare with the experts; whether the program is ready."""

from __future__ import annotations

import pytest

from tests.stage import Program, Stage
from tests.toys import toy_cycle


@pytest.mark.clause("R 6.5.4", "platform §4 readiness", "R 6.5", "platform §4 reports")
def test_r_6_5_4_the_reasons_against_readiness_are_said(stage: Stage, program: Program) -> None:
    program.open(time_limit_s=10)
    program.play(skip=[1])
    stage.advance(60)
    program.get("next")
    stage.score_all()
    readiness = program.get("report").json["readiness"]
    assert [each["code"] for each in readiness["reasons"]] == ["too_few_files", "too_few_answers"]
    assert readiness["valid_share"] == 0.75
    assert all(each["message"] and each["message_ru"] for each in readiness["reasons"])
    first = program.get("report").text
    assert program.answer(1, {"letters": "abcd"}).json["receipt"]["status"] == "late"
    stage.platform.blobs.delete(f"reports/{program.session_id}/1.json")
    assert program.get("report").text == first


@pytest.mark.clause("R 6.5.4", "platform §3 abort")
def test_r_6_5_4_an_aborted_session_is_reported_and_does_not_count(stage: Stage, program: Program) -> None:
    stage.load(toy_cycle(test=6, readiness_min_files=1, readiness_min_share=0.5))
    stage.restart()
    program.open(set="test")
    for number in range(1, 6):  # the answer to the sixth would end the session by itself
        program.get(f"files/{number}")
        program.answer(number, {"letters": "abcd"})
        stage.advance(1)
    program.ask("POST", f"/v1/sessions/{program.session_id}/abort")
    stage.score_all()
    report = program.get("report").json
    assert report["session"]["state"] == "aborted"
    assert [each["code"] for each in report["readiness"]["reasons"]] == ["session_aborted"]
    stage.tick()
    for language in ("all", "rus", "eng"):  # one of them was answered whole
        assert stage.request("GET", f"/v1/leaderboards/qualification?language={language}").json["rows"] == []


@pytest.mark.clause("R 6.5", "R 2.23", "platform §4 reports")
def test_r_6_5_the_report_waits_and_is_always_the_same(program: Program, stage: Stage) -> None:
    program.open()
    refused = program.get("report")
    assert (refused.status, refused.code) == (409, "session_open")
    program.play()
    stage.relay(stage.outbox()[:1])
    stage.work()
    waiting = program.get("report")
    assert (waiting.status, waiting.json) == (202, {"status": "scoring", "scored": 1, "files": 4})
    assert waiting.headers["retry-after"] == "2"
    stage.score_all()
    assert program.get("report").status == 200
    first = program.get("report").text
    name = f"reports/{program.session_id}/1.json"
    stage.platform.blobs.delete(name)
    stage.advance(3600)
    stage.restart()
    assert program.get("report").text == first
    assert stage.audit()["differences"] == ()
    stage.platform.blobs.put(name, b"{}")
    assert stage.audit()["differences"] == (f"report {program.session_id}",)


@pytest.mark.clause("R 6.7.1")
def test_r_6_7_1_the_report_shows_processing_times(stage: Stage, program: Program) -> None:
    program.open()
    for number, seconds in ((1, 1), (2, 2), (3, 3), (4, 10)):
        program.get(f"files/{number}")
        stage.advance(seconds)
        program.answer(number, {"letters": "a"})
    program.get("next")
    stage.score_all()
    times = program.get("report").json["timing"]["processing_ms"]
    assert times == {"count": 4, "mean": 4000.0, "max": 10000, "p50": 2000, "p95": 10000}


def test_r_6_7_3_the_report_shows_the_share_of_void_files_by_cause(stage: Stage, program: Program) -> None:
    program.open(time_limit_s=10)
    program.get("files/1")
    program.answer(1, "[]")
    program.get("files/2")
    program.answer(2, {"letters": "a"})
    program.get("files/3")
    stage.advance(900)
    assert program.get().json["state"] == "timed_out"
    stage.score_all()
    void = program.get("report").json["voided"]
    assert (void["files"], void["share"]) == (3, 0.75)
    assert void["by_cause"]["team_invalid"] == {"files": 1, "share": 0.25}
    assert void["by_cause"]["team_late"] == {"files": 2, "share": 0.5}
    assert void["by_cause"]["platform"] == {"files": 0, "share": 0.0}
