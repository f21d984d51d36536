"""Count a system's edits in large M2 texts: numpy arrays with a row per edit, not sets of each unit (tracks.md §3).

:func:`columns` takes portions in which every line is in the form that ERRANT writes, a thousand sentences and more at a
time. Any other (with faults, alternatives, lines of blanks, letters not in NFC) is left to
:func:`markup_core.formats.m2.units`, which alone decides what is wrong and how it is told.
:mod:`tracks.gec.comparison` says which edits are the same, and what places with several edits count; both choose by
:meth:`Tally.choose`. tests/tracks/gec/test_properties.py compares both ways of reading and of counting.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple
from unicodedata import is_normalized

import numpy as np
from numpy.typing import NDArray

from markup_core.command.inputs import RefusedError
from markup_core.formats.m2 import EMPTY, NOOP, USUAL_NOTE, M2Error, PlainUnit, lines_ended, units
from tracks.gec.comparison import UNKNOWN, Detection, Tally, side_by_side, without

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
_PORTION: Final = 1 << 19
"""Characters read at a time: with fewer, calls of numpy take longer than their work; with more, memory grows."""
_LARGEST_PORTION: Final = 1 << 23
_DIGITS: Final = 6
BITS: Final = 20
"""Bits that a number of :data:`_DIGITS` digits fits into."""
_WORD: Final = 8
_LETTERS: Final = np.array([(1 << 8 * size) - 1 for size in range(_WORD + 1)], np.uint64)
"""Mask of the first bytes of a word, by how many they are."""
_LONGEST_LABEL: Final = 4 * _WORD
_END: Final = b"\n" + bytes(_LONGEST_LABEL)
_ONES: Final = np.uint64(0x0101_0101_0101_0101)
_BARS: Final = np.uint64(ord("|")) * _ONES
_SEPARATOR: Final = "|||"
_NOWHERE: Final = "-1 -1"
_NOTE: Final = _SEPARATOR.join(("", *USUAL_NOTE, ""))
_BARS_OF_EDIT: Final = 15
_SPACES: Final = (
    "\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
"""White space outside ASCII, which parts tokens, too."""


class Texts(NamedTuple):
    """Pieces of a portion: where each begins, and its number of bytes."""

    at: Ints
    size: Ints


class Bytes(NamedTuple):
    """A portion in UTF-8, also by the eight bytes that begin at each place."""

    raw: bytes
    words: NDArray[np.uint64]

    def stands(self, at: Ints, text: str) -> Flags:
        """Return at which of the places a text stands."""
        coded = encoded(text)
        result = np.ones(len(at), np.bool_)
        for begin in range(0, len(coded), _WORD):
            letters = coded[begin : begin + _WORD]
            result &= self.words[at + begin] & _LETTERS[len(letters)] == int.from_bytes(letters, "little")
        return result

    def are(self, pieces: Texts, text: str) -> Flags:
        """Return which of the pieces are a text."""
        result: Flags = pieces.size == len(encoded(text))
        result[result] = self.stands(pieces.at[result], text)
        return result

    def pieces(self, texts: Texts) -> Iterator[bytes]:
        """Yield the pieces themselves."""
        at, size = texts
        return map(self.raw.__getitem__, map(slice, at.tolist(), (at + size).tolist()))

    def bars(self, at: Ints) -> Ints:
        """Return the first bar from each place on; it stands no farther than a label is long."""
        at, remaining = at.copy(), np.arange(len(at))
        for _ in range(_LONGEST_LABEL // _WORD):
            others = self.words[at[remaining]] ^ _BARS
            zero = (others - _ONES) & ~others & (_ONES << np.uint64(_WORD - 1))  # its lowest bit is in the first bar
            step = np.bitwise_count((zero - np.uint64(1)) & ~zero) // _WORD
            at[remaining] += step
            remaining = remaining[step == _WORD]
        _demand(not len(remaining))
        return at


class Columns(NamedTuple):
    """Units of a portion and their edits, in the order of the text; a noop is an edit that begins at -1."""

    content: Bytes
    sources: list[bytes]
    unit: Ints
    """Number of the edit's unit, from 0."""
    annotator: Ints
    start: Ints
    end: Ints
    label: Texts
    correction: Texts

    def part(self, first: int, behind: int) -> Columns:
        """Return the units from the first to the one before ``behind``, which are numbered from 0."""
        content, sources, unit, annotator, start, end, label, correction = self
        edits = slice(*np.searchsorted(unit, (first, behind)).tolist())
        return Columns(
            content,
            sources[first:behind],
            unit[edits] - first,
            annotator[edits],
            start[edits],
            end[edits],
            Texts(label.at[edits], label.size[edits]),
            Texts(correction.at[edits], correction.size[edits]),
        )


