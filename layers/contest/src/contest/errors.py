"""Errors of the interface, of the cycle and its sets, of workers' jobs and of exports.

All are of :mod:`contest.refusals`' family. A room's own are in its ``errors``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from contest.cycle.rules.stages import Calendar, Stage, rule_of_stage
from contest.refusals import ContestError
from contest.texts import code_in_words, tr
from contest.values import Millis, iso, seconds_until
from markup_core.reading.wire import short

if TYPE_CHECKING:
    from contest.routes import Right
    from tracks.protocol import Reason


class MalformedJsonError(ContestError, code="malformed_json", status=400):
    message = tr("The request's body is not valid JSON in UTF-8.")


class InvalidRequestError(ContestError, code="invalid_request", status=422):
    message = tr("The request does not have the documented form.")


class InvalidAnswerError(ContestError, code="invalid_answer", status=422):
    """Not an answer to this file (R 11.6); the track's reasons are the details. It consumed no send."""

    message = tr("This is not a valid answer to this file; it was not counted as a send.")


class AnswerTooLargeError(ContestError, code="answer_too_large", status=413):
    message = tr("The body is larger than allowed; it was not read.")

    @classmethod
    def over(cls, size: int, limit: int) -> AnswerTooLargeError:
        text = tr("{size} bytes; at most {limit} are allowed", size=size, limit=limit)
        return cls.with_detail("too_large", text, size=size, limit=limit)


class ForbiddenError(ContestError, code="forbidden", status=403):
    message = tr("This token does not give the right to do this.")

    @classmethod
    def without(cls, right: Right) -> ForbiddenError:
        """Return the error with the right that is missing; the organizers give rights by giving roles."""
        text = tr("the right {value} is missing; the organizers give it with a role", value=right.value)
        return cls.with_detail("missing_right", text, right=right.value)


class UnknownSessionError(ContestError, code="unknown_session", status=404):
    """No session of the team has this id; another team's is answered in the same way."""

    message = tr("Your team has no session with this identifier.")


class UnknownRunError(ContestError, code="unknown_run", status=404):
    message = tr("There is no run with this identifier.")


class UnknownFileError(ContestError, code="unknown_file", status=404):
    message = tr("The session has no file with this number.")

    @classmethod
    def numbered(cls, number: int, files: int) -> UnknownFileError:
        text = tr("{number} is not from 1 to {files}", number=number, files=files)
        return cls.with_detail("out_of_range", text, number=number, files=files)


class FileNotHandedOutError(ContestError, code="file_not_handed_out", status=409):
    message = tr("This file has not been handed out in this session.")


class NotOpenYetError(ContestError, code="not_open_yet", status=425):
    """A file of a run was asked for before its opening (platform §3)."""

    message = tr("This file is not open yet; ask again at the time the details name.")

    @classmethod
    def at(cls, opens_at: Millis, now: Millis, **where: Any) -> NotOpenYetError:
        moment = iso(opens_at)
        text = tr("opens at {moment}", moment=moment)
        return cls.with_detail(
            "opens_at", text, retry_after_s=seconds_until(opens_at, now), opens_at=moment, server_time=iso(now), **where
        )


class FileMissedError(ContestError, code="file_missed", status=410):
    """A file of a run can no longer be asked for (R-App2, 7.6)."""

    message = tr("This file is annulled for your team and is not handed out any more; the details say why.")

    @classmethod
    def because(cls, cause: str, request_by: Millis, **evidence: Any) -> FileMissedError:
        moment = iso(request_by)
        text = tr("{cause}; to be asked for by {moment}", cause=code_in_words(cause), moment=moment)
        return cls.with_detail("missed", text, cause=cause, request_by=moment, **evidence)


class NoRunError(ContestError, code="no_run", status=404):
    message = tr("There is no run of this mode that your team could join now.")

    @classmethod
    def until(cls, starts_at: Millis | None) -> NoRunError:
        if starts_at is None:
            return cls()
        moment = iso(starts_at)
        return cls.with_detail("next_run", tr("the next one starts at {moment}", moment=moment), starts_at=moment)


