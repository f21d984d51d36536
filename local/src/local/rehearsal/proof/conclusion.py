"""The commitment and the record checked by hand, as their published description says; the checker's own code."""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from local.rehearsal.moments import MINUTE, SECOND, Millis, from_text
from local.rehearsal.proof.oracle import ExpectedTimes
from markup_core.receipt import canonical_bytes, sha256_hex

Json = Any
_SALT_DIGITS = 32
"""Hexadecimal digits of 128 bits, which nobody tries out."""
_IN_ORDER: Final = (
    ("asked_at", "handed_out_at"),
    ("handed_out_at", "answered_at"),
    ("answered_at", "answer_by"),
    ("answered_at", "decided_at"),
    ("headers_at", "body_at"),
    ("headers_at", "decided_at"),
    ("body_at", "decided_at"),
)
"""Pairs moments of a record's row of which the first is never after the second (decision 0033)."""
_NEEDS: Final = (
    ("handed_out_at", "asked_at"),
    ("answered_at", "handed_out_at"),
    ("answered_at", "answer_by"),
    ("answered_at", "decided_at"),
    ("decided_at", "answered_at"),
)
"""Pairs moments of which the first is not there without the second."""
_OF_BODY: Final = (("headers_at", "answered_at"), ("body_at", "answered_at"))
"""Pairs the same where a file has one answer: of a dialogue the row has the slowest body of all its turns."""
_NO_BODY: Final = {"headers_at": None, "body_at": None}
"""Completes a row that does not tell when an answer's headers and body came, as those of the time before."""
_DECIDED_WITHIN: Final[Millis] = 30 * SECOND
"""Bounds how long a request lasts."""
_DECIDED_AFTER_END: Final[Millis] = 2 * MINUTE
"""Bounds how long after a session's end an answer that came again after a failure is decided on."""
_ARMED_AFTER: Final[Millis] = 2 * SECOND
"""Bounds how long after its file's hand-out a release may be written: who asks early is held until the opening."""
_ARMED_BY: Final = frozenset({"timer", "request"})
_IN_TURNS: Final = "diagnosis"


class Keys:
    """The platform's published keys, as ``GET /v1/keys`` answers them."""

    def __init__(self, told: Mapping[str, Json]) -> None:
        self._keys = {each["key_id"]: base64.b64decode(each["public_key"]) for each in told["keys"]}

    def signed(self, said: Mapping[str, Json], signature: str) -> bool:
        """Whether the platform signed the canonical bytes of a statement or receipt that names its key."""
        known = self._keys.get(str(said.get("key_id")))
        if known is None:
            return False
        try:
            content = canonical_bytes(said)
            Ed25519PublicKey.from_public_bytes(known).verify(base64.b64decode(signature, validate=True), content)
        except (InvalidSignature, binascii.Error):
            return False
        return True


def merkle_root(rows: Sequence[Mapping[str, Json]]) -> str:
    """Root of a tree over rows, level by level; a node without a neighbour goes up as it is."""
    level = [hashlib.sha256(b"\x00" + canonical_bytes(row)).digest() for row in rows]
    while len(level) > 1:
        pairs = [level[place : place + 2] for place in range(0, len(level), 2)]
        level = [pair[0] if len(pair) == 1 else hashlib.sha256(b"\x01" + b"".join(pair)).digest() for pair in pairs]
    return level[0].hex() if level else ""


def commitment_faults(run: Mapping[str, Json], record: Mapping[str, Json], keys: Keys) -> Iterator[str]:
    """What is wrong with what was promised before the run and revealed after it."""
    previous = ""
    for said, signature in _chain(run):
        name = f"the statement {said.get('kind')} {said.get('number', '')}".rstrip()
        if not keys.signed(said, signature):
            yield f"{name} has no good signature"
        if previous and said.get("previous") != previous:
            yield f"{name} does not follow the one before it"
        previous = _digest(said)
    rows = leaves_of(record)
    promised = run["commitment"]["statement"]
    if merkle_root(rows) != promised["root"]:
        yield "the revealed rows do not lead to the root that was committed to"
    yield from _schedule_faults(promised, rows)
    yield from _salt_faults([row for plan in record["plans"] for row in plan["rows"]])


def record_faults(
    run: Mapping[str, Json], record: Mapping[str, Json], signed: Mapping[str, Json], keys: Keys
) -> Iterator[str]:
    """What is wrong with the signed statement about a record: the end of the run's chain."""
    said = signed["statement"]
    if not keys.signed(said, signed["signature"]):
        yield "the record has no good signature"
    if said["record_sha256"] != _digest(record):
        yield "the signed record is another one"
    last, _ = list(_chain(run))[-1]
    if said["previous"] != _digest(last):
        yield "the record does not follow the last statement of the run"
    yield from _roster_faults(run, record, keys)
    yield from contradictions(record)


def _roster_faults(run: Mapping[str, Json], record: Mapping[str, Json], keys: Keys) -> Iterator[str]:
    """Yield the faults of the signed roster of teams, which everybody is shown once joining is over."""
    roster = record.get("roster")
    if roster is None or run.get("roster") != roster:
        yield "the record has another roster than everybody is shown"
        return
    statement, commitment = roster["statement"], run["commitment"]["statement"]
    if not keys.signed(statement, roster["signature"]) or statement["run_id"] != commitment["run_id"]:
        yield "the roster has no good signature"
    if statement["previous"] != _digest(commitment):
        yield "the roster does not follow the commitment"
    last = from_text(run["join_until"])
    joined = [each for each in record["sessions"] if from_text(each["opened_at"]) <= last]
    pairs = sorted([each["team_id"], each["session_id"]] for each in joined)
    if (statement["sessions"], statement["sessions_sha256"]) != (len(pairs), sha256_hex(canonical_bytes(pairs))):
        yield f"the roster seals {statement['sessions']} sessions, the record has others: {len(pairs)}"


