"""Errors of the earlier clients that fetch their tasks over HTTP, each with the status that they know."""

from __future__ import annotations

from contest.refusals import ContestError
from contest.texts import tr


class UnknownTokenError(ContestError, code="earlier_unauthorized", status=401):
    """The token in the request is invalid."""

    message = tr("The token is unknown or revoked.")


class EarlierRequestError(ContestError, code="earlier_invalid", status=400):
    """The earlier client's request is unreadable, or no answer to its task."""

    message = tr("This cannot be taken.")


class NothingAskedYetError(ContestError, code="preliminary_missing", status=400):
    """The client asks for a study before the answer that it must give first."""

    message = tr("The preliminary diagnosis must be sent before a study is asked for.")


class TaskNotFoundError(ContestError, code="unknown_task", status=404):
    """The open session has no task of this name."""

    message = tr("Your open session has not been given this epicrisis, task or study.")


class StudyNotFoundError(ContestError, code="no_such_study", status=404):
    """The contest, or this patient, has no such study."""

    message = tr("There is no such study.")


class SessionNotStartedError(ContestError, code="session_not_started", status=406):
    """The team has no open session."""

    message = tr("Your team has no open session; begin one over the event channel.")


class TaskOverdueError(ContestError, code="task_overdue", status=408):
    """The request came after the end of the task's time, or of its work."""

    message = tr("The time for this task is over, or its work is done.")


class PreliminaryGivenError(ContestError, code="preliminary_given", status=409):
    """The first answer was given before; it is final."""

    message = tr("The preliminary diagnosis has been given already, or a study has been asked for.")


class PreliminaryFirstError(ContestError, code="preliminary_first", status=422):
    """A final answer came before the first one that these clients must give."""

    message = tr("The preliminary diagnosis must be sent before the final one.")
