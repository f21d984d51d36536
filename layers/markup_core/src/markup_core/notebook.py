"""Values as a notebook shows them: small tables in HTML, everything escaped. Jupyter asks for ``_repr_html_``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

UNDEFINED = "—"


def table(title: str, headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A titled table; numbers flush right with two decimals, None as a dash."""
    head = "".join(f"<th>{escape(each)}</th>" for each in headings)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return f"<table><caption>{escape(title)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: object) -> str:
    if value is None:
        return f'<td style="text-align:right">{UNDEFINED}</td>'
    if isinstance(value, int | float):
        return f'<td style="text-align:right">{value if isinstance(value, int) else f"{value:.2f}"}</td>'
    return f"<td>{escape(str(value))}</td>"
