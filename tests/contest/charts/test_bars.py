"""Bars with intervals: what is drawn where, what is said to who cannot see it."""

from __future__ import annotations

from xml.etree.ElementTree import Element

import pytest
from defusedxml import ElementTree

from contest.charts.bars import LEFT, RIGHT, WIDTH, Bar, Numbers, bars, inlined
from contest.charts.timeline import FileTimes, session_chart
from markup_core.texts import Text

HOSTILE = '<script>alert("1")</script>&'


def drawn(*rows: Bar, mark: float | None = None) -> Element:
    return ElementTree.fromstring(bars("Accuracy", rows, "k", mark))


def span(of: Element) -> tuple[float, float]:
    return float(of.attrib["x"]), float(of.attrib["x"]) + float(of.attrib["width"])


def test_bars_are_as_long_as_their_values_and_intervals_reach_from_end_to_end() -> None:
    found = drawn(Bar("a", 100.0, (80.0, 100.0)), Bar("b", 50.0))
    first, second = (span(each) for each in found.iter("rect"))
    assert first[0] == second[0] == LEFT
    assert first[1] - LEFT == pytest.approx(2 * (second[1] - LEFT), abs=0.02)
    reach = next(each for each in found.iter("line") if each.attrib["class"] == "reach")
    assert float(reach.attrib["x2"]) == pytest.approx(first[1], abs=0.02)
    assert float(reach.attrib["x1"]) - LEFT == pytest.approx(0.8 * (first[1] - LEFT), abs=0.02)


def test_negative_values_go_the_other_way_from_the_same_zero() -> None:
    up, down = (span(each) for each in drawn(Bar("a", 3.0), Bar("b", -3.0)).iter("rect"))
    assert up[0] == pytest.approx(down[1], abs=0.02)
    assert up[1] - up[0] == pytest.approx(down[1] - down[0], abs=0.02)


@pytest.mark.parametrize(
    "rows",
    [(), (Bar("a", None),), (Bar("a", 0.0),), (Bar("a", 1e-9),), (Bar("a", 1e12, (-1e12, 2e12)),)],
    ids=["nothing", "undefined", "zero", "tiny", "huge"],
)
def test_everything_stays_inside_the_picture(rows: tuple[Bar, ...]) -> None:
    found = drawn(*rows, mark=100.0)
    places = [float(each.attrib[name]) for each in found.iter("line") for name in ("x1", "x2")]
    places += [end for each in found.iter("rect") for end in span(each)]
    assert all(LEFT <= each <= WIDTH - RIGHT + 1 for each in places)


def test_the_numbers_are_told_in_words_and_hostile_names_stay_text() -> None:
    found = drawn(Bar(HOSTILE, 12.345, (1.0, 2.0)), Bar("b", None))
    assert found.attrib["aria-labelledby"] == "k-t k-d"
    assert found.findtext("desc") == f"{HOSTILE}: 12.35 (1.00…2.00); b: —"
    assert found.findtext("title") == "Accuracy"
    assert not list(found.iter("script"))
    assert "<script" not in bars(HOSTILE, [Bar(HOSTILE, 1.0)], "k")


def test_numbers_are_written_as_a_language_writes_them() -> None:
    text = bars("x", [Bar("a", 0.25, (0.1, 0.3))], "k", numbers=Numbers(1, ","))
    assert ElementTree.fromstring(text).findtext("desc") == "a: 0,3 (0,1…0,3)"
    assert "." not in "".join(each.text or "" for each in ElementTree.fromstring(text).iter("text"))


def test_a_chart_that_stands_alone_becomes_a_part_of_a_page() -> None:
    alone = session_chart(Text(HOSTILE, HOSTILE), [FileTimes(1, 0, 10, 20, 15, None)], 60_000)
    text = inlined(alone, "key", "timeline")
    found = ElementTree.fromstring(text)
    assert (found.tag, found.attrib["class"], found.attrib["aria-labelledby"]) == ("svg", "timeline", "key-t key-d")
    assert {each.attrib["id"] for each in found.iter() if "id" in each.attrib} == {"key-t", "key-d"}
    assert not list(found.iter("style"))
    assert "<script" not in text
    assert len(list(found.iter("rect"))) == len(
        list(ElementTree.fromstring(alone).iter("{http://www.w3.org/2000/svg}rect"))
    )
