"""Stand-off annotations: brat's, and simple ones of TEI P5.

**brat**: the text (``.txt``), a line per annotation (``.ann``), and the configuration of a project. The format is
described at http://brat.nlplab.org/standoff.html; offsets are code points, ends exclusive. Of a markup:

* a fragment is a text-bound annotation whose type is the code's name in Latin letters
  (:func:`~markup_core.formats.foreign.type_names`): ``T1<TAB>G_upr 23 38<TAB>Согласно закона``; since
  brat's lines hold no line end, a span over several lines is written, as brat does, in a piece per line
  (``23 30;31 38``), without line ends and tabs at its borders, and pieces with nothing but white space between them are
  read as one span again;
* the comment is a note, ``#1<TAB>AnnotatorNotes T1<TAB>…``; subtype, explanation, correction and tag are notes of the
  kinds ``Subtype``, ``Explanation``, ``Correction``, ``Tag``; attributes of these names are read too;
* a full-text fragment spans the whole text and has the attribute ``A1<TAB>FullText T1``.

A span with true gaps is read as one that covers them, which is counted as a loss: a fragment is one span, and what the
annotator meant is at least marked. Relations, events, normalisations and other attributes and notes are lost.

brat's configuration replaces every character of a type outside ``a-zA-Z0-9_-`` by ``_``: ``Г.упр`` and ``Р.тав`` would
both become ``_____``. So a code is written under a Latin name of its own, transliterated and told apart from all others
of the classifier, and ``visual.conf`` shows the code itself.

**TEI P5**: The text is the character content of ``<text>`` as it stands, without white space at its ends; a
``<teiCorpus>`` has a document for each ``<TEI>``. Places count characters as XML does, which are code points.

* A span is a ``<span>``, an ``<annotation>`` or an ``<interp>`` whose ``@from`` and ``@to``, ``@target`` or ``@inst``
  point to ``#ID`` (an anchor or any element of the text) or to ``#string-range(ID, OFFSET, LENGTH)``; several targets
  are one span from the first to the last. Its label is what ``@ana`` points to, else its own words, else its ``@type``,
  else its group's.
* ``@resp`` of a span or of its group is its annotator.
* In a file without these, names in the text (``<rs>``, ``<name>``, ``<persName>`` …, ``<seg type="…">``) are spans; in
  one with them they are reported as lost. So are pointers of other kinds (XPath, ``match``, other files).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from markup_core.comparable import MEANING, fold
from markup_core.formats.corpus import Document, Layer, Names, Source, Span, decoded
from markup_core.formats.foreign import (
    NO_CODES,
    STORED,
    TEXTS,
    Codes,
    FormatError,
    Loss,
    Tally,
    checked_span,
    same_words,
    type_names,
)
from markup_core.model import Fragment, Markup
from markup_core.reading.classifier import Classifier
from markup_core.reading.wire import short
from markup_core.texts import tr

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

ANNOTATION: Final = "annotation.conf"
VISUAL: Final = "visual.conf"
FULL_TEXT: Final = "FullText"
SUFFIX: Final = ".ann"
TEXT: Final = ".txt"
_COLOURS: Final = {True: "#cfe2ff", False: "#ffd8cc"}
"""Background colours in brat: True for semantic blocks, False for errors."""


def chosen_names(classifier: Classifier, codes: Codes) -> dict[str, str]:
    """Return :func:`type_names` with the labels of ``--codes`` in their place, read backwards: of each code the first.

    Raises FormatError for a label that brat would store as another one, and for one that another code has already.
    """
    names, labels = type_names(classifier), dict[str, str]()
    for label, code in codes.items():
        if code is not None and fold(code) in names:
            labels.setdefault(fold(code), label)
    for label in labels.values():
        if not STORED.fullmatch(label):
            message = tr("brat stores types of a-zA-Z0-9_- alone; {label} would become another one", label=short(label))
            raise FormatError(message, "--codes")
    chosen = {**names, **labels}
    holders: dict[str, str] = {}
    for code, name in chosen.items():
        other = holders.setdefault(name.casefold(), code)
        if other != code:
            message = tr(
                "{other} and {code} would both be of the type {name}", other=short(other), code=short(code), name=name
            )
            raise FormatError(message, "--codes")
    return chosen


def configuration(classifier: Classifier, subjects: Iterable[str], names: Mapping[str, str]) -> dict[str, str]:
    """Return the files of a brat project by name: the types of the subjects' codes, and their labels and colours."""
    listed = {fold(code.code): code for subject in subjects for code in classifier.codes(subject)}
    types = "".join(f"{names[key]}\n" for key in listed)
    labels = "".join(f"{names[key]} | {code.code}\n" for key, code in listed.items())
    colours = "".join(f"{names[key]}\tbgColor:{_COLOURS[code.group == MEANING]}\n" for key, code in listed.items())
    annotation = f"[entities]\n\n{types}\n[relations]\n\n[events]\n\n[attributes]\n\n{FULL_TEXT}\tArg:<ENTITY>\n"
    defaults = "SPAN_DEFAULT\tfgColor:black, bgColor:lightgreen, borderColor:darken\nATTRIBUTE_DEFAULT\tglyph:*\n"
    return {ANNOTATION: annotation, VISUAL: f"[labels]\n\n{labels}\n[drawing]\n\n{defaults}{colours}"}


