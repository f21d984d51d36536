"""Errors of submissions: named members of the family of :mod:`contest.refusals`."""

from __future__ import annotations

from typing import Final

from contest.refusals import SAMPLE_NOW, SAMPLE_SESSION, SAMPLE_SOON, ContestError
from contest.texts import tr
from contest.values import Millis, iso, seconds_until


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
    SubmissionsExhaustedError.until(SAMPLE_SOON, SAMPLE_NOW, 3),
    SubmissionTooLargeError.over(10_737_418_241, 10_737_418_240),
    SubmissionUnderWayError.named(SAMPLE_SESSION),
)
"""Examples of the refusals whose body says more than their sentence; the others need none."""
