"""Errors of the interface, of workers' jobs and of exports, all of :mod:`contest.refusals`' family."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from importlib import import_module
from typing import Any, Final

from contest.cycle.rules.stages import Calendar, Stage, StageName, rule_of_stage
from contest.refusals import SAMPLE_NOW, SAMPLE_SESSION, SAMPLE_SOON, ContestError
from contest.route import Right
from contest.session.rules.delivery import Cause
from contest.session.rules.limits import seconds_until
from contest.values import Millis, iso
from tracks.protocol import Reason, Text


class MalformedJsonError(ContestError):
    """The body is not JSON."""

    code = "malformed_json"
    status = HTTPStatus.BAD_REQUEST
    en = "The request's body is not valid JSON in UTF-8."
    ru = "Тело запроса не является корректным JSON в кодировке UTF-8."


class InvalidRequestError(ContestError):
    """A field of the request is missing or wrong; the details name it."""

    code = "invalid_request"
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    en = "The request does not have the documented form."
    ru = "Запрос не соответствует описанной форме."


class InvalidAnswerError(ContestError):
    """Not an answer to this file (R 11.6); the track's reasons are the details. It consumed no send."""

    code = "invalid_answer"
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    en = "This is not a valid answer to this file; it was not counted as a send."
    ru = "Это не корректный ответ на данный файл; попытка отправки не засчитана."


class AnswerTooLargeError(ContestError):
    """More bytes than an answer or a log may have."""

    code = "answer_too_large"
    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    en = "The body is larger than allowed; it was not read."
    ru = "Тело запроса больше допустимого размера; оно не обработано."

    @classmethod
    def over(cls, size: int, limit: int) -> AnswerTooLargeError:
        """Return the error for this many bytes."""
        texts = {"message": f"{size} bytes; at most {limit} are allowed", "size": size, "limit": limit}
        return cls([{"code": "too_large", "message_ru": f"{size} байт; допустимо не более {limit}", **texts}])


class ForbiddenError(ContestError):
    """The identity's role does not have the right of the route."""

    code = "forbidden"
    status = HTTPStatus.FORBIDDEN
    en = "This token does not give the right to do this."
    ru = "Этот токен не даёт права на это действие."

    @classmethod
    def without(cls, right: Right) -> ForbiddenError:
        """Return the error with the right that is missing; the organizers give rights by giving roles."""
        texts = {
            "message": f"the right {right.value} is missing; the organizers give it with a role",
            "message_ru": f"нет права {right.value}; его даёт роль, которую назначают организаторы",
        }
        return cls([{"code": "missing_right", **texts, "right": right.value}])


class UnknownSessionError(ContestError):
    """No session of the team has this id; another team's is answered in the same way."""

    code = "unknown_session"
    status = HTTPStatus.NOT_FOUND
    en = "Your team has no session with this identifier."
    ru = "У вашей команды нет сессии с таким идентификатором."


class UnknownRunError(ContestError):
    """No run has this identifier."""

    code = "unknown_run"
    status = HTTPStatus.NOT_FOUND
    en = "There is no run with this identifier."
    ru = "Прогона с таким идентификатором нет."


class UnknownFileError(ContestError):
    """The session has no file of this number."""

    code = "unknown_file"
    status = HTTPStatus.NOT_FOUND
    en = "The session has no file with this number."
    ru = "В сессии нет файла с таким номером."

    @classmethod
    def numbered(cls, number: int, files: int) -> UnknownFileError:
        """Return the error for a number outside 1 … files."""
        texts = {"message": f"{number} is not from 1 to {files}", "message_ru": f"{number} не от 1 до {files}"}
        return cls([{"code": "out_of_range", **texts, "number": number, "files": files}])


class FileNotHandedOutError(ContestError):
    """An answer or a score was asked for a file that was never handed out."""

    code = "file_not_handed_out"
    status = HTTPStatus.CONFLICT
    en = "This file has not been handed out in this session."
    ru = "Этот файл в данной сессии ещё не выдавался."


class NotOpenYetError(ContestError):
    """A file of a run was asked for before its opening (platform §3)."""

    code = "not_open_yet"
    status = HTTPStatus.TOO_EARLY
    en = "This file is not open yet; ask again at the time the details name."
    ru = "Этот файл ещё не открыт; повторите запрос в указанное в подробностях время."

    @classmethod
    def at(cls, opens_at: Millis, now: Millis, **where: Any) -> NotOpenYetError:
        """Return the error with the time of the opening."""
        moment = iso(opens_at)
        texts = {"message": f"opens at {moment}", "message_ru": f"открывается в {moment}"}
        detail = {"code": "opens_at", **texts, "opens_at": moment, "server_time": iso(now), **where}
        return cls([detail], retry_after_s=seconds_until(opens_at, now))


