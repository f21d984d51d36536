"""Roles and rights, tokens and their forms."""

from __future__ import annotations

import pytest

from contest.people.rules import RIGHTS, Identity, Role, bearer, may, token_hash
from contest.route import Right
from contest.routes import ROUTES

TOKEN = "hrd_" + "A" * 43


def test_every_role_has_its_row() -> None:
    assert set(RIGHTS) == set(Role)


def test_everybody_may_read_what_is_published() -> None:
    assert all(Right.READ_PUBLISHED in granted for granted in RIGHTS.values())


def test_only_a_program_exchanges_files() -> None:
    assert [role for role in Role if may(Identity(role), Right.EXCHANGE)] == [Role.PROGRAM]


def test_a_submission_is_brought_by_a_program_or_by_a_member_of_the_team() -> None:
    assert {role for role in Role if may(Identity(role), Right.SUBMIT)} == {Role.PROGRAM, Role.PARTICIPANT}


def test_the_organizer_may_do_what_any_other_person_of_the_contest_may() -> None:
    staff = RIGHTS[Role.JUDGE] | RIGHTS[Role.COMMISSION]
    assert staff < RIGHTS[Role.ORGANIZER]


def test_no_right_is_granted_to_nobody() -> None:
    assert frozenset().union(*RIGHTS.values()) == frozenset(Right)


def test_whatever_changes_a_session_needs_the_exchange() -> None:
    changing = [each for each in ROUTES if each.path.startswith("/v1/sessions") and each.method != "GET"]
    of_programs = [each for each in changing if "/conclusion/" not in each.path]
    assert {each.right for each in of_programs} == {Right.EXCHANGE}


@pytest.mark.parametrize("header", [f"Bearer {TOKEN}", f"bearer  {TOKEN}", f" Bearer {TOKEN} "])
def test_a_bearer_token_is_read_from_its_header(header: str) -> None:
    assert bearer(header) == TOKEN


@pytest.mark.parametrize(
    "header",
    [None, "", "Bearer", TOKEN, f"Basic {TOKEN}", f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", f"Bearer {TOKEN} x",
     f"Bearer {TOKEN}, Bearer {TOKEN}", "Bearer hrd_" + "я" * 43],
)  # fmt: skip
def test_anything_else_is_no_token(header: str | None) -> None:
    assert bearer(header) is None


def test_a_token_is_stored_as_its_sha256() -> None:
    # sha256("abc"), from FIPS 180-2
    assert token_hash("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
