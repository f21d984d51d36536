"""The port of signed addresses; see :mod:`contest.ports` for what all ports promise."""

from __future__ import annotations

from typing import Protocol

from contest.domain.moments import Millis


class Addresses(Protocol):
    """Addresses under the site's own host at which one object may be put, or read, until a moment.

    Each is a path with a query: whoever is told it has the site's address already. It is a secret as long as it lives.
    """

    def to_put(self, name: str, until: Millis) -> str:
        """Where the object of this name may be put, of the size that its name says; in whole seconds, rounded down."""

    def to_get(self, name: str, until: Millis) -> str:
        """Where the object of this name may be read."""

    def sealed(self, digest: str) -> str:
        """A SHA-256 for another one, by which nobody without the key can find out what that one is of."""
