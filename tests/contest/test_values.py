"""Values read by the types of their fields; moments and their writing, days of a zone with daylight saving."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.values import from_iso, iso, iso_or_none, local_day, next_half_day, next_local_day, read_as, utc_day


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True)
class Part:
    name: str
    colour: Colour = Colour.RED


@dataclass(frozen=True)
class Whole:
    part: Part
    parts: tuple[Part, ...]
    pair: tuple[str, int]
    names: frozenset[str]
    rows: Sequence[Mapping[str, Any]]
    by_name: Mapping[str, tuple[int, ...]]
    absent: Part | None
    colours: tuple[Colour, ...] | None = None
    anything: Any = None


def test_what_was_stored_as_json_is_read_back_as_it_was_and_what_was_not_has_its_default() -> None:
    part, rows = Part("a", Colour.BLUE), ({"b": [1, None]},)
    whole = Whole(part, (part, part), ("c", 2), frozenset({"d"}), rows, {"e": (1, 2)}, None, (Colour.RED,), [1.0, "f"])
    assert read_as(Whole, json.loads(json.dumps(asdict(whole) | {"names": sorted(whole.names)}))) == whole
    assert read_as(Part, {"name": "a"}) == Part("a")
    with pytest.raises(TypeError, match="shape"):
        read_as(Part, {"name": "a", "shape": "round"})
    with pytest.raises(ValueError, match="green"):
        read_as(Part, {"name": "a", "colour": "green"})


MOMENT = 1_795_233_452_123
WRITTEN = "2026-11-21T03:57:32.123Z"
NO_DAY = "2026-02-30T00:00:00.000Z"


def test_a_moment_is_written_to_the_millisecond_in_utc() -> None:
    assert (iso(MOMENT), iso(0), iso(7)) == (WRITTEN, "1970-01-01T00:00:00.000Z", "1970-01-01T00:00:00.007Z")
    assert (iso_or_none(None), iso_or_none(0)) == (None, "1970-01-01T00:00:00.000Z")


@given(st.integers(0, 4_102_444_800_000))
def test_what_is_written_is_read_again(moment: int) -> None:
    assert from_iso(iso(moment)) == moment


def test_any_other_form_is_refused() -> None:
    for text in ("", WRITTEN[:-1], WRITTEN + "Z", WRITTEN.replace("Z", "+00:00"), "2026-11-21T03:57:32Z", NO_DAY):
        with pytest.raises(ValueError):  # noqa: PT011 -- strptime's words are not ours
            from_iso(text)


def test_a_day_begins_at_the_zones_midnight() -> None:
    midnight = from_iso("2026-11-20T21:00:00.000Z")
    assert [local_day(moment, "Europe/Moscow") for moment in (midnight - 1, midnight)] == ["2026-11-20", "2026-11-21"]
    assert (utc_day(midnight - 1), utc_day(midnight)) == ("2026-11-20", "2026-11-20")


@pytest.mark.parametrize(
    ("moment", "zone", "expected"),
    [
        ("2026-11-20T20:59:59.999Z", "Europe/Moscow", "2026-11-20T21:00:00.000Z"),
        ("2026-11-20T21:00:00.000Z", "Europe/Moscow", "2026-11-21T21:00:00.000Z"),
        ("2026-03-28T23:30:00.000Z", "Europe/Berlin", "2026-03-29T22:00:00.000Z"),
        ("2026-10-24T23:00:00.000Z", "Europe/Berlin", "2026-10-25T23:00:00.000Z"),
    ],
)
def test_the_next_day_begins_where_the_zone_has_it(moment: str, zone: str, expected: str) -> None:
    assert iso(next_local_day(from_iso(moment), zone)) == expected


@pytest.mark.clause("TS T6")
def test_results_are_told_at_the_next_noon_or_midnight_of_the_zone() -> None:
    closed = ("05:00:00.000", "09:00:00.000", "09:00:00.001", "20:59:59.999")  # the first at 08:00 in Moscow
    actual = [iso(next_half_day(from_iso(f"2026-11-24T{clock_time}Z"), "Europe/Moscow")) for clock_time in closed]
    assert actual == [f"2026-11-24T{hour}:00:00.000Z" for hour in ("09", "09", "21", "21")]
    # The clocks of Berlin go back at 03:00 on 2026-10-25: its noon is thirteen hours after midnight.
    assert iso(next_half_day(from_iso("2026-10-24T22:00:00.001Z"), "Europe/Berlin")) == "2026-10-25T11:00:00.000Z"
