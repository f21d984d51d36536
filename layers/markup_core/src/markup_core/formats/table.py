"""Tables of spans (``.csv``, ``.tsv``): a row for each span, columns recognized by their names.

* Needed: ``start``, ``end`` and ``label``, and the text: in a column ``text`` or in a file ``DOCUMENT.txt`` beside the
  table. Known names of each column are in :data:`COLUMNS`; letter case, blanks, ``_`` and ``-`` make no difference.
* Where ``DOCUMENT.txt`` stands beside the table, a column ``text`` with something else holds the span's words. With
  words, the units of the places are those that give them (code points, UTF-16, bytes); without, code points are assumed
  and that is told.
* Rows with one ``document`` are one document, without that column rows with one text; ``annotator`` makes layers. A row
  without start and end says that its annotator marked nothing there.
* Columns subtype, comment, explanation, correction and tag are the span's; other columns are lost.

The separator is the one that gives the needed names (comma, semicolon, tab, bar). Line ends in quoted cells are kept, a
byte order mark, empty lines before the names and Excel's ``sep=;`` are left out. :func:`write` writes code points and
the words, in the names that stand first.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Final

from markup_core.formats import corpus
from markup_core.formats.foreign import META, TEXTS, FormatError, Tally, in_both
from markup_core.reading.wire import short
from markup_core.texts import Text, tr

COLUMNS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "document": ("document", "documentid", "docid", "doc", "file", "filename", "documentname", "textid"),
        "text": ("text", "documenttext", "content", "fulltext", "sentence"),
        "start": ("start", "startoffset", "begin", "startchar", "spanstart", "from", "offsetstart"),
        "end": ("end", "endoffset", "endchar", "spanend", "to", "offsetend", "stop"),
        "label": ("label", "type", "entitytype", "category", "entitylabel", "code", "class"),
        "annotator": ("annotator", "annotatorid", "user", "username", "annotatedby", "expert", "rater"),
        "words": ("words", "quote", "quotation", "spantext", "mention", "surface", "coveredtext", "entity", "span"),
        "id": ("id", "spanid", "annotationid", "entityid"),
        **{name: (name,) for name in TEXTS},
    }
)
"""Names of each column, as letters and digits in lower case."""
_NEEDED: Final = ("start", "end", "label")
_SEPARATORS: Final = (",", ";", "\t", "|")
_LONGEST: Final = 4_000_000
"""Most characters of a cell."""
_MOST_DIGITS: Final = 9
_WHOLE: Final = re.compile(r"\s*([0-9]+)(?:\.0+)?\s*")
"""pandas writes whole numbers as 3.0 where a row of the column is empty."""
_BEFORE: Final = re.compile(r'(?:[ \t]*\r?\n)*(?:"?sep=[^\r\n]"?\r?\n(?:[ \t]*\r?\n)*)?', re.IGNORECASE)
"""Lines before the names; the separator is seen from the names."""
_WRITTEN: Final = ("document", "text", "start", "end", "label", "words", "annotator", "id", *TEXTS)


@dataclass(slots=True)
class _Gathered:
    """A document while its rows are gathered."""

    ident: str | None
    text: str
    meta: dict[str, str]
    place: str
    places: corpus.Places
    tally: Tally = field(default_factory=Tally)
    spans: dict[str, list[corpus.Span]] = field(default_factory=dict)


def looks_like(source: corpus.Source) -> bool:
    """Return whether the first line that is not empty names the needed columns."""
    return _header(_without_beginning(source.head)[0]) is not None


def _without_beginning(text: str) -> tuple[str, int]:
    """Return a table from its names on, and how many lines stand before them."""
    before = _BEFORE.match(text)
    end = before.end() if before else 0
    return text[end:], text.count("\n", 0, end)


def _header(text: str) -> tuple[str, dict[str, int], list[str]] | None:
    """Return the separator, the column of each known name, and all names; None where needed ones are missing."""
    for separator in _SEPARATORS:
        try:
            names = next(csv.reader(io.StringIO(text, newline=""), delimiter=separator), [])
        except csv.Error:
            continue
        folded = ["".join(filter(str.isalnum, name)).casefold() for name in names]
        columns = {
            column: next(folded.index(name) for name in aliases if name in folded)
            for column, aliases in COLUMNS.items()
            if not set(aliases).isdisjoint(folded)
        }
        if all(column in columns for column in _NEEDED) and {"text", "document"} & columns.keys():
            return separator, columns, names
    return None


def read(source: corpus.Source) -> Iterator[corpus.Document]:
    """Yield the documents of a table. Raises FormatError with the line."""
    text, before = _without_beginning(corpus.decoded(source.content.removeprefix(b"\xef\xbb\xbf")))
    header = _header(text)
    if header is None:
        message = tr("the first line names no columns start, end, label and text or document")
        raise FormatError(message, f"line {before + 1}")
    separator, columns, titles = header
    documents: dict[str, _Gathered] = {}
    texts: dict[str, str | None] = {}
    line, previous = 1, csv.field_size_limit(_LONGEST)
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
        next(reader)
        line = before + reader.line_num + 1
        for row in reader:
            if any(row):
                _add(_Row(row, columns, titles, f"line {line}", source, texts), documents)
            line = before + reader.line_num + 1
    except csv.Error as error:
        raise FormatError(tr("the table cannot be read: {error}", error=_of_csv(error)), f"line {line}") from None
    finally:
        csv.field_size_limit(previous)
    names = corpus.Names(source)
    for document in documents.values():
        layers = tuple(corpus.Layer(annotator, tuple(spans)) for annotator, spans in document.spans.items())
        meta = corpus.kept_meta(document.meta, document.tally)
        yield corpus.Document(names.of(document.ident), document.text, layers, meta, document.tally.losses())


def _of_csv(error: csv.Error) -> Text:
    """Word an error of the standard library's reader by its beginning."""
    message = str(error)
    if message.startswith("field larger"):
        return tr("a cell has more than {most} characters", most=_LONGEST)
    if message.startswith("unexpected end"):
        return tr("a quotation mark is not closed")
    if "expected after" in message:
        return tr("behind a closing quotation mark stands something other than the separator")
    return tr("a line end inside a cell without quotation marks")


