"""Checks of receipts: signature, stored bytes, deadline, and the answer that counts."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Final, Protocol

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256

from markup_core.receipt import canonical_bytes
from shadow.calendar import Calendar
from shadow.cells import Cell, compared
from shadow.evidence import Evidence, Trace, decoded
from shadow.source import Item, Json, Millis, Source, digest_of_bytes, document

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


def keys_name(run_id: str) -> str:
    """Return the name of the object with the public keys of a run's receipts."""
    return f"runs/{run_id}/keys.json"


def keys_of(source: Source, run_id: str) -> Keys:
    """Return the public keys stored with the run; none if the earlier commitment is not signed by one of them."""
    stored = document(source, keys_name(run_id))
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
