"""The record of a run, and the protocols of judges and commission.

The record is made once, when everything is over; it is signed and published (platform §3; R 8.3.1). A run has the
protocols that judges and commission stated, and its contest may wait for some of them (R 8.3, D 11).
"""

from __future__ import annotations

import base64
import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final

from contest import charts, reading, stored_names
from contest.cycle.rules.cycle import Cycle
from contest.errors import RunNotOverError
from contest.platform import Platform, signed, signing_keys
from contest.ports import LostRaceError, MissingBlobError
from contest.results.rules import reports
from contest.run import planning, under_way
from contest.run.rules import commitment
from contest.run.rules.fate import FileView
from contest.run.rules.run import Matter, ProtocolStanding, Run, protocol_finding
from contest.run.rules.schedule import Schedule
from contest.session import following
from contest.session.rules.delivery import times_of_body
from contest.session.rules.session import Session
from contest.stored_names import published_name
from contest.texts import tr
from contest.values import Millis, canonical, iso, iso_or_none
from markup_core.lazy import dataclass
from markup_core.texts import filled
from tracks.protocol import Reason, Text
from tracks.rules import Signatory

FORMAT: Final = 2


RECORD: Final = "record.json"


TIMELINE: Final = "timeline.svg"


COLUMNS: Final = (
    "team_id",
    "session_id",
    "number",
    "file_id",
    "opens_at",
    "asked_at",
    "handed_out_at",
    "answer_by",
    "answered_at",
    "decided_at",
    "state",
    "cause",
)


def record_name(run_id: str) -> str:
    """Return the name of the object with a run's record."""
    return f"{stored_names.RUNS}{run_id}/record.json"


def statement_name(run_id: str) -> str:
    """Return the name of the object with the signed statement about the record."""
    return f"{stored_names.RUNS}{run_id}/record-statement.json"


# Clause: platform §3 commitment, R 7.10, D 8.13
def close_if_over(platform: Platform, run_id: str) -> bool:
    """Make the record of a run that is over and close the run; return whether it is closed now. For a worker.

    Parts that workers have made of its sessions stay as they are. The record is put once and read back, so that a crash
    before the closing changes nothing of it; everybody's copy and the chart are there before the run is closed.
    """
    schedule = reading.schedule_now(platform, run_id)
    run, now = schedule.run, platform.clock.now()
    if run.closed_at is not None:
        return True
    if now < under_way.over_at(schedule):
        return False
    sessions = under_way.taking_part(platform, run)
    if any(session.is_open for session in sessions):
        return False
    under_way.make_roster(platform, schedule, now)
    content = canonical(build_record(platform, schedule, sessions))
    platform.blobs.put_if_absent(record_name(run_id), content)
    stored = platform.blobs.get(record_name(run_id))
    record = json.loads(stored)
    amendments = record["amendments"]
    last = amendments[-1]["amendment"] if amendments else record["commitment"]["statement"]
    key_id = platform.signer.public_key.key_id
    statement = commitment.record_statement(run, stored, commitment.statement_digest(last), now, key_id)
    platform.blobs.put_if_absent(statement_name(run_id), signed(platform, "statement", statement))
    whole = _with_statement(platform, run_id, record)
    platform.blobs.publish(published_name(run_id, RECORD), [whole], "application/json")
    chart = charts.chart_of_record(record)
    platform.blobs.publish(published_name(run_id, TIMELINE), [chart], "image/svg+xml")
    try:
        platform.runs.close(run, replace(run, closed_at=now, version=run.version + 1))
    except LostRaceError:
        return False  # somebody has decided about the run meanwhile; the next minute closes it
    return True


def part_name(run: Run, session_id: str) -> str:
    """Return the name of the object with a closed session's part of the record; every decision makes another one."""
    latest = max((amendment.number for amendment in run.amendments), default=0)
    return f"{stored_names.RUNS}{run.run_id}/record-{latest}/{session_id}.json"


def make_part(platform: Platform, schedule: Schedule, session: Session) -> None:
    """Make a closed session's part of the record, unless it is there."""
    content = canonical(_session(platform, schedule, session))
    platform.blobs.put_if_absent(part_name(schedule.run, session.session_id), content)


def build_record(platform: Platform, schedule: Schedule, sessions: tuple[Session, ...]) -> dict[str, Any]:
    """Build the record: a function of the facts of the run and of its closed sessions."""
    run = schedule.run
    return {
        "format": FORMAT,
        "run": {
            **reports.describe_run(schedule),
            "pauses": [{"from": iso(pause.start), "until": iso(pause.until)} for pause in schedule.pauses],
            "ends_at": iso(schedule.ends_at),
        },
        "commitment": planning.commitment_of(platform, run.run_id),
        "roster": under_way.roster_of(platform, schedule),
        "amendments": planning.public_amendments(run),
        "rulings": commitment.rulings(run),
        "plans": list(_plans(platform, schedule)),
        "releases": list(_releases(platform, schedule)),
        "voided": {str(number): by for number, by in sorted(schedule.voided_for_all.items())},
        "sessions": [
            reading.stored_json(platform, part_name(run, session.session_id)) or _session(platform, schedule, session)
            for session in sessions
        ],
    }


