"""R 6.5, 6.7, 7.8: reports of sessions, also technical and final ones; R 7.7: the share that annuls a solution."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from contest.commands.main import Folder
from contest.cycle.loading import load_cycle
from contest.cycle.rules.cycle import Mode
from contest.people.rules import Role
from contest.results.rules import leaderboard
from contest.run.rules.conducting import Wish
from contest.run.rules.run import Kind
from contest.session.rules.delivery import Cause
from tests.run_stage import ABSENT, SLOW, WRONG, RunOnStage
from tests.stage import Program, Stage, staged
from tests.toys import toy_cycle


def test_r_6_7_2_a_technical_report_shows_the_delay_from_opening_to_hand_out(stage: Stage) -> None:
    played = RunOnStage(stage, 2, "red", mode=Mode.TECHNICAL)
    start = played.run.starts_at
    for number, late in ((1, 1_000), (2, 4_000)):
        played.at(start + (number - 1) * 60_000 + late)
        assert played.programs["red"].get(f"files/{number}").status == 200
    played.finish()
    delays = played.report("red")["timing"]["delay_ms"]
    assert (delays["mean"], delays["max"]) == (2_500.0, 4_000)


def test_r_6_7_3_a_technical_report_shows_shares_by_cause_and_a_chart(stage: Stage) -> None:
    played = RunOnStage(stage, 5, "red", mode=Mode.TECHNICAL)
    played.play({1: {"red": ABSENT}, 2: {"red": SLOW}, 3: {"red": WRONG}})
    played.finish()
    void = played.report("red")["voided"]
    assert (void["files"], void["share"]) == (3, 0.6)
    assert void["by_cause"]["team_late"] == {"files": 2, "share": 0.4}
    assert void["by_cause"]["team_invalid"] == {"files": 1, "share": 0.2}
    timing = played.report("red")["timing"]
    assert (timing["processing_ms"]["count"], timing["delay_ms"]["count"]) == (2, 4)  # the late one was handed out
    files = played.report("red")["files"]
    assert [(each["state"], each["cause"]) for each in files[:4]] == [
        ("voided", "team_late"),
        ("voided", "team_late"),
        ("voided", "team_invalid"),
        ("answered", None),
    ]
    drawn = played.programs["red"].get("timeline")
    assert (drawn.status, drawn.headers["content-type"]) == (200, "image/svg+xml")
    root = ET.fromstring(drawn.text.encode())  # noqa: S314 -- our own chart
    assert root.attrib["role"] == "img"
    outcome = root.findtext("{http://www.w3.org/2000/svg}desc")
    assert outcome is not None
    assert "answered: 2, annulled: 3" in outcome
    assert "с ответом: 2, аннулировано: 3" in outcome


@pytest.mark.clause("R 6.7.4", "platform §4 readiness")
def test_r_6_7_4_a_technical_report_concludes_on_readiness_with_reasons_in_both_languages(stage: Stage) -> None:
    played = RunOnStage(stage, 4, "red", "blue", mode=Mode.TECHNICAL, parameters={"readiness_min_files": 4})
    played.play({1: {"red": ABSENT}})
    played.finish()
    assert played.report("blue")["readiness"] == {"ready": True, "valid_share": 1.0, "reasons": []}
    conclusion = played.report("red")["readiness"]
    assert (conclusion["ready"], conclusion["valid_share"]) == (False, 0.75)
    (reason,) = conclusion["reasons"]
    assert (reason["code"], "25.0%" in reason["message"], "25,0%" in reason["message_ru"]) == (
        "too_many_voided",
        True,
        True,
    )
    played.decide(Wish(Kind.VOID, "unreadable", (2,)))  # a file that is taken away makes no run too short
    assert played.report("blue")["readiness"] == {"ready": True, "valid_share": 1.0, "reasons": []}


@pytest.mark.clause("R 6.7.4", "platform §4 readiness")
@pytest.mark.parametrize("mode", [Mode.TECHNICAL, Mode.FINAL])
def test_r_6_7_4_a_run_needs_as_many_files_as_a_session_to_show_readiness(stage: Stage, mode: Mode) -> None:
    played = RunOnStage(stage, 4, "red", mode=mode, parameters={"readiness_min_files": 5})
    played.play()
    played.finish()
    conclusion = played.report("red")["readiness"]
    assert (conclusion["ready"], conclusion["valid_share"]) == (False, 1.0)
    assert [(each["code"], each["where"]) for each in conclusion["reasons"]] == [
        ("too_few_files", {"files": 4, "least": 5})
    ]


def test_r_6_7_1_a_technical_report_shows_processing_times_and_how_good_the_answers_were(stage: Stage) -> None:
    played = RunOnStage(stage, 2, "red", mode=Mode.TECHNICAL)
    played.open(1)
    played.open(2, red="abxx")
    played.finish()
    report = played.report("red")
    times = report["timing"]["processing_ms"]
    assert times == {"count": 2, "mean": 10_000.0, "max": 10_000, "p50": 10_000, "p95": 10_000}
    assert report["result"]["relative_accuracy"] == 75.0


@pytest.mark.clause("R 7.7", "platform §3 annulment")
def test_r_7_7_files_lost_to_the_platform_or_by_decision_count_on_neither_side(stage: Stage) -> None:
    played = RunOnStage(stage, 4, "red")
    played.play({1: {"red": ABSENT}, 2: {"red": ABSENT}})
    played.finish()
    assert played.report("red")["solution"]["voided_share"] == 0.5
    (listed,) = played.programs["red"].ask("GET", "/v1/sessions").json["sessions"]
    played.decide(Wish(Kind.RULE, "the logs show our fault", (1,), "red", Cause.PLATFORM))
    assert played.report("red")["solution"]["voided_share"] == 1 / 3
    played.decide(Wish(Kind.VOID, "unreadable", (2, 3)))
    assert played.report("red")["solution"] == {"voided_share": 0.0, "allowed_share": 0.05, "voided": False}
    stage.advance(3)
    (again,) = played.programs["red"].ask("GET", "/v1/sessions").json["sessions"]
    assert (listed["counts"]["voided"], again["counts"]["voided"]) == (2, 3), "a decision changes them after the end"


@pytest.mark.clause("R 7.8", "R 7.11")
def test_r_7_8_a_finals_report_has_the_form_of_a_technical_one_and_tells_no_results_yet(stage: Stage) -> None:
    final = RunOnStage(stage, 2, "red")
    final.play()
    final.finish()
    made = final.report("red")
    technical = RunOnStage(stage, 2, "blue", mode=Mode.TECHNICAL)
    technical.play()
    technical.finish()
    assert made.keys() == technical.report("blue").keys()
    assert made["timing"].keys() == {"processing_ms", "delay_ms"}
    assert (made["result"], made["sections"], made["session"]["mode"]) == (None, [], "final")


@pytest.mark.clause("R 8.3.1")
def test_r_8_3_1_a_ruling_makes_a_new_report_and_the_old_one_stays(stage: Stage) -> None:
    played = RunOnStage(stage, 4, "red")
    played.play({1: {"red": ABSENT}})
    played.finish()
    before = played.report("red")
    played.decide(Wish(Kind.RULE, "their line was cut", (1,), "red", Cause.NETWORK))
    after = played.report("red")
    assert (before["files"][0]["cause"], after["files"][0]["cause"]) == ("team_late", "network")
    assert after["files"][0]["evidence"]["automatic"]["cause"] == "team_late"
    kept = stage.platform.blobs.names(f"reports/{played.programs['red'].session_id}/")
    assert len(kept) == 2
    assert stage.audit()["differences"] == ()


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
    assert program.get("report").refusal == (409, "session_open")
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


DEMONSTRATION = Path(__file__).resolve().parents[2] / "local" / "demonstration"
METRICS = ["M1", "M2", "M3", "M4", "M5", "M6", "M7"]


@pytest.fixture(scope="module")
def essays(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """Play and score a training session over demonstration essays, answered with the empty markup."""
    with staged(tmp_path_factory.mktemp("essays"), cycle="demo") as stage:
        load_cycle(stage.platform, "tests", "demo", Folder(DEMONSTRATION), lambda _: None)
        program = Program(stage, stage.team("red"))
        program.open(set="train", files=30)
        while (outcome := program.get("next").json)["status"] == "available":
            file = program.get(f"files/{outcome['number']}").json
            assert program.answer(outcome["number"], file["content"]).status == 200
            stage.advance(1)
        stage.score_all()
        yield program


@pytest.fixture(scope="module")
def report(essays: Program) -> Any:
    essays.stage.advance(1)
    answered = essays.get("report")
    assert answered.status == 200
    return answered.json


@pytest.mark.clause(
    "R 6.5.1",
    "R 6.5.1.1",
    "R 6.5.1.2",
    "R 6.5.1.3",
    "R 6.5.2",
    "R 6.5.4",
    "platform §4 intervals",
    "platform §4 abstention",
)
def test_r_6_5_1_the_report_breaks_down_by_type_metric_and_file_and_concludes_on_readiness(report: Any) -> None:
    result = report["result"]
    assert {"algorithm_accuracy", "expert_accuracy", "relative_accuracy"} <= set(result)
    ratio = 100 * result["algorithm_accuracy"] / result["expert_accuracy"]
    assert result["relative_accuracy"] == pytest.approx(ratio)
    low, high = result["interval_95"]["relative_accuracy"]
    assert low <= result["relative_accuracy"] <= high
    groups = {each["group"] for each in report["files"]}
    assert set(report["result"]["by_subject"]) == groups
    assert set(report["result"]["by_language"]) == {each["language"] for each in report["files"]}
    assert sorted(report["result"]["by_metric"]) == METRICS
    table = next(each for each in report["sections"] if each["key"] == "files")
    titles = [column["en"] for column in table["columns"]]
    assert [title.split(" ")[0] for title in titles if title.startswith("M")] == METRICS
    assert sorted(row[0] for row in table["rows"]) == sorted(each["file_id"] for each in report["files"])
    assert all(len(row) == len(titles) for row in table["rows"])
    assert (report["readiness"]["ready"], report["readiness"]["reasons"]) == (True, [])
    outcome = leaderboard.abstention(report["result"])
    assert outcome == {"relative_accuracy": report["result"]["relative_accuracy"], "difference": 0.0, "flagged": False}
    assert report["barrier"] == {"value": 100.0, "overcome": False}


def test_r_6_5_3_the_own_markup_is_shown_beside_the_experts_on_the_training_set(essays: Program) -> None:
    essays.stage.advance(1)
    body = essays.get("files/1/comparison").json
    assert body["answer"]["selections"] == []
    assert len(body["experts"]) == 2
    assert all(expert["text"] == body["answer"]["text"] for expert in body["experts"])
    assert body["score"] == essays.get("files/1/score").json


@pytest.fixture(scope="module")
def hidden(essays: Program) -> Program:
    """Play a session over ten hidden essays, each tiled with fragments of three words."""
    stage = essays.stage
    program = Program(stage, stage.team("blue"))
    program.open(set="test", files=10)
    codes = stage.request("GET", "/v1/classifier").json["classifier"]["subjects"]
    for number in range(1, 11):
        content = program.get(f"files/{number}").json["content"]
        words = [found.span() for found in re.finditer(r"\S+", content["text"])]
        code = next(each for each in codes[content["meta"]["subject"]] if each["group"] == "error")
        tiles = [
            {"id": index, "startSelection": some[0][0], "endSelection": some[-1][1]}
            | {"type": code["code"], "group": "error"}
            for index, some in enumerate((words[at : at + 3] for at in range(0, len(words), 3)), start=1)
        ]
        assert program.answer(number, {**content, "selections": tiles}).status == 200
        stage.advance(1)
    stage.score_all()
    return program


@pytest.mark.clause("R 2.7", "R 6.5.2", "R 6.5.3")
def test_r_6_5_3_of_a_hidden_file_whole_per_cents_are_told_and_the_record_to_organizers_alone(hidden: Program) -> None:
    measures = {"algorithm_accuracy", "expert_accuracy", "relative_accuracy"}
    for number in range(1, 11):
        hidden.stage.advance(1)
        answer = hidden.get(f"files/{number}/score").json
        assert set(answer) == measures | {"metrics"}
        assert sorted(answer["metrics"]) == METRICS
        values = [answer[name] for name in measures] + list(answer["metrics"].values())
        assert all(value is None or value == int(value) for value in values)
        assert hidden.get(f"files/{number}/comparison").code == "comparison_not_allowed"
    judge = hidden.stage.person(Role.JUDGE)
    record = hidden.stage.request("GET", f"/v1/sessions/{hidden.session_id}/files/1/score", token=judge).json
    assert {"pairs", "fingerprint"} <= set(record)


@pytest.mark.clause("R 2.7", "R 6.5.2", "R 6.5.3")
def test_r_6_5_3_a_hidden_sets_report_has_whole_per_cents(hidden: Program) -> None:
    hidden.stage.advance(1)
    answer = hidden.get("report").json
    (table,) = [section for section in answer["sections"] if section["key"] == "files"]
    assert len(table["rows"]) == 10
    for row in table["rows"]:
        assert all(value is None or value == int(value) for value in row[2:])
    result = answer["result"]
    assert result["by_subject"] == {}, "no subject has ten essays here"
    assert result["essays"] == 10
    accuracies = [result[name] for name in ("algorithm_accuracy", "expert_accuracy", "relative_accuracy")]
    ends = [end for interval in result["interval_95"].values() for end in interval]
    assert all(value == round(value, 1) for value in accuracies + ends)
    for line in hidden.get("report.csv").text.splitlines()[1:]:
        assert all(cell == "" or float(cell) == int(float(cell)) for cell in line.split(",")[-10:])