_KINDS: Final = {"comment": "AnnotatorNotes", **{name: name.capitalize() for name in TEXTS if name != "comment"}}
_FIELDS: Final = {kind.casefold(): name for name, kind in _KINDS.items()} | {name: name for name in TEXTS}

_TEXT_BOUND: Final = re.compile(
    r"T(?P<number>[0-9]{1,18})\t(?P<type>\S+) (?P<pieces>[0-9; ]+)(?:\t(?P<words>.*))?", re.DOTALL
)
_PIECE: Final = re.compile(r"([0-9]{1,9}) ([0-9]{1,9})")
_ATTRIBUTE: Final = re.compile(r"[AM][0-9]+\t(?P<name>\S+) (?P<target>\S+)(?: (?P<value>.*))?", re.DOTALL)
_NOTE: Final = re.compile(r"#[0-9]*\t(?P<name>\S+) (?P<target>\S+)(?:\t(?P<value>.*))?", re.DOTALL)
_LOST: Final = {"R": "relations", "*": "relations", "E": "events", "N": "normalizations"}
_UNWRITABLE: Final = re.compile(r"[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]")
"""Characters that end a line or a field in some program; ``str.splitlines`` splits at all but the tab."""
_LINE: Final = re.compile(r"[^\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]+")
"""Text that a piece can hold: brat refuses an annotation whose words differ from the text at its offsets."""


@dataclass(frozen=True, slots=True)
class Standoff:
    """The two files of a document, and the losses of writing them."""

    text: str
    annotations: str
    losses: tuple[Loss, ...]


def write_brat(markup: Markup, classifier: Classifier | None = None, codes: Codes = NO_CODES) -> Standoff:
    """Return a markup in brat's format; ``codes`` maps own labels to codes, as in reading.

    Raises FormatError for a code that the classifier does not know, and for labels that brat cannot store.
    """
    names = chosen_names(classifier or Classifier.default(), codes)
    tally = Tally()
    tally.add("meta", len(markup.meta))
    tally.add("criteria", len(markup.criteria))
    tally.add("carriage_returns", markup.text.count("\r"))
    lines: list[str] = []
    notes = attributes = 0
    for number, fragment in _numbered(markup, tally):
        name_of_type = names.get(fold(fragment.code))
        if name_of_type is None:
            message = tr(
                "the classifier does not know the code {code}, so that it has no type in brat",
                code=short(fragment.code),
            )
            raise FormatError(message, f"fragment {short(fragment.id)}")
        span = (0, len(markup.text)) if fragment.is_full_text else (fragment.start, fragment.end)
        pieces = [match.span() for match in _LINE.finditer(markup.text, *span)] or [span]
        borders = pieces[0][0] != span[0] or pieces[-1][1] != span[1]
        tally.add("borders", borders and not fragment.is_full_text)
        places = ";".join(f"{start} {end}" for start, end in pieces)
        words = " ".join(_UNWRITABLE.sub(" ", markup.text[start:end]) for start, end in pieces)
        lines.append(f"T{number}\t{name_of_type} {places}\t{words}\n")
        if fragment.is_full_text:
            attributes += 1
            lines.append(f"A{attributes}\t{FULL_TEXT} T{number}\n")
        for name, kind in _KINDS.items():
            value: str = getattr(fragment, name)
            if not value:
                continue
            notes += 1
            note_text = _UNWRITABLE.sub(" ", value)
            tally.add("line_ends", note_text != value)
            lines.append(f"#{notes}\t{kind} T{number}\t{note_text}\n")
    return Standoff(markup.text, "".join(lines), tally.losses())


