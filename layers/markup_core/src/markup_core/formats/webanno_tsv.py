r"""WebAnno TSV 3 as INCEpTION and WebAnno export a document: a row per token, a column per feature.

The format is described in INCEpTION's user guide, "WebAnno TSV 3.3 File format". The text is put together from the
lines ``#Text=`` (one for each line of a sentence), each sentence at the offset of its first token; what stood between
two sentences is not in the file: one character is read as a line end, more as blanks. Offsets are UTF-16 code units of
that text.

* A fragment is an annotation of a span layer (``#T_SP``). Its label is the column ``code``, ``label``, ``value`` or
  ``type``, else the only column, else the layer's name; the columns subtype, comment, explanation, correction and tag
  are taken, in any letter case. Rows of one disambiguation id (``PER[1]``) are one annotation, from first to last.
* Chains, relations and slots (``#T_CH``, ``#T_RL``, ``ROLE_``), linguistic layers, other columns and annotations of no
  length are lost.
* ``\\``, ``\[``, ``\]``, ``\|``, ``\_``, ``\->``, ``\;``, ``\t``, ``\n``, ``\r`` and ``\*`` stand for the character.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from markup_core.formats.cas import LABELS, is_linguistic
from markup_core.formats.corpus import Document, Layer, Offsets, Source, Span
from markup_core.formats.foreign import TEXTS, FormatError, Tally, checked_span, same_words
from markup_core.reading.wire import short
from markup_core.texts import tr

_FORMAT: Final = "#FORMAT=WebAnno TSV 3"
_LAYER: Final = re.compile(r"#T_(SP|CH|RL)=([^|]+)(?:\|(.*))?")
_TOKEN: Final = re.compile(r"([0-9]{1,9}-[0-9]{1,9}(?:\.[0-9]{1,9})?)\t([0-9]{1,9})-([0-9]{1,9})\t([^\t]*)(?:\t(.*))?")
_VALUE: Final = re.compile(r"(.*?)(?:\[([0-9]{1,9})\])?", re.DOTALL)
_STACKED: Final = re.compile(r"(?:\\.|[^|\\])+", re.DOTALL)
_ESCAPED: Final = re.compile(r"\\(->|.)", re.DOTALL)
_CONTROL: Final = {"t": "\t", "n": "\n", "r": "\r"}
_ABSENT: Final = "_"
_NULL: Final = "*"
_SLOT: Final = "ROLE_"
_MOST_UNITS: Final = 4_000_000
"""Bounds a text: gaps between sentences cost memory, but no bytes of the file."""
_SENTENCE: Final = "#Text="


@dataclass(frozen=True, slots=True)
class _Columns:
    """The columns of a layer: where they begin, the names of its features, and whether they are taken."""

    kind: str
    layer: str
    first: int
    features: tuple[str, ...]

    @property
    def is_taken(self) -> bool:
        """Return whether the layer's annotations become fragments."""
        return self.kind == "SP" and not is_linguistic(self.layer)


@dataclass(slots=True)
class _Annotation:
    """An annotation while its rows are gathered."""

    place: str
    start: int
    end: int
    values: dict[str, str] = field(default_factory=dict)


def looks_like(source: Source) -> bool:
    """Return whether a file is WebAnno TSV 3."""
    return source.head.startswith(_FORMAT)


def read(source: Source) -> Iterator[Document]:
    """Read a document. Raises FormatError with the line."""
    lines = source.text.removeprefix("\ufeff").split("\n")
    columns = _header(lines)
    sentences: list[tuple[int, list[str]]] = []
    rows: list[tuple[str, re.Match[str]]] = []
    current: list[str] = []
    for number, raw_line in enumerate(lines, start=1):
        line = raw_line.removesuffix("\r")
        if line.startswith(_SENTENCE):
            current.append(_unescaped(line.removeprefix(_SENTENCE)))
        elif match := _TOKEN.fullmatch(line):
            if current:
                if int(match[2]) > _MOST_UNITS:
                    message = tr("a text has at most {most} characters here", most=_MOST_UNITS)
                    raise FormatError(message, f"line {number}")
                sentences.append((int(match[2]), current))
                current = []
            rows.append((f"line {number}", match))
        elif line.strip() and not line.startswith("#"):
            raise FormatError(tr("this is no line of WebAnno TSV: {line}", line=short(line)), f"line {number}")
    text = _text(sentences)
    units = Offsets(text, "utf16")
    annotations: dict[tuple[int, str], _Annotation] = {}
    for place, match in rows:
        _row(place, match, text, units, columns, annotations)
    yield Document(source.stem, text, (_layer(columns, annotations),))


