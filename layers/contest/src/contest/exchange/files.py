"""Hand-out of files and acceptance of answers (R 6.4, R-App2, R 11.5, 11.6; platform §3, §4).

The next file is chosen by the items that were read with the request, wherever they decide it. No file of a schedule
leaves before its opening, and every file does that was requested in time (platform §3). The stored schedule decides,
compared with the clock when the request arrives. All reads are done before the opening, so that between the opening and
the file there is one write.

:func:`submit_answer` is the whole path from the body of an answer to its receipt; the functions that it calls stand
below it in the order of their use.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple

from contest import reading, stored_names
from contest.errors import (
    AnswerTooLargeError,
    FileMissedError,
    FileNotHandedOutError,
    InvalidAnswerError,
    KeyReusedError,
    MalformedJsonError,
    NotOpenYetError,
    SessionClosedError,
    WrongStepError,
    from_reasons,
)
from contest.platform import ATTEMPTS, PATIENT_ATTEMPTS, Platform, decide_until_written, signed
from contest.ports import Sent
from contest.refusals import ContestError
from contest.run import under_way
from contest.run.rules import fate
from contest.run.rules import schedule as schedule_rules
from contest.run.rules.run import HOLD
from contest.run.rules.schedule import ArmedBy, Chance, Schedule, Window
from contest.session import following
from contest.session.access import Case, Request, own_session
from contest.session.following import Known, Standing, Work
from contest.session.opening import require_same
from contest.session.rules import delivery as delivery_rules
from contest.session.rules import session as session_rules
from contest.session.rules.delivery import Cause, Decision, Delivery, Heard, Receipt, Status
from contest.session.rules.session import Key, PlannedFile, Session, State, Used
from contest.stored_names import Figure
from contest.values import SECOND, Millis, canonical, iso, iso_or_none, sha256_hex
from markup_core.lazy import dataclass
from tracks.protocol import Verdict


@dataclass(frozen=True, slots=True)
class NextFile:
    """Earliest file not handed out yet; None when no file is left."""

    number: int | None
    session: Session
    closes_at: Millis | None
    """Moment at which a session without remaining files ends by itself; None once it has, or while files remain."""
    opens_at: Millis | None = None
    """Opening of a run's file; None of any other file."""
    schedule: Schedule | None = None


class _Looked(NamedTuple):
    """Files that were read, with their deliveries and first requests as far as they exist."""

    numbers: Container[int]
    deliveries: Mapping[int, Delivery]
    first_requests: Mapping[int, Millis]


class Uncertain(NamedTuple):
    """The read facts do not decide which file is next."""


def preview_next(platform: Platform, case: Case) -> NextFile:
    """Compute the next file without side effects (never closes the session)."""
    session, schedule, known_gone = case.session, case.schedule, case.request.gone
    number = _among_read(case)
    if isinstance(number, Uncertain):
        number = _among_known(case, following.known_of(platform, session, schedule))
    if number is not None:
        return found_next(session, schedule, number)
    # Deadlines that this process has not seen are read.
    if any(number not in known_gone for number in range(1, session.files + 1)):
        deadlines = {
            delivery.number: delivery.answer_by
            for delivery in following.known_of(platform, session, schedule).deliveries
        }
    else:
        deadlines = {number: deadline for number, deadline in known_gone.items() if deadline is not None}
    closes_at = schedule.closes_at(deadlines) if schedule else session_rules.closes_at(deadlines.values())
    return NextFile(None, session, closes_at, schedule=schedule)


def coming_file_first(platform: Platform, case: Case) -> NextFile | Known:
    """Return the earliest file that can be handed out, else the next to open; with none left, all facts of the session.

    Missed and annulled files are passed over.
    """
    session, schedule = case.session, case.schedule
    number = _among_read(case)
    if isinstance(number, int):
        return found_next(session, schedule, number)
    facts = following.known_of(platform, session, schedule)
    number = _among_known(case, facts)
    return facts if number is None else found_next(session, schedule, number)


def found_next(session: Session, schedule: Schedule | None, number: int) -> NextFile:
    """Return a file of a session as its next one."""
    return NextFile(number, session, None, schedule.opens_at(number) if schedule else None, schedule)


