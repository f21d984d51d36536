"""Prediction files: what the published schema takes."""

from __future__ import annotations

import jsonschema
import pytest

from tracks.fusion.items import SCHEMA
from tracks.protocol import Json


def taken(prediction: Json) -> bool:
    return bool(jsonschema.Draft202012Validator(dict(SCHEMA)).is_valid(prediction))


def test_the_schema_takes_texts_and_boxes() -> None:
    jsonschema.Draft202012Validator.check_schema(dict(SCHEMA))
    assert taken({"1": "text", "2": {"cat": [[0, 0, 10, 20.5]], "dog": []}})


@pytest.mark.parametrize("numbers", [0, 3, 5])
def test_a_box_has_four_numbers(numbers: int) -> None:
    assert not taken({"1": {"cat": [[1] * numbers]}})


@pytest.mark.parametrize("prediction", [[], "x", {"1": 1}, {"1": ["x"]}, {"1": {"cat": [["a", 0, 1, 1]]}}])
def test_anything_else_is_no_prediction(prediction: Json) -> None:
    assert not taken(prediction)
