"""TEI P5 with simple stand-off annotation."""

from __future__ import annotations

from typing import Any

import pytest

from markup_core.formats.corpus import Document
from markup_core.formats.foreign import FormatError
from markup_core.formats.registry import recognized
from markup_core.texts import RU, in_language
from tests.markup_core.formats.reading import counts, source

NAMESPACE = 'xmlns="http://www.tei-c.org/ns/1.0"'


def read(body: str, behind: str = "") -> Document:
    content = f"<TEI {NAMESPACE}><teiHeader/><text><body>\n  {body}\n</body></text>{behind}</TEI>"
    file = source("one.xml", content)
    form = recognized(file)
    assert form is not None
    assert form.name == "tei"
    (document,) = form.read(file)
    return document


def marked(document: Document) -> dict[str, list[tuple[Any, ...]]]:
    return {
        layer.annotator: [(document.text[one.start : one.end], one.label, dict(one.texts)) for one in layer.spans]
        for layer in document.layers
    }


def test_anchors_ranges_categories_and_annotators() -> None:
    document = read(
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
    document = read(
        words, '<standOff><spanGrp type="NE"><span target="#w1 #w3"/><span target="#w1 #w2"/></spanGrp></standOff>'
    )
    assert marked(document) == {"": [("Иван и кот", "NE", {}), ("Иван и", "NE", {})]}
    assert counts(document.losses) == {"gaps": 1}


def test_names_in_the_text_are_spans_where_nothing_stands_off() -> None:
    document = read('<p><persName>Иван</persName> <rs type="animal" resp="#eva">кот</rs><!-- нет --> <seg>а</seg></p>')
    assert document.text == "Иван кот а"
    assert marked(document) == {"": [("Иван", "persName", {})], "eva": [("кот", "animal", {})]}
    assert marked(read("<p>Кот</p>")) == {"": []}


def test_a_corpus_has_a_document_for_each_text() -> None:
    texts = "".join(f'<TEI xml:id="t{number}"><text><p>Кот\r\n{number}</p></text></TEI>' for number in (1, 2))
    file = source("a/all.xml", f"\ufeff<teiCorpus {NAMESPACE}>{texts}</teiCorpus>")
    form = recognized(file)
    assert form is not None
    assert [(one.name, one.text) for one in form.read(file)] == [("a/t1", "Кот\n1"), ("a/t2", "Кот\n2")]


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
        read('<p xml:id="p">Кот</p>', behind)
    assert str(error.value).startswith(message)
    assert in_language(error.value.text, RU) != str(error.value)
