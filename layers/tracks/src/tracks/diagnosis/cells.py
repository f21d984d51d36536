"""Which cell of the error matrix an epicrisis falls into, and what its diagnosis cost (D-App1б, the 18-row table).

The running text above the table lets a right v3 decide alone; the table, which decides by v2 and takes v3 for the
cost only, holds (tracks.md §1, D-App3: "v3 affects the cost alone, v2 the quality").
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, StrEnum
from types import MappingProxyType
from typing import Final, NamedTuple

from tracks.diagnosis.nosologies import HEALTHY, nosology_of


class Reply(Enum):
    """What a program's answer to one version is worth."""

    RIGHT = "right"
    WRONG = "wrong"
    NONE = "none"
    """No answer, or a late one."""


class Cell(StrEnum):
    """A cell of the error matrix."""

    TP = "tp"
    FN = "fn"
    FP = "fp"
    TN = "tn"


class Cost(StrEnum):
    """Which resource cost an epicrisis adds: that of v3 or that of v2."""

    MINIMAL = "minimal"
    MAXIMAL = "maximal"


class Row(NamedTuple):
    """A row of the table; ``number`` as printed there."""

    number: int
    ill: bool
    v3: Reply
    v2: Reply
    cell: Cell
    cost: Cost


_R, _W, _N = Reply.RIGHT, Reply.WRONG, Reply.NONE
TABLE: Final = (
    Row(1, True, _R, _R, Cell.TP, Cost.MINIMAL),
    Row(2, True, _R, _W, Cell.FN, Cost.MAXIMAL),
    Row(3, True, _W, _R, Cell.TP, Cost.MAXIMAL),
    Row(4, True, _W, _W, Cell.FN, Cost.MAXIMAL),
    Row(5, True, _N, _R, Cell.TP, Cost.MAXIMAL),
    Row(6, True, _R, _N, Cell.FN, Cost.MAXIMAL),
    Row(7, True, _N, _W, Cell.FN, Cost.MAXIMAL),
    Row(8, True, _W, _N, Cell.FN, Cost.MAXIMAL),
    Row(9, True, _N, _N, Cell.FN, Cost.MAXIMAL),
    Row(10, False, _R, _R, Cell.TN, Cost.MINIMAL),
    Row(11, False, _R, _W, Cell.FP, Cost.MAXIMAL),
    Row(12, False, _W, _R, Cell.TN, Cost.MAXIMAL),
    Row(13, False, _W, _W, Cell.FP, Cost.MAXIMAL),
    Row(14, False, _N, _R, Cell.TN, Cost.MAXIMAL),
    Row(15, False, _R, _N, Cell.FP, Cost.MAXIMAL),
    Row(16, False, _N, _W, Cell.FP, Cost.MAXIMAL),
    Row(17, False, _W, _N, Cell.FP, Cost.MAXIMAL),
    Row(18, False, _N, _N, Cell.FP, Cost.MAXIMAL),
)
"""Clause: D-App1б table"""
_FOUND: Final[Mapping[tuple[bool, Reply, Reply], Row]] = MappingProxyType(
    {(row.ill, row.v3, row.v2): row for row in TABLE}
)


def worth(code: str | None, nosology: str, *, ill: bool) -> Reply:
    """What a main diagnosis is worth for an epicrisis of this nosology's data set.

    Right is a code of the nosology for an ill patient, and ``another`` for one who is not: there "an ICD-10 code of
    any disease" is wrong, one outside the contest's list included (rows 11, 13). None is no answer, an empty code a
    wrong one (D-App3).

    Clause: tracks §1 nosology
    """
    if code is None:
        return Reply.NONE
    right = nosology_of(code) == nosology if ill else code == HEALTHY
    return Reply.RIGHT if right else Reply.WRONG


def decide(v3: Reply, v2: Reply, *, ill: bool) -> Row:
    """The table's row for two answers (D-App1б)."""
    return _FOUND[ill, v3, v2]


def final_cell(reply: Reply, *, ill: bool) -> Cell:
    """The cell of one final diagnosis in the final's stage 1: anything but a right one is an error (D 9.10, D 8.11)."""
    return decide(reply, reply, ill=ill).cell
