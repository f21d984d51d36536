"""Check receipts and runs without the platform: signatures, and whether a run was fair (platform §4).

A receipt is signed over the canonical JSON of its ``receipt`` object (:func:`markup_core.receipt.canonical_bytes`). A
run was fair if its published commitment, decisions and record agree with each other.

Nothing is believed but the platform's public keys (``GET /v1/keys``), saved when the team logged in, and this machine's
own journal: the commitment as it was when the session was opened, the files as they came, the receipts of the answers.
A platform that changed its key or a receipt afterwards is found out. The shapes are those of the document "How to check
that a run was fair" (``docs/fairness.md``), which needs no program of ours.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, Protocol, TypeAlias

from markup_core.lazy import dataclass
from markup_core.receipt import canonical_bytes
from pku import run_rows
from pku.answers import Receipt
from pku.config import parse_moment, show_moment
from pku.errors import PkuError
from pku.run_rows import Fault, openings, voided_for_all

Json = Any
_ACCEPTED, _LATE = "accepted", "late"
_FAULTS = {
    "unknown_key": "receipt_unknown_key",
    "bad_signature": "receipt_bad_signature",
    "bad_times": "receipt_bad_times",
}
_HALF: Final = 32
"""Bytes of each of the two numbers of an ES256 signature (RFC 7518 §3.4)."""
FORMAT: Final = 2


class PublicKey(Protocol):
    """A key of the platform."""

    def verify(self, signature: bytes, data: bytes) -> None:
        """Return for a good signature; cryptography's ``InvalidSignature`` for any other."""


Keys: TypeAlias = Mapping[str, PublicKey]


class _Es256PublicKey:
    """A key of P-256, from its uncompressed point."""

    def __init__(self, point: bytes) -> None:
        from cryptography.hazmat.primitives.asymmetric import ec

        self._key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)

    def verify(self, signature: bytes, data: bytes) -> None:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
        from cryptography.hazmat.primitives.hashes import SHA256

        if len(signature) != 2 * _HALF:
            raise InvalidSignature
        r, s = int.from_bytes(signature[:_HALF], "big"), int.from_bytes(signature[_HALF:], "big")
        self._key.verify(encode_dss_signature(r, s), data, ec.ECDSA(SHA256()))


def read_keys(raw: Json) -> dict[str, PublicKey]:
    """Read public keys by their ids from the answer of ``GET /v1/keys``; :class:`PkuError` ``bad_keys`` for others.

    Earlier keys count like the last: what they signed stays signed.
    """
    try:
        listed = raw["keys"] if isinstance(raw, Mapping) else raw
        return {key["key_id"]: _read_key(key) for key in listed}
    except (KeyError, TypeError, ValueError) as error:
        raise PkuError("bad_keys", why=f"{type(error).__name__}: {error}") from None


def _read_key(key: Json) -> PublicKey:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    content, algorithm = base64.b64decode(key["public_key"], validate=True), key.get("algorithm", "Ed25519")
    if algorithm == "Ed25519":
        return Ed25519PublicKey.from_public_bytes(content)
    if algorithm == "ES256":
        return _Es256PublicKey(content)
    raise ValueError(f"algorithm {algorithm!r}")


def receipt_fault(receipt: Receipt, keys: Keys) -> str | None:
    """Return None for a receipt that the platform signed and whose times can be, else the fault's code:
    ``unknown_key``, ``bad_signature`` or ``bad_times``."""
    fault = fault_of(receipt.raw["receipt"], receipt.raw["signature"], keys)
    if fault is not None:
        return fault
    if receipt.decided_at is not None and receipt.decided_at < receipt.received_at:
        return "bad_times"
    return None


def fault_of(receipt: Json, signature: str, keys: Keys) -> str | None:
    """Return None for a statement that the platform signed, else ``unknown_key`` or ``bad_signature``."""
    from cryptography.exceptions import InvalidSignature

    key = keys.get(receipt["key_id"])
    if key is None:
        return "unknown_key"
    try:
        key.verify(base64.b64decode(signature, validate=True), canonical_bytes(receipt))
    except (InvalidSignature, binascii.Error):
        return "bad_signature"
    return None


