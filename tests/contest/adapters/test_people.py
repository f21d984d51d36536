"""Promises of the ports of people, experts, questions and submissions, kept on emulated services."""

from __future__ import annotations

from dataclasses import replace

import pytest

from contest.cycle.rules.cycle import SetKind
from contest.cycle.rules.notices import Announcement, AnnouncementKind, published
from contest.experts.rules.assignment import Assignment, AssignmentState, Decision, Draft, EssayWork, Marking
from contest.experts.rules.sharing_out import Expert
from contest.messages import rules
from contest.messages.rules import Answer, Question, Subject
from contest.people.accounts import CognitoAccounts
from contest.people.rules import Application, Change, Invitation, Person, Pool, Role, Team, TeamStatus
from contest.platform import Platform
from contest.room_ports import Written
from contest.session.rules.session import Key
from contest.submissions.rules import (
    Declaration,
    FailureCause,
    Lane,
    Order,
    Program,
    Submission,
    SubmissionKind,
    SubmissionState,
)
from contest.values import Upload, utc_day
from tests.losing import loses
from tracks.protocol import Text

pytestmark = [
    pytest.mark.integration,
    pytest.mark.parametrize("platform", ["real"], indirect=True),  # no fake stands for these ports
]
CHANGE = Change(1_000, "me", "something", "x", None, {"a": 1})
SAID = Application("Institute", "anna@example.org", "About 😀", 5)
TEAM = Team("red", "Красные", TeamStatus.APPLIED, 5, "anna", SAID)
CAPTAIN = Person("anna", Pool.PARTICIPANTS, Role.PARTICIPANT, "Anna", "anna@example.org", 5, "red")
BORIS = replace(CAPTAIN, person_id="boris", team_id="red")
OLGA = Person("olga", Pool.STAFF, Role.ORGANIZER, "Olga", "olga@example.org", 5)
JAN = replace(OLGA, person_id="jan", role=Role.JUDGE)
INVITATION = Invitation("i1", "h" * 64, "red", "for Boris", False, 5, 1_000)


@pytest.fixture
def invited(platform: Platform) -> Platform:
    """Return the platform with a team that has invited somebody."""
    platform.persons.apply(TEAM, None, CAPTAIN, CHANGE)
    platform.persons.invite(INVITATION, CHANGE)
    return platform


def test_a_team_and_its_first_member_are_written_together_and_nobody_is_in_two_teams(platform: Platform) -> None:
    platform.persons.apply(TEAM, None, CAPTAIN, CHANGE)
    assert (platform.people.team("red"), platform.persons.person("anna")) == (TEAM, CAPTAIN)
    assert list(platform.persons.members_of("red")) == [CAPTAIN]
    loses(lambda: platform.persons.apply(TEAM, None, BORIS, CHANGE))
    assert platform.persons.person("boris") is None
    loses(lambda: platform.persons.apply(replace(TEAM, team_id="blue"), None, replace(CAPTAIN, team_id="blue"), CHANGE))
    assert platform.people.team("blue") is None
    assert len(platform.audit_log.on("1970-01-01")) == 1


def test_a_name_that_reads_alike_is_taken_in_the_same_transaction_and_given_up_in_another(platform: Platform) -> None:
    platform.people.add_team(TEAM, CHANGE)
    alike = replace(TEAM, team_id="blue", name="КРАСНЫЕ")
    loses(lambda: platform.people.add_team(alike, CHANGE))
    loses(lambda: platform.persons.apply(alike, None, CAPTAIN, CHANGE))
    assert platform.people.team("blue") is None
    renamed = replace(TEAM, name="Синие", version=2)
    platform.people.set_team(TEAM, renamed, CHANGE)
    platform.people.add_team(alike, CHANGE)
    loses(lambda: platform.people.set_team(renamed, replace(TEAM, version=3), CHANGE))
    assert platform.people.team("red") == renamed


def test_a_team_changes_if_it_is_still_as_it_was_read_and_all_come_by_id(platform: Platform) -> None:
    platform.people.add_team(TEAM, CHANGE)
    approved = replace(TEAM, status=TeamStatus.APPROVED, reason="complete", version=2)
    platform.people.set_team(TEAM, approved, CHANGE)
    assert platform.people.team("red") == approved
    loses(lambda: platform.people.set_team(TEAM, replace(TEAM, name="Other", version=2), CHANGE))
    loses(lambda: platform.people.set_team(replace(TEAM, team_id="none"), approved, CHANGE))
    for name in ("green", "blue"):
        platform.people.add_team(replace(TEAM, team_id=name, name=name), CHANGE)
    blue, _, red = platform.people.all_teams()
    assert (blue.team_id, red) == ("blue", approved)


