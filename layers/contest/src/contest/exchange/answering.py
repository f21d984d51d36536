"""Acceptance of an answer: judged, stored, receipted, queued for scoring (R 11.5, 11.6; platform §3, §4).

:func:`submit_answer` is the whole path from the body to the receipt; the functions that it calls stand below it in the
order of their use.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final, NamedTuple

from contest import reading, stored_names
from contest.errors import (
    AnswerTooLargeError,
    FileNotHandedOutError,
    InvalidAnswerError,
    KeyReusedError,
    MalformedJsonError,
    from_reasons,
)
from contest.exchange import handing_out
from contest.exchange.handing_out import NextFile
from contest.figures import Figure
from contest.platform import ATTEMPTS, PATIENT_ATTEMPTS, Platform, decide_until_written, signed
from contest.ports import Sent
from contest.refusals import ContestError
from contest.session import following
from contest.session.access import Case, Request, own_session
from contest.session.errors import WrongStepError
from contest.session.following import Standing, Work
from contest.session.opening import require_same
from contest.session.rules import delivery as delivery_rules
from contest.session.rules.delivery import Decision, Delivery, Heard, Receipt, Status
from contest.session.rules.session import Key, PlannedFile, Session, State, Used
from contest.values import canonical, sha256_hex
from markup_core.lazy import dataclass
from tracks.protocol import Verdict

MAX_ANSWER: Final = 2 * 1024 * 1024
"""Bytes of an answer (markup-scoring §1); more is refused before it is read."""
MOST_WARNINGS: Final = 20
"""So many remarks on an answer are told and kept: a program mends its answers by the first few of a kind."""
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
    """Whether this request has noted its arrival."""


class Taken(NamedTuple):
    """An answer with its receipt: the receipt's body, and the next file while the session is open.

    ``standing``: of a file over which there is a dialogue, how it stands after the answer.
    """

    receipt: str
    coming: NextFile | None
    standing: Standing | None = None
    warnings: str = ""
    """What the track remarked on the answer, as JSON; empty for nothing."""


class _State(NamedTuple):
    """The facts by which an answer is decided, and the decision."""

    session: Session
    is_open: bool
    delivery: Delivery
    receipt: Receipt | None
    """That of a request with the same key: then there is nothing to decide."""
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
    except KeyReusedError:  # it has been judged, like a repetition
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
        standing = following.standing(platform, work, latest)
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
    """Return a valid answer with its times, and with the first remarks of its verdict as they are kept."""
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
        incoming.noted and not delivery_rules.is_owed(heard.arrival, delivery, following.aborted_at(session))
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
    """Decide on the answer by the known facts; :class:`WrongStepError` where the dialogue's step does not take it."""
    delivery, heard, sends = state.delivery, incoming.heard, incoming.sends_per_file
    work, course = incoming.work, incoming.work.course
    # A decision is no earlier than what it is about, whatever the clocks say.
    now = max(platform.clock.now(), heard.arrival, heard.body_at or 0)
    if not work.is_dialogue:
        return delivery_rules.accept(delivery, heard, now=now, sends_per_file=sends, session_open=state.is_open)
    try:
        return delivery_rules.take(delivery, course, heard, now=now, sends_per_file=sends, session_open=state.is_open)
    except LookupError:
        step = course.step_of(delivery.turns)
        if state.is_open:
            platform.deliveries.count_refused(state.session.session_id, incoming.number, WrongStepError.code)
        raise WrongStepError.at(step or "", heard.kind, course.takes(step)) from None


# Clause: platform §4 receipts, TS T3
def _receipt(platform: Platform, state: _State, incoming: _Incoming, decision: Decision) -> Receipt:
    """Return the signed receipt of a decision; a turn's has its kind, the step after it and its response."""
    work, heard, key_id = incoming.work, incoming.heard, platform.signer.public_key.key_id
    promise = delivery_rules.content(state.session, work.planned.file_id, heard, decision, key_id)
    if work.is_dialogue:
        after, response = decision.after, None
        if decision.status is Status.ACCEPTED:
            response = following.response(platform, work, after, after.turns)
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
        coming = handing_out.announced(platform, case._replace(session=session))
        if coming.number is not None or coming.schedule is not None:
            return coming
        session = following.by_time(platform, session, platform.clock.now(), seen_at=case.request.arrival)
        if session.is_open:
            return coming
    return NextFile(None, session, None) if session.state is State.FINISHED else None
