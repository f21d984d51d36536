"""Dead letters (platform §4), collected from their queues, listed and dropped; locked copies of the tables, counted.

A redrive is the doctor's (:mod:`contest.operations.doctor`), for it does other rooms' work again. The
copies are weekly exports that DynamoDB makes and S3 replicates where nobody can delete them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from contest.operations.rules import (
    Arrived,
    DeadLetter,
    LetterDecidedError,
    LetterState,
    UnknownLetterError,
    letter_after_arrival,
    letter_after_decision,
)
from contest.operations.rules import letter_id as id_of_letter
from contest.people.rules import Change, Identity, by_person
from contest.platform import PATIENT_ATTEMPTS, Platform, decide_until_written
from contest.ports import LostRaceError, Page
from contest.stored_names import EXPORTED, EXPORTS, Figure, LetterQueue
from contest.values import DAY


# Clause: platform §4 failed
def collect(platform: Platform, arrived: Arrived) -> bool:
    """Store a message of a dead-letter queue as a letter; return whether it was new.

    A message may come twice, and is counted once; two of one job may come at once, and both are counted.
    """
    name = id_of_letter(arrived.queue, arrived.body)

    def known() -> DeadLetter | None:
        return platform.dead_letters.get(name)

    def kept(before: DeadLetter | None) -> bool:
        after = letter_after_arrival(before, arrived)
        if after is not None:
            platform.dead_letters.put(before, after, None)
        return after is not None

    return decide_until_written(known(), kept, known, lambda _: PATIENT_ATTEMPTS)


def letters(platform: Platform, queue: LetterQueue | None, limit: int, after: str | None) -> Page[DeadLetter]:
    """Open letters of a queue or of all, by id."""
    return platform.dead_letters.open(queue, limit, after)


def letter(platform: Platform, letter_id: str) -> DeadLetter:
    """Return a letter, open or decided; :class:`UnknownLetterError` without one."""
    dead_letter = platform.dead_letters.get(letter_id)
    if dead_letter is None:
        raise UnknownLetterError
    return dead_letter


# Clause: platform §4 failed
def drop(platform: Platform, identity: Identity, letter_id: str, reason: str) -> DeadLetter:
    """Drop a letter for a reason; :class:`LetterDecidedError` if it was decided before."""
    before = letter(platform, letter_id)
    if not before.is_open or not decide(platform, identity, before, LetterState.DROPPED, reason):
        raise LetterDecidedError.being(letter(platform, letter_id).state.value, "letter")
    return letter(platform, letter_id)


def decide(platform: Platform, identity: Identity, before: DeadLetter, state: LetterState, reason: str = "") -> bool:
    """Write a person's decision about a letter; return whether it was still as it was read."""
    now = platform.clock.now()
    after = letter_after_decision(before, state, now, reason)
    who, what = by_person(identity.person_id), f"dead letter {state.value}"
    try:
        platform.dead_letters.put(before, after, Change(now, who, what, before.letter_id, _told(before), _told(after)))
    except LostRaceError:
        return False
    return True


def _told(dead_letter: DeadLetter) -> Mapping[str, Any]:
    """Describe a letter for the log, without its body."""
    return {
        "state": dead_letter.state.value,
        "times": dead_letter.times,
        "reason": dead_letter.reason,
        "about": dict(dead_letter.about),
    }


_COMPLETE: Final = re.compile(rf"{EXPORTS}(\w+)/AWSDynamoDB/(\d{{13,14}})-\w+/manifest-summary\.json")
"""Name of the file that an export writes at its end; its folder begins with the time of its beginning, in milliseconds
(Amazon DynamoDB developer guide, "DynamoDB table export output format")."""


def note_copies(platform: Platform) -> None:
    """Count the tables without a complete export of the last day among the locked copies; nothing without copies."""
    if platform.copies is None:
        return
    exports = map(_COMPLETE.fullmatch, platform.copies.names(EXPORTS))
    since = platform.clock.now() - DAY
    copied = {export[1] for export in exports if export and int(export[2]) >= since}
    platform.figures.note({Figure.TABLES_UNCOPIED: len(EXPORTED - copied)})
