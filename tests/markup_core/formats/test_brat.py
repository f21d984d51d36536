r"""brat's standoff, in the shapes of http://brat.nlplab.org/standoff.html.

From there: text-bound annotations ``T1<TAB>Location 0 5;16 23<TAB>North America`` with pieces joined by a blank;
``R1<TAB>Origin Arg1:T3 Arg2:T4``, ``*<TAB>Equiv T1 T2 T3``, ``E1<TAB>MERGE-ORG:T2 Org1:T1``, ``A1<TAB>Negation E1``,
``A2<TAB>Confidence E2 L1``, ``N1<TAB>Reference T1 Wikipedia:534366<TAB>Barack Obama``,
``#1<TAB>AnnotatorNotes T1<TAB>…``. That brat splits a span at line ends is told in nlplab/brat, issues 786 and 1042.
"""

from __future__ import annotations

import pytest

from markup_core.formats.brat import read, write
from markup_core.formats.labels import Import, Wanted
from markup_core.formats.losses import Loss
from markup_core.formats.places import FormatError
from markup_core.model import Fragment, Markup

TEXT = "Кот 😀 пошёл\nв магазин, и кот купил рыбу.\n"
ANN = (
    "T1\tГ.упр 6 11;12 21\tпошёл в магазин\n"
    "#1\tAnnotatorNotes T1\tне туда\n"
    "A1\tSubtype T1 пфс\n"
    "T2\tР.повтор 0 3;25 28\tКот кот\n"
    "T12\tГ.слов 29 34\tкупил\n"
    "#2\tCorrection T12\tприобрёл\n"
    "R1\tOrigin Arg1:T1 Arg2:T2\n"
    "*\tEquiv T1 T2\n"
    "E1\tBuy:T12 What:T2\n"
    "A2\tNegation E1\n"
    "A3\tConfidence T1 L1\n"
    "N1\tReference T1 Wikipedia:534366\tКот\n"
    "#3\tNormalizer T1\tx\n"
    "#4\tAnnotatorNotes T99\tникому\n"
)
RUS = Wanted(subject="rus")


def imported(ann: str, text: str = TEXT, wanted: Wanted = RUS) -> Import:
    return read(text, ann, wanted)


def counts(losses: tuple[Loss, ...]) -> dict[str, int]:
    return {loss.kind: loss.count for loss in losses}


def test_what_carries_our_fields_is_read_and_the_rest_is_counted() -> None:
    got = imported(ANN)
    assert got.markup == Markup(
        TEXT,
        (
            Fragment(6, 21, "Г.упр", subtype="пфс", comment="не туда", id=1),
            Fragment(0, 28, "Р.повтор", id=2),
            Fragment(29, 34, "Г.слов", correction="приобрёл", id=12),
        ),
        {"subject": "rus"},
    )
    # A gap of white space alone is a line end of brat's and no loss; T2 covers six words between its two.
    assert counts(got.losses) == {
        "gaps": 1,
        "relations": 2,
        "events": 1,
        "normalizations": 1,
        "attributes": 2,
        "notes": 2,
    }


def test_a_span_over_lines_is_written_as_brat_writes_it() -> None:
    written = write(Markup("Раз,\r\nдва.\nТри", (Fragment(0, 10, "Г.упр", id=1),), {"subject": "rus"}))
    assert written.annotations == "T1\tГ.упр 0 4;6 10\tРаз, два.\n"
    assert counts(written.losses) == {"meta": 1}


def test_a_full_text_fragment_is_an_attribute_of_a_span_over_everything() -> None:
    markup = Markup("Раз.", (Fragment(0, 0, "С.тема", comment="нет темы", id=7),), {"subject": "lit"})
    written = write(markup)
    assert written.annotations == "T7\tС.тема 0 4\tРаз.\nA1\tFullText T7\n#1\tAnnotatorNotes T7\tнет темы\n"
    assert read(written.text, written.annotations, Wanted(subject="lit")).markup == markup


def test_ids_that_brat_cannot_hold_become_numbers() -> None:
    fragments = tuple(Fragment(0, 1, "Г.упр", id=ident) for ident in (1, "a", 3))
    written = write(Markup("Раз", fragments, {"subject": "rus"}))
    assert [line.split("\t")[0] for line in written.annotations.splitlines()] == ["T1", "T2", "T3"]
    assert counts(written.losses) == {"meta": 1, "ids": 1}


def test_two_notes_on_one_annotation_are_joined() -> None:
    ann = "T1\tГ.упр 0 3\tКот\n#1\tAnnotatorNotes T1\tраз\n#2\tAnnotatorNotes T1\tдва\n"
    assert imported(ann).markup.fragments[0].comment == "раз\nдва"


def test_notes_may_stand_before_and_lines_may_end_with_crlf() -> None:
    ann = "#1\tAnnotatorNotes T1\tраз\r\n\r\nT1\tГ.упр 0 3\tКот\r\n"
    assert imported(ann).markup.fragments == (Fragment(0, 3, "Г.упр", comment="раз", id=1),)


@pytest.mark.parametrize(
    ("ann", "place", "told"),
    [
        ("T1\tГ.упр 0 3\tКот\nчто это\n", "line 2", "no line of brat"),
        ("T1 Г.упр 0 3 Кот\n", "line 1", "T1<TAB>type"),
        ("T1\tГ.упр 0 3;x\tКот\n", "line 1", "T1<TAB>type"),
        ("T1\tГ.упр 3 3\t\n", "line 1", "is empty"),
        ("T1\tГ.упр 3 999\tx\n", "line 1", "does not lie in the text"),
        ("T1\tГ.упр 0 3\tКит\n", "line 1", "the .ann belongs to another text"),
        # Emoji counted twice, as UTF-16 does: the words tell.
        ("T1\tГ.упр 7 12\tпошёл\n", "line 1", "the .ann belongs to another text"),
        ("T1\tГ.упр 0 3\tКот\nT1\tГ.упр 0 3\tКот\n", "line 2", "stands twice"),
        (
            "\nT1\tPerson 0 3\tКот\nT2\tPlace 0 3\tКот\n",
            "line 2",
            '"Person" is no code of the subject rus; nor are "Place"',
        ),
    ],
)
def test_a_broken_line_is_told_with_its_number(ann: str, place: str, told: str) -> None:
    with pytest.raises(FormatError) as caught:
        imported(ann)
    assert caught.value.place == place
    assert told in str(caught.value)


def test_a_byte_order_mark_of_the_text_is_a_character() -> None:
    assert imported("T1\tГ.упр 1 4\tКот\n", "\ufeffКот").markup.fragments == (Fragment(1, 4, "Г.упр", id=1),)
    with pytest.raises(FormatError, match="belongs to another text"):
        imported("T1\tГ.упр 0 3\tКот\n", "\ufeffКот")


def test_a_code_with_a_blank_cannot_be_a_type() -> None:
    with pytest.raises(FormatError, match="holds a blank"):
        write(Markup("Раз", (Fragment(0, 3, "a b", id=1),)))
