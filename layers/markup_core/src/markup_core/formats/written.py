"""Writing documents in formats that hold spans and little else: what each of them loses, counted in one place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from markup_core.formats.corpus import Document, Layer, Span
from markup_core.formats.foreign import TEXTS, Loss, Tally
from markup_core.model import Markup


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
