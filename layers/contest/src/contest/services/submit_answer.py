"""An answer comes in: judged, stored, receipted, queued for scoring (R 11.5, 11.6; platform §3, §4)."""

from __future__ import annotations

import base64
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from contest.domain import delivery as way
from contest.domain import receipts
from contest.domain.canonical import canonical, sha256_hex
from contest.domain.delivery import Decision, Delivery, Status
from contest.domain.moments import Millis
from contest.domain.people import token_hash
from contest.domain.receipts import Receipt
from contest.domain.rights import Identity
from contest.domain.scoring import Job
from contest.domain.session import PlannedFile, Session
from contest.errors import (
    AnswerTooLargeError,
    BusyError,
    FileNotHandedOutError,
    InvalidAnswerError,
    MalformedJsonError,
    from_reasons,
)
from contest.ports import LostRaceError, Sent
from contest.services import knowledge
from contest.services.access import own_session
from contest.services.platform import ATTEMPTS, Platform
from tracks.protocol import Verdict

MAX_ANSWER: Final = 2 * 1024 * 1024
"""Bytes of an answer (markup-scoring §1); more is refused before it is read."""


@dataclass(frozen=True, slots=True)
class _Incoming:
    """A valid answer under way."""

    file_id: str
    number: int
    content: bytes
    digest: str
    key: str | None
    arrival: Millis
    body_sha256: str


def submit_answer(
    platform: Platform,
    identity: Identity,
    session_id: str,
    number: int,
    body: bytes,
    retry_key: str | None,
    arrival: Millis,
) -> str:
    """Take an answer and return the receipt, the same bytes for every retry.

    Its arrival is noted before anything else is done with it, so that the same bytes sent again after a failure of
    the platform's count as the first ones.

    The receipt is given only after the answer is stored and the transaction that refers to it is written: an
    accepted answer cannot be lost. An invalid one is refused with all reasons and is no send.
    """
    if len(body) > MAX_ANSWER:
        raise AnswerTooLargeError.over(len(body), MAX_ANSWER)
    session = own_session(platform, identity, session_id, arrival)
    planned = knowledge.planned_file(platform, session, number)
    if platform.deliveries.get(session_id, number) is None:
        raise FileNotHandedOutError
    key = token_hash(retry_key) if retry_key else None
    known = _by_key(platform, session, number, key)
    if known is not None:
        return known.body
    raw = sha256_hex(body)
    first = platform.deliveries.arrive(session_id, number, raw, arrival) if session.is_open else arrival
    verdict = _judged(platform, session, planned, body)
    if not verdict.valid:
        _note_refusal(platform, session, number, verdict, raw)
        raise _refusal(verdict)
    content = canonical(verdict.canonical)
    return _take(platform, session, _Incoming(planned.file_id, number, content, sha256_hex(content), key, first, raw))


def _judged(platform: Platform, session: Session, planned: PlannedFile, body: bytes) -> Verdict:
    track = knowledge.track_of(platform, session)
    item = knowledge.content(platform, session, knowledge.item_of(platform, session, planned))
    rules = knowledge.parameters(platform, session.parameters_version)
    return track.validate(item, planned.file_id, track.steps(rules.track)[0].name, body, rules.track)


def _refusal(verdict: Verdict) -> InvalidAnswerError | MalformedJsonError:
    details = from_reasons(verdict.reasons)
    broken = any(reason.code == MalformedJsonError.code for reason in verdict.reasons)
    return MalformedJsonError(details) if broken else InvalidAnswerError(details)


def _note_refusal(platform: Platform, session: Session, number: int, verdict: Verdict, raw: str) -> None:
    """Keep the evidence that something else than an answer came, while the session is open."""
    code = verdict.reasons[0].code
    for _ in range(ATTEMPTS):
        before = platform.deliveries.get(session.session_id, number)
        if not session.is_open or before is None:
            return
        with suppress(LostRaceError):
            platform.deliveries.refuse(session.session_id, before, way.refuse(before, code), raw)
            return
        session = knowledge.session(platform, session.session_id) or session
    raise BusyError


def _take(platform: Platform, session: Session, incoming: _Incoming) -> str:
    rules = knowledge.parameters(platform, session.parameters_version)
    for _ in range(ATTEMPTS):
        before = platform.deliveries.get(session.session_id, incoming.number)
        if before is None:
            raise FileNotHandedOutError
        decision = way.accept(
            before,
            incoming.digest,
            incoming.arrival,
            sends_per_file=rules.sends_per_file,
            session_open=session.is_open,
            keyed=incoming.key is not None,
        )
        try:
            return _settle(platform, session, incoming, before, decision)
        except LostRaceError:
            known = _by_key(platform, session, incoming.number, incoming.key)
            if known is not None:
                return known.body
            session = knowledge.session(platform, session.session_id) or session
    raise BusyError


def _settle(platform: Platform, session: Session, incoming: _Incoming, before: Delivery, decision: Decision) -> str:
    """Write what was decided, or find what was written before."""
    known = _written(platform, session, incoming, decision)
    if known is not None:
        return known.body
    receipt = _receipt(platform, session, incoming, decision)
    if decision.status is Status.IGNORED:
        platform.deliveries.ignore(session.session_id, receipt, incoming.key)
        return receipt.body
    name = knowledge.answer_name(session.session_id, incoming.number, incoming.digest)
    platform.blobs.put_if_absent(name, incoming.content)
    job = Job(session.session_id, incoming.number, incoming.digest)
    scored = job if decision.status is Status.ACCEPTED else None
    after, at = decision.after, incoming.arrival
    platform.deliveries.send(
        Sent(session, before, after, receipt, incoming.key, scored, at, body_sha256=incoming.body_sha256)
    )
    return receipt.body


def _written(platform: Platform, session: Session, incoming: _Incoming, decision: Decision) -> Receipt | None:
    """The receipt that an earlier, equal answer got."""
    if decision.status is Status.REPEAT:
        return platform.deliveries.receipt(session.session_id, incoming.number, decision.send)
    if decision.status is Status.IGNORED:
        return platform.deliveries.ignored(session.session_id, incoming.number, incoming.digest)
    return None


def _by_key(platform: Platform, session: Session, number: int, key: str | None) -> Receipt | None:
    return platform.deliveries.receipt_by_key(session.session_id, number, key) if key else None


def _receipt(platform: Platform, session: Session, incoming: _Incoming, decision: Decision) -> Receipt:
    promise = receipts.content(
        session,
        receipts.Sending(incoming.file_id, incoming.number, incoming.digest, incoming.arrival),
        decision,
        platform.signer.key_id,
    )
    signature = base64.b64encode(platform.signer.sign(canonical(promise))).decode("ascii")
    body = canonical({"receipt": promise, "signature": signature}).decode("utf-8")
    return Receipt(incoming.number, decision.send, decision.status.value, incoming.digest, body)
