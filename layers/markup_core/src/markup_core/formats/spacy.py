"""spaCy's files: the JSON of spaCy and Prodigy, and spaCy's DocBin, read without spaCy.

**JSON**: a text a line, or a list of them. Read are what ``Doc.to_json`` writes (``ents``, ``spans`` by groups,
``cats``), lines ``{"text", "spans"}`` and ``{"text", "entities"}`` whose spans are objects or lists ``[start, end,
label]``, pairs ``["text", {"entities": […]}]`` of spaCy 2's training data, and Prodigy's tasks. Places count code
points where the line is spaCy's or Prodigy's own (it has ``tokens``, ``ents`` or a hash); elsewhere a span's own
``text`` decides, else code points are assumed.

* Entities and all groups of spans are one annotation; a place with one label stands in it once.
* Prodigy's tasks with one ``_input_hash`` (else: one ``id`` and text) are one document, with a layer for each
  ``_annotator_id`` or ``_session_id``; what one annotator accepted in several tasks is one layer. Only tasks with
  ``"answer": "accept"`` count. A task that the recipe ``review`` made (it has ``versions``) is a curated layer.
* Relations, labels of whole texts and other fields are lost.

**DocBin** (``.spacy``, docs/decisions/0053-docbin.md): a file is zlib around MessagePack: the numbers of the
attributes, a table of 64-bit numbers with a row for each word, whether a blank follows it, how many words each document
has, and the strings that the numbers stand for. A string's number is its MurmurHash64A, but for names of spaCy's own
symbols, whose number is their place in a list (``data/docbin_symbols.txt``): ``PER`` is a hash, ``LOC`` is 385.
Entities are the columns ENT_IOB and ENT_TYPE; groups of spans are nested messages, whose places are numbers of words.

The text is that of the words and blanks, which is the document's own; of words with unknown blanks it is the words with
a blank between, as spaCy makes it. Entities and all groups of spans are one annotation. Labels of whole texts and what
else the words have (parts of speech, lemmas …) are lost; the latter is in nearly every file and is told once.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from markup_core.formats import corpus
from markup_core.formats.foreign import TEXTS, FormatError, Node, Tally
from markup_core.reading.wire import short
from markup_core.texts import tr

if TYPE_CHECKING:
    import numpy as np

_LISTS: Final = ("spans", "entities", "ents")
_OWN: Final = frozenset(
    {"id", "text", "answer", "tokens", "sents", "cats", "relations", "options", "accept", "meta", "versions", *_LISTS}
)
_ACCEPT: Final = "accept"


@dataclass(slots=True)
class _Gathered:
    """A document while its tasks are gathered."""

    text: str
    name: str
    meta: Any
    tally: Tally
    places: corpus.Places
    spans: dict[tuple[str, bool], dict[tuple[int, int, str], corpus.Span]] = field(default_factory=dict)
    """Spans by annotator and by a flag of curated layers, each place with a label once."""


def looks_like_json(source: corpus.Source) -> bool:
    """Return whether the first line is spaCy's or Prodigy's."""
    value = corpus.first_value(source)
    if isinstance(value, list) and len(value) == 2 and isinstance(value[0], str):
        value = value[1] if isinstance(value[1], dict) and isinstance(value[1].get("entities"), list) else None
        return value is not None
    if not isinstance(value, dict) or not isinstance(value.get("text"), str) or "selections" in value:
        return False
    return any(isinstance(value.get(name), list | dict) for name in (*_LISTS, "tokens")) or "_input_hash" in value


def read_json(source: corpus.Source) -> Iterator[corpus.Document]:
    """Yield a document for each text. Raises FormatError with the line."""
    names, tally = corpus.Names(source), Tally()
    documents: dict[object, _Gathered] = {}
    for task in corpus.nodes(source):
        if isinstance(task.value, list) and len(task.value) == 2 and isinstance(task.value[1], dict):  # of spaCy 2
            task = Node({"text": task.value[0]} | task.value[1], task.path)  # noqa: PLW2901
        text = corpus.text_of(task, "text")
        fields = task.object()
        if fields.get("answer", _ACCEPT) != _ACCEPT:
            tally.add("rejected")
            continue
        ident = fields.get("id") if _is_ident(fields.get("id")) else None
        key = fields["_input_hash"] if isinstance(fields.get("_input_hash"), int) else (ident, text)
        if key not in documents or documents[key].text != text:
            own = fields["meta"] if isinstance(fields.get("meta"), dict) else {}
            rest = {name: value for name, value in fields.items() if name not in _OWN and name[:1] != "_"}
            meta = corpus.kept_meta(own | rest, tally)
            is_own = "tokens" in fields or "ents" in fields or "_input_hash" in fields
            name = names.of(fields.get("id", own.get("id")))
            documents[key] = _Gathered(text, name, meta, tally, corpus.Places(text, is_own))
            tally = Tally()
        _add(task, documents[key])
    if not documents:
        raise FormatError(tr("the file holds no accepted annotation"))
    for number, document in enumerate(documents.values()):
        if number == 0:
            document.tally.take(tally.losses())
        layers = tuple(
            corpus.Layer(annotator, tuple(spans.values()), is_curated)
            for (annotator, is_curated), spans in document.spans.items()
        )
        yield corpus.Document(document.name, document.text, layers, document.meta, document.tally.losses())


def _add(task: Node, document: _Gathered) -> None:
    """Add the spans of a task to its annotator's layer."""
    fields, tally = task.object(), document.tally
    tally.add("relations", len(list(task.child("relations").one_or_more())))
    chosen = fields.get("cats") or fields.get("accept") or ()
    tally.add("categories", len(chosen) if isinstance(chosen, dict | list) else 0)
    annotator = next((fields[name] for name in ("_annotator_id", "_session_id") if fields.get(name)), "")
    spans = document.spans.setdefault((str(annotator), bool(fields.get("versions"))), {})
    for entry in chain.from_iterable(_entries(task.child(name)) for name in _LISTS):
        if isinstance(entry.value, list):
            parts = list(entry.items())
            if len(parts) != 3:
                raise entry.error(tr("a span is a list of start, end and label"))
            start, end, label, words, texts = *parts, None, {}
        else:
            start, end, label = (entry.child(name) for name in ("start", "end", "label"))
            words = entry.child("text").text() if entry.has("text") else None
            texts = {name: entry.child(name).text() for name in TEXTS if entry.has(name)}
        borders = document.places.of(start.whole(), end.whole(), words, entry.path, tally)
        if borders is not None:
            ident = entry.value["id"] if isinstance(entry.value, dict) and _is_ident(entry.value.get("id")) else 0
            key = (*borders, label.text())
            spans.setdefault(key, corpus.Span(*key, texts, ident or len(spans) + 1, entry.path))


