"""Errors of submissions: named members of the family of :mod:`contest.refusals`."""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

from contest.refusals import SAMPLE_NOW, SAMPLE_SESSION, SAMPLE_SOON, ContestError
from contest.texts import tr
from contest.values import Millis, iso, seconds_until


class SubmissionsNotTakenError(ContestError):
    """The contest has no submissions, or none of this kind."""

    code = "submissions_not_taken"
    status = HTTPStatus.CONFLICT
    message = tr("This contest takes no submissions of this kind; GET /v1/cycle says which it takes.")


class UnknownSubmissionError(ContestError):
    """The submission does not exist or is another team's: the two are not distinguished."""

    code = "unknown_submission"
    status = HTTPStatus.NOT_FOUND
    message = tr("There is no submission with this identifier, or it is not your team's.")


class SubmissionTooLargeError(ContestError):
    """More bytes than a submission may have."""

    code = "submission_too_large"
    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    message = tr("The submission is larger than allowed.")

    @classmethod
    def over(cls, size: int, most: int) -> SubmissionTooLargeError:
        """Return the error with both figures, in bytes."""
        messages = tr("{size} bytes, at most {most}", size=size, most=most).as_fields()
        return cls([{"code": "size", **messages, "size": size, "most": most, "field": "body.bytes"}])


class SubmissionClosedError(ContestError):
    """The upload was completed or cancelled before."""

    code = "submission_closed"
    status = HTTPStatus.CONFLICT
    message = tr("The upload is complete or was given up; begin another submission.")


class UnknownSubmissionPartError(ContestError):
    """The submission was announced with fewer parts."""

    code = "unknown_submission_part"
    status = HTTPStatus.NOT_FOUND
    message = tr(
        "The submission has no part of this number: parts have the numbers from 1 to that of the last announced one."
    )


class SubmissionUnderWayError(ContestError):
    """One submission at a time (F-5)."""

    code = "submission_under_way"
    status = HTTPStatus.CONFLICT
    message = tr(
        "Another submission of your team is being checked, run or scored; complete this one when that has ended."
    )

    @classmethod
    def named(cls, submission_id: str) -> SubmissionUnderWayError:
        """Return the error with the submission that is under way."""
        messages = tr("the submission {submission_id}", submission_id=submission_id).as_fields()
        return cls([{"code": "under_way", **messages, "submission_id": submission_id}])


class SubmissionsExhaustedError(ContestError):
    """The day's scored submissions are used up (F-5)."""

    code = "submissions_exhausted"
    status = HTTPStatus.TOO_MANY_REQUESTS
    message = tr("Your team has used up the day's submissions; the details say when the next one may be completed.")

    @classmethod
    def until(cls, resets_at: Millis, now: Millis, most: int, code: str = "scored") -> SubmissionsExhaustedError:
        """Return the error with the next day's beginning; ``code`` names the count: ``scored`` or ``unscored``."""
        moment = iso(resets_at)
        messages = tr("{most} a day; again at {moment}", most=most, moment=moment).as_fields()
        detail = {"code": code, **messages, "most": most, "resets_at": moment}
        return cls([detail], retry_after_s=seconds_until(resets_at, now))


class TooManyUploadsError(ContestError):
    """Too many uploads of the team are open."""

    code = "too_many_uploads"
    status = HTTPStatus.CONFLICT
    message = tr(
        "Your team has ten uploads that were not completed; complete one of them. Each is given up after a day."
    )


class SetWithoutReferencesError(ContestError):
    """A submission to this set could not be scored."""

    code = "set_without_references"
    status = HTTPStatus.CONFLICT
    message = tr("This set has items without right answers, so a submission to it could not be scored.")


class NotScoredError(ContestError):
    """The request needs a score, and the submission has none."""

    code = "submission_not_scored"
    status = HTTPStatus.CONFLICT
    message = tr("Only a scored submission can be named or declared, and has a report.")


class LogsAbsentError(ContestError):
    """The submission has no logs to show: it was not run, or in private."""

    code = "logs_absent"
    status = HTTPStatus.NOT_FOUND
    message = tr("There are no logs: the submission has not been run yet, or is no program.")


class PrivateTestBegunError(ContestError):
    """Submissions are named for a private test that has begun (F-7)."""

    code = "private_test_begun"
    status = HTTPStatus.CONFLICT
    message = tr("The private test has begun: what your team has named, or its best submission, is being run.")


EXAMPLES: Final[tuple[ContestError, ...]] = (
    SubmissionsExhaustedError.until(SAMPLE_SOON, SAMPLE_NOW, 3),
    SubmissionTooLargeError.over(10_737_418_241, 10_737_418_240),
    SubmissionUnderWayError.named(SAMPLE_SESSION),
)
"""Examples of the refusals whose body says more than their sentence; the others need none."""
