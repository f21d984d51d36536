"""Sets and submissions of the gec track in its contest's own files (tracks-sessions G-1, G-2).

The concentrated data set as a table, an edit a row, by the columns that an organizer names (tracks-sessions G-1).
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from markup_core.formats.m2 import Edit, Unit, parse, render
from tests.tracks.gec.texts import HYPOTHESIS, REFERENCE
from tracks.base import Fields
from tracks.gec.items import blocks, read_gold_item
from tracks.gec.report import record
from tracks.gec.track import GecTrack
from tracks.gec.unpack import cut

TRACK = GecTrack()
PARAMETERS = TRACK.read_parameters({})[0]
DATA = Path(os.environ.get("HURDLE_GEC_DATA", "no such folder"))
CONTEXT = {"detection": True, "correction": False, "scope": "sentence", "direction": "left", "left": 2, "right": 0}


def text(**changed: Any) -> dict[str, Any]:
    """Four sentences of 3, 2, 2, 1 tokens; a group ties the first and the third."""
    edits = [
        {"start": 0, "end": 1, "correction": "A", "type": "R:X", "context_dependent": False, "group": "g"},
        {"start": 4, "end": 5, "correction": "", "type": "U:Y", "context_dependent": False},
        {
            "start": 6,
            "end": 6,
            "correction": "f",
            "type": "M:Z",
            "context_dependent": True,
            "group": "g",
            "context": CONTEXT,
        },
    ]
    return {"id": "t", "source": "corpus", "sentences": ["a b c", "d e", "f g", "h"], "edits": edits, **changed}


def body(value: Any) -> bytes:
    return json.dumps(value).encode()


def unpacked(files: dict[str, bytes]) -> dict[str, Any]:
    found = TRACK.unpack(files, PARAMETERS)
    assert found.reasons == ()
    made = {name: json.loads(each) for name, each in found.files.items()}
    for name, value in made.items():
        stem, _, number = name.removesuffix(".json").partition("_exp")
        if number:
            assert TRACK.read_reference(made[f"{stem}.json"], value, PARAMETERS) == ()
        else:
            facts, reasons = TRACK.read_item(value, PARAMETERS)
            assert reasons == ()
            assert facts is not None
            assert facts.item_id == stem
    return made


def faults(files: dict[str, bytes]) -> list[tuple[str, dict[str, Any]]]:
    found = TRACK.unpack(files, PARAMETERS)
    assert found.files == {}
    assert all(each.message.en and each.message.ru for each in found.reasons)
    return [(each.code, dict(each.where)) for each in found.reasons]


def items_of(made: dict[str, Any]) -> dict[str, Any]:
    """Return the items by their ids in the order of a manifest."""
    return {name.removesuffix(".json"): made[name] for name in sorted(made) if "_exp" not in name}


def as_units(made: dict[str, Any]) -> list[Unit]:
    """Return items with their references as they would stand in M2."""
    found = []
    for item_id, item in items_of(made).items():
        annotators = {
            int(name.removesuffix(".json")[-2:]) - 1: tuple(
                Edit(each["start"], each["end"], each["type"], each["correction"]) for each in value["edits"]
            )
            for name, value in sorted(made.items())
            if name.startswith(f"{item_id}_exp")
        }
        found.append(Unit(" ".join(item["sentences"]), annotators))
    return found


def plain(units: Any) -> list[Unit]:
    """Return units as they are scored: without blanks, notes, lines and the order of annotators."""
    return [
        Unit(
            " ".join(unit.tokens),
            {
                each: tuple(Edit(*edit[:4]) for edit in edits)
                for each, edits in sorted((unit.annotators or {0: ()}).items())
            },
        )
        for unit in units
    ]


@pytest.mark.clause("TS G-1", "TS T14")
def test_g_1_a_unit_of_m2_is_an_item_and_each_annotator_a_reference() -> None:
    made = unpacked({"fce.ukr.m2": REFERENCE.encode()})
    assert list(items_of(made)) == [f"fce-{number}" for number in range(1, 8)]
    assert made["fce-1.json"] == {
        "id": "fce-1",
        "language": "ukr",
        "source": "fce",
        "sentences": ["He go to school yesterday ."],
    }
    assert {name for name in made if name.startswith("fce-3_")} == {"fce-3_exp02.json", "fce-3_exp03.json"}
    assert made["fce-5_exp01.json"] == {"edits": []}
    assert as_units(made) == plain(parse(REFERENCE))
    assert unpacked({"fce.m2": b"S a\n\n" * 12})["fce-01.json"]["language"] == "eng"
    last = unpacked({"fce.m2": b"S a\nA 0 1|||X|||y|||R|||N|||98\n"})
    assert set(last) == {"fce-1.json", "fce-1_exp99.json"}, "two digits number them"


@pytest.mark.clause("TS G-1", "G concentrated 1")
def test_g_1_a_text_with_metadata_is_cut_into_its_smallest_blocks() -> None:
    made = unpacked({"gold.json": body({"items": [text()]})})
    assert list(items_of(made)) == ["t-1", "t-2", "t-3"]
    assert [each["sentences"] for each in items_of(made).values()] == [["a b c", "f g"], ["d e"], ["h"]]
    first, second = text()["edits"][0], text()["edits"][2]
    assert made["t-1_exp01.json"] == {"edits": [first, {**second, "start": 4, "end": 4}]}
    assert made["t-2_exp01.json"] == {"edits": [{**text()["edits"][1], "start": 1, "end": 2}]}
    assert made["t-3_exp01.json"] == {"edits": []}
    assert unpacked({"gold.jsonl": body(text()) + b"\n\n"}) == made
    whole = unpacked({"g.json": body({"items": [text(sentences=["a b c d e", "", "f g h"], language="deu")]})})
    assert (whole["t.json"]["sentences"], whole["t.json"]["language"]) == (["a b c d e", "f g h"], "deu")


@pytest.mark.clause("TS G-1", "TS T14")
def test_g_1_every_fault_of_every_file_is_listed() -> None:
    bad = text(sentences=5, edits=[{"start": 0}, 7, {"start": 1, "end": 0, "correction": "", "type": "X"}])
    found = faults(
        {
            "a.m2": b"S one\nA 0 9|||X|||y|||R|||N|||0\nwhat\n\nS\n",
            "b.m2": b"S one\n\nS\n\nS two\nA 0 1|||X|||y|||R|||N|||99\n",
            "c.m2": b"S \xff\n",
            "d.json": body({"items": [bad, None, text(id=""), text(id="a/b"), text(language=1), text(), text()]}),
            "e.jsonl": b'{"items": 1\n',
            "f.json": b"[",
        }
    )
    assert [
        (code, where["file"], where.get("line", where.get("item")), where.get("field")) for code, where in found
    ] == [
        ("span_outside", "a.m2", 2, None),
        ("unknown_line", "a.m2", 3, None),
        ("no_tokens", "b.m2", 3, None),
        ("invalid_annotator", "b.m2", 5, None),
        ("not_utf8", "c.m2", 1, None),
        ("invalid_item", "d.json", 0, "sentences"),
        ("invalid_item", "d.json", 0, "edits[0].type"),
        ("invalid_item", "d.json", 0, "edits[1]"),
        ("invalid_item", "d.json", 0, "edits[2].end"),
        ("not_an_object", "d.json", 1, None),
        ("invalid_item", "d.json", 2, "id"),
        ("unsafe_id", "d.json", 3, None),
        ("unsafe_id", "d.json", 3, None),
        ("unsafe_id", "d.json", 3, None),
        ("invalid_item", "d.json", 4, "language"),
        ("repeated_id", "d.json", 6, None),
        ("repeated_id", "d.json", 6, None),
        ("repeated_id", "d.json", 6, None),
        ("malformed_json", "e.jsonl", 1, None),
        ("malformed_json", "f.json", 1, None),
    ]
    many = faults({"a.m2": b"what\n" * 130})
    assert len(many) == 101
    assert many[-1][0] == "more_faults"


@pytest.mark.clause("TS T14")
def test_g_1_files_in_the_platforms_form_pass_as_they_are() -> None:
    given_ = {"t.json": body({"id": "t", "sentences": ["a"]}), "t_exp01.json": b"[", "README.md": b"\xff"}
    found = TRACK.unpack(given_, PARAMETERS)
    assert (found.files, found.reasons, found.read) == (given_, (), frozenset())


def submitted(given_: bytes, items: dict[str, Any]) -> list[tuple[str, Any]]:
    found = TRACK.read_submission(given_, items)
    assert (found.answers, found.missing) == ({}, ())
    assert all(each.message.en and each.message.ru for each in found.reasons)
    return [(each.code, each.where.get("line")) for each in found.reasons]


@pytest.mark.clause("TS G-2")
def test_g_2_a_submission_is_one_m2_file_in_the_order_of_the_set() -> None:
    items = items_of(unpacked({"fce.m2": REFERENCE.encode()}))
    one = [
        unit._replace(annotators={0: tuple(dict.fromkeys(unit.annotators.get(0, ())))}) for unit in parse(HYPOTHESIS)
    ]
    one[3] = one[3]._replace(annotators={0: one[3].annotators[0][:2]})
    found = TRACK.read_submission(render(one).encode(), items)
    assert (found.reasons, found.missing, list(found.answers)) == ((), (), list(items))
    for unit, (item_id, answer) in zip(one, found.answers.items(), strict=True):
        verdict = TRACK.validate(items[item_id], "f", "text", answer, PARAMETERS)
        assert verdict.valid
        assert [tuple(each.values()) for each in verdict.canonical["edits"]] == [
            (edit.start, edit.end, edit.correction, edit.type) for edit in sorted(unit.annotators[0])
        ]


@pytest.mark.clause("TS G-2")
def test_g_2_every_fault_of_a_submission_is_listed() -> None:
    items = items_of(unpacked({"fce.m2": REFERENCE.encode()}))
    assert submitted(HYPOTHESIS.encode(), items) == [
        ("overlapping_edits", 13),
        ("several_annotators", 21),
        ("overlapping_edits", 21),
    ]
    assert submitted(b"S He go to school yesterday .\n\nS other\n", items) == [
        ("wrong_count", None),
        ("text_differs", 3),
    ]
    assert submitted(b"S a\nA 0 7|||X|||y|||R|||N|||0\nA 1\n", items) == [("span_outside", 2), ("wrong_fields", 3)]
    assert submitted(b"", items) == [("no_units", 1)]
    texts = {str(number): {"sentences": ["a"]} for number in range(150)}
    many = submitted(b"S b\n\n" * 150, texts)
    assert (len(many), many[-1]) == (101, ("more_faults", None))


@pytest.mark.clause("TS G-2")
@pytest.mark.parametrize("given_", [b"He went to school .\nA cat is here .\n", b'{"edits": []}', "Привет .".encode()])
def test_g_2_corrected_text_alone_is_refused_and_what_to_send_is_said(given_: bytes) -> None:
    (reason,) = TRACK.read_submission(given_, {"t": {"sentences": ["a"]}}).reasons
    assert reason.code == "corrected_text"
    assert "M2" in reason.message.en
    assert "M2" in reason.message.ru


@st.composite
def texts(draw: st.DrawFn) -> dict[str, Any]:
    sentences = draw(st.lists(st.lists(st.sampled_from("abc"), max_size=3).map(" ".join), min_size=1, max_size=5))
    size = sum(len(each.split()) for each in sentences)
    spans = st.lists(st.integers(0, size), min_size=2, max_size=2).map(sorted)
    edits = [
        {
            "start": start,
            "end": end,
            "correction": draw(st.sampled_from(["", "x"])),
            "type": "R:X",
            "context_dependent": draw(st.booleans()),
            **draw(st.sampled_from([{}, {"group": "g"}, {"group": "h"}])),
        }
        for start, end in draw(st.lists(spans, max_size=4))
    ]
    return text(sentences=sentences if size else [*sentences, "z"], edits=edits)


@pytest.mark.property
@pytest.mark.clause("TS G-1", "G concentrated 1")
@given(texts())
def test_blocks_hold_every_sentence_and_every_edit_over_its_own_tokens(raw: dict[str, Any]) -> None:
    whole = read_gold_item(Fields(raw))
    parts = cut(whole)
    filled = [each for each in whole.sentences if each]
    grouping = blocks(len(filled), read_gold_item(Fields({**raw, "sentences": filled})).ties())
    assert [list(part.sentences) for part in parts] == [[filled[each] for each in block] for block in grouping]

    def said(item: Any) -> list[Any]:
        found = []
        for gold in item.edits:
            start, end, label, correction, _ = gold.edit
            found.append((item.tokens[start:end], label, correction, gold.group, gold.context_dependent))
        return sorted(found, key=repr)

    assert sorted((each for part in parts for each in said(part)), key=repr) == said(whole)
    for part in parts:
        assert all(0 <= each.edit.start <= each.edit.end <= len(part.tokens) for each in part.edits)


EDITS = st.builds(
    lambda start, length, label, correction: Edit(start, min(start + length, 3), label, correction),
    st.integers(0, 3),
    st.integers(0, 2),
    st.sampled_from(["R:X", "UNK"]),
    st.sampled_from(["", "y z"]),
)
UNITS = st.lists(
    st.builds(
        lambda annotators: Unit("a b c", annotators),
        st.dictionaries(st.integers(0, 98), st.lists(EDITS, max_size=3).map(tuple), max_size=3),
    ),
    min_size=1,
    max_size=12,
)


@pytest.mark.property
@pytest.mark.clause("TS G-1")
@given(UNITS)
def test_m2_gives_back_what_it_said(units: list[Unit]) -> None:
    assert as_units(unpacked({"c.m2": render(units).encode()})) == plain(units)


@pytest.mark.skipif(not DATA.is_dir(), reason="HURDLE_GEC_DATA names no folder of real M2 files")
@pytest.mark.parametrize("path", sorted(DATA.glob("*/ref.m2")), ids=lambda path: str(path.parent.name))
def test_a_real_reference_is_imported_as_it_stands(path: Path) -> None:
    made = unpacked({"ref.m2": path.read_bytes()})
    assert as_units(made) == plain(parse(path.read_text("utf-8")))


def test_a_set_in_the_m2_scorers_way_is_scored_by_any_of_the_alternatives() -> None:
    m2 = "S a b c\nA 0 1|||Prep|||on||upon|||REQUIRED|||-NONE-|||0\nA 1 2|||Det|||-NONE-|||REQUIRED|||-NONE-|||0\n"
    made = unpacked({"corpus.m2": m2.encode()})
    item, reference = made["corpus-1.json"], made["corpus-1_exp01.json"]
    edits = [(0, 1, "upon"), (1, 2, "")]
    answer = {"edits": [{"start": one, "end": two, "correction": text, "type": "T"} for one, two, text in edits]}
    found = record(item, answer, [reference], {"beta": 0.5})
    assert found["correction"] == {"Det": [1, 0, 0], "Prep": [1, 0, 0]}


COLUMNS = {
    "id": "doc",
    "source": "corpus",
    "text": "context",
    "start": "from",
    "end": "to",
    "correction": "answer",
    "type": "error",
    "detection": "to find",
    "correction_needs": "to mend",
    "scope": "kind",
    "distance": "far",
    "direction": "side",
}
MAPPING = {
    "columns": COLUMNS,
    "values": {
        "yes": "1",
        "no": ["0", ""],
        "clause": "межклаузальный",
        "sentence": "межфразовый",
        "left": "слева",
        "right": "справа",
        "either": "с любой стороны",
        "both": "с обеих сторон",
    },
    "sentences": " / ",
}
HEAD = list(COLUMNS.values())
TEXT = "I goed home / He see it / We was glad"
ROWS = [
    ["d1", "REALEC", TEXT, "1", "2", "went", "R:VERB", "0", "", "", "", ""],
    ["d1", "REALEC", TEXT, "4", "5", "saw", "R:VERB:TENSE", "1", "1", "межфразовый", "1", "слева"],
    ["d2", "W&I", "They is here", "1", "2", "are", "R:VERB:SVA", "0", "1", "межклаузальный", "2", "с обеих сторон"],
]


def table(rows: list[list[str]], separator: str = "\t", head: list[str] = HEAD) -> bytes:
    return "".join(separator.join(each) + "\n" for each in (head, *rows)).encode()


def unpacked_table(mapping: Any = MAPPING, rows: list[list[str]] = ROWS, **more: bytes) -> Any:
    files = {"doc-gec.columns.json": json.dumps(mapping).encode(), "doc-gec.tsv": table(rows), **more}
    return TRACK.unpack(files, PARAMETERS)


def codes(found: Any) -> list[tuple[str, Any, Any]]:
    return [(each.code, each.where.get("line"), each.where.get("field")) for each in found.reasons]


@pytest.mark.clause("TS G-1", "G data", "G fields 1", "G fields 2", "G fields 3", "G fields 4", "G fields 5")
def test_g_1_a_table_with_the_six_fields_is_read_by_the_organizers_names_and_cut_into_blocks() -> None:
    result = unpacked_table()
    assert result.reasons == ()
    files = {name: json.loads(body) for name, body in result.files.items()}
    assert set(files) == {f"{each}{end}.json" for each in ("d1-1", "d1-2", "d1-3", "d2") for end in ("", "_exp01")}
    assert files["d1-2.json"]["sentences"] == ["He see it"]
    assert files["d1-2.json"]["source"] == "REALEC"
    (plain,) = files["d1-1_exp01.json"]["edits"]
    assert (plain["correction"], plain["context_dependent"], plain.get("context")) == ("went", False, None)
    (tense,) = files["d1-2_exp01.json"]["edits"]
    assert (tense["start"], tense["end"], tense["type"]) == (1, 2, "R:VERB:TENSE")
    assert tense["context"] == {
        "detection": True,
        "correction": True,
        "scope": "sentence",
        "direction": "left",
        "left": 1,
        "right": 0,
    }
    (agreement,) = files["d2_exp01.json"]["edits"]
    assert agreement["context"]["detection"] is False
    assert (agreement["context"]["left"], agreement["context"]["right"]) == (2, 2)
    for name in ("d1-1", "d1-2", "d1-3", "d2"):
        assert TRACK.read_item(files[f"{name}.json"], PARAMETERS)[1] == ()
        assert TRACK.read_reference(files[f"{name}.json"], files[f"{name}_exp01.json"], PARAMETERS) == ()


def test_without_ids_rows_of_one_text_are_one_text_and_commas_part_a_csv() -> None:
    mapping = {**MAPPING, "columns": {name: each for name, each in COLUMNS.items() if name not in {"id", "source"}}}
    files = {"set.columns.json": json.dumps(mapping).encode(), "set.csv": table(ROWS, ",")}
    result = TRACK.unpack(files, PARAMETERS)
    assert result.reasons == ()
    items = {name for name in result.files if "_exp" not in name}
    assert items == {"set-00001-1.json", "set-00001-2.json", "set-00001-3.json", "set-00002.json"}


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({3: "two"}, ("not_a_number", 3, "from")),
        ({7: "perhaps"}, ("unknown_word", 3, "to find")),
        ({11: "сверху"}, ("unknown_word", 3, "side")),
        ({2: "Another text"}, ("another_text", 3, "context")),
        ({12: ""}, ("too_many_fields", 3, None)),
        ({4: "99"}, ("invalid_item", 2, "edits[1].end")),
    ],
)
def test_a_wrong_row_is_named_by_its_line_and_its_column(
    changed: dict[int, str], expected: tuple[str, int, str | None]
) -> None:
    wrong = {**dict(enumerate(ROWS[1])), **changed}
    assert codes(unpacked_table(rows=[ROWS[0], list(wrong.values()), ROWS[2]])) == [expected]


@pytest.mark.parametrize(
    ("mapping", "code", "field"),
    [
        ([], "wrong_form", None),
        ({**MAPPING, "more": 1}, "wrong_form", None),
        ({**MAPPING, "columns": {**COLUMNS, "scope": 1}}, "unknown_field", "columns.scope"),
        ({**MAPPING, "columns": {n: c for n, c in COLUMNS.items() if n != "scope"}}, "missing_column", "columns.scope"),
        ({**MAPPING, "values": {"up": "вверх"}}, "unknown_field", "values.up"),
        ({**MAPPING, "values": []}, "unknown_field", "values"),
        ({**MAPPING, "sentences": ""}, "wrong_type", "sentences"),
        ({**MAPPING, "columns": {**COLUMNS, "scope": "sort"}}, "missing_column", "sort"),
    ],
)
def test_a_description_that_does_not_fit_is_named(mapping: Any, code: str, field: str | None) -> None:
    result = unpacked_table(mapping)
    assert [(reason.code, reason.where.get("field")) for reason in result.reasons] == [(code, field)]
    assert result.files == {}


def test_a_table_without_its_description_is_left_to_the_platform_and_the_other_way_round_is_a_fault() -> None:
    alone = TRACK.unpack({"doc-gec.tsv": table(ROWS)}, PARAMETERS)
    assert (alone.reasons, set(alone.files)) == ((), {"doc-gec.tsv"})
    described = TRACK.unpack({"doc-gec.columns.json": json.dumps(MAPPING).encode()}, PARAMETERS)
    assert [each.code for each in described.reasons] == ["missing_table"]


@pytest.mark.parametrize("body", [b"\xff\xfe", b'doc\tcorpus\n"open\tx\n'])
def test_what_is_no_table_is_named(body: bytes) -> None:
    result = unpacked_table(**{"doc-gec.tsv": body})
    assert [reason.code for reason in result.reasons] == ["malformed_table"]