class FileMissedError(ContestError):
    """A file of a run can no longer be asked for (R-App2, 7.6)."""

    code = "file_missed"
    status = HTTPStatus.GONE
    en = "This file is annulled for your team and is not handed out any more; the details say why."
    ru = "Этот файл аннулирован для вашей команды и больше не выдаётся; причина — в подробностях."

    @classmethod
    def because(cls, cause: str, request_by: Millis, **evidence: Any) -> FileMissedError:
        """Return the error with the cause and its evidence."""
        moment = iso(request_by)
        texts = {"message": f"{cause}; to be asked for by {moment}", "message_ru": f"{cause}; срок запроса: {moment}"}
        return cls([{"code": "missed", **texts, "cause": cause, "request_by": moment, **evidence}])


class NoRunError(ContestError):
    """There is no run of this mode to join, or none of this identifier."""

    code = "no_run"
    status = HTTPStatus.NOT_FOUND
    en = "There is no run of this mode that your team could join now."
    ru = "Сейчас нет прогона этого режима, к которому могла бы присоединиться ваша команда."

    @classmethod
    def until(cls, starts_at: Millis | None) -> NoRunError:
        """Return the error with the next known start, if there is one."""
        if starts_at is None:
            return cls()
        moment = iso(starts_at)
        texts = {"message": f"the next one starts at {moment}", "message_ru": f"следующий начнётся в {moment}"}
        return cls([{"code": "next_run", **texts, "starts_at": moment}])


class RunNotJoinableError(ContestError):
    """The time for joining the run is over (R-App2, 7.4)."""

    code = "run_not_joinable"
    status = HTTPStatus.CONFLICT
    en = "The run can no longer be joined."
    ru = "К этому прогону уже нельзя присоединиться."

    @classmethod
    def since(cls, join_until: Millis) -> RunNotJoinableError:
        """Return the error with the time until which it could be joined."""
        moment = iso(join_until)
        texts = {"message": f"join by {moment}", "message_ru": f"присоединиться можно было до {moment}"}
        return cls([{"code": "join_until", **texts, "join_until": moment}])


class NotAdmittedError(ContestError):
    """The organizers admitted other teams to this run (R 8.2)."""

    code = "not_admitted"
    status = HTTPStatus.FORBIDDEN
    en = "Your team is not among those admitted to this run."
    ru = "Ваша команда не допущена к этому прогону."


class AlreadyParticipatedError(ContestError):
    """A team takes part in a final with one session (R 4.5)."""

    code = "already_participated"
    status = HTTPStatus.CONFLICT
    en = "Your team has already taken part in this final; there is one session per team, to the end."
    ru = "Ваша команда уже участвовала в этом прогоне; команде даётся одна сессия, до конца."

    @classmethod
    def named(cls, session_id: str) -> AlreadyParticipatedError:
        """Return the error with the session's id."""
        texts = {"message": f"session: {session_id}", "message_ru": f"сессия: {session_id}"}
        return cls([{"code": "session", **texts, "session_id": session_id}])


class ConfirmationNeededError(ContestError):
    """Aborting ends the participation (R 4.5) and needs a confirmation."""

    code = "confirmation_needed"
    status = HTTPStatus.CONFLICT
    en = 'Aborting ends your team\'s participation in the final. If that is meant, send {"confirm": true}.'
    ru = 'Прерывание завершает участие вашей команды в прогоне. Если это осознанно, передайте {"confirm": true}.'


class RunNotOverError(ContestError):
    """A publication of a run was requested before the run's end."""

    code = "run_not_over"
    status = HTTPStatus.CONFLICT
    en = "The run is not over; this is published after its end."
    ru = "Прогон ещё не завершён; эти сведения публикуются после его окончания."

    @classmethod
    def until(cls, ends_at: Millis, now: Millis) -> RunNotOverError:
        """Return the error with the expected end."""
        moment = iso(ends_at)
        texts = {"message": f"expected end: {moment}", "message_ru": f"ожидаемое окончание: {moment}"}
        return cls([{"code": "ends_at", **texts, "ends_at": moment}], retry_after_s=seconds_until(ends_at, now))


