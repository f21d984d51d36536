"""Receipts and the run's published record anew: signatures, contradictory rows, the roster of admitted teams."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Final, Protocol

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256

from markup_core.receipt import canonical_bytes
from shadow.final import Calendar, FinalRun, fates, sessions_of
from shadow.source import (
    Cell,
    Evidence,
    Item,
    Json,
    Millis,
    Source,
    Trace,
    compared,
    decoded,
    digest,
    digest_of_bytes,
    document,
    read_item,
    unchanged,
)

_KEY_ID_DIGITS: Final = 16
_ES256_BYTES: Final = 64


class PublicKey(Protocol):
    """A key that verifies signatures."""

    def verify(self, signature: bytes, data: bytes) -> None:
        """Return for a good signature; :class:`InvalidSignature` for any other."""


class Es256PublicKey:
    """A key of P-256, from its uncompressed point; a signature is r and s, 32 bytes each (RFC 7518 §3.4)."""

    def __init__(self, point: bytes) -> None:
        self._key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)

    def verify(self, signature: bytes, data: bytes) -> None:
        """Return for a good signature; :class:`InvalidSignature` for any other."""
        if len(signature) != _ES256_BYTES:
            raise InvalidSignature
        r, s = (int.from_bytes(half, "big") for half in (signature[:32], signature[32:]))
        self._key.verify(encode_dss_signature(r, s), data, ec.ECDSA(SHA256()))


_ALGORITHMS: Final[Mapping[str, Callable[[bytes], PublicKey]]] = MappingProxyType(
    {"Ed25519": Ed25519PublicKey.from_public_bytes, "ES256": Es256PublicKey}
)


class Keys:
    """The platform's public keys. One whose name is not its own hash is none.

    Keys are of Ed25519 unless ``algorithms`` says another for their names.
    """

    def __init__(self, encoded_keys: Mapping[str, str], algorithms: Mapping[str, str] = MappingProxyType({})) -> None:
        decoded_keys = {name: base64.b64decode(encoded) for name, encoded in encoded_keys.items()}
        self._keys = {
            name: _ALGORITHMS[algorithms.get(name, "Ed25519")](key_bytes)
            for name, key_bytes in decoded_keys.items()
            if hashlib.sha256(key_bytes).hexdigest()[:_KEY_ID_DIGITS] == name
        }

    def signed(self, statement: Mapping[str, Json], signature: str) -> bool:
        """Check the signature of a statement's canonical bytes with the key that the statement names."""
        key = self._keys.get(str(statement.get("key_id")))
        if key is None:
            return False
        try:
            key.verify(base64.b64decode(signature, validate=True), canonical_bytes(statement))
        except (InvalidSignature, binascii.Error):
            return False
        return True


def keys_of(source: Source, run_id: str) -> Keys:
    """Return the public keys stored with the run; none if the earlier commitment is not signed by one of them."""
    stored = document(source, f"runs/{run_id}/keys.json")
    committed = document(source, f"runs/{run_id}/commitment.json")
    keys = Keys(stored["keys"], stored.get("algorithms", {}))
    return keys if keys.signed(committed["statement"], committed["signature"]) else Keys({})


def answer_name(session_id: str, number: int, content_sha256: str) -> str:
    """Return the name of the object with an answer."""
    return f"answers/{session_id}/{number}/{content_sha256}.json"


def check(source: Source, evidence: Evidence, calendar: Calendar, keys: Keys) -> Iterator[Cell]:
    """Yield everything that is wrong with the receipts of a session and with its deliveries."""
    for number, trace in sorted(evidence.traces.items()):
        for receipt in trace.receipts:
            yield from _receipt(source, evidence.session, number, receipt, keys)
        yield from _counting(number, trace)
        yield from _deadline(calendar, number, trace)


def _receipt(source: Source, session: Item, number: int, receipt: Item, keys: Keys) -> Iterator[Cell]:
    body = json.loads(receipt["body"])
    statement = body["receipt"]
    if not keys.signed(statement, body["signature"]):
        yield Cell("signature", body["signature"], None, number)
    stored = {
        "session_id": session["session_id"],
        "team_id": session["team_id"],
        "number": number,
        "send": int(receipt["send"]),
        "status": receipt["status"],
        "content_sha256": receipt["content_sha256"],
    }
    yield from compared("receipt", stored, {name: statement[name] for name in stored}, number)
    if receipt["status"] == "ignored":
        return
    content = source.read(answer_name(session["session_id"], number, statement["content_sha256"]))
    actual = None if content is None else digest_of_bytes(content)
    yield from compared("answer_bytes", actual, statement["content_sha256"], number)