def _among_read(case: Case) -> int | Uncertain | None:
    """Find the next file by the facts that were read with the request."""
    read_facts = case.read_facts
    numbers = read_facts.needs.numbers if read_facts.needs.session_id == case.session.session_id else ()
    looked = _Looked(numbers, read_facts.deliveries, read_facts.first_requests)
    return _lowest(case, looked)


def _among_known(case: Case, facts: Known) -> int | None:
    """Find the next file by all facts of a session."""
    deliveries = {delivery.number: delivery for delivery in facts.deliveries}
    looked = _Looked(range(1, case.session.files + 1), deliveries, facts.circumstances.first_requests)
    number = _lowest(case, looked)
    return number if isinstance(number, int) else None


def _lowest(case: Case, looked: _Looked) -> int | Uncertain | None:
    """Find the lowest number that can still come; files that prove to be gone for good are noted."""
    schedule, arrival, known_gone = case.schedule, case.request.arrival, case.request.gone
    for number in schedule_rules.possible_files(case.session.files, schedule, known_gone):
        if number not in looked.numbers:
            return Uncertain()
        delivery = looked.deliveries.get(number)
        if delivery is not None:
            known_gone[number] = delivery.answer_by
            continue
        if schedule is None:
            return number
        marks = (looked.deliveries, looked.first_requests, case.latest)
        chance = schedule_rules.file_chance(arrival, number, schedule, *marks)
        if chance is Chance.OPEN:
            return number
        if chance is Chance.LOST:
            known_gone[number] = None
    return None


@dataclass(frozen=True, slots=True)
class HandedOut:
    """A file with its times; the same at every repetition."""

    planned: PlannedFile
    delivery: Delivery
    content: Any
    window: Window | None = None
    """Time in which a file of a schedule may be requested; None of any other file."""
    standing: Standing | None = None
    """State of a dialogue over the file; None without a dialogue."""


# Clause: R 6.4, R 7.5, platform §3 next, R-App2 §2 algorithmic
def next_file(platform: Platform, request: Request) -> NextFile:
    """Name the next file. In a run in which everything is settled, the request says that no better answer comes, and
    the session ends before its last deadline; without a run it has ended by its last answer.

    Asking once more after that gets the same answer, because the first one may have been lost.
    """
    case = own_session(platform, request)
    session, schedule, arrival = case.session, case.schedule, request.arrival
    if session.state is State.FINISHED:
        return NextFile(None, session, None)
    if session.state is not State.OPEN:
        raise SessionClosedError.in_state(session.state.value)
    first = coming_file_first(platform, case)
    if isinstance(first, NextFile):
        return first
    deadlines = {delivery.number: delivery.answer_by for delivery in first.deliveries}
    if schedule is None:
        is_over = session_rules.is_settled(session, first.deliveries, arrival)
        closes_at = session_rules.closes_at(deadlines.values())
    else:
        is_over = fate.is_settled(first.circumstances, first.deliveries, arrival)
        closes_at = schedule.closes_at(deadlines)
    if is_over:
        return NextFile(
            None, following.end_session(platform, session, State.FINISHED, arrival), None, schedule=schedule
        )
    return NextFile(None, session, closes_at, schedule=schedule)


# Clause: platform §3 by number, platform §3 secrecy, R 7.5, R-App2 §2 algorithmic
def hand_out_file(platform: Platform, request: Request) -> HandedOut:
    """Hand a file out; a repetition returns the same file with the first one's times.

    The time for the answer starts when the platform has done its work, so that a cold start costs nobody anything. Of
    a file that opens by a schedule: :class:`NotOpenYetError` before its opening, unless that is so near that the
    request is held until then; :class:`FileMissedError` when it was not requested in time. It was if its first request
    arrived in time, even where that one failed.
    """
    case, number = own_session(platform, request), request.number or 0
    session, schedule = case.session, case.schedule
    planned = reading.planned_file(platform, session, number, schedule)
    if session.state is not State.OPEN:
        raise SessionClosedError.in_state(session.state.value)
    delivery, window = case.read_facts.deliveries.get(number), schedule.window(number) if schedule else None
    if delivery is None and schedule is not None and window is not None and request.arrival < window.opens_at - HOLD:
        raise _not_yet(platform, schedule, number)
    work = following.work_on(platform, session, planned, case.rules)
    content = work.shown()
    if delivery is None and schedule is not None and window is not None:
        delivery = _release(platform, case, schedule, window, work, number)
    elif delivery is None:

        def fresh(now: Millis) -> Delivery:
            return delivery_rules.hand_out(number, now, now + session.order.time_limit_s * SECOND, work.limit_s)

        promised = (Figure.HAND_OUT_LATENESS, request.arrival)
        delivery = _write(platform, session, number, platform.clock.now(), fresh, promised)
    case.request.gone[number] = delivery.answer_by
    standing = following.dialogue_standing(platform, work, delivery) if work.is_dialogue else None
    return HandedOut(planned, delivery, content, window, standing)


