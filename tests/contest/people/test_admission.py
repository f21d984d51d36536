"""Teams and tokens: teams that may be added, stored data, and the team of a token."""

from __future__ import annotations

import unicodedata
from dataclasses import replace

import pytest

from contest.people.authentication import authenticate, identity_of
from contest.people.rules import (
    PROCESS_BELIEVES,
    RIGHTS,
    Change,
    Decision,
    Identity,
    Role,
    Team,
    TeamStatus,
    bearer_hash,
    token_hash,
)
from contest.people.teams import add_team, decide_on_team, issue_token, revoke_token
from contest.refusals import ContestError
from contest.routes import GATEWAY_BELIEVES, Right
from contest.values import MINUTE
from tests.fakes import FakePlatform

NOW = 1_790_000_000_000


@pytest.fixture
def platform() -> FakePlatform:
    return FakePlatform()


def team_of(status: TeamStatus) -> tuple[Team, Change]:
    return Team("grey", "Grey", status, NOW), Change(NOW, "tests", "team added", "grey", None, None)


@pytest.mark.parametrize(
    ("team_id", "name", "stored"),
    [
        # An id of one to forty signs.
        *((team_id, " Name ", "Name") for team_id in ("a", "0-a", "a" * 40)),
        *((team_id, "Name", None) for team_id in ("", "-a", "a" * 41, "A", "я", "a b")),
        # A name of one line and one to two hundred characters.
        *(("red", name, name) for name in ("n" * 200, "Красные 🎓", "x\u0300\u0301\u0300")),
        *(("red", name, None) for name in ("", " ", "n" * 201)),
        *(("red", name, None) for name in ("\x1f", "Red\n", "Red\tteam", "Red\x85team", "\u2028")),
        # Names of the world's scripts are taken, mixed too, composed, and with one space for blanks.
        *(
            ("red", name, unicodedata.normalize("NFC", name))
            for name in ("Команда Alpha", "DeepПавлов", "Việt Nam", "שָׁלוֹם", "団子", "Team 🦉", "O'Neil & Co.")
        ),
        ("red", " Зеле\u0308ные\u00a0  совы ", "Зелёные совы"),
    ],
)
def test_a_team_has_an_id_and_a_name(platform: FakePlatform, team_id: str, name: str, stored: str | None) -> None:
    if stored:
        assert add_team(platform, "me", team_id, name) == Team(team_id, stored, TeamStatus.APPROVED, NOW)
    else:
        with pytest.raises(ContestError, match="invalid_team"):
            add_team(platform, "me", team_id, name)
        assert platform.people.team(team_id) is None


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Re\u200bd", "U+200B ZERO WIDTH SPACE"),
        ("Red\u202edeR", "U+202E RIGHT-TO-LEFT OVERRIDE"),
        ("Red\u2067", "U+2067 RIGHT-TO-LEFT ISOLATE"),
        ("Red\u3164", "U+3164 HANGUL FILLER"),
        ("Red\ufe0f", "U+FE0F VARIATION SELECTOR-16"),
        ("Red\u2800team", "U+2800 BRAILLE PATTERN BLANK"),
        ("Red\u00ad", "U+00AD SOFT HYPHEN"),
        ("Red\u0378", "U+0378"),
        ("Red\ue000", "U+E000"),
        ("\u0301Red", "U+0301 COMBINING ACUTE ACCENT"),
        ("Red \u0301", "U+0301 COMBINING ACUTE ACCENT"),
        ("Re\u0301\u0301d", "U+0301 COMBINING ACUTE ACCENT"),
        ("e\u0300\u0301\u0302\u0303\u0304", "U+0304 COMBINING MACRON"),
    ],
)
def test_an_unfit_character_is_refused_by_name(platform: FakePlatform, name: str, shown: str) -> None:
    with pytest.raises(ContestError, match="invalid_team") as refused:
        add_team(platform, "me", "red", name)
    (detail,) = refused.value.details
    assert detail["code"] == "unfit_character"
    assert shown in detail["message"]
    assert shown in detail["message_ru"]
    assert platform.people.team("red") is None


@pytest.mark.parametrize(
    ("first", "second"),
    [
        *(("Сокол", "Coкoл"), ("Red", "Rеd"), ("red owls", "Red  Owls"), ("paypal", "paypaI"), ("PAYPAL", "paypaI")),
        *(("modern", "modem"), ("Team 1", "Team I"), ("Зелёные", "Зеле\u0308ные"), ("ﬁsh", "fish"), ("ВЕК", "BEK")),
        *(("Owls", "Ｏwls"), ("Ωmega", "Ωmega"), ("سلام", "سلاﻡ")),
        *(("team", "ТЕАМ"), ("Bot", "вот"), ("Team-1", "Team—1")),
    ],
)
def test_two_names_that_read_alike_are_one_whichever_comes_first(first: str, second: str) -> None:
    for one, other in ((first, second), (second, first)):
        platform = FakePlatform()
        add_team(platform, "me", "red", one)
        with pytest.raises(ContestError, match="name_taken"):
            add_team(platform, "me", "blue", other)
        assert platform.people.team("blue") is None


@pytest.mark.parametrize(
    ("first", "second"), [("Mail", "Mall"), ("Team 1", "Team 2"), ("Team 1", "Team 11"), ("Сова", "Совы")]
)
def test_names_that_differ_to_the_eye_are_two(platform: FakePlatform, first: str, second: str) -> None:
    add_team(platform, "me", "red", first)
    add_team(platform, "me", "blue", second)
    assert [team and team.name for team in map(platform.people.team, ("red", "blue"))] == [first, second]


