"""Sets and submissions of the gec track in its contest's own files (tracks-sessions G-1, G-2).

- ``CORPUS.m2`` or ``CORPUS.LANGUAGE.m2``: a unit is an item, an annotator's edits are a reference. The language is
  ``eng`` where the name has none. An M2 file says nothing of sentences' borders, so that a unit is never cut.
- ``*.json`` with ``{"items": […]}``, and ``*.jsonl`` with an item a line: texts with gold edits and their metadata
  (:mod:`tracks.gec.gold`). Each is cut into its smallest blocks, and a block is an item.
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
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, Final

from markup_core.command.complaints import RefusedError
from markup_core.reading.wire import short
from markup_core.receipt import canonical_bytes
from tracks.capabilities import SubmissionRead, Unpacked
from tracks.fields import REFERENCE, Fields, Unpacking, read_lines, read_own_json, reason
from tracks.gec.comparison import Direction, GoldEdit, Scope
from tracks.gec.gold import GoldItem, blocks, dump_gold_edit, problems, read_gold_item
from tracks.gec.items import LANGUAGE, dump, of_m2_file, of_refusal, read_unit
from tracks.gec.m2 import MOST_FAULTS, M2Error, Unit, parse
from tracks.protocol import Json, Reason, Text

COLUMNS: Final = ".columns.json"
SEPARATORS: Final[Mapping[str, str]] = {".csv": ",", ".tsv": "\t"}
NEEDED: Final = ("text", "start", "end", "correction", "type")
SIX: Final = ("detection", "correction_needs", "scope", "distance", "direction")
"""Beside the type, which is the sixth of G."""
_MAY: Final = ("id", "source")
_WORDS: Final = ("yes", "no", *(each.value for each in Scope), *(each.value for each in Direction))
_KNOWN: Final = frozenset({"columns", "values", "sentences"})


@dataclass(frozen=True, slots=True)
class Mapped:
    """An organizer's description of a table."""

    columns: Mapping[str, str]
    words: Mapping[str, str]
    """Ours by the table's."""
    sentences: str


def read_mapping(raw: Json) -> tuple[Mapped | None, tuple[Reason, ...]]:
    """A table's description, or everything that is wrong with it.

    Clause: TS G-1
    """
    if not isinstance(raw, dict) or not raw.keys() <= _KNOWN or not isinstance(raw.get("columns"), dict):
        said = Text(
            '{"columns": {…}, "values": {…}, "sentences": "…"} is needed',
            'нужно {"columns": {…}, "values": {…}, "sentences": "…"}',
        )
        return None, (Reason("wrong_form", said, {}),)
    columns, values = raw["columns"], raw.get("values", {})
    faults = [*_column_faults(columns), *_value_faults(values)]
    parting = raw.get("sentences", "\n")
    if not isinstance(parting, str) or not parting:
        said = Text("sentences must be what parts sentences, a string", "sentences: нужна строка между предложениями")
        faults.append(Reason("wrong_type", said, {"field": "sentences"}))
    if faults:
        return None, tuple(faults)
    words = {word: ours for ours, given in values.items() for word in ([given] if isinstance(given, str) else given)}
    return Mapped(columns, dict(zip(_WORDS, _WORDS, strict=True)) | words, parting), ()


def _column_faults(columns: Mapping[str, Any]) -> Iterator[Reason]:
    for name in (*NEEDED, *SIX):
        if name not in columns:
            said = Text(f"columns does not say which column is {name}", f"columns: не сказано, какой столбец {name}")
            yield Reason("missing_column", said, {"field": f"columns.{name}"})
    for name, column in columns.items():
        if name not in (*NEEDED, *SIX, *_MAY) or not isinstance(column, str):
            known = ", ".join((*NEEDED, *SIX, *_MAY))
            said = Text(f"columns maps {known} to columns' names", f"columns: именам {known} соответствуют столбцы")
            yield Reason("unknown_field", said, {"field": f"columns.{name}"})


def _value_faults(values: Json) -> Iterator[Reason]:
    named = values.items() if isinstance(values, dict) else (("", None),)
    for name, given in named:
        listed = [given] if isinstance(given, str) else given
        if name not in _WORDS or not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
            known = ", ".join(_WORDS)
            said = Text(
                f"values maps {known} to words of the table", f"values: именам {known} соответствуют слова таблицы"
            )
            yield Reason("unknown_field", said, {"field": f"values.{name}" if name else "values"})


