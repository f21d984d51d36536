"""Test the store of experts on an emulated service."""

from __future__ import annotations

from dataclasses import replace

import pytest

from contest.experts.ports import Written
from contest.experts.rules.assignment import Assignment, AssignmentState, Decision, Draft, EssayWork, Marking
from contest.experts.rules.sharing_out import Expert
from contest.people.rules import Change
from contest.platform import Platform
from tests.losing import loses

pytestmark = [
    pytest.mark.integration,
    pytest.mark.parametrize("platform", ["real"], indirect=True),  # no fake stands for these ports
]

CHANGE = Change(1_000, "me", "something", "x", None, {"a": 1})
ANNA = Expert("anna", "expert-1", frozenset({"hist", "lit"}), frozenset({"rus"}), frozenset({"x"}), version=1)
MARKING = Marking("m", "demo", "essay", "train", None, 3, 1_000, 2)
DRAFT = Draft(1, "a" * 64, 5_000, is_valid=True)
GIVEN = Assignment("a1", "m", "i1", "anna", "rus", "hist", is_third=False, limit=60_000, assigned_at=1_000, version=1)
OPENED = replace(GIVEN, state=AssignmentState.OPENED, opened_at=2_000, closes_at=62_000, version=2)
OTHER = replace(GIVEN, assignment_id="a2", expert_id="boris")
ESSAY = EssayWork("m", "i1", "rus", "hist", "c" * 64, (("anna", "a1"), ("boris", "a2")), version=1)
DECIDED = replace(ESSAY, third=Decision(9_000, ({"code": "total", "message": "x"},), ("a", "b")), version=2)


@pytest.fixture
def given(platform: Platform) -> Platform:
    platform.experts.write(Written((GIVEN, OTHER), (ESSAY,)), CHANGE)
    return platform


def test_what_is_not_there_is_none_or_empty(platform: Platform) -> None:
    experts = platform.experts
    assert (experts.get("x"), experts.marking("x"), experts.essay("m", "x"), experts.assignment("a", "b")) == (
        None,
        None,
        None,
        None,
    )
    assert (experts.draft("a", 1), list(experts.drafts("a"))) == (None, [])
    assert [*experts.all(), *experts.markings(), *experts.essays("m"), *experts.given_to("x")] == []
    assert [*experts.due_essays(), *experts.open_assignments(), *experts.assignments([("a", "b")])] == []
    assert list(experts.assignments([])) == []


def test_a_profile_reads_back_and_is_written_once_a_version(platform: Platform) -> None:
    experts = platform.experts
    experts.put(ANNA, CHANGE)
    assert experts.get("anna") == ANNA
    loses(lambda: experts.put(replace(ANNA, active=False), CHANGE))
    idle = replace(ANNA, active=False, groups=frozenset(), version=2)
    experts.put(idle, CHANGE)
    loses(lambda: experts.put(replace(idle, active=True), CHANGE))
    experts.put(replace(ANNA, expert_id="aaron"), CHANGE)
    assert [each.expert_id for each in experts.all()] == ["aaron", "anna"]
    assert experts.get("anna") == idle
    assert len(platform.audit_log.on("1970-01-01")) == 3


def test_a_marking_is_written_once(platform: Platform) -> None:
    platform.experts.add_marking(MARKING, CHANGE)
    loses(lambda: platform.experts.add_marking(replace(MARKING, essays=9), CHANGE))
    assert list(platform.experts.markings()) == [MARKING]
    assert platform.experts.marking("m") == MARKING
    assert len(platform.audit_log.on("1970-01-01")) == 1


def test_what_was_given_reads_back_by_expert_by_name_and_by_essay(given: Platform) -> None:
    experts = given.experts
    assert list(experts.given_to("anna")) == [GIVEN]
    assert experts.assignment("anna", "a1") == GIVEN
    assert experts.assignment("boris", "a1") is None
    assert list(experts.assignments([("boris", "a2"), ("x", "y"), ("anna", "a1")])) == [OTHER, GIVEN]
    assert list(experts.essays("m")) == [ESSAY]
    assert experts.essay("m", "i1") == ESSAY
    assert [*experts.open_assignments(), *experts.due_essays()] == []


def test_an_open_assignment_is_listed_until_it_ends(given: Platform) -> None:
    experts = given.experts
    experts.write(Written((OPENED,)), CHANGE)
    assert list(experts.open_assignments()) == [("anna", "a1")]
    ended = replace(OPENED, state=AssignmentState.EXPIRED, ended_at=62_000, latest=DRAFT, latest_valid=DRAFT, version=3)
    experts.write(Written((ended,), (replace(ESSAY, due=True, version=2),)), None)
    assert list(experts.open_assignments()) == []
    assert list(experts.due_essays()) == [("m", "i1")]
    assert experts.assignment("anna", "a1") == ended


def test_an_essay_is_due_until_it_is_decided(given: Platform) -> None:
    experts = given.experts
    experts.write(Written(essays=(replace(ESSAY, due=True, version=2),)), None)
    decided = replace(DECIDED, version=3)
    experts.write(Written(essays=(decided,), checked=(GIVEN, OTHER)), None)
    assert list(experts.due_essays()) == []
    assert experts.essay("m", "i1") == decided


def test_a_draft_is_written_with_its_assignment_or_not_at_all(given: Platform) -> None:
    experts = given.experts
    experts.write(Written((OPENED,)), CHANGE)
    saved = replace(OPENED, latest=DRAFT, latest_valid=DRAFT, version=3)
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
        Written((replace(OPENED, version=3),)),
        Written(essays=(ESSAY,)),
        Written(essays=(replace(ESSAY, version=3),)),
        Written(essays=(DECIDED,), checked=(replace(OTHER, version=2),)),
        Written((OPENED,), checked=(replace(ESSAY, version=7),)),
        Written((OPENED,), checked=(replace(ESSAY, item_id="unknown"),)),
    ],
    ids=["new-again", "assignment", "essay-again", "essay", "checked-assignment", "checked-essay", "checked-absent"],
)
def test_a_write_on_what_has_changed_loses_and_writes_nothing(given: Platform, written: Written) -> None:
    loses(lambda: given.experts.write(written, CHANGE))
    assert (given.experts.assignment("anna", "a1"), given.experts.essay("m", "i1")) == (GIVEN, ESSAY)
    assert len(given.audit_log.on("1970-01-01")) == 1, "no entry without its change"


def test_two_essays_of_one_marking_are_listed_by_item_and_those_of_another_are_not(given: Platform) -> None:
    second = replace(ESSAY, item_id="i0", given=())
    given.experts.write(Written(essays=(second, replace(ESSAY, marking_id="m2", given=()))), CHANGE)
    assert list(given.experts.essays("m")) == [second, ESSAY]
