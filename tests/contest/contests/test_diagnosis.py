"""Diagnosis on the platform: epicrises in two versions, dialogues with studies, what was missed (T2–T5, D-2, D-8)."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from contest.people.rules import Role
from contest.run.rules.run import Kind
from contest.values import canonical, iso
from tests.contest.contests.epicrises import STUDY, Trial, diagnosis, folder, in_hand, turn
from tests.contest.contests.played import Contest
from tests.documented import conforms
from tests.stage import Program, Stage
from tests.stage_kept import Setting

pytestmark = pytest.mark.integration
STAGE = Setting("contest-1")

MISPRINTED = "\N{CYRILLIC CAPITAL LETTER A}19"


@pytest.mark.slow
@pytest.mark.clause("TS T2", "TS T4", "TS T5", "TS D-2", "D 8.9", "D 13.1", "D 8.11", "D 8.7", "D-App3 challenge")
@pytest.mark.clause("D 8.4.1", "D 8.4.2", "D 8.8")
def test_a_semifinal_is_played_in_pairs_scored_by_the_epicrisis_and_recomputed(stage: Stage) -> None:
    trial = Trial.of(stage, "diagnosis-semifinal", ("red", "blue", "grey"))
    assert (trial.run.publications, trial.run.files, trial.run.interval) == (2, 24, 30_000)
    files, expected = trial.files, {team: {} for team in trial.programs}
    for number, file in enumerate(files, start=1):
        version, right = ("v3", "v2")[(number - 1) % 2], trial.right(number)
        trial.at(number)
        for team, program in trial.programs.items():
            handed = program.get(f"files/{number}").json
            assert (handed["content"]["version"], handed["file_id"]) == (version, file.file_id)
            assert handed["dialogue"] is None
            told, _ = expected[team].setdefault(file.file_id, ([], True))
            missed = (team == "blue" and number in {1, 4, 5, 6}) or (team == "grey" and number > 2)
            if missed:
                expected[team][file.file_id] = (told, False)
                continue
            said = diagnosis(right if team == "red" else "Z00")
            if team == "blue":  # the last valid answer in time counts, and an invalid one after it replaces nothing
                assert program.answer(number, diagnosis("A00")).status == 200
                assert program.answer(number, said).status == 200
                assert program.answer(number, diagnosis("A00")[0]).status == 422
            else:
                assert program.answer(number, said).status == 200
            told.append(turn(version, said))
    trial.at(24, 30_001)
    late = trial.programs["grey"].answer(24, diagnosis(trial.right(24)))
    assert (late.json["receipt"]["status"], late.json["receipt"]["reason"]) == ("late", "deadline_passed")
    trial.end()
    rows = trial.published()
    for team in trial.programs:
        assert rows[team]["result"] == trial.aggregate(expected[team]), team
    assert rows["red"]["value"] > rows["blue"]["value"]
    report = trial.programs["red"].get("report")
    conforms(report, "get", "/v1/sessions/{session_id}/report")
    conforms(stage.request("GET", "/v1/classifier"), "get", "/v1/classifier")
    conforms(stage.request("GET", "/v1/boards/criterion?of=final"), "get", "/v1/boards/{key}")
    told = report.json["files"]
    assert {each["group"] for each in told} == {""}, "the nosology is half of the answer (T10)"
    assert (rows["grey"]["result"]["answered"], rows["grey"]["result"]["files"]) == (1, 12)


@pytest.mark.clause("TS D-2", "TS D-8", "TS T2", "TS T8")
@pytest.mark.parametrize(
    ("name", "after_ms", "status"),
    [
        ("diagnosis-semifinal", 30_000, "accepted"),
        ("diagnosis-semifinal", 30_001, "late"),
        ("diagnosis-final", 60_000, "accepted"),
        ("diagnosis-final", 60_001, "late"),
    ],
)
def test_an_answer_is_in_time_to_the_millisecond(stage: Stage, name: str, after_ms: int, status: str) -> None:
    trial, program = in_hand(stage, name)
    assert trial.run.interval == {"diagnosis-semifinal": 30_000, "diagnosis-final": 60_000}[name]
    trial.at(1, after_ms)
    assert program.answer(1, diagnosis("J44")).json["receipt"]["status"] == status


@pytest.mark.clause("TS D-2", "D 9.5")
def test_v2_is_not_to_be_had_before_its_time_whether_or_not_v3_was_answered(stage: Stage) -> None:
    trial = Trial.of(stage, "diagnosis-semifinal", ("red",))
    program = trial.programs["red"]
    trial.at(1)
    v3 = program.get("files/1")
    assert v3.json["content"]["version"] == "v3"
    assert (program.get("files/2").status, program.get("files/2").code) == (425, "not_open_yet")
    assert program.answer(1, diagnosis("J44")).status == 200
    assert program.get("files/2").code == "not_open_yet"
    trial.at(2)
    assert program.get("files/2").json["content"]["version"] == "v2"


@pytest.mark.clause("TS D-4", "D 8.12")
def test_epicrises_are_annulled_and_replaced_in_pairs(stage: Stage) -> None:
    trial = Trial.of(stage, "diagnosis-semifinal", ("red", "blue"))
    assert stage.request("GET", "/v1/cycle").json["parameters"]["final"]["most_replaced"] == 100
    trial.at(3, 1_000)
    run = stage.decide(trial.run, Kind.REPLACE, numbers=(3,))
    (made,) = run.amendments
    assert (list(made.details["numbers"]), made.details["first"]) == ([3, 4], 25)
    files = trial.files
    assert [(each.step, each.file_id == files[24].file_id) for each in files[24:]] == [("v3", True), ("v2", True)]
    taken = trial.stage.decide(run, Kind.VOID, numbers=(6, 8))
    assert list(taken.amendments[-1].details["numbers"]) == [5, 6, 7, 8]


@pytest.mark.slow
@pytest.mark.clause(
    "TS T2", "TS T3", "TS T4", "TS D-8", "D 9.10.1", "D 9.10.1.1", "D 9.10.1.3.2", "D 9.10.2", "D 9.10.6"
)
@pytest.mark.clause("D 9.4", "D 8.5.3")
def test_a_dialogue_is_played_with_studies_lost_connections_and_repetitions(stage: Stage) -> None:
    trial = Trial.of(stage, "diagnosis-final", ("red", "blue"))
    red, blue = trial.programs["red"], trial.programs["blue"]
    expected: dict[str, dict[str, Any]] = {"red": {}, "blue": {}}
    for number, file in enumerate(trial.files, start=1):
        expected["red"][file.file_id] = (whole_dialogue(trial, red, number), True)
        trial.at(number, 10_000)
        assert blue.get(f"files/{number}").status == 200
        expected["blue"][file.file_id] = (studies_alone(blue, number) if number % 2 else [], False)
    assert red.get().json["state"] == "open"
    trial.end()
    assert [each.get().json["state"] for each in (red, blue)] == ["finished", "finished"]
    rows = trial.published()
    for team in trial.programs:
        assert rows[team]["result"] == trial.aggregate(expected[team]), team
    assert rows["red"]["result"]["board"]["mean_time_s"] == 9.0


def whole_dialogue(trial: Trial, program: Program, number: int) -> list[dict[str, Any]]:
    """Play a dialogue from the preliminary diagnosis over a study, whose answer is lost, to the right final one."""
    right = trial.right(number)
    trial.at(number)
    handed = program.get(f"files/{number}").json
    assert handed["content"]["version"] == "v3F"
    assert handed["dialogue"]["step"] == "preliminary"
    assert "study" in handed["dialogue"]["takes"]
    until = iso(trial.stage.now + 60_000)
    assert handed["dialogue"]["until"] == until, "the minute is that of the publication"
    preliminary = diagnosis(right, "diagnosisPreliminary")
    assert program.answer(number, preliminary).json["dialogue"]["step"] == "studies"
    trial.at(number, 5_000)
    asked = program.answer(number, STUDY)
    found = asked.json["dialogue"]["turns"][-1]["response"]
    assert [each["service"] for each in found["files"]] == ["A06.09.007"], "the study's own version of the epicrisis"
    assert asked.json["receipt"]["response_sha256"] == hashlib.sha256(canonical(found)).hexdigest()
    again = program.answer(number, STUDY)  # the same bytes once more, and the whole file
    assert (again.receipted, again.json["dialogue"]) == (asked.receipted, asked.json["dialogue"])
    shown = program.get(f"files/{number}")
    conforms(asked, "put", "/v1/sessions/{session_id}/files/{number}/answer")
    conforms(shown, "get", "/v1/sessions/{session_id}/files/{number}")
    assert shown.json["dialogue"]["turns"] == asked.json["dialogue"]["turns"]
    wrong = program.answer(number, preliminary)
    assert wrong.refusal == (409, "wrong_step")
    assert wrong.json["error"]["details"][0]["takes"] == ["diagnosis", "refusal", "study"]
    trial.at(number, 9_000)
    ended = program.answer(number, diagnosis(right))
    assert (ended.json["dialogue"]["step"], ended.json["dialogue"]["takes"]) == (None, [])
    after = program.answer(number, STUDY).json["receipt"]
    assert (after["status"], after["reason"]) == ("late", "dialogue_over")
    return [
        turn("preliminary", preliminary, "preliminary"),
        turn("studies", STUDY, "study", 5_000),
        turn("studies", diagnosis(right), after_ms=9_000),
    ]


def studies_alone(program: Program, number: int) -> list[dict[str, Any]]:
    """List the same study twice, another one in between, and no end."""
    told: list[dict[str, Any]] = []
    for study in (STUDY, {"study": "B03.016.003"}, STUDY):
        assert program.answer(number, study).json["receipt"]["status"] == "accepted"
        told.append(turn("studies" if told else "preliminary", study, "study"))
    return told


@pytest.mark.clause("TS T3", "TS D-8", "D 9.10.1.3.2")
def test_a_key_finds_the_receipt_of_its_turn_and_a_study_under_another_key_is_a_new_request(stage: Stage) -> None:
    _, program = in_hand(stage, "diagnosis-final")
    preliminary = diagnosis("J44", "diagnosisPreliminary")
    first = program.answer(1, preliminary, key="first")
    for key, turns in (("one", 2), ("one", 2), ("two", 3), (None, 3), ("three", 4)):
        asked = program.answer(1, STUDY, **({"key": key} if key else {}))
        assert len(asked.json["dialogue"]["turns"]) == turns, key
    again = program.answer(1, preliminary, key="first")
    assert (again.status, again.receipted) == (200, first.receipted)
    delivery = stage.platform.deliveries.get(program.session_id, 1)
    assert delivery is not None
    assert [each.kind for each in delivery.turns] == ["preliminary", *["study"] * 3]


@pytest.mark.clause("TS T2", "TS T6", "TS T7", "TS D-0", "D-App3", "D-App3 training", "D-App3 training timeout")
def test_training_in_pairs_has_a_rhythm_of_its_own_and_no_results(stage: Stage) -> None:
    stage.load(folder(Contest.named("diagnosis-semifinal"), "train"))
    program = Program(stage, stage.team("red"))
    for wrong in ({"set": "nothing"}, {"set": "train", "time_limit_s": 9}):
        assert program.open(mode="training", **wrong).code == "invalid_request"
    opened = program.open(mode="training", set="train", files=3, time_limit_s=20)
    assert (opened.status, opened.json["files"]) == (201, 6)
    begun, names = stage.now, []
    stage.advance(9.999)
    assert program.get("files/1").code == "not_open_yet", "ten seconds after the opening of the session"
    for number in range(1, 7):
        stage.set_clock(begun + 10_000 + (number - 1) * 20_000)
        assert program.get("next").json["number"] == number
        handed = program.get(f"files/{number}").json
        assert handed["content"]["version"] == ("v3", "v2")[(number - 1) % 2]
        names.append(handed["file_id"])
        assert number == 6 or program.get(f"files/{number + 1}").code == "not_open_yet"
        if number != 3:
            assert program.answer(number, diagnosis("J44")).json["receipt"]["status"] == "accepted"
    assert names[::2] == names[1::2], "both versions of an epicrisis go by one name"
    assert len(set(names)) == 3
    stage.advance(20.001)
    late = program.answer(6, diagnosis("J13"))
    assert late.json["receipt"]["status"] == "late"
    stage.pass_minutes(3)
    report = program.get("report")
    assert report.status == 200, report.text
    assert (report.json["result"], report.json["sections"]) == (None, [])
    assert (report.json["counts"]["answered"], report.json["counts"]["voided"]) == (5, 1)
    assert not stage.platform.scores.of_session(program.session_id)
    assert stage.outbox() == []


@pytest.mark.clause("TS T6", "D-App3", "D-App3 estimated")
def test_estimated_training_is_told_at_noon_and_at_midnight(stage: Stage) -> None:
    stage.load(folder(Contest.named("diagnosis-semifinal"), "train"))
    program = Program(stage, stage.team("red"))
    opened = program.open(mode="estimated-training", set="train", choices={"nosologies": 2}, time_limit_s=10)
    assert opened.status == 201, opened.text
    for number in range(1, opened.json["files"] + 1):
        stage.set_clock(program.stage.now if number > 1 else stage.now)
        stage.advance(10)
        assert program.get(f"files/{number}").status == 200
        assert program.answer(number, diagnosis("J44")).status == 200
    stage.pass_minutes(3)
    early = program.get("report")
    assert early.refusal == (409, "results_later")
    told_at = early.json["error"]["details"][0]["told_at"]
    zone = stage.platform.catalogue.cycle().time_zone  # type: ignore[union-attr]
    assert datetime.fromisoformat(told_at).astimezone(ZoneInfo(zone)).strftime("%H:%M") in {"00:00", "12:00"}
    moment = round(datetime.fromisoformat(told_at).timestamp() * 1000)
    stage.set_clock(moment - 1)
    assert program.get("report").code == "results_later"
    stage.set_clock(moment)
    assert program.get("report").json["result"] is not None


@pytest.mark.clause("TS T15")
def test_what_is_remarked_on_an_answer_is_told_at_once_and_in_the_report(stage: Stage) -> None:
    trial, program = in_hand(stage, "diagnosis-semifinal", files=3)
    plain = program.answer(1, diagnosis("J44"))
    assert (plain.status, plain.json["warnings"]) == (200, [])
    empty = program.answer(1, diagnosis(""))
    assert [each["code"] for each in empty.json["warnings"]] == ["empty_main_diagnosis"]
    assert {"message", "message_ru"} <= empty.json["warnings"][0].keys()
    assert program.answer(1, diagnosis("")).json["warnings"] == empty.json["warnings"], "a retry is told the same"
    decors = ["diagnosisMain", *["attendDisease"] * 10, *["diagnosisSup"] * 10]
    many = program.answer(1, [{"decorCode": each, "code": MISPRINTED} for each in decors])
    assert [each["code"] for each in many.json["warnings"]] == ["cyrillic_letter"] * 20, "of many the first twenty"
    assert program.answer(1, diagnosis("")).json["warnings"] == empty.json["warnings"]
    trial.at(2)
    assert program.get("files/2").status == 200
    assert program.answer(2, diagnosis("")).status == 200
    assert program.answer(2, diagnosis("J44")).json["warnings"] == []
    trial.at(6)
    trial.end()
    told = {each["number"]: each.get("warnings", []) for each in program.get("report").json["files"]}
    assert told[1] == empty.json["warnings"]
    assert told[2] == [], "the answer that counts has none"


@pytest.mark.clause("TS T15")
def test_what_is_remarked_on_an_earlier_turn_of_a_dialogue_is_in_the_report_with_the_last_ones(stage: Stage) -> None:
    trial, program = in_hand(stage, "diagnosis-final", files=3)
    told = []
    for said in (
        diagnosis(MISPRINTED, "diagnosisPreliminary"),
        STUDY,
        [*diagnosis("J44"), *diagnosis(MISPRINTED, "diagnosisSup")],
    ):
        answered = program.answer(1, said)
        assert answered.status == 200, answered.text
        told += answered.json["warnings"]
    assert [each["code"] for each in told] == ["cyrillic_letter"] * 2
    trial.end()
    files = {each["number"]: each.get("warnings", []) for each in program.get("report").json["files"]}
    assert files == {1: told, 2: [], 3: []}


@pytest.mark.clause("D 1.9", "D 6.2.2", "D 8.3", "D 8.6", "TS T12", "TS D-0")
def test_a_team_has_the_familiarisation_set_with_its_diagnoses_and_nothing_of_the_validation_set(stage: Stage) -> None:
    files = folder(Contest.named("diagnosis-semifinal"), "train", "test", "final")
    stage.load(files)
    stage.team("red")
    asked = stage.person(Role.PARTICIPANT, "rita", "red")
    assert [each["name"] for each in stage.request("GET", "/v1/sets", None, asked).json["sets"]] == ["train"]
    given: dict[str, Any] = {}
    for part in stage.request("GET", "/v1/sets/train", None, asked).json["parts"]:
        told = stage.request("GET", f"/v1/sets/train/parts/{part['number']}", None, asked).json["files"]
        given |= {each["name"]: json.loads(each["text"]) for each in told}
    own = {Path(name).name: value for name, value in files.items() if name.startswith("train/")}
    assert given == own
    assert any(each.get("ill") is not None for name, each in given.items() if "_exp" in name)
    for name in ("test", "final"):
        assert stage.request("GET", f"/v1/sets/{name}", None, asked).code == "unknown_set"