class RunNotJoinableError(ContestError, code="run_not_joinable", status=409):
    """The time for joining the run is over (R-App2, 7.4)."""

    message = tr("The run can no longer be joined.")

    @classmethod
    def since(cls, join_until: Millis) -> RunNotJoinableError:
        moment = iso(join_until)
        return cls.with_detail("join_until", tr("join by {moment}", moment=moment), join_until=moment)


class NotAdmittedError(ContestError, code="not_admitted", status=403):
    """The organizers admitted other teams to this run (R 8.2)."""

    message = tr("Your team is not among those admitted to this run.")


class NotSelectedError(ContestError, code="not_selected", status=403):
    """Only teams that passed the selection take part in the stages after it (R 4.1, 6.2, 7.2)."""

    message = tr("Your team has not passed the selection; the organizers' decision stands in its cabinet.")


class AlreadyParticipatedError(ContestError, code="already_participated", status=409):
    """A team takes part in a final with one session (R 4.5)."""

    message = tr("Your team has already taken part in this final; there is one session per team, to the end.")

    @classmethod
    def named(cls, session_id: str) -> AlreadyParticipatedError:
        return cls.with_detail("session", tr("session: {session_id}", session_id=session_id), session_id=session_id)


class ConfirmationNeededError(ContestError, code="confirmation_needed", status=409):
    """Aborting ends the participation (R 4.5) and needs a confirmation."""

    message = tr('Aborting ends your team\'s participation in the final. If that is meant, send {"confirm": true}.')


class RunNotOverError(ContestError, code="run_not_over", status=409):
    message = tr("The run is not over; this is published after its end.")

    @classmethod
    def until(cls, ends_at: Millis, now: Millis) -> RunNotOverError:
        moment = iso(ends_at)
        text = tr("expected end: {moment}", moment=moment)
        return cls.with_detail("ends_at", text, retry_after_s=seconds_until(ends_at, now), ends_at=moment)


class ResultsNotPublishedError(ContestError, code="results_not_published", status=403):
    """Results of a final are seen when the organizers publish them (R 7.11)."""

    message = tr("The results have not been published yet.")


class SessionAlreadyOpenError(ContestError, code="session_already_open", status=409):
    """The team has an open session of this mode (platform §1, Decision)."""

    message = tr("Your team already has an open session of this mode; finish or abort it first.")

    @classmethod
    def named(cls, session_id: str) -> SessionAlreadyOpenError:
        text = tr("open session: {session_id}", session_id=session_id)
        return cls.with_detail("open_session", text, session_id=session_id)


class SessionClosedError(ContestError, code="session_closed", status=409):
    message = tr("The session has ended.")

    @classmethod
    def in_state(cls, state: str) -> SessionClosedError:
        text = tr("state: {state}", state=code_in_words(state, "session"))
        return cls.with_detail("session_state", text, state=state)


class SessionOpenError(ContestError, code="session_open", status=409):
    message = tr("The session is still open; its report is made when it has ended.")


class QuotaExhaustedError(ContestError, code="quota_exhausted", status=429):
    """All sessions of the day are used (R 6.4)."""

    message = tr("Your team has used all of today's sessions.")

    @classmethod
    def until(cls, resets_at: Millis, now: Millis, limit: int) -> QuotaExhaustedError:
        moment = iso(resets_at)
        text = tr("limit: {limit}; resets at {moment}", limit=limit, moment=moment)
        return cls.with_detail(
            "quota", text, retry_after_s=seconds_until(resets_at, now), limit=limit, resets_at=moment
        )