def test_staff_is_decided_about_by_who_is_still_an_organizer(platform: Platform) -> None:
    platform.persons.add_staff(OLGA, "", CHANGE)
    platform.persons.add_staff(JAN, "olga", CHANGE)
    loses(lambda: platform.persons.add_staff(JAN, "olga", CHANGE))
    loses(lambda: platform.persons.add_staff(replace(JAN, person_id="eve"), "jan", CHANGE))
    loses(lambda: platform.persons.add_staff(replace(JAN, person_id="eve"), "nobody", CHANGE))
    assert list(platform.persons.staff()) == [JAN, OLGA]
    result = replace(OLGA, dismissed_at=9, version=2)
    platform.persons.set_staff(OLGA, result, "", CHANGE)
    assert platform.persons.person("olga") == result
    loses(lambda: platform.persons.set_staff(JAN, replace(JAN, version=2), "olga", CHANGE))
    loses(lambda: platform.persons.set_staff(OLGA, replace(OLGA, version=2), "", CHANGE))
    vera, kim = (replace(OLGA, person_id=name) for name in ("vera", "kim"))
    for organizer in (vera, kim):
        platform.persons.add_staff(organizer, "", CHANGE)
    platform.persons.set_staff(vera, replace(vera, dismissed_at=9, version=2), "kim", CHANGE)
    loses(lambda: platform.persons.set_staff(kim, replace(kim, dismissed_at=9, version=2), "vera", CHANGE))
    assert platform.persons.person("kim") == kim, "of two who dismiss each other one remains"


def test_an_invitation_is_accepted_once_and_a_revoked_one_never(invited: Platform) -> None:
    loses(lambda: invited.persons.invite(INVITATION, CHANGE))
    assert invited.persons.invitation("h" * 64) == INVITATION
    invited.persons.accept(INVITATION, None, None, BORIS, CHANGE)
    assert list(invited.persons.members_of("red")) == [CAPTAIN, BORIS]
    assert list(invited.persons.invitations_of("red")) == [replace(INVITATION, accepted_by="boris")]
    loses(lambda: invited.persons.accept(INVITATION, None, None, replace(BORIS, person_id="eve"), CHANGE))
    loses(lambda: invited.persons.revoke_invitation(INVITATION, 9, CHANGE))
    other = replace(INVITATION, invitation_id="i2", code_sha256="j" * 64)
    invited.persons.invite(other, CHANGE)
    invited.persons.revoke_invitation(other, 9, CHANGE)
    loses(lambda: invited.persons.revoke_invitation(other, 10, CHANGE))
    loses(lambda: invited.persons.accept(other, None, None, replace(BORIS, person_id="eve"), CHANGE))
    assert invited.persons.person("eve") is None
    assert invited.persons.invitation("j" * 64) == replace(other, revoked_at=9)


def test_who_becomes_captain_by_an_invitation_does_so_with_it_or_not_at_all(invited: Platform) -> None:
    led = replace(TEAM, captain="boris", version=2)
    invited.people.set_team(TEAM, replace(TEAM, name="Meanwhile", version=2), CHANGE)
    loses(lambda: invited.persons.accept(INVITATION, (TEAM, led), None, BORIS, CHANGE))
    assert (invited.persons.person("boris"), invited.persons.invitation("h" * 64)) == (None, INVITATION)


def test_who_leaves_is_no_member_until_joining_anew_and_a_team_that_changed_keeps_them(invited: Platform) -> None:
    invited.persons.accept(INVITATION, None, None, BORIS, CHANGE)
    result = replace(BORIS, team_id="", version=2)
    loses(lambda: invited.persons.leave(replace(TEAM, version=7), BORIS, result, CHANGE))
    invited.persons.leave(TEAM, BORIS, result, CHANGE)
    assert list(invited.persons.members_of("red")) == [CAPTAIN]
    assert invited.persons.person("boris") == result
    loses(lambda: invited.persons.leave(TEAM, BORIS, result, CHANGE))
    again, back = replace(INVITATION, invitation_id="i2", code_sha256="j" * 64), replace(BORIS, version=3)
    invited.persons.invite(again, CHANGE)
    loses(lambda: invited.persons.accept(again, None, BORIS, back, CHANGE))
    invited.persons.accept(again, None, result, back, CHANGE)
    assert list(invited.persons.members_of("red")) == [CAPTAIN, back]
    assert invited.persons.invitation("j" * 64) == replace(again, accepted_by="boris")