class _Row:
    """A row and what its cells mean."""

    def __init__(
        self,
        cells: list[str],
        columns: Mapping[str, int],
        titles: list[str],
        place_: str,
        source: corpus.Source,
        texts: dict[str, str | None],
    ) -> None:
        if len(cells) > len(titles):
            message = tr("the line has {count} cells, the first one {titles}", count=len(cells), titles=len(titles))
            raise FormatError(message, place_)
        self.place = place_
        self._cells = cells + [""] * (len(titles) - len(cells))
        self._columns, self._titles, self._source, self._texts = columns, titles, source, texts

    def cell(self, column: str) -> str:
        """Return a cell; empty where the table has no such column."""
        return self._cells[self._columns[column]] if column in self._columns else ""

    def number(self, column: str) -> int | None:
        """Return a cell as a whole number; None where it is empty."""
        cell = self.cell(column)
        if not cell.strip():
            return None
        match = _WHOLE.fullmatch(cell)
        if match is None or len(match[1]) > _MOST_DIGITS:
            raise FormatError(tr("{column} is a whole number, not {cell}", column=column, cell=short(cell)), self.place)
        return int(match[1])

    def rest(self) -> dict[str, str]:
        """Return the cells of other columns by their titles."""
        used = set(self._columns.values())
        return {title: self._cells[k] for k, title in enumerate(self._titles) if k not in used}

    def text(self) -> tuple[str, str | None]:
        """Return the document's text and the span's words, if there are any."""
        cell, words = self.cell("text"), self.cell("words") or None
        name = self.cell("document")
        if not name:
            return cell, words
        if name not in self._texts:
            path = PurePosixPath(name.replace("\\", "/"))
            file = f"{path.name.removesuffix('.txt')}.txt"
            content = self._source.beside(file)
            if content is None and "text" not in self._columns:
                message = tr("the text is not in the table and {file} does not stand beside it", file=short(file))
                raise FormatError(message, self.place)
            self._texts[name] = None if content is None else corpus.decoded(content).removeprefix("\ufeff")
        of_file = self._texts[name]
        if of_file is None or of_file == cell:
            return cell, words
        return of_file, words or cell or None


def _add(row: _Row, documents: dict[str, _Gathered]) -> None:
    """Add a row to its document."""
    start, end = row.number("start"), row.number("end")
    text, words = row.text()
    ident = row.cell("document").removesuffix(".txt")
    key = f"d{ident}" if ident else f"t{text}"
    rest = row.rest()
    if key not in documents:
        meta = {name: value for name, value in rest.items() if name in META and value}
        documents[key] = _Gathered(ident or None, text, meta, row.place, corpus.Places(text))
    document = documents[key]
    if document.text != text:
        message = tr(
            "the text of {ident} is another one than in {place}", ident=short(ident), place=in_both(document.place)
        )
        raise FormatError(message, row.place)
    document.tally.add("fields", sum(bool(value) and name not in META for name, value in rest.items()))
    spans = document.spans.setdefault(row.cell("annotator").strip(), [])
    if start is None and end is None:
        return
    if start is None or end is None:
        raise FormatError(tr("a span has both a start and an end"), row.place)
    if not row.cell("label").strip():
        raise FormatError(tr("the label is empty"), row.place)
    borders = document.places.of(start, end, words, row.place, document.tally)
    if borders is not None:
        texts = {name: row.cell(name) for name in TEXTS if row.cell(name)}
        own = row.cell("id")
        number = int(own) if own.isascii() and own.isdecimal() and len(own) <= _MOST_DIGITS and own[0] != "0" else own
        spans.append(corpus.Span(*borders, row.cell("label"), texts, number or len(spans) + 1, row.place))


def write(documents: Iterable[corpus.Document]) -> corpus.Written:
    """Write documents as a CSV table with all columns; a layer without spans has a row without start and end."""
    tally = Tally()
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\r\n")  # \n alone leaves a carriage return without quotes
    listed = list(corpus.written_layers(documents, tally, TEXTS))
    more = [name for name in META if any(name in document.meta for document, *_ in listed) and name not in _WRITTEN]
    writer.writerow([*_WRITTEN, *more])
    for document, layer, spans in listed:
        tally.add("meta", sum(name not in more for name in document.meta))
        meta = [document.meta.get(name, "") for name in more]
        for span in spans:
            own = [document.text[span.start : span.end], layer.annotator, span.ident]
            texts = [span.texts.get(name, "") for name in TEXTS]
            writer.writerow([document.name, document.text, span.start, span.end, span.label, *own, *texts, *meta])
        if not spans:
            blank = [""] * len(TEXTS)
            writer.writerow([document.name, document.text, "", "", "", "", layer.annotator, "", *blank, *meta])
    return corpus.Written(file.getvalue().encode("utf-8", "surrogatepass"), tally.losses())
