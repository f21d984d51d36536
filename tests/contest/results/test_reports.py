"""Reports to print and tables to keep, over HTTP (R 6.5, 7.11, 8.3); one file's score, comparison and chart."""

from __future__ import annotations

import csv
import io
from typing import Any

import openpyxl
import pytest

from contest.people import teams
from contest.people.rules import Decision, Role
from contest.results import commission, publishing
from contest.results.rules.qualification import Annulled
from contest.run.rules.conducting import Wish
from contest.run.rules.run import Kind
from contest.session.rules.delivery import Cause
from tests.pages_read import page
from tests.run_stage import ABSENT, SLOW, RunOnStage
from tests.stage import Answered, Program, Stage
from tests.stage_kept import played_once

REASON = '=HYPERLINK("http://evil")<script>alert(1)</script> & причина'


def rows_of(answered: Answered) -> list[dict[str, str]]:
    assert answered.status == 200, answered.text
    assert answered.headers["content-type"] == "text/csv; charset=utf-8"
    text = answered.content.decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


def book_of(answered: Answered) -> Any:
    assert answered.status == 200, answered.text
    assert answered.headers["content-disposition"].startswith('attachment; filename="')
    return openpyxl.load_workbook(io.BytesIO(answered.content))


def played(stage: Stage) -> RunOnStage:
    """Red misses a file, by the platform's fault; blue answers half as well, and once too late."""
    run = RunOnStage(stage, 3, "red", "blue")
    run.open(1, blue="abxx")
    run.open(2, blue="abxx", red=ABSENT)
    run.open(3, blue=SLOW)
    run.finish()
    run.decide(Wish(Kind.RULE, REASON, (2,), "red", Cause.PLATFORM))
    stage.tick()
    return run


@pytest.fixture
def run(stage: Stage) -> RunOnStage:
    return played_once(stage, played)


@pytest.mark.clause("R 6.5", "R 6.5.2")
def test_r_6_5_a_session_is_a_page_and_a_table_with_every_file_and_metric(stage: Stage, red: Program) -> None:
    red.open()
    red.play("abxx", skip=(2,))
    stage.tick(after=1000)
    assert red.get("report.html").status == red.get("report.csv").status == 202
    stage.score_all()
    report = red.get("report").json
    rows = rows_of(red.get("report.csv"))
    assert [row["file_id"] for row in rows] == [each["file_id"] for each in report["files"]]
    assert [row["points"] for row in rows] == ["50.0", "", "50.0", "50.0"]
    assert [row["state"] for row in rows] == ["answered", "voided", "answered", "answered"]
    assert [row["processing_ms"] for row in rows] == [
        "" if each["processing_ms"] is None else str(each["processing_ms"]) for each in report["files"]
    ]
    sheet = book_of(red.ask("GET", f"/v1/sessions/{red.session_id}/report.xlsx?lang=en")).worksheets[0]
    assert [each.value for each in sheet["A"]] == ["No.", 1, 2, 3, 4]
    found = page(red.ask("GET", f"/v1/sessions/{red.session_id}/report.html?lang=en"), "en")
    table = found.tables["Files"]
    assert [row[1] for row in table[1:]] == [each["file_id"] for each in report["files"]]
    assert [row[-1] for row in table[1:]] == ["50.000", "—", "50.000", "50.000"]
    assert f"Report of session {red.session_id}" in found.texts["h1"]


@pytest.mark.clause("R 7.11", "R 7.8")
def test_r_7_11_a_finals_report_has_the_results_when_they_are_out_and_not_before(stage: Stage, run: RunOnStage) -> None:
    blue = run.programs["blue"]
    before = blue.get("report.csv")
    assert "points" not in before.text
    assert [row["cause"] for row in rows_of(before)] == ["", "", "team_late"]
    shown = page(blue.get("report.html"), "ru")
    assert "Результаты ещё не объявлены." in shown.texts["p"]
    stage.advance(1)
    publishing.publish(stage.platform, "organizer", run.run_id)
    after = rows_of(blue.get("report.csv"))
    assert [row["points"] for row in after] == ["50.0", "50.0", ""]
    assert after[0]["delay_ms"] == "0"
    found = page(blue.get("report.html"), "ru")
    assert "Результаты ещё не объявлены." not in found.texts["p"]
    # a third of the files missed is more than is allowed: no word of the barrier, but of the annulment
    assert [each for each in found.texts["p"] if "аннулировано целиком" in each]
    assert not [each for each in found.texts["p"] if "барьер" in each]
    red = page(run.programs["red"].get("report.html"), "ru")
    assert "Технологический барьер преодолён." in red.texts["p"]
    assert [each for each in red.texts["p"] if REASON in each]


