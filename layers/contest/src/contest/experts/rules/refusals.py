"""Refusals to experts and the coordinator, named for the API document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final

from contest.experts.rules.sharing_out import Uncovered
from contest.refusals import SAMPLE_NOW, ContestError, RefusedError
from contest.texts import tr
from contest.values import Millis, iso, iso_or_none


class UnknownAssignmentError(ContestError):
    """The assignment does not exist or is another expert's: the two are not distinguished."""

    code = "unknown_assignment"
    status = HTTPStatus.NOT_FOUND
    message = tr("You have no assignment with this identifier.")


class UnknownExpertError(ContestError):
    """No expert has this id."""

    code = "unknown_expert"
    status = HTTPStatus.NOT_FOUND
    message = tr("There is no expert with this identifier.")


class UnknownMarkingError(ContestError):
    """No annotation project has this name."""

    code = "unknown_marking"
    status = HTTPStatus.NOT_FOUND
    message = tr("There is no marking with this identifier.")


class UnknownDraftError(ContestError):
    """The assignment has no draft of this revision."""

    code = "unknown_draft"
    status = HTTPStatus.NOT_FOUND
    message = tr("The assignment has no draft of this revision.")


class AssignmentNotOpenedError(ContestError):
    """The request needs an opened assignment, and its clock has not been started."""

    code = "assignment_not_opened"
    status = HTTPStatus.CONFLICT
    message = tr("Open the assignment first: its text is shown, and its time runs, from then on.")


class AssignmentEndedError(ContestError):
    """The assignment is handed in, handed back, taken away, or its time is over."""

    code = "assignment_ended"
    status = HTTPStatus.CONFLICT
    message = tr("The assignment has ended; the details say how, and which draft became the markup.")

    @classmethod
    def told(cls, state: str, at: Millis | None, revision: int | None, saved_at: Millis | None) -> AssignmentEndedError:
        """Return the error with the state, its moment, and the draft that became the annotation (None: none did)."""
        message = tr("state: {state}", state=state)
        if revision is not None and saved_at is not None:
            moment = iso(saved_at)
            message = tr(
                "{message}; the markup is draft {revision} of {moment}",
                message=message,
                revision=revision,
                moment=moment,
            )
        detail = {"code": "assignment_state", **message.as_fields(), "state": state}
        return cls([detail | {"ended_at": iso_or_none(at), "revision": revision, "saved_at": iso_or_none(saved_at)}])


class RevisionNeededError(ContestError):
    """A draft is saved without the revision that it is based on."""

    code = "revision_needed"
    status = HTTPStatus.PRECONDITION_REQUIRED
    message = tr('Say in If-Match which revision the draft is based on: "0" for the first one.')


class RevisionConflictError(ContestError):
    """Another tab or device has saved meanwhile."""

    code = "revision_conflict"
    status = HTTPStatus.PRECONDITION_FAILED
    message = tr("Another tab or device has saved this markup meanwhile; nothing was overwritten.")

    @classmethod
    def between(cls, based_on: int, revision: int, saved_at: Millis | None) -> RevisionConflictError:
        """Return the error with both revisions: the one of the request, and the latest."""
        messages = {
            **tr("based on {based_on}, the latest is {revision}", based_on=based_on, revision=revision).as_fields(),
        }
        where = {"based_on": based_on, "revision": revision, "saved_at": iso_or_none(saved_at)}
        return cls([{"code": "revisions", **messages, **where}])


class SavedTooOftenError(ContestError):
    """Drafts of an assignment come faster than the cycle's parameter allows."""

    code = "saved_too_often"
    status = HTTPStatus.TOO_MANY_REQUESTS
    message = tr("A draft of this assignment was saved just now; send the next one a little later.")


