"""Signed receipts against a run's record: what only a team knows, when its answers came, and that they came at all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pku.checks import receipts as signatures
from pku.checks.run_chain import Fault
from pku.wire.answers import Receipt

if TYPE_CHECKING:  # loaded where it is used
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

Json = Any
_ACCEPTED, _LATE = "accepted", "late"
_FAULTS = {
    "unknown_key": "receipt_unknown_key",
    "bad_signature": "receipt_bad_signature",
    "bad_times": "receipt_bad_times",
}


def differences(
    record: Json, voided: Mapping[int, int], found: Sequence[Receipt], keys: Mapping[str, Ed25519PublicKey]
) -> Iterator[Fault]:
    """What the record says otherwise than these receipts, of whatever teams they are; ``voided`` are files that count
    for nobody. A receipt of a turn in a dialogue says nothing of the whole file's answer, and is checked alone.

    Clause: platform §4 receipts
    """
    sessions = {each["session_id"]: each for each in record["sessions"]}
    last: dict[tuple[str, int], Json] = {}
    sends: dict[tuple[str, int], dict[int, Json]] = defaultdict(dict)
    for receipt in found:
        said = receipt.raw["receipt"]
        fault = signatures.check(receipt, keys)
        if fault is not None:
            yield Fault(_FAULTS[fault], {"number": said["number"], "team": said["team_id"]})
        elif receipt.dialogue is None:
            place = (said["session_id"], said["number"])
            sends[place][int(said["send"])] = said
            if said["status"] != _ACCEPTED:
                continue
            last[place] = max(last.get(place, said), said, key=lambda each: int(each["send"]))
    for session_id in sorted({session_id for session_id, _ in last} - sessions.keys()):
        yield Fault("own_session_missing", {"session_id": session_id})
    for (session_id, number), said in last.items():
        if session_id in sessions:
            yield from _row(sessions[session_id], number, said, voided)
    for place in sends.keys() - last.keys():
        yield from _all_late(sessions.get(place[0]), place[1], sends[place])


def _all_late(session: Json, number: int, sends: Mapping[int, Json]) -> Iterator[Fault]:
    """An answer that the record counts though every send was late; of a file whose first sends are not there, any of
    these may have been in time."""
    if session is None or sends.keys() != set(range(1, len(sends) + 1)) or sends[len(sends)]["status"] != _LATE:
        return
    row = next((each for each in session["files"] if each["number"] == number), None)
    if row is not None and row["answered_at"] is not None:
        yield Fault("receipt_differs", {"team": session["team_id"], "number": number, "field": "answered_at"})


def _row(session: Json, number: int, said: Json, voided: Mapping[int, int]) -> Iterator[Fault]:
    values = {"team": said["team_id"], "number": number}
    if session["team_id"] != said["team_id"]:
        yield Fault("receipt_differs", {**values, "field": "team_id"})
    row = next((each for each in session["files"] if each["number"] == number), None)
    if row is None:
        yield Fault("receipt_differs", {**values, "field": "number"})
        return
    for name, told in (("answered_at", said["received_at"]), ("decided_at", said.get("decided_at"))):
        if told is not None and row[name] != told:
            yield Fault("receipt_differs", {**values, "field": name})
    for name in ("headers_at", "body_at"):
        if name in said and row.get(name) != said[name]:
            yield Fault("receipt_differs", {**values, "field": name})
    if number not in voided and row["state"] != "answered":
        yield Fault("receipt_differs", {**values, "field": "state"})
