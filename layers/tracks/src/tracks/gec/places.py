"""Edits of one annotator by what makes two of them the same, and two annotators counted against each other.

As ERRANT 3.0.2 compares them (``errant_compare``, with ``-ds`` and ``-dt``):

- *correction*: an edit is right when span and correction are those of a gold edit; types do not matter. Edits of the
  type ``UNK`` (detected, not corrected) do not count here;
- *span*: when the span is that of a gold edit;
- *token*: each token of an edit is counted for itself; an insertion counts as the token on its right.

Several edits of one annotator at one place (equal keys) are one place with as many types: where the other has it too,
each **gold** type is a TP; where the system has not, each is a FN; a place of the system without a counterpart gives a
FP for each type of the **system's**. So doubling an edit costs a system nothing where it is right.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, Final, NamedTuple

from tracks.gec.counts import Counts
from tracks.gec.m2 import Edit

UNKNOWN: Final = "UNK"
"""The type of what is detected and not corrected."""

Key = tuple[Any, ...]
Labels = dict[str, list[int]]
"""TP, FP and FN by whole label, added up in place."""


class Detection(Enum):
    """What makes two edits the same."""

    CORRECTION = "correction"
    SPAN = "span"
    TOKEN = "token"  # noqa: S105 - a word of a sentence


class By(Enum):
    """Categories of edits."""

    NONE = "none"
    TYPE = "type"
    OPERATION = "operation"
    FULL = "full"


class Places(NamedTuple):
    """Types by place, how many types there are in all, and whether some place has several."""

    types: Mapping[Key, Sequence[str]]
    size: int
    doubled: bool


def places(edits: Sequence[Edit], detection: Detection = Detection.CORRECTION) -> Places:
    """The places of an annotator's edits; linear in the edits, for tokens in the tokens of their spans."""
    if detection is Detection.CORRECTION:  # the usual case, without a place that is taken twice, goes quickly
        single = {(start, end, correction): (label,) for start, end, label, correction, _ in edits if label != UNKNOWN}
        if len(single) == len(edits):
            return Places(single, len(edits), False)
    found: dict[Key, list[str]] = {}
    for key, label in _KEYS[detection](edits):
        found.setdefault(key, []).append(label)
    size = sum(map(len, found.values()))
    return Places(found, size, size > len(found))


def count(system: Places, gold: Places) -> Counts:
    """TP, FP, FN of a system against one annotator (tracks.md §3)."""
    shared = system.types.keys() & gold.types.keys()
    if gold.doubled or system.doubled:
        right = sum(len(gold.types[key]) for key in shared)
        covered = sum(len(system.types[key]) for key in shared)
    else:
        right = covered = len(shared)
    return Counts(right, system.size - covered, gold.size - right)


def count_labels(system: Places, gold: Places, labels: Labels) -> None:
    """Add TP, FP and FN under their labels: TP and FN under the gold type, FP under the system's."""
    for key, types in system.types.items():
        if key not in gold.types:
            _add(labels, types, 1)
    for key, types in gold.types.items():
        _add(labels, types, 0 if key in system.types else 2)


def category(label: str, by: By) -> str:
    """The category of a label (tracks.md §5).

    ``type`` is what stands after the first colon, the whole label where there is none (ERRANT cuts off two characters
    there); ``operation`` is the first letter. ``UNK`` is a category of its own in both, as in ERRANT.
    """
    if by is By.FULL or label == UNKNOWN:
        return label
    if by is By.OPERATION:
        return label[0]
    _, colon, rest = label.partition(":")
    return rest if colon else label


def grouped(labels: Iterable[tuple[str, Counts]], by: By) -> dict[str, Counts]:
    """Counts by category, in alphabetical order; nothing by :attr:`By.NONE`."""
    found: dict[str, Counts] = {}
    if by is not By.NONE:
        for label, counts in labels:
            name = category(label, by)
            found[name] = found.get(name, Counts()).plus(counts)
    return dict(sorted(found.items()))


def _corrections(edits: Sequence[Edit]) -> Iterator[tuple[Key, str]]:
    for start, end, label, correction, _ in edits:
        if label != UNKNOWN:
            yield (start, end, correction), label


def _spans(edits: Sequence[Edit]) -> Iterator[tuple[Key, str]]:
    for edit in edits:
        yield (edit.start, edit.end), edit.type


def _tokens(edits: Sequence[Edit]) -> Iterator[tuple[Key, str]]:
    for edit in edits:
        for token in range(edit.start, max(edit.end, edit.start + 1)):
            yield (token,), edit.type


def _add(labels: Labels, types: Sequence[str], column: int) -> None:
    for label in types:
        if label not in labels:
            labels[label] = [0, 0, 0]
        labels[label][column] += 1


_KEYS: Final = {Detection.CORRECTION: _corrections, Detection.SPAN: _spans, Detection.TOKEN: _tokens}
