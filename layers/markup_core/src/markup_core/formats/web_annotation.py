"""W3C Web Annotation: an AnnotationPage in JSON-LD, an annotation per fragment.

The model is https://www.w3.org/TR/annotation-model/; its positions are Unicode code points, ends exclusive.
A fragment's target has a TextPositionSelector and, for readers whose text moved, a TextQuoteSelector, its context left
out where the text begins or ends: an empty one sends other readers elsewhere. A full-text fragment's target is the
whole text, without a selector. Each body has a purpose of its own, so that each field is found again. What the model
has no word for (the text itself, meta, criteria, the id) stands under ``mc:``, which other tools may ignore. So nothing
is lost.

Of other tools' pages, or lists of annotations, the text is ``mc:text`` or stands in a ``.txt`` beside them; annotations
are layers of their ``creator``. Without a body for the code a tag is the label; bodies of other purposes are lost.
Programs in JavaScript write positions in UTF-16 code units: so the quotation decides.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any, Final

from markup_core.formats.corpus import Document, Layer, Offsets, Source, Span, decoded, quoted_span
from markup_core.formats.foreign import Node, Tally, checked_span
from markup_core.model import Fragment, Markup
from markup_core.reading.recognition import ANNOTATION_CONTEXT, is_web_annotation
from markup_core.reading.wire import short
from markup_core.texts import tr

_TERMS: Final = {
    "@version": 1.1,
    "mc": "urn:x-markup-core:",
    "mc:meta": {"@id": "mc:meta", "@type": "@json"},
    "mc:criteria": {"@id": "mc:criteria", "@type": "@json"},
}
_AROUND: Final = 32
"""Characters of context on either side of a quotation."""

_CODE: Final = "classifying"
_PURPOSES: Final = {
    "subtype": "tagging",
    "comment": "commenting",
    "explanation": "describing",
    "correction": "editing",
    "tag": "identifying",
}
_FIELDS: Final = {purpose: name for name, purpose in _PURPOSES.items()}


def write(markup: Markup) -> dict[str, Any]:
    """Write a valid markup as an AnnotationPage; the same markup gives the same page."""
    source = f"urn:x-markup-core:text:{hashlib.sha256(markup.text.encode()).hexdigest()}"
    return {
        "@context": [ANNOTATION_CONTEXT, _TERMS],
        "id": f"{source}:annotations",
        "type": "AnnotationPage",
        "mc:meta": dict(markup.meta),
        "mc:criteria": dict(markup.criteria),
        "mc:text": markup.text,
        "items": [
            _annotation(markup.text, source, k, fragment) for k, fragment in enumerate(markup.fragments, start=1)
        ],
    }


def _annotation(text: str, source: str, number: int, fragment: Fragment) -> dict[str, Any]:
    bodies = {_CODE: fragment.code} | {purpose: getattr(fragment, name) for name, purpose in _PURPOSES.items()}
    return {
        "id": f"{source}:annotation:{number}",
        "type": "Annotation",
        "mc:id": fragment.id,
        "body": [
            {"type": "TextualBody", "purpose": purpose, "value": value} for purpose, value in bodies.items() if value
        ],
        "target": {"source": source} | ({} if fragment.is_full_text else {"selector": _selectors(text, fragment)}),
    }


def _selectors(text: str, fragment: Fragment) -> list[dict[str, Any]]:
    start, end = fragment.start, fragment.end
    around = {"prefix": text[max(start - _AROUND, 0) : start], "suffix": text[end : end + _AROUND]}
    return [
        {"type": "TextPositionSelector", "start": start, "end": end},
        {"type": "TextQuoteSelector", "exact": text[start:end]} | {name: part for name, part in around.items() if part},
    ]


def looks_like(source: Source) -> bool:
    """Return whether a file is a page or a list of annotations."""
    value = source.value
    return is_web_annotation(value[0] if isinstance(value, list) and value else value)


def read(source: Source) -> Iterator[Document]:
    """Read the document of a page. Raises FormatError with the JSON path."""
    beside = source.beside(f"{PurePosixPath(source.name).stem}.txt")
    yield document(source.stem, source.json(), None if beside is None else decoded(beside))


def document(name: str, page: Any, beside: str | None = None) -> Document:
    """Return the document of a page's value; ``beside`` is its text, where the page does not carry it."""
    root = Node(page)
    if beside is None and not root.has("mc:text"):
        raise root.error(tr("the page does not carry its text (mc:text), and no file .txt with it stands beside it"))
    text = root.child("mc:text").text() if root.has("mc:text") else beside or ""
    meta = root.child("mc:meta").object() if root.has("mc:meta") else {}
    criteria = root.child("mc:criteria").object() if root.has("mc:criteria") else {}
    units = Offsets(text, "utf16")
    spans: dict[str, list[Span]] = {}
    tallies: dict[str, Tally] = {}
    for number, item in enumerate((root if isinstance(page, list) else root.child("items")).items(), start=1):
        creator = item.child("creator").value
        if isinstance(creator, dict):
            creator = creator.get("name") or creator.get("id")
        annotator = creator if isinstance(creator, str) else ""
        label, texts = _bodies(item, tallies.setdefault(annotator, Tally()))
        ident = item.child("mc:id").value if item.has("mc:id") else number
        if isinstance(ident, bool) or not isinstance(ident, int | str):
            message = tr("a number or a string is expected, not {ident}", ident=short(ident))
            raise item.child("mc:id").error(message)
        targets = list(item.child("target").one_or_more())
        if len(targets) != 1:
            raise item.error(tr("an annotation has one target here, not {count}", count=len(targets)))
        place = _span(targets[0], text, units)
        spans.setdefault(annotator, []).append(Span(*place, label, texts, ident, item.path))
    layers = [Layer(who, tuple(listed), False, tallies[who].losses(), criteria) for who, listed in spans.items()]
    return Document(name, text, tuple(layers) or (Layer("", (), criteria=criteria),), meta)


