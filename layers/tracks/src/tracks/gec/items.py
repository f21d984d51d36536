"""Data sets with metadata per gold edit, and the track's items, references, answers and parameters, checked.

A data set is JSON (tracks.md §3: "aligned texts with edits")::

    {"items": [{
      "id": "7", "source": "REALEC",
      "sentences": ["I go for a walk every day .", "I met many people there ."],
      "edits": [{"start": 9, "end": 10, "correction": "meet", "type": "VERB:TENSE",
                 "context_dependent": true, "group": "tense",
                 "context": {"detection": true, "correction": true, "scope": "sentence",
                             "direction": "left", "left": 1}}]}]}

Sentences are tokens with blanks between; spans count the tokens of the whole item, so an edit may cross the border of
sentences. ``context`` and ``group`` may be left out, ``source`` too. Any fault raises
:class:`markup_core.command.inputs.RefusedError` with the path of the field.

:func:`blocks` returns the smallest blocks of sentences that can be evaluated apart (tracks.md §3; G, "Расчет оценки",
step 1). **Decision**: a block is the set of sentences that must not be parted, and no others: two sentences tied by a
group do not draw in those between them, on which nothing depends. An edit ties all sentences from its first to its
last.

Correction contests made of annotated corpora: spans with corrections become edits of tokens. A line of the text is a
sentence, what stands between blanks a token. **Decision**: a span that cuts tokens takes them whole, with its
correction between what it leaves of them; then tokens that both sides share at their ends are left out, so that an
insertion that an importer widened to the word beside it is an insertion again.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from itertools import accumulate, pairwise
from typing import Any, Final, NamedTuple, TypeVar

from markup_core.command.inputs import RefusedError
from markup_core.formats import m2
from markup_core.lazy import dataclass
from markup_core.model import Fragment, Markup
from markup_core.reading.fragment_reader import SURROGATE
from markup_core.reading.wire import short
from tracks.base import GIVEN, Fields, of_parameters, of_refusal, reason, refuse, refuse_value
from tracks.capabilities import FromCorpus
from tracks.gec.comparison import DEFAULT_BETA, MAX_BETA, MIN_BETA
from tracks.protocol import Json, Reason, Text
from tracks.texts import tr, tr_in


class Scope(Enum):
    """Place of the context: in another clause of the sentence, or in another sentence."""

    CLAUSE = "clause"
    SENTENCE = "sentence"


class Direction(Enum):
    """Side on which the context lies."""

    LEFT = "left"
    RIGHT = "right"
    EITHER = "either"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class Context:
    """Context needed to find or mend an error (G, "Аннотация концентрированного датасета").

    ``left`` and ``right`` are distances in clauses or sentences, as ``scope`` says; 0 on a side that is not needed.
    """

    detection: bool
    correction: bool
    scope: Scope
    direction: Direction
    left: int
    right: int


@dataclass(frozen=True, slots=True)
class GoldEdit:
    """A gold edit with its metadata; ``group`` names the interdependent edits of its item that it belongs to."""

    edit: m2.Edit
    context_dependent: bool
    context: Context | None = None
    group: str | None = None


class Tie(NamedTuple):
    """An edit over the sentences ``first`` to ``last``, both included; ``group`` names the edits it depends on."""

    first: int
    last: int
    group: str | int | None = None


# Clause: G concentrated 1
def blocks(sentences: int, ties: Iterable[Tie]) -> list[list[int]]:
    """Partition sentences ``0 … sentences − 1`` into the smallest blocks that part no edit and no group, in order.

    The blocks stand in the order of their first sentences; the order of the ties does not matter. Nearly linear in
    sentences and ties (disjoint sets with path halving).
    """
    parent = list(range(sentences))
    homes: dict[str | int, int] = {}
    crossings = [0] * (sentences + 1)  # how many edits begin, less how many end, to cross the border before a sentence
    for first, last, group in ties:
        crossings[first + 1] += 1
        crossings[last + 1] -= 1
        if group is not None:
            _join(parent, homes.setdefault(group, first), first)
    for sentence, crossing in enumerate(accumulate(crossings[:sentences])):
        if crossing:
            _join(parent, sentence - 1, sentence)
    groups: dict[int, list[int]] = {}
    for sentence in range(sentences):
        groups.setdefault(_root(parent, sentence), []).append(sentence)
    return list(groups.values())


def joined(units: Sequence[m2.Unit], grouping: Iterable[Sequence[int]]) -> tuple[m2.Unit, ...]:
    """Join units to one per block: the sentences behind one another, their edits moved along (G, Table 3: by text).

    An annotator of any sentence of a block is one of the block; where he has no lines he changed nothing.
    """
    return tuple(_one([units[place] for place in block]) for block in grouping)


def _one(members: Sequence[m2.Unit]) -> m2.Unit:
    if len(members) == 1:
        return members[0]
    annotators: dict[int, list[m2.Edit]] = {}
    moved = 0
    for member in members:
        for annotator, edits in (member.annotators or {0: ()}).items():
            shifted = (edit._replace(start=edit.start + moved, end=edit.end + moved) for edit in edits)
            annotators.setdefault(annotator, []).extend(shifted)
        moved += len(member.tokens)
    source = " ".join(member.source for member in members)
    return m2.Unit(source, {number: tuple(edits) for number, edits in sorted(annotators.items())}, members[0].line)


def _join(parent: list[int], one: int, other: int) -> None:
    """Join two sets under the smaller of their sentences."""
    low, high = sorted((_root(parent, one), _root(parent, other)))
    parent[high] = low


def _root(parent: list[int], place: int) -> int:
    while parent[place] != place:
        parent[place] = parent[parent[place]]
        place = parent[place]
    return place


MOST_TOKENS: Final = 100_000
"""Largest end of a span where the text is not known."""
UNKNOWN_SOURCE: Final = "—"
_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class GoldItem:
    """A text of some sentences with its gold edits and the corpus it comes from."""

    item_id: str
    source: str
    sentences: tuple[str, ...]
    edits: tuple[GoldEdit, ...]

    @property
    def text(self) -> str:
        """The sentences behind one another; the ``S`` line of the item in M2."""
        return " ".join(sentence for sentence in self.sentences if sentence)

    @property
    def tokens(self) -> list[str]:
        """The tokens that spans count."""
        return self.text.split()

    def unit(self) -> m2.Unit:
        """Return the item as a unit with one annotator."""
        return m2.Unit(self.text, {0: tuple(gold.edit for gold in self.edits)})

    def ties(self) -> list[Tie]:
        """Return the sentences of each edit; one at a border lies in the sentence that begins there."""
        ends = list(accumulate(len(sentence.split()) for sentence in self.sentences))
        ties = []
        for gold in self.edits:
            first = min(bisect_right(ends, gold.edit.start), len(ends) - 1)
            last = bisect_right(ends, max(gold.edit.start, gold.edit.end - 1))
            ties.append(Tie(first, max(first, min(last, len(ends) - 1)), gold.group))
        return ties


def read_gold_items(fields: Fields) -> tuple[GoldItem, ...]:
    """Read the items of a data set; ids are unique."""
    items = tuple(map(read_gold_item, fields.parts("items")))
    item_ids: set[str] = set()
    for number, item in enumerate(items):
        if item.item_id in item_ids:
            refuse(
                fields.path(f"items[{number}].id"), tr_in("gold", "is {item_id} a second time", item_id=item.item_id)
            )
        item_ids.add(item.item_id)
    return items


# Clause: G sources
def read_gold_item(fields: Fields) -> GoldItem:
    """Read one item; a sentence is a line of tokens, at least one of them not empty."""
    item_id, sentences = _item_id(fields), _filled(fields)
    edits = tuple(read_gold_edits(fields, "edits", _size(sentences)))
    return GoldItem(item_id, fields.text("source", UNKNOWN_SOURCE), sentences, edits)


def problems(fields: Fields) -> list[RefusedError]:
    """Return all refusals of an item by :func:`read_gold_item`, of each edit the first."""
    refusals: list[RefusedError] = []

    def tried(read: Callable[[], _Value]) -> _Value | None:
        try:
            return read()
        except RefusedError as error:
            refusals.append(error)
            return None

    tried(lambda: _item_id(fields))
    sentences = tried(lambda: _filled(fields))
    tried(lambda: fields.text("source", UNKNOWN_SOURCE))
    size = MOST_TOKENS if sentences is None else _size(sentences)
    for number, value in enumerate(tried(lambda: fields.items("edits")) or ()):
        path = f"{fields.path('edits')}[{number}]"
        tried(lambda value=value, path=path: _gold_edit(_object(value, path), size))  # type: ignore[misc]
    return refusals


# Clause: G context
def read_gold_edits(fields: Fields, name: str, size: int = MOST_TOKENS) -> Iterator[GoldEdit]:
    """Read gold edits of a text of so many tokens; by default an edit does not depend on context."""
    for part in fields.parts(name):
        edit = _gold_edit(part, size)
        if edit is not None:
            yield edit


def read_edits(fields: Fields, name: str, size: int = MOST_TOKENS) -> Iterator[m2.Edit]:
    """Read edits of a text of so many tokens."""
    for part in fields.parts(name):
        edit = read_edit(part, size)
        if edit is not None:
            yield edit


def read_edit(part: Fields, size: int) -> m2.Edit | None:
    """Read an edit of a system, which need not name a type; None for a noop."""
    return _edit(part, size, "OTHER" if part.raw("type", None) is None else _line(part, "type"))


def dump_gold_edit(gold: GoldEdit) -> dict[str, Json]:
    """Dump a gold edit as :func:`read_gold_edits` reads it; M2's note is left out, for nothing reads it."""
    start, end, label, correction, _ = gold.edit
    dumped: dict[str, Json] = {
        "start": start,
        "end": end,
        "correction": correction,
        "type": label,
        "context_dependent": gold.context_dependent,
    }
    if gold.group is not None:
        dumped["group"] = gold.group
    if gold.context is not None:
        dumped["context"] = {
            "detection": gold.context.detection,
            "correction": gold.context.correction,
            "scope": gold.context.scope.value,
            "direction": gold.context.direction.value,
            "left": gold.context.left,
            "right": gold.context.right,
        }
    return dumped


