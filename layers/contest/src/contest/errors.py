"""Errors of the interface, of workers' jobs and of exports, all of :mod:`contest.refusals`' family."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from contest.cycle.rules.stages import Calendar, Stage, rule_of_stage
from contest.refusals import ContestError
from contest.texts import tr
from contest.values import Millis, iso, seconds_until

if TYPE_CHECKING:
    from contest.route import Right
    from tracks.protocol import Reason


class MalformedJsonError(ContestError):
    """The body is not JSON."""

    code = "malformed_json"
    status = HTTPStatus.BAD_REQUEST
    message = tr("The request's body is not valid JSON in UTF-8.")


class InvalidRequestError(ContestError):
    """A field of the request is missing or wrong; the details name it."""

    code = "invalid_request"
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    message = tr("The request does not have the documented form.")


class InvalidAnswerError(ContestError):
    """Not an answer to this file (R 11.6); the track's reasons are the details. It consumed no send."""

    code = "invalid_answer"
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    message = tr("This is not a valid answer to this file; it was not counted as a send.")


class AnswerTooLargeError(ContestError):
    """More bytes than an answer or a log may have."""

    code = "answer_too_large"
    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    message = tr("The body is larger than allowed; it was not read.")

    @classmethod
    def over(cls, size: int, limit: int) -> AnswerTooLargeError:
        """Return the error for this many bytes."""
        texts = {"message": f"{size} bytes; at most {limit} are allowed", "size": size, "limit": limit}
        return cls([{"code": "too_large", "message_ru": f"{size} байт; допустимо не более {limit}", **texts}])


class ForbiddenError(ContestError):
    """The identity's role does not have the right of the route."""

    code = "forbidden"
    status = HTTPStatus.FORBIDDEN
    message = tr("This token does not give the right to do this.")

    @classmethod
    def without(cls, right: Right) -> ForbiddenError:
        """Return the error with the right that is missing; the organizers give rights by giving roles."""
        texts = {
            **tr("the right {value} is missing; the organizers give it with a role", value=right.value).as_fields(),
        }
        return cls([{"code": "missing_right", **texts, "right": right.value}])


class UnknownSessionError(ContestError):
    """No session of the team has this id; another team's is answered in the same way."""

    code = "unknown_session"
    status = HTTPStatus.NOT_FOUND
    message = tr("Your team has no session with this identifier.")


class UnknownRunError(ContestError):
    """No run has this identifier."""

    code = "unknown_run"
    status = HTTPStatus.NOT_FOUND
    message = tr("There is no run with this identifier.")


class UnknownFileError(ContestError):
    """The session has no file of this number."""

    code = "unknown_file"
    status = HTTPStatus.NOT_FOUND
    message = tr("The session has no file with this number.")

    @classmethod
    def numbered(cls, number: int, files: int) -> UnknownFileError:
        """Return the error for a number outside 1 … files."""
        texts = tr("{number} is not from 1 to {files}", number=number, files=files).as_fields()
        return cls([{"code": "out_of_range", **texts, "number": number, "files": files}])


class FileNotHandedOutError(ContestError):
    """An answer or a score was asked for a file that was never handed out."""

    code = "file_not_handed_out"
    status = HTTPStatus.CONFLICT
    message = tr("This file has not been handed out in this session.")


class NotOpenYetError(ContestError):
    """A file of a run was asked for before its opening (platform §3)."""

    code = "not_open_yet"
    status = HTTPStatus.TOO_EARLY
    message = tr("This file is not open yet; ask again at the time the details name.")

    @classmethod
    def at(cls, opens_at: Millis, now: Millis, **where: Any) -> NotOpenYetError:
        """Return the error with the time of the opening."""
        moment = iso(opens_at)
        texts = tr("opens at {moment}", moment=moment).as_fields()
        detail = {"code": "opens_at", **texts, "opens_at": moment, "server_time": iso(now), **where}
        return cls([detail], retry_after_s=seconds_until(opens_at, now))


