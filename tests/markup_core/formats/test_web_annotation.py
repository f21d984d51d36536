"""W3C Web Annotation (https://www.w3.org/TR/annotation-model/): a page, bodies with purposes, both text selectors.

The shapes are those of the recommendation's examples for AnnotationPage, TextualBody with ``purpose``,
TextQuoteSelector (``exact``, ``prefix``, ``suffix``) and TextPositionSelector (``start``, ``end``); that positions are
code points says its section on the Text Quote Selector ("MUST be in terms of unicode code points").
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from markup_core.formats.corpus import Imported
from markup_core.formats.foreign import FormatError
from markup_core.formats.labels import Wanted
from markup_core.formats.web_annotation import write
from markup_core.model import Fragment, Markup
from tests.markup_core.formats import reading

TEXT = "😀 Согласно закона, e\u0301ж пришёл."
MARKUP = Markup(
    TEXT,
    (
        Fragment(2, 17, "Г.упр", "пфс", "падеж", "потому", "Согласно закону", "1", id=5),
        Fragment(0, 0, "Г.слов", comment="везде", id="b"),
    ),
    {"subject": "rus", "year": 2026, "third": False},
    {"K1": 2},
)
PAGE: dict[str, Any] = write(MARKUP)


def read(page: Any, wanted: Wanted) -> Imported:
    (imported,) = reading.read("web-annotation", page, wanted)
    return imported


def test_a_fragment_is_an_annotation_of_the_text() -> None:
    first, whole = PAGE["items"]
    assert first["type"] == "Annotation"
    assert first["body"][0] == {"type": "TextualBody", "purpose": "classifying", "value": "Г.упр"}
    assert [body["purpose"] for body in first["body"][1:]] == [
        "tagging",
        "commenting",
        "describing",
        "editing",
        "identifying",
    ]
    assert first["target"]["selector"] == [
        {"type": "TextPositionSelector", "start": 2, "end": 17},
        {"type": "TextQuoteSelector", "exact": "Согласно закона", "prefix": "😀 ", "suffix": ", e\u0301ж пришёл."},
    ]
    assert "selector" not in whole["target"]
    assert PAGE["@context"][0] == "http://www.w3.org/ns/anno.jsonld"


def test_nothing_is_lost() -> None:
    got = read(PAGE, Wanted())
    assert got.markup == MARKUP
    assert got.losses == ()


def test_what_other_tools_add_is_counted() -> None:
    page = deepcopy(PAGE)
    page["items"][0]["body"] += [{"type": "TextualBody", "purpose": "replying", "value": "x"}, {"type": "Image"}]
    got = read(page, Wanted())
    assert got.markup == MARKUP
    assert [loss.to_dict() for loss in got.losses] == [{"kind": "bodies", "count": 2}]


def test_one_body_and_one_selector_need_no_list() -> None:
    page = deepcopy(PAGE)
    item = page["items"][0]
    item["body"], item["target"]["selector"] = item["body"][0], item["target"]["selector"][0]
    assert read(page, Wanted()).markup.fragments[0] == Fragment(2, 17, "Г.упр", id=5)


def with_first(**fields: Any) -> dict[str, Any]:
    page = deepcopy(PAGE)
    page["items"][0] |= fields
    return page


def target(*selectors: dict[str, Any]) -> dict[str, Any]:
    return {"source": "x", "selector": list(selectors)}


POSITION = {"type": "TextPositionSelector", "start": 4, "end": 19}
QUOTE = {"type": "TextQuoteSelector", "exact": "Согласно закона"}


@pytest.mark.parametrize(
    ("page", "told"),
    [
        ({"items": []}, r"\$: the page does not carry its text"),
        ([], r"\$: the page does not carry"),
        ({**PAGE, "items": 5}, r"\$\.items: a list is expected"),
        (with_first(body=[]), r"\$\.items\[0\]: no body has the purpose \"classifying\""),
        (with_first(target=None), r"\$\.items\[0\]: an annotation has one target here, not 0"),
        (with_first(target=target(QUOTE)), r"selector: a TextPositionSelector is expected"),
        (with_first(target=target(POSITION, QUOTE)), r"selector\[1\]: the quotation is .* positions are Unicode"),
        (with_first(target=target({**POSITION, "end": 99})), r"selector\[0\]: the span 4, 99 does not lie"),
        (with_first(target=target({**POSITION, "type": []})), r"selector\[0\]\.type: a string"),
        (with_first(**{"mc:id": [1]}), r"mc:id: a number or a string"),
    ],
)
def test_what_is_broken_is_told_with_its_path(page: Any, told: str) -> None:
    with pytest.raises(FormatError, match=told):
        read(page, Wanted())
