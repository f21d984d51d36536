"""Questions: a team asks, reads and withdraws; organizers and judges take, answer and close.

An answer to everybody is an announcement (:mod:`contest.cycle.publications`), written with the question in one
transaction. It names neither the team nor its words: the title says the question anew.

**Decision**: a question with the same words about the same subject as one that waits is that one: sending it
twice asks it once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from typing import Any

from contest import reading
from contest.cycle.rules import notices
from contest.cycle.rules.cycle import Mode
from contest.cycle.rules.notices import Announced, Announcement, AnnouncementKind, AnnouncementState
from contest.errors import BadCursorError, UnknownRunError, UnknownSessionError
from contest.messages import errors, rules
from contest.messages.rules import (
    HELD,
    LANGUAGES,
    MOST,
    MOST_OPEN,
    PER_DAY,
    Answer,
    Question,
    QuestionState,
    Reply,
    Subject,
    SubjectKind,
    Wish,
)
from contest.people import cabinet
from contest.people.rules import Change, Identity
from contest.platform import Platform, read_and_decide
from contest.ports import LostRaceError, Page
from contest.results.rules.set_access import Asker, may_have_final, view_of
from contest.values import DAY, Millis
from markup_core.lazy import dataclass
from tracks.protocol import Text


@dataclass(frozen=True, slots=True)
class Waiting:
    """Number of questions that wait for an answer, and the moment of the oldest one."""

    count: int
    oldest_at: Millis | None


# Clause: D 6.12
def ask(platform: Platform, identity: Identity, wish: Wish) -> Question:
    """Ask a question; the question's own number enforces the limits of the day and of waiting questions."""
    team_id, who = cabinet.own_team_id(platform, identity), cabinet.author(identity)

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
        change = Change(now, who, "question asked", question.question_id, None, describe_question(question))
        platform.questions.write(None, question, change)
        return question

    return read_and_decide(lambda: platform.questions.of_team(team_id), asked)


def of_team(platform: Platform, identity: Identity) -> Sequence[Question]:
    """List the own team's questions, the latest first."""
    return list(reversed(platform.questions.of_team(cabinet.own_team_id(platform, identity))))


def as_announced(platform: Platform, questions: Sequence[Question]) -> Sequence[Question]:
    """Return questions with the present words of their announcements. O(questions and announcements)."""
    if not any(question.answer is not None and question.answer.announcement_id for question in questions):
        return questions
    announcements = {announcement.announcement_id: announcement for announcement in platform.announcements.all()}
    return [_as_announced(question, announcements.get) for question in questions]


def latest_correction(name: str, get: Callable[[str], Announcement | None]) -> Announcement | None:
    """Return an announcement, or the latest of its corrections; None where there is none."""
    announcement = get(name)
    while announcement is not None and announcement.corrected_by is not None:
        announcement = get(announcement.corrected_by)
    return announcement


def _as_announced(question: Question, get: Callable[[str], Announcement | None]) -> Question:
    answer = question.answer
    announcement = (
        None if answer is None or not answer.announcement_id else latest_correction(answer.announcement_id, get)
    )
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
            raise errors.QuestionStateError.being(before.state.value, "question") from None
        change = Change(
            now,
            cabinet.author(identity),
            "question withdrawn",
            question_id,
            describe_question(before),
            describe_question(after),
        )
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


def count_waiting(platform: Platform) -> Waiting:
    """Count the questions that wait for an answer: for the desk's overview. O(questions of the cycle)."""
    moments = [question.asked_at for question in platform.questions.all() if question.state is QuestionState.OPEN]
    return Waiting(len(moments), min(moments, default=None))


def read_question(platform: Platform, question_id: str) -> Question:
    """Return a question; :class:`UnknownQuestionError`."""
    team_id, _, number = question_id.rpartition(".")
    question = platform.questions.get(team_id, int(number)) if rules.QUESTION_ID.fullmatch(question_id) else None
    if question is None:
        raise errors.UnknownQuestionError
    return question


def describe_question(question: Question) -> dict[str, Any]:
    """Describe a question for the audit log."""
    return asdict(question)


def _own(platform: Platform, identity: Identity, question_id: str) -> Question:
    question = read_question(platform, question_id)
    if question.team_id != cabinet.own_team_id(platform, identity):
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


def list_questions(
    platform: Platform, state: QuestionState | None, protest: bool | None, limit: int, after: str | None
) -> Page[Question]:
    """List questions for those who answer, open ones first; ``after``: the last one of the page before.

    ``protest``: protests alone, or all but protests; None: both. :class:`BadCursorError`. O(questions of the cycle).
    """
    everything = [question for question in platform.questions.all() if state in {None, question.state}]
    questions = rules.in_order([question for question in everything if protest in {None, question.is_protest}])
    ids = [question.question_id for question in questions]
    if after is not None and after not in ids:
        raise BadCursorError
    first = 0 if after is None else ids.index(after) + 1
    page = tuple(questions[first : first + limit])
    return Page(page, page[-1].question_id if first + limit < len(questions) else None)


