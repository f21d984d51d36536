"""Ports of operations; :mod:`contest.ports` states the promises of all ports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from contest.ports import Page, Port

if TYPE_CHECKING:
    from contest.operations.rules import DeadLetter
    from contest.people.rules import Change
    from contest.ports import Blobs
    from contest.stored_names import LetterQueue
    from contest.values import Millis


class DeadLetters(Protocol):
    """Jobs that failed for good."""

    def get(self, letter_id: str) -> DeadLetter | None:
        """Return the letter as last written."""

    def open(self, queue: LetterQueue | None, limit: int, after: str | None) -> Page[DeadLetter]:
        """Open letters of a queue or of all, by id, ``after`` a page's end."""

    def counts(self) -> Mapping[LetterQueue, int]:
        """Return the number of open letters of each queue."""

    def put(self, before: DeadLetter | None, after: DeadLetter, change: Change | None) -> None:
        """Write a letter if it is still as it was read (None: there is none). ``change`` None: no person did it."""


class WorkQueues(Protocol):
    """The queues of work, by the names of their letters."""

    def send_again(self, queue: LetterQueue, bodies: Sequence[str]) -> None:
        """Put jobs as they are into their queue; all of them, or an error."""


class Redelivery(Protocol):
    """The return of messages whose work failed to their queue."""

    def soon(self, queue_arn: str, handles: Sequence[str]) -> None:
        """Let the messages of these receipt handles, ten at most, come again after the function's time-out."""


class Upkeep(Protocol):
    """Last ticks of the timers, and mendings requested by people."""

    def tick(self, timer: str, at: Millis, progress: str = "") -> None:
        """Store the time of a timer's tick, and where it left its work; an earlier time changes nothing."""

    def left(self, timer: str) -> str:
        """Return where the last tick of a timer left its work; empty where it left nothing."""

    def ticks(self) -> Mapping[str, Millis]:
        """Return the last tick of each timer."""

    def note_mending(self, change: Change) -> None:
        """Store that a person mended something, or deployed under a run, with its log entry."""


class OperationPorts:
    """The platform's ports of operations."""

    dead_letters: Port[DeadLetters] = Port()
    work_queues: Port[WorkQueues] = Port()
    redelivery: Port[Redelivery] = Port()
    upkeep: Port[Upkeep] = Port()
    copies: Port[Blobs | None] = Port()
