"""Dead letters: taken from their queues, listed, done again, dropped (platform §4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from contest.domain.operations import dead_letters
from contest.domain.operations.dead_letters import WORK, Arrived, DeadLetter, LetterState
from contest.domain.people.rights import Identity
from contest.domain.people.teams import Change, by_person
from contest.errors.operations import LetterDecidedError, UnknownLetterError
from contest.ports import LostRaceError, Page
from contest.services.platform import Platform
from contest.services.races import PATIENT_ATTEMPTS, decide_until_written
from contest.services.results import audit, waiting
from contest.stored_names import LetterQueue

AT_ONCE: Final = 100
"""Letters that one request redrives at most; who wants all asks until none is left."""
_AUDIT: Final = "audit"
"""How the name of the audit timer's function ends."""


@dataclass(frozen=True, slots=True)
class Redriven:
    """What a redrive did: letters whose work is asked for again, those that nothing can do again, open ones left."""

    redriven: tuple[str, ...]
    passed_over: tuple[str, ...]
    left: int


def collect(platform: Platform, arrived: Arrived) -> bool:
    """Keep a message of a dead-letter queue as a letter; whether it told of anything new.

    A message may come twice, and two of one job at once: it is counted once, and both are.

    Clause: platform §4 failed
    """
    name = dead_letters.letter_id(arrived.queue, arrived.body)

    def known() -> DeadLetter | None:
        return platform.dead_letters.get(name)

    def kept(before: DeadLetter | None) -> bool:
        after = dead_letters.arrive(before, arrived)
        if after is not None:
            platform.dead_letters.put(before, after, None)
        return after is not None

    return decide_until_written(known(), kept, known, lambda _: PATIENT_ATTEMPTS)


def letters(platform: Platform, queue: LetterQueue | None, limit: int, after: str | None) -> Page[DeadLetter]:
    """Open letters of a queue or of all, by id."""
    return platform.dead_letters.open(queue, limit, after)


def letter(platform: Platform, letter_id: str) -> DeadLetter:
    """A letter, whatever was decided about it; :class:`UnknownLetterError` without one."""
    found = platform.dead_letters.get(letter_id)
    if found is None:
        raise UnknownLetterError
    return found


def redrive(
    platform: Platform, identity: Identity, letter_ids: Sequence[str] | None, queue: LetterQueue | None
) -> Redriven:
    """Ask for the work of these letters again, or of the open ones of a queue, or of all; at most :data:`AT_ONCE`.

    First the work is asked for, then the letter is written: a crash between the two asks for it twice, which every
    worker bears, and never loses it. What somebody has decided about meanwhile is left as it is, so that repeating a
    redrive does nothing more. :class:`UnknownLetterError` before anything is done.

    Clause: platform §4 failed
    """
    if letter_ids is None:
        found = list(letters(platform, queue, AT_ONCE, None).items)
    else:
        found = [letter(platform, each) for each in dict.fromkeys(letter_ids[:AT_ONCE])]
    able = [each for each in found if each.is_open and can_be_redriven(each)]
    _ask_again(platform, able)
    done = [each.letter_id for each in able if _decide(platform, identity, each, LetterState.REDRIVEN)]
    over = [each.letter_id for each in found if each.is_open and not can_be_redriven(each)]
    open_now = platform.dead_letters.counts()
    left = sum(open_now.values()) if queue is None else open_now.get(queue, 0)
    return Redriven(tuple(done), tuple(over), left)


def drop(platform: Platform, identity: Identity, letter_id: str, reason: str) -> DeadLetter:
    """Let a letter go for a reason. :class:`LetterDecidedError` where somebody has decided about it before.

    Clause: platform §4 failed
    """
    before = letter(platform, letter_id)
    if not before.is_open or not _decide(platform, identity, before, LetterState.DROPPED, reason):
        raise LetterDecidedError.being(letter(platform, letter_id).state.value)
    return letter(platform, letter_id)


def can_be_redriven(each: DeadLetter) -> bool:
    """Whether there is work to ask for again: of the timers only the audit's, for the others' next visit does it."""
    return each.queue is not LetterQueue.TIMERS or _is_audit(each)


def _ask_again(platform: Platform, found: Sequence[DeadLetter]) -> None:
    by_queue: dict[LetterQueue, list[str]] = {}
    for each in found:
        by_queue.setdefault(each.queue, []).append(each.body)
    for queue in sorted(WORK & set(by_queue)):
        platform.work_queues.send_again(queue, by_queue[queue])
    if LetterQueue.RELAY in by_queue:
        waiting.redrive(platform)  # the note names no answer: whatever waits goes into the queue
    if LetterQueue.TIMERS in by_queue:
        audit.plan(platform)


def _decide(platform: Platform, identity: Identity, before: DeadLetter, state: LetterState, reason: str = "") -> bool:
    """Write what somebody decided about a letter; whether it was still as it was read."""
    now = platform.clock.now()
    after = dead_letters.decided(before, state, now, reason)
    who, what = by_person(identity.person_id), f"dead letter {state.value}"
    try:
        platform.dead_letters.put(before, after, Change(now, who, what, before.letter_id, _told(before), _told(after)))
    except LostRaceError:
        return False
    return True


def _told(each: DeadLetter) -> Mapping[str, Any]:
    """A letter as the log tells of it, without its body."""
    return {"state": each.state.value, "times": each.times, "reason": each.reason, "about": dict(each.about)}


def _is_audit(each: DeadLetter) -> bool:
    return each.about.get("function", "").endswith(_AUDIT)
