"""Messages that sleep in queues wake at their time on a held clock, too, and are carried before it moves on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from local.aws.emulator import Emulator
    from local.lambdas.pump import Pump

_CARRY_S = 60.0


class Delays:
    """Lets `Clock.advance` stop where a delayed or returned message wakes (a `clock.Timer`).

    What wakes is carried before the clock moves on: its function runs to its end at the message's own time. Streams,
    and messages that are sent without a delay, go on meanwhile; `LocalCloud.drain` waits for them. No message wakes
    while a function has it, however slow this machine is: the clock waits for the function first.
    """

    def __init__(self, emulator: Emulator, pump: Pump) -> None:
        self._emulator = emulator
        self._pump = pump
        self._due: dict[str, dict[str, Any]] = {}

    def next_due_ms(self) -> int | None:
        """Return when the next message wakes in a queue that has a function."""
        found = self._emulator.call("due")["queues"]
        self._due = {name: found[name] for name in self._pump.queues() if found[name]["at"] is not None}
        return min((round(due["at"]) for due in self._due.values()), default=None)

    def fire(self, now_ms: int) -> None:
        """Wait until what has woken is carried."""
        woken = {name: due["ids"] for name, due in self._due.items() if due["at"] <= now_ms}
        if woken:
            self._pump.carry(woken, _CARRY_S)

    def skip(self, now_ms: int) -> None:
        """Do nothing: queues are no timers that could be dead; `drain` waits for what has woken."""
