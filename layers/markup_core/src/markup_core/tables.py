"""Values as people read them: numbers, tables and bars in a terminal, in Markdown and in a notebook."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any, Final

UNDEFINED = "—"


def table(title: str, headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Write a titled table in HTML; numbers flush right with two decimals, None as a dash."""
    from html import escape

    head = "".join(f"<th>{escape(heading)}</th>" for heading in headings)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return f"<table><caption>{escape(title)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: object) -> str:
    if value is None:
        return f'<td style="text-align:right">{UNDEFINED}</td>'
    if isinstance(value, int | float):
        return f'<td style="text-align:right">{value if isinstance(value, int) else _with_decimals(value)}</td>'
    from html import escape

    return f"<td>{escape(str(value))}</td>"


_BAR: Final = 40
"""Characters of a bar of 100 per cent."""

Row = Sequence[str]


def decimal(text: str, language: str) -> str:
    """Write a formatted number as people of a language do: Russian has a decimal comma."""
    return text.replace(".", ",") if language == "ru" else text


def _with_decimals(percentage: float) -> str:
    from markup_core.rounding import PERCENT_PLACES, fixed  # a table of words needs none

    return fixed(percentage, PERCENT_PLACES)


def percent(value: float | None, language: str) -> str:
    """Write a percentage with its decimals; undefined is a dash, never 0."""
    return UNDEFINED if value is None else decimal(_with_decimals(value), language)


def p_text(p: float | None) -> str:
    """Write a p with four decimals; undefined is a dash."""
    return UNDEFINED if p is None else f"{p:.4f}"


def interval(ends: Sequence[float] | None, language: str) -> str:
    """Write an interval as ``low – high``."""
    return UNDEFINED if ends is None else " – ".join(percent(end, language) for end in ends)


def bar(value: float | None, limit: float = 150.0) -> str:
    """Draw a bar as long as the percentage, 40 characters for 100; cut at ``limit``, with an arrow."""
    if value is None:
        return ""
    drawn = "█" * round(min(value, limit) * _BAR / 100)
    return f"{drawn}→" if value > limit else drawn


def text_table(headings: Row, rows: Iterable[Row], right: Iterable[int] = ()) -> str:
    """Write columns two blanks apart under a ruled heading; columns whose index is in ``right`` are flush right."""
    table = [[_one_line(cell) for cell in row] for row in (headings, *rows)]
    cell_widths = [[_width(cell) for cell in row] for row in table]
    widths = [max(column) for column in zip(*cell_widths, strict=True)]
    flush = frozenset(right)
    lines = []
    for row, columns in zip(table, cell_widths, strict=True):
        blanks = [" " * (width - own) for own, width in zip(columns, widths, strict=True)]
        cells = enumerate(zip(row, blanks, strict=True))
        lines.append(
            "  ".join(blank + cell if number in flush else cell + blank for number, (cell, blank) in cells).rstrip()
        )
    return "\n".join([lines[0], "  ".join("─" * width for width in widths), *lines[1:]])


def markdown_table(headings: Row, rows: Iterable[Row], right: Iterable[int] = ()) -> str:
    """Write the rows as a Markdown table."""
    flush = frozenset(right)
    rule = ["---:" if number in flush else "---" for number in range(len(headings))]
    lines = [[_escaped(cell) for cell in headings], rule, *([_escaped(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def shortened(text: str, width: int = 40) -> str:
    """Return a text on one line, cut to ``width`` characters."""
    line = _one_line(text)
    return line if len(line) <= width else f"{line[: width - 1]}…"


def _one_line(cell: Any) -> str:
    """Replace control characters, which would move the cursor or colour the terminal."""
    text = str(cell)
    return text if text.isprintable() else "".join(char if char.isprintable() else " " for char in text)


_NARROW: Final = re.compile(r"[ -~А-яЁё«»–—…]*")
"""Texts of characters that all take one column."""


def _width(text: str) -> int:
    """Count the columns of a terminal: wide characters take two, combining ones none."""
    if text.isascii() or _NARROW.fullmatch(text):
        return len(text)
    return sum(0 if unicodedata.combining(char) else 1 + (unicodedata.east_asian_width(char) in "WF") for char in text)


def _escaped(cell: str) -> str:
    return _one_line(cell).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
