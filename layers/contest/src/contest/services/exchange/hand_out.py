"""Files out: which comes next, and the file itself (R 6.4, R-App2)."""

from __future__ import annotations

from contest.domain.run import fate
from contest.domain.session import ending, transitions
from contest.domain.session.delivery import Delivery
from contest.domain.session.dialogue import limited
from contest.domain.session.session import State
from contest.errors import SessionClosedError
from contest.services import reading
from contest.services.exchange import coming_file, handed_out, run_gate
from contest.services.exchange.coming_file import NextFile
from contest.services.exchange.handed_out import HandedOut
from contest.services.platform import Platform
from contest.services.session import closing, dialogues
from contest.services.session.access import own_session
from contest.services.session.request import Request


def next_file(platform: Platform, request: Request) -> NextFile:
    """Name the next file. In a run, where everything is settled, the program says by it that no better answer comes,
    and the session ends before its last deadline; without a run it has ended by its last answer.

    Asking once more after that gets the same answer, because the first one may have been lost.

    Clause: R 6.4, R 7.5, platform §3 next, R-App2 §2 algorithmic
    """
    own = own_session(platform, request)
    session, arrival = own.session, request.arrival
    if session.state is State.FINISHED:
        return NextFile(None, session, None)
    if not session.is_open:
        raise SessionClosedError.in_state(session.state.value)
    found = coming_file.first(platform, own, arrival)
    if isinstance(found, NextFile):
        return found
    schedule, deadlines = found.circumstances.schedule, {each.number: each.answer_by for each in found.deliveries}
    if schedule is None:
        is_over = ending.is_settled(session, found.deliveries, arrival)
        closes_at = ending.closes_at(deadlines.values())
    else:
        is_over = fate.settled(found.circumstances, found.deliveries, arrival)
        closes_at = fate.closes_at(schedule, deadlines)
    if is_over:
        return NextFile(None, closing.end(platform, session, State.FINISHED, arrival), None, schedule=schedule)
    return NextFile(None, session, closes_at, schedule=schedule)


def hand_out_file(platform: Platform, request: Request) -> HandedOut:
    """Hand a file out; a repetition returns the same file with the first one's times.

    The time for the answer starts when the platform has done its work, so that a cold start costs nobody anything.

    Clause: platform §3 by number, R-App2 §2 algorithmic
    """
    own = own_session(platform, request)
    session, number = own.session, request.number or 0
    planned = reading.planned_file(platform, session, number)
    if not session.is_open:
        raise SessionClosedError.in_state(session.state.value)
    schedule = reading.schedule_of(platform, session)
    if schedule is not None:
        return run_gate.hand_out_file(platform, own, schedule, number, request.arrival)
    content = reading.shown(platform, session, planned)
    limit, course = session.order.time_limit_s, dialogues.course_of(platform, session, planned)

    def fresh() -> Delivery:
        return limited(transitions.hand_out(number, platform.clock.now(), limit), course)

    delivery = own.found.deliveries.get(number) or handed_out.write(platform, session, number, fresh)
    return HandedOut(planned, delivery, content, None, dialogues.standing(platform, session, planned, delivery))
