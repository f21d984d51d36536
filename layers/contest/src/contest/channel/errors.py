"""Errors of the earlier clients that fetch their tasks over HTTP, each with the status that they know."""

from __future__ import annotations

from http import HTTPStatus

from contest.refusals import ContestError
from contest.texts import tr


class UnknownTokenError(ContestError):
    """The token in the request is invalid."""

    code = "earlier_unauthorized"
    status = HTTPStatus.UNAUTHORIZED
    message = tr("The token is unknown or revoked.")


class EarlierRequestError(ContestError):
    """The earlier client's request is unreadable, or no answer to its task."""

    code = "earlier_invalid"
    status = HTTPStatus.BAD_REQUEST
    message = tr("This cannot be taken.")


class NothingAskedYetError(ContestError):
    """The client asks for a study before the answer that it must give first."""

    code = "preliminary_missing"
    status = HTTPStatus.BAD_REQUEST
    message = tr("The preliminary diagnosis must be sent before a study is asked for.")


class TaskNotFoundError(ContestError):
    """The open session has no task of this name."""

    code = "unknown_task"
    status = HTTPStatus.NOT_FOUND
    message = tr("Your open session has not been given this epicrisis, task or study.")


class StudyNotFoundError(ContestError):
    """The contest, or this patient, has no such study."""

    code = "no_such_study"
    status = HTTPStatus.NOT_FOUND
    message = tr("There is no such study.")


class SessionNotStartedError(ContestError):
    """The team has no open session."""

    code = "session_not_started"
    status = HTTPStatus.NOT_ACCEPTABLE
    message = tr("Your team has no open session; begin one over the event channel.")


class TaskOverdueError(ContestError):
    """The request came after the end of the task's time, or of its work."""

    code = "task_overdue"
    status = HTTPStatus.REQUEST_TIMEOUT
    message = tr("The time for this task is over, or its work is done.")


class PreliminaryGivenError(ContestError):
    """The first answer was given before; it is final."""

    code = "preliminary_given"
    status = HTTPStatus.CONFLICT
    message = tr("The preliminary diagnosis has been given already, or a study has been asked for.")


class PreliminaryFirstError(ContestError):
    """A final answer came before the first one that these clients must give."""

    code = "preliminary_first"
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    message = tr("The preliminary diagnosis must be sent before the final one.")
