"""Tables of a session's files, of a run's files and of the commission.

A session's report lists every file with its times and every metric, and has the track's own tables (R 6.5.1, 6.5.2). A
run's tables list every file of every team; the commission has its own (R 8.3).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from contest.results.rules import leaderboard
from contest.results.rules.leaderboard import Row
from contest.session.rules.delivery import Cause
from contest.tables import Column, Kind, Table, codes, column, moments, numbers, picked
from contest.values import iso
from tracks.protocol import Text, in_language
from tracks.rules import BoardRules

FILES: Final = "files"
"""Key of the track's table that has a row a file, by the file's opaque name."""
_TITLE: Final = Text(en="Files", ru="Файлы")
ITEMS: Final = "items"
_ITEMS_TITLE: Final = Text(en="Items", ru="Элементы")
_OF_AN_ITEM: Final = (
    column("item", "Item", "Элемент"),
    codes("state", "State", "Состояние"),
    column("remarks", "Remarks (English)", "Замечания (англ.)"),
    column("remarks_ru", "Remarks (Russian)", "Замечания"),
)
_ALWAYS: Final = (
    numbers("number", "No.", "№"),
    column("file_id", "File", "Файл"),
    column("language", "Language", "Язык"),
    column("group", "Type", "Тип"),
    codes("state", "State", "Состояние"),
    codes("cause", "Cause", "Причина"),
)
_IN_A_RUN: Final = (
    moments("opens_at", "Opened", "Открыт"),
    moments("asked_at", "Asked for", "Запрошен"),
    numbers("delay_ms", "Delay of the hand-out, ms", "Задержка выдачи, мс"),
)
_ANSWERS: Final = (
    moments("handed_out_at", "Handed out", "Выдан"),
    moments("answer_by", "Answer by", "Срок ответа"),
    moments("answered_at", "Answered", "Ответ получен"),
    numbers("processing_ms", "Processing, ms", "Обработка, мс"),
    numbers("send", "Send", "Отправка"),
    column("content_sha256", "SHA-256 of the answer", "SHA-256 ответа"),
)


def of_report(report: Mapping[str, Any]) -> tuple[Table, ...]:
    """Return the table of a session's files or a submission's items, then the track's other tables. O(files).

    Clause: R 6.5, R 6.5.2, R 7.11
    """
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


def items(report: Mapping[str, Any]) -> Table:
    """Return a submission's items by id: measures, missing answers and remarks.

    Clause: TS T10, TS T13
    """
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


def session_files(report: Mapping[str, Any]) -> Table:
    """Return every file of the session with every metric, in their order; metrics are empty until published.

    Clause: R 6.5.2
    """
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
    return ((place, column) for place, column in enumerate(table.columns) if place and column.kind is Kind.NUMBER)


def _column(place: int, title: Mapping[str, str], rows: Sequence[tuple[Any, ...]]) -> Column:
    """Return a column; of numbers if no cell is anything else, even if it has no value."""
    cells = [row[place] for row in rows if row[place] is not None]
    kind = Kind.BOTH if any(in_language(cell, "en") != cell for cell in cells) else Kind.TEXT
    if all(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in cells):
        kind = Kind.NUMBER
    return Column(title["en"], Text(**title), kind)


_TEAM: Final = column("team_id", "Team", "Команда")
_SESSION: Final = column("session_id", "Session", "Сессия")
_PLACE: Final = numbers("place", "Place", "Место")
_PLACE_TO: Final = numbers("place_to", "Place, to", "Место, по")
_VALUE: Final = numbers("value", "Result", "Результат")
_BARRIER: Final = column("barrier", "Barrier overcome", "Барьер преодолён", Kind.TRUTH)
_AUDIT: Final = (
    numbers("audit_relative_accuracy", "Missed files as zeros, %", "С нулями за пропущенные, %"),
    numbers("audit_difference", "Difference", "Разница"),
    column("audit_flagged", "Large difference", "Большая разница", Kind.TRUTH),
)
_ANSWERED: Final = (numbers("answered", "Answered", "С ответом"), numbers("files", "Files", "Файлов"))
_CAUSES: Final = {
    Cause.TEAM_LATE: ("team late", "опоздание команды"),
    Cause.TEAM_INVALID: ("team invalid", "неверный ответ команды"),
    Cause.NETWORK: ("network", "сеть"),
    Cause.PLATFORM: ("platform", "платформа"),
    Cause.ORGANIZER_DECISION: ("organizers' decision", "решение Оргкомитета"),
}
_WHEN: Final = (moments("at", "When", "Когда"), column("who", "Who", "Кто"))


def files(reports: Sequence[Mapping[str, Any]]) -> Table:
    """Return every file of every team of a run, with every published metric. O(teams · files).

    Clause: platform §7 exports
    """
    parts = [(report["session"], session_files(report)) for report in reports]
    columns: dict[str, Column] = {column.name: column for _, part in parts for column in part.columns}
    rows = (
        {"team_id": session["team_id"], "session_id": session["session_id"], **row}
        for session, part in parts
        for row in part.records()
    )
    return picked("files", Text(en="Files", ru="Файлы"), (_TEAM, _SESSION, *columns.values()), rows)


def board(
    rows: Sequence[Row], names: Mapping[str, str], rules: BoardRules, present: frozenset[str] = frozenset()
) -> Table:
    """Return a leaderboard with the teams' names; single numbers of the track have columns of their own.

    What it ranks by is in a column of the board's key.

    Clause: platform §7 exports, R 6.10, R 7.12
    """
    records = [{**_of_board(row, present), rules.key: row.value, "team": names[row.entry.team_id]} for row in rows]
    value = numbers(rules.key, rules.measure.en, rules.measure.ru)
    own = sorted({name for row in rows for name in _single(row.entry.result)} - {value.name})
    name = column("team", "Name", "Название")
    columns = (_PLACE, _PLACE_TO, _TEAM, name, _SESSION, *_ANSWERED, value, _BARRIER, *_AUDIT)
    measures = (numbers(name, name, name) for name in own)
    closed = moments("closed_at", "Closed", "Завершена")
    version = numbers("parameters_version", "Parameters", "Параметры")
    title = Text(en="Leaderboard", ru="Лидерборд")
    references = column("references", "References", "Эталоны")
    return picked("board", title, (*columns, *measures, closed, version, references), iter(records))


def _of_board(row: Row, present: frozenset[str]) -> dict[str, Any]:
    entry = row.entry
    return {
        **_single(entry.result),
        "place": row.place,
        "place_to": row.place_to,
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


def of_record(record: Mapping[str, Any]) -> tuple[Table, ...]:
    """Return the commission's tables: teams, annulments with causes and evidence, decisions, protocols, results, log.

    Clause: R 8.3.1
    """
    return (
        _teams(record),
        _annulled(record),
        _slow_bodies(record),
        _decisions(record),
        _protocols(record),
        _conclusions(record),
        _results(record),
        _log(record),
    )


def _teams(record: Mapping[str, Any]) -> Table:
    title = Text(en="Teams and their annulments", ru="Команды и аннулирования")
    causes = (numbers(cause.value, f"Annulled: {en}", f"Аннулировано: {ru}") for cause, (en, ru) in _CAUSES.items())
    columns = (
        _TEAM,
        _SESSION,
        codes("state", "State", "Состояние"),
        numbers("answered", "Answered", "С ответом"),
        numbers("late", "Of the annulled, late", "Из аннулированных с опозданием"),
        *causes,
        numbers("voided_share", "Share missed", "Доля пропущенных"),
        column("solution_voided", "Solution annulled", "Решение аннулировано", Kind.TRUTH),
        column("client", "Program", "Программа"),
    )
    return picked("teams", title, columns, map(_team, record["sessions"]))


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
    title = Text(en="Annulled files", ru="Аннулированные файлы")
    columns = (
        _TEAM,
        numbers("number", "No.", "№"),
        column("file_id", "File", "Файл"),
        codes("cause", "Cause", "Причина"),
        column("evidence", "Evidence", "Основание"),
        moments("opens_at", "Opened", "Открыт"),
        moments("asked_at", "Asked for", "Запрошен"),
        moments("handed_out_at", "Handed out", "Выдан"),
        moments("answer_by", "Answer by", "Срок ответа"),
        moments("answered_at", "Answered", "Ответ получен"),
    )
    rows = (
        {**file, "team_id": session["team_id"], "evidence": _json(file["evidence"])}
        for session in record["sessions"]
        for file in session["annulled"]
    )
    return picked("annulled", title, columns, rows)


def _slow_bodies(record: Mapping[str, Any]) -> Table:
    """Return answers that were complete more than a second after their headers.

    Clause: platform §3 body
    """
    title = Text(en="Answers with slow bodies", ru="Ответы с поздним телом")
    columns = (
        _TEAM,
        numbers("number", "No.", "№"),
        column("file_id", "File", "Файл"),
        moments("answered_at", "Answered", "Ответ получен"),
        numbers("body_ms", "From headers to body, ms", "От заголовков до тела, мс"),
    )
    rows = (
        {**file, "team_id": session["team_id"]} for session in record["sessions"] for file in session["slow_bodies"]
    )
    return picked("slow_bodies", title, columns, rows)


def _decisions(record: Mapping[str, Any]) -> Table:
    columns = (
        numbers("number", "No.", "№"),
        codes("kind", "Decision", "Решение"),
        *_WHEN,
        moments("effective_at", "In effect", "Действует с"),
        column("reason", "Reason", "Обоснование"),
        column("details", "Details", "Подробности"),
    )
    rows = ({**decision, "details": _json(decision["details"])} for decision in record["decisions"])
    return picked("decisions", Text(en="Decisions about the run", ru="Решения о прогоне"), columns, rows)


def _protocols(record: Mapping[str, Any]) -> Table:
    """Return the statements of judges and commission about the run itself.

    Clause: R 8.3.3, R 8.3.4, D 11.2, D 11.3, D 11.4
    """
    title = Text(en="Protocols of judges and commission", ru="Протоколы судейской коллегии и технической комиссии")
    columns = (
        numbers("number", "No.", "№"),
        codes("by", "Side", "Сторона"),
        codes("matter", "About", "О чём"),
        column("positive", "Positive", "Положительный", Kind.TRUTH),
        column("current", "About the present results", "О нынешних результатах", Kind.TRUTH),
        *_WHEN,
        column("reason", "Protocol", "Протокол"),
    )
    return picked("protocols", title, columns, record["protocols"])


def _conclusions(record: Mapping[str, Any]) -> Table:
    title = Text(en="Rulings on conclusions", ru="Решения по заключениям о готовности")
    columns = (
        _TEAM,
        _SESSION,
        codes("step", "Step", "Шаг"),
        column("positive", "Positive", "Положительное", Kind.TRUTH),
        moments("at", "When", "Когда"),
        column("person_id", "Who", "Кто"),
        column("reason", "Protocol", "Протокол"),
    )
    rulings = (
        {**ruling, "team_id": conclusion["team_id"], "session_id": conclusion["session_id"]}
        for conclusion in record["conclusions"]
        for ruling in conclusion["rulings"]
    )
    return picked("conclusions", title, columns, rulings)


def _results(record: Mapping[str, Any]) -> Table:
    columns = (_PLACE, _TEAM, _SESSION, *_ANSWERED, _VALUE, _BARRIER, *_AUDIT)
    rows = ({**result, **_audited(result["audit"])} for result in record["results"] or ())
    return picked("results", Text(en="Results and abstention audit", ru="Результаты и аудит пропусков"), columns, rows)


def _log(record: Mapping[str, Any]) -> Table:
    columns = (
        *_WHEN,
        column("what", "What", "Что"),
        column("before", "Before", "До"),
        column("after", "After", "После"),
    )
    rows = ({**change, "before": _json(change["before"]), "after": _json(change["after"])} for change in record["log"])
    return picked("log", Text(en="Log of changes", ru="Журнал изменений"), columns, rows)


def _json(value: Any) -> str | None:
    return json.dumps(value, ensure_ascii=False, sort_keys=True) if value else None