# Clause: platform §4 receipts
def receipt_differences(
    record: Json, voided: Mapping[int, int], receipts: Sequence[Receipt], keys: Keys
) -> Iterator[Fault]:
    """Yield each difference between the record and receipts, of any teams; ``voided`` are files that count
    for nobody. A receipt of a turn in a dialogue says nothing of the whole file's answer, and is checked alone."""
    sessions = {session["session_id"]: session for session in record["sessions"]}
    last: dict[tuple[str, int], Json] = {}
    sends: dict[tuple[str, int], dict[int, Json]] = defaultdict(dict)
    for receipt in receipts:
        body = receipt.raw["receipt"]
        fault = receipt_fault(receipt, keys)
        if fault is not None:
            yield Fault(_FAULTS[fault], {"number": body["number"], "team": body["team_id"]})
        elif receipt.dialogue is None:
            place = (body["session_id"], body["number"])
            sends[place][int(body["send"])] = body
            if body["status"] != _ACCEPTED:
                continue
            last[place] = max(last.get(place, body), body, key=lambda other: int(other["send"]))
    for session_id in sorted({session_id for session_id, _ in last} - sessions.keys()):
        yield Fault("own_session_missing", {"session_id": session_id})
    for (session_id, number), body in last.items():
        if session_id in sessions:
            yield from _row(sessions[session_id], number, body, voided)
    for place in sends.keys() - last.keys():
        yield from _all_late(sessions.get(place[0]), place[1], sends[place])


def _all_late(session: Json, number: int, sends: Mapping[int, Json]) -> Iterator[Fault]:
    """Yield a fault if the record counts an answer though every send was late; if the first sends are missing, any of
    these may have been in time."""
    if session is None or sends.keys() != set(range(1, len(sends) + 1)) or sends[len(sends)]["status"] != _LATE:
        return
    row = next((file for file in session["files"] if file["number"] == number), None)
    if row is not None and row["answered_at"] is not None:
        yield Fault("receipt_differs", {"team": session["team_id"], "number": number, "field": "answered_at"})


def _row(session: Json, number: int, body: Json, voided: Mapping[int, int]) -> Iterator[Fault]:
    values = {"team": body["team_id"], "number": number}
    if session["team_id"] != body["team_id"]:
        yield Fault("receipt_differs", {**values, "field": "team_id"})
    row = next((file for file in session["files"] if file["number"] == number), None)
    if row is None:
        yield Fault("receipt_differs", {**values, "field": "number"})
        return
    for name, moment in (("answered_at", body["received_at"]), ("decided_at", body.get("decided_at"))):
        if moment is not None and row[name] != moment:
            yield Fault("receipt_differs", {**values, "field": name})
    for name in ("headers_at", "body_at"):
        if name in body and row.get(name) != body[name]:
            yield Fault("receipt_differs", {**values, "field": name})
    if number not in voided and row["state"] != "answered":
        yield Fault("receipt_differs", {**values, "field": "state"})


@dataclass(frozen=True, slots=True)
class LocalData:
    """This machine's own data of the run; None and empty where it took no part or kept nothing."""

    commitment: Json = None
    session_id: str | None = None
    files: Mapping[int, Json] | None = None
    """Files as they were handed out, by number: ``file_id``, ``handed_out_at``, ``content``."""
    received: Mapping[int, str] | None = None
    """Time at which the platform received each counting answer, by its signed receipts."""
    receipts: tuple[Receipt, ...] = ()
    """Receipts of any teams that took part."""
    amendments: Sequence[Json] = ()
    """Signed decisions as they were when the run was last looked at, in their order."""
    roster: Json = None
    """The signed roster as it was when the run was last looked at; None before joining was over."""
    record: str | None = None
    """The record's hash by its statement, where it was seen before."""


@dataclass(frozen=True, slots=True)
class RunVerdict:
    """The faults, none where the run was as promised, and how much was looked at."""

    faults: tuple[Fault, ...]
    signatures: int
    files: int
    sessions: int
    own_files: int
    rulings: int
    later: tuple[Json, ...]
    """Rulings from after the record, which change results and no row of it."""
    slow: tuple[Json, ...] = ()
    """Answers that were there as a whole more than a second after their headers: no fault, and to be seen."""


