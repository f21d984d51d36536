"""An answer comes in: judged, stored, receipted, queued for scoring (R 11.5, 11.6; platform §3, §4)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from contest import stored_names
from contest.domain.canonical import canonical, sha256_hex
from contest.domain.moments import Millis
from contest.domain.results.scoring import Job
from contest.domain.session import dialogue, receipts, transitions
from contest.domain.session.delivery import Decision, Delivery, Status
from contest.domain.session.dialogue import Course, Heard
from contest.domain.session.receipts import Receipt
from contest.domain.session.requests import Key, Used
from contest.domain.session.session import PlannedFile, Session, State
from contest.errors import (
    AnswerTooLargeError,
    FileNotHandedOutError,
    InvalidAnswerError,
    KeyReusedError,
    MalformedJsonError,
    from_reasons,
)
from contest.errors.steps import WrongStepError
from contest.ports import Sent
from contest.refusals import ContestError
from contest.services import reading
from contest.services.exchange import coming_file
from contest.services.exchange.coming_file import NextFile
from contest.services.platform import Platform
from contest.services.races import ATTEMPTS, PATIENT_ATTEMPTS, decide_until_written
from contest.services.session import closing, dialogues, facts
from contest.services.session.access import OwnSession, own_session
from contest.services.session.dialogues import Standing
from contest.services.session.idempotency import key_for, require_same
from contest.services.session.request import Request
from contest.services.signing import signed
from tracks.protocol import Verdict

MAX_ANSWER: Final = 2 * 1024 * 1024
"""Bytes of an answer (markup-scoring §1); more is refused before it is read."""
MOST_WARNINGS: Final = 20
"""So many remarks on an answer are told and kept: a program mends its answers by the first few of a kind."""


@dataclass(frozen=True, slots=True)
class _Incoming:
    """A valid answer under way."""

    planned: PlannedFile
    number: int
    content: bytes
    digest: str
    kind: str
    key: Key | None
    arrival: Millis
    begun: Millis
    headers_at: Millis | None
    body_at: Millis | None
    noted: bool = False
    """Whether this request has noted its arrival."""
    warnings: str = ""
    """What the track remarked on it, as it is kept."""


class Taken(NamedTuple):
    """An answer that has its receipt: the receipt's body, and which file comes next while the session is open.

    ``standing``: of a file over which there is a dialogue, how it stands after the answer.
    """

    receipt: str
    coming: NextFile | None
    standing: Standing | None = None
    warnings: str = ""
    """What the track remarked on the answer, as JSON; empty for nothing."""


class _State(NamedTuple):
    """What a decision about an answer is made on. ``receipt``: that of a request with the same key."""

    session: Session
    delivery: Delivery
    course: Course
    receipt: Receipt | None = None


def submit_answer(platform: Platform, request: Request, body: bytes) -> Taken:
    """Take an answer; its receipt has the same bytes for every retry, what comes next is told anew.

    It is judged first, which nobody else has to be asked for. The arrival of a valid one is noted before anything else
    is written, and forgotten with the decision on it, so that the same answer sent again after a failure of the
    platform's counts as the first one, and a decided one never comes in time again.

    The receipt is given only after the answer is stored and the transaction that refers to it is written: an
    accepted answer cannot be lost. An invalid one is refused with all reasons and is no send.

    Clause: R 11.6, platform §3 refused, platform §3 limits, platform §4 stored
    """
    own = own_session(platform, request)
    planned = reading.planned_file(platform, own.session, request.number or 0)
    known, receipt, warnings = _answered(platform, request, own, planned, body)
    session, standing = known.session, None
    if known.course.is_dialogue:
        delivery = platform.deliveries.get(session.session_id, known.delivery.number) or known.delivery
        standing = dialogues.standing(platform, session, planned, delivery)
    return Taken(receipt, _coming(platform, OwnSession(session, own.found), request.arrival), standing, warnings)


def _coming(platform: Platform, own: OwnSession, arrival: Millis) -> NextFile | None:
    """Which file comes after an answer; the answer that leaves nothing to do ends a session without a schedule.

    In a run it ends nothing: there a better answer may replace it while its time lasts (R 11.5).

    Clause: platform §3 end
    """
    session = own.session
    if session.is_open:
        coming = coming_file.announced(platform, own, arrival)
        if coming.number is not None or coming.schedule is not None:
            return coming
        session = closing.by_time(platform, session, platform.clock.now(), seen_at=arrival)
        if session.is_open:
            return coming
    return NextFile(None, session, None) if session.state is State.FINISHED else None


def _answered(
    platform: Platform, request: Request, own: OwnSession, planned: PlannedFile, body: bytes
) -> tuple[_State, str, str]:
    """What was known when it was decided, the receipt, and what the track remarked on the answer.

    Clause: TS T15
    """
    session, number = own.session, request.number or 0
    delivery = own.found.deliveries.get(number)
    if delivery is None:
        raise FileNotHandedOutError
    course = dialogues.course_of(platform, session, planned)
    verdict = _judged(platform, session, planned, delivery, course, body)
    content = canonical(verdict.canonical)
    digest = sha256_hex(content)
    key = key_for(request, "answer", session.session_id, number, digest)
    try:
        known = _State(session, delivery, course, _by_key(platform, session, own.found.used, key))
    except KeyReusedError:  # it has been judged, like a repetition
        if session.is_open:
            platform.deliveries.count_repeated(session.session_id, number)
        raise
    # A file is handed out at the moment when its writing is expected to end, by another clock than the gateway's: a
    # quick answer may seem to have come before.
    arrival = max(request.arrival, delivery.handed_out_at)
    begun = request.begun or request.arrival
    warnings = _kept_warnings(verdict)
    incoming = _Incoming(
        planned,
        number,
        content,
        digest,
        verdict.kind,
        key,
        arrival,
        begun,
        headers_at=request.arrival if request.headers_at is None else request.headers_at,
        body_at=request.arrival if request.body_at is None else request.body_at,
        warnings=warnings,
    )
    incoming = _noted(platform, incoming, known)
    try:
        return decide_until_written(
            known,
            lambda latest: (latest, _taken(platform, incoming, latest), warnings),
            lambda: _state(platform, session, course, incoming),
            lambda latest: ATTEMPTS if latest.delivery.answer is not None else PATIENT_ATTEMPTS,
        )
    except (KeyReusedError, WrongStepError):  # another answer came in this instant; what was owed before is still owed
        if incoming.noted and incoming.arrival == arrival:
            platform.deliveries.settle(session.session_id, number, digest)
        raise


def _noted(platform: Platform, incoming: _Incoming, known: _State) -> _Incoming:
    """Note the arrival of an answer that makes a send; with its first arrival, if it came before and was lost."""
    session_id, number = known.session.session_id, incoming.number
    decided = known.receipt is not None or _decision(platform, incoming, known).after is known.delivery
    if decided or not known.session.is_open:
        return incoming
    first = platform.deliveries.arrive(session_id, number, incoming.digest, incoming.arrival)
    if first == incoming.arrival:
        return replace(incoming, noted=True)
    return replace(incoming, arrival=first, begun=first, headers_at=None, body_at=None, noted=True)


def _judged(
    platform: Platform, session: Session, planned: PlannedFile, delivery: Delivery, course: Course, body: bytes
) -> Verdict:
    """The verdict on a valid answer. What is none is refused, and counted as evidence while the session is open.

    Clause: D 6.3, R 11.6
    """
    refusal: ContestError
    if len(body) > MAX_ANSWER:
        code, refusal = AnswerTooLargeError.code, AnswerTooLargeError.over(len(body), MAX_ANSWER)
    else:
        verdict = dialogues.judge(platform, session, planned, delivery, course, body)
        if verdict.valid:
            return verdict
        code, refusal = verdict.reasons[0].code, _refusal(verdict)
    _count_refused(platform, session, delivery.number, code)
    raise refusal


def _kept_warnings(verdict: Verdict) -> str:
    """The first remarks of a verdict as they are kept with its answer; empty without any.

    Clause: TS T15
    """
    told = from_reasons(verdict.warnings[:MOST_WARNINGS])
    return canonical(told).decode("utf-8") if told else ""


def _count_refused(platform: Platform, session: Session, number: int, code: str) -> None:
    if session.is_open:
        platform.deliveries.count_refused(session.session_id, number, code)


def _refusal(verdict: Verdict) -> InvalidAnswerError | MalformedJsonError:
    details = from_reasons(verdict.reasons)
    broken = any(reason.code == MalformedJsonError.code for reason in verdict.reasons)
    return MalformedJsonError(details) if broken else InvalidAnswerError(details)


def _state(platform: Platform, session: Session, course: Course, incoming: _Incoming) -> _State:
    """Everything that a decision is made on, read again."""
    delivery = platform.deliveries.get(session.session_id, incoming.number)
    if delivery is None:
        raise FileNotHandedOutError
    key = incoming.key
    used = platform.sessions.used(session.team_id, key.key_sha256) if key is not None else None
    return _State(reading.session_again(platform, session), delivery, course, _by_key(platform, session, used, key))


def _taken(platform: Platform, incoming: _Incoming, known: _State) -> str:
    """Decide on what is known, write what was decided, or find what was written before; the receipt's body.

    Clause: platform §4 stored, platform §3 late, D 9.11
    """
    session, delivery, course, receipt = known
    owed = transitions.is_owed(incoming.arrival, delivery, facts.aborted_at(session))
    settles = session.is_open or (incoming.noted and not owed)  # evidence of a closed session stays as it is
    if receipt is not None:
        return _given(platform, session, incoming, receipt, settles=settles)
    decision = _decision(platform, incoming, known)
    before = _written(platform, session, incoming, decision)
    if before is not None:
        return _given(platform, session, incoming, before, settles=settles)
    if decision.status is not Status.IGNORED:
        name = stored_names.answer_name(session.session_id, incoming.number, incoming.digest)
        platform.blobs.put_if_absent(name, incoming.content)
        decision = _decision(platform, incoming, known)  # the same, now that the answer is stored
    receipt = _receipt(platform, known, incoming, decision)
    if decision.status is Status.IGNORED:
        platform.deliveries.ignore(session, receipt, incoming.key, settles=settles)
        if session.is_open:
            platform.deliveries.count_repeated(session.session_id, incoming.number)
        return receipt.body
    job = Job(session.session_id, incoming.number, incoming.digest)
    scored = job if decision.status is Status.ACCEPTED and course.is_of_one_answer else None
    sent = Sent(session, delivery, decision.after, receipt, incoming.key, scored, incoming.arrival, settles)
    platform.deliveries.send(sent)
    return receipt.body


def _given(platform: Platform, session: Session, incoming: _Incoming, before: Receipt, *, settles: bool) -> str:
    """The body of a receipt that the same answer has got before."""
    if incoming.noted and settles:
        platform.deliveries.settle(session.session_id, incoming.number, incoming.digest)
    elif session.is_open:
        platform.deliveries.count_repeated(session.session_id, incoming.number)
    return before.body


def _decision(platform: Platform, incoming: _Incoming, known: _State) -> Decision:
    """What becomes of the answer by what is known; :class:`WrongStepError` where the dialogue's step does not take it.

    Clause: TS T2
    """
    session, sends = known.session, reading.parameters(platform, known.session.parameters_version).sends_per_file
    if known.course.is_dialogue:
        return _turn(platform, incoming, known, sends)
    decision = transitions.accept(
        known.delivery,
        incoming.digest,
        incoming.arrival,
        now=_now(platform, incoming),
        sends_per_file=sends,
        session_open=session.is_open,
        keyed=incoming.key is not None,
    )
    answer = decision.after.answer
    if decision.status is not Status.ACCEPTED or answer is None:
        return decision
    counting = replace(
        answer,
        begun_at=incoming.begun,
        kind=incoming.kind,
        warnings=incoming.warnings,
        headers_at=incoming.headers_at,
        body_at=incoming.body_at,
    )
    return replace(decision, after=replace(decision.after, answer=counting))


def _now(platform: Platform, incoming: _Incoming) -> Millis:
    """Return the moment of a decision, which is no earlier than what it is about, whatever the clocks say."""
    return max(platform.clock.now(), incoming.arrival, incoming.body_at or 0)


def _turn(platform: Platform, incoming: _Incoming, known: _State, sends: int) -> Decision:
    heard = Heard(
        incoming.kind,
        incoming.digest,
        incoming.arrival,
        incoming.key is not None,
        incoming.warnings,
        incoming.headers_at,
        incoming.body_at,
    )
    is_open, now = known.session.is_open, _now(platform, incoming)
    try:
        return dialogue.take(known.delivery, known.course, heard, now=now, sends_per_file=sends, session_open=is_open)
    except LookupError:
        step = known.course.step_of(known.delivery.turns)
        _count_refused(platform, known.session, incoming.number, WrongStepError.code)
        raise WrongStepError.at(step or "", incoming.kind, known.course.takes(step)) from None


def _written(platform: Platform, session: Session, incoming: _Incoming, decision: Decision) -> Receipt | None:
    """The receipt that an earlier, equal answer got.

    Clause: R 11.5, platform §3 retry
    """
    if decision.status is Status.REPEAT:
        return platform.deliveries.receipt(session.session_id, incoming.number, decision.send)
    if decision.status is Status.IGNORED:
        return platform.deliveries.ignored(session.session_id, incoming.number, incoming.digest)
    return None


def _by_key(platform: Platform, session: Session, used: Used | None, key: Key | None) -> Receipt | None:
    """The receipt that this very answer got under its key before; :class:`KeyReusedError` of another request's key."""
    if used is None or key is None:
        return None
    require_same(used, key)
    return platform.deliveries.receipt_named(session.session_id, used.receipt or "")


def _receipt(platform: Platform, known: _State, incoming: _Incoming, decision: Decision) -> Receipt:
    """Clause: platform §4 receipts, TS T3"""
    promise = receipts.content(
        known.session,
        receipts.Sending(
            incoming.planned.file_id,
            incoming.number,
            incoming.digest,
            incoming.arrival,
            decision.at,
            incoming.headers_at,
            incoming.body_at,
        ),
        decision,
        platform.signer.key_id,
    )
    if known.course.is_dialogue:
        promise |= _of_turn(platform, known, incoming, decision)
    body = signed(platform, "receipt", promise).decode("utf-8")
    return Receipt(incoming.number, decision.send, decision.status.value, incoming.digest, body)


def _of_turn(platform: Platform, known: _State, incoming: _Incoming, decision: Decision) -> dict[str, Any]:
    """What a receipt promises of a turn: its kind, the step after it, and what it brings back by its SHA-256."""
    turns = decision.after.turns
    found = None
    if decision.status is Status.ACCEPTED:
        found = dialogues.response(platform, known.session, incoming.planned, decision.after, turns)
    digest = None if found is None else sha256_hex(canonical(found))
    return {"kind": incoming.kind, "step": known.course.step_of(turns), "response_sha256": digest}
