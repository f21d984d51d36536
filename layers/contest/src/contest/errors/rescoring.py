"""What can go wrong with rescorings: named members of :mod:`contest.refusals`' family."""

from __future__ import annotations

from http import HTTPStatus

from contest.refusals import ContestError


class UnknownRescoringError(ContestError):
    """There is no rescoring of this name."""

    code = "unknown_rescoring"
    status = HTTPStatus.NOT_FOUND
    en = "There is no rescoring of this name."
    ru = "Перерасчёта с таким именем нет."


class NothingSelectedError(ContestError):
    """No closed session and no scored submission is as the selection says."""

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
    """More sessions and submissions than one rescoring takes."""

    code = "too_many_selected"
    status = HTTPStatus.CONFLICT
    en = "More sessions and submissions are selected than one rescoring takes; select a shorter period or a team."
    ru = "Выбрано больше сессий и посылок, чем берёт один перерасчёт; выберите период короче или одну команду."

    @classmethod
    def of(cls, selected: int, most: int) -> TooManySelectedError:
        """The error with how many there are and may be."""
        said = {
            "message": f"{selected} sessions and submissions; at most {most}",
            "message_ru": f"сессий и посылок: {selected}; не более {most}",
        }
        return cls([{"code": "selected", **said, "selected": selected, "most": most}])


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
