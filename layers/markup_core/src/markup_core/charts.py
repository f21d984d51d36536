"""Charts as SVG: bars with intervals, heat maps, stacked counts (R 6.5.1, 7.8, 7.10).

A chart is a part of a page: it has no style and no script of its own. The page's style colours its classes;
:class:`Picture` puts a chart into a document of its own. Every mark shows its numbers to a pointer, and the description
has all of them for readers who cannot see the picture.

**Pictures of results** are drawn from the rows of a frame (:mod:`markup_core.frames`): whiskers of accuracies and of
differences, heat maps of agreement, types of errors. Each has the frame's signature below.

**Decision**: a heat map shows the :data:`MOST_CODES` codes that occur most often (equally frequent ones by the
alphabet), and its description names how many others there are. Without a fragment there is a picture without cells.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import floor, log10
from pathlib import Path
from textwrap import wrap
from typing import Any, Final, Protocol
from xml.etree import ElementTree as ET

from markup_core.extras import needed
from markup_core.rounding import fixed

WIDTH: Final = 720
LEFT: Final = 190
RIGHT: Final = 90
TOP: Final = 26
ROW: Final = 22
_SPAN: Final = WIDTH - LEFT - RIGHT
_SHOWN: Final = 26
"""Letters of a name that are shown; the whole stands in the bar's title."""
STYLE: Final = """
.bars text{font:12px system-ui,sans-serif;fill:#1c1f24}.bars .grid{stroke:#d5d9e0}.bars .zero{stroke:#5b6470}
.bars .bar{fill:#1a66b8}.bars .reach{stroke:#1c1f24;stroke-width:1.5}.bars .mark{stroke:#b3261e;stroke-width:1.5}
"""
_ALONE: Final = f"""{STYLE}.bars .head{{font-size:15px;font-weight:600}}.bars .foot{{font-size:10px;fill:#5b6470}}
.bars .cell{{fill:#1a66b8;stroke:#d5d9e0}}.bars .light{{fill:#fff}}
.bars .part0{{fill:#1a66b8}}.bars .part1{{fill:#e0a100}}.bars .part2{{fill:#b3261e}}.bars .part3{{fill:#7b5aa6}}
"""
"""Style of a picture that stands alone: blue, yellow, red and violet differ for colour-blind readers, too."""
_CELL: Final = 34
_DARK: Final = 0.55
"""Darkness of a cell above which its number is white."""
_HEAD, _FOOT, _LETTERS = 32, 13, 118
"""Height of a picture's title, of a line of its signature, and the letters of that line."""

Cells = Mapping[tuple[str, str], float | None]
"""Values of a matrix by row and column."""


class Rows(Protocol):
    """A frame, as far as pictures need it."""

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield each row by its columns."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One row: a name, its value and 95 % interval; None where it is undefined."""

    name: str
    value: float | None
    interval: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Numbers:
    """Format of values: number of decimals, decimal sign, and the mark of an absent value."""

    digits: int = 2
    sign: str = "."
    undefined: str = "—"

    def value(self, value: float) -> str:
        """Write a value."""
        return fixed(value, self.digits).replace(".", self.sign)

    def whole(self, bar: Bar) -> str:
        """Write a row's value with its interval."""
        if bar.value is None:
            return self.undefined
        reach = "" if bar.interval is None else f" ({self.value(bar.interval[0])}…{self.value(bar.interval[1])})"
        return f"{self.value(bar.value)}{reach}"


def bars(title: str, rows: Sequence[Bar], key: str, mark: float | None = None, numbers: Numbers = Numbers()) -> str:
    """Draw the rows as an SVG element for a page. ``key`` keeps its ids apart from those of the page's other charts.

    ``mark``: a value across all rows, such as the barrier. O(rows).
    """
    scale = _Scale.of(rows, mark)
    bottom = TOP + max(len(rows), 1) * ROW
    root = _root(title, "; ".join(f"{bar.name}: {numbers.whole(bar)}" for bar in rows), key, bottom)
    for value in scale.ticks():
        _line(root, "zero" if value == 0 else "grid", scale.x(value), (TOP - 4, bottom))
        place = {"x": str(scale.x(value)), "y": str(TOP - 10), "text-anchor": "middle"}
        ET.SubElement(root, "text", place).text = f"{value:g}".replace(".", numbers.sign)
    for place_, bar in enumerate(rows):
        _row(root, bar, TOP + place_ * ROW, scale, numbers)
    if mark is not None:
        _line(root, "mark", scale.x(mark), (TOP - 4, bottom))
    return _written(root)


