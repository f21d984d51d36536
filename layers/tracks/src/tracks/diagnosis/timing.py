"""Times of the trials: publications and pauses (D 8.8, 6.16), answers in time (D 6.8, 13.1), mass failure (D 1.7).

All times are whole milliseconds of one clock.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

INTERVAL_MS: Final = 30_000
MOST_PAUSED_MS: Final = 2 * 60 * 60 * 1000
MASS_FAILURE: Final = 3
MOST_REPLACED: Final = 100
"""Files of the reserve that may replace those annulled by a mass failure (D 8.12)."""


class Pause(NamedTuple):
    """Nothing is published from ``begin_ms`` on and before ``end_ms``."""

    begin_ms: int
    end_ms: int


class Received(NamedTuple):
    """An answer as it came in; an invalid one is kept, and never counts."""

    at_ms: int
    valid: bool
    answer: Any


class Failure(NamedTuple):
    """Files that were late for all teams, and whether they make a mass failure."""

    files: tuple[str, ...]
    mass: bool


def publications(
    start_ms: int, files: int, pauses: Sequence[Pause] = (), interval_ms: int = INTERVAL_MS
) -> tuple[int, ...]:
    """When each file is published: at equal intervals from the start, shifted by every pause before it (D 8.8, 6.16).

    A file due at the very moment at which a pause begins is held back like those after it; one already published
    keeps its deadline. In the semifinal v3 and v2 of an epicrisis are two files, one after the other.

    Raises ValueError for pauses that begin before the start, end before they begin, overlap, or last more than two
    hours together, and for an interval that is not above 0.
    """
    if interval_ms <= 0:
        raise ValueError(f"the interval must be above 0 ms, not {interval_ms}")
    waiting = _ordered(pauses, start_ms)
    shift, found = 0, []
    for number in range(files):
        due = start_ms + number * interval_ms
        while waiting and waiting[0].begin_ms <= due + shift:
            pause = waiting.pop(0)
            shift += pause.end_ms - pause.begin_ms
        found.append(due + shift)
    return tuple(found)


def _ordered(pauses: Sequence[Pause], start_ms: int) -> list[Pause]:
    ordered = sorted(pauses)
    for pause in ordered:
        if pause.begin_ms < start_ms:
            raise ValueError(f"the pause at {pause.begin_ms} ms begins before the trials, at {start_ms} ms")
        if pause.end_ms < pause.begin_ms:
            raise ValueError(f"the pause at {pause.begin_ms} ms ends before it begins")
    for one, other in pairwise(ordered):
        if other.begin_ms < one.end_ms:
            raise ValueError(f"the pauses at {one.begin_ms} and {other.begin_ms} ms overlap")
    total = sum(pause.end_ms - pause.begin_ms for pause in ordered)
    if total > MOST_PAUSED_MS:
        raise ValueError(f"the pauses last {total} ms together, at most {MOST_PAUSED_MS} are allowed (D 6.16)")
    return ordered


def in_time(at_ms: int, published_ms: int, limit_ms: int = INTERVAL_MS) -> bool:
    """Whether an answer came within the limit from the publication; at 30.000 s it still did (D 6.8, 8.11)."""
    return published_ms <= at_ms <= published_ms + limit_ms


def counting(received: Sequence[Received], published_ms: int, limit_ms: int = INTERVAL_MS) -> Received | None:
    """The answer that counts: the last valid one in time (D 13.1); an invalid later one does not take its place.

    Of several in one millisecond the one that stands last counts. None when there is none.
    """
    usable = [
        (each.at_ms, order, each)
        for order, each in enumerate(received)
        if each.valid and in_time(each.at_ms, published_ms, limit_ms)
    ]
    return max(usable)[2] if usable else None


def mass_failure(late: Mapping[str, Collection[str]]) -> Failure:
    """Whether three or more files were late for all teams that take part (D 1.7), and which; no teams, no failure.

    ``late`` holds for every team the files it did not answer in time; a team that was never late has none.
    """
    teams = [frozenset(files) for files in late.values()]
    common = frozenset[str]() if not teams else teams[0].intersection(*teams[1:])
    return Failure(tuple(sorted(common)), len(common) >= MASS_FAILURE)
