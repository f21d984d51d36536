"""Annotated corpora of other tools: documents, the layers of their annotators, and the markups they become.

A reader turns a :class:`Source` into :class:`Document` objects and judges no label: ``read(source)`` yields documents
with spans in code points, labels as the file has them, and what it could not carry.
:mod:`~markup_core.formats.gathering` finds the layers of one document in several files, :func:`markups` makes codes of
labels; both serve every format.

The common parts of doccano's, spaCy's and Prodigy's JSON Lines stand here too: lines, names, meta, and writing
documents in formats that hold spans and little else, with what each of them loses counted in one place.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal

from markup_core.extras import ExtraNeededError, needed
from markup_core.formats.foreign import (
    META,
    TEXTS,
    FormatError,
    Labels,
    Loss,
    Node,
    Tally,
    Wanted,
    checked_span,
    same_words,
)
from markup_core.model import NO_META, Markup
from markup_core.reading.wire import Limits, MalformedInput, decode, short
from markup_core.texts import Text, tr

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

Units = Literal["points", "utf16", "bytes"]
LARGEST: Final = 256 * 1024 * 1024
"""Most bytes of a source."""
DEEPEST: Final = 80
"""Most levels of nesting in a JSON source."""
_LIMITS: Final = Limits(max_bytes=LARGEST, max_depth=DEEPEST)
_XML_1_1: Final = re.compile(rb"""^((?:\xef\xbb\xbf)?<\?xml\s+version=["'])1\.1""")
_NO_XML: Final = tr("it is not well-formed")
_OF_XML: Final[Mapping[int, Text]] = MappingProxyType(
    {
        3: tr("there is no element in it, or the end is missing"),
        4: tr("a character or a byte that XML does not allow there"),
        5: tr("a tag is not closed"),
        7: tr("an end tag belongs to another element"),
        8: tr("an attribute stands twice"),
        9: tr("behind the root element stands something else"),
        11: tr("an entity is not declared"),
        18: tr("the encoding that it names is not known"),
        27: tr("a prefix is not declared (xmlns)"),
    }
)
"""The sentences of expat's commonest errors, by its codes."""
_HEAD: Final = 65_536
_RUNS: Final = re.compile(r"\d+|\D+")
_DIGITS: Final = 18
_THIRD: Final = 3
_NO_TEXTS: Final[Mapping[str, str]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Span:
    """An annotated span in code points; both borders 0 stand for the whole text.

    ``label`` is as the file has it; ``texts`` holds subtype, comment, explanation, correction and tag; ``place`` is the
    line or JSON path that an error names.
    """

    start: int
    end: int
    label: str
    texts: Mapping[str, str] = field(default_factory=lambda: _NO_TEXTS)
    ident: int | str = 0
    place: str = ""


@dataclass(frozen=True, slots=True)
class Layer:
    """One annotator's annotation of one document; ``annotator`` is empty where the format does not name any."""

    annotator: str
    spans: tuple[Span, ...]
    is_curated: bool = False
    losses: tuple[Loss, ...] = ()
    criteria: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Document:
    """A text with the layers of its annotators; ``name`` is its path in the corpus without a suffix."""

    name: str
    text: str
    layers: tuple[Layer, ...]
    meta: Mapping[str, Any] = field(default_factory=lambda: NO_META)
    losses: tuple[Loss, ...] = ()
    source: str = ""
    """The file, for errors; readers leave it empty."""


class Source:
    """A file of a corpus: its path with ``/``, its bytes, and its neighbours by name (None: there is none)."""

    def __init__(self, name: str, content: bytes, beside: Callable[[str], bytes | None] = lambda _name: None) -> None:
        if len(content) > LARGEST:
            raise FormatError(tr("the file has {size} bytes, the limit is {most}", size=len(content), most=LARGEST))
        self.name = name
        self.content = content
        self.beside = beside

    @property
    def stem(self) -> str:
        """Return the path without its suffix: the name of a file's only document."""
        return str(PurePosixPath(self.name).with_suffix(""))

    @property
    def suffix(self) -> str:
        """Return the suffix in small letters, as ``.json``."""
        return PurePosixPath(self.name).suffix.lower()

    @cached_property
    def head(self) -> str:
        """Return the beginning without a byte order mark, bytes of other encodings replaced; never fails."""
        return self.content[:_HEAD].decode("utf-8", "replace").removeprefix("\ufeff")

    @property
    def text(self) -> str:
        """Return the content, line ends and a byte order mark kept. Raises FormatError for what is not UTF-8."""
        return decoded(self.content)

    def json(self) -> Any:
        """Return the JSON value, a byte order mark left out. Raises FormatError for what is no JSON."""
        try:
            return decode(self.content.removeprefix(b"\xef\xbb\xbf"), _LIMITS)
        except MalformedInput as error:
            raise FormatError(error.text) from None

    @cached_property
    def value(self) -> Any:
        """Return the JSON value; None for what is no JSON. Never fails."""
        try:
            return self.json() if self.head.lstrip()[:1] in {"{", "["} else None
        except FormatError:
            return None

    def xml(self) -> Element:
        """Return the root of an XML file. Raises FormatError for broken XML and for a document type."""
        try:
            reader = needed("defusedxml.ElementTree", "formats")
            refusal = needed("defusedxml.common", "formats").DefusedXmlException
        except ExtraNeededError as error:
            raise FormatError(error.text) from None
        try:
            # XML 1.1 differs in a few control characters; the parser knows 1.0 alone.
            root: Element = reader.fromstring(_XML_1_1.sub(rb"\g<1>1.0", self.content, count=1), forbid_dtd=True)
        except reader.ParseError as error:
            line, column = error.position
            place = tr("line {line}, column {column}", line=line, column=column + 1)
            message = tr("the XML cannot be read: {error}", error=_OF_XML.get(error.code, _NO_XML))
            raise FormatError(message, place) from None
        except refusal:
            raise FormatError(tr("XML with a document type (<!DOCTYPE) is not read")) from None
        return root

    def json_lines(self) -> Iterator[Node]:
        """Yield the values of JSON Lines, empty lines left out; their paths begin with ``line 1``."""
        for number, line in enumerate(self.content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
            if not line.strip():
                continue
            try:
                yield Node(decode(line, _LIMITS), f"line {number}: $")
            except MalformedInput as error:
                raise FormatError(error.text, f"line {number}") from None


@dataclass(frozen=True, slots=True)
class Format:
    """A format that can be read; ``extra`` names the package extra without which its reader raises FormatError."""

    name: str
    suffixes: tuple[str, ...]
    looks_like: Callable[[Source], bool]
    read: Callable[[Source], Iterator[Document]]
    extra: str = ""


def decoded(content: bytes) -> str:
    """Return the text of UTF-8 bytes, a byte order mark kept. Raises FormatError with the place of another byte."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FormatError(
            tr("the byte at offset {offset} is not UTF-8; save it as UTF-8", offset=error.start)
        ) from None


class Offsets:
    """Positions of a text in other units. Building is linear in the text, a look-up takes O(log n)."""

    __slots__ = ("_ends", "_starts", "_total")

    def __init__(self, text: str, units: Units) -> None:
        self._starts: list[int] = []
        """Starts of the characters of several units, in units."""
        self._ends: list[tuple[int, int]] = []
        """Ends of the same characters: in units and in code points."""
        unit = 0
        for point, character in enumerate(text):
            width = 1 if units == "points" else 1 + (character > "\uffff") if units == "utf16" else _bytes_of(character)
            if width > 1:
                self._starts.append(unit)
                self._ends.append((unit + width, point + 1))
            unit += width
        self._total = unit

    def code_point(self, unit: int) -> int | None:
        """Return the position in code points; None outside the text and inside a character."""
        if not 0 <= unit <= self._total:
            return None
        before = bisect_right(self._starts, unit) - 1
        if before < 0:
            return unit
        end, point = self._ends[before]
        if unit == self._starts[before]:
            return point - 1
        return None if unit < end else point + unit - end


def quoted_span(start: int, end: int, words: str, text: str, units: Offsets) -> tuple[int, int] | None:
    """Return a place in code points by the way of counting that gives its words: code points, else ``units``.

    None where neither does. Words are compared without white space.
    """
    for first, last in ((start, end), (units.code_point(start), units.code_point(end))):
        if first is None or last is None or not 0 <= first < last <= len(text):
            continue
        if same_words(words, text[first:last]):
            return first, last
    return None


def _bytes_of(character: str) -> int:
    return 1 + (character > "\x7f") + (character > "\u07ff") + (character > "\uffff")


@dataclass(frozen=True, slots=True)
class Imported:
    """A markup made of a document's layer; ``expert`` is its annotator's number, 0 where it is nobody's."""

    name: str
    markup: Markup
    annotator: str = ""
    expert: int = 0
    losses: tuple[Loss, ...] = ()
    source: str = ""

    @property
    def stem(self) -> str:
        """Return the name of its file: ``ID``, or ``ID_exp01``."""
        return f"{self.name}_exp{self.expert:02}" if self.expert else self.name


def expert_numbers(documents: Iterable[Document], as_experts: bool = False) -> dict[tuple[str, bool], int]:
    """Return the number of each annotator (name, is curated) in the order of names; curated layers come last.

    Numbers in names are ordered as numbers: 2 comes before 10.
    A curated layer is at least the third expert's. Unnamed annotators are experts only if ``as_experts``.
    """
    identities = {(layer.annotator, layer.is_curated) for document in documents for layer in document.layers}
    annotators = sorted(
        (name for name, is_curated in identities if not is_curated and (name or as_experts)), key=_by_numbers
    )
    numbers = {(name, False): number for number, name in enumerate(annotators, start=1)}
    first = max(len(annotators) + 1, _THIRD)
    curators = sorted((name for name, is_curated in identities if is_curated), key=_by_numbers)
    return numbers | {(name, True): number for number, name in enumerate(curators, start=first)}


def _by_numbers(name: str) -> tuple[list[tuple[int, int, str]], str]:
    """Return the key by which names are sorted: runs of digits count as their number; the name decides ties.

    **Decision**: 18 digits at most are a number, so that a key costs no more than its name.
    """
    runs = _RUNS.findall(name)
    return [(0, int(run), "") if run.isdecimal() and len(run) <= _DIGITS else (1, 0, run) for run in runs], name


def markups(documents: Iterable[Document], vocabulary: Wanted, as_experts: bool = False) -> list[Imported]:
    """Return the markup of each layer of each document, labels turned into codes.

    Raises FormatError for unknown labels, all of them at once, and for a document without a subject. What a document
    loses is told with its first markup.
    """
    listed = list(documents)
    numbers = expert_numbers(listed, as_experts)
    labels: dict[str, Labels] = {}
    imported = []
    for document in listed:
        losses = document.losses
        own_subject = document.meta.get("subject")
        key = own_subject if isinstance(own_subject, str) else ""
        if key not in labels:
            try:
                labels[key] = vocabulary.labels(key)
            except FormatError as error:
                raise FormatError(error.text, document.source) from None
        own_labels = labels[key]
        if key and key != own_labels.subject:
            losses += (Loss("subjects", 1, short(key)),)
        meta = MappingProxyType({**document.meta, "subject": own_labels.subject})
        for layer in document.layers:
            tally = Tally()
            tally.take(losses + layer.losses)
            fragments = tuple(
                fragment
                for span in layer.spans
                if (fragment := own_labels.fragment(span, document.source, tally)) is not None
            )
            markup = Markup(document.text, fragments, meta, layer.criteria)
            expert = numbers.get((layer.annotator, layer.is_curated), 0)
            imported.append(Imported(document.name, markup, layer.annotator, expert, tally.losses(), document.source))
            losses = ()
    for own_labels in labels.values():
        own_labels.check()
    return imported


MOST_LINES: Final = 1_000_000
"""Most texts of a file."""


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
    """Return the fields that are a markup's meta; other non-empty fields are counted as lost."""
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
        """Return a place in code points, by the units that give its words; None for an empty one, counted as a loss.

        Without words code points are taken, which is reported where UTF-16 code units would be another place. Raises
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
    """Content of a file and the losses of writing it."""

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
