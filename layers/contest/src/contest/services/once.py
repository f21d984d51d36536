"""Opening a session once: a retry finds what it has opened, and a team has one open session of a mode."""

from __future__ import annotations

from collections.abc import Callable

from contest.domain.moments import Millis
from contest.domain.people import token_hash
from contest.domain.session import Session
from contest.errors import BusyError, ContestError, SessionAlreadyOpenError
from contest.ports import LostRaceError
from contest.services import closing, knowledge
from contest.services.platform import ATTEMPTS, Platform


def opened_once(
    platform: Platform, team_id: str, retry_key: str | None, attempt: Callable[[str | None], Session]
) -> Session:
    """The session that an attempt opens, or the one that this ``Idempotency-Key`` has opened before.

    The attempt looks, decides, and writes under the key it is given; :class:`LostRaceError` when something changed
    in between.
    """
    key = token_hash(retry_key) if retry_key else None
    for _ in range(ATTEMPTS):
        known = _opened_with(platform, team_id, key)
        if known is not None:
            return known
        try:
            return attempt(key)
        except LostRaceError:
            continue
        except ContestError:
            # What stands in the way may be the session that this very request, sent twice, has just opened.
            known = _opened_with(platform, team_id, key)
            if known is None:
                raise
            return known
    raise BusyError


def refuse_second(platform: Platform, team_id: str, mode: str, now: Millis) -> None:
    """One open session per team and mode (platform §1). One whose time is over is not in the way."""
    first = platform.sessions.open_of(team_id, mode)
    session = knowledge.session(platform, first) if first else None
    if session is not None and closing.by_time(platform, session, now).is_open:
        raise SessionAlreadyOpenError.named(session.session_id)


def _opened_with(platform: Platform, team_id: str, key: str | None) -> Session | None:
    known = platform.sessions.opened_with(team_id, key) if key else None
    return knowledge.session(platform, known) if known is not None else None