class ResultsNotPublishedError(ContestError):
    """Results of a final are seen when the organizers publish them (R 7.11)."""

    code = "results_not_published"
    status = HTTPStatus.FORBIDDEN
    en = "The results have not been published yet."
    ru = "Результаты ещё не опубликованы."


class SessionAlreadyOpenError(ContestError):
    """The team has an open session of this mode (platform §1, Decision)."""

    code = "session_already_open"
    status = HTTPStatus.CONFLICT
    en = "Your team already has an open session of this mode; finish or abort it first."
    ru = "У вашей команды уже есть открытая сессия этого режима; сначала завершите или прервите её."

    @classmethod
    def named(cls, session_id: str) -> SessionAlreadyOpenError:
        """Return the error with the first session's id."""
        texts = {"message": f"open session: {session_id}", "message_ru": f"открытая сессия: {session_id}"}
        return cls([{"code": "open_session", **texts, "session_id": session_id}])


class SessionClosedError(ContestError):
    """The session has ended; its final state is final."""

    code = "session_closed"
    status = HTTPStatus.CONFLICT
    en = "The session has ended."
    ru = "Сессия завершена."

    @classmethod
    def in_state(cls, state: str) -> SessionClosedError:
        """Return the error with the state in which the session ended."""
        texts = {"message": f"state: {state}", "message_ru": f"состояние: {state}"}
        return cls([{"code": "session_state", **texts, "state": state}])


class SessionOpenError(ContestError):
    """There is no report of an open session."""

    code = "session_open"
    status = HTTPStatus.CONFLICT
    en = "The session is still open; its report is made when it has ended."
    ru = "Сессия ещё открыта; отчёт формируется после её завершения."


class QuotaExhaustedError(ContestError):
    """All sessions of the day are used (R 6.4)."""

    code = "quota_exhausted"
    status = HTTPStatus.TOO_MANY_REQUESTS
    en = "Your team has used all of today's sessions."
    ru = "Ваша команда использовала все сессии за текущие сутки."

    @classmethod
    def until(cls, resets_at: Millis, now: Millis, limit: int) -> QuotaExhaustedError:
        """Return the error with the time from which sessions may be opened again."""
        moment = iso(resets_at)
        texts = {"message": f"limit: {limit}; resets at {moment}", "message_ru": f"предел: {limit}; сброс в {moment}"}
        detail = {"code": "quota", **texts, "limit": limit, "resets_at": moment}
        return cls([detail], retry_after_s=seconds_until(resets_at, now))


class OutsideStageError(ContestError):
    """Something of a stage is sent, or planned, outside its days (R 4.1, 6.3)."""

    code = "outside_stage"
    status = HTTPStatus.CONFLICT
    en = "This belongs to a stage of the cycle and is open within that stage's days only."
    ru = "Это относится к этапу цикла и доступно только в дни этого этапа."

    @classmethod
    def of(cls, stage: Stage, calendar: Calendar) -> OutsideStageError:
        """Return the error with the stage, its rule and the moments between which a request would be taken."""
        begins, ends = iso(stage.starts_at(calendar)), iso(stage.ends_at(calendar))
        rule = rule_of_stage(stage, begins, ends)
        words = {"message": rule.en, "message_ru": rule.ru}
        moments = {"starts_at": begins, "ends_at": ends}
        return cls([{"code": "outside_stage", **words, "stage": stage.name.value, **moments}])


class RateLimitedError(ContestError):
    """More requests in this second than a team may make (D 12.8)."""

    code = "rate_limited"
    status = HTTPStatus.TOO_MANY_REQUESTS
    en = "Too many requests in one second."
    ru = "Слишком много запросов за одну секунду."


class ComparisonNotAllowedError(ContestError):
    """Experts' markups are public in training sets (R 6.5.3), and in finals with published results (R 7.11)."""

    code = "comparison_not_allowed"
    status = HTTPStatus.FORBIDDEN
    en = "Markups are compared on a training set, and of a final once its results are published."
    ru = "Сравнение разметок доступно на обучающей выборке, а для финала — после публикации его результатов."


class TotalsOnlyError(ContestError):
    """Of this set the contest tells totals alone: a score of a single file would give its right answer away."""

    code = "totals_only"
    status = HTTPStatus.FORBIDDEN
    en = "Of this set only totals are told; they are in the session's report."
    ru = "По этой выборке сообщаются только общие результаты; они в отчёте о сессии."


