"""Sets and submissions of the gec track in its contest's own files (tracks-sessions G-1, G-2).

- ``CORPUS.m2`` or ``CORPUS.LANGUAGE.m2``: a unit is an item, an annotator's edits are a reference. The language is
  ``eng`` where the name has none. An M2 file says nothing of sentences' borders, so that a unit is never cut.
- ``*.json`` with ``{"items": […]}``, and ``*.jsonl`` with an item a line: texts with gold edits and their metadata
  (:mod:`tracks.gec.gold`). Each is cut into its smallest blocks, and a block is an item.
- ``NAME.csv`` or ``NAME.tsv`` with ``NAME.columns.json``: the same as a table (:mod:`tracks.gec.table`).

Ids keep the order of the text: ``CORPUS-0001`` for units; ``ID-1``, ``ID-2`` for the blocks of a text, whose only block
has the text's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Final

from markup_core.command.complaints import RefusedError
from markup_core.reading.wire import short
from markup_core.receipt import canonical_bytes
from tracks.beside import SubmissionRead, Unpacked
from tracks.fields import Fields
from tracks.gec.answers import dump, read_unit
from tracks.gec.blocks import blocks
from tracks.gec.concentrated import GoldEdit
from tracks.gec.faults import of_m2_file, of_refusal
from tracks.gec.gold import GoldItem, dump_gold_edit, problems, read_gold_item
from tracks.gec.items import LANGUAGE
from tracks.gec.m2 import MOST_FAULTS, M2Error, Unit, parse
from tracks.gec.table import COLUMNS, SEPARATORS, read_mapping, read_table
from tracks.own_files import REFERENCE, Unpacking, read_json, read_lines
from tracks.protocol import Json, Reason, Text
from tracks.reasons import reason

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
    whole, broken = read_json(body)
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
    whole, broken = read_json(made.take(described))
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
