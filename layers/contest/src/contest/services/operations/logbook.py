"""The log of what people changed, over days and by filters, in pages and as tables (platform §1)."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from contest.domain.moments import iso, utc_days
from contest.domain.people.teams import Change
from contest.errors.operations import LogRangeError
from contest.services.platform import Platform

LONGEST_DAYS: Final = 400
COLUMNS: Final = ("cursor", "at", "who", "what", "subject", "before", "after")
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""With what a cell begins that a spreadsheet would compute."""


@dataclass(frozen=True, slots=True)
class LogOrder:
    """Which entries: UTC days, both included; ``who`` and ``subject`` whole, ``what`` anywhere in the words."""

    first: str
    last: str
    who: str | None = None
    what: str | None = None
    subject: str | None = None

    def takes(self, change: Change) -> bool:
        """Whether an entry is one of these."""
        return (
            self.who in {None, change.who}
            and self.subject in {None, change.subject}
            and (self.what is None or self.what.lower() in change.what.lower())
        )


def entries(platform: Platform, order: LogOrder, limit: int, after: str | None) -> Sequence[tuple[str, Change]]:
    """The next entries, each with the cursor after which the following ones come. Fewer than ``limit``: no more follow.

    :class:`LogRangeError` for days in the wrong order, or too many. O(entries of the days up to the page's end).

    Clause: platform §1 audit
    """
    if order.last < order.first:
        raise LogRangeError.reversed_days(order.first, order.last)
    if _days(order) > LONGEST_DAYS:
        raise LogRangeError.longer_than(LONGEST_DAYS)
    found = platform.audit_log.between(order.first, order.last, after)
    return list(islice(((cursor, each) for cursor, each in found if order.takes(each)), limit))


def as_lines(found: Sequence[tuple[str, Change]]) -> str:
    """Entries as JSON, one a line."""
    return "".join(f"{json.dumps(dict(row), ensure_ascii=False)}\n" for row in _rows(found))


def as_csv(found: Sequence[tuple[str, Change]]) -> str:
    """Entries as CSV with a first line of names; what was and what is as JSON. No cell is a formula."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\r\n")
    table.writerow(COLUMNS)
    for row in _rows(found):
        cells = [value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) for _, value in row]
        table.writerow([f"'{cell}" if cell.startswith(_FORMULA) else cell for cell in cells])
    return text.getvalue()


def _rows(found: Sequence[tuple[str, Change]]) -> Iterator[list[tuple[str, object]]]:
    for cursor, each in found:
        values = (cursor, iso(each.at), each.who, each.what, each.subject, each.before, each.after)
        yield list(zip(COLUMNS, values, strict=True))


def _days(order: LogOrder) -> int:
    return sum(1 for _ in islice(utc_days(order.first, order.last), LONGEST_DAYS + 1))