class NotAnsweredError(ContestError):
    """The file has no accepted answer, hence neither score nor comparison."""

    code = "not_answered"
    status = HTTPStatus.NOT_FOUND
    en = "This file has no accepted answer."
    ru = "На этот файл нет принятого ответа."


class UnknownRouteError(ContestError):
    """Nothing is at this path and method."""

    code = "unknown_route"
    status = HTTPStatus.NOT_FOUND
    en = "There is nothing at this address."
    ru = "По этому адресу ничего нет."


class BusyError(ContestError):
    """Every attempt lost its race; the request changed no data and may be repeated."""

    code = "busy"
    status = HTTPStatus.SERVICE_UNAVAILABLE
    en = "The platform is busy with other requests of this session; repeat the request."
    ru = "Платформа занята другими запросами этой сессии; повторите запрос."

    def __init__(self, details: Sequence[Mapping[str, Any]] = ()) -> None:
        super().__init__(details, retry_after_s=1)


class KeyReusedError(ContestError):
    """The team has used this ``Idempotency-Key`` for another request: another route, path or body."""

    code = "idempotency_key_reused"
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    en = "Your team has used this Idempotency-Key for another request; a new request needs a new key."
    ru = "Этот Idempotency-Key ваша команда уже использовала для другого запроса; новому запросу нужен новый ключ."


class NoCycleError(ContestError):
    """No cycle has been loaded into this deployment; an organizer does that (``contest cycle load FOLDER``)."""

    code = "no_cycle"
    status = HTTPStatus.SERVICE_UNAVAILABLE
    en = "The contest is not set up yet: no cycle is loaded. Organizers: contest cycle load FOLDER."
    ru = "Конкурс ещё не настроен: цикл не загружен. Организаторам: contest cycle load ПАПКА."

    def __init__(self, details: Sequence[Mapping[str, Any]] = ()) -> None:
        super().__init__(details, retry_after_s=60)


class InternalError(ContestError):
    """A fault of the platform; the request's id finds it in the log."""

    code = "internal"
    status = HTTPStatus.INTERNAL_SERVER_ERROR
    en = "The platform failed; the fault is recorded under the request's id."
    ru = "Сбой платформы; он записан под идентификатором запроса."


_PLACES: Final = (
    "contest.experts.rules.refusals",
    *(
        f"contest.{room}.errors"
        for room in ("channel", "cycle", "operations", "people", "results", "session", "submissions")
    ),
)
"""Modules that name refusals beside this one."""


def family() -> tuple[type[ContestError], ...]:
    """Return every kind of refusal that the interface names, by its code."""
    for place in _PLACES:
        import_module(place)
    places = {__name__, *_PLACES}
    named = (refusal for refusal in ContestError.__subclasses__() if refusal.__module__ in places)
    return tuple(sorted(named, key=lambda refusal: refusal.code))


def examples() -> dict[str, ContestError]:
    """Return an example of every kind of refusal by its code: its module's own, else the bare sentence."""
    own = {
        error.code: error for place in (__name__, *_PLACES) for error in getattr(import_module(place), "EXAMPLES", ())
    }
    return {kind.code: own.get(kind.code) or kind() for kind in family()}


def from_reasons(reasons: Sequence[Reason]) -> list[dict[str, Any]]:
    """Return a track's reasons as details of an error."""
    return [
        {"code": reason.code, "message": reason.message.en, "message_ru": reason.message.ru, **dict(reason.where)}
        for reason in reasons
    ]


class UnknownErrandError(ContestError):
    """The job was never requested."""

    code = "unknown_errand"
    status = HTTPStatus.NOT_FOUND
    en = "There is no such errand; ask for the work anew."
    ru = "Такого поручения нет; запросите работу заново."


class BoardHiddenError(ContestError):
    """The organizers have hidden the board."""

    code = "board_hidden"
    status = HTTPStatus.FORBIDDEN
    en = "The organizers have hidden this board."
    ru = "Организаторы скрыли этот лидерборд."


class UnknownBoardError(ContestError):
    """There is no such board, or the board has no such part."""

    code = "unknown_board"
    status = HTTPStatus.NOT_FOUND
    en = "There is no such board: neither a language of the cycle nor a nomination of this final."
    ru = "Такого лидерборда нет: это не язык цикла и не номинация этого финала."