class OtherFormError(Exception):
    """A text has lines that only :func:`markup_core.formats.m2.units` reads; they need not be wrong."""


def portions(text: str) -> Iterator[str]:
    """Cut a text between units, so that they are read as before, but for the numbers of their lines.

    Raises :class:`OtherFormError` where units do not end as usual, before the whole text would be one portion.
    """
    text = lines_ended(text)
    begin = int(text.startswith("\ufeff"))
    while (end := text.find("\n\nS ", begin + _PORTION, begin + _LARGEST_PORTION)) >= 0:
        yield text[begin : end + 1]
        begin = end + 2
    _demand(len(text) - begin <= _LARGEST_PORTION)
    yield text[begin:]


def columns(portion: str) -> Columns | None:
    """Read a portion that is in the form ERRANT writes; None for any other."""
    try:
        return _columns(portion)
    except OtherFormError:
        return None


def equal(ours: Columns, one: Ints, theirs: Columns, other: Ints) -> Flags:
    """Return whether corrections of ``ours``, by the numbers of their edits, are those of ``theirs``, couple by couple.

    Linear in the bytes of the corrections.
    """
    size = ours.correction.size[one]
    result: Flags = size == theirs.correction.size[other]
    couples = np.flatnonzero(result)
    here, there, size = ours.correction.at[one[couples]], theirs.correction.at[other[couples]], size[couples]
    while len(couples):
        letters = _LETTERS[np.minimum(size, _WORD)]
        is_equal = (ours.content.words[here] ^ theirs.content.words[there]) & letters == 0
        result[couples[~is_equal]] = False
        goes_on = is_equal & (size > _WORD)
        couples, here, there, size = (
            column[goes_on] for column in (couples, here + _WORD, there + _WORD, size - _WORD)
        )
    return result


def _columns(portion: str) -> Columns:
    if not portion.isascii():
        _demand(is_normalized("NFC", portion) and not any(space in portion for space in _SPACES))
    raw = encoded(portion) + _END
    data = np.frombuffer(raw, np.uint8)
    content = Bytes(raw, np.ndarray((len(raw) - _WORD + 1,), "<u8", raw, strides=(1,)))
    ends, blank = np.flatnonzero(data == ord("\n")), data == ord(" ")
    _demand(np.count_nonzero(data < ord(" ")) == len(ends) + _LONGEST_LABEL and not (blank[1:] & blank[:-1]).any())
    starts = np.concatenate(([0], ends[:-1] + 1))
    sentence, edit = _kinds(data, starts)
    _demand(not (blank[ends - 1] & sentence).any())
    sources = list(content.pieces(Texts(starts[sentence] + 2, ends[sentence] - starts[sentence] - 2)))
    unit = np.cumsum(sentence)[edit] - 1
    tokens = np.array([source.count(b" ") + 1 for source in sources])[unit]
    start, end, label_bars = _spans(content, data, starts[edit] + 2, tokens)
    annotator, note = _annotator_numbers(content, data, ends[edit])
    label = Texts(label_bars + 3, content.bars(label_bars + 3) - label_bars - 3)
    correction = Texts(label.at + label.size + 3, note - label.at - label.size - 3)
    _demand(content.stands(correction.at - 3, _SEPARATOR).all() and (label.size > 0).all())
    _demand((correction.size >= 0).all() and np.count_nonzero(data == ord("|")) == _BARS_OF_EDIT * len(unit))
    _demand((content.are(label, NOOP) == (start < 0)).all())
    correction.size[content.are(correction, EMPTY)] = 0
    return Columns(content, sources, unit, annotator, start, end, label, correction)


