"""Whatever a request holds, an operation answers or refuses; it never fails (tracks.md §5)."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest
from hypothesis import given

from tests.json_mutations import NESTED, mutated
from tests.tracks.exam.exam_items import item, right
from tracks.command.batch import operation_names, reply_to

pytestmark = pytest.mark.property

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


def test_every_operation_has_a_request() -> None:
    assert set(REQUESTS) == set(operation_names())


@every
def test_the_requests_are_answered(op: str) -> None:
    found = reply_to(json.dumps({"op": op, **REQUESTS[op]}).encode())
    assert found["ok"], found["error"]
    assert isinstance(found["result"], dict)


@every
@given(change=NESTED)
def test_a_request_with_a_part_replaced_is_answered_or_refused(op: str, change: Any) -> None:
    for fields in mutated(REQUESTS[op], change):
        if isinstance(fields, dict):
            found = reply_to(json.dumps({**fields, "op": op}).encode())
            assert found["ok"] or found["error"]["code"] != "internal_error", (fields, found)
