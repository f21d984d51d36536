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
one blank line. Codes of faults: ``no_units``, ``unknown_line``, ``edit_without_sentence``, ``no_blank_line``,
``wrong_fields``, ``invalid_span``, ``span_outside``, ``invalid_noop``, ``empty_type``, ``invalid_annotator``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, NoReturn

from markup_core.wire import short

NOOP: Final = "noop"
NOTHING: Final = (-1, -1)
"""Span of a noop."""
MOST_FAULTS: Final = 100
"""Faults of one text that are told; there is no use in more."""
_SEPARATOR: Final = "|||"
_FIELDS: Final = 6
_DIGITS: Final = 9
"""Longest number in a span or of an annotator."""


class Edit(NamedTuple):
    """A correction of the tokens ``[start, end)``; where they are none, the correction is inserted before ``start``."""

    start: int
    end: int
    type: str
    correction: str
    required: str = "REQUIRED"
    comment: str = "-NONE-"


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence or block and the edits of each annotator, in the order of the file; ``line`` is that of its ``S``."""

    source: str
    annotators: Mapping[int, tuple[Edit, ...]]
    line: int = field(default=0, compare=False)

    @property
    def tokens(self) -> list[str]:
        """What spans count."""
        return self.source.split()


class Fault(NamedTuple):
    """What is wrong in a line; lines count from 1."""

    line: int
    code: str
    message: str


class M2Error(ValueError):
    """A text that is not M2, with its faults in the order of the lines, at most :data:`MOST_FAULTS`, and how many."""

    def __init__(self, faults: Sequence[Fault], count: int) -> None:
        more = f" (and {count - 1} more)" if count > 1 else ""
        super().__init__(f"line {faults[0].line}: {faults[0].message}{more}")
        self.faults = tuple(faults)
        self.count = count


class _WrongError(ValueError):
    """A part of a line that cannot be read; the arguments are code and message."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class _SpansRead(dict[str, tuple[int, int]]):
    """Spans by the first field of an edit: few of them differ, so each is read once."""

    def __missing__(self, head: str) -> tuple[int, int]:
        numbers = head[2:].split()
        if len(numbers) != 2 or not all(_whole(number.removeprefix("-")) for number in numbers):
            message = f"a span is two whole numbers, not {short(head[2:])}"
            raise _WrongError("invalid_span", message)
        start, end = int(numbers[0]), int(numbers[1])
        if start > end or (start < 0 and (start, end) != NOTHING):
            raise _WrongError("invalid_span", f"the span {start} {end} does not go from a token forward")
        self[head] = start, end
        return start, end


class _AnnotatorsRead(dict[str, int]):
    """Annotators by the last field of an edit."""

    def __missing__(self, tail: str) -> int:
        if not _whole(tail.strip()):
            raise _WrongError("invalid_annotator", f"the annotator is a whole number, not {short(tail)}")
        self[tail] = number = int(tail)
        return number


def parse(text: str) -> tuple[Unit, ...]:
    """Read M2. Raises :class:`M2Error`; linear in the size."""
    return _Reader().read(text)


def render(units: Iterable[Unit]) -> str:
    """M2 of units; ``parse(render(units)) == units``.

    The edits of an annotator stand together, in their order. Raises ValueError for what the format cannot hold: a line
    end in a field, ``|||`` in one, an empty type.
    """
    return "".join(f"{line}\n" for unit in units for line in _unit_lines(unit))