class OutsideStageError(ContestError, code="outside_stage", status=409):
    """An action of a stage is requested, or planned, outside its days (R 4.1, 6.3)."""

    message = tr("This belongs to a stage of the cycle and is open within that stage's days only.")

    @classmethod
    def of(cls, stage: Stage, calendar: Calendar) -> OutsideStageError:
        begins, ends = iso(stage.starts_at(calendar)), iso(stage.ends_at(calendar))
        rule = rule_of_stage(stage, begins, ends)
        return cls.with_detail("outside_stage", rule, stage=stage.name.value, starts_at=begins, ends_at=ends)


class RateLimitedError(ContestError, code="rate_limited", status=429):
    """More requests in this second than a team may make (D 12.8)."""

    message = tr("Too many requests in one second.")


class ComparisonNotAllowedError(ContestError, code="comparison_not_allowed", status=403):
    """Experts' markups are public in training sets (R 6.5.3), and in finals with published results (R 7.11)."""

    message = tr("Markups are compared on a training set, and of a final once its results are published.")


class TotalsOnlyError(ContestError, code="totals_only", status=403):
    """Only totals are shown of this set: the score of a single file would reveal its right answer."""

    message = tr("Of this set only totals are told; they are in the session's report.")


class WrongStepError(ContestError, code="wrong_step", status=409):
    """A valid answer of a kind that the dialogue's step does not take (tracks-sessions T2). It consumed no send."""

    message = tr(
        "The dialogue over this file does not take such an answer at its present step; it was not counted as a send."
    )

    @classmethod
    def at(cls, step: str, kind: str, takes: Sequence[str]) -> WrongStepError:
        """Return the error at a step that takes answers of other kinds than this one."""
        kinds = ", ".join(takes)
        text = tr(
            "an answer of the kind {kind} cannot be given at the step {step}, which takes: {kinds}",
            kind=kind,
            step=step,
            kinds=kinds,
        )
        return cls.with_detail(cls.code, text, step=step, kind=kind, takes=list(takes))


class ResultsLaterError(ContestError, code="results_later", status=409):
    """Results of such a session are shown at fixed times, which have not come (tracks-sessions T6)."""

    message = tr("The results of this session are told later, at the time in the details.")

    @classmethod
    def until(cls, told_at: Millis, now: Millis) -> ResultsLaterError:
        """Return the error with the time."""
        moment = iso(told_at)
        text = tr("told at {moment}", moment=moment)
        return cls.with_detail("told_at", text, retry_after_s=seconds_until(told_at, now), told_at=moment)


class NotAnsweredError(ContestError, code="not_answered", status=404):
    message = tr("This file has no accepted answer.")


class UnknownRouteError(ContestError, code="unknown_route", status=404):
    message = tr("There is nothing at this address.")


class BusyError(ContestError, code="busy", status=503):
    """Every attempt lost its race; the request changed no data and may be repeated."""

    message = tr("The platform is busy with other requests of this session; repeat the request.")

    def __init__(self, details: Sequence[Mapping[str, Any]] = ()) -> None:
        super().__init__(details, retry_after_s=1)


class KeyReusedError(ContestError, code="idempotency_key_reused", status=422):
    message = tr("Your team has used this Idempotency-Key for another request; a new request needs a new key.")


class NoCycleError(ContestError, code="no_cycle", status=503):
    message = tr("The contest is not set up yet: no cycle is loaded. Organizers: contest cycle load FOLDER.")

    def __init__(self, details: Sequence[Mapping[str, Any]] = ()) -> None:
        super().__init__(details, retry_after_s=60)


class InternalError(ContestError, code="internal", status=500):
    """A fault of the platform; the request's id finds it in the log."""

    message = tr("The platform failed; the fault is recorded under the request's id.")


PLACES: Final = (
    "contest.channel.rules",
    "contest.experts.rules.sharing_out",
    "contest.messages.errors",
    "contest.operations.rules",
    "contest.people.errors",
    "contest.results.errors",
)
"""Other modules that define refusals."""


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


class UnknownErrandError(ContestError, code="unknown_errand", status=404):
    message = tr("There is no such errand; ask for the work anew.")


class BoardHiddenError(ContestError, code="board_hidden", status=403):
    message = tr("The organizers have hidden this board.")