def _counting(number: int, trace: Trace) -> Iterator[Cell]:
    """Check that the answer which the platform counts is the last one accepted."""
    delivery, accepted = trace.delivery or {}, trace.accepted
    counted = decoded(delivery.get("answer"))
    platform = None if not counted else [int(counted["send"]), counted["content_sha256"]]
    shadow = None if accepted is None else [int(accepted["send"]), accepted["content_sha256"]]
    if platform != shadow:
        yield Cell("answer", platform, shadow, number)


def _deadline(calendar: Calendar, number: int, trace: Trace) -> Iterator[Cell]:
    if trace.delivery is None:
        return
    handed_out_at, answer_by = int(trace.delivery["handed_out_at"]), int(trace.delivery["answer_by"])
    if trace.asked_at is not None:
        yield from compared("answer_by", answer_by, calendar.answer_by(number, trace.asked_at, handed_out_at), number)
    for receipt in trace.receipts:
        if receipt["status"] == "accepted":
            received_at = instant(json.loads(receipt["body"])["receipt"]["received_at"])
            yield from compared("received_in_time", True, received_at <= answer_by, number)


def instant(text: str) -> Millis:
    """Return the milliseconds of a UTC time as the platform writes it: ``2026-09-21T14:13:20.000Z``."""
    return round(datetime.fromisoformat(text).timestamp() * 1000)


_GIVEN_UP: Final[Millis] = 30_000
"""Longest time between a whole body and its decision, as the gateway does."""
_LAST_DECISIONS: Final[Millis] = 120_000
"""Longest time after a session's end in which an answer sent again may be decided."""
_EARLY: Final[Millis] = 2_000
"""Longest time before its opening at which a file may be requested."""
_IN_TURNS: Final = "diagnosis"


def unlike_record(final: FinalRun, evidence: Evidence) -> Iterator[Cell]:
    """Yield the errors of a session in the run's record, under the decisions that the record knows."""
    record = _record(final)
    sessions = [row for row in record["sessions"] if row["session_id"] == evidence.session["session_id"]]
    if len(sessions) != 1:
        yield Cell("record", len(sessions), 1)
        return
    published = [row["amendment"]["number"] for row in record["amendments"]]
    files = {row["number"]: row for row in sessions[0]["files"]}
    for fate in fates(evidence, final.before_record(published)):
        row = files.get(fate.number, {})
        yield from compared("record.state", row.get("state"), fate.state, fate.number)
        yield from compared("record.cause", row.get("cause"), fate.cause, fate.number)
    yield from contradictions(sessions[0], record["releases"], in_turns=final.run["track"] == _IN_TURNS)


def contradictions(session: Mapping[str, Json], releases: Sequence[Json], *, in_turns: bool = False) -> Iterator[Cell]:
    """Yield the moments of a record's session that cannot be together, whatever had happened.

    ``in_turns``: an answer has several turns, of which the row has the slowest body and the last decision.
    """
    releases_of = {release["number"]: release for release in releases}
    opened, closed = instant(session["opened_at"]), _at(session["closed_at"])
    for row in session["files"]:
        for name, moment, bound in _row_contradictions(row, opened, closed, in_turns=in_turns):
            yield Cell(f"record.{name}", moment, bound, row["number"])
        handed, release = _at(row["handed_out_at"]), releases_of.get(row["number"])
        if handed is not None and release is not None:
            armed = _at(release["armed_at"])
            if armed is None or armed - _EARLY > handed or release["armed_by"] not in ("timer", "request"):
                yield Cell("record.armed_at", release["armed_at"], row["handed_out_at"], row["number"])


_Broken = tuple[str, Json, Json]


