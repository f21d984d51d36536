"""Dead letters and the queues that their jobs go back to, in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Protocol

from contest.operations.rules import DeadLetter
from contest.people.rules import Change
from contest.ports import LostRaceError, Page
from contest.stored_names import LetterQueue
from contest.values import Millis


class Log(Protocol):
    """Takes an entry of the log, as the store of the fakes does."""

    def tell(self, change: Change | None) -> None: ...


class FakeDeadLetters:
    """:class:`contest.room_ports.DeadLetters`."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._letters: dict[str, DeadLetter] = {}

    def get(self, letter_id: str) -> DeadLetter | None:
        return self._letters.get(letter_id)

    def open(self, queue: LetterQueue | None, limit: int, after: str | None) -> Page[DeadLetter]:
        letters = [letter for name, letter in sorted(self._letters.items()) if letter.is_open and name > (after or "")]
        of_queue = [letter for letter in letters if queue is None or letter.queue is queue]
        more = of_queue[limit - 1].letter_id if len(of_queue) > limit else None
        return Page(tuple(of_queue[:limit]), more)

    def counts(self) -> Mapping[LetterQueue, int]:
        return Counter(letter.queue for letter in self._letters.values() if letter.is_open)

    def put(self, before: DeadLetter | None, after: DeadLetter, change: Change | None) -> None:
        stored = self._letters.get(after.letter_id)
        if (stored and stored.version) != (before and before.version):
            raise LostRaceError
        self._letters[after.letter_id] = after
        self._log.tell(change)


class FakeWorkQueues:
    """:class:`contest.room_ports.WorkQueues`."""

    def __init__(self) -> None:
        self.sent: list[tuple[LetterQueue, str]] = []

    def send_again(self, queue: LetterQueue, bodies: Sequence[str]) -> None:
        self.sent += [(queue, body) for body in bodies]


class FakeUpkeep:
    """:class:`contest.room_ports.Upkeep`."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._ticks: dict[str, Millis] = {}
        self._left: dict[str, str] = {}

    def tick(self, timer: str, at: Millis, progress: str = "") -> None:
        if at >= self._ticks.get(timer, at):
            self._ticks[timer], self._left[timer] = at, progress

    def left(self, timer: str) -> str:
        return self._left.get(timer, "")

    def ticks(self) -> Mapping[str, Millis]:
        return dict(self._ticks)

    def note_mending(self, change: Change) -> None:
        self._log.tell(change)