class FileMissedError(ContestError):
    """A file of a run can no longer be asked for (R-App2, 7.6)."""

    code = "file_missed"
    status = HTTPStatus.GONE
    message = tr("This file is annulled for your team and is not handed out any more; the details say why.")

    @classmethod
    def because(cls, cause: str, request_by: Millis, **evidence: Any) -> FileMissedError:
        """Return the error with the cause and its evidence."""
        moment = iso(request_by)
        texts = tr("{cause}; to be asked for by {moment}", cause=cause, moment=moment).as_fields()
        return cls([{"code": "missed", **texts, "cause": cause, "request_by": moment, **evidence}])


class NoRunError(ContestError):
    """There is no run of this mode to join, or none of this identifier."""

    code = "no_run"
    status = HTTPStatus.NOT_FOUND
    message = tr("There is no run of this mode that your team could join now.")

    @classmethod
    def until(cls, starts_at: Millis | None) -> NoRunError:
        """Return the error with the next known start, if there is one."""
        if starts_at is None:
            return cls()
        moment = iso(starts_at)
        texts = tr("the next one starts at {moment}", moment=moment).as_fields()
        return cls([{"code": "next_run", **texts, "starts_at": moment}])


class RunNotJoinableError(ContestError):
    """The time for joining the run is over (R-App2, 7.4)."""

    code = "run_not_joinable"
    status = HTTPStatus.CONFLICT
    message = tr("The run can no longer be joined.")

    @classmethod
    def since(cls, join_until: Millis) -> RunNotJoinableError:
        """Return the error with the time until which it could be joined."""
        moment = iso(join_until)
        texts = tr("join by {moment}", moment=moment).as_fields()
        return cls([{"code": "join_until", **texts, "join_until": moment}])


class NotAdmittedError(ContestError):
    """The organizers admitted other teams to this run (R 8.2)."""

    code = "not_admitted"
    status = HTTPStatus.FORBIDDEN
    message = tr("Your team is not among those admitted to this run.")


class NotSelectedError(ContestError):
    """Only teams that passed the selection take part in the stages after it (R 4.1, 6.2, 7.2)."""

    code = "not_selected"
    status = HTTPStatus.FORBIDDEN
    message = tr("Your team has not passed the selection; the organizers' decision stands in its cabinet.")


class AlreadyParticipatedError(ContestError):
    """A team takes part in a final with one session (R 4.5)."""

    code = "already_participated"
    status = HTTPStatus.CONFLICT
    message = tr("Your team has already taken part in this final; there is one session per team, to the end.")

    @classmethod
    def named(cls, session_id: str) -> AlreadyParticipatedError:
        """Return the error with the session's id."""
        texts = tr("session: {session_id}", session_id=session_id).as_fields()
        return cls([{"code": "session", **texts, "session_id": session_id}])


class ConfirmationNeededError(ContestError):
    """Aborting ends the participation (R 4.5) and needs a confirmation."""

    code = "confirmation_needed"
    status = HTTPStatus.CONFLICT
    message = tr('Aborting ends your team\'s participation in the final. If that is meant, send {"confirm": true}.')


class RunNotOverError(ContestError):
    """A publication of a run was requested before the run's end."""

    code = "run_not_over"
    status = HTTPStatus.CONFLICT
    message = tr("The run is not over; this is published after its end.")

    @classmethod
    def until(cls, ends_at: Millis, now: Millis) -> RunNotOverError:
        """Return the error with the expected end."""
        moment = iso(ends_at)
        texts = tr("expected end: {moment}", moment=moment).as_fields()
        return cls([{"code": "ends_at", **texts, "ends_at": moment}], retry_after_s=seconds_until(ends_at, now))


class ResultsNotPublishedError(ContestError):
    """Results of a final are seen when the organizers publish them (R 7.11)."""

    code = "results_not_published"
    status = HTTPStatus.FORBIDDEN
    message = tr("The results have not been published yet.")


class SessionAlreadyOpenError(ContestError):
    """The team has an open session of this mode (platform §1, Decision)."""

    code = "session_already_open"
    status = HTTPStatus.CONFLICT
    message = tr("Your team already has an open session of this mode; finish or abort it first.")

    @classmethod
    def named(cls, session_id: str) -> SessionAlreadyOpenError:
        """Return the error with the first session's id."""
        texts = tr("open session: {session_id}", session_id=session_id).as_fields()
        return cls([{"code": "open_session", **texts, "session_id": session_id}])


