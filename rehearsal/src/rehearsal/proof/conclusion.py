"""Check the commitment and the record as their published description says, with the checker's own code."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from markup_core.receipt import canonical_bytes, sha256_hex
from rehearsal.moments import from_text
from rehearsal.proof.oracle import ExpectedTimes
from shadow.record import Keys
from shadow.record import contradictions as contradictory

Json = Any
_SALT_DIGITS = 32
"""Hexadecimal digits of 128 bits, which nobody tries out."""
_IN_TURNS: Final = "diagnosis"


def published_keys(answer: Mapping[str, Json]) -> Keys:
    """Return the platform's keys, as ``GET /v1/keys`` answers them."""
    return Keys({key["key_id"]: key["public_key"] for key in answer["keys"]})


def merkle_root(rows: Sequence[Mapping[str, Json]]) -> str:
    """Return the root of a tree over rows, level by level; a node without a neighbour goes up as it is."""
    level = [hashlib.sha256(b"\x00" + canonical_bytes(row)).digest() for row in rows]
    while len(level) > 1:
        pairs = [level[place : place + 2] for place in range(0, len(level), 2)]
        level = [pair[0] if len(pair) == 1 else hashlib.sha256(b"\x01" + b"".join(pair)).digest() for pair in pairs]
    return level[0].hex() if level else ""


def commitment_faults(run: Mapping[str, Json], record: Mapping[str, Json], keys: Keys) -> Iterator[str]:
    """Yield the faults of the commitment before the run and of its opening afterwards."""
    previous = ""
    for statement, signature in _chain(run):
        name = f"the statement {statement.get('kind')} {statement.get('number', '')}".rstrip()
        if not keys.signed(statement, signature):
            yield f"{name} has no good signature"
        if previous and statement.get("previous") != previous:
            yield f"{name} does not follow the one before it"
        previous = _digest(statement)
    rows = leaves_of(record)
    promised = run["commitment"]["statement"]
    if merkle_root(rows) != promised["root"]:
        yield "the revealed rows do not lead to the root that was committed to"
    starts_at, interval = from_text(promised["starts_at"]), promised["interval_ms"]
    if [row["number"] for row in rows] != list(range(1, promised["files"] + 1)):
        yield f"{promised['files']} files were promised, {len(rows)} rows are revealed"
    for row in rows:
        if from_text(row["planned_at"]) != starts_at + (row["number"] - 1) * interval:
            yield f"row {row['number']} has another opening than the promised schedule"
    salts = [str(row["salt"]) for plan in record["plans"] for row in plan["rows"]]
    if len(set(salts)) < len(salts):
        yield "leaves of the commitment have the same salt"
    if any(len(salt) < _SALT_DIGITS for salt in salts):
        yield "a leaf of the commitment has a salt that can be guessed"


def record_faults(
    run: Mapping[str, Json], record: Mapping[str, Json], signed: Mapping[str, Json], keys: Keys
) -> Iterator[str]:
    """Yield the faults of the signed statement about a record: the end of the run's chain."""
    statement = signed["statement"]
    if not keys.signed(statement, signed["signature"]):
        yield "the record has no good signature"
    if statement["record_sha256"] != _digest(record):
        yield "the signed record is another one"
    last, _ = list(_chain(run))[-1]
    if statement["previous"] != _digest(last):
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
    joined = [session for session in record["sessions"] if from_text(session["opened_at"]) <= last]
    pairs = sorted([session["team_id"], session["session_id"]] for session in joined)
    if (statement["sessions"], statement["sessions_sha256"]) != (len(pairs), sha256_hex(canonical_bytes(pairs))):
        yield f"the roster seals {statement['sessions']} sessions, the record has others: {len(pairs)}"


def contradictions(record: Mapping[str, Json]) -> Iterator[str]:
    """Yield the moments of the record's rows that cannot hold together in any course of events (decision 0033)."""
    in_turns = record["commitment"]["statement"]["track"] == _IN_TURNS
    for session in record["sessions"]:
        for cell in contradictory(session, record["releases"], in_turns=in_turns):
            name = cell.quantity.removeprefix("record.")
            where = f"{session['team_id']}, file {cell.number}"
            yield f"{where}: the record's {name} {cell.platform} contradicts {cell.shadow}"


def _chain(run: Mapping[str, Json]) -> Iterator[tuple[Mapping[str, Json], str]]:
    """Yield the statements of a run with their signatures, the commitment first."""
    yield run["commitment"]["statement"], run["commitment"]["signature"]
    for amendment in run.get("amendments") or ():
        yield amendment["amendment"], amendment["signature"]


def _digest(statement: Mapping[str, Json]) -> str:
    return sha256_hex(canonical_bytes(statement))


def leaves_of(record: Mapping[str, Json]) -> list[Mapping[str, Json]]:
    """Return the rows of the first plan, with salts, as the record reveals them."""
    return [row for plan in record["plans"] if plan["amendment"] == 0 for row in plan["rows"]]


def contents_of(record: Mapping[str, Json]) -> dict[int, tuple[str, str]]:
    """Return name and SHA-256 of each file's hand-out, by the file's number."""
    return {row["number"]: (row["file_id"], row["content_sha256"]) for plan in record["plans"] for row in plan["rows"]}


def release_faults(record: Mapping[str, Json], schedule: ExpectedTimes) -> Iterator[str]:
    """Yield the releases whose opening is another than the schedule says."""
    for release in record["releases"]:
        expected = schedule.opens_at(release["number"])
        if from_text(release["opens_at"]) != expected:
            yield f"the release of file {release['number']} opens at {release['opens_at']}, the schedule says otherwise"
