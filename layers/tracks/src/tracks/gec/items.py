"""Items, references, answers and parameters of the track, checked; every fault in two languages.

Correction contests made of annotated corpora: spans with corrections become edits of tokens.

A line of the text is a sentence, what stands between blanks a token. **Decision**: a span that cuts tokens takes them
whole, with its correction between what it leaves of them; then tokens that both sides share at their ends are left out,
so that an insertion that an importer widened to the word beside it is an insertion again.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from markup_core.command.complaints import RefusedError
from markup_core.formats.m2 import OR, Edit, M2Error, Unit, alternatives, parse, same_text
from markup_core.model import Fragment, Markup
from markup_core.reading.wire import short
from tracks.base import GIVEN, Fields, of_parameters, reason, refuse_value
from tracks.capabilities import FromCorpus
from tracks.gec.comparison import GoldEdit
from tracks.gec.counts import DEFAULT_BETA, MAX_BETA, MIN_BETA
from tracks.gec.gold import GoldItem, dump_gold_edit, read_edit, read_gold_edits, read_gold_item
from tracks.protocol import Json, Reason, Text
from tracks.texts import tr


def of_refusal(code: str, error: RefusedError) -> Reason:
    """Convert a refused field to a reason."""
    return reason(code, error.details["field"], error.message)


def of_m2(line: int, code: str, message: Text) -> Reason:
    """Return the reason of a fault of an answer in M2, with its line."""
    text = tr("m2: line {line}: {problem}", line=line, problem=message)
    return Reason(code, text, {"field": "m2", "line": line})


def of_m2_file(error: M2Error) -> list[Reason]:
    """Convert faults of a file in M2 to reasons with their lines; the last one counts those that are too many."""
    reasons = [Reason(code, message, {"line": line}) for line, code, message in error.faults]
    more = error.count - len(reasons)
    if more:
        reasons.append(reason("more_faults", "", tr("and {more} faults more", more=more)))
    return reasons


LANGUAGE: Final = "eng"


def read_gold(raw: Json, size: int) -> tuple[list[GoldEdit], list[Reason]]:
    """Read gold edits of one annotator for a text of so many tokens: ``{"edits": […]}`` as in a gold data set."""
    if not isinstance(raw, dict):
        message = tr("a reference is an object, not {raw}", raw=short(raw))
        return [], [reason("wrong_form", "", message)]
    try:
        return list(read_gold_edits(Fields(raw), "edits", size)), []
    except RefusedError as error:
        return [], [of_refusal("invalid_reference", error)]


def hand_out(item: Json, file_id: str) -> Json:
    """Return the sentences as tokens with blanks between, and all their tokens, which spans count."""
    text = text_of(item)
    return {"id": file_id, "sentences": list(text.sentences), "tokens": text.tokens}


def text_of(item: Json) -> GoldItem:
    """Return an item's text; an item holds no gold edits."""
    return read_gold_item(Fields({**item, "edits": []}))


MOST_EDITS: Final = 2000
"""Edits of one answer."""


# Clause: TS G-2
def read_answer(raw: Json, tokens: Sequence[str]) -> tuple[list[Edit], list[Reason]]:
    """Read the edits of an answer in the order of the text, or return every reason why it is none."""
    if not isinstance(raw, dict) or len(raw) != 1 or not raw.keys() <= {"edits", "m2"}:
        message = tr('an answer is {"edits": […]} or {"m2": "…"}')
        return [], [reason("wrong_form", "", message)]
    edits, reasons = _listed(raw["edits"], len(tokens)) if "edits" in raw else _in_m2(raw["m2"], tokens)
    edits.sort()
    reasons += [*_several(edits), *_overlaps(edits)]
    return ([], reasons) if reasons else (edits, [])


def read_unit(unit: Unit, tokens: Sequence[str]) -> tuple[list[Edit], list[Reason]]:
    """Read the edits of a unit of M2 as those of a text, or return every reason why they are not."""
    edits = sorted(edit for edits in unit.annotators.values() for edit in edits)
    reasons = [*_unit_faults([unit], tokens), *_too_many(len(edits)), *_several(edits), *_overlaps(edits)]
    return ([], reasons) if reasons else (edits, [])


def dump(edits: Sequence[Edit]) -> dict[str, Json]:
    """Return the canonical form of an answer."""
    return {
        "edits": [
            {"start": edit.start, "end": edit.end, "correction": edit.correction, "type": edit.type} for edit in edits
        ]
    }


def _listed(raw: Json, size: int) -> tuple[list[Edit], list[Reason]]:
    if not isinstance(raw, list):
        message = tr("edits must be a list, not {raw}", raw=short(raw))
        return [], [reason("wrong_form", "edits", message)]
    if len(raw) > MOST_EDITS:
        return [], list(_too_many(len(raw)))
    edits: list[Edit] = []
    reasons: list[Reason] = []
    for number, value in enumerate(raw):
        path = f"edits[{number}]"
        try:
            if not isinstance(value, dict):
                refuse_value(path, tr("an object"), value)
            edit = read_edit(Fields(value, path), size)
        except RefusedError as error:
            reasons.append(of_refusal("invalid_edit", error))
        else:
            edits += [] if edit is None else [edit]
    return edits, reasons


