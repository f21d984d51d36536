"""Files out: which comes next, and the file itself (R 6.4, R-App2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from contest.domain import delivery as way
from contest.domain import session as life
from contest.domain.delivery import Delivery
from contest.domain.moments import Millis
from contest.domain.rights import Identity
from contest.domain.session import Activity, PlannedFile, Session, State
from contest.errors import BusyError, SessionClosedError
from contest.ports import LostRaceError
from contest.services import closing, knowledge
from contest.services.access import own_session
from contest.services.platform import ATTEMPTS, Platform


@dataclass(frozen=True, slots=True)
class NextFile:
    """The earliest file not handed out yet; None when there is none left."""

    number: int | None
    session: Session
    closes_at: Millis | None
    """When a session with nothing left will have ended by itself; None once it has, or while files are left."""


@dataclass(frozen=True, slots=True)
class HandedOut:
    """A file with its times; the same at every repetition."""

    planned: PlannedFile
    delivery: Delivery
    content: Any


def next_file(platform: Platform, identity: Identity, session_id: str, arrival: Millis) -> NextFile:
    """Name the next file. With nothing left and everything settled, this request ends the session.

    Asking once more after that gets the same answer, because the first one may have been lost.
    """
    session = own_session(platform, identity, session_id, arrival)
    if session.state is State.FINISHED:
        return NextFile(None, session, None)
    if not session.is_open:
        raise SessionClosedError.in_state(session.state.value)
    number = platform.deliveries.first_not_handed_out(session_id, session.files)
    if number is not None:
        return NextFile(number, session, None)
    activity = Activity(platform.deliveries.of_session(session_id), arrival)
    state = life.ends_on_request(session, activity, arrival)
    if state is None:
        return NextFile(None, session, life.closes_at(activity))
    return NextFile(None, closing.end(platform, session, state, arrival), None)


def hand_out_file(platform: Platform, identity: Identity, session_id: str, number: int, arrival: Millis) -> HandedOut:
    """Hand a file out; a repetition returns the same file with the first one's times.

    The time for the answer starts when the platform has done its work, so that a cold start costs nobody anything.
    """
    session = own_session(platform, identity, session_id, arrival)
    planned = knowledge.planned_file(platform, session, number)
    content = _shown(platform, session, planned)
    for _ in range(ATTEMPTS):
        if not session.is_open:
            raise SessionClosedError.in_state(session.state.value)
        known = platform.deliveries.get(session_id, number)
        if known is not None:
            return HandedOut(planned, known, content)
        fresh = way.hand_out(number, platform.clock.now(), session.order.time_limit_s)
        try:
            platform.deliveries.hand_out(session_id, fresh)
        except LostRaceError:
            session = platform.sessions.get(session_id) or session
            continue
        return HandedOut(planned, fresh, content)
    raise BusyError


def _shown(platform: Platform, session: Session, planned: PlannedFile) -> Any:
    """What the participant sees of an item: the track decides, nothing else leaks."""
    track = knowledge.track_of(platform, session)
    item = knowledge.content(platform, session, knowledge.item_of(platform, session, planned))
    rules = knowledge.parameters(platform, session.parameters_version)
    return track.hand_out(item, planned.file_id, track.steps(rules.track)[0].name)
