r"""brat's standoff: the text as it is (``.txt``), and a line per annotation (``.ann``).

The format is described at http://brat.nlplab.org/standoff.html; offsets are code points, ends exclusive. Of a markup:

* a fragment is a text-bound annotation whose type is the code: ``T1<TAB>Г.упр 23 38<TAB>Согласно закона``; since
  brat's lines hold no line end, a span over several lines is written, as brat does, in a piece per line
  (``23 30;31 38``), and pieces with nothing but white space between them are read as one span again;
* the comment is a note, ``#1<TAB>AnnotatorNotes T1<TAB>…``; subtype, explanation, correction and tag are notes of the
  kinds ``Subtype``, ``Explanation``, ``Correction``, ``Tag``; attributes of these names are read too;
* a full-text fragment spans the whole text and has the attribute ``A1<TAB>FullText T1``.

A span with true gaps is read as one that covers them, which is counted as a loss: a fragment is one span, and what the
annotator meant is at least marked. Relations, events, normalisations and other attributes and notes are lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from types import MappingProxyType
from typing import Final

from markup_core.formats.labels import TEXTS, Import, Wanted
from markup_core.formats.losses import Loss, Tally
from markup_core.formats.places import FormatError, checked_span, same_words
from markup_core.model import Fragment, Markup
from markup_core.reading.wire import short, short_ru
from markup_core.said import Said

_FULL_TEXT: Final = "FullText"
_KINDS: Final = {"comment": "AnnotatorNotes", **{name: name.capitalize() for name in TEXTS if name != "comment"}}
_FIELDS: Final = {kind.casefold(): name for name, kind in _KINDS.items()} | {name: name for name in TEXTS}

_SPAN: Final = re.compile(
    r"T(?P<number>[0-9]{1,18})\t(?P<type>\S+) (?P<pieces>[0-9; ]+)(?:\t(?P<words>.*))?", re.DOTALL
)
_PIECE: Final = re.compile(r"([0-9]{1,9}) ([0-9]{1,9})")
_ATTRIBUTE: Final = re.compile(r"[AM][0-9]+\t(?P<name>\S+) (?P<target>\S+)(?: (?P<value>.*))?", re.DOTALL)
_NOTE: Final = re.compile(r"#[0-9]*\t(?P<name>\S+) (?P<target>\S+)(?:\t(?P<value>.*))?", re.DOTALL)
_LOST: Final = {"R": "relations", "*": "relations", "E": "events", "N": "normalizations"}
_LINE: Final = re.compile(r"[^\r\n]+")
_UNWRITABLE: Final = re.compile(r"[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]")
"""What ends a line or a field for one program or another; Python's own ``splitlines`` knows all of these."""


@dataclass(frozen=True, slots=True)
class Standoff:
    """The two files of a document, and what they do not carry."""

    text: str
    annotations: str
    losses: tuple[Loss, ...]


def write(markup: Markup) -> Standoff:
    """A valid markup in brat's format. Raises FormatError for a code with a blank in it, which no type may have."""
    tally = Tally()
    tally.add("meta", len(markup.meta))
    tally.add("criteria", len(markup.criteria))
    lines: list[str] = []
    notes = attributes = 0
    for number, fragment in _numbered(markup, tally):
        if re.search(r"\s", fragment.code):
            message = Said(
                f"the code {short(fragment.code)} holds a blank, which brat's types may not; export to another format",
                f"в коде {short_ru(fragment.code)} есть пробел, а в типе brat его быть не может; нужен другой формат",
            )
            raise FormatError(message, f"fragment {short(fragment.id)}")
        span = (0, len(markup.text)) if fragment.is_full_text else (fragment.start, fragment.end)
        pieces = _pieces(markup.text, *span)
        places = ";".join(f"{start} {end}" for start, end in pieces)
        words = " ".join(_UNWRITABLE.sub(" ", markup.text[start:end]) for start, end in pieces)
        lines.append(f"T{number}\t{fragment.code} {places}\t{words}\n")
        if fragment.is_full_text:
            attributes += 1
            lines.append(f"A{attributes}\t{_FULL_TEXT} T{number}\n")
        for name, kind in _KINDS.items():
            value: str = getattr(fragment, name)
            if not value:
                continue
            notes += 1
            written = _UNWRITABLE.sub(" ", value)
            tally.add("line_ends", written != value)
            lines.append(f"#{notes}\t{kind} T{number}\t{written}\n")
    return Standoff(markup.text, "".join(lines), tally.losses())


