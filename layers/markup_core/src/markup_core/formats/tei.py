"""TEI P5 with simple stand-off annotation.

The text is the character content of ``<text>`` as it stands, without white space at its ends; a ``<teiCorpus>`` has a
document for each ``<TEI>``. Places count characters as XML does, which are code points.

* A span is a ``<span>``, an ``<annotation>`` or an ``<interp>`` whose ``@from`` and ``@to``, ``@target`` or ``@inst``
  point to ``#ID`` (an anchor or any element of the text) or to ``#string-range(ID, OFFSET, LENGTH)``; several targets
  are one span from the first to the last. Its label is what ``@ana`` points to, else its own words, else its ``@type``,
  else its group's.
* ``@resp`` of a span or of its group is its annotator.
* In a file without these, names in the text (``<rs>``, ``<name>``, ``<persName>`` …, ``<seg type="…">``) are spans; in
  one with them they are lost, and told. So are pointers of other kinds (XPath, ``match``, other files).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from markup_core.formats.corpus import Document, Layer, Source, Span
from markup_core.formats.foreign import FormatError, Tally
from markup_core.formats.lines import Names
from markup_core.reading.wire import short
from markup_core.texts import tr

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_TEI: Final = "http://www.tei-c.org/ns/1.0"
_ID: Final = "{http://www.w3.org/XML/1998/namespace}id"
_ANNOTATIONS: Final = ("span", "annotation", "interp")
_NAMES: Final = frozenset({"rs", "name", "persName", "placeName", "orgName", "geogName", "term"})
_RANGE: Final = re.compile(r"#?string-range\(\s*#?([\w.-]+)\s*,\s*([0-9]{1,9})\s*(?:,\s*([0-9]{1,9})\s*)?\)")
_POINTER: Final = re.compile(r"#([\w.-]+)")
_POINTERS: Final = re.compile(r"#?[\w-]+\([^)]*\)|\S+")
_DEEPEST: Final = 200
_Place = tuple[int, int]


def looks_like(source: Source) -> bool:
    """Return whether the file's root is TEI's."""
    return _TEI in source.head and ("<TEI" in source.head or "<teiCorpus" in source.head or ":TEI" in source.head)


def read(source: Source) -> Iterator[Document]:
    """Yield a document for each text. Raises FormatError for broken XML and for places outside the text."""
    root = source.xml()
    listed = [root] if _name(root) == "TEI" else list(root.iter(f"{{{_TEI}}}TEI"))
    if not listed:
        raise FormatError(tr("there is no TEI element in the namespace {name}", name=_TEI))
    names = Names(source)
    for element in listed:
        own = source.stem.rpartition("/")[2] if len(listed) == 1 else element.get(_ID)
        yield _Text(element).document(names.of(own))


def _name(element: Element) -> str:
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
        """Lists the number of letters before each place."""
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
        name = _name(element)
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
        if name in _NAMES or (name == "seg" and (element.get("type") or element.get("ana"))):
            self._inline.append((element, place))

    def _put(self, text: str | None) -> None:
        self._parts.append(text or "")
        self._length += len(text or "")

    def document(self, name: str) -> Document:
        """Return the document with a layer for each annotator."""
        spans: dict[str, list[Span]] = {}
        for group in self._root.iter():
            for element in group:
                if _name(element) in _ANNOTATIONS:
                    self._add(element, group, spans)
        if spans:
            self._tally.add("elements", len(self._inline))
        else:
            for number, (element, place) in enumerate(self._inline, start=1):
                label = self._of(element.get("ana")) or element.get("type") or _name(element)
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