def contradictions(record: Mapping[str, Json]) -> Iterator[str]:
    """Yield the moments of the record's rows that cannot be together, whatever had happened (decision 0033)."""
    in_turns = record["commitment"]["statement"]["track"] == _IN_TURNS
    releases = {each["number"]: each for each in record["releases"]}
    for session in record["sessions"]:
        for file in session["files"]:
            row = {**_NO_BODY, **file}
            where = f"{session['team_id']}, file {row['number']}"
            for fault in (
                *_disordered(row, in_turns=in_turns),
                *_decided_late(row, session, in_turns=in_turns),
                *_unlikely_evidence(row, session),
                *_unarmed(row, releases.get(row["number"])),
            ):
                yield f"{where}: {fault}"


def _disordered(row: Mapping[str, Json], *, in_turns: bool) -> Iterator[str]:
    """Yield moments before what they follow, and those that are there without what they need."""
    for earlier, later in _IN_ORDER:
        first, second = row[earlier], row[later]
        if first is not None and second is not None and from_text(first) > from_text(second):
            yield f"the record's {earlier} {first} is after its {later} {second}"
    for there, needed in _NEEDS if in_turns else (*_NEEDS, *_OF_BODY):
        if row[there] is not None and row[needed] is None:
            yield f"the record has its {there} and no {needed}"


def _decided_late(row: Mapping[str, Json], session: Mapping[str, Json], *, in_turns: bool) -> Iterator[str]:
    """Yield a decision later than the request that asked for it can have lasted."""
    decided, body = row["decided_at"], row["body_at"]
    if decided is None:
        return
    of_body = body is not None and not in_turns
    since, most = (body, _DECIDED_WITHIN) if of_body else (session["closed_at"], _DECIDED_AFTER_END)
    if since is None or from_text(decided) > from_text(since) + most:
        yield f"the record's decision of {decided} is too long after {since}"


def _unlikely_evidence(row: Mapping[str, Json], session: Mapping[str, Json]) -> Iterator[str]:
    """Yield evidence of a cause that the row itself contradicts."""
    evidence = row["evidence"]
    evidence = (evidence.get("automatic") or {}).get("evidence") or evidence
    for name, since in (("arrived_at", row["handed_out_at"]), ("disconnected_at", session["opened_at"])):
        moment = evidence.get(name)
        if moment is not None and since is not None and from_text(moment) < from_text(since):
            yield f"the record's evidence {name} {moment} is before {since}"
    if "pushed" in evidence and row["asked_at"] is not None:
        yield "the record's evidence speaks of a push, and the file was asked for"


def _unarmed(row: Mapping[str, Json], release: Mapping[str, Json] | None) -> Iterator[str]:
    """Yield a hand-out before its release was written, or by nobody."""
    handed = row["handed_out_at"]
    if handed is None or release is None:
        return
    armed, by = release["armed_at"], release["armed_by"]
    if armed is None or by not in _ARMED_BY:
        yield f"by the record it was handed out, and its release armed at {armed} by {by}"
    elif from_text(armed) > from_text(handed) + _ARMED_AFTER:
        yield f"by the record its release was armed at {armed}, after its hand-out at {handed}"


def _chain(run: Mapping[str, Json]) -> Iterator[tuple[Mapping[str, Json], str]]:
    """Statements of a run with their signatures, the commitment first."""
    yield run["commitment"]["statement"], run["commitment"]["signature"]
    for each in run.get("amendments") or ():
        yield each["amendment"], each["signature"]


def _digest(said: Mapping[str, Json]) -> str:
    return sha256_hex(canonical_bytes(said))


def leaves_of(record: Mapping[str, Json]) -> list[Mapping[str, Json]]:
    """The rows of the first plan, with salts, as the record reveals them."""
    return [row for plan in record["plans"] if plan["amendment"] == 0 for row in plan["rows"]]


def _salt_faults(rows: Sequence[Mapping[str, Json]]) -> Iterator[str]:
    """Salts that tell something: two alike, or too short not to be guessed."""
    salts = [str(row["salt"]) for row in rows]
    if len(set(salts)) < len(salts):
        yield "leaves of the commitment have the same salt"
    if any(len(each) < _SALT_DIGITS for each in salts):
        yield "a leaf of the commitment has a salt that can be guessed"


def _schedule_faults(said: Mapping[str, Json], rows: Sequence[Mapping[str, Json]]) -> Iterator[str]:
    starts_at, interval = from_text(said["starts_at"]), said["interval_ms"]
    if [row["number"] for row in rows] != list(range(1, said["files"] + 1)):
        yield f"{said['files']} files were promised, {len(rows)} rows are revealed"
    for row in rows:
        if from_text(row["planned_at"]) != starts_at + (row["number"] - 1) * interval:
            yield f"row {row['number']} has another opening than the promised schedule"


def contents_of(record: Mapping[str, Json]) -> dict[int, tuple[str, str]]:
    """Name and SHA-256 of what is handed out, by the file's number."""
    return {row["number"]: (row["file_id"], row["content_sha256"]) for plan in record["plans"] for row in plan["rows"]}


def release_faults(record: Mapping[str, Json], schedule: ExpectedTimes) -> Iterator[str]:
    """Releases whose opening is another than the schedule says."""
    for each in record["releases"]:
        expected = schedule.opens_at(each["number"])
        if from_text(each["opens_at"]) != expected:
            yield f"the release of file {each['number']} opens at {each['opens_at']}, the schedule says otherwise"