@dataclass(frozen=True, slots=True)
class _Scale:
    """Values to abscissas; 0 is always on it."""

    low: float
    high: float
    step: float

    @classmethod
    def of(cls, rows: Sequence[Bar], mark: float | None) -> _Scale:
        values = [bar.value for bar in rows if bar.value is not None]
        values += [end for bar in rows for end in bar.interval or ()]
        low, high = min([0.0, *values]), max([0.0, *values, *([] if mark is None else [mark])])
        rough = (high - low) / 5 or 0.2
        unit: float = 10.0 ** floor(log10(rough))
        # The nearest of 1, 2, 5 · 10ⁿ that is not smaller; one of them is.
        step = next(factor * unit for factor in (1, 2, 5, 10) if rough <= factor * unit * (1 + 1e-9))
        return cls(floor(low / step) * step, -floor(-high / step) * step or step, step)

    def x(self, value: float) -> float:
        return round(LEFT + _SPAN * (value - self.low) / (self.high - self.low), 2)

    def ticks(self) -> list[float]:
        return [
            round(self.low + number * self.step, 10) for number in range(round((self.high - self.low) / self.step) + 1)
        ]


def _row(root: ET.Element, bar: Bar, top: int, scale: _Scale, numbers: Numbers) -> None:
    group = ET.SubElement(root, "g")
    ET.SubElement(group, "title").text = f"{bar.name}: {numbers.whole(bar)}"
    ET.SubElement(group, "text", _right_of_names(top + 15)).text = _cut(bar.name)
    if bar.value is not None:
        ends = sorted((scale.x(0), scale.x(bar.value)))
        size = {"width": str(round(max(ends[1] - ends[0], 1), 2)), "height": "14"}
        ET.SubElement(group, "rect", {"class": "bar", "x": str(ends[0]), "y": str(top + 4), **size})
    if bar.interval is not None:
        low, high = (scale.x(end) for end in bar.interval)
        flat = {"y1": str(top + 11), "y2": str(top + 11)}
        ET.SubElement(group, "line", {"class": "reach", "x1": str(low), "x2": str(high), **flat})
        for end in (low, high):
            _line(group, "reach", end, (top + 7, top + 15))
    value = ET.SubElement(group, "text", {"x": str(WIDTH - RIGHT + 8), "y": str(top + 15)})
    value.text = numbers.undefined if bar.value is None else numbers.value(bar.value)


def _line(root: ET.Element, kind: str, x: float, ends: tuple[float, float]) -> None:
    place = {"x1": str(x), "x2": str(x), "y1": str(ends[0]), "y2": str(ends[1])}
    ET.SubElement(root, "line", {"class": kind, **place})


