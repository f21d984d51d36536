"""brat's standoff: the text (``.txt``), a line per annotation (``.ann``), and the configuration of a project.

The format is described at http://brat.nlplab.org/standoff.html; offsets are code points, ends exclusive. Of a markup:

* a fragment is a text-bound annotation whose type is the code's name in Latin letters
  (:func:`~markup_core.formats.labels.type_names`): ``T1<TAB>G_upr 23 38<TAB>Согласно закона``; since
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
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Final

from markup_core.codes import MEANING, fold
from markup_core.formats.corpus import Document, Layer, Source, Span, decoded
from markup_core.formats.foreign import TEXTS, FormatError, Loss, Tally, checked_span, same_words
from markup_core.formats.labels import NO_CODES, STORED, Codes, type_names
from markup_core.model import Fragment, Markup
from markup_core.reading.classifier import Classifier
from markup_core.reading.wire import short
from markup_core.texts import tr

ANNOTATION: Final = "annotation.conf"
VISUAL: Final = "visual.conf"
FULL_TEXT: Final = "FullText"
NAME: Final = "brat"
SUFFIX: Final = ".ann"
TEXT: Final = ".txt"
_COLOURS: Final = {True: "#cfe2ff", False: "#ffd8cc"}
"""Of semantic blocks and of errors."""


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


def looks_like(source: Source) -> bool:
    """Return whether a file is one of brat's annotations; an empty one is."""
    return source.suffix == SUFFIX


def read(source: Source) -> Iterator[Document]:
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
            remarks.append(match)  # may stand before what it speaks of
        else:
            message = tr("this is no line of brat's standoff: {line}", line=short(line))
            raise FormatError(message, place)
    for match in remarks:
        _attach(match, text_bounds, tally)
    spans = tuple(
        Span(*((0, 0) if bound.full_text else bound.span), bound.label, bound.texts, bound.ident, bound.place)
        for bound in text_bounds.values()
    )
    return Document(name, text, (Layer("", spans, losses=tally.losses()),))


def _text_bound(line: str, text: str, place: str, tally: Tally) -> _Annotation:
    match = _SPAN.fullmatch(line)
    pieces = [_PIECE.fullmatch(piece) for piece in match["pieces"].split(";")] if match else []
    spans = [(int(piece[1]), int(piece[2])) for piece in pieces if piece]
    if match is None or len(spans) < len(pieces):
        message = tr("T1<TAB>type start end<TAB>words is expected, not {line}", line=short(line))
        raise FormatError(message, place)
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
