"""Values as a notebook shows them: small tables and bars, everything escaped. Jupyter asks for ``_repr_html_``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from markup_core.rounding import PERCENT_PLACES, fixed

UNDEFINED = "—"
WHOLE = 100.0
"""Per cent of a whole."""
_NAMES, _WIDE, _NUMBERS, _ROW = 180, 300, 60, 22
"""Pixels of the names on the left, of the longest bar, of its number, and of a bar's row."""


def table(title: str, headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A titled table; numbers flush right with two decimals, None as a dash."""
    head = "".join(f"<th>{escape(each)}</th>" for each in headings)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return f"<table><caption>{escape(title)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def bars(title: str, values: Iterable[tuple[str, float | None]], line: float) -> str:
    """Percentages as bars in SVG, with a line where ``line`` per cent are; an undefined one has a dash and no bar.

    The drawing is as wide as the greatest of them, and names what it shows for those who do not see it.
    """
    listed = list(values)
    widest = max([line, *(value for _, value in listed if value is not None)])
    scale, height = _WIDE / widest, _ROW * len(listed)
    drawn = []
    for number, (name, value) in enumerate(listed):
        shown = UNDEFINED if value is None else fixed(value, PERCENT_PLACES)
        middle = number * _ROW + _ROW // 2
        length = 0.0 if value is None else max(value, 0.0) * scale
        drawn += [
            f'<text x="{_NAMES - 6}" y="{middle}" text-anchor="end" dominant-baseline="middle">{escape(name)}</text>',
            f'<rect x="{_NAMES}" y="{number * _ROW + 3}" width="{length:.1f}" height="{_ROW - 6}" fill="#4c78a8"/>',
            f'<text x="{_NAMES + length + 6:.1f}" y="{middle}" dominant-baseline="middle">{shown}</text>',
        ]
    place = f"{_NAMES + line * scale:.1f}"
    drawn.append(f'<line x1="{place}" y1="0" x2="{place}" y2="{height}" stroke="currentColor" stroke-dasharray="4 3"/>')
    head = f'<svg role="img" width="{_NAMES + _WIDE + _NUMBERS}" height="{height}" font-size="13" fill="currentColor">'
    return f"{head}<title>{escape(title)}</title>{''.join(drawn)}</svg>"


def _cell(value: object) -> str:
    if value is None:
        return f'<td style="text-align:right">{UNDEFINED}</td>'
    if isinstance(value, int | float):
        return f'<td style="text-align:right">{value if isinstance(value, int) else fixed(value, PERCENT_PLACES)}</td>'
    return f"<td>{escape(str(value))}</td>"
