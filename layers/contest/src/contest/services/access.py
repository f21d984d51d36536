"""Who may come in: the right of a route, a team's rate, the ownership of a session."""

from __future__ import annotations

from contest.domain import limits, rights
from contest.domain.moments import Millis
from contest.domain.session import SESSION_ID, Session
from contest.errors import ForbiddenError, RateLimitedError, UnknownSessionError
from contest.services import closing, knowledge
from contest.services.platform import Platform


def admit(
    platform: Platform, identity: rights.Identity, right: rights.Right, arrival: Millis, *, refusable: bool = True
) -> None:
    """Let a request in: the identity has the right and its team is within the rate (D 12.8).

    An answer counts but is not ``refusable``: nobody loses a file to the rate limit (platform §3).
    """
    if not rights.may(identity, right):
        raise ForbiddenError
    if not identity.team_id:
        return
    made = platform.rates.count(identity.team_id, limits.rate_window(arrival))
    cycle = knowledge.recent_cycle(platform)
    allowed = knowledge.parameters(platform, cycle.parameters_version).requests_per_second
    if refusable and limits.over_rate(made, allowed):
        raise RateLimitedError(retry_after_s=1)


def own_session(platform: Platform, identity: rights.Identity, session_id: str, arrival: Millis) -> Session:
    """The identity's session, remembered as heard of now; :class:`UnknownSessionError` for anybody else's.

    A session that was silent for its idle time, or whose run is over, has ended before this request, which finds it
    closed.
    """
    session = knowledge.session(platform, session_id) if SESSION_ID.fullmatch(session_id) else None
    if session is None or session.team_id != identity.team_id:
        raise UnknownSessionError
    if not session.is_open:
        return session
    seen_at = platform.sessions.touch(session_id, arrival) or session.opened_at
    if not closing.may_be_over(platform, session, seen_at, arrival):
        return session
    return closing.by_time(platform, session, arrival, seen_at=seen_at)