def heat_map(title: str, rows: Sequence[str], columns: Sequence[str], cells: Cells, key: str, numbers: Numbers) -> str:
    """Draw a matrix as an SVG element: the greater a value, the darker its cell; an absent one has no number.

    Cells are as dark as their share of the greatest value; where that is 0, all are white. O(rows · columns).
    """
    side = min(_CELL, (WIDTH - LEFT) // max(len(columns), 1))
    top = TOP + 8 * max(map(len, columns), default=0)
    greatest = max((value for value in cells.values() if value is not None), default=0.0)
    described = [f"{row} – {column}: {numbers.whole(Bar('', value))}" for (row, column), value in cells.items()]
    root = _root(title, "; ".join(described), key, top + max(len(rows), 1) * side)
    for place, column in enumerate(columns):
        x = LEFT + place * side + side // 2
        turned = {"x": str(x), "y": str(top - 6), "transform": f"rotate(-60 {x} {top - 6})"}
        ET.SubElement(root, "text", turned).text = _cut(column)
    for line, row in enumerate(rows):
        y = top + line * side
        ET.SubElement(root, "text", _right_of_names(y + side // 2 + 4)).text = _cut(row)
        for place, column in enumerate(columns):
            value = cells.get((row, column))
            share = 0.0 if not value or greatest <= 0 else max(value / greatest, 0.0)
            group = ET.SubElement(root, "g")
            ET.SubElement(group, "title").text = f"{row} – {column}: {numbers.whole(Bar('', value))}"
            square = {"x": str(LEFT + place * side), "y": str(y), "width": str(side), "height": str(side)}
            ET.SubElement(group, "rect", {"class": "cell", "fill-opacity": f"{share:.3f}", **square})
            if value is not None and (value or numbers.digits):
                middle = {"x": str(LEFT + place * side + side // 2), "y": str(y + side // 2 + 4)}
                kind = {"class": "light" if share > _DARK else "dark", "text-anchor": "middle"}
                ET.SubElement(group, "text", {**middle, **kind}).text = numbers.value(value)
    return _written(root)


def stacked(title: str, parts: Sequence[str], rows: Sequence[tuple[str, Sequence[int]]], key: str) -> str:
    """Draw counts as bars of several parts, one bar a row, all to one scale; ``parts`` names them.

    A row of zeros has no bar. At most four parts have a colour of their own. O(rows).
    """
    most = max((sum(counts) for _, counts in rows), default=0) or 1
    texts = [", ".join(f"{part} {count}" for part, count in zip(parts, counts, strict=True)) for _, counts in rows]
    described = "; ".join(f"{name}: {text}" for (name, _), text in zip(rows, texts, strict=True))
    root = _root(title, described, key, TOP + max(len(rows), 1) * ROW)
    step = (WIDTH - LEFT) // max(len(parts), 1)
    for place, part in enumerate(parts):
        x = LEFT + place * step
        swatch = {"x": str(x), "y": "2", "width": "12", "height": "12"}
        ET.SubElement(root, "rect", {"class": f"part{place}", **swatch})
        ET.SubElement(root, "text", {"x": str(x + 17), "y": "13"}).text = part
    for line, ((name, counts), text) in enumerate(zip(rows, texts, strict=True)):
        y, start = TOP + line * ROW, float(LEFT)
        group = ET.SubElement(root, "g")
        ET.SubElement(group, "title").text = f"{name}: {text}"
        ET.SubElement(group, "text", _right_of_names(y + 15)).text = _cut(name)
        for place, count in enumerate(counts):
            width = round(_SPAN * count / most, 2)
            bar = {"x": str(round(start, 2)), "y": str(y + 4), "width": str(width), "height": "14"}
            ET.SubElement(group, "rect", {"class": f"part{place}", **bar})
            start += width
        ET.SubElement(group, "text", {"x": str(WIDTH - RIGHT + 8), "y": str(y + 15)}).text = str(sum(counts))
    return _written(root)


@dataclass(frozen=True, slots=True)
class Picture:
    """A chart as an SVG document of its own, with its title and the signature of its numbers; notebooks show it."""

    svg: str

    @classmethod
    def alone(cls, title: str, chart: str, signature: str = "") -> Picture:
        """Put an element that :func:`bars` and its like have drawn under its title and above the signature."""
        inner = ET.fromstring(chart)  # noqa: S314 -- made by this module
        lines = wrap(signature.replace("|", "| "), _LETTERS)
        height = _HEAD + int(inner.attrib["height"]) + len(lines) * _FOOT + 8
        size = {"viewBox": f"0 0 {WIDTH} {height}", "width": str(WIDTH), "height": str(height)}
        root = ET.Element("svg", {"xmlns": "http://www.w3.org/2000/svg", **size})
        ET.SubElement(root, "style").text = _ALONE
        ET.SubElement(root, "rect", {"width": str(WIDTH), "height": str(height), "fill": "#fff"})
        words = ET.SubElement(root, "g", {"class": "bars"})
        ET.SubElement(words, "text", {"class": "head", "x": "8", "y": "20"}).text = title
        for number, line in enumerate(lines):
            place = {"class": "foot", "x": "8", "y": str(height - 8 - (len(lines) - 1 - number) * _FOOT)}
            ET.SubElement(words, "text", place).text = line.replace("| ", "|")
        inner.set("y", str(_HEAD))
        root.append(inner)
        return cls(_written(root))

    def png(self) -> bytes:
        """Return the picture as PNG, two pixels to a unit, in the system's fonts (the extra ``pictures``)."""
        png: bytes = needed("resvg_py", "pictures").svg_to_bytes(svg_string=self.svg, zoom=2)
        return png

    def save(self, path: Path | str) -> None:
        """Write the picture to a file, as PNG where its name ends so, else as SVG."""
        target = Path(path)
        target.write_bytes(self.png() if target.suffix.lower() == ".png" else self.svg.encode())

    def _repr_svg_(self) -> str:
        return self.svg


def _root(title: str, description: str, key: str, bottom: int) -> ET.Element:
    names = {"aria-labelledby": f"{key}-t {key}-d", "role": "img", "class": "bars"}
    size = {"viewBox": f"0 0 {WIDTH} {bottom + 8}", "width": str(WIDTH), "height": str(bottom + 8)}
    root = ET.Element("svg", {**names, **size})
    ET.SubElement(root, "title", {"id": f"{key}-t"}).text = title
    ET.SubElement(root, "desc", {"id": f"{key}-d"}).text = description
    return root


def _cut(name: str) -> str:
    return name if len(name) <= _SHOWN else name[: _SHOWN - 1] + "…"


def _right_of_names(y: int) -> dict[str, str]:
    return {"x": str(LEFT - 8), "y": str(y), "text-anchor": "end"}


def _written(root: ET.Element) -> str:
    return ET.tostring(root, encoding="unicode", short_empty_elements=False)


MOST_CODES: Final = 20
_NUMBERS: Final = Numbers()


def draw_accuracies(frame: Rows, measure: str, title: str, numbers: Numbers = _NUMBERS) -> Picture:
    """Draw one measure of all parts of a sample with its intervals, with a line at 100 per cent for OTAR."""
    rows = [row for row in frame.rows() if row["measure"] == measure]
    names = [row["name"] if row["part"] in ("all", "metric") else f"{row['part']} {row['name']}" for row in rows]
    drawn = [Bar(name, row["value"], _interval(row)) for name, row in zip(names, rows, strict=True)]
    mark = 100.0 if measure == "OTAR" else None
    return _alone(title, bars(title, drawn, "whiskers", mark, numbers), rows)


def draw_differences(frame: Rows, title: str, numbers: Numbers | None = None) -> Picture:
    """Draw the differences of two systems with their intervals."""
    rows = list(frame.rows())
    drawn = [Bar(f"{row['measure']} ({row['essays']})", row["difference"], _interval(row)) for row in rows]
    return _alone(title, bars(title, drawn, "differences", None, numbers or _NUMBERS), rows)


def draw_couples(frame: Rows, title: str, numbers: Numbers = _NUMBERS) -> Picture:
    """Draw the mean pair accuracy of each couple of experts as a heat map, symmetric, without a diagonal."""
    rows = list(frame.rows())
    cells = {}
    for row in rows:
        one, other = (f"{row[name]:02}" for name in ("first", "second"))
        cells[one, other] = cells[other, one] = row["pair_accuracy"]
    names = sorted({name for couple in cells for name in couple})
    return _alone(title, heat_map(title, names, names, cells, "couples", numbers), rows)


def draw_confusion(frame: Rows, title: str) -> Picture:
    """Draw the codes of the reference (rows) against the other's (columns), the most frequent codes alone."""
    rows = list(frame.rows())
    names = _frequent(rows)
    codes = [
        *names[:MOST_CODES],
        *([_NUMBERS.undefined] if any(None in (row["reference"], row["other"]) for row in rows) else []),
    ]
    cells = {
        (row["reference"] or _NUMBERS.undefined, row["other"] or _NUMBERS.undefined): float(row["times"])
        for row in rows
    }
    cells = {place: times for place, times in cells.items() if {*place} <= {*codes}}
    more = f" (+ {len(names) - MOST_CODES})" if len(names) > MOST_CODES else ""
    return _alone(f"{title}{more}", heat_map(title, codes, codes, cells, "confusion", Numbers(0)), rows)


def draw_error_types(frame: Rows, title: str, parts: Sequence[str]) -> Picture:
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
