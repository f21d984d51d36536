"""Errors of dead letters and of the log: named members of the family of :mod:`contest.refusals`."""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

from contest.refusals import ContestError
from contest.texts import tr


class UnknownLetterError(ContestError):
    """No dead letter has this id."""

    code = "unknown_letter"
    status = HTTPStatus.NOT_FOUND
    message = tr("There is no dead letter of this id.")


class LetterDecidedError(ContestError):
    """The letter was decided before."""

    code = "letter_decided"
    status = HTTPStatus.CONFLICT
    message = tr("Somebody has decided about this dead letter already; the details say what became of it.")

    @classmethod
    def being(cls, state: str) -> LetterDecidedError:
        """Return the error with the state of the letter."""
        messages = tr("it is {state}", state=state).as_fields()
        return cls([{"code": "state", **messages, "state": state}])


class LogRangeError(ContestError):
    """The days of the log cannot be requested together."""

    code = "log_range"
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    message = tr("These days of the log cannot be asked for together; the details say why.")

    @classmethod
    def reversed_days(cls, first: str, last: str) -> LogRangeError:
        """Return the error for a last day before the first."""
        messages = tr("{last} is before {first}", last=last, first=first).as_fields()
        return cls([{"code": "reversed", **messages}])

    @classmethod
    def longer_than(cls, days: int) -> LogRangeError:
        """Return the error for too many days."""
        messages = tr("at most {days} days at once", days=days).as_fields()
        return cls([{"code": "too_long", **messages, "days": days}])


EXAMPLES: Final[tuple[ContestError, ...]] = (
    LetterDecidedError.being("redriven"),
    LogRangeError.reversed_days("2026-11-22", "2026-11-21"),
)
"""Examples of the refusals whose body says more than their sentence; the others need none."""