def _too_many(count: int) -> Iterator[Reason]:
    if count > MOST_EDITS:
        message = tr("{count} edits, at most {most_edits} are taken", count=count, most_edits=MOST_EDITS)
        yield reason("too_many_edits", "edits", message)


def _in_m2(raw: Json, tokens: Sequence[str]) -> tuple[list[Edit], list[Reason]]:
    if not isinstance(raw, str):
        message = tr("m2 must be a string, not {raw}", raw=short(raw))
        return [], [reason("wrong_form", "m2", message)]
    try:
        units = parse(raw)
    except M2Error as error:
        return [], [of_m2(fault.line, fault.code, fault.message) for fault in error.faults]
    reasons = list(_unit_faults(units, tokens))
    edits = [edit for unit in units for edits in unit.annotators.values() for edit in edits]
    return ([], reasons) if reasons else (edits, [])


def _unit_faults(units: Sequence[Unit], tokens: Sequence[str]) -> Iterator[Reason]:
    if len(units) > 1:
        message = tr("{units} units; an answer has one", units=len(units))
        yield reason("several_units", "m2", message)
    elif not same_text(units[0].tokens, tokens):
        problem = tr("the S line is not the text that was handed out")
        yield reason("text_differs", "m2", problem)
    if any(len(unit.annotators) > 1 for unit in units):
        problem = tr("an answer has edits of one annotator")
        yield reason("several_annotators", "m2", problem)


def _several(edits: Sequence[Edit]) -> Iterator[Reason]:
    """Refuse alternatives, of which any would be right: only annotators may give them."""
    for edit in edits:
        if len(alternatives(edit.correction)) > 1:
            message = tr(
                "the edit of {start}, {end} has several corrections, {correction}: an answer gives one",
                start=edit.start,
                end=edit.end,
                correction=short(edit.correction),
            )
            yield reason("several_corrections", "edits", message)


def _overlaps(edits: Sequence[Edit]) -> Iterator[Reason]:
    """Yield edits that cannot both be made; so a program cannot try several corrections of one place."""
    for one, other in pairwise(edits):
        if other.start < one.end or one[:2] == other[:2]:
            spans = f"{one.start}, {one.end} / {other.start}, {other.end}"
            message = tr("two edits meet in one place: {spans}", spans=spans)
            yield reason("overlapping_edits", "edits", message)


_READERS: Final[Mapping[str, Callable[[Fields], Json]]] = {
    "beta": lambda fields: fields.number("beta", DEFAULT_BETA, low=MIN_BETA, high=MAX_BETA)
}


def complete(raw: Json) -> tuple[dict[str, Json], tuple[Reason, ...]]:
    """Complete ``beta`` (0.5)."""
    reasons = list(of_parameters(raw, GIVEN | _READERS.keys()))
    fields, completed = Fields(raw if isinstance(raw, Mapping) else {}), {}
    for name, read in _READERS.items():
        try:
            completed[name] = read(fields)
        except RefusedError as error:
            reasons.append(of_refusal("invalid_params", error))
    return ({}, tuple(reasons)) if reasons else (completed, ())


_TOKEN: Final = re.compile(r"\S+")


def of_corpus(item_id: str, text: str, place: tuple[str, str], markups: Mapping[int, Markup]) -> FromCorpus:
    """Return a document as a text in tokens with its annotators' edits; ``place`` is its language and its source."""
    language, source = place
    spans = [match.span() for match in _TOKEN.finditer(text)]
    sentences = [" ".join(line.split()) for line in text.split("\n") if line.strip()]
    item = {"id": item_id, "language": language, "source": source, "sentences": sentences}
    references: dict[int, Any] = {}
    for number, markup in markups.items():
        edits = sorted({_edit(fragment, text, spans) for fragment in markup.fragments if not fragment.is_full_text})
        references[number] = {
            "edits": [
                dump_gold_edit(GoldEdit(edit, context_dependent=False))
                for edit in edits
                if edit.start < edit.end or edit.correction
            ]
        }
    return FromCorpus(item, references)


def _edit(fragment: Fragment, text: str, spans: list[tuple[int, int]]) -> Edit:
    first = bisect_right(spans, fragment.start, key=lambda span: span[1])
    last = max(first, bisect_left(spans, fragment.end, key=lambda span: span[0]))
    touched = spans[first:last]
    before = text[touched[0][0] : fragment.start] if touched else ""
    after = text[fragment.end : touched[-1][1]] if touched else ""
    ours = [text[start:end] for start, end in touched]
    theirs = [f"{before}{either}{after}".split() for either in alternatives(fragment.correction)]
    while ours and all(tokens[-1:] == ours[-1:] for tokens in theirs):
        ours, theirs, last = ours[:-1], [tokens[:-1] for tokens in theirs], last - 1
    while ours and all(tokens[:1] == ours[:1] for tokens in theirs):
        ours, theirs, first = ours[1:], [tokens[1:] for tokens in theirs], first + 1
    return Edit(first, last, fragment.code, OR.join(map(" ".join, theirs)))
