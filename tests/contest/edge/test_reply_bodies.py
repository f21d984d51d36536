"""Replies are made of domain values by their attributes; requests take no such liberties."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from contest.people.rules import Role, Token
from contest.people.wire import MemberBody, NewTokenBody, TokenRequest


def test_a_reply_has_the_values_attributes_and_nothing_misspelt_missing_or_converted() -> None:
    with pytest.raises(ValidationError, match="valid string"):
        TokenRequest.model_validate({"name": "a", "expires_at": 1_795_233_600_000})
    token = Token("t", "0" * 64, "red", Role.PROGRAM, 1_795_233_600_000, name="cellar")
    body = NewTokenBody.from_value(token, used_at=None, token="secret")
    assert (body.token_id, body.token, body.name, body.revoked_at) == ("t", "secret", "cellar", None)
    assert body.created_at == "2026-11-21T04:00:00.000Z"
    with pytest.raises(TypeError, match="captian"):
        MemberBody.from_value(object(), captian=True)
    with pytest.raises(ValidationError):
        MemberBody.from_value(object(), is_captain=True)