def test_a_name_given_up_is_free_and_old_teams_that_read_alike_are_decided(platform: FakePlatform) -> None:
    platform.people.add_team(*team_of(TeamStatus.APPLIED))
    decide_on_team(platform, "me", "grey", Decision("late", TeamStatus.REJECTED))
    add_team(platform, "me", "other", "GREY")
    with pytest.raises(ContestError, match="name_taken"):
        decide_on_team(platform, "me", "grey", Decision("after all", TeamStatus.APPROVED))
    decide_on_team(platform, "me", "other", Decision("cheated", TeamStatus.DISQUALIFIED))
    with pytest.raises(ContestError, match="name_taken"):
        decide_on_team(platform, "me", "grey", Decision("after all", TeamStatus.APPROVED))
    platform.people.put(Team("red", "Owls", TeamStatus.APPROVED, NOW))
    platform.people.put(Team("blue", "Оwls", TeamStatus.APPROVED, NOW))
    assert (
        decide_on_team(platform, "me", "blue", Decision("alike", TeamStatus.SUSPENDED)).status is TeamStatus.SUSPENDED
    )
    with pytest.raises(ContestError, match="name_taken"):
        add_team(platform, "me", "green", "OWLS")


@pytest.mark.clause("platform §7 teams", "platform §1 organizer")
def test_a_team_is_added_once_and_its_tokens_are_revoked_once_and_by_its_own_name(platform: FakePlatform) -> None:
    with pytest.raises(ContestError, match="unknown_team"):
        issue_token(platform, "me", "red")
    added = add_team(platform, "me", "red", "Red")
    with pytest.raises(ContestError, match="known_team"):
        add_team(platform, "me", "red", "Other")
    assert platform.people.team("red") == added
    add_team(platform, "me", "blue", "Blue")
    (other, _), (_, token) = issue_token(platform, "me", "red"), issue_token(platform, "me", "red")
    with pytest.raises(ContestError, match="unknown_token"):
        revoke_token(platform, "me", "blue", token.token_id)
    revoke_token(platform, "me", "red", token.token_id)
    with pytest.raises(ContestError, match="revoked_already"):
        revoke_token(platform, "me", "red", token.token_id)
    assert authenticate(platform, f"Bearer {other}") is not None


def test_a_process_remembers_a_token_for_half_a_minute_at_most(platform: FakePlatform) -> None:
    assert PROCESS_BELIEVES + GATEWAY_BELIEVES <= MINUTE
    add_team(platform, "me", "red", "Red")
    secret, token = issue_token(platform, "me", "red")
    platform.clock.moment = 10 * PROCESS_BELIEVES
    assert authenticate(platform, f"Bearer {secret}") is not None
    revoke_token(platform, "me", "red", token.token_id)
    platform.clock.moment += PROCESS_BELIEVES - 1
    assert authenticate(platform, f"Bearer {secret}") is not None
    platform.clock.moment += 1
    assert authenticate(platform, f"Bearer {secret}") is None


def test_who_was_not_known_is_looked_up_again_and_who_is_unknown_speaks_for_nobody(platform: FakePlatform) -> None:
    add_team(platform, "me", "red", "Red")
    secret, token = issue_token(platform, "me", "red")
    unread = FakePlatform()
    assert authenticate(unread, f"Bearer {secret}") is None
    unread.people = platform.people
    assert authenticate(unread, f"Bearer {secret}") == Identity(Role.PROGRAM, "red", token.token_id)
    assert authenticate(platform, None) is None
    assert authenticate(platform, "Bearer hrd_" + "x" * 43) is None
    assert identity_of(platform, "", platform.clock.now()) is None


@pytest.mark.parametrize("status", [each for each in TeamStatus if each is not TeamStatus.APPROVED])
def test_a_team_that_is_out_has_no_voice(platform: FakePlatform, status: TeamStatus) -> None:
    platform.people.add_team(*team_of(status))
    secret, _ = issue_token(platform, "me", "grey")
    assert authenticate(platform, f"Bearer {secret}") is None


@pytest.mark.clause("platform §1 audit")
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


TOKEN = "hrd_" + "A" * 43


def test_no_right_is_granted_to_nobody() -> None:
    assert frozenset().union(*RIGHTS.values()) == frozenset(Right)


@pytest.mark.parametrize(
    ("header", "is_token"),
    [
        *((header, True) for header in (f"Bearer {TOKEN}", f"bearer  {TOKEN}", f" Bearer {TOKEN} ")),
        *((header, False) for header in (None, "", "Bearer", TOKEN, f"Basic {TOKEN}", f"Bearer {TOKEN}x")),
        *(
            (header, False)
            for header in (f"Bearer {TOKEN[:-1]}", f"Bearer {TOKEN} x", f"Bearer {TOKEN}, Bearer {TOKEN}")
        ),
        ("Bearer hrd_" + "я" * 43, False),
    ],
)
def test_a_bearer_token_is_read_from_its_header_and_hashed(header: str | None, is_token: bool) -> None:
    assert bearer_hash(header) == (token_hash(TOKEN) if is_token else None)
    # sha256("abc"), from FIPS 180-2
    assert token_hash("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
