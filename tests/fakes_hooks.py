"""The ports of webhooks in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from contest.messages.rules import Delivery, Hook, NotTakenError
from contest.people.rules import Change
from contest.ports import LostRaceError


class Log(Protocol):
    """Takes an entry of the log, as the store of the fakes does."""

    def tell(self, change: Change) -> None: ...


class FakeHooks:
    def __init__(self, log: Log) -> None:
        self._log = log
        self._hooks: dict[tuple[str, int], Hook] = {}
        self._made: set[str] = set()
        self._waiting: dict[str, Delivery] = {}

    def all(self) -> Sequence[Hook]:
        return [hook for _, hook in sorted(self._hooks.items())]

    def add(self, hook: Hook, change: Change) -> None:
        if (hook.owner, hook.place) in self._hooks:
            raise LostRaceError
        self._hooks[hook.owner, hook.place] = hook
        self._log.tell(change)

    def remove(self, hook: Hook, change: Change) -> None:
        stored = self._hooks.get((hook.owner, hook.place))
        if stored is None or stored.hook_id != hook.hook_id:
            raise LostRaceError
        del self._hooks[hook.owner, hook.place]
        self._log.tell(change)

    def note(self, before: Hook, after: Hook) -> None:
        stored = self._hooks.get((before.owner, before.place))
        if stored is None or (stored.hook_id, stored.version) != (before.hook_id, before.version):
            raise LostRaceError
        self._hooks[after.owner, after.place] = after

    def deliver(self, delivery: Delivery) -> None:
        if delivery.delivery_id not in self._made:
            self._made.add(delivery.delivery_id)
            self._waiting[delivery.delivery_id] = delivery

    def waiting(self) -> Sequence[Delivery]:
        return [delivery for _, delivery in sorted(self._waiting.items())]

    def claim(self, before: Delivery, after: Delivery) -> None:
        stored = self._waiting.get(before.delivery_id)
        if stored is None or stored.attempts != before.attempts:
            raise LostRaceError
        self._waiting[after.delivery_id] = after

    def done(self, delivery: Delivery) -> None:
        self._waiting.pop(delivery.delivery_id, None)


class FakePoster:
    """Poster that records the posts it gets; hosts in ``silent`` take none."""

    to_loopback = False

    def __init__(self) -> None:
        self.silent: set[str] = set()
        self.posted: list[tuple[str, str, bytes]] = []

    def post(self, delivery_id: str, url: str, body: bytes) -> int | None:
        if url in self.silent:
            raise NotTakenError
        self.posted.append((delivery_id, url, body))
        return 204
