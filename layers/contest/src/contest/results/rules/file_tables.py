"""Tables of a session's files, of a run's files and of the commission.

A session's report lists every file with its times and every metric, and has the track's own tables (R 6.5.1, 6.5.2). A
run's tables list every file of every team; the commission has its own (R 8.3).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from contest.results.rules import leaderboard
from contest.session.rules.delivery import Cause
from contest.texts import tr, tr_in
from contest.values import CellKind, Column, Table, code_column, column, iso, moment_column, number_column, table_of
from tracks.protocol import Text, in_language

if TYPE_CHECKING:
    from contest.results.rules.leaderboard import Row
    from tracks.rules import BoardRules

FILES: Final = "files"
"""Key of the track's table that has a row a file, by the file's opaque name."""
_TITLE: Final = tr_in("file_tables", "Files")
ITEMS: Final = "items"
_ITEMS_TITLE: Final = tr_in("file_tables", "Items")
_OF_AN_ITEM: Final = (
    column("item", tr("Item")),
    code_column("state", tr("State")),
    column("remarks", tr("Remarks (English)")),
    column("remarks_ru", tr("Remarks (Russian)")),
)
_ALWAYS: Final = (
    number_column("number", tr("No.")),
    column("file_id", tr("File")),
    column("language", tr("Language")),
    column("group", tr("Type")),
    code_column("state", tr("State")),
    code_column("cause", tr("Cause")),
)
_IN_A_RUN: Final = (
    moment_column("opens_at", tr("Opened")),
    moment_column("asked_at", tr("Asked for")),
    number_column("delay_ms", tr("Delay of the hand-out, ms")),
)
_ANSWERS: Final = (
    moment_column("handed_out_at", tr("Handed out")),
    moment_column("answer_by", tr("Answer by")),
    moment_column("answered_at", tr_in("file_tables", "Answered")),
    number_column("processing_ms", tr("Processing, ms")),
    number_column("send", tr("Send")),
    column("content_sha256", tr("SHA-256 of the answer")),
)


# Clause: R 6.5, R 6.5.2, R 7.11
def of_report(report: Mapping[str, Any]) -> tuple[Table, ...]:
    """Return the table of a session's files or a submission's items, then the track's other tables. O(files)."""
    others = (body for body in report["sections"] if body["key"] != FILES)
    return (_rows_of(report), *(section(body) for body in others))


def main(report: Mapping[str, Any]) -> Table:
    """Return a report's main table.

    That of files or items; of a submission to a hidden set, whose report names none, the track's first one.
    """
    by_item = "session" in report or any(body["key"] == FILES for body in report["sections"])
    if by_item or not report["sections"]:
        return _rows_of(report)
    return section(report["sections"][0])


def _rows_of(report: Mapping[str, Any]) -> Table:
    return items(report) if "submission" in report else session_files(report)


# Clause: TS T10, TS T13
def items(report: Mapping[str, Any]) -> Table:
    """Return a submission's items by id: measures, missing answers and remarks."""
    measures, measured = _measured(report)
    reasons: dict[str, list[Mapping[str, Any]]] = {}
    for remark in (*report["invalid"], *report["warnings"]):
        reasons.setdefault(remark["item"], []).extend(remark["reasons"])
    missing = frozenset(report["missing"])
    rows = tuple(
        (
            name,
            "missing" if name in missing else "answered",
            "; ".join(reason["message"] for reason in reasons.get(name, ())) or None,
            "; ".join(reason["message_ru"] for reason in reasons.get(name, ())) or None,
            *measured.get(name, (None,) * len(measures)),
        )
        for name in sorted({*measured, *missing, *reasons})
    )
    return Table(ITEMS, _ITEMS_TITLE, (*_OF_AN_ITEM, *measures), rows)


# Clause: R 6.5.2
def session_files(report: Mapping[str, Any]) -> Table:
    """Return every file of the session with every metric, in their order; metrics are empty until published."""
    in_run = _IN_A_RUN if "run" in report else ()
    columns = (*_ALWAYS, *in_run, *_ANSWERS)
    measures, measured = _measured(report)
    rows = tuple(
        (*(file.get(column.name) for column in columns), *measured.get(file["file_id"], (None,) * len(measures)))
        for file in report["files"]
    )
    return Table(FILES, _TITLE, (*columns, *measures), rows)


def section(body: Mapping[str, Any]) -> Table:
    """Return one of the track's tables."""
    rows = tuple(tuple(row) for row in body["rows"])
    columns = tuple(
        replace(_column(place, title, rows), places=places)
        for place, (title, places) in enumerate(zip(body["columns"], body["places"], strict=True))
    )
    return Table(body["key"], Text(**body["title"]), columns, rows)


def _measured(report: Mapping[str, Any]) -> tuple[tuple[Column, ...], dict[str, tuple[Any, ...]]]:
    """Return the track's columns about files, beside the platform's, and their cells by the file's name."""
    for body in report["sections"]:
        if body["key"] == FILES:
            table = section(body)
            places = [place for place, _ in _own(table)]
            return (
                tuple(column for _, column in _own(table)),
                {str(row[0]): tuple(row[place] for place in places) for row in table.rows},
            )
    return (), {}