# Clause: R-App2 §2 final, R 7.5, platform §3 arming
def _release(platform: Platform, case: Case, schedule: Schedule, window: Window, work: Work, number: int) -> Delivery:
    """Wait for a file's opening if need be, and hand the file out in that instant."""
    request, session, read_facts = case.request, case.session, case.read_facts
    annulled = schedule.voided_for_all.get(number)
    if annulled is not None:
        raise FileMissedError.because(Cause.ORGANIZER_DECISION, window.request_by, amendment=annulled)
    early = request.arrival < window.opens_at
    if early:
        soon = min(window.opens_at, platform.clock.now() + 1)
        if platform.clock.wait_until(soon) < soon:
            # The clock stands still: no request waits, and no first request is noted.
            raise _not_yet(platform, schedule, number)
    marks = (read_facts.deliveries, read_facts.first_requests, case.latest)
    counted = schedule_rules.credited_moment(request.arrival, number, schedule, *marks)
    first_request = platform.deliveries.ask(session.session_id, number, counted)
    if first_request > window.request_by:
        joined_late = session.opened_at > window.request_by
        evidence = (
            {"joined_at": iso(session.opened_at)} if joined_late else {"late_by_ms": first_request - window.request_by}
        )
        raise FileMissedError.because(Cause.TEAM_LATE, window.request_by, **evidence)
    run_id, armed = session.run_id, request.armed
    if run_id is not None and armed.get(number) != window.opens_at:  # this process looks once for every opening
        was_read = (read_facts.needs.run_id, read_facts.needs.release) == (run_id, number)
        before = read_facts.release if was_read else platform.runs.release(run_id, number)
        under_way.arm_file(platform, schedule, number, ArmedBy.REQUEST, before)  # where the timer has not
        platform.memory.put(("armed", run_id), {**armed, number: window.opens_at})
    opened = platform.clock.wait_until(window.opens_at)
    if not schedule.is_open(number, opened):
        raise _not_yet(platform, schedule, number)

    def fresh(now: Millis) -> Delivery:
        handed_out_at = max(now + request.took, first_request)  # the write is the platform's time too
        answer_by = schedule.answer_by(number, first_request, handed_out_at)
        return delivery_rules.hand_out(number, handed_out_at, answer_by, work.limit_s)

    promised = (Figure.OPENING_LATENESS, window.opens_at) if early else (Figure.HAND_OUT_LATENESS, request.arrival)
    return _write(platform, session, number, opened, fresh, promised)


def _write(
    platform: Platform,
    session: Session,
    number: int,
    now: Millis,
    fresh: Callable[[Millis], Delivery],
    promised: tuple[Figure, Millis],
) -> Delivery:
    """Write a delivery made ``now``, or find the one that another request has written meanwhile.

    ``promised``: the moment from which the file is due, and the figure that tells how much later it was handed out.
    """
    lateness, due = promised

    def decide(facts: tuple[Millis, Delivery | None]) -> Delivery:
        moment, theirs = facts
        if theirs is not None:
            return theirs
        delivery = fresh(moment)
        platform.deliveries.hand_out(session.session_id, delivery)
        platform.figures.note({lateness: max(0, delivery.handed_out_at - due)})
        return delivery

    def read_again() -> tuple[Millis, Delivery | None]:
        latest = reading.session_again(platform, session)
        if not latest.is_open:
            raise SessionClosedError.in_state(latest.state.value)
        theirs = platform.deliveries.get(session.session_id, number)
        return platform.clock.now(), theirs

    first: tuple[Millis, Delivery | None] = (now, None)
    return decide_until_written(first, decide, read_again, lambda _: PATIENT_ATTEMPTS)