def _object(value: Json, path: str) -> Fields:
    if not isinstance(value, dict):
        refuse_value(path, tr("an object"), value)
    return Fields(value, path)


def _item_id(fields: Fields) -> str:
    item_id = _line(fields, "id")
    if not item_id.strip():
        refuse(fields.path("id"), tr("is empty"))
    return item_id


def _filled(fields: Fields) -> tuple[str, ...]:
    """Read sentences with at least one token."""
    sentences = []
    for number, sentence in enumerate(fields.items("sentences")):
        if not isinstance(sentence, str):
            refuse(f"{fields.path('sentences')}[{number}]", tr("must be a string"))
        sentences.append(" ".join(sentence.split()))
    if not _size(sentences):
        refuse(fields.path("sentences"), tr("hold no token"))
    return tuple(sentences)


def _size(sentences: Iterable[str]) -> int:
    return sum(len(sentence.split()) for sentence in sentences)


def _gold_edit(part: Fields, size: int) -> GoldEdit | None:
    """Read a gold edit with its metadata; None for a noop."""
    edit = _edit(part, size, _line(part, "type"))
    if edit is None:
        return None
    context = _context(part.part("context")) if part.raw("context", None) is not None else None
    return GoldEdit(edit, part.flag("context_dependent", False), context, part.text("group", None))