def _numbered(markup: Markup, tally: Tally) -> Iterator[tuple[int, Fragment]]:
    """Yield the fragments that can be written, numbered by their ids, if these are distinct positive numbers."""
    listed = markup.fragments
    if not markup.text:
        tally.add("full_text", len(listed))
        return
    idents = [fragment.id for fragment in listed if isinstance(fragment.id, int) and 0 < fragment.id < 10**18]
    if len(set(idents)) == len(listed):
        yield from zip(idents, listed, strict=True)
        return
    for number, fragment in enumerate(listed, start=1):
        tally.add("ids", fragment.id != number)
        yield number, fragment


@dataclass(slots=True)
class _Annotation:
    """A text-bound annotation while its notes and attributes are gathered."""

    place: str
    ident: int | str
    label: str
    span: tuple[int, int]
    full_text: bool = False
    texts: dict[str, str] = field(default_factory=dict)


def read_brat(source: Source) -> Iterator[Document]:
    """Read a document from either of its two files. Raises FormatError with the line of the ``.ann``.

    A note that stands twice is joined by a line end.
    """
    path = PurePosixPath(source.name)
    other = path.with_suffix(TEXT if source.suffix == SUFFIX else SUFFIX).name
    beside = source.beside(other)
    if beside is None:
        raise FormatError(tr("{name} is missing beside it: brat's format is two files", name=other))
    text, annotations = (beside, source.content) if source.suffix == SUFFIX else (source.content, beside)
    yield standoff(source.stem, decoded(text), decoded(annotations))


def standoff(name: str, text: str, annotations: str) -> Document:
    """Return a document of its text and its lines."""
    tally = Tally()
    text_bounds: dict[str, _Annotation] = {}
    remarks: list[re.Match[str]] = []
    for number, raw_line in enumerate(annotations.removeprefix("\ufeff").split("\n"), start=1):
        line, place = raw_line.removesuffix("\r"), f"line {number}"
        if not line.strip():
            continue
        if line.startswith("T"):
            bound_name = line.partition("\t")[0]
            if bound_name in text_bounds:
                raise FormatError(tr("{name} stands twice", name=short(bound_name)), place)
            text_bounds[bound_name] = _text_bound(line, text, place, tally)
        elif line[0] in _LOST:
            tally.add(_LOST[line[0]])
        elif match := _ATTRIBUTE.fullmatch(line) or _NOTE.fullmatch(line):
            remarks.append(match)  # may stand before its annotation
        else:
            raise FormatError(tr("this is no line of brat's standoff: {line}", line=short(line)), place)
    for match in remarks:
        _attach(match, text_bounds, tally)
    spans = tuple(
        Span(*((0, 0) if bound.full_text else bound.span), bound.label, bound.texts, bound.ident, bound.place)
        for bound in text_bounds.values()
    )
    return Document(name, text, (Layer("", spans, losses=tally.losses()),))


