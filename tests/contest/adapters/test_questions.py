"""Questions: the promises of their port, kept by the adapter."""

from __future__ import annotations

from dataclasses import replace

import pytest

from contest.cycle.rules.notices import Announcement, AnnouncementKind, published
from contest.people.rules import Change
from contest.platform import Platform
from contest.questions import rules
from contest.questions.rules import Answer, Question, Subject
from contest.values import utc_day
from tests.losing import loses
from tracks.protocol import Text

pytestmark = pytest.mark.parametrize("platform", ["real"], indirect=True)
"""No fake stands for these ports."""
NOW = 1_000
CHANGE = Change(NOW, "me", "question asked", "red.1", None, None)
ASKED = Question("red", 1, "me", NOW, "en", "May it?", Subject(session_id="2" * 15, number=3))
DRAFT = Announcement("a", AnnouncementKind.ANSWER, Text("May it?", "Можно?"), Text("Yes", "Да"), NOW)


def test_a_question_is_written_once_with_its_entry_in_the_log(platform: Platform) -> None:
    assert platform.questions.get("red", 1) is None
    platform.questions.write(None, ASKED, CHANGE)
    loses(lambda: platform.questions.write(None, replace(ASKED, text="other"), CHANGE))
    assert platform.questions.get("red", 1) == ASKED
    assert [each.what for each in platform.audit_log.on(utc_day(NOW))] == ["question asked"]


def test_an_answer_and_its_announcement_are_written_together_or_not_at_all(platform: Platform) -> None:
    platform.questions.write(None, ASKED, CHANGE)
    answered = rules.answered(ASKED, Answer({"en": "Yes", "ru": "Да"}, "olga", NOW + 1, "a"))
    announcement = published(DRAFT, NOW + 1)
    loses(lambda: platform.questions.write(ASKED, answered, CHANGE, [(DRAFT, announcement)]))
    assert platform.questions.get("red", 1) == ASKED
    platform.questions.write(ASKED, answered, CHANGE, [(None, announcement)])
    assert platform.questions.get("red", 1) == answered
    assert platform.announcements.get("a") == announcement
    loses(lambda: platform.questions.write(ASKED, rules.withdrawn(ASKED, NOW), CHANGE))


def test_a_question_is_seen_in_its_present_version_alone(platform: Platform) -> None:
    platform.questions.write(None, ASKED, CHANGE)
    closed = rules.closed(ASKED, NOW, "asked before")
    platform.questions.write(ASKED, closed, CHANGE)
    loses(lambda: platform.questions.seen(ASKED))
    platform.questions.seen(replace(closed, is_seen=True))
    assert platform.questions.get("red", 1) == replace(closed, is_seen=True)


def test_questions_are_listed_by_team_and_number(platform: Platform) -> None:
    for team_id, number in (("red", 2), ("blue", 1), ("red-1", 1), ("red", 11)):
        platform.questions.write(None, replace(ASKED, team_id=team_id, number=number), CHANGE)
    names = [each.question_id for each in platform.questions.all()]
    assert sorted(names) == ["blue.1", "red-1.1", "red.11", "red.2"]
    assert [each.number for each in platform.questions.of_team("red")] == [2, 11]
