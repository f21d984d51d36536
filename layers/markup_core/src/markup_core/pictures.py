"""Pictures of results: whiskers of accuracies and of differences, heat maps of agreement, types of errors.

Each is drawn from a frame of the result (:mod:`markup_core.frames`) and has its signature below.

**Decision**: a heat map shows the :data:`MOST_CODES` codes that occur most often (equally frequent ones by the
alphabet), and its description names how many others there are. Without a fragment there is a picture without cells.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from markup_core.accuracy import WHOLE
from markup_core.charts import Bar, Numbers, Picture, bars, heat_map, stacked
from markup_core.frames import Frame
from markup_core.tables import UNDEFINED

MOST_CODES: Final = 20
_NUMBERS: Final = Numbers()


def of_accuracies(frame: Frame, measure: str, title: str, numbers: Numbers = _NUMBERS) -> Picture:
    """Draw one measure of all parts of a sample with its intervals, with a line at 100 per cent for OTAR."""
    rows = [row for row in frame.rows() if row["measure"] == measure]
    names = [row["name"] if row["part"] in ("all", "metric") else f"{row['part']} {row['name']}" for row in rows]
    drawn = [Bar(name, row["value"], _interval(row)) for name, row in zip(names, rows, strict=True)]
    mark = WHOLE if measure == "OTAR" else None
    return _alone(title, bars(title, drawn, "whiskers", mark, numbers), rows)


def of_differences(frame: Frame, title: str, numbers: Numbers | None = None) -> Picture:
    """Draw the differences of two systems with their intervals."""
    rows = list(frame.rows())
    drawn = [Bar(f"{row['measure']} ({row['essays']})", row["difference"], _interval(row)) for row in rows]
    return _alone(title, bars(title, drawn, "differences", None, numbers or _NUMBERS), rows)


def of_couples(frame: Frame, title: str, numbers: Numbers = _NUMBERS) -> Picture:
    """Draw the mean pair accuracy of each couple of experts as a heat map, symmetric, without a diagonal."""
    rows = list(frame.rows())
    cells = {}
    for row in rows:
        one, other = (f"{row[name]:02}" for name in ("first", "second"))
        cells[one, other] = cells[other, one] = row["pair_accuracy"]
    names = sorted({name for couple in cells for name in couple})
    return _alone(title, heat_map(title, names, names, cells, "couples", numbers), rows)


def of_confusion(frame: Frame, title: str) -> Picture:
    """Draw the codes of the reference (rows) against the other's (columns), the most frequent codes alone."""
    rows = list(frame.rows())
    names = _frequent(rows)
    codes = [
        *names[:MOST_CODES],
        *([UNDEFINED] if any(None in (row["reference"], row["other"]) for row in rows) else []),
    ]
    cells = {(row["reference"] or UNDEFINED, row["other"] or UNDEFINED): float(row["times"]) for row in rows}
    cells = {place: times for place, times in cells.items() if {*place} <= {*codes}}
    more = f" (+ {len(names) - MOST_CODES})" if len(names) > MOST_CODES else ""
    return _alone(f"{title}{more}", heat_map(title, codes, codes, cells, "confusion", Numbers(0)), rows)


def of_error_types(frame: Frame, title: str, parts: Sequence[str]) -> Picture:
    """Draw for each code its agreed, otherwise coded, missed and added fragments, the most frequent code first.

    A fragment that the other coded otherwise stands at the reference's code, an added one at its own.
    """
    rows = list(frame.rows())
    counts = {name: [0, 0, 0, 0] for name in _frequent(rows)}
    for row in rows:
        reference, other = row["reference"], row["other"]
        part = 3 if reference is None else 2 if other is None else int(reference != other)
        counts[reference or other][part] += row["times"]
    drawn = [(name, numbers) for name, numbers in counts.items() if any(numbers)]
    return _alone(title, stacked(title, parts, drawn, "types"), rows)


def _frequent(rows: Sequence[dict[str, Any]]) -> list[str]:
    times: Counter[str] = Counter()
    for row in rows:
        for name in {row["reference"], row["other"]} - {None}:
            times[name] += row["times"]
    return sorted(times, key=lambda name: (-times[name], name))


def _interval(row: dict[str, Any]) -> tuple[float, float] | None:
    return None if row["low"] is None else (row["low"], row["high"])


def _alone(title: str, chart: str, rows: Sequence[dict[str, Any]]) -> Picture:
    """Put the chart above the signature of its first row; several measures differ in their name alone."""
    signed = (rows[0]["signature"] if rows else None) or ""
    parts = signed.split("|")
    several = len({row["signature"] for row in rows}) > 1
    return Picture.alone(
        title, chart, "|".join(part for part in parts if not several or not part.startswith("measure:"))
    )
