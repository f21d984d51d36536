"""Errors of the earlier clients that fetch their tasks over HTTP, each with the status that they know."""

from __future__ import annotations

from http import HTTPStatus

from contest.refusals import ContestError


class UnknownTokenError(ContestError):
    """The token in the request is invalid."""

    code = "earlier_unauthorized"
    status = HTTPStatus.UNAUTHORIZED
    en = "The token is unknown or revoked."
    ru = "Токен неизвестен или отозван."


class EarlierRequestError(ContestError):
    """The earlier client's request is unreadable, or no answer to its task."""

    code = "earlier_invalid"
    status = HTTPStatus.BAD_REQUEST
    en = "This cannot be taken."
    ru = "Это не может быть принято."


class NothingAskedYetError(ContestError):
    """The client asks for a study before the answer that it must give first."""

    code = "preliminary_missing"
    status = HTTPStatus.BAD_REQUEST
    en = "The preliminary diagnosis must be sent before a study is asked for."
    ru = "До запроса исследования нужно передать предварительный диагноз."


class TaskNotFoundError(ContestError):
    """The open session has no task of this name."""

    code = "unknown_task"
    status = HTTPStatus.NOT_FOUND
    en = "Your open session has not been given this epicrisis, task or study."
    ru = "В открытой сессии такой эпикриз, такое задание или исследование не выдавались."


class StudyNotFoundError(ContestError):
    """The contest, or this patient, has no such study."""

    code = "no_such_study"
    status = HTTPStatus.NOT_FOUND
    en = "There is no such study."
    ru = "Такого исследования нет."


class SessionNotStartedError(ContestError):
    """The team has no open session."""

    code = "session_not_started"
    status = HTTPStatus.NOT_ACCEPTABLE
    en = "Your team has no open session; begin one over the event channel."
    ru = "У вашей команды нет открытой сессии; начните её через канал событий."


class TaskOverdueError(ContestError):
    """The request came after the end of the task's time, or of its work."""

    code = "task_overdue"
    status = HTTPStatus.REQUEST_TIMEOUT
    en = "The time for this task is over, or its work is done."
    ru = "Время на это задание истекло, или работа над ним закончена."


class PreliminaryGivenError(ContestError):
    """The first answer was given before; it is final."""

    code = "preliminary_given"
    status = HTTPStatus.CONFLICT
    en = "The preliminary diagnosis has been given already, or a study has been asked for."
    ru = "Предварительный диагноз уже передан, или уже запрошено исследование."


class PreliminaryFirstError(ContestError):
    """A final answer came before the first one that these clients must give."""

    code = "preliminary_first"
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    en = "The preliminary diagnosis must be sent before the final one."
    ru = "До окончательного диагноза нужно передать предварительный."
