"""Fields of a request: the value in its type, or a refusal that names the field.

Whatever a request holds, an operation answers or refuses; it never fails (tracks.md §5).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

import pytest
from hypothesis import given

from markup_core.command.complaints import RefusedError
from tests.json_mutations import NESTED, mutated
from tests.tracks.exam.exam_items import item, right
from tracks.command.batch import operation_names, reply_to
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


M2: Final = "S a b c\nA 0 1|||R:X|||d|||REQUIRED|||-NONE-|||0\n"
ANSWER: Final = [{"decorCode": "diagnosisMain", "code": "J44.1"}]
EDIT: Final = {"start": 0, "end": 1, "correction": "d", "type": "R:X", "context_dependent": True}
EPICRISIS: Final = {"nosology": "copd", "ill": True, "v3": ANSWER, "v2": None, "cost_min": 1, "cost_max": 2.5}
TEAM: Final = {"team": "a", "sk": 0.9, "se_lower": 0.8, "sp_lower": 0.8, "cost": 5, "mean_time_s": None}
REQUESTS: Final[dict[str, dict[str, Any]]] = {
    "exam.item": {"gold": "1,2", "prediction": "1", "id_task": "16", "type": "multiple_choice_based_on_text"},
    "exam.submission": {"items": [item()], "answers": right([item()])},
    "gec.compare": {"reference_m2": M2, "hypothesis_m2": M2, "mode": "unit", "beta": 1, "by": "type"},
    "gec.blocks": {"n_sentences": 3, "edits": [{"first": 0, "last": 1, "group": "g"}]},
    "gec.concentrated": {"gold": [EDIT], "hypothesis": [EDIT], "by": "full", "detection": "token"},
    "gec.agreement": {"items": [["a", "b"], ["a", None]], "categories": ["a", "b"], "base": ["a", None]},
    "fusion.c2c": {"true": {"a": "x = 1"}, "prediction": {"a": "x = 2"}},
    "fusion.htr": {"true": {"a": "x"}, "prediction": {"a": "y"}},
    "fusion.zsod": {"true": {"a": {"cat": [[0, 0, 5, 5]]}}, "prediction": {"a": {"cat": [[0, 0, 5, 4]]}}},
    "fusion.vqa": {"true": {"a": {"answer": "two", "lang": "en"}}, "prediction": {"a": "2"}, "mode": "normalised"},
    "fusion.integral": {"c2c": 30, "htr": 0.5, "zsod": 0.2, "vqa": 0.4},
    "fusion.prize": {"s": 1.6, "place": 1, "params": {"smin": 1.3}},
    "diagnosis.validate": {"answer": ANSWER, "stage": "semifinal"},
    "diagnosis.bound": {"successes": 4, "n": 5, "z": 1.64},
    "diagnosis.session": {"epicrises": [EPICRISIS, {**EPICRISIS, "ill": False}], "z": 1.64},
    "diagnosis.board": {"teams": [TEAM, {**TEAM, "team": "b"}]},
    "diagnosis.partial_barrier": {"passed": {"a": {"copd": 0.9}, "b": {"cteph": 0.8}}},
    "diagnosis.rotation": {"rounds": 16},
}
every = pytest.mark.parametrize("op", sorted(REQUESTS))


@pytest.mark.property
def test_every_operation_has_a_request() -> None:
    assert set(REQUESTS) == set(operation_names())


@pytest.mark.property
@every
def test_the_requests_are_answered(op: str) -> None:
    found = reply_to(json.dumps({"op": op, **REQUESTS[op]}).encode())
    assert found["ok"], found["error"]
    assert isinstance(found["result"], dict)


@pytest.mark.property
@every
@given(change=NESTED)
def test_a_request_with_a_part_replaced_is_answered_or_refused(op: str, change: Any) -> None:
    for fields in mutated(REQUESTS[op], change):
        if isinstance(fields, dict):
            found = reply_to(json.dumps({**fields, "op": op}).encode())
            assert found["ok"] or found["error"]["code"] != "internal_error", (fields, found)