def _spans(content: Bytes, data: NDArray[np.uint8], at: Ints, tokens: Ints) -> tuple[Ints, Ints, Ints]:
    """Read the spans of edits: start, end and the bars behind them; a noop's span is -1 -1."""
    start, behind = _numbers(data, at)
    end, bars = _numbers(data, behind + 1)
    is_span = (behind > at) & (data[behind] == ord(" ")) & (bars > behind + 1) & (start <= end) & (end <= tokens)
    nowhere = content.stands(at, _NOWHERE)
    start[nowhere] = end[nowhere] = -1
    bars[nowhere] = at[nowhere] + len(_NOWHERE)
    _demand((is_span | nowhere).all() and content.stands(bars, _SEPARATOR).all())
    return start, end, bars


def _annotator_numbers(content: Bytes, data: NDArray[np.uint8], ends: Ints) -> tuple[Ints, Ints]:
    """Read annotators from the ends of their lines; return also where the usual note in front of them begins."""
    at = ends - 1
    for _ in range(_DIGITS):
        if not (is_digit := _are_digits(data[at - 1])).any():
            break
        at = at - is_digit
    annotators, behind = _numbers(data, at)
    note = at - len(_NOTE)
    _demand((behind == ends).all() and content.stands(note, _NOTE).all())
    return annotators, note


def encoded(text: str) -> bytes:
    """Return a text in UTF-8; halves of characters, which JSON can hold, stay apart."""
    return text.encode("utf-8", "surrogatepass")


def _demand(condition: object) -> None:
    if not condition:
        raise OtherFormError


def _kinds(data: NDArray[np.uint8], starts: Ints) -> tuple[Flags, Flags]:
    """Return which lines are sentences and which are edits; the others are empty and stand between units."""
    letter, is_empty = data[starts], data[starts] == ord("\n")
    sentence, edit = letter == ord("S"), letter == ord("A")
    _demand(((sentence | edit) & (data[starts + 1] == ord(" ")) | is_empty).all())
    _demand(sentence[0] and not (sentence[1:] != (is_empty[:-1] & ~is_empty[1:])).any())
    return sentence, edit


def _numbers(data: NDArray[np.uint8], at: Ints) -> tuple[Ints, Ints]:
    """Read whole numbers; return them and the places behind them. Where there is no digit both are as they were."""
    numbers = np.zeros(len(at), np.int64)
    for _ in range(_DIGITS + 1):
        digits = data[at]
        is_digit = _are_digits(digits)
        if not is_digit.any():
            return numbers, at
        numbers = np.where(is_digit, 10 * numbers + digits - ord("0"), numbers)
        at = at + is_digit
    raise OtherFormError


def _are_digits(letters: NDArray[np.uint8]) -> Flags:
    result: Flags = letters - np.uint8(ord("0")) < 10  # what is below goes round to the top
    return result


_MOST_PAIRS: Final = 8
"""Pairs of edits at the same place, for each edit, that are compared here."""
_HALF: Final = 32
"""Bits of the lower of two numbers in one."""


def add(reference: str, hypothesis: str, tallies: Sequence[Tally], left_out: Sequence[str]) -> bool:
    """Add all units of two texts to the tallies, less the edits whose label is ``left_out``.

    False where a text has a fault or the texts differ: the tallies are not to be used then, and reading unit by unit
    tells what is wrong.
    """
    gold, system = _Side(reference), _Side(hypothesis)
    try:
        while gold.is_open() & system.is_open():
            count = min(gold.left, system.left)
            evaluations = _evaluations(gold.columns(count), system.columns(count), tallies, left_out)
            for tally, evaluation in zip(tallies, evaluations, strict=False):
                _add(tally, evaluation)
            for pair in () if evaluations else side_by_side(gold.units(count), system.units(count)):
                one, other = (without(unit, left_out) for unit in pair)
                for tally in tallies:
                    tally.add(one, other)
            gold.left, system.left = gold.left - count, system.left - count
    except (M2Error, RefusedError, OtherFormError):
        return False
    return gold.left == system.left