class UnknownBoardError(ContestError, code="unknown_board", status=404):
    message = tr("There is no such board: neither a language of the cycle nor a nomination of this final.")

    @classmethod
    def of(cls, parts: Sequence[str]) -> UnknownBoardError:
        """Return the refusal with the parts that the board has."""
        return cls.with_detail("parts", tr("the board's parts: {parts}", parts=", ".join(parts)), parts=list(parts))


class SetAnnulledError(ContestError, code="set_annulled", status=409):
    message = tr("The organizers have annulled this data set; choose another one.")


class SameSignatoryError(ContestError, code="same_signatory", status=409):
    message = tr("Whoever signs for one side does not sign for the other: ask another member.")


class NoArchiveError(ContestError, code="no_archive", status=404):
    """Only a final that counts has an archive; a semifinal's data wait until the final's results are out (D 14.5)."""

    message = tr(
        "This run has no archive: it is made of finals that count, after their results are "
        "published; a semifinal's after the results of its final."
    )


class ArchiveNotMadeError(ContestError, code="archive_not_made", status=503):
    message = tr("The archive is being made; ask again in a minute.")

    def __init__(self, details: Sequence[Mapping[str, Any]] = ()) -> None:
        super().__init__(details, retry_after_s=60)


class ExportTooLargeError(ContestError, code="export_too_large", status=413):
    message = tr("This is too large for one answer. Accept gzip, or ask for one team's part.")

    @classmethod
    def of(cls, size: int, limit: int) -> ExportTooLargeError:
        text = tr("{size} bytes of at most {limit}", size=size, limit=limit)
        return cls.with_detail("size", text, size=size, limit=limit)


class NoTablesError(ContestError, code="no_tables", status=404):
    message = tr("There are no tables over all teams: the contest has none, or nobody has a result on this board.")


_NAMED: Final = 20
"""Most labels that a refusal names."""


class InvalidParametersError(ContestError, code="invalid_parameters", status=422):
    message = tr("These cannot be the cycle's parameters; the details name everything that is wrong.")


class NothingChangesError(ContestError, code="nothing_changes", status=409):
    message = tr("These are the parameters that are in force at that moment anyway.")


class EffectiveTooSoonError(ContestError, code="effective_too_soon", status=409):
    message = tr("A change takes effect at least a minute from now, so that the whole platform knows of it by then.")

    @classmethod
    def before(cls, earliest: Millis) -> EffectiveTooSoonError:
        return cls.with_detail("earliest", tr("not before {earliest}", earliest=iso(earliest)), earliest=iso(earliest))


class ParametersPendingError(ContestError, code="parameters_pending", status=409):
    message = tr("Another change is announced for a later moment and would undo this one; withdraw it first.")

    @classmethod
    def at(cls, version: int, effective_at: Millis) -> ParametersPendingError:
        text = tr("version {version} takes effect at {effective_at}", version=version, effective_at=iso(effective_at))
        return cls.with_detail("pending", text, version=version, effective_at=iso(effective_at))


class RunUnderWayError(ContestError, code="run_under_way", status=409):
    message = tr("A final would be under way when the change takes effect; choose a moment before or after it.")

    @classmethod
    def of(cls, run_id: str, starts_at: Millis, ends_at: Millis) -> RunUnderWayError:
        begins, ends = iso(starts_at), iso(ends_at)
        text = tr("{run} lasts from {begins} to {ends}", run=run_id, begins=begins, ends=ends)
        return cls.with_detail("run", text, run=run_id, starts_at=begins, ends_at=ends)


class UnknownPageError(ContestError, code="unknown_page", status=404):
    message = tr("The cycle has no such page, or the page no such version; GET /v1/cycle lists them.")


class UnknownVersionError(ContestError, code="unknown_version", status=404):
    message = tr("The cycle's parameters have had no such version.")


class VersionInForceError(ContestError, code="version_in_force", status=409):
    message = tr("Only a version that is still to take effect can be withdrawn; change the parameters again instead.")