def _bodies(item: Node, tally: Tally) -> tuple[str, dict[str, str]]:
    """Return the label and the texts in the bodies of an annotation."""
    texts: dict[str, str] = {}
    for body in item.child("body").one_or_more():
        purpose = body.object().get("purpose")
        if purpose not in (_CODE, *_FIELDS) or purpose in texts:
            tally.add("bodies")
            continue
        texts[purpose] = body.child("value").text()
    tag = _PURPOSES["subtype"]
    if _CODE not in texts and tag in texts:  # other tools tag
        texts[_CODE] = texts.pop(tag)
    if _CODE not in texts:
        raise item.error(tr('no body has the purpose "{code}", which holds the code', code=_CODE))
    return texts.pop(_CODE), {_FIELDS[purpose]: value for purpose, value in texts.items()}


def _span(target: Node, text: str, units: Offsets) -> tuple[int, int]:
    if not target.has("selector"):
        target.child("source").text()  # a target without selector is the whole text, but it is a target
        return 0, 0
    selectors = {selector.child("type").text(): selector for selector in target.child("selector").one_or_more()}
    position, quote = selectors.get("TextPositionSelector"), selectors.get("TextQuoteSelector")
    if position is None:
        message = tr("a TextPositionSelector is expected")
        raise target.child("selector").error(message)
    start, end = position.child("start").whole(), position.child("end").whole()
    if quote is None:
        return checked_span(start, end, text, position.path)
    words = quote.child("exact").text()
    if (place := quoted_span(start, end, words, text, units)) is not None:
        return place
    start, end = checked_span(start, end, text, position.path)
    raise quote.error(
        tr(
            "the quotation is {quotation}, but the text has {there} there; positions are Unicode code points",
            quotation=short(words),
            there=short(text[start:end]),
        )
    )
