"""Files out: which comes next, and the file itself (R 6.4, R-App2)."""

from __future__ import annotations

from contest.domain import delivery as way
from contest.domain import session as life
from contest.domain.moments import Millis
from contest.domain.rights import Identity
from contest.domain.session import Activity, Session, State
from contest.errors import SessionClosedError
from contest.services import closing, gate, hand_out, knowledge
from contest.services.access import own_session
from contest.services.hand_out import HandedOut, NextFile
from contest.services.platform import Platform


def next_file(platform: Platform, identity: Identity, session_id: str, arrival: Millis) -> NextFile:
    """Name the next file. With nothing left and everything settled, this request ends the session.

    Asking once more after that gets the same answer, because the first one may have been lost.
    """
    session = own_session(platform, identity, session_id, arrival)
    if session.state is State.FINISHED:
        return NextFile(None, session, None)
    if not session.is_open:
        raise SessionClosedError.in_state(session.state.value)
    if session.run_id is not None:
        return gate.next_file(platform, session, session.run_id, arrival)
    return _next_at_once(platform, session, arrival)


def hand_out_file(platform: Platform, identity: Identity, session_id: str, number: int, arrival: Millis) -> HandedOut:
    """Hand a file out; a repetition returns the same file with the first one's times.

    The time for the answer starts when the platform has done its work, so that a cold start costs nobody anything.
    """
    session = own_session(platform, identity, session_id, arrival)
    planned = knowledge.planned_file(platform, session, number)
    if not session.is_open:
        raise SessionClosedError.in_state(session.state.value)
    if session.run_id is not None:
        return gate.hand_out_file(platform, session, session.run_id, number, arrival)
    content = hand_out.shown(platform, session, planned)
    known = platform.deliveries.get(session_id, number)
    limit = session.order.time_limit_s
    delivery = known or hand_out.write(
        platform, session, number, lambda: way.hand_out(number, platform.clock.now(), limit)
    )
    return HandedOut(planned, delivery, content)


def _next_at_once(platform: Platform, session: Session, arrival: Millis) -> NextFile:
    number = platform.deliveries.first_not_handed_out(session.session_id, session.files)
    if number is not None:
        return NextFile(number, session, None)
    activity = Activity(platform.deliveries.of_session(session.session_id), arrival)
    state = life.ends_on_request(session, activity, arrival)
    if state is None:
        return NextFile(None, session, life.closes_at(activity))
    return NextFile(None, closing.end(platform, session, state, arrival), None)
