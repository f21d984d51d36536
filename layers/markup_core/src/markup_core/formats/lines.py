"""JSON Lines of annotated texts, the common parts of doccano's, spaCy's and Prodigy's: lines, names, meta, writing.

Writing documents in formats that hold spans and little else: what each of them loses, counted in one place.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any, Final

from markup_core.formats.corpus import Document, Layer, Offsets, Source, Span, quoted_span
from markup_core.formats.foreign import META, TEXTS, FormatError, Loss, Node, Tally, checked_span, same_words
from markup_core.model import Markup
from markup_core.reading.wire import MalformedInput, decode, short
from markup_core.texts import tr

MOST_LINES: Final = 1_000_000
"""Texts of a file."""


def first_value(source: Source) -> Any:
    """Return the first value of JSON Lines, or the first item of a JSON list; None where there is none. Never fails."""
    head = source.head.lstrip()
    if head.startswith("[") and not _is_pairs(head):
        value = source.value
        return value[0] if isinstance(value, list) and value else None
    try:
        return decode(head.partition("\n")[0])
    except MalformedInput:
        return source.value


def nodes(source: Source) -> Iterator[Node]:
    """Yield the objects of a file: a line each, or the items of a JSON list. Raises FormatError with the place."""
    head = source.head.lstrip()
    is_list = head.startswith("[") and not _is_pairs(head)
    listed = Node(source.json()).one_or_more() if is_list else source.json_lines()
    for number, node in enumerate(listed):
        if number == MOST_LINES:
            raise node.error(tr("the file holds more than {most} texts; part it", most=MOST_LINES))
        yield node


def _is_pairs(head: str) -> bool:
    """Return whether lines are lists that begin with a text."""
    return head[1:].lstrip(" ").startswith('"')


def text_of(node: Node, *names: str) -> str:
    """Return the text of a line, the first of the fields that is there."""
    for name in names:
        if node.has(name):
            return node.child(name).text()
    raise node.error(tr("the line has no text (field {name})", name=names[0]))


class Names:
    """Names of the documents of one file: their own ids, else the file's name with a number."""

    def __init__(self, source: Source) -> None:
        self._stem = PurePosixPath(source.stem)
        self._number = 0

    def of(self, ident: object) -> str:
        """Return the name of the next document."""
        self._number += 1
        is_named = isinstance(ident, int | str) and not isinstance(ident, bool) and str(ident).strip("/. ")
        own = str(ident).replace("/", "_") if is_named else f"{self._stem.name}-{self._number:04}"
        return str(self._stem.with_name(own))


def kept_meta(fields: Mapping[str, Any], tally: Tally) -> Mapping[str, Any]:
    """Return the fields that are a markup's meta; others that hold something are told as lost."""
    meta: dict[str, Any] = {}
    for name, value in fields.items():
        number = int(value) if isinstance(value, float) and value.is_integer() else value  # pandas' way beside a null
        if name in META and isinstance(number, int | str) and not isinstance(number, bool):
            meta[name] = number
        else:
            tally.add("fields", value not in (None, "", [], {}))
    return MappingProxyType(meta)


def written_lines(values: Iterable[Any], is_ascii: bool = False) -> bytes:
    """Return values as JSON Lines, all letters but ASCII's escaped if ``is_ascii``."""
    return "".join(f"{json.dumps(value, ensure_ascii=is_ascii)}\n" for value in values).encode("utf-8", "surrogatepass")


class Places:
    """Places of spans in one text; ``is_known`` says that the tool counts code points."""

    def __init__(self, text: str, is_known: bool = False) -> None:
        self._text = text
        self._is_known = is_known or max(text, default="") <= "\uffff"

    @cached_property
    def _others(self) -> list[Offsets]:
        """UTF-16 code units and bytes, in which a place is looked for if its words do not stand there."""
        return [Offsets(self._text, "utf16"), Offsets(self._text, "bytes")]

    def of(self, start: int, end: int, words: str | None, path: str, tally: Tally) -> tuple[int, int] | None:
        """Return a place in code points, by the units that give its words; None for one of no length, which is told.

        Without words code points are taken, and that is told where UTF-16 code units would be another place. Raises
        FormatError with the words and those of the text.
        """
        if start == end:
            tally.add("empty")
            return None
        text = self._text
        if words is None:
            if not self._is_known:
                units = self._others[0]
                tally.add("offsets", (units.code_point(start), units.code_point(end)) != (start, end))
            return checked_span(start, end, text, path)
        if 0 <= start < end <= len(text) and same_words(words, text[start:end]):
            return start, end
        for units in self._others:
            if (borders := quoted_span(start, end, words, text, units)) is not None:
                return borders
        message = tr(
            "the words are {words}, but the text has {there} there, and UTF-16 code units or bytes fit no better; were "
            "the text's line ends changed?",
            words=short(words),
            there=short(text[max(start, 0) : max(end, 0)]),
        )
        raise FormatError(message, path)


@dataclass(frozen=True, slots=True)
class Written:
    """The content of a file and what it does not carry."""

    content: bytes
    losses: tuple[Loss, ...] = ()


def document(markup: Markup, name: str, annotator: str = "") -> Document:
    """Return a markup as a document of one layer."""
    spans = tuple(
        Span(
            fragment.start,
            fragment.end,
            fragment.code,
            {field: text for field in TEXTS if (text := getattr(fragment, field))},
            fragment.id,
        )
        for fragment in markup.fragments
    )
    return Document(name, markup.text, (Layer(annotator, spans, criteria=markup.criteria),), markup.meta)


def written_layers(
    documents: Iterable[Document], tally: Tally, texts: tuple[str, ...] = ()
) -> Iterator[tuple[Document, Layer, list[Span]]]:
    """Yield each layer with the spans that can be written: a whole text's over all of it, none of an empty text.

    ``texts`` are those that the format holds; others are lost.
    """
    for document in documents:
        for layer in document.layers:
            tally.add("criteria", len(layer.criteria))
            spans = []
            for span in layer.spans:
                is_whole = span.start == span.end
                tally.add("texts", sum(name not in texts for name in span.texts))
                tally.add("full_text" if not document.text else "whole", is_whole)
                if document.text:
                    end = len(document.text) if is_whole else span.end
                    spans.append(Span(span.start, end, span.label, span.texts, span.ident, span.place))
            yield document, layer, spans