@pytest.mark.clause("R 8.3.1", "R 8.3.3", "platform §1 commission", "D 11.4")
def test_r_8_3_the_commission_sees_causes_evidence_decisions_results_and_the_log(stage: Stage, run: RunOnStage) -> None:
    carl = stage.person(Role.COMMISSION, "carl")
    answered = stage.request("GET", f"/v1/commission/{run.run_id}/report", None, carl).body()
    record = answered
    annulled = {each["team_id"]: each["annulled"] for each in record["sessions"]}
    assert [(each["number"], each["cause"]) for each in annulled["red"]] == [(2, "platform")]
    assert [(each["number"], each["cause"]) for each in annulled["blue"]] == [(3, "team_late")]
    assert annulled["blue"][0]["evidence"] == run.report("blue")["files"][2]["evidence"] != {}
    assert annulled["blue"][0]["handed_out_at"] is not None
    assert annulled["red"][0]["handed_out_at"] is None
    (ruling,) = record["decisions"]
    assert (ruling["who"], ruling["reason"], ruling["kind"]) == ("commission", REASON, "rule")
    assert ruling["details"] == {"team_id": "red", "number": 2, "cause": "platform"}
    assert [(each["team_id"], each["place"], each["barrier"]) for each in record["results"]] == [("red", 1, True)]
    assert record["results"][0]["audit"]["relative_accuracy"] == 100.0
    assert record["run"]["published_at"] is None
    what = [each["what"] for each in record["log"]]
    assert what[0] == "run planned"
    assert len(what) == 2
    shares = {each["team_id"]: each["solution"] for each in record["sessions"]}
    assert (shares["red"]["voided_share"], shares["red"]["voided"], shares["blue"]["voided"]) == (0.0, False, True)


@pytest.mark.clause("R 8.3.3", "D 6.10", "R 2.13")
def test_the_commissions_record_has_the_places_of_the_board(stage: Stage) -> None:
    """An annulled result has none, nor has a baseline, and neither moves the others."""
    run = RunOnStage(stage, 3, "red", "blue", "green", "own")
    for number in (1, 2, 3):
        run.open(number, blue="abxx", green="abcx")
    run.finish()
    teams.decide_on_team(stage.platform, "tests", "own", Decision("the organizers' own", baseline=True))
    result = (Annulled.RESULT, "red", run.run_id)
    commission.decide_annulment(stage.platform, "tests", result, "copied answers", annulled=True)
    carl = stage.person(Role.COMMISSION, "carl")
    record = stage.request("GET", f"/v1/commission/{run.run_id}/report", None, carl).body()
    board = stage.request("GET", f"/v1/conduct/boards/{run.run_id}", None, carl).body()
    places = [(row["place"], row["team_id"]) for row in record["results"]]
    assert places == [(row["place"], row["team_id"]) for row in board["rows"]]
    assert places == [(None, "own"), (1, "green"), (2, "blue")]


@pytest.mark.clause("R 8.3.1")
def test_the_commissions_page_escapes_what_somebody_wrote(stage: Stage, run: RunOnStage) -> None:
    judge = stage.person(Role.JUDGE, "julia")
    answered = stage.request(
        "GET", f"/v1/commission/{run.run_id}/report.html", None, judge, {"Accept-Language": "en-GB"}
    )
    found = page(answered, "en")
    assert [row[:4] for row in found.tables["Annulled files"][1:]] == [
        ["blue", "3", run.report("blue")["files"][2]["file_id"], "team late"],
        ["red", "2", run.report("red")["files"][1]["file_id"], "platform"],
    ]
    assert found.tables["Decisions about the run"][1][5] == REASON
    assert "<script" not in answered.text
    assert len(found.attributes("svg")) == 3
    book = book_of(stage.request("GET", f"/v1/commission/{run.run_id}/report.xlsx?lang=en", None, judge))
    assert book.sheetnames[1:4] == ["Annulled files", "Answers with slow bodies", "Decisions about the run"]
    cell = book["Decisions about the run"]["F2"]
    assert (cell.value, cell.data_type, cell.quotePrefix) == (REASON, "s", True)


