"""The diagnosis track through the Protocol that every contest runs through."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.tracks.samples import reply_to
from tracks.diagnosis.stages import NAMES
from tracks.diagnosis.track import DiagnosisTrack
from tracks.protocol import ItemFacts, Outcome, Place, Standing, Turn, step_after

TRACK = DiagnosisTrack()
FILE_ID = "abcdefgh12345678"
COSTS = {
    "7001902": {"doctor": 1.5, "nurse": 1.5},
    "7001903": {"doctor": 0.1, "nurse": 0.2},
    "A05.10.006": {"nurse": 0.75},
}


def xml(*codes: str) -> str:
    entries = "".join(f'<entry><code code="{code}" codeSystem="1.2.643.5.1.13.13.11.1471"/></entry>' for code in codes)
    return f'<ClinicalDocument xmlns="urn:hl7-org:v3">{entries}</ClinicalDocument>'


V3, V2 = xml("7001903"), xml("7001903", "7001902")
ITEMS: dict[str, Any] = {
    "selection": {"id": "e1", "nosology": "tuberculosis", "versions": {"v1": V2}},
    "semifinal": {"id": "e2", "nosology": "lung_cancer", "versions": {"v3": V3, "v2": V2}},
    "final": {
        "id": "e3",
        "nosology": "lung_cancer",
        "versions": {"v3F": V3},
        "studies": [{"service": "A05.10.006", "xml": xml("7001902")}, {"service": "A06.09.005", "xml": xml()}],
    },
}
REFERENCES: dict[str, Any] = {
    "selection": {"code": "A15.3"},
    "semifinal": {"ill": True, "complications": ["J96.0", "K25"], "comorbidities": ["I10"]},
    "final": {"ill": False},
}


def parameters(stage: str, **changes: Any) -> Any:
    completed, reasons = TRACK.read_parameters({"stage": stage, "costs": COSTS, **changes})
    assert reasons == ()
    assert TRACK.read_parameters(completed) == (completed, ())
    return completed


def diagnosed(*codes: str) -> list[dict[str, str]]:
    kinds = ("diagnosisMain", "attendDisease", "diagnosisSup")
    return [{"decorCode": kind, "code": code} for kind, code in zip(kinds, codes, strict=False)]


def turn(step: str, kind: str, answer: Any, after_ms: int | None = None) -> dict[str, Any]:
    return {"step": step, "kind": kind, "answer": answer, "after_ms": after_ms}


def scored(stage: str, answer: Any) -> Any:
    return TRACK.score(ITEMS[stage], answer, [REFERENCES[stage]], parameters(stage))


def judged(stage: str, step: str, answer: Any) -> Any:
    return TRACK.validate(ITEMS[stage], FILE_ID, step, json.dumps(answer).encode(), parameters(stage))


def codes(reasons: Any) -> list[str]:
    assert all(each.message.ru and each.message.en for each in reasons)
    return [each.code for each in reasons]


@pytest.mark.clause("D 4.1")
@pytest.mark.parametrize(
    ("stage", "steps"), [("selection", ["v1"]), ("semifinal", ["v3", "v2"]), ("final", ["preliminary", "studies"])]
)
def test_the_steps_come_from_the_stage(stage: str, steps: list[str]) -> None:
    assert [step.name for step in TRACK.steps(parameters(stage))] == steps


# --- parameters, items, references ----------------------------------------------------------------------------------


def test_parameters_are_completed_from_the_regulation() -> None:
    completed = parameters("semifinal")
    assert completed["z"] == 1.64
    assert completed["thresholds"]["cteph"] == {"se": 0.81, "sp": 0.88}
    assert completed["languages"] == {"rus": list(NAMES)}
    assert parameters("final", classifier="default", languages={"rus": ["copd"]})["languages"] == {"rus": ["copd"]}


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (5, ["not_an_object"]),
        ({}, ["unknown_stage"]),
        ({"stage": "semi"}, ["unknown_stage"]),
        ({"stage": ["final"]}, ["unknown_stage"]),
        ({"stage": "final", "weights": []}, ["unknown_field"]),
        ({"stage": "final", "z": float("nan")}, ["invalid_z"]),
        ({"stage": "final", "z": True}, ["invalid_z"]),
        ({"stage": "final", "z": 10**400}, ["invalid_z"]),
        ({"stage": "final", "thresholds": {"asthma": {"se": 0.8, "sp": 0.8}}}, ["invalid_thresholds"]),
        ({"stage": "final", "thresholds": {"copd": {"se": 83, "sp": 84}}}, ["invalid_thresholds"]),
        ({"stage": "final", "thresholds": []}, ["invalid_thresholds"]),
        ({"stage": "final", "costs": []}, ["wrong_type"]),
        ({"stage": "final", "costs": {"A05.10": 3}}, ["invalid_costs"]),
        ({"stage": "final", "costs": {"A05.10": {"doctor": -1}}}, ["invalid_costs"]),
        ({"stage": "final", "languages": {}}, ["unknown_nosology"]),
        ({"stage": "final", "languages": {"rus": ["essay"]}}, ["unknown_nosology"]),
        ({"stage": "final", "languages": {"rus": [["copd"]]}}, ["unknown_nosology"]),
    ],
)
def test_unusable_parameters_are_refused(raw: Any, expected: list[str]) -> None:
    completed, reasons = TRACK.read_parameters(raw)
    assert completed == {}
    assert codes(reasons) == expected


@pytest.mark.parametrize("stage", ITEMS)
def test_an_item_is_grouped_by_the_nosology_of_its_data_set(stage: str) -> None:
    item = ITEMS[stage]
    assert TRACK.read_item(item, parameters(stage)) == (ItemFacts(item["id"], "rus", item["nosology"]), ())
    assert TRACK.read_reference(item, REFERENCES[stage], parameters(stage)) == ()


@pytest.mark.clause("D 6.4", "D 8.7", "D 9.4")
@pytest.mark.parametrize(
    ("stage", "change", "expected"),
    [
        ("semifinal", {"id": " "}, ["missing_id"]),
        ("semifinal", {"nosology": "asthma"}, ["unknown_nosology"]),
        ("semifinal", {"language": 5}, ["wrong_type"]),
        ("semifinal", {"versions": {"v3": V3}}, ["wrong_versions"]),
        ("semifinal", {"versions": None}, ["wrong_versions"]),
        ("semifinal", {"versions": {"v3": V3, "v2": 5}}, ["wrong_type"]),
        ("semifinal", {"versions": {"v3": "<a>", "v2": "<!DOCTYPE a><a/>"}}, ["not_xml", "declares_entities"]),
        ("semifinal", {"studies": [{"service": "A05.10.006", "xml": V2}]}, ["unknown_field"]),
        ("semifinal", {"studies": {}}, ["wrong_type"]),
        ("final", {"studies": [5]}, ["wrong_type"]),
        ("final", {"studies": [{"service": "A05.10", "xml": V2}]}, ["unknown_study"]),
        ("final", {"studies": [{"service": ["A05.10"], "xml": V2}]}, ["unknown_study"]),
        ("final", {"studies": [{"service": "A05.10.006", "xml": "<a"}]}, ["not_xml"]),
    ],
)
def test_a_bad_item_is_refused_with_every_reason(stage: str, change: Any, expected: list[str]) -> None:
    facts, reasons = TRACK.read_item({**ITEMS[stage], **change}, parameters(stage))
    assert (facts, codes(reasons)) == (None, expected)
    assert TRACK.read_item([], parameters(stage))[1][0].code == "not_an_object"


@pytest.mark.parametrize(
    ("stage", "raw", "expected"),
    [
        ("selection", {}, ["missing_code"]),
        ("semifinal", {}, ["wrong_type"]),
        ("final", {"ill": "yes"}, ["wrong_type"]),
        ("final", {"ill": True, "complications": [5]}, ["wrong_type"]),
        ("final", [], ["not_an_object"]),
    ],
)
def test_a_bad_reference_is_refused(stage: str, raw: Any, expected: list[str]) -> None:
    assert codes(TRACK.read_reference(ITEMS[stage], raw, parameters(stage))) == expected


# --- handing out, judging, answering back ---------------------------------------------------------------------------


@pytest.mark.clause("D 9.5")
def test_a_hand_out_holds_one_version_and_nothing_that_tells_the_nosology() -> None:
    shown = [TRACK.hand_out(ITEMS["semifinal"], FILE_ID, step) for step in ("v3", "v2")]
    assert shown == [{"id": FILE_ID, "version": "v3", "xml": V3}, {"id": FILE_ID, "version": "v2", "xml": V2}]
    for step in ("preliminary", "studies"):
        assert TRACK.hand_out(ITEMS["final"], FILE_ID, step) == {"id": FILE_ID, "version": "v3F", "xml": V3}


def test_answers_are_judged_by_their_stage() -> None:
    assert judged("semifinal", "v3", diagnosed("C34")).canonical == diagnosed("C34")
    assert judged("selection", "v1", diagnosed("C34")).reasons
    assert judged("final", "preliminary", {"study": "A05.10"}).kind == "study"
    with pytest.raises(LookupError):  # a fault of the caller
        judged("final", "v2", diagnosed("C34"))


def test_a_preliminary_diagnosis_comes_once_and_before_the_studies() -> None:
    guess = [{"decorCode": "diagnosisPreliminary", "code": "C34"}]
    verdict = judged("final", "preliminary", guess)
    assert verdict.kind == "preliminary"
    step = step_after(TRACK.steps(parameters("final")), "preliminary", verdict.kind)
    assert step == "studies"
    assert codes(judged("final", step, guess).reasons) == ["preliminary_too_late"]


@pytest.mark.clause("D 9.10.1.3.2", "D 9.10.4", "tracks §1 absent study")
@pytest.mark.parametrize(
    ("study", "files"),
    [("A05.10", [{"number": 1, "service": "A05.10.006", "xml": xml("7001902")}]), ("A03.09", [])],
)
def test_a_request_brings_the_studys_files_without_their_places_or_its_absence(study: str, files: list[Any]) -> None:
    turns = [Turn("preliminary", "study", {"study": study})]
    brought = {"study": study, "found": bool(files), "files": files}
    assert TRACK.respond(ITEMS["final"], turns, parameters("final")) == brought
    assert TRACK.respond(ITEMS["semifinal"], [Turn("v3", "diagnosis", [])], parameters("semifinal")) is None
    assert TRACK.respond(ITEMS["semifinal"], [], parameters("semifinal")) is None


# --- scores ---------------------------------------------------------------------------------------------------------


@pytest.mark.clause("D-App1а 3 note", "D-App3")
def test_both_versions_right_cost_the_studies_of_v3() -> None:
    record = scored(
        "semifinal", [turn("v3", "diagnosis", diagnosed("C34")), turn("v2", "diagnosis", diagnosed("C34.1"))]
    )
    assert (record["cell"], record["row"], record["cost"]) == ("tp", 1, 0.3)  # 0.1 + 0.2


@pytest.mark.clause("D-App1а 3 note", "D-App3")
def test_v2_alone_right_costs_the_studies_of_v2_and_names_the_secondary_diagnoses() -> None:
    record = scored("semifinal", [turn("v2", "diagnosis", diagnosed("C34", "J96.9", "I10"))])
    assert (record["cell"], record["row"], record["cost"]) == ("tp", 5, 3.3)
    assert (record["complications"], record["comorbidities"]) == ([1, 2], [1, 1])


@pytest.mark.clause("D 13.1")
def test_the_last_valid_answer_to_a_version_counts() -> None:
    turns = [turn("v2", "diagnosis", diagnosed("J44")), turn("v2", "diagnosis", diagnosed("C34"))]
    assert scored("semifinal", turns)["cell"] == "tp"
    assert scored("semifinal", turns[::-1])["cell"] == "fn"


@pytest.mark.clause("D 8.11")
@pytest.mark.parametrize("nothing", [None, []])
def test_a_missed_epicrisis_is_wrong_and_costs_the_most(nothing: Any) -> None:
    record = scored("semifinal", nothing)
    assert (record["cell"], record["row"], record["cost"]) == ("fn", 9, 3.3)
    assert scored("final", nothing)["cell"] == "fp"
    assert scored("selection", None)["right"] is False


def test_a_finals_record_holds_the_trajectory() -> None:
    guess = [{"decorCode": "diagnosisPreliminary", "code": "another"}]
    record = scored(
        "final",
        [
            turn("preliminary", "preliminary", guess, 2_000),
            turn("studies", "study", {"study": "A05.10"}, 3_000),
            turn("studies", "diagnosis", diagnosed("another"), 12_250),
        ],
    )
    assert (record["cell"], record["cost"], record["time_s"]) == ("tn", 0.75, 12.25)
    assert record["trajectory"]["explained"] is True
    assert [each["study"] for each in record["trajectory"]["requests"]] == ["A05.10"]


def test_a_refusal_has_no_time_of_diagnosis() -> None:
    record = scored("final", [turn("preliminary", "refusal", {"refusal": True}, 2_000)])
    assert (record["cell"], record["time_s"], record["trajectory"]["time_ms"]) == ("fp", None, 2_000)


def test_a_record_is_json_and_carries_a_fingerprint_of_all_that_went_in() -> None:
    record = scored("semifinal", [])
    assert json.loads(json.dumps(record)) == record
    assert set(record["fingerprint"]["inputs"]) == {"item", "answer", "references", "parameters"}
    assert record["fingerprint"] != scored("semifinal", [turn("v2", "diagnosis", diagnosed("C34"))])["fingerprint"]


# --- aggregates, boards, reports ------------------------------------------------------------------------------------


def outcomes(matrix: dict[str, int], nosologies: tuple[str, ...] = NAMES) -> list[Outcome]:
    made = []
    for nosology in nosologies:
        for cell, count in matrix.items():
            record = {"cell": cell, "nosology": nosology, "cost": 0.5, "complications": [1, 2], "comorbidities": [0, 0]}
            item = ItemFacts(f"{nosology}-{cell}", "rus", nosology)
            made += [Outcome(item, True, {**record, "time_s": None})] * count
    return made


GOOD = {"tp": 95, "fn": 5, "fp": 5, "tn": 95}


def test_an_aggregate_counts_what_is_scored_and_leaves_out_what_is_voided() -> None:
    voided = Outcome(ItemFacts("x", "rus", "copd"), False, None)
    found = TRACK.aggregate([*outcomes(GOOD), voided], parameters("semifinal"), seed=1)
    assert (found["files"], found["answered"], found["voided"]) == (1201, 1200, 1)
    assert (found["sk"], found["barrier"], found["board"]["cost"]) == (0.95, True, 600.0)
    assert {name: values["sk"] for name, values in found["passed_qualities"].items()} == dict.fromkeys(NAMES, 0.95)
    reply = reply_to({"op": "diagnosis.partial_barrier", "passed": {"a": found["passed_qualities"]}})
    assert reply["result"] == {"places": ["a"]}
    assert found["board"]["se_complications"] == 0.5


def test_a_missed_epicrisis_lowers_the_result() -> None:
    item = ItemFacts("e2", "rus", "lung_cancer")
    missed = Outcome(item, False, scored("semifinal", None))
    found = TRACK.aggregate([*outcomes(GOOD), missed], parameters("semifinal"), seed=1)
    assert found["nosologies"]["lung_cancer"]["fn"] == 6
    assert (found["answered"], found["voided"]) == (1200, 0)


def test_thresholds_and_z_are_the_cycles() -> None:
    strict = parameters("semifinal", thresholds={"copd": {"se": 0.95, "sp": 0.95}}, z=0)
    found = TRACK.aggregate(outcomes(GOOD), strict, seed=1)
    assert found["nosologies"]["copd"]["passed"] is False
    assert found["nosologies"]["cteph"]["se_lower"] == 0.95


def test_selection_is_passed_with_every_file_right_and_those_who_passed_are_first() -> None:
    item, rules = ItemFacts("e1", "rus", "copd"), parameters("selection")
    right, wrong = Outcome(item, True, {"right": True}), Outcome(item, False, {"right": False})
    passed, failed, empty = (TRACK.aggregate(outcomes, rules, seed=1) for outcomes in ([right], [right, wrong], []))
    assert [aggregate["passed"] for aggregate in (passed, failed, empty)] == [True, False, False]
    standings = [Standing("b", empty), Standing("a", passed), Standing("c", passed)]
    assert [each.place for each in TRACK.rank(standings)] == [1, 1, 3]


def test_cost_ranks_teams_of_the_final_alone_and_undefined_ones_stand_last() -> None:
    rules = parameters("semifinal")
    good = TRACK.aggregate(outcomes(GOOD), rules, seed=1)
    cheap = {**good, "board": {**good["board"], "cost": 1.0}}
    partial = TRACK.aggregate(outcomes(GOOD, ("copd",)), rules, seed=1)
    standings = [Standing("partial", partial), Standing("good", good), Standing("same", good), Standing("cheap", cheap)]
    in_final = [Standing(each.team, {**each.aggregate, "stage": "final"}) for each in standings]
    assert TRACK.rank(in_final) == (Place("cheap", 1), Place("good", 2), Place("same", 2), Place("partial", 4))
    assert TRACK.rank(standings) == (Place("cheap", 1), Place("good", 1), Place("same", 1), Place("partial", 4))


@pytest.mark.parametrize("stage", ["selection", "semifinal"])
def test_a_report_has_rectangular_tables_in_two_languages(stage: str) -> None:
    if stage == "selection":
        fates = [
            Outcome(ItemFacts("e1", "rus", "copd"), True, {"right": True}),
            Outcome(ItemFacts("e2", "rus", "copd"), False, None),
        ]
    else:
        fates = [*outcomes({"tp": 68, "fn": 7, "fp": 4, "tn": 41}), Outcome(ItemFacts("x", "rus", "copd"), False, None)]
    aggregate = TRACK.aggregate(fates, parameters(stage), seed=1)
    sections = TRACK.report_sections(aggregate, fates)
    assert len(sections[-1].rows) == len(fates)
    for section in sections:
        assert section.title.en
        assert section.title.ru
        assert all(len(row) == len(section.columns) for row in section.rows)
    stored = json.loads(json.dumps(aggregate, sort_keys=True))
    assert TRACK.report_sections(stored, fates) == sections, "a stored result's keys have another order"


@pytest.mark.clause("D 5.5", "D-App1а (9)", "D-App1а 1 rounding", "D-App1б 4", "D-App1в table", "D 6.11")
def test_a_report_shows_three_decimals_halves_up_and_the_cycles_barriers_beside_what_was_reached() -> None:
    rules = parameters("semifinal", thresholds={"copd": {"se": 0.5, "sp": 0.6}})
    fates = outcomes({"tp": 68, "fn": 7, "fp": 4, "tn": 41}, ("copd",))
    sections = TRACK.report_sections(TRACK.aggregate(fates, rules, seed=1), fates)
    table = next(section for section in sections if section.key == "nosologies")
    assert [row[1:5] for row in table.rows] == [(68, 7, 4, 41)]
    drawn = {table.columns[place].en: table.rows[0][place] for place in table.shares}
    assert drawn == {
        "Se, barrier": 0.5,
        "Sp, barrier": 0.6,
        "Se": 0.907,
        "Sp": 0.911,
        "Se, lower bound": 0.837,
        "Sp, lower bound": 0.816,
    }


def test_the_schema_takes_what_is_valid_and_refuses_what_is_not() -> None:
    forms = TRACK.schemas()
    schema = Draft202012Validator({"allOf": [forms.answer], "$defs": dict(forms.named)})
    for answer in (
        diagnosed("C34", "J96"),
        {"study": "A05.10"},
        {"refusal": True},
        [{"decorCode": "diagnosisPreliminary", "code": "C34"}],
    ):
        assert schema.is_valid(answer)
    for answer in (
        [],
        {},
        [{"decorCode": "x", "code": ""}],
        {"study": "A05"},
        [{"decorCode": "diagnosisMain", "code": "C34.1234567"}],
    ):
        assert not schema.is_valid(answer)
