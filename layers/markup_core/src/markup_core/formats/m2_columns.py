"""Read large M2 texts as columns: numpy arrays with a row per edit, a thousand sentences and more at a time.

:func:`columns` takes portions in which every line is in the form that ERRANT writes. Any other (with faults,
alternatives, lines of blanks, letters not in NFC) is left to :func:`markup_core.formats.m2.units`, which alone decides
what is wrong and how it is told. Both read the same of every text: tests/markup_core/formats/test_m2.py
compares them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple
from unicodedata import is_normalized

import numpy as np
from numpy.typing import NDArray

from markup_core.formats.m2 import EMPTY, NOOP, USUAL_NOTE, lines_ended

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

    def stands(self, at: Ints, wanted: str) -> Flags:
        """Return at which of the places a text stands."""
        coded = encoded(wanted)
        result = np.ones(len(at), np.bool_)
        for begin in range(0, len(coded), _WORD):
            letters = coded[begin : begin + _WORD]
            result &= self.words[at + begin] & _LETTERS[len(letters)] == int.from_bytes(letters, "little")
        return result

    def are(self, pieces: Texts, wanted: str) -> Flags:
        """Return which of the pieces are a text."""
        result: Flags = pieces.size == len(encoded(wanted))
        result[result] = self.stands(pieces.at[result], wanted)
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
    annotator, note = _annotators(content, data, ends[edit])
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


def _annotators(content: Bytes, data: NDArray[np.uint8], ends: Ints) -> tuple[Ints, Ints]:
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
