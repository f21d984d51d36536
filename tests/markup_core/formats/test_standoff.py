"""brat's standoff, in the shapes of http://brat.nlplab.org/standoff.html.

From there: text-bound annotations ``T1<TAB>Location 0 5;16 23<TAB>North America`` with pieces joined by a blank;
``R1<TAB>Origin Arg1:T3 Arg2:T4``, ``*<TAB>Equiv T1 T2 T3``, ``E1<TAB>MERGE-ORG:T2 Org1:T1``, ``A1<TAB>Negation E1``,
``A2<TAB>Confidence E2 L1``, ``N1<TAB>Reference T1 Wikipedia:534366<TAB>Barack Obama``,
``#1<TAB>AnnotatorNotes T1<TAB>…``. That brat splits a span at line ends is told in nlplab/brat, issues 786 and 1042.

WebAnno TSV 3.3 in the shape of INCEpTION's user guide ("WebAnno TSV 3.3 File format").

From there: offsets are UTF-16 code units; ``#Text=`` once for each line of a sentence, ``\r`` escaped; ``_`` for no
annotation, ``*`` for one without a value; ``[N]`` for annotations of several tokens and stacked ones; sub-tokens
(``1-3.1``), also of no length; chains, relations and slots in columns of their own.

UIMA CAS JSON 0.4 in the shape that INCEpTION exports.

The keys are those of apache/uima-uimaj-io-jsoncas (README.md, SPECIFICATION.adoc: %TYPES, %FEATURE_STRUCTURES, %VIEWS,
%ID, %TYPE, @sofa, sofaString, %SOFA, %MEMBERS, ``^`` for anchors); that offsets are UTF-16 code units says its commit
7334ae5 of 23 February 2024 ("clarify UTF-16 code units as the offset counting strategy"), and dkpro-cassis' json.py
converts them so ("Map from offsets in UIMA UTF-16 based offsets to Unicode codepoints"). There, too: the structures may
be an object by ids, and Java may write the sofa after what refers to it. The types are DKPro Core's and WebAnno's.

TEI P5 with simple stand-off annotation.
"""

from __future__ import annotations

import json
import subprocess
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from markup_core.comparable import fold
from markup_core.formats.corpus import Document, Imported
from markup_core.formats.foreign import STORED, FormatError, Wanted, directed, type_names
from markup_core.formats.standoff import configuration, write_brat
from markup_core.model import Fragment, Markup
from markup_core.reading.classifier import Classifier
from markup_core.texts import RU, in_language
from tests.markup_core.formats import reading
from tests.markup_core.formats.reading import counts, recognized_documents

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


@pytest.mark.parametrize(
    ("text", "lines", "lost"),
    [
        ("Раз,\r\nдва.\nТри", "T1\tG_upr 0 4;6 10\tРаз, два.\n", "carriage_returns"),
        ("\nРаз\u2028\tдва\n", "T1\tG_upr 1 4;6 9\tРаз два\n", "borders"),
    ],
)
def test_a_span_is_written_without_line_ends_and_tabs_for_brat_refuses_them(text: str, lines: str, lost: str) -> None:
    output = write_brat(Markup(text, (Fragment(0, 10, "Г.упр", id=1),), {"subject": "rus"}))
    assert output.annotations == lines
    assert counts(output.losses) == {"meta": 1, lost: 1}


def test_a_full_text_fragment_is_an_attribute_of_a_span_over_everything() -> None:
    markup = Markup("Раз.", (Fragment(0, 0, "С.тема", comment="нет темы", id=7),), {"subject": "lit"})
    output = write_brat(markup)
    assert output.annotations == "T7\tS_tema 0 4\tРаз.\nA1\tFullText T7\n#1\tAnnotatorNotes T7\tнет темы\n"
    assert read(output.text, output.annotations, Wanted(subject="lit")).markup == markup


def test_ids_that_brat_cannot_hold_become_numbers() -> None:
    fragments = tuple(Fragment(0, 1, "Г.упр", id=ident) for ident in (1, "a", 3))
    output = write_brat(Markup("Раз", fragments, {"subject": "rus"}))
    assert [line.split("\t")[0] for line in output.annotations.splitlines()] == ["T1", "T2", "T3"]
    assert counts(output.losses) == {"meta": 1, "ids": 1}


def test_notes_may_stand_before_two_are_joined_and_lines_may_end_with_crlf() -> None:
    ann = "#1\tAnnotatorNotes T1\tраз\r\n\r\nT1\tГ.упр 0 3\tКот\r\n#2\tAnnotatorNotes T1\tдва\r\n"
    assert imported(ann).markup.fragments == (Fragment(0, 3, "Г.упр", comment="раз\nдва", id=1),)


