"""What can go wrong with conclusions on readiness: named members of :mod:`contest.refusals`' family."""

from __future__ import annotations

from http import HTTPStatus

from contest.refusals import ContestError


class NoConclusionError(ContestError):
    """The session has no positive conclusion that could be judged."""

    code = "no_conclusion"
    status = HTTPStatus.NOT_FOUND
    en = "This session has no positive conclusion on readiness; its report says why, when it is made."
    ru = "У этой сессии нет положительного заключения о готовности; причины — в её отчёте, когда он сформирован."


class NoSuchRulingError(ContestError):
    """A conclusion that stands where it stands cannot be given this ruling."""

    code = "no_such_ruling"
    status = HTTPStatus.CONFLICT
    en = "The conclusion cannot be given this ruling where it stands; the details say where that is."
    ru = "В нынешнем состоянии заключения такое решение невозможно; состояние — в подробностях."

    @classmethod
    def at(cls, standing: str) -> NoSuchRulingError:
        """The error with where the conclusion stands."""
        said = {"message": f"it is {standing}", "message_ru": f"его состояние: {standing}"}
        return cls([{"code": "standing", **said, "standing": standing}])


class SamePersonError(ContestError):
    """Whoever judged a conclusion does not verify it."""

    code = "same_person"
    status = HTTPStatus.CONFLICT
    en = "Whoever judged a conclusion does not verify it: ask another member of the commission."
    ru = "Проверять заключение должен не тот, кто его подтвердил: обратитесь к другому члену комиссии."


class UnknownModulesError(ContestError):
    """A session that counts is opened by a program of other modules than the published ones, or that names none."""

    code = "unknown_modules"
    status = HTTPStatus.CONFLICT
    en = "Sessions that count are opened by programs of the published modules alone; GET /v1/kit names them."
    ru = "Зачётные сессии открывают только программы с опубликованными модулями; их называет GET /v1/kit."
