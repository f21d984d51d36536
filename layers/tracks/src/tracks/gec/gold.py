"""Data sets with metadata per gold edit, as JSON, and their blocks (tracks.md §3: "aligned texts with edits").

::

    {"items": [{
      "id": "7", "source": "REALEC",
      "sentences": ["I go for a walk every day .", "I met many people there ."],
      "edits": [{"start": 9, "end": 10, "correction": "meet", "type": "VERB:TENSE",
                 "context_dependent": true, "group": "tense",
                 "context": {"detection": true, "correction": true, "scope": "sentence",
                             "direction": "left", "left": 1}}]}]}

Sentences are tokens with blanks between; spans count the tokens of the whole item, so an edit may cross the border of
sentences. ``context`` and ``group`` may be left out, ``source`` too. Any fault raises
:class:`markup_core.command.complaints.RefusedError` with the path of the field.

:func:`blocks` returns the smallest blocks of sentences that can be evaluated apart (tracks.md §3; G, "Расчет оценки",
step 1). **Decision**: a block is the set of sentences that must not be parted, and no others: two sentences tied by a
group do not draw in those between them, on which nothing depends. An edit ties all sentences from its first to its
last.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Final, NamedTuple, TypeVar

from markup_core.command.complaints import RefusedError
from markup_core.formats.m2 import NOOP, NOTHING, USUAL_NOTE, Edit, Unit, corrected
from markup_core.lazy import dataclass
from markup_core.reading.fragment_reader import SURROGATE
from tracks.base import Fields, refuse, refuse_value
from tracks.gec.comparison import Context, Direction, GoldEdit, Scope
from tracks.protocol import Json
from tracks.texts import tr, tr_in


class Tie(NamedTuple):
    """An edit over the sentences ``first`` to ``last``, both included; ``group`` names the edits it depends on."""

    first: int
    last: int
    group: str | int | None = None


# Clause: G concentrated 1
def blocks(sentences: int, ties: Iterable[Tie]) -> list[list[int]]:
    """Partition sentences ``0 … sentences − 1`` into the smallest blocks that part no edit and no group, in order.

    The blocks stand in the order of their first sentences; the order of the ties does not matter. Nearly linear in
    sentences and ties (disjoint sets with path halving). Raises ValueError for a tie outside the sentences.
    """
    parent = list(range(sentences))
    homes: dict[str | int, int] = {}
    crossings = [0] * (sentences + 1)  # how many edits begin, less how many end, to cross the border before a sentence
    for first, last, group in ties:
        if not 0 <= first <= last < sentences:
            raise ValueError(f"an edit over the sentences {first} to {last} does not lie in 0 to {sentences - 1}")
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


def joined(units: Sequence[Unit], grouping: Iterable[Sequence[int]]) -> tuple[Unit, ...]:
    """Join units to one per block: the sentences behind one another, their edits moved along (G, Table 3: by text).

    An annotator of any sentence of a block is one of the block; where he has no lines he changed nothing.
    """
    return tuple(_one([units[place] for place in block]) for block in grouping)


def _one(members: Sequence[Unit]) -> Unit:
    if len(members) == 1:
        return members[0]
    annotators: dict[int, list[Edit]] = {}
    moved = 0
    for member in members:
        for annotator, edits in (member.annotators or {0: ()}).items():
            shifted = (edit._replace(start=edit.start + moved, end=edit.end + moved) for edit in edits)
            annotators.setdefault(annotator, []).extend(shifted)
        moved += len(member.tokens)
    source = " ".join(member.source for member in members)
    return Unit(source, {number: tuple(edits) for number, edits in sorted(annotators.items())}, members[0].line)


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

    def unit(self) -> Unit:
        """Return the item as a unit with one annotator."""
        return Unit(self.text, {0: tuple(gold.edit for gold in self.edits)})

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


def read_edits(fields: Fields, name: str, size: int = MOST_TOKENS) -> Iterator[Edit]:
    """Read edits of a text of so many tokens."""
    for part in fields.parts(name):
        edit = read_edit(part, size)
        if edit is not None:
            yield edit


def read_edit(part: Fields, size: int) -> Edit | None:
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
def _edit(part: Fields, size: int, label: str) -> Edit | None:
    """Read an edit; None for a noop, which edits nothing."""
    start, end = part.whole("start", low=-1, high=size), part.whole("end", low=-1, high=size)
    if (label == NOOP) != ((start, end) == NOTHING):
        refuse(part.path("type"), tr("{noop} and the span -1, -1 go together", noop=NOOP))
    if label == NOOP:
        return None
    if not 0 <= start <= end:
        refuse(part.path("end"), tr("must not be before the start: the span is {start}, {end}", start=start, end=end))
    if not label:
        refuse(part.path("type"), tr_in("gold", "is empty"))
    return Edit(start, end, label, corrected(_line(part, "correction")), USUAL_NOTE)


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
