"""Keep a client's log with its session (platform §3)."""

from __future__ import annotations

from typing import Final

from contest.domain.canonical import sha256_hex
from contest.domain.moments import Millis
from contest.domain.rights import Identity
from contest.errors import AnswerTooLargeError
from contest.services.access import own_session
from contest.services.platform import Platform

MAX_LOG: Final = 1024 * 1024
KEPT: Final = 20
"""Logs of a session that are kept: the latest."""


def store_log(platform: Platform, identity: Identity, session_id: str, body: bytes, arrival: Millis) -> str:
    """Store a log, open session or not, and return its SHA-256. The same log again is stored once more, harmlessly."""
    if len(body) > MAX_LOG:
        raise AnswerTooLargeError.over(len(body), MAX_LOG)
    own_session(platform, identity, session_id, arrival)
    digest, folder = sha256_hex(body), f"logs/{session_id}/"
    platform.blobs.put(f"{folder}{arrival:013d}-{digest[:16]}", body)
    for name in platform.blobs.names(folder)[:-KEPT]:
        platform.blobs.delete(name)
    return digest