def _row_contradictions(
    row: Mapping[str, Json], opened: Millis, closed: Millis | None, *, in_turns: bool
) -> Iterator[_Broken]:
    """Yield a moment's name, itself, and the moment that it contradicts."""
    asked_at, handed, due = (_at(row[name]) for name in ("asked_at", "handed_out_at", "answer_by"))
    answered, decided = _at(row["answered_at"]), _at(row["decided_at"])
    headers, body = _at(row.get("headers_at")), _at(row.get("body_at"))
    if handed is not None and (asked_at is None or asked_at > handed):
        yield "handed_out_at", row["handed_out_at"], row["asked_at"]
    if answered is not None and (handed is None or answered < handed):
        yield "answered_at", row["answered_at"], row["handed_out_at"]
    if answered is not None and (due is None or answered > due):
        yield "answered_at", row["answered_at"], row["answer_by"]
    if (answered is None) != (decided is None) or (answered is not None and decided is not None and decided < answered):
        yield "decided_at", row["decided_at"], row["answered_at"]
    if answered is None and not in_turns and (headers is not None or body is not None):
        yield "body_at", row.get("body_at"), None
    if headers is not None and body is not None and body < headers:
        yield "body_at", row["body_at"], row["headers_at"]
    if decided is not None:
        if max(headers or 0, body or 0) > decided:
            yield "decided_at", row["decided_at"], row.get("body_at")
        last = (closed or 0) + _LAST_DECISIONS if body is None or in_turns else body + _GIVEN_UP
        if decided > last:
            yield "decided_at", row["decided_at"], last
    yield from _evidence_contradictions(row, opened, handed)


def _evidence_contradictions(row: Mapping[str, Json], opened: Millis, handed: Millis | None) -> Iterator[_Broken]:
    evidence = row.get("evidence") or {}
    evidence = (evidence.get("automatic") or {}).get("evidence") or evidence
    arrived, away = _at(evidence.get("arrived_at")), _at(evidence.get("disconnected_at"))
    if arrived is not None and handed is not None and arrived < handed:
        yield "evidence.arrived_at", evidence["arrived_at"], row["handed_out_at"]
    if away is not None and away < opened:
        yield "evidence.disconnected_at", evidence["disconnected_at"], opened
    if "pushed" in evidence and row["asked_at"] is not None:
        yield "evidence.pushed", evidence["pushed"], None


def unlike_roster(final: FinalRun) -> Iterator[Cell]:
    """Yield the errors of the roster: it must be the sealed one, and that of the stored sessions.

    Who came later by a decision is not in it. Where nobody took part and no record is stored, nothing is told of
    anybody that could be wrong; a record that lacks stored sessions is missed by theirs.
    """
    joined = sessions_of(final.source, final.run_id)
    if not joined and final.source.read(_record_name(final)) is None:
        return
    record = _record(final)
    sealed = document(final.source, f"runs/{final.run_id}/commitment-roster.json")
    yield from compared("roster", record.get("roster"), sealed)
    statement = sealed["statement"]
    if not keys_of(final.source, final.run_id).signed(statement, sealed["signature"]):
        yield Cell("signature", sealed["signature"], None)
    pairs = sorted(_joined(final, final.source))
    yield from compared("roster.sessions", statement["sessions"], len(pairs))
    yield from compared("roster.sessions_sha256", statement["sessions_sha256"], digest([list(pair) for pair in pairs]))
    stored = sorted(session_id for _, session_id in joined)
    yield from compared("roster.record", sorted(row["session_id"] for row in record["sessions"]), stored)


def _joined(final: FinalRun, source: Source) -> Iterator[tuple[str, str]]:
    """Yield team and session of everybody whose session was opened while joining went on."""
    calendar, limits = final.calendar, final.run["limits"]
    last = min(calendar.opens[0] + limits["join"], max(calendar.opens) + limits["total"])
    for team_id, session_id in sessions_of(source, final.run_id):
        session: Item = read_item(source, "Exchange", f"SESSION#{session_id}", "STATE")
        if int(session["opened_at"]) <= last:
            yield team_id, session_id


def _record(final: FinalRun) -> Json:
    return unchanged(final.source, _record_name(final), document)


def _record_name(final: FinalRun) -> str:
    return f"runs/{final.run_id}/record.json"


def _at(text: str | None) -> Millis | None:
    return None if text is None else instant(text)