def _text_bound(line: str, text: str, place: str, tally: Tally) -> _Annotation:
    match = _TEXT_BOUND.fullmatch(line)
    pieces = [_PIECE.fullmatch(piece) for piece in match["pieces"].split(";")] if match else []
    spans = [(int(piece[1]), int(piece[2])) for piece in pieces if piece]
    if match is None or len(spans) < len(pieces):
        raise FormatError(tr("T1<TAB>type start end<TAB>words is expected, not {line}", line=short(line)), place)
    spans.sort()
    for start, end in spans:
        checked_span(start, end, text, place)
    words = " ".join(text[start:end] for start, end in spans)
    if match["words"] and not same_words(match["words"], words):
        message = tr(
            "the words are {words}, but the text has {there} there; the .ann belongs to another text, or its "
            "line ends were changed",
            words=short(match["words"]),
            there=short(words),
        )
        raise FormatError(message, place)
    gaps = [text[before[1] : after[0]] for before, after in pairwise(spans)]
    tally.add("gaps", any(gap.strip() for gap in gaps), place, words)
    digits = match["number"]
    ident = int(digits) if str(int(digits)) == digits else f"T{digits}"
    return _Annotation(place, ident, match["type"], (spans[0][0], max(end for _, end in spans)))


def _attach(match: re.Match[str], text_bounds: dict[str, _Annotation], tally: Tally) -> None:
    kind = "notes" if match.re is _NOTE else "attributes"
    target, value = text_bounds.get(match["target"]), match["value"] or ""
    if target is not None and kind == "attributes" and match["name"] == FULL_TEXT:
        target.full_text = True
        return
    name = _FIELDS.get(match["name"].casefold())
    if target is None or name is None:
        tally.add(kind)
        return
    target.texts[name] = f"{target.texts[name]}\n{value}" if name in target.texts else value


_TEI: Final = "http://www.tei-c.org/ns/1.0"
_ID: Final = "{http://www.w3.org/XML/1998/namespace}id"
_ANNOTATIONS: Final = ("span", "annotation", "interp")
_NAMING: Final = frozenset({"rs", "name", "persName", "placeName", "orgName", "geogName", "term"})
_RANGE: Final = re.compile(r"#?string-range\(\s*#?([\w.-]+)\s*,\s*([0-9]{1,9})\s*(?:,\s*([0-9]{1,9})\s*)?\)")
_POINTER: Final = re.compile(r"#([\w.-]+)")
_POINTERS: Final = re.compile(r"#?[\w-]+\([^)]*\)|\S+")
_DEEPEST: Final = 200
_Place = tuple[int, int]


def looks_like_tei(source: Source) -> bool:
    """Return whether the file's root is TEI's."""
    return _TEI in source.head and ("<TEI" in source.head or "<teiCorpus" in source.head or ":TEI" in source.head)


def read_tei(source: Source) -> Iterator[Document]:
    """Yield a document for each text. Raises FormatError for broken XML and for places outside the text."""
    root = source.xml()
    listed = [root] if _tag_name(root) == "TEI" else list(root.iter(f"{{{_TEI}}}TEI"))
    if not listed:
        raise FormatError(tr("there is no TEI element in the namespace {name}", name=_TEI))
    names = Names(source)
    for element in listed:
        own = source.stem.rpartition("/")[2] if len(listed) == 1 else element.get(_ID)
        yield _Text(element).document(names.of(own))


def _tag_name(element: Element) -> str:
    tag = element.tag
    return tag.removeprefix(f"{{{_TEI}}}") if isinstance(tag, str) else ""


