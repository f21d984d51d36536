"""Check the commitment and the record as their published description says, with the checker's own code."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from markup_core.receipt import canonical_bytes, sha256_hex
from rehearsal.moments import Millis, from_text
from shadow.record import Keys
from shadow.record import contradictions as contradictory

Json = Any
Statement = Mapping[str, Json]
_SALT_DIGITS = 32
"""Hexadecimal digits of 128 bits, which nobody tries out."""
_IN_TURNS: Final = "diagnosis"


def published_keys(answer: Statement) -> Keys:
    """Return the platform's keys, as ``GET /v1/keys`` answers them."""
    return Keys({key["key_id"]: key["public_key"] for key in answer["keys"]})


def merkle_root(rows: Sequence[Statement]) -> str:
    """Return the root of a tree over rows, level by level; a node without a neighbour goes up as it is."""
    level = [hashlib.sha256(b"\x00" + canonical_bytes(row)).digest() for row in rows]
    while len(level) > 1:
        pairs = [level[place : place + 2] for place in range(0, len(level), 2)]
        level = [pair[0] if len(pair) == 1 else hashlib.sha256(b"\x01" + b"".join(pair)).digest() for pair in pairs]
    return level[0].hex() if level else ""


def run_faults(
    before: Statement,
    run: Statement,
    record: Statement,
    signed: Statement,
    keys: Keys,
) -> Iterator[str]:
    """Yield the faults of a run's commitment as it was read before the start, of its opening afterwards, and of the
    signed statement about the record: the end of the run's chain."""
    for name, shown in (("run", run), ("record", record)):
        if shown["commitment"] != before["commitment"]:
            yield f"the commitment of the {name} is another one than before the start"
    chain = [(run["commitment"]["statement"], run["commitment"]["signature"])]
    chain += [(amendment["amendment"], amendment["signature"]) for amendment in run.get("amendments") or ()]
    chain.append((signed["statement"], signed["signature"]))
    for (statement, signature), (before_it, _) in zip(chain, [({}, ""), *chain], strict=False):
        name = f"the statement {statement.get('kind')} {statement.get('number', '')}".rstrip()
        if not keys.signed(statement, signature):
            yield f"{name} has no good signature"
        if before_it and statement.get("previous") != _digest(before_it):
            yield f"{name} does not follow the one before it"
    if signed["statement"]["record_sha256"] != _digest(record):
        yield "the signed record is another one"
    yield from _rows_otherwise(run["commitment"]["statement"], record)
    roots = {statement.get("number"): statement.get("details", {}).get("root") for statement, _ in chain}
    for plan in (candidate for candidate in record["plans"] if candidate["amendment"]):
        if roots.get(plan["amendment"]) != merkle_root(plan["rows"]):
            yield f"the rows of decision {plan['amendment']} do not lead to the root that it committed to"
    yield from _roster_faults(run, record, keys)
    yield from contradictions(record)


def _rows_otherwise(promised: Statement, record: Statement) -> Iterator[str]:
    rows = [row for plan in record["plans"] if plan["amendment"] == 0 for row in plan["rows"]]
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


def _roster_faults(run: Statement, record: Statement, keys: Keys) -> Iterator[str]:
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


def contradictions(record: Statement) -> Iterator[str]:
    """Yield the moments of the record's rows that cannot hold together in any course of events (decision 0033)."""
    in_turns = record["commitment"]["statement"]["track"] == _IN_TURNS
    for session in record["sessions"]:
        for cell in contradictory(session, record["releases"], in_turns=in_turns):
            name = cell.quantity.removeprefix("record.")
            where = f"{session['team_id']}, file {cell.number}"
            yield f"{where}: the record's {name} {cell.platform} contradicts {cell.shadow}"


def _digest(statement: Statement) -> str:
    return sha256_hex(canonical_bytes(statement))


def contents_of(record: Statement) -> dict[int, tuple[str, str]]:
    """Return name and SHA-256 of each file's hand-out, by the file's number."""
    return {row["number"]: (row["file_id"], row["content_sha256"]) for plan in record["plans"] for row in plan["rows"]}


def released_otherwise(release: Statement, opens_at: Mapping[int, Millis]) -> str | None:
    """Return the fault of a release of the record: another opening than the schedule says."""
    right = from_text(release["opens_at"]) == opens_at.get(release["number"])
    return None if right else f"file {release['number']} was released at another moment than planned"
