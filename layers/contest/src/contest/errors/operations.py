"""What can go wrong with dead letters and mending: named members of :mod:`contest.refusals`' family."""

from __future__ import annotations

from http import HTTPStatus

from contest.refusals import ContestError


class UnknownLetterError(ContestError):
    """There is no such dead letter."""

    code = "unknown_letter"
    status = HTTPStatus.NOT_FOUND
    en = "There is no dead letter of this id."
    ru = "Письма с таким идентификатором среди недоставленных нет."


class LetterDecidedError(ContestError):
    """Somebody has decided about this letter."""

    code = "letter_decided"
    status = HTTPStatus.CONFLICT
    en = "Somebody has decided about this dead letter already; the details say what became of it."
    ru = "По этому недоставленному письму решение уже принято; какое — в подробностях."

    @classmethod
    def being(cls, state: str) -> LetterDecidedError:
        """The error with what became of the letter."""
        said = {"message": f"it is {state}", "message_ru": f"его состояние: {state}"}
        return cls([{"code": "state", **said, "state": state}])
