"""The M2 format: sentences with the edits of several annotators, read with a line for every fault, and written.

A file is a list of units with blank lines between them. A unit is a line ``S`` with the tokens of a sentence (or of a
block) and a line per edit::

    S I go to home .
    A 2 3|||U:PREP||||||REQUIRED|||-NONE-|||0
    A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

The fields of an edit are its span in tokens (half-open, from 0), type, correction, two that are kept and not used, and
the annotator. ``-1 -1`` with the type ``noop`` says that an annotator found nothing to correct. Not every annotator
need have lines at every unit, and none need be number 0; a unit without edits was left as it is by annotator 0, as
ERRANT reads it.

Read as ERRANT reads: line ends LF, CRLF or CR, tokens between white space. More forgiving: a byte-order mark, more than
one blank line. As the M2 scorer's manual and the CoNLL-2014 files write it (ERRANT takes both literally), ``||`` within
a correction parts alternatives of which any is right, ``on||upon``, and ``-NONE-`` is the empty correction; ``||``
between blanks is a token of the text. :func:`remarks` tells in which lines a file does so.

Codes of faults: ``no_units``, ``unknown_line``, ``edit_without_sentence``, ``no_blank_line``, ``wrong_fields``,
``invalid_span``, ``span_outside``, ``invalid_noop``, ``empty_type``, ``invalid_annotator``. Of remarks:
``alternatives``, ``none_for_empty``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Final, NamedTuple
from unicodedata import normalize

from markup_core.texts import Text, tr

NOOP: Final = "noop"
NOTHING: Final = (-1, -1)
"""Span of a noop."""
USUAL_NOTE: Final = ("REQUIRED", "-NONE-")
MOST_FAULTS: Final = 100
"""Most faults reported of one text; there is no use in more."""
OR: Final = "||"
EMPTY: Final = "-NONE-"
_SEPARATOR: Final = "|||"
_USUAL_NOOP: Final = _SEPARATOR.join(("", NOOP, EMPTY))
_USUAL_TAIL: Final = _SEPARATOR.join(("", *USUAL_NOTE, ""))
_ALTERNATIVES: Final = re.compile(r"(?<=[^ ])\|\||\|\|(?=[^ ])")
"""Alternatives are parted without blanks; ``||`` alone or between blanks is a token."""
_NO_SENTENCE: Final = -2
"""Number of tokens where there is no sentence: every edit ends behind them."""
_ANY_SIZE: Final = 10**9
"""Number of tokens where the sentence's line cannot be read: no edit ends behind them, and none is judged."""
_PORTION: Final = 1 << 13
"""Characters split into lines at a time, so that the lines of a large file are never held together."""
_DIGITS: Final = 9
"""Most digits of a number in a span or of an annotator."""


class Edit(NamedTuple):
    """A correction of the tokens ``[start, end)``; where they are none, the correction is inserted before ``start``."""

    start: int
    end: int
    type: str
    correction: str
    """Alternatives are parted by ``||``; see :func:`alternatives`."""
    note: tuple[str, str] = USUAL_NOTE
    """The two fields that are stored and not used."""


Fields = tuple[int, int, str, str, tuple[str, str]]
"""The fields of an edit in their order, without a class: they are made for every line."""


class PlainUnit(NamedTuple):
    """A :class:`Unit` whose edits are plain tuples."""

    source: str
    annotators: Mapping[int, Sequence[Fields]]
    line: int


class Unit(NamedTuple):
    """A sentence or block and the edits of each annotator, in the order of the file; ``line`` is that of its ``S``."""

    source: str
    annotators: Mapping[int, tuple[Edit, ...]]
    line: int = 0

    @property
    def tokens(self) -> list[str]:
        """Return the tokens that spans count."""
        return self.source.split()


AnyUnit = Unit | PlainUnit


class M2Fault(NamedTuple):
    """A fault of a line; lines count from 1."""

    line: int
    code: str
    message: Text


