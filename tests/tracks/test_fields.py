"""Fields of a request: the value in its type, or a refusal that names the field."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from markup_core.command.complaints import RefusedError
from tracks.fields import Fields

Read = Callable[[Fields], Any]


def refusal(read: Read, **values: Any) -> RefusedError:
    with pytest.raises(RefusedError) as caught:
        read(Fields(values))
    assert caught.value.code == "invalid_request"
    return caught.value


READERS: list[tuple[str, Read, Any, Any]] = [
    ("text", lambda fields: fields.text("x"), "да", 1),
    ("flag", lambda fields: fields.flag("x"), True, 1),
    ("whole", lambda fields: fields.whole("x"), 3, 3.0),
    ("whole, not a flag", lambda fields: fields.whole("x"), 0, False),
    ("number", lambda fields: fields.number("x"), 2.5, "2.5"),
    ("number, not a flag", lambda fields: fields.number("x"), 0, True),
    ("number, finite", lambda fields: fields.number("x"), -1, float("nan")),
    ("number, not infinite", lambda fields: fields.number("x"), -1, float("inf")),
    ("number, not beyond a float", lambda fields: fields.number("x"), 10**20, 10**400),
    ("choice", lambda fields: fields.choice("x", ("a", "b")), "a", "c"),
    ("choice of what cannot be hashed", lambda fields: fields.choice("x", ("a", "b")), "b", ["a"]),
    ("items", lambda fields: fields.items("x"), [1], {"0": 1}),
    ("mapping", lambda fields: fields.mapping("x"), {"a": 1}, [1]),
    ("part", lambda fields: dict(fields.part("x").values), {"a": 1}, "a"),
    ("parts", lambda fields: [each.whole("a") for each in fields.parts("x")], [{"a": 1}], 1),
]


@pytest.mark.parametrize(("read", "good", "bad"), [row[1:] for row in READERS], ids=[row[0] for row in READERS])
def test_a_value_of_its_type_is_read_and_any_other_refused(read: Read, good: Any, bad: Any) -> None:
    assert read(Fields({"x": good})) in (good, [1])
    assert refusal(read, x=bad).details == {"field": "x"}
    assert "is missing" in refusal(read).message
    assert refusal(read, x=None).details == {"field": "x"}


DEFAULTS: list[tuple[str, Read]] = [
    ("text", lambda fields: fields.text("x", "d")),
    ("flag", lambda fields: fields.flag("x", "d")),
    ("whole", lambda fields: fields.whole("x", "d")),
    ("number", lambda fields: fields.number("x", "d")),
    ("choice", lambda fields: fields.choice("x", ("a",), "d")),
    ("items", lambda fields: fields.items("x", "d")),
    ("mapping", lambda fields: fields.mapping("x", "d")),
    ("raw", lambda fields: fields.raw("x", "d")),
]


@pytest.mark.parametrize("read", [row[1] for row in DEFAULTS], ids=[row[0] for row in DEFAULTS])
def test_absent_and_null_are_the_default(read: Read) -> None:
    assert read(Fields({})) == read(Fields({"x": None})) == "d"


def test_null_without_a_default_is_a_value_of_raw() -> None:
    assert Fields({"x": None}).raw("x") is None


def test_a_number_is_a_float_and_zero_is_no_default() -> None:
    assert str(Fields({"x": 3}).number("x")) == "3.0"
    assert Fields({"x": 0}).number("x", 5.0) == 0


def test_bounds_are_part_of_the_range_and_of_the_refusal() -> None:
    assert Fields({"x": 1}).whole("x", low=1, high=1) == 1
    assert refusal(lambda fields: fields.whole("x", low=1), x=0).message == "x must be at least 1, not 0"
    assert refusal(lambda fields: fields.whole("x", high=1), x=2).message == "x must be at most 1, not 2"
    assert refusal(lambda fields: fields.number("x", low=0, high=1), x=2).message == "x must be from 0 to 1, not 2"


def test_a_field_inside_is_named_by_its_path() -> None:
    whole = {"items": [{"meta": {"id": 1}}, {"meta": {"id": "1"}}]}
    error = refusal(lambda fields: [each.part("meta").whole("id") for each in fields.parts("items")], **whole)
    assert error.details == {"field": "items[1].meta.id"}
    assert error.message == 'items[1].meta.id must be a whole number, not "1"'
    error = refusal(lambda fields: list(fields.part("a").parts("b")), a={"b": [{}, 5]})
    assert error.details == {"field": "a.b[1]"}
