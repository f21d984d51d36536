from __future__ import annotations

import copy
import json
from dataclasses import replace
from typing import Any

import pytest

from pku.answers import Order, Receipt
from pku.proof import read_keys, receipt_fault
from tests.pku.platform import Platform, pku_error


@pytest.fixture
def signed(platform: Platform) -> tuple[Receipt, Any]:
    with platform.exchange() as exchange:
        session = exchange.open_session(Order(files=1))
        content = exchange.file(session.session_id, 1).content
        receipt = exchange.answer(session.session_id, 1, json.dumps(content).encode(), key="k")
        return receipt, exchange.keys()


@pytest.mark.parametrize(
    ("name", "value"), [("status", "late"), ("number", 2), ("content_sha256", "0" * 64), ("extra", 1), ("reason", "x")]
)
def test_a_receipt_changed_in_any_field_is_found(signed: tuple[Receipt, Any], name: str, value: object) -> None:
    raw = copy.deepcopy(signed[0].raw)
    raw["receipt"][name] = value
    assert receipt_fault(Receipt.read(raw), read_keys(signed[1])) == "bad_signature"


def test_a_receipt_decided_before_it_was_received_is_found(signed: tuple[Receipt, Any]) -> None:
    receipt, keys = signed
    assert receipt.decided_at == receipt.received_at
    early = replace(receipt, decided_at="2000-01-01T00:00:00.000Z")
    assert receipt_fault(early, read_keys(keys)) == "bad_times"
    assert receipt_fault(replace(receipt, decided_at=None), read_keys(keys)) is None


@pytest.mark.parametrize("signature", ["", "AAAA", "not base64!", "A" * 88])
def test_a_signature_that_is_none_is_found(signed: tuple[Receipt, Any], signature: str) -> None:
    changed = Receipt.read({**signed[0].raw, "signature": signature})
    assert receipt_fault(changed, read_keys(signed[1])) == "bad_signature"


def test_a_receipt_under_an_unknown_key_is_found(signed: tuple[Receipt, Any]) -> None:
    assert receipt_fault(signed[0], {}) == "unknown_key"


@pytest.mark.parametrize(
    "raw", [None, [], {"keys": [{}]}, {"keys": [{"key_id": "0123456789abcdef", "public_key": "AA"}]}, {"keys": "x"}]
)
def test_keys_that_are_none_are_told_so(raw: Any) -> None:
    if raw == []:
        assert read_keys(raw) == {}
        return
    with pku_error("bad_keys"):
        read_keys(raw)
