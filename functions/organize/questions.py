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
from contest.questions import asking, errors, presenting, replying, wire
from contest.questions.rules import QUESTION_ID, QuestionState
from contest.wiring import platform
from organize.router import app

QuestionId = Annotated[str, Path(pattern=f"^{QUESTION_ID.pattern}$")]


@web.on(
    app,
    routes.ASK,
    wire.TeamQuestionBody,
    "Ask a question",
    NoTeamError,
    errors.QuestionsExhaustedError,
    errors.TooManyOpenQuestionsError,
    errors.ItemNotOpenedError,
    errors.ProtestSubjectError,
    UnknownSessionError,
    UnknownRunError,
    BusyError,
    status=HTTPStatus.CREATED,
)
def ask_question(request: wire.QuestionRequest) -> Reply:
    """Ask for the own team. The same words about the same subject, sent again, are the question that waits."""
    question = asking.ask(platform(), caller(app), request.wish())
    return web.answer(wire.TeamQuestionBody.from_value(question), HTTPStatus.CREATED)


@web.on(app, routes.OWN_QUESTIONS, wire.TeamQuestionsBody, "The own team's questions", NoTeamError)
def own_questions() -> Reply:
    """List them with their answers. What everybody was told is an announcement, too."""
    return web.answer(presenting.own(platform(), asking.of_team(platform(), caller(app))))


@web.on(
    app,
    routes.WITHDRAW_QUESTION,
    wire.TeamQuestionBody,
    "Withdraw a question",
    NoTeamError,
    errors.UnknownQuestionError,
    errors.QuestionStateError,
    BusyError,
)
def withdraw_question(question_id: QuestionId) -> Reply:
    """Withdraw one that waits."""
    return web.answer(wire.TeamQuestionBody.from_value(asking.withdraw(platform(), caller(app), question_id)))


@web.on(
    app,
    routes.MARK_QUESTION_SEEN,
    wire.TeamQuestionBody,
    "Mark an answer as read",
    NoTeamError,
    errors.UnknownQuestionError,
    errors.QuestionChangedError,
)
def mark_question_seen(question_id: QuestionId, request: wire.VersionRequest) -> Reply:
    """Mark it for the whole team; a corrected answer is unread again."""
    question = asking.mark_seen(platform(), caller(app), question_id, request.version)
    return web.answer(wire.TeamQuestionBody.from_value(question))


Limit = Annotated[int, Query(ge=1, le=100, description="At most so many")]
After = Annotated[str, Query(max_length=50, description="`next` of the page before")]


@web.on(app, routes.QUESTIONS, wire.DeskQuestionsBody, "Questions of all teams", BadCursorError)
def all_questions(
    state: QuestionState | None = None, protest: bool | None = None, limit: Limit = 50, after: After | None = None
) -> Reply:
    """List those that wait first, the oldest on top, then the others, the latest on top."""
    return web.answer(presenting.desk(platform(), replying.listed(platform(), state, protest, limit, after)))


@web.on(
    app,
    routes.TAKE_QUESTION,
    wire.DeskQuestionBody,
    "Take a question",
    errors.UnknownQuestionError,
    errors.QuestionStateError,
    errors.QuestionTakenError,
    errors.QuestionChangedError,
)
def take_question(question_id: QuestionId, request: wire.VersionRequest) -> Reply:
    """Nobody else answers it for half an hour."""
    question = replying.take(platform(), author(caller(app)), question_id, request.version)
    return web.answer(presenting.at_desk(platform(), question))


@web.on(
    app,
    routes.ANSWER_QUESTION,
    wire.DeskQuestionBody,
    "Answer a question",
    errors.UnknownQuestionError,
    errors.QuestionStateError,
    errors.QuestionTakenError,
    errors.QuestionChangedError,
    errors.AnswerNotPublicError,
    errors.BothLanguagesError,
    errors.ProtestAnswerError,
)
def answer_question(question_id: QuestionId, request: wire.AnswerRequest) -> Reply:
    """Answer the team; `to_all`: everybody, as an announcement without the team. Answer anew to correct it."""
    question = replying.answer(platform(), author(caller(app)), question_id, request.version, request.reply())
    return web.answer(presenting.at_desk(platform(), question))


@web.on(
    app,
    routes.CLOSE_QUESTION,
    wire.DeskQuestionBody,
    "Close a question without an answer",
    errors.UnknownQuestionError,
    errors.QuestionStateError,
    errors.QuestionTakenError,
    errors.QuestionChangedError,
)
def close_question(question_id: QuestionId, request: wire.ClosureRequest) -> Reply:
    """Give the team the reason instead."""
    question = replying.close(platform(), author(caller(app)), question_id, request.version, request.reason)
    return web.answer(presenting.at_desk(platform(), question))
