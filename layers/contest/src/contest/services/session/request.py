"""A participant's request: who asks for what, and what was read for it, once."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple, cast

from contest.domain.cycle.cycle import Cycle, Parameters
from contest.domain.moments import Millis
from contest.domain.people.rights import Identity
from contest.domain.people.teams import token_hash
from contest.domain.run import coming, lag
from contest.domain.session.session import SESSION_ID, Session
from contest.ports.requests import Found, Wanted
from contest.services import reading
from contest.services.platform import Platform

_LAST_NUMBER = 9_999
"""A file's number has at most four digits; what a session has no file of is said where its plan is known."""
_SEEN_SIZE = 40_000
"""Bytes in memory of a long session and of what is gone of it, about."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request of a participant, over HTTP or the event channel."""

    identity: Identity
    arrival: Millis
    """When it counts as arrived."""
    session_id: str = ""
    number: int | None = None
    """The file it is about."""
    key: str | None = None
    """Its ``Idempotency-Key``."""
    found: Found | None = None
    """What was read when it was let in."""
    read_at: Millis = 0
    """When that had been read."""
    rules: Parameters | None = None
    """The cycle's parameters by which it was let in."""
    begun: Millis = 0
    """From when it was the platform's to work on: its arrival, or when its body was there."""
    headers_at: Millis | None = None
    """When its headers reached the gateway; None of what has no body that could come later."""
    body_at: Millis | None = None
    """When the platform had its body as a whole."""
    took: Millis = 0
    """How long reading it took: what one more call is going to take, as far as anybody can know before."""
    leaves: bool = False
    """Whether it is noted when it is done, because it was let in whatever the rate is."""

    @property
    def key_sha256(self) -> str | None:
        """By which the key is stored."""
        return token_hash(self.key) if self.key else None


class _Seen(NamedTuple):
    """What a process remembers of a session."""

    session: Session
    """As it was read first: which run and which rhythm it has never changes."""
    gone: dict[int, Millis | None]


def read(platform: Platform, request: Request, moment: Millis) -> tuple[Found, Cycle | None]:
    """Read what the request needs of its session, from ``moment`` (now) on and in one call.

    Return it with the cycle as it was at most a minute ago, None before there is one. Which run, and which files may
    come next, is known by what this process has seen of the session before; what other requests need too is remembered.
    """
    cycle = reading.remembered_cycle(platform, moment)
    seen = _seen(platform, request.session_id)
    found = platform.session_reads.read(_wanted(platform, request, moment, seen, reads_cycle=cycle is None))
    if found.session is not None and seen is None:
        platform.memory.put(("seen", request.session_id), _Seen(found.session, {}), _SEEN_SIZE)
    if found.run is not None:
        reading.remember_run(platform, found.run, moment)
    if found.cycle is not None:
        reading.remember_cycle(platform, found.cycle, moment)
    return found, found.cycle or cycle


def gone(platform: Platform, session_id: str) -> dict[int, Millis | None]:
    """Return files that this process knows to be gone for good, with the deadline of those that were handed out.

    What is noted in it is remembered as long as the session is.
    """
    seen = _seen(platform, session_id)
    return {} if seen is None else seen.gone


def _seen(platform: Platform, session_id: str) -> _Seen | None:
    return cast(_Seen | None, platform.memory.known(("seen", session_id)))


def _wanted(platform: Platform, request: Request, moment: Millis, seen: _Seen | None, *, reads_cycle: bool) -> Wanted:
    team_id = request.identity.team_id
    if not SESSION_ID.fullmatch(request.session_id):
        return Wanted(team_id, key_sha256=request.key_sha256, cycle=reads_cycle)
    session = seen.session if seen else None
    run_id = session.run_id if session else None
    schedule, is_believed = None, False
    if run_id is not None:
        schedule, is_believed = reading.last_schedule(platform, run_id, moment)
    elif session is not None:
        schedule = reading.own_schedule(platform, session)
    number = request.number if request.number is not None and 1 <= request.number <= _LAST_NUMBER else 0
    numbers = [number] if number else []
    if seen is not None:
        # These may come next as far as this process knows; what it reads is looked at with what holds then.
        numbers += islice(coming.possible(seen.session.files, schedule, seen.gone), coming.LOOKED_AT)
    # A session that this process has not seen may be of a run, which owes what it took.
    in_run = session is None or run_id is not None or session.order.interval_s is not None
    before = lag.looked_back(min(numbers)) if numbers and in_run else ()
    return Wanted(
        team_id=team_id,
        session_id=request.session_id,
        numbers=frozenset([*numbers, *before]),
        asked=in_run,
        key_sha256=request.key_sha256,
        run_id=run_id,
        reads_run=run_id is not None and not is_believed,
        release=number,
        cycle=reads_cycle,
    )
