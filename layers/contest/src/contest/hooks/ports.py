"""The ports of webhooks; :mod:`contest.ports` states the promises of all ports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from contest.hooks.rules import Delivery, Hook, Outcome
from contest.people.rules import Change
from contest.ports import Port


class NotTakenError(Exception):
    """A delivery failed: no public address, no answer in time, or a status other than 2xx."""

    def __init__(self, why: str = "", outcome: Outcome = Outcome.UNREACHABLE, status: int | None = None) -> None:
        super().__init__(why)
        self.outcome, self.status = outcome, status


class Hooks(Protocol):
    """Hooks of teams and organizers, and their pending deliveries."""

    def all(self) -> Sequence[Hook]:
        """Return all hooks, by owner and place."""

    def add(self, hook: Hook, change: Change) -> None:
        """Write a hook if its place is free."""

    def remove(self, hook: Hook, change: Change) -> None:
        """Remove a hook if it is still this one."""

    def note(self, before: Hook, after: Hook) -> None:
        """Write an attempt's outcome or a request for a test if the hook has not changed since it was read."""

    def deliver(self, delivery: Delivery) -> None:
        """Write a delivery to send unless one of its id was ever written; losing the race is no error."""

    def waiting(self) -> Sequence[Delivery]:
        """Return all deliveries to send, by id."""

    def claim(self, before: Delivery, after: Delivery) -> None:
        """Write a delivery that is about to be sent if nobody else has claimed it since."""

    def done(self, delivery: Delivery) -> None:
        """Remove a delivery from those to send (idempotent)."""


class Poster(Protocol):
    """The way of webhooks out of the platform."""

    def post(self, delivery_id: str, url: str, body: bytes) -> int | None:
        """Send a request and return the answer's HTTP status, None if there is no host to call.

        Raises :class:`NotTakenError` if the delivery fails, after some seconds at the latest.
        """

    @property
    def to_loopback(self) -> bool:
        """Return whether it sends to this machine alone."""


class HookPorts:
    """The platform's ports of the hooks' room."""

    hooks = Port[Hooks]()
    poster = Port[Poster]()
    site = Port[str]()
    """Address of the site, without a slash at its end; empty where the deployment has no name."""
