"""Errors of questions and answers, all of :mod:`contest.refusals`' family."""

from __future__ import annotations

from typing import Final

from contest.questions.rules import MOST_OPEN, PER_DAY
from contest.refusals import SAMPLE_NOW, SAMPLE_SOON, ContestError
from contest.texts import tr
from contest.values import Millis, iso, seconds_until


class UnknownQuestionError(ContestError, code="unknown_question", status=404):
    """No question has this id, or it is another team's."""

    message = tr("There is no question with this identifier.")


class QuestionsExhaustedError(ContestError, code="questions_exhausted", status=429):
    """The team has asked all questions of the day."""

    message = tr("Your team has asked as many questions as it may on one day.")

    @classmethod
    def until(cls, resets_at: Millis, now: Millis, limit: int) -> QuestionsExhaustedError:
        """Return the error with the time from which the team may ask again."""
        moment = iso(resets_at)
        text = tr("limit: {limit}; resets at {moment}", limit=limit, moment=moment)
        return cls.with_detail(
            "quota", text, retry_after_s=seconds_until(resets_at, now), limit=limit, resets_at=moment
        )


class TooManyOpenQuestionsError(ContestError, code="too_many_open_questions", status=409):
    """Too many of the team's questions wait for an answer."""

    message = tr("Too many of your questions wait for an answer: wait for one, or withdraw one.")

    @classmethod
    def of(cls, limit: int) -> TooManyOpenQuestionsError:
        """Return the error with the limit."""
        return cls.with_detail("limit", tr("at most {limit} may wait", limit=limit), limit=limit)


class ItemNotOpenedError(ContestError, code="item_not_opened", status=409):
    """The team has not had the item that it asks about."""

    message = tr("This item has not opened for your team; ask about it when it has.")


class QuestionStateError(ContestError, code="question_state", status=409):
    """The question's state does not allow this."""

    message = tr("Open questions are taken, answered, closed or withdrawn, answered ones answered anew.")

    @classmethod
    def being(cls, state: str) -> QuestionStateError:
        """Return the error with the state."""
        return cls.with_detail("state", tr("it is {state}", state=state), state=state)


class QuestionTakenError(ContestError, code="question_taken", status=409):
    """Another person has taken the question and still holds it."""

    message = tr("Another person answers this question; nobody else may until their time is over.")

    @classmethod
    def by(cls, who: str, until: Millis, now: Millis) -> QuestionTakenError:
        """Return the error with the person and the end of their time."""
        moment = iso(until)
        text = tr("{who} holds it until {moment}", who=who, moment=moment)
        return cls.with_detail("taken", text, retry_after_s=seconds_until(until, now), who=who, until=moment)


class QuestionChangedError(ContestError, code="question_changed", status=409):
    """The question is not as the caller has read it."""

    message = tr("The question has changed since you read it: read it again, then decide.")

    @classmethod
    def now(cls, version: int) -> QuestionChangedError:
        """Return the error with the present version."""
        return cls.with_detail("version", tr("its version is {version}", version=version), version=version)


class ProtestSubjectError(ContestError, code="protest_subject", status=422):
    """A protest names the item, the run or the rule that it is about."""

    message = tr("A protest names what it is about: a file of your session, a run or a rule.")


class ProtestAnswerError(ContestError, code="protest_answer", status=422):
    """A protest is upheld or rejected; a question is neither."""

    message = tr("The answer to a protest says whether it is upheld; the answer to a question does not.")


class AnswerNotPublicError(ContestError, code="answer_not_public", status=409):
    """An answer about something that is not open to everybody would be told to everybody."""

    message = tr(
        "The item or run of this question is not open to all participants: answer the team alone now, and everybody"
        " when it is."
    )


class BothLanguagesError(ContestError, code="both_languages", status=422):
    """An answer to everybody lacks a language or its title."""

    message = tr("What everybody reads needs a title and a text in English and in Russian.")


EXAMPLES: Final[tuple[ContestError, ...]] = (
    QuestionsExhaustedError.until(SAMPLE_SOON, SAMPLE_NOW, PER_DAY),
    TooManyOpenQuestionsError.of(MOST_OPEN),
    QuestionStateError.being("withdrawn"),
    QuestionTakenError.by("person:olga", SAMPLE_SOON, SAMPLE_NOW),
    QuestionChangedError.now(3),
)
"""Examples of the refusals whose body says more than their sentence; the others need none."""
