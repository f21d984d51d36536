"""Keep a client's log with its session (platform §3)."""

from __future__ import annotations

from typing import Final

from contest import stored_names
from contest.domain.canonical import sha256_hex
from contest.errors import AnswerTooLargeError
from contest.services.platform import Platform
from contest.services.session.access import own_session
from contest.services.session.request import Request

MAX_LOG: Final = 1024 * 1024
KEPT: Final = 20
"""Logs of a session that are kept: the latest."""


def store_log(platform: Platform, request: Request, body: bytes) -> str:
    """Store a log, open session or not, and return its SHA-256. The same log again is stored once more, harmlessly.

    Clause: platform §3 log
    """
    if len(body) > MAX_LOG:
        raise AnswerTooLargeError.over(len(body), MAX_LOG)
    session = own_session(platform, request).session
    digest, folder = sha256_hex(body), stored_names.log_folder(session.session_id)
    platform.blobs.put(f"{folder}{request.arrival:013d}-{digest[:16]}", body)
    for name in platform.blobs.names(folder)[:-KEPT]:
        platform.blobs.delete(name)
    return digest
