"""Formats that count words: tags in columns (CoNLL-2003 and its kin, CoNLL-U), and corrections in M2.

**Words in lines with tags in columns** (IOB, BIO, IOBES, BILOU …) are recognized by tags (``B-PER``) or by ten columns
of CoNLL-U; nothing is to be named.

* **Columns** are parted by tabs, else by blanks. The word is the first column, the second one where the first is a
  number; ``# global.columns`` names them (CoNLL-U Plus). The last column of which most entries are tags holds the
  spans. In CoNLL-U they stand in MISC (``NE=B-PER``, ``NER=…``, ``name=…``, as spaCy reads them); without them each
  word is a span whose label is its part of speech. All other columns are lost.
* **Tags** of every scheme are read by one rule: B, S, U, W and a tag of another label begin a span, E, L, S, U and W
  end it. Tags that no scheme allows (``E-PER`` after ``O``) begin one too and are told. A column of plain labels is
  read as spans of neighbours, and told.
* **Spans over the end of a sentence**: where each span of a file begins with B, S, U or W, an ``I-PER`` that begins a
  sentence goes on with the ``PER`` that was open at the end of the sentence before. Elsewhere (IOB1) it begins a span.
* **Text**: what ``# text`` says, where its words are the tokens; else the words with a blank between (none after
  ``SpaceAfter=No``) and a line for each sentence. Words of CoNLL-U with a range (``2-3``) stand for their parts; empty
  nodes (``2.1``) are left out.
* **Documents** begin at ``-DOCSTART-`` and ``# newdoc``; a file without them is one, and where it is larger than a
  markup may be, each sentence is one.

Offsets are the reader's own: the formats count words. Lines may end in CR LF; a byte order mark is left out.

**Corrections in M2** (:mod:`markup_core.formats.m2`): a unit is a document, an annotator a layer. Spans count tokens;
the text is the tokens with a blank between. A unit's name is the file's with its number. An annotator who has no line
at a unit has no layer there: M2 does not tell whether they saw it.

* The type is the label, the correction the fragment's; alternatives stay parted by ``||``.
* **Decision**: an insertion has no words of its own, so that the word before it is marked (at the unit's start the word
  behind), with that word and the insertion as its correction; this is told. In a unit without tokens it is lost.
* A deletion has an empty correction, as a correction that is not known has; this is told.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from markup_core.formats.corpus import Document, Layer, Names, Source, Span, Written, written_layers
from markup_core.formats.foreign import FormatError, Tally
from markup_core.formats.m2 import OR, USUAL_NOTE, Edit, M2Error, Unit, alternatives, parse
from markup_core.reading.wire import DEFAULT_LIMITS, short
from markup_core.texts import tr

_TAG: Final = re.compile(r"(?:([BIESLUWM])[-_](.+)|O)", re.DOTALL)
_BEGINS: Final = frozenset("BSUW")
_ENDS: Final = frozenset("ELSUW")
_DOCSTART: Final = "-DOCSTART-"
_NEWDOC: Final = re.compile(r"#\s*newdoc(?:\s+id\s*=\s*(.*\S))?\s*")
_COMMENT: Final = re.compile(r"#\s*([\w.]+)\s*=\s*(.*)", re.DOTALL)
_GLOBAL: Final = "global.columns"
_ID: Final = re.compile(r"[0-9]+(?:[-.][0-9]+)?")
_RANGE: Final = re.compile(r"([0-9]+)-([0-9]+)")
_UNIVERSAL: Final = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
_ENTITY: Final = re.compile(r"(?:^|\|)(?:NE|NER|name|ner)=([^|]*)")
_GLUED: Final = "SpaceAfter=No"
_EMPTY: Final = frozenset({"", "_", "-", "-X-"})
"""Cells without a value."""
_LOOKED_AT: Final = 200
"""Leading lines of a file by which it is recognized."""
_LONGEST: Final = 10_000
"""Most characters of a word."""


@dataclass(slots=True)
class _Sentence:
    """The rows of a sentence: number of the line and columns; its comments; whether a document begins."""

    rows: list[tuple[int, list[str]]] = field(default_factory=list)
    comments: dict[str, str] = field(default_factory=dict)
    document: str | None = None


@dataclass(frozen=True, slots=True)
class _Form:
    """Hold the columns of a file's words and tags; -1: there is none."""

    word: int
    tag: int
    misc: int = -1
    pos: int = -1
    is_plain: bool = False