class M2Error(ValueError):
    """A text that is not M2, with its faults in the order of the lines, at most :data:`MOST_FAULTS`, and how many."""

    def __init__(self, faults: Sequence[M2Fault], count: int) -> None:
        line, _, message = faults[0]
        problem = tr("{problem} (and {count} more)", problem=message, count=count - 1) if count > 1 else message
        self.message = tr("line {line}: {problem}", line=line, problem=problem)
        super().__init__(self.message)
        self.faults = tuple(faults)
        self.count = count


def alternatives(correction: str) -> list[str]:
    """Return the corrections of which any is right; most edits have one."""
    return _ALTERNATIVES.split(correction) if OR in correction else [correction]


def corrected(correction: str) -> str:
    """Return a correction as stored: ``-NONE-`` is empty, an empty alternative stands first, trimmed."""
    if correction == EMPTY:
        return ""
    if OR not in correction:
        return correction
    listed = dict.fromkeys(
        "" if alternative.strip() == EMPTY else alternative for alternative in alternatives(correction)
    )
    return OR.join(sorted(listed, key=bool))


def remarks(text: str) -> list[M2Fault]:
    """Report the number of a text's edits in the M2 scorer's notation, and the first line of each kind."""
    lines: dict[str, list[int]] = {"alternatives": [], "none_for_empty": []}
    number = 1
    for portion in _portions(text):
        rest = portion.replace(_USUAL_NOOP, "").replace(_USUAL_TAIL, "").replace(_SEPARATOR, "")
        is_remarkable = OR in rest or EMPTY in rest  # most are not, and need not be parted into lines
        for place, line in enumerate(portion.split("\n"), number) if is_remarkable else ():
            if line[:2] == "A " and (OR in line.replace(_SEPARATOR, "") or EMPTY in line):
                _, label, correction, _ = line.split(_SEPARATOR, 3)
                listed = alternatives(correction)
                if len(listed) > 1:
                    lines["alternatives"].append(place)
                if label != NOOP and EMPTY in listed:
                    lines["none_for_empty"].append(place)
        number += portion.count("\n") + 1
    messages = {
        "alternatives": tr("corrections give alternatives with ||, any of which is right"),
        "none_for_empty": tr("corrections {empty} are read as empty", empty=EMPTY),
    }
    return [
        M2Fault(
            numbers[0],
            code,
            tr("{count} {problem} (errant_compare takes them literally)", count=len(numbers), problem=messages[code]),
        )
        for code, numbers in lines.items()
        if numbers
    ]


def parse(text: str) -> tuple[Unit, ...]:
    """Read M2. Raises :class:`M2Error`; linear in the size."""
    return tuple(map(with_edits, units(text)))


def with_edits(unit: PlainUnit) -> Unit:
    """Return a unit with its edits as :class:`Edit`."""
    source, annotators, line = unit
    return Unit(source, {number: tuple(map(Edit._make, edits)) for number, edits in annotators.items()}, line)


def units(text: str) -> Iterator[PlainUnit]:
    """Read M2 unit by unit: as many are held as the caller keeps. Raises :class:`M2Error` at the end, with every fault;
    units that come before it are not to be used.
    """
    return _Reader().read(text)


def render(units: Iterable[Unit]) -> str:
    """Write units in M2: ``parse(render(units))`` gives the units back, with the lines in which they now stand.

    The edits of an annotator stand together, in their order. Raises ValueError for what the format cannot hold: a line
    end or ``|||`` in a field, an empty type, the type noop.
    """
    return "".join(f"{line}\n" for unit in units for line in _lines_of(unit))