def verify(run: Json, answer: Json, keys: Keys, local_data: LocalData) -> RunVerdict:
    """Check a run by the answers of ``/v1/runs/{run_id}`` and ``…/record``.

    :class:`PkuError` ``bad_record`` for what has not their form, in a version that is not known included.
    """
    try:
        record, statement = answer["record"], answer["statement"]
        if (record["format"], statement["format"]) != (FORMAT, FORMAT):
            raise PkuError("bad_record", why=f"ValueError: formats {(record['format'], statement['format'])}")
        first, last = (
            _Statement(signed["statement"], signed["signature"]) for signed in (record["commitment"], answer)
        )
        chain = [first, *_statements(record["amendments"]), last]
        decided = run_rows.revealed(chain, record["rulings"])
        afterwards = _statements(run["amendments"][len(record["amendments"]) :])
        later = run["rulings"][len(record["rulings"]) :]
        faults = [
            *_promises(run, answer, local_data),
            *_signatures(chain, keys),
            *_signatures(afterwards, keys),
            *_roster(run, record, chain[0], keys, local_data),
            *_links(chain),
            *_links([chain[-2], *afterwards]),
            *run_rows.seal_differences(chain, record["rulings"]),
            *run_rows.seal_differences(afterwards, later, record["rulings"]),
            *(() if statement["record_sha256"] == _digest(record) else [Fault("record_changed", {})]),
            *_roots(chain, record),
            *_openings(chain, record),
            *_times(record),
            *run_rows.differences(decided, record),
            *run_rows.let_in_otherwise(decided, record),
            *_own(record, local_data),
            *receipt_differences(record, voided_for_all(chain), local_data.receipts, keys),
        ]
        sessions = record["sessions"]
        return RunVerdict(
            tuple(faults),
            signatures=len(chain) + len(afterwards),
            files=len(_rows(record)),
            sessions=len(sessions),
            own_files=len(local_data.files or ()),
            rulings=len(record["rulings"]) + len(later),
            later=tuple(later),
            slow=tuple(run_rows.slow_bodies(record)),
        )
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise PkuError("bad_record", why=f"{type(error).__name__}: {error}") from None


def root_of(rows: Sequence[Json]) -> str:
    """Return the Merkle root over ordered rows: RFC 6962's tree of the rows' canonical JSON. ValueError without any."""
    level = [hashlib.sha256(b"\x00" + canonical_bytes(row)).digest() for row in rows]
    if not level:
        raise ValueError("a tree without leaves")
    while len(level) > 1:
        above = [
            hashlib.sha256(b"\x01" + left_hash + right_hash).digest()
            for left_hash, right_hash in zip(level[::2], level[1::2], strict=False)
        ]
        level = above + level[len(above) * 2 :]
    return level[0].hex()


def _statements(amendments: Sequence[Json]) -> list[Json]:
    return [_Statement(amendment["amendment"], amendment["signature"]) for amendment in amendments]


class _Statement(dict[str, Json]):
    """A statement that remembers its signature."""

    def __init__(self, fields: Mapping[str, Json], signature: str) -> None:
        super().__init__(fields)
        self.signature = signature

    @property
    def name(self) -> str:
        """Return the name under which a fault cites it."""
        return f"{self['amendment']} {self['number']}" if self["kind"] == "amendment" else str(self["kind"])


def _rows(record: Json) -> dict[int, Json]:
    return {row["number"]: row for plan in record["plans"] for row in plan["rows"]}


def _promises(run: Json, answer: Json, local_data: LocalData) -> Iterator[Fault]:
    """Check that earlier statements still stand: as the platform shows them now, and as this machine has kept them."""
    record, statement = answer["record"], answer["statement"]
    if run["commitment"] != record["commitment"]:
        yield Fault("commitment_differs", {})
    if local_data.commitment is not None and local_data.commitment != record["commitment"]:
        yield Fault("commitment_was_other", {})
    amendments = run["amendments"][: len(record["amendments"])]
    opened = run["rulings"][: len(record["rulings"])] or record["rulings"]  # none are shown until the record is there
    if (amendments, opened) != (record["amendments"], record["rulings"]):
        yield Fault("amendments_differ", {})
    if run["amendments"][: len(local_data.amendments)] != list(local_data.amendments):
        yield Fault("amendments_were_other", {})
    if local_data.record not in {None, statement["record_sha256"]}:
        yield Fault("record_was_other", {})


