"""A session seen file by file: states, causes and their counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from contest.domain.delivery import Cause, Delivery, FileState, cause_of, state_of
from contest.domain.moments import Millis
from contest.domain.session import Counts, Plan


@dataclass(frozen=True, slots=True)
class FileView:
    """One file of a session at a moment."""

    number: int
    file_id: str | None
    """None until the file is handed out: its name says nothing before, and is not said either."""
    state: FileState
    delivery: Delivery | None
    cause: Cause | None
    evidence: Mapping[str, Any]


def files_at(plan: Plan, deliveries: Sequence[Delivery], now: Millis, *, session_open: bool) -> tuple[FileView, ...]:
    """Every file of the session, by number."""
    found = {each.number: each for each in deliveries}
    return tuple(
        _view(number, planned.file_id, found.get(number), now, session_open=session_open)
        for number, planned in enumerate(plan, start=1)
    )


def count(files: int, deliveries: Sequence[Delivery], now: Millis, *, session_open: bool) -> Counts:
    """Counts by state. ``late`` is a part of ``voided``: an accepted answer outweighs a late one."""
    states = Counter(state_of(each, now, session_open=session_open) for each in deliveries)
    untouched = files - len(deliveries)
    return Counts(
        waiting=untouched if session_open else 0,
        open=states[FileState.OPEN],
        answered=states[FileState.ANSWERED],
        late=sum(each.late_at is not None and each.answer is None for each in deliveries),
        voided=states[FileState.VOIDED] + (0 if session_open else untouched),
    )


def first_gap(numbers: Iterable[int], start: int, files: int) -> int | None:
    """The lowest number from ``start`` that is not among ``numbers`` (ascending); None when all are there."""
    expected = start
    for number in numbers:
        if number != expected:
            break
        expected += 1
    return expected if expected <= files else None


def _view(number: int, file_id: str, delivery: Delivery | None, now: Millis, *, session_open: bool) -> FileView:
    state = state_of(delivery, now, session_open=session_open)
    cause, evidence = cause_of(delivery) if state is FileState.VOIDED else (None, {})
    return FileView(number, file_id if delivery else None, state, delivery, cause, evidence)
