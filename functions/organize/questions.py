"""Routes of questions: teams ask, organizers and judges answer."""

from __future__ import annotations

from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Path, Query

from contest import routes
from contest.cycle.errors import BadCursorError
from contest.edge.web import CREATED, caller
from contest.errors import BusyError, UnknownRunError, UnknownSessionError
from contest.people.cabinet import author
from contest.people.errors import NoTeamError
from contest.questions import asking, errors, presenting, wire
from contest.questions.rules import QUESTION_ID, QuestionState
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
    return presenting.own(platform(), asking.of_team(platform(), caller(app)))


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
    return presenting.desk(platform(), asking.listed(platform(), state, protest, limit, after))


@handles(routes.TAKE_QUESTION, "Take a question", *_AT_DESK)
def take_question(question_id: QuestionId, request: wire.VersionRequest) -> wire.DeskQuestionBody:
    """Nobody else answers it for half an hour."""
    question = asking.take(platform(), author(caller(app)), question_id, request.version)
    return presenting.at_desk(platform(), question)


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
    return presenting.at_desk(platform(), question)


@handles(routes.CLOSE_QUESTION, "Close a question without an answer", *_AT_DESK)
def close_question(question_id: QuestionId, request: wire.ClosureRequest) -> wire.DeskQuestionBody:
    """Give the team the reason instead."""
    question = asking.close(platform(), author(caller(app)), question_id, request.version, request.reason)
    return presenting.at_desk(platform(), question)