@pytest.mark.clause("R 8.3.1", "platform §7 exports", "platform §1 commission")
def test_platform_7_a_runs_files_of_every_team_as_csv_json_and_xlsx(stage: Stage, run: RunOnStage) -> None:
    carl = stage.person(Role.COMMISSION, "carl")
    path = f"/v1/commission/{run.run_id}/files"
    rows = rows_of(stage.request("GET", f"{path}.csv", None, carl))
    assert [(row["team_id"], row["number"], row["cause"]) for row in rows] == [
        ("blue", "1", ""),
        ("blue", "2", ""),
        ("blue", "3", "team_late"),
        ("red", "1", ""),
        ("red", "2", "platform"),
        ("red", "3", ""),
    ]
    files = stage.request("GET", path, None, carl).json["files"]
    written = ({name: "" if value is None else str(value) for name, value in each.items()} for each in files)
    assert list(written) == rows
    assert [row["team_id"] for row in rows_of(stage.request("GET", f"{path}.csv?team=red", None, carl))] == ["red"] * 3
    publishing.publish(stage.platform, "organizer", run.run_id)
    sheet = book_of(stage.request("GET", f"{path}.xlsx", None, carl)).active
    assert [each.value for each in sheet[1]][-1] == "points"
    assert [row[-1].value for row in sheet.iter_rows(min_row=2)] == [50, 50, None, 100, None, 100]


@pytest.mark.clause("R 7.12", "platform §7 exports", "platform §4 boards")
def test_platform_7_the_boards_as_csv_and_xlsx_show_what_the_board_shows(stage: Stage, run: RunOnStage) -> None:
    assert stage.request("GET", "/v1/leaderboards/final.csv").code == "results_not_published"
    assert stage.request("GET", "/v1/leaderboards/final.xlsx").code == "results_not_published"
    publishing.publish(stage.platform, "organizer", run.run_id)
    stage.platform.memory.__init__()  # type: ignore[misc]  # nothing is remembered
    (shown,) = run.board().json["rows"]
    answered = stage.request("GET", f"/v1/leaderboards/final.csv?run={run.run_id}")
    assert answered.headers["content-disposition"] == f'attachment; filename="board-final-{run.run_id}-all.csv"'
    (row,) = rows_of(answered)
    assert {name: row[name] for name in ("place", "place_to", "team_id", "team", "session_id", "closed_at")} == {
        name: str(shown[name]) for name in ("place", "place_to", "team_id", "team", "session_id", "closed_at")
    }
    assert float(row["relative_accuracy"]) == shown["result"]["relative_accuracy"] == 100.0
    assert (row["barrier"], row["audit_flagged"]) == ("true", "false")
    sheet = book_of(stage.request("GET", "/v1/leaderboards/final.xlsx?lang=ru")).active
    assert [each.value for each in sheet[2]][:4] == [1, 1, "red", "Team red"]
    assert rows_of(stage.request("GET", "/v1/leaderboards/qualification.csv?language=rus")) == []


def test_nothing_of_a_run_is_told_before_its_end(stage: Stage) -> None:
    run = RunOnStage(stage, 2, "red")
    organizer = stage.person(Role.ORGANIZER, "olga")
    for what in ("report", "report.html", "report.xlsx", "files", "files.csv", "files.xlsx"):
        refused = stage.request("GET", f"/v1/commission/{run.run_id}/{what}", None, organizer)
        assert refused.refusal == (409, "run_not_over")
        stage.advance(1)
    assert stage.request("GET", "/v1/commission/nowhere/report", None, organizer).code == "unknown_run"


