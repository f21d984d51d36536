"""Opening a session once: a retry finds what it has opened, and a team has one open session of a mode."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from contest.domain.canonical import canonical, sha256_hex
from contest.domain.moments import Millis
from contest.domain.session.requests import Key, Used
from contest.domain.session.session import Session
from contest.errors import KeyReusedError, SessionAlreadyOpenError
from contest.refusals import ContestError
from contest.services import reading
from contest.services.platform import Platform
from contest.services.races import decide_until_written
from contest.services.session import closing
from contest.services.session.request import Request


def opened_once(
    platform: Platform, request: Request, wished: Mapping[str, Any], attempt: Callable[[Key | None], Session]
) -> Session:
    """The session that an attempt opens, or the one that this request's ``Idempotency-Key`` has opened before.

    The attempt looks, decides, and writes under the request's key; :class:`LostRaceError` when something changed in
    between. :class:`KeyReusedError` where the key was used for something else than what is ``wished``.

    Clause: platform §1 one session
    """
    key = key_for(request, "open", wished)

    def opened(known: Session | None) -> Session:
        if known is not None:
            return known
        try:
            return attempt(key)
        except ContestError:
            # What stands in the way may be the session that this very request, sent twice, has just opened.
            twin = _opened_with(platform, request, key)
            if twin is None:
                raise
            return twin

    def known() -> Session | None:
        return _opened_with(platform, request, key)

    return decide_until_written(known(), opened, known)


def key_for(request: Request, *asked: Any) -> Key | None:
    """A request's key with what is asked under it; None without one."""
    return Key(request.key_sha256, sha256_hex(canonical(list(asked)))) if request.key_sha256 else None


def require_same(used: Used, key: Key) -> None:
    """:class:`KeyReusedError` where a key was used for something else."""
    if used.asked_sha256 != key.asked_sha256:
        raise KeyReusedError


def refuse_second(platform: Platform, team_id: str, mode: str, now: Millis) -> None:
    """One open session per team and mode (platform §1). One whose time is over is not in the way.

    Clause: platform §1 one session
    """
    first = platform.sessions.open_of(team_id, mode)
    session = reading.session(platform, first) if first else None
    if session is not None and closing.by_time(platform, session, now).is_open:
        raise SessionAlreadyOpenError.named(session.session_id)


def _opened_with(platform: Platform, request: Request, key: Key | None) -> Session | None:
    used = platform.sessions.used(request.identity.team_id, key.key_sha256) if key else None
    if used is None or key is None:
        return None
    require_same(used, key)
    return reading.session(platform, used.session_id)
