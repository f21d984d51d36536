"""Errors of mails, webhooks, questions and answers, all of :mod:`contest.refusals`' family."""

from __future__ import annotations

from typing import Final

from contest.messages.rules import MOST_HOOKS, MOST_OPEN, PER_DAY
from contest.refusals import SAMPLE_NOW, SAMPLE_SOON, ContestError
from contest.texts import tr
from contest.values import Millis, iso, seconds_until


class UnknownUnsubscriptionError(ContestError, code="unknown_unsubscription", status=404):
    message = tr("This link stops no mails any more: choose your mails in the cabinet.")


class HookAddressError(ContestError, code="hook_address", status=422):
    message = tr("A webhook's address is https://HOST/…, on port 443, with a host's name and no credentials in it.")


class TooManyHooksError(ContestError, code="too_many_hooks", status=409):
    message = tr("You have {most} webhooks, which is the most: remove one.", most=MOST_HOOKS)


class UnknownHookError(ContestError, code="unknown_hook", status=404):
    message = tr("You have no webhook with this identifier.")


class HookOffError(ContestError, code="hook_off", status=409):
    message = tr("This webhook is off, since all its requests failed for a day: remove it, and add its address anew.")


class UnknownQuestionError(ContestError, code="unknown_question", status=404):
    message = tr("There is no question with this identifier.")


class QuestionsExhaustedError(ContestError, code="questions_exhausted", status=429):
    message = tr("Your team has asked as many questions as it may on one day.")

    @classmethod
    def until(cls, resets_at: Millis, now: Millis, limit: int) -> QuestionsExhaustedError:
        moment = iso(resets_at)
        text = tr("limit: {limit}; resets at {moment}", limit=limit, moment=moment)
        return cls.with_detail(
            "quota", text, retry_after_s=seconds_until(resets_at, now), limit=limit, resets_at=moment
        )


class TooManyOpenQuestionsError(ContestError, code="too_many_open_questions", status=409):
    message = tr("Too many of your questions wait for an answer: wait for one, or withdraw one.")

    @classmethod
    def of(cls, limit: int) -> TooManyOpenQuestionsError:
        return cls.with_detail("limit", tr("at most {limit} may wait", limit=limit), limit=limit)


class ItemNotOpenedError(ContestError, code="item_not_opened", status=409):
    message = tr("This item has not opened for your team; ask about it when it has.")


class QuestionStateError(ContestError, code="question_state", status=409):
    message = tr("Open questions are taken, answered, closed or withdrawn, answered ones answered anew.")


class QuestionTakenError(ContestError, code="question_taken", status=409):
    message = tr("Another person answers this question; nobody else may until their time is over.")

    @classmethod
    def by(cls, who: str, until: Millis, now: Millis) -> QuestionTakenError:
        moment = iso(until)
        text = tr("{who} holds it until {moment}", who=who, moment=moment)
        return cls.with_detail("taken", text, retry_after_s=seconds_until(until, now), who=who, until=moment)


class QuestionChangedError(ContestError, code="question_changed", status=409):
    message = tr("The question has changed since you read it: read it again, then decide.")

    @classmethod
    def now(cls, version: int) -> QuestionChangedError:
        return cls.with_detail("version", tr("its version is {version}", version=version), version=version)


class ProtestSubjectError(ContestError, code="protest_subject", status=422):
    message = tr("A protest names what it is about: a file of your session, a run or a rule.")


class ProtestAnswerError(ContestError, code="protest_answer", status=422):
    message = tr("The answer to a protest says whether it is upheld; the answer to a question does not.")


class AnswerNotPublicError(ContestError, code="answer_not_public", status=409):
    message = tr(
        "The item or run of this question is not open to all participants: answer the team alone now, and everybody"
        " when it is."
    )


class BothLanguagesError(ContestError, code="both_languages", status=422):
    message = tr("What everybody reads needs a title and a text in English and in Russian.")


EXAMPLES: Final[tuple[ContestError, ...]] = (
    QuestionsExhaustedError.until(SAMPLE_SOON, SAMPLE_NOW, PER_DAY),
    TooManyOpenQuestionsError.of(MOST_OPEN),
    QuestionStateError.being("withdrawn", "question"),
    QuestionTakenError.by("person:olga", SAMPLE_SOON, SAMPLE_NOW),
    QuestionChangedError.now(3),
)
"""Examples of the refusals whose body says more than their sentence; the others need none."""
