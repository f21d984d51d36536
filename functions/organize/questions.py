"""Routes of questions: teams ask, organizers and judges answer."""

from __future__ import annotations

from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Path, Query

from contest import routes
from contest.cycle.errors import BadCursorError
from contest.edge.web import CREATED, caller
from contest.errors import BusyError, UnknownRunError, UnknownSessionError
from contest.messages import asking, errors, wire
from contest.messages.rules import QUESTION_ID, Question, QuestionState
from contest.people.cabinet import author
from contest.people.errors import NoTeamError
from contest.wiring import platform
from organize.router import app, handles

QuestionId = Annotated[str, Path(pattern=f"^{QUESTION_ID.pattern}$")]

_AT_DESK = (
    errors.UnknownQuestionError,
    errors.QuestionStateError,
    errors.QuestionTakenError,
    errors.QuestionChangedError,
)


@handles(
    routes.ASK,
    "Ask a question",
    NoTeamError,
    errors.QuestionsExhaustedError,
    errors.TooManyOpenQuestionsError,
    errors.ItemNotOpenedError,
    errors.ProtestSubjectError,
    UnknownSessionError,
    UnknownRunError,
    BusyError,
    status=CREATED,
)
def ask_question(request: wire.QuestionRequest) -> wire.TeamQuestionBody:
    """Ask for the own team. The same words about the same subject, sent again, are the question that waits."""
    question = asking.ask(platform(), caller(app), request.wish())
    return wire.TeamQuestionBody.from_value(question)


@handles(routes.OWN_QUESTIONS, "The own team's questions", NoTeamError)
def own_questions() -> wire.TeamQuestionsBody:
    """List them with their answers. What everybody was told is an announcement, too."""
    questions = asking.as_announced(platform(), asking.of_team(platform(), caller(app)))
    bodies = [wire.TeamQuestionBody.from_value(question) for question in questions]
    return wire.TeamQuestionsBody(questions=bodies, unread=sum(body.unread for body in bodies))


@handles(
    routes.WITHDRAW_QUESTION,
    "Withdraw a question",
    NoTeamError,
    errors.UnknownQuestionError,
    errors.QuestionStateError,
    BusyError,
)
def withdraw_question(question_id: QuestionId) -> wire.TeamQuestionBody:
    """Withdraw one that waits."""
    return wire.TeamQuestionBody.from_value(asking.withdraw(platform(), caller(app), question_id))


@handles(
    routes.MARK_QUESTION_SEEN,
    "Mark an answer as read",
    NoTeamError,
    errors.UnknownQuestionError,
    errors.QuestionChangedError,
)
def mark_question_seen(question_id: QuestionId, request: wire.VersionRequest) -> wire.TeamQuestionBody:
    """Mark it for the whole team; a corrected answer is unread again."""
    question = asking.mark_seen(platform(), caller(app), question_id, request.version)
    return wire.TeamQuestionBody.from_value(question)


Limit = Annotated[int, Query(ge=1, le=100, description="At most so many")]
After = Annotated[str, Query(max_length=50, description="`next` of the page before")]


@handles(routes.QUESTIONS, "Questions of all teams", BadCursorError)
def all_questions(
    state: QuestionState | None = None, protest: bool | None = None, limit: Limit = 50, after: After | None = None
) -> wire.DeskQuestionsBody:
    """List those that wait first, the oldest on top, then the others, the latest on top."""
    page, waiting = asking.listed(platform(), state, protest, limit, after), asking.waiting(platform())
    return wire.DeskQuestionsBody.from_value(
        questions=[_at_desk(question) for question in page.items],
        waiting=waiting.count,
        oldest_at=waiting.oldest_at,
        next=page.after,
    )


@handles(routes.TAKE_QUESTION, "Take a question", *_AT_DESK)
def take_question(question_id: QuestionId, request: wire.VersionRequest) -> wire.DeskQuestionBody:
    """Nobody else answers it for half an hour."""
    question = asking.take(platform(), author(caller(app)), question_id, request.version)
    return _at_desk(question)


@handles(
    routes.ANSWER_QUESTION,
    "Answer a question",
    *_AT_DESK,
    errors.AnswerNotPublicError,
    errors.BothLanguagesError,
    errors.ProtestAnswerError,
)
def answer_question(question_id: QuestionId, request: wire.AnswerRequest) -> wire.DeskQuestionBody:
    """Answer the team; `to_all`: everybody, as an announcement without the team. Answer anew to correct it."""
    question = asking.answer(platform(), author(caller(app)), question_id, request.version, request.reply())
    return _at_desk(question)


@handles(routes.CLOSE_QUESTION, "Close a question without an answer", *_AT_DESK)
def close_question(question_id: QuestionId, request: wire.ClosureRequest) -> wire.DeskQuestionBody:
    """Give the team the reason instead."""
    question = asking.close(platform(), author(caller(app)), question_id, request.version, request.reason)
    return _at_desk(question)


def _at_desk(question: Question) -> wire.DeskQuestionBody:
    """Return the body of a question for those who answer."""
    now = platform().clock.now()
    may_tell_all = asking.may_tell_all(platform(), question.subject, now)
    (announced,) = asking.as_announced(platform(), [question])
    return wire.DeskQuestionBody.of(announced, now, may_tell_all=may_tell_all)
