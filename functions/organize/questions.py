"""Routes of questions: teams ask, organizers and judges answer."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Path, Query

from contest import routes
from contest.cycle.errors import BadCursorError
from contest.edge import web
from contest.edge.web import Reply, caller
from contest.errors import BusyError, UnknownRunError, UnknownSessionError
from contest.people.cabinet import author
from contest.people.errors import NoTeamError
from contest.questions import asking, presenting, replying
from contest.questions.errors import (
    AnswerNotPublicError,
    BothLanguagesError,
    ItemNotOpenedError,
    ProtestAnswerError,
    ProtestSubjectError,
    QuestionChangedError,
    QuestionsExhaustedError,
    QuestionStateError,
    QuestionTakenError,
    TooManyOpenQuestionsError,
    UnknownQuestionError,
)
from contest.questions.rules import QUESTION_ID, QuestionState
from contest.questions.wire import (
    AnswerRequest,
    ClosureRequest,
    DeskQuestionBody,
    DeskQuestionsBody,
    QuestionRequest,
    TeamQuestionBody,
    TeamQuestionsBody,
    VersionRequest,
)
from contest.wiring import platform
from organize.router import app

QuestionId = Annotated[str, Path(pattern=f"^{QUESTION_ID.pattern}$")]


@web.on(
    app,
    routes.ASK,
    TeamQuestionBody,
    "Ask a question",
    NoTeamError,
    QuestionsExhaustedError,
    TooManyOpenQuestionsError,
    ItemNotOpenedError,
    ProtestSubjectError,
    UnknownSessionError,
    UnknownRunError,
    BusyError,
    status=HTTPStatus.CREATED,
)
def ask_question(request: QuestionRequest) -> Reply:
    """Ask for the own team. The same words about the same subject, sent again, are the question that waits."""
    question = asking.ask(platform(), caller(app), request.wish())
    return web.answer(TeamQuestionBody.from_value(question), HTTPStatus.CREATED)


@web.on(app, routes.OWN_QUESTIONS, TeamQuestionsBody, "The own team's questions", NoTeamError)
def own_questions() -> Reply:
    """List them with their answers. What everybody was told is an announcement, too."""
    return web.answer(presenting.own(platform(), asking.of_team(platform(), caller(app))))


@web.on(
    app,
    routes.WITHDRAW_QUESTION,
    TeamQuestionBody,
    "Withdraw a question",
    NoTeamError,
    UnknownQuestionError,
    QuestionStateError,
    BusyError,
)
def withdraw_question(question_id: QuestionId) -> Reply:
    """Withdraw one that waits."""
    return web.answer(TeamQuestionBody.from_value(asking.withdraw(platform(), caller(app), question_id)))


@web.on(
    app,
    routes.MARK_QUESTION_SEEN,
    TeamQuestionBody,
    "Mark an answer as read",
    NoTeamError,
    UnknownQuestionError,
    QuestionChangedError,
)
def mark_question_seen(question_id: QuestionId, request: VersionRequest) -> Reply:
    """Mark it for the whole team; a corrected answer is unread again."""
    question = asking.mark_seen(platform(), caller(app), question_id, request.version)
    return web.answer(TeamQuestionBody.from_value(question))


Limit = Annotated[int, Query(ge=1, le=100, description="At most so many")]
After = Annotated[str, Query(max_length=50, description="`next` of the page before")]


@web.on(app, routes.QUESTIONS, DeskQuestionsBody, "Questions of all teams", BadCursorError)
def all_questions(
    state: QuestionState | None = None, protest: bool | None = None, limit: Limit = 50, after: After | None = None
) -> Reply:
    """List those that wait first, the oldest on top, then the others, the latest on top."""
    return web.answer(presenting.desk(platform(), replying.listed(platform(), state, protest, limit, after)))


@web.on(
    app,
    routes.TAKE_QUESTION,
    DeskQuestionBody,
    "Take a question",
    UnknownQuestionError,
    QuestionStateError,
    QuestionTakenError,
    QuestionChangedError,
)
def take_question(question_id: QuestionId, request: VersionRequest) -> Reply:
    """Nobody else answers it for half an hour."""
    question = replying.take(platform(), author(caller(app)), question_id, request.version)
    return web.answer(presenting.at_desk(platform(), question))


@web.on(
    app,
    routes.ANSWER_QUESTION,
    DeskQuestionBody,
    "Answer a question",
    UnknownQuestionError,
    QuestionStateError,
    QuestionTakenError,
    QuestionChangedError,
    AnswerNotPublicError,
    BothLanguagesError,
    ProtestAnswerError,
)
def answer_question(question_id: QuestionId, request: AnswerRequest) -> Reply:
    """Answer the team; `to_all`: everybody, as an announcement without the team. Answer anew to correct it."""
    question = replying.answer(platform(), author(caller(app)), question_id, request.version, request.reply())
    return web.answer(presenting.at_desk(platform(), question))


@web.on(
    app,
    routes.CLOSE_QUESTION,
    DeskQuestionBody,
    "Close a question without an answer",
    UnknownQuestionError,
    QuestionStateError,
    QuestionTakenError,
    QuestionChangedError,
)
def close_question(question_id: QuestionId, request: ClosureRequest) -> Reply:
    """Give the team the reason instead."""
    question = replying.close(platform(), author(caller(app)), question_id, request.version, request.reason)
    return web.answer(presenting.at_desk(platform(), question))
