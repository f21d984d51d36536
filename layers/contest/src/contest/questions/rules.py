"""Questions of teams and their answers: states, who holds a question, bounds.

A team asks about an item of its own sessions, a run, a rule, or anything. Organizers and judges answer the team, or
everybody: an answer to everybody is an announcement too, which names neither the team nor its words.

**Decision**: an answer to a team is in both languages or in one; what everybody reads is in both.

**Decision**: whoever takes a question holds it for :data:`HELD`; meanwhile nobody else answers it. Nobody gives it
back: the time does, so a question is never lost with a person.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from enum import StrEnum
from typing import Final

from contest.values import MINUTE, Millis, utc_day
from markup_core.lazy import dataclass

LONGEST_QUESTION: Final = 2000
"""Code points of a question."""
LONGEST_ANSWER: Final = 4000
"""Code points of an answer in one language."""
LONGEST_RULE: Final = 40
"""Code points of a reference to a rule, such as ``R 7.6``."""
PER_DAY: Final = 20
"""Questions that a team may ask on a day (UTC)."""
MOST_OPEN: Final = 5
"""Questions of a team that may wait for an answer at once."""
MOST: Final = 9999
"""Questions of a team in a cycle."""
HELD: Final[Millis] = 30 * MINUTE
"""Milliseconds for which only the person who has taken a question answers it."""
QUESTION_ID: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,39}\.[1-9][0-9]{0,3}")
LANGUAGES: Final = ("en", "ru")


class QuestionState(StrEnum):
    """State of a question."""

    OPEN = "open"
    ANSWERED = "answered"
    CLOSED = "closed"
    """Closed without an answer by organizers or judges, who give a reason."""
    WITHDRAWN = "withdrawn"
    """Withdrawn by the team."""


class SubjectKind(StrEnum):
    """Kind of a question's subject."""

    GENERAL = "general"
    ITEM = "item"
    RUN = "run"
    RULE = "rule"


@dataclass(frozen=True, slots=True)
class Subject:
    """Subject of a question: a file of an own session by its number, a run, or a rule; empty: anything else.

    An item is named by the team's own session alone, so that no list says anything of its set.
    """

    session_id: str = ""
    number: int = 0
    run_id: str = ""
    rule: str = ""

    @property
    def kind(self) -> SubjectKind:
        """Return the kind by the field that is set."""
        named = ((self.session_id, SubjectKind.ITEM), (self.run_id, SubjectKind.RUN), (self.rule, SubjectKind.RULE))
        return next((kind for name, kind in named if name), SubjectKind.GENERAL)


@dataclass(frozen=True, slots=True)
class Wish:
    """Content of a question to ask."""

    text: str
    language: str
    subject: Subject
    is_protest: bool = False


@dataclass(frozen=True, slots=True)
class Reply:
    """Content of an answer to give; ``title`` says the question in words that everybody may read."""

    texts: Mapping[str, str]
    title: Mapping[str, str]
    to_all: bool
    upheld: bool | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """Answer to a question; ``announcement_id`` if everybody has it as an announcement."""

    texts: Mapping[str, str]
    """Text by language: both, or the one in which it was written."""
    by: str
    at: Millis
    announcement_id: str | None = None
    upheld: bool | None = None
    """True if a protest was upheld, False if rejected; None for a question."""
    is_withdrawn: bool = False
    """True if its announcement is withdrawn by now; the announcement alone stores it."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question; ``version`` counts its writes, each conditional on the one before."""

    team_id: str
    number: int
    """Number in the order of the team's questions, from 1."""
    asked_by: str
    asked_at: Millis
    language: str
    text: str
    subject: Subject = field(default_factory=Subject)
    state: QuestionState = QuestionState.OPEN
    taken_by: str = ""
    taken_at: Millis = 0
    answer: Answer | None = None
    reason: str = ""
    """Reason for closing it."""
    ended_at: Millis | None = None
    """Moment of closing or withdrawal."""
    is_seen: bool = True
    """True if the team has seen the present state."""
    is_protest: bool = False
    """True for a protest: it names an item, a run or a rule, and is upheld or rejected."""
    version: int = 1

    @property
    def question_id(self) -> str:
        """Return the id: team and number."""
        return f"{self.team_id}.{self.number}"

    @property
    def is_unread(self) -> bool:
        """Return whether the team has not yet seen the answer, or the reason for closing."""
        return not self.is_seen and self.state in {QuestionState.ANSWERED, QuestionState.CLOSED}

    def holder(self, now: Millis) -> str:
        """Return who holds it now; empty: nobody."""
        holds = self.state is QuestionState.OPEN and self.taken_by and now < self.taken_at + HELD
        return self.taken_by if holds else ""


def asked_on(questions: Sequence[Question], now: Millis) -> int:
    """Count a team's questions of today (UTC), withdrawn ones included."""
    return sum(utc_day(question.asked_at) == utc_day(now) for question in questions)


def is_repeated(question: Question, wish: Wish) -> bool:
    """Return whether a question that waits says the same of the same subject."""
    same = (question.subject, question.text, question.is_protest) == (wish.subject, wish.text, wish.is_protest)
    return question.state is QuestionState.OPEN and same


def taken(question: Question, who: str, now: Millis) -> Question:
    """Return an open question as taken; :class:`LookupError` where it is not open."""
    _require(question, QuestionState.OPEN)
    return replace(question, taken_by=who, taken_at=now, version=question.version + 1)


def answered(question: Question, answer: Answer) -> Question:
    """Return a question with its answer, or with another one; :class:`LookupError` where it has ended without one.

    ValueError where a protest is neither upheld nor rejected, or where a question is.
    """
    if question.is_protest != (answer.upheld is not None):
        raise ValueError(answer.upheld)
    _require(question, QuestionState.OPEN, QuestionState.ANSWERED)
    version = question.version + 1
    return replace(question, state=QuestionState.ANSWERED, answer=answer, is_seen=False, version=version)


def closed(question: Question, now: Millis, reason: str) -> Question:
    """Return an open question closed without an answer; :class:`LookupError` where it is not open."""
    _require(question, QuestionState.OPEN)
    ended = replace(question, state=QuestionState.CLOSED, reason=reason, ended_at=now, is_seen=False)
    return replace(ended, version=question.version + 1)


def withdrawn(question: Question, now: Millis) -> Question:
    """Return an open question withdrawn by its team; :class:`LookupError` where it is not open."""
    _require(question, QuestionState.OPEN)
    return replace(question, state=QuestionState.WITHDRAWN, ended_at=now, version=question.version + 1)


def in_order(questions: Sequence[Question]) -> list[Question]:
    """Sort questions for those who answer: open ones first, the oldest on top, then the others, the latest on top."""
    waiting = [question for question in questions if question.state is QuestionState.OPEN]
    others = [question for question in questions if question.state is not QuestionState.OPEN]
    waiting.sort(key=lambda question: (question.asked_at, question.question_id))
    others.sort(key=lambda question: (question.asked_at, question.question_id), reverse=True)
    return waiting + others


def _require(question: Question, *states: QuestionState) -> None:
    if question.state not in states:
        raise LookupError(question.state.value)
