"""The M2 format: what is read, what is refused and in which line, and what is written (tracks.md §3).

Faults of M2 files say what was found.

Corrections in M2 as annotated texts.
"""

from __future__ import annotations

import pytest

from markup_core.formats import m2, word_lines
from markup_core.formats.foreign import FormatError
from markup_core.texts import RU, in_language
from tests.markup_core.formats.reading import counts, recognized_documents, source
from tests.tracks.gec.texts import REFERENCE

TWO = "S a b c\nA 0 1|||R:X|||z|||REQUIRED|||-NONE-|||0\nA -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1\n"
RIGHT = "A 0 1|||R:X|||z|||REQUIRED|||-NONE-|||0\n"
UNIT = m2.Unit("a b c", {0: (m2.Edit(0, 1, "R:X", "z"),), 1: ()}, 1)


def faults(text: str) -> list[tuple[int, str]]:
    with pytest.raises(m2.M2Error) as caught:
        m2.parse(text)
    return [(fault.line, fault.code) for fault in caught.value.faults]


def edit(line: str) -> str:
    return f"S a b c\n{line}\n"


@pytest.mark.clause("G score 1")
def test_a_unit_has_its_text_and_the_edits_of_each_annotator() -> None:
    assert m2.parse(TWO) == (UNIT,)
    assert UNIT.tokens == ["a", "b", "c"]


def test_units_are_read_one_at_a_time_and_faults_are_told_at_the_end() -> None:
    stream = m2.units(f"{TWO}\nS a\nwrong\n")
    assert m2.with_edits(next(stream)) == UNIT
    assert next(stream).source == "a"
    with pytest.raises(m2.M2Error, match="line 6"):
        next(stream)


def test_lines_go_on_where_a_large_text_is_cut() -> None:
    text = "".join(f"S {'a ' * (number % 50)}b{number}\n\n" for number in range(5_000))
    assert len(text) > 200_000
    assert [unit.line for unit in m2.parse(text)] == [*range(1, 10_000, 2)]
    assert m2.render(m2.parse(text)) == text


@pytest.mark.parametrize(
    ("text", "source", "annotators"),
    [
        (edit("A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||7"), "a b c", {7: ()}),
        ("S a\n\nS b\n", "a", {}),
        # Annotators need no number 0 and stand in the order of the file.
        (
            edit("A 0 1|||T|||x|||REQUIRED|||-NONE-|||5\nA 1 2|||T|||x|||REQUIRED|||-NONE-|||2"),
            "a b c",
            {5: (m2.Edit(0, 1, "T", "x"),), 2: (m2.Edit(1, 2, "T", "x"),)},
        ),
        # A mark of a document, as it stands in real files.
        ("S # 0002\nA -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0\n\nS a\n", "# 0002", {0: ()}),
        # Other separators of Unicode stand inside a line.
        (
            "S a\u2028b\x0bc\x85d\nA 3 4|||T|||\u2028|||REQUIRED|||-NONE-|||0\n",
            "a\u2028b\x0bc\x85d",
            {0: (m2.Edit(3, 4, "T", "\u2028"),)},
        ),
        # An insertion may stand after the last token and in an empty sentence.
        (edit("A 3 3|||M:X|||z|||REQUIRED|||-NONE-|||0"), "a b c", {0: (m2.Edit(3, 3, "M:X", "z"),)}),
        ("S\nA 0 0|||M:X|||z|||REQUIRED|||-NONE-|||0\n", "", {0: (m2.Edit(0, 0, "M:X", "z"),)}),
    ],
)
def test_a_unit_is_read_as_it_stands(text: str, source: str, annotators: dict[int, tuple[m2.Edit, ...]]) -> None:
    first, *others = m2.parse(text)
    assert (first.source, list(first.annotators.items())) == (source, list(annotators.items()))
    assert len(others) == text.count("\n\n")


