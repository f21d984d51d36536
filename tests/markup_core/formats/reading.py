"""Read one file of another tool as ``convert`` does: recognized by nothing, gathered, its labels turned into codes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from markup_core.formats.corpus import Document, Imported, Source, markups
from markup_core.formats.foreign import Loss, Wanted
from markup_core.formats.gathering import FORMATS, documents, gathered, recognized


def source(name: str, content: Any, beside: Mapping[str, str] | None = None) -> Source:
    """Return a file of a text, of bytes, or of a JSON value."""
    if not isinstance(content, bytes):
        content = (content if isinstance(content, str) else json.dumps(content)).encode("utf-8", "surrogatepass")
    neighbours = {key: value.encode() for key, value in (beside or {}).items()}
    return Source(name, content, neighbours.get)


def read(form: str, content: Any, wanted: Wanted, beside: Mapping[str, str] | None = None) -> list[Imported]:
    """Return the markups of one file, which is of the format."""
    listed = FORMATS[form]
    file = source(f"one{listed.suffixes[0]}", content, beside)
    return markups(gathered(documents(file, listed)), wanted)


def recognized_documents(form: str, name: str, content: Any, beside: Mapping[str, str] | None = None) -> list[Document]:
    """Return the documents of a file, which is recognized as one of the format."""
    file = source(name, content, beside)
    listed = recognized(file)
    assert listed is not None
    assert listed.name == form
    return list(listed.read(file))


def losses(imported: Imported) -> dict[str, int]:
    """Return the losses of a markup by kind."""
    return counts(imported.losses)


def counts(listed: tuple[Loss, ...]) -> dict[str, int]:
    """Return losses by kind."""
    return {loss.kind: loss.count for loss in listed}


def words_of(document: Document) -> list[tuple[str, str]]:
    """Return the words and labels of the only annotator."""
    (listed,) = marked(document).values()
    return listed


def marked(document: Document) -> dict[str, list[tuple[str, str]]]:
    """Return the words and labels of each annotator."""
    return {
        layer.annotator: [(document.text[span.start : span.end], span.label) for span in layer.spans]
        for layer in document.layers
    }
