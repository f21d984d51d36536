"""Keep settled facts about a run's files by session, so that the minute timer reads none twice.

A letter stands for each file that has opened. Most are answered within a minute or two, and never looked at again. One
that the platform owes is looked at as long as its session is open, for a lost request may still be repeated. A letter
is a fact about the file by itself: what organizers decide about it (annulments, rulings) is added where it is used.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Container, Mapping
from dataclasses import field
from typing import Final

from contest.run.rules.fate import Fate
from contest.run.rules.schedule import Schedule
from contest.session.rules.delivery import Cause, FileState
from contest.session.rules.session import Session
from contest.values import MINUTE, Millis
from markup_core.lazy import dataclass

UNKNOWN: Final = "?"
"""Still open, or not looked at yet."""
ANSWERED: Final = "a"
ANSWERED_LATER: Final = "h"
"""Answered after the platform had owed it: the program may have the files after it later than others, too."""
MISSED: Final = "m"
LACKING: Final = "M"
"""Missed by now, and may still change."""
OWED: Final = "p"
"""Of an open session."""
DECIDED: Final = "d"
"""Void by the decision to stop the run."""
CREDIT: Final[Millis] = 5 * MINUTE
"""So long after its time a file that nobody was given is missed for good: by then no request counts as in time, unless
the platform owed an earlier file of the session (see ANSWERED_LATER). Its own work on one file takes a request for the
file, one for its answer and one for the next file, each of which is under way for at most half a minute."""

_UNSURE: Final = re.compile(r"[?Mp]")
_MISSED: Final = re.compile(r"[mMp]")
_OWED: Final = re.compile(OWED)
_HURT: Final = re.compile(r"[ph]")
HURT: Final = frozenset({OWED, ANSWERED_LATER})


@dataclass(frozen=True, slots=True)
class Watch:
    """The letters of each session's files, by number from 1; ``version`` counts its writings, 0 before the first."""

    letters: Mapping[str, str] = field(default_factory=dict)
    version: int = 0


def missed(letters: str) -> frozenset[int]:
    """Return the numbers of files that were missed, by the platform's fault or not."""
    return frozenset(match.start() + 1 for match in _MISSED.finditer(letters))


def owed(letters: str) -> tuple[int, ...]:
    """List the numbers of files that the platform owes."""
    return tuple(match.start() + 1 for match in _OWED.finditer(letters))


def first_hurt(letters: str) -> int:
    """Return the number of the first file that the platform owes or has owed; greater than any number without one."""
    match = _HURT.search(letters)
    return match.start() + 1 if match else sys.maxsize


def to_look_at(letters: str, session: Session, schedule: Schedule, now: Millis) -> tuple[int, ...]:
    """List the files of a session that may have changed since, without those annulled for everybody.

    Of an open session they are those that may be void by now, of a closed one those that opened before its end.
    """
    annulled: Container[int] = schedule.voided_for_all
    limits = schedule.run.limits
    if session.closed_at is not None:
        last = min(session.files, schedule.opened(session.closed_at - 1))
    else:
        last = schedule.opened(now - min(limits.request, limits.answer, limits.total))
    unsure = _UNSURE.finditer(letters.ljust(last, UNKNOWN)[:last])
    return tuple(number for match in unsure if (number := match.start() + 1) not in annulled)


def letter_of(before: str, file_fate: Fate, *, is_sure: bool, is_open: bool) -> str:
    """Return the letter of a file by its fate, rulings aside. ``is_sure``: nothing that is under way can change it."""
    if file_fate.state is FileState.ANSWERED:
        return ANSWERED_LATER if before == OWED else ANSWERED
    if file_fate.state is not FileState.VOIDED:
        return UNKNOWN
    if file_fate.cause is Cause.ORGANIZER_DECISION:
        return UNKNOWN if is_open else DECIDED
    if not is_open:
        return MISSED
    if file_fate.cause is Cause.PLATFORM:
        return OWED
    return MISSED if is_sure else LACKING