class _Side:
    """A text, a portion at a time; ``left`` of its units are still to be counted."""

    def __init__(self, text: str) -> None:
        self._portions = portions(text)
        self._portion = ""
        self._columns: Columns | None = None
        self._units: list[PlainUnit] = []
        self._count = self.left = 0

    def is_open(self) -> bool:
        """Return whether a unit is left; read the next portion where none is left of the last."""
        if not self.left and (portion := next(self._portions, None)) is not None:
            self._portion, self._columns, self._units = portion, columns(portion), []
            sentences = self._read_units() if self._columns is None else self._columns.sources
            self._count = self.left = len(sentences)
        return self.left > 0

    def columns(self, count: int) -> Columns | None:
        """Return the next units as columns; None where the portion cannot be read so."""
        first = self._count - self.left
        return self._columns and self._columns.part(first, first + count)

    def units(self, count: int) -> list[PlainUnit]:
        """Return the next units; their lines are counted from the portion's first."""
        first = self._count - self.left
        return self._read_units()[first : first + count]

    def _read_units(self) -> list[PlainUnit]:
        self._units = self._units or list(units(self._portion))
        return self._units


class _Annotators(NamedTuple):
    """The annotators of every unit, in the order of the text; of a unit without any, annotator 0, without edits."""

    of_edits: Ints
    number: Ints
    first: Ints
    """The place of each unit's first annotator among all."""
    size: Ints
    """The number of annotators of each unit."""


class _Couples(NamedTuple):
    """Couples of annotators, unit by unit: the system's first with each of the reference's, then its next."""

    first: Ints
    """The first couple of each unit."""
    system: Ints
    gold: Ints
    numbers: tuple[list[int], list[int]]
    """The annotators' numbers in the texts, the system's and the reference's."""


class _Places(NamedTuple):
    """Places of edits that count: one of each edit, or one for each of its tokens."""

    side: Columns
    edit: Ints
    annotator: Ints
    key: Ints
    """Unit and span, or unit and token."""


class _Evaluation(NamedTuple):
    """Places in one kind of evaluation; of each pair of equal ones the system's place, the gold place, the couple."""

    couples: _Couples
    system: _Places
    gold: _Places
    same: tuple[Ints, Ints, Ints]


def _evaluations(
    gold: Columns | None, system: Columns | None, tallies: Sequence[Tally], left_out: Sequence[str]
) -> list[_Evaluation]:
    """Pair equal places in each tally's kind of evaluation.

    Empty where columns do not serve: a text is not in their form, sentences differ by a byte, an annotator's edits
    stand apart in a unit, or one place has many edits on both sides.
    """
    if gold is None or system is None or gold.sources != system.sources:
        return []
    ours, theirs = _annotators(system), _annotators(gold)
    if ours is None or theirs is None:
        return []
    couples = _couples(ours, theirs)
    evaluations = []
    for tally in tallies:
        system_places = _places(system, ours, tally.detection, left_out)
        gold_places = _places(gold, theirs, tally.detection, left_out)
        same = _same(system_places, gold_places, tally.detection)
        if same is None:
            return []
        one, other = same
        unit = gold.unit[gold_places.edit[other]]
        row = system_places.annotator[one] - ours.first[unit]
        couple = couples.first[unit] + row * theirs.size[unit] + gold_places.annotator[other] - theirs.first[unit]
        evaluations.append(_Evaluation(couples, system_places, gold_places, (one, other, couple)))
    return evaluations


