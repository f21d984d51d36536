"""UIMA CAS JSON 0.4 in the shape that INCEpTION exports.

The keys are those of apache/uima-uimaj-io-jsoncas (README.md, SPECIFICATION.adoc: %TYPES, %FEATURE_STRUCTURES, %VIEWS,
%ID, %TYPE, @sofa, sofaString, %SOFA, %MEMBERS, ``^`` for anchors); that offsets are UTF-16 code units says its commit
7334ae5 of 23 February 2024 ("clarify UTF-16 code units as the offset counting strategy"), and dkpro-cassis' json.py
converts them so ("Map from offsets in UIMA UTF-16 based offsets to Unicode codepoints"). There, too: the structures may
be an object by ids, and Java may write the sofa after what refers to it. The types are DKPro Core's and WebAnno's.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from markup_core.formats.corpus import Imported
from markup_core.formats.foreign import FormatError
from markup_core.formats.labels import Wanted
from markup_core.model import Fragment
from tests.markup_core.formats import reading

TEXT = "😀 Согласно закона, e\u0301ж 👨🏻‍🚒 пришёл."
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
         "sofaString": TEXT},
    ],
    "%VIEWS": {"_InitialView": {"%SOFA": 1, "%MEMBERS": [2, 3, 4, 5, 6, 7, 8, 9]}},
}  # fmt: skip
WANTED = Wanted(subject="rus-free", codes={"PER": "Р.повтор", "Л.логика": "Г.слов"})


def read(cas: Any, wanted: Wanted) -> Imported:
    (imported,) = reading.read("cas-json", cas, wanted)
    return imported


@pytest.mark.parametrize("by_id", [False, True])
@pytest.mark.parametrize("anchored", [False, True])
def test_a_document_of_inception(by_id: bool, anchored: bool) -> None:
    cas = deepcopy(CAS)
    structures = cas["%FEATURE_STRUCTURES"]
    if anchored:
        for each in structures:
            for name in ("begin", "end"):
                if name in each:
                    each[f"^{name}"] = each.pop(name)
    if by_id:
        cas["%FEATURE_STRUCTURES"] = {str(each.pop("%ID")): each for each in structures}
    got = read(cas, WANTED)
    assert got.markup.text == TEXT
    error, person, whole = got.markup.fragments
    assert error == Fragment(2, 17, "Г.упр", comment="падеж", correction="Согласно закону", id=6)
    assert TEXT[error.start : error.end] == "Согласно закона"
    assert TEXT[person.start : person.end] == "пришёл"
    assert (person.code, whole.is_full_text, whole.id) == ("Р.повтор", True, 9)
    assert {loss.kind: loss.count for loss in got.losses} == {
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
    assert [each.id for each in read(cas, WANTED).markup.fragments] == [6]


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
        read(cas, WANTED)
