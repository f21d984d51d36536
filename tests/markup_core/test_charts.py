"""Bars with intervals: what is drawn where, what is said to who cannot see it.

One rounding: halves up on the written number, figures at a limit on their side; the site has the same cases.

Tables of a notebook: everything escaped, undefined values as dashes.
"""

from __future__ import annotations

import json
import math
import re
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import pytest
from defusedxml import ElementTree
from hypothesis import given
from hypothesis import strategies as st

from markup_core import tables
from markup_core.charts import LEFT, RIGHT, WIDTH, Bar, Numbers, Picture, bars, heat_map, stacked
from markup_core.rounding import MOST_PLACES, fixed, half_up, percent, places_apart

HOSTILE = '<script>alert("1")</script>&'


def drawn(*rows: Bar, mark: float | None = None) -> Element:
    return ElementTree.fromstring(bars("Accuracy", rows, "k", mark))


def span(rect: Element) -> tuple[float, float]:
    return float(rect.attrib["x"]), float(rect.attrib["x"]) + float(rect.attrib["width"])


def test_bars_are_as_long_as_their_values_and_intervals_reach_from_end_to_end() -> None:
    picture = drawn(Bar("a", 100.0, (80.0, 100.0)), Bar("b", 50.0))
    first, second = (span(rect) for rect in picture.iter("rect"))
    assert first[0] == second[0] == LEFT
    assert first[1] - LEFT == pytest.approx(2 * (second[1] - LEFT), abs=0.02)
    reach = next(line for line in picture.iter("line") if line.attrib["class"] == "reach")
    assert float(reach.attrib["x2"]) == pytest.approx(first[1], abs=0.02)
    assert float(reach.attrib["x1"]) - LEFT == pytest.approx(0.8 * (first[1] - LEFT), abs=0.02)


def test_negative_values_go_the_other_way_from_the_same_zero() -> None:
    up, down = (span(rect) for rect in drawn(Bar("a", 3.0), Bar("b", -3.0)).iter("rect"))
    assert up[0] == pytest.approx(down[1], abs=0.02)
    assert up[1] - up[0] == pytest.approx(down[1] - down[0], abs=0.02)


@pytest.mark.parametrize(
    "rows",
    [(), (Bar("a", None),), (Bar("a", 0.0),), (Bar("a", 1e-9),), (Bar("a", 1e12, (-1e12, 2e12)),)],
    ids=["nothing", "undefined", "zero", "tiny", "huge"],
)
def test_everything_stays_inside_the_picture(rows: tuple[Bar, ...]) -> None:
    picture = drawn(*rows, mark=100.0)
    places = [float(line.attrib[name]) for line in picture.iter("line") for name in ("x1", "x2")]
    places += [end for rect in picture.iter("rect") for end in span(rect)]
    assert all(LEFT <= place <= WIDTH - RIGHT + 1 for place in places)


def test_the_numbers_are_told_in_words_and_hostile_names_stay_text() -> None:
    picture = drawn(Bar(HOSTILE, 12.345, (1.0, 2.0)), Bar("b", None))
    assert picture.attrib["aria-labelledby"] == "k-t k-d"
    assert picture.findtext("desc") == f"{HOSTILE}: 12.35 (1.00…2.00); b: —"
    assert picture.findtext("title") == "Accuracy"
    assert not list(picture.iter("script"))
    assert "<script" not in bars(HOSTILE, [Bar(HOSTILE, 1.0)], "k")


def test_numbers_are_written_as_a_language_writes_them() -> None:
    text = bars("x", [Bar("a", 0.25, (0.1, 0.3))], "k", numbers=Numbers(1, ","))
    assert ElementTree.fromstring(text).findtext("desc") == "a: 0,3 (0,1…0,3)"
    assert "." not in "".join(element.text or "" for element in ElementTree.fromstring(text).iter("text"))


def cells(picture: Element) -> list[tuple[str, str]]:
    """Return each cell's darkness and what it says to a pointer."""
    groups = [group for group in picture.iter("g") if group.find("rect") is not None]
    return [(group.find("rect").attrib["fill-opacity"], group.findtext("title") or "") for group in groups]  # type: ignore[union-attr]


def test_a_cell_is_as_dark_as_its_share_of_the_greatest() -> None:
    shares = {("a", "a"): 4.0, ("a", "b"): 1.0, ("b", "a"): 0.0, ("b", "b"): None}
    picture = ElementTree.fromstring(heat_map("t", ["a", "b"], ["a", "b"], shares, "k", Numbers(0)))
    assert cells(picture) == [
        ("1.000", "a – a: 4"),
        ("0.250", "a – b: 1"),
        ("0.000", "b – a: 0"),
        ("0.000", "b – b: —"),
    ]
    written = [element.text for element in picture.iter("text") if element.attrib.get("class") in ("light", "dark")]
    assert written == ["4", "1"]


@pytest.mark.parametrize("values", [{}, {("a", "a"): 0.0}, {("a", "a"): -3.0}], ids=["none", "zero", "below"])
def test_without_a_positive_value_all_cells_are_white(values: dict[tuple[str, str], float | None]) -> None:
    picture = ElementTree.fromstring(heat_map("t", ["a"], ["a"], values, "k", Numbers()))
    assert [darkness for darkness, _ in cells(picture)] == ["0.000"]