def _layer(columns: list[_Columns], annotations: dict[tuple[int, str], _Annotation]) -> Layer:
    tally, spans = Tally(), []
    for number, ((column, _), annotation) in enumerate(annotations.items(), start=1):
        layer = columns[column]
        if not layer.is_taken:
            tally.add("layers" if layer.kind == "SP" else "relations")
        elif annotation.start == annotation.end:
            tally.add("empty")
        else:
            spans.append(_span(layer, annotation, number, tally))
    return Layer("", tuple(spans), losses=tally.losses())


def _header(lines: list[str]) -> list[_Columns]:
    """Return the layers that the header declares, in the order of their columns."""
    columns, first = [], 0
    for line in lines:
        match = _LAYER.fullmatch(line.removesuffix("\r"))
        if match is None:
            if line.startswith(_SENTENCE):
                break
            continue
        kind, layer, named = match[1], match[2], match[3] or ""
        features = tuple(named.split("|"))
        # The column behind a slot holds its targets and has the name of their layer.
        features = tuple(
            "" if before.startswith(_SLOT) else name for before, name in zip(("", *features), features, strict=False)
        )
        columns.append(_Columns(kind, layer, first, features))
        first += len(features)
    return columns


def _text(sentences: list[tuple[int, list[str]]]) -> str:
    """Return the text: each sentence at its offset in UTF-16, what is between them filled up."""
    parts: list[str] = []
    units = 0
    for start, listed in sentences:
        gap = start - units
        if gap > 0 or not parts:
            parts.append("\n" if gap == 1 and parts else " " * max(gap, 0))
        part = "\n".join(listed)
        parts.append(part)
        units = max(start, units) + len(part.encode("utf-16-le")) // 2
    return "".join(parts)


def _row(
    place: str,
    match: re.Match[str],
    text: str,
    units: Offsets,
    columns: list[_Columns],
    annotations: dict[tuple[int, str], _Annotation],
) -> None:
    """Add a row's cells to the annotations that they are of."""
    start, end = units.code_point(int(match[2])), units.code_point(int(match[3]))
    if start is None or start != end:
        start, end = checked_span(start, end, text, place)
    words = _unescaped(match[4])
    if not same_words(words, text[start:end]):
        raise FormatError(
            tr(
                "the token is {words}, but the text has {there} there; offsets are UTF-16 code units",
                words=short(words),
                there=short(text[start:end]),
            ),
            place,
        )
    cells = (match[5] or "").split("\t")
    for number, layer in enumerate(columns):
        for offset, feature in enumerate(layer.features):
            cell = cells[layer.first + offset] if layer.first + offset < len(cells) else _ABSENT
            if cell in {_ABSENT, ""}:
                continue
            for stacked, part in enumerate(_STACKED.findall(cell)):
                value = _VALUE.fullmatch(part)
                ident = value[2] if value and value[2] else f"{match[1]}/{stacked}"
                annotation = annotations.setdefault((number, ident), _Annotation(place, start, end))
                annotation.end = max(annotation.end, end)
                if feature and value and value[1] != _NULL:
                    annotation.values.setdefault(feature, _unescaped(value[1]))


def _span(layer: _Columns, annotation: _Annotation, number: int, tally: Tally) -> Span:
    folded = {feature.rpartition(":")[2].casefold(): feature for feature in annotation.values}
    labelled = next((folded[name] for name in LABELS if name in folded), None)
    texts: dict[str, str] = {name: annotation.values[folded[name]] for name in TEXTS if name in folded}
    others = [feature for name, feature in folded.items() if name not in texts]
    if labelled is None and len(others) == 1 and not others[0].startswith(_SLOT):
        (labelled,) = others
    tally.add("features", len(others) - (labelled is not None))
    label = layer.layer.rpartition(".")[2] if labelled is None else annotation.values[labelled]
    return Span(annotation.start, annotation.end, label, texts, number, annotation.place)


def _unescaped(value: str) -> str:
    return _ESCAPED.sub(lambda match: _CONTROL.get(match[1], match[1]), value)
