"""Read the run's published record anew: fates, rows that contradict themselves, the roster of admitted teams."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from shadow.cells import Cell, compared
from shadow.evidence import Evidence
from shadow.fates import fates
from shadow.final import FinalRun, sessions_of
from shadow.receipts import instant, keys_of
from shadow.source import Item, Json, Millis, Source, digest, document, one, unchanged_document

_GIVEN_UP: Final[Millis] = 30_000
"""Bounds the time between a whole body and its decision, as the gateway does."""
_LAST_DECISIONS: Final[Millis] = 120_000
"""Bounds the time after a session's end in which an answer sent again may be decided."""
_EARLY: Final[Millis] = 2_000
"""Bounds how long before its opening a file may be asked for."""
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
        session: Item = one(source, "Exchange", f"SESSION#{session_id}", "STATE")
        if int(session["opened_at"]) <= last:
            yield team_id, session_id


def _record(final: FinalRun) -> Json:
    return unchanged_document(final.source, _record_name(final))


def _record_name(final: FinalRun) -> str:
    return f"runs/{final.run_id}/record.json"


def _at(text: str | None) -> Millis | None:
    return None if text is None else instant(text)
