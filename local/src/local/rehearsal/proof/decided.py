"""What the rehearsal's own organizers decided, folded by the rules as the specification says them (D 6.16, 8.12).

A decision holds five seconds after it was made, a resumption half a minute; what is taken back has never held, but for
the numbers of the files that it appended.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from local.rehearsal.moments import MINUTE, SECOND, Millis

Json = Any
NOTICE: Final[Millis] = 5 * SECOND
_RESUMED_AFTER: Final[Millis] = 30 * SECOND
ALL_PAUSES: Final[Millis] = 120 * MINUTE
"""What the pauses of a run may last together."""
_APPENDED_AHEAD: Final[Millis] = MINUTE
"""An appended file opens no sooner after the decision."""
SEALED: Final = "sealed"
"""As what everybody is told of a ruling, and that one is taken back: they concern one team."""


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision: its number in the run, its kind, when it was made, what it says."""

    number: int
    kind: str
    at: Millis
    wish: Mapping[str, Json]

    @property
    def effective_at(self) -> Millis:
        """From when it holds."""
        return self.at + (_RESUMED_AFTER if self.kind == "resume" else NOTICE)


@dataclass(frozen=True, slots=True)
class Decided:
    """All decisions of a run and what they make of it.

    ``pauses`` begin and end; one without an end lasts as long as pauses may. ``slots`` are the places in the plan of
    appended files, one after the other. ``voided`` are files void for everybody, ``ruled`` causes by team and file.
    """

    made: tuple[Decision, ...] = ()
    pauses: tuple[tuple[Millis, Millis], ...] = ()
    slots: tuple[int, ...] = ()
    voided: frozenset[int] = frozenset()
    ruled: Mapping[tuple[str, int], str] = field(default_factory=dict)

    def told_as(self, each: Decision) -> str:
        """As what everybody is told of a decision."""
        rulings = {one.number for one in self.made if one.kind == "rule"}
        return SEALED if rulings & {each.number, each.wish.get("amendment")} else each.kind


def decisions(lines: Sequence[Mapping[str, Json]]) -> tuple[Decision, ...]:
    """The decisions that the platform took, from the history's lines, numbered from 1."""
    taken = [line for line in lines if line["status"] == 200]
    return tuple(
        Decision(number, line["wished"], line["at"], line["wish"]) for number, line in enumerate(taken, start=1)
    )


def folded(made: Sequence[Decision], starts_at: Millis, interval: Millis, files: int) -> Decided:
    """What decisions make of a run that was planned so. O(decisions²)."""
    undone = {each.wish["amendment"] for each in made if each.kind == "undo"}
    holds = [each for each in made if each.number not in undone and each.kind != "undo"]
    pauses = tuple(_pauses(holds))
    slots: list[int] = []
    voided: set[int] = set()
    for each in made:
        if each.kind == "replace":
            first = files + len(slots) + 1
            appended = range(first, first + len(each.wish["numbers"]))
            known = tuple(_pauses([one for one in holds if one.number < each.number]))
            slots += _slots(len(appended), [files - 1, *slots][-1] + 1, each.at, (starts_at, interval), known)
            voided |= set(appended) if each.number in undone else set()
    voided |= {number for each in holds if each.kind in {"void", "replace"} for number in each.wish["numbers"]}
    ruled = {(each.wish["team_id"], each.wish["number"]): each.wish["cause"] for each in holds if each.kind == "rule"}
    return Decided(tuple(made), pauses, tuple(slots), frozenset(voided), ruled)


def moved(planned: Millis, pauses: Sequence[tuple[Millis, Millis]]) -> Millis:
    """When something planned takes place: every pause that begins before it moves it by its length."""
    moment = planned
    for start, until in sorted(pauses):
        moment += until - start if moment >= start else 0
    return moment


def _pauses(holds: Sequence[Decision]) -> Iterator[tuple[Millis, Millis]]:
    start, left = None, ALL_PAUSES
    for each in holds:
        if each.kind == "pause" and start is None:
            start = each.effective_at
        elif each.kind == "resume" and start is not None:
            yield start, each.effective_at
            left -= each.effective_at - start
            start = None
    if start is not None:
        yield start, start + left


def _slots(
    count: int, first: int, at: Millis, plan: tuple[Millis, Millis], pauses: Sequence[tuple[Millis, Millis]]
) -> Iterator[int]:
    """Free places in the plan for appended files: after the last file, a minute ahead, by what was known then."""
    starts_at, interval = plan
    while moved(starts_at + first * interval, pauses) < at + _APPENDED_AHEAD:
        first += 1
    yield from range(first, first + count)