# Clause: G fields 6
def _edit(part: Fields, size: int, label: str) -> m2.Edit | None:
    """Read an edit; None for a noop, which edits nothing."""
    start, end = part.whole("start", low=-1, high=size), part.whole("end", low=-1, high=size)
    if (label == m2.NOOP) != ((start, end) == m2.NOTHING):
        refuse(part.path("type"), tr("{noop} and the span -1, -1 go together", noop=m2.NOOP))
    if label == m2.NOOP:
        return None
    if not 0 <= start <= end:
        refuse(part.path("end"), tr("must not be before the start: the span is {start}, {end}", start=start, end=end))
    if not label:
        refuse(part.path("type"), tr_in("gold", "is empty"))
    return m2.Edit(start, end, label, m2.corrected(_line(part, "correction")), m2.USUAL_NOTE)


def _line(part: Fields, name: str) -> str:
    """Read a string that can stand in a line of UTF-8."""
    value: str = part.text(name)
    if "\n" in value or "\r" in value or SURROGATE.search(value):
        refuse(part.path(name), tr("must be one line of whole characters"))
    return value


# Clause: G fields 1, G fields 2, G fields 3, G fields 4, G fields 5
def _context(part: Fields) -> Context:
    direction = Direction(part.choice("direction", [side.value for side in Direction]))
    leftward, rightward = part.whole("left", 0, low=0), part.whole("right", 0, low=0)
    sides = (direction is not Direction.RIGHT, direction is not Direction.LEFT)
    if (leftward > 0, rightward > 0) != sides:
        refuse(
            part.path("direction"),
            tr(
                "is {value}, the distances are {leftward} to the left and {rightward} to the right",
                value=direction.value,
                leftward=leftward,
                rightward=rightward,
            ),
        )
    context = Context(
        detection=part.flag("detection"),
        correction=part.flag("correction"),
        scope=Scope(part.choice("scope", [scope.value for scope in Scope])),
        direction=direction,
        left=leftward,
        right=rightward,
    )
    if not (context.detection or context.correction):
        refuse(part.where, tr("is needed neither for detection nor for correction"))
    return context