@dataclass(slots=True)
class _Gathered:
    """A document while its sentences are gathered."""

    name: str | None
    parts: list[str] = field(default_factory=list)
    length: int = 0
    spans: list[Span] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)
    unread: set[int] = field(default_factory=set)
    """The columns that hold something and are lost; each counts once in a document."""


def looks_like_conll(source: Source) -> bool:
    """Return whether most lines end in columns of which one holds tags, or the file is CoNLL-U."""
    rows = [row for sentence in _sentences(source.head.splitlines()[:_LOOKED_AT]) for _, row in sentence.rows]
    if not rows or not all(len(row) > 1 for row in rows[:-1]):
        return False
    if all(len(row) == len(_UNIVERSAL) and _ID.fullmatch(row[0]) for row in rows[:-1] or rows):
        return True
    form = _form(rows, {})
    return form.tag >= 0 and not form.is_plain


def read_conll(source: Source) -> Iterator[Document]:
    """Yield the documents of a file. Raises FormatError with the line."""
    lines = source.text.removeprefix("\ufeff").split("\n")
    sentences = list(_sentences(line.removesuffix("\r") for line in lines))
    numbered = [row for sentence in sentences for row in sentence.rows]
    rows = [row for _, row in numbered]
    names = next((sentence.comments[_GLOBAL] for sentence in sentences if _GLOBAL in sentence.comments), "")
    form = _form(rows, {name: column for column, name in enumerate(names.upper().split())})
    if form.tag < 0 and form.misc < 0 and form.pos < 0:
        message = tr("no column holds tags such as B-PER, I-PER and O")
        raise FormatError(message, f"line {numbered[0][0]}" if rows else "")
    known_as = Names(source)
    has_borders = any(sentence.document is not None for sentence in sentences)
    going_on = _going_on(sentences, form)
    spans = 0 if has_borders else sum(1 for sentence in sentences for _ in _spans(sentence, form, Tally()))
    is_large = spans > DEFAULT_LIMITS.max_fragments or len(source.content) > DEFAULT_LIMITS.max_code_points
    document: _Gathered | None = None
    for number, sentence in enumerate(sentences):
        goes_on = number in going_on
        begins = sentence.document is not None if has_borders else number == 0 or (is_large and not goes_on)
        if begins and document is not None and (document.parts or has_borders):
            yield _finished(document, known_as)
            document = None
        if document is None:
            name = sentence.document or (sentence.comments.get("sent_id") if is_large and not has_borders else None)
            is_only = not has_borders and not is_large
            document = _Gathered(source.stem.rpartition("/")[2] if is_only else name)
        _add(sentence, form, document, goes_on)
    if document is not None:
        yield _finished(document, known_as)


def _finished(document: _Gathered, names: Names) -> Document:
    layer = Layer("", tuple(document.spans))
    return Document(names.of(document.name), "".join(document.parts), (layer,), losses=document.tally.losses())


def _sentences(lines: Iterable[str]) -> Iterator[_Sentence]:
    """Yield the sentences; a line that begins a document begins a sentence."""
    sentence = _Sentence()
    for number, line in enumerate(lines, start=1):
        if not line.strip(" \t"):
            if sentence.rows:
                yield sentence
                sentence = _Sentence()
            continue
        if _is_comment(line):
            if (begins := _NEWDOC.fullmatch(line)) is not None:
                sentence.document = begins[1] or ""
            elif (comment := _COMMENT.fullmatch(line)) is not None:
                sentence.comments[comment[1]] = comment[2]
            continue
        row = line.split("\t") if "\t" in line else [cell for cell in line.split(" ") if cell]
        if row[0] == _DOCSTART:
            if sentence.rows or sentence.document is not None:
                yield sentence
            sentence = _Sentence(document="")
            continue
        sentence.rows.append((number, row))
    if sentence.rows or sentence.document is not None:
        yield sentence