def test_files_are_compressed_and_bounded(stage: Stage, run: RunOnStage, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = run.programs["red"].get("report.csv")
    packed = stage.request(
        "GET",
        f"/v1/sessions/{run.programs['red'].session_id}/report.csv",
        None,
        run.programs["red"].token,
        {"Accept-Encoding": "br, gzip"},
    )
    assert ("content-encoding" in plain.headers, packed.headers["content-encoding"]) == (False, "gzip")
    assert packed.content == plain.content
    assert plain.content.startswith("﻿number,".encode())
    from contest.edge import files as downloads

    monkeypatch.setattr(downloads, "LARGEST", 100)
    refused = run.programs["red"].get("report.csv")
    assert refused.refusal == (413, "export_too_large")
    assert refused.json["error"]["details"][0]["limit"] == 100


RIGHT = {"letters": "abxd"}


@pytest.fixture
def one(red: Program) -> Program:
    """Return a program that has answered the first of two training files."""
    red.open(files=2)
    red.get("files/1")
    red.answer(1, RIGHT)
    return red


def test_a_comparison_shows_answer_and_experts(stage: Stage, one: Program) -> None:
    assert one.get("files/1/comparison").status == 202
    stage.score_all()
    shown = one.get("files/1/comparison").json
    assert (shown["answer"], shown["experts"]) == (RIGHT, [{"letters": "abcd"}])
    assert shown["score"]["points"] == 75.0
    assert shown["track"] == "toy"

    def pairs(query: str) -> list[tuple[Any, ...]]:
        stage.advance(1)
        told = one.get(f"files/1/comparison{query}").json["comparisons"]
        return [(each["x"], each["y"], *each["comparison"].values()) for each in told]

    assert pairs("") == pairs("?x=answer") == pairs("?y=0") == [("answer", 0, False, False)]
    assert pairs("?x=0&y=answer") == [(0, "answer", False, True)]
    assert pairs("?x=0&y=0") == [(0, 0, True, True)]
    assert pairs("?x=0") == []


def test_a_markup_that_is_not_there_is_refused(stage: Stage, one: Program) -> None:
    stage.score_all()
    for query in ("x=1", "y=1", "x=-1", "x=expert", "y=", "x=1000", "x=0&y=999"):
        stage.advance(1)
        answered = one.get(f"files/1/comparison?{query}")
        assert answered.refusal == (422, "invalid_request")
        (detail,) = answered.json["error"]["details"]
        assert detail["field"] in {"query.x", "query.y"}
        assert detail["message_ru"]


@pytest.mark.clause("R 6.5.3", "R 2.7", "platform §1 secrets")
def test_of_a_test_set_the_score_comes_after_the_end_and_the_experts_never(stage: Stage, red: Program) -> None:
    red.open(set="test", files=2)
    red.get("files/1")
    red.answer(1, RIGHT)
    stage.score_all()
    assert red.get("files/1/score").refusal == (409, "session_open")
    assert red.get("files/1/comparison").refusal == (403, "comparison_not_allowed")
    stage.advance(900)  # silence ends the session
    assert red.get("files/1/score").json["points"] == 75.0
    assert red.get("files/1/comparison").refusal == (403, "comparison_not_allowed")


def test_a_file_without_an_answer_has_no_score_comparison_or_answer(stage: Stage, one: Program) -> None:
    kinds = ("score", "comparison", "answer")
    assert {one.get(f"files/2/{what}").refusal for what in kinds} == {(409, "file_not_handed_out")}
    one.get("files/2")
    assert {one.get(f"files/2/{what}").refusal for what in kinds} == {(404, "not_answered")}
    stage.advance(1)
    assert {one.get(f"files/{number}/{what}").refusal for number in (0, 3) for what in kinds} == {(404, "unknown_file")}


@pytest.mark.clause("R 6.5.3")
@pytest.mark.parametrize("kind", ["train", "test"])
def test_the_own_answer_is_shown_from_when_it_counts(stage: Stage, red: Program, kind: str) -> None:
    red.open(set=kind, files=2)
    content = red.get("files/1").json["content"]
    red.answer(1, {"letters": "aaaa"})
    stage.advance(2)
    receipt = red.answer(1, RIGHT).json["receipt"]
    shown = red.get("files/1/answer").json
    assert (shown["track"], shown["number"], shown["content"], shown["answer"]) == ("toy", 1, content, RIGHT)
    assert [shown[each] for each in ("send", "received_at", "content_sha256")] == [
        receipt[each] for each in ("send", "received_at", "content_sha256")
    ]
    red.get("files/2")
    red.answer(2, RIGHT)  # the end of the session
    assert red.get("files/1/answer").json == shown


def test_an_own_answer_is_nobody_elses_of_the_teams(stage: Stage, one: Program) -> None:
    path = f"/v1/sessions/{one.session_id}/files/1/answer"
    assert stage.request("GET", path, token=stage.team("blue")).refusal == (404, "unknown_session")
    member = stage.person(Role.PARTICIPANT, "anna", "red")
    stranger = stage.person(Role.PARTICIPANT, "boris", "blue")
    assert stage.request("GET", path, token=member).json["answer"] == RIGHT
    assert stage.request("GET", path, token=stranger).refusal == (404, "unknown_session")
    assert stage.request("GET", path, token=stage.person(Role.JUDGE)).json["answer"] == RIGHT
    assert stage.request("GET", path, token=stage.person(Role.EXPERT)).status == 403


def test_of_a_final_the_own_answer_is_shown_before_its_results_are_out(stage: Stage) -> None:
    played = RunOnStage(stage, 2, "red").play({1: {"red": ABSENT}}).finish()
    program = played.programs["red"]
    assert program.get("files/2/answer").json["answer"] == {"letters": "abcd"}
    assert program.get("files/1/answer").refusal == (409, "file_not_handed_out")


def test_a_chart_is_drawn_of_closed_sessions_of_runs_alone(stage: Stage, one: Program) -> None:
    refused = one.get("timeline")
    assert refused.refusal == (404, "unknown_run")
    assert f"GET /v1/sessions/{one.session_id} has the times of its files" in refused.json["detail"]
    played = RunOnStage(stage, 1, "blue")
    program = played.programs["blue"]
    assert program.get("timeline").refusal == (409, "session_open")
    played.open(1)
    played.finish()
    drawn = program.get("timeline")
    assert (drawn.status, drawn.headers["content-type"]) == (200, "image/svg+xml")
