"""What can go wrong for a caller: stable codes, sentences in two languages, and the one table to HTTP statuses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from types import MappingProxyType
from typing import Any, ClassVar, Final

from contest.domain.limits import seconds_until
from contest.domain.moments import Millis, iso
from tracks.protocol import Reason


class ContestError(Exception):
    """A refusal with a stable code; subclasses say which, and :data:`STATUS` how HTTP says it."""

    code: ClassVar[str]
    en: ClassVar[str]
    ru: ClassVar[str]

    def __init__(self, details: Sequence[Mapping[str, Any]] = (), retry_after_s: int | None = None) -> None:
        super().__init__(self.code)
        self.details = tuple(details)
        self.retry_after_s = retry_after_s


class MalformedJsonError(ContestError):
    """The body is not JSON."""

    code = "malformed_json"
    en = "The request's body is not valid JSON in UTF-8."
    ru = "Тело запроса не является корректным JSON в кодировке UTF-8."


class InvalidRequestError(ContestError):
    """A field of the request is missing or wrong; the details name it."""

    code = "invalid_request"
    en = "The request does not have the documented form; the details name what is wrong."
    ru = "Запрос не соответствует описанной форме; подробности — в поле details."


class InvalidAnswerError(ContestError):
    """Not an answer to this file (R 11.6); the track's reasons are the details. It consumed no send."""

    code = "invalid_answer"
    en = "This is not a valid answer to this file; it was not counted as a send."
    ru = "Это не корректный ответ на данный файл; попытка отправки не засчитана."


class AnswerTooLargeError(ContestError):
    """More bytes than an answer or a log may have."""

    code = "answer_too_large"
    en = "The body is larger than allowed; it was not read."
    ru = "Тело запроса больше допустимого размера; оно не обработано."

    @classmethod
    def over(cls, size: int, limit: int) -> AnswerTooLargeError:
        """The error for this many bytes."""
        said = {"message": f"{size} bytes; at most {limit} are allowed", "size": size, "limit": limit}
        return cls([{"code": "too_large", "message_ru": f"{size} байт; допустимо не более {limit}", **said}])


class ForbiddenError(ContestError):
    """The identity's role does not have the right of the route."""

    code = "forbidden"
    en = "This token does not give the right to do this."
    ru = "Этот токен не даёт права на это действие."


class UnknownSessionError(ContestError):
    """No such session, or another team's: the two are not told apart."""

    code = "unknown_session"
    en = "Your team has no session with this identifier."
    ru = "У вашей команды нет сессии с таким идентификатором."


class UnknownRunError(ContestError):
    """No run has this identifier."""

    code = "unknown_run"
    en = "There is no run with this identifier."
    ru = "Запуска с таким идентификатором нет."


class UnknownFileError(ContestError):
    """The session has no file of this number."""

    code = "unknown_file"
    en = "The session has no file with this number."
    ru = "В сессии нет файла с таким номером."

    @classmethod
    def numbered(cls, number: int, files: int) -> UnknownFileError:
        """The error for a number outside 1 … files."""
        said = {"message": f"{number} is not from 1 to {files}", "message_ru": f"{number} не от 1 до {files}"}
        return cls([{"code": "out_of_range", **said, "number": number, "files": files}])


class FileNotHandedOutError(ContestError):
    """An answer or a score was asked for a file that was never handed out."""

    code = "file_not_handed_out"
    en = "This file has not been handed out in this session."
    ru = "Этот файл в данной сессии ещё не выдавался."


class SessionAlreadyOpenError(ContestError):
    """The team has an open session of this mode (platform §1, Decision)."""

    code = "session_already_open"
    en = "Your team already has an open session of this mode; finish or abort it first."
    ru = "У вашей команды уже есть открытая сессия этого режима; сначала завершите или прервите её."

    @classmethod
    def named(cls, session_id: str) -> SessionAlreadyOpenError:
        """The error with the first session's id."""
        said = {"message": f"open session: {session_id}", "message_ru": f"открытая сессия: {session_id}"}
        return cls([{"code": "open_session", **said, "session_id": session_id}])


class SessionClosedError(ContestError):
    """The session has ended; its final state is final."""

    code = "session_closed"
    en = "The session has ended."
    ru = "Сессия завершена."

    @classmethod
    def in_state(cls, state: str) -> SessionClosedError:
        """The error with the state in which the session ended."""
        said = {"message": f"state: {state}", "message_ru": f"состояние: {state}"}
        return cls([{"code": "session_state", **said, "state": state}])


class SessionOpenError(ContestError):
    """There is no report of an open session."""

    code = "session_open"
    en = "The session is still open; its report is made when it has ended."
    ru = "Сессия ещё открыта; отчёт формируется после её завершения."