def same_text(one: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether two lists of tokens are the same text, canonically equal letters being equal."""
    return one == other or [normalize("NFC", token) for token in one] == [normalize("NFC", token) for token in other]


class _WrongError(ValueError):
    """A line that cannot be read."""

    def __init__(self, code: str, message: Text) -> None:
        super().__init__(message)
        self.message = message
        self.code = code


class _Spans(dict[str, tuple[int, int]]):
    """Spans by the first field of an edit: few of them differ, so each is read once."""

    def __missing__(self, head: str) -> tuple[int, int]:
        numbers = head[2:].split()
        if len(numbers) != 2 or not all(_whole(number.removeprefix("-")) for number in numbers):
            raise _WrongError("invalid_span", tr("a span is two whole numbers, not {head}", head=_short(head[2:])))
        start, end = int(numbers[0]), int(numbers[1])
        if start > end or (start < 0 and (start, end) != NOTHING):
            raise _WrongError(
                "invalid_span", tr("the span {start} {end} does not go from a token forward", start=start, end=end)
            )
        self[head] = start, end
        return start, end


class _Tails(dict[str, tuple[int, tuple[str, str]]]):
    """Annotator and note by the last three fields of an edit."""

    def __missing__(self, tail: str) -> tuple[int, tuple[str, str]]:
        fields = tail.split(_SEPARATOR)
        if len(fields) != 3:
            raise _wrong_fields(3 + len(fields))
        required, comment, annotator = fields
        if required.startswith(OR):
            raise _WrongError(
                "wrong_fields",
                tr(
                    "an empty alternative at the end of a correction is written {empty}, so that its bars are "
                    "told apart",
                    empty=EMPTY,
                ),
            )
        if not _whole(annotator.strip()):
            raise _WrongError(
                "invalid_annotator", tr("the annotator is a whole number, not {annotator}", annotator=_short(annotator))
            )
        self[tail] = parsed_tail = int(annotator), (required, comment)
        return parsed_tail


class _Reader:
    """Reader of a text, line by line; a faulty line is reported and left out."""

    def __init__(self) -> None:
        self._is_empty = True
        self._faults: list[M2Fault] = []
        self._count = 0
        self._source: str | None = None
        self._size = _NO_SENTENCE
        self._began = 0
        self._edits: dict[int, list[Fields]] = {}
        self._is_lost = False
        """True if a faulty line, already reported, stands above the edits in place of their sentence."""

    # Clause: G score 1
    def read(self, text: str) -> Iterator[PlainUnit]:
        """Yield all units; raise :class:`M2Error`."""
        spans, tails = _Spans(), _Tails()
        last_tail: str | None = None
        # Lines as of a file opened by Python has them (other separators stand inside a line); an empty one ends a unit.
        lines = chain(chain.from_iterable(portion.split("\n") for portion in _portions(text)), [""])
        for number, line in enumerate(lines, 1):
            try:
                if line[:2] != "A ":
                    last_tail = None
                    if (unit := self._border(line, number)) is not None:
                        yield unit
                    continue
                head, label, correction, tail = line.split(_SEPARATOR, 3)
                start, end = spans[head]
                if tail != last_tail:  # the edits of an annotator mostly stand together
                    annotator, note = tails[tail]
                    append, last_tail = self._edits.setdefault(annotator, []).append, tail
                if end > self._size or start < 0 or not label or label == NOOP:
                    self._check(start, end, label, self._size)
                else:
                    if OR in correction or correction == EMPTY:
                        correction = corrected(correction)
                    append((start, end, label, correction, note))
            except ValueError as error:
                # Any other error: the fields could not even be counted off.
                wrong = error if isinstance(error, _WrongError) else _wrong_fields(len(line.split(_SEPARATOR)))
                self._tell(number, wrong)
        if self._is_empty and not self._count:
            self._tell(1, _WrongError("no_units", tr("there is no sentence; is the file empty?")))
        if self._count:
            raise M2Error(self._faults, self._count)

    def _border(self, line: str, number: int) -> PlainUnit | None:
        """Read a line that is no edit; return the unit that ends above it, if one does."""
        is_sentence = line[:2] == "S " or line == "S"
        if not is_sentence and line and not line.isspace():
            if self._source is None:  # meant as a sentence, whose edits cannot be judged
                self._size, self._is_lost = _ANY_SIZE, True
            raise _WrongError(
                "unknown_line", tr("a line begins with S or A and a blank, not {line}", line=_short(line))
            )
        unit = None
        if self._source is not None:
            if is_sentence:
                self._tell(number, _WrongError("no_blank_line", tr("a blank line is missing before this sentence")))
            unit = PlainUnit(self._source, self._edits, self._began)
        self._is_empty = self._is_empty and unit is None
        self._source, self._size, self._edits, self._is_lost = None, _NO_SENTENCE, {}, False
        if is_sentence:
            self._source, self._began = line[2:], number
            self._size = len(self._source.split())
        return unit

    def _check(self, start: int, end: int, label: str, size: int) -> None:
        """Judge an edit that is a noop or wrong."""
        if self._source is None and not self._is_lost:
            raise _WrongError(
                "edit_without_sentence", tr("an edit stands right under its sentence; there is none above")
            )
        if (label == NOOP) != ((start, end) == NOTHING):
            raise _WrongError(
                "invalid_noop",
                tr(
                    "the type {noop} and the span -1 -1 go together; this is {label} at {start} {end}",
                    noop=NOOP,
                    label=_short(label),
                    start=start,
                    end=end,
                ),
            )
        if not label:
            raise _WrongError("empty_type", tr("the type of the edit is empty"))
        if end > size:
            raise _WrongError(
                "span_outside",
                tr(
                    "the span {start} {end} is outside the sentence, which has {size} tokens",
                    start=start,
                    end=end,
                    size=size,
                ),
            )

    def _tell(self, line: int, error: _WrongError) -> None:
        self._count += 1
        if self._count <= MOST_FAULTS:
            self._faults.append(M2Fault(line, error.code, error.message))


def _wrong_fields(count: int) -> _WrongError:
    return _WrongError(
        "wrong_fields", tr("an edit has 6 fields with ||| between, this has {count}; is it cut off?", count=count)
    )


def lines_ended(text: str) -> str:
    """Return a text whose lines end as a file opened by Python has them, in LF."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _portions(text: str) -> Iterator[str]:
    """Yield the lines of a text, many at a time, without the last one's end."""
    text = lines_ended(text)
    begin = int(text.startswith("\ufeff"))
    while (end := text.find("\n", begin + _PORTION)) >= 0:
        yield text[begin:end]
        begin = end + 1
    yield text[begin:]


def _whole(digits: str) -> bool:
    return len(digits) <= _DIGITS and digits.isascii() and digits.isdecimal()


def _lines_of(unit: Unit) -> Iterator[str]:
    yield f"S {_checked(unit.source)}" if unit.source else "S"
    for annotator, edits in unit.annotators.items():
        if not edits:
            yield _line(Edit(*NOTHING, NOOP, "-NONE-"), annotator)
        for edit in edits:
            if edit.type in ("", NOOP):
                raise ValueError(f"M2 cannot hold an edit of the type {_short(edit.type)}")
            yield _line(edit, annotator)
    yield ""


def _line(edit: Edit, annotator: int) -> str:
    listed = alternatives(edit.correction)
    correction = OR.join(alternative or EMPTY for alternative in listed) if len(listed) > 1 else edit.correction
    fields = (edit.type, correction, *edit.note)
    for text in fields:
        # A bar at the end of a field would move the border to the next one.
        if _SEPARATOR in text or text.endswith("|"):
            raise ValueError(f"M2 cannot hold the field {_short(text)}")
    return _checked(_SEPARATOR.join((f"A {edit.start} {edit.end}", *fields, str(annotator))))


def _short(value: object) -> str:
    """Return a value as an error message shows it; text without faults does not wait for JSON's modules."""
    from markup_core.reading.wire import short

    return short(value)


def _checked(text: str) -> str:
    if "\n" in text or "\r" in text:
        raise ValueError(f"M2 cannot hold a line end within {_short(text)}")
    return text
