"""Answers of the diagnosis contest: what is valid, what is wrong, what is said about it (D-App2–D-App4)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tracks.diagnosis.answers import codes_of, judge, main_code, selection_right, validate
from tracks.diagnosis.items import read_reference

MAIN = {"decorCode": "diagnosisMain", "code": "C34"}
SELECTED = {"xPath": "", "start": "", "end": "", "name": "A15.3", "decorCode": "diagnosisMain", "code": ""}
PRELIMINARY = {"decorCode": "diagnosisPreliminary", "code": "J44"}


def of(kind: str, code: str = "C34") -> dict[str, str]:
    return {"decorCode": kind, "code": code}


def reasons(stage: str, answer: Any) -> list[tuple[str, Any]]:
    verdict = judge(stage, answer)
    assert all(each.message.en and each.message.ru for each in verdict.reasons)
    return [(each.code, each.where.get("field")) for each in verdict.reasons]


def warned(stage: str, answer: Any) -> list[str]:
    verdict = judge(stage, answer)
    assert verdict.valid
    return [each.code for each in verdict.warnings]


# --- the semifinal, with the examples of D-App3 ---------------------------------------------------------------------


@pytest.mark.clause("D-App3 answer 1", "D-App2 one object", "D-App3 answer 2", "tracks §1 answer limits")
@pytest.mark.parametrize(
    ("stage", "answer", "warnings"),
    [
        ("semifinal", [MAIN], []),
        ("semifinal", [of("diagnosisMain", "")], ["empty_main_diagnosis"]),
        ("semifinal", [of("diagnosisMain", "another"), of("diagnosisSup", "I10.1"), of("attendDisease", "C34")], []),
        ("semifinal", [MAIN, *[of("attendDisease")] * 10, *[of("diagnosisSup")] * 10], []),
        ("semifinal", [of("diagnosisMain", "C34.123456")], []),  # ten characters
        ("semifinal", [of("diagnosisMain", "\N{CYRILLIC CAPITAL LETTER A}19.1")], ["cyrillic_letter"]),  # as in D-App3
        ("selection", [SELECTED, SELECTED], ["several_objects"]),
    ],
)
def test_a_valid_answer_may_be_remarked_on(stage: str, answer: Any, warnings: list[str]) -> None:
    assert warned(stage, answer) == warnings


@pytest.mark.clause("D-App3 answer 1")
def test_the_selection_stages_keys_are_left_out_where_they_are_empty() -> None:
    for answer in ([MAIN], [{**MAIN, **dict.fromkeys(("xPath", "start", "end", "name"), "")}]):
        verdict = judge("semifinal", answer)
        assert (verdict.kind, verdict.canonical, main_code(verdict.canonical)) == ("diagnosis", [MAIN], "C34")
    assert codes_of([of("diagnosisMain", "another"), of("diagnosisSup", "I10.1")], "diagnosisSup") == {"I10"}


EVERY_FAULT = [MAIN, of("diagnosisMain", "J44"), of("diagnosisSup", "J96.1234567"), *[of("attendDisease")] * 11, 5]


@pytest.mark.clause("D-App3 answer", "D-App3 answer 1", "D-App3 answer 2", "D-App3 answer 3", "tracks §1 answer limits")
@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ([of("diagnosisSup"), of("attendDisease")], [("no_main_diagnosis", None)]),
        ([MAIN, *[of("attendDisease")] * 11], [("too_many_complications", None)]),
        ([MAIN, *[of("diagnosisSup")] * 11], [("too_many_comorbidities", None)]),
        ([MAIN, MAIN], [("several_main_diagnoses", None)]),
        ([{**MAIN, "id": ""}], [("unknown_field", "[0].id")]),
        ([{**MAIN, "name": "C34"}], [("field_not_empty", "[0].name")]),
        ([MAIN, PRELIMINARY], [("unknown_decor_code", "[1].decorCode")]),
        ([of("diagnosisMain", "C34.1234567")], [("code_too_long", "[0].code")]),
        ([5] * 101, [("too_many_objects", None)]),  # before they are read
        ([5] * 100, [("not_an_object", f"[{place}]") for place in range(100)]),
        (None, [("not_an_answer", None)]),
        ("C34", [("not_an_answer", None)]),
        (MAIN, [("not_an_answer", None)]),
        ([], [("no_main_diagnosis", None)]),
        ([[]], [("not_an_object", "[0]")]),
        ([{}], [("missing_field", "[0].decorCode"), ("missing_field", "[0].code")]),
        ([{"decorCode": "diagnosisMain"}], [("missing_field", "[0].code")]),
        ([{"decorCode": None, "code": 34}], [("wrong_type", "[0].decorCode"), ("wrong_type", "[0].code")]),
        ([of("diagnosisMain", "\ud800")], [("not_writable", "[0].code")]),
        (
            EVERY_FAULT,
            [
                *(("code_too_long", "[2].code"), ("not_an_object", "[14]")),
                *(("several_main_diagnoses", None), ("too_many_complications", None)),
            ],
        ),
    ],
)
def test_an_invalid_answer_gets_every_reason_with_its_place(answer: Any, expected: list[tuple[str, Any]]) -> None:
    assert reasons("semifinal", answer) == expected


@pytest.mark.clause("D-App2", "D 7.10.1")
@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"name": ""}, [("empty_code", "[0].name")]),
        ({"name": " A15"}, [("blank_in_code", "[0].name")]),
        ({"name": "A15\t"}, [("blank_in_code", "[0].name")]),
        ({"name": "A15.1234567"}, [("code_too_long", "[0].name")]),
        ({"name": " A15", "code": "A15"}, [("field_not_empty", "[0].code"), ("blank_in_code", "[0].name")]),
        ({"name": 15}, [("wrong_type", "[0].name")]),
        ({"code": "A15"}, [("field_not_empty", "[0].code")]),
        ({"start": "5"}, [("field_not_empty", "[0].start")]),
        ({"decorCode": "attendDisease"}, [("unknown_decor_code", "[0].decorCode")]),
    ],
)
def test_the_selection_form_is_exact(change: dict[str, str], expected: list[tuple[str, str]]) -> None:
    assert reasons("selection", [{**SELECTED, **change}]) == expected


@pytest.mark.clause("D 9.10.3", "D 9.10.1.3.2")
@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        *(([PRELIMINARY, other], [("preliminary_not_alone", None)]) for other in (MAIN, PRELIMINARY)),
        ([of("diagnosisSup"), PRELIMINARY], [("preliminary_not_alone", None)]),
        (
            [PRELIMINARY, {"decorCode": "x", "code": 5}],
            [("unknown_decor_code", "[1].decorCode"), ("wrong_type", "[1].code"), ("preliminary_not_alone", None)],
        ),
        ([{**PRELIMINARY, "code": ""}], [("empty_code", "[0].code")]),
        *(
            ({"study": several}, [("one_study_per_request", "study")])
            for several in (["A06.09", "A05.10"], "A06.09,A05.10", "A06.09 A05.10", "A06.09; A05.10")
        ),
        *(
            ({"study": unknown}, [("unknown_study", "study")])
            for unknown in ("A06.09.005", "a06.09", "", None, 5, {"code": "A06.09"})
        ),
        *((other, [("not_an_answer", None)]) for other in (5, {}, MAIN, {"study": "A06.09", "code": ""})),
        *(({"refusal": other}, [("not_an_answer", "refusal")]) for other in (1, False)),
        ([MAIN, MAIN], [("several_main_diagnoses", None)]),  # as in the semifinal
    ],
)
def test_an_invalid_answer_of_the_final_gets_every_reason(answer: Any, expected: list[tuple[str, Any]]) -> None:
    assert reasons("final", answer) == expected


def test_an_answer_takes_64_kib_and_not_a_byte_more() -> None:
    largest = json.dumps([MAIN]).encode().ljust(64 * 1024)
    assert validate(largest, "v3", "semifinal").valid
    verdict = validate(largest + b" ", "v3", "semifinal")
    assert [each.where.get("problem", each.code) for each in verdict.reasons] == ["too_big"]


# --- the selection stage --------------------------------------------------------------------------------------------


@pytest.mark.clause("D-App2 one object")
def test_the_selection_answer_is_one_object_in_an_array_or_alone() -> None:
    assert not selection_right([SELECTED, SELECTED], "A15.3")
    assert judge("selection", [SELECTED]).canonical == judge("selection", SELECTED).canonical == [SELECTED]


@pytest.mark.clause("D 7.10.2", "D 7.8")
@pytest.mark.parametrize(
    ("given", "right"),
    [("A15.3", True), ("A15", True), ("A15.9", True), ("a15.3", False), ("A16.3", False)],
)
def test_selection_compares_the_part_before_the_dot_in_the_same_case(given: str, right: bool) -> None:
    assert selection_right([{**SELECTED, "name": given}], "A15.3") is right


def test_the_semifinals_short_form_is_no_selection_answer() -> None:
    assert [code for code, _ in reasons("selection", [MAIN])][:4] == ["missing_field"] * 4


# --- the final ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ([MAIN], "diagnosis"),
        ([PRELIMINARY], "preliminary"),
        ([{**PRELIMINARY, "code": "another"}], "preliminary"),
        ({"study": "A06.09"}, "study"),
        ({"refusal": True}, "refusal"),
    ],
)
def test_the_final_has_four_kinds_of_answers(answer: Any, kind: str) -> None:
    verdict = judge("final", answer)
    assert verdict.valid
    assert verdict.kind == kind


@pytest.mark.parametrize(
    ("code", "how"),
    [
        ("\N{CYRILLIC CAPITAL LETTER A}15.0", "is a Cyrillic letter, A in the code a Latin one"),
        ("\N{CYRILLIC CAPITAL LETTER ES}34", "is a Cyrillic letter, C in the code a Latin one"),
        ("c34", "the case of letters differs"),
        (" C34", "there are blanks in it"),
        ("Another", "looks like another"),
    ],
)
def test_a_code_that_only_looks_right_is_remarked_on_with_what_differs(code: str, how: str) -> None:
    (warning,) = judge("semifinal", [of("diagnosisMain", code)]).warnings
    assert (warning.code, warning.where["field"]) == ("code_looks_like", "[0].code")
    assert how in warning.message.en


@pytest.mark.parametrize("code", ["C34", "C34.1 a", "another", "", "Ж34", "whatever"])
def test_a_code_that_is_meant_as_it_is_gets_no_remark_of_its_letters(code: str) -> None:
    assert "code_looks_like" not in warned("semifinal", [of("diagnosisMain", code)])


def test_an_unknown_study_that_looks_like_one_is_named() -> None:
    (reason,) = judge("final", {"study": "\N{CYRILLIC CAPITAL LETTER A}03.16"}).reasons
    assert "A03.16 is there" in reason.message.en


def test_a_reference_with_a_code_that_no_answer_could_equal_is_refused() -> None:
    refused = {"code": "\N{CYRILLIC CAPITAL LETTER A}15"}, {"ill": True, "complications": ["j96"]}
    for reference, stage in zip(refused, ("selection", "final"), strict=True):
        assert [each.code for each in read_reference(reference, stage)] == ["wrong_code"]
    assert not read_reference({"code": "\N{CYRILLIC CAPITAL LETTER A}19"}, "selection")
