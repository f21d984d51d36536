"""Errors of the earlier clients that fetch their tasks over HTTP, each with the status that they know."""

from __future__ import annotations

from contest.refusals import ContestError
from contest.texts import tr


class UnknownTokenError(ContestError, code="earlier_unauthorized", status=401):
    message = tr("The token is unknown or revoked.")


class EarlierRequestError(ContestError, code="earlier_invalid", status=400):
    message = tr("This cannot be taken.")


class NothingAskedYetError(ContestError, code="preliminary_missing", status=400):
    message = tr("The preliminary diagnosis must be sent before a study is asked for.")


class TaskNotFoundError(ContestError, code="unknown_task", status=404):
    message = tr("Your open session has not been given this epicrisis, task or study.")


class StudyNotFoundError(ContestError, code="no_such_study", status=404):
    message = tr("There is no such study.")


class SessionNotStartedError(ContestError, code="session_not_started", status=406):
    message = tr("Your team has no open session; begin one over the event channel.")


class TaskOverdueError(ContestError, code="task_overdue", status=408):
    message = tr("The time for this task is over, or its work is done.")


class PreliminaryGivenError(ContestError, code="preliminary_given", status=409):
    message = tr("The preliminary diagnosis has been given already, or a study has been asked for.")


class PreliminaryFirstError(ContestError, code="preliminary_first", status=422):
    message = tr("The preliminary diagnosis must be sent before the final one.")