def _is_ident(value: object) -> bool:
    return isinstance(value, int | str) and not isinstance(value, bool) and value != ""


def _entries(listed: Node) -> Iterator[Node]:
    """Yield the spans of a list, or of a dictionary of groups."""
    if isinstance(listed.value, dict):
        return chain.from_iterable(listed.child(name).items() for name in listed.value)
    return listed.one_or_more()


def write_json(documents: Iterable[corpus.Document]) -> corpus.Written:
    """Write documents as Prodigy's tasks, a line for each layer; spaCy reads the same spans."""
    tally = Tally()
    lines = []
    for document, layer, spans in corpus.written_layers(documents, tally, TEXTS):
        meta = dict(document.meta)
        listed = [
            {
                "start": span.start,
                "end": span.end,
                "label": span.label,
                "text": document.text[span.start : span.end],
                "id": span.ident,
                **span.texts,
            }
            for span in spans
        ]
        by = {"_annotator_id": layer.annotator} if layer.annotator else {}
        lines.append(
            {"id": document.name, "text": document.text, "meta": meta, "spans": listed, "answer": _ACCEPT, **by}
        )
    return corpus.Written(corpus.written_lines(lines), tally.losses())


_ORTH, _ENT_IOB, _ENT_TYPE = 65, 77, 78
_PLAIN: Final = frozenset({_ORTH, _ENT_IOB, _ENT_TYPE, 67, 81})
"""Columns that need not be reported as lost: NORM and SPACY say nothing of their own."""
_BEGIN, _OUTSIDE, _MISSING = 3, 2, 0
_DEEPEST: Final = 32
_GROUP: Final = struct.Struct(">QQQllll")
_MULTIPLIER: Final = 0xC6A4A7935BD1E995
_MASK: Final = (1 << 64) - 1


