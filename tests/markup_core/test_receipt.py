"""Canonical JSON, fingerprints, score records and their verification (markup-scoring §8)."""

from __future__ import annotations

import copy
import json
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from markup_core import __version__
from markup_core.params import ScoringParams
from markup_core.reading.validation import InvalidMarkup
from markup_core.receipt import canonical_bytes, canonical_json, differences, fingerprint, sha256_hex
from markup_core.record import score_of, score_record, verify

TEXT = "раз два три"
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


@given(values)
def test_canonical_json_reads_back_the_same(value: Any) -> None:
    assert json.loads(canonical_json(value)) == value
    assert canonical_json(json.loads(canonical_json(value))) == canonical_json(value)


@pytest.mark.clause("MS §8 same bytes")
def test_keys_are_sorted_and_nothing_is_wasted() -> None:
    assert canonical_json({"б": [1, 2.5], "a": {"z": None, "b": True}}) == '{"a":{"b":true,"z":null},"б":[1,2.5]}'


@pytest.mark.clause("MS §8 same bytes")
@pytest.mark.parametrize(
    ("number", "written"),
    [(-0.0, "0.0"), (1.0, "1.0"), (0.1 + 0.2, "0.30000000000000004"), (1e22, "1e+22"), (100 / 3, "33.333333333333336")],
)
def test_numbers_are_written_in_one_way(number: float, written: str) -> None:
    assert canonical_json(number) == written
    assert canonical_json({"deep": [number]}) == f'{{"deep":[{written}]}}'


def test_any_mapping_is_an_object_and_a_tuple_a_list() -> None:
    assert canonical_json(MappingProxyType({"b": (1, -0.0), "a": MappingProxyType({})})) == '{"a":{},"b":[1,0.0]}'
    assert canonical_bytes({"б": ("ж", None)}) == '{"б":["ж",null]}'.encode()


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_what_json_cannot_say_is_refused(number: float) -> None:
    with pytest.raises(ValueError, match="JSON"):
        canonical_json([number])


@pytest.mark.clause("MS §8 fingerprint")
def test_a_fingerprint_names_version_parameters_and_inputs() -> None:
    found = fingerprint("pair", ScoringParams(hardness=0.5), [{"b": 1, "a": 2}, None])
    assert found["library"] == f"markup_core {__version__}"
    assert found["parameters"]["hardness"] == 0.5
    assert found["inputs"] == [sha256_hex(b'{"a":2,"b":1}'), sha256_hex(b"null")]
    # FIPS 180-2's own example.
    assert sha256_hex(b"abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_equal_inputs_have_equal_fingerprints_however_they_were_written() -> None:
    one, other = json.loads('{"a": 1, "b": [1.50]}'), json.loads('{"b":[1.5],"a":1}')
    assert fingerprint("match", None, [one]) == fingerprint("match", None, [other])
    assert canonical_bytes(one) == canonical_bytes(other)


def test_half_a_surrogate_pair_has_a_fingerprint_all_the_same() -> None:
    assert len(fingerprint("parse", None, ["\ud800"])["inputs"][0]) == 64


def test_differences_name_the_place_and_both_values() -> None:
    old = {"a": [1, {"b": 2.0}], "gone": 1, "kept": "x"}
    new = {"a": [1, {"b": 2.5}], "kept": "x", "new": None}
    assert list(differences(old, new)) == ["a[1].b: 2.0 → 2.5", "gone: 1 → absent", "new: absent → null"]
    assert list(differences([1], [1, 2])) == ["value: [1] → [1,2]"]


def raw(*spans: tuple[int, int]) -> dict[str, Any]:
    selections = [
        {"id": number, "startSelection": start, "endSelection": end, "type": "Г.слов", "group": "error"}
        for number, (start, end) in enumerate(spans, start=1)
    ]
    return {"meta": {"id": "1", "subject": "rus"}, "criteria": {}, "selections": selections, "text": TEXT}


ANSWER, REFERENCES = raw((0, 3)), [raw((0, 3), (4, 7)), raw((4, 7))]


@pytest.mark.clause("MS §8 verify")
def test_a_record_verifies_against_its_inputs() -> None:
    record = score_record(ANSWER, REFERENCES, ScoringParams(hardness=0.5))
    stored = json.loads(canonical_json(record))
    assert verify(stored, ANSWER, REFERENCES) == []
    assert score_of(stored).to_dict() == score_of(record).to_dict()


@pytest.mark.parametrize(
    ("path", "value", "place"),
    [
        (("algorithm_accuracy",), 99.0, "algorithm_accuracy: 99.0 → "),
        (("pairs", 0, "metrics", "M2"), 1.0, "pairs[0].metrics.M2: 1.0 → "),
        (("fingerprint", "library"), "markup_core 0.0.0", "fingerprint.library: "),
    ],
)
def test_a_record_that_was_tampered_with_is_found_out(path: tuple[Any, ...], value: Any, place: str) -> None:
    record = copy.deepcopy(score_record(ANSWER, REFERENCES, ScoringParams()))
    part = record
    for step in path[:-1]:
        part = part[step]
    part[path[-1]] = value
    found = verify(record, ANSWER, REFERENCES)
    assert len(found) == 1
    assert found[0].startswith(place)


def test_a_record_of_other_inputs_is_found_out() -> None:
    record = score_record(ANSWER, REFERENCES, ScoringParams())
    assert any(line.startswith("fingerprint.inputs[0]") for line in verify(record, raw((4, 7)), REFERENCES))


def test_an_invalid_markup_has_no_record() -> None:
    with pytest.raises(InvalidMarkup):
        score_record(raw((5, 3)), REFERENCES, ScoringParams())