def _annotators(side: Columns) -> _Annotators | None:
    """Return the annotators of all units; None where one's edits do not stand together."""
    code = side.unit << BITS | side.annotator
    is_first = np.diff(code, prepend=-1) != 0
    codes = code[is_first]
    if not np.diff(np.sort(codes)).all():
        return None
    size = np.bincount(codes >> BITS, minlength=len(side.sources))
    with_all = np.concatenate((codes, np.flatnonzero(size == 0) << BITS))
    order = np.argsort(with_all >> BITS, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    size = np.maximum(size, 1)
    numbers = with_all[order] & ((1 << BITS) - 1)
    return _Annotators(place[np.cumsum(is_first) - 1], numbers, np.cumsum(size) - size, size)


def _couples(system: _Annotators, gold: _Annotators) -> _Couples:
    size = system.size * gold.size
    first = np.cumsum(size) - size
    row, column = np.divmod(np.arange(size.sum()) - np.repeat(first, size), np.repeat(gold.size, size))
    ours, theirs = row + np.repeat(system.first, size), column + np.repeat(gold.first, size)
    return _Couples(first, ours, theirs, (system.number[ours].tolist(), gold.number[theirs].tolist()))


def _places(side: Columns, annotators: _Annotators, detection: Detection, left_out: Sequence[str]) -> _Places:
    counts = side.start >= 0
    for label in [*left_out, *([UNKNOWN] if detection is Detection.CORRECTION else [])]:
        counts &= ~side.content.are(side.label, label)
    edit = np.flatnonzero(counts)
    if detection is Detection.TOKEN:
        size = np.maximum(side.end - side.start, 1)[edit]
        token = np.arange(size.sum()) + np.repeat(side.start[edit] - np.cumsum(size) + size, size)
        edit = np.repeat(edit, size)
        key = side.unit[edit] << BITS | token
    else:
        key = (side.unit[edit] << BITS | side.start[edit]) << BITS | side.end[edit]
    return _Places(side, edit, annotators.of_edits[edit], key)


def _same(system: _Places, gold: _Places, detection: Detection) -> tuple[Ints, Ints] | None:
    """Pair the system's places with equal gold places; None where one place has too many edits."""
    order = np.argsort(system.key, kind="stable")
    keys = system.key[order]
    at, behind = (np.searchsorted(keys, gold.key, side) for side in ("left", "right"))
    count = behind - at
    if count.sum() > _MOST_PAIRS * (len(system.key) + len(gold.key)):
        return None
    other = np.repeat(np.arange(len(count)), count)
    one = order[np.arange(len(other)) + np.repeat(at - np.cumsum(count) + count, count)]
    if detection is Detection.CORRECTION:
        is_same = equal(system.side, system.edit[one], gold.side, gold.edit[other])
        one, other = one[is_same], other[is_same]
    return one, other


def _add(tally: Tally, evaluation: _Evaluation) -> None:
    """Add every unit's best couple."""
    couples, system, gold, (one, other, couple) = evaluation
    tp, covered = (_distinct(couple, places, len(couples.gold)) for places in (other, one))
    fp, fn = _sizes(system, couples.system) - covered, _sizes(gold, couples.gold) - tp
    listed = list(zip(tp.tolist(), fp.tolist(), fn.tolist(), *couples.numbers, strict=True))
    options = [listed[first:behind] for first, behind in pairwise([*couples.first.tolist(), len(listed)])]
    chosen = tally.choose(options)
    if tally.by_label:
        is_chosen = np.zeros(len(couples.gold), np.bool_)
        is_chosen[couples.first + [unit.index(best) for unit, best in zip(options, chosen, strict=True)]] = True
        pairs = is_chosen[couple]
        right, missed = _labels(gold, couples.gold[is_chosen], other[pairs])
        _, wrong = _labels(system, couples.system[is_chosen], one[pairs])
        for column, labels in enumerate((right, wrong, missed)):
            for label, number in Counter(labels).items():
                tally.labels.setdefault(label.decode("utf-8", "surrogatepass"), [0, 0, 0])[column] += number


def _distinct(couple: Ints, place: Ints, couples: int) -> Ints:
    """Count the different places of each couple."""
    codes = np.sort(couple << _HALF | place)  # np.unique takes longer
    return np.bincount(codes[np.diff(codes, prepend=-1) > 0] >> _HALF, minlength=couples)


def _sizes(places: _Places, annotators: Ints) -> Ints:
    """Count the places of each of the annotators."""
    return np.bincount(places.annotator, minlength=int(annotators.max()) + 1)[annotators]


def _labels(places: _Places, annotators: Ints, paired: Ints) -> tuple[Iterator[bytes], Iterator[bytes]]:
    """Yield the labels of these annotators' places that are paired, and of those that are not."""
    is_wanted = np.bincount(annotators, minlength=int(places.annotator.max(initial=0)) + 1) > 0
    is_counted, is_paired = is_wanted[places.annotator], np.zeros(len(places.edit), np.bool_)
    is_paired[paired] = True
    content, (at, size) = places.side.content, places.side.label
    edits = (places.edit[is_counted & is_paired], places.edit[is_counted & ~is_paired])
    right, wrong = (content.pieces(Texts(at[edit], size[edit])) for edit in edits)
    return right, wrong
