"""Errors of dead letters and of the log: named members of the family of :mod:`contest.refusals`."""

from __future__ import annotations

from typing import Final

from contest.refusals import ContestError
from contest.texts import tr


class UnknownLetterError(ContestError, code="unknown_letter", status=404):
    message = tr("There is no dead letter of this id.")


class LetterDecidedError(ContestError, code="letter_decided", status=409):
    message = tr("Somebody has decided about this dead letter already; the details say what became of it.")


class LogRangeError(ContestError, code="log_range", status=422):
    message = tr("These days of the log cannot be asked for together; the details say why.")

    @classmethod
    def reversed_days(cls, first: str, last: str) -> LogRangeError:
        return cls.with_detail("reversed", tr("{last} is before {first}", last=last, first=first))

    @classmethod
    def longer_than(cls, days: int) -> LogRangeError:
        return cls.with_detail("too_long", tr("at most {days} days at once", days=days), days=days)


EXAMPLES: Final[tuple[ContestError, ...]] = (
    LetterDecidedError.being("redriven"),
    LogRangeError.reversed_days("2026-11-22", "2026-11-21"),
)
"""Examples of the refusals whose body says more than their sentence; the others need none."""