@pytest.mark.parametrize(
    ("ann", "place", "told"),
    [
        ("T1\tГ.упр 0 3\tКот\nчто это\n", "line 2", "no line of brat"),
        ("T1 Г.упр 0 3 Кот\n", "line 1", "T1<TAB>type"),
        ("T1\tГ.упр 0 3;x\tКот\n", "line 1", "T1<TAB>type"),
        ("T1\t_____ 0 3\tКот\n", "line 1", "export the texts again"),  # what brat made of a Cyrillic type
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
        output = write_brat(markup, own)
        assert read(output.text, output.annotations, Wanted(own, "x")).markup == markup


def test_own_labels_are_written_in_the_place_of_our_names_and_read_again() -> None:
    markup = Markup("Раз", (Fragment(0, 3, "Г.упр", id=1),), {"subject": "rus"})
    for codes in ({"Government": "Г.упр", "Other": "Г.упр", "PER": None}, {"Г.упр": "Government"}):
        labels = directed(codes, Classifier.default())
        output = write_brat(markup, codes=labels)
        assert output.annotations == "T1\tGovernment 0 3\tРаз\n"
        assert read(output.text, output.annotations, Wanted(subject="rus", codes=labels)).markup == markup


@pytest.mark.parametrize(
    ("codes", "told"),
    [({"Упр": "Г.упр"}, "brat stores types of a-zA-Z0-9_- alone"), ({"G_slov": "Г.упр"}, "both be of the type G_slov")],
)
def test_labels_that_brat_would_mix_up_are_refused(codes: dict[str, str | None], told: str) -> None:
    with pytest.raises(FormatError, match=told):
        write_brat(Markup("Раз", (), {"subject": "rus"}), codes=codes)


def test_a_code_that_the_classifier_does_not_know_has_no_type() -> None:
    with pytest.raises(FormatError, match="does not know the code"):
        write_brat(Markup("Раз", (Fragment(0, 3, "a b", id=1),)))


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
    output = write_brat(markup)
    (tmp_path / "one.txt").write_text(output.text, "utf-8")
    (tmp_path / "one.ann").write_text(output.annotations, "utf-8")
    for name, content in configuration(classifier, classifier.subjects, type_names(classifier)).items():
        (tmp_path / name).write_text(content, "utf-8")
    done = subprocess.run([BRAT, "-I", READER, tmp_path, "one"], capture_output=True, check=True, timeout=60)
    answer = json.loads(done.stdout)
    types = [type_names(classifier)[fold(code)] for code in listed]
    assert answer["types"] == types
    assert answer["labels"] == {name: [code] for name, code in zip(types, listed, strict=True)}
    (document,) = answer["documents"].values()
    assert sorted(each[0] for each in document["spans"]) == sorted(types)
    assert ["G_sogl", [[10, 11], [12, 21]], f"{TEXT[10]} {TEXT[12:21]}"] in document["spans"]
    assert document["comments"] == [["T2", "AnnotatorNotes", "не туда"]]
    assert document["attributes"] == [["T3", "FullText"]]
    assert document["failed"] == []


TSV_TEXT = "Кот 😀 пошёл\r\nв е\u0301ж.\nОн купил."
TSV = (
    "#FORMAT=WebAnno TSV 3.3\n"
    "#T_SP=webanno.custom.Error|Comment|code\n"
    "#T_SP=de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type.pos.POS|PosValue\n"
    "#T_SP=webanno.custom.Host|ROLE_webanno.custom.Host:links_webanno.custom.Link|webanno.custom.Error\n"
    "#T_SP=webanno.custom.Plain|\n"
    "#T_RL=webanno.custom.Rel|label|BT_webanno.custom.Error\n"
    "\n"
    "\n"
    "#Text=Кот 😀 пошёл\\r\n"
    "#Text=в е\u0301ж.\n"
    "1-1\t0-3\tКот\t_\t_\tNOUN\t_\t_\t_\t_\t_\t\n"
    "1-2\t4-6\t😀\t*\tГ.слов\t_\t_\t_\t_\t_\t_\t\n"
    "1-3\t7-12\tпошёл\tне \\_туда\\_[1]|*[2]\tГ.упр[1]|Г.слов[2]\t_\t_\t_\t_\t_\t_\t\n"
    "1-4\t14-15\tв\tне \\_туда\\_[1]\tГ.упр[1]\t_\t_\t_\t_\tx\t1-2\t\n"
    "1-5\t16-19\tе\u0301ж\t_\t_\t_\t_\t_\t_\t_\t_\t\n"
    "1-5.1\t16-17\tе\t*\t*\t_\t_\t_\t_\t_\t_\t\n"
    "1-6\t19-20\t.\t_\t_\t_\t_\t_\t_\t_\t_\t\n"
    "1-6.1\t20-20\t\t*\tГ.упр\t_\t_\t_\t_\t_\t_\t\n"
    "\n"
    "#Text=Он купил.\n"
    "2-1\t21-23\tОн\t_\t_\t_\ts\t1-2\t_\t_\t_\t\n"
    "2-2\t24-29\tкупил\t_\t_\t_\t_\t_\t*\t_\t_\t\n"
    "2-3\t29-30\t.\t_\t_\t_\t_\t_\t_\t_\t_\t\n"
)
TSV_LABELS = Wanted(subject="rus", codes={"Error": "Г.сказ", "Host": "Г.сказ", "Plain": "Г.сказ"})


def read_tsv(tsv: str) -> Imported:
    (imported,) = reading.read("webanno-tsv", tsv, TSV_LABELS)
    return imported


@pytest.mark.parametrize("content", [TSV, "\ufeff" + TSV, TSV.replace("\n", "\r\n")], ids=["", "mark", "crlf"])
def test_a_document_of_webanno(content: str) -> None:
    got = read_tsv(content)
    assert got.markup.text == TSV_TEXT
    assert [
        (TSV_TEXT[fragment.start : fragment.end], fragment.code, fragment.comment) for fragment in got.markup.fragments
    ] == [
        ("😀", "Г.слов", ""),
        ("пошёл\r\nв", "Г.упр", "не _туда_"),
        ("пошёл", "Г.слов", ""),
        ("е", "Г.сказ", ""),
        ("Он", "Г.сказ", ""),
        ("купил", "Г.сказ", ""),
    ]
    assert got.markup.fragments[0] == Fragment(4, 5, "Г.слов", id=2)
    assert reading.losses(got) == {"relations": 1, "empty": 1, "layers": 1, "features": 1}


@pytest.mark.parametrize(
    ("tsv", "message"),
    [
        (TSV + "что это\n", r"line 24: this is no line of WebAnno TSV"),
        (TSV.replace("4-6", "4-5"), r"line 12: the span begins or ends outside the text or inside a character"),
        (TSV.replace("24-29\tкупил", "24-29\tкупит"), "line 22: the token is .*UTF-16"),
        (TSV.replace("21-23", "999999999-999999999"), "at most 4000000 characters"),
        (TSV.replace("\tГ.упр[1]", "\tНет[1]"), r"one\.tsv: line 13: the label \"Нет\" is no code"),
    ],
    ids=["line", "half", "words", "far", "label"],
)
def test_what_is_broken_is_told_with_its_line(tsv: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read_tsv(tsv)


CAS_TEXT = "😀 Согласно закона, e\u0301ж 👨🏻‍🚒 пришёл."
DKPRO = "de.tudarmstadt.ukp.dkpro.core.api."
CAS: dict[str, Any] = {
    "%TYPES": {
        "webanno.custom.Error": {
            "%NAME": "webanno.custom.Error",
            "%SUPER_TYPE": "uima.tcas.Annotation",
            "code": {"%NAME": "code", "%RANGE": "uima.cas.String"},
        }
    },
    "%FEATURE_STRUCTURES": [
        {"%ID": 2, "%TYPE": "uima.tcas.DocumentAnnotation", "@sofa": 1, "begin": 0, "end": 36, "language": "ru"},
        {"%ID": 3, "%TYPE": f"{DKPRO}metadata.type.DocumentMetaData", "@sofa": 1, "documentTitle": "a.txt"},
        {"%ID": 4, "%TYPE": f"{DKPRO}segmentation.type.Token", "@sofa": 1, "begin": 0, "end": 2, "order": 0},
        {"%ID": 5, "%TYPE": f"{DKPRO}lexmorph.type.pos.POS", "@sofa": 1, "begin": 0, "end": 2, "PosValue": "X"},
        {"%ID": 6, "%TYPE": "webanno.custom.Error", "@sofa": 1, "begin": 3, "end": 18, "code": "Г.упр",
         "Comment": "падеж", "correction": "Согласно закону", "weight": 2, "subtype": None},
        {"%ID": 7, "%TYPE": f"{DKPRO}ner.type.NamedEntity", "@sofa": 1, "begin": 32, "end": 38, "value": "PER",
         "identifier": "http://www.wikidata.org/entity/Q1"},
        {"%ID": 8, "%TYPE": "webanno.custom.Relation", "@sofa": 1, "begin": 32, "end": 38, "@Governor": 6,
         "@Dependent": 7, "label": "r"},
        {"%ID": 9, "%TYPE": "webanno.custom.Whole", "@sofa": 1, "label": "Л.логика"},
        {"%ID": 10, "%TYPE": "uima.cas.Sofa", "sofaNum": 2, "sofaID": "other", "mimeType": "text", "sofaString": "x"},
        {"%ID": 11, "%TYPE": "webanno.custom.Error", "@sofa": 10, "begin": 0, "end": 1, "code": "никто не читает"},
        {"%ID": 12, "%TYPE": "uima.cas.FSArray", "%ELEMENTS": [6, 7]},
        {"%ID": 13, "%TYPE": "webanno.custom.Error", "@sofa": 1, "begin": 0, "end": 2, "code": "deleted"},
        {"%ID": 1, "%TYPE": "uima.cas.Sofa", "sofaNum": 1, "sofaID": "_InitialView", "mimeType": "text",
         "sofaString": CAS_TEXT},
    ],
    "%VIEWS": {"_InitialView": {"%SOFA": 1, "%MEMBERS": [2, 3, 4, 5, 6, 7, 8, 9]}},
}  # fmt: skip
CAS_LABELS = Wanted(subject="rus-free", codes={"PER": "Р.повтор", "Л.логика": "Г.слов"})


def read_cas(cas: Any, wanted: Wanted) -> Imported:
    (imported,) = reading.read("cas-json", cas, wanted)
    return imported


@pytest.mark.parametrize("by_id", [False, True])
@pytest.mark.parametrize("anchored", [False, True])
def test_a_document_of_inception(by_id: bool, anchored: bool) -> None:
    cas = deepcopy(CAS)
    structures = cas["%FEATURE_STRUCTURES"]
    if anchored:
        for structure in structures:
            for name in ("begin", "end"):
                if name in structure:
                    structure[f"^{name}"] = structure.pop(name)
    if by_id:
        cas["%FEATURE_STRUCTURES"] = {str(structure.pop("%ID")): structure for structure in structures}
    got = read_cas(cas, CAS_LABELS)
    assert got.markup.text == CAS_TEXT
    error, person, whole = got.markup.fragments
    assert error == Fragment(2, 17, "Г.упр", comment="падеж", correction="Согласно закону", id=6)
    assert CAS_TEXT[error.start : error.end] == "Согласно закона"
    assert CAS_TEXT[person.start : person.end] == "пришёл"
    assert (person.code, whole.is_full_text, whole.id) == ("Р.повтор", True, 9)
    assert reading.losses(got) == {
        "relations": 1,
        "layers": 1,
        "features": 2,
        "views": 1,
    }


def broken(place: int, **fields: Any) -> dict[str, Any]:
    cas = deepcopy(CAS)
    cas["%FEATURE_STRUCTURES"][place] |= fields
    return cas


def test_without_views_every_annotation_counts() -> None:
    cas = {"%FEATURE_STRUCTURES": [CAS["%FEATURE_STRUCTURES"][place] for place in (4, 12)]}
    assert [each.id for each in read_cas(cas, CAS_LABELS).markup.fragments] == [6]


@pytest.mark.parametrize(
    ("cas", "told"),
    [
        ({}, r"\$\.%FEATURE_STRUCTURES: a list is expected"),
        ({"%FEATURE_STRUCTURES": []}, "which holds the text"),
        ({**CAS, "%VIEWS": {"_InitialView": {"%MEMBERS": ["6"]}}}, r"\$\.%VIEWS\._InitialView\.%MEMBERS\[0\]: a whole"),
        (broken(4, begin=1), r"\$\.%FEATURE_STRUCTURES\[4\]: the span begins or ends outside the text or inside"),
        (broken(4, end=999), r"\$\.%FEATURE_STRUCTURES\[4\]: .*outside the text"),
        (broken(4, end=None), r"\[4\]: an annotation has both"),
        (broken(4, begin="3"), r"\[4\]\.begin: a whole number is expected"),
        (broken(4, code=None), r"\[4\]: the label \"Error\" is no code"),
        (broken(4, code=5), r"\[4\]\.code: a string is expected"),
        (broken(4, code="нет"), r"\[4\]: the label \"нет\" is no code"),
        (broken(4, **{"%TYPE": 1}), r"\[4\]\.%TYPE: a string"),
        (broken(12, sofaString=None), r"\[12\]\.sofaString: a string"),
    ],
)
def test_what_is_broken_is_told_with_its_path(cas: Any, told: str) -> None:
    with pytest.raises(FormatError, match=told):
        read_cas(cas, CAS_LABELS)


NAMESPACE = 'xmlns="http://www.tei-c.org/ns/1.0"'


def read_tei(body: str, behind: str = "") -> Document:
    content = f"<TEI {NAMESPACE}><teiHeader/><text><body>\n  {body}\n</body></text>{behind}</TEI>"
    (document,) = recognized_documents("tei", "one.xml", content)
    return document


def marked(document: Document) -> dict[str, list[tuple[Any, ...]]]:
    return {
        layer.annotator: [(document.text[one.start : one.end], one.label, dict(one.texts)) for one in layer.spans]
        for layer in document.layers
    }


def test_anchors_ranges_categories_and_annotators() -> None:
    document = read_tei(
        '<p xml:id="p">Ёж 😀 и <anchor xml:id="a"/>Кафе\u0301<anchor xml:id="b"/> &amp; <persName>кот</persName></p>',
        '<standOff><spanGrp type="NER" resp="#anna"><span from="#a" to="#b">LOC</span>'
        '<span target="#string-range(p,0,2)" ana="#c">да</span><span target="#xpath(//p)">Q</span></spanGrp>'
        '<interp xml:id="c">PER</interp><interp inst="#string-range(p, 3, 1)" type="EMO"/>'
        '<span from="#a" to="#a">E</span></standOff>',
    )
    assert (document.name, document.text) == ("one", "Ёж 😀 и Кафе\u0301 & кот")
    assert marked(document) == {
        "anna": [("Кафе\u0301", "LOC", {}), ("Ёж", "PER", {"comment": "да"})],
        "": [("😀", "EMO", {})],
    }
    assert counts(document.losses) == {"empty": 1, "pointers": 1, "elements": 1}


def test_words_apart_are_one_span_with_its_gap_told() -> None:
    words = '<p><w xml:id="w1">Иван</w> <w xml:id="w2">и</w> <w xml:id="w3">кот</w></p>'
    document = read_tei(
        words, '<standOff><spanGrp type="NE"><span target="#w1 #w3"/><span target="#w1 #w2"/></spanGrp></standOff>'
    )
    assert marked(document) == {"": [("Иван и кот", "NE", {}), ("Иван и", "NE", {})]}
    assert counts(document.losses) == {"gaps": 1}


def test_names_in_the_text_are_spans_where_nothing_stands_off() -> None:
    document = read_tei(
        '<p><persName>Иван</persName> <rs type="animal" resp="#eva">кот</rs><!-- нет --> <seg>а</seg></p>'
    )
    assert document.text == "Иван кот а"
    assert marked(document) == {"": [("Иван", "persName", {})], "eva": [("кот", "animal", {})]}
    assert marked(read_tei("<p>Кот</p>")) == {"": []}


def test_a_corpus_has_a_document_for_each_text() -> None:
    texts = "".join(f'<TEI xml:id="t{number}"><text><p>Кот\r\n{number}</p></text></TEI>' for number in (1, 2))
    listed = recognized_documents("tei", "a/all.xml", f"\ufeff<teiCorpus {NAMESPACE}>{texts}</teiCorpus>")
    assert [(one.name, one.text) for one in listed] == [("a/t1", "Кот\n1"), ("a/t2", "Кот\n2")]


@pytest.mark.parametrize(
    ("behind", "message"),
    [
        (
            '<standOff><span target="#string-range(p,1,3)">A</span></standOff>',
            '"#string-range(p,1,3)" ends behind the element',
        ),
        ('<standOff><span from="#q">A</span></standOff>', '"#q" points to no element of the text'),
        ('<standOff><span from="#p"/></standOff>', 'the annotation of "#p" has no label'),
        ("<p>", "line 3, column 20: the XML cannot be read: an end tag belongs to another element"),
    ],
)
def test_what_cannot_be_read_is_told(behind: str, message: str) -> None:
    with pytest.raises(FormatError) as error:
        read_tei('<p xml:id="p">Кот</p>', behind)
    assert str(error.value).startswith(message)
    assert in_language(error.value.text, RU) != str(error.value)
