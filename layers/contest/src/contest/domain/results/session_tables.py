"""Tables of a session's report (R 6.5.1, 6.5.2): every file with its times and every metric, and the track's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from contest.domain.tables import Column, Kind, Table, codes, column, moments, numbers
from tracks.protocol import Text, in_language

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
    others = (each for each in report["sections"] if each["key"] != FILES)
    return (_rows_of(report), *(section(each) for each in others))


def main(report: Mapping[str, Any]) -> Table:
    """Return the table that stands for a report where there is room for one.

    That of files or items; of a submission to a hidden set, whose report names none, the track's first one.
    """
    by_item = "session" in report or any(each["key"] == FILES for each in report["sections"])
    if by_item or not report["sections"]:
        return _rows_of(report)
    return section(report["sections"][0])


def _rows_of(report: Mapping[str, Any]) -> Table:
    return items(report) if "submission" in report else files(report)


def items(report: Mapping[str, Any]) -> Table:
    """Return the items that a submission's report tells of, by their ids: measures, what is missing, what is wrong.

    Clause: TS T10, TS T13
    """
    measures, measured = _measured(report)
    reasons: dict[str, list[Mapping[str, Any]]] = {}
    for each in (*report["invalid"], *report["warnings"]):
        reasons.setdefault(each["item"], []).extend(each["reasons"])
    missing = frozenset(report["missing"])
    rows = tuple(
        (
            name,
            "missing" if name in missing else "answered",
            "; ".join(each["message"] for each in reasons.get(name, ())) or None,
            "; ".join(each["message_ru"] for each in reasons.get(name, ())) or None,
            *measured.get(name, (None,) * len(measures)),
        )
        for name in sorted({*measured, *missing, *reasons})
    )
    return Table(ITEMS, _ITEMS_TITLE, (*_OF_AN_ITEM, *measures), rows)


def files(report: Mapping[str, Any]) -> Table:
    """Every file of the session with every metric, in the order of the files; metrics are empty until told.

    Clause: R 6.5.2
    """
    in_run = _IN_A_RUN if "run" in report else ()
    columns = (*_ALWAYS, *in_run, *_ANSWERS)
    measures, measured = _measured(report)
    rows = tuple(
        (*(each.get(known.name) for known in columns), *measured.get(each["file_id"], (None,) * len(measures)))
        for each in report["files"]
    )
    return Table(FILES, _TITLE, (*columns, *measures), rows)


def section(told: Mapping[str, Any]) -> Table:
    """One of the track's tables."""
    rows = tuple(tuple(row) for row in told["rows"])
    columns = tuple(
        replace(_column(place, title, rows), places=places)
        for place, (title, places) in enumerate(zip(told["columns"], told["places"], strict=True))
    )
    return Table(told["key"], Text(**told["title"]), columns, rows)


def _measured(report: Mapping[str, Any]) -> tuple[tuple[Column, ...], dict[str, tuple[Any, ...]]]:
    """The track's columns about files that are not the platform's, and their cells by the file's name."""
    for told in report["sections"]:
        if told["key"] == FILES:
            found = section(told)
            places = [place for place, _ in _own(found)]
            return (
                tuple(each for _, each in _own(found)),
                {str(row[0]): tuple(row[place] for place in places) for row in found.rows},
            )
    return (), {}


def _own(found: Table) -> Iterator[tuple[int, Column]]:
    return ((place, each) for place, each in enumerate(found.columns) if place and each.kind is Kind.NUMBER)


def _column(place: int, title: Mapping[str, str], rows: Sequence[tuple[Any, ...]]) -> Column:
    """A column of numbers where no cell is anything else; one without any value is taken for one, too."""
    cells = [row[place] for row in rows if row[place] is not None]
    kind = Kind.BOTH if any(in_language(each, "en") != each for each in cells) else Kind.TEXT
    if all(isinstance(each, int | float) and not isinstance(each, bool) for each in cells):
        kind = Kind.NUMBER
    return Column(title["en"], Text(**title), kind)
