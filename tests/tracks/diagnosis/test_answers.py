"""Answers of the diagnosis contest: what is valid, what is wrong, what is said about it (D-App2–D-App4).

Epicrises are read safely, and into no more than the few facts needed (D-App1а 3).

An identifier belongs to the element it stands in, not to the document around it.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.leftovers import english
from tracks.diagnosis import items
from tracks.diagnosis.answers import codes_of, judge, main_code, selection_right, validate
from tracks.diagnosis.items import StudyEntry, UnsafeError, read_epicrisis, read_reference

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


INSTRUMENTAL = 'codeSystem="1.2.643.5.1.13.13.11.1471"'
LABORATORY = 'codeSystem="1.2.643.5.1.13.13.11.1080"'
ICD = 'codeSystem="1.2.643.5.1.13.13.11.1005"'


def document(body: str, head: str = "") -> str:
    return f'{head}<ClinicalDocument xmlns="urn:hl7-org:v3"><component>{body}</component></ClinicalDocument>'


def entry(code: str, ident: str = "", system: str = INSTRUMENTAL) -> str:
    return f'<entry><observation>{ident}<code code="{code}" {system} displayName="КТ груди"/></observation></entry>'


def code_of(source: bytes | str) -> str:
    with pytest.raises(UnsafeError) as caught:
        read_epicrisis(source)
    russian = caught.value.placed.ru
    assert (english(russian), re.search("[а-яё]", russian) is None) == ([], False)
    return caught.value.code


def test_studies_of_entries_are_read_with_their_identifiers() -> None:
    body = entry("7001902", '<id root="1.2.3" extension="17"/>') + entry("1", system=LABORATORY)
    result = read_epicrisis(document(body))
    assert result.root == "ClinicalDocument"
    assert result.studies == (
        StudyEntry("1.2.3/17", "7001902", "instrumental", "КТ груди"),
        StudyEntry(None, "1", "laboratory", "КТ груди"),
    )


CODE = f'<code code="5" {INSTRUMENTAL}/>'
SAME = entry("7001902", '<id root="1"/>')


@pytest.mark.parametrize(
    ("body", "identifiers"),
    [
        (f'<entry><act>{CODE}<id root="9"/></act></entry>', ["9"]),  # after the code
        (f'<entry><act><id root="1"/><id root="2"/>{CODE}</act></entry>', ["1"]),
        ('<id root="9"/>' + "".join(f'<entry><act><id root="{n}"/>{CODE}</act></entry>' for n in (1, 2)), ["1", "2"]),
        (SAME + SAME, ["1"]),
        (entry("7001902") + entry("7001902"), [None, None]),
        (SAME + entry("7001903", '<id root="1"/>'), ["1", "1"]),
        # Codes outside entries, of other directories, and none at all.
        (f'{CODE}<entry><code code="1" codeSystem="2.16.840.1"/><code {INSTRUMENTAL}/></entry><entry/>{CODE}', []),
    ],
)
def test_a_study_is_counted_by_its_own_identifier(body: str, identifiers: list[str | None]) -> None:
    assert [study.ident for study in read_epicrisis(document(body)).studies] == identifiers


def test_icd_10_codes_are_listed_once_by_their_base_parts() -> None:
    body = f'<value code="C34.1" {ICD}/><value code="C34.2" {ICD}/><value code="J44" {ICD}/>'
    assert read_epicrisis(document(body)).diagnoses == ("C34", "J44")


@pytest.mark.parametrize("encoding", ["utf-8", "windows-1251", "utf-16"])
def test_files_in_the_usual_encodings_are_read_and_text_whatever_it_declares(encoding: str) -> None:
    text = document(entry("1"), f'<?xml version="1.0" encoding="{encoding}"?>')
    assert [read_epicrisis(content).studies[0].title for content in (text, text.encode(encoding))] == ["КТ груди"] * 2


LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))


@pytest.mark.clause("tracks §1 XML")
@pytest.mark.parametrize(
    "source",
    [
        f'<!DOCTYPE a [<!ENTITY l0 "ha">{LAUGHS}]><a>&l11;</a>',
        f'<!DOCTYPE a [<!ENTITY x "{"x" * 50_000}">]><a>{"&x;" * 1000}</a>',
        '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
        '<!DOCTYPE a [<!ENTITY % x SYSTEM "http://localhost/x.dtd"> %x;]><a/>',
        '<!DOCTYPE a SYSTEM "http://localhost/x.dtd"><a/>',
        "<!DOCTYPE a><a/>",
    ],
)
def test_bombs_and_external_entities_are_refused_unread(source: str) -> None:
    assert code_of(source) == code_of(source.encode()) == "declares_entities"


WRONG_XML: list[str | bytes] = [
    *("", "no markup", "<a>", "<a></b>", "<a/><b/>", "<a><", "<a><![CDATA[", "<a x='1' x='2'/>", "<p:a/>"),
    *("<a xmlns:p=''/>", "<a xmlns:xmlns='x'/>", "<a>&b;</a>", "<a>\x00</a>", "<a>&#0;</a>", "<a>\ud800</a>"),
    *("<?xml?><a/>", " <?xml version='1.0'?><a/>", b"<a>\xff</a>"),
    *(f"<?xml version='1.0' encoding='{name}'?><a/>".encode() for name in ("klingon", "utf-7", "utf-16")),
]


@pytest.mark.clause("D 6.4")
@pytest.mark.parametrize("source", WRONG_XML)
def test_what_is_no_xml_is_refused_and_told_in_russian(source: bytes | str) -> None:
    assert code_of(source) == "not_xml"


def test_a_broken_file_names_its_line() -> None:
    with pytest.raises(UnsafeError, match="line 3: this is no XML: mismatched tag") as caught:
        read_epicrisis("<a>\n<b>\n</c></a>")
    assert caught.value.line == 3


def test_bottomless_nesting_is_refused() -> None:
    deepest = items.MAX_DEPTH
    assert read_epicrisis("<a>" * deepest + "</a>" * deepest).elements == deepest
    assert code_of("<a>" * (deepest + 1) + "</a>" * (deepest + 1)) == "too_deep"
    assert code_of("<a>" * 100_000) == "too_deep"


def test_too_many_elements_and_too_many_bytes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(items, "MAX_ELEMENTS", 3)
    assert code_of("<a>" + "<b/>" * 3 + "</a>") == "too_many_elements"
    monkeypatch.setattr(items, "MAX_BYTES", 10)
    assert code_of("<a>12345678</a>") == "too_big"
