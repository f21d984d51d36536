"""Bar charts with intervals, one bar a row: accuracies of groups, drift of experts, times, causes (R 6.5.1, 7.8, 7.10).

A chart is a part of a page: it has no style and no script of its own. The page's style colours its classes. A chart
that was made to stand alone loses its style when it is put into a page, and gets ids of its own. Every bar shows its
numbers to a pointer, and the description has all of them for readers who cannot see the picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, log10
from typing import Final
from xml.etree import ElementTree as ET

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


def bars(
    title: str,
    rows: Sequence[Bar],
    key: str,
    mark: float | None = None,
    numbers: Numbers = Numbers(),
) -> str:
    """Draw the rows as an SVG element for a page. ``key`` keeps its ids apart from those of the page's other charts.

    ``mark``: a value across all rows, such as the barrier. O(rows).
    """
    scale = _Scale.of(rows, mark)
    bottom = TOP + max(len(rows), 1) * ROW
    names = {"aria-labelledby": f"{key}-t {key}-d", "role": "img", "class": "bars"}
    size = {"viewBox": f"0 0 {WIDTH} {bottom + 8}", "width": str(WIDTH), "height": str(bottom + 8)}
    root = ET.Element("svg", {**names, **size})
    ET.SubElement(root, "title", {"id": f"{key}-t"}).text = title
    description = "; ".join(f"{bar.name}: {numbers.whole(bar)}" for bar in rows)
    ET.SubElement(root, "desc", {"id": f"{key}-d"}).text = description
    for value in scale.ticks():
        _line(root, "zero" if value == 0 else "grid", scale.x(value), (TOP - 4, bottom))
        place = {"x": str(scale.x(value)), "y": str(TOP - 10), "text-anchor": "middle"}
        ET.SubElement(root, "text", place).text = f"{value:g}".replace(".", numbers.sign)
    for place_, bar in enumerate(rows):
        _row(root, bar, TOP + place_ * ROW, scale, numbers)
    if mark is not None:
        _line(root, "mark", scale.x(mark), (TOP - 4, bottom))
    return ET.tostring(root, encoding="unicode", short_empty_elements=False)


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
    label = ET.SubElement(group, "text", {"x": str(LEFT - 8), "y": str(top + 15), "text-anchor": "end"})
    label.text = bar.name if len(bar.name) <= _SHOWN else bar.name[: _SHOWN - 1] + "…"
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


_SVG = "http://www.w3.org/2000/svg"


def inlined(svg: bytes, key: str, shown_as: str) -> str:
    """Return a chart of the platform as an element.

    ``key`` stands before its ids, ``shown_as`` is its class. O(size).
    """
    root = ET.fromstring(svg)  # noqa: S314 -- made by this package, of what its element tree has escaped
    for parent in list(root.iter()):
        for element in list(parent):
            if element.tag == f"{{{_SVG}}}style":
                parent.remove(element)
    for element in root.iter():
        element.tag = element.tag.removeprefix(f"{{{_SVG}}}")
        if "id" in element.attrib:
            element.set("id", f"{key}-{element.attrib['id']}")
        if "aria-labelledby" in element.attrib:
            element.set(
                "aria-labelledby", " ".join(f"{key}-{one}" for one in element.attrib["aria-labelledby"].split())
            )
    root.set("class", shown_as)
    return ET.tostring(root, encoding="unicode", short_empty_elements=False)
