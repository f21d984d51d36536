"""Errors of readiness conclusions, rescorings and recomputation: named members of :mod:`contest.refusals`' family."""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

from contest.refusals import ContestError


class NoConclusionError(ContestError):
    """The session has no positive conclusion to judge."""

    code = "no_conclusion"
    status = HTTPStatus.NOT_FOUND
    en = "This session has no positive conclusion on readiness; its report says why, when it is made."
    ru = "У этой сессии нет положительного заключения о готовности; причины — в её отчёте, когда он сформирован."


class NoSuchRulingError(ContestError):
    """The conclusion's present standing does not allow this ruling."""

    code = "no_such_ruling"
    status = HTTPStatus.CONFLICT
    en = "The conclusion cannot be given this ruling where it stands; the details say where that is."
    ru = "В нынешнем состоянии заключения такое решение невозможно; состояние — в подробностях."

    @classmethod
    def at(cls, standing: str) -> NoSuchRulingError:
        """Return the error with the standing of the conclusion."""
        messages = {"message": f"it is {standing}", "message_ru": f"его состояние: {standing}"}
        return cls([{"code": "standing", **messages, "standing": standing}])


class SamePersonError(ContestError):
    """The judge of a conclusion may not verify it."""

    code = "same_person"
    status = HTTPStatus.CONFLICT
    en = "Whoever judged a conclusion does not verify it: ask another member of the commission."
    ru = "Проверять заключение должен не тот, кто его подтвердил: обратитесь к другому члену комиссии."


class UnknownModulesError(ContestError):
    """A counting session was opened by a program with unpublished or unnamed modules."""

    code = "unknown_modules"
    status = HTTPStatus.CONFLICT
    en = "Sessions that count are opened by programs of the published modules alone; GET /v1/kit names them."
    ru = "Зачётные сессии открывают только программы с опубликованными модулями; их называет GET /v1/kit."


class UnknownRescoringError(ContestError):
    """No rescoring has this name."""

    code = "unknown_rescoring"
    status = HTTPStatus.NOT_FOUND
    en = "There is no rescoring of this name."
    ru = "Перерасчёта с таким именем нет."


class NothingSelectedError(ContestError):
    """The selection matches no closed session and no scored submission."""

    code = "nothing_selected"
    status = HTTPStatus.CONFLICT
    en = (
        "No closed session and no scored submission of a qualification is selected; "
        "a final is selected by its run alone."
    )
    ru = (
        "Не выбрано ни одной завершённой сессии и ни одной оценённой посылки квалификации; "
        "финал выбирается только именем прогона."
    )


class FinalIsWholeError(ContestError):
    """A part of a final was selected."""

    code = "final_is_whole"
    status = HTTPStatus.CONFLICT
    en = "A final is scored anew as a whole, its board has one set of rules: name its run and nothing else."
    ru = "Финал пересчитывается целиком, у его лидерборда одни правила: укажите только прогон."


class TooManySelectedError(ContestError):
    """The selection has more sessions and submissions than one rescoring takes."""

    code = "too_many_selected"
    status = HTTPStatus.CONFLICT
    en = "More sessions and submissions are selected than one rescoring takes; select a shorter period or a team."
    ru = "Выбрано больше сессий и посылок, чем берёт один перерасчёт; выберите период короче или одну команду."

    @classmethod
    def of(cls, selected: int, most: int) -> TooManySelectedError:
        """Return the error with the number and the limit."""
        messages = {
            "message": f"{selected} sessions and submissions; at most {most}",
            "message_ru": f"сессий и посылок: {selected}; не более {most}",
        }
        return cls([{"code": "selected", **messages, "selected": selected, "most": most}])


class UnknownParametersError(ContestError):
    """The cycle has no such version of its parameters."""

    code = "unknown_parameters"
    status = HTTPStatus.CONFLICT
    en = "The cycle has no parameters of this version."
    ru = "У цикла нет параметров с такой версией."


class RunsOpenError(ContestError):
    """A run is under way: results do not change in the middle of it."""

    code = "runs_open"
    status = HTTPStatus.CONFLICT
    en = "A run is under way; sessions are scored anew before or after it."
    ru = "Идёт прогон; перерасчёт возможен до него или после."


class RescoringNotMadeError(ContestError):
    """Not all sessions and submissions are scored anew yet."""

    code = "rescoring_not_made"
    status = HTTPStatus.CONFLICT
    en = "Not all sessions and submissions are scored anew yet; look again in a few minutes."
    ru = "Не все сессии и посылки ещё оценены заново; посмотрите через несколько минут."


class RescoringDecidedError(ContestError):
    """It was accepted or discarded before."""

    code = "rescoring_decided"
    status = HTTPStatus.CONFLICT
    en = "This rescoring was accepted or discarded before; begin another one."
    ru = "Этот перерасчёт уже принят или отклонён; начните новый."


class RescoringOutdatedError(ContestError):
    """A session or submission has changed since it was scored anew."""

    code = "rescoring_outdated"
    status = HTTPStatus.CONFLICT
    en = "Results have changed since they were scored anew, by another rescoring; discard this one and begin again."
    ru = "С тех пор результаты изменил другой перерасчёт; отклоните этот и начните заново."


class NoBoardError(ContestError):
    """The run has no board to recompute."""

    code = "no_board"
    status = HTTPStatus.CONFLICT
    en = "This run's board is not made, so nothing is recomputed: only a closed final with markups has one."
    ru = "Таблица этого прогона не сформирована, пересчитывать нечего: она есть у завершённого финала с разметками."


EXAMPLES: Final[tuple[ContestError, ...]] = (
    TooManySelectedError.of(412, 300),
    NoSuchRulingError.at("verified"),
)
"""Examples of the refusals whose body says more than their sentence; the others need none."""