def _is_comment(line: str) -> bool:
    """Return whether a line is a comment; a word that begins with ``#`` has tabs or a tag behind it."""
    if not line.startswith("#") or "\t" in line.partition("=")[0]:
        return False
    return bool(_COMMENT.fullmatch(line) or _NEWDOC.fullmatch(line)) or _TAG.fullmatch(line.rpartition(" ")[2]) is None


def _form(rows: Sequence[Sequence[str]], named: Mapping[str, int]) -> _Form:
    """Return where words and tags stand."""
    if not rows:
        return _Form(0, -1)
    width = Counter(map(len, rows)).most_common(1)[0][0]
    rows = [row for row in rows if len(row) >= width]
    is_numbered = width > 1 and all(_ID.fullmatch(row[0]) for row in rows)
    word = named.get("FORM", 1 if is_numbered else 0)
    if is_numbered and (named.get("UPOS") or width == len(_UNIVERSAL)):
        misc, pos = named.get("MISC", 9), named.get("UPOS", 3)
        has_entities = misc < width and any(_ENTITY.search(row[misc]) for row in rows)
        is_tagged = any(_TAG.fullmatch(row[width - 1]) for row in rows) and width > len(_UNIVERSAL)
        if not is_tagged:
            return _Form(word, -1, misc if has_entities else -1, -1 if has_entities else pos)
    for column in range(width - 1, word, -1):
        tags = [row[column] for row in rows]
        if sum(_TAG.fullmatch(tag) is not None for tag in tags) * 2 > len(tags) and any(tag != "O" for tag in tags):
            return _Form(word, column)
    for column in range(width - 1, word, -1):
        if all(row[column] == "O" for row in rows):  # nobody marked anything in this file
            return _Form(word, column)
        if any(row[column] == "O" for row in rows):
            is_plain = all(row[column] == "O" or _TAG.fullmatch(row[column]) is None for row in rows)
            return _Form(word, column, is_plain=is_plain)
    return _Form(word, -1)


def _going_on(sentences: Sequence[_Sentence], form: _Form) -> frozenset[int]:
    """Return the numbers of the sentences whose first tag goes on with the span at the end of the sentence before.

    None in a file that begins any other span with I, E, L or M (IOB1), in plain labels and in parts of speech.
    """
    if form.is_plain or form.pos >= 0:
        return frozenset()
    numbers = set()
    before = ("O", "")
    for number, sentence in enumerate(sentences):
        if sentence.document is not None:
            before = ("O", "")
        for place, (line, row) in enumerate(sentence.rows):
            prefix, label = _tag(row, form, line)
            if prefix not in _BEGINS and prefix != "O":
                is_open = before[0] != "O" and before[0] not in _ENDS and before[1] == label
                if not is_open:
                    return frozenset()
                if place == 0:
                    numbers.add(number)
            before = prefix, label
    return frozenset(numbers)


def _spans(sentence: _Sentence, form: _Form, tally: Tally, goes_on: bool = False) -> Iterator[tuple[int, int, str]]:
    """Yield the spans of a sentence in rows, the end exclusive; ``goes_on``: the first began in the sentence before."""
    first, label, may_go_on = 0, _tag(sentence.rows[0][1], form, sentence.rows[0][0])[1] if goes_on else "", goes_on
    for place, (number, row) in enumerate([*sentence.rows, (0, [])]):
        prefix, name = _tag(row, form, number) if row else ("O", "")
        is_inside = may_go_on and name == label and prefix not in _BEGINS and prefix != "O"
        if label and not is_inside:
            yield first, place, label
            label = ""
        if prefix != "O" and not is_inside:
            first, label = place, name
            tally.add("tags", prefix in "ELM", f"line {number}", f"{prefix}-{name}")
        may_go_on = prefix not in _ENDS and prefix != "O"
        if label and prefix in _ENDS:
            yield first, place + 1, label
            label = ""


