"""A team's requests: how many in a second (D 12.8), and when each of its sessions was heard of last (R 6.4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from contest.domain.moments import Millis
from contest.domain.session.session import Session


@dataclass(frozen=True, slots=True)
class Key:
    """An ``Idempotency-Key`` and what is asked under it: a route, a path and a body, by their hash."""

    key_sha256: str
    asked_sha256: str


@dataclass(frozen=True, slots=True)
class Used:
    """What a team's key was used for, and what came of it: a session, or the receipt of an answer in one."""

    asked_sha256: str
    session_id: str
    receipt: str | None = None
    """The receipt's name in the session's store."""


@dataclass(frozen=True, slots=True)
class Latest:
    """The latest request about a session. A team has one open session of a mode, so one is kept for each mode."""

    session_id: str
    at: Millis
    until: Millis
    """``at``, and as much longer as the platform was seen to work on it: from when its body was there to an answer's
    receipt, or to the noting of anything else."""


@dataclass(frozen=True, slots=True)
class TeamRequests:
    """What is kept of a team's requests: counts of the latest second and of the one before, nothing older."""

    second: int = 0
    """The latest second with a request that counted, since the epoch; 0 before any."""
    made: int = 0
    made_before: int = 0
    """In the second before, for requests that were overtaken by later ones."""
    latest: Mapping[str, Latest] = field(default_factory=dict)
    """By mode."""

    def count_in(self, second: int) -> int:
        """Requests of a second. One that is older than what is kept counts for itself alone."""
        return {self.second: self.made, self.second - 1: self.made_before}.get(second, 1)

    def made_in(self, second: int) -> int:
        """Requests of a second as far as they are kept."""
        return {self.second: self.made, self.second - 1: self.made_before}.get(second, 0)

    def seen_at(self, session: Session) -> Millis | None:
        """Time of the latest request about a session; None before the first."""
        found = self.latest_of(session)
        return found.at if found is not None else None

    def latest_of(self, session: Session) -> Latest | None:
        """The latest request about a session; None before the first."""
        found = self.latest.get(session.order.mode)
        return found if found is not None and found.session_id == session.session_id else None


def counted(before: TeamRequests | None, second: int) -> TeamRequests:
    """With one more request in a second. One from before what is kept changes nothing."""
    known = before or TeamRequests()
    if second > known.second:
        return TeamRequests(second, 1, known.made if second == known.second + 1 else 0, known.latest)
    if second == known.second:
        return TeamRequests(second, known.made + 1, known.made_before, known.latest)
    if second == known.second - 1:
        return TeamRequests(known.second, known.made, known.made_before + 1, known.latest)
    return known


def heard_of(before: TeamRequests | None, session: Session, at: Millis, until: Millis) -> TeamRequests:
    """With a request about a session; one that is not later than the latest changes nothing."""
    known = before or TeamRequests()
    seen_at = known.seen_at(session)
    if seen_at is not None and seen_at >= at:
        return known
    latest = {**known.latest, session.order.mode: Latest(session.session_id, at, until)}
    return TeamRequests(known.second, known.made, known.made_before, latest)