def test_requests_are_counted_by_person_and_second_and_a_tokens_last_use_is_its_teams(platform: Platform) -> None:
    counts = [platform.requests.of_person(who, second) for who, second in [("a", 7), ("a", 7), ("b", 7), ("a", 8)]]
    assert counts == [1, 2, 1, 1]
    platform.requests.note_use("red", "k1", 5)
    platform.requests.note_use("red", "k1", 9)
    platform.requests.note_use("red", "k2", 7)
    platform.requests.note_use("blue", "k3", 1)
    assert platform.requests.uses("red") == {"k1": 9, "k2": 7}


def test_an_account_is_made_once_and_found_again(platform: Platform) -> None:
    result = platform.accounts.invite("jan@example.org", "Jan")
    assert platform.accounts.invite("jan@example.org", "Jan") == result
    assert platform.accounts.invite("eve@example.org", "Eve") != result
    platform.accounts.close("jan@example.org")
    platform.accounts.close("jan@example.org")
    platform.accounts.close("nobody@example.org")
    assert isinstance(platform.accounts, CognitoAccounts)
    assert not platform.accounts._call("admin_get_user", "jan@example.org")["Enabled"]
    platform.accounts.reopen("jan@example.org")
    assert platform.accounts._call("admin_get_user", "jan@example.org")["Enabled"]


ANNA = Expert("anna", "expert-1", frozenset({"hist", "lit"}), frozenset({"rus"}), frozenset({"x"}), version=1)
MARKING = Marking("m", "demo", "essay", "train", None, 3, 1_000, 2)
DRAFT = Draft(1, "a" * 64, 5_000, is_valid=True)
GIVEN = Assignment("a1", "m", "i1", "anna", "rus", "hist", is_third=False, limit=60_000, assigned_at=1_000, version=1)
OPENED_TASK = replace(GIVEN, state=AssignmentState.OPENED, opened_at=2_000, closes_at=62_000, version=2)
OTHER_TASK = replace(GIVEN, assignment_id="a2", expert_id="boris")
ESSAY = EssayWork("m", "i1", "rus", "hist", "c" * 64, (("anna", "a1"), ("boris", "a2")), version=1)
DECIDED = replace(ESSAY, third=Decision(9_000, ({"code": "total", "message": "x"},), ("a", "b")), version=2)


@pytest.fixture
def given(platform: Platform) -> Platform:
    platform.experts.write(Written((GIVEN, OTHER_TASK), (ESSAY,)), CHANGE)
    return platform


def test_what_is_not_there_is_none_and_profiles_and_markings_are_written_once_a_version(platform: Platform) -> None:
    experts = platform.experts
    actual = [experts.get("x"), experts.marking("x"), experts.essay("m", "x"), experts.assignment("a", "b")]
    assert [*actual, experts.draft("a", 1)] == [None] * 5
    assert list(experts.drafts("a")) == []
    assert [*experts.all(), *experts.markings(), *experts.essays("m"), *experts.given_to("x")] == []
    assert [*experts.due_essays(), *experts.open_assignments(), *experts.assignments([("a", "b")])] == []
    assert list(experts.assignments([])) == []
    experts.put(ANNA, CHANGE)
    assert experts.get("anna") == ANNA
    loses(lambda: experts.put(replace(ANNA, active=False), CHANGE))
    idle = replace(ANNA, active=False, groups=frozenset(), version=2)
    experts.put(idle, CHANGE)
    loses(lambda: experts.put(replace(idle, active=True), CHANGE))
    experts.put(replace(ANNA, expert_id="aaron"), CHANGE)
    assert [each.expert_id for each in experts.all()] == ["aaron", "anna"]
    assert experts.get("anna") == idle
    experts.add_marking(MARKING, CHANGE)
    loses(lambda: experts.add_marking(replace(MARKING, essays=9), CHANGE))
    assert list(experts.markings()) == [MARKING]
    assert experts.marking("m") == MARKING
    assert len(platform.audit_log.on("1970-01-01")) == 4


def test_what_was_given_reads_back_by_expert_by_name_and_by_essay(given: Platform) -> None:
    experts = given.experts
    assert list(experts.given_to("anna")) == [GIVEN]
    assert experts.assignment("anna", "a1") == GIVEN
    assert experts.assignment("boris", "a1") is None
    assert list(experts.assignments([("boris", "a2"), ("x", "y"), ("anna", "a1")])) == [OTHER_TASK, GIVEN]
    assert list(experts.essays("m")) == [ESSAY]
    assert experts.essay("m", "i1") == ESSAY
    assert [*experts.open_assignments(), *experts.due_essays()] == []
    second = replace(ESSAY, item_id="i0", given=())
    experts.write(Written(essays=(second, replace(ESSAY, marking_id="m2", given=()))), CHANGE)
    assert list(experts.essays("m")) == [second, ESSAY]