def _tag(row: Sequence[str], form: _Form, number: int) -> tuple[str, str]:
    """Return the prefix and the label of a row; O stands for none."""
    if form.pos >= 0:
        pos = row[form.pos] if form.pos < len(row) else "_"
        is_word = "-" not in row[0] and "." not in row[0] and pos != "_"
        return ("S", pos) if is_word else ("O", "")
    if form.misc >= 0:
        entity = _ENTITY.search(row[form.misc]) if form.misc < len(row) else None
        tag = entity[1] if entity else "O"
    elif form.tag < len(row):
        tag = row[form.tag]
    else:
        raise FormatError(
            tr("the line has {count} columns, the tags are in column {column}", count=len(row), column=form.tag + 1),
            f"line {number}",
        )
    if form.is_plain:
        return ("I", tag) if tag != "O" else ("O", "")
    match = _TAG.fullmatch(tag)
    if match is None:
        if tag in _EMPTY:
            return "O", ""
        raise FormatError(tr("{tag} is no tag such as B-PER, I-PER or O", tag=short(tag)), f"line {number}")
    return (match[1], match[2]) if match[1] else ("O", "")


def _add(sentence: _Sentence, form: _Form, document: _Gathered, goes_on: bool = False) -> None:
    """Add a sentence to a document; ``goes_on``: its first span began in the sentence before."""
    if not sentence.rows:
        return
    words, owners = _words(sentence, form)
    text, places = _laid_out(words, sentence.comments.get("text"), document.tally, f"line {sentence.rows[0][0]}")
    open_end = document.length if goes_on else -1
    if document.parts:
        document.parts.append("\n")
        document.length += 1
    for first, behind, label in _spans(sentence, form, document.tally, goes_on):
        owned = [places[owner] for owner in owners[first:behind] if owner is not None]
        if not owned:
            document.tally.add("empty", 1, f"line {sentence.rows[first][0]}", label)
            continue
        start, end = document.length + owned[0][0], document.length + owned[-1][1]
        if first == 0 and document.spans and document.spans[-1].end == open_end:
            document.spans[-1] = replace(document.spans[-1], end=end)
            continue
        place = f"line {sentence.rows[first][0]}"
        document.spans.append(Span(start, end, label, {}, len(document.spans) + 1, place))
    document.parts.append(text)
    document.length += len(text)
    plain = [(line, row[form.tag]) for line, row in sentence.rows if row[form.tag] != "O"] if form.is_plain else []
    if plain:
        document.tally.add("plain_tags", 1, f"line {plain[0][0]}", plain[0][1])
    used = {form.word, form.tag, form.misc, form.pos, *([0] if form.word > 0 else [])}
    for line, row in sentence.rows:
        for column, cell in enumerate(row):
            if column not in used and column not in document.unread and cell not in _EMPTY:
                document.unread.add(column)
                document.tally.add("columns", 1, f"line {line}", cell)


def _words(sentence: _Sentence, form: _Form) -> tuple[list[tuple[str, bool]], list[int | None]]:
    """Return the words of a sentence, each with whether the next follows without a blank, and the word of each row."""
    words: list[tuple[str, bool]] = []
    owners: list[int | None] = []
    behind = 0
    for number, row in sentence.rows:
        if form.word >= len(row) or not row[form.word] or len(row[form.word]) > _LONGEST:
            raise FormatError(tr("the line has no word of 1 to {most} characters", most=_LONGEST), f"line {number}")
        ident = row[0] if form.word > 0 else ""
        if "." in ident:
            owners.append(None)
            continue
        part = int(ident) if ident.isdecimal() and len(ident) < 10 else 0
        if part and part <= behind:
            owners.append(len(words) - 1)
            continue
        if (span := _RANGE.fullmatch(ident)) is not None and len(span[2]) < 10:
            behind = int(span[2])
        owners.append(len(words))
        words.append((row[form.word], any(_GLUED in cell.split("|") for cell in row[form.word + 1 :])))
    return words, owners


def _laid_out(
    words: Sequence[tuple[str, bool]], text: str | None, tally: Tally, line: str
) -> tuple[str, list[tuple[int, int]]]:
    """Return a sentence's text and the places of its words; a given text whose words are others is not taken."""
    if text is not None:
        places, end = [], 0
        for word, _ in words:
            start = text.find(word, end)
            if start < 0 or text[end:start].strip():
                break
            end = start + len(word)
            places.append((start, end))
        else:
            if not text[end:].strip():
                return text, places
        tally.add("texts_differ", 1, line, text)
    parts, places, end = [], [], 0
    for number, (word, is_glued) in enumerate(words):
        places.append((end, end + len(word)))
        parts.append(word if is_glued or number == len(words) - 1 else f"{word} ")
        end += len(parts[-1])
    return "".join(parts), places