class SessionClosedError(ContestError):
    """The session has ended; its final state is final."""

    code = "session_closed"
    status = HTTPStatus.CONFLICT
    message = tr("The session has ended.")

    @classmethod
    def in_state(cls, state: str) -> SessionClosedError:
        """Return the error with the state in which the session ended."""
        texts = tr("state: {state}", state=state).as_fields()
        return cls([{"code": "session_state", **texts, "state": state}])


class SessionOpenError(ContestError):
    """There is no report of an open session."""

    code = "session_open"
    status = HTTPStatus.CONFLICT
    message = tr("The session is still open; its report is made when it has ended.")


class QuotaExhaustedError(ContestError):
    """All sessions of the day are used (R 6.4)."""

    code = "quota_exhausted"
    status = HTTPStatus.TOO_MANY_REQUESTS
    message = tr("Your team has used all of today's sessions.")

    @classmethod
    def until(cls, resets_at: Millis, now: Millis, limit: int) -> QuotaExhaustedError:
        """Return the error with the time from which sessions may be opened again."""
        moment = iso(resets_at)
        texts = tr("limit: {limit}; resets at {moment}", limit=limit, moment=moment).as_fields()
        detail = {"code": "quota", **texts, "limit": limit, "resets_at": moment}
        return cls([detail], retry_after_s=seconds_until(resets_at, now))


class OutsideStageError(ContestError):
    """Something of a stage is sent, or planned, outside its days (R 4.1, 6.3)."""

    code = "outside_stage"
    status = HTTPStatus.CONFLICT
    message = tr("This belongs to a stage of the cycle and is open within that stage's days only.")

    @classmethod
    def of(cls, stage: Stage, calendar: Calendar) -> OutsideStageError:
        """Return the error with the stage, its rule and the moments between which a request would be taken."""
        begins, ends = iso(stage.starts_at(calendar)), iso(stage.ends_at(calendar))
        rule = rule_of_stage(stage, begins, ends)
        words = rule.as_fields()
        moments = {"starts_at": begins, "ends_at": ends}
        return cls([{"code": "outside_stage", **words, "stage": stage.name.value, **moments}])


class RateLimitedError(ContestError):
    """More requests in this second than a team may make (D 12.8)."""

    code = "rate_limited"
    status = HTTPStatus.TOO_MANY_REQUESTS
    message = tr("Too many requests in one second.")


class ComparisonNotAllowedError(ContestError):
    """Experts' markups are public in training sets (R 6.5.3), and in finals with published results (R 7.11)."""

    code = "comparison_not_allowed"
    status = HTTPStatus.FORBIDDEN
    message = tr("Markups are compared on a training set, and of a final once its results are published.")


class TotalsOnlyError(ContestError):
    """Of this set the contest tells totals alone: a score of a single file would give its right answer away."""

    code = "totals_only"
    status = HTTPStatus.FORBIDDEN
    message = tr("Of this set only totals are told; they are in the session's report.")


class NotAnsweredError(ContestError):
    """The file has no accepted answer, hence neither score nor comparison."""

    code = "not_answered"
    status = HTTPStatus.NOT_FOUND
    message = tr("This file has no accepted answer.")


class UnknownRouteError(ContestError):
    """Nothing is at this path and method."""

    code = "unknown_route"
    status = HTTPStatus.NOT_FOUND
    message = tr("There is nothing at this address.")


class BusyError(ContestError):
    """Every attempt lost its race; the request changed no data and may be repeated."""

    code = "busy"
    status = HTTPStatus.SERVICE_UNAVAILABLE
    message = tr("The platform is busy with other requests of this session; repeat the request.")

    def __init__(self, details: Sequence[Mapping[str, Any]] = ()) -> None:
        super().__init__(details, retry_after_s=1)