def looks_like_docbin(source: corpus.Source) -> bool:
    """Return whether the bytes are a zlib stream under DocBin's suffix."""
    return source.suffix == ".spacy" and source.content[:1] == b"\x78"


def read_docbin(source: corpus.Source) -> Iterator[corpus.Document]:
    """Yield the documents of a DocBin. Raises FormatError for other bytes."""
    bin_, names = _Bin(_unpacked(source.content)), corpus.Names(source)
    for number in range(len(bin_.lengths)):
        yield bin_.document(number, names.of(None))


def _unpacked(content: bytes) -> Mapping[str, Any]:
    """Return the message, at most as large as a file may be."""
    reader = zlib.decompressobj()
    try:
        message = reader.decompress(content, corpus.LARGEST)
    except zlib.error:
        raise FormatError(tr("this is no DocBin: it is not compressed by zlib")) from None
    if reader.unconsumed_tail:
        raise FormatError(tr("the DocBin unpacks to more than {most} bytes; part it", most=corpus.LARGEST))
    value = unpack(message)
    kinds = {"attrs": list, "tokens": bytes, "spaces": bytes, "lengths": bytes, "strings": list}
    if not isinstance(value, dict) or not all(isinstance(value.get(name), kind) for name, kind in kinds.items()):
        raise FormatError(tr("this is no DocBin: attrs, tokens, spaces, lengths and strings are expected"))
    return value


