"""Names that nobody can guess, from the system's generator."""

from __future__ import annotations

import secrets
import string
from typing import Final

from contest.domain.people import TOKEN_BYTES, TOKEN_PREFIX

_ALPHABET: Final = string.ascii_lowercase + string.digits


class SystemRandomness:
    """:class:`contest.ports.Randomness`."""

    def session_id(self) -> str:
        """See the port: 103 random bits."""
        return _name(20)

    def run_id(self) -> str:
        """See the port: 103 random bits."""
        return _name(20)

    def file_id(self) -> str:
        """See the port: 82 random bits."""
        return _name(16)

    def salt(self) -> str:
        """See the port: 256 random bits."""
        return secrets.token_hex(32)

    def token(self) -> str:
        """See the port: 256 random bits."""
        return TOKEN_PREFIX + secrets.token_urlsafe(TOKEN_BYTES)

    def token_id(self) -> str:
        """See the port."""
        return _name(12)


def _name(length: int) -> str:
    return "".join(secrets.choice(_ALPHABET) for _ in range(length))
