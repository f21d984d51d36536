"""Errors of questions and answers, all of :mod:`contest.refusals`' family."""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

from contest.questions.rules import MOST_OPEN, PER_DAY
from contest.refusals import SAMPLE_NOW, SAMPLE_SOON, ContestError
from contest.texts import tr
from contest.values import Millis, iso, seconds_until


class UnknownQuestionError(ContestError):
    """No question has this id, or it is another team's."""

    code = "unknown_question"
    status = HTTPStatus.NOT_FOUND
    message = tr("There is no question with this identifier.")


class QuestionsExhaustedError(ContestError):
    """The team has asked all questions of the day."""

    code = "questions_exhausted"
    status = HTTPStatus.TOO_MANY_REQUESTS
    message = tr("Your team has asked as many questions as it may on one day.")

    @classmethod
    def until(cls, resets_at: Millis, now: Millis, limit: int) -> QuestionsExhaustedError:
        """Return the error with the time from which the team may ask again."""
        moment = iso(resets_at)
        texts = tr("limit: {limit}; resets at {moment}", limit=limit, moment=moment).as_fields()
        detail = {"code": "quota", **texts, "limit": limit, "resets_at": moment}
        return cls([detail], retry_after_s=seconds_until(resets_at, now))


class TooManyOpenQuestionsError(ContestError):
    """Too many of the team's questions wait for an answer."""

    code = "too_many_open_questions"
    status = HTTPStatus.CONFLICT
    message = tr("Too many of your questions wait for an answer: wait for one, or withdraw one.")

    @classmethod
    def of(cls, limit: int) -> TooManyOpenQuestionsError:
        """Return the error with the limit."""
        texts = tr("at most {limit} may wait", limit=limit).as_fields()
        return cls([{"code": "limit", **texts, "limit": limit}])


class ItemNotOpenedError(ContestError):
    """The team has not had the item that it asks about."""

    code = "item_not_opened"
    status = HTTPStatus.CONFLICT
    message = tr("This item has not opened for your team; ask about it when it has.")


class QuestionStateError(ContestError):
    """The question's state does not allow this."""

    code = "question_state"
    status = HTTPStatus.CONFLICT
    message = tr("Open questions are taken, answered, closed or withdrawn, answered ones answered anew.")

    @classmethod
    def being(cls, state: str) -> QuestionStateError:
        """Return the error with the state."""
        return cls([{"code": "state", **tr("it is {state}", state=state).as_fields(), "state": state}])


class QuestionTakenError(ContestError):
    """Another person has taken the question and still holds it."""

    code = "question_taken"
    status = HTTPStatus.CONFLICT
    message = tr("Another person answers this question; nobody else may until their time is over.")

    @classmethod
    def by(cls, who: str, until: Millis, now: Millis) -> QuestionTakenError:
        """Return the error with the person and the end of their time."""
        moment = iso(until)
        texts = tr("{who} holds it until {moment}", who=who, moment=moment).as_fields()
        detail = {"code": "taken", **texts, "who": who, "until": moment}
        return cls([detail], retry_after_s=seconds_until(until, now))


class QuestionChangedError(ContestError):
    """The question is not as the caller has read it."""

    code = "question_changed"
    status = HTTPStatus.CONFLICT
    message = tr("The question has changed since you read it: read it again, then decide.")

    @classmethod
    def now(cls, version: int) -> QuestionChangedError:
        """Return the error with the present version."""
        texts = tr("its version is {version}", version=version).as_fields()
        return cls([{"code": "version", **texts, "version": version}])


class ProtestSubjectError(ContestError):
    """A protest names the item, the run or the rule that it is about."""

    code = "protest_subject"
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    message = tr("A protest names what it is about: a file of your session, a run or a rule.")


class ProtestAnswerError(ContestError):
    """A protest is upheld or rejected; a question is neither."""

    code = "protest_answer"
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    message = tr("The answer to a protest says whether it is upheld; the answer to a question does not.")


class AnswerNotPublicError(ContestError):
    """An answer about something that is not open to everybody would be told to everybody."""

    code = "answer_not_public"
    status = HTTPStatus.CONFLICT
    message = tr(
        "The item or run of this question is not open to all participants: answer the team alone now, and everybody"
        " when it is."
    )


class BothLanguagesError(ContestError):
    """An answer to everybody lacks a language or its title."""

    code = "both_languages"
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    message = tr("What everybody reads needs a title and a text in English and in Russian.")


EXAMPLES: Final[tuple[ContestError, ...]] = (
    QuestionsExhaustedError.until(SAMPLE_SOON, SAMPLE_NOW, PER_DAY),
    TooManyOpenQuestionsError.of(MOST_OPEN),
    QuestionStateError.being("withdrawn"),
    QuestionTakenError.by("person:olga", SAMPLE_SOON, SAMPLE_NOW),
    QuestionChangedError.now(3),
)
"""Examples of the refusals whose body says more than their sentence; the others need none."""
