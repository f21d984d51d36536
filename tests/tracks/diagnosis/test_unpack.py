"""The contest's own files, and stages that are a set's (tracks-sessions D-0)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracks.capabilities import steps_of
from tracks.diagnosis.stages import NAMES, STEPS
from tracks.diagnosis.track import DiagnosisTrack
from tracks.protocol import Need, Outcome, needs

TRACK = DiagnosisTrack()
PARAMETERS = TRACK.read_parameters({"stage": "by_set"})[0]
XML = b"<epicrisis><text>\xd0\xba\xd0\xb0\xd1\x88\xd0\xb5\xd0\xbb\xd1\x8c</text></epicrisis>"
BOMB = b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'
SEMIFINAL = {
    "AIDoc_Tuberkulez_112_v3.xml": XML,
    "AIDoc_Tuberkulez_112_v2.xml": b"\xef\xbb\xbf<a/>",
    "AIDoc_lung_cancer_0007_v3.xml": XML,
    "AIDoc_lung_cancer_7_v2.xml": XML,
    "references.csv": "no;ill;complications;comorbidities\n112;1;J96.0, K25;\n\n7;нет;;I10\n".encode("utf-8-sig"),
}
FINAL = {
    "AIDoc_copd_3_v3F.xml": XML,
    "AIDoc_copd_3_v32L_2L_B03.016.003.xml": b"<b/>",
    "AIDoc_copd_3_v32L_10L_B03.016.004.xml": b"<d/>",
    "AIDoc_copd_3_v32I_2I_A06.09.005.xml": b"<c/>",
    "references.csv": b"no,nosology,ill\n3,copd,true\n",
}
SELECTION = {"AIDoc_cteph_9_v1.xml": XML, "references.csv": b"no,code\n9,I27.8\n"}


def unpacked(files: dict[str, bytes], parameters: Any = PARAMETERS) -> dict[str, Any]:
    found = TRACK.unpack(files, parameters)
    assert found.reasons == ()
    assert set(found.origins) == set(found.files)
    assert set(found.origins.values()) <= found.read == set(files)
    made = {name: json.loads(each) for name, each in found.files.items()}
    for name, value in made.items():
        stem = name.removesuffix(".json")
        if not stem.endswith("_exp01"):
            facts, reasons = TRACK.read_item(value, parameters)
            assert reasons == ()
            assert facts is not None
            assert (facts.item_id, facts.group) == (stem, stem.rpartition("-")[0])
            assert TRACK.read_reference(value, made[f"{stem}_exp01.json"], parameters) == ()
    return made


def faults(files: dict[str, bytes], parameters: Any = PARAMETERS) -> list[tuple[str, str, Any]]:
    found = TRACK.unpack(files, parameters)
    assert found.files == {}
    assert all(each.message.en and each.message.ru for each in found.reasons)
    return [(each.code, each.where["file"], each.where.get("line")) for each in found.reasons]


@pytest.mark.clause("TS D-0", "TS T14", "D 9.5")
def test_d_0_files_of_one_epicrisis_become_an_item_with_its_reference() -> None:
    made = unpacked(SEMIFINAL)
    text = XML.decode()
    assert made["tuberculosis-112.json"] == {
        "id": "tuberculosis-112",
        "nosology": "tuberculosis",
        "language": "rus",
        "versions": {"v3": text, "v2": "<a/>"},
    }
    assert made["tuberculosis-112_exp01.json"] == {"ill": True, "complications": ["J96.0", "K25"], "comorbidities": []}
    assert made["lung_cancer-7_exp01.json"] == {"ill": False, "complications": [], "comorbidities": ["I10"]}
    assert set(made["lung_cancer-7.json"]["versions"]) == {"v3", "v2"}


@pytest.mark.clause("TS D-0", "TS T14", "D 9.5")
def test_d_0_studies_stand_beside_v3f_in_their_order() -> None:
    made = unpacked(FINAL)
    item = made["copd-3.json"]
    assert item["studies"] == [
        {"service": "A06.09.005", "xml": "<c/>"},
        {"service": "B03.016.003", "xml": "<b/>"},
        {"service": "B03.016.004", "xml": "<d/>"},
    ]
    assert made["copd-3_exp01.json"]["ill"] is True
    assert unpacked(SELECTION)["cteph-9_exp01.json"] == {"code": "I27.8"}


@pytest.mark.clause("TS D-0", "D 9.5")
def test_d_0_programs_see_one_opaque_name_for_both_versions() -> None:
    item = unpacked(SEMIFINAL)["tuberculosis-112.json"]
    shown = [TRACK.hand_out(item, "f-1", step) for step in ("v3", "v2")]
    assert [each["id"] for each in shown] == ["f-1", "f-1"]
    assert all("tuberculosis" not in json.dumps(each) and "112" not in json.dumps(each) for each in shown)


@pytest.mark.clause("TS D-0")
def test_d_0_words_for_nosologies_are_a_parameter() -> None:
    parameters = TRACK.read_parameters({"stage": "selection", "file_names": {"HOBL": "copd"}})[0]
    files = {"AIDoc_HOBL_1_v1.xml": XML, "AIDoc_Tuberkulez_1_v1.xml": XML}
    files["references.csv"] = b"no,nosology,code\n1,HOBL,J44\n1,Tuberkulez,A15\n"
    assert set(unpacked(files, parameters)) >= {"copd-1.json", "tuberculosis-1.json"}
    assert ("wrong_file_name", "AIDoc_HOBL_1_v1.xml", None) in faults(files)
    wrong = TRACK.read_parameters({"stage": "final", "file_names": {"HOBL": "asthma"}})[1]
    assert [each.code for each in wrong] == ["unknown_nosology"]
    assert [each.code for each in TRACK.read_parameters({"stage": "final", "file_names": []})[1]] == [
        "unknown_nosology"
    ]


@pytest.mark.clause("TS D-0", "TS T14", "tracks §1 XML")
def test_d_0_every_fault_of_every_file_is_listed() -> None:
    found = faults(
        {
            "AIDoc_copd_1_v3.xml": XML,
            "AIDoc_copd_2_v3.xml": BOMB,
            "AIDoc_copd_2_v2.xml": b"<a>\n<b>",
            "AIDoc_copd_3_v2.xml": b"\xff",
            "AIDoc_copd_3_v3.xml": XML,
            "AIDoc_copd_03_v3.xml": XML,
            "AIDoc_copd_4_v3F.xml": XML,
            "AIDoc_copd_4_v32L_2I_B03.016.003.xml": XML,
            "AIDoc_copd_4_v32L_2L_B03.016.002.xml": XML,
            "AIDoc_asthma_4_v3F.xml": XML,
            "AIDoc_cteph_4_v3F.xml": XML,
            "notes.xml": XML,
            "references.csv": b"no,ill,complications\n1,1,\n2,2,Z\n2,1,\n3\n4,1,J96\nx,1,\n8,1,\n4,1,,more\n",
        }
    )
    assert sorted(found, key=str) == sorted(
        [
            ("wrong_file_name", "AIDoc_asthma_4_v3F.xml", None),
            ("wrong_file_name", "AIDoc_copd_4_v32L_2I_B03.016.003.xml", None),
            ("wrong_file_name", "notes.xml", None),
            ("declares_entities", "AIDoc_copd_2_v3.xml", None),
            ("not_xml", "AIDoc_copd_2_v2.xml", 2),
            ("not_utf8", "AIDoc_copd_3_v2.xml", None),
            ("repeated_file", "AIDoc_copd_3_v3.xml", None),
            ("unknown_study", "AIDoc_copd_4_v32L_2L_B03.016.002.xml", None),
            ("wrong_versions", "AIDoc_copd_1_v3.xml", None),
            ("wrong_stage", "AIDoc_copd_03_v3.xml", None),
            ("wrong_ill", "references.csv", 3),
            ("wrong_code", "references.csv", 3),
            ("repeated_line", "references.csv", 4),
            ("wrong_ill", "references.csv", 5),
            ("wrong_number", "references.csv", 7),
            ("no_item", "references.csv", 8),
            ("too_many_fields", "references.csv", 9),
            ("repeated_line", "references.csv", 9),
            ("ambiguous_number", "references.csv", 6),
        ],
        key=str,
    )


@pytest.mark.clause("TS D-0")
@pytest.mark.parametrize(
    ("table", "expected"),
    [
        (b"\xff", ["no_reference", "not_utf8"]),
        (b"", ["no_reference", "wrong_columns"]),
        (b"ill\n1\n", ["no_reference", "wrong_columns"]),
        (b"no,code,code\n", ["no_reference", "wrong_columns"]),
        (b"no,cod\n", ["no_reference", "wrong_columns"]),
        (b'no,code\n"9\n', ["malformed_csv", "no_reference"]),
        (b"no,code\n9,\n", ["missing_code"]),
        (b"no,code\n9,I27 J44\n", ["missing_code"]),
        (b"no,code,nosology\n9,I27,asthma\n", ["no_reference", "unknown_nosology"]),
    ],
)
def test_d_0_faults_of_the_table_are_told(table: bytes, expected: list[str]) -> None:
    assert sorted(code for code, _, _ in faults({**SELECTION, "references.csv": table})) == expected


@pytest.mark.clause("TS D-0")
def test_d_0_a_folder_without_a_table_or_of_another_stage_is_refused() -> None:
    bare = {name: each for name, each in SELECTION.items() if name != "references.csv"}
    assert faults(bare) == [("missing_file", "references.csv", None)]
    fixed = TRACK.read_parameters({"stage": "final"})[0]
    assert faults(SELECTION, fixed) == [("wrong_stage", "AIDoc_cteph_9_v1.xml", None)]
    assert unpacked(FINAL, fixed) == unpacked(FINAL)
    with_study = {**SELECTION, "AIDoc_cteph_9_v32L_2L_B03.016.003.xml": XML}
    assert [code for code, _, _ in faults(with_study)] == ["wrong_versions"]


@pytest.mark.clause("TS T14")
def test_d_0_files_in_the_platforms_form_pass_as_they_are() -> None:
    given_ = {"e1.json": b"{}", "e1_exp01.json": b"[", "README.md": b"\xff"}
    found = TRACK.unpack(given_, PARAMETERS)
    assert (found.files, found.reasons, found.read) == (given_, (), frozenset())


def diagnosed(code: str, decor: str = "diagnosisMain") -> list[dict[str, str]]:
    return [{"decorCode": decor, "code": code}]


@pytest.mark.clause("TS D-0", "D 9.12")
def test_d_0_one_cycle_has_sets_of_three_stages() -> None:
    assert needs(TRACK.policies("final"), TRACK.steps(PARAMETERS)) >= {Need.SEVERAL_STEPS, Need.STEP_LIMITS}
    names = [step.name for step in TRACK.steps(PARAMETERS)]
    assert len(set(names)) == len(names)
    answers: dict[str, list[tuple[str, Any]]] = {
        "selection": [
            ("v1", [{"xPath": "", "start": "", "end": "", "name": "I27", "decorCode": "diagnosisMain", "code": ""}])
        ],
        "semifinal": [("v3", diagnosed("A15")), ("v2", diagnosed("A15"))],
        "final": [("preliminary", {"study": "B03.016.003"}), ("studies", diagnosed("J44"))],
    }
    outcomes = {}
    for stage, files, item_id in (
        ("selection", SELECTION, "cteph-9"),
        ("semifinal", SEMIFINAL, "tuberculosis-112"),
        ("final", FINAL, "copd-3"),
    ):
        made = unpacked(files)
        item, reference = made[f"{item_id}.json"], made[f"{item_id}_exp01.json"]
        fixed = TRACK.read_parameters({"stage": stage})[0]
        assert steps_of(TRACK, item, PARAMETERS) == steps_of(TRACK, item, fixed) == STEPS[stage]
        turns = []
        for step, answer in answers[stage]:
            verdict = TRACK.validate(item, "f", step, json.dumps(answer).encode(), PARAMETERS)
            assert verdict == TRACK.validate(item, "f", step, json.dumps(answer).encode(), fixed)
            assert verdict.valid
            turns.append({"step": step, "kind": verdict.kind, "answer": verdict.canonical})
        given_ = turns[0]["answer"] if stage == "selection" else turns
        records = [TRACK.score(item, given_, [reference], each) for each in (PARAMETERS, fixed)]
        bare = [{name: value for name, value in each.items() if name != "fingerprint"} for each in records]
        assert bare[0] == bare[1]
        facts = TRACK.read_item(item, PARAMETERS)[0]
        assert facts is not None
        outcomes[stage] = Outcome(facts, True, records[0])
        found = TRACK.aggregate([outcomes[stage]], PARAMETERS, 1)
        assert found == TRACK.aggregate([Outcome(facts, True, records[1])], fixed, 1)
        assert found["stage"] == stage
        assert TRACK.report_sections(found, [outcomes[stage]])
    joined = TRACK.aggregate([outcomes["semifinal"], outcomes["final"]], PARAMETERS, 1)
    assert (joined["stage"], set(joined["nosologies"])) == ("final", {"tuberculosis", "copd"})
    assert TRACK.aggregate([], PARAMETERS, 1)["stage"] is None


@pytest.mark.clause("TS D-0")
def test_d_0_an_item_of_no_stages_versions_is_refused() -> None:
    item = {"id": "e", "nosology": "copd", "versions": {"v1": "<a/>", "v2": "<a/>"}}
    for versions in (item["versions"], None, {}, "v1"):
        reasons = TRACK.read_item({**item, "versions": versions}, PARAMETERS)[1]
        assert [each.code for each in reasons] == ["wrong_versions"]


NUMBERS = st.dictionaries(
    st.tuples(st.sampled_from(NAMES), st.integers(0, 999)), st.tuples(st.booleans(), st.text("абв <&", max_size=5))
)


@pytest.mark.property
@pytest.mark.clause("TS D-0")
@given(NUMBERS.filter(bool), st.sampled_from([("v1",), ("v3", "v2"), ("v3F",)]))
def test_whatever_is_packed_is_unpacked(
    patients: dict[tuple[str, int], tuple[bool, str]], versions: tuple[str, ...]
) -> None:
    files, lines = dict[str, bytes](), ["nosology;no;ill;code"]
    for (nosology, number), (ill, words) in patients.items():
        escaped = words.replace("&", "&amp;").replace("<", "&lt;")
        for version in versions:
            files[f"AIDoc_{nosology}_{number}_{version}.xml"] = f"<a>{version}{escaped}</a>".encode()
        lines.append(f"{nosology};{number};{int(ill)};J44")
    files["references.csv"] = "\r\n".join(lines).encode()
    made = unpacked(files)
    assert len(made) == 2 * len(patients)
    for (nosology, number), (ill, _) in patients.items():
        item, known = made[f"{nosology}-{number}.json"], made[f"{nosology}-{number}_exp01.json"]
        assert {f"AIDoc_{nosology}_{number}_{name}.xml": text.encode() for name, text in item["versions"].items()} == {
            name: body for name, body in files.items() if name.startswith(f"AIDoc_{nosology}_{number}_")
        }
        assert known.get("code") == "J44" if versions == ("v1",) else known["ill"] is ill


@pytest.mark.property
@given(
    st.dictionaries(
        st.sampled_from([*SEMIFINAL, *FINAL, "x.xml", "\ud83d.xml", "e.json"]),
        st.binary(max_size=20)
        | st.sampled_from([XML, BOMB, SEMIFINAL["references.csv"]])
        | st.text('no,;1\n"\0').map(str.encode),
    )
)
def test_no_folder_makes_the_reader_raise(files: dict[str, bytes]) -> None:
    found = TRACK.unpack(files, PARAMETERS)
    assert not (found.files and found.reasons)
