"""Questions of a team: ask, read, withdraw; how many wait for an answer.

**Decision**: a question with the same words about the same subject as one that waits is that one: whoever sends it
twice asks once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from typing import Any

from contest import reading
from contest.cycle.rules.notices import Announcement, AnnouncementState
from contest.errors import UnknownRunError, UnknownSessionError
from contest.people import cabinet
from contest.people.rules import Change, Identity
from contest.platform import Platform, read_and_decide
from contest.ports import LostRaceError
from contest.questions import errors, rules
from contest.questions.rules import MOST, MOST_OPEN, PER_DAY, Question, QuestionState, Subject, SubjectKind, Wish
from contest.values import DAY, Millis
from markup_core.lazy import dataclass


@dataclass(frozen=True, slots=True)
class Waiting:
    """Number of questions that wait for an answer, and the moment of the oldest one."""

    count: int
    oldest_at: Millis | None


def team_of(platform: Platform, identity: Identity) -> str:
    """Return the team for which a program or a member asks; :class:`contest.people.errors.NoTeamError`."""
    return identity.team_id if identity.token_id else cabinet.own_team(platform, identity).team_id


# Clause: D 6.12
def ask(platform: Platform, identity: Identity, wish: Wish) -> Question:
    """Ask a question; the bounds of the day and of what waits are kept by the question's own number."""
    team_id = team_of(platform, identity)
    who = f"token:{identity.token_id}" if identity.token_id else cabinet.author(identity)

    def asked(own: Sequence[Question]) -> Question:
        now = platform.clock.now()
        repeated = next((question for question in own if rules.is_repeated(question, wish)), None)
        if repeated is not None:
            return repeated
        if rules.asked_on(own, now) >= PER_DAY or len(own) >= MOST:  # in a cycle there are at most so many
            raise errors.QuestionsExhaustedError.until((now // DAY + 1) * DAY, now, PER_DAY)
        if sum(question.state is QuestionState.OPEN for question in own) >= MOST_OPEN:
            raise errors.TooManyOpenQuestionsError.of(MOST_OPEN)
        _refuse_unopened(platform, team_id, wish.subject, now)
        if wish.is_protest and wish.subject.kind is SubjectKind.GENERAL:
            raise errors.ProtestSubjectError
        question = Question(
            team_id, len(own) + 1, who, now, wish.language, wish.text, wish.subject, is_protest=wish.is_protest
        )
        change = Change(now, who, "question asked", question.question_id, None, described(question))
        platform.questions.write(None, question, change)
        return question

    return read_and_decide(lambda: platform.questions.of_team(team_id), asked)


def of_team(platform: Platform, identity: Identity) -> Sequence[Question]:
    """List the own team's questions, the latest first."""
    return list(reversed(platform.questions.of_team(team_of(platform, identity))))


def as_announced(platform: Platform, questions: Sequence[Question]) -> Sequence[Question]:
    """Return questions with the present words of their announcements. O(questions and announcements)."""
    if not any(question.answer is not None and question.answer.announcement_id for question in questions):
        return questions
    announcements = {announcement.announcement_id: announcement for announcement in platform.announcements.all()}
    return [_as_announced(question, announcements.get) for question in questions]


def latest(name: str, get: Callable[[str], Announcement | None]) -> Announcement | None:
    """Return an announcement, or the latest of its corrections; None where there is none."""
    announcement = get(name)
    while announcement is not None and announcement.corrected_by is not None:
        announcement = get(announcement.corrected_by)
    return announcement


def _as_announced(question: Question, get: Callable[[str], Announcement | None]) -> Question:
    answer = question.answer
    announcement = None if answer is None or not answer.announcement_id else latest(answer.announcement_id, get)
    if answer is None or announcement is None:
        return question
    now = replace(
        answer,
        texts={"en": announcement.text.en, "ru": announcement.text.ru},
        announcement_id=announcement.announcement_id,
        is_withdrawn=announcement.state is AnnouncementState.WITHDRAWN,
    )
    return replace(question, answer=now)


def withdraw(platform: Platform, identity: Identity, question_id: str) -> Question:
    """Withdraw an own question that waits."""

    def withdrawn(before: Question) -> Question:
        now = platform.clock.now()
        try:
            after = rules.withdrawn(before, now)
        except LookupError:
            raise errors.QuestionStateError.being(before.state.value) from None
        who = f"token:{identity.token_id}" if identity.token_id else cabinet.author(identity)
        change = Change(now, who, "question withdrawn", question_id, described(before), described(after))
        platform.questions.write(before, after, change)
        return after

    return read_and_decide(lambda: _own(platform, identity, question_id), withdrawn)


def mark_seen(platform: Platform, identity: Identity, question_id: str, version: int) -> Question:
    """Note that the team has seen an answer; :class:`QuestionChangedError` where there is another one by now."""
    before = _own(platform, identity, question_id)
    if before.version != version:
        raise errors.QuestionChangedError.now(before.version)
    after = replace(before, is_seen=True)
    try:
        platform.questions.seen(after)
    except LostRaceError:
        raise errors.QuestionChangedError.now(_own(platform, identity, question_id).version) from None
    return after


def waiting(platform: Platform) -> Waiting:
    """Count the questions that wait for an answer: for the desk's overview. O(questions of the cycle)."""
    moments = [question.asked_at for question in platform.questions.all() if question.state is QuestionState.OPEN]
    return Waiting(len(moments), min(moments, default=None))


def one(platform: Platform, question_id: str) -> Question:
    """Return a question; :class:`UnknownQuestionError`."""
    team_id, _, number = question_id.rpartition(".")
    question = platform.questions.get(team_id, int(number)) if rules.QUESTION_ID.fullmatch(question_id) else None
    if question is None:
        raise errors.UnknownQuestionError
    return question


def described(question: Question) -> dict[str, Any]:
    """Describe a question for the audit log."""
    return asdict(question)


def _own(platform: Platform, identity: Identity, question_id: str) -> Question:
    question = one(platform, question_id)
    if question.team_id != team_of(platform, identity):
        raise errors.UnknownQuestionError
    return question


def _refuse_unopened(platform: Platform, team_id: str, subject: Subject, now: Millis) -> None:
    """Refuse a subject that the team cannot know: another team's session, an item before its opening, no run."""
    if subject.kind is SubjectKind.RUN and platform.runs.get(subject.run_id) is None:
        raise UnknownRunError
    if subject.kind is not SubjectKind.ITEM:
        return
    session = reading.session(platform, subject.session_id)
    if session is None or session.team_id != team_id:
        raise UnknownSessionError
    if platform.deliveries.get(subject.session_id, subject.number) is not None:
        return
    # What opened in a run and was never asked for can be asked about, too.
    schedule = reading.schedule_now_of(platform, session)
    if schedule is None or schedule.opened(now) < subject.number:
        raise errors.ItemNotOpenedError