class _Text:
    """One TEI element: its text and the places of the elements in it."""

    def __init__(self, root: Element) -> None:
        self._root = root
        body = root.find(f"{{{_TEI}}}text")
        if body is None:
            raise FormatError(tr("the TEI element has no text"))
        self._parts: list[str] = []
        self._length = 0
        self._places: dict[str, _Place] = {}
        self._inline: list[tuple[Element, _Place]] = []
        self._walk(body, 0)
        whole = "".join(self._parts)
        self._letters = [0, *accumulate(not character.isspace() for character in whole)]
        """Number of letters before each place."""
        self._cut = len(whole) - len(whole.lstrip())
        self.text = whole.strip()
        self._labels = {
            ident: " ".join("".join(element.itertext()).split()) or ident
            for element in root.iter()
            if (ident := element.get(_ID)) is not None
        }
        self._tally = Tally()

    def _walk(self, element: Element, deep: int) -> None:
        if deep > _DEEPEST:
            raise FormatError(tr("elements are nested deeper than {most} levels", most=_DEEPEST))
        name = _tag_name(element)
        if name in ("spanGrp", *_ANNOTATIONS) or not name:  # annotations and comments are no text
            return
        start = self._length
        self._put(element.text)
        for child in element:
            self._walk(child, deep + 1)
            self._put(child.tail)
        place = start, self._length
        ident = element.get(_ID)
        if ident is not None:
            self._places[ident] = place
        if name in _NAMING or (name == "seg" and (element.get("type") or element.get("ana"))):
            self._inline.append((element, place))

    def _put(self, text: str | None) -> None:
        self._parts.append(text or "")
        self._length += len(text or "")

    def document(self, name: str) -> Document:
        """Return the document with a layer for each annotator."""
        spans: dict[str, list[Span]] = {}
        for group in self._root.iter():
            for element in group:
                if _tag_name(element) in _ANNOTATIONS:
                    self._add(element, group, spans)
        if spans:
            self._tally.add("elements", len(self._inline))
        else:
            for number, (element, place) in enumerate(self._inline, start=1):
                label = self._of(element.get("ana")) or element.get("type") or _tag_name(element)
                span = self._span(place, label, {}, element.get(_ID) or number)
                spans.setdefault(_annotator(element), []).extend(span)
        layers = tuple(Layer(annotator, tuple(listed)) for annotator, listed in spans.items()) or (Layer("", ()),)
        return Document(name, self.text, layers, losses=self._tally.losses())

    def _add(self, element: Element, group: Element, spans: dict[str, list[Span]]) -> None:
        """Add the span of an annotation; one that points nowhere (a category) is none."""
        pointers = [element.get(name, "") for name in ("target", "inst", "from", "to")]
        pointed = [self._place(pointer) for pointer in _POINTERS.findall(" ".join(pointers))]
        if not pointed:
            return
        places = [place for place in pointed if place is not None]
        if len(places) < len(pointed):
            self._tally.add("pointers")
            return
        self._tally.add("gaps", self._has_gaps(places) and not element.get("from"))
        own = " ".join("".join(element.itertext()).split())
        category = self._of(element.get("ana"))
        label = category or own or element.get("type") or group.get("type")
        if not label:
            message = tr("the annotation of {pointers} has no label", pointers=short(" ".join(pointers).strip()))
            raise FormatError(message)
        place = min(start for start, _ in places), max(end for _, end in places)
        annotator = _annotator(element) or _annotator(group)
        listed = spans.setdefault(annotator, [])
        texts = {"comment": own} if category and own else {}
        listed.extend(self._span(place, label, texts, element.get(_ID) or len(listed) + 1))

    def _has_gaps(self, places: Sequence[_Place]) -> bool:
        ordered, letters = sorted(places), self._letters
        ends = accumulate((end for _, end in ordered), max)
        return any(letters[start] > letters[end] for end, (start, _) in zip(ends, ordered[1:], strict=False))

    def _place(self, pointer: str) -> _Place | None:
        """Return the place that a pointer points to; None for a pointer of another kind."""
        part = _RANGE.fullmatch(pointer)
        match = part or _POINTER.fullmatch(pointer)
        if match is None:
            return None
        if match[1] not in self._places:
            raise FormatError(tr("{pointer} points to no element of the text", pointer=short(pointer)))
        start, end = self._places[match[1]]
        if part is None:
            return start, end
        first = start + int(part[2])
        last = first + int(part[3]) if part[3] else end
        if not first <= last <= end:
            message = tr(
                "{pointer} ends behind the element, of {count} characters", pointer=short(pointer), count=end - start
            )
            raise FormatError(message)
        return first, last

    def _of(self, ana: str | None) -> str:
        """Return the label that ``@ana`` points to: the words of a category, else its id."""
        ident = (ana or "").split()[0].removeprefix("#") if (ana or "").split() else ""
        return self._labels.get(ident, ident)

    def _span(self, place: _Place, label: str, texts: dict[str, str], ident: int | str) -> list[Span]:
        """Return the span, in a list; none for one without words."""
        start, end = (min(max(border - self._cut, 0), len(self.text)) for border in place)
        if start == end:
            self._tally.add("empty")
            return []
        return [Span(start, end, label, texts, ident)]


def _annotator(element: Element) -> str:
    return element.get("resp", "").removeprefix("#")
