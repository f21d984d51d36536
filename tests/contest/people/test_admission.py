"""Teams and tokens: who may be added, what is stored, who a token speaks for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from contest.domain.people.rights import PROCESS_BELIEVES, Identity, Role
from contest.domain.people.teams import Change, Team, TeamStatus, token_hash
from contest.refusals import ContestError
from contest.services.people.authentication import authenticate, identity_of
from contest.services.people.teams import add_team
from contest.services.people.tokens import issue_token, revoke_token
from tests.fakes import FakePlatform

NOW = 1_790_000_000_000


@pytest.fixture
def platform() -> FakePlatform:
    return FakePlatform()


def team_of(status: TeamStatus) -> tuple[Team, Change]:
    return Team("grey", "Grey", status, NOW), Change(NOW, "tests", "team added", "grey", None, None)


@pytest.mark.parametrize("team_id", ["a", "0-a", "a" * 40])
def test_a_team_has_an_id_of_one_to_forty_signs(platform: FakePlatform, team_id: str) -> None:
    assert add_team(platform, "me", team_id, " Name ") == Team(team_id, "Name", TeamStatus.APPROVED, NOW)


@pytest.mark.parametrize("team_id", ["", "-a", "a" * 41, "A", "я", "a b"])
def test_any_other_id_is_refused_in_words(platform: FakePlatform, team_id: str) -> None:
    with pytest.raises(ContestError, match="invalid_team"):
        add_team(platform, "me", team_id, "Name")
    assert platform.people.team(team_id) is None


@pytest.mark.parametrize(
    ("name", "possible"),
    [
        *(("", False), (" ", False), ("n" * 200, True), ("n" * 201, False), ("Красные 🎓", True)),
        *(("\x1f", False), ("Red\n", False), ("Red\tteam", False), ("Red\x85team", False), ("\u2028", False)),
    ],
)
def test_a_name_is_one_line_of_one_to_two_hundred_characters(platform: FakePlatform, name: str, possible: bool) -> None:
    if possible:
        assert add_team(platform, "me", "red", name).name == name
    else:
        with pytest.raises(ContestError, match="invalid_team"):
            add_team(platform, "me", "red", name)


def test_a_team_is_added_once(platform: FakePlatform) -> None:
    add_team(platform, "me", "red", "Red")
    with pytest.raises(ContestError, match="known_team"):
        add_team(platform, "me", "red", "Other")
    found = platform.people.team("red")
    assert found is not None
    assert found.name == "Red"


def test_a_token_speaks_for_its_team_until_it_is_revoked(platform: FakePlatform) -> None:
    add_team(platform, "me", "red", "Red")
    secret, token = issue_token(platform, "me", "red")
    assert (token.token_sha256, token.team_id, token.role) == (token_hash(secret), "red", Role.PROGRAM)
    assert authenticate(platform, f"Bearer {secret}") == Identity(Role.PROGRAM, "red", token.token_id)
    revoke_token(platform, "me", "red", token.token_id)
    assert identity_of(platform, token.token_sha256) is None


def test_a_process_remembers_a_token_for_half_a_minute_at_most(platform: FakePlatform) -> None:
    add_team(platform, "me", "red", "Red")
    secret, token = issue_token(platform, "me", "red")
    platform.clock.moment = 10 * PROCESS_BELIEVES
    assert authenticate(platform, f"Bearer {secret}") is not None
    revoke_token(platform, "me", "red", token.token_id)
    platform.clock.moment += PROCESS_BELIEVES - 1
    assert authenticate(platform, f"Bearer {secret}") is not None
    platform.clock.moment += 1
    assert authenticate(platform, f"Bearer {secret}") is None


def test_who_was_not_known_is_looked_up_again(platform: FakePlatform) -> None:
    add_team(platform, "me", "red", "Red")
    secret, token = issue_token(platform, "me", "red")
    unread = FakePlatform()
    assert authenticate(unread, f"Bearer {secret}") is None
    unread.people = platform.people
    assert authenticate(unread, f"Bearer {secret}") == Identity(Role.PROGRAM, "red", token.token_id)


def test_of_two_tokens_one_is_revoked_alone(platform: FakePlatform) -> None:
    add_team(platform, "me", "red", "Red")
    (kept, _), (_, gone) = issue_token(platform, "me", "red"), issue_token(platform, "me", "red")
    revoke_token(platform, "me", "red", gone.token_id)
    assert authenticate(platform, f"Bearer {kept}") is not None


def test_unknown_tokens_and_none_speak_for_nobody(platform: FakePlatform) -> None:
    assert authenticate(platform, None) is None
    assert authenticate(platform, "Bearer hrd_" + "x" * 43) is None
    assert identity_of(platform, "") is None


@pytest.mark.parametrize("status", [each for each in TeamStatus if each is not TeamStatus.APPROVED])
def test_a_team_that_is_out_has_no_voice(platform: FakePlatform, status: TeamStatus) -> None:
    platform.people.add_team(*team_of(status))
    secret, _ = issue_token(platform, "me", "grey")
    assert authenticate(platform, f"Bearer {secret}") is None


def test_tokens_are_for_teams_there_are(platform: FakePlatform) -> None:
    with pytest.raises(ContestError, match="unknown_team"):
        issue_token(platform, "me", "red")


def test_a_token_is_revoked_once_and_by_its_own_teams_name(platform: FakePlatform) -> None:
    add_team(platform, "me", "red", "Red")
    add_team(platform, "me", "blue", "Blue")
    _, token = issue_token(platform, "me", "red")
    with pytest.raises(ContestError, match="unknown_token"):
        revoke_token(platform, "me", "blue", token.token_id)
    revoke_token(platform, "me", "red", token.token_id)
    with pytest.raises(ContestError, match="revoked_already"):
        revoke_token(platform, "me", "red", token.token_id)


def test_every_change_is_in_the_log_with_who_did_what_and_no_secret(platform: FakePlatform) -> None:
    add_team(platform, "anna", "red", "Red")
    secret, token = issue_token(platform, "boris", "red")
    revoke_token(platform, "clara", "red", token.token_id)
    added, issued, revoked = platform.audit_log.on("2026-09-21")
    assert [(each.who, each.what, each.subject) for each in (added, issued, revoked)] == [
        ("anna", "team added", "red"),
        ("boris", "token issued", "red"),
        ("clara", "token revoked", "red"),
    ]
    assert (added.before, issued.before) == (None, None)
    assert issued.after == {"token_id": token.token_id, "role": "program", "name": "", "expires_at": None}
    assert revoked.before == {"token_id": token.token_id, "revoked_at": None}
    assert revoked.after == {"token_id": token.token_id, "revoked_at": NOW}
    assert secret not in repr([added, issued, revoked])
    assert replace(added, after=None) == Change(NOW, "anna", "team added", "red", None, None)
