"""Files as answers, CSV and XLSX, in the language of their reader.

Tables are CSV (RFC 4180) or XLSX; no cell is a formula, whatever its author wrote. Files and pages are compressed where
the client accepts it, and refused where they would not fit.

**Decision**: CSV is UTF-8 with a byte order mark, without which Excel misreads Cyrillic letters; its first line has the
columns' stable names. In XLSX the titles are in the reader's language, numbers are numbers, every text is written as
text, and moments stay ISO 8601 in UTC: Excel's own have no zone. Numbers have 15 significant digits there, as many as
Excel keeps; CSV and JSON have all. Line ends in a cell are LF, as Excel's own.
"""

from __future__ import annotations

import base64
import csv
import gzip
import io
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from http import HTTPStatus
from typing import Annotated, Any, Final, Literal

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response, content_types
from aws_lambda_powertools.event_handler.openapi.params import Header, Query

from contest.edge.web import CSV, XLSX, Reply
from contest.errors import ExportTooLargeError
from contest.texts import tr, tr_in
from contest.values import CellKind, Column, Scalar, Table, harmless
from markup_core.lazy import dataclass
from tracks.protocol import Text
from tracks.protocol import in_language as one_of_both

Language = Literal["ru", "en"]
USUAL: Final[Language] = "ru"
"""Language of a reader who states none."""
Wanted = Annotated[Language | None, Query(description="Language of texts for people; by default the reader's")]
Accepted = Annotated[str | None, Header(alias="Accept-Language", description="Languages the reader prefers (RFC 9110)")]
_RANGE: Final = re.compile(r"\s*([a-z]{1,8})(?:-[a-z0-9]+)*\s*(?:;\s*q=([01](?:\.\d{0,3})?)\s*)?", re.IGNORECASE)

WORDS: Final[Mapping[str, Text]] = {
    "waiting": tr("waiting"),
    "open": tr("open"),
    "answered": tr("answered"),
    "voided": tr("annulled"),
    "team_late": tr("team late"),
    "team_invalid": tr("invalid answer"),
    "network": tr("network"),
    "platform": tr("platform"),
    "organizer_decision": tr("organizers' decision"),
    "finished": tr("finished"),
    "aborted": tr("aborted"),
    "stopped": tr("stopped"),
    "timed_out": tr("timed out"),
    "algorithmic": tr("algorithmic qualification"),
    "technical": tr("technical qualification"),
    "final": tr_in("languages", "final"),
    "answers": tr("file of answers"),
    "program": tr("program"),
    "missing": tr("no answer"),
    "all": tr("all"),
    "pause": tr("pause"),
    "resume": tr("resumption"),
    "stop": tr("stop"),
    "void": tr("annulment for everybody"),
    "replace": tr("replacement"),
    "rule": tr("ruling"),
    "admit": tr("late admission"),
    "undo": tr("taken back"),
    "judgement": tr("judges"),
    "total": tr("total points differ"),
    "criterion": tr("points of a criterion differ"),
    "zero": tr("one gave no points"),
    "count": tr("points of several criteria differ"),
    "verification": tr("commission"),
}
"""Words for the platform's codes; a code without words is shown as it is."""


# Clause: R 2.18
def language_of(requested: Language | None, accepted: str | None) -> Language:
    """Return the requested language, or the one of ours that ``Accept-Language`` prefers; of equal ones the first."""
    if requested is not None:
        return requested
    weights: dict[Language, float] = {}
    for part in (accepted or "").split(","):
        match = _RANGE.fullmatch(part)
        for ours in ("ru", "en"):
            if match and match[1].lower() == ours:
                weights.setdefault(ours, float(match[2] or 1))
    best = max(weights, key=lambda language: weights[language], default=USUAL)
    return best if weights.get(best, 1) > 0 else USUAL


def in_language(text: Text, language: Language) -> str:
    """Return a text in a language."""
    return text.ru if language == "ru" else text.en


def code_in_words(code: str, language: Language) -> str:
    """Return a code in words."""
    text = WORDS.get(code)
    return code if text is None else in_language(text, language)


def cell_text(column: Column, value: str, language: Language) -> str:
    """Return a text of a table's cell for a reader of one language."""
    if column.kind is CellKind.CODE:
        return code_in_words(value, language)
    return str(one_of_both(value, language)) if column.kind is CellKind.BOTH else value


_SHEET_NAME: Final = 31
"""Most characters of a sheet's name."""
_FORBIDDEN: Final = str.maketrans(dict.fromkeys("[]:*?/\\", " "))
_MOST_OF_A_CELL: Final = 32_767
"""Most characters of a cell of XLSX."""
_WIDTHS: Final = {
    CellKind.NUMBER: 14,
    CellKind.MOMENT: 25,
    CellKind.CODE: 18,
    CellKind.TRUTH: 12,
    CellKind.TEXT: 22,
    CellKind.BOTH: 22,
}
_MADE: Final = datetime(2000, 1, 1)  # noqa: DTZ001 -- a file's date that is always the same; the format has no zone
"""Fixed creation date of a file, so that equal tables have equal bytes."""


@dataclass(frozen=True, slots=True)
class _Formats:
    """Formats of a workbook: of headings, of texts that Excel could run as formulas, of fractions by their decimals."""

    head: Any
    quoted: Any
    fractions: Mapping[int, Any]


