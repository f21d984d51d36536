"""Errors of conclusions, rescorings, recomputation, submissions: members of :mod:`contest.refusals`' family."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from contest.refusals import SAMPLE_NOW, SAMPLE_SESSION, SAMPLE_SOON, ContestError, RefusedError
from contest.texts import code_in_words, tr
from contest.values import Millis, iso, seconds_until
from markup_core.texts import Text


class NoConclusionError(ContestError, code="no_conclusion", status=404):
    message = tr("This session has no positive conclusion on readiness; its report says why, when it is made.")


class NoSuchRulingError(ContestError, code="no_such_ruling", status=409):
    message = tr("The conclusion cannot be given this ruling where it stands; the details say where that is.")

    @classmethod
    def at(cls, standing: str) -> NoSuchRulingError:
        return cls.with_detail("standing", tr("it is {standing}", standing=code_in_words(standing)), standing=standing)


class SamePersonError(ContestError, code="same_person", status=409):
    message = tr("Whoever judged a conclusion does not verify it: ask another member of the commission.")


class UnknownModulesError(ContestError, code="unknown_modules", status=409):
    message = tr("Sessions that count are opened by programs of the published modules alone; GET /v1/kit names them.")


class UnknownRescoringError(ContestError, code="unknown_rescoring", status=404):
    message = tr("There is no rescoring of this name.")


class NothingSelectedError(ContestError, code="nothing_selected", status=409):
    message = tr(
        "No closed session and no scored submission of a qualification is selected; a final is "
        "selected by its run alone."
    )


class FinalIsWholeError(ContestError, code="final_is_whole", status=409):
    message = tr("A final is scored anew as a whole, its board has one set of rules: name its run and nothing else.")


class TooManySelectedError(ContestError, code="too_many_selected", status=409):
    message = tr(
        "More sessions and submissions are selected than one rescoring takes; select a shorter period or a team."
    )

    @classmethod
    def of(cls, selected: int, most: int) -> TooManySelectedError:
        text = tr("{selected} sessions and submissions; at most {most}", selected=selected, most=most)
        return cls.with_detail("selected", text, selected=selected, most=most)


class UnknownParametersError(ContestError, code="unknown_parameters", status=409):
    message = tr("The cycle has no parameters of this version.")


class RunsOpenError(ContestError, code="runs_open", status=409):
    message = tr("A run is under way; sessions are scored anew before or after it.")


class RescoringNotMadeError(ContestError, code="rescoring_not_made", status=409):
    message = tr("Not all sessions and submissions are scored anew yet; look again in a few minutes.")


class RescoringDecidedError(ContestError, code="rescoring_decided", status=409):
    message = tr("This rescoring was accepted or discarded before; begin another one.")


class RescoringOutdatedError(ContestError, code="rescoring_outdated", status=409):
    message = tr(
        "Results have changed since they were scored anew, by another rescoring; discard this one and begin again."
    )


_NAMED: Final = 3
"""Maximum differences in the refusal of a publication; the command shows all."""


# Clause: R 8.3.5, platform §4 shadow
def results_differ(total: int, differences: Sequence[Text], command: str, **where: Any) -> RefusedError:
    """Return the refusal to publish results that the independent recomputation gives otherwise, with the first of the
    differences in words, the command that shows all of ``total``, and the place of the first (``where``)."""
    named = differences[:_NAMED]
    listed = Text("; ".join(text.en for text in named), "; ".join(text.ru for text in named))
    message = tr(
        "the independent recomputation has found {total} differences, {command} shows all; the first: {listed}",
        total=total,
        command=command,
        listed=listed,
    )
    return RefusedError("results_differ", message, differences=total, **where)


class NoBoardError(ContestError, code="no_board", status=409):
    message = tr("This run's board is not made, so nothing is recomputed: only a closed final with markups has one.")


class SubmissionsNotTakenError(ContestError, code="submissions_not_taken", status=409):
    message = tr("This contest takes no submissions of this kind; GET /v1/cycle says which it takes.")


class UnknownSubmissionError(ContestError, code="unknown_submission", status=404):
    """The submission does not exist or is another team's: the two are not distinguished."""

    message = tr("There is no submission with this identifier, or it is not your team's.")


class SubmissionTooLargeError(ContestError, code="submission_too_large", status=413):
    message = tr("The submission is larger than allowed.")

    @classmethod
    def over(cls, size: int, most: int) -> SubmissionTooLargeError:
        text = tr("{size} bytes, at most {most}", size=size, most=most)
        return cls.with_detail("size", text, size=size, most=most, field="body.bytes")


class SubmissionClosedError(ContestError, code="submission_closed", status=409):
    message = tr("The upload is complete or was given up; begin another submission.")


class UnknownSubmissionPartError(ContestError, code="unknown_submission_part", status=404):
    message = tr(
        "The submission has no part of this number: parts have the numbers from 1 to that of the last announced one."
    )


class SubmissionUnderWayError(ContestError, code="submission_under_way", status=409):
    """One submission at a time (F-5)."""

    message = tr(
        "Another submission of your team is being checked, run or scored; complete this one when that has ended."
    )

    @classmethod
    def named(cls, submission_id: str) -> SubmissionUnderWayError:
        text = tr("the submission {submission_id}", submission_id=submission_id)
        return cls.with_detail("under_way", text, submission_id=submission_id)


class SubmissionsExhaustedError(ContestError, code="submissions_exhausted", status=429):
    """The day's scored submissions are used up (F-5)."""

    message = tr("Your team has used up the day's submissions; the details say when the next one may be completed.")

    @classmethod
    def until(cls, resets_at: Millis, now: Millis, most: int, code: str = "scored") -> SubmissionsExhaustedError:
        """Return the error with the next day's beginning; ``code`` names the count: ``scored`` or ``unscored``."""
        moment = iso(resets_at)
        text = tr("{most} a day; again at {moment}", most=most, moment=moment)
        return cls.with_detail(code, text, retry_after_s=seconds_until(resets_at, now), most=most, resets_at=moment)


class TooManyUploadsError(ContestError, code="too_many_uploads", status=409):
    message = tr(
        "Your team has ten uploads that were not completed; complete one of them. Each is given up after a day."
    )


class SetWithoutReferencesError(ContestError, code="set_without_references", status=409):
    message = tr("This set has items without right answers, so a submission to it could not be scored.")


class NotScoredError(ContestError, code="submission_not_scored", status=409):
    message = tr("Only a scored submission can be named or declared, and has a report.")


class LogsAbsentError(ContestError, code="logs_absent", status=404):
    message = tr("There are no logs: the submission has not been run yet, or is no program.")


class PrivateTestBegunError(ContestError, code="private_test_begun", status=409):
    """Submissions are named for a private test that has begun (F-7)."""

    message = tr("The private test has begun: what your team has named, or its best submission, is being run.")


EXAMPLES: Final[tuple[ContestError, ...]] = (
    TooManySelectedError.of(412, 300),
    NoSuchRulingError.at("verified"),
    SubmissionsExhaustedError.until(SAMPLE_SOON, SAMPLE_NOW, 3),
    SubmissionTooLargeError.over(10_737_418_241, 10_737_418_240),
    SubmissionUnderWayError.named(SAMPLE_SESSION),
)
"""Examples of the refusals whose body says more than their sentence; the others need none."""
