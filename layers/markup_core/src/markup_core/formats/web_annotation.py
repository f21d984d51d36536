"""W3C Web Annotation: an AnnotationPage in JSON-LD, an annotation per fragment.

The model is https://www.w3.org/TR/annotation-model/; its positions are Unicode code points, ends exclusive.
A fragment's target has a TextPositionSelector and, for readers whose text moved, a TextQuoteSelector; a full-text
fragment's target is the whole text, without a selector. Each body has a purpose of its own, so that each field is found
again. What the model has no word for (the text itself, meta, criteria, the id) stands under ``mc:``, which other tools
may ignore. So nothing is lost. Of other tools' pages the bodies of other purposes are, and they need a text with them.
"""

from __future__ import annotations

import hashlib
from types import MappingProxyType
from typing import Any, Final

from markup_core.formats.foreign import FormatError, Import, Node, Tally, Wanted, checked_span, same_words
from markup_core.model import Fragment, Markup
from markup_core.reading.recognition import ANNOTATION_CONTEXT
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
    return [
        {"type": "TextPositionSelector", "start": start, "end": end},
        {
            "type": "TextQuoteSelector",
            "exact": text[start:end],
            "prefix": text[max(start - _AROUND, 0) : start],
            "suffix": text[end : end + _AROUND],
        },
    ]


def read(page: Any, vocabulary: Wanted) -> Import:
    """Read the markup of an AnnotationPage as :func:`write` makes it. Raises FormatError with the JSON path."""
    root = Node(page)
    if not root.has("mc:text"):
        message = tr("the page does not carry its text (mc:text); only pages written by markup-core can be read")
        raise FormatError(message, root.path)
    text = root.child("mc:text").text()
    meta = root.child("mc:meta").object() if root.has("mc:meta") else {}
    criteria = root.child("mc:criteria").object() if root.has("mc:criteria") else {}
    labels = vocabulary.labels(meta.get("subject"))
    tally = Tally()
    candidates = []
    for number, item in enumerate(root.child("items").items(), start=1):
        label, texts = _bodies(item, tally)
        ident = item.child("mc:id").value if item.has("mc:id") else number
        if isinstance(ident, bool) or not isinstance(ident, int | str):
            message = tr("a number or a string is expected, not {ident}", ident=short(ident))
            raise item.child("mc:id").error(message)
        candidates.append(labels.fragment(label, _span(item.child("target"), text), texts, ident, item.path, tally))
    labels.check()
    fragments = tuple(fragment for fragment in candidates if fragment is not None)
    full_meta = {**meta, "subject": labels.subject}
    return Import(Markup(text, fragments, MappingProxyType(full_meta), MappingProxyType(criteria)), tally.losses())


def _bodies(item: Node, tally: Tally) -> tuple[str, dict[str, str]]:
    """Return the label and the texts in the bodies of an annotation."""
    texts: dict[str, str] = {}
    for body in item.child("body").one_or_more():
        purpose = body.object().get("purpose")
        if purpose not in (_CODE, *_FIELDS) or purpose in texts:
            tally.add("bodies")
            continue
        texts[purpose] = body.child("value").text()
    if _CODE not in texts:
        raise item.error(tr('no body has the purpose "{code}", which holds the code', code=_CODE))
    return texts.pop(_CODE), {_FIELDS[purpose]: value for purpose, value in texts.items()}


def _span(target: Node, text: str) -> tuple[int, int]:
    if not target.has("selector"):
        target.child("source").text()  # a target without selector is the whole text, but it is a target
        return 0, 0
    selectors = {selector.child("type").text(): selector for selector in target.child("selector").one_or_more()}
    position, quote = selectors.get("TextPositionSelector"), selectors.get("TextQuoteSelector")
    if position is None:
        message = tr("a TextPositionSelector is expected")
        raise target.child("selector").error(message)
    start, end = checked_span(position.child("start").whole(), position.child("end").whole(), text, position.path)
    if quote is not None and not same_words(quote.child("exact").text(), text[start:end]):
        quotation, there = quote.value["exact"], text[start:end]
        raise quote.error(
            tr(
                "the quotation is {quotation}, but the text has {there} there; positions are Unicode code points",
                quotation=short(quotation),
                there=short(there),
            )
        )
    return start, end
