"""When a marking will end: what is left of it, how fast its experts hand in, and how uncertain that is (platform §5).

Pace is essays handed in by the calendar, nights and holidays included, for nobody knows when an expert sits down. Of
whoever has handed in few little is known: the interval is that of a Poisson process's rate, and wide then.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from math import exp, fsum, lgamma, log
from typing import Final

from contest.domain.experts.assignment import UNDER_WAY, Assignment
from contest.domain.experts.progress import Progress
from contest.domain.moments import Millis

_TAIL: Final = 0.025
_HALVINGS: Final = 60
FAIR: Final = 10
"""From so many essays on, handed in by the expert on whom the end hangs, its pace is known to about a factor two."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """When the last markup will be there; it is between ``earliest`` and ``latest`` with 95 %, other things equal.

    ``left``: markups that are still to come, expected third experts' (``thirds_expected``) included. None: nothing was
    handed in by somebody who still has essays, or an essay has nobody. ``slowest``: on whom the end hangs.
    """

    left: float
    thirds_expected: float
    handed_in: int
    ends_at: Millis | None
    earliest: Millis | None
    latest: Millis | None
    slowest: str | None
    is_fair: bool


@dataclass(frozen=True, slots=True)
class _Pace:
    expert_id: str
    left: int
    done: int
    since: Millis


def forecast(of: Progress, now: Millis) -> Forecast:
    """Forecast the end from a marking's progress. O(assignments).

    Clause: platform §5 progress
    """
    paces = _paces([each for row in of.essays for each in row.assignments])
    thirds = _thirds_expected(of)
    under_way, done = sum(each.left for each in paces), sum(each.done for each in paces)
    left = under_way + of.lacking + thirds
    if left <= 0:
        ended = max((each.ended_at or 0 for row in of.essays for each in row.assignments), default=0) or now
        return Forecast(0.0, 0.0, done, ended, ended, ended, None, is_fair=True)
    working = [each for each in paces if each.left]
    known = [each for each in paces if each.done]
    if not known or any(not each.done for each in working):
        return Forecast(left, thirds, done, None, None, None, None, is_fair=False)
    slowest = max(working, key=lambda each: each.left / _rate(each, now)[1], default=None)
    ends = [_needs(working, known, left, now, place) for place in range(3)]
    earliest, expected, latest = (now + round(each) for each in ends)
    fair = min(each.done for each in ([slowest] if slowest else known)) >= FAIR
    return Forecast(
        left, thirds, done, expected, earliest, latest, None if slowest is None else slowest.expert_id, is_fair=fair
    )


def rate_interval(done: int, time: float) -> tuple[float, float]:
    """The exact 95 % interval of a Poisson process's rate after so many events, one or more, in a time (Garwood)."""
    low, high = _mean_interval(done)
    return low / time, high / time


@cache
def _mean_interval(done: int) -> tuple[float, float]:
    """Of the mean: where so many events or more, and where so many or fewer, have a probability of 2.5 %."""
    return _solve(lambda mean: 1 - _at_most(done - 1, mean), done), _solve(lambda mean: -_at_most(done, mean), done)


def _solve(rising: Callable[[float], float], done: int) -> float:
    """The mean at which a rising function is 2.5 %, or -2.5 %."""
    goal = _TAIL if rising(0.0) >= 0 else -_TAIL
    low, high = 0.0, 4.0 * done + 20
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < goal else (low, middle)
    return (low + high) / 2


def _at_most(events: int, mean: float) -> float:
    """Probability of so many events or fewer."""
    if mean == 0:
        return 1.0
    return fsum(exp(k * log(mean) - mean - lgamma(k + 1)) for k in range(events + 1))


def _rate(pace: _Pace, now: Millis) -> tuple[float, float, float]:
    """Essays a millisecond: fastest, as it was, slowest."""
    time = max(1, now - pace.since)
    low, high = rate_interval(pace.done, time)
    return high, pace.done / time, low


def _needs(working: Sequence[_Pace], known: Sequence[_Pace], left: float, now: Millis, place: int) -> float:
    """Milliseconds: until the last expert is through, or until all together have done what nobody has yet."""
    alone = max((each.left / _rate(each, now)[place] for each in working), default=0.0)
    return max(alone, left / sum(_rate(each, now)[place] for each in known))


def _paces(given: Sequence[Assignment]) -> list[_Pace]:
    by_expert: dict[str, list[Assignment]] = {}
    for each in given:
        by_expert.setdefault(each.expert_id, []).append(each)
    found = []
    for expert_id, mine in sorted(by_expert.items()):
        left = sum(each.state in UNDER_WAY for each in mine)
        done = sum(each.markup is not None and each.state not in UNDER_WAY for each in mine)
        found.append(_Pace(expert_id, left, done, min(each.assigned_at for each in mine)))
    return found


def _thirds_expected(of: Progress) -> float:
    """Third experts that essays without a decision will call, by the share of those with one; none before the first."""
    decided = [each.essay.third for each in of.essays if each.essay.third is not None]
    undecided = sum(each.essay.third is None and each.essay.has_rule for each in of.essays)
    return undecided * sum(each.is_needed for each in decided) / len(decided) if decided else 0.0
