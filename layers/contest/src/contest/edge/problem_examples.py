"""An example of every refusal, made by the code that makes the real ones, with figures of one small story."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from contest import errors
from contest.contracts.problems import REFUSED, problem
from contest.domain.cycle.stages import Stage, StageName
from contest.domain.cycle.working_days import Calendar
from contest.domain.experts import refusals
from contest.domain.experts.sharing_out import Uncovered
from contest.domain.session.delivery import Cause
from contest.errors import cycle, exports, operations, people, qualification, rescoring, sets, steps, submissions
from contest.refusals import ContestError, RefusedError
from contest.route import Right
from tracks.protocol import Reason, Text

_NOW: Final = 1_795_233_600_000
"""2026-11-21T04:00:00.000Z."""
_SOON: Final = _NOW + 20_000
_SESSION: Final = "294017735586120"
_FIELD: Final = {
    "code": "out_of_range",
    "message": "Input should be greater than or equal to 1",
    "message_ru": "нужно не меньше 1",
    "field": "body.files",
}
_HARDNESS: Final = {
    "code": "out_of_range",
    "message": "hardness must be a number from 0 to 1, not 2",
    "message_ru": "hardness: нужно число от 0 до 1, а не 2",
    "field": "hardness",
}
_WRONG_TEXT: Final = Reason(
    "text_differs",
    Text(
        en="the text differs from the essay's from character 17 on",
        ru="поле text: текст отличается от текста выданного эссе",
    ),
    {"field": "text"},
)
_UNCOVERED: Final = Uncovered(
    "essay-17",
    "too_few_experts",
    Text(en="one expert can mark it up, two are needed", ru="подходит один эксперт, нужны двое"),
)
_TOLD: Final[tuple[ContestError, ...]] = (
    cycle.AnnouncementStateError.being("withdrawn"),
    cycle.EffectiveTooSoonError.before(_SOON),
    cycle.KitVersionTakenError.of("0.1.0", _SOON),
    cycle.InvalidParametersError([_HARDNESS]),
    cycle.ParametersPendingError.at(3, _SOON),
    cycle.RunUnderWayError.of("3h6x0w8t2r5e9q1m4k7s", _NOW, _SOON),
    errors.AlreadyParticipatedError.named(_SESSION),
    errors.AnswerTooLargeError.over(2_097_153, 2_097_152),
    submissions.SubmissionsExhaustedError.until(_SOON, _NOW, 3),
    submissions.SubmissionTooLargeError.over(10_737_418_241, 10_737_418_240),
    submissions.SubmissionUnderWayError.named(_SESSION),
    exports.ExportTooLargeError.of(7_100_200, 4_400_000),
    errors.ForbiddenError.without(Right.ORGANIZE),
    errors.FileMissedError.because(Cause.TEAM_LATE, _NOW),
    errors.InvalidAnswerError(errors.from_reasons([_WRONG_TEXT])),
    errors.InvalidRequestError([_FIELD]),
    operations.LetterDecidedError.being("redriven"),
    operations.LogRangeError.reversed_days("2026-11-22", "2026-11-21"),
    people.MalformedTableError.because("unexpected end of data"),
    errors.NoRunError.until(_SOON),
    errors.NotOpenYetError.at(_SOON, _NOW, number=3),
    errors.RateLimitedError(retry_after_s=1),
    errors.QuotaExhaustedError.until(_SOON, _NOW, 20),
    errors.OutsideStageError.of(Stage(StageName.QUALIFICATION, "2026-09-21", "2026-11-20"), Calendar("Europe/Moscow")),
    errors.RunNotJoinableError.since(_NOW),
    errors.RunNotOverError.until(_SOON, _NOW),
    steps.ResultsLaterError.until(_SOON, _NOW),
    steps.WrongStepError.at("asking", "guess", ("answer", "question")),
    errors.SessionAlreadyOpenError.named(_SESSION),
    errors.SessionClosedError.in_state("finished"),
    errors.UnknownFileError.numbered(31, 30),
    rescoring.TooManySelectedError.of(412, 300),
    people.InvalidTeamError.of_id("Red!"),
    people.InvalidNameError.of_character(3, "U+200B ZERO WIDTH SPACE"),
    people.NoSuchDecisionError.between("applied", "suspended", ["approved", "rejected"]),
    people.PartlyAddedError.after("green", ["red", "blue"]),
    people.TeamInactiveError.being("rejected", "the form says nothing of the program"),
    qualification.NoSuchRulingError.at("verified"),
    sets.ImportTooLargeError.over(268_435_457, 268_435_456),
    sets.PartsMissingError.numbered([2, 5]),
    refusals.AssignmentEndedError.told("handed_in", _NOW, 7, _NOW - 60_000),
    refusals.EssaysNotCoveredError.naming([_UNCOVERED]),
    refusals.MarkupNotValidError.without_draft(),
    refusals.RevisionConflictError.between(6, 7, _NOW - 60_000),
    refusals.ReviewChangedError.now(7),
    refusals.RoundOverError.since(_NOW),
)
"""Those that say more than their own sentence."""


@cache
def examples() -> dict[str, dict[str, Any]]:
    """Return the body of an example of every refusal, by its code."""
    told = {each.code: each for each in _TOLD}
    found = {kind.code: _body(told.get(kind.code) or kind()) for kind in errors.family()}
    return {**found, REFUSED: _body(RefusedError("annulled_already", "it is annulled already", "уже аннулировано"))}


@cache
def detailed() -> frozenset[str]:
    """Return the codes of refusals whose body does not follow from its code and sentence alone."""
    return frozenset(code for code, body in examples().items() if body["error"]["details"]) | {REFUSED}


@cache
def retried() -> frozenset[str]:
    """Codes of refusals that say when the same request may be taken."""
    told = {each.code: each for each in _TOLD}
    kinds = ((kind.code, told.get(kind.code) or kind()) for kind in errors.family())
    return frozenset(code for code, each in kinds if each.retry_after_s is not None)


def _body(error: ContestError) -> dict[str, Any]:
    return problem(error, "f3k2dhHfIAMEMHg=").model_dump(mode="json")
