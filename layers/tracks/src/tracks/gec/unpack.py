"""Sets and submissions of the gec track in its contest's own files (tracks-sessions G-1, G-2).

- ``CORPUS.m2`` or ``CORPUS.LANGUAGE.m2``: a unit is an item, an annotator's edits are a reference. The language is
  ``eng`` where the name has none. An M2 file says nothing of sentences' borders, so that a unit is never cut.
- ``*.json`` with ``{"items": […]}``, and ``*.jsonl`` with an item a line: texts with gold edits and their metadata
  (:mod:`tracks.gec.items`). Each is cut into its smallest blocks, and a block is an item.
- ``NAME.csv`` or ``NAME.tsv`` with ``NAME.columns.json``: the same as a table (see below).

Ids keep the order of the text: ``CORPUS-0001`` for units; ``ID-1``, ``ID-2`` for the blocks of a text, whose only block
has the text's own.

A table has a gold edit a row, as the concentrated data set is published (tracks-sessions G-1; G, footnote 1).
**Decision**: the source names the six fields of an edit and no column of the published table, so the organizer says
which column is which: ``NAME.columns.json`` beside ``NAME.csv`` or ``NAME.tsv``::

    {"columns": {"text": "context", "start": "from", "end": "to", "correction": "answer", "type": "error",
                 "source": "corpus", "id": "doc", "detection": "needed to find", "correction_needs": "needed to mend",
                 "scope": "kind", "distance": "far", "direction": "side"},
     "values": {"yes": "1", "no": "0", "clause": "межклаузальный", "sentence": "межфразовый", "left": "слева",
                "right": "справа", "either": "с любой стороны", "both": "с обеих сторон"},
     "sentences": " ⏎ "}

``columns``: :data:`NEEDED` and the six fields must be named, ``id`` and ``source`` may be. Rows with one ``id`` are one
text; without the column, rows with one text are. ``values`` are the table's words for ours, one or a list; a word that
is not named stands for itself. ``sentences`` parts the sentences of a text, a line's end where it is not said. A row
that needs its context neither to find the error nor to mend it is a gold edit like any other. ``distance`` holds for
both sides where the context may lie, or lies, on both.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any, Final

from markup_core.command.inputs import RefusedError
from markup_core.formats.m2 import MOST_FAULTS, M2Error, Unit, parse
from markup_core.lazy import dataclass
from markup_core.reading.wire import short
from markup_core.receipt import canonical_bytes
from tracks.base import REFERENCE, Fields, Unpacking, of_refusal, read_body, read_lines, reason
from tracks.capabilities import SubmissionRead, Unpacked
from tracks.gec.items import (
    LANGUAGE,
    Direction,
    GoldEdit,
    GoldItem,
    Scope,
    blocks,
    dump,
    dump_gold_edit,
    of_m2_file,
    problems,
    read_gold_item,
    read_unit,
)
from tracks.protocol import Json, Reason
from tracks.texts import tr

COLUMNS: Final = ".columns.json"
SEPARATORS: Final[Mapping[str, str]] = {".csv": ",", ".tsv": "\t"}
NEEDED: Final = ("text", "start", "end", "correction", "type")
SIX: Final = ("detection", "correction_needs", "scope", "distance", "direction")
"""Columns of the fields of G but the sixth, the type."""
_MAY: Final = ("id", "source")
_WORDS: Final = ("yes", "no", *(option.value for option in Scope), *(option.value for option in Direction))
_KNOWN: Final = frozenset({"columns", "values", "sentences"})


@dataclass(frozen=True, slots=True)
class Mapped:
    """An organizer's description of a table."""

    columns: Mapping[str, str]
    words: Mapping[str, str]
    """The track's words by the table's."""
    sentences: str


# Clause: TS G-1
def read_mapping(raw: Json) -> tuple[Mapped | None, tuple[Reason, ...]]:
    """Read a table's description, or return all its faults."""
    if not isinstance(raw, dict) or not raw.keys() <= _KNOWN or not isinstance(raw.get("columns"), dict):
        return None, (Reason("wrong_form", tr('{"columns": {…}, "values": {…}, "sentences": "…"} is needed'), {}),)
    columns, values = raw["columns"], raw.get("values", {})
    faults = [*_column_faults(columns), *_value_faults(values)]
    parting = raw.get("sentences", "\n")
    if not isinstance(parting, str) or not parting:
        message = tr("sentences must be what parts sentences, a string")
        faults.append(Reason("wrong_type", message, {"field": "sentences"}))
    if faults:
        return None, tuple(faults)
    words = {
        word: ours for ours, theirs in values.items() for word in ([theirs] if isinstance(theirs, str) else theirs)
    }
    return Mapped(columns, dict(zip(_WORDS, _WORDS, strict=True)) | words, parting), ()


