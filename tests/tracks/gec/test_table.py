"""The concentrated data set as a table, an edit a row, by the columns that an organizer names (tracks-sessions G-1)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tracks.gec.track import GecTrack

TRACK = GecTrack()
PARAMETERS = TRACK.read_parameters({})[0]
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


def unpacked(mapping: Any = MAPPING, rows: list[list[str]] = ROWS, **more: bytes) -> Any:
    files = {"doc-gec.columns.json": json.dumps(mapping).encode(), "doc-gec.tsv": table(rows), **more}
    return TRACK.unpack(files, PARAMETERS)


def codes(found: Any) -> list[tuple[str, Any, Any]]:
    return [(each.code, each.where.get("line"), each.where.get("field")) for each in found.reasons]


@pytest.mark.clause("TS G-1", "G data", "G fields 1", "G fields 2", "G fields 3", "G fields 4", "G fields 5")
def test_g_1_a_table_with_the_six_fields_is_read_by_the_organizers_names_and_cut_into_blocks() -> None:
    found = unpacked()
    assert found.reasons == ()
    files = {name: json.loads(body) for name, body in found.files.items()}
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
    found = TRACK.unpack(files, PARAMETERS)
    assert found.reasons == ()
    items = {name for name in found.files if "_exp" not in name}
    assert items == {"set-00001-1.json", "set-00001-2.json", "set-00001-3.json", "set-00002.json"}


@pytest.mark.parametrize(
    ("row", "changed", "expected"),
    [
        (1, {3: "two"}, ("not_a_number", 3, "from")),
        (1, {7: "perhaps"}, ("unknown_word", 3, "to find")),
        (1, {11: "сверху"}, ("unknown_word", 3, "side")),
        (1, {2: "Another text"}, ("another_text", 3, "context")),
    ],
)
def test_a_wrong_row_is_named_by_its_line_and_its_column(
    row: int, changed: dict[int, str], expected: tuple[str, int, str]
) -> None:
    rows = [
        [changed.get(place, each) if n == row else each for place, each in enumerate(r)] for n, r in enumerate(ROWS)
    ]
    assert expected in codes(unpacked(rows=rows))


def test_a_row_with_more_cells_than_columns_is_named_by_its_line() -> None:
    rows = [[*row, ""] if number == 1 else row for number, row in enumerate(ROWS)]
    assert ("too_many_fields", 3, None) in codes(unpacked(rows=rows))


def test_a_span_outside_its_text_is_named_like_in_the_json_form() -> None:
    rows = [*ROWS[:2], [*ROWS[2][:4], "99", *ROWS[2][5:]]]
    assert [each[0] for each in codes(unpacked(rows=rows))] == ["invalid_item"]


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
    found = unpacked(mapping)
    assert [(each.code, each.where.get("field")) for each in found.reasons] == [(code, field)]
    assert found.files == {}


def test_a_table_without_its_description_is_left_to_the_platform_and_the_other_way_round_is_a_fault() -> None:
    alone = TRACK.unpack({"doc-gec.tsv": table(ROWS)}, PARAMETERS)
    assert (alone.reasons, set(alone.files)) == ((), {"doc-gec.tsv"})
    described = TRACK.unpack({"doc-gec.columns.json": json.dumps(MAPPING).encode()}, PARAMETERS)
    assert [each.code for each in described.reasons] == ["missing_table"]


@pytest.mark.parametrize("body", [b"\xff\xfe", b'doc\tcorpus\n"open\tx\n'])
def test_what_is_no_table_is_named(body: bytes) -> None:
    found = unpacked(**{"doc-gec.tsv": body})
    assert [each.code for each in found.reasons] == ["malformed_table"]
