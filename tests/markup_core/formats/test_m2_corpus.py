"""Corrections in M2 as annotated texts."""

from __future__ import annotations

import pytest

from markup_core.formats import m2_corpus
from markup_core.formats.foreign import FormatError
from markup_core.formats.registry import recognized
from markup_core.texts import RU, in_language
from tests.markup_core.formats.reading import counts, source

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
    file = source("a/corpus.m2", content)
    form = recognized(file)
    assert form is not None
    one, two, three = form.read(file)
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
        list(m2_corpus.read(source("a.m2", "S а\nA 0 2|||X|||б|||REQUIRED|||-NONE-|||0\n")))
    assert str(error.value) == "line 2: the span 0 2 is outside the sentence, which has 1 tokens"
    assert in_language(error.value.text, RU).startswith("строка 2: ")
