"""doccano's JSON Lines: a text a line with labelled spans, of all versions.

Seen in doccano 1.2.0, 1.4.1, 1.5.5, 1.6.2 and 1.8.4, whose export code was read, the last one's run:

* ``{"id", "text", "label": [[start, end, label]], "Comments": ["…"]}`` and the text's own fields beside them (1.7 and
  later); ``data`` for ``text`` and no comments (1.3 to 1.6); ``labels``, ``meta``, ``annotation_approver`` (before).
* Projects with relations: ``entities`` of ``{"id", "label", "start_offset", "end_offset"}``, ``relations``.
* Projects of intents and slots: ``cats`` and ``entities`` of ``[start, end, label]``.
* Before 1.3 also ``annotations`` of ``{"label": 3, "start_offset", "end_offset", "user": 1}``: labels are numbers,
  which the file does not explain; they are read as labels ``3`` and need ``--codes``.

A project whose annotators work apart is exported as a file for each, named after the user; ``all`` is everybody's,
``unknown`` holds the texts that nobody labelled. A text's number is the same in each of them and is its name.

**Offsets.** The editor (v-annotator) writes the browser's UTF-16 code units, doccano's own Python code takes them for
code points, and what was imported keeps what its file had; a line does not say which. So the units of a file are those
in which all places exist and the fewest borders cut a word or lie beside a blank of the span's own; UTF-16 if that does
not decide. Where the units make a difference, those that were taken are told. A project that counts grapheme clusters
(``grapheme_mode``) cannot be told apart. :func:`write` names the units in a field of the text, which doccano keeps and
exports again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from markup_core.formats.corpus import Document, Layer, Offsets, Source, Span, Units
from markup_core.formats.foreign import Node, Tally, checked_span
from markup_core.formats.lines import (
    Names,
    Written,
    first_value,
    kept_meta,
    nodes,
    text_of,
    written_layers,
    written_lines,
)
from markup_core.reading.recognition import is_doccano
from markup_core.texts import tr

_UNITS: Final = "offset_unit"
_UTF16: Final = "utf-16"
_STRINGS: Final = ("label", "labels", "cats", "entities")
_LISTS: Final = ("label", "labels", "entities", "annotations")
_OWN: Final = frozenset(
    {"id", "text", "data", "cats", "relations", "Comments", "comments", "meta", "annotation_approver", _UNITS, *_LISTS}
)
_NOBODY: Final = frozenset({"all", "unknown"})
"""Names of files that are no user's."""


class _Place(NamedTuple):
    """A span in the file's own units."""

    start: int
    end: int
    label: str
    ident: int
    user: str
    path: str


def looks_like(source: Source) -> bool:
    """Return whether the first line is doccano's."""
    return is_doccano(first_value(source))


def read(source: Source) -> Iterator[Document]:
    """Yield a document for each text. Raises FormatError with the line."""
    lines = [(node, text_of(node, "text", "data"), list(_places(node))) for node in nodes(source)]
    units = _units(lines)
    names = Names(source)
    stem = PurePosixPath(source.stem).name
    for node, text, places in lines:
        fields = node.object()
        tally = Tally()
        annotator = stem if "id" in fields and stem not in _NOBODY else ""
        layers = _layers(text, places, units, annotator, tally, fields.get(_UNITS) == _UTF16)
        tally.add("relations", len(list(node.child("relations").one_or_more())))
        tally.add("comments", sum(len(list(node.child(name).one_or_more())) for name in ("Comments", "comments")))
        listed = [fields[name] for name in _STRINGS if isinstance(fields.get(name), list)]
        tally.add("categories", sum(isinstance(entry, str) for entries in listed for entry in entries))
        own = fields["meta"] if isinstance(fields.get("meta"), dict) else {}
        meta = kept_meta(own | {name: value for name, value in fields.items() if name not in _OWN}, tally)
        yield Document(names.of(fields.get("id")), text, layers, meta, tally.losses())