# Clause: platform §3 commitment
def published_record(platform: Platform, run_id: str, arrival: Millis) -> bytes:
    """Return the record with its signed statement, the same bytes for everybody.

    :class:`RunNotOverError` before it is made: until then neither salts nor hashes of files are told.
    """
    schedule = reading.schedule(platform, run_id)
    try:
        return _with_statement(platform, run_id, json.loads(platform.blobs.get(record_name(run_id))))
    except MissingBlobError:
        raise RunNotOverError.until(max(under_way.over_at(schedule), arrival), arrival) from None


# Clause: platform §3 commitment, platform §4 settlement
def public_path(platform: Platform, run_id: str, what: str, arrival: Millis) -> str:
    """Return the public path of the record or the chart on this host: neither fits into every answer.

    :class:`RunNotOverError` before they are made.
    """
    schedule = reading.schedule(platform, run_id)
    if schedule.run.closed_at is None and arrival >= under_way.over_at(schedule):
        schedule = reading.schedule_now(platform, run_id)
    if schedule.run.closed_at is None:
        raise RunNotOverError.until(max(under_way.over_at(schedule), arrival), arrival)
    return f"/{published_name(run_id, what)}"


def _with_statement(platform: Platform, run_id: str, record: Mapping[str, Any]) -> bytes:
    return canonical({"record": record, **json.loads(platform.blobs.get(statement_name(run_id)))})


def record_files(content: bytes) -> dict[str, bytes]:
    """Return the commission's files of a published record, by name: itself, its chart, its sessions as a table."""
    record = json.loads(content)["record"]
    return {
        "record.json": content,
        "timeline.svg": charts.chart_of_record(record),
        "sessions.csv": record_table(record).encode("utf-8-sig"),
    }


def record_table(record: Mapping[str, Any]) -> str:
    """Return the record's sessions as CSV, one line for every team and file."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, extrasaction="ignore", lineterminator="\r\n")
    writer.writeheader()
    opens = {release["number"]: release["opens_at"] for release in record["releases"]}
    names = {row["number"]: row["file_id"] for plan in record["plans"] for row in plan["rows"]}
    for session in record["sessions"]:
        for file in session["files"]:
            number = file["number"]
            writer.writerow({**session, **file, "opens_at": opens.get(number), "file_id": names[number]})
    return text.getvalue()


def _plans(platform: Platform, schedule: Schedule) -> Iterator[dict[str, Any]]:
    """Return the first files and those of every replacement, each with the rows of its root."""
    starts = [(0, 1), *((amendment.number, first) for amendment, first in schedule.replacements)]
    for amendment, start in starts:
        files = enumerate(reading.run_files(platform, schedule.run.run_id, amendment), start=start)
        rows = [commitment.row(number, schedule.planned_at(number), file) for number, file in files]
        yield {"amendment": amendment, "rows": rows}


def _releases(platform: Platform, schedule: Schedule) -> Iterator[dict[str, Any]]:
    """List every file that opened, also one without a release record because nobody requested it."""
    armed = {release.number: release for release in platform.runs.releases(schedule.run.run_id)}
    stop = schedule.stopped_at
    for number, opens_at in enumerate(schedule.openings, start=1):
        if stop is not None and opens_at >= stop:
            continue
        release = armed.get(number)
        yield {
            "number": number,
            "planned_at": iso(schedule.planned_at(number)),
            "opens_at": iso(opens_at),
            "armed_at": iso_or_none(release.armed_at if release else None),
            "armed_by": release.armed_by.value if release else None,
        }


def _session(platform: Platform, schedule: Schedule, session: Session) -> dict[str, Any]:
    moment = session.closed_at if session.closed_at is not None else platform.clock.now()
    facts = following.known_of(platform, session, schedule)
    first_requests, views = facts.circumstances.first_requests, following.files_of(platform, session, facts, moment)
    return {
        "team_id": session.team_id,
        "session_id": session.session_id,
        "opened_at": iso(session.opened_at),
        "closed_at": iso_or_none(session.closed_at),
        "state": session.state.value,
        "files": [_file(view, first_requests.get(view.number)) for view in views],
    }


def _file(view: FileView, first_request: Millis | None) -> dict[str, Any]:
    delivery = view.delivery
    headers_at, body_at = times_of_body(delivery) or (None, None)
    return {
        "number": view.number,
        "asked_at": iso_or_none(first_request),
        "handed_out_at": iso_or_none(delivery.handed_out_at if delivery else None),
        "answer_by": iso_or_none(delivery.answer_by if delivery else None),
        "answered_at": iso_or_none(delivery.answer.received_at if delivery and delivery.answer else None),
        "headers_at": iso_or_none(headers_at),
        "body_at": iso_or_none(body_at),
        "decided_at": iso_or_none(delivery.answer.decided_at if delivery and delivery.answer else None),
        "state": view.state.value,
        "cause": view.cause.value if view.cause else None,
        "evidence": dict(view.evidence),
    }


SIDES: Final[Mapping[Signatory, Text]] = MappingProxyType(
    {Signatory.JUDGES: tr("the judges"), Signatory.COMMISSION: tr("the technical commission")}
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A side whose protocol the contest demands: the clause (empty: by its cycle alone), whether results wait for it,
    and its finding about them as they are now.
    """

    by: Signatory
    clause: str
    demanded: bool
    standing: ProtocolStanding