class KeyReusedError(ContestError):
    """The team has used this ``Idempotency-Key`` for another request: another route, path or body."""

    code = "idempotency_key_reused"
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    message = tr("Your team has used this Idempotency-Key for another request; a new request needs a new key.")


class NoCycleError(ContestError):
    """No cycle has been loaded into this deployment; an organizer does that (``contest cycle load FOLDER``)."""

    code = "no_cycle"
    status = HTTPStatus.SERVICE_UNAVAILABLE
    message = tr("The contest is not set up yet: no cycle is loaded. Organizers: contest cycle load FOLDER.")

    def __init__(self, details: Sequence[Mapping[str, Any]] = ()) -> None:
        super().__init__(details, retry_after_s=60)


class InternalError(ContestError):
    """A fault of the platform; the request's id finds it in the log."""

    code = "internal"
    status = HTTPStatus.INTERNAL_SERVER_ERROR
    message = tr("The platform failed; the fault is recorded under the request's id.")


PLACES: Final = (
    "contest.experts.rules.refusals",
    *(
        f"contest.{room}.errors"
        for room in (
            "channel",
            "cycle",
            "hooks",
            "mails",
            "operations",
            "people",
            "questions",
            "results",
            "session",
            "submissions",
        )
    ),
)
"""Modules that name refusals beside this one."""


def family() -> tuple[type[ContestError], ...]:
    """Return every kind of refusal that the interface names, by its code."""
    for place in PLACES:
        import_module(place)
    places = {__name__, *PLACES}
    named = (refusal for refusal in ContestError.__subclasses__() if refusal.__module__ in places)
    return tuple(sorted(named, key=lambda refusal: refusal.code))


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
    message = tr("There is no such errand; ask for the work anew.")


class BoardHiddenError(ContestError):
    """The organizers have hidden the board."""

    code = "board_hidden"
    status = HTTPStatus.FORBIDDEN
    message = tr("The organizers have hidden this board.")


class UnknownBoardError(ContestError):
    """There is no such board, or the board has no such part."""

    code = "unknown_board"
    status = HTTPStatus.NOT_FOUND
    message = tr("There is no such board: neither a language of the cycle nor a nomination of this final.")


class SetAnnulledError(ContestError):
    """The organizers have annulled the data set: no session and no run begins on it."""

    code = "set_annulled"
    status = HTTPStatus.CONFLICT
    message = tr("The organizers have annulled this data set; choose another one.")


class SameSignatoryError(ContestError):
    """The same person cannot sign for the judges and for the commission."""

    code = "same_signatory"
    status = HTTPStatus.CONFLICT
    message = tr("Whoever signs for one side does not sign for the other: ask another member.")


class NoArchiveError(ContestError):
    """Only a final that counts has an archive; a semifinal's data wait until the final's results are out (D 14.5)."""

    code = "no_archive"
    status = HTTPStatus.NOT_FOUND
    message = tr(
        "This run has no archive: it is made of finals that count, after their results are "
        "published; a semifinal's after the results of its final."
    )


class ArchiveNotMadeError(ContestError):
    """The results are published, and workers are still making the archive."""

    code = "archive_not_made"
    status = HTTPStatus.SERVICE_UNAVAILABLE
    message = tr("The archive is being made; ask again in a minute.")

    def __init__(self, details: Sequence[Mapping[str, Any]] = ()) -> None:
        super().__init__(details, retry_after_s=60)


class ExportTooLargeError(ContestError):
    """The requested export is larger than one answer may be."""

    code = "export_too_large"
    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    message = tr("This is too large for one answer. Accept gzip, or ask for one team's part.")

    @classmethod
    def of(cls, size: int, limit: int) -> ExportTooLargeError:
        """Return the error with both sizes in bytes."""
        texts = tr("{size} bytes of at most {limit}", size=size, limit=limit).as_fields()
        return cls([{"code": "size", **texts, "size": size, "limit": limit}])


class NoTablesError(ContestError):
    """The contest has no tables over all teams, or its board is empty."""

    code = "no_tables"
    status = HTTPStatus.NOT_FOUND
    message = tr("There are no tables over all teams: the contest has none, or nobody has a result on this board.")
