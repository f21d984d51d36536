"""People and invitations: one set of promises, kept by the adapter on emulated services."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pytest
from botocore.exceptions import ClientError  # type: ignore[import-untyped]  # the SDK has no types
from pynamodb.exceptions import PutError

from contest.people.rules import Application, Change, Invitation, Person, Pool, Role, Team, TeamStatus
from contest.platform import Platform
from contest.session.store import UseItem
from tests.losing import loses
from tests.stage import Program, staged

pytestmark = pytest.mark.integration


@pytest.fixture
def platform(tmp_path: Path) -> Iterator[Platform]:
    """Return the adapters alone: no fake stands for these ports."""
    with staged(tmp_path) as stage:
        yield stage.platform


CHANGE = Change(1_000, "me", "something", "x", None, {"a": 1})
SAID = Application("Institute", "anna@example.org", "About 😀", 5)
TEAM = Team("red", "Красные", TeamStatus.APPLIED, 5, "anna", SAID)
ANNA = Person("anna", Pool.PARTICIPANTS, Role.PARTICIPANT, "Anna", "anna@example.org", 5, "red")
BORIS = replace(ANNA, person_id="boris", team_id="red")
OLGA = Person("olga", Pool.STAFF, Role.ORGANIZER, "Olga", "olga@example.org", 5)
JAN = replace(OLGA, person_id="jan", role=Role.JUDGE)
INVITATION = Invitation("i1", "h" * 64, "red", "for Boris", False, 5, 1_000)


def test_a_team_and_its_first_member_are_written_together(platform: Platform) -> None:
    platform.persons.apply(TEAM, None, ANNA, CHANGE)
    assert (platform.people.team("red"), platform.persons.person("anna")) == (TEAM, ANNA)
    assert list(platform.persons.members_of("red")) == [ANNA]
    loses(lambda: platform.persons.apply(TEAM, None, BORIS, CHANGE))
    assert platform.persons.person("boris") is None


def test_nobody_is_in_two_teams_by_applying_twice_at_once(platform: Platform) -> None:
    platform.persons.apply(TEAM, None, ANNA, CHANGE)
    loses(lambda: platform.persons.apply(replace(TEAM, team_id="blue"), None, replace(ANNA, team_id="blue"), CHANGE))
    assert platform.people.team("blue") is None
    assert len(platform.audit_log.on("1970-01-01")) == 1


def test_a_name_that_reads_alike_is_taken_in_the_same_transaction_and_given_up_in_another(platform: Platform) -> None:
    platform.people.add_team(TEAM, CHANGE)
    alike = replace(TEAM, team_id="blue", name="КРАСНЫЕ")
    loses(lambda: platform.people.add_team(alike, CHANGE))
    loses(lambda: platform.persons.apply(alike, None, ANNA, CHANGE))
    assert platform.people.team("blue") is None
    renamed = replace(TEAM, name="Синие", version=2)
    platform.people.set_team(TEAM, renamed, CHANGE)
    platform.people.add_team(alike, CHANGE)
    loses(lambda: platform.people.set_team(renamed, replace(TEAM, version=3), CHANGE))
    assert platform.people.team("red") == renamed


def test_a_team_changes_if_it_is_still_as_it_was_read(platform: Platform) -> None:
    platform.people.add_team(TEAM, CHANGE)
    approved = replace(TEAM, status=TeamStatus.APPROVED, reason="complete", version=2)
    platform.people.set_team(TEAM, approved, CHANGE)
    assert platform.people.team("red") == approved
    loses(lambda: platform.people.set_team(TEAM, replace(TEAM, name="Other", version=2), CHANGE))
    loses(lambda: platform.people.set_team(replace(TEAM, team_id="none"), approved, CHANGE))
    assert list(platform.people.all_teams()) == [approved]


def test_all_teams_come_by_id(platform: Platform) -> None:
    for name in ("red", "blue", "green"):
        platform.people.add_team(replace(TEAM, team_id=name, name=name), CHANGE)
    assert [each.team_id for each in platform.people.all_teams()] == ["blue", "green", "red"]


def test_staff_is_decided_about_by_who_is_still_an_organizer(platform: Platform) -> None:
    platform.persons.add_staff(OLGA, "", CHANGE)
    platform.persons.add_staff(JAN, "olga", CHANGE)
    loses(lambda: platform.persons.add_staff(JAN, "olga", CHANGE))
    loses(lambda: platform.persons.add_staff(replace(JAN, person_id="eve"), "jan", CHANGE))
    loses(lambda: platform.persons.add_staff(replace(JAN, person_id="eve"), "nobody", CHANGE))
    assert list(platform.persons.staff()) == [JAN, OLGA]
    gone = replace(OLGA, dismissed_at=9, version=2)
    platform.persons.set_staff(OLGA, gone, "", CHANGE)
    assert platform.persons.person("olga") == gone
    loses(lambda: platform.persons.set_staff(JAN, replace(JAN, version=2), "olga", CHANGE))
    loses(lambda: platform.persons.set_staff(OLGA, replace(OLGA, version=2), "", CHANGE))


def test_of_two_organizers_who_dismiss_each_other_one_remains(platform: Platform) -> None:
    vera = replace(OLGA, person_id="vera")
    platform.persons.add_staff(OLGA, "", CHANGE)
    platform.persons.add_staff(vera, "", CHANGE)
    platform.persons.set_staff(vera, replace(vera, dismissed_at=9, version=2), "olga", CHANGE)
    loses(lambda: platform.persons.set_staff(OLGA, replace(OLGA, dismissed_at=9, version=2), "vera", CHANGE))
    assert [each.person_id for each in platform.persons.staff() if each.is_active] == ["olga"]


def test_an_invitation_is_accepted_once(platform: Platform) -> None:
    platform.persons.apply(TEAM, None, ANNA, CHANGE)
    platform.persons.invite(INVITATION, CHANGE)
    loses(lambda: platform.persons.invite(INVITATION, CHANGE))
    assert platform.persons.invitation("h" * 64) == INVITATION
    platform.persons.accept(INVITATION, None, None, BORIS, CHANGE)
    assert list(platform.persons.members_of("red")) == [ANNA, BORIS]
    assert list(platform.persons.invitations_of("red")) == [replace(INVITATION, accepted_by="boris")]
    loses(lambda: platform.persons.accept(INVITATION, None, None, replace(BORIS, person_id="eve"), CHANGE))
    loses(lambda: platform.persons.revoke_invitation(INVITATION, 9, CHANGE))
    assert platform.persons.person("eve") is None


def test_a_revoked_invitation_is_not_accepted(platform: Platform) -> None:
    platform.persons.apply(TEAM, None, ANNA, CHANGE)
    platform.persons.invite(INVITATION, CHANGE)
    platform.persons.revoke_invitation(INVITATION, 9, CHANGE)
    loses(lambda: platform.persons.revoke_invitation(INVITATION, 10, CHANGE))
    loses(lambda: platform.persons.accept(INVITATION, None, None, BORIS, CHANGE))
    assert platform.persons.invitation("h" * 64) == replace(INVITATION, revoked_at=9)


def test_who_becomes_captain_by_an_invitation_does_so_with_it_or_not_at_all(platform: Platform) -> None:
    platform.persons.apply(TEAM, None, ANNA, CHANGE)
    platform.persons.invite(INVITATION, CHANGE)
    led = replace(TEAM, captain="boris", version=2)
    platform.people.set_team(TEAM, replace(TEAM, name="Meanwhile", version=2), CHANGE)
    loses(lambda: platform.persons.accept(INVITATION, (TEAM, led), None, BORIS, CHANGE))
    assert (platform.persons.person("boris"), platform.persons.invitation("h" * 64)) == (None, INVITATION)


def test_who_leaves_is_no_member_and_a_team_that_changed_keeps_them(platform: Platform) -> None:
    platform.persons.apply(TEAM, None, ANNA, CHANGE)
    platform.persons.invite(INVITATION, CHANGE)
    platform.persons.accept(INVITATION, None, None, BORIS, CHANGE)
    gone = replace(BORIS, team_id="", version=2)
    loses(lambda: platform.persons.leave(replace(TEAM, version=7), BORIS, gone, CHANGE))
    platform.persons.leave(TEAM, BORIS, gone, CHANGE)
    assert list(platform.persons.members_of("red")) == [ANNA]
    assert platform.persons.person("boris") == gone
    loses(lambda: platform.persons.leave(TEAM, BORIS, gone, CHANGE))


def test_a_person_who_was_a_member_before_joins_anew(platform: Platform) -> None:
    platform.persons.apply(TEAM, None, ANNA, CHANGE)
    again = replace(INVITATION, invitation_id="i2", code_sha256="j" * 64)
    for each in (INVITATION, again):
        platform.persons.invite(each, CHANGE)
    platform.persons.accept(INVITATION, None, None, BORIS, CHANGE)
    gone, back = replace(BORIS, team_id="", version=2), replace(BORIS, version=3)
    platform.persons.leave(TEAM, BORIS, gone, CHANGE)
    loses(lambda: platform.persons.accept(again, None, BORIS, back, CHANGE))
    platform.persons.accept(again, None, gone, back, CHANGE)
    assert list(platform.persons.members_of("red")) == [ANNA, back]
    assert platform.persons.invitation("j" * 64) == replace(again, accepted_by="boris")


def test_requests_of_people_are_counted_by_person_and_second(platform: Platform) -> None:
    counts = [platform.requests.of_person(who, second) for who, second in [("a", 7), ("a", 7), ("b", 7), ("a", 8)]]
    assert counts == [1, 2, 1, 1]


def test_the_last_use_of_a_token_is_its_teams(platform: Platform) -> None:
    platform.requests.note_use("red", "k1", 5)
    platform.requests.note_use("red", "k1", 9)
    platform.requests.note_use("red", "k2", 7)
    platform.requests.note_use("blue", "k3", 1)
    assert platform.requests.uses("red") == {"k1": 9, "k2": 7}


def test_an_account_is_made_once_and_found_again(platform: Platform) -> None:
    made = platform.accounts.invite("jan@example.org", "Jan")
    assert platform.accounts.invite("jan@example.org", "Jan") == made
    assert platform.accounts.invite("eve@example.org", "Eve") != made
    platform.accounts.close("jan@example.org")
    platform.accounts.close("jan@example.org")
    platform.accounts.close("nobody@example.org")
    platform.accounts.reopen("jan@example.org")


def test_a_use_that_cannot_be_noted_costs_nobody_a_request(tmp_path: Path) -> None:
    with staged(tmp_path) as stage:
        stage.load()
        program = Program(stage, stage.team("red"))
        failing = ClientError({"Error": {"Code": "InternalServerError", "Message": "x"}}, "PutItem")
        with patch.object(UseItem, "save", side_effect=PutError(cause=failing)) as tried:
            assert program.open().status == 201
        assert tried.called
        assert stage.platform.requests.uses("red") == {}