class _Bin:
    """The tables of a DocBin."""

    def __init__(self, message: Mapping[str, Any]) -> None:
        self.attributes: list[int] = message["attrs"]
        if _ORTH not in self.attributes:
            raise FormatError(tr("the DocBin has no words (attribute ORTH)"))
        import numpy as np  # other formats are read without it

        try:
            self.lengths = np.frombuffer(message["lengths"], dtype="<i4")
            rows = np.frombuffer(message["tokens"], dtype="<u8").reshape(-1, len(self.attributes))
            blanks = np.frombuffer(message["spaces"], dtype=np.bool_)
        except (ValueError, TypeError):
            raise FormatError(tr("the DocBin's tables are cut off; write it again")) from None
        if (self.lengths < 0).any() or not len(rows) == len(blanks) == int(self.lengths.sum(dtype=np.int64)):
            raise FormatError(tr("the DocBin's tables differ in length; write it again"))
        self._rows, self._blanks = rows, blanks
        self._ends = np.cumsum(self.lengths)
        self._strings = {number_of(string): string for string in message["strings"] if isinstance(string, str)}
        self._message = message

    def _string(self, number: int) -> str:
        if number not in self._strings:
            message = tr(
                "the file does not hold the string with the number {number}; write it again by spaCy, or as JSON Lines "
                "(Doc.to_json)",
                number=number,
            )
            raise FormatError(message)
        return self._strings[number]

    def _column(self, rows: np.ndarray[Any, Any], attribute: int) -> list[int]:
        listed = rows[:, self.attributes.index(attribute)].tolist() if attribute in self.attributes else []
        return listed or [_MISSING] * len(rows)

    def _of(self, name: str, number: int) -> Any:
        """Return a document's part of a list that older files do not have."""
        listed = self._message.get(name)
        return listed[number] if isinstance(listed, list) and number < len(listed) else None

    def document(self, number: int, name: str) -> corpus.Document:
        """Return a document with its entities and groups of spans."""
        last = int(self._ends[number])
        rows, blanks = self._rows[last - self.lengths[number] : last], self._blanks[last - self.lengths[number] : last]
        flags = self._of("flags", number)
        is_unknown = isinstance(flags, dict) and bool(flags.get("has_unknown_spaces"))
        words = [self._string(orth) for orth in self._column(rows, _ORTH)]
        places, parts, end = [], [], 0
        for word, is_followed in zip(words, blanks.tolist(), strict=True):
            places.append((end, end + len(word)))
            parts.append(word + " " * (is_followed or is_unknown))
            end += len(parts[-1])
        text = "".join(parts)[: places[-1][1] if is_unknown and places else None]
        tally = Tally()
        cats = self._of("cats", number)
        tally.add("categories", len(cats) if isinstance(cats, dict) else 0)
        tally.add("columns", sum(bool(rows[:, k].any()) for k, a in enumerate(self.attributes) if a not in _PLAIN))
        spans: dict[tuple[int, int, str], corpus.Span] = {}
        for first, behind, label in [*self._entities(rows), *self._groups(number)]:
            if not 0 <= first < behind <= len(places):
                message = tr(
                    "a span goes from word {first} to word {last}, the document has {count}",
                    first=first,
                    last=behind,
                    count=len(places),
                )
                raise FormatError(message, f"document {number + 1}")
            key = (places[first][0], places[behind - 1][1], self._string(label))
            spans.setdefault(key, corpus.Span(*key, {}, len(spans) + 1, f"document {number + 1}"))
        return corpus.Document(name, text, (corpus.Layer("", tuple(spans.values())),), {}, tally.losses())

    def _entities(self, rows: np.ndarray[Any, Any]) -> Iterator[tuple[int, int, int]]:
        """Yield the entities: first word, the one behind the last, label."""
        tags, labels = self._column(rows, _ENT_IOB), self._column(rows, _ENT_TYPE)
        first: int | None = None
        for k, tag in enumerate([*tags, _OUTSIDE]):
            if first is not None and (tag in (_BEGIN, _OUTSIDE, _MISSING) or labels[k] != labels[first]):
                yield first, k, labels[first]
                first = None
            if first is None and tag not in (_OUTSIDE, _MISSING):
                first = k

    def _groups(self, number: int) -> Iterator[tuple[int, int, int]]:
        """Yield the spans of all groups; before spaCy 3.2 a list of groups stands where later a dictionary does."""
        message = self._of("span_groups", number)
        groups = unpack(message) if isinstance(message, bytes) and message else []
        for content in groups if isinstance(groups, list | dict) else ():
            group = unpack(content) if isinstance(content, bytes) else None
            if not isinstance(group, dict) or not isinstance(group.get("spans"), list):
                raise FormatError(tr("a group of spans cannot be read; write the DocBin again"))
            for packed in group["spans"]:
                if not isinstance(packed, bytes) or len(packed) != _GROUP.size:
                    raise FormatError(tr("a group of spans cannot be read; write the DocBin again"))
                _, _, label, start, end, _, _ = _GROUP.unpack(packed)
                yield start, end, label


@cache
def _symbols() -> Mapping[str, int]:
    listed = files("markup_core").joinpath("data", "docbin_symbols.txt").read_text(encoding="ascii")
    return {name: number for number, name in enumerate(listed.split(), start=1)}


def number_of(string: str) -> int:
    """Return the number that a DocBin has for a string."""
    if not string:
        return 0
    return _symbols().get(string) or murmur(string.encode("utf-8", "surrogatepass"))