class UnknownAnnouncementError(ContestError, code="unknown_announcement", status=404):
    message = tr("There is no such announcement.")


class AnnouncementStateError(ContestError, code="announcement_state", status=409):
    message = tr(
        "Drafts are published or discarded, published announcements corrected or withdrawn; this one is neither."
    )


class BadCursorError(ContestError, code="bad_cursor", status=404):
    message = tr("No page ends there: ask for the one that the previous answer's `next` names.")


class KitVersionTakenError(ContestError, code="kit_version_taken", status=409):
    """A published version of the kit never changes; other files need another version (R 4.3)."""

    message = tr(
        "This version of the kit is published with other files; raise the version in its packages and build it anew."
    )

    @classmethod
    def of(cls, version: str, published_at: Millis) -> KitVersionTakenError:
        moment = iso(published_at)
        text = tr("version {version} was published {moment}", version=version, moment=moment)
        return cls.with_detail("published", text, version=version, published_at=moment)


class UnknownImportError(ContestError, code="unknown_import", status=404):
    message = tr("There is no import with this id.")


class ImportTooLargeError(ContestError, code="import_too_large", status=413):
    message = tr(
        "The zip is larger than an import may be; load it set by set, or the folder with the "
        "deployment's own credentials: contest cycle load FOLDER --direct."
    )

    @classmethod
    def over(cls, size: int, most: int) -> ImportTooLargeError:
        text = tr("{size} bytes, at most {most}", size=size, most=most)
        return cls.with_detail("size", text, size=size, most=most, field="body.size")


class WrongPartsError(ContestError, code="wrong_parts", status=422):
    message = tr("The number of parts is not what the zip's size makes.")


class UnknownImportPartError(ContestError, code="unknown_import_part", status=404):
    message = tr(
        "The import has no part of this number: it is announced with the numbers from 1 to that of its last part."
    )


class ImportClosedError(ContestError, code="import_closed", status=409):
    message = tr("The upload is complete; begin another import.")


class PartsMissingError(ContestError, code="parts_missing", status=409):
    message = tr("Some parts of the upload are not there yet; the details name them.")

    @classmethod
    def numbered(cls, numbers: Sequence[int]) -> PartsMissingError:
        named = ", ".join(map(str, numbers))
        return cls.with_detail("missing", tr("missing parts: {named}", named=named), numbers=list(numbers))


class LabelsUndecidedError(ContestError, code="labels_undecided", status=422):
    message = tr("Labels of the export have no code of the contest yet; the details name them.")

    @classmethod
    def of(cls, labels: Sequence[str]) -> LabelsUndecidedError:
        texts = (tr("{label}: name its code, or leave it out", label=short(label)) for label in labels[:_NAMED])
        return cls([{"code": "undecided", **text.as_fields()} for text in texts])

    @classmethod
    def not_offered(cls, name: str) -> LabelsUndecidedError:
        detail = tr("{name} is no subject or code that the import offers", name=short(name))
        return cls.with_detail("not_offered", detail)


class UnknownSetError(ContestError, code="unknown_set", status=404):
    """There is no such set, or the caller may not read it; both cases get the same answer."""

    message = tr("There is no set of this name that you may have.")


class UnknownPartError(ContestError, code="unknown_part", status=404):
    message = tr("The set has no part of this number.")


class NoPackError(ContestError, code="no_pack", status=404):
    message = tr(
        "This set is given in parts alone, which its manifest names: it is one part, or too large for one file."
    )


class SetDecidedError(ContestError, code="set_decided", status=409):
    message = tr("That is so already: the set is published, or is not.")


class SetStillSecretError(ContestError, code="set_still_secret", status=409):
    message = tr(
        "Final and reserve sets are published when a final's results are out and no run is planned or under way."
    )


class NoDescriptionError(ContestError, code="no_description", status=404):
    message = tr("There are no tables of this set for you.")