def _not_yet(platform: Platform, schedule: Schedule, number: int) -> NotOpenYetError:
    """Return the refusal of a file that has not opened, with the known facts of its opening."""
    now = platform.clock.now()
    state, paused_until = schedule.standing_at(now)
    return NotOpenYetError.at(
        schedule.opens_at(number), now, number=number, run_state=state.value, paused_until=iso_or_none(paused_until)
    )


MAX_ANSWER: Final = 2 * 1024 * 1024
"""Bytes of an answer (markup-scoring §1); more is refused before it is read."""
MOST_WARNINGS: Final = 20
"""Maximum remarks on an answer that are returned and stored: the first few of a kind suffice for mending."""
_FIGURES: Final[Mapping[Status, Figure]] = {
    Status.ACCEPTED: Figure.ANSWERS_ACCEPTED,
    Status.LATE: Figure.ANSWERS_LATE,
    Status.IGNORED: Figure.ANSWERS_REFUSED,
}


@dataclass(frozen=True, slots=True)
class _Incoming:
    """A valid answer before it is stored."""

    work: Work
    number: int
    content: bytes
    heard: Heard
    key: Key | None
    sends_per_file: int
    noted: bool = False
    """True if this request has noted the answer's arrival."""


class Taken(NamedTuple):
    """An answer with its receipt: the receipt's body, and the next file while the session is open.

    ``standing``: of a file over which there is a dialogue, how it stands after the answer.
    """

    receipt: str
    coming: NextFile | None
    standing: Standing | None = None
    warnings: str = ""
    """Remarks of the track on the answer, as JSON; empty without any."""


class _State(NamedTuple):
    """Facts by which an answer is decided, and the decision."""

    session: Session
    is_open: bool
    delivery: Delivery
    receipt: Receipt | None
    """Receipt of an earlier request with the same key, which leaves nothing to decide; None without one."""
    decision: Decision | None = None


# Clause: R 11.6, platform §3 refused, platform §3 limits, platform §4 stored
def submit_answer(platform: Platform, request: Request, body: bytes) -> Taken:
    """Take an answer and return its receipt, the same bytes for every retry; the next file is computed anew.

    It is judged first, which nobody else has to be asked for. The arrival of a valid one is noted before anything else
    is written, and forgotten with the decision on it, so that the same answer sent again after a failure of the
    platform's counts as the first one, and a decided one never comes in time again.

    The receipt is given only after the answer is stored and the transaction that refers to it is written: an
    accepted answer cannot be lost. An invalid one is refused with all reasons and is no send.
    """
    case, number = own_session(platform, request), request.number or 0
    session, deliveries = case.session, platform.deliveries
    planned = reading.planned_file(platform, session, number, case.schedule)
    delivery = case.read_facts.deliveries.get(number)
    if delivery is None:
        raise FileNotHandedOutError
    work, verdict = _judged(platform, case, planned, delivery, body)
    answer = _incoming(request, case, work, delivery, verdict)
    try:
        state = _state(platform, answer, session, delivery, case.read_facts.used)
    except KeyReusedError:  # counted like a repetition: it was judged
        if session.is_open:
            deliveries.count_repeated(session.session_id, number)
        raise
    noted, state = _noted(platform, answer, state)
    try:
        state, receipt = decide_until_written(
            state,
            lambda latest: (latest, _receipt_body(platform, noted, latest)),
            lambda: _read_again(platform, session, noted),
            lambda latest: ATTEMPTS if latest.delivery.answer is not None else PATIENT_ATTEMPTS,
        )
    except (KeyReusedError, WrongStepError):  # another answer came in this instant; what was owed before is still owed
        if noted.noted and noted.heard.arrival == answer.heard.arrival:
            deliveries.settle(session.session_id, number, answer.heard.content_sha256)
        raise
    standing = None
    if work.is_dialogue:
        latest = deliveries.get(session.session_id, number) or state.delivery
        standing = following.dialogue_standing(platform, work, latest)
    return Taken(receipt, _coming(platform, case, state), standing, answer.heard.warnings)