def _own(table: Table) -> Iterator[tuple[int, Column]]:
    return ((place, column) for place, column in enumerate(table.columns) if place and column.kind is CellKind.NUMBER)


def _column(place: int, title: Mapping[str, str], rows: Sequence[tuple[Any, ...]]) -> Column:
    """Return a column; of numbers if no cell is anything else, even if it has no value."""
    cells = [row[place] for row in rows if row[place] is not None]
    kind = CellKind.BOTH if any(in_language(cell, "en") != cell for cell in cells) else CellKind.TEXT
    if all(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in cells):
        kind = CellKind.NUMBER
    return Column(title["en"], Text(**title), kind)


_TEAM: Final = column("team_id", tr("Team"))
_SESSION: Final = column("session_id", tr("Session"))
_PLACE: Final = number_column("place", tr("Place"))
_PLACE_TO: Final = number_column("place_to", tr("Place, to"))
_VALUE: Final = number_column("value", tr("Result"))
_BASELINE: Final = column("baseline", tr("Baseline"), CellKind.TRUTH)
_BARRIER: Final = column("barrier", tr("Barrier overcome"), CellKind.TRUTH)
_AUDIT: Final = (
    number_column("audit_relative_accuracy", tr("Missed files as zeros, %")),
    number_column("audit_difference", tr("Difference")),
    column("audit_flagged", tr("Large difference"), CellKind.TRUTH),
)
_ANSWERED: Final = (number_column("answered", tr("Answered")), number_column("files", tr("Files")))
_CAUSES: Final = {
    Cause.TEAM_LATE: tr("team late"),
    Cause.TEAM_INVALID: tr("team invalid"),
    Cause.NETWORK: tr("network"),
    Cause.PLATFORM: tr("platform"),
    Cause.ORGANIZER_DECISION: tr("organizers' decision"),
}
_WHEN: Final = (moment_column("at", tr("When")), column("who", tr("Who")))


# Clause: platform §7 exports
def files(reports: Sequence[Mapping[str, Any]]) -> Table:
    """Return every file of every team of a run, with every published metric. O(teams · files)."""
    parts = [(report["session"], session_files(report)) for report in reports]
    columns: dict[str, Column] = {column.name: column for _, part in parts for column in part.columns}
    rows = (
        {"team_id": session["team_id"], "session_id": session["session_id"], **row}
        for session, part in parts
        for row in part.records()
    )
    return table_of("files", tr_in("file_tables", "Files"), (_TEAM, _SESSION, *columns.values()), rows)


# Clause: platform §7 exports, R 6.10, R 7.12
def board(
    rows: Sequence[Row], names: Mapping[str, str], rules: BoardRules, present: frozenset[str] = frozenset()
) -> Table:
    """Return a leaderboard with the teams' names; single numbers of the track have columns of their own.

    The number by which it ranks is in a column of the board's key.
    """
    records = [{**_of_board(row, present), rules.key: row.value, "team": names[row.entry.team_id]} for row in rows]
    value = number_column(rules.key, rules.measure)
    own = sorted({name for row in rows for name in _single(row.entry.result)} - {value.name})
    name = column("team", tr("Name"))
    columns = (_PLACE, _PLACE_TO, _TEAM, name, _SESSION, *_ANSWERED, value, _BARRIER, *_AUDIT, _BASELINE)
    measures = (number_column(name, Text(name, name)) for name in own)
    closed = moment_column("closed_at", tr("Closed"))
    version = number_column("parameters_version", tr("Parameters"))
    title = tr("Leaderboard")
    references = column("references", tr("References"))
    return table_of("board", title, (*columns, *measures, closed, version, references), iter(records))


def _of_board(row: Row, present: frozenset[str]) -> dict[str, Any]:
    entry = row.entry
    return {
        **_single(entry.result),
        "place": None if row.is_baseline else row.place,
        "place_to": None if row.is_baseline else row.place_to,
        "baseline": row.is_baseline,
        "team_id": entry.team_id,
        "session_id": entry.session_id,
        "answered": entry.answered,
        "files": entry.whole,
        "barrier": row.overcame,
        **_audited(leaderboard.abstention(entry.result)),
        "closed_at": iso(entry.closed_at),
        "parameters_version": entry.parameters_version,
        "references": leaderboard.state_of_references(entry, present),
    }


def _single(result: Any) -> dict[str, Any]:
    """Return a track's numbers that are no groups."""
    values = result.items() if isinstance(result, Mapping) else ()
    return {name: value for name, value in values if isinstance(value, int | float) and not isinstance(value, bool)}


def _audited(audit: Mapping[str, Any] | None) -> dict[str, Any]:
    return {f"audit_{name}": value for name, value in (audit or {}).items()}