def _numbered(markup: Markup, tally: Tally) -> Iterator[tuple[int, Fragment]]:
    """The fragments that can be written, with their numbers: their ids, where these are distinct positive numbers."""
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


def _pieces(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The lines of a span; the outer borders are the span's own, even where it begins or ends with a line end."""
    pieces = [match.span() for match in _LINE.finditer(text, start, end)] or [(start, end)]
    pieces[0] = (start, pieces[0][1])
    pieces[-1] = (pieces[-1][0], end)
    return pieces


@dataclass(slots=True)
class _Annotation:
    """A text-bound annotation while its notes and attributes are gathered."""

    place: str
    ident: int | str
    label: str
    span: tuple[int, int]
    full_text: bool = False
    texts: dict[str, str] = field(default_factory=dict)


def read(text: str, annotations: str, wanted: Wanted) -> Import:
    """The markup of a document's two files. Raises FormatError with the line of the ``.ann``.

    A note that stands twice is joined by a line end.
    """
    labels = wanted.labels()
    tally = Tally()
    found: dict[str, _Annotation] = {}
    said: list[re.Match[str]] = []
    for number, written in enumerate(annotations.removeprefix("\ufeff").split("\n"), start=1):
        line, place = written.removesuffix("\r"), f"line {number}"
        if not line.strip():
            continue
        if line.startswith("T"):
            name = line.partition("\t")[0]
            if name in found:
                raise FormatError(Said(f"{short(name)} stands twice", f"{short_ru(name)} встречается дважды"), place)
            found[name] = _text_bound(line, text, place, tally)
        elif line[0] in _LOST:
            tally.add(_LOST[line[0]])
        elif match := _ATTRIBUTE.fullmatch(line) or _NOTE.fullmatch(line):
            said.append(match)  # may stand before what it speaks of
        else:
            message = Said(
                f"this is no line of brat's standoff: {short(line)}", f"это не строка brat: {short_ru(line)}"
            )
            raise FormatError(message, place)
    for match in said:
        _attach(match, found, tally)
    made = [
        labels.fragment(one.label, (0, 0) if one.full_text else one.span, one.texts, one.ident, one.place, tally)
        for one in found.values()
    ]
    labels.check()
    fragments = tuple(fragment for fragment in made if fragment is not None)
    return Import(Markup(text, fragments, MappingProxyType({"subject": labels.subject})), tally.losses())


def _text_bound(line: str, text: str, place: str, tally: Tally) -> _Annotation:
    match = _SPAN.fullmatch(line)
    pieces = [_PIECE.fullmatch(piece) for piece in match["pieces"].split(";")] if match else []
    spans = [(int(piece[1]), int(piece[2])) for piece in pieces if piece]
    if match is None or len(spans) < len(pieces):
        message = Said(
            f"T1<TAB>type start end<TAB>words is expected, not {short(line)}",
            f"ожидается T1<TAB>тип начало конец<TAB>слова, а не {short_ru(line)}",
        )
        raise FormatError(message, place)
    spans.sort()
    for start, end in spans:
        checked_span(start, end, text, place)
    words = " ".join(text[start:end] for start, end in spans)
    if match["words"] and not same_words(match["words"], words):
        message = Said(
            f"the words are {short(match['words'])}, but the text has {short(words)} there; "
            "the .ann belongs to another text, or its line ends were changed",
            f"указаны слова {short_ru(match['words'])}, а в тексте на этом месте {short_ru(words)}; "
            "файл .ann от другого текста или в тексте изменены концы строк",
        )
        raise FormatError(message, place)
    gaps = [text[before[1] : after[0]] for before, after in pairwise(spans)]
    tally.add("gaps", any(gap.strip() for gap in gaps))
    digits = match["number"]
    ident = int(digits) if str(int(digits)) == digits else f"T{digits}"
    return _Annotation(place, ident, match["type"], (spans[0][0], max(end for _, end in spans)))


def _attach(match: re.Match[str], found: dict[str, _Annotation], tally: Tally) -> None:
    kind = "notes" if match.re is _NOTE else "attributes"
    target, value = found.get(match["target"]), match["value"] or ""
    if target is not None and kind == "attributes" and match["name"] == _FULL_TEXT:
        target.full_text = True
        return
    name = _FIELDS.get(match["name"].casefold())
    if target is None or name is None:
        tally.add(kind)
        return
    target.texts[name] = f"{target.texts[name]}\n{value}" if name in target.texts else value