def of_m2(line: int, code: str, message: Text) -> Reason:
    """Return the reason of a fault of an answer in M2, with its line."""
    text = tr("m2: line {line}: {problem}", line=line, problem=message)
    return Reason(code, text, {"field": "m2", "line": line})


def of_m2_file(error: m2.M2Error) -> list[Reason]:
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
        return [], [reason("wrong_form", "", tr("a reference is an object, not {raw}", raw=short(raw)))]
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
"""Most edits of one answer."""


# Clause: TS G-2
def read_answer(raw: Json, tokens: Sequence[str]) -> tuple[list[m2.Edit], list[Reason]]:
    """Read the edits of an answer in the order of the text, or return every reason why it is none."""
    if not isinstance(raw, dict) or len(raw) != 1 or not raw.keys() <= {"edits", "m2"}:
        return [], [reason("wrong_form", "", tr('an answer is {"edits": […]} or {"m2": "…"}'))]
    edits, reasons = _listed(raw["edits"], len(tokens)) if "edits" in raw else _in_m2(raw["m2"], tokens)
    edits.sort()
    reasons += [*_several(edits), *_overlaps(edits)]
    return ([], reasons) if reasons else (edits, [])


def read_unit(unit: m2.Unit, tokens: Sequence[str]) -> tuple[list[m2.Edit], list[Reason]]:
    """Read the edits of a unit of M2 as those of a text, or return every reason why they are not."""
    edits = sorted(edit for edits in unit.annotators.values() for edit in edits)
    reasons = [*_unit_faults([unit], tokens), *_too_many(len(edits)), *_several(edits), *_overlaps(edits)]
    return ([], reasons) if reasons else (edits, [])


def dump(edits: Sequence[m2.Edit]) -> dict[str, Json]:
    """Return the canonical form of an answer."""
    return {
        "edits": [
            {"start": edit.start, "end": edit.end, "correction": edit.correction, "type": edit.type} for edit in edits
        ]
    }