def test_parts_lie_end_to_end_to_one_scale_and_a_row_of_zeros_has_no_bar() -> None:
    picture = ElementTree.fromstring(stacked("t", ["x", "y"], [("a", (3, 1)), ("b", (0, 2)), ("c", (0, 0))], "k"))
    widths = [[span(rect) for rect in group.iter("rect")] for group in picture.iter("g")]
    whole = WIDTH - LEFT - RIGHT
    assert widths[0] == [(LEFT, LEFT + whole * 0.75), (LEFT + whole * 0.75, LEFT + whole)]
    assert widths[1] == [(LEFT, LEFT), (LEFT, LEFT + whole / 2)]
    assert {start == end for start, end in widths[2]} == {True}
    assert picture.findtext("desc") == "a: x 3, y 1; b: x 0, y 2; c: x 0, y 0"


@pytest.mark.parametrize("chart", [heat_map("t", [], [], {}, "k", Numbers()), stacked("t", [], [], "k")])
def test_nothing_to_draw_is_an_empty_picture(chart: str) -> None:
    assert not list(ElementTree.fromstring(chart).iter("g"))


def test_a_picture_stands_alone_with_its_title_and_its_signature() -> None:
    picture = Picture.alone(HOSTILE, bars("t", [Bar(HOSTILE, 1.0)], "k"), "a:1|" + "b:2|" * 60 + "c:3")
    namespace = "{http://www.w3.org/2000/svg}"
    root = ElementTree.fromstring(picture.svg)
    texts = [element.text or "" for element in root.iter(f"{namespace}text")]
    assert texts[0] == HOSTILE
    assert "".join(text for text in texts if ":" in text and text != HOSTILE).replace(" ", "").startswith("a:1|b:2|")
    assert picture.svg.count("http") == 1
    assert "<script" not in picture.svg
    assert picture._repr_svg_() == picture.svg


def test_a_picture_is_saved_as_what_its_name_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    picture = Picture.alone("t", bars("t", [], "k"))
    picture.save(tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_text("utf-8") == picture.svg

    class Drawing:
        @staticmethod
        def svg_to_bytes(svg_string: str, zoom: int) -> bytes:
            return f"{zoom}{svg_string}".encode()

    monkeypatch.setattr("markup_core.charts.needed", lambda *_: Drawing)
    picture.save(tmp_path / "a.PNG")
    assert (tmp_path / "a.PNG").read_bytes() == f"2{picture.svg}".encode()


CASES = json.loads((Path(__file__).parents[1] / "rounding.json").read_text(encoding="utf-8"))
NUMBERS = st.floats(-1e6, 1e6).filter(math.isfinite)


@pytest.mark.parametrize(("value", "places", "shown"), CASES["fixed"])
def test_a_half_goes_up_on_the_number_as_it_is_written(value: float, places: int, shown: str) -> None:
    assert fixed(value, places) == shown
    assert half_up(value, places) == float(shown)


@pytest.mark.parametrize(("values", "limits", "least", "places"), CASES["apart"])
def test_as_many_decimals_as_tell_figures_apart_and_from_their_limits(
    values: list[Any], limits: list[Any], least: int, places: int
) -> None:
    assert places_apart(values, limits, least) == places


@given(NUMBERS, st.integers(0, 6))
def test_what_is_shown_is_within_half_a_unit_of_the_number(value: float, places: int) -> None:
    shown, exact = Fraction(fixed(value, places)), Fraction(Decimal(repr(value)))
    assert abs(shown - exact) <= Fraction(1, 2 * 10**places)
    assert len(fixed(value, places).partition(".")[2]) == places


@given(NUMBERS, NUMBERS, st.integers(0, 3))
def test_a_figure_beside_a_limit_lies_on_its_side(value: float, limit: float, least: int) -> None:
    places = places_apart([value], [limit], least)
    shown = half_up(value, places)
    if places < MOST_PLACES:
        assert (shown < limit, shown == limit) == (value < limit, value == limit)


def test_what_has_no_decimals_or_no_end_is_written_as_it_is() -> None:
    assert fixed(2.0**60, 2) == "1152921504606846976.00"
    assert [fixed(each, 2) for each in (math.inf, math.nan)] == ["inf", "nan"]


@pytest.mark.clause("R 6.5.4", "R 7.7")
@pytest.mark.parametrize(
    ("share", "limits", "least", "shown"),
    [
        (189 / 199, (0.95,), 0, "94.97"),
        (0.0504, (0.05,), 1, "5.04"),
        (0.05, (0.05,), 1, "5.0"),
        (0.125, (0.125,), 0, "12.5"),
        (0.955, (0.955,), 0, "95.5"),
        (0.07, (0.07,), 0, "7"),
        (0.125, (), 0, "13"),
        (0.9999, (1.0,), 0, "99.99"),
        (0.0004, (0.0, 1.0), 1, "0.04"),
        (1.0, (0.95, 1.0), 0, "100"),
    ],
)
def test_a_share_lies_on_its_side_of_each_limit_and_a_limit_has_all_its_decimals(
    share: float, limits: tuple[float, ...], least: int, shown: str
) -> None:
    assert percent(share, *limits, least=least) == shown


def test_a_tables_texts_are_escaped() -> None:
    assert tables.table("<t>", ["<h>"], [["<c>"]]).count("&lt;") == 3


@pytest.mark.parametrize(("value", "cell"), [(None, "—"), (1, "1"), (1.005, "1.01"), ("é", "é")])
def test_a_tables_numbers_have_two_decimals(value: object, cell: str) -> None:
    assert re.findall(r"<td[^>]*>(.*?)</td>", tables.table("t", ["h"], [[value]])) == [cell]