class SetAnnulledError(ContestError):
    """The organizers have annulled the data set: no session and no run begins on it."""

    code = "set_annulled"
    status = HTTPStatus.CONFLICT
    en = "The organizers have annulled this data set; choose another one."
    ru = "Организаторы аннулировали эту выборку; выберите другую."


class SameSignatoryError(ContestError):
    """The same person cannot sign for the judges and for the commission."""

    code = "same_signatory"
    status = HTTPStatus.CONFLICT
    en = "Whoever signs for one side does not sign for the other: ask another member."
    ru = "За судейскую коллегию и за техническую комиссию подписывают разные люди: обратитесь к другому члену."


class NoArchiveError(ContestError):
    """Only a final that counts has an archive; a semifinal's data wait until the final's results are out (D 14.5)."""

    code = "no_archive"
    status = HTTPStatus.NOT_FOUND
    en = (
        "This run has no archive: it is made of finals that count, after their results are published; a semifinal's "
        "after the results of its final."
    )
    ru = (
        "У этого прогона нет архива: он формируется для зачётных финалов после публикации результатов, для "
        "полуфинала — после публикации результатов финала."
    )


class ArchiveNotMadeError(ContestError):
    """The results are published, and workers are still making the archive."""

    code = "archive_not_made"
    status = HTTPStatus.SERVICE_UNAVAILABLE
    en = "The archive is being made; ask again in a minute."
    ru = "Архив формируется; повторите запрос через минуту."

    def __init__(self, details: Sequence[Mapping[str, Any]] = ()) -> None:
        super().__init__(details, retry_after_s=60)


class ExportTooLargeError(ContestError):
    """The requested export is larger than one answer may be."""

    code = "export_too_large"
    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    en = "This is too large for one answer. Accept gzip, or ask for one team's part."
    ru = "Это больше, чем вмещает один ответ. Примите сжатие gzip или запросите часть одной команды."

    @classmethod
    def of(cls, size: int, limit: int) -> ExportTooLargeError:
        """Return the error with both sizes in bytes."""
        texts = {"message": f"{size} bytes of at most {limit}", "message_ru": f"байт: {size}, допускается {limit}"}
        return cls([{"code": "size", **texts, "size": size, "limit": limit}])


class NoTablesError(ContestError):
    """The contest has no tables over all teams, or its board is empty."""

    code = "no_tables"
    status = HTTPStatus.NOT_FOUND
    en = "There are no tables over all teams: the contest has none, or nobody has a result on this board."
    ru = "Таблиц по всем командам нет: их нет в этом конкурсе, или ни у кого нет результата в этой таблице."


_FIELD: Final = {
    "code": "out_of_range",
    "message": "Input should be greater than or equal to 1",
    "message_ru": "нужно не меньше 1",
    "field": "body.files",
}
_WRONG_TEXT: Final = Reason(
    "text_differs",
    Text(
        en="the text differs from the essay's from character 17 on",
        ru="поле text: текст отличается от текста выданного эссе",
    ),
    {"field": "text"},
)
EXAMPLES: Final[tuple[ContestError, ...]] = (
    AlreadyParticipatedError.named(SAMPLE_SESSION),
    AnswerTooLargeError.over(2_097_153, 2_097_152),
    ExportTooLargeError.of(7_100_200, 4_400_000),
    ForbiddenError.without(Right.ORGANIZE),
    FileMissedError.because(Cause.TEAM_LATE, SAMPLE_NOW),
    InvalidAnswerError(from_reasons([_WRONG_TEXT])),
    InvalidRequestError([_FIELD]),
    NoRunError.until(SAMPLE_SOON),
    NotOpenYetError.at(SAMPLE_SOON, SAMPLE_NOW, number=3),
    RateLimitedError(retry_after_s=1),
    QuotaExhaustedError.until(SAMPLE_SOON, SAMPLE_NOW, 20),
    OutsideStageError.of(Stage(StageName.QUALIFICATION, "2026-09-21", "2026-11-20"), Calendar("Europe/Moscow")),
    RunNotJoinableError.since(SAMPLE_NOW),
    RunNotOverError.until(SAMPLE_SOON, SAMPLE_NOW),
    SessionAlreadyOpenError.named(SAMPLE_SESSION),
    SessionClosedError.in_state("finished"),
    UnknownFileError.numbered(31, 30),
)
"""Examples of the refusals whose body says more than their sentence; the others need none."""