# Clause: D 6.3, R 11.6
def _judged(
    platform: Platform, case: Case, planned: PlannedFile, delivery: Delivery, body: bytes
) -> tuple[Work, Verdict]:
    """Return the verdict on a valid answer. An invalid one is refused with all reasons, and counted as evidence while
    the session is open."""
    refusal: ContestError
    if len(body) > MAX_ANSWER:
        code, refusal = AnswerTooLargeError.code, AnswerTooLargeError.over(len(body), MAX_ANSWER)
    else:
        work = following.work_on(platform, case.session, planned, case.rules)
        verdict = work.judge(delivery.turns, body)
        if not verdict.reasons:
            return work, verdict
        code, details = verdict.reasons[0].code, from_reasons(verdict.reasons)
        is_broken = any(reason.code == MalformedJsonError.code for reason in verdict.reasons)
        refusal = MalformedJsonError(details) if is_broken else InvalidAnswerError(details)
    if case.session.is_open:
        platform.deliveries.count_refused(case.session.session_id, delivery.number, code)
    platform.figures.note({Figure.ANSWERS_REFUSED: 1})
    raise refusal


# Clause: TS T15
def _incoming(request: Request, case: Case, work: Work, delivery: Delivery, verdict: Verdict) -> _Incoming:
    """Return a valid answer with its times, and with the first remarks of its verdict in their stored form."""
    content = canonical(verdict.canonical)
    digest = sha256_hex(content)
    warnings = from_reasons(verdict.warnings[:MOST_WARNINGS]) if verdict.warnings else []
    key = request.key_for("answer", case.session.session_id, delivery.number, digest)
    heard = Heard(
        verdict.kind,
        digest,
        # A file is handed out at the moment when its writing is expected to end, by another clock than the gateway's: a
        # quick answer may seem to have come before.
        arrival=max(request.arrival, delivery.handed_out_at),
        keyed=key is not None,
        begun_at=request.begun or request.arrival,
        warnings=canonical(warnings).decode("utf-8") if warnings else "",
        headers_at=request.arrival if request.headers_at is None else request.headers_at,
        body_at=request.arrival if request.body_at is None else request.body_at,
    )
    return _Incoming(work, delivery.number, content, heard, key, case.rules.sends_per_file)


def _state(platform: Platform, incoming: _Incoming, session: Session, delivery: Delivery, used: Used | None) -> _State:
    """Decide on an answer by the read facts, unless this very answer got its receipt under its key before.

    :class:`KeyReusedError` of another request's key.
    """
    key, receipt = incoming.key, None
    if used is not None and key is not None:
        require_same(used, key)
        receipt = platform.deliveries.receipt_named(session.session_id, used.receipt or "")
    state = _State(session, session.is_open, delivery, receipt)
    return state if receipt is not None else state._replace(decision=_decision(platform, incoming, state))


def _noted(platform: Platform, incoming: _Incoming, state: _State) -> tuple[_Incoming, _State]:
    """Note the arrival of an answer that makes a send; if it came before and was lost, decide by its first arrival."""
    makes_send = state.decision is not None and state.decision.after is not state.delivery
    if not makes_send or not state.is_open:
        return incoming, state
    heard = incoming.heard
    first = platform.deliveries.arrive(state.session.session_id, incoming.number, heard.content_sha256, heard.arrival)
    if first == heard.arrival:
        return replace(incoming, noted=True), state
    heard = replace(heard, arrival=first, begun_at=first, headers_at=None, body_at=None)
    earlier = replace(incoming, heard=heard, noted=True)
    return earlier, state._replace(decision=_decision(platform, earlier, state))