def murmur(data: bytes) -> int:
    """Return the MurmurHash64A of bytes with the seed 1."""
    number = 1 ^ (len(data) * _MULTIPLIER & _MASK)
    whole = len(data) // 8 * 8
    for (eight,) in struct.iter_unpack("<Q", data[:whole]):
        block = eight * _MULTIPLIER & _MASK
        number = (number ^ ((block ^ block >> 47) * _MULTIPLIER & _MASK)) * _MULTIPLIER & _MASK
    if data[whole:]:
        number = (number ^ int.from_bytes(data[whole:], "little")) * _MULTIPLIER & _MASK
    number = (number ^ number >> 47) * _MULTIPLIER & _MASK
    return number ^ number >> 47


def unpack(message: bytes) -> Any:
    """Return the value of a MessagePack message. Raises FormatError for bytes that are none, or too deep.

    Types that spaCy's files do not have (extensions, times) are refused.
    """
    value, end = _value(memoryview(message), 0, 0)
    if end != len(message):
        raise FormatError(tr("bytes follow the message; write the DocBin again"))
    return value


_LENGTHS: Final = {0xC4: "B", 0xC5: "H", 0xC6: "I", 0xD9: "B", 0xDA: "H", 0xDB: "I", 0xDC: "H", 0xDD: "I"} | {
    0xDE: "H",
    0xDF: "I",
}
_NUMBERS: Final = {0xCA: "f", 0xCB: "d", 0xCC: "B", 0xCD: "H", 0xCE: "I", 0xCF: "Q"} | {
    0xD0: "b",
    0xD1: "h",
    0xD2: "i",
    0xD3: "q",
}
_CONSTANTS: Final = {0xC0: None, 0xC2: False, 0xC3: True}


def _value(data: memoryview, at: int, depth: int) -> tuple[Any, int]:
    """Return the value that begins at a byte, and the byte behind it."""
    try:
        kind, at = data[at], at + 1
        if kind <= 0x7F or kind >= 0xE0:
            return (kind if kind <= 0x7F else kind - 256), at
        if kind in _CONSTANTS:
            return _CONSTANTS[kind], at
        if kind in _NUMBERS:
            form = f">{_NUMBERS[kind]}"
            return struct.unpack_from(form, data, at)[0], at + struct.calcsize(form)
        if kind in _LENGTHS:
            form = f">{_LENGTHS[kind]}"
            (size,) = struct.unpack_from(form, data, at)
            at += struct.calcsize(form)
        elif kind <= 0xBF:
            size = kind & (0x1F if kind >= 0xA0 else 0x0F)
        else:
            raise FormatError(tr("the DocBin holds a value that spaCy does not write (byte {kind})", kind=kind))
        if 0xC4 <= kind <= 0xC6 or 0xD9 <= kind <= 0xDB or 0xA0 <= kind <= 0xBF:
            (content,) = struct.unpack_from(f">{size}s", data, at)
            return (content if 0xC4 <= kind <= 0xC6 else content.decode("utf-8", "replace")), at + size
        return _container(data, at, size, kind in (0xDE, 0xDF) or kind <= 0x8F, depth + 1)
    except (IndexError, struct.error):
        raise FormatError(tr("the DocBin is cut off; write it again")) from None


def _container(data: memoryview, at: int, size: int, is_map: bool, depth: int) -> tuple[Any, int]:
    if depth > _DEEPEST or size > len(data):
        raise FormatError(tr("the DocBin is nested deeper than {most} levels, or cut off", most=_DEEPEST))
    values = []
    for _ in range(size * (1 + is_map)):
        value, at = _value(data, at, depth)
        values.append(value)
    if not is_map:
        return values, at
    if any(isinstance(key, list | dict) for key in values[::2]):
        raise FormatError(tr("the DocBin has a key that is no word: {key}", key=short(values[0])))
    return dict(zip(values[::2], values[1::2], strict=True)), at
