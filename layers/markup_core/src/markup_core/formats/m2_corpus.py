"""Corrections in M2 (:mod:`markup_core.formats.m2`) as annotated texts: a unit is a document, an annotator a layer.

Spans count tokens; the text is the tokens with a blank between. A unit's name is the file's with its number. An
annotator who has no line at a unit has no layer there: M2 does not tell whether they saw it.

* The type is the label, the correction the fragment's; alternatives stay parted by ``||``.
* **Decision**: an insertion has no words of its own, so that the word before it is marked (at the unit's start the word
  behind), with that word and the insertion as its correction; this is told. In a unit without tokens it is lost.
* A deletion has an empty correction, as a correction that is not known has; this is told.
"""

from __future__ import annotations

from collections.abc import Iterator

from markup_core.formats.corpus import Document, Layer, Source, Span
from markup_core.formats.foreign import FormatError, Tally
from markup_core.formats.lines import Names
from markup_core.formats.m2 import OR, USUAL_NOTE, Edit, M2Error, Unit, alternatives, parse
from markup_core.reading.recognition import is_m2


def looks_like(source: Source) -> bool:
    """Return whether the file begins with a sentence and has edits."""
    return is_m2(source.head)


def read(source: Source) -> Iterator[Document]:
    """Yield a document for each unit. Raises FormatError with the first faulty line."""
    try:
        units = parse(source.text)
    except M2Error as error:
        raise FormatError(error.message) from None
    names = Names(source)
    for unit in units:
        yield _document(unit, names.of(None))


def _document(unit: Unit, name: str) -> Document:
    tokens = unit.tokens
    starts = [0]
    for token in tokens:
        starts.append(starts[-1] + len(token) + 1)
    layers = []
    for annotator, edits in (unit.annotators or {0: ()}).items():
        tally = Tally()
        spans = [_span(edit, tokens, starts, number, unit, tally) for number, edit in enumerate(edits, start=1)]
        own = tuple(span for span in spans if span is not None)
        layers.append(Layer(str(annotator), own, losses=tally.losses()))
    return Document(name, " ".join(tokens), tuple(layers))


def _span(edit: Edit, tokens: list[str], starts: list[int], number: int, unit: Unit, tally: Tally) -> Span | None:
    first, behind, correction = edit.start, edit.end, edit.correction
    tally.add("notes", edit.note != USUAL_NOTE)
    if first == behind:
        if not tokens:
            tally.add("empty")
            return None
        tally.add("insertions")
        is_behind = first > 0
        first, behind = (first - 1, first) if is_behind else (0, 1)
        word = tokens[first]
        pairs = [(word, text) if is_behind else (text, word) for text in alternatives(correction)]
        correction = OR.join(" ".join(part for part in pair if part) for pair in pairs)
    elif not correction:
        tally.add("deletions")
    texts = {"correction": correction} if correction else {}
    place = f"line {unit.line}"
    return Span(starts[first], starts[behind] - 1, edit.type, texts, number, place)