def test_an_open_assignment_is_listed_until_it_ends_and_an_essay_due_until_it_is_decided(given: Platform) -> None:
    experts = given.experts
    experts.write(Written((OPENED_TASK,)), CHANGE)
    assert list(experts.open_assignments()) == [("anna", "a1")]
    ended = replace(
        OPENED_TASK, state=AssignmentState.EXPIRED, ended_at=62_000, latest=DRAFT, latest_valid=DRAFT, version=3
    )
    experts.write(Written((ended,), (replace(ESSAY, due=True, version=2),)), None)
    assert list(experts.open_assignments()) == []
    assert list(experts.due_essays()) == [("m", "i1")]
    assert experts.assignment("anna", "a1") == ended
    decided = replace(DECIDED, version=3)
    experts.write(Written(essays=(decided,), checked=(ended, OTHER_TASK)), None)
    assert list(experts.due_essays()) == []
    assert experts.essay("m", "i1") == decided


def test_a_draft_is_written_with_its_assignment_or_not_at_all(given: Platform) -> None:
    experts = given.experts
    experts.write(Written((OPENED_TASK,)), CHANGE)
    saved = replace(OPENED_TASK, latest=DRAFT, latest_valid=DRAFT, version=3)
    experts.write(Written((saved,), draft=DRAFT), None)
    second = replace(DRAFT, revision=2, content_sha256="b" * 64, is_valid=False)
    loses(lambda: experts.write(Written((saved,), draft=second), None))
    assert list(experts.drafts("a1")) == [DRAFT]
    loses(lambda: experts.write(Written((replace(saved, version=4),), draft=DRAFT), None))
    experts.write(Written((replace(saved, latest=second, version=4),), draft=second), None)
    assert list(experts.drafts("a1")) == [DRAFT, second]
    assert (experts.draft("a1", 2), experts.draft("a1", 3)) == (second, None)


@pytest.mark.parametrize(
    "written",
    [
        Written((GIVEN,)),
        Written((replace(OPENED_TASK, version=3),)),
        Written(essays=(ESSAY,)),
        Written(essays=(replace(ESSAY, version=3),)),
        Written(essays=(DECIDED,), checked=(replace(OTHER_TASK, version=2),)),
        Written((OPENED_TASK,), checked=(replace(ESSAY, version=7),)),
        Written((OPENED_TASK,), checked=(replace(ESSAY, item_id="unknown"),)),
    ],
    ids=["new-again", "assignment", "essay-again", "essay", "checked-assignment", "checked-essay", "checked-absent"],
)
def test_a_write_on_what_has_changed_loses_and_writes_nothing(given: Platform, written: Written) -> None:
    loses(lambda: given.experts.write(written, CHANGE))
    assert (given.experts.assignment("anna", "a1"), given.experts.essay("m", "i1")) == (GIVEN, ESSAY)
    assert len(given.audit_log.on("1970-01-01")) == 1, "no entry without its change"


ASKED_AT = 1_000
ASKING = Change(ASKED_AT, "me", "question asked", "red.1", None, None)
ASKED = Question("red", 1, "me", ASKED_AT, "en", "May it?", Subject(session_id="2" * 15, number=3))
ANSWER_DRAFT = Announcement("a", AnnouncementKind.ANSWER, Text("May it?", "Можно?"), Text("Yes", "Да"), ASKED_AT)


def test_a_question_is_written_once_and_its_answer_with_an_announcement_or_not_at_all(platform: Platform) -> None:
    assert platform.questions.get("red", 1) is None
    platform.questions.write(None, ASKED, ASKING)
    loses(lambda: platform.questions.write(None, replace(ASKED, text="other"), ASKING))
    assert platform.questions.get("red", 1) == ASKED
    assert [each.what for each in platform.audit_log.on(utc_day(ASKED_AT))] == ["question asked"]
    answered = rules.answered(ASKED, Answer({"en": "Yes", "ru": "Да"}, "olga", ASKED_AT + 1, "a"))
    announcement = published(ANSWER_DRAFT, ASKED_AT + 1)
    loses(lambda: platform.questions.write(ASKED, answered, ASKING, [(ANSWER_DRAFT, announcement)]))
    assert platform.questions.get("red", 1) == ASKED
    platform.questions.write(ASKED, answered, ASKING, [(None, announcement)])
    assert platform.questions.get("red", 1) == answered
    assert platform.announcements.get("a") == announcement
    loses(lambda: platform.questions.write(ASKED, rules.withdrawn(ASKED, ASKED_AT), ASKING))


