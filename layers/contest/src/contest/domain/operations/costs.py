"""What a contest's cycle will cost: how much it asks for of each kind, times the price of each (platform §7).

How much a final asks for is counted by playing small ones (``make metered``) and is a sum of terms in teams and files.
A team on the event channel asks otherwise than one over HTTP: every event is a message of a queue and a call, so the
two kinds of teams have terms of their own. What runs all the time (timers, queues that are asked whether anything is
there) follows from its period.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

HTTP, CALLS, SECONDS = "http_requests", "function_calls", "function_gb_s"
READS, WRITES = "table_read_units", "table_write_units"
OBJECT_READS, OBJECT_WRITES, QUEUES = "object_reads", "object_writes", "queue_requests"
LOGGED, EDGE, TRANSFER = "logged_gb", "edge_requests", "edge_gb"
KINDS: Final = (HTTP, CALLS, SECONDS, READS, WRITES, OBJECT_READS, OBJECT_WRITES, QUEUES)
"""What is counted; the other kinds follow from these."""
FINAL: Final = "final"
"""Under which name the coefficients of a final stand."""
LISTENING: Final = 5
"""One in so many teams is on the event channel where nobody says how many are."""
LOG_LINE_GB: Final = 1.5e-6
"""A function's lines about one call, and the gateway's about one request: 1.5 KB (access log, REPORT, request)."""
ANSWER_GB: Final = 8e-6
"""An answer of the interface, 8 KB: an essay with its frame; most answers are shorter."""
POLLERS: Final = 5
"""With so many requests at a time Lambda asks an empty queue, each waiting up to twenty seconds (its documentation)."""
POLL_S: Final = 20
DAY_S: Final = 86_400


@dataclass(frozen=True, slots=True)
class Line:
    """A kind with how much of it there is, what a unit costs and what all of it costs, in the list's currency."""

    kind: str
    count: float
    unit_price: float

    @property
    def cost(self) -> float:
        """Its part of the bill."""
        return self.count * self.unit_price


@dataclass(frozen=True, slots=True)
class Period:
    """What runs whether anybody comes or not: days, queues with workers, timers' calls a day and their size."""

    days: float
    queues: int
    timer_calls_a_day: int
    timer_gb_s: float


@dataclass(frozen=True, slots=True)
class Size:
    """A final's size. ``listening``: of the ``teams`` those whose programs use the event channel."""

    teams: int
    files: int
    listening: int


class Source(StrEnum):
    """Where a figure of an estimate comes from."""

    ASKED = "asked"
    """Whoever asks has named it."""
    COUNTED = "counted"
    """It has happened: teams that take part, those of them that have used the channel."""
    PLANNED = "planned"
    """The cycle says so: admitted teams, files of a run or of a set, days of the stages."""
    USUAL = "usual"
    """Nobody knows; it is as usual."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A number that an estimate goes by."""

    value: int
    source: Source


def usual(teams: int, files: int) -> Size:
    """A final of which nobody knows how many will listen to the channel: one team in five, as in a rehearsal."""
    return Size(teams, files, teams // LISTENING)


def terms(kind: str, size: Size) -> list[float]:
    """The sum's terms: one final, each file, each team over HTTP and its files, each one on the channel and its files.

    Reads have one more: every minute the timer reads all of an open session, which grows with every file.
    """
    asking, listening, files = size.teams - size.listening, size.listening, size.files
    found = [1.0, files, asking, asking * files, listening, listening * files]
    return [*found, size.teams * files * files] if kind == READS else [float(each) for each in found]


def estimate_final(coefficients: Mapping[str, Sequence[float]], size: Size) -> dict[str, float]:
    """How much a final asks for, by kind. O(1).

    Clause: platform §7 cost
    """
    found = {}
    for kind in KINDS:
        values = zip(coefficients[kind], terms(kind, size), strict=True)
        found[kind] = sum(factor * term for factor, term in values)
    return found


def estimate_period(period: Period) -> dict[str, float]:
    """How much is asked for when nobody comes."""
    calls = period.days * period.timer_calls_a_day
    polls = period.queues * POLLERS * DAY_S / POLL_S * period.days
    return {CALLS: calls, SECONDS: calls * period.timer_gb_s, QUEUES: polls}


def with_the_rest(counted: Mapping[str, float]) -> dict[str, float]:
    """Everything that is billed, what follows from the counted kinds included."""
    requests = counted.get(HTTP, 0.0)
    more = {
        LOGGED: (counted.get(CALLS, 0.0) + requests) * LOG_LINE_GB,
        EDGE: requests,
        TRANSFER: requests * ANSWER_GB,
    }
    return {**counted, **more}


def bill(counts: Mapping[str, float], prices: Mapping[str, Mapping[str, Any]]) -> tuple[Line, ...]:
    """A line for each kind, in the order of the price list; :class:`KeyError` for a kind without a price."""
    unknown = set(counts) - set(prices)
    if unknown:
        raise KeyError(f"no price of {', '.join(sorted(unknown))}")
    return tuple(
        Line(kind, counts[kind], float(told["price"]) / float(told["per"]))
        for kind, told in prices.items()
        if kind in counts
    )
