"""Replies are made of domain values by their attributes; requests take no such liberties."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from contest.people.rules import Role, Token
from contest.people.wire import MemberBody, NewTokenBody, TokenRequest


def test_a_number_is_no_moment_in_a_request() -> None:
    with pytest.raises(ValidationError, match="valid string"):
        TokenRequest.model_validate({"name": "a", "expires_at": 1_795_233_600_000})


def test_a_field_is_the_values_attribute_and_a_moment_is_written_in_utc() -> None:
    token = Token("t", "0" * 64, "red", Role.PROGRAM, 1_795_233_600_000, name="cellar")
    body = NewTokenBody.from_value(token, used_at=None, token="secret")
    assert (body.token_id, body.token, body.name, body.revoked_at) == ("t", "secret", "cellar", None)
    assert body.created_at == "2026-11-21T04:00:00.000Z"


def test_a_misspelt_field_is_an_error_and_a_missing_one_too() -> None:
    with pytest.raises(TypeError, match="captian"):
        MemberBody.from_value(object(), captian=True)
    with pytest.raises(ValidationError):
        MemberBody.from_value(object(), is_captain=True)
