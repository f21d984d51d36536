"""What every use case is given: the ports, and a memory for what never changes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Final, Protocol

from contest import ports

ATTEMPTS: Final = 8
"""How often a lost race is read again and decided again before the caller is told to come back."""


class Memory:
    """A per-process cache of immutable values, the least recently used forgotten first.

    What all teams read in the same second (essays, manifests, parameters) is read from storage once per process.
    """

    def __init__(self, capacity: int = 4096) -> None:
        self._capacity = capacity
        self._values: OrderedDict[Hashable, Any] = OrderedDict()

    def keep(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """The value of a key, made at the first request. What raises is not kept."""
        if key in self._values:
            self._values.move_to_end(key)
            return self._values[key]
        value = self._values[key] = make()
        if len(self._values) > self._capacity:
            self._values.popitem(last=False)
        return value


class Platform(Protocol):
    """All ports. The wiring makes each one when it is first used, so that a function loads only what it needs."""

    @property
    def sessions(self) -> ports.Sessions:
        """Sessions."""

    @property
    def deliveries(self) -> ports.Deliveries:
        """Deliveries and receipts."""

    @property
    def outbox(self) -> ports.Outbox:
        """Answers to be scored."""

    @property
    def scores(self) -> ports.Scores:
        """Score records and board entries."""

    @property
    def catalogue(self) -> ports.Catalogue:
        """The cycle."""

    @property
    def people(self) -> ports.People:
        """Teams and tokens."""

    @property
    def audit_log(self) -> ports.AuditLog:
        """The log of what people changed."""

    @property
    def rates(self) -> ports.RateCounter:
        """Requests per second."""

    @property
    def blobs(self) -> ports.Blobs:
        """Objects."""

    @property
    def queue(self) -> ports.Queue:
        """The scoring queue."""

    @property
    def clock(self) -> ports.Clock:
        """The time."""

    @property
    def signer(self) -> ports.Signer:
        """The platform's signature."""

    @property
    def randomness(self) -> ports.Randomness:
        """Names nobody can guess."""

    @property
    def tracks(self) -> ports.Tracks:
        """The contests by name."""

    @property
    def memory(self) -> Memory:
        """The process's cache."""