@pytest.mark.parametrize(
    "text",
    [
        TWO.replace("\n", "\r\n"),
        TWO.replace("\n", "\r"),
        "\ufeff" + TWO,
        "\n\n" + TWO + "\n \n\n",
        TWO.rstrip("\n"),
    ],
    ids=["CRLF", "CR", "byte-order mark", "blank lines around", "no line end"],
)
def test_line_ends_marks_and_blank_lines_do_not_matter(text: str) -> None:
    assert [unit[:2] for unit in m2.parse(text)] == [UNIT[:2]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", [(1, "no_units")]),
        (" \n\n", [(1, "no_units")]),
        ("S a\nT b\n", [(2, "unknown_line")]),
        ("S a\nAB\n", [(2, "unknown_line")]),
        ("A 0 0|||M:X|||z|||REQUIRED|||-NONE-|||0\n", [(1, "edit_without_sentence")]),
        ("S a\n\nA 0 0|||M:X|||z|||REQUIRED|||-NONE-|||0\n", [(3, "edit_without_sentence")]),
        ("S a\nS b\n", [(2, "no_blank_line")]),
        (edit("A 0|||R:X|||z|||REQUIRED|||-NONE-|||0"), [(2, "invalid_span")]),
        (edit("A 0 x|||R:X|||z|||REQUIRED|||-NONE-|||0"), [(2, "invalid_span")]),
        (edit("A 0 ١|||R:X|||z|||REQUIRED|||-NONE-|||0"), [(2, "invalid_span")]),
        (edit("A 2 1|||R:X|||z|||REQUIRED|||-NONE-|||0"), [(2, "invalid_span")]),
        (edit("A -1 1|||R:X|||z|||REQUIRED|||-NONE-|||0"), [(2, "invalid_span")]),
        (edit(f"A 0 {'9' * 5000}|||R:X|||z|||REQUIRED|||-NONE-|||0"), [(2, "invalid_span")]),
        (edit("A 0 4|||R:X|||z|||REQUIRED|||-NONE-|||0"), [(2, "span_outside")]),
        (edit("A 0 1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0"), [(2, "invalid_noop")]),
        (edit("A -1 -1|||R:X|||z|||REQUIRED|||-NONE-|||0"), [(2, "invalid_noop")]),
        (edit("A 0 1||||||z|||REQUIRED|||-NONE-|||0"), [(2, "empty_type")]),
        (edit("A 0 1|||R:X|||z|||REQUIRED|||-NONE-|||x"), [(2, "invalid_annotator")]),
        (edit("A 0 1|||R:X|||z|||REQUIRED|||-NONE-|||-1"), [(2, "invalid_annotator")]),
        (edit("A 0 1|||R:X|||z|||REQUIRED|||-NONE-|||"), [(2, "invalid_annotator")]),
        # An empty alternative whose bars cannot be told apart.
        (edit("A 0 1|||R:X|||the|||||REQUIRED|||-NONE-|||0"), [(2, "wrong_fields")]),
        (
            "S a\r\nA 0 9|||T|||x|||R|||N|||0\r\n\r\nX\r\nS b\r\nA 0\r\n",
            [(2, "span_outside"), (4, "unknown_line"), (6, "wrong_fields")],
        ),
        # One bad line makes no right line below it wrong.
        (f"S a b c\nT what\n{RIGHT}{RIGHT}", [(2, "unknown_line")]),
        (
            f"s a b c\n{RIGHT}{RIGHT}\nS a\n{RIGHT}A 0 2{RIGHT[5:]}",
            [(1, "unknown_line"), (7, "span_outside")],
        ),
        (f"S a\n\n\ufeffS b\n{RIGHT}\n{RIGHT}", [(3, "unknown_line"), (6, "edit_without_sentence")]),
    ],
)
def test_every_fault_is_told_with_its_line(text: str, expected: list[tuple[int, str]]) -> None:
    assert faults(text) == expected


def test_a_text_of_faults_is_counted_and_told_in_part() -> None:
    with pytest.raises(m2.M2Error, match=r"line 1: .* \(and 499 more\)") as caught:
        m2.parse("X\n" * 500)
    assert (caught.value.count, len(caught.value.faults)) == (500, m2.MOST_FAULTS)


@pytest.mark.parametrize(
    "length", range(len("S a b c\nA 0 1|||R:X|||"), len(edit("A 0 1|||R:X|||z|||REQUIRED|||-NONE-|||0")) - 2)
)
def test_a_file_cut_off_within_an_edit_is_refused(length: int) -> None:
    assert faults(edit("A 0 1|||R:X|||z|||REQUIRED|||-NONE-|||0")[:length])[0][0] == 2


def test_the_fields_that_are_not_used_are_kept() -> None:
    text = edit("A 0 1|||R:X|||z|||OPTIONAL|||seen twice|||0") + "\n"
    assert m2.render(m2.parse(text)) == text


@pytest.mark.parametrize(
    "edits",
    [
        (m2.Edit(0, 1, "", "z"),),
        (m2.Edit(0, 1, "noop", "z"),),
        (m2.Edit(0, 1, "R|||X", "z"),),
        (m2.Edit(0, 1, "R:X", "z|"),),
        (m2.Edit(0, 1, "R:X", "z\ny"),),
    ],
)
def test_what_the_format_cannot_hold_is_not_written(edits: tuple[m2.Edit, ...]) -> None:
    with pytest.raises(ValueError, match="M2 cannot hold"):
        m2.render([m2.Unit("a b", {0: edits})])