def _roster(run: Json, record: Json, commitment: Json, keys: Keys, local_data: LocalData) -> Iterator[Fault]:
    """Check the roster of teams: signed, after the commitment, and the same for everybody who kept it."""
    statement = _Statement(record["roster"]["statement"], record["roster"]["signature"])
    yield from _signatures([statement], keys)
    if (statement["kind"], statement["run_id"]) != ("roster", commitment["run_id"]):
        yield Fault("roster_differs", {})
    if statement["previous"] != _digest(dict(commitment)):
        yield Fault("broken_chain", {"statement": statement.name})
    if run["roster"] != record["roster"] or local_data.roster not in (None, record["roster"]):
        yield Fault("roster_was_other", {})


def _signatures(chain: Sequence[Json], keys: Keys) -> Iterator[Fault]:
    for statement in chain:
        fault = fault_of(dict(statement), statement.signature, keys)
        if fault is not None:
            named = {"key_id": statement["key_id"]} if fault == "unknown_key" else {}
            yield Fault(fault, {"statement": statement.name, **named})


def _links(chain: Sequence[Json]) -> Iterator[Fault]:
    for before, after in pairwise(chain):
        if after["previous"] != _digest(dict(before)) or after["run_id"] != chain[0]["run_id"]:
            yield Fault("broken_chain", {"statement": after.name})
        if before["kind"] == after["kind"] and not (after["number"] > before["number"] and after["at"] >= before["at"]):
            yield Fault("out_of_order", {"statement": after.name})


def _roots(chain: Sequence[Json], record: Json) -> Iterator[Fault]:
    """Check that the files are those that were committed to before anybody saw one."""
    promised = {0: chain[0]["root"]}
    promised |= {
        statement["number"]: statement["details"]["root"]
        for statement in chain
        if statement.get("amendment") == "replace"
    }
    revealed = {plan["amendment"]: plan["rows"] for plan in record["plans"]}
    undone = {statement["details"]["amendment"] for statement in chain if statement.get("amendment") == "undo"}
    for number, root in promised.items():
        if number not in revealed and number in undone:
            continue  # what was taken back before it opened stays unseen
        if number not in revealed or root_of(revealed[number]) != root:
            yield Fault("files_swapped", {"statement": number})


def _openings(chain: Sequence[Json], record: Json) -> Iterator[Fault]:
    """Check that every file opened when the commitment and the decisions say."""
    moments = {release["number"]: parse_moment(release["opens_at"]) for release in record["releases"]}
    due = openings(chain, sorted(moments))
    for number, moment in moments.items():
        if abs(moment - due[number]) > 0.0005:
            yield Fault(
                "opening_moved", {"number": number, "said": show_moment(moment), "due": show_moment(due[number])}
            )


def _times(record: Json) -> Iterator[Fault]:
    """Check that no file came before it opened, and no answer counts that was late or decided on before it came."""
    opens = {release["number"]: parse_moment(release["opens_at"]) for release in record["releases"]}
    for session in record["sessions"]:
        for file in session["files"]:
            values = {"team": session["team_id"], "number": file["number"]}
            if file["handed_out_at"] and parse_moment(file["handed_out_at"]) < opens.get(file["number"], float("inf")):
                yield Fault("opened_early", values)
            if file["state"] != "answered" or None in (file["answered_at"], file["answer_by"], file["decided_at"]):
                continue
            if file["answered_at"] > file["answer_by"]:
                yield Fault("late_counted", values)
            if file["decided_at"] < file["answered_at"]:
                yield Fault("decided_early", values)


def _own(record: Json, local_data: LocalData) -> Iterator[Fault]:
    """Check this machine's files against the commitment, and its times of hand-out and receipt against the record."""
    if local_data.session_id is None:
        return
    rows = _rows(record)
    sessions = {session["session_id"]: session for session in record["sessions"]}
    if local_data.session_id not in sessions:
        yield Fault("own_session_missing", {"session_id": local_data.session_id})
        return
    own_files = {entry["number"]: entry for entry in sessions[local_data.session_id]["files"]}
    for number, file in (local_data.files or {}).items():
        row = rows.get(number)
        if row is None or row["file_id"] != file["file_id"] or row["content_sha256"] != _digest(file["content"]):
            yield Fault("own_file_differs", {"number": number})
        if number not in own_files or own_files[number]["handed_out_at"] != file["handed_out_at"]:
            yield Fault("own_time_differs", {"number": number})
    for number, moment in (local_data.received or {}).items():
        if number not in own_files or own_files[number]["answered_at"] != moment:
            yield Fault("own_answer_differs", {"number": number})


def _digest(value: Json) -> str:
    return hashlib.sha256(canonical_bytes(value)).hexdigest()