def read_table(
    body: bytes, separator: str, mapped: Mapped, stem: str
) -> Iterator[tuple[int, Json, tuple[Reason, ...]]]:
    """The texts of a table in the gold JSON form (:mod:`tracks.gec.gold`), each with its first line's number.

    Texts come in the order of their first rows; a text without an ``id`` is ``STEM-NUMBER``. Linear in the rows.

    Clause: TS G-1, G data
    """
    texts: dict[str, tuple[int, dict[str, Json]]] = {}
    faults: list[tuple[int, Reason]] = []
    try:
        table = io.StringIO(body.decode("utf-8-sig"), newline="")
        reader = csv.DictReader(table, delimiter=separator, strict=True)
        rows = [(reader.line_num, row) for row in reader]
    except (UnicodeDecodeError, csv.Error) as error:
        said = Text(f"this is no table in UTF-8: {error}", f"это не таблица в UTF-8: {error}")
        yield 1, None, (Reason("malformed_table", said, {}),)
        return
    absent = [each for each in mapped.columns.values() if each not in (reader.fieldnames or ())]
    for column in absent:
        said = Text(f"the table has no column {column}", f"в таблице нет столбца {column}")
        faults.append((1, Reason("missing_column", said, {"field": column})))
    for number, row in rows:
        if None in row:
            count = len(reader.fieldnames or ())
            said = Text(
                f"the row has {count + len(row[None])} cells for {count} columns",
                f"ячеек в строке больше, чем столбцов: {count + len(row[None])} и {count}",
            )
            faults.append((number, Reason("too_many_fields", said, {})))
    for number, row in rows if not absent else ():
        value = {name: (row[column] or "").strip() for name, column in mapped.columns.items()}
        edit, wrong = _edit(value, mapped)
        faults += [(number, each) for each in wrong]
        name = value.get("id") or value["text"]
        line, item = texts.setdefault(name, (number, _text(value, mapped, f"{stem}-{len(texts) + 1:05}")))
        if item["sentences"] != _sentences(value["text"], mapped):
            said = Text(f"{name} has another text in line {line}", f"у {name} в строке {line} другой текст")
            faults.append((number, Reason("another_text", said, {"field": mapped.columns["text"]})))
        item["edits"].append(edit)
    yield from ((line, None, (fault,)) for line, fault in faults)
    yield from ((line, item, ()) for line, item in texts.values() if not faults)


def _text(value: Mapping[str, str], mapped: Mapped, name: str) -> dict[str, Json]:
    source = {"source": value["source"]} if value.get("source") else {}
    return {"id": value.get("id") or name, **source, "sentences": _sentences(value["text"], mapped), "edits": []}


def _sentences(text: str, mapped: Mapped) -> list[str]:
    return [" ".join(each.split()) for each in text.split(mapped.sentences)]