# Clause: R 8.3.1
def of_record(record: Mapping[str, Any]) -> tuple[Table, ...]:
    """Return the commission's tables: teams, annulments with evidence, decisions, protocols, results, log."""
    of_results = (_PLACE, _TEAM, _SESSION, *_ANSWERED, _VALUE, _BARRIER, *_AUDIT)
    results = ({**result, **_audited(result["audit"])} for result in record["results"] or ())
    of_log = (*_WHEN, column("what", tr("What")), column("before", tr("Before")), column("after", tr("After")))
    log = ({**change, "before": _json(change["before"]), "after": _json(change["after"])} for change in record["log"])
    return (
        _teams(record),
        _annulled(record),
        _slow_bodies(record),
        _decisions(record),
        _protocols(record),
        _conclusions(record),
        table_of("results", tr("Results and abstention audit"), of_results, results),
        table_of("log", tr("Log of changes"), of_log, log),
    )


def _teams(record: Mapping[str, Any]) -> Table:
    title = tr("Teams and their annulments")
    causes = (number_column(cause.value, tr("Annulled: {title}", title=title)) for cause, title in _CAUSES.items())
    columns = (
        _TEAM,
        _SESSION,
        code_column("state", tr("State")),
        number_column("answered", tr("Answered")),
        number_column("late", tr("Of the annulled, late")),
        *causes,
        number_column("voided_share", tr("Share missed")),
        column("solution_voided", tr("Solution annulled"), CellKind.TRUTH),
        column("client", tr("Program")),
    )
    return table_of("teams", title, columns, map(_team, record["sessions"]))


def _team(session: Mapping[str, Any]) -> dict[str, Any]:
    by_cause = {cause: voided["files"] for cause, voided in session["voided"]["by_cause"].items()}
    client = session["client"] or {}
    return {
        **session,
        **by_cause,
        "answered": session["counts"]["answered"],
        "late": session["counts"]["late"],
        "voided_share": session["solution"]["voided_share"],
        "solution_voided": session["solution"]["voided"],
        "client": " ".join(str(client[name]) for name in ("name", "version") if client.get(name)) or None,
    }


def _annulled(record: Mapping[str, Any]) -> Table:
    title = tr("Annulled files")
    columns = (
        _TEAM,
        number_column("number", tr("No.")),
        column("file_id", tr("File")),
        code_column("cause", tr("Cause")),
        column("evidence", tr("Evidence")),
        moment_column("opens_at", tr("Opened")),
        moment_column("asked_at", tr("Asked for")),
        moment_column("handed_out_at", tr("Handed out")),
        moment_column("answer_by", tr("Answer by")),
        moment_column("answered_at", tr_in("file_tables", "Answered")),
    )
    rows = (
        {**file, "team_id": session["team_id"], "evidence": _json(file["evidence"])}
        for session in record["sessions"]
        for file in session["annulled"]
    )
    return table_of("annulled", title, columns, rows)


# Clause: platform §3 body
def _slow_bodies(record: Mapping[str, Any]) -> Table:
    """Return answers that were complete more than a second after their headers."""
    title = tr("Answers with slow bodies")
    columns = (
        _TEAM,
        number_column("number", tr("No.")),
        column("file_id", tr("File")),
        moment_column("answered_at", tr_in("file_tables", "Answered")),
        number_column("body_ms", tr("From headers to body, ms")),
    )
    rows = (
        {**file, "team_id": session["team_id"]} for session in record["sessions"] for file in session["slow_bodies"]
    )
    return table_of("slow_bodies", title, columns, rows)


def _decisions(record: Mapping[str, Any]) -> Table:
    columns = (
        number_column("number", tr("No.")),
        code_column("kind", tr("Decision")),
        *_WHEN,
        moment_column("effective_at", tr("In effect")),
        column("reason", tr_in("file_tables", "Reason")),
        column("details", tr("Details")),
    )
    rows = ({**decision, "details": _json(decision["details"])} for decision in record["decisions"])
    return table_of("decisions", tr("Decisions about the run"), columns, rows)


# Clause: R 8.3.3, R 8.3.4, D 11.2, D 11.3, D 11.4
def _protocols(record: Mapping[str, Any]) -> Table:
    """Return the statements of judges and commission about the run itself."""
    title = tr("Protocols of judges and commission")
    columns = (
        number_column("number", tr("No.")),
        code_column("by", tr("Side")),
        code_column("matter", tr("About")),
        column("positive", tr("Positive"), CellKind.TRUTH),
        column("current", tr("About the present results"), CellKind.TRUTH),
        *_WHEN,
        column("reason", tr("Protocol")),
    )
    return table_of("protocols", title, columns, record["protocols"])


def _conclusions(record: Mapping[str, Any]) -> Table:
    title = tr("Rulings on conclusions")
    columns = (
        _TEAM,
        _SESSION,
        code_column("step", tr("Step")),
        column("positive", tr_in("file_tables", "Positive"), CellKind.TRUTH),
        moment_column("at", tr("When")),
        column("person_id", tr("Who")),
        column("reason", tr("Protocol")),
    )
    rulings = (
        {**ruling, "team_id": conclusion["team_id"], "session_id": conclusion["session_id"]}
        for conclusion in record["conclusions"]
        for ruling in conclusion["rulings"]
    )
    return table_of("conclusions", title, columns, rulings)


def _json(value: Any) -> str | None:
    return json.dumps(value, ensure_ascii=False, sort_keys=True) if value else None