def test_a_question_is_seen_in_its_present_version_alone(platform: Platform) -> None:
    platform.questions.write(None, ASKED, ASKING)
    closed = rules.closed(ASKED, ASKED_AT, "asked before")
    platform.questions.write(ASKED, closed, ASKING)
    loses(lambda: platform.questions.seen(ASKED))
    platform.questions.seen(replace(closed, is_seen=True))
    assert platform.questions.get("red", 1) == replace(closed, is_seen=True)


def test_questions_are_listed_by_team_and_number(platform: Platform) -> None:
    for team_id, number in (("red", 2), ("blue", 1), ("red-1", 1), ("red", 11)):
        platform.questions.write(None, replace(ASKED, team_id=team_id, number=number), ASKING)
    names = [each.question_id for each in platform.questions.all()]
    assert sorted(names) == ["blue.1", "red-1.1", "red.11", "red.2"]
    assert [each.number for each in platform.questions.of_team("red")] == [2, 11]


ORDER = Order(SubmissionKind.PROGRAM, Upload(10, "a" * 64, ("a" * 64,)), "public", SetKind.TEST, "m" * 64, ("HTR",))
HANDED_IN = Submission("294017735586120", "red", "toy-1", "fusion", ORDER, "token", 1_000)
OPENED_WITH = Key("k" * 64, "q" * 64)


def test_a_submission_is_written_once_with_its_key_and_a_private_run_has_keys_of_its_own(platform: Platform) -> None:
    port = platform.submissions
    assert port.get(HANDED_IN.submission_id) is None
    port.add(HANDED_IN, OPENED_WITH)
    loses(lambda: port.add(HANDED_IN, None))
    loses(lambda: port.add(replace(HANDED_IN, submission_id="294017735586121"), OPENED_WITH))
    assert port.get(HANDED_IN.submission_id) == HANDED_IN
    assert port.get("294017735586121") is None
    assert port.begun_with("red", OPENED_WITH.key_sha256) == (OPENED_WITH.asked_sha256, HANDED_IN.submission_id)
    assert port.begun_with("blue", OPENED_WITH.key_sha256) is None
    assert [*port.of_team("red"), *port.listed()] == [HANDED_IN] * 2
    assert list(port.of_team("blue")) == []
    assert list(port.unfinished()) == [HANDED_IN.submission_id]
    private = replace(HANDED_IN, submission_id="294017735586122", of=HANDED_IN.submission_id)
    port.add(private, OPENED_WITH)
    loses(lambda: port.add(replace(private, submission_id="294017735586123"), OPENED_WITH))
    assert (port.get(private.submission_id), port.get("294017735586123")) == (private, None)


def test_a_change_holds_only_on_what_was_read_and_takes_the_teams_place_with_it(platform: Platform) -> None:
    port = platform.submissions
    other = replace(HANDED_IN, submission_id="294017735586121")
    port.add(HANDED_IN, None)
    port.add(other, None)
    free = port.lane("red")
    assert free == Lane()
    result = replace(HANDED_IN.at(SubmissionState.CHECKING, 2_000), completed_at=1_900, day="2026-01-01", receipt="{}")
    port.change(HANDED_IN, result, free)
    loses(lambda: port.change(HANDED_IN, result, port.lane("red")))
    loses(lambda: port.change(other, other.at(SubmissionState.CHECKING, 2_000), free))
    assert port.get(other.submission_id) == other
    assert port.lane("red") == Lane(HANDED_IN.submission_id, 1)
    queued = replace(result.at(SubmissionState.QUEUED, 2_500), program=Program("image", "run"), attempt=1)
    port.change(result, queued)
    change = Change(3_000, "me", "something", "x", None, {"a": 1})
    failed = replace(
        queued.at(SubmissionState.FAILED, 3_000), cause=FailureCause.TIMEOUT, declaration=Declaration(9, 3, 2_900)
    )
    port.change(queued, failed, port.lane("red"), change)
    assert port.get(HANDED_IN.submission_id) == failed
    assert port.lane("red") == Lane("", 2)
    assert list(port.unfinished()) == [other.submission_id]
    assert list(platform.audit_log.on("1970-01-01")) == [change]
    again = replace(failed.at(SubmissionState.QUEUED, 4_000), attempt=2)
    port.change(failed, again, port.lane("red"))
    assert sorted(port.unfinished()) == sorted([HANDED_IN.submission_id, other.submission_id])