class _Reader:
    """Reads a text line by line; a faulty line is told and left out."""

    def __init__(self) -> None:
        self._units: list[Unit] = []
        self._faults: list[Fault] = []
        self._count = 0
        self._source: str | None = None
        self._size = 0
        self._began = 0
        self._edits: dict[int, list[Edit]] = {}
        self._spans = _SpansRead()
        self._annotators = _AnnotatorsRead()

    def read(self, text: str) -> tuple[Unit, ...]:
        """All units; raises :class:`M2Error`."""
        number = 1
        for number, line in enumerate(_lines(text), 1):
            try:
                if line[:2] == "A ":
                    self._edit(line)
                elif not line or line.isspace():
                    self._close()
                else:
                    self._open(line, number)
            except _WrongError as error:
                self._tell(Fault(number, error.code, str(error)))
        self._close()
        if not self._units and not self._count:
            self._tell(Fault(1, "no_units", "there is no sentence; is the file empty?"))
        if self._count:
            raise M2Error(self._faults, self._count)
        return tuple(self._units)

    def _open(self, line: str, number: int) -> None:
        if line[:2] != "S " and line != "S":
            raise _WrongError("unknown_line", f"a line begins with S or A and a blank, not {short(line)}")
        doubled = self._source is not None
        self._close()
        self._source, self._began = line[2:], number
        self._size = len(self._source.split())
        if doubled:
            raise _WrongError("no_blank_line", "a blank line is missing before this sentence")

    def _close(self) -> None:
        if self._source is not None:
            annotators = {number: tuple(edits) for number, edits in self._edits.items()}
            self._units.append(Unit(self._source, annotators, self._began))
            self._source, self._edits = None, {}

    def _edit(self, line: str) -> None:
        fields = line.split(_SEPARATOR)
        if len(fields) != _FIELDS:
            raise _WrongError("wrong_fields", f"an edit has 6 fields with ||| between, not {len(fields)}; is it cut off?")
        if self._source is None:
            raise _WrongError("edit_without_sentence", "an edit stands under its sentence, without a blank line between")
        head, label, correction, required, comment, tail = fields
        start, end = self._spans[head]
        if end > self._size:
            message = f"the span {start} {end} is outside the sentence, which has {self._size} tokens"
            raise _WrongError("span_outside", message)
        annotator = self._annotators[tail]
        edits = self._edits.get(annotator)
        if edits is None:
            edits = self._edits[annotator] = []
        if label == NOOP or end < 0:
            _check_noop(start, end, label)
        elif label:
            edits.append(Edit(start, end, label, correction, required, comment))
        else:
            raise _WrongError("empty_type", "the type of the edit is empty")

    def _tell(self, fault: Fault) -> None:
        self._count += 1
        if self._count <= MOST_FAULTS:
            self._faults.append(fault)


def _check_noop(start: int, end: int, label: str) -> None:
    if label != NOOP:
        raise _WrongError("invalid_noop", f"the span -1 -1 is for the type noop, not {short(label)}")
    if (start, end) != NOTHING:
        raise _WrongError("invalid_noop", f"the type noop has the span -1 -1, not {start} {end}")


def _lines(text: str) -> list[str]:
    """Lines as a file opened by Python has them; other separators of Unicode stand inside a line."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.removeprefix("\ufeff").split("\n")


def _whole(digits: str) -> bool:
    return len(digits) <= _DIGITS and digits.isascii() and digits.isdecimal()


def _unit_lines(unit: Unit) -> Iterator[str]:
    yield f"S {_writable(unit.source)}"
    for annotator, edits in unit.annotators.items():
        for edit in edits or (Edit(*NOTHING, NOOP, "-NONE-"),):
            if not edit.type:
                _unwritable(edit.type)
            fields = (edit.type, edit.correction, edit.required, edit.comment, str(annotator))
            yield _SEPARATOR.join((f"A {edit.start} {edit.end}", *map(_field, fields)))
    yield ""


def _field(text: str) -> str:
    # A bar at the end of a field would move the border of the next one.
    if "|||" in text or text.endswith("|"):
        _unwritable(text)
    return _writable(text)


def _writable(text: str) -> str:
    if "\n" in text or "\r" in text:
        _unwritable(text)
    return text


def _unwritable(text: str) -> NoReturn:
    raise ValueError(f"M2 cannot hold {short(text)}")