def _edit(value: Mapping[str, str], mapped: Mapped) -> tuple[dict[str, Json], list[Reason]]:
    """A row as an edit with its metadata, and what of it is no number or no known word."""
    faults: list[Reason] = []

    def number(name: str) -> int:
        if not (value[name].isascii() and value[name].isdigit()):
            said = Text(f"{value[name]!r} is no whole number", f"«{value[name]}» — не целое число")
            faults.append(Reason("not_a_number", said, {"field": mapped.columns[name]}))
            return 0
        return int(value[name])

    def word(name: str, known: tuple[str, ...]) -> str:
        found = mapped.words.get(value[name])
        if found not in known:
            said = Text(
                f"{value[name]!r} is none of {', '.join(known)}; values names the table's words",
                f"«{value[name]}» — не {', '.join(known)}; слова таблицы называет values",
            )
            faults.append(Reason("unknown_word", said, {"field": mapped.columns[name]}))
            return known[0]
        return found

    edit: dict[str, Json] = {name: number(name) for name in ("start", "end")}
    edit |= {"correction": " ".join(value["correction"].split()), "type": value["type"]}
    needs = {ours: word(name, ("yes", "no")) == "yes" for ours, name in (("detection", SIX[0]), ("correction", SIX[1]))}
    edit["context_dependent"] = any(needs.values())
    if edit["context_dependent"]:
        direction, distance = word("direction", tuple(each.value for each in Direction)), number("distance")
        edit["context"] = {
            **needs,
            "scope": word("scope", tuple(each.value for each in Scope)),
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


def unpack(files: Mapping[str, bytes]) -> Unpacked:
    """A set in M2 and in gold data sets, cut into the smallest blocks that part no edit and no group.

    Clause: TS G-1, TS T14, G concentrated 1
    """
    made = Unpacking(files)
    for name in sorted(files):
        if name.endswith(M2):
            _of_m2(made, name)
        elif name.endswith(LINES):
            for line, value, broken in read_lines(made.take(name)):
                made.refuse_all(broken, name, {"line": line})
                if not broken:
                    _of_text(made, value, name, {"line": line})
        elif name.endswith(COLUMNS):
            _of_table(made, name, files)
        elif name.endswith(JSON) and not REFERENCE.fullmatch(name):
            _of_data_set(made, name, files[name])
    return made.result()


def _of_m2(made: Unpacking, name: str) -> None:
    units, wrong = read_m2(made.take(name))
    made.refuse_all(wrong, name)
    stem = name.removesuffix(M2)
    named = _WITH_LANGUAGE.fullmatch(stem)
    corpus, language = (named["corpus"], named["language"]) if named else (stem, LANGUAGE)
    for number, unit in enumerate(units, start=1):
        place = {"line": unit.line}
        found = list(_of_unit(unit))
        made.refuse_all(found, name, place)
        if not found:
            item_id = f"{corpus}-{number:0{len(str(len(units)))}}"
            item = {"id": item_id, "language": language, "source": corpus, "sentences": [" ".join(unit.tokens)]}
            annotators = unit.annotators or {0: ()}
            gold = {each + 1: {"edits": dump(edits)["edits"]} for each, edits in annotators.items()}
            made.item(item_id, item, gold, name, place)


def _of_unit(unit: Unit) -> Iterator[Reason]:
    if not unit.tokens:
        yield reason("no_tokens", "", "the S line has no tokens", "в строке S нет слов")
    for annotator in unit.annotators:
        if annotator >= MOST_ANNOTATORS:
            en = f"annotators are numbered from 0 to {MOST_ANNOTATORS - 1}, this is {annotator}"
            ru = f"номера разметчиков — от 0 до {MOST_ANNOTATORS - 1}, а здесь {annotator}"
            yield reason("invalid_annotator", "", en, ru)


def _of_data_set(made: Unpacking, name: str, body: bytes) -> None:
    """The texts of a gold data set; any other JSON is left to the platform."""
    whole, broken = read_own_json(body)
    if broken:
        made.take(name)
        made.refuse_all(broken, name)
    elif isinstance(whole, dict) and isinstance(whole.get("items"), list):
        made.take(name)
        for number, value in enumerate(whole["items"]):
            _of_text(made, value, name, {"item": number})


def _of_table(made: Unpacking, described: str, files: Mapping[str, bytes]) -> None:
    """The texts of the table that a description stands beside.

    Clause: TS G-1, G data
    """
    whole, broken = read_own_json(made.take(described))
    mapped, wrong = (None, broken) if broken else read_mapping(whole)
    stem = described.removesuffix(COLUMNS)
    tables = [name for name in (f"{stem}{ending}" for ending in SEPARATORS) if name in files]
    if not tables:
        said = Text(f"{stem}.csv or {stem}.tsv does not stand beside it", f"рядом нет ни {stem}.csv, ни {stem}.tsv")
        wrong = (*wrong, Reason("missing_table", said, {}))
    made.refuse_all(wrong, described)
    for name in tables:
        body, separator = made.take(name), SEPARATORS[name[len(stem) :]]
        if mapped is None or wrong:
            continue
        for line, value, faults in read_table(body, separator, mapped, stem):
            made.refuse_all(faults, name, {"line": line})
            if not faults:
                _of_text(made, value, name, {"line": line})


def _of_text(made: Unpacking, raw: Json, name: str, place: Mapping[str, Json]) -> None:
    """One text as its blocks."""
    if not isinstance(raw, dict):
        en, ru = f"an item must be an object, not {short(raw)}", "текст должен быть объектом"
        made.refuse_all([reason("not_an_object", "", en, ru)], name, place)
        return
    fields = Fields(raw)
    wrong = [of_refusal("invalid_item", each) for each in problems(fields)]
    try:
        language = fields.text("language", LANGUAGE)
    except RefusedError as error:
        wrong.append(of_refusal("invalid_item", error))
    made.refuse_all(wrong, name, place)
    if not wrong:
        parts = cut(read_gold_item(fields))
        for number, part in enumerate(parts, start=1):
            own = part.item_id if len(parts) == 1 else f"{part.item_id}-{number:0{len(str(len(parts)))}}"
            item = {"id": own, "language": language, "source": part.source, "sentences": list(part.sentences)}
            made.item(own, item, {1: {"edits": list(map(dump_gold_edit, part.edits))}}, name, place)


def cut(text: GoldItem) -> list[GoldItem]:
    """The smallest blocks of a text that part no edit and no group, each with its edits moved; all have the text's id.

    Empty sentences are left out: no edit lies in them. Nearly linear in sentences and edits.

    Clause: TS G-1, G concentrated 1
    """
    sentences = tuple(each for each in text.sentences if each)
    whole = GoldItem(text.item_id, text.source, sentences, text.edits)
    sizes = [len(each.split()) for each in sentences]
    starts = [0, *accumulate(sizes)]
    ties = whole.ties()
    found = blocks(len(sentences), ties)
    home = {sentence: number for number, block in enumerate(found) for sentence in block}
    moved = [0] * len(sentences)  # by how many tokens each sentence stands farther left in its block than in the text
    for block in found:
        for sentence, start in zip(block, accumulate((sizes[each] for each in block), initial=0), strict=False):
            moved[sentence] = starts[sentence] - start
    edits: list[list[GoldEdit]] = [[] for _ in found]
    for tie, gold in zip(ties, whole.edits, strict=True):
        by, edit = moved[tie.first], gold.edit
        edits[home[tie.first]].append(replace(gold, edit=edit._replace(start=edit.start - by, end=edit.end - by)))
    return [
        GoldItem(text.item_id, text.source, tuple(sentences[each] for each in block), tuple(of_block))
        for block, of_block in zip(found, edits, strict=True)
    ]


def read_m2(body: bytes) -> tuple[Sequence[Unit], list[Reason]]:
    """The units of a file in M2, or every fault with its line."""
    try:
        return parse(body.decode("utf-8")), []
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
        said = Text(en=f"not UTF-8 at byte {error.start}", ru=f"не UTF-8, начиная с байта {error.start}")
        return (), [Reason("not_utf8", said, {"line": line})]
    except M2Error as error:
        return (), of_m2_file(error)


def read_submission(body: bytes, items: Mapping[str, Json]) -> SubmissionRead:
    """One M2 file with a unit for each text, in the order of the set's manifest, its edits of one annotator.

    **Decision**: every text is there, so that a text left out is told from one without edits; none is missing then.
    Corrected text alone is refused: what its edits are would depend on an aligner that the gold edits do not know.

    Clause: TS G-2
    """
    if _is_plain_text(body):
        said = Text(
            en="this is text without edits: send M2, for each text a line S with its tokens, a line A for each edit,"
            " then an empty line",
            ru="это текст без правок: нужен M2, для каждого текста строка S со словами, по строке A на правку и пустая"
            " строка",
        )
        return SubmissionRead({}, (), (Reason("corrected_text", said, {}),))
    units, reasons = read_m2(body)
    if not reasons and len(units) != len(items):
        en = f"{len(units)} texts, the set has {len(items)}; send each once, in the set's order"
        ru = f"текстов {len(units)}, а в выборке {len(items)}; нужен каждый один раз, в порядке выборки"
        reasons.append(reason("wrong_count", "", en, ru))
    answers: dict[str, bytes] = {}
    for unit, (item_id, item) in zip(units, items.items(), strict=False):
        edits, wrong = read_unit(unit, _tokens(item))
        reasons += [Reason(each.code, each.message, {"line": unit.line, "id": item_id}) for each in wrong]
        answers[item_id] = canonical_bytes(dump(edits))
    more = len(reasons) - MOST_FAULTS
    if more > 0:
        told = reason("more_faults", "", f"and {more} faults more", f"и ещё ошибок: {more}")
        reasons = [*reasons[:MOST_FAULTS], told]
    return SubmissionRead({}, (), tuple(reasons)) if reasons else SubmissionRead(answers, (), ())


def _tokens(item: Json) -> list[str]:
    return [token for sentence in item["sentences"] for token in sentence.split()]


def _is_plain_text(body: bytes) -> bool:
    """Whether there are words, and no line of M2 among them."""
    lines = [line for line in body.decode("utf-8", "replace").splitlines() if line.strip()]
    return bool(lines) and not any(map(_LINE_OF_M2.match, lines))