@pytest.mark.parametrize(
    ("written", "read", "listed"),
    [
        ("on||upon", "on||upon", ["on", "upon"]),
        ("on||upon||in front of", "on||upon||in front of", ["on", "upon", "in front of"]),
        ("-NONE-", "", [""]),
        ("the||-NONE-", "||the", ["", "the"]),
        ("||the", "||the", ["", "the"]),
        ("on||on", "on", ["on"]),
        ("a || b", "a || b", ["a || b"]),
        ("a-NONE-b", "a-NONE-b", ["a-NONE-b"]),
    ],
)
def test_alternatives_and_the_empty_correction_are_read_as_the_m2_scorer_writes_them(
    written: str, read: str, listed: list[str]
) -> None:
    text = f"S a b c\nA 0 1|||Prep|||{written}|||REQUIRED|||-NONE-|||0\n"
    (unit,) = m2.parse(text)
    assert unit.annotators[0][0].correction == read
    assert m2.alternatives(read) == listed
    assert [unit_read[:2] for unit_read in m2.parse(m2.render([unit]))] == [unit[:2]]


def test_what_is_written_in_the_m2_scorers_way_is_remarked_on_with_its_first_line() -> None:
    text = (
        "S a b c\nA 0 1|||Prep|||x|||REQUIRED|||-NONE-|||0\nA 1 2|||Prep|||on||upon|||REQUIRED|||-NONE-|||0\n"
        "A 2 3|||Det|||-NONE-|||REQUIRED|||-NONE-|||0\n\nS a\nA 0 1|||Det|||-NONE-||x|||REQUIRED|||-NONE-|||0\n"
    )
    remarks = m2.remarks(text)
    assert [(each.line, each.code) for each in remarks] == [(3, "alternatives"), (4, "none_for_empty")]
    assert remarks[0].message.startswith("2 corrections give alternatives")
    usual = "S a\nA 0 1|||Prep|||x|||REQUIRED|||-NONE-|||0\nA -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1\n\n" * 300
    assert m2.remarks(usual) == []
    assert [(remark.line, remark.code) for remark in m2.remarks(f"{usual}{text}")] == [
        (1203, "alternatives"),
        (1204, "none_for_empty"),
    ]
    assert m2.remarks(REFERENCE) == []


@pytest.mark.parametrize("fields", [1, 2, 3, 4, 5, 7, 8])
def test_an_edit_with_another_number_of_fields_says_how_many_there_are(fields: int) -> None:
    line = "|||".join(["A 0 1", "R:X", "z", "REQUIRED", "-NONE-", "0", "more", "and more"][:fields])
    with pytest.raises(m2.M2Error) as caught:
        m2.parse(f"S a b c\n{line}\n")
    (fault,) = caught.value.faults
    assert (fault.line, fault.code) == (2, "wrong_fields")
    assert f"this has {fields};" in fault.message


FILE = """S Я иду в  дом 😀 .
A 0 0|||P|||Да ,|||REQUIRED|||-NONE-|||0
A 1 2|||V|||пошёл||шёл|||REQUIRED|||-NONE-|||0
A 3 4|||U|||-NONE-|||REQUIRED|||-NONE-|||1
A 5 5|||U|||!||?|||REQUIRED|||a note|||1

S e\u0301ж
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S
"""


@pytest.mark.parametrize("content", [FILE, "\ufeff" + FILE.replace("\n", "\r\n")])
def test_units_are_documents_and_annotators_layers(content: str) -> None:
    one, two, three = recognized_documents("m2", "a/corpus.m2", content)
    assert [(document.name, document.text) for document in (one, two, three)] == [
        ("a/corpus-0001", "Я иду в дом 😀 ."),
        ("a/corpus-0002", "e\u0301ж"),
        ("a/corpus-0003", ""),
    ]
    first, second = one.layers
    spans = [
        [(one.text[span.start : span.end], span.label, span.texts) for span in layer.spans] for layer in one.layers
    ]
    assert spans == [
        [("Я", "P", {"correction": "Да , Я"}), ("иду", "V", {"correction": "пошёл||шёл"})],
        [("дом", "U", {}), ("😀", "U", {"correction": "😀 !||😀 ?"})],
    ]
    assert [(layer.annotator, counts(layer.losses)) for layer in (first, second)] == [
        ("0", {"insertions": 1}),
        ("1", {"notes": 1, "insertions": 1, "deletions": 1}),
    ]
    assert [[(layer.annotator, layer.spans) for layer in document.layers] for document in (two, three)] == [
        [("0", ())]
    ] * 2


def test_a_faulty_line_is_told() -> None:
    with pytest.raises(FormatError) as error:
        list(word_lines.read_m2(source("a.m2", "S а\nA 0 2|||X|||б|||REQUIRED|||-NONE-|||0\n")))
    assert str(error.value) == "line 2: the span 0 2 is outside the sentence, which has 1 tokens"
    assert in_language(error.value.text, RU).startswith("строка 2: ")