class QuotaExhaustedError(ContestError):
    """All sessions of the day are used (R 6.4)."""

    code = "quota_exhausted"
    en = "Your team has used all of today's sessions."
    ru = "Ваша команда использовала все сессии за текущие сутки."

    @classmethod
    def until(cls, resets_at: Millis, now: Millis, limit: int) -> QuotaExhaustedError:
        """The error with the time from which sessions may be opened again."""
        moment = iso(resets_at)
        said = {"message": f"limit: {limit}; resets at {moment}", "message_ru": f"предел: {limit}; сброс в {moment}"}
        detail = {"code": "quota", **said, "limit": limit, "resets_at": moment}
        return cls([detail], retry_after_s=seconds_until(resets_at, now))


class RateLimitedError(ContestError):
    """More requests in this second than a team may make (D 12.8)."""

    code = "rate_limited"
    en = "Too many requests in one second."
    ru = "Слишком много запросов за одну секунду."


class ComparisonNotAllowedError(ContestError):
    """Experts' markups are shown of a training set only (R 6.5.3)."""

    code = "comparison_not_allowed"
    en = "Markups are compared on the training set only."
    ru = "Сравнение разметок доступно только на обучающей выборке."


class NotAnsweredError(ContestError):
    """The file has no accepted answer, hence neither score nor comparison."""

    code = "not_answered"
    en = "This file has no accepted answer."
    ru = "На этот файл нет принятого ответа."


class UnknownRouteError(ContestError):
    """Nothing is at this path and method."""

    code = "unknown_route"
    en = "There is nothing at this address."
    ru = "По этому адресу ничего нет."


class BusyError(ContestError):
    """Every attempt lost its race; nothing was changed and the request may be repeated as it is."""

    code = "busy"
    en = "The platform is busy with other requests of this session; repeat the request."
    ru = "Платформа занята другими запросами этой сессии; повторите запрос."

    def __init__(self, details: Sequence[Mapping[str, Any]] = ()) -> None:
        super().__init__(details, retry_after_s=1)


class NoCycleError(ContestError):
    """No cycle has been loaded into this deployment; an organizer does that (``contest cycle load FOLDER``)."""

    code = "no_cycle"
    en = "The contest is not set up yet: no cycle is loaded. Organizers: contest cycle load FOLDER."
    ru = "Конкурс ещё не настроен: цикл не загружен. Организаторам: contest cycle load ПАПКА."

    def __init__(self, details: Sequence[Mapping[str, Any]] = ()) -> None:
        super().__init__(details, retry_after_s=60)


class InternalError(ContestError):
    """A fault of the platform; the request's id finds it in the log."""

    code = "internal"
    en = "The platform failed; the fault is recorded under the request's id."
    ru = "Сбой платформы; он записан под идентификатором запроса."


STATUS: Final[Mapping[type[ContestError], HTTPStatus]] = MappingProxyType(
    {
        MalformedJsonError: HTTPStatus.BAD_REQUEST,
        InvalidRequestError: HTTPStatus.UNPROCESSABLE_ENTITY,
        InvalidAnswerError: HTTPStatus.UNPROCESSABLE_ENTITY,
        AnswerTooLargeError: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        ForbiddenError: HTTPStatus.FORBIDDEN,
        UnknownSessionError: HTTPStatus.NOT_FOUND,
        UnknownRunError: HTTPStatus.NOT_FOUND,
        UnknownFileError: HTTPStatus.NOT_FOUND,
        FileNotHandedOutError: HTTPStatus.CONFLICT,
        SessionAlreadyOpenError: HTTPStatus.CONFLICT,
        SessionClosedError: HTTPStatus.CONFLICT,
        SessionOpenError: HTTPStatus.CONFLICT,
        QuotaExhaustedError: HTTPStatus.TOO_MANY_REQUESTS,
        RateLimitedError: HTTPStatus.TOO_MANY_REQUESTS,
        ComparisonNotAllowedError: HTTPStatus.FORBIDDEN,
        NotAnsweredError: HTTPStatus.NOT_FOUND,
        UnknownRouteError: HTTPStatus.NOT_FOUND,
        BusyError: HTTPStatus.SERVICE_UNAVAILABLE,
        NoCycleError: HTTPStatus.SERVICE_UNAVAILABLE,
        InternalError: HTTPStatus.INTERNAL_SERVER_ERROR,
    }
)
"""The one table from refusals to statuses."""


def from_reasons(reasons: Sequence[Reason]) -> list[dict[str, Any]]:
    """A track's reasons as details of an error."""
    return [
        {"code": each.code, "message": each.message.en, "message_ru": each.message.ru, **dict(each.where)}
        for each in reasons
    ]
