r"""brat's standoff: the text as it is (``.txt``), and a line per annotation (``.ann``).

The format is described at http://brat.nlplab.org/standoff.html; offsets are code points, ends exclusive. Of a markup:

* a fragment is a text-bound annotation whose type is the code's name in Latin letters
  (:mod:`markup_core.formats.brat_project`): ``T1<TAB>G_upr 23 38<TAB>Согласно закона``; since
  brat's lines hold no line end, a span over several lines is written, as brat does, in a piece per line
  (``23 30;31 38``), without line ends and tabs at its borders, and pieces with nothing but white space between them are
  read as one span again;
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

from markup_core.formats.brat_project import FULL_TEXT, chosen_names, type_names
from markup_core.formats.labels import NO_CODES, TEXTS, Codes, Import, Wanted
from markup_core.formats.losses import Loss, Tally
from markup_core.formats.places import FormatError, checked_span, same_words
from markup_core.model import Fragment, Markup, fold
from markup_core.reading.classifier import Classifier
from markup_core.reading.wire import short, short_ru
from markup_core.said import Said

_KINDS: Final = {"comment": "AnnotatorNotes", **{name: name.capitalize() for name in TEXTS if name != "comment"}}
_FIELDS: Final = {kind.casefold(): name for name, kind in _KINDS.items()} | {name: name for name in TEXTS}

_SPAN: Final = re.compile(
    r"T(?P<number>[0-9]{1,18})\t(?P<type>\S+) (?P<pieces>[0-9; ]+)(?:\t(?P<words>.*))?", re.DOTALL
)
_PIECE: Final = re.compile(r"([0-9]{1,9}) ([0-9]{1,9})")
_ATTRIBUTE: Final = re.compile(r"[AM][0-9]+\t(?P<name>\S+) (?P<target>\S+)(?: (?P<value>.*))?", re.DOTALL)
_NOTE: Final = re.compile(r"#[0-9]*\t(?P<name>\S+) (?P<target>\S+)(?:\t(?P<value>.*))?", re.DOTALL)
_LOST: Final = {"R": "relations", "*": "relations", "E": "events", "N": "normalizations"}
_UNWRITABLE: Final = re.compile(r"[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]")
"""What ends a line or a field for one program or another; Python's own ``splitlines`` knows all of these."""
_LINE: Final = re.compile(r"[^\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]+")
"""What can stand in a piece: brat refuses an annotation whose words are not those of its places to the letter."""


@dataclass(frozen=True, slots=True)
class Standoff:
    """The two files of a document, and what they do not carry."""

    text: str
    annotations: str
    losses: tuple[Loss, ...]


def write(markup: Markup, classifier: Classifier | None = None, codes: Codes = NO_CODES) -> Standoff:
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
            message = Said(
                f"the classifier does not know the code {short(fragment.code)}, so that it has no type in brat",
                f"кода {short_ru(fragment.code)} нет в классификаторе, и типа brat для него нет",
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
    codes = {name: code for code, name in type_names(wanted.classifier).items()}
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
    for one in found.values():
        if one.label not in wanted.codes and wanted.classifier.lookup(labels.subject, one.label) is None:
            of_type = wanted.classifier.lookup(labels.subject, codes.get(one.label, ""))
            one.label = of_type.code if of_type else one.label
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
    if target is not None and kind == "attributes" and match["name"] == FULL_TEXT:
        target.full_text = True
        return
    name = _FIELDS.get(match["name"].casefold())
    if target is None or name is None:
        tally.add(kind)
        return
    target.texts[name] = f"{target.texts[name]}\n{value}" if name in target.texts else value
