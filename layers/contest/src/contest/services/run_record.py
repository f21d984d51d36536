"""The record of a run: made once when everything is over, signed, published (platform §3; R 8.3.1)."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, cast

from contest.domain import commitment, run_report
from contest.domain import run as schedule
from contest.domain.canonical import canonical
from contest.domain.delivery import Cause
from contest.domain.moments import Millis, from_iso, iso, iso_or_none
from contest.domain.overview import FileView
from contest.domain.run import Run
from contest.domain.session import IN_FLIGHT, Session
from contest.domain.timeline import FileTimes, Heading, run_chart
from contest.errors import RunNotOverError
from contest.ports import LostRaceError, MissingBlobError
from contest.services import facts, knowledge, runs
from contest.services.platform import Platform

FORMAT: Final = 1
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
    "state",
    "cause",
)


def record_name(run_id: str) -> str:
    """Name of the object with a run's record."""
    return f"{knowledge.RUNS}{run_id}/record.json"


def statement_name(run_id: str) -> str:
    """Name of the object with the signed statement about the record."""
    return f"{knowledge.RUNS}{run_id}/record-statement.json"


def close_if_over(platform: Platform, run_id: str) -> bool:
    """Make the record of a run that is over and close the run; whether it is closed now. For the minute timer.

    The record is put once and read back, so that a crash before the closing changes nothing of it.
    """
    run = knowledge.run_now(platform, run_id)
    now = platform.clock.now()
    if run.closed_at is not None:
        return True
    if now < over_at(run):
        return False
    sessions = taking_part(platform, run)
    if any(each.is_open for each in sessions):
        return False
    made = canonical(build(platform, run, sessions))
    platform.blobs.put_if_absent(record_name(run_id), made)
    stored = platform.blobs.get(record_name(run_id))
    last = _last_statement(json.loads(stored))
    said = commitment.record_statement(run, stored, commitment.digest(last), now, platform.signer.key_id)
    platform.blobs.put_if_absent(statement_name(run_id), runs.signed(platform, "statement", said))
    try:
        platform.runs.close(run, replace(run, closed_at=now, version=run.version + 1))
    except LostRaceError:
        return False  # somebody has decided about the run meanwhile; the next minute closes it
    return True


def over_at(run: Run) -> Millis:
    """When nothing can happen in a run any more: no session may be opened, no answer can be under way."""
    stop = schedule.stopped_at(run)
    last = max(schedule.ends_at(run), schedule.join_until(run))
    return (last if stop is None else min(last, stop)) + IN_FLIGHT


def taking_part(platform: Platform, run: Run) -> tuple[Session, ...]:
    """All sessions of a run, by team."""
    found = (knowledge.session(platform, each) for _, each in platform.runs.sessions_of(run.run_id))
    return tuple(session for session in found if session is not None)


def build(platform: Platform, run: Run, sessions: tuple[Session, ...]) -> dict[str, Any]:
    """The record: a function of the facts of the run and of its closed sessions."""
    return {
        "format": FORMAT,
        "run": {
            **run_report.described(run),
            "pauses": [{"from": iso(each.start), "until": iso(each.until)} for each in schedule.pauses(run)],
            "ends_at": iso(schedule.ends_at(run)),
        },
        "commitment": runs.commitment_of(platform, run.run_id),
        "amendments": runs.public_amendments(run),
        "plans": list(_plans(platform, run)),
        "releases": list(_releases(platform, run)),
        "voided": {str(number): by for number, by in sorted(schedule.voided_for_all(run).items())},
        "sessions": [_session(platform, run, each) for each in sessions],
    }


def published(platform: Platform, run_id: str, arrival: Millis) -> bytes:
    """The record with its signed statement, the same bytes for everybody.

    :class:`RunNotOverError` before it is made: until then neither salts nor hashes of files are told.
    """
    run = knowledge.run(platform, run_id)

    def read() -> bytes:
        said = json.loads(platform.blobs.get(statement_name(run_id)))
        return canonical({"record": json.loads(platform.blobs.get(record_name(run_id))), **said})

    try:
        return cast(bytes, platform.memory.keep(("record", run_id), read, len))
    except MissingBlobError:
        raise RunNotOverError.until(max(over_at(run), arrival), arrival) from None


def timeline(platform: Platform, run_id: str, arrival: Millis) -> bytes:
    """The chart of a published record as SVG."""
    return chart(json.loads(published(platform, run_id, arrival))["record"])


