"""Canonical JSON, fingerprints, score records and their verification (markup-scoring §8)."""

from __future__ import annotations

import json
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from markup_core import __version__
from markup_core.params import ScoringParams
from markup_core.receipt import canonical_bytes, canonical_json, differences, fingerprint, sha256_hex

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