def written_csv(table: Table) -> bytes:
    """Write a table as CSV: numbers as they are, truths as true and false, undefined cells empty."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\r\n")
    rows.writerow(harmless(column.name) for column in table.columns)
    rows.writerows([_csv(value) for value in row] for row in table.rows)
    return out.getvalue().encode("utf-8-sig")


def _csv(value: Scalar) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return harmless(value) if isinstance(value, str) else repr(value)


def written_xlsx(tables: Sequence[Table], language: Language) -> bytes:
    """Write tables as the sheets of a workbook, each with a filter over its columns. O(cells)."""
    import xlsxwriter  # type: ignore[import-untyped]  # has no types; loaded by who needs it alone

    out = io.BytesIO()
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    with xlsxwriter.Workbook(out, options) as book:
        book.set_properties({"created": _MADE})
        head = book.add_format({"bold": True, "text_wrap": True, "valign": "top", "border": 1})
        # Text that would run as a formula once the cell is edited is marked as text and stays the same.
        quoted = book.add_format({"quote_prefix": True})
        # A cell has the whole value, shown with its column's decimals, which Excel rounds in the same way.
        places = {column.places for table in tables for column in table.columns if column.kind is CellKind.NUMBER}
        fractions = {count: book.add_format({"num_format": f"{0:.{count}f}"}) for count in sorted(places)}
        formats = _Formats(head, quoted, fractions)
        for number, table in enumerate(tables, start=1):
            name = in_language(table.title, language).translate(_FORBIDDEN)[:_SHEET_NAME].strip("'")
            if name.casefold() in map(str.casefold, book.sheetnames):
                name = f"{name[: _SHEET_NAME - 4]} {number}"
            _fill(book.add_worksheet(name), table, language, formats)
    return out.getvalue()


def _fill(sheet: Any, table: Table, language: Language, formats: _Formats) -> None:
    for place, column in enumerate(table.columns):
        sheet.set_column(place, place, _WIDTHS[column.kind])
        sheet.write_string(0, place, in_language(column.title, language), formats.head)
    for line, row in enumerate(table.rows, start=1):
        for place, (column, value) in enumerate(zip(table.columns, row, strict=True)):
            _write(sheet, (line, place), column, value, language, formats)
    sheet.freeze_panes(1, 0)
    if table.columns:
        sheet.autofilter(0, 0, len(table.rows), len(table.columns) - 1)


def _write(
    sheet: Any, at: tuple[int, int], column: Column, value: Scalar, language: Language, formats: _Formats
) -> None:
    if value is None:
        return
    if isinstance(value, bool):
        sheet.write_boolean(*at, value)
    elif isinstance(value, str):
        text = cell_text(column, value, language)
        lines = text.replace("\r\n", "\n").replace("\r", "\n")[:_MOST_OF_A_CELL]
        sheet.write_string(*at, lines, formats.quoted if harmless(text) != text else None)
    else:
        is_fraction = isinstance(value, float)
        number = float(f"{value:.15g}") if is_fraction else value
        sheet.write_number(*at, number, formats.fractions[column.places] if is_fraction else None)


LARGEST: Final = 4_400_000
"""Largest answer, in bytes: a function's 6 MB, less the third that base64 takes and a little for the headers."""


def table(app: APIGatewayHttpResolver, name: str, content: Table) -> Reply:
    """Return a table as a CSV file of this name."""
    return _file(app, written_csv(content), f"{CSV}; charset=utf-8", f"{name}.csv")


def workbook(app: APIGatewayHttpResolver, name: str, tables: Sequence[Table], language: Language) -> Reply:
    """Return tables as an XLSX file of that name."""
    return _file(app, written_xlsx(tables, language), XLSX, f"{name}.xlsx")


def json_text(app: APIGatewayHttpResolver, text: str) -> Reply:
    """Return a JSON answer that may be long."""
    return file_answer(app, text.encode("utf-8"), {"Content-Type": content_types.APPLICATION_JSON})


def _file(app: APIGatewayHttpResolver, content: bytes, media_type: str, name: str) -> Reply:
    """Return a file as an answer. ``name`` needs no quoting: ids have no such signs."""
    headers = {"Content-Type": media_type, "Content-Disposition": f'attachment; filename="{name}"'}
    return file_answer(app, content, headers)


def file_answer(app: APIGatewayHttpResolver, content: bytes, own: dict[str, str]) -> Reply:
    """Return content as an answer with these headers, compressed where the client takes that.

    :class:`ExportTooLargeError` for content that is too large for a function's answer.
    """
    headers: dict[str, str | list[str]] = {"Cache-Control": "no-store", "Vary": "Accept-Encoding", **own}
    if "gzip" in app.current_event.headers.get("accept-encoding", ""):
        content = gzip.compress(content, mtime=0)
        headers["Content-Encoding"] = "gzip"
    if len(content) > LARGEST:
        raise ExportTooLargeError.of(len(content), LARGEST)
    reply: Reply = Response(int(HTTPStatus.OK), None, base64.b64encode(content).decode("ascii"), headers)
    reply.base64_encoded = True  # set here: the router would take bytes for a text in UTF-8
    return reply
