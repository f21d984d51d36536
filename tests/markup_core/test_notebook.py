"""What a notebook shows: everything escaped, bars to scale, undefined values without a bar."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from markup_core import tables


def drawn(values: list[tuple[str, float | None]], line: float = 100.0) -> ElementTree.Element:
    return ElementTree.fromstring(tables.bars("<shares>", values, line))  # noqa: S314  made here


def widths(picture: ElementTree.Element) -> list[float]:
    return [float(each.attrib["width"]) for each in picture.iter("rect")]


def test_bars_are_to_scale_and_the_greatest_or_the_line_fills_the_width() -> None:
    assert widths(drawn([("a", 50.0), ("b", 100.0)])) == [150.0, 300.0]
    assert widths(drawn([("a", 50.0), ("b", 200.0)])) == [75.0, 300.0]
    (line,) = drawn([("a", 200.0)]).iter("line")
    assert float(line.attrib["x1"]) == 180 + 150


def test_what_is_undefined_has_a_dash_and_no_bar() -> None:
    picture = drawn([("a", None), ("b", 0.0), ("c", -5.0)])
    assert widths(picture) == [0.0, 0.0, 0.0]
    assert [each.text for each in picture.iter("text")] == ["a", "—", "b", "0.00", "c", "-5.00"]


def test_names_are_escaped_and_the_picture_says_what_it_shows() -> None:
    picture = drawn([("<script>", 1.0)])
    assert next(picture.iter("title")).text == "<shares>"
    assert next(picture.iter("text")).text == "<script>"
    assert tables.table("<t>", ["<h>"], [["<c>"]]).count("&lt;") == 3


def test_nothing_to_show_is_an_empty_picture() -> None:
    assert drawn([]).attrib["height"] == "0"


@pytest.mark.parametrize(("value", "cell"), [(None, "—"), (1, "1"), (1.005, "1.01"), ("é", "é")])
def test_a_tables_numbers_have_two_decimals(value: object, cell: str) -> None:
    assert re.findall(r"<td[^>]*>(.*?)</td>", tables.table("t", ["h"], [[value]])) == [cell]
