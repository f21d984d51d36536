"""Answers of organizers and judges: take, answer a team or everybody, close.

An answer to everybody is an announcement (:mod:`contest.cycle.announcing`), written with the question in one
transaction. It names neither the team nor its words: the title says the question anew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from contest import reading
from contest.cycle.errors import BadCursorError
from contest.cycle.rules import notices
from contest.cycle.rules.cycle import Mode
from contest.cycle.rules.notices import Announced, Announcement, AnnouncementKind, AnnouncementState
from contest.people.rules import Change
from contest.platform import Platform
from contest.ports import LostRaceError, Page
from contest.questions import errors, rules
from contest.questions.asking import described, latest, one
from contest.questions.rules import HELD, LANGUAGES, Answer, Question, QuestionState, Reply, Subject, SubjectKind
from contest.results.rules.downloads import Asker, may_have_final, view_of
from contest.values import Millis
from tracks.protocol import Text


def listed(
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

    **Decision**: what was withdrawn at the announcements, nobody has any more, so that an answer to the team stays
    with the team.
    """

    def decided(before: Question, now: Millis) -> tuple[Question, Sequence[Announced]]:
        name = None if before.answer is None else before.answer.announcement_id
        earlier = None if name is None else latest(name, platform.announcements.get)
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
    """Return whether everybody may be told of a subject: what has not opened to all participants stays with the team.

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
    """Decide about a question as the caller has read it: whoever has read another version decides about nothing."""
    before, now = one(platform, question_id), platform.clock.now()
    if before.version != version:
        raise errors.QuestionChangedError.now(before.version)
    holder = before.holder(now)
    if holder not in {"", who}:
        raise errors.QuestionTakenError.by(holder, before.taken_at + HELD, now)
    try:
        after, announced = decide(before, now)
    except LookupError:
        raise errors.QuestionStateError.being(before.state.value) from None
    except ValueError:
        raise errors.ProtestAnswerError from None
    change = Change(now, who, what, question_id, described(before), described(after))
    try:
        platform.questions.write(before, after, change, announced)
    except LostRaceError:
        raise errors.QuestionChangedError.now(one(platform, question_id).version) from None
    return after
