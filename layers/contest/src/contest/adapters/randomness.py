"""Random names, from the system's generator; those that are secrets cannot be guessed."""

from __future__ import annotations

import secrets
import string
from typing import Final

from contest.domain.people.persons import INVITATION_PREFIX
from contest.domain.people.teams import TOKEN_BYTES, TOKEN_PREFIX

_ALPHABET: Final = string.ascii_lowercase + string.digits
_LEAST: Final = 10**14


class SystemRandomness:
    """:class:`contest.ports.Randomness`."""

    def session_id(self) -> str:
        """See the port: 49 random bits."""
        return _number()

    def run_id(self) -> str:
        """See the port: 103 random bits."""
        return _name(20)

    def file_id(self) -> str:
        """See the port: 49 random bits."""
        return _number()

    def assignment_id(self) -> str:
        """See the port: 103 random bits."""
        return _name(20)

    def pseudonym(self) -> str:
        """See the port: 31 random bits."""
        return f"expert-{_name(6)}"

    def salt(self) -> str:
        """See the port: 256 random bits."""
        return secrets.token_hex(32)

    def token(self) -> str:
        """See the port: 256 random bits."""
        return TOKEN_PREFIX + secrets.token_urlsafe(TOKEN_BYTES)

    def invitation(self) -> str:
        """See the port: 256 random bits."""
        return INVITATION_PREFIX + secrets.token_urlsafe(TOKEN_BYTES)

    def token_id(self) -> str:
        return _name(12)


def _number() -> str:
    """15 digits, the first not 0.

    The earlier clients read an id as a whole number or take only digits (docs/event-channel.md); 15 are exact in
    JavaScript, too. That one could be guessed opens nothing: what a team may see and do is decided by its token, and a
    session of others is to it none at all. Twins: a session is written on condition that its name is free, and drawn
    anew if it is not; a file's name need only be its own within the session, where the file's number is the key.

    Clause: platform §3 ids
    """
    return str(_LEAST + secrets.randbelow(9 * _LEAST))


def _name(length: int) -> str:
    return "".join(secrets.choice(_ALPHABET) for _ in range(length))
