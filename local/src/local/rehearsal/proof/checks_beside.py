"""The check of what was promised of the runs beside the final: each is committed to, kept and recorded as it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from local.rehearsal.history import QUALIFYING, Call
from local.rehearsal.moments import Millis, from_text
from local.rehearsal.proof.case import Case, Check
from local.rehearsal.proof.checks_qualifying import answered_as_meant
from local.rehearsal.proof.conclusion import commitment_faults, contents_of, merkle_root, record_faults
from local.rehearsal.proof.decided import Decision, folded, moved
from markup_core.receipt import canonical_bytes, sha256_hex

Json = Any
_DONE: Final = 200
_OPENED: Final = 201
_RUNS: Final = {"trial": "the trial", "anew": "the run begun anew", "experts": "the run that experts marked up"}
_FILES: Final = (f"{QUALIFYING}file", f"{QUALIFYING}experts_file")
_MOVED: Final = "moved"


def kept(case: Case) -> Check:
    """The commitment that was read before a run's start is the one that holds when its results are out; rows, salts,
    signatures and the signed record agree with it; each release is of a row's moment, moved by the pauses, and armed by
    the timer's first visit after it was moved; and what teams were handed out, not before that moment, is what was
    committed to (platform §3)."""
    check = answered_as_meant(case, "beside_as_promised", _MOVED)
    read = {(call.what, call.means["run"]): call.said for call in case.story.calls if _reads(call)}
    for kind, where in _RUNS.items():
        before, after = (read.get((f"{QUALIFYING}beside_{name}", kind)) for name in ("before", "after"))
        record, signed = (case.facts.answers.get(f"{kind}_record{part}") for part in ("", "_statement"))
        if before is None or after is None or record is None or signed is None:
            continue  # there are too few cases then
        for run, name in ((after, "run"), (record, "record")):
            other = run["commitment"] != before["commitment"]
            check.look(f"{where}: the commitment of the {name} is another one than before the start" if other else None)
        check.look(*(f"{where}: {each}" for each in commitment_faults(after, record, case.keys)))
        check.look(*(f"{where}: {each}" for each in record_faults(after, record, signed, case.keys)))
        check.look(*(f"{where}: {each}" for each in _appended_otherwise(after, record)))
        openings = _openings(record, _moves(case, kind))
        for each in record["releases"]:
            check.look(*(f"{where}: {fault}" for fault in _released_otherwise(case, each, openings)))
        rows = contents_of(record)
        for call in _handed(case, kind):
            check.look(*(f"{call.team}, call {call.n}: {each}" for each in _otherwise(call, rows, openings)))
    return check


@dataclass(frozen=True, slots=True)
class _Opening:
    """When a file opens; since when that is known, where a decision has moved it."""

    at: Millis
    moved: Millis | None


def _moves(case: Case, kind: str) -> Sequence[Decision]:
    """The decisions that moved openings of a run of this kind."""
    calls = (call for call in case.story.calls if call.what == f"{QUALIFYING}{_MOVED}" and call.status == _DONE)
    taken = (call for call in calls if call.means["run"] == kind)
    return [Decision(number, call.means["kind"], call.done_at, {}) for number, call in enumerate(taken, start=1)]


def _openings(record: Mapping[str, Json], moves: Sequence[Decision]) -> Mapping[int, _Opening]:
    """When each file opens by its row and the decisions."""
    pauses = folded(moves, 0, 0, 0).pauses
    found = {}
    for row in (row for plan in record["plans"] for row in plan["rows"]):
        planned = from_text(row["planned_at"])
        at = moved(planned, pauses)
        found[row["number"]] = _Opening(at, max(each.at for each in moves) if at != planned else None)
    return found


def _released_otherwise(case: Case, release: Mapping[str, Json], openings: Mapping[int, _Opening]) -> Iterator[str]:
    """What is wrong with a release of the record."""
    due = openings.get(release["number"])
    if due is None or from_text(release["opens_at"]) != due.at:
        yield f"file {release['number']} was released at another moment than planned"
    elif due.moved is not None:
        visit = case.visits.arming(due.moved, due.at)
        if visit is not None and (release["armed_at"] is None or from_text(release["armed_at"]) > visit):
            yield f"file {release['number']} was moved and not armed anew by the timer"


def _appended_otherwise(run: Mapping[str, Json], record: Mapping[str, Json]) -> Iterator[str]:
    """Files that replaced others and are not those that the decision committed to."""
    said = {each["amendment"]["number"]: each["amendment"] for each in run.get("amendments") or ()}
    for plan in (each for each in record["plans"] if each["amendment"]):
        wanted = said.get(plan["amendment"], {}).get("details", {}).get("root")
        if wanted != merkle_root(plan["rows"]):
            yield f"the rows of decision {plan['amendment']} do not lead to the root that it committed to"


def _reads(call: Call) -> bool:
    return call.what.startswith(f"{QUALIFYING}beside_") and call.status == _DONE


def _handed(case: Case, kind: str) -> Sequence[Call]:
    """Files that were handed out in a run of this kind."""
    opened = [call for call in case.story.calls if call.path == "/v1/sessions" and call.status == _OPENED]
    sessions = {str(call.said["session_id"]) for call in opened if call.means.get("run") == kind}
    files = [call for call in case.story.calls if call.what in _FILES and call.status == _DONE]
    return [call for call in files if str(call.path).split("/")[3] in sessions]


def _otherwise(call: Call, rows: Mapping[int, tuple[str, str]], openings: Mapping[int, _Opening]) -> Iterator[str]:
    number = call.number or 0
    if rows.get(number) != (call.said["file_id"], sha256_hex(canonical_bytes(call.said["content"]))):
        yield f"file {number} is another one than was committed to"
    elif call.done_at < openings[number].at:
        yield f"file {number} was handed out before its opening"