class MarkupNotValidError(ContestError):
    """The latest draft is not a valid markup, so it cannot be handed in; the track's reasons are the details."""

    code = "markup_not_valid"
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    message = tr(
        "The markup cannot be handed in yet; the details name everything that is wrong with it. The draft is kept."
    )

    @classmethod
    def without_draft(cls) -> MarkupNotValidError:
        """Return the error where no draft was saved."""
        messages = tr("nothing has been saved yet").as_fields()
        return cls([{"code": "no_draft", **messages}])


class NothingToCalibrateError(ContestError):
    """The expert has had every training essay that it may mark up."""

    code = "nothing_to_calibrate"
    status = HTTPStatus.CONFLICT
    message = tr("There is no training essay left that you may mark up and have not marked up before.")


class CalibrationNotDoneError(ContestError):
    """Agreement is shown for a completed calibration only."""

    code = "calibration_not_done"
    status = HTTPStatus.CONFLICT
    message = tr("Agreement with the experts is shown when a calibration essay is handed in.")


class EssaysNotCoveredError(ContestError):
    """Some essays cannot get their experts; nothing was assigned."""

    code = "essays_not_covered"
    status = HTTPStatus.CONFLICT
    message = tr("Not every essay can get its experts, so nothing was assigned; the details name the essays and why.")

    @classmethod
    def naming(cls, uncovered: Sequence[Uncovered]) -> EssaysNotCoveredError:
        """Return the error with a detail for every essay."""
        return cls([uncovered_detail(essay) for essay in uncovered])


def uncovered_detail(essay: Uncovered) -> Mapping[str, Any]:
    """Return an essay that cannot be covered, as a detail."""
    return {"code": essay.code, "message": essay.message.en, "message_ru": essay.message.ru, "item_id": essay.item_id}


def changed_meanwhile() -> RefusedError:
    """Return the error for assignments that changed between reading and writing."""
    return RefusedError(
        "changed_meanwhile",
        tr("something else changed these essays' assignments meanwhile; look again and repeat"),
    )


class NoReplayError(ContestError):
    """The run has no replay, or does not exist."""

    code = "no_replay"
    status = HTTPStatus.NOT_FOUND
    message = tr("Nothing of this run is replayed.")


class NoRoundError(ContestError):
    """No round is open for this clinician."""

    code = "no_round"
    status = HTTPStatus.NOT_FOUND
    message = tr("No round is open in which you work; it will be here as soon as the organizers open it.")


class RoundOverError(ContestError):
    """The time of the round is over; the saved answers count."""

    code = "round_over"
    status = HTTPStatus.CONFLICT
    message = tr("The round's time is over; what was saved until then counts.")

    @classmethod
    def since(cls, until: Millis) -> RoundOverError:
        """Return the error with the last moment of the round."""
        moment = iso(until)
        messages = tr("until {moment}", moment=moment).as_fields()
        return cls([{"code": "until", **messages, "until": moment}])


class ReviewChangedError(ContestError):
    """Another window, most likely of the same person, has saved meanwhile."""

    code = "review_changed"
    status = HTTPStatus.CONFLICT
    message = tr("Your review was saved meanwhile, in another window perhaps; load it again.")

    @classmethod
    def now(cls, revision: int) -> ReviewChangedError:
        """Return the error with the present revision."""
        messages = tr("the revision is {revision}", revision=revision).as_fields()
        return cls([{"code": "revision", **messages, "revision": revision}])


_UNCOVERED: Final = Uncovered(
    "essay-17",
    "too_few_experts",
    tr("one expert can mark it up, two are needed"),
)
EXAMPLES: Final[tuple[ContestError, ...]] = (
    AssignmentEndedError.told("handed_in", SAMPLE_NOW, 7, SAMPLE_NOW - 60_000),
    EssaysNotCoveredError.naming([_UNCOVERED]),
    MarkupNotValidError.without_draft(),
    RevisionConflictError.between(6, 7, SAMPLE_NOW - 60_000),
    ReviewChangedError.now(7),
    RoundOverError.since(SAMPLE_NOW),
)
"""Examples of the refusals whose body says more than their sentence; the others need none."""
