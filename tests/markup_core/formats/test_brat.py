r"""brat's standoff, in the shapes of http://brat.nlplab.org/standoff.html.

From there: text-bound annotations ``T1<TAB>Location 0 5;16 23<TAB>North America`` with pieces joined by a blank;
``R1<TAB>Origin Arg1:T3 Arg2:T4``, ``*<TAB>Equiv T1 T2 T3``, ``E1<TAB>MERGE-ORG:T2 Org1:T1``, ``A1<TAB>Negation E1``,
``A2<TAB>Confidence E2 L1``, ``N1<TAB>Reference T1 Wikipedia:534366<TAB>Barack Obama``,
``#1<TAB>AnnotatorNotes T1<TAB>…``. That brat splits a span at line ends is told in nlplab/brat, issues 786 and 1042.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from markup_core.codes import fold
from markup_core.formats.brat import configuration, write
from markup_core.formats.corpus import Imported
from markup_core.formats.foreign import FormatError
from markup_core.formats.labels import STORED, Wanted, directed, type_names
from markup_core.model import Fragment, Markup
from markup_core.reading.classifier import Classifier
from tests.markup_core.formats import reading
from tests.markup_core.formats.reading import counts

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


def read(text: str, ann: str, wanted: Wanted) -> Imported:
    (imported,) = reading.read("brat", ann, wanted, {"one.txt": text})
    return imported


def imported(ann: str, text: str = TEXT) -> Imported:
    return read(text, ann, RUS)


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
    assert written.annotations == "T1\tG_upr 0 4;6 10\tРаз, два.\n"
    assert counts(written.losses) == {"meta": 1, "carriage_returns": 1}


def test_line_ends_and_tabs_are_in_no_piece_for_brat_refuses_them() -> None:
    written = write(Markup("\nРаз\u2028\tдва\n", (Fragment(0, 9, "Г.упр", id=1),), {"subject": "rus"}))
    assert written.annotations == "T1\tG_upr 1 4;6 9\tРаз два\n"
    assert counts(written.losses) == {"meta": 1, "borders": 1}


def test_a_full_text_fragment_is_an_attribute_of_a_span_over_everything() -> None:
    markup = Markup("Раз.", (Fragment(0, 0, "С.тема", comment="нет темы", id=7),), {"subject": "lit"})
    written = write(markup)
    assert written.annotations == "T7\tS_tema 0 4\tРаз.\nA1\tFullText T7\n#1\tAnnotatorNotes T7\tнет темы\n"
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
    assert str(caught.value).removeprefix("one.ann: ").startswith(place)
    assert told in str(caught.value)


def test_a_byte_order_mark_of_the_text_is_a_character() -> None:
    assert imported("T1\tГ.упр 1 4\tКот\n", "\ufeffКот").markup.fragments == (Fragment(1, 4, "Г.упр", id=1),)
    with pytest.raises(FormatError, match="belongs to another text"):
        imported("T1\tГ.упр 0 3\tКот\n", "\ufeffКот")


def test_every_code_has_a_type_of_its_own_that_brat_stores_as_it_is() -> None:
    names = type_names(Classifier.default())
    assert len(names) == len({name.casefold() for name in names.values()}) == 142
    assert all(STORED.fullmatch(name) for name in names.values())
    assert (names["г.упр"], names["роль"], names["пояснение"]) == ("G_upr", "ROL", "POYASNENIE")


def test_codes_that_come_to_one_name_are_told_apart_and_storable_ones_stay() -> None:
    codes = ["Г.упр", "G_upr", "Г/упр", "語", "é", "a b"]
    own = Classifier.from_dict({"subjects": {"x": [{"code": code, "group": "error"} for code in codes]}})
    assert list(type_names(own).values()) == ["G_upr", "G_upr_2", "G_upr_3", "code", "e", "a_b"]
    for code in codes:
        markup = Markup("Раз", (Fragment(0, 3, code, id=1),), {"subject": "x"})
        written = write(markup, own)
        assert read(written.text, written.annotations, Wanted(own, "x")).markup == markup


def test_own_labels_are_written_in_the_place_of_our_names_and_read_again() -> None:
    markup = Markup("Раз", (Fragment(0, 3, "Г.упр", id=1),), {"subject": "rus"})
    for codes in ({"Government": "Г.упр", "Other": "Г.упр", "PER": None}, {"Г.упр": "Government"}):
        labels = directed(codes, Classifier.default())
        written = write(markup, codes=labels)
        assert written.annotations == "T1\tGovernment 0 3\tРаз\n"
        assert read(written.text, written.annotations, Wanted(subject="rus", codes=labels)).markup == markup


@pytest.mark.parametrize(
    ("codes", "told"),
    [({"Упр": "Г.упр"}, "brat stores types of a-zA-Z0-9_- alone"), ({"G_slov": "Г.упр"}, "both be of the type G_slov")],
)
def test_labels_that_brat_would_mix_up_are_refused(codes: dict[str, str | None], told: str) -> None:
    with pytest.raises(FormatError, match=told):
        write(Markup("Раз", (), {"subject": "rus"}), codes=codes)


def test_a_code_that_the_classifier_does_not_know_has_no_type() -> None:
    with pytest.raises(FormatError, match="does not know the code"):
        write(Markup("Раз", (Fragment(0, 3, "a b", id=1),)))


def test_what_brat_made_of_a_cyrillic_type_is_told_as_such() -> None:
    with pytest.raises(FormatError, match="export the texts again"):
        imported("T1\t_____ 0 3\tКот\n")


READER = Path(__file__).resolve().parents[3] / "tests" / "brat_reader" / "reader.py"
BRAT = READER.parents[2] / "build" / "brat_reader" / "bin" / "python"


@pytest.mark.skipif(not BRAT.exists(), reason="needs bratiaa in build/brat_reader (make test installs it)")
def test_brats_own_reader_knows_every_type_shows_its_code_and_reads_our_annotations(tmp_path: Path) -> None:
    """The reader is bratsubset of bratiaa, which is brat's own code; all codes of all subjects are in the project."""
    classifier = Classifier.default()
    listed = {each.code: each for subject in classifier.subjects for each in classifier.codes(subject)}
    fragments = [Fragment(0, 3, code, id=number) for number, code in enumerate(listed, 1)]
    fragments[1] = fragments[1]._replace(start=10, end=21, comment="не туда")
    fragments[2] = fragments[2]._replace(start=0, end=0)
    markup = Markup(TEXT, tuple(fragments), {"subject": "rus"})
    written = write(markup)
    (tmp_path / "one.txt").write_text(written.text, "utf-8")
    (tmp_path / "one.ann").write_text(written.annotations, "utf-8")
    for name, content in configuration(classifier, classifier.subjects, type_names(classifier)).items():
        (tmp_path / name).write_text(content, "utf-8")
    done = subprocess.run([BRAT, "-I", READER, tmp_path, "one"], capture_output=True, check=True, timeout=60)
    known = json.loads(done.stdout)
    types = [type_names(classifier)[fold(code)] for code in listed]
    assert known["types"] == types
    assert known["labels"] == {name: [code] for name, code in zip(types, listed, strict=True)}
    (document,) = known["documents"].values()
    assert sorted(each[0] for each in document["spans"]) == sorted(types)
    assert ["G_sogl", [[10, 11], [12, 21]], f"{TEXT[10]} {TEXT[12:21]}"] in document["spans"]
    assert document["comments"] == [["T2", "AnnotatorNotes", "не туда"]]
    assert document["attributes"] == [["T3", "FullText"]]
    assert document["failed"] == []