def write_conll(documents: Iterable[Document]) -> Written:
    """Write documents as CoNLL-2003 has them, words and IOB tags: ``word -X- _ B-PER``, a line of the text a sentence.

    A word is a run of letters, digits and marks, or any other single character; a span is widened to whole words, of
    two that share a word the later is left out. A line end inside a span ends no sentence: other readers would cut the
    span there.
    """
    tally = Tally()
    lines: list[str] = []
    for document, _, spans in written_layers(documents, tally):
        tally.add("meta", len(document.meta))
        lines += [f"{_DOCSTART} -X- _ O", ""]
        text, words = document.text, _split(document.text)
        tags = _tags(words, spans, tally, document)
        tally.add("blanks", bool(text) and (not words or words[0][0] > 0) + bool(words and text[words[-1][1] :]))
        for number, ((start, end), tag) in enumerate(zip(words, tags, strict=True), start=1):
            lines.append(f"{text[start:end]} -X- _ {tag}")
            is_last = number == len(words)
            gap = "\n" if is_last else text[end : words[number][0]]
            is_end = "\n" in gap or "\r" in gap
            is_inside = not is_last and tags[number].startswith("I-")
            tally.add(
                "line_breaks" if is_end and is_inside else "blanks", gap not in (" ", "\n") or (is_end and is_inside)
            )
            if is_end and not is_inside:
                lines.append("")
    return Written("".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass"), tally.losses())


def _split(text: str) -> list[tuple[int, int]]:
    """Return the places of the words."""
    words: list[tuple[int, int]] = []
    is_open = False
    for place, character in enumerate(text):
        is_mark = unicodedata.category(character)[0] == "M"
        if is_open and (is_mark or character.isalnum()):
            words[-1] = words[-1][0], place + 1
        elif not character.isspace():
            words.append((place, place + 1))
        is_open = character.isalnum() or (is_open and is_mark)
    return words


def _tags(words: Sequence[tuple[int, int]], spans: Iterable[Span], tally: Tally, document: Document) -> list[str]:
    """Return the tag of each word."""
    tags = ["O"] * len(words)
    starts, ends = [start for start, _ in words], [end for _, end in words]
    for span in sorted(spans, key=lambda one: (one.start, -one.end)):
        first, behind = bisect_right(ends, span.start), bisect_left(starts, span.end)
        place, quoted = f"{document.name}, {span.start}–{span.end}", document.text[span.start : span.end]
        if first >= behind:
            tally.add("empty", 1, place, quoted)
        elif any(tag != "O" for tag in tags[first:behind]):
            tally.add("overlaps", 1, place, quoted)
        else:
            is_inside = starts[first] < span.start or span.end < ends[behind - 1]
            tally.add("inner_borders", is_inside, place, quoted)
            label = re.sub(r"\s+", "_", span.label)
            tags[first:behind] = [f"B-{label}"] + [f"I-{label}"] * (behind - first - 1)
    return tags


def read_m2(source: Source) -> Iterator[Document]:
    """Yield a document for each unit. Raises FormatError with the first faulty line."""
    try:
        units = parse(source.text)
    except M2Error as error:
        raise FormatError(error.message) from None
    names = Names(source)
    for unit in units:
        yield _of_unit(unit, names.of(None))


def _of_unit(unit: Unit, name: str) -> Document:
    tokens = unit.tokens
    starts = [0]
    for token in tokens:
        starts.append(starts[-1] + len(token) + 1)
    layers = []
    for annotator, edits in (unit.annotators or {0: ()}).items():
        tally = Tally()
        spans = [_of_edit(edit, tokens, starts, number, unit, tally) for number, edit in enumerate(edits, start=1)]
        own = tuple(span for span in spans if span is not None)
        layers.append(Layer(str(annotator), own, losses=tally.losses()))
    return Document(name, " ".join(tokens), tuple(layers))


def _of_edit(edit: Edit, tokens: list[str], starts: list[int], number: int, unit: Unit, tally: Tally) -> Span | None:
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