# Clause: D 6.10, D 8.14
def demanded_sides(platform: Platform, cycle: Cycle, run: Run) -> tuple[Signatory, ...]:
    """List the sides whose protocols publication waits for: by the cycle, else by the contest."""
    own = cycle.protocols
    usual = reading.track_of(platform, run).policies(run.mode.value).demanded
    return tuple(sorted(usual)) if own is None else own


def named_sides(platform: Platform, cycle: Cycle, run: Run) -> tuple[Wanted, ...]:
    """List every side that the contest's rules or its cycle name, judges first."""
    asked_for, needed = (
        reading.track_of(platform, run).policies(run.mode.value).protocols,
        demanded_sides(platform, cycle, run),
    )
    edition = reports.results_edition(run)
    return tuple(
        Wanted(
            side,
            asked_for.get(side, ""),
            side in needed,
            protocol_finding(run.protocols, Matter.RESULTS, side, edition),
        )
        for side in (Signatory.JUDGES, Signatory.COMMISSION)
        if side in asked_for or side in needed
    )


# Clause: TS D-6
def is_confirmed(platform: Platform, cycle: Cycle, run: Run) -> bool | None:
    """Return whether every side whose protocol is demanded has confirmed the present results; None without one."""
    needed = [demand for demand in named_sides(platform, cycle, run) if demand.demanded]
    return all(demand.standing is ProtocolStanding.POSITIVE for demand in needed) if needed else None


_SAID: Final[Mapping[ProtocolStanding, Text]] = MappingProxyType(
    {
        ProtocolStanding.NONE: tr("no protocol on these results: {side}"),
        ProtocolStanding.OUTDATED: tr("the results have changed since the protocol: {side}"),
        ProtocolStanding.NEGATIVE: tr("a protocol objects to these results: {side}"),
    }
)


# Clause: R 8.3.3, R 8.3.4, D 11.2, D 11.4
def missing_protocols(platform: Platform, run: Run) -> Iterator[Reason]:
    """Warn of a final whose results could be published, or are, without a positive protocol that its rules name."""
    for demand in named_sides(platform, reading.cycle_now(platform), run):
        if demand.standing is not ProtocolStanding.POSITIVE:
            cited = f" ({demand.clause})" if demand.clause else ""
            finding = _SAID[demand.standing]
            whole = Text(f"{finding.en}{cited}", f"{finding.ru}{cited}")
            message = filled(whole, side=SIDES[demand.by])
            yield Reason(f"protocol_{demand.standing}", message, {"by": demand.by, "clause": demand.clause})


# Clause: R 7.16.1, D 6.13, D 11.3
def restart_lacks(platform: Platform, run: Run) -> Iterator[Reason]:
    """Warn of a restart whose rules want a mass failure stated by both sides first; nothing is refused for it."""
    clause = reading.track_of(platform, run).policies(run.mode.value).restarted_by
    for signatory in Signatory if clause else ():
        if protocol_finding(run.protocols, Matter.MASS_FAILURE, signatory) is not ProtocolStanding.POSITIVE:
            message = tr(
                "no protocol on a mass failure: {side}; a restart rests on it ({clause})",
                side=SIDES[signatory],
                clause=clause,
            )
            yield Reason("no_failure_protocol", message, {"by": signatory, "clause": clause})


def describe_protocols(run: Run) -> list[dict[str, Any]]:
    """Return the protocols as JSON values, the latest first; ``current``: about the run as it is now."""
    edition = reports.results_edition(run)
    return [
        {
            "number": protocol.number,
            "matter": protocol.matter.value,
            "by": protocol.by.value,
            "positive": protocol.positive,
            "reason": protocol.reason,
            "who": protocol.who,
            "at": iso(protocol.at),
            "current": protocol.matter is not Matter.RESULTS or protocol.edition == edition,
        }
        for protocol in reversed(run.protocols)
    ]


def keep_keys(platform: Platform, run_id: str) -> None:
    """Store the public keys of a run's receipts beside it, to check receipts without the platform.

    A key that has come since is added; nothing that stands there is taken away.
    """
    name, keys = stored_names.run_keys_name(run_id), [valid.key for valid in signing_keys(platform)]
    stored = reading.stored_json(platform, name) or {"format": 1, "keys": {}}
    encoded = {key.key_id: base64.b64encode(key.content).decode("ascii") for key in keys}
    if encoded.keys() <= stored["keys"].keys():
        return
    algorithms = {key.key_id: key.algorithm for key in keys} | stored.get("algorithms", {})
    platform.blobs.put(name, canonical({**stored, "keys": {**encoded, **stored["keys"]}, "algorithms": algorithms}))
