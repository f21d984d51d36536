"""Values of the cloud's tables, read without models."""

from __future__ import annotations

from typing import Any

import pytest
from boto3.dynamodb.types import TypeSerializer

from shadow.source import value_of


@pytest.mark.parametrize(
    "value", ["", "текст", 0, -7, 10**20, True, False, None, [], {}, {"a": [1, {"b": None, "c": "d"}]}, b"\x00\xff"]
)
def test_a_stored_value_is_read_as_it_was_written(value: Any) -> None:
    read = value_of(TypeSerializer().serialize(value))
    assert (read, type(read)) == (value, type(value))


@pytest.mark.parametrize(("stored", "value"), [("0.5", 0.5), ("1E+3", 1000), ("3.0", 3)])
def test_a_number_is_whole_where_it_has_no_fraction(stored: str, value: float) -> None:
    read = value_of({"N": stored})
    assert (read, type(read)) == (value, type(value))


def test_a_set_which_nothing_stores_is_refused() -> None:
    with pytest.raises(ValueError, match="SS"):
        value_of({"SS": ["a"]})