def _column_faults(columns: Mapping[str, Any]) -> Iterator[Reason]:
    for name in (*NEEDED, *SIX):
        if name not in columns:
            message = tr("columns does not say which column is {name}", name=name)
            yield Reason("missing_column", message, {"field": f"columns.{name}"})
    for name, column in columns.items():
        if name not in (*NEEDED, *SIX, *_MAY) or not isinstance(column, str):
            names = ", ".join((*NEEDED, *SIX, *_MAY))
            message = tr("columns maps {names} to columns' names", names=names)
            yield Reason("unknown_field", message, {"field": f"columns.{name}"})


def _value_faults(values: Json) -> Iterator[Reason]:
    named = values.items() if isinstance(values, dict) else (("", None),)
    for name, theirs in named:
        listed = [theirs] if isinstance(theirs, str) else theirs
        if name not in _WORDS or not isinstance(listed, list) or not all(isinstance(word, str) for word in listed):
            names = ", ".join(_WORDS)
            message = tr("values maps {names} to words of the table", names=names)
            yield Reason("unknown_field", message, {"field": f"values.{name}" if name else "values"})


# Clause: TS G-1, G data
def read_table(
    body: bytes, separator: str, mapped: Mapped, stem: str
) -> Iterator[tuple[int, Json, tuple[Reason, ...]]]:
    """Yield a table's texts in the gold JSON form (:mod:`tracks.gec.items`), each with its first line's number.

    Texts come in the order of their first rows; a text without an ``id`` is ``STEM-NUMBER``. Linear in the rows.
    """
    texts: dict[str, tuple[int, dict[str, Json]]] = {}
    faults: list[tuple[int, Reason]] = []
    try:
        table = io.StringIO(body.decode("utf-8-sig"), newline="")
        reader = csv.DictReader(table, delimiter=separator, strict=True)
        rows = [(reader.line_num, row) for row in reader]
    except (UnicodeDecodeError, csv.Error) as error:
        yield 1, None, (Reason("malformed_table", tr("this is no table in UTF-8: {error}", error=error), {}),)
        return
    absent = [column for column in mapped.columns.values() if column not in (reader.fieldnames or ())]
    for column in absent:
        message = tr("the table has no column {column}", column=column)
        faults.append((1, Reason("missing_column", message, {"field": column})))
    for number, row in rows:
        if None in row:
            count = len(reader.fieldnames or ())
            message = tr("the row has {count} cells for {count_2} columns", count=count + len(row[None]), count_2=count)
            faults.append((number, Reason("too_many_fields", message, {})))
    for number, row in rows if not absent else ():
        value = {name: (row[column] or "").strip() for name, column in mapped.columns.items()}
        edit, wrong = _edit(value, mapped)
        faults += [(number, fault) for fault in wrong]
        name = value.get("id") or value["text"]
        sentences = [" ".join(sentence.split()) for sentence in value["text"].split(mapped.sentences)]
        if name not in texts:
            source = {"source": value["source"]} if value.get("source") else {}
            item_id = value.get("id") or f"{stem}-{len(texts) + 1:05}"
            texts[name] = number, {"id": item_id, **source, "sentences": sentences, "edits": []}
        line, item = texts[name]
        if item["sentences"] != sentences:
            message = tr("{name} has another text in line {line}", name=name, line=line)
            faults.append((number, Reason("another_text", message, {"field": mapped.columns["text"]})))
        item["edits"].append(edit)
    yield from ((line, None, (fault,)) for line, fault in faults)
    yield from ((line, item, ()) for line, item in texts.values() if not faults)


def _edit(value: Mapping[str, str], mapped: Mapped) -> tuple[dict[str, Json], list[Reason]]:
    """Convert a row to an edit with its metadata; list cells that are no number or no listed word."""
    faults: list[Reason] = []

    def number(name: str) -> int:
        if not (value[name].isascii() and value[name].isdigit()):
            message = tr("{value!r} is no whole number", value=value[name])
            faults.append(Reason("not_a_number", message, {"field": mapped.columns[name]}))
            return 0
        return int(value[name])

    def word(name: str, choices: tuple[str, ...]) -> str:
        ours = mapped.words.get(value[name])
        if ours not in choices:
            message = tr(
                "{value!r} is none of {choices}; values names the table's words",
                value=value[name],
                choices=", ".join(choices),
            )
            faults.append(Reason("unknown_word", message, {"field": mapped.columns[name]}))
            return choices[0]
        return ours

    edit: dict[str, Json] = {name: number(name) for name in ("start", "end")}
    edit |= {"correction": " ".join(value["correction"].split()), "type": value["type"]}
    needs = {ours: word(name, ("yes", "no")) == "yes" for ours, name in (("detection", SIX[0]), ("correction", SIX[1]))}
    edit["context_dependent"] = any(needs.values())
    if edit["context_dependent"]:
        direction, distance = word("direction", tuple(side.value for side in Direction)), number("distance")
        edit["context"] = {
            **needs,
            "scope": word("scope", tuple(scope.value for scope in Scope)),
            "direction": direction,
            "left": 0 if direction == Direction.RIGHT.value else distance,
            "right": 0 if direction == Direction.LEFT.value else distance,
        }
    return edit, faults


