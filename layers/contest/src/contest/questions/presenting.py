"""Conversion of questions into bodies."""

from __future__ import annotations

from collections.abc import Sequence

from contest.platform import Platform
from contest.ports import Page
from contest.questions import asking
from contest.questions.rules import Question
from contest.questions.wire import DeskQuestionBody, DeskQuestionsBody, TeamQuestionBody, TeamQuestionsBody


def own(platform: Platform, questions: Sequence[Question]) -> TeamQuestionsBody:
    """Return the body of a team's questions."""
    bodies = [TeamQuestionBody.from_value(question) for question in asking.as_announced(platform, questions)]
    return TeamQuestionsBody(questions=bodies, unread=sum(body.unread for body in bodies))


def at_desk(platform: Platform, question: Question) -> DeskQuestionBody:
    """Return the body of a question for those who answer."""
    now = platform.clock.now()
    may_tell_all = asking.may_tell_all(platform, question.subject, now)
    (announced,) = asking.as_announced(platform, [question])
    return DeskQuestionBody.of(announced, now, may_tell_all=may_tell_all)


def desk(platform: Platform, page: Page[Question]) -> DeskQuestionsBody:
    """Return the body of a page of questions for those who answer, with the number of all that wait."""
    waiting = asking.waiting(platform)
    return DeskQuestionsBody.from_value(
        questions=[at_desk(platform, question) for question in page.items],
        waiting=waiting.count,
        oldest_at=waiting.oldest_at,
        next=page.after,
    )