def _listed(raw: Json, size: int) -> tuple[list[m2.Edit], list[Reason]]:
    if not isinstance(raw, list):
        return [], [reason("wrong_form", "edits", tr("edits must be a list, not {raw}", raw=short(raw)))]
    if len(raw) > MOST_EDITS:
        return [], list(_too_many(len(raw)))
    edits: list[m2.Edit] = []
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


def _in_m2(raw: Json, tokens: Sequence[str]) -> tuple[list[m2.Edit], list[Reason]]:
    if not isinstance(raw, str):
        return [], [reason("wrong_form", "m2", tr("m2 must be a string, not {raw}", raw=short(raw)))]
    try:
        units = m2.parse(raw)
    except m2.M2Error as error:
        return [], [of_m2(fault.line, fault.code, fault.message) for fault in error.faults]
    reasons = list(_unit_faults(units, tokens))
    edits = [edit for unit in units for edits in unit.annotators.values() for edit in edits]
    return ([], reasons) if reasons else (edits, [])


def _unit_faults(units: Sequence[m2.Unit], tokens: Sequence[str]) -> Iterator[Reason]:
    if len(units) > 1:
        yield reason("several_units", "m2", tr("{units} units; an answer has one", units=len(units)))
    elif not m2.same_text(units[0].tokens, tokens):
        yield reason("text_differs", "m2", tr("the S line is not the text that was handed out"))
    if any(len(unit.annotators) > 1 for unit in units):
        yield reason("several_annotators", "m2", tr("an answer has edits of one annotator"))


def _several(edits: Sequence[m2.Edit]) -> Iterator[Reason]:
    """Refuse alternatives, of which any would be right: only annotators may give them."""
    for edit in edits:
        if len(m2.alternatives(edit.correction)) > 1:
            message = tr(
                "the edit of {start}, {end} has several corrections, {correction}: an answer gives one",
                start=edit.start,
                end=edit.end,
                correction=short(edit.correction),
            )
            yield reason("several_corrections", "edits", message)


def _overlaps(edits: Sequence[m2.Edit]) -> Iterator[Reason]:
    """Yield edits that cannot both be made; so a program cannot try several corrections of one place."""
    for one, other in pairwise(edits):
        if other.start < one.end or one[:2] == other[:2]:
            spans = f"{one.start}, {one.end} / {other.start}, {other.end}"
            yield reason("overlapping_edits", "edits", tr("two edits meet in one place: {spans}", spans=spans))


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
        edits = sorted(
            {_token_edit(fragment, text, spans) for fragment in markup.fragments if not fragment.is_full_text}
        )
        references[number] = {
            "edits": [
                dump_gold_edit(GoldEdit(edit, context_dependent=False))
                for edit in edits
                if edit.start < edit.end or edit.correction
            ]
        }
    return FromCorpus(item, references)


def _token_edit(fragment: Fragment, text: str, spans: list[tuple[int, int]]) -> m2.Edit:
    first = bisect_right(spans, fragment.start, key=lambda span: span[1])
    last = max(first, bisect_left(spans, fragment.end, key=lambda span: span[0]))
    touched = spans[first:last]
    before = text[touched[0][0] : fragment.start] if touched else ""
    after = text[fragment.end : touched[-1][1]] if touched else ""
    ours = [text[start:end] for start, end in touched]
    theirs = [f"{before}{either}{after}".split() for either in m2.alternatives(fragment.correction)]
    while ours and all(tokens[-1:] == ours[-1:] for tokens in theirs):
        ours, theirs, last = ours[:-1], [tokens[:-1] for tokens in theirs], last - 1
    while ours and all(tokens[:1] == ours[:1] for tokens in theirs):
        ours, theirs, first = ours[1:], [tokens[1:] for tokens in theirs], first + 1
    return m2.Edit(first, last, fragment.code, m2.OR.join(map(" ".join, theirs)))