def take(platform: Platform, who: str, question_id: str, version: int) -> Question:
    """Take an open question, so that nobody else answers it for half an hour."""

    def decided(before: Question, now: Millis) -> tuple[Question, Sequence[Announced]]:
        return rules.taken(before, who, now), ()

    return _decided(platform, who, "question taken", question_id, version, decided)


# Clause: R 4.7, D 6.12
def answer(platform: Platform, who: str, question_id: str, version: int, reply: Reply) -> Question:
    """Answer the team, or everybody; an answer that everybody has is corrected for everybody.

    **Decision**: an answer whose announcement was withdrawn is public no longer, so that an answer to the team
    stays with the team.
    """

    def decided(before: Question, now: Millis) -> tuple[Question, Sequence[Announced]]:
        name = None if before.answer is None else before.answer.announcement_id
        earlier = None if name is None else latest_correction(name, platform.announcements.get)
        if earlier is not None and earlier.state is not AnnouncementState.PUBLISHED:
            earlier = None
        if not reply.to_all and earlier is None:
            return rules.answered(before, Answer(reply.texts, who, now, upheld=reply.upheld)), ()
        if not may_tell_all(platform, before.subject, now):
            raise errors.AnswerNotPublicError
        if set(reply.texts) != set(LANGUAGES) or set(reply.title) != set(LANGUAGES):
            raise errors.BothLanguagesError
        title, text = (Text(en=words["en"], ru=words["ru"]) for words in (reply.title, reply.texts))
        draft = Announcement(platform.randomness.token_id(), AnnouncementKind.ANSWER, title, text, now)
        announcement = replace(notices.published(draft, now), version=1)
        after = rules.answered(before, Answer(reply.texts, who, now, announcement.announcement_id, reply.upheld))
        if earlier is None:
            return after, ((None, announcement),)
        corrected, new = notices.corrected(earlier, announcement, now)
        return after, ((earlier, corrected), (None, new))

    return _decided(platform, who, "question answered", question_id, version, decided)


def close(platform: Platform, who: str, question_id: str, version: int, reason: str) -> Question:
    """Close a question without an answer; the team reads the reason."""

    def decided(before: Question, now: Millis) -> tuple[Question, Sequence[Announced]]:
        return rules.closed(before, now, reason), ()

    return _decided(platform, who, "question closed", question_id, version, decided)


# Clause: platform §1 secrets, platform §3 sets, R 7.11
def may_tell_all(platform: Platform, subject: Subject, now: Millis) -> bool:
    """Return whether everybody may be told of a subject: if it has not opened to all, it stays with the team.

    A run from its first opening; an item of a final from the publication of its results; any other item if all
    participants may have its set, in a run from its opening. An item of a trial stays with the team.
    """
    if subject.kind is SubjectKind.RUN:
        return reading.schedule_now(platform, subject.run_id).opened(now) > 0
    if subject.kind is not SubjectKind.ITEM:
        return True
    session = reading.session(platform, subject.session_id)
    if session is None:
        return False
    schedule = reading.schedule_now_of(platform, session)
    if session.run_id is not None and schedule is not None:
        run = schedule.run
        if run.mode is Mode.FINAL or run.trial:
            return may_have_final(Asker.PARTICIPANT, run)
        if schedule.opened(now) < subject.number:
            return False
    data_set = reading.cycle_now(platform).set_named(session.order.set_name)
    open_tests = reading.track_of(platform, session).open_tests
    return data_set is not None and view_of(Asker.PARTICIPANT, data_set, open_tests=open_tests) is not None


def _decided(
    platform: Platform,
    who: str,
    what: str,
    question_id: str,
    version: int,
    decide: Callable[[Question, Millis], tuple[Question, Sequence[Announced]]],
) -> Question:
    """Decide about a question as the caller has read it; a caller who has read another version is refused."""
    before, now = read_question(platform, question_id), platform.clock.now()
    if before.version != version:
        raise errors.QuestionChangedError.now(before.version)
    holder = before.holder(now)
    if holder not in {"", who}:
        raise errors.QuestionTakenError.by(holder, before.taken_at + HELD, now)
    try:
        after, announced = decide(before, now)
    except LookupError:
        raise errors.QuestionStateError.being(before.state.value, "question") from None
    except ValueError:
        raise errors.ProtestAnswerError from None
    change = Change(now, who, what, question_id, describe_question(before), describe_question(after))
    try:
        platform.questions.write(before, after, change, announced)
    except LostRaceError:
        raise errors.QuestionChangedError.now(read_question(platform, question_id).version) from None
    return after