# Clause: platform §4 stored, platform §3 late, platform §3 retry, R 11.5, D 9.11
def _receipt_body(platform: Platform, incoming: _Incoming, state: _State) -> str:
    """Write the decision, or find the one written before; return the receipt's body."""
    session, is_open, delivery, before, decision = state
    deliveries, session_id, number, heard = platform.deliveries, session.session_id, incoming.number, incoming.heard
    digest = heard.content_sha256
    # Evidence of a closed session stays as it is.
    settles = is_open or (
        incoming.noted and not delivery_rules.is_owed(heard.arrival, delivery, fate.aborted_at(session))
    )
    if decision is not None and decision.status is Status.REPEAT:
        before = deliveries.receipt(session_id, number, decision.send)
    elif decision is not None and decision.status is Status.IGNORED:
        before = deliveries.ignored(session_id, number, digest)
    if before is not None:  # the receipt that the same answer has got before
        if incoming.noted and settles:
            deliveries.settle(session_id, number, digest)
        elif is_open:
            deliveries.count_repeated(session_id, number)
        return before.body
    if decision is not None and decision.status is Status.IGNORED:
        receipt = _receipt(platform, state, incoming, decision)
        deliveries.ignore(session, receipt, incoming.key, settles=settles)
        platform.figures.note({_FIGURES[decision.status]: 1})
        if is_open:
            deliveries.count_repeated(session_id, number)
        return receipt.body
    platform.blobs.put_if_absent(stored_names.answer_name(session_id, number, digest), incoming.content)
    decision = _decision(platform, incoming, state)  # the same, now that the answer is stored
    receipt = _receipt(platform, state, incoming, decision)
    is_scored = decision.status is Status.ACCEPTED and incoming.work.is_of_one_answer
    deliveries.send(Sent(session, delivery, decision.after, receipt, incoming.key, is_scored, heard.arrival, settles))
    platform.figures.note({_FIGURES[decision.status]: 1})
    return receipt.body


# Clause: TS T2
def _decision(platform: Platform, incoming: _Incoming, state: _State) -> Decision:
    """Decide on the answer by the facts read; :class:`WrongStepError` where the dialogue's step does not take it."""
    delivery, heard, sends = state.delivery, incoming.heard, incoming.sends_per_file
    work, course = incoming.work, incoming.work.course
    # A decision is no earlier than what it is about, whatever the clocks say.
    now = max(platform.clock.now(), heard.arrival, heard.body_at or 0)
    if not work.is_dialogue:
        return delivery_rules.accept_answer(delivery, heard, now=now, sends_per_file=sends, session_open=state.is_open)
    try:
        return delivery_rules.take_turn(
            delivery, course, heard, now=now, sends_per_file=sends, session_open=state.is_open
        )
    except LookupError:
        step = course.step_of(delivery.turns)
        if state.is_open:
            platform.deliveries.count_refused(state.session.session_id, incoming.number, WrongStepError.code)
        raise WrongStepError.at(step or "", heard.kind, course.takes(step)) from None


# Clause: platform §4 receipts, TS T3
def _receipt(platform: Platform, state: _State, incoming: _Incoming, decision: Decision) -> Receipt:
    """Return the signed receipt of a decision; a turn's has its kind, the step after it and its response."""
    work, heard, key_id = incoming.work, incoming.heard, platform.signer.public_key.key_id
    promise = delivery_rules.receipt_content(state.session, work.planned.file_id, heard, decision, key_id)
    if work.is_dialogue:
        after, response = decision.after, None
        if decision.status is Status.ACCEPTED:
            response = following.last_response(platform, work, after, after.turns)
        response_sha256 = None if response is None else sha256_hex(canonical(response))
        step = work.course.step_of(after.turns)
        promise |= {"kind": heard.kind, "step": step, "response_sha256": response_sha256}
    body = signed(platform, "receipt", promise).decode("utf-8")
    return Receipt(incoming.number, decision.send, decision.status.value, heard.content_sha256, body)


def _read_again(platform: Platform, session: Session, incoming: _Incoming) -> _State:
    """Read everything that a decision is made on again, after a lost race, and decide by it."""
    delivery, key = platform.deliveries.get(session.session_id, incoming.number), incoming.key
    if delivery is None:
        raise FileNotHandedOutError
    used = platform.sessions.used(session.team_id, key.key_sha256) if key is not None else None
    return _state(platform, incoming, reading.session_again(platform, session), delivery, used)


# Clause: platform §3 end
def _coming(platform: Platform, case: Case, state: _State) -> NextFile | None:
    """Return the file that comes after an answer; an answer that completes a session without a schedule ends it.

    In a run it ends nothing: there a better answer may replace it while its time lasts (R 11.5).
    """
    session = state.session
    if state.is_open:
        coming = preview_next(platform, case._replace(session=session))
        if coming.number is not None or coming.schedule is not None:
            return coming
        session = following.by_time(platform, session, platform.clock.now(), seen_at=case.request.arrival)
        if session.is_open:
            return coming
    return NextFile(None, session, None) if session.state is State.FINISHED else None