def chart(record: Mapping[str, Any]) -> bytes:
    """The teams' openings, hand-outs, answers and annulments along the run's time."""
    run = record["run"]
    opens = {each["number"]: from_iso(each["opens_at"]) for each in record["releases"]}
    teams = [
        (each["team_id"], [_times(file, opens) for file in each["files"] if file["number"] in opens])
        for each in record["sessions"]
    ]
    name = f"{run['run_id']}, {run['starts_at'][:10]}"
    trial = ("пробные, ", "trial, ") if run["trial"] else ("", "")
    heading = Heading(f"Испытания {trial[0]}{name}", f"Run {trial[1]}{name} (UTC)")
    breaks = [(from_iso(each["from"]), from_iso(each["until"])) for each in run["pauses"]]
    return run_chart(heading, teams, breaks, (from_iso(run["starts_at"]), from_iso(run["ends_at"])))


def table(record: Mapping[str, Any]) -> str:
    """The record's sessions as CSV, one line for every team and file."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, extrasaction="ignore", lineterminator="\r\n")
    writer.writeheader()
    opens = {each["number"]: each["opens_at"] for each in record["releases"]}
    names = {row["number"]: row["file_id"] for plan in record["plans"] for row in plan["rows"]}
    for session in record["sessions"]:
        for each in session["files"]:
            number = each["number"]
            writer.writerow({**session, **each, "opens_at": opens.get(number), "file_id": names[number]})
    return text.getvalue()


def _plans(platform: Platform, run: Run) -> Iterator[dict[str, Any]]:
    """The first files and those of every replacement, each with the rows its root was made of."""
    starts = [(0, 1), *((each.number, first) for each, first in schedule.replacements(run))]
    for amendment, start in starts:
        files = enumerate(knowledge.run_files(platform, run.run_id, amendment), start=start)
        rows = [commitment.row(number, schedule.planned_at(run, number), file) for number, file in files]
        yield {"amendment": amendment, "rows": rows}


def _releases(platform: Platform, run: Run) -> Iterator[dict[str, Any]]:
    """Every file that opened. One whose record nobody wrote, because nobody asked, opened all the same."""
    armed = {each.number: each for each in platform.runs.releases(run.run_id)}
    for number in range(1, schedule.total_files(run) + 1):
        opens_at, stop = schedule.opens_at(run, number), schedule.stopped_at(run)
        if stop is not None and opens_at >= stop:
            continue
        release = armed.get(number)
        yield {
            "number": number,
            "planned_at": iso(schedule.planned_at(run, number)),
            "opens_at": iso(opens_at),
            "armed_at": iso_or_none(release.armed_at if release else None),
            "armed_by": release.armed_by.value if release else None,
        }


def _session(platform: Platform, run: Run, session: Session) -> dict[str, Any]:
    moment = session.closed_at if session.closed_at is not None else platform.clock.now()
    asked = platform.deliveries.asked(session.session_id)
    views = facts.files_of(platform, session, moment, run)
    return {
        "team_id": session.team_id,
        "session_id": session.session_id,
        "opened_at": iso(session.opened_at),
        "closed_at": iso_or_none(session.closed_at),
        "state": session.state.value,
        "files": [_file(view, asked.get(view.number)) for view in views],
    }


def _file(view: FileView, asked: Millis | None) -> dict[str, Any]:
    delivery = view.delivery
    return {
        "number": view.number,
        "asked_at": iso_or_none(asked),
        "handed_out_at": iso_or_none(delivery.handed_out_at if delivery else None),
        "answer_by": iso_or_none(delivery.answer_by if delivery else None),
        "answered_at": iso_or_none(delivery.answer.received_at if delivery and delivery.answer else None),
        "state": view.state.value,
        "cause": view.cause.value if view.cause else None,
    }


def _times(file: Mapping[str, Any], opens: Mapping[int, Millis]) -> FileTimes:
    def moment(name: str) -> Millis | None:
        return from_iso(file[name]) if file[name] is not None else None

    cause = Cause(file["cause"]) if file["cause"] else None
    ends = moment("handed_out_at"), moment("answer_by"), moment("answered_at")
    return FileTimes(file["number"], opens[file["number"]], *ends, cause)


def _last_statement(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """The statement on which the record's follows."""
    amendments = record["amendments"]
    found: Mapping[str, Any] = amendments[-1]["amendment"] if amendments else record["commitment"]["statement"]
    return found