M2, JSON, LINES = ".m2", ".json", ".jsonl"
MOST_ANNOTATORS: Final = 99
"""References of an item are numbered by two digits."""
_WITH_LANGUAGE: Final = re.compile(r"(?P<corpus>.+)\.(?P<language>[a-z]{3})")
_LINE_OF_M2: Final = re.compile(r"S(?: |$)|A .*\|\|\|")


# Clause: TS G-1, TS T14, G concentrated 1
def unpack(files: Mapping[str, bytes]) -> Unpacked:
    """Convert a set in M2 and in gold data sets, cut into the smallest blocks that part no edit and no group."""
    unpacking = Unpacking(files)
    for name in sorted(files):
        if name.endswith(M2):
            _add_m2(unpacking, name)
        elif name.endswith(LINES):
            for line, value, broken in read_lines(unpacking.take(name)):
                unpacking.refuse_all(broken, name, {"line": line})
                if not broken:
                    _add_text(unpacking, value, name, {"line": line})
        elif name.endswith(COLUMNS):
            _add_table(unpacking, name, files)
        elif name.endswith(JSON) and not REFERENCE.fullmatch(name):
            _add_data_set(unpacking, name, files[name])
    return unpacking.result()


def _add_m2(unpacking: Unpacking, name: str) -> None:
    units, wrong = read_m2(unpacking.take(name))
    unpacking.refuse_all(wrong, name)
    stem = name.removesuffix(M2)
    named = _WITH_LANGUAGE.fullmatch(stem)
    corpus, language = (named["corpus"], named["language"]) if named else (stem, LANGUAGE)
    for number, unit in enumerate(units, start=1):
        place = {"line": unit.line}
        faults = list(_unit_faults(unit))
        unpacking.refuse_all(faults, name, place)
        if not faults:
            item_id = f"{corpus}-{number:0{len(str(len(units)))}}"
            item = {"id": item_id, "language": language, "source": corpus, "sentences": [" ".join(unit.tokens)]}
            annotators = unit.annotators or {0: ()}
            gold = {annotator + 1: {"edits": dump(edits)["edits"]} for annotator, edits in annotators.items()}
            unpacking.item(item_id, item, gold, name, place)


def _unit_faults(unit: Unit) -> Iterator[Reason]:
    if not unit.tokens:
        yield reason("no_tokens", "", tr("the S line has no tokens"))
    for annotator in unit.annotators:
        if annotator >= MOST_ANNOTATORS:
            message = tr(
                "annotators are numbered from 0 to {most_annotators}, this is {annotator}",
                most_annotators=MOST_ANNOTATORS - 1,
                annotator=annotator,
            )
            yield reason("invalid_annotator", "", message)


def _add_data_set(unpacking: Unpacking, name: str, body: bytes) -> None:
    """Add the texts of a gold data set; any other JSON is left to the platform."""
    whole, broken = read_body(body)
    if broken:
        unpacking.take(name)
        unpacking.refuse_all(broken, name)
    elif isinstance(whole, dict) and isinstance(whole.get("items"), list):
        unpacking.take(name)
        for number, value in enumerate(whole["items"]):
            _add_text(unpacking, value, name, {"item": number})


# Clause: TS G-1, G data
def _add_table(unpacking: Unpacking, described: str, files: Mapping[str, bytes]) -> None:
    """Add the texts of the table beside a description."""
    whole, broken = read_body(unpacking.take(described))
    mapped, wrong = (None, broken) if broken else read_mapping(whole)
    stem = described.removesuffix(COLUMNS)
    tables = [name for name in (f"{stem}{ending}" for ending in SEPARATORS) if name in files]
    if not tables:
        message = tr("{stem}.csv or {stem}.tsv does not stand beside it", stem=stem)
        wrong = (*wrong, Reason("missing_table", message, {}))
    unpacking.refuse_all(wrong, described)
    for name in tables:
        body, separator = unpacking.take(name), SEPARATORS[name[len(stem) :]]
        if mapped is None or wrong:
            continue
        for line, value, faults in read_table(body, separator, mapped, stem):
            unpacking.refuse_all(faults, name, {"line": line})
            if not faults:
                _add_text(unpacking, value, name, {"line": line})


