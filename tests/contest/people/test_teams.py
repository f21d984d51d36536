"""Roles and rights, tokens and their forms."""

from __future__ import annotations

import pytest

from contest.people.rules import RIGHTS, bearer_hash, token_hash
from contest.route import Right

TOKEN = "hrd_" + "A" * 43


def test_no_right_is_granted_to_nobody() -> None:
    assert frozenset().union(*RIGHTS.values()) == frozenset(Right)


@pytest.mark.parametrize("header", [f"Bearer {TOKEN}", f"bearer  {TOKEN}", f" Bearer {TOKEN} "])
def test_a_bearer_token_is_read_from_its_header(header: str) -> None:
    assert bearer_hash(header) == token_hash(TOKEN)


@pytest.mark.parametrize(
    "header",
    [None, "", "Bearer", TOKEN, f"Basic {TOKEN}", f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", f"Bearer {TOKEN} x",
     f"Bearer {TOKEN}, Bearer {TOKEN}", "Bearer hrd_" + "я" * 43],
)  # fmt: skip
def test_anything_else_is_no_token(header: str | None) -> None:
    assert bearer_hash(header) is None


def test_a_token_is_stored_as_its_sha256() -> None:
    # sha256("abc"), from FIPS 180-2
    assert token_hash("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