def _places(node: Node) -> Iterator[_Place]:
    """Yield the spans of a line; strings in their place are labels of the whole text."""
    for name in _LISTS:
        entries = node.child(name).items() if node.has(name) else iter(())
        for number, entry in enumerate(entries, start=1):
            if isinstance(entry.value, list):
                parts = list(entry.items())
                if len(parts) != 3:
                    raise entry.error(tr("a span is a list of start, end and label"))
                yield _Place(parts[0].whole(), parts[1].whole(), _label(parts[2]), number, "", entry.path)
            elif not isinstance(entry.value, str):
                user = str(entry.value["user"]) if entry.has("user") else ""
                ident = entry.child("id").whole() if entry.has("id") else number
                start, end = entry.child("start_offset").whole(), entry.child("end_offset").whole()
                yield _Place(start, end, _label(entry.child("label")), ident, user, entry.path)


def _label(node: Node) -> str:
    is_number = isinstance(node.value, int) and not isinstance(node.value, bool)
    return str(node.whole()) if is_number else node.text()


def _units(lines: list[tuple[Node, str, list[_Place]]]) -> Units:
    """Return the units of a file: those it names, else those that fit with the fewest odd borders, UTF-16 in a tie."""
    if any(node.value.get(_UNITS) == _UTF16 for node, *_ in lines):
        return "utf16"
    scores: dict[Units, tuple[int, int]] = {}
    candidates: tuple[Units, ...] = ("utf16", "points")
    for units in candidates:
        misses = cuts = 0
        for _, text, places in lines:
            if places and max(text, default="") > "\uffff":
                offsets = Offsets(text, units)
                for place in places:
                    start, end = offsets.code_point(place.start), offsets.code_point(place.end)
                    if start is None or end is None:
                        misses += 1
                    elif start < end:
                        cuts += text[start].isspace() + text[end - 1].isspace()
                        cuts += is_inside_word(text, start) + is_inside_word(text, end)
        scores[units] = misses, cuts
    return min(candidates, key=scores.__getitem__)


def is_inside_word(text: str, border: int) -> bool:
    """Return whether a border stands between two letters or digits."""
    return 0 < border < len(text) and text[border - 1].isalnum() and text[border].isalnum()


def _layers(
    text: str, places: list[_Place], units: Units, annotator: str, tally: Tally, is_named: bool
) -> tuple[Layer, ...]:
    """Return the spans of each user, one layer without spans where there are none; ``is_named``: the units are."""
    halves = Offsets(text, "utf16")
    offsets = halves if units == "utf16" else Offsets(text, units)
    spans: dict[str, list[Span]] = {}
    for place in places:
        layer = spans.setdefault(f"user {place.user}" if place.user else annotator, [])
        if place.start == place.end:
            tally.add("empty")
            continue
        is_same = (halves.code_point(place.start), halves.code_point(place.end)) == (place.start, place.end)
        if not is_same and not is_named:
            tally.add("utf16" if units == "utf16" else "offsets")
        borders = offsets.code_point(place.start), offsets.code_point(place.end)
        layer.append(Span(*checked_span(*borders, text, place.path), place.label, {}, place.ident, place.path))
    return tuple(Layer(name, tuple(listed)) for name, listed in spans.items()) or (Layer(annotator, ()),)


def write(documents: Iterable[Document]) -> Written:
    """Write documents for doccano's import, a line for each layer, in the units of its editor.

    Letters are escaped: by default doccano guesses the encoding, and reads UTF-8 as another one.
    """
    tally = Tally()
    lines = []
    for document, _, spans in written_layers(documents, tally):
        text = document.text
        width = [0]
        for character in text:
            width.append(width[-1] + 1 + (character > "\uffff"))
        labels = [[width[span.start], width[span.end], span.label] for span in spans]
        meta = {name: value for name, value in document.meta.items() if name not in _OWN}
        tally.add("meta", len(document.meta) - len(meta))
        lines.append({"id": document.name, **meta, "text": text, "label": labels, _UNITS: _UTF16})
    return Written(written_lines(lines, is_ascii=True), tally.losses())