def _add_text(unpacking: Unpacking, raw: Json, name: str, place: Mapping[str, Json]) -> None:
    """Add one text as its blocks."""
    if not isinstance(raw, dict):
        message = tr("an item must be an object, not {raw}", raw=short(raw))
        unpacking.refuse_all([reason("not_an_object", "", message)], name, place)
        return
    fields = Fields(raw)
    wrong = [of_refusal("invalid_item", problem) for problem in problems(fields)]
    try:
        language = fields.text("language", LANGUAGE)
    except RefusedError as error:
        wrong.append(of_refusal("invalid_item", error))
    unpacking.refuse_all(wrong, name, place)
    if not wrong:
        parts = cut(read_gold_item(fields))
        for number, part in enumerate(parts, start=1):
            own = part.item_id if len(parts) == 1 else f"{part.item_id}-{number:0{len(str(len(parts)))}}"
            item = {"id": own, "language": language, "source": part.source, "sentences": list(part.sentences)}
            unpacking.item(own, item, {1: {"edits": list(map(dump_gold_edit, part.edits))}}, name, place)


# Clause: TS G-1, G concentrated 1
def cut(text: GoldItem) -> list[GoldItem]:
    """Cut a text into the smallest blocks that part no edit and no group, with edits moved; all keep the text's id.

    Empty sentences are left out: no edit lies in them. Nearly linear in sentences and edits.
    """
    sentences = tuple(sentence for sentence in text.sentences if sentence)
    whole = GoldItem(text.item_id, text.source, sentences, text.edits)
    sizes = [len(sentence.split()) for sentence in sentences]
    starts = [0, *accumulate(sizes)]
    ties = whole.ties()
    parts = blocks(len(sentences), ties)
    home = {sentence: number for number, block in enumerate(parts) for sentence in block}
    moved = [0] * len(sentences)  # by how many tokens each sentence stands farther left in its block than in the text
    for block in parts:
        for sentence, start in zip(block, accumulate((sizes[place] for place in block), initial=0), strict=False):
            moved[sentence] = starts[sentence] - start
    edits: list[list[GoldEdit]] = [[] for _ in parts]
    for tie, gold in zip(ties, whole.edits, strict=True):
        by, edit = moved[tie.first], gold.edit
        edits[home[tie.first]].append(replace(gold, edit=edit._replace(start=edit.start - by, end=edit.end - by)))
    return [
        GoldItem(text.item_id, text.source, tuple(sentences[place] for place in block), tuple(of_block))
        for block, of_block in zip(parts, edits, strict=True)
    ]


def read_m2(body: bytes) -> tuple[Sequence[Unit], list[Reason]]:
    """Read the units of a file in M2, or return every fault with its line."""
    try:
        return parse(body.decode("utf-8")), []
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
        return (), [Reason("not_utf8", tr("not UTF-8 at byte {start}", start=error.start), {"line": line})]
    except M2Error as error:
        return (), of_m2_file(error)


# Clause: TS G-2
def read_submission(body: bytes, items: Mapping[str, Json]) -> SubmissionRead:
    """Read one M2 file with a unit for each text, in the order of the set's manifest, its edits of one annotator.

    **Decision**: every text is there, so that a text left out is told from one without edits; none is missing then.
    Corrected text alone is refused: what its edits are would depend on an aligner that the gold edits do not know.
    """
    lines = [line for line in body.decode("utf-8", "replace").splitlines() if line.strip()]
    if lines and not any(map(_LINE_OF_M2.match, lines)):
        message = tr(
            "this is text without edits: send M2, for each text a line S with its tokens, a line A for "
            "each edit, then an empty line"
        )
        return SubmissionRead({}, (), (Reason("corrected_text", message, {}),))
    units, reasons = read_m2(body)
    if not reasons and len(units) != len(items):
        problem = tr(
            "{units} texts, the set has {items}; send each once, in the set's order", units=len(units), items=len(items)
        )
        reasons.append(reason("wrong_count", "", problem))
    answers: dict[str, bytes] = {}
    for unit, (item_id, item) in zip(units, items.items(), strict=False):
        edits, wrong = read_unit(unit, [token for sentence in item["sentences"] for token in sentence.split()])
        reasons += [Reason(fault.code, fault.message, {"line": unit.line, "id": item_id}) for fault in wrong]
        answers[item_id] = canonical_bytes(dump(edits))
    more = len(reasons) - MOST_FAULTS
    if more > 0:
        summary = reason("more_faults", "", tr("and {more} faults more", more=more))
        reasons = [*reasons[:MOST_FAULTS], summary]
    return SubmissionRead({}, (), tuple(reasons)) if reasons else SubmissionRead(answers, (), ())
